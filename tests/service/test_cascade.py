"""The cascade: when it starts, how often, and what a service does with what was written."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.drives.gate import Mutation
from kgfs.errors import KgfsError
from kgfs.progress import Never
from kgfs.service.health import state
from kgfs.service.service import Service
from kgfs.service.writing import cascade
from kgfs.service.writing.cascade import Cascade
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import take_ids
from kgfs.store.files import drive_moves, drive_rows
from kgfs.store.files.drive_rows import NewAttributes
from tests.waiting import until


class Job:
    def __init__(self) -> None:
        self.ended_at: str | None = None
        self.error: str | None = None


class Began:
    """What a service would do; each job lasts until it is ended."""

    def __init__(self) -> None:
        self.jobs: list[tuple[bool, Job]] = []
        self.times: list[float] = []
        self.reads: list[float] = []
        self.gives_way = True
        self.lasts = False
        self.fails = ""
        self.behind = False
        self.noticed = 0

    def index_texts(self, cancel: threading.Event) -> bool:
        ours = self.gives_way
        if ours:
            self.reads.append(time.monotonic())
        else:
            cancel.wait(0.01)
        return ours

    def begin(self, *, topics: bool) -> Job | None:
        job = Job()
        self.jobs.append((topics, job))
        self.times.append(time.monotonic())
        job.error = self.fails or None
        if not self.lasts:
            job.ended_at = "now"
        if topics:
            self.behind = False
        return job

    def removals_wait(self) -> bool:
        return False

    def topics_wait(self) -> bool:
        return self.behind

    def notice(self) -> None:
        self.noticed += 1


@pytest.fixture
def began() -> Began:
    return Began()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the times."""
    for name in (
        "TEXT_SECONDS", "TEXT_LATEST_SECONDS", "QUIET_SECONDS", "LATEST_SECONDS", "TOPICS_SECONDS",
        "TOPICS_LATEST_SECONDS", "AGAIN_SECONDS",
    ):  # fmt: skip
        monkeypatch.setattr(cascade, name, getattr(cascade, name) / 10)


@pytest.fixture
def one(began: Began, quick: None) -> Iterator[Cascade]:
    made = Cascade(began)
    made.enabled = True
    yield made
    made.close()


def test_texts_soon_and_one_job_after_it_was_quiet(one: Cascade, began: Began) -> None:
    first = time.monotonic()
    for _ in range(5):
        one.poke()
        last = time.monotonic()
        time.sleep(0.005)
    until(lambda: bool(began.jobs))
    assert began.reads and began.reads[-1] < began.times[0]
    assert began.reads[0] - first >= 0.015 and began.times[0] - last >= 0.1
    assert [topics for topics, _ in began.jobs] == [False]
    assert began.noticed > 0
    read = len(began.reads)
    time.sleep(0.2)
    assert len(began.jobs) == 1 and len(began.reads) == read and not one.pending


def test_neither_is_put_off_for_ever(one: Cascade, began: Began, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cascade, "TEXT_SECONDS", 1000.0)
    monkeypatch.setattr(cascade, "QUIET_SECONDS", 1000.0)
    first = time.monotonic()
    while not began.jobs:
        one.poke()
        assert time.monotonic() - first < 20
        time.sleep(0.01)
    assert began.reads[0] - first >= 0.05 and began.times[0] - first >= 0.5


def test_a_tree_that_is_copied_is_left_in_peace(one: Cascade, began: Began, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cascade, "TEXT_SECONDS", 1000.0)
    first = time.monotonic()
    for _ in range(cascade.FEW + 1):
        one.poke()
    until(lambda: bool(began.reads))
    assert began.reads[0] - first >= cascade.LATEST_SECONDS


def test_texts_come_while_a_job_runs_when_it_gives_way(one: Cascade, began: Began) -> None:
    began.lasts = True
    one.poke()
    until(lambda: len(began.jobs) == 1)
    read, began.gives_way = len(began.reads), False
    one.poke()
    time.sleep(0.1)
    assert len(began.reads) == read
    began.gives_way = True
    until(lambda: len(began.reads) == read + 1)
    assert len(began.jobs) == 1
    began.jobs[0][1].ended_at = "now"
    until(lambda: len(began.jobs) == 2)
    began.jobs[1][1].ended_at = "now"


def test_what_comes_during_a_job_is_another(one: Cascade, began: Began) -> None:
    began.lasts = True
    one.poke()
    until(lambda: len(began.jobs) == 1)
    one.poke()
    time.sleep(0.3)
    assert len(began.jobs) == 1
    began.lasts = False
    began.jobs[0][1].ended_at = "now"
    until(lambda: len(began.jobs) == 2)


def test_topics_wait_for_a_longer_quiet(one: Cascade, began: Began) -> None:
    began.behind = True
    one.poke()
    until(lambda: len(began.jobs) == 1)
    until(lambda: len(began.jobs) == 2)
    assert [topics for topics, _ in began.jobs] == [False, True]
    assert began.times[1] - began.times[0] >= 0.9
    time.sleep(0.3)
    assert len(began.jobs) == 2


def test_a_job_that_failed_is_tried_again(one: Cascade, began: Began, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cascade, "AGAIN_SECONDS", 0.2)
    began.fails = "No worker."
    one.poke()
    until(lambda: len(began.jobs) == 1)
    began.fails = ""
    until(lambda: len(began.jobs) == 2)
    assert began.times[1] - began.times[0] >= 0.2


def test_a_service_that_cannot_begin(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cascade, "AGAIN_SECONDS", 0.2)
    asked: list[bool] = []

    class Closing(Began):
        def index_texts(self, cancel: threading.Event) -> bool:
            raise KgfsError("The store is being closed.")

        def begin(self, *, topics: bool) -> Job:
            asked.append(topics)
            raise KgfsError("The store is being closed.")

    one = Cascade(Closing())
    one.enabled = True
    one.poke()
    until(lambda: asked == [False])
    until(lambda: asked == [False, True])  # again, some time later
    one.close()


def test_where_nobody_stays_nothing_starts(began: Began, quick: None) -> None:
    one = Cascade(began)
    one.poke()
    assert one.changes == 1 and not one.pending and one._thread is None
    one.close()


def test_pokes_are_cheap(one: Cascade) -> None:
    started = time.process_time()
    for _ in range(20_000):
        one.poke()
    assert time.process_time() - started < 2


# --- a service -----------------------------------------------------------------------------------------------------


def write(service: Service, path: str, text: str) -> None:
    """A file of the drive ``agent``, through the gate."""

    def work(cursor: Cursor) -> None:
        drive_rows.create_file(cursor, take_ids(cursor, "item", 1)[0], "agent", path, text.encode(), NewAttributes())

    service.gate.commit(Mutation(operation="write", refs=(f"agent:{path}",)), work)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "config.json").write_text('{"extractor": "none"}')
    with Service.open(tmp_path / "store", create=True) as opened:
        yield opened


def test_complete_is_taken_back_before_a_writer_has_its_answer(service: Service) -> None:
    """Nobody follows up here, so what is seen after a write is what was said with it."""
    namespace, status_cache = service.namespace, service.status_cache

    def complete() -> bool:
        body = namespace.load(namespace.resolve("@status/status.json"))
        return bool(json.loads(body.read(0, body.size))["complete"])

    assert status_cache.status()["complete"] and complete()
    before = status_cache.moment
    write(service, "/a.md", "Ferries leave at noon.\n")
    assert not status_cache.status()["complete"] and not complete()
    status_cache.update(before, complete=True)  # by somebody who read the rows before that
    assert not status_cache.status()["complete"]
    service.publication.refresh()
    assert not status_cache.status()["complete"] and status_cache.status()["waiting"]["files"] == 1
    write(service, "/.hidden", "no knowledge")
    write(service, "/b.md", "Barges do not.\n")
    service.gate.commit(
        Mutation(operation="remove", refs=("agent:/",)),
        lambda cursor: drive_rows.remove_items(cursor, _all(cursor)),
    )
    service.publication.refresh()
    assert not status_cache.status()["complete"] and status_cache.status()["waiting"]["removed"] == 2


def _all(cursor: Cursor) -> list[int]:
    return [row[0] for row in cursor.execute("SELECT id FROM context_items").fetchall()]


def test_what_waits_is_told_and_settled(service: Service) -> None:
    write(service, "/a.md", "# Harbour\n\nFerries leave at noon.\n")
    write(service, "/.hidden", "no knowledge")
    assert service.cascade.changes == 2 and not service.cascade.pending
    told = service.report.status(brief=True)
    assert told["waiting"] == {"files": 1, "removed": 0, "texts": 1, "documents": 1, "vectors": 0, "topics": 0}
    assert told["index"]["keyword"] == {"done": 0, "total": 1}
    assert service.publication.unfinished
    left = service.settle(lambda progress: None, Never())["waiting"]
    assert not any(left.values())
    assert [job.command for job in service.jobs.known()] == ["index"]
    assert service.settle(lambda progress: None, Never()) == {"waiting": left}
    assert len(service.jobs.known()) == 1
    found = service.searching.search("ferries", kind="keyword")["results"]
    assert any("Ferries" in one["snippet"] for one in found)
    assert service.wait(0.0, lambda progress: None, Never())["waiting"] == left

    one = service.database.fetch("SELECT id FROM context_items WHERE path = '/a.md'")[0][0]
    move = Mutation(operation="move", refs=("agent:/a.md",))
    service.gate.commit(move, lambda cursor: drive_moves.move_file(cursor, one, "agent", "/a.md", "agent", "/b.md", 0))
    assert service.publication.unfinished  # a title may come from a name
    assert not state.unindexed(service.database)  # and what it says is found
    again = Mutation(operation="write", refs=("agent:/b.md",))
    body = b"Barges leave at noon.\n"
    service.gate.commit(
        again, lambda cursor: drive_rows.overwrite_file(cursor, one, "/b.md", body, NewAttributes(), keep_version=True)
    )
    assert state.unindexed(service.database) == {one}


def test_why_what_waits_is_not_done_is_an_error(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(indexing: object) -> None:
        raise KgfsError("There is no worker.")

    write(service, "/a.md", "Ferries leave at noon.\n")
    assert service.report.status()["errors"] == []
    monkeypatch.setattr(type(service._indexing), "reconcile", fails)
    with pytest.raises(KgfsError):
        service.settle(lambda progress: None, Never())
    (told,) = service.report.status()["errors"]
    assert told["error"] == "index what was written: There is no worker."
    monkeypatch.undo()
    service.settle(lambda progress: None, Never())
    assert service.report.status()["errors"] == []


@pytest.mark.model
def test_a_daemon_indexes_by_itself(service: Service) -> None:
    service.daemon = True
    service.namespace  # noqa: B018  # somebody looks
    service.worker.warm()
    write(service, "/a.md", "# Harbour\n\nFerries leave at noon.\n")
    assert service.status_cache.status()["complete"] is False
    until(lambda: bool(service.searching.search("ferries", kind="keyword")["results"]), 60)
    until(lambda: service.status_cache.status()["complete"], 60)  # nobody asks for it: `wait` would start a job
    assert state.waiting(service.database)["vectors"] == 0
    assert "index" in [job.command for job in service.jobs.known()]


def test_what_a_kill_left_is_gone_on_with(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    write(service, "/a.md", "Ferries leave at noon.\n")
    monkeypatch.setattr(type(service.worker), "warm", lambda self: None)
    service.daemon = True
    service.warm()
    until(lambda: not any(state.waiting(service.database).values()), 60)
    until(lambda: not service.jobs.busy)
    assert [job.command for job in service.jobs.known()] == ["resume"]
    service.database.write(lambda cursor: drive_rows.remove_items(cursor, _all(cursor)))
    assert service.publication.unfinished
    service.warm()
    until(lambda: not service.publication.unfinished, 60)
    assert service.database.fetch("SELECT count(*) FROM documents") == [(0,)]
