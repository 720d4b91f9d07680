"""``scripts/bench agent --model`` asks the real loop over the mount and over the files, and counts what is right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kgfs.errors import KgfsError
from kgfs.sandbox import bubblewrap
from tests.conftest import ROOT, copy_store
from tests.messages_server import MessagesServer, use

pytestmark = pytest.mark.mount

sys.path.insert(0, str(ROOT / "scripts" / "bench.d"))
import agent_answers  # noqa: E402  # a benchmark is no package

TRUE = "YouTube was founded by Chad Hurley"


def test_answers_are_compared_as_hotpotqa_does() -> None:
    assert agent_answers.normal("The  King's Cross!") == "kings cross"
    assert agent_answers.f1("Sequoia Capital", "Sequoia Capital and Kleiner Perkins") == pytest.approx(4 / 7)
    assert agent_answers.f1("yes, it is", "yes") == 0.0 and agent_answers.f1("", "x") == 0.0
    assert agent_answers.f1("Yes.", "yes") == 1.0


@pytest.mark.slow
def test_both_are_asked_and_counted(pristine_light_store: Path, tmp_path: Path) -> None:
    """One question is answered rightly with its evidence over the mount, and wrongly over the files."""
    try:
        bubblewrap.require(bubblewrap.View(mounted=tmp_path))
    except KgfsError as error:
        pytest.skip(error.message)
    documents = [
        {"_id": "d1", "title": "YouTube", "text": f"{TRUE}, Steve Chen and Jawed Karim, who had met at PayPal."},
        {"_id": "d2", "title": "PayPal", "text": "PayPal is a company for payments. Its seat is in San Jose."},
    ]
    question = {"_id": "q", "question": "Where is the seat of the firm at which YouTube's founders met?",
                "answer": "San Jose", "supporting": ["d1", "d2"]}  # fmt: skip
    data = tmp_path / "data" / "tiny"
    data.mkdir(parents=True)
    (data / "docs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents))
    (data / "questions.jsonl").write_text(json.dumps(question) + "\n")

    def cites(path: str) -> list[dict[str, str]]:
        return [{"path": path, "quote": "Its seat is in San Jose"}]

    def seat(request: dict[str, Any]) -> list[dict[str, Any]]:
        return [use("answer", text="San Jose.", citations=cites(f"context/disk{folder}/PayPal.md"))]

    folder = tmp_path / "added"
    steps: list[Any] = [
        [use("execute", command="cat '/kg/@grep/seat'")], seat,
        [use("execute", command="grep -rn seat /kg")],
        [use("answer", text="In San Francisco", citations=[{"path": "/kg/PayPal.md", "quote": "San Jose"}])],
    ]  # fmt: skip
    store = copy_store(pristine_light_store, tmp_path / "store")
    folder.mkdir()
    for one in documents:
        (folder / f"{one['title']}.md").write_text(f"# {one['title']}\n\n{one['text']}\n")
    added = [sys.executable, "-m", "kgfs.cli.main", "--store", str(store), "-q", "add", str(folder)]
    subprocess.run(added, check=True, timeout=300)
    with MessagesServer(steps, key="sk-x") as server:
        env = {**os.environ, "ANTHROPIC_API_KEY": "sk-x", "ANTHROPIC_BASE_URL": server.url, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, str(ROOT / "scripts/bench.d/agent.py"), str(tmp_path / "data"), "--model",
             "claude-haiku-5-5", "--store", str(store), "--json", str(tmp_path / "out.json")],
            env=env, capture_output=True, text=True, timeout=280, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "out.json").read_text())["tiny"]
    mount, files = result["mount"], result["files"]
    assert (mount["exact"], mount["f1"], mount["cited"]) == (1.0, 1.0, 0.5), done.stdout
    assert files["exact"] == 0.0 and files["f1"] == pytest.approx(0.4) and files["cited"] == 0.5
    assert mount["calls"] >= 1 and mount["tokens"] > 0 and mount["dollars"] is not None
    assert "| tiny | exact | F1 | evidence cited |" in done.stdout
    seen = json.dumps([request["messages"] for request in server.requests])
    assert "/kg/PayPal.md:" in seen and "let the answer" in seen.casefold()


def test_the_questions_of_the_sample_have_their_answers_in_their_files() -> None:
    rows = [json.loads(line) for line in (ROOT / "scripts/bench.d/sample_questions.jsonl").read_text().splitlines()]
    sample = ROOT / "kgfs" / "samples" / "companies"
    assert len(rows) == 20 and len({row["question"] for row in rows}) == 20
    for row in rows:
        text = "".join((sample / name).read_text() for name in row["files"])
        assert row["answer"].rstrip("!") in text or all(word in text for word in row["answer"].split(" and ")), row
