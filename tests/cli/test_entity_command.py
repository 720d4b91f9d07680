"""``kgfs entity`` and ``kgfs fact``: with a mount and without one, what they print, and what they refuse."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgfs.cli.main import run
from kgfs.drives.gate import Passed
from kgfs.graph import annotating
from kgfs.service.service import Service
from tests.conftest import Mounting, Program, copy_store

FILES = {
    "alphabet.md": "title: Alphabet Inc.\ntype: Organization\naliases: [Alphabet]\n---\nAlphabet Inc. is a holding.\n",
    "google.md": "title: Google LLC\ntype: Organization\n---\nGoogle LLC acquired Looker in 2019, for 2.6 billion.\n",
    "looker.md": "title: Looker\ntype: Product\n---\nLooker shows charts. It was bought by Google LLC.\n",
}


@pytest.fixture(scope="module")
def made(kgfs: Program, pristine_light_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of three small documents, and these beside it; nobody opens it."""
    directory = tmp_path_factory.mktemp("annotated")
    (directory / "docs").mkdir()
    for name, text in FILES.items():
        (directory / "docs" / name).write_text(f"---\n{text}")
    copy_store(pristine_light_store, directory / "store")
    kgfs("--store", directory / "store", "add", directory / "docs", "--extractor", "offline")
    return directory


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return copy_store(made / "store", tmp_path / "store")


Say = Callable[..., tuple[int, str, str]]
CHANGES = {"merge", "unmerge", "rename", "retype", "describe", "add", "undo", "retract", "restore"}
"""Subcommands whose indexing is left here: it has a test of its own."""


@pytest.fixture
def say(store: Path, capsys: pytest.CaptureFixture[str]) -> Say:
    """``say("entity", "merge", …)``: status, output, errors of a command of this process."""

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        writes = CHANGES.intersection(arguments[:3]) and not {"history", "show"} & set(arguments)
        status = run(["--store", str(store), *arguments, *(["--no-index"] if writes else [])])
        said = capsys.readouterr()
        return status, said.out, said.err

    return command


def listed(say: Say, path: str) -> set[str]:
    status, out, err = say("ls", path)
    assert status == 0, err
    return set(out.split())


def as_json(say: Say, *arguments: str) -> Any:
    status, out, err = say("--json", *arguments)
    assert status == 0, err
    return json.loads(out)


def test_merging_and_back(say: Say) -> None:
    status, out, _ = say("entity", "merge", "google", "Alphabet")
    assert status == 0
    assert out == (
        "Google_LLC is Alphabet Inc. now; `kgfs entity unmerge Google_LLC` splits them again.\n"
        "  entities/organizations/Alphabet_Inc\n"
    )
    shown = as_json(say, "entity", "show", "Google_LLC")
    assert (shown["slug"], shown["path"]) == ("Alphabet_Inc", "entities/organizations/Alphabet_Inc")
    metadata = json.loads(say("cat", "entities/organizations/Google_LLC/metadata.json")[1])
    assert metadata["name"] == "Alphabet Inc." and "Google LLC" in metadata["aliases"]
    assert {name: value for name, value in metadata["merged"][-1].items() if name != "documents"} == {
        "name": "Google LLC",
        "rule": "person",
        "confidence": 1.0,
    }
    assert say("entity", "merge", "Google_LLC", "alphabet inc.")[0] == 2
    assert "Google_LLC" in listed(say, "entities/by_name")
    for name in ("Google_LLC", "Google"):
        assert say("entity", "unmerge", name)[0] == (0 if name == "Google_LLC" else 3)
    assert as_json(say, "entity", "show", "google")["slug"] == "Google_LLC"
    assert json.loads(say("cat", "entities/organizations/Google_LLC/metadata.json")[1])["name"] == "Google LLC"


def test_names_types_descriptions_and_what_was_said(say: Say) -> None:
    assert say("entity", "rename", "looker", "Looker Studio")[0] == 0
    assert {"Looker", "Looker_Studio"} <= listed(say, "entities/products")
    assert say("entity", "retype", "entities/products/Looker", "Web Service")[0] == 0
    assert {"Looker_Studio"} <= listed(say, "entities/web_services")
    assert {"Looker", "Looker_Studio"} <= listed(say, "entities/products")  # links
    assert {"Looker", "Looker_Studio"} <= listed(say, "entities/by_name")
    described = as_json(say, "entity", "describe", "Looker", "It shows charts.")
    assert described["description"] == "It shows charts." and described["slug"] == "Looker_Studio"
    assert "It shows charts." in say("cat", "entities/web_services/Looker_Studio/summary.txt")[1]
    lines = [json.loads(line) for line in say("--json", "entity", "history", "Looker")[1].splitlines()]
    assert [(line["what"], line["value"], line["before"]) for line in lines] == [
        ("rename", "Looker Studio", "Looker"), ("retype", "Web Service", "Product"),
        ("describe", "It shows charts.", ""),
    ]  # fmt: skip
    assert all(line["by"] and line["at"].endswith("Z") for line in lines)
    status, out, _ = say("entity", "undo", "Looker", str(lines[1]["number"]))
    assert status == 0 and "Taken back: retype Web Service." in out
    assert as_json(say, "entity", "show", "Looker")["path"] == "entities/products/Looker_Studio"
    say("entity", "undo", "Looker")
    assert as_json(say, "entity", "undo", "Looker")["slug"] == "Looker"
    assert say("entity", "undo", "Looker")[0] == 3
    assert "taken back" in say("entity", "history", "Looker")[1]
    assert say("entity", "history", "Alphabet")[1] == "There are no corrections of it.\n"


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("entity", "rename", "Looker", "google"), 4, "kgfs entity merge"),
        (("entity", "rename", "Looker", ""), 2, "empty"),
        (("entity", "rename", "Looker", "x" * 5000), 2, "5,000 characters"),
        (("entity", "rename", "Looker", "Looker"), 2, "already"),
        (("entity", "retype", "Looker", "\x07"), 2, "empty"),
        (("entity", "rename", "Lookr", "X"), 3, "did you mean Looker?"),
        (("entity", "show", "Zzz Qqq"), 3, "kgfs search"),
        (("entity", "show", ""), 3, "no entity"),
        (("entity", "unmerge", "Looker"), 3, "Nobody merged"),
        (("entity", "undo", "Looker", "77"), 3, "No correction 77"),
        (("entity", "add", "ALPHABET"), 4, "already"),
        (("fact", "add", "Looker", "PART_OF", "Nobody Inc."), 3, "--text"),
        (("fact", "add", "Looker", "PART_OF", "google", "--date", "soon"), 2, "2019-10"),
        (("fact", "add", "Looker", "PART_OF", "google", "--quote", "x"), 2, "--quote-from"),
        (("fact", "add", "Looker", "X", "google", "--quote-from", "looker_chunk_0009", "--quote", "x"), 3, "no chunk"),
        (("fact", "add", "Looker", "X", "google", "--quote-from", "looker_chunk_0001", "--quote", "x y"), 2, "letter"),
        (("fact", "retract", "f_0000000000000000"), 3, "no fact"),
        (("fact", "retract", "nonsense"), 2, "16 digits"),
        (("fact", "restore", "f_0000000000000000"), 3, "retracted"),
    ],
)
def test_what_is_refused(say: Say, arguments: tuple[str, ...], status: int, words: str) -> None:
    got, out, err = say(*arguments)
    assert (got, out) == (status, ""), err
    assert words in err and err.count("\n") == 1 and err.startswith("kgfs: ")


def test_facts(say: Say) -> None:
    stated = as_json(say, "fact", "add", "looker", "part of", "google", "--date", "2019")
    assert stated["type"] == "PART_OF" and stated["origin"] == "agent:/annotations/facts.md"
    fact = json.loads(say("cat", stated["path"])[1])
    assert fact["extractor"] == "person" and fact["quote"] == "Looker part of Google LLC (2019)."
    assert fact["quote"] in say("cat", f"{fact['chunk']}")[1] if fact["chunk"].endswith(".txt") else True
    assert fact["quote"] in say("cat", "notes/annotations/facts.md")[1]
    assert say("fact", "add", "looker", "part of", "google", "--date", "2019")[0] == 4
    path = "chunks/by_document/google/chunk_0001"
    quoting = as_json(
        say, "fact", "add", "Google_LLC", "PAID", "2.6 billion", "--text", "--quote-from", path,
        "--quote", "for 2.6 billion", "--description", "Google paid 2.6 billion.",
    )  # fmt: skip
    body = say("cat", f"{path}/content.txt")[1].encode()
    start, end = json.loads(say("cat", quoting["path"])[1])["span"]
    assert body[start:end] == b"for 2.6 billion"
    status, out, _ = say("fact", "retract", quoting["path"])
    assert status == 0 and quoting["fact_id"] in out
    assert say("cat", quoting["path"])[0] == 3
    assert quoting["fact_id"] in say("fact", "retracted")[1]
    restored = as_json(say, "fact", "restore", quoting["fact_id"])
    assert restored["path"] == quoting["path"]
    say("fact", "retract", stated["fact_id"])
    assert "part of" not in say("cat", "notes/annotations/facts.md")[1]
    made = as_json(say, "entity", "add", "Nobody Inc.", "--type", "organization")
    assert made["path"] == "entities/organizations/Nobody_Inc"
    assert as_json(say, "fact", "add", "Nobody Inc.", "OWNS", "looker")["subject"] == "Nobody Inc."


def test_a_kill_after_the_commit(store: Path, say: Say) -> None:
    passed: list[Passed] = []
    with Service.open(store) as service:
        service.gate.listeners.append(passed.append)
        google, alphabet = service.annotations.find_entity("google"), service.annotations.find_entity("alphabet")
        service.database.write(lambda cursor: annotating.merge_entities(cursor, google.id, alphabet.id, "ann"))
        service.annotations.describe("Looker", "Said.")
    assert [(one.mutation.operation, one.error) for one in passed] == [("describe", None)]
    assert as_json(say, "entity", "show", "google")["slug"] == "Alphabet_Inc"
    assert json.loads(say("cat", "entities/organizations/Google_LLC/metadata.json")[1])["name"] == "Alphabet Inc."


def test_on_a_mount(kgfs: Program, mount: Mounting, made: Path, store: Path, tmp_path: Path) -> None:
    """The kernel sees each change at once; removing a document and adding it again loses nothing that was said."""
    docs = tmp_path / "docs"
    shutil.copytree(made / "docs", docs)
    kg = mount(store)
    organizations = kg / "entities" / "organizations"
    before = (organizations / "Google_LLC" / "summary.txt").read_text()
    kgfs("entity", "merge", organizations / "Google_LLC", "Alphabet", cwd=kg)
    assert os.readlink(organizations / "Google_LLC") == "../../entities/organizations/Alphabet_Inc"
    assert "Alphabet Inc." in (organizations / "Google_LLC" / "summary.txt").read_text()
    kgfs("entity", "unmerge", "Google_LLC", cwd=kg)
    assert not (organizations / "Google_LLC").is_symlink()
    assert (organizations / "Google_LLC" / "summary.txt").read_text() == before

    kgfs("entity", "rename", "Looker", "Looker Studio", cwd=kg)
    kgfs("entity", "retype", ".", "Organization", cwd=kg / "entities" / "products" / "Looker_Studio")
    assert (organizations / "Looker_Studio" / "metadata.json").exists()
    assert os.path.samefile(kg / "entities" / "products" / "Looker", organizations / "Looker_Studio")
    said = json.loads(kgfs("--json", "fact", "add", "Looker", "PART_OF", "google", cwd=kg).stdout)
    fact = json.loads((kg / said["path"]).read_text())
    chunk = (kg / fact["chunk"] / "content.txt") if not fact["chunk"].endswith(".txt") else kg / fact["chunk"]
    start, end = fact["span"]
    assert chunk.read_bytes()[start:end].decode() == fact["quote"]
    assert fact["quote"] in (kg / "notes" / "annotations" / "facts.md").read_text()

    facts_file = kg / "notes" / "annotations" / "facts.md"
    text = facts_file.read_text()
    facts_file.write_text(text.replace(f"- {fact['quote']}\n", ""))
    kgfs("wait", cwd=kg)
    assert not (kg / said["path"]).exists()  # the line took its fact along
    facts_file.write_text(text)
    kgfs("wait", cwd=kg)
    assert (kg / said["path"]).exists()

    kgfs("rm", "documents/looker", cwd=kg)
    assert (organizations / "Looker_Studio" / "metadata.json").exists()
    kgfs("--store", store, "add", docs / "looker.md", "--extractor", "offline")
    shown = json.loads(kgfs("--json", "entity", "show", "Looker", cwd=kg).stdout)
    assert (shown["name"], shown["type"]) == ("Looker Studio", "Organization")
    assert (kg / said["path"]).exists()
