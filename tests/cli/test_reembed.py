"""``kgfs reembed``: another model on a store, with a daemon and without; killed, and with a model that fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgfs.config import VECTORS, load_config
from kgfs.store.index.vectors import VectorStore
from tests.conftest import Mounting, Program
from tests.onnx_models import write_multilingual_model, write_small_model

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of small models: ``a`` and ``b`` have one dimension, ``wide`` another, ``broken`` does not load."""
    place = tmp_path_factory.mktemp("models")
    for name, seed, dimension in (("a", 1, 32), ("b", 2, 32), ("wide", 3, 48), ("broken", 4, 32)):
        write_small_model(place / name, seed=seed, dimension=dimension)
    (place / "broken" / "model.onnx").write_bytes(b"nothing")
    return place


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More passages than are embedded at once."""
    place = tmp_path_factory.mktemp("documents")
    for number in range(60):
        paragraph = f"Wages in district {number} rose, and hiring of {number} workers slowed. " * 40
        (place / f"{number}.md").write_text(f"# Report {number}\n\n{paragraph}\n\n{paragraph}\n")
    return place


@pytest.fixture
def ask(kgfs: Program, tmp_path: Path) -> Ask:
    """A command on this test's store: the last object that it prints."""

    def asked(*arguments: str | Path, status: int = 0) -> dict[str, Any]:
        done = kgfs("--store", tmp_path / "store", "--json", *arguments, status=status)
        result: dict[str, Any] = json.loads((done.stdout or done.stderr).splitlines()[-1])
        return result

    return asked


def mode(ask: Ask) -> str:
    """How a search is made, once what takes part is awake."""
    for _ in range(20):
        said = str(ask("search", "wages hiring", "--limit", "1")["mode"])
        if not said.endswith(("late", "loading")):
            return said
    raise AssertionError(said)


@pytest.mark.slow
def test_from_model_to_model(ask: Ask, kgfs: Program, models: Path, documents: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    ask("init")
    # Before there is anything, a model is only taken.
    first = ask("reembed", "--model", models / "a")
    assert (first["model"], first["dimension"], first["vectors"]["total"]) == (str(models / "a"), 32, 0)
    ask("add", "--extractor", "none", documents)

    # A model that does not load changes nothing.
    for wrong in (models / "broken", models / "nowhere"):
        assert ask("reembed", "--model", wrong, status=1)["error"]["kind"] == "model"
    assert load_config(store).embedding_model == str(models / "a")

    # One that is set and not embedded with is refused, and says what to do.
    said = kgfs("--store", store, "config", "embedding_model", str(models / "b"))
    assert "`kgfs reembed`" in said.stderr
    assert mode(ask) == "keyword, vectors of another model"
    (documents / "new.md").write_text("# New\n\nNews of wages.\n")
    warned = kgfs("--store", store, "add", "--extractor", "none", documents / "new.md", status=None)
    assert (
        f"made by {models / 'a'}" in warned.stderr + warned.stdout and "kgfs reembed" in warned.stderr + warned.stdout
    )

    # With it everything is embedded, and nothing of the other is left.
    taken = ask("reembed")
    assert taken["anew"] and taken["model"] == str(models / "b") and taken["vectors"]["total"] > 100
    assert taken["vectors"]["done"] == taken["vectors"]["total"]
    wide = ask("reembed", "--model", models / "wide")
    assert wide["dimension"] == load_config(store).embedding_dimension == 48
    assert mode(ask) == "hybrid"
    index = VectorStore(store / VECTORS, 0)
    assert index.dimension == 48 and index.model_ids() == {wide["model_id"]}

    # What a store has already is not made again for another form of its model; without a model it is.
    identities = index.state().identities
    again = ask("reembed", "--model", f"onnx:{models / 'wide'}")
    assert not again["anew"] and again["model_id"] == wide["model_id"]
    assert VectorStore(store / VECTORS, 0).state().identities == identities
    anew = ask("reembed")
    assert anew["anew"] and VectorStore(store / VECTORS, 0).state().identities != identities


MEANINGS = [
    ["horse", "horses", "pferd", "pferde", "cheval", "马", "лошадь"],
    ["meadow", "wiese", "pré", "草", "луг"],
    ["bank", "banks", "sparkasse", "banque", "银", "行"],
    ["money", "geld", "argent", "钱", "деньги"],
]
IN_LANGUAGES = {
    "pferde": "# Pferde\n\nDie Pferde stehen am Morgen auf der Wiese hinter dem Haus.\n",
    "sparkasse": "# Sparkasse\n\nDie Sparkasse verleiht Geld, seit es sie gibt.\n",
    "ma": "# 马\n\n一匹马在草地上奔跑。\n",
    "yinhang": "# 银行\n\n银行里有很多钱。\n",
    "weather": "# Weather\n\nIt rained all day in the north of the country.\n",
}


@pytest.mark.slow
def test_a_multilingual_model_finds_what_no_word_of_the_question_is_in(
    ask: Ask, kgfs: Program, tmp_path: Path, models: Path
) -> None:
    """A store that began with another model: after the switch a question finds texts in each language by meaning."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in IN_LANGUAGES.items():
        (folder / f"{name}.md").write_text(text)
    multilingual = write_multilingual_model(tmp_path / "multilingual", MEANINGS)
    ask("init")
    ask("reembed", "--model", models / "a")
    ask("add", "--extractor", "none", folder)

    def found(question: str, kind: str = "chunks", limit: int = 2) -> list[str]:
        arguments = ("search", question, "--kind", kind, "--limit", str(limit))
        hits = map(json.loads, kgfs("--store", tmp_path / "store", "--json", *arguments).stdout.splitlines())
        return sorted(hit["rel"].split("/")[2] for hit in hits)

    assert found("horses in a meadow", "keyword") == []
    taken = ask("reembed", "--model", multilingual)
    assert taken["anew"] and taken["dimension"] == len(MEANINGS) + 1
    assert mode(ask) == "hybrid"
    assert found("horses, a meadow") == ["ma", "pferde"]
    assert found("money of banks") == ["sparkasse", "yinhang"]
    assert found("лошадь, луг") == ["ma", "pferde"]
    assert found("argent, banque") == ["sparkasse", "yinhang"]
    # A note that is added later is embedded with it too.
    (folder / "cheval.md").write_text("# Le cheval\n\nUn cheval dans le pré.\n")
    ask("add", "--extractor", "none", folder / "cheval.md")
    assert found("Pferd, Wiese", limit=3) == ["cheval", "ma", "pferde"]


def test_a_killed_run_goes_on(ask: Ask, kgfs: Program, models: Path, documents: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    ask("init")
    ask("reembed", "--model", models / "a")
    ask("add", "--extractor", "none", documents)
    running = kgfs.start("--store", store, "--json", "reembed")
    assert running.stdout is not None
    for line in running.stdout:
        if json.loads(line).get("progress", {}).get("stage") == "embed":
            running.kill()
            break
    running.communicate()
    assert mode(ask).startswith(("keyword, vectors 0 %", "hybrid, vectors "))
    taken = ask("reembed")
    assert not taken["anew"] and taken["vectors"]["done"] == taken["vectors"]["total"] > 100
    assert mode(ask) == "hybrid"


@pytest.mark.mount
def test_through_a_daemon(ask: Ask, models: Path, documents: Path, tmp_path: Path, mount: Mounting) -> None:
    ask("init")
    ask("reembed", "--model", models / "a")
    ask("add", "--extractor", "none", documents / "1.md", documents / "2.md")
    mount(tmp_path / "store")
    assert mode(ask) == "hybrid"
    assert ask("reembed", "--model", models / "broken", status=1)["error"]["kind"] == "model"
    assert mode(ask) == "hybrid"
    taken = ask("reembed", "--model", models / "wide")
    assert taken["anew"] and taken["dimension"] == 48
    assert mode(ask) == "hybrid"
    ask("add", "--extractor", "none", documents / "3.md")
    ask("wait")
    assert mode(ask) == "hybrid" and ask("config", "embedding_dimension")["embedding_dimension"] == 48
