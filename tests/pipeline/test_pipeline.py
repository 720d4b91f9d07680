"""The pipeline end to end: what it adds, skips, reports, and that a kill at any moment leaves a store that goes on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from kgfs.config import Config
from kgfs.errors import Cancelled, ConflictError, NotFoundError, WorkerError
from kgfs.extraction.extractor import extract
from kgfs.pipeline import graph_pass, vector_pass
from kgfs.pipeline.pipeline import Pipeline, items_of
from kgfs.pipeline.request import AddRequest
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Database
from kgfs.store.tree.columns import read_rows
from tests import planned_graphs as graphs
from tests.local_worker import LocalWorker
from tests.rounds import rounds


def folder(place: Path, count: int = 6) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (place / f"note{number}.md").write_text(
            f"# Note {number}\n\nAlpha acquired Beta in {1990 + number}. Company{number % 3} acquired Gamma Works.\n\n"
            + f"## Wages\n\nSee [[note{(number + 1) % count}]]. " + "Wages rose in Boston. " * 60 + "\n"
        )  # fmt: skip
    return place


def add(pipeline: Pipeline, *paths: Path, **options: Any) -> Any:
    return pipeline.add(AddRequest(paths=list(paths), **options))


def index_is_whole(database: Database, worker: LocalWorker) -> None:
    """The index holds every row at its generation, and nothing else."""
    tables = {"chunk": "chunks", "entity": "entities", "fact": "facts", "topic": "topics"}
    wanted = {
        (part, kind, row[0]): row[1]
        for kind, table in tables.items()
        for row in database.fetch(f"SELECT id, want_gen FROM {table}")
        for part in ("text", "vector")
    }
    assert worker.content() == wanted
    for table in tables.values():
        assert database.fetch(f"SELECT count(*) FROM {table} WHERE have_gen <> want_gen") == [(0,)]
    assert database.fetch("SELECT count(*) FROM removals") == [(0,)]
    assert database.fetch(
        "SELECT count(*) FROM context_items WHERE have_gen <> want_gen OR extracted_gen <> want_gen"
    ) == [(0,)]


def test_a_link_that_leads_out_is_left_out_and_named(
    pipeline: Pipeline, database: Database, worker: LocalWorker, tmp_path: Path
) -> None:
    notes, secret = folder(tmp_path / "notes", 3), tmp_path / "id_rsa"
    secret.write_text("secret")
    (notes / "out.md").symlink_to(secret)
    (notes / "in.md").symlink_to("note0.md")

    def progress(report: dict[str, Any]) -> None:  # the folder's owner is quick
        if report["stage"] == "read" and report["done"] == 2:
            (notes / "note2.md").unlink()
            (notes / "note2.md").symlink_to(secret)

    for dry in (True, False):
        summary = add(Pipeline(database, worker, Config(), progress=None if dry else progress), notes, dry_run=dry)
        assert summary.skipped == {"link that leads out": 1}
        assert [note.path for note in summary.notes] == [str(notes / "out.md")]
        assert "name it as a PATH" in summary.notes[0].error
    assert [failure.path for failure in summary.failed] == [str(notes / "note2.md")]
    assert database.fetch("SELECT count(*) FROM context_items WHERE content = 'secret'") == [(0,)]
    named = add(pipeline, notes, notes / "out.md")
    assert named.added == 1 and [note.path for note in named.notes] == [str(notes / "note2.md")]
    assert database.fetch("SELECT path FROM context_items WHERE content = 'secret'") == [(str(notes / "out.md"),)]


@pytest.mark.parametrize("call", ["extract", "index_vectors"])
def test_the_worker_has_more_to_do_while_the_store_is_written_to(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """What was read and embedded first waits for the writer, which publishes; the worker goes on meanwhile."""
    monkeypatch.setattr(graph_pass, "BATCH_BYTES", 1)
    monkeypatch.setattr(vector_pass, "BATCH_ROWS", 1)
    held, begun, went_on = threading.Event(), threading.Event(), threading.Event()
    in_time: list[bool] = []
    calls: list[str] = []

    def publish(_: object) -> None:
        begun.set()
        in_time.append(went_on.wait(20))

    class Waiting(LocalWorker):
        def _asked(self, name: str) -> None:
            calls.append(name)
            if name == call and not held.is_set():
                held.set()
                threading.Thread(target=database.write, args=(publish,)).start()
                assert begun.wait(20)
            elif name == call and calls.count(name) == further[name]:
                went_on.set()

        def extract(self, document: Any, gazetteer: Any) -> Any:
            self._asked("extract")
            return super().extract(document, gazetteer)

        def index_vectors(self, kind: str, rows: Any) -> None:
            self._asked("index_vectors")
            super().index_vectors(kind, rows)

    further = {"extract": 3, "index_vectors": 2}
    worker = Waiting(tmp_path / "index.log")
    summary = add(Pipeline(database, worker, Config()), folder(tmp_path / "notes"))
    assert summary.added == 6 and in_time == [True]
    index_is_whole(database, worker)


def test_a_folder(pipeline: Pipeline, database: Database, worker: LocalWorker, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes")
    (notes / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (notes / "empty.txt").write_bytes(b"")
    summary = add(pipeline, notes)
    assert (summary.added, summary.updated, summary.failed, summary.warnings) == (8, 0, [], [])
    assert summary.counts["documents"] == 7
    assert database.fetch("SELECT name, path FROM sources") == [("notes", str(notes))]
    assert database.fetch("SELECT count(*) FROM document_links WHERE target_id IS NOT NULL") == [(6,)]
    joined = database.fetch(
        "SELECT i.content = (SELECT string_agg(c.text, '' ORDER BY c.ordinal) FROM chunks c WHERE c.document_id = i.id)"
        " FROM context_items i WHERE i.path LIKE '%.md'"
    )
    assert joined == [(True,)] * 6
    assert graphs.contradictions(database) == {}
    index_is_whole(database, worker)


def test_what_is_known_is_not_read_again(
    pipeline: Pipeline, worker: LocalWorker, tmp_path: Path, database: Database
) -> None:
    notes = folder(tmp_path / "notes")
    add(pipeline, notes)
    before = graphs.graph(database)
    parsed = worker.parsed
    assert add(pipeline, notes).skipped == {"unchanged": 6}
    os.utime(notes / "note1.md", (1, 1))
    assert add(pipeline, notes).skipped == {"unchanged": 6}
    assert worker.parsed == parsed
    assert graphs.graph(database) == before
    (notes / "note1.md").write_text("# Other\n\nSomething else.\n")
    summary = add(pipeline, notes)
    assert (summary.added, summary.updated, summary.skipped) == (0, 1, {"unchanged": 5})
    assert worker.parsed == parsed + 1
    index_is_whole(database, worker)


def test_known_files_by_policy(pipeline: Pipeline, tmp_path: Path, database: Database) -> None:
    notes = folder(tmp_path / "notes", 2)
    add(pipeline, notes)
    (notes / "note1.md").write_text("# Other\n")
    (notes / "new.md").write_text("# New\n")
    with pytest.raises(ConflictError, match="--on-conflict"):
        add(pipeline, notes, on_conflict="error")
    dry = add(pipeline, notes, dry_run=True)
    assert (dry.added, dry.updated, dry.skipped) == (1, 1, {"unchanged": 1})
    assert database.fetch("SELECT count(*) FROM context_items") == [(2,)]
    summary = add(pipeline, notes, on_conflict="skip")
    assert (summary.added, summary.updated) == (1, 0)
    assert summary.skipped == {"unchanged": 1, "known, changed since": 1}
    assert add(pipeline, notes, on_conflict="overwrite").updated == 1


def test_a_vanished_file_stays(pipeline: Pipeline, tmp_path: Path, database: Database) -> None:
    notes = folder(tmp_path / "notes", 2)
    add(pipeline, notes)
    (notes / "note1.md").unlink()
    add(pipeline, notes)
    assert database.fetch("SELECT count(*) FROM documents") == [(2,)]


def test_a_store_is_not_walked_into(pipeline: Pipeline, tmp_path: Path, database: Database) -> None:
    folder(tmp_path / "notes", 1)
    (tmp_path / "store" / "readme.md").write_text("# Mine\n")
    assert add(pipeline, tmp_path, exclude=["*.log"]).skipped == {"store": 1}
    assert database.fetch("SELECT count(*) FROM documents") == [(1,)]


def test_a_missing_path_is_told(pipeline: Pipeline, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        add(pipeline, tmp_path / "none")


def test_a_document_that_fails_is_kept_and_tried_again(
    pipeline: Pipeline, worker: LocalWorker, tmp_path: Path, database: Database
) -> None:
    notes = folder(tmp_path / "notes", 4)
    (notes / "note2.md").write_text("# Poison\n")
    worker.fail_on = "Poison"
    summary = add(pipeline, notes)
    assert summary.added == 3
    assert [(Path(failure.path).name, "worker died" in failure.error) for failure in summary.failed] == [
        ("note2.md", True)
    ]
    assert database.fetch("SELECT size, error IS NOT NULL FROM context_items WHERE path LIKE '%note2.md'") == [
        (9, True)
    ]
    assert database.fetch("SELECT count(*) FROM documents") == [(3,)]
    worker.fail_on = None
    summary = add(pipeline, notes)
    assert (summary.added + summary.updated, summary.failed) == (1, [])
    assert database.fetch("SELECT count(*) FROM context_items WHERE error IS NOT NULL") == [(0,)]
    index_is_whole(database, worker)


def test_an_extractor_that_fails_loses_no_document(
    pipeline: Pipeline, worker: LocalWorker, tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = folder(tmp_path / "notes", 3)

    def broken(*_: object) -> Any:
        raise WorkerError("The worker died.")

    with monkeypatch.context() as patch:
        patch.setattr(worker, "extract", broken)
        summary = add(pipeline, notes)
    assert (summary.added, len(summary.failed)) == (3, 3)
    assert database.fetch("SELECT count(*) FROM entities") == [(0,)]
    summary = add(pipeline, notes)
    assert (summary.updated, summary.failed) == (3, [])
    assert database.fetch("SELECT count(*) > 0 FROM entities") == [(True,)]
    index_is_whole(database, worker)


def test_a_document_that_the_extractor_dies_of_costs_itself_alone(database: Database, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", 3)
    (notes / "poison.md").write_text("# Poison\n\nDelta acquired Epsilon.\n")

    class Dying(LocalWorker):
        asked = 0

        def extract_several(self, documents: Any, gazetteer: Any) -> Any:
            self.asked += 1
            return super().extract_several(documents, gazetteer)

        def extract(self, document: Any, gazetteer: Any) -> Any:
            if "Epsilon" in document.text:
                raise WorkerError("its extractor broke down.")
            return super().extract(document, gazetteer)

    worker = Dying(tmp_path / "index.log")
    summary = add(Pipeline(database, worker, Config()), notes)
    assert worker.asked > 0
    assert [Path(one.path).name for one in summary.failed] == ["poison.md"]
    names = {name for (name,) in database.fetch("SELECT name FROM entities")}
    assert {"Alpha", "Beta"} <= names and "Epsilon" not in names


def test_an_index_that_fails_waits(
    pipeline: Pipeline, worker: LocalWorker, tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = folder(tmp_path / "notes", 3)

    def broken(*_: object) -> Any:
        raise WorkerError("There is no model.")

    with monkeypatch.context() as patch:
        patch.setattr(worker, "index_vectors", broken)
        summary = add(pipeline, notes)
    assert summary.added == 3
    assert summary.warnings == ["Part of the search index waits: There is no model."]
    assert pipeline.resume() == []
    index_is_whole(database, worker)


def test_nothing_is_extracted_with_none(pipeline: Pipeline, tmp_path: Path, database: Database) -> None:
    notes = folder(tmp_path / "notes", 2)
    add(pipeline, notes, extractor="none")
    assert database.fetch("SELECT DISTINCT extractor FROM documents") == [("none",)]
    assert pipeline.counts()["entities"] == 0
    pipeline.resume()
    assert pipeline.counts()["entities"] == 0


def test_a_file_that_vanishes_meanwhile_is_told(pipeline: Pipeline, worker: LocalWorker, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", 3)
    parse = worker.parse

    def unlinking(*arguments: Any) -> Any:
        (notes / "note2.md").unlink(missing_ok=True)
        return parse(*arguments)

    worker.parse = unlinking  # type: ignore[method-assign]
    summary = add(pipeline, notes)
    assert summary.added == 2
    assert [failure.error for failure in summary.failed] == ["No such file or directory; it was left out."]


def test_what_others_declare_is_read_for_again(
    pipeline: Pipeline, worker: LocalWorker, tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that a document declares is looked for in those that were read before, and no longer when it goes."""
    read: list[str] = []
    extract = worker.extract
    monkeypatch.setattr(
        worker, "extract", lambda document, known: read.append(document.title) or extract(document, known)
    )
    notes = folder(tmp_path / "notes", 3)
    add(pipeline, notes)
    read.clear()
    (notes / "gamma.md").write_text("---\ntype: company\ntitle: Gamma Works\naliases: [GW]\n---\nText.\n")
    add(pipeline, notes)
    assert sorted(read) == ["Gamma Works", "Note 0", "Note 1", "Note 2"]
    read.clear()
    (notes / "other.md").write_text("---\ntype: company\ntitle: Nobody\n---\nText.\n")
    add(pipeline, notes)
    assert read == ["Nobody"]
    read.clear()
    pipeline.remove(items_of(database, "disk", str(notes / "gamma.md"), recursive=False))
    assert sorted(read) == ["Note 0", "Note 1", "Note 2"]
    read.clear()
    pipeline.resume()
    assert read == []
    index_is_whole(database, worker)


@pytest.mark.slow
def test_what_enough_documents_suggest_is_known_whatever_their_order(
    pipeline: Pipeline, worker: LocalWorker, tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name in code is none until the third document has it; then the first ones are read for it, too."""
    monkeypatch.setattr(worker, "extract", extract)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "talk.md").write_text("# Talk of May\n\nWe said that Light-Lamp is slow today, as PEP 0703 says.\n")
    for number in range(3):
        (notes / f"note{number}.md").write_text(
            f"# Week {number}\n\nThe `Light-Lamp` cmdlet lights {number} lamps. It was dark before that.\n"
        )
        add(pipeline, notes)
        found = dict(database.fetch("SELECT name, type FROM entities"))
        assert found.get("Light-Lamp") == ("Command" if number == 2 else None)
        assert "PEP 703" not in found
    (notes / "pep-0703.md").write_text("# Lamps without locks\n\nThis proposal is about lamps and their locks.\n")
    add(pipeline, notes)
    counted = dict(
        database.fetch(
            "SELECT e.name, count(DISTINCT c.document_id) FROM entities e JOIN entity_chunks ec ON ec.entity_id = e.id"
            " JOIN chunks c ON c.id = ec.chunk_id GROUP BY e.name"
        )
    )
    assert (counted["Light-Lamp"], counted["PEP 703"]) == (4, 2)
    with database.read() as cursor:
        owners = set(read_rows(cursor, "entity_pages")["other"].tolist())
    assert ("PEP 703",) in database.fetch(f"SELECT name FROM entities WHERE id IN ({', '.join(map(str, owners))})")


def test_names_that_are_hard(pipeline: Pipeline, tmp_path: Path, database: Database) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    names = [b"new\nline.md", b"caf\xe9.md", b"%E9.md", b"-rf.md", b"'quote\".md", "😀.md".encode(), b"A.md", b"a.md",
             b"x" * 252 + b".md", b"100%.md"]  # fmt: skip
    for name in names:
        with open(os.fsencode(notes) + b"/" + name, "wb") as file:
            file.write(b"# T\n\nText of " + name)
    summary = add(pipeline, notes)
    assert (summary.added, summary.failed) == (len(names), [])
    slugs = [row[0] for row in database.fetch("SELECT slug_key FROM documents")]
    assert len(set(slugs)) == len(names)
    assert add(pipeline, notes).skipped == {"unchanged": len(names)}


def test_removing(pipeline: Pipeline, worker: LocalWorker, tmp_path: Path, database: Database) -> None:
    notes = folder(tmp_path / "notes", 4)
    add(pipeline, notes)
    before = graphs.graph(database)
    other = folder(tmp_path / "other" / "deep", 2)
    add(pipeline, tmp_path / "other")
    with pytest.raises(ConflictError, match="-r"):
        items_of(database, "disk", str(other), recursive=False)
    with pytest.raises(NotFoundError):
        items_of(database, "disk", "/nowhere", recursive=True)
    removed = pipeline.remove(items_of(database, "disk", str(tmp_path / "other"), recursive=True))
    assert (removed.removed, removed.warnings) == (2, [])
    assert graphs.graph(database) == before
    assert database.fetch("SELECT name FROM sources") == [("notes",)]
    index_is_whole(database, worker)
    pipeline.remove(items_of(database, "disk", str(notes / "note0.md"), recursive=False))
    pipeline.remove(items_of(database, "disk", str(notes), recursive=True))
    assert graphs.rows_left(database) == {}
    assert worker.content() == {}


def test_publishing_follows_commits(database: Database, worker: LocalWorker, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    stages: list[dict[str, Any]] = []

    def publish() -> None:
        seen.append(database.fetch("SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM entities)")[0])

    pipeline = Pipeline(database, worker, Config(), on_commit=publish, progress=stages.append)
    add(pipeline, folder(tmp_path / "notes", 5))
    assert (5, 0) in seen  # the text pass is published before the graph
    assert seen[-1][1] > 0
    assert [stage["stage"] for stage in stages if stage["done"] == stage["total"]] == ["read", "extract", "embed"]
    add(pipeline, tmp_path / "notes")
    assert database.fetch("SELECT count(*) > 0 FROM stale") == [(True,)]


@pytest.mark.parametrize("after", [1, 3, 7, 12])
def test_cancelling_leaves_a_store_that_goes_on(
    database: Database, worker: LocalWorker, tmp_path: Path, after: int
) -> None:
    notes = folder(tmp_path / "notes", 6)
    cancel = threading.Event()
    count = 0

    def progress(_: dict[str, Any]) -> None:
        nonlocal count
        count += 1
        if count == after:
            cancel.set()

    with pytest.raises(Cancelled):
        add(Pipeline(database, worker, Config(), progress=progress, cancel=cancel), notes)
    summary = add(Pipeline(database, worker, Config()), notes)
    assert summary.failed == []
    assert summary.counts["documents"] == 6
    index_is_whole(database, worker)
    assert graphs.contradictions(database) == {}


PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.local_worker import LocalWorker
from kgfs.config import Config
from kgfs.pipeline.pipeline import Pipeline
from kgfs.pipeline.request import AddRequest
from kgfs.store.catalog.database import Database
place = Path(sys.argv[2])
with Database.open(place / "store", create=True) as database:
    print("open", flush=True)
    Pipeline(database, LocalWorker(place / "index.log"), Config()).add(AddRequest(paths=[place / "notes"]))
"""


@pytest.mark.long
def test_killed_again_and_again_it_comes_to_the_same(tmp_path: Path) -> None:
    """Each round some files change, and the process is killed at a random moment; the last one is left alone."""
    notes = folder(tmp_path / "notes", 12)
    chance = random.Random(7)
    command = [sys.executable, "-c", PROGRAM, str(Path(__file__).parents[2]), str(tmp_path)]
    kills = 0
    for round_number in range(rounds(4, 20)):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(chance.uniform(0.02, 0.7))
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
        (notes / f"note{round_number}.md").write_text(f"# Changed {round_number}\n\nDelta acquired Alpha.\n")
    subprocess.run(command, check=True, capture_output=True)
    assert kills
    worker = LocalWorker(tmp_path / "index.log")
    with Database.open(tmp_path / "store") as database:
        index_is_whole(database, worker)
        assert graphs.contradictions(database) == {}
        survived = graphs.graph(database, slugs=False)
        with database.read() as cursor:
            assert dirty_rows.pending_removals(cursor) == {}
    with Database.open(tmp_path / "fresh", create=True) as database:
        add(Pipeline(database, LocalWorker(tmp_path / "fresh.log"), Config()), notes)
        assert graphs.graph(database, slugs=False) == survived
