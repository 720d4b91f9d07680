"""What follows from rows that somebody writes: documents come, change, move and go with their files.

In the end by chance, against a store that is made of the final files.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings, strategies
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from kgfs.config import Config
from kgfs.errors import Cancelled, WorkerError
from kgfs.graph import parsed_body
from kgfs.names import is_knowledge
from kgfs.pipeline import row_pass
from kgfs.pipeline.pipeline import Pipeline, items_of
from kgfs.pipeline.pipeline_lock import PipelineLock
from kgfs.pipeline.refresh import Refresher
from kgfs.pipeline.refresh_records import RefreshRequest, RefreshTarget
from kgfs.pipeline.request import AddRequest
from kgfs.service.health import state
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.catalog.inserts import take_ids
from kgfs.store.files import drive_moves, drive_rows, history, items, staging
from kgfs.store.files.drive_rows import NewAttributes
from kgfs.store.files.items import BLOCK_BYTES, DIRECTORY
from kgfs.store.files.staging import StagedBody
from kgfs.store.tree import pages
from tests import planned_graphs as graphs
from tests.local_worker import LocalWorker
from tests.new_stores import new_store
from tests.pipeline.test_pipeline import folder, index_is_whole

WRITTEN = NewAttributes(mtime_us=1_600_000_000_000_000)
"""One moment for all files: undated documents have the date of their file."""


class Drive:
    """Files of a drive as somebody writes them: operations by path, as a file system has them."""

    def __init__(self, database: Database, drive: str = "agent") -> None:
        self.database, self.drive = database, drive

    def write(self, path: str, text: str | bytes) -> int:
        """Create a file or write it over; returns its id."""
        body = text.encode() if isinstance(text, str) else text

        def work(cursor: Cursor) -> int:
            held = _staged(cursor, body) if len(body) > BLOCK_BYTES else body
            known = self._find(cursor, path)
            if known is not None:
                return drive_rows.overwrite_file(cursor, known, path, held, WRITTEN, keep_version=True).item_id
            free = held.id if isinstance(held, StagedBody) else take_ids(cursor, "item", 1)[0]
            return drive_rows.create_file(cursor, free, self.drive, path, held, WRITTEN).item_id

        return self.database.write(work)

    def make_directory(self, path: str) -> int:
        def work(cursor: Cursor) -> int:
            (free,) = take_ids(cursor, "item", 1)
            drive_rows.make_directory(cursor, free, self.drive, path, NewAttributes())
            return free

        return self.database.write(work)

    def remove(self, path: str, *, purge: bool = False) -> None:
        self.database.write(
            lambda cursor: drive_rows.remove_items(cursor, [self._find(cursor, path) or 0], purge=purge)
        )  # fmt: skip

    def move(self, path: str, to: str) -> None:
        """Rename a file, over another one where there is one."""

        def work(cursor: Cursor) -> None:
            item_id, over = self._find(cursor, path), self._find(cursor, to)
            assert item_id is not None
            if over is not None:
                drive_moves.replace_file(cursor, item_id, over, self.drive, path, self.drive, to)
            else:
                drive_moves.move_file(cursor, item_id, self.drive, path, self.drive, to, take_ids(cursor, "item", 1)[0])

        self.database.write(work)

    def move_directory(self, path: str, to: str) -> None:
        self.database.write(lambda cursor: drive_moves.move_directory(cursor, self.drive, path, self.drive, to))

    def _find(self, cursor: Cursor, path: str) -> int | None:
        found = items.find_item(cursor, items.ref(self.drive, path))
        return None if found is None else found.id


def _staged(cursor: Cursor, body: bytes) -> StagedBody:
    staged_id = staging.begin_staging(cursor)
    parts = [body[start : start + BLOCK_BYTES] for start in range(0, len(body), BLOCK_BYTES)]
    staging.put_blocks(cursor, staged_id, 0, parts)
    return StagedBody(staged_id, len(body), items.hash_body(body), items.text_of(body) is not None)


@pytest.fixture
def drive(database: Database) -> Drive:
    return Drive(database)


def paragraphs(*names: str) -> str:
    """A text of several chunks, one a name."""
    return "\n\n".join(f"# {name}\n\n{name} acquired Omega. " + f"{name} is a word. " * 120 for name in names)


def chunks(database: Database, path: str) -> dict[int, str]:
    sql = "SELECT c.id, c.text FROM chunks c JOIN context_items i ON i.id = c.document_id WHERE i.path = ?"
    return dict(database.fetch(f"{sql} ORDER BY c.ordinal", [path]))


def generations(database: Database, path: str) -> tuple[int, ...]:
    sql = "SELECT want_gen, parsed_gen, have_gen, extracted_gen FROM context_items WHERE path = ?"
    return tuple(database.fetch(sql, [path])[0])


def _waiting(database: Database) -> dict[str, int]:
    """What waits, without what does not."""
    return {name: number for name, number in state.waiting(database).items() if number}


def settled(database: Database, worker: LocalWorker) -> None:
    """Nothing waits and nothing is left of what went."""
    assert not any(state.waiting(database).values())
    assert database.fetch(
        "SELECT id FROM documents WHERE id NOT IN (SELECT id FROM context_items) UNION ALL"
        " SELECT document_id FROM chunks WHERE document_id NOT IN (SELECT id FROM documents) UNION ALL"
        " SELECT document_id FROM entity_claims WHERE document_id NOT IN (SELECT id FROM documents) UNION ALL"
        " SELECT document_id FROM document_links WHERE document_id NOT IN (SELECT id FROM documents) UNION ALL"
        " SELECT item_id FROM blocks WHERE item_id NOT IN (SELECT id FROM context_items UNION ALL"
        " SELECT id FROM item_versions)"
    ) == []  # fmt: skip
    assert graphs.contradictions(database) == {}
    index_is_whole(database, worker)


# --- one thing at a time -------------------------------------------------------------------------------------------


def test_a_file_is_written_changed_and_removed(
    drive: Drive, pipeline: Pipeline, database: Database, worker: LocalWorker
) -> None:
    drive.write("/notes/a.md", paragraphs("Alpha", "Beta"))
    assert _waiting(database) == {"files": 1, "texts": 1, "documents": 1}
    assert state.coverage(database)["keyword"] == {"done": 0, "total": 1}
    assert pipeline.resume() == []
    settled(database, worker)
    assert database.fetch("SELECT title, mime_type, error FROM context_items") == [("Alpha", "text/markdown", None)]
    before = chunks(database, "/notes/a.md")
    assert len(before) > 1 and {"Alpha", "Beta", "Omega"} <= set(_entities(database))

    drive.write("/notes/a.md", paragraphs("Alpha", "Gamma"))
    assert generations(database, "/notes/a.md") == (2, 1, 1, 1)
    parsed = worker.parsed
    pipeline.resume()
    after = chunks(database, "/notes/a.md")
    assert worker.parsed == parsed + 1
    assert {number: text for number, text in after.items() if "Alpha" in text} == {
        number: text for number, text in before.items() if "Alpha" in text
    }
    assert "Beta" not in _entities(database) and "Gamma" in _entities(database)
    settled(database, worker)

    drive.remove("/notes/a.md")
    assert state.waiting(database)["removed"] == 1
    pipeline.resume()
    settled(database, worker)
    assert graphs.rows_left(database) == {}
    assert worker.content() == {}


def _entities(database: Database) -> list[str]:
    return [row[0] for row in database.fetch("SELECT name FROM entities ORDER BY name")]


def test_nothing_to_do_writes_nothing(drive: Drive, pipeline: Pipeline, database: Database) -> None:
    drive.write("/a.md", "# One\n\nAlpha acquired Beta.\n")
    pipeline.resume()
    before = database.commits
    row_pass.row_pass(pipeline._run())
    assert database.commits == before


def test_what_was_removed_a_moment_ago_may_be_left(drive: Drive, pipeline: Pipeline, database: Database) -> None:
    """But not what was removed "in the future": the clock was set back, and it would wait for that time to come."""
    drive.write("/a.md", "# One\n\nAlpha acquired Beta.\n")
    pipeline.resume()
    drive.remove("/a.md")
    pipeline.resume(leave_recent=True)
    assert state.waiting(database)["removed"] == 1
    database.write(lambda cursor: cursor.execute("UPDATE removed_items SET removed_at = removed_at + INTERVAL 1 HOUR"))
    pipeline.resume(leave_recent=True)
    assert state.waiting(database)["removed"] == 0
    assert graphs.rows_left(database) == {}


def test_a_file_that_was_removed_and_written_again_keeps_its_chunks(
    drive: Drive, pipeline: Pipeline, database: Database, worker: LocalWorker
) -> None:
    number = drive.write("/a.md", paragraphs("Alpha", "Beta"))
    pipeline.resume()
    before, indexed = chunks(database, "/a.md"), worker.content()
    drive.remove("/a.md")
    assert drive.write("/a.md", paragraphs("Alpha", "Beta")) == number
    pipeline.resume()
    assert chunks(database, "/a.md") == before
    assert {key for key in worker.content() if key[1] == "chunk"} == {key for key in indexed if key[1] == "chunk"}
    settled(database, worker)


def test_an_editor_saves_by_renaming(drive: Drive, pipeline: Pipeline, database: Database, worker: LocalWorker) -> None:
    number = drive.write("/a.md", paragraphs("Alpha", "Beta"))
    pipeline.resume()
    before = chunks(database, "/a.md")
    drive.move("/a.md", "/a.md~")
    drive.write("/a.md", paragraphs("Alpha", "Gamma"))
    pipeline.resume()
    assert database.fetch("SELECT id FROM context_items WHERE path = '/a.md'") == [(number,)]
    assert chunks(database, "/a.md").keys() & before.keys()
    assert generations(database, "/a.md~") == (1, 1, 1, 1)
    settled(database, worker)
    drive.write("/.a.md.tmp", paragraphs("Alpha", "Delta"))
    drive.move("/.a.md.tmp", "/a.md")
    pipeline.resume()
    assert database.fetch("SELECT id FROM context_items WHERE path = '/a.md'") == [(number,)]
    assert chunks(database, "/a.md").keys() & before.keys()
    settled(database, worker)


def test_a_move_touches_no_embedding(drive: Drive, pipeline: Pipeline, database: Database, worker: LocalWorker) -> None:
    drive.write("/d/a.md", paragraphs("Alpha", "Beta"))
    drive.write("/d/plain.txt", "Gamma acquired Delta.\n")
    drive.write("/links.md", "# Links\n\nSee [[a]] and [[plain]].\n")
    pipeline.resume()
    before = database.fetch("SELECT id, have_gen FROM chunks ORDER BY id")
    vectors = [line for line in worker._index.read_text().splitlines() if '"vector", "chunk"' in line]
    assert _targets(database) == {"/d/a.md", "/d/plain.txt"}
    drive.move_directory("/d", "/e")
    drive.move("/e/plain.txt", "/e/renamed.txt")
    drive.write("/links.md", "# Links\n\nSee [[a]], and [[renamed]].\n")
    pipeline.resume()
    assert _targets(database) == {"/e/a.md", "/e/renamed.txt"}
    kept = [row for row in database.fetch("SELECT id, have_gen FROM chunks ORDER BY id") if row in before]
    assert len(kept) == len(before) - 1  # all but that of the links
    after = [line for line in worker._index.read_text().splitlines() if '"vector", "chunk"' in line]
    assert len(after) == len(vectors) + 1
    titles = "SELECT d.title FROM documents d JOIN context_items i USING (id) WHERE path = '/e/renamed.txt'"
    assert database.fetch(titles) == [("renamed",)]
    drive.write("/e/a.md", paragraphs("Alpha", "Gamma"))  # known by its new place
    pipeline.resume()
    assert set(chunks(database, "/e/a.md")) & {number for number, _ in before}
    settled(database, worker)


def _targets(database: Database) -> set[str]:
    sql = "SELECT i.path FROM document_links l JOIN context_items i ON i.id = l.target_id"
    return {row[0] for row in database.fetch(sql)}


def test_a_link_to_what_moved_leads_nowhere_then(drive: Drive, pipeline: Pipeline, database: Database) -> None:
    drive.write("/d/a.md", "# One\n\nAlpha.\n")
    drive.write("/links.md", "# Links\n\nSee [[a]].\n")
    pipeline.resume()
    assert _targets(database) == {"/d/a.md"}
    drive.move_directory("/d", "/e")
    pipeline.resume()
    assert _targets(database) == {"/e/a.md"}
    drive.remove("/e/a.md")
    pipeline.resume()
    assert _targets(database) == set()


def test_across_the_border_of_knowledge(
    drive: Drive, pipeline: Pipeline, database: Database, worker: LocalWorker
) -> None:
    drive.write("/d/a.md", "# One\n\nAlpha acquired Beta.\n")
    pipeline.resume()
    drive.move_directory("/d", "/.trash")
    assert state.waiting(database)["files"] == 1
    pipeline.resume()
    assert database.fetch("SELECT count(*) FROM documents") == [(0,)]
    assert len(set(generations(database, "/.trash/a.md"))) == 1
    settled(database, worker)
    drive.write("/.trash/b.md", "Hidden acquired Secret.\n")
    pipeline.resume()
    assert "Hidden" not in _entities(database)
    drive.move_directory("/.trash", "/back")
    pipeline.resume()
    assert {"Alpha", "Hidden"} <= set(_entities(database))
    settled(database, worker)


def test_an_id_that_is_in_both_tables(
    drive: Drive, pipeline: Pipeline, database: Database, worker: LocalWorker
) -> None:
    """A document moved over debris: the debris' id is given to the file that is aside."""
    drive.write("/a.md", "# One\n\nAlpha acquired Beta.\n")
    over = drive.write("/b.md", "# Two\n\nGamma acquired Delta.\n")
    pipeline.resume()
    drive.move("/b.md", "/b.md~")
    drive.move("/a.md", "/b.md~")
    drive.move("/b.md~", "/c.md")
    pipeline.resume()
    assert [row[0] for row in database.fetch("SELECT path FROM context_items")] == ["/c.md"]
    assert database.fetch("SELECT count(*) FROM documents WHERE id = ?", [over]) in ([(0,)], [(1,)])
    assert _entities(database) == ["Alpha", "Beta", "One"] or {"Alpha", "Beta"} <= set(_entities(database))
    assert "Gamma" not in _entities(database)
    settled(database, worker)


@pytest.mark.parametrize("body", [b"", b"\0\1\2", b"%PDF-1.4 broken"])
def test_what_has_no_text(
    drive: Drive, pipeline: Pipeline, database: Database, worker: LocalWorker, body: bytes
) -> None:
    drive.write("/a.pdf" if body.startswith(b"%") else "/a.bin", "Alpha acquired Beta.\n")
    drive.write("/a.pdf" if body.startswith(b"%") else "/a.bin", body)
    pipeline.resume()
    assert database.fetch("SELECT count(*) FROM chunks") == [(0,)]
    settled(database, worker)
    parsed = worker.parsed
    pipeline.resume()
    assert worker.parsed == parsed


def test_a_document_that_breaks_the_parser(
    drive: Drive, pipeline: Pipeline, database: Database, worker: LocalWorker
) -> None:
    drive.write("/good.md", "Alpha acquired Beta.\n")
    drive.write("/bad.md", "Poison.\n")
    worker.fail_on = "Poison"
    pipeline.resume()
    ((error,),) = database.fetch("SELECT error FROM context_items WHERE path = '/bad.md'")
    assert "could not be read" in error
    settled(database, worker)
    worker.fail_on = None
    pipeline.resume()
    assert database.fetch("SELECT count(*) FROM documents") == [(1,)]  # not again by itself
    drive.write("/bad.md", "Gamma is here.\n")
    pipeline.resume()
    assert database.fetch("SELECT error FROM context_items WHERE path = '/bad.md'") == [(None,)]
    assert database.fetch("SELECT count(*) FROM documents") == [(2,)]


def test_a_worker_that_reads_nothing_leaves_all_waiting(
    drive: Drive, pipeline: Pipeline, database: Database, worker: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive.write("/a.md", "Alpha acquired Beta.\n")

    def parse(*_: Any) -> Any:
        raise WorkerError("The worker cannot be started.")

    with monkeypatch.context() as patch:
        patch.setattr(worker, "parse", parse)
        assert any("cannot be started" in warning for warning in pipeline.resume())
    assert state.waiting(database)["files"] == 1
    assert pipeline.resume() == []
    settled(database, worker)


def test_large_files(drive: Drive, database: Database, worker: LocalWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsed_body, "WHOLE_BYTES", 1)
    config = Config(max_text_bytes=3 * BLOCK_BYTES)
    pipeline = Pipeline(database, worker, config)
    worker._config = config
    # Few facts: it is the bytes that are many here.
    text = "Alpha acquired Beta. " * 100 + "they said that it was so. " * 80_000
    assert 1 < len(text) / BLOCK_BYTES < 3
    drive.write("/blocks.txt", text)
    drive.write("/large.txt", text * 2)
    drive.write("/large.html", "<p>" + "Gamma acquired Delta.</p><p>" * 200_000)
    pipeline.resume()
    rows = dict(database.fetch("SELECT path, notes FROM context_items"))
    assert "kept" in rows["/large.txt"] and rows["/blocks.txt"] == "[]"
    counts = dict(
        database.fetch(
            "SELECT i.path, count(c.id) FROM documents d JOIN context_items i USING (id)"
            " LEFT JOIN chunks c ON c.document_id = d.id GROUP BY ALL"
        )
    )
    assert counts["/blocks.txt"] > 10 and counts["/large.txt"] == 0
    sizes = "SELECT text_size FROM documents d JOIN context_items i USING (id) WHERE path = '/large.txt'"
    assert database.fetch(sizes) == [(len(text) * 2,)]
    assert "text/html" in dict(database.fetch("SELECT path, mime_type FROM context_items"))["/large.html"]
    assert list(database.path.parent.glob(".reading-*")) == []
    settled(database, worker)


@pytest.mark.parametrize("whole", [parsed_body.WHOLE_BYTES, 1])
def test_a_document_of_an_office(
    drive: Drive,
    database: Database,
    worker: LocalWorker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    whole: int,
) -> None:
    """Written like any other file: it is read, small as bytes and large as a copy that goes again."""
    import docx

    made = docx.Document()
    made.add_heading("Harbour report", 1)
    made.add_paragraph("Alpha acquired Beta in May.")
    made.save(os.fspath(tmp_path / "made.docx"))
    monkeypatch.setattr(parsed_body, "WHOLE_BYTES", whole)
    config = Config() if whole > 1 else Config(max_text_bytes=1000)
    drive.write("/report.docx", (tmp_path / "made.docx").read_bytes())
    Pipeline(database, worker, config).resume()
    ((mime_type, error, title),) = database.fetch(
        "SELECT i.mime_type, i.error, d.title FROM context_items i JOIN documents d USING (id)"
    )
    assert mime_type.endswith("wordprocessingml.document") and (error, title) == (None, "Harbour report")
    assert "Alpha" in _entities(database)
    assert list(database.path.parent.glob(".reading-*")) == []
    settled(database, worker)


def test_what_changes_while_it_is_read_waits(
    drive: Drive, pipeline: Pipeline, database: Database, worker: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive.write("/a.md", "Alpha acquired Beta.\n")
    drive.write("/b.md", "Gamma acquired Delta.\n")
    drive.write("/c.md", "Eta acquired Theta.\n")
    really = worker.parse

    def parse(path: str, data: bytes, name: str, mtime_ns: int | None, url: str = "") -> Any:
        document = really(path, data, name, mtime_ns, url)
        if data == b"Alpha acquired Beta.\n":
            drive.write("/a.md", "Alpha acquired Zeta.\n")
        elif name.endswith("b.md"):
            drive.remove("/b.md")
        elif name.endswith("c.md"):
            drive.move("/c.md", "/d/c.md")
        return document

    with monkeypatch.context() as patch:
        patch.setattr(worker, "parse", parse)
        pipeline.resume()
    assert database.fetch("SELECT count(*) FROM documents") == [(0,)]
    assert _waiting(database) == {"files": 2, "removed": 1, "texts": 2, "documents": 2}
    pipeline.resume()
    assert _entities(database) == ["Alpha", "Eta", "Theta", "Zeta"]
    settled(database, worker)


def test_a_generation_that_was_not_parsed_is_not_confirmed(
    drive: Drive, database: Database, worker: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is written again when its first text is on its way to the index, and when the extractor has it."""
    pipeline = Pipeline(database, worker, Config())
    drive.write("/a.md", "Alpha acquired Beta.\n")
    texts, extract = worker.index_texts, worker.extract

    def index_texts(kind: str, rows: Any) -> None:
        if kind == "chunk" and rows:
            drive.write("/a.md", "Alpha acquired Gamma.\n")
        texts(kind, rows)

    with monkeypatch.context() as patch:
        patch.setattr(worker, "index_texts", index_texts)
        pipeline.resume()
    want, parsed, have, extracted = generations(database, "/a.md")
    assert parsed == have < want and extracted < want
    pipeline.resume()

    def extracting(document: Any, gazetteer: Any) -> Any:
        drive.write("/a.md", "Alpha acquired Delta.\n")
        return extract(document, gazetteer)

    drive.write("/a.md", "Alpha acquired Eta.\n")
    with monkeypatch.context() as patch:
        patch.setattr(worker, "extract", extracting)
        pipeline.resume()
    assert state.waiting(database)["files"] == 1
    pipeline.resume()
    assert _entities(database) == ["Alpha", "Delta"]
    settled(database, worker)


def test_texts_come_while_the_extractor_reads(
    drive: Drive, database: Database, worker: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job gives way while it waits; what was found in the text before is not said of the one that is there now."""
    pipeline_lock = PipelineLock()
    pipeline = Pipeline(database, worker, Config(), pipeline_lock=pipeline_lock)
    drive.write("/a.md", "Alpha acquired Beta.\n")
    extract = worker.extract

    def extracting(document: Any, gazetteer: Any) -> Any:
        drive.write("/a.md", "Alpha acquired Gamma.\n")
        with pipeline_lock.between(60.0) as ours:
            assert ours
            pipeline.texts()
        return extract(document, gazetteer)

    with monkeypatch.context() as patch, pipeline_lock.job():
        patch.setattr(worker, "extract", extracting)
        pipeline.resume()
    want, parsed, have, extracted = generations(database, "/a.md")
    assert parsed == have == want and extracted < want
    assert _entities(database) == []
    pipeline.resume()
    assert _entities(database) == ["Alpha", "Gamma"]
    settled(database, worker)


def test_directories_are_no_files(drive: Drive, pipeline: Pipeline, database: Database, worker: LocalWorker) -> None:
    drive.make_directory("/d")
    drive.make_directory("/d/e")
    drive.write("/d/a.md", "Alpha acquired Beta.\n")
    pipeline.resume()
    assert state.counts(database)["documents"] == 1
    assert state.coverage(database)["keyword"] == {"done": 1, "total": 1}
    assert database.fetch("SELECT count(*) FROM context_items WHERE mime_type = ?", [DIRECTORY]) == [(2,)]
    drive.move_directory("/d", "/.hidden")
    pipeline.resume()
    assert database.fetch("SELECT DISTINCT want_gen FROM context_items WHERE mime_type = ?", [DIRECTORY]) == [(0,)]
    settled(database, worker)
    assert pipeline.remove(items_of(database, "agent", "/.hidden", recursive=True)).removed == 1
    assert graphs.rows_left(database) == {}


def test_old_versions_go_once_an_hour(
    drive: Drive, pipeline: Pipeline, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline.resume()
    drive.write("/a.md", "One.\n")
    drive.write("/a.md", "Two.\n")
    database.write(lambda cursor: cursor.execute("UPDATE item_versions SET replaced_at = TIMESTAMP '2020-01-01'"))
    pipeline.resume()
    with database.read() as cursor:
        assert len(history.versions(cursor, "agent:/a.md")) == 1
    database.write(lambda cursor: pages.write_meta(cursor, "history_pruned", "1"))
    pipeline.resume()
    with database.read() as cursor:
        assert history.versions(cursor, "agent:/a.md") == []


def test_a_refresh_does_not_write_over_what_was_edited_here(
    database: Database, worker: LocalWorker, tmp_path: Path
) -> None:
    notes = folder(tmp_path / "notes", 2)
    refresher = Refresher(database, worker, Config())
    refresher.add(AddRequest(paths=[notes]))
    disk = Drive(database, "disk")
    disk.write(f"{notes}/note0.md", "Edited acquired Here.\n")
    with database.read() as cursor:
        assert items.known_files(cursor, "disk", str(notes))[f"{notes}/note0.md"].edited
    (notes / "note0.md").write_text("# Changed on disk too\n")
    ((source,),) = database.fetch("SELECT id FROM sources")
    summary = refresher.refresh(RefreshRequest(targets=[RefreshTarget(source=source)]))
    assert summary.sources[0].conflicts == 1 and "edited here" in summary.failed[0].error
    assert "Edited" in _entities(database)
    settled(database, worker)


def test_add_goes_on_with_what_waits(drive: Drive, database: Database, worker: LocalWorker, tmp_path: Path) -> None:
    drive.write("/a.md", "Alpha acquired Beta.\n")
    Pipeline(database, worker, Config()).add(AddRequest(paths=[folder(tmp_path / "notes", 1)]))
    assert "Beta" in _entities(database)
    settled(database, worker)


# --- by chance -----------------------------------------------------------------------------------------------------

NAMES = ("/a.md", "/b.md", "/c.txt", "/d/a.md", "/d/e/b.md", "/f/a.md", "/.tmp-a", "/a.md~", "/.g/a.md", "/d/x.bin")
FOLDERS = ("/d", "/d/e", "/f", "/.g")
TEXTS = (
    "# One\n\nAlpha acquired Beta.\n",
    "# Two\n\nGamma acquired Delta. See [it](a.md) and [[b]].\n",
    "Omega is here.\n",
    "",
    "---\ntype: company\ntitle: Sigma\n---\nSigma acquired Tau.\n",
    paragraphs("Alpha", "Beta"),
    paragraphs("Alpha", "Gamma"),
    paragraphs("Delta", "Alpha", "Beta"),
    b"\0binary",
)

names = strategies.sampled_from(NAMES)
folders = strategies.sampled_from(FOLDERS)


class _CancelAfter:
    """Stops a run when it was asked so many times."""

    def __init__(self, limit: int) -> None:
        self.asked, self.limit = 0, limit

    def is_set(self) -> bool:
        self.asked += 1
        return self.asked > self.limit


class Writing(RuleBasedStateMachine):
    """Changes by a writer and runs of the pipeline in any order; ``held`` is what the store must have: path to body."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp(prefix="writing-"))
        self.database = new_store(self.place / "store")
        self.worker = LocalWorker(self.place / "index.log")
        self.drive = Drive(self.database)
        self.held: dict[str, str | bytes] = {}

    @rule(name=names, text=strategies.sampled_from(TEXTS))
    def write(self, name: str, text: str | bytes) -> None:
        self.drive.write(name, text)
        self.held[name] = text

    @rule(name=names, purge=strategies.booleans())
    def remove(self, name: str, purge: bool) -> None:
        if name in self.held:
            self.drive.remove(name, purge=purge)
            del self.held[name]

    @rule(name=names, to=names)
    def move(self, name: str, to: str) -> None:
        if name in self.held and name != to:
            self.drive.move(name, to)
            self.held[to] = self.held.pop(name)

    @rule(name=names, aside=strategies.sampled_from(("/a.md~", "/.tmp-a")), text=strategies.sampled_from(TEXTS))
    def save(self, name: str, aside: str, text: str | bytes) -> None:
        """As editors do: the old one aside, the new one in its place, the old one away."""
        if name in self.held and name != aside:
            self.move(name, aside)
            self.write(name, text)
            self.remove(aside, False)

    @rule(name=folders, to=folders)
    def move_directory(self, name: str, to: str) -> None:
        inside = [path for path in self.held if path.startswith(name + "/")]
        if inside and not to.startswith(name) and not any(path.startswith(to + "/") for path in self.held):
            self.drive.move_directory(name, to)
            for path in inside:
                self.held[to + path.removeprefix(name)] = self.held.pop(path)

    @rule(limit=strategies.integers(0, 25))
    def run(self, limit: int) -> None:
        """A run that may be killed on its way."""
        pipeline = Pipeline(self.database, self.worker, Config(), cancel=_CancelAfter(limit))
        try:
            pipeline.resume()
        except Cancelled:
            return

    @precondition(lambda self: self.held)
    @rule(during=strategies.integers(0, 6), text=strategies.sampled_from(TEXTS), data=strategies.data())
    def run_while_it_is_written(self, during: int, text: str | bytes, data: Any) -> None:
        """A run during which somebody writes, moves or removes a file."""
        name = data.draw(strategies.sampled_from(sorted(self.held)))
        change: Callable[[], None] = data.draw(
            strategies.sampled_from((
                lambda: self.write(name, text),
                lambda: self.remove(name, False),
                lambda: self.move(name, "/f/a.md" if name != "/f/a.md" else "/b.md"),
            ))
        )  # fmt: skip
        worker = _Interrupted(self.worker, during, change)
        Pipeline(self.database, worker, Config()).resume()  # type: ignore[arg-type]

    def teardown(self) -> None:
        try:
            self.compare_with_a_new_store()
        finally:
            self.database.close()
            shutil.rmtree(self.place)

    def compare_with_a_new_store(self) -> None:
        """In the end it is as if the files were written now, but for names and ids that were made once."""
        rows = self.database.fetch("SELECT path, content, content_blob FROM context_items")
        bodies = {path: text if text is not None else bytes(blob) for path, text, blob in rows}
        assert bodies == self.held
        Pipeline(self.database, self.worker, Config()).resume()
        assert state.waiting(self.database)["files"] == 0
        settled(self.database, self.worker)
        with new_store(self.place / "new") as new:
            drive = Drive(new)
            for path in sorted(self.held):
                drive.write(path, self.held[path])
            Pipeline(new, LocalWorker(self.place / "new.log"), Config()).resume()
            for sql in SAME:
                assert sorted(map(repr, self.database.fetch(sql))) == sorted(map(repr, new.fetch(sql))), sql
            documented = {row[0] for row in new.fetch("SELECT path FROM context_items JOIN documents USING (id)")}
        assert documented == {path for path, text in self.held.items() if is_knowledge(path) and text != b"\0binary"}
        parts = set(self.database.fetch("SELECT id FROM chunks"))
        Pipeline(self.database, self.worker, Config()).resume()
        assert set(self.database.fetch("SELECT id FROM chunks")) == parts


class _Interrupted:
    """A worker before whose n-th call something else happens."""

    def __init__(self, worker: LocalWorker, calls: int, change: Callable[[], None]) -> None:
        self._worker, self._left, self._change = worker, calls, change

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._worker, name)
        if not callable(found):
            return found

        def call(*arguments: Any) -> Any:
            self._left -= 1
            if self._left == -1:
                self._change()
            return found(*arguments)

        return call


SAME = (
    "SELECT path, title, mime_type, size, content, hash, error, notes FROM context_items",
    "SELECT i.path, d.title, d.date, d.summary, d.text FROM documents d JOIN context_items i USING (id)",
    "SELECT i.path, c.ordinal, c.text, c.start FROM chunks c JOIN context_items i ON i.id = c.document_id",
    "SELECT name, type, description FROM entities",
    "SELECT f.type, s.name, o.name, f.quote, i.path FROM facts f JOIN entities s ON s.id = f.subject_id"
    " JOIN entities o ON o.id = f.object_id JOIN context_items i ON i.id = f.document_id",
    "SELECT i.path, l.target, t.path IS NULL FROM document_links l JOIN context_items i ON i.id = l.document_id"
    " LEFT JOIN context_items t ON t.id = l.target_id",
    "SELECT t.name, count(*) FROM chunk_topics c JOIN topics t ON t.id = c.topic_id GROUP BY ALL",
)
"""What must not depend on how it came about."""

TestWriting = pytest.mark.slow(Writing.TestCase)
TestWriting.settings = settings(max_examples=10, stateful_step_count=12, deadline=None)
