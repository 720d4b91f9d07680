"""Folders, topics and texts that are nested far deeper than a program calls itself."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.store.catalog.database import Database
from tests.conftest import Mounting, Program
from tests.rounds import rounds

pytestmark = [pytest.mark.mount, pytest.mark.timeout(600)]

DEPTH = 1_100
LEVELS = rounds(100, 1_100)
"""Of directories that are made on the mount."""
PATH_BYTES = 5_500


@pytest.mark.long
def test_a_deep_folder(kgfs: Program, light_store: Path, mount: Mounting, tmp_path: Path) -> None:
    """It is added, listed, mounted, walked, written out, checked and removed as any other."""
    at = ("--store", light_store)
    source = tmp_path / "s"
    inner = "d/" * DEPTH + "deep.md"
    for level in range(DEPTH + 1):
        os.mkdir(source / ("d/" * level))
    (source / inner).write_text("Anna Smith works for Google in Boston.\n")
    kgfs(*at, "add", source, "--extractor", "offline")
    place = f"context/disk{source}"
    kgfs(*at, "ls", place)
    assert kgfs(*at, "find", place, "-name", "*.md").stdout.rstrip("\n") == f"{place}/{inner}"
    assert "deep.md" in kgfs(*at, "tree", place).stdout
    assert "1 file" in kgfs(*at, "context", "tree", f"disk:{source}", "-L", "64").stdout
    assert kgfs(*at, "cat", f"{place}/{inner}").stdout.startswith("Anna")
    assert "deep.md" in kgfs(*at, "sql", "SELECT path FROM context_items").stdout
    root = mount(light_store)
    for command in (["find", root], ["ls", "-lR", root / "context"], ["tar", "cf", "/dev/null", "-C", root, "context"]):
        done = subprocess.run(command, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), command
    # Deeper than a path of the system may be long. Each level is a commit, which is what takes the time here.
    level = "d" * (PATH_BYTES // LEVELS)
    notes = os.open(root / "notes", os.O_RDONLY)
    for _ in range(LEVELS):
        os.mkdir(level, dir_fd=notes)
        notes, above = os.open(level, os.O_RDONLY, dir_fd=notes), notes
        os.close(above)
    with open(os.open("deep.md", os.O_CREAT | os.O_WRONLY, dir_fd=notes), "wb") as file:
        file.write(b"Anna Smith works for Google.\n")
    os.close(notes)
    kgfs(*at, "wait")
    assert len(kgfs(*at, "find", "context/agent", "-name", "deep.md").stdout) > PATH_BYTES
    assert subprocess.run(["find", root / "context"], capture_output=True, check=False).returncode == 0
    kgfs(*at, "fsck")
    kgfs(*at, "refresh", "--all")
    kgfs(*at, "umount", root)
    kgfs(*at, "export", tmp_path / "bundle")
    kgfs("--store", tmp_path / "copy", "import", tmp_path / "bundle")
    kgfs(*at, "rm", "-r", f"agent:/{level}")
    kgfs(*at, "rm", "-r", source)
    assert kgfs(*at, "find", "context", "-type", "f").stdout == ""
    subprocess.run(["rm", "-r", source], check=True)  # pytest cannot: it would recurse


def test_topics_beneath_topics(tmp_path: Path) -> None:
    """``_ontology.json`` has them all, as long as its size says."""
    with Database.open(tmp_path / "store", create=True, reserve=0) as database:
        database.write(
            lambda cursor: cursor.execute(
                "INSERT INTO topics BY NAME SELECT i AS id, 1 AS group_id, 't' || i AS slug, 't' || i AS slug_key,"
                " 't' || i AS name, 't' || i AS key, '' AS definition, 'tag' AS source, 1 AS version,"
                " now()::TIMESTAMP AS changed_at, CASE WHEN i > 1 THEN i - 1 END AS parent_id"
                f" FROM range(1, {DEPTH}) r(i)"
            )
        )
        publish(database)
        tree = Namespace(database)
        tree.adopt(tree.load_snapshot())
        node = tree.resolve("topics/_ontology.json")
        body = tree.load(node)
        text = body.read(0, body.size + 1)
        assert len(text) == tree.attr(node).size
        paths = []
        waiting = json.loads(text)
        while waiting:
            topic = waiting.pop()
            paths.append(topic["path"])
            waiting += topic["subtopics"]
        assert len(set(paths)) == DEPTH - 1 and max(path.count("/subtopics/") for path in paths) == DEPTH - 2


N = 100_000
PART = "--a\nContent-Type: multipart/mixed; boundary=a\n\n"
TEXTS = {
    "div.html": "<html><body>" + "<div>" * N + "Google" + "</div>" * N,
    "list.html": "<html><body>" + "<ul><li>" * N + "Google" + "</li></ul>" * N,
    "array.json": "[" * N + "]" * N,
    "object.json": '{"a":' * N + "1" + "}" * N,
    "book.ipynb": "[" * N + "]" * N,
    "list.md": "\n".join(" " * level + "- x" for level in range(1500)),
    "quote.md": ">" * N + " Google\n",
    "brackets.md": "[" * N + "a" + "]" * N,
    "front.md": "---\ntags: " + "[" * N + "]" * N + "\n---\nGoogle\n",
    "tags.xml": "<a>" * N + "</a>" * N,
    "code.py": "(" * N + ")" * N,
    "mail.eml": "Content-Type: multipart/mixed; boundary=a\n\n" + PART * 9999,
}


@pytest.mark.slow
def test_deep_texts_cost_themselves_only(kgfs: Program, light_store: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name, text in TEXTS.items():
        (source / name).write_text(text)
    (source / "plain.md").write_text("Anna Smith works for Google in Boston.\n")
    kgfs("--store", light_store, "config", "parse_seconds", "2")
    done = kgfs("--store", light_store, "--json", "-q", "add", source, "--extractor", "none", status=None, timeout=500)
    assert done.returncode in (0, 5), done.stderr
    shown = kgfs("--store", light_store, "ls", f"context/disk{source}").stdout.split()
    assert sorted(shown) == sorted([*TEXTS, "plain.md"])
    assert "plain" in kgfs("--store", light_store, "search", "--kind", "keyword", "Boston").stdout
    kgfs("--store", light_store, "fsck")
