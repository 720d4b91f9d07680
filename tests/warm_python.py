"""A Python for tests that runs the programs of kgfs in processes forked from warm ones (``tests.program_server``).

The servers of this test process start when they are first needed; a fixture of ``tests.conftest`` ends them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 120
_servers: list[tuple[subprocess.Popen[bytes], tempfile.TemporaryDirectory[str]]] = []


@cache
def directory() -> Path:
    """Where the servers listen, once they do."""
    place = tempfile.TemporaryDirectory(prefix="kgfs-tests-")
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.program_server", place.name]
    server = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, env=environment)
    _servers.append((server, place))
    deadline = time.monotonic() + START_SECONDS
    while not Path(place.name, "commands").exists():
        assert server.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    return Path(place.name)


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
    """End the servers, and with them what they still run."""
    for server, place in _servers:
        assert server.stdin is not None
        server.stdin.close()
        server.wait(START_SECONDS)
        place.cleanup()
    _servers.clear()
    directory.cache_clear()
