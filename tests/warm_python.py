"""A Python for tests that runs the programs of kgfs in processes forked from warm ones (``tests.program_server``).

The processes of a test run share the servers. These start when they are first needed, and end with the last of those
that use them; a fixture of ``tests.conftest`` lets them go.
"""

from __future__ import annotations

import fcntl
import marshal
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from io import FileIO
from pathlib import Path

from tests.program_client import PASSED_ON, server_of

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


def run(
    words: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str],
    input: bytes | None = None,
    timeout: float,
) -> subprocess.CompletedProcess[bytes]:
    """``subprocess.run([*client(), *words], capture_output=True, …)`` without the client, which takes 12 ms: what it
    asks the server for is asked here. ``words`` are ``-P -m MODULE ARGUMENTS…`` of a command."""
    deadline = time.monotonic() + timeout
    with socket.socket(socket.AF_UNIX) as connection, ExitStack() as ours:
        server, command = server_of(list(words))
        connection.connect(os.fspath(directory() / server))
        with ExitStack() as theirs:

            def pipe() -> tuple[FileIO, FileIO]:
                reader, writer = os.pipe()
                return FileIO(reader, "r"), FileIO(writer, "w")

            (out, to_out), (err, to_err), (from_stdin, stdin) = pipe(), pipe(), pipe()
            for end in (out, err, stdin):
                ours.enter_context(end)
            for end in (to_out, to_err, from_stdin):
                theirs.enter_context(end)
            streams = [0 if input is None else from_stdin.fileno(), to_out.fileno(), to_err.fileno()]
            _ask(connection, command, cwd, env, streams)
        said = {out: b"", err: b""}
        left = memoryview(input or b"")
        with selectors.DefaultSelector() as selector:
            for end in said:
                selector.register(end, selectors.EVENT_READ)
            os.set_blocking(stdin.fileno(), False)
            selector.register(stdin, selectors.EVENT_WRITE)
            while selector.get_map():
                ready = selector.select(deadline - time.monotonic())
                if time.monotonic() > deadline:  # the server kills what has lost its client
                    raise subprocess.TimeoutExpired(words, timeout, *said.values())
                for end in (key.fileobj for key, _ in ready):
                    if end is stdin:
                        with suppress(BrokenPipeError):  # it reads no further
                            left = left[stdin.write(left) :]
                            if left:
                                continue
                        selector.unregister(stdin)
                        stdin.close()
                    elif data := end.read(1 << 16):
                        said[end] += data
                    else:
                        selector.unregister(end)
        connection.settimeout(max(0.01, deadline - time.monotonic()))
        status = os.waitstatus_to_exitcode(_received(connection))
        return subprocess.CompletedProcess(words, status, *said.values())


def _ask(
    connection: socket.socket, words: list[str], cwd: Path | None, env: Mapping[str, str], streams: list[int]
) -> None:
    """As ``program_client.ask``, with these standard streams and nothing else that is open."""
    umask = int(Path("/proc/self/status").read_text().partition("Umask:")[2].split()[0], 8)
    ignored = [int(number) for number in PASSED_ON if signal.getsignal(number) == signal.SIG_IGN]
    blocked = [int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, [])]
    place = os.fsencode(cwd.absolute()) if cwd is not None else os.getcwdb()
    environment = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
    command = (words[0], words[1:], place, umask, environment, [0, 1, 2], False, ignored, blocked)
    message = marshal.dumps(command)
    data = len(message).to_bytes(8, "little") + message
    sent = socket.send_fds(connection, [data], streams)
    with suppress(BrokenPipeError):
        connection.sendall(data[sent:])
    _received(connection)


def _received(connection: socket.socket) -> int:
    data = connection.recv(4)
    assert data, "the server has ended"
    return int.from_bytes(data, "little")


def close() -> None:
    """Let the servers go; they end unless another process of this run has them, and with them what they still run."""
    for end in _ends:
        os.close(end)
    _ends.clear()
    if "PYTEST_XDIST_WORKER" not in os.environ:
        for server in _started:
            server.wait(START_SECONDS)
    directory.cache_clear()
