"""Files that are large, that change, shrink or vanish while they are read: stored by blocks, each told in one line."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.documents import original
from kgfs.documents.original import OpenFile
from kgfs.errors import Cancelled
from kgfs.pipeline import chosen_files
from kgfs.pipeline.pipeline import Pipeline
from kgfs.pipeline.request import AddRequest, AddSummary
from kgfs.store.catalog.database import Database
from kgfs.store.files import items
from kgfs.store.files.staging import BodyDigest
from tests.local_worker import LocalWorker

LARGE = 9 << 20
LINE = b"Wages in the Boston District rose modestly, contacts said.\n"


@pytest.fixture
def pipeline(database: Database, worker: LocalWorker) -> Pipeline:
    return Pipeline(database, worker, Config())


def add(pipeline: Pipeline, path: Path, **options: Any) -> AddSummary:
    return pipeline.add(AddRequest(paths=[path], extractor="none", **options))


def large(path: Path, size: int = LARGE, head: bytes = b"") -> bytes:
    body = (head + LINE * (size // len(LINE) + 1))[:size]
    path.write_bytes(body)
    return body


def stored(database: Database, path: Path) -> bytes:
    with database.read() as cursor:
        item = items.find_item(cursor, f"disk:{path}")
        assert item is not None
        return items.read_item(cursor, item.id) or b""


def blocks_of_no_item(database: Database) -> int:
    ((count,),) = database.fetch("SELECT count(*) FROM blocks WHERE item_id NOT IN (SELECT id FROM context_items)")
    return int(count)


# --- large files ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a.py", "a.md", "noname", "a.unknown"])
def test_a_large_text_is_stored_by_blocks_and_not_cut(
    database: Database, pipeline: Pipeline, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    body = large(path)
    summary = add(pipeline, path)
    assert (summary.added, summary.failed) == (1, [])
    assert stored(database, path) == body
    ((textual, size, digest, content, blob),) = database.fetch(
        "SELECT is_textual, size, hash, content, content_blob FROM context_items"
    )
    assert (textual, size, digest, content, blob) == (True, len(body), items.hash_body(body), None, None)
    ((text, text_size, is_content),) = database.fetch("SELECT text, text_size, text_is_content FROM documents")
    assert (text, text_size, is_content) == (None, len(body), True)
    ((notes,),) = database.fetch("SELECT notes FROM context_items")
    assert "was kept, but not cut into chunks" in notes
    assert summary.counts["chunks"] == 0
    again = add(pipeline, path)
    assert (again.added, again.updated, again.skipped) == (0, 0, {"unchanged": 1})


def test_front_matter_of_a_large_text_is_read(database: Database, pipeline: Pipeline, tmp_path: Path) -> None:
    large(tmp_path / "a.md", head=b"---\ntitle: The whole log\ndate: 2019-10-02\n---\n\n")
    add(pipeline, tmp_path / "a.md")
    assert database.fetch("SELECT title, date FROM documents") == [("The whole log", "2019-10-02")]


def test_the_last_character_of_what_is_looked_at_may_be_cut(
    database: Database, pipeline: Pipeline, tmp_path: Path
) -> None:
    body = "é".encode() * (LARGE // 2)
    for number, head in enumerate((b"", b"x")):
        (tmp_path / f"{number}.txt").write_bytes(head + body)
    assert add(pipeline, tmp_path).failed == []
    assert (
        database.fetch("SELECT text_is_content, is_textual FROM documents JOIN context_items USING (id)")
        == [(True, True)] * 2
    )


@pytest.mark.parametrize(
    ("tail", "note"),
    [(b"\xff\xfe broken", "not UTF-8"), (b"\0 and more", "not UTF-8"), ("é".encode()[:1], "not UTF-8")],
)
def test_a_large_text_that_is_not_utf8_at_its_end(
    database: Database, pipeline: Pipeline, tmp_path: Path, tail: bytes, note: str
) -> None:
    body = large(tmp_path / "a.txt") + tail
    (tmp_path / "a.txt").write_bytes(body)
    assert add(pipeline, tmp_path / "a.txt").failed == []
    assert stored(database, tmp_path / "a.txt") == body
    ((textual, notes, text, is_content),) = database.fetch(
        "SELECT is_textual, notes, text, text_is_content FROM documents JOIN context_items USING (id)"
    )
    assert not textual and not is_content and note in notes
    assert body.decode("utf-8", "replace").startswith(text) and len(text) == Config().max_text_bytes


def test_large_bytes_that_are_no_text_are_kept(database: Database, pipeline: Pipeline, tmp_path: Path) -> None:
    body = b"\0\1\2\3" * (LARGE // 4)
    for name in ("a.bin", "a.mp4", "a.txt"):
        (tmp_path / name).write_bytes(body)
    assert add(pipeline, tmp_path).added == 3
    assert database.fetch("SELECT count(*) FROM documents") == [(0,)]
    assert stored(database, tmp_path / "a.mp4") == body


def test_a_large_page_is_read_whole(database: Database, pipeline: Pipeline, tmp_path: Path) -> None:
    script = b"<script>" + b"x = '<b>'; " * (LARGE // 11) + b"</script>"
    (tmp_path / "a.html").write_bytes(b"<html><body><h1>Head</h1>" + script + b"<p>Wages rose.</p></body></html>")
    summary = add(pipeline, tmp_path / "a.html")
    assert summary.counts["chunks"] == 1
    assert database.fetch("SELECT text FROM documents") == [("# Head\n\nWages rose.\n",)]


def test_a_large_file_is_replaced_and_becomes_small(database: Database, pipeline: Pipeline, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    large(path)
    add(pipeline, path)
    body = large(path, LARGE + 7, head=b"Another head.\n")
    assert add(pipeline, path).updated == 1
    assert stored(database, path) == body
    assert blocks_of_no_item(database) == 0
    path.write_bytes(b"Small.\n")
    assert add(pipeline, path).updated == 1
    assert stored(database, path) == b"Small.\n"
    assert database.fetch("SELECT count(*) FROM blocks") == [(0,)]
    body = large(path)
    add(pipeline, path)
    assert stored(database, path) == body


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """200 MB are stored by a process that may have 130 MB more than the engine takes to begin with."""
    path = tmp_path / "a.csv"
    with path.open("wb") as file:
        file.write(b"year,district,rate\n")
        for _ in range(200):
            file.write((LINE * 20_000)[: 1 << 20])
    program = textwrap.dedent(
        f"""
        import resource, sys
        from pathlib import Path
        sys.path.insert(0, {os.fspath(Path(__file__).parents[2])!r})
        from tests.local_worker import LocalWorker
        from kgfs.config import Config
        from kgfs.pipeline.pipeline import Pipeline
        from kgfs.pipeline.request import AddRequest
        from kgfs.store.catalog.database import Database
        base = Path({os.fspath(tmp_path)!r})
        with Database.open(base / "store", create=True) as database:
            pipeline = Pipeline(database, LocalWorker(base / "index"), Config())
            (base / "small.txt").write_text("Small.")
            pipeline.add(AddRequest(paths=[base / "small.txt"], extractor="none"))
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            assert pipeline.add(AddRequest(paths=[base / "a.csv"], extractor="none")).added == 1
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 130 * 1024


def test_a_run_that_is_stopped_in_a_large_file_leaves_nothing_of_it(
    database: Database, worker: LocalWorker, tmp_path: Path
) -> None:
    large(tmp_path / "a.txt", 40 << 20)
    stop = threading.Event()
    write = database.write
    pipeline = Pipeline(database, worker, Config(), cancel=stop)

    def stopping(work: Callable[..., Any]) -> Any:
        answer = write(work)
        if database.fetch("SELECT count(*) FROM blocks") != [(0,)]:
            stop.set()
        return answer

    database.write = stopping  # type: ignore[method-assign]
    with pytest.raises(Cancelled):
        add(pipeline, tmp_path / "a.txt")
    assert database.fetch("SELECT (SELECT count(*) FROM blocks), (SELECT count(*) FROM context_items)") == [(0, 0)]
    database.write = write  # type: ignore[method-assign]
    stop.clear()
    assert add(pipeline, tmp_path / "a.txt").added == 1


def test_blocks_that_a_kill_left_are_swept_away(database: Database, pipeline: Pipeline, tmp_path: Path) -> None:
    from kgfs.store.files import staging

    database.write(lambda cursor: staging.put_blocks(cursor, staging.begin_staging(cursor), 0, [b"x" * 100]))
    staging._under_way.clear()  # it was another process
    assert blocks_of_no_item(database) == 1
    large(tmp_path / "a.txt")
    add(pipeline, tmp_path / "a.txt")
    assert blocks_of_no_item(database) == 0


@given(st.lists(st.binary(max_size=9) | st.text(max_size=6).map(str.encode), max_size=6))
def test_a_body_in_blocks_is_told_apart_as_a_whole(blocks: list[bytes]) -> None:
    body = b"".join(blocks)
    digest = BodyDigest()
    for block in blocks:
        digest.update(block)
    assert (digest.size, digest.hash()) == (len(body), items.hash_body(body))
    assert digest.is_textual() == (items.text_of(body) is not None)


# --- files that do not keep still ----------------------------------------------------------------------------------


@pytest.fixture
def restless(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[int], None]], None]]:
    """Has something done each time that a part of a file was read, told how many parts were."""
    part = OpenFile.part
    count = 0
    turns = threading.Lock()

    def watch(disturb: Callable[[int], None]) -> None:
        def disturbed(self: OpenFile, offset: int, length: int) -> bytes:
            nonlocal count
            data = part(self, offset, length)
            with turns:  # two files are read at once
                count += 1
                disturb(count)
            return data

        monkeypatch.setattr(OpenFile, "part", disturbed)

    yield watch


@pytest.mark.parametrize("size", [100, LARGE])
def test_a_file_that_changes_once_is_read_again(
    database: Database, pipeline: Pipeline, tmp_path: Path, restless: Any, size: int
) -> None:
    path = tmp_path / "a.txt"
    large(path, size)
    bodies = []
    restless(lambda count: bodies.append(large(path, size + 3, head=b"New.\n")) if count == 1 else None)
    summary = add(pipeline, path)
    assert (summary.added, summary.failed) == (1, [])
    assert stored(database, path) == bodies[0]
    assert blocks_of_no_item(database) == 0


@pytest.mark.parametrize("size", [100, LARGE])
def test_a_file_that_never_keeps_still_is_stored_and_reported(
    database: Database, pipeline: Pipeline, tmp_path: Path, restless: Any, size: int
) -> None:
    path = tmp_path / "a.txt"
    large(path, size)
    restless(lambda count: os.utime(path, ns=(count, count)))
    summary = add(pipeline, path)
    assert [failure.error for failure in summary.failed] == [
        "It changed while it was read; what was read last is stored, and `kgfs refresh` reads it again."
    ]
    assert summary.added == 1
    assert len(stored(database, path)) == size
    assert add(pipeline, path).skipped == {"unchanged": 1} or database.fetch("SELECT count(*) FROM documents") == [(1,)]


@pytest.mark.parametrize("size", [100, LARGE])
def test_a_file_that_shrinks_or_vanishes_while_it_is_read(
    database: Database, pipeline: Pipeline, tmp_path: Path, restless: Any, size: int
) -> None:
    path = tmp_path / "a.txt"
    large(path, size)
    large(tmp_path / "b.txt", 50)

    def cut(count: int) -> None:
        if count == 1:
            os.truncate(path, 7)
        if count == 2:
            path.unlink(missing_ok=True)

    restless(cut)
    summary = add(pipeline, tmp_path)
    assert summary.added == 2
    assert stored(database, path) == LINE[:7]
    assert blocks_of_no_item(database) == 0


@pytest.mark.parametrize("known", [False, True])
def test_files_that_go_before_they_are_read(
    database: Database, pipeline: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    """As when a folder is unmounted: each is reported in one line, and what is stored stays."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(20):
        large(folder / f"{number}.txt", 60, head=b"%d" % number)
    if known:
        add(pipeline, folder)
        for number in range(20):
            large(folder / f"{number}.txt", 70, head=b"%d" % number)
    init = OpenFile.__init__

    def gone(self: OpenFile, path: Path, within: Path | None = None) -> None:
        if path.name != "0.txt":
            raise OSError(107, "Transport endpoint is not connected")
        init(self, path, within)

    monkeypatch.setattr(OpenFile, "__init__", gone)
    summary = add(pipeline, folder)
    assert {failure.error for failure in summary.failed} == {"Transport endpoint is not connected; it was left out."}
    assert len(summary.failed) == 19
    assert (summary.added, summary.updated) == ((0, 1) if known else (1, 0))
    assert database.fetch("SELECT count(*) FROM context_items") == [(20 if known else 1,)]


def test_what_is_no_file_any_more_blocks_nobody(
    database: Database, pipeline: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("Words.\n")
    beneath = chosen_files.files_beneath

    def swapping(*arguments: Any) -> Any:
        found = beneath(*arguments)
        (tmp_path / "a.txt").unlink()
        os.mkfifo(tmp_path / "a.txt")
        return found

    monkeypatch.setattr(chosen_files, "files_beneath", swapping)
    summary = add(pipeline, tmp_path)
    assert [failure.error for failure in summary.failed] == ["It is no regular file any more; it was left out."]


def test_a_file_beyond_the_limit_is_reported(
    database: Database, pipeline: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(original, "MAX_FILE_BYTES", 1 << 30)
    with (tmp_path / "a.bin").open("wb") as file:
        file.truncate((1 << 30) + 1)
    summary = add(pipeline, tmp_path)
    assert [failure.error for failure in summary.failed] == ["It is larger than 1 GiB; it was left out."]


def test_no_descriptor_is_left_open(pipeline: Pipeline, tmp_path: Path) -> None:
    for number in range(30):
        large(tmp_path / f"{number}.txt", 60)
    add(pipeline, tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    for number in range(30):
        large(tmp_path / f"{number}.txt", 61)
    add(pipeline, tmp_path)
    assert len(os.listdir("/proc/self/fd")) <= before + 2
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > before
