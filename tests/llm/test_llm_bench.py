"""``scripts/bench extraction --llm`` asks a model and counts what is right; a second run costs nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import llm_reader
import pytest
from llm_server import LlmServer

from kgfs.config import Config

ROOT = Path(__file__).resolve().parents[2]
SENTENCES = [
    (
        "Ann Lee was the chief executive of Acme Corp until 2012 .",
        "Work_For",
        ("Peop", "Ann Lee"),
        ("Org", "Acme Corp"),
    ),
    ("Zeta Mills is headquartered in Duluth .", "OrgBased_In", ("Org", "Zeta Mills"), ("Loc", "Duluth")),
    ("Nobody knows where Bob Roe lives .", "Live_In", ("Peop", "Bob Roe"), ("Loc", "Nobody")),
]


def labelled(text: str, relation: str, *ends: tuple[str, str]) -> dict[str, Any]:
    entities = [
        {"type": kind, "cs": text.index(name), "ce": text.index(name) + len(name), "text": name} for kind, name in ends
    ]
    return {"text": text, "entities": entities, "relations": [{"type": relation, "head": 0, "tail": 1}]}


def document() -> dict[str, Any]:
    mention = [{"sent_id": 0, "pos": [0, 2]}], [{"sent_id": 0, "pos": [7, 9]}]
    return {
        "sents": ["Ann Lee was the chief executive of Acme Corp .".split()],
        "vertexSet": [mention[0], mention[1]],
        "labels": [{"h": 1, "t": 0, "r": "P169"}],
    }


@pytest.mark.slow
def test_the_bench_measures_a_model_and_keeps_its_answers(tmp_path: Path) -> None:
    data = tmp_path / "data"
    rows = [labelled(*one) for one in SENTENCES]
    for name, content in (("conll04/train", rows), ("wikigold/test", rows), ("re_docred/dev", [document()])):
        place = data / "kg" / f"{name}.jsonl"
        place.parent.mkdir(parents=True)
        place.write_text("".join(json.dumps(row) + "\n" for row in content))
    command = [sys.executable, ROOT / "scripts/bench.d/extraction.py", "--llm", "--data", data, "--answers",
               tmp_path / "kept", "--json", tmp_path / "figures.json", "--budget", "1"]  # fmt: skip
    with LlmServer(llm_reader.reply) as server:
        for _ in range(2):
            done = subprocess.run(
                list(map(str, command)), env={**os.environ, **server.environment(), "PYTHONPATH": str(ROOT)},
                capture_output=True, encoding="utf-8", check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            assert len(server.requests) == 2  # the sentences of two sets are the same
    figures = json.loads((tmp_path / "figures.json").read_text())
    conll = figures[f"conll04 {Config().llm_model}"]
    assert conll["facts"]["exact"] == {"precision": 100.0, "recall": 66.7, "f1": 80.0}
    assert conll["facts"]["by type"]["OrgBased_In"]["f1"] == 100.0
    assert 0 < conll["names"]["untyped"]["recall"] < 100
    assert figures[f"re_docred {Config().llm_model}"]["facts"]["precision"] == 100.0
    assert "cost" in figures


def test_without_a_key_the_bench_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "kg/conll04").mkdir(parents=True)
    (tmp_path / "kg/conll04/train.jsonl").write_text(json.dumps(labelled(*SENTENCES[0])) + "\n")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")}
    bench = str(ROOT / "scripts/bench.d/extraction.py")
    done = subprocess.run(
        [sys.executable, bench, "--llm", "--set", "conll04", "--data", str(tmp_path)],
        env={**clean, "PYTHONPATH": str(ROOT)}, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "ANTHROPIC_API_KEY" in done.stderr
