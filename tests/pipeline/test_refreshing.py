"""Refreshing against the disk: what is read again, what follows a move, what may never be removed.

In the end by chance, against a model of what the store must hold.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings, strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from kgfs.config import Config
from kgfs.documents import original
from kgfs.errors import Cancelled, NotFoundError
from kgfs.pipeline import refresh as refresh_module
from kgfs.pipeline.pipeline import items_of
from kgfs.pipeline.refresh import Refresher
from kgfs.pipeline.refresh_records import RefreshRequest, RefreshSummary, RefreshTarget, SourceSummary
from kgfs.pipeline.request import AddRequest
from kgfs.pipeline.text_pass import TextPass
from kgfs.sources import comparison, source_roots
from kgfs.sources.moves import find_moves
from kgfs.sources.walking import WalkedFile
from kgfs.store.catalog.database import Database
from kgfs.store.files import items, sources
from tests import planned_graphs as graphs
from tests.local_worker import LocalWorker
from tests.new_stores import new_store
from tests.pipeline.test_pipeline import add, folder, index_is_whole

ROOT_MAY_ALL = os.geteuid() == 0
"""Permissions do not stop root."""


@pytest.fixture
def refresher(database: Database, worker: LocalWorker) -> Refresher:
    return Refresher(database, worker, Config())


def refresh(refresher: Refresher, database: Database, **options: Any) -> RefreshSummary:
    """Refresh all sources, or parts of them with ``only``."""
    only = options.pop("only", None)
    numbers = [row[0] for row in database.fetch("SELECT id FROM sources ORDER BY name")]
    targets = [
        RefreshTarget(source=number, only=only and [items.row_path(path) for path in only]) for number in numbers
    ]
    return refresher.refresh(RefreshRequest(targets=targets, **options))


def one(summary: RefreshSummary) -> SourceSummary:
    assert len(summary.sources) == 1
    return summary.sources[0]


def did(summary: RefreshSummary) -> dict[str, int]:
    """The numbers of the only source that are not 0."""
    names = ("added", "updated", "moved", "removed", "vanished", "unchanged", "conflicts")
    return {name: number for name in names if (number := getattr(one(summary), name))}


def stored(database: Database) -> dict[str, tuple[int, str]]:
    """File name to item id and document's slug."""
    rows = database.fetch("SELECT i.path, i.id, d.slug FROM context_items i LEFT JOIN documents d USING (id)")
    return {os.path.basename(path): (number, slug) for path, number, slug in rows}


def everything(database: Database) -> dict[str, Any]:
    """All rows, for "nothing was changed"."""
    tables = ("context_items", "documents", "chunks", "facts", "entities", "sources", "source_items", "stale")
    return {name: sorted(map(repr, database.fetch(f"SELECT * FROM {name}"))) for name in tables}


# --- one thing at a time -------------------------------------------------------------------------------------------


def test_changed_new_and_vanished(
    refresher: Refresher, database: Database, worker: LocalWorker, tmp_path: Path
) -> None:
    notes = folder(tmp_path / "notes", 5)
    add(refresher, notes)
    assert did(refresh(refresher, database)) == {"unchanged": 5}
    (notes / "note1.md").write_text("# Changed\n\nDelta acquired Epsilon.\n")
    (notes / "new.md").write_text("# New\n")
    (notes / "note3.md").unlink()
    os.utime(notes / "note4.md", (1, 1))
    before = everything(database)
    dry = refresh(refresher, database, dry_run=True)
    assert did(dry) == {"updated": 1, "added": 1, "vanished": 1, "unchanged": 3}
    assert sorted((change.what, os.path.basename(change.path)) for change in dry.changes) == [
        ("changed", "note1.md"), ("new", "new.md"), ("vanished", "note3.md"),
    ]  # fmt: skip
    assert everything(database) == before
    assert did(refresh(refresher, database)) == {"updated": 1, "added": 1, "vanished": 1, "unchanged": 3}
    assert "note3.md" in stored(database)
    assert did(refresh(refresher, database)) == {"unchanged": 5, "vanished": 1}
    assert did(refresh(refresher, database, prune=True, dry_run=True)) == {"unchanged": 5, "removed": 1}
    assert did(refresh(refresher, database, prune=True)) == {"unchanged": 5, "removed": 1}
    assert "note3.md" not in stored(database)
    assert graphs.contradictions(database) == {}
    index_is_whole(database, worker)


def test_times_that_only_the_disk_has(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    """Before 1678 and after 2261 a time is beyond 64 bits of nanoseconds; file systems have it all the same."""
    notes = folder(tmp_path / "notes", 3)
    for number, when in enumerate([13_569_465_600, -9_500_000_000]):
        os.utime(notes / f"note{number}.md", (when, when))
    if os.stat(notes / "note0.md").st_mtime_ns < original.MOST_NS:
        pytest.skip("this file system has no such times")
    assert add(refresher, notes).failed == []
    assert did(refresh(refresher, database)) == {"unchanged": 3}
    (notes / "note0.md").rename(notes / "moved.md")
    assert did(refresh(refresher, database)) == {"unchanged": 2, "moved": 1}
    assert len(stored(database)) == 3


def test_the_options_of_add_hold(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", 2)
    add(refresher, notes, exclude=["*.log"], hidden=True, extractor="none")
    (notes / ".hidden.md").write_text("# Hidden\n")
    (notes / "x.log").write_text("Gamma acquired Delta.\n")
    (notes / "more.md").write_text("Gamma acquired Delta.\n")
    summary = refresh(refresher, database)
    assert did(summary) == {"added": 2, "unchanged": 2}
    assert one(summary).skipped == {"excluded": 1}
    assert database.fetch("SELECT DISTINCT extractor FROM documents") == [("none",)]
    assert database.fetch("SELECT count(*) FROM entities") == [(0,)]
    (notes / ".gitignore").write_text("note0.md\n")
    summary = refresh(refresher, database, prune=True)
    assert did(summary) == {"unchanged": 3, "added": 1}  # the ignore file itself: the source takes hidden files
    assert one(summary).skipped[comparison.LEFT_OUT] == 1
    assert "note0.md" in stored(database)


def test_each_source_by_its_own_extractor(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    folder(tmp_path / "plain", 1)
    folder(tmp_path / "rich", 1)
    add(refresher, tmp_path / "plain", extractor="none")
    add(refresher, tmp_path / "rich")
    for name in ("plain", "rich"):
        (tmp_path / name / f"{name}.md").write_text(f"{name.capitalize()} acquired Omega.\n")
    refresh(refresher, database)
    rows = database.fetch("SELECT i.path, d.extractor FROM documents d JOIN context_items i USING (id)")
    assert {os.path.basename(path): extractor for path, extractor in rows if "note" not in path} == {
        "plain.md": "none", "rich.md": "test",
    }  # fmt: skip


def test_a_part_of_a_source(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", 3)
    folder(notes / "sub", 2)
    folder(notes / "subway", 1)
    (notes / "sub" / ".gitignore").write_text("skip.md\n")
    add(refresher, notes)
    for place in (notes, notes / "sub", notes / "subway"):
        (place / "note0.md").write_text("# Changed\n")
        (place / "skip.md").write_text("# Ignored in one\n")
    assert did(refresh(refresher, database, only=[notes / "sub"])) == {"updated": 1, "unchanged": 1}
    assert did(refresh(refresher, database, only=[notes / "note0.md", notes / "none.md"])) == {"updated": 1}
    (notes / "note1.md").unlink()
    (notes / "note2.md").unlink()
    assert did(refresh(refresher, database, only=[notes / "note1.md"], prune=True)) == {"removed": 1}
    summary = refresh(refresher, database, only=[notes], prune=True, gone=[str(notes / "sub")])
    assert did(summary) == {"vanished": 1, "updated": 1, "added": 2, "unchanged": 3}


def test_a_moved_file_keeps_its_ids(
    refresher: Refresher, database: Database, worker: LocalWorker, tmp_path: Path
) -> None:
    notes = folder(tmp_path / "notes", 4)
    (notes / "note0.md").write_text("# Note 0\n\nAlpha acquired Beta in 1990. See [two](note2.md).\n")
    add(refresher, notes)
    chunks = database.fetch("SELECT id, document_id FROM chunks ORDER BY id")
    facts = database.fetch("SELECT fact_id, document_id FROM facts ORDER BY ALL")
    before, parsed, indexed = stored(database), worker.parsed, worker.content()
    (notes / "archive").mkdir()
    for number in (0, 1):
        (notes / f"note{number}.md").rename(notes / "archive" / f"note{number}.md")
    dry = refresh(refresher, database, dry_run=True)
    assert [(change.what, change.path, change.to) for change in dry.changes] == [
        ("moved", f"{notes}/note{number}.md", f"{notes}/archive/note{number}.md") for number in (0, 1)
    ]
    assert did(refresh(refresher, database)) == {"moved": 2, "unchanged": 2}
    assert stored(database) == before
    assert database.fetch("SELECT ref = drive || ':' || path FROM context_items") == [(True,)] * 4
    assert database.fetch("SELECT path FROM context_items WHERE path LIKE '%archive%' ORDER BY path") == [
        (f"{notes}/archive/note{number}.md",) for number in (0, 1)
    ]
    assert database.fetch("SELECT id, document_id FROM chunks ORDER BY id") == chunks
    assert database.fetch("SELECT fact_id, document_id FROM facts ORDER BY ALL") == facts
    assert worker.parsed == parsed and worker.content() == indexed
    assert did(refresh(refresher, database)) == {"unchanged": 4}
    # Read anew, it still says the same under the same ids.
    (notes / "archive" / "note0.md").write_text("# Note 0\n\nAlpha acquired Beta in 1990. See [two](note2.md). More.\n")
    assert did(refresh(refresher, database)) == {"updated": 1, "unchanged": 3}
    assert database.fetch("SELECT fact_id, document_id FROM facts ORDER BY ALL") == facts
    index_is_whole(database, worker)
    assert graphs.contradictions(database) == {}


def test_a_new_name_may_say_something(
    refresher: Refresher, database: Database, worker: LocalWorker, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Just words about Omega.\n")
    (notes / "b.md").write_text("# Heading\n\nOther words.\n")
    for note in notes.iterdir():
        os.utime(note, (1_500_000_000, 1_500_000_000))
    add(refresher, notes)
    before = stored(database)
    (notes / "a.md").rename(notes / "2019-10-30 meeting.md")
    (notes / "b.md").rename(notes / "c.md")
    assert did(refresh(refresher, database)) == {"moved": 2}
    after = stored(database)
    assert after["2019-10-30 meeting.md"] == before["a.md"] and after["c.md"] == before["b.md"]
    dates = database.fetch(
        "SELECT i.path, d.date, d.title FROM documents d JOIN context_items i USING (id) ORDER BY ALL"
    )
    assert [date for _, date, _ in dates] == ["2019-10-30", "2017-07-14"]
    assert "meeting" in dates[0][2] and dates[1][2] == "Heading"
    assert worker.parsed == 5  # each once, each renamed once more, and the one that says something else
    index_is_whole(database, worker)


def test_two_that_look_alike_after_one_moved(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    """A new file in the old place of a moved one, with the same words, is another document with facts of its own."""
    notes = tmp_path / "notes"
    notes.mkdir()
    text = "Alpha acquired Beta.\n"
    (notes / "a.md").write_text(text)
    add(refresher, notes)
    first = database.fetch("SELECT fact_id FROM facts")
    (notes / "a.md").rename(notes / "b.md")
    refresh(refresher, database)
    (notes / "a.md").write_text(text)
    refresh(refresher, database)
    facts = dict(database.fetch("SELECT i.path, f.fact_id FROM facts f JOIN context_items i ON i.id = f.document_id"))
    assert facts[f"{notes}/b.md"] == first[0][0] != facts[f"{notes}/a.md"]
    second = facts[f"{notes}/a.md"]
    # And it stays so, whatever becomes of the first.
    (notes / "b.md").unlink()
    (notes / "a.md").write_text(text + "\nMore.\n")
    refresh(refresher, database, prune=True)
    assert database.fetch("SELECT fact_id FROM facts") == [(second,)]


def test_copies_are_told_apart_by_where_they_are(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    for place in ("x", "y", "z"):
        (notes / place).mkdir(parents=True)
        (notes / place / "README.md").write_text("# The same\n")
        (notes / place / "empty.md").write_text("")
    add(refresher, notes)
    rows = dict(database.fetch("SELECT path, id FROM context_items"))
    (notes / "y").rename(notes / "deep")
    (notes / "z" / "README.md").rename(notes / "z" / "OTHER.md")
    (notes / "z" / "empty.md").rename(notes / "z" / "void.txt")
    assert did(refresh(refresher, database, prune=True)) == {"moved": 3, "added": 1, "removed": 1, "unchanged": 2}
    after = dict(database.fetch("SELECT path, id FROM context_items"))
    kept = {number: path.removeprefix(f"{notes}/") for path, number in after.items()}
    assert kept[rows[f"{notes}/y/empty.md"]] == "deep/empty.md"
    assert {kept[rows[f"{notes}/{place}/README.md"]] for place in "yz"} == {"deep/README.md", "z/OTHER.md"}


def test_a_write_within_the_tick_of_the_clock_is_seen(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    note = notes / "a.md"
    note.write_text("# One\n")
    now = time.time_ns()
    os.utime(note, ns=(now, now))
    add(refresher, notes)
    note.write_text("# Two\n")
    os.utime(note, ns=(now, now))
    assert did(refresh(refresher, database)) in ({"updated": 1}, {"unchanged": 1})
    # When the machine was so slow that the clock had gone on, sizes and times are trusted; make it certain:
    database.write(lambda cursor: cursor.execute("UPDATE context_items SET source_read_ns = source_mtime_ns + 1000"))
    note.write_text("# Six\n")
    os.utime(note, ns=(now, now))
    assert did(refresh(refresher, database)) == {"updated": 1}
    database.write(lambda cursor: cursor.execute("UPDATE context_items SET source_read_ns = source_mtime_ns + 1000"))
    assert did(refresh(refresher, database)) == {"unchanged": 1}
    assert database.fetch("SELECT source_read_ns > source_mtime_ns + 1000 FROM context_items") == [(True,)]


def test_a_row_edited_here_is_a_conflict(
    refresher: Refresher, database: Database, worker: LocalWorker, tmp_path: Path
) -> None:
    notes = folder(tmp_path / "notes", 3)
    add(refresher, notes)
    edited = "# Edited here\n"

    def edit(name: str) -> None:
        path = str(notes / name)
        database.write(
            lambda cursor: cursor.execute(
                "UPDATE context_items SET content = ?, size = ?, hash = ?, updated_at = ? WHERE path = ?",
                [edited, len(edited), items.hash_body(edited.encode()), items.now(), path],
            )
        )

    edit("note0.md")
    assert did(refresh(refresher, database)) == {"unchanged": 3}
    os.utime(notes / "note0.md", (5, 5))  # touched, not changed
    assert did(refresh(refresher, database)) == {"unchanged": 3}
    (notes / "note0.md").write_text("# Changed on disk\n")
    assert did(refresh(refresher, database, dry_run=True)) == {"unchanged": 2, "conflicts": 1}
    summary = refresh(refresher, database)
    assert did(summary) == {"unchanged": 2, "conflicts": 1}
    assert ["edited here" in failure.error for failure in summary.failed] == [True]
    assert database.fetch("SELECT count(*) FROM context_items WHERE content = ?", [edited]) == [(1,)]
    (notes / "note0.md").rename(notes / "moved.md")
    assert did(refresh(refresher, database)) == {"unchanged": 2, "added": 1, "vanished": 1}
    (notes / "moved.md").unlink()
    (notes / "note0.md").write_text(edited)  # both say the same now
    assert did(refresh(refresher, database, prune=True)) == {"unchanged": 3, "removed": 1}
    (notes / "note0.md").write_text("# And again\n")
    assert did(refresh(refresher, database)) == {"unchanged": 2, "updated": 1}
    edit("note1.md")
    (notes / "note1.md").rename(notes / "elsewhere.md")
    before = stored(database)["note1.md"]
    assert did(refresh(refresher, database)) == {"unchanged": 2, "moved": 1}
    assert stored(database)["elsewhere.md"] == before
    assert database.fetch("SELECT content FROM context_items WHERE path LIKE '%elsewhere%'") == [(edited,)]
    assert add(refresher, notes, on_conflict="overwrite").updated == 1


# --- what may never be removed -------------------------------------------------------------------------------------


def test_a_source_that_is_not_there(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    notes, other = folder(tmp_path / "notes", 2), folder(tmp_path / "other", 2)
    add(refresher, notes)
    notes.rename(tmp_path / "away")
    with pytest.raises(NotFoundError, match=r"not there .*kgfs rm -r notes"):
        refresh(refresher, database, prune=True)
    add(refresher, other)
    (other / "note0.md").unlink()
    summary = refresh(refresher, database, prune=True)
    assert [(each.removed, bool(each.problem)) for each in summary.sources] == [(0, True), (1, False)]
    assert database.fetch("SELECT count(*) FROM context_items") == [(3,)]


@pytest.mark.parametrize("left", ["nothing", "a stranger", "one of them"])
def test_an_empty_mountpoint_is_not_a_source_that_was_emptied(
    refresher: Refresher, database: Database, tmp_path: Path, left: str
) -> None:
    """The folder is another (as when its disk is not mounted), and little or nothing of the source is in it."""
    notes = folder(tmp_path / "notes", 5)
    add(refresher, notes)
    notes.rename(tmp_path / "disk")
    notes.mkdir()
    if left == "a stranger":
        (notes / "README.md").write_text("Mount the disk here.\n")
    elif left == "one of them":
        shutil.copy2(tmp_path / "disk" / "note0.md", notes)
    for _ in range(3):  # not even when it was seen so before
        summary = refresh(refresher, database, prune=True)
        assert one(summary).removed == 0
        assert "nothing is removed" in one(summary).problem and "mounted" in one(summary).problem
        add(refresher, notes, on_conflict="skip")
    assert database.fetch("SELECT count(*) FROM context_items WHERE path LIKE '%note_.md'") == [(5,)]
    assert one(refresh(refresher, database, prune=True, only=[notes / "note3.md"])).removed == 0
    shutil.rmtree(notes)
    (tmp_path / "disk").rename(notes)
    assert one(refresh(refresher, database)).problem == ""
    assert database.fetch("SELECT count(*) FROM context_items WHERE path LIKE '%note_.md'") == [(5,)]


def test_a_folder_that_was_emptied(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", 3)
    add(refresher, notes)
    for note in notes.iterdir():
        note.unlink()
    assert did(refresh(refresher, database, prune=True)) == {"removed": 3}
    assert database.fetch("SELECT name FROM sources") == [("notes",)]  # it is a source still
    folder(notes, 1)
    assert did(refresh(refresher, database)) == {"added": 1}


def test_a_folder_that_was_made_anew(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", 5)
    add(refresher, notes)
    notes.rename(tmp_path / "old")
    shutil.copytree(tmp_path / "old", notes)
    (notes / "note0.md").unlink()
    assert did(refresh(refresher, database, prune=True)) == {"removed": 1, "unchanged": 4}
    for number in (1, 2, 3):  # what stands there now is the source
        (notes / f"note{number}.md").unlink()
    assert did(refresh(refresher, database, prune=True)) == {"removed": 3, "unchanged": 1}


def test_a_source_of_an_older_version(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", 2)
    add(refresher, notes)
    database.write(lambda cursor: cursor.execute("UPDATE sources SET root = NULL"))
    (notes / "note0.md").unlink()
    (notes / "note1.md").unlink()
    assert "it is empty (is its disk mounted?)" in one(refresh(refresher, database, prune=True)).problem
    (notes / "new.md").write_text("# New\n")
    assert did(refresh(refresher, database, prune=True)) == {"removed": 2, "added": 1}


def test_a_mount_beneath_a_source_that_is_gone(
    refresher: Refresher, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = folder(tmp_path / "notes", 2)
    folder(notes / "usb", 2)
    mounted = {"usb"}
    monkeypatch.setattr(source_roots, "_mounts_beneath", lambda path: set(mounted))
    add(refresher, notes, cross_device=True)
    shutil.rmtree(notes / "usb")
    (notes / "usb").mkdir()
    (notes / "note0.md").unlink()
    mounted.clear()
    summary = refresh(refresher, database, prune=True)
    assert did(summary) == {"removed": 1, "unchanged": 1}
    assert one(summary).skipped == {comparison.UNREACHABLE: 2}


def test_the_disk_goes_while_files_are_removed(
    refresher: Refresher, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = folder(tmp_path / "notes", 6)
    add(refresher, notes)
    for number in range(3):
        (notes / f"note{number}.md").unlink()
    monkeypatch.setattr(refresh_module, "REMOVE_ITEMS", 1)
    really = refresher._remove

    def remove(numbers: Any) -> None:
        really(numbers)
        if notes.exists():
            notes.rename(tmp_path / "away")
            notes.mkdir()

    monkeypatch.setattr(refresher, "_remove", remove)
    summary = refresh(refresher, database, prune=True)
    assert one(summary).removed == 1 and "mounted" in one(summary).problem
    assert database.fetch("SELECT count(*) FROM context_items") == [(5,)]


@pytest.mark.parametrize("refreshing", [False, True])
def test_the_disk_goes_while_files_are_read(
    refresher: Refresher, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refreshing: bool
) -> None:
    """What was read of it by then stays, though an empty folder stands in its place when the run ends."""
    notes = folder(tmp_path / "notes", 6)
    if refreshing:
        add(refresher, notes)
        database.write(lambda cursor: cursor.execute("UPDATE sources SET root = NULL"))  # of an older version
        for number in range(6):
            (notes / f"note{number}.md").write_text(f"# Another\n\nWhat {number} is now.\n")
    really = TextPass.take

    def take(self: TextPass, file: WalkedFile, source_id: int) -> None:
        if file.path.name == "note2.md":
            notes.rename(tmp_path / "away")
            notes.mkdir()
        really(self, file, source_id)

    monkeypatch.setattr(TextPass, "take", take)
    done = refresh(refresher, database) if refreshing else add(refresher, notes)
    assert 4 <= len(done.failed) <= 6  # files are read ahead
    monkeypatch.undo()
    known = refreshing or len(done.failed) < 6  # on a busy machine the disk may be gone before the first file is read
    for _ in range(2):
        summary = refresh(refresher, database, prune=True)
        assert one(summary).removed == 0 and ("mounted" in one(summary).problem) == known
    notes.rmdir()
    (tmp_path / "away").rename(notes)
    assert refresh(refresher, database, prune=True).failed == [] and len(stored(database)) == 6


@pytest.mark.parametrize("code", [errno.EIO, errno.EACCES, errno.ESTALE, errno.ENOTCONN, errno.ELOOP])
def test_what_cannot_be_seen_is_not_gone(
    refresher: Refresher, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    notes = folder(tmp_path / "notes", 1)
    folder(notes / "sub", 3)
    add(refresher, notes)
    scandir, lstat = os.scandir, os.lstat

    def failing(function: Any) -> Any:
        def call(path: Any, *rest: Any, **more: Any) -> Any:
            if os.fsencode(path).startswith(os.fsencode(notes / "sub")):
                raise OSError(code, os.strerror(code))
            return function(path, *rest, **more)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "lstat", failing(lstat))
        patch.setattr(os, "scandir", failing(scandir))
        summary = refresh(refresher, database, prune=True)
    assert did(summary) == {"unchanged": 1}
    assert one(summary).skipped == {comparison.UNREACHABLE: 3}
    assert len(summary.failed) == 1 and os.strerror(code) in summary.failed[0].error
    assert did(refresh(refresher, database, prune=True)) == {"unchanged": 4}


@pytest.mark.skipif(ROOT_MAY_ALL, reason="root may read everything")
def test_a_folder_that_may_not_be_entered(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", 1)
    folder(notes / "sub", 2)
    add(refresher, notes)
    (notes / "sub").chmod(0)
    try:
        summary = refresh(refresher, database, prune=True)
    finally:
        (notes / "sub").chmod(stat.S_IRWXU)
    assert did(summary) == {"unchanged": 1} and one(summary).skipped == {comparison.UNREACHABLE: 2}


def test_links_that_go_round_and_links_that_lead_nowhere(
    refresher: Refresher, database: Database, tmp_path: Path
) -> None:
    notes = folder(tmp_path / "notes", 2)
    (notes / "sub").mkdir()
    (notes / "sub" / "up").symlink_to("..")
    (notes / "loop").symlink_to("loop")
    (notes / "link.md").symlink_to("note0.md")
    add(refresher, notes)
    assert len(stored(database)) == 3
    (notes / "note0.md").rename(notes / "first.md")
    summary = refresh(refresher, database, prune=True)
    assert did(summary) == {"moved": 1, "unchanged": 1}
    assert one(summary).skipped == {"broken link": 2, "linked folder": 1, comparison.LEFT_OUT: 1}
    assert "link.md" in stored(database)  # its target may be on a disk that is not mounted


def test_other_things_in_the_place_of_files(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", 4)
    add(refresher, notes)
    for number in range(3):
        (notes / f"note{number}.md").unlink()
    (notes / "note0.md").mkdir()
    (notes / "note0.md" / "inner.md").write_text("# Inner\n")
    os.mkfifo(notes / "note1.md")
    (notes / "note2.md").symlink_to("note3.md")
    assert did(refresh(refresher, database, prune=True)) == {"added": 1, "removed": 2, "updated": 1, "unchanged": 1}


def test_a_source_that_is_a_file(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    note = folder(tmp_path / "notes", 1) / "note0.md"
    add(refresher, note)
    replacement = tmp_path / "new"
    replacement.write_text("# Replaced\n")
    replacement.rename(note)  # as editors save
    assert did(refresh(refresher, database)) == {"updated": 1}
    note.unlink()
    with pytest.raises(NotFoundError):
        refresh(refresher, database, prune=True)
    note.mkdir()
    (note / "a.md").write_text("# A\n")
    assert did(refresh(refresher, database)) == {"added": 1, "vanished": 1}


def test_files_that_go_or_change_while_they_are_read(
    refresher: Refresher, database: Database, worker: LocalWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = folder(tmp_path / "notes", 1)
    add(refresher, notes)
    for name in "abcd":
        (notes / f"{name}.md").write_text(f"# {name}\n")
    really = refresher._read

    def read(*arguments: Any) -> Any:  # between looking and reading
        (notes / "a.md").unlink()
        (notes / "b.md").write_text("# Longer than it was when it was seen\n")
        (notes / "c.md").unlink()
        os.mkfifo(notes / "c.md")
        return really(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(refresher, "_read", read)
        summary = refresh(refresher, database)
    assert one(summary).added >= 2
    assert os.path.basename(summary.failed[0].path) == "a.md"
    refresh(refresher, database, prune=True)
    content = dict(database.fetch("SELECT path, content FROM context_items"))
    assert content[f"{notes}/b.md"] == "# Longer than it was when it was seen\n"
    assert f"{notes}/c.md" not in content
    index_is_whole(database, worker)


def test_a_moved_file_that_goes_while_it_is_followed(
    refresher: Refresher, database: Database, worker: LocalWorker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = folder(tmp_path / "notes", 3)
    add(refresher, notes)
    (notes / "note0.md").rename(notes / "gone.md")
    (notes / "note1.md").rename(notes / "other.md")
    really = find_moves

    def following(*arguments: Any) -> Any:
        found = really(*arguments)
        (notes / "gone.md").unlink()
        (notes / "other.md").write_text("# Something else by now\n")
        return found

    with monkeypatch.context() as patch:
        patch.setattr(refresh_module, "find_moves", following)
        refresh(refresher, database, prune=True)
    refresh(refresher, database, prune=True)
    assert set(stored(database)) == {"note2.md", "other.md"}
    assert database.fetch("SELECT content FROM context_items WHERE path LIKE '%other.md'") == [
        ("# Something else by now\n",)
    ]
    index_is_whole(database, worker)
    assert graphs.contradictions(database) == {}


def test_a_file_that_cannot_be_hashed_is_no_move(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    gone = items.KnownFile(1, "/b", 1, 0, items.hash_body(b"x"), None)
    os.mkfifo(tmp_path / "fifo")
    files = [WalkedFile(path=tmp_path / name, size=1, mtime_ns=0, mode=0o644) for name in ("a", "missing", "fifo")]
    assert [moved.file.path.name for moved in find_moves([gone], files)] == ["a"]
    assert find_moves([gone], files[1:]) == []


def test_cancelling_leaves_a_store_that_goes_on(database: Database, worker: LocalWorker, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", 6)
    refresher = Refresher(database, worker, Config())
    add(refresher, notes)
    for after in range(1, 9):
        for number in range(6):
            (notes / f"note{number}.md").write_text(f"# Note {number} {after}\n\nOmega{after} acquired Psi.\n")
        (notes / f"new{after}.md").write_text("# New\n")
        if after > 1:
            (notes / f"new{after - 1}.md").unlink()

        class Cancel:
            asked = 0
            limit = after

            def is_set(self) -> bool:
                self.asked += 1
                return self.asked > self.limit

        with pytest.raises(Cancelled):
            refresh(Refresher(database, worker, Config(), cancel=Cancel()), database, prune=True)
    refresh(refresher, database, prune=True)
    assert set(stored(database)) == {*(f"note{number}.md" for number in range(6)), "new8.md"}
    index_is_whole(database, worker)
    assert graphs.contradictions(database) == {}


# --- sources that overlap, and removing them -----------------------------------------------------------------------


def test_what_came_from_two_sources_stays_with_the_other(
    refresher: Refresher, database: Database, tmp_path: Path
) -> None:
    notes = folder(tmp_path / "notes", 2)
    sub = folder(notes / "sub", 2)
    add(refresher, notes)
    add(refresher, sub)
    numbers = dict(database.fetch("SELECT name, id FROM sources"))
    with database.read() as cursor:
        assert len(sources.members(cursor, numbers["notes"])) == 4
        assert len(sources.members(cursor, numbers["sub"])) == 2
        only, shared = sources.only_of(cursor, numbers["sub"])
        assert (only, shared) == ([], 2)
        only, shared = sources.only_of(cursor, numbers["notes"])
        assert (len(only), shared) == (2, 2)
    removed = refresher.remove(only, [numbers["notes"]])
    assert (removed.removed, removed.sources) == (2, 1)
    assert database.fetch("SELECT name FROM sources") == [("sub",)]
    assert database.fetch("SELECT DISTINCT source_id FROM context_items") == [(numbers["sub"],)]
    (sub / "note0.md").unlink()
    assert did(refresh(refresher, database, prune=True)) == {"removed": 1, "unchanged": 1}
    refresher.remove(items_of(database, "disk", str(sub), recursive=True))
    assert database.fetch("SELECT count(*) FROM sources") == [(0,)]
    assert database.fetch("SELECT count(*) FROM source_items") == [(0,)]
    assert graphs.rows_left(database) == {}


def test_removing_a_document_leaves_other_sources_alone(
    refresher: Refresher, database: Database, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    notes = folder(tmp_path / "notes", 1)
    add(refresher, tmp_path / "empty")
    add(refresher, notes)
    refresher.remove(items_of(database, "disk", str(notes / "note0.md"), recursive=False))
    assert database.fetch("SELECT name FROM sources") == [("empty",)]


def test_sources_that_overlap_are_refreshed_once(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", 1)
    sub = folder(notes / "sub", 1)
    add(refresher, notes)
    add(refresher, sub)
    (sub / "new.md").write_text("# New\n")
    (sub / "note0.md").rename(notes / "up.md")
    summary = refresh(refresher, database, prune=True)
    assert sum(each.added for each in summary.sources) == 1
    assert set(stored(database)) == {"note0.md", "up.md", "new.md"}
    assert sum(each.moved for each in summary.sources) == 1


# --- by chance -----------------------------------------------------------------------------------------------------

NAMES = ("a.md", "b.md", "c.txt", "d/a.md", "d/b.md", "d/e/a.md", "d/e/z.md", "f/a.md", ".hidden.md", "skip.log")
TEXTS = (
    "# One\n\nAlpha acquired Beta.\n", "# Two\n\nGamma acquired Delta. See [it](a.md) and [[b]].\n",
    "Omega is here.\n", "", "---\ntype: company\ntitle: Sigma\n---\nSigma acquired Tau.\n", "# One\n\nOther.\n",
)  # fmt: skip

names = strategies.sampled_from(NAMES)
texts = strategies.sampled_from(TEXTS)


class Refreshing(RuleBasedStateMachine):
    """Changes on disk and refreshes in any order; ``held`` is what the store must have: path to text."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp(prefix="refreshing-"))
        self.notes = self.place / "notes"
        self.notes.mkdir()
        self.database = new_store(self.place / "store")
        self.worker = LocalWorker(self.place / "index.log")
        self.refresher = Refresher(self.database, self.worker, Config())
        self.clock = 1_600_000_000
        self.held: dict[str, str] = {}

    @initialize(files=strategies.dictionaries(names, texts, min_size=1))
    def first(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            self.write(name, text)
        self.refresher.add(AddRequest(paths=[self.notes], exclude=["*.log"]))
        self.held = self.on_disk()

    def on_disk(self) -> dict[str, str]:
        """What of the folder a source with these options has."""
        found = {}
        for path in self.notes.rglob("*"):
            name = path.relative_to(self.notes).as_posix()
            if path.is_file() and not name.startswith(".") and not name.endswith(".log"):
                found[name] = path.read_text()
        return found

    def ids(self) -> dict[str, int]:
        rows = self.database.fetch("SELECT path, id FROM context_items")
        return {path.removeprefix(f"{self.notes}/"): number for path, number in rows}

    @rule(name=names, text=texts)
    def write(self, name: str, text: str) -> None:
        path = self.notes / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.clock += 1  # each write has its own time, as on a machine slower than its clock
        os.utime(path, ns=(self.clock * 10**9 + 1, self.clock * 10**9 + 1))

    @rule(name=names)
    def touch(self, name: str) -> None:
        if (self.notes / name).exists():
            self.clock += 1
            os.utime(self.notes / name, ns=(self.clock * 10**9 + 1, self.clock * 10**9 + 1))

    @rule(name=names)
    def delete(self, name: str) -> None:
        (self.notes / name).unlink(missing_ok=True)

    @rule(name=names, to=names)
    def move(self, name: str, to: str) -> None:
        if (self.notes / name).exists():
            (self.notes / to).parent.mkdir(parents=True, exist_ok=True)
            (self.notes / name).rename(self.notes / to)

    @rule(name=strategies.sampled_from(("d", "d/e", "f")), to=strategies.sampled_from(("d", "d/e", "f")))
    def move_folder(self, name: str, to: str) -> None:
        source, target = self.notes / name, self.notes / to
        if source.is_dir() and not target.exists() and not to.startswith(name + "/"):
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)

    @rule(
        prune=strategies.booleans(),
        dry_run=strategies.booleans(),
        only=strategies.none() | strategies.sampled_from(("", "d", "d/e", "a.md", "f/a.md")),
        again=strategies.booleans(),
    )
    def refresh(self, prune: bool, dry_run: bool, only: str | None, again: bool) -> None:
        before, disk = self.ids(), self.on_disk()
        part = None if only is None else [self.notes / only]

        def inside(name: str) -> bool:
            return not only or name == only or name.startswith(only + "/")

        rows = everything(self.database) if dry_run else {}
        summary = refresh(self.refresher, self.database, prune=prune, dry_run=dry_run, only=part)
        assert summary.failed == [] and summary.warnings == []
        if dry_run:
            assert everything(self.database) == rows
            done = did(summary)
            assert did(refresh(self.refresher, self.database, prune=prune, only=part)) == done
        after = self.ids()
        vanished = {name for name in before if inside(name) and name not in disk}
        new = {name for name in disk if inside(name) and name not in before}
        followed = {name: to for name in vanished for to in new if after.get(to) == before[name]}
        # Whatever is followed held the same; and what could only be one file is followed.
        contents, fresh = Counter(self.held[name] for name in vanished), Counter(disk[name] for name in new)
        for name, to in followed.items():
            assert self.held[name] == disk[to]
        for content in contents:
            if content and fresh[content]:
                count = sum(self.held[name] == content for name in followed)
                assert count == min(contents[content], fresh[content])
        for name in vanished:
            if name in followed or prune:
                self.held.pop(name)
        for name in disk:
            if inside(name):
                self.held[name] = disk[name]
        for name in before.keys() & after.keys():
            assert after[name] == before[name]
        assert did(summary).get("moved", 0) == len(followed)
        if again:
            assert set(did(refresh(self.refresher, self.database, only=part))) <= {"unchanged", "vanished"}

    @invariant()
    def the_store_holds_what_it_must(self) -> None:
        rows = self.database.fetch("SELECT path, content, ref = 'disk:' || path, hash = source_hash FROM context_items")
        assert {path.removeprefix(f"{self.notes}/"): text for path, text, _, _ in rows} == self.held
        assert all(whole and as_read for _, _, whole, as_read in rows)

    def teardown(self) -> None:
        try:
            self.compare_with_a_new_store()
        finally:
            self.database.close()
            shutil.rmtree(self.place)

    def compare_with_a_new_store(self) -> None:
        """In the end it is as if the folder were added now, but for names and ids that were made once."""
        refresh(self.refresher, self.database, prune=True)
        index_is_whole(self.database, self.worker)
        assert graphs.contradictions(self.database) == {}
        with new_store(self.place / "new") as new:
            pipeline = Refresher(new, LocalWorker(self.place / "new.log"), Config())
            pipeline.add(AddRequest(paths=[self.notes], exclude=["*.log"]))
            for sql in SAME:
                assert sorted(map(repr, self.database.fetch(sql))) == sorted(map(repr, new.fetch(sql))), sql


SAME = (
    "SELECT path, title, mime_type, size, content, hash FROM context_items",
    "SELECT i.path, d.title, d.date, d.summary, d.text FROM documents d JOIN context_items i USING (id)",
    "SELECT i.path, c.ordinal, c.text, c.hash FROM chunks c JOIN context_items i ON i.id = c.document_id",
    "SELECT name, type, description FROM entities",
    "SELECT f.type, s.name, o.name, f.quote, i.path FROM facts f JOIN entities s ON s.id = f.subject_id"
    " JOIN entities o ON o.id = f.object_id JOIN context_items i ON i.id = f.document_id",
    "SELECT i.path, l.target, t.path FROM document_links l JOIN context_items i ON i.id = l.document_id"
    " LEFT JOIN context_items t ON t.id = l.target_id WHERE l.kind = 'path'",
    "SELECT t.name, count(*) FROM chunk_topics c JOIN topics t ON t.id = c.topic_id GROUP BY ALL",
)
"""What must not depend on how it came about."""

TestRefreshing = pytest.mark.slow(Refreshing.TestCase)
TestRefreshing.settings = settings(max_examples=8, stateful_step_count=10, deadline=None)
