"""The job thread: one at a time, in turn, cancelled by its caller or by the end of the process."""

from __future__ import annotations

import threading
import time
import weakref
from pathlib import Path
from typing import Any

import pytest

from kgfs.errors import Cancelled, KgfsError, NotFoundError
from kgfs.progress import Cancel, Never, Progress
from kgfs.service.health import state
from kgfs.service.jobs import Job, Jobs
from kgfs.service.service import Service


def in_background(function: Any) -> tuple[threading.Thread, list[Any]]:
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(function())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, outcome


def until_cancelled(progress: Progress, cancel: Cancel) -> None:
    progress({"stage": "read", "done": 0, "total": 1})
    while not cancel.is_set():
        time.sleep(0.01)
    raise Cancelled("Stopped.")


def wait_for_state(jobs: Jobs, state: str, count: int = 1) -> None:
    for _ in range(500):
        if sum(job.state == state for job in jobs.known()) >= count:
            return
        time.sleep(0.01)
    raise AssertionError([job.state for job in jobs.known()])


def test_the_result_and_the_progress_come_back_on_the_callers_thread() -> None:
    jobs = Jobs()
    seen: list[tuple[dict[str, Any], str]] = []

    def work(progress: Progress, cancel: Cancel) -> str:
        for number in range(100):
            progress({"stage": "read", "done": number})
        return threading.current_thread().name

    where = jobs.run("add", "a", work, lambda news: seen.append((news, threading.current_thread().name)))
    assert where == "jobs"
    assert [news["done"] for news, _ in seen] == list(range(100))
    assert {thread for _, thread in seen} == {threading.main_thread().name}
    assert jobs.known()[0].state == "done"
    jobs.close()


def test_an_error_is_raised_where_it_was_asked() -> None:
    changes: list[str] = []
    jobs = Jobs(lambda job: changes.append(job.state))

    def work(progress: Progress, cancel: Cancel) -> None:
        raise NotFoundError("x: no such file.")

    with pytest.raises(NotFoundError):
        jobs.run("add", "a", work)
    assert jobs.run("add", "b", lambda progress, cancel: 7) == 7
    jobs.close()
    assert [job.state for job in jobs.known()] == ["failed", "done"]
    assert changes == ["running", "failed", "running", "done"]


def test_jobs_never_run_together_and_keep_their_turn() -> None:
    jobs = Jobs()
    running: list[int] = []
    order: list[int] = []

    def work(number: int) -> Any:
        def one(progress: Progress, cancel: Cancel) -> None:
            running.append(number)
            assert len(running) == 1
            time.sleep(0.01)
            order.append(number)
            running.remove(number)

        return one

    threads = []
    for number in range(10):
        threads.append(in_background(lambda number=number: jobs.run("add", str(number), work(number))))
        time.sleep(0.005)
    for thread, outcome in threads:
        thread.join()
        assert outcome == [None]
    assert order == sorted(order)
    jobs.close()


def test_who_waits_is_told_and_may_leave() -> None:
    jobs = Jobs()
    first_cancel, second_cancel = threading.Event(), threading.Event()
    first, first_outcome = in_background(lambda: jobs.run("add", "add one", until_cancelled, None, first_cancel))
    wait_for_state(jobs, "running")
    told: list[dict[str, Any]] = []
    second, second_outcome = in_background(
        lambda: jobs.run("add", "add two", until_cancelled, told.append, second_cancel)
    )
    for _ in range(200):
        if told:
            break
        time.sleep(0.01)
    assert told == [{"stage": "waiting", "message": "waiting for `add one` to end"}]
    second_cancel.set()
    second.join()
    assert isinstance(second_outcome[0], Cancelled)
    assert first.is_alive()
    first_cancel.set()
    first.join()
    assert isinstance(first_outcome[0], Cancelled)
    assert jobs.run("add", "three", lambda progress, cancel: "in turn") == "in turn"
    jobs.close()


def test_closing_cancels_what_runs_and_drops_what_waits() -> None:
    jobs = Jobs()
    outcomes = [in_background(lambda: jobs.run("add", "a", until_cancelled)) for _ in range(3)]
    wait_for_state(jobs, "running")
    wait_for_state(jobs, "waiting", 2)
    jobs.close()
    for thread, outcome in outcomes:
        thread.join(5)
        assert isinstance(outcome[0], Cancelled)
    with pytest.raises(KgfsError, match="being closed"):
        jobs.run("add", "late", lambda progress, cancel: None)


def test_what_runs_in_the_background_is_known_and_its_error_kept() -> None:
    jobs = Jobs()

    def work(progress: Progress, cancel: Cancel) -> None:
        raise KgfsError("It failed; try again.")

    job = jobs.start("add", "a", work)
    wait_for_state(jobs, "failed")
    assert job.error == "It failed; try again."
    assert job.started_at and job.ended_at and job.started_at <= job.ended_at
    assert not jobs.busy
    jobs.close()


@pytest.mark.parametrize("heard", [False, True])
def test_progress_that_nobody_reads_is_not_kept(heard: bool) -> None:
    """Of a job in the background, and of one whose caller wants no progress: a long one would hold all it ever said."""
    jobs = Jobs()
    alive: list[weakref.ref[Any]] = []

    class News(dict[str, Any]):
        """A report that can be asked whether it is still there."""

    def work(progress: Progress, cancel: Cancel) -> int:
        for number in range(500):
            news = News(stage="read", done=number)
            alive.append(weakref.ref(news))
            progress(news)
        del news
        return sum(each() is not None for each in alive)

    if heard:
        left = jobs.run("add", "a", work)
    else:
        ended = threading.Event()
        outcome: list[int] = []

        def in_the_end(progress: Progress, cancel: Cancel) -> None:
            outcome.append(work(progress, cancel))
            ended.set()

        jobs.start("add", "a", in_the_end)
        assert ended.wait(60)
        (left,) = outcome
    assert left <= 1, "the last one is the job's"
    assert jobs.known()[0].progress["done"] == 499
    jobs.close()


def test_old_jobs_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgfs.service.jobs.KEPT", 5)
    jobs = Jobs()
    for number in range(20):
        jobs.run("add", str(number), lambda progress, cancel: None)
    assert [job.title for job in jobs.known()] == ["15", "16", "17", "18", "19"]
    jobs.close()


def test_closing_an_idle_thread() -> None:
    Jobs().close()
    assert not Never().is_set()
    assert Job(id="1", command="add", title="a").state == "waiting"


def test_of_what_runs_often_one_is_remembered() -> None:
    jobs = Jobs()
    jobs.run("add", "a", lambda progress, cancel: None)

    def fail(progress: Progress, cancel: Cancel) -> None:
        raise KgfsError("No.")

    for work in (lambda progress, cancel: None, fail, lambda progress, cancel: None):
        jobs.start("index", "b", work, often=True)
        wait_for_state(jobs, "done", 1)
        while jobs.busy:
            time.sleep(0.01)
    jobs.close()
    assert [(job.command, job.state) for job in jobs.known()] == [
        ("add", "done"),
        ("index", "failed"),
        ("index", "done"),
    ]


def test_who_mounts_a_store_sees_what_commands_did_before(tmp_path: Path) -> None:
    cost = {"usd": 0.25, "stages": {"extract": {"requests": 2}}, "documents": {"disk:/a.md": {"usd": 0.25}}}

    def work(progress: Progress, cancel: Cancel) -> None:
        progress({"stage": "extract", "done": 1, "total": 1, "cost": cost})

    def failing(progress: Progress, cancel: Cancel) -> None:
        raise KgfsError("It failed; try again.")

    with Service.open(tmp_path, create=True) as command:
        command.jobs.run("add", "kgfs add a", work)
        with pytest.raises(KgfsError):
            command.jobs.run("add", "kgfs add b", failing)
        did = list(command.status_cache.jobs().values())
        began = Job(id="20200101T000000-a", command="rm", title="kgfs rm of 1", state="running")
        began.started_at = "2020-01-01T00:00:00.000Z"
        state.note_job(command.database, began)
    with Service.open(tmp_path) as daemon:
        assert daemon.status_cache.jobs() == {}
        daemon.daemon = True
        killed, *ended = daemon.status_cache.jobs().values()
        assert ended == did and [job["state"] for job in did] == ["done", "failed"] and did[0]["cost"] == cost
        assert killed["state"] == "failed" and "kgfs wait" in killed["error"]
        daemon.jobs.run("rm", "kgfs rm of 2", work)
        assert [job["title"] for job in daemon.status_cache.jobs().values()][-3:] == [
            "kgfs add a",
            "kgfs add b",
            "kgfs rm of 2",
        ]
        assert not daemon.jobs.busy and daemon.status_cache.status()["jobs"] == []
