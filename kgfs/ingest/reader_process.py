"""Reader processes as the worker sees them: one document at a time each, replaced when it dies or grew large.

Used by ``kgfs.worker`` from its threads; the other end is ``kgfs.ingest.reader``. A document that a reader dies on is
reported and costs nothing else.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import msgspec

from kgfs.config import Config
from kgfs.errors import DeadlineExceeded, WorkerError
from kgfs.ingest import formats
from kgfs.model import ParsedDocument
from kgfs.models import framing

KEPT_BYTES = 400 * 1024 * 1024
"""A reader that has grown larger than this gives its memory back by ending."""
_GRACE_SECONDS = 15.0
"""The reader ends itself when its time is over; if it cannot, it is ended so much later."""


class _Reader:
    """One process."""

    def __init__(self, config: Config) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        command = [sys.executable, "-m", "kgfs.ingest.reader", "--socket", str(theirs.fileno())]
        try:
            with theirs:
                self._process = subprocess.Popen(
                    [*command, "--config", msgspec.json.encode(config).decode()],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                )
        except OSError as error:
            ours.close()
            raise WorkerError(f"no process could be started for it ({error.strerror}); free resources") from error
        ours.settimeout(config.parse_seconds + _GRACE_SECONDS)
        self._socket = ours
        self._config = config

    def read(self, name: bytes, data: bytes, mtime_ns: int) -> ParsedDocument:
        """One document. ``WorkerError`` or ``DeadlineExceeded`` with a reason; the reader is then of no more use."""
        arguments = {"name": name, "data": data, "mtime_ns": mtime_ns}
        encoded = {key: msgspec.Raw(msgspec.msgpack.encode(value)) for key, value in arguments.items()}
        try:
            framing.send(self._socket, framing.Call(0, "read", encoded))
            del encoded, arguments
            frame = framing.receive(self._socket)
        except TimeoutError:
            self._process.kill()
            frame = None
        except BrokenPipeError:
            frame = None
        if frame is None:
            raise self._reason()
        reply = msgspec.msgpack.decode(frame, type=framing.Reply)
        if reply.error is not None:
            raise WorkerError(reply.error.message)
        return msgspec.msgpack.decode(reply.result, type=ParsedDocument)

    def _reason(self) -> WorkerError | DeadlineExceeded:
        """Why the process is no longer there."""
        self.end()
        status = self._process.returncode
        if status in (-signal.SIGALRM, -signal.SIGKILL):
            return DeadlineExceeded(
                f"reading it took longer than {self._config.parse_seconds:g} seconds; parse_seconds allows more"
            )
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return WorkerError(f"its reader broke down ({how}), perhaps for want of memory")

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_running(self) -> bool:
        """Whether the process is there; one that is not has been waited for."""
        if self._process.poll() is None:
            return True
        self._socket.close()
        return False

    def is_large(self) -> bool:
        """Whether it holds more memory than it should keep."""
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        except (OSError, ValueError, IndexError):
            return True
        return pages * os.sysconf("SC_PAGE_SIZE") > KEPT_BYTES

    def end(self) -> None:
        """Close it and wait."""
        self._socket.close()
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Readers:
    """As many reader processes as there are documents read at once; each is started when it is first needed."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._idle: list[_Reader] = []
        self._lock = threading.Lock()

    def parse(self, data: bytes, name: str, mtime_ns: int) -> ParsedDocument:
        """The document that a file holds (``kgfs.ingest.formats.parse``).

        ``DeadlineExceeded`` when that takes longer than ``parse_seconds``, ``WorkerError`` when the reader broke down
        on it; both messages are a reason that a sentence may quote.
        """
        if formats.is_cheap(data, name, self._config):
            # Large text is only decoded: no parser to guard, and its bytes need not cross once more.
            return formats.parse(data, name, mtime_ns=mtime_ns, config=self._config)
        with self._lock:
            reader = self._idle.pop() if self._idle else None
        if reader is None or not reader.is_running():
            reader = _Reader(self._config)
        try:
            document = reader.read(os.fsencode(name), data, mtime_ns)
        except BaseException:
            with contextlib.suppress(OSError):
                reader.end()
            raise
        if reader.is_large():
            reader.end()
        else:
            with self._lock:
                self._idle.append(reader)
        return document

    def idle(self) -> list[int]:
        """The processes that wait for a document."""
        with self._lock:
            return [reader.pid for reader in self._idle]

    def close(self) -> None:
        """End the processes that wait; those at work end when they are done."""
        with self._lock:
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.end()
