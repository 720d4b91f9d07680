"""The worker process: started, killed, flooded, starved and left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from kgfs.config import WORKER_LOG, Config
from kgfs.errors import DeadlineExceeded, ModelError, ModelLoading, UsageError, WorkerError
from kgfs.index_records import IndexRow
from kgfs.model import Gazetteer
from kgfs.models import process
from kgfs.models.client import Worker
from kgfs.models.process import WorkerProcess
from tests.indexed_graph import vectors_of

pytestmark = pytest.mark.usefixtures("new_pythons")


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def eventually(condition: Callable[[], bool], seconds: float = 15.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def row(number: int, text: str = "a wing in a slipstream") -> IndexRow:
    return IndexRow(id=number, document_id=1, gen=1, title="", text=text)


def test_nothing_runs_before_the_first_call(new_worker: Worker) -> None:
    assert new_worker.pid is None
    assert new_worker.status().model == "idle"
    assert new_worker.pid is not None


def test_close_ends_the_process(tmp_path: Path) -> None:
    worker = Worker(tmp_path, Config())
    worker.status()
    pid = worker.pid
    assert pid is not None
    worker.close()
    assert gone(pid)
    with pytest.raises(WorkerError):
        worker.status()
    worker.close()


def test_killed_between_calls_it_is_started_again(new_worker: Worker) -> None:
    new_worker.index_texts("chunk", [row(1)])
    pid = new_worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: new_worker.pid is None)
    assert new_worker.keyword(["chunk"], "slipstream", 5)["chunk"].ids == [1]
    assert new_worker.pid not in (None, pid)


@pytest.mark.parametrize("calls", [("status",), ("warm",), ("status", "warm")])
def test_close_ends_a_process_that_cannot_leave(tmp_path: Path, calls: tuple[str, ...]) -> None:
    """As one that imports a library, and looks at its socket only seconds later."""
    worker = Worker(tmp_path, Config())
    for call in calls:
        getattr(worker, call)()
    pid = worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    worker.close()
    assert gone(pid)


def test_killed_in_a_call_all_pending_calls_fail_and_the_next_works(new_worker: Worker) -> None:
    new_worker.status()
    pid = new_worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # so that no call is answered before the kill
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(new_worker.index_texts, "chunk", [row(number)]) for number in range(8)]
        time.sleep(0.3)
        os.kill(pid, signal.SIGKILL)
        for call in calls:
            with pytest.raises(WorkerError, match="SIGKILL"):
                call.result(20)
    assert new_worker.status().model == "idle"


def test_a_search_does_not_see_that_the_worker_died(new_worker: Worker) -> None:
    new_worker.index_texts("chunk", [row(1)])
    pid = new_worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(new_worker.keyword, ["chunk"], "slipstream", 5)
        time.sleep(0.2)
        os.kill(pid, signal.SIGKILL)
        assert call.result(20)["chunk"].ids == [1]


def test_it_is_not_started_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process.interpreter, "PYTHON", "/bin/false")
    worker = WorkerProcess(tmp_path, Config(), tmp_path / WORKER_LOG)
    started = time.monotonic()
    messages = set()
    for _ in range(12):
        with pytest.raises(WorkerError) as raised:
            worker.call("status", {}, object, 5)
        messages.add(raised.value.message.partition(";")[0])
    assert any("died 4 times" in message for message in messages), messages
    assert time.monotonic() - started < 20
    worker.close()


def test_a_program_that_cannot_be_started_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process.interpreter, "PYTHON", str(tmp_path / "no-python"))
    worker = WorkerProcess(tmp_path, Config(), tmp_path / WORKER_LOG)
    with pytest.raises(WorkerError, match="cannot be started"):
        worker.call("status", {}, object, 5)
    worker.close()


PARENT = """
import os, sys, time
from pathlib import Path
from kgfs.config import WORKER_LOG, Config
from kgfs.models.client import Worker
worker = Worker(Path(sys.argv[1]), Config())
worker.status()
if sys.argv[2] == "busy":
    worker.warm()
print(worker.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("state", ["idle", "busy"])
def test_the_child_ends_when_the_parent_is_killed(tmp_path: Path, state: str) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path), state], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout as output:
        pid = int(output.readline())
        assert not gone(pid)
        parent.kill()
        parent.wait()
    assert eventually(lambda: gone(pid))


def test_libraries_print_into_the_log_only(tmp_path: Path) -> None:
    code = PARENT.replace("time.sleep(60)", "worker.embed(['a']); worker.close()")
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), "busy"], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stderr == ""
    assert done.stdout.strip().isdigit()
    assert "ERROR" not in (tmp_path / WORKER_LOG).read_text()


def test_many_calls_at_once_get_their_own_answers(worker: Worker) -> None:
    rows = [row(number, f"unique{number} word") for number in range(1000, 1100)]
    worker.index_texts("chunk", rows)

    def ask(number: int) -> bool:
        return worker.keyword(["chunk"], f"unique{number}", 3)["chunk"].ids == [number]

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(ask, range(1000, 1100)))
    worker.unindex("chunk", list(range(1000, 1100)))
    assert worker.keyword(["chunk"], "unique1000", 3)["chunk"].ids == []


@pytest.mark.model
def test_queries_do_not_wait_for_indexing(worker: Worker) -> None:
    rows = [row(number, "several words that say little " * 30 + str(number)) for number in range(2000, 2096)]
    busy = threading.Thread(target=worker.index_vectors, args=("chunk", rows))
    busy.start()
    slowest = 0.0
    while busy.is_alive():
        started = time.monotonic()
        worker.keyword(["chunk"], "wages in Boston", 10)
        slowest = max(slowest, time.monotonic() - started)
        time.sleep(0.05)
    busy.join()
    worker.unindex("chunk", [one.id for one in rows])
    assert slowest < 1.5


def test_a_call_that_takes_too_long_ends_at_its_time(new_worker: Worker) -> None:
    new_worker.status()
    pid = new_worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(DeadlineExceeded):
            new_worker._process.call("status", {}, object, 0.2)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert new_worker.status().model == "idle"  # the late answer was nobody's and is dropped


def test_what_the_worker_does_not_know_is_refused(worker: Worker) -> None:
    def call(name: str, arguments: dict[str, Any], result: Any, seconds: float) -> None:
        encoded = {key: msgspec.Raw(msgspec.msgpack.encode(value)) for key, value in arguments.items()}
        worker._process.call(name, encoded, result, seconds)

    with pytest.raises(UsageError, match="no call"):
        call("__init__", {}, object, 5)
    with pytest.raises(UsageError, match="takes"):
        call("keyword", {"kinds": ["chunk"]}, object, 5)
    with pytest.raises(UsageError, match="argument"):
        call("unindex", {"kind": "chunk", "ids": "all"}, object, 5)
    with pytest.raises(UsageError, match="no kind"):
        worker.index_texts("rumour", [row(1)])
    with pytest.raises(UsageError, match="no kind"):
        worker.keyword(["chunk'; DROP"], "x", 1)


def test_parse_and_extract_cross_the_socket(worker: Worker) -> None:
    data = b"---\ntype: company\ntitle: Fitbit\n---\n# Fitbit\n\nGoogle acquired Fitbit in 2021.\n"
    document = worker.parse("/notes/\udcff.md", data, "\udcff.md", 1_600_000_000_000_000_000)
    assert document.title == "Fitbit"
    assert "".join(chunk.text for chunk in document.chunks) == document.text
    found = worker.extract(document, Gazetteer())
    assert found.entities
    assert worker.extract_several([document, document], Gazetteer()) == [found, found]


def test_a_large_file_crosses(worker: Worker) -> None:
    document = worker.parse("/big.txt", b"word " * 6_000_000, "big.txt", 0)
    assert document.text is not None
    assert len(document.text) == 30_000_000


@pytest.mark.model
def test_vectors_are_normalised_and_near_what_they_mean(worker: Worker) -> None:
    vectors = vectors_of(worker, ["pay of workers", "wages of employees", "a wing in a wind tunnel", ""])
    assert vectors.shape == (4, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert vectors[0] @ vectors[1] > 0.6 > 0.3 > vectors[0] @ vectors[2]
    assert worker.embed([]) == b""
    status = worker.status()
    assert (status.model, status.dimension) == ("ready", 384)
    assert status.model_id.startswith("packaged:all-MiniLM-L6-v2#")


@pytest.mark.model
def test_a_text_is_embedded_once(new_worker: Worker) -> None:
    """Rows of equal texts have equal vectors, in one batch and in later ones."""
    new_worker.index_vectors("chunk", [row(1), row(2), row(3, "corn prices fell")])
    new_worker.index_vectors("chunk", [row(4), row(5, "a shock wave")])
    found = new_worker.nearest(["chunk"], "wing in a slipstream", 10, wait=60.0)["chunk"]
    assert found.ids[:3] == [1, 2, 4]
    assert len(set(found.scores[:3])) == 1
    assert set(found.ids) == {1, 2, 3, 4, 5}


def test_the_order_of_a_batch_does_not_matter(worker: Worker) -> None:
    texts = ["short", "a longer text " * 50, "middle " * 10]
    assert np.allclose(vectors_of(worker, texts)[::-1], vectors_of(worker, texts[::-1]), atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "says"),
    [
        (Config(embedding_model="packaged:other"), "no packaged model"),
        (Config(embedding_model="/no/such/model"), "no model directory"),
        (Config(embedding_model="nobody/nothing-at-all"), "cannot be loaded"),
        (Config(embedding_dimension=512), "kgfs config embedding_dimension 384"),
    ],
    ids=["packaged", "path", "id", "dimension"],
)
@pytest.mark.model
def test_a_model_that_cannot_be_used_says_what_to_do(tmp_path: Path, config: Config, says: str) -> None:
    with Worker(tmp_path, config) as worker:
        worker.index_texts("chunk", [row(1)])
        with pytest.raises(ModelError, match=says) as raised:
            worker.index_vectors("chunk", [row(1)])
        assert "kgfs config" in raised.value.message
        assert worker.status().model == "failed"
        assert says in worker.status().error
        with pytest.raises(ModelError):
            worker.nearest(["chunk"], "x", 5)
        assert worker.keyword(["chunk"], "slipstream", 5)["chunk"].ids == [1]


@pytest.mark.model
def test_keyword_answers_while_the_model_loads(new_worker: Worker) -> None:
    new_worker.index_texts("chunk", [row(1)])
    new_worker.warm()
    assert new_worker.status().model == "loading"
    started = time.monotonic()
    with pytest.raises(ModelLoading):
        new_worker.nearest(["chunk"], "x", 5, wait=0.2)
    assert time.monotonic() - started < 3
    assert new_worker.keyword(["chunk"], "slipstream", 5)["chunk"].ids == [1]


@pytest.mark.model
def test_waiting_searches_wait_together_not_in_turn(new_worker: Worker) -> None:
    new_worker.warm()
    started = time.monotonic()

    def ask(number: int) -> str:
        try:
            new_worker.nearest(["chunk"], f"query {number}", 5, wait=0.5)
        except ModelLoading:
            return "loading"
        return "ready"

    with ThreadPoolExecutor(12) as pool:
        assert "loading" in set(pool.map(ask, range(12)))
    assert time.monotonic() - started < 4
