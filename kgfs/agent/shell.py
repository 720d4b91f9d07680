"""A bash that lives in the sandbox over many calls: variables, functions and the working directory last.

Used by the tool ``execute`` and the SDK's ``bash``, and by the file tools, which look at files as it does. Whatever a
command does, the call ends: by the time, by the output, by an interrupt; and what cannot be stopped otherwise is
replaced by a fresh shell, which is said.
"""

from __future__ import annotations

import contextlib
import os
import select
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

from kgfs.agent.bash_process import WORDS, BashProcess
from kgfs.agent.captured import Captured
from kgfs.agent.opening import open_beneath
from kgfs.agent.roots import Roots
from kgfs.counting import counted
from kgfs.errors import Cancelled, DeadlineExceeded, KgfsError, TooLarge, UsageError
from kgfs.sandbox.bubblewrap import PATH
from kgfs.sandbox.limits import Limits
from kgfs.sandbox.starting import Start, sandboxed, unsandboxed
from kgfs.tools.outcome import STOPPED_BY_USER, BadArguments, Value, done, failure

LIMITS = Limits(memory_bytes=2 << 30, processes=256, output_bytes=10 << 20, seconds=120.0)
MOST_SECONDS = 3600.0
"""The longest time that a call may ask for."""
SHOWN_BYTES = 16_000
"""How much of what a command printed a model sees."""
COMMAND_BYTES = 1 << 20
_PIECE = 1 << 16
_GRACE_SECONDS = 2.0
"""How long what was told to stop may take."""
_PASSED_ON = ("HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "TZ", "USER")
"""What a shell without a sandbox gets of the environment: no key is among it."""
_FRESH = "The next command starts in a fresh shell: no variables, the first working directory, an empty /tmp."

Reason = Literal["time", "output", "interrupt"]


class Shell:
    """Runs commands one after the other. ``interrupt`` may be called on any thread."""

    def __init__(
        self,
        roots: Roots,
        *,
        hidden: Sequence[Path] = (),
        network: bool = False,
        limits: Limits = LIMITS,
        shown_bytes: int = SHOWN_BYTES,
    ) -> None:
        """Start nothing yet. ``limits.seconds`` is for a call that says no time, ``output_bytes`` for one call."""
        self._roots = roots
        self._view = roots.view(hidden=hidden, network=network, scratch_bytes=max(1 << 20, limits.memory_bytes // 2))
        self._limits = limits
        self._shown = shown_bytes
        self._one_at_a_time = threading.RLock()
        # A thread that lives as long as the shell: bubblewrap ends with the thread that started it. The thread is made
        # here because it gets the rights of the thread that makes it, and a file tool that needs the shell first has
        # given up some.
        self._starter = ThreadPoolExecutor(1, "shell")
        self._starter.submit(os.getpid).result()
        self._bash: BashProcess | None = None
        self._started: Start | None = None
        self._ending = contextlib.ExitStack()
        self._told, self._telling = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._files = 0
        self.directory = roots.place
        """Where the shell is."""

    def __enter__(self) -> Shell:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, command: str, timeout: float | None = None, shown_bytes: int | None = None) -> Value:
        """Run a command to its end: ``output`` (both streams), ``status``, ``directory``, ``seconds``; a failure where
        it was ended, with what it printed until then. ``timeout`` is in seconds. Of a longer output than
        ``shown_bytes`` the middle is left out, and ``note`` says where it is."""
        try:
            seconds = self._checked(command, timeout)
            with self._one_at_a_time:
                bash = self._living()
                self._heed()
                return self._run(bash, command, seconds, shown_bytes or self._shown)
        except KgfsError as error:
            return failure(error)
        except OSError as error:
            return failure(KgfsError(f"The shell cannot be reached ({error.strerror})."), "Call again.")

    def restart(self) -> Value:
        """End the shell with everything that runs in it, and start a fresh one."""
        with self._one_at_a_time:
            self._end()
            try:
                self._living()
            except KgfsError as error:
                return failure(error)
        return done(output="", status=0, directory=self.directory, restarted=True)

    def interrupt(self) -> None:
        """Have the command that runs now end; the shell stays where it can. Nothing happens where none runs."""
        with contextlib.suppress(OSError):  # it is told already, or closed
            os.write(self._telling, b"!")

    @contextlib.contextmanager
    def root(self) -> Iterator[int]:
        """A descriptor of what is ``/`` to the shell, which is started where it is not. ``KgfsError`` as it starts."""
        bash = self._bash
        if bash is None or not bash.alive():
            with self._one_at_a_time:  # while a command runs nobody waits for it to look at files
                bash = self._living()
        try:
            root = bash.root()
        except OSError:
            raise KgfsError("The shell ended just now; call again.") from None
        try:
            yield root
        finally:
            os.close(root)

    def close(self) -> None:
        """End it with everything that runs in it; it is not used again."""
        self.interrupt()
        with self._one_at_a_time:
            if self._told < 0:
                return
            self._end()
            self._starter.shutdown()
            for file in (self._told, self._telling):
                os.close(file)
            self._told = self._telling = -1

    def _checked(self, command: str, timeout: float | None) -> float:
        seconds = self._limits.seconds if timeout is None else timeout
        if not 0 < seconds <= MOST_SECONDS:
            raise BadArguments(f"timeout is a number of seconds, from 0 to {MOST_SECONDS:g}.")
        try:
            size = len(command.encode())
        except UnicodeEncodeError:
            raise BadArguments("The command is no text; write it in UTF-8.") from None
        if "\0" in command or not command.strip():
            raise BadArguments("The command is empty or has a NUL; write one that bash can read.")
        if size > COMMAND_BYTES:
            raise BadArguments("The command is longer than 1 MiB; write a file with write_file, and use it.")
        return seconds

    def _heed(self) -> None:
        """Forget interrupts that came when nothing ran."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._told, _PIECE)

    def _living(self) -> BashProcess:
        """The shell; a fresh one where there is none, or where it has ended between two calls."""
        if self._told < 0:
            raise UsageError("The shell is closed.")
        if self._bash is not None and not self._bash.alive():
            self._end()
        if self._bash is None:
            self._bash = self._starter.submit(self._start).result()
        return self._bash

    def _start(self) -> BashProcess:
        """Start a bash; on the shell's own thread."""
        with contextlib.ExitStack() as opened:
            if self._roots.unsafe:
                scratch = opened.enter_context(tempfile.TemporaryDirectory(prefix="kgfs-", ignore_cleanup_errors=True))
                start = opened.enter_context(
                    unsandboxed(self._roots.mount.directory, self._limits, WORDS, self._environment(scratch))
                )
            else:
                start = opened.enter_context(sandboxed(self._view, self._limits, WORDS))
            bash = BashProcess(start)
            opened.callback(bash.kill)
            self._started, self._ending = start, opened.pop_all()
        self.directory = self._roots.place
        return bash

    def _environment(self, scratch: str) -> Mapping[str, str]:
        kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        return {"PATH": PATH, **kept, "TERM": "dumb", "TMPDIR": scratch, "KGFS_MOUNT": self._roots.place}

    def _end(self) -> None:
        bash, self._bash, self._started = self._bash, None, None
        if bash is not None:
            self._starter.submit(self._ending.close).result()
        self.directory = self._roots.place

    def _run(self, bash: BashProcess, command: str, seconds: float, shown: int) -> Value:
        call = _Call(bash, Captured(shown, self._limits.output_bytes), self._limits, self._told)
        call(command, seconds)
        values: Value = {"output": call.captured.text(), "seconds": round(call.seconds, 2)}
        notes = []
        if call.shell_ended:
            memory = self._started is not None and self._started.group is not None
            memory = memory and self._started.group.killed_for_memory()  # type: ignore[union-attr]
            values["status"] = bash.kill() if call.reason else bash.wait()
            self._end()
            notes.append("All processes together had too much memory." if memory else "")
            notes.append(f"The shell has ended. {_FRESH}")
        else:
            values["status"] = call.status
            self.directory = call.directory
            if bash.processes() > self._limits.processes * 3 // 4:
                self._end()
                notes.append(
                    f"The command left more processes than may run at once ({self._limits.processes});"
                    f" all were ended. {_FRESH}"
                )
        values["directory"] = self.directory
        if call.captured.cut:
            values["cut"] = True
            notes.append(self._rest(call.captured))
        if notes:
            values["note"] = " ".join(note for note in notes if note)
        if call.reason is None:
            return done(**values)
        error, hint = _REASONS[call.reason]
        return {**failure(error(_said(call.reason, seconds, self._limits)), hint), **values}

    def _rest(self, captured: Captured) -> str:
        """Keep the whole output where the shell and the file tools can read it; the sentence says where."""
        self._files += 1
        place = f"{self._scratch()}/output-{self._files}.txt"
        try:
            with self.root() as root, open(open_beneath(root, place, os.O_CREAT | os.O_WRONLY, 0o644), "wb") as file:
                file.write(captured.kept)
        except (OSError, KgfsError):
            return f"It printed {counted(captured.total, 'byte')}; run it again with `| head`, `| tail` or `| grep`."
        kept = (
            "all of it" if len(captured.kept) == captured.total else f"the first {counted(len(captured.kept), 'byte')}"
        )
        return f"It printed {counted(captured.total, 'byte')}; see {kept} in {place} by read_file or grep."

    def _scratch(self) -> str:
        return self._started.environment["TMPDIR"] if self._roots.unsafe and self._started is not None else "/tmp"


_REASONS: dict[Reason, tuple[type[KgfsError], str]] = {
    "time": (DeadlineExceeded, "Do less at once, pass a longer timeout, or start it in the background with `&`."),
    "output": (TooLarge, "Print less: `| head`, `| grep`, or write to a file under /tmp and look at parts of it."),
    "interrupt": (Cancelled, STOPPED_BY_USER),
}


def _said(reason: Reason, seconds: float, limits: Limits) -> str:
    said = {
        "time": f"The command was ended after {seconds:g} s.",
        "output": f"The command was ended since it printed more than {counted(limits.output_bytes, 'byte')}.",
        "interrupt": "The command was interrupted.",
    }
    return said[reason]


class _Call:
    """One command from its start to its end."""

    def __init__(self, bash: BashProcess, captured: Captured, limits: Limits, told: int) -> None:
        self._bash = bash
        self._limits = limits
        self._told = told
        self.captured = captured
        self.status = 0
        self.directory = ""
        self.reason: Reason | None = None
        """Why we ended it."""
        self.shell_ended = False
        self.seconds = 0.0

    def __call__(self, command: str, seconds: float) -> None:
        began = time.monotonic()
        self._until = began + seconds
        self._steps = [self._bash.interrupt, self._bash.end_commands, self._bash.interrupt]
        self._last = bytearray()  # what may be the beginning of the mark
        try:
            self._bash.send(command)
        except BrokenPipeError:
            self.shell_ended = True
        while not self.shell_ended and not self._ended():
            poll = select.poll()
            for file in (self._bash.output, self._bash.ending, self._told):
                poll.register(file, select.POLLIN)
            happened = dict(poll.poll(max(0.0, self._until - time.monotonic()) * 1000 + 1))
            if self._told in happened:
                os.read(self._told, _PIECE)
                self._stop("interrupt")
            elif time.monotonic() >= self._until:
                self._stop("time")
            if self._bash.output in happened:
                self._take()
            elif self._bash.ending in happened:
                self.shell_ended = True
        if self.shell_ended:
            self.captured.take(bytes(self._last))
        self.seconds = time.monotonic() - began

    def _stop(self, reason: Reason) -> None:
        """Go one step further in ending it; the first reason counts."""
        self.reason = self.reason or reason
        self._until = time.monotonic() + _GRACE_SECONDS
        if self._steps:
            self._steps.pop(0)()
        else:
            self.shell_ended = True

    def _take(self) -> None:
        try:
            piece = os.read(self._bash.output, _PIECE)
        except BlockingIOError:
            return
        if not piece:
            self.shell_ended = True
        self._last += piece

    def _ended(self) -> bool:
        """Pass on what was printed; whether the mark was in it."""
        if (found := self._bash.ended(self._last)) is not None:
            end, self.status, self.directory = found
            self.captured.take(bytes(self._last[:end]))
            self._last.clear()
            return True
        held = self._last.rfind(b"\x1e", max(0, len(self._last) - self._bash.mark_bytes))
        ready = len(self._last) if held < 0 else held
        self.captured.take(bytes(self._last[:ready]))
        del self._last[:ready]
        if self.reason is None and self.captured.total > self._limits.output_bytes:
            self._stop("output")
        return False
