"""What stands between our code and the kernel: every handler's faults become errnos, every wait has a deadline.

Used by ``operations``; runs on the loop's thread, blocking steps in trio's pool. In pyfuse3 any exception but
``FUSEError`` ends the whole mount, so nothing else may leave a handler.
"""

from __future__ import annotations

import errno
import functools
import json
import logging
import os
import threading
import traceback
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import pyfuse3
import trio

from kgfs.errors import DeadlineExceeded, KgfsError
from mountd.request_meter import REQUESTS

T = TypeVar("T")
Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Any]])

MAX_LOG_BYTES = 4 * 1024 * 1024

log = logging.getLogger(__name__)


class ErrorLog:
    """The faults that nobody expected, one JSON object a line, a file of the store: ``@status/errors.jsonl`` shows it.

    May be called from any thread; never raises. The file is cut to its newer half when it grows too large.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def note(self, where: str, error: BaseException | str) -> None:
        """Add a line: time, where it happened, the error's type and message, and the last frame of ours."""
        line: dict[str, Any] = {"time": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")}
        line["where"] = where
        if isinstance(error, BaseException):
            line["error"] = type(error).__name__
            line["message"] = str(error)
            frames = traceback.extract_tb(error.__traceback__)
            if frames:
                line["at"] = f"{Path(frames[-1].filename).name}:{frames[-1].lineno} {frames[-1].name}"
        else:
            line["message"] = error
        data = json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        try:
            with self._lock:
                self._append(data)
        except OSError as failure:
            log.warning("%s cannot be written: %s", self.path, failure)

    def _append(self, data: bytes) -> None:
        try:
            if self.path.stat().st_size > MAX_LOG_BYTES:
                rest = self.path.read_bytes()[-MAX_LOG_BYTES // 2 :]
                kept = self.path.with_name(self.path.name + ".new")
                kept.write_bytes(rest[rest.find(b"\n") + 1 :])
                os.replace(kept, self.path)
        except FileNotFoundError:
            pass
        with self.path.open("ab") as file:
            file.write(data)


class Guarded:
    """What a class whose handlers are guarded has."""

    errors: ErrorLog

    def refused(self, error: KgfsError) -> None:
        """Called with each error that has a sentence for the user, before it becomes an errno."""


def guarded(handler: Handler) -> Handler:
    """Let nothing but ``FUSEError`` (and a cancellation) out of a handler, and measure it."""
    name = handler.__name__
    measured = REQUESTS.operation(name)

    @functools.wraps(handler)
    async def guarded_handler(self: Guarded, *arguments: Any) -> Any:
        began = perf_counter()
        measured.under_way += 1
        try:
            return await handler(self, *arguments)
        except pyfuse3.FUSEError:
            measured.failed += 1
            raise
        except Exception as error:
            measured.failed += 1
            number = _errno_of(self, name, error)
        finally:
            measured.under_way -= 1
            measured.note(perf_counter() - began)
        raise pyfuse3.FUSEError(number)

    return guarded_handler  # type: ignore[return-value]


def _errno_of(self: Guarded, name: str, error: Exception) -> int:
    if isinstance(error, KgfsError):
        try:
            self.refused(error)
        except Exception:
            log.exception("noting a refusal failed")
        return error.errno
    if isinstance(error, OSError) and error.errno:
        return error.errno
    log.error("%s failed", name, exc_info=error)
    self.errors.note(name, error)
    return errno.EIO


async def in_thread(seconds: float, limiter: trio.CapacityLimiter, function: Callable[..., T], *arguments: Any) -> T:
    """Run a blocking step in a thread, for at most ``seconds`` with the wait for a free thread included.

    Raises ``DeadlineExceeded``; the thread then goes on alone and keeps its place in ``limiter`` until it ends, so
    that steps that hang cannot pile up.
    """
    with trio.move_on_after(seconds):
        return await trio.to_thread.run_sync(function, *arguments, abandon_on_cancel=True, limiter=limiter)
    raise DeadlineExceeded(f"No answer within {seconds:.2g} seconds; ask for less or try again.")
