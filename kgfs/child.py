"""A process that does one thing at a time for the worker: how it serves calls, and how the worker sees it.

``Helper`` is the worker's end, ``serve`` the loop of the child's (``kgfs.documents.parser_child``,
``kgfs.extraction.extractor_child``). What a helper dies of costs one document and nothing else. It leaves when its
socket closes.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kgfs.config import Config
from kgfs.errors import DeadlineExceeded, WorkerError
from kgfs.model import prepared
from kgfs.models import framing

log = logging.getLogger(__name__)

_GRACE_SECONDS = 15.0
"""A helper ends itself when its time is over; if it cannot, it is ended so much later."""
_END_SECONDS = 1.0
_SECONDS = "seconds"
"""The argument of each call that says how long it may take."""

Answer = Callable[[Mapping[str, msgspec.Raw]], Any]
"""What a helper does: the arguments of a call, encoded, to its result."""


class Helper:
    """One process that runs ``module``. Not safe in several threads at once."""

    def __init__(self, module: str, config: Config, seconds: float, setting: str, *, limited: bool = False) -> None:
        """Start it. A call may take ``seconds``; ``setting`` names what allows more time, empty where nothing does.
        ``limited``: it limits its memory (``limit_memory``).

        ``WorkerError`` where no process can be started.
        """
        self._seconds, self._setting = seconds, setting
        self._memory = f" (it had {_mebibytes(config)}; parse_memory_bytes allows more)" if limited else ""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        command = [sys.executable, "-P", "-m", module, "--socket", str(theirs.fileno())]
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
        self._socket = ours

    def call(self, result: Any, seconds: float | None = None, **arguments: Any) -> Any:
        """Its answer, a ``result``; an argument that is ``msgspec.Raw`` is encoded already.

        ``WorkerError`` or ``DeadlineExceeded`` with a reason that a sentence may quote; unless the helper gave the
        reason itself, it is then of no more use.
        """
        if seconds is None:
            seconds = self._seconds
        self._socket.settimeout(seconds + _GRACE_SECONDS)
        encoded = {
            key: value if isinstance(value, msgspec.Raw) else msgspec.Raw(msgspec.msgpack.encode(value))
            for key, value in (arguments | {_SECONDS: seconds}).items()
        }
        try:
            framing.send(self._socket, framing.Call(0, "", encoded))
            del encoded, arguments
            frame = framing.receive(self._socket)
        except TimeoutError:
            self._process.kill()
            frame = None
        except BrokenPipeError:
            frame = None
        if frame is None:
            raise self._reason(seconds)
        reply = msgspec.msgpack.decode(frame, type=prepared(framing.Reply))
        if reply.error is not None:
            raise WorkerError(reply.error.message)
        return msgspec.msgpack.decode(reply.result, type=prepared(result))

    def _reason(self, seconds: float) -> WorkerError | DeadlineExceeded:
        """Why the process is no longer there."""
        self.end()
        status = self._process.returncode
        if status in (-signal.SIGALRM, -signal.SIGKILL):
            allows = f"; {self._setting} allows more" if self._setting else ""
            return DeadlineExceeded(f"reading it took longer than {seconds:g} seconds{allows}")
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        return WorkerError(f"its reader broke down ({how}), perhaps for want of memory{self._memory}")

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_running(self) -> bool:
        """Whether the process is there; one that is not has been waited for."""
        if self._process.poll() is None:
            return True
        self._socket.close()
        return False

    def memory(self) -> int | None:
        """Bytes of memory that it holds; ``None`` where that cannot be told."""
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        except (OSError, ValueError, IndexError):
            return None
        return pages * os.sysconf("SC_PAGE_SIZE")

    def end(self) -> None:
        """Close it and wait."""
        with contextlib.suppress(OSError):
            self._socket.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def serve(name: str, begin: Callable[[Config], Answer]) -> None:
    """The whole life of a helper process: ``begin`` with the settings, then call by call until the socket closes.

    An alarm ends the process when a call takes too long, whatever it is in: a thread could not end a parser, a signal's
    default action does.
    """
    parser = argparse.ArgumentParser(prog=name, description="A process of the worker; the worker starts it.")
    parser.add_argument("--socket", type=int, required=True, help="descriptor of an inherited socket")
    parser.add_argument("--config", default="{}")
    options = parser.parse_args()
    logging.basicConfig(level=logging.ERROR, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    config = msgspec.json.decode(options.config, type=Config)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    connection = socket.socket(fileno=options.socket)
    answer = begin(config)
    with contextlib.suppress(ConnectionError):  # the worker is gone
        while (frame := framing.receive(connection)) is not None:
            framing.send(connection, _answered(answer, frame, config))


def limit_memory(config: Config) -> None:
    """Take no more memory than the settings allow for reading a document.

    What is limited is address space, which is never less than what is resident; parsers use what they take, so both
    differ by some 10 MiB.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = config.parse_memory_bytes if hard == resource.RLIM_INFINITY else min(config.parse_memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _mebibytes(config: Config) -> str:
    return f"{config.parse_memory_bytes >> 20:,} MiB"


def _answered(answer: Answer, frame: bytes | bytearray, config: Config) -> framing.Reply:
    call = msgspec.msgpack.decode(frame, type=prepared(framing.Call))
    seconds = msgspec.msgpack.decode(call.arguments.pop(_SECONDS), type=float)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(0.001, seconds))
        try:
            result = answer(call.arguments)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return framing.Reply(call.id, result=msgspec.Raw(msgspec.msgpack.encode(result)))
    except MemoryError:
        reason = f"it needs more than {_mebibytes(config)} of memory; parse_memory_bytes allows more"
    except Exception as error:
        log.exception("A document failed.")
        reason = f"{type(error).__name__}: {error}"[:300]
    return framing.Reply(call.id, error=framing.Failure(WorkerError.kind, reason))
