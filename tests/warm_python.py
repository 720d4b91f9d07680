"""A Python for tests that runs the programs of kgfs in processes forked from warm ones (``tests.program_server``).

The processes of a test run share the servers. These start when they are first needed, and end with the last of those
that use them; a fixture of ``tests.conftest`` lets them go.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import suppress
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 120
_ends: list[int] = []
"""Of the pipe that is the servers' standard input: they run while anybody has one."""
_started: list[subprocess.Popen[bytes]] = []


@cache
def directory() -> Path:
    """Where the servers listen, once they do."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", uuid.uuid4().hex)
    place = Path(tempfile.gettempdir(), f"kgfs-tests-{run[:12]}")
    place.mkdir(mode=0o700, exist_ok=True)
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            _ends.append(os.open(place / "pipe", os.O_WRONLY | os.O_NONBLOCK))
        except OSError:  # there is none, or nobody reads it
            _start(place)
    return place


def _start(place: Path) -> None:
    """Start the servers, with a pipe by which others of this run join."""
    for left in place.iterdir():
        if left.name != "lock":
            left.unlink()
    os.mkfifo(place / "pipe", 0o600)
    reader = os.open(place / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    _ends.append(os.open(place / "pipe", os.O_WRONLY))
    # No threads: a fork loses them.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
    command = [sys.executable, "-m", "tests.program_server", str(place)]
    server = subprocess.Popen(command, cwd=ROOT, stdin=reader, env=environment)
    os.close(reader)
    _started.append(server)
    deadline = time.monotonic() + START_SECONDS
    while not (place / "commands").exists():
        assert server.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)


def python() -> str:
    """In the place of ``sys.executable``: starts what the servers run, and all else as Python does."""
    return str(directory() / "python")


def client() -> list[str]:
    """The same as ``[python()]`` without a shell on the way."""
    return [sys.executable, "-I", "-S", str(Path(__file__).with_name("program_client.py")), str(directory())]


def pid_of(started: int) -> int:
    """The process that runs in the place of one that ``python()`` was started as; itself where that is the same."""
    with suppress(OSError):
        return int(os.readlink(directory() / f"of-{started}"))
    return started


def close() -> None:
    """Let the servers go; they end unless another process of this run has them, and with them what they still run."""
    for end in _ends:
        os.close(end)
    _ends.clear()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        for server in _started:
            server.wait(START_SECONDS)
    directory.cache_clear()
