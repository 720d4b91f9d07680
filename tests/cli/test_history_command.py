"""``kgfs context history``, ``diff``, ``restore`` and ``kgfs rm --purge``: with no daemon, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgfs.service.service import Service
from tests.conftest import Program


@pytest.fixture
def store(light_store: Path) -> Path:
    """A store with a file that was written three times, one that is no text, one that was removed."""
    with Service.open(light_store) as service:
        for text in ("one\ntwo\n", "one\n2\n", "one\n2\nthree"):
            service.files_by_path.put("agent", "/notes/a.md", text.encode())
        for body in (b"\0\1", b"\0\1\2"):
            service.files_by_path.put("agent", "/b.bin", body)
        service.files_by_path.put("agent", "/notes/gone.md", b"here\n")
        service.files_by_path.remove("agent", "/notes/gone.md")
    return light_store


def versions(kgfs: Program, store: Path, path: str) -> list[dict[str, Any]]:
    said = kgfs("--store", store, "--json", "context", "history", path).stdout
    return [json.loads(line) for line in said.splitlines()]


def read(store: Path, path: str) -> bytes | None:
    from kgfs.store.files import items

    with Service.open(store) as service, service.database.read() as cursor:
        item = items.find_item(cursor, f"agent:{path}")
        return None if item is None else items.read_item(cursor, item.id)


def test_history(kgfs: Program, store: Path) -> None:
    found = versions(kgfs, store, "agent:/notes/a.md")
    assert [(each["number"], each["size"], each["ref"]) for each in found] == [
        (1, 8, "agent:/notes/a.md"),
        (2, 6, "agent:/notes/a.md"),
    ]
    assert all(each["written"] <= each["replaced"] for each in found)
    assert all(each["written"].endswith("Z") for each in found)
    said = kgfs("--store", store, "context", "history", "notes/notes/a.md").stdout.splitlines()
    assert said[0] == "agent:/notes/a.md"
    assert [line.split()[0] for line in said[1:]] == ["1", "2"]


def test_history_of_what_is_gone_and_of_a_directory(kgfs: Program, store: Path) -> None:
    assert [each["number"] for each in versions(kgfs, store, "agent:/notes/gone.md")] == [1]
    found = versions(kgfs, store, "agent:/notes")
    assert {each["ref"] for each in found} == {"agent:/notes/a.md", "agent:/notes/gone.md"}
    done = kgfs("--store", store, "context", "history", "agent:/never.md", status=3)
    assert done.stderr.startswith("kgfs: There is nothing at agent:/never.md")


def test_diff(kgfs: Program, store: Path) -> None:
    said = kgfs("--store", store, "context", "diff", "agent:/notes/a.md", "1").stdout.splitlines()
    assert said[0].startswith("--- agent:/notes/a.md 1\t")
    assert said[1].startswith("+++ agent:/notes/a.md")
    assert said[3:] == [" one", "-two", "+2", "+three", "\\ No newline at end of file"]
    newest = kgfs("--store", store, "context", "diff", "agent:/notes/a.md").stdout.splitlines()
    assert newest[3:] == [" one", " 2", "+three", "\\ No newline at end of file"]
    between = kgfs("--store", store, "context", "diff", "agent:/notes/a.md", "1", "2").stdout.splitlines()
    assert between[3:] == [" one", "-two", "+2"]
    same = kgfs("--store", store, "context", "diff", "agent:/notes/a.md", "2", "2").stdout
    assert same == "agent:/notes/a.md: version 2 is the same.\n"
    binary = kgfs("--store", store, "context", "diff", "agent:/b.bin").stdout
    assert binary == "agent:/b.bin: they differ and are not text (2 and 3 bytes).\n"
    done = kgfs("--store", store, "context", "diff", "agent:/notes/a.md", "9", status=3)
    assert done.stderr == "kgfs: agent:/notes/a.md has no version 9; there is 1 to 2.\n"


def test_restore(kgfs: Program, store: Path) -> None:
    said = kgfs("--store", store, "context", "restore", "agent:/notes/a.md", "1", "--no-index").stdout
    assert said.startswith("agent:/notes/a.md holds version 1 again")
    assert read(store, "/notes/a.md") == b"one\ntwo\n"
    assert [each["number"] for each in versions(kgfs, store, "agent:/notes/a.md")] == [1, 2, 3]
    kgfs("--store", store, "context", "restore", "agent:/notes/a.md", "3", "--no-index")
    assert read(store, "/notes/a.md") == b"one\n2\nthree"
    kgfs("--store", store, "context", "restore", "agent:/notes/gone.md", "1", "--no-index")
    assert read(store, "/notes/gone.md") == b"here\n"
    kgfs("--store", store, "context", "restore", "agent:/notes/a.md", "77", "--no-index", status=3)
    kgfs("--store", store, "context", "restore", "agent:/notes/a.md", "0", "--no-index", status=2)


def test_rm_keeps_versions_and_purge_erases_them(kgfs: Program, store: Path) -> None:
    kgfs("--store", store, "rm", "agent:/notes/a.md")
    assert read(store, "/notes/a.md") is None
    assert [each["number"] for each in versions(kgfs, store, "agent:/notes/a.md")] == [1, 2, 3]
    said = kgfs("--store", store, "rm", "--purge", "agent:/notes/a.md").stdout
    assert "Erased 3 versions." in said
    kgfs("--store", store, "context", "history", "agent:/notes/a.md", status=3)
    kgfs("--store", store, "rm", "--purge", "agent:/notes/a.md", status=3)
    kgfs("--store", store, "rm", "--purge", "agent:/b.bin")
    assert read(store, "/b.bin") is None
    kgfs("--store", store, "context", "history", "agent:/b.bin", status=3)
    kgfs("--store", store, "rm", "-r", "--purge", "agent:/notes")
    kgfs("--store", store, "context", "history", "agent:/notes", status=3)
