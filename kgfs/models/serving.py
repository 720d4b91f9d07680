"""The other end of ``kgfs.models.process``: reads calls from a socket, has threads do them, and sends what comes of it.

Used by the worker process and by the process that speaks to a Ray cluster, on their main threads.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from kgfs.calls import Call, DocumentCalls, Lane, declared
from kgfs.errors import KgfsError, UsageError, WorkerError
from kgfs.model import prepared
from kgfs.models import framing

log = logging.getLogger(__name__)

BULK_NICENESS = 5
"""Indexing gives way to searches and to the daemon."""


class Answers:
    """Does calls that are encoded."""

    def __init__(self, calls: DocumentCalls, group: type[DocumentCalls]) -> None:
        """``calls`` does what ``group`` declares."""
        self._calls: dict[str, tuple[Call, Callable[..., Any]]] = {
            name: (call, getattr(calls, name)) for name, call in declared(group).items()
        }

    def lane(self, message: framing.Call) -> Lane:
        """Where a call waits; one that is not known waits for nobody."""
        return self._calls[message.call][0].lane if message.call in self._calls else "status"

    def answer(self, message: framing.Call, received: float) -> framing.Reply:
        """What comes of a call that was received at this monotonic time: its result, or why there is none."""
        try:
            result = self._call(message, received)
            return framing.Reply(message.id, result=msgspec.Raw(msgspec.msgpack.encode(result)))
        except KgfsError as error:
            return framing.Reply(message.id, error=framing.Failure(error.kind, error.message))
        except Exception as error:
            log.exception("%s failed.", message.call)
            reason = f"{type(error).__name__}: {error}"[:300]
            failure = framing.Failure(WorkerError.kind, f"{message.call} failed in the worker ({reason}); see its log.")
            return framing.Reply(message.id, error=failure)

    def _call(self, message: framing.Call, received: float) -> Any:
        if message.call not in self._calls:
            raise UsageError(f"The worker knows no call {message.call!r}; is it of this version?")
        call, function = self._calls[message.call]
        arguments = call.decoded(message.arguments)
        if "wait" in arguments:  # counted from when the call came, not from when its lane had time
            arguments["wait"] = max(0.0, arguments["wait"] - (time.monotonic() - received))
        return function(**arguments)


class Server:
    """Reads calls from the socket, has the lanes run them, writes the answers."""

    def __init__(
        self, connection: socket.socket, calls: DocumentCalls, group: type[DocumentCalls], lanes: Mapping[Lane, int]
    ) -> None:
        """``calls`` does the calls that ``group`` declares; ``lanes``: each with its threads."""
        self._connection = connection
        self._sending = threading.Lock()
        self._lanes = {
            name: ThreadPoolExecutor(threads, f"lane-{name}", initializer=_give_way if name == "bulk" else None)
            for name, threads in lanes.items()
        }
        self._answers = Answers(calls, group)

    def serve(self) -> None:
        """Until the other end closes. ``WorkerError`` or ``msgspec.DecodeError`` when it sends no frames."""
        shared = framing.SharedArgument()
        while (frame := framing.receive(self._connection)) is not None:
            message = shared.completed(msgspec.msgpack.decode(frame, type=prepared(framing.Call)))
            self._lanes[self._answers.lane(message)].submit(self._run, message, time.monotonic())

    def _run(self, message: framing.Call, received: float) -> None:
        reply = self._answers.answer(message, received)
        with contextlib.suppress(OSError), self._sending:  # nobody there any more: the main thread sees it too
            try:
                framing.send(self._connection, reply)
            except WorkerError as error:  # too long, nothing was sent
                failure = framing.Failure(error.kind, error.message)
                framing.send(self._connection, framing.Reply(message.id, error=failure))


def _give_way() -> None:
    """Lower the priority of this thread and of those that the model starts from it."""
    thread = threading.get_native_id()
    with contextlib.suppress(OSError):
        # Who started us with a lower one still (`nice`) wants that kept, also as root, who could raise it.
        niceness = max(BULK_NICENESS, os.getpriority(os.PRIO_PROCESS, thread))
        os.setpriority(os.PRIO_PROCESS, thread, niceness)
