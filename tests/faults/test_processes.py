"""Processes are stopped, run out of descriptors or of memory, or lose the network: what is said, what goes on."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kgfs import mounts
from tests import warm_python
from tests.conftest import Mounting, Program, copy_store, daemon_pid
from tests.faults.conftest import ended
from tests.waiting import until

pytestmark = pytest.mark.mount
DESCRIPTORS = 256


@pytest.fixture
def store(pristine_filled_store: Path, tmp_path: Path) -> Path:
    return copy_store(pristine_filled_store, tmp_path / "store")


def workers(daemon: int) -> list[int]:
    """The workers of a daemon."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
                words = (process / "cmdline").read_bytes()
            except (OSError, IndexError):
                continue
            if parent == daemon and b"--socket" in words:
                found.append(warm_python.pid_of(int(process.name)))
    return found


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_stopped_daemon_is_named(kgfs: Program, store: Path, mount: Mounting) -> None:
    root = mount(store)
    pid = daemon_pid(kgfs, store)
    with stopped(pid):
        done = kgfs("--store", store, "status", status=4)
        assert f"Process {pid}" in done.stderr and f"kill -CONT {pid}" in done.stderr
    assert "kept" in kgfs("--store", store, "cat", "notes/kept.md").stdout
    assert (root / "notes/kept.md").read_text() == "kept\n"


@pytest.mark.long
def test_a_stopped_worker(kgfs: Program, store: Path, mount: Mounting) -> None:
    """Searches say that it takes too long; all else goes on, and is found when the worker does."""
    root = mount(store)
    until(lambda: kgfs("--store", store, "search", "wages", status=None).returncode == 0)
    (worker,) = workers(daemon_pid(kgfs, store))
    with stopped(worker):
        with pytest.raises(TimeoutError):
            (root / "@search/text/wages").read_bytes()
        (root / "notes/new.md").write_text("Bergamot is a fruit.\n")
        assert (root / "notes/new.md").read_text() == "Bergamot is a fruit.\n"
        assert b"Widget 4" in (root / "@grep/Widget 4").read_bytes()
        assert "10 seconds" in (root / "@status/last_error.txt").read_text()
    kgfs("--store", store, "wait")
    assert b"Bergamot" in (root / "@search/text/bergamot").read_bytes()
    # One that never goes on is replaced once somebody kills it.
    os.kill(worker, signal.SIGSTOP)
    os.kill(worker, signal.SIGKILL)
    assert "Bergamot" in kgfs("--store", store, "search", "bergamot").stdout
    assert (root / "@status/errors.jsonl").read_text() == ""


@pytest.mark.slow
def test_few_descriptors(store: Path, tmp_path: Path) -> None:
    """Who holds too many large files open is refused one more, and nobody else notices."""
    root = tmp_path / "kg"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))

    command = [sys.executable, "-m", "kgfs.cli.main", "--store", os.fspath(store)]
    log = (tmp_path / "log").open("w+")
    daemon = subprocess.Popen([*command, "mount", "-f", root], preexec_fn=limit, stdout=log, stderr=log)
    held: list[int] = []
    try:
        until(lambda: mounts.mount_at(root) is not None and (root / "AGENTS.md").exists())
        for number in range(300):  # small files that are open need none
            held.append(os.open(root / f"notes/small{number}.md", os.O_CREAT | os.O_WRONLY))
            os.write(held[-1], b"small\n")
        with pytest.raises(OSError, match="Too many open files"):
            for number in range(300):
                held.append(os.open(root / f"notes/large{number}.bin", os.O_CREAT | os.O_WRONLY))
                body = memoryview(b"large" * (1 << 19))
                while body:
                    body = body[os.write(held[-1], body) :]
        large = number
        assert large > 20
        assert (root / "documents/n3/text.txt").read_text().startswith("# Note 3")
        assert b"Widget 4" in (root / "@grep/Widget 4").read_bytes()
        assert b"documents" in (root / "@sql/SELECT count(*) AS documents FROM documents").read_bytes()
        (root / "@session/one").mkdir()
        (root / "notes/other.md").write_text("other\n")
        done = subprocess.run([*command, "cat", "notes/other.md"], capture_output=True, text=True, check=True)
        assert done.stdout == "other\n"
        while held:
            os.close(held.pop())
        assert (root / "notes/small299.md").read_text() == "small\n"
        assert (root / f"notes/large{large - 1}.bin").stat().st_size == 5 << 19
        assert (root / "@status/errors.jsonl").read_text() == ""
    finally:
        for descriptor in held:
            os.close(descriptor)
        said = ended(daemon, root, log)
    assert daemon.returncode == 0 and "Traceback" not in said, said
