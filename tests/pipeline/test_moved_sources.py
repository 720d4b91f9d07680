"""A source that stands elsewhere now: what was read from it stays what it is, and nothing is read twice."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from kgfs.config import Config
from kgfs.errors import ConflictError, UsageError
from kgfs.pipeline.refresh import Refresher
from kgfs.pipeline.refresh_records import RefreshRequest, RefreshTarget, SourceSummary
from kgfs.pipeline.relocation import MovedSources, move_sources
from kgfs.store.catalog.database import Database
from kgfs.store.files import drive_rows, history, items
from kgfs.store.files.drive_rows import NewAttributes
from tests import planned_graphs as graphs
from tests.local_worker import LocalWorker
from tests.pipeline.test_pipeline import add, folder, index_is_whole


@pytest.fixture
def refresher(database: Database, worker: LocalWorker) -> Refresher:
    return Refresher(database, worker, Config())


def move(database: Database, old: Path, new: Path) -> MovedSources:
    return move_sources(database, "disk", items.row_path(old), items.row_path(new), check=lambda: None)


def refreshed(refresher: Refresher, database: Database, name: str, **options: Any) -> dict[str, int]:
    rows = database.fetch("SELECT id FROM sources WHERE name = ?", [name])
    (summary,) = refresher.refresh(RefreshRequest(targets=[RefreshTarget(source=rows[0][0])], **options)).sources
    assert isinstance(summary, SourceSummary)
    names = ("added", "updated", "moved", "removed", "vanished", "unchanged", "conflicts")
    return {name: number for name in names if (number := getattr(summary, name))}


def kept(database: Database) -> dict[str, Any]:
    """What must not change when a source moves: ids of everything, and what vectors are of."""
    queries = {
        "items": "SELECT id, hash, source_hash, want_gen, have_gen, extracted_gen FROM context_items ORDER BY id",
        "documents": "SELECT id, slug, title FROM documents ORDER BY id",
        "chunks": "SELECT id, document_id, ordinal, have_gen, want_gen FROM chunks ORDER BY id",
        "facts": "SELECT id, fact_id FROM facts ORDER BY id",
        "entities": "SELECT id, slug FROM entities ORDER BY id",
        "links": "SELECT document_id, target_id FROM document_links ORDER BY ALL",
        "sources": "SELECT id, name FROM sources ORDER BY id",
    }
    return {name: database.fetch(query) for name, query in queries.items()}


def members(database: Database) -> dict[str, list[str]]:
    """Source to its files' names."""
    rows = database.fetch(
        "SELECT s.name, i.path FROM sources s JOIN source_items m ON m.source_id = s.id"
        " JOIN context_items i ON i.id = m.item_id ORDER BY s.name, i.path"
    )
    found: dict[str, list[str]] = {}
    for name, path in rows:
        found.setdefault(name, []).append(os.path.basename(path))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("how", ["rename", "copy"])
def test_everything_stays_what_it_is(
    refresher: Refresher, database: Database, worker: LocalWorker, tmp_path: Path, how: str
) -> None:
    old, new = folder(tmp_path / "old"), tmp_path / "elsewhere" / "new"
    folder(old / "sub", 3)
    (old / "links.md").write_text("# Links\n\nSee [one](sub/note1.md).\n")
    add(refresher, old, name="mine")
    before, parsed = kept(database), worker.parsed
    new.parent.mkdir()
    if how == "rename":
        old.rename(new)
    else:  # other inodes, other times
        shutil.copytree(old, new, copy_function=shutil.copyfile)
        shutil.rmtree(old)
    assert move(database, old, new) == MovedSources(["mine"], 10, 0)
    assert kept(database) == before
    assert {os.path.dirname(path) for (path,) in database.fetch("SELECT path FROM context_items")} == {
        str(new), str(new / "sub"),
    }  # fmt: skip
    refresher.resume()
    assert refreshed(refresher, database, "mine") == {"unchanged": 10}
    assert worker.parsed == parsed
    index_is_whole(database, worker)
    assert graphs.contradictions(database) == {}
    # A chunk is known by its place too: those beside the one that changes keep their ids.
    chunks = {row[0] for row in database.fetch("SELECT id FROM chunks")}
    with (new / "links.md").open("a") as file:
        file.write("\n## More\n\nOther words.\n")
    assert refreshed(refresher, database, "mine") == {"updated": 1, "unchanged": 9}
    assert len(chunks - {row[0] for row in database.fetch("SELECT id FROM chunks")}) <= 1
    # And a file in the old place is another file.
    folder(old, 1)
    add(refresher, old)
    ids = [row[0] for row in database.fetch("SELECT fact_id FROM facts")]
    assert len(ids) == len(set(ids))


def test_what_had_been_added_from_the_new_place_is_no_second_copy(
    refresher: Refresher, database: Database, worker: LocalWorker, tmp_path: Path
) -> None:
    old, new = folder(tmp_path / "old"), tmp_path / "new"
    add(refresher, old, name="mine")
    before = kept(database)
    old.rename(new)
    (new / "note0.md").write_text("# Note 0\n\nEntirely other words.\n")
    (new / "fresh.md").write_text("# Fresh\n\nFresh words.\n")
    summary = add(refresher, new)
    assert summary.added == 7
    (offer,) = summary.offers
    assert (offer.name, offer.path, offer.to) == ("mine", str(old), str(new))
    assert move(database, old, new) == MovedSources(["mine"], 6, 6)
    refresher.resume()
    assert members(database) == {"mine": ["fresh.md", *(f"note{number}.md" for number in range(6))]}
    after = kept(database)
    assert after["sources"] == before["sources"] and after["items"][:6] == before["items"]
    assert refreshed(refresher, database, "mine", prune=True) == {"updated": 1, "unchanged": 6}
    assert graphs.contradictions(database) == {}
    index_is_whole(database, worker)


def test_offers(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    """Only where the old place is gone, and most of it is here; a dry run says so too."""
    old, new = folder(tmp_path / "old"), tmp_path / "around" / "new"
    add(refresher, old, name="mine")
    shutil.copytree(old, new)
    assert add(refresher, new, dry_run=True).offers == []
    old.rename(tmp_path / "away")
    (offer,) = add(refresher, tmp_path / "around", dry_run=True).offers
    assert offer.to == str(new)
    for number in range(4):
        (new / f"note{number}.md").unlink()
    assert add(refresher, new).offers == []


def test_sources_within_and_around(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    around = folder(tmp_path / "around", 1)
    folder(around / "old", 2)
    folder(around / "old" / "sub", 3)
    add(refresher, around, name="outer")
    add(refresher, around / "old", name="middle")
    add(refresher, around / "old" / "sub", name="inner")
    (around / "old").rename(tmp_path / "new")
    assert move(database, around / "old", tmp_path / "new").sources == ["inner", "middle"]
    assert {name: len(files) for name, files in members(database).items()} == {"outer": 1, "middle": 5, "inner": 3}
    for name, count in {"outer": 1, "middle": 5, "inner": 3}.items():
        assert refreshed(refresher, database, name, prune=True) == {"unchanged": count}
    assert graphs.contradictions(database) == {}


def test_a_source_that_is_a_file(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    old, new = folder(tmp_path / "old", 1) / "note0.md", tmp_path / "other name.md"
    add(refresher, old, name="mine")
    old.rename(new)
    assert move(database, old, new).items == 1
    refresher.resume()
    assert refreshed(refresher, database, "mine") == {"unchanged": 1}
    assert database.fetch("SELECT path, ref FROM context_items") == [(str(new), f"disk:{new}")]


def test_edits_and_history_go_along(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    old, new = folder(tmp_path / "old", 2), tmp_path / "new"
    add(refresher, old, name="mine")
    ((number, path),) = database.fetch("SELECT id, path FROM context_items WHERE path LIKE '%note0.md'")
    database.write(
        lambda cursor: drive_rows.overwrite_file(
            cursor, number, path, b"# Edited\n", NewAttributes(), keep_version=True
        )
    )
    refresher.resume()
    old.rename(new)
    move(database, old, new)
    with database.read() as cursor:
        assert [one.number for one in history.versions(cursor, f"disk:{new / 'note0.md'}")] == [1]
        assert history.versions(cursor, f"disk:{old / 'note0.md'}") == []
    assert refreshed(refresher, database, "mine") == {"unchanged": 2}
    assert database.fetch("SELECT content FROM context_items WHERE id = ?", [number]) == [("# Edited\n",)]


def test_what_is_refused(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    old = folder(tmp_path / "old")
    add(refresher, old, name="mine")
    before = kept(database)
    (tmp_path / "empty").mkdir()
    folder(tmp_path / "other").joinpath("note1.md").rename(tmp_path / "other" / "x.md")
    for number in (0, 2, 3, 4, 5):
        (tmp_path / "other" / f"note{number}.md").unlink()
    for place in (tmp_path / "empty", tmp_path / "other", tmp_path / "nowhere"):
        with pytest.raises(ConflictError, match="does not hold the files of mine"):
            move(database, old, place)
    with pytest.raises(UsageError):
        move(database, tmp_path / "unknown", old)
    # A second copy that was edited here says what no file says.
    new = tmp_path / "new"
    shutil.copytree(old, new)
    add(refresher, new, name="copy")
    ((number, path),) = database.fetch("SELECT id, path FROM context_items WHERE path = ?", [str(new / "note0.md")])
    database.write(
        lambda cursor: drive_rows.overwrite_file(
            cursor, number, path, b"# Edited\n", NewAttributes(), keep_version=True
        )
    )
    with pytest.raises(ConflictError, match=r"note0\.md"):
        move(database, old, new)
    assert [row[0] for row in database.fetch("SELECT path FROM sources ORDER BY name")] == [str(new), str(old)]
    assert before["facts"] == kept(database)["facts"][: len(before["facts"])]


def test_a_file_of_a_known_source_is_no_source_of_its_own(
    refresher: Refresher, database: Database, tmp_path: Path
) -> None:
    notes = folder(tmp_path / "notes", 3)
    add(refresher, notes, name="mine", exclude=["*.log"])
    (notes / "note0.md").write_text("# Other words\n")
    (notes / "new.md").write_text("# New\n")
    summary = add(refresher, notes / "note0.md", notes / "new.md", notes / "note1.md", on_conflict="skip")
    assert (summary.added, summary.updated, summary.skipped) == (1, 1, {"unchanged": 1})
    assert members(database) == {"mine": ["new.md", "note0.md", "note1.md", "note2.md"]}
    assert database.fetch("SELECT path FROM sources") == [(str(notes),)]
    # What is edited here stays, and what the source leaves out, or a name is asked for, is a source.
    (notes / "left.log").write_text("left out\n")
    add(refresher, notes / "left.log")
    add(refresher, notes / "note1.md", name="one")
    assert sorted(members(database)) == ["left.log", "mine", "one"]
    assert refreshed(refresher, database, "mine", prune=True) == {"unchanged": 4}


def test_on_conflict_error_refuses_what_is_known(refresher: Refresher, database: Database, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", 2)
    add(refresher, notes, on_conflict="error")
    for path in (notes, notes / "note0.md"):
        with pytest.raises(ConflictError, match=r"note0\.md is stored already"):
            add(refresher, path, on_conflict="error")
    (notes / "new.md").write_text("# New\n")
    assert add(refresher, notes / "new.md", on_conflict="error").added == 1
