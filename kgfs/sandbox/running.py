"""A command from its start to its end: what it reads and prints passes through here, and its limits are kept.

Used by ``kgfs run`` on the main thread, which signals interrupt. The command never has a descriptor of ours: by one of
a file it could open that file anew, to write, and by one of a terminal it could type into it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import Literal

import msgspec

from kgfs.sandbox.limits import Limits
from kgfs.sandbox.starting import Start

Why = Literal["exit", "time", "output", "memory", "signal", "reader"]
TIME_STATUS = 124
"""That of ``timeout``."""
READER_STATUS = 141
_KILLED = 128 + signal.SIGKILL
_PIECE = 1 << 16
_LAST_WORDS_SECONDS = 2.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a command ended."""

    status: int
    """As shells tell it: 128 and the signal's number where one ended it."""
    why: Why
    """``exit`` where it ended by itself, ``signal`` where we were told to stop, ``reader`` where nobody reads on."""
    seconds: float
    output_bytes: int


def run(start: Start, limits: Limits) -> Ended:
    """Run a command with our standard streams until it ends or a limit does. All that it started is gone then."""
    return _Run(limits)(start)


class _Run:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._why: Why = "exit"
        self._status: int | None = None
        self._printed = 0
        self._input = bytearray()

    def __call__(self, start: Start) -> Ended:
        began = time.monotonic()
        with self._signals():
            self._process = subprocess.Popen(
                start.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=start.descriptors, env=start.environment, cwd=start.directory, start_new_session=True,
            )  # fmt: skip
            with self._process as process:
                try:
                    if self._status is None:
                        self._pump(process)
                except BrokenPipeError:
                    self._end("reader", READER_STATUS)
                finally:
                    self._kill()
                    for pipe in (process.stdin, process.stdout, process.stderr):
                        if pipe is not None:
                            with contextlib.suppress(OSError):
                                pipe.close()
                returned = process.wait()
        if self._status is None and start.group is not None and start.group.killed_for_memory():
            self._why = "memory"
        status = self._status if self._status is not None else returned if returned >= 0 else 128 - returned
        return Ended(
            status=status, why=self._why, seconds=time.monotonic() - began, output_bytes=self._printed
        )  # fmt: skip

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        def told(number: int, frame: FrameType | None) -> None:
            self._end("signal", 128 + number)

        def late(number: int, frame: FrameType | None) -> None:
            self._end("time", TIME_STATUS)

        handlers: dict[signal.Signals, Callable[[int, FrameType | None], None]] = dict.fromkeys(_SIGNALS, told)
        handlers[signal.SIGALRM] = late
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        signal.setitimer(signal.ITIMER_REAL, self._limits.seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self, why: Why, status: int) -> None:
        """End it for a reason of ours; the first one counts."""
        if self._status is None:
            self._why, self._status = why, status
        self._kill()

    def _kill(self) -> None:
        """Kill its group; the first process of a sandbox takes all others with it. No signal can be caught there."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _pump(self, process: subprocess.Popen[bytes]) -> None:
        """Pass on what it reads and prints, until it has ended and all that it printed is read."""
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        into, feeding = process.stdin.fileno(), True
        os.set_blocking(into, False)
        outputs = {process.stdout.fileno(): 1, process.stderr.fileno(): 2}
        ending = os.pidfd_open(process.pid)
        ended_at: float | None = None
        try:
            while outputs or ended_at is None:
                poll = select.poll()
                for file in outputs:
                    poll.register(file, select.POLLIN)
                if feeding:
                    poll.register(into, select.POLLOUT if self._input else 0)
                    if not self._input:
                        poll.register(0, select.POLLIN)
                if ended_at is None:
                    poll.register(ending, select.POLLIN)
                    happened = dict(poll.poll())
                else:
                    happened = dict(poll.poll(max(0.0, ended_at + _LAST_WORDS_SECONDS - time.monotonic()) * 1000))
                    if not happened:
                        return  # a process that got away holds the pipe
                for file in outputs.keys() & happened.keys():
                    if not self._print(file, outputs[file]):
                        del outputs[file]
                if feeding and happened.keys() & {0, into} and not self._feed(into, happened):
                    feeding = False
                    process.stdin.close()
                if ending in happened:
                    ended_at = time.monotonic()
                    self._kill()  # what it left behind
        finally:
            os.close(ending)

    def _print(self, file: int, to: int) -> bool:
        """Pass on a piece of what it printed; whether there may be more."""
        piece = _read(file)
        if self._status is not None and self._why == "output":
            return False
        left = self._limits.output_bytes - self._printed
        kept = piece[:left]
        self._printed += len(kept)
        written = 0
        while written < len(kept):
            written += os.write(to, kept[written:])
        if len(piece) > left:
            self._end("output", _KILLED)
            return False
        return bool(piece)

    def _feed(self, into: int, happened: Mapping[int, int]) -> bool:
        """Read for it, or write to it what was read; whether it wants more and there may be more."""
        if happened.get(into, 0) & (select.POLLERR | select.POLLNVAL):
            return False
        if not self._input:
            self._input += _read(0)
            return bool(self._input)
        try:
            del self._input[: os.write(into, self._input)]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            return False
        return True


def _read(file: int) -> bytes:
    try:
        return os.read(file, _PIECE)
    except OSError:  # a terminal that is gone, a directory as standard input
        return b""
