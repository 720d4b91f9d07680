"""Processes that each do one thing at a time for the worker: the pool that keeps them, and the loop that they run.

``Pool`` is the worker's end. ``serve`` is the child's: ``kgfs.documents.parser_child``,
``kgfs.extraction.extractor_child``, ``kgfs.sources.web.loader_child``. What a child dies of costs one document or page
and nothing else. A child leaves when its socket closes. ``pebble`` does not serve: its pool starts all its processes at
once, each of which imports the worker's main module, replaces none that has grown large, and when the worker is killed
a process at work goes on without any limit.
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
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kgfs import interpreter
from kgfs.calls import Signature
from kgfs.config import Config
from kgfs.errors import DeadlineExceeded, KgfsError, WorkerError
from kgfs.model import prepared
from kgfs.models import framing

log = logging.getLogger(__name__)

_GRACE_SECONDS = 15.0
"""A child ends itself when its time is over; if it cannot, it is ended so much later."""
_END_SECONDS = 1.0
_SECONDS = "seconds"
"""The argument of each call that says how long it may take."""

Answer = Callable[..., Any]
"""What a child does. The arguments of a call are read by the types of its parameters."""


class Program(NamedTuple):
    """What the children of a pool run, and within what limits."""

    module: str
    """Run by ``python -m``; it calls ``serve``."""
    title: str
    """What a message calls one of them."""
    result: Any
    """The type of what a call returns."""
    most: int
    """Children at once; a call that finds all of them at work waits."""
    kept_bytes: int
    """A child that has grown larger than this gives its memory back by ending."""
    setting: str = ""
    """The setting that allows more time; empty where none does."""
    limited: bool = False
    """Whether a child may take ``parse_memory_bytes`` of memory and no more."""


class Pool:
    """The children that run one program, each started when it is first needed. Safe to use from several threads."""

    def __init__(self, program: Program, config: Config) -> None:
        self._program = program
        self._config = config
        self._idle: list[_Child] = []
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(program.most)

    def call(self, seconds: float, **arguments: Any) -> Any:
        """What a child returns, a ``Program.result``. An argument that is ``msgspec.Raw`` is encoded already.

        ``DeadlineExceeded`` when that takes longer than ``seconds``, ``WorkerError`` when the child fails, breaks down
        or cannot be started; both messages are a reason that a sentence may quote. The next call has another child.
        """
        with self._turns:
            with self._lock:
                child = self._idle.pop() if self._idle else None
            if child is None or not child.is_running():
                child = _Child(self._program, self._config)
            try:
                result = child.call(seconds, arguments)
            except BaseException:
                child.end()
                raise
            if child.memory() > self._program.kept_bytes:
                child.end()
            else:
                with self._lock:
                    self._idle.append(child)
            return result

    def idle(self) -> list[int]:
        """The processes that wait for a call."""
        with self._lock:
            return [child.pid for child in self._idle]

    def close(self) -> None:
        """End the processes that wait for a call; those at work end when the worker does."""
        with self._lock:
            idle, self._idle = self._idle, []
        for child in idle:
            child.end()


class _Child:
    """One process of a pool. Not safe in several threads at once."""

    def __init__(self, program: Program, config: Config) -> None:
        """Start it. ``WorkerError`` where no process can be started."""
        self._program, self._config = program, config
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        command = interpreter.program(program.module, "--socket", str(theirs.fileno()))
        command += ["--limited"] if program.limited else []
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
        self._shared = framing.SharedArgument()

    def call(self, seconds: float, arguments: dict[str, Any]) -> Any:
        """What it returns. Errors as of ``Pool.call``; the process is of no more use then."""
        self._socket.settimeout(seconds + _GRACE_SECONDS)
        encoded = {
            key: value if isinstance(value, msgspec.Raw) else msgspec.Raw(msgspec.msgpack.encode(value))
            for key, value in (arguments | {_SECONDS: seconds}).items()
        }
        try:
            self._shared.send(self._socket, framing.Call(0, "", encoded))
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
        return msgspec.msgpack.decode(reply.result, type=prepared(self._program.result))

    def _reason(self, seconds: float) -> WorkerError | DeadlineExceeded:
        """Why the process is no longer there."""
        self.end()
        status = self._process.returncode
        if status in (-signal.SIGALRM, -signal.SIGKILL):
            allows = f"; {self._program.setting} allows more" if self._program.setting else ""
            return DeadlineExceeded(f"reading it took longer than {seconds:g} seconds{allows}")
        how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        had = f" (it had {_mebibytes(self._config)}; parse_memory_bytes allows more)" if self._program.limited else ""
        return WorkerError(f"its {self._program.title} broke down ({how}), perhaps for want of memory{had}")

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_running(self) -> bool:
        """Whether the process is there; one that is not has been waited for."""
        if self._process.poll() is None:
            return True
        self._socket.close()
        return False

    def memory(self) -> int:
        """Bytes of memory that it holds; 0 where that cannot be told, because it is gone."""
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        except (OSError, ValueError, IndexError):
            return 0
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
    """The whole life of a child: ``begin`` with the settings, then call by call until the socket closes.

    An alarm ends the process when a call takes too long, whatever it is in: a thread could not end a parser, a signal's
    default action does.
    """
    parser = argparse.ArgumentParser(prog=name, description="A process of the worker; the worker starts it.")
    parser.add_argument("--socket", type=int, required=True, help="descriptor of an inherited socket")
    parser.add_argument("--config", default="{}")
    parser.add_argument("--limited", action="store_true", help="take no more memory than the settings allow")
    options = parser.parse_args()
    logging.basicConfig(level=logging.ERROR, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    config = msgspec.json.decode(options.config, type=Config)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    connection = socket.socket(fileno=options.socket)
    if options.limited:
        _limit_memory(config)
    answer = begin(config)
    signature = Signature(answer)
    shared = framing.SharedArgument()
    with contextlib.suppress(ConnectionError):  # the worker is gone
        while (frame := framing.receive(connection)) is not None:
            call = shared.completed(msgspec.msgpack.decode(frame, type=prepared(framing.Call)))
            framing.send(connection, _answered(answer, signature, call, config))


def _limit_memory(config: Config) -> None:
    """Take no more memory than the settings allow for reading a document.

    What is limited is address space, which is never less than what is resident; parsers use what they take, so both
    differ by some 10 MiB.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = config.parse_memory_bytes if hard == resource.RLIM_INFINITY else min(config.parse_memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _mebibytes(config: Config) -> str:
    return f"{config.parse_memory_bytes >> 20:,} MiB"


def _answered(answer: Answer, signature: Signature, call: framing.Call, config: Config) -> framing.Reply:
    seconds = msgspec.msgpack.decode(call.arguments.pop(_SECONDS), type=float)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(0.001, seconds))
        try:
            result = answer(**signature.decoded(call.arguments))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return framing.Reply(call.id, result=msgspec.Raw(msgspec.msgpack.encode(result)))
    except MemoryError:
        reason = f"it needs more than {_mebibytes(config)} of memory; parse_memory_bytes allows more"
    except KgfsError as error:
        reason = error.message
    except Exception as error:
        log.exception("A document failed.")
        reason = f"{type(error).__name__}: {error}"[:300]
    return framing.Reply(call.id, error=framing.Failure(WorkerError.kind, reason))
