"""The worker process as its parent sees it: started when first needed, many calls at once, started again when it dies.

Used by ``kgfs.models.client`` in the daemon and in commands that open the store themselves. ``call`` may be used from
any thread and blocks it (never the FUSE loop); one thread of its own reads the answers. The child leaves when its
socket closes, so it never outlives the parent, however that ended.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import signal
import socket
import struct
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from kgfs import interpreter
from kgfs.config import Config
from kgfs.errors import DeadlineExceeded, KgfsError, WorkerError, from_kind
from kgfs.model import prepared
from kgfs.models import framing

log = logging.getLogger(__name__)

MAX_DEATHS = 4
"""The worker is not started again when it died so often within ``DEATHS_WINDOW`` seconds."""
DEATHS_WINDOW = 30.0
_SEND_SECONDS = 30
_JOIN_SECONDS = 10.0


class _Pending:
    """A call in progress: set once, by the reader thread or by the thread that saw the worker die."""

    __slots__ = ("done", "error", "result")

    def __init__(self) -> None:
        self.done = threading.Event()
        self.result: msgspec.Raw | None = None
        self.error: Exception | None = None

    def fail(self, error: Exception) -> None:
        self.error = error
        self.done.set()


class _Child:
    """One life of the worker: its process, its socket, and the calls it owes an answer."""

    def __init__(
        self, command: list[str], log_path: Path, who: str, lost: type[KgfsError], leaving_seconds: float
    ) -> None:
        self._who, self._lost, self._leaving_seconds = who, lost, leaving_seconds
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        # A worker that no longer reads must not hold the caller for ever.
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", _SEND_SECONDS, 0))
        try:
            with theirs, _open_log(log_path) as output:
                self.process = subprocess.Popen(
                    [*command, "--socket", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=[theirs.fileno()],
                    env=environment(),
                    cwd="/",  # nothing of the working directory is ours: no module, model or program
                    start_new_session=True,  # Ctrl-C is for the command: it ends the worker when it has cleaned up
                )
        except BaseException:
            ours.close()
            raise
        self.socket = ours
        self.started = time.monotonic()
        self.pending: dict[int, _Pending] = {}
        self.alive = True
        self.lock = threading.Lock()
        self.sending = threading.Lock()
        self.shared = framing.SharedArgument()
        self.reader = threading.Thread(target=self._read, name="worker-reader", daemon=True)
        self.reader.start()

    def _read(self) -> None:
        reason = "stopped"
        try:
            while (frame := framing.receive(self.socket)) is not None:
                reply = msgspec.msgpack.decode(frame, type=prepared(framing.Reply))
                with self.lock:
                    waiting = self.pending.pop(reply.id, None)
                if waiting is None:
                    continue  # its caller did not wait so long
                if reply.error is not None:
                    waiting.fail(from_kind(reply.error.kind, reply.error.message))
                else:
                    waiting.result = reply.result
                    waiting.done.set()
        except (WorkerError, msgspec.DecodeError) as error:
            reason = f"sent what is no answer ({error})"
            log.warning("%s %s.", self._who, reason)
        except OSError as error:
            reason = f"cannot be reached ({error.strerror})"
        self.end(reason)

    def end(self, reason: str) -> None:
        """Close, fail what is pending, and make sure that no process is left."""
        with self.lock:
            self.alive = False
            pending = list(self.pending.values())
            self.pending.clear()
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        try:
            status = self.process.wait(self._leaving_seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        if reason == "stopped" and status:
            how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
            reason = f"stopped ({how})"
        for waiting in pending:
            waiting.fail(self._lost(f"{self._who} {reason} before it answered; try again, or see its log."))


class WorkerProcess:
    """Starts, calls and ends the worker of one store."""

    WHO = "The worker process"
    """How its sentences begin."""
    LOST: type[KgfsError] = WorkerError
    """The error where the process is not there, or died under a call."""
    LEAVING_SECONDS = 0.5
    """A worker leaves as soon as its socket closes, unless it imports a library meanwhile, which takes seconds: then it
    is killed, which costs no more than its own way of leaving does."""

    def __init__(self, store: Path, config: Config, log_path: Path) -> None:
        """Nothing is started yet. What the worker prints goes to the end of ``log_path``."""
        self.store = store
        self.log_path = log_path
        self._config = config
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._deaths: deque[float] = deque(maxlen=MAX_DEATHS)
        self._numbers = itertools.count(1)
        self._closed = False

    def command(self, config: str) -> list[str]:
        """The program that is started; it is told its socket beside. ``config``: the settings as JSON."""
        return interpreter.program("kgfs.worker", "--store", self.store.absolute(), "--config", config)

    @property
    def pid(self) -> int | None:
        """The process that runs now, if one does."""
        child = self._child
        return child.process.pid if child is not None and child.alive else None

    def call(self, name: str, arguments: dict[str, msgspec.Raw], result_type: Any, timeout: float) -> Any:
        """Have the worker do the call ``name`` with these arguments, and return its result, a ``result_type``.

        The worker's own errors are raised as they were raised there. ``WorkerError`` when it died meanwhile or cannot
        be started, ``DeadlineExceeded`` when it takes longer than ``timeout`` seconds (it goes on; its answer is
        dropped).
        """
        message = framing.Call(next(self._numbers), name, arguments)
        child = self._running()
        waiting = _Pending()
        with child.lock:
            if not child.alive:
                raise self.LOST(f"{self.WHO} stopped; try again, or see its log.")
            child.pending[message.id] = waiting
        try:
            with child.sending:
                child.shared.send(child.socket, message)
        except OSError:
            # Either it died, and the reader fails this call, or it does not read: then it is of no use to anybody.
            with contextlib.suppress(ProcessLookupError):
                child.process.kill()
        except BaseException:
            with child.lock:
                child.pending.pop(message.id, None)
            raise
        if not waiting.done.wait(timeout):
            with child.lock:
                child.pending.pop(message.id, None)
            raise DeadlineExceeded(f"{self.WHO} took longer than {timeout:g} seconds for {name}; try again later.")
        if waiting.error is not None:
            raise waiting.error
        assert waiting.result is not None
        try:
            return msgspec.msgpack.decode(waiting.result, type=prepared(result_type))
        except msgspec.DecodeError as error:
            raise WorkerError(
                f"The worker's answer to {name} cannot be read ({error}); is it of this version?"
            ) from error

    def configure(self, config: Config) -> None:
        """The settings of the next worker; the one that runs keeps its own."""
        with self._lock:
            self._config = config

    def end(self) -> None:
        """End the worker and wait for it. Calls under way fail; the next one starts another."""
        with self._lock:
            child, self._child = self._child, None
        self._end(child)

    def rest_while(self, work: Callable[[], None]) -> None:
        """End the worker, do ``work``, and start no other before that is done. Calls that come meanwhile wait."""
        with self._lock:
            child, self._child = self._child, None
            self._end(child)
            work()

    def close(self) -> None:
        """End the worker and wait for it. Calls under way fail; later ones do too."""
        with self._lock:
            self._closed = True
            child, self._child = self._child, None
        self._end(child)

    @staticmethod
    def _end(child: _Child | None) -> None:
        if child is not None:
            with contextlib.suppress(OSError):
                child.socket.shutdown(socket.SHUT_RDWR)
            child.reader.join(_JOIN_SECONDS)

    def _running(self) -> _Child:
        with self._lock:
            if self._closed:
                raise self.LOST(f"{self.WHO} was ended with the store; open the store again.")
            child = self._child
            if child is not None and child.alive:
                return child
            if child is not None:
                self._deaths.append(time.monotonic())
                self._child = None
            if len(self._deaths) == MAX_DEATHS:
                left = self._deaths[0] + DEATHS_WINDOW - time.monotonic()
                if left > 0:
                    raise self.LOST(
                        f"{self.WHO} died {MAX_DEATHS} times in a row; see {self.log_path} and try again in"
                        f" {left:.0f} seconds."
                    )
            command = self.command(msgspec.json.encode(self._config).decode())
            try:
                self._child = _Child(command, self.log_path, self.WHO, self.LOST, self.LEAVING_SECONDS)
            except OSError as error:
                raise self.LOST(f"{self.WHO} cannot be started ({error.strerror}); free resources.") from error
            return self._child


def _open_log(path: Path) -> Any:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("ab")


def environment() -> dict[str, str]:
    """For the child: nothing is fetched, libraries keep quiet, and as many threads as there are processors."""
    processors = str(len(os.sched_getaffinity(0)))
    kept = {name: value for name, value in os.environ.items() if name != "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"}
    return {
        **kept,
        # The folder of a model is data: what torch reads of it is no pickle that may call anything.
        "TORCH_FORCE_WEIGHTS_ONLY_LOAD": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "LANCEDB_LOG": "error",
        # One heap for all threads but one, not eight a processor: an import of 30,000 texts takes 290 MB, not 440.
        "MALLOC_ARENA_MAX": "2",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", processors),
        # Threads that wait by spinning take the processors from the keyword leg and the daemon: beside them a query's
        # vector took up to 600 ms instead of 15.
        "OMP_WAIT_POLICY": "PASSIVE",
        "TQDM_DISABLE": "1",
        "PYTHONUNBUFFERED": "1",
    }
