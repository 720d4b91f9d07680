"""Rows written back to their files, step by step: what a kill leaves, what changes under it, sources that are files."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs import trust
from kgfs.pipeline.pipeline import Pipeline
from kgfs.service.writing.write_back import WriteBack
from kgfs.sources import host_files
from kgfs.store.catalog.database import Database
from kgfs.store.files import disk_rows, drive_moves, drive_rows
from kgfs.store.files.drive_rows import NewAttributes
from tests.pipeline.test_pipeline import add, folder


@pytest.fixture
def notes(pipeline: Pipeline, tmp_path: Path) -> Path:
    place = folder(tmp_path / "notes", 2)
    add(pipeline, place)
    return place


@pytest.fixture
def back(database: Database, tmp_path: Path) -> Iterator[WriteBack]:
    store = database.path.parent
    trust.trust(store, {trust.WRITE_THROUGH: [str(tmp_path.resolve())]})
    back = WriteBack(store, database)
    yield back
    back.close()


def edit(database: Database, path: Path, body: bytes) -> int:
    ((number,),) = database.fetch("SELECT id FROM context_items WHERE path = ?", [str(path)])
    database.write(
        lambda cursor: drive_rows.overwrite_file(cursor, number, str(path), body, NewAttributes(), keep_version=True)
    )
    return int(number)


def settled(database: Database) -> bool:
    return database.fetch("SELECT count(*) FROM context_items WHERE source_hash IS DISTINCT FROM hash") == [(0,)]


def test_a_kill_after_the_file_was_written(database: Database, notes: Path, back: WriteBack) -> None:
    number = edit(database, notes / "note0.md", b"# Written\n")
    (notes / "note0.md").write_bytes(b"# Written\n")
    inode = os.stat(notes / "note0.md").st_ino
    (notes / f".kgfs-{number}.tmp").write_bytes(b"# Wri")
    back.start()
    back.flush()
    assert settled(database) and os.stat(notes / "note0.md").st_ino == inode and back.conflicts() == []
    edit(database, notes / "note0.md", b"# Again\n")
    back.flush()
    assert (notes / "note0.md").read_bytes() == b"# Again\n" and settled(database)
    assert sorted(os.listdir(notes)) == ["note0.md", "note1.md"], "what the kill left is gone"


def test_a_disk_that_is_full(database: Database, notes: Path, back: WriteBack, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (notes / "note0.md").read_bytes()
    edit(database, notes / "note0.md", b"# Written\n")
    back.start()
    back.flush()
    edit(database, notes / "note1.md", b"# Written\n")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = (notes / "note1.md").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        back.flush()
    assert (notes / "note1.md").read_bytes() == before and sorted(os.listdir(notes)) == ["note0.md", "note1.md"]
    (conflict,) = back.conflicts()
    assert conflict["ref"] == f"disk:{notes}/note1.md" and os.strerror(errno.ENOSPC) in conflict["error"]
    back.flush()
    assert (notes / "note1.md").read_bytes() == b"# Written\n" and back.conflicts() == []


@pytest.mark.slow
@pytest.mark.parametrize("how", ["write", "replace", "remove"])
def test_a_file_that_changes_while_its_new_body_is_written(
    database: Database, notes: Path, back: WriteBack, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    edit(database, notes / "note0.md", b"# Ours\n")
    theirs, sync = notes / "note0.md", os.fsync

    def meanwhile(descriptor: int) -> None:
        if how == "write":
            theirs.write_bytes(b"# Theirs\n")
        elif how == "replace":
            (notes / "other").write_bytes(b"# Theirs\n")
            os.replace(notes / "other", theirs)
        else:
            theirs.unlink(missing_ok=True)
        sync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(host_files.os, "fsync", meanwhile)
        back.start()
        back.flush()
    assert not theirs.exists() if how == "remove" else theirs.read_bytes() == b"# Theirs\n"
    assert [one["ref"] for one in back.conflicts()] == [f"disk:{theirs}"]
    assert database.fetch("SELECT content FROM context_items WHERE path = ?", [str(theirs)]) == [("# Ours\n",)]


def test_a_source_that_is_a_file(database: Database, pipeline: Pipeline, back: WriteBack, tmp_path: Path) -> None:
    note = folder(tmp_path / "notes", 1) / "note0.md"
    add(pipeline, note)
    original = note.read_bytes()
    back.start()
    for body in (b"# First\n", b"# Second\n"):
        edit(database, note, body)
        back.flush()
        assert note.read_bytes() == body and back.conflicts() == []
    # The same bytes in another file: it is not the one that was read.
    note.rename(tmp_path / "away.md")
    note.write_bytes(b"# Second\n")
    edit(database, note, original)
    back.flush()
    assert note.read_bytes() == b"# Second\n"
    (conflict,) = back.conflicts()
    assert "not the file that was read" in conflict["error"]


def test_a_row_that_is_in_no_source_is_written_nowhere(
    database: Database, notes: Path, back: WriteBack, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    database.write(
        lambda cursor: drive_rows.create_file(cursor, 900, "disk", str(outside), b"# Planted\n", NewAttributes())
    )
    back.start()
    back.flush()
    assert not outside.exists()
    (conflict,) = back.conflicts()
    assert conflict["ref"] == f"disk:{outside}" and "lies in no source" in conflict["error"]


def test_a_file_that_moved_stays_until_it_is_where_it_moved_to(
    database: Database, notes: Path, back: WriteBack
) -> None:
    ((number,),) = database.fetch("SELECT id FROM context_items WHERE path = ?", [str(notes / "note0.md")])
    old, new, body = notes / "note0.md", notes / "sub" / "moved.md", (notes / "note0.md").read_bytes()
    work = disk_rows.noting(
        [f"disk:{old}", f"disk:{new}"],
        lambda cursor: drive_moves.move_file(cursor, number, "disk", str(old), "disk", str(new), 900),
    )
    database.write(work)
    (notes / "sub").write_text("no folder")
    back.start()
    back.flush()
    assert old.read_bytes() == body and len(back.conflicts()) == 1
    (notes / "sub").unlink()
    back.flush()
    assert not old.exists() and new.read_bytes() == body and back.conflicts() == [] and settled(database)
    with database.read() as cursor:
        assert disk_rows.left_files(cursor) == {}
