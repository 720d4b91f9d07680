"""One bash that runs command after command: how a command gets there, how it is known to have ended, how it is stopped.

Used by ``kgfs.agent.shell``. It is an interactive bash without a terminal: that kind goes on after an interrupt, a
syntax error and an unset variable. Each command is two lines of its input: ``eval`` with streams of its own, so that it
can neither read the next command nor send the shell's output elsewhere, and then a mark with the exit status.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from kgfs.errors import KgfsError
from kgfs.sandbox.starting import Start

WORDS = ("bash", "--norc", "--noprofile", "--noediting", "-i")
_MARK = b"\x1e"
_OUTPUT = 199
"""The descriptor by which bash keeps its own output; programs do not have it."""
_SETUP = f"exec {_OUTPUT}>&1; PS1= PS2= PROMPT_COMMAND= HISTFILE=; set +o history +o histexpand; unset MAILCHECK\n"
_START_SECONDS = 20.0


class BashProcess:
    """A bash from its start to its end; the thread that makes it must outlive it, for it dies with that thread."""

    def __init__(self, start: Start) -> None:
        """``KgfsError`` where it does not come up."""
        self._process = subprocess.Popen(
            start.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
            pass_fds=start.descriptors, env=start.environment, cwd=start.directory, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input = self._process.stdin
        self.output = self._process.stdout.fileno()
        """What it and its commands print."""
        os.set_blocking(self.output, False)
        self.ending = os.pidfd_open(self._process.pid)
        """Readable once it has ended."""
        self._end_mark = b""
        try:
            self._write(_SETUP)
            self.send(":")
            self._await_first()
            self._bash = self._find_bash()
        except BaseException:
            self.kill()
            raise

    def send(self, command: str) -> None:
        """Have it run a command; ``BrokenPipeError`` where it has ended."""
        nonce = secrets.token_hex(16)
        self._end_mark = _MARK + nonce.encode()
        keep = f"</dev/null >&{_OUTPUT} 2>&{_OUTPUT} {_OUTPUT}>&-"
        said = f'builtin printf \'\\036{nonce} %s %s\\036\' "$?" "$PWD" >&{_OUTPUT}'
        self._write(f"eval {shlex.quote(command)} {keep}\n{said}\n")

    def ended(self, printed: bytes | bytearray) -> tuple[int, int, str] | None:
        """Whether the command has ended by what was printed since: where its output ends, its status, its directory."""
        begin = printed.rfind(self._end_mark)
        end = printed.find(_MARK, begin + 1) if begin >= 0 else -1
        if end < 0:
            return None
        _, status, directory = bytes(printed[begin + 1 : end]).split(b" ", 2)
        return begin, int(status), os.fsdecode(directory)

    @property
    def mark_bytes(self) -> int:
        """No mark is longer."""
        return len(self._end_mark) + 10 + os.pathconf("/", "PC_PATH_MAX")

    def alive(self) -> bool:
        """Whether it has not ended."""
        return self.ending >= 0 and not select.select([self.ending], [], [], 0)[0]

    def root(self) -> int:
        """A new descriptor of what is ``/`` to it; ``OSError`` where it has ended."""
        return os.open(f"/proc/{self._bash}/root", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def processes(self) -> int:
        """How many processes run there now, without bash itself."""
        return len(list(self._others()))

    def interrupt(self) -> None:
        """What Ctrl-C does: an interrupt for the command, which bash survives."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(os.getpgid(self._bash), signal.SIGINT)

    def end_commands(self) -> None:
        """End every process but bash."""
        for _ in range(3):  # one that forks all the time gets new ones between looking and killing
            for pid in self._others():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    def kill(self) -> int:
        """End it with all that it started; returns its exit status as shells tell it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        returned = self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None and not stream.closed:
                with contextlib.suppress(OSError):
                    stream.close()
        if self.ending >= 0:
            os.close(self.ending)
            self.ending = -1
        return returned if returned >= 0 else 128 - returned

    def wait(self) -> int:
        """Wait for its end, which has come, and return its exit status."""
        self._process.wait()
        return self.kill()

    def _write(self, text: str) -> None:
        left = memoryview(text.encode("utf-8", "surrogateescape"))
        while left:
            left = left[self._input.write(left) or 0 :]

    def _await_first(self) -> None:
        """Read what it says at its start, until it has run a command that does nothing."""
        said, until = bytearray(), time.monotonic() + _START_SECONDS
        while self.ended(said) is None:
            if self._process.poll() is not None or time.monotonic() > until:
                why = " ".join(said.decode("utf-8", "replace").split())
                raise KgfsError(f"The shell does not start ({why or 'no reason given'}).")
            with contextlib.suppress(BlockingIOError):
                said += os.read(self.output, 1 << 16)
            time.sleep(0.002)

    def _find_bash(self) -> int:
        """Bash itself: what starts it is its parent, or its parent's parent, or has become it."""
        for pid in (self._process.pid, *_descendants(self._process.pid)):
            with contextlib.suppress(OSError):
                if Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:-1] == [os.fsencode(w) for w in WORDS]:
                    return pid
        raise KgfsError("The shell ended at its start.")

    def _others(self) -> Iterator[int]:
        """Processes that commands started, with those that have left their parents."""
        starters = self._starters()
        return (pid for pid in _descendants(self._process.pid) if pid not in starters)

    def _starters(self) -> set[int]:
        """Bash and the processes between it and us."""
        chain, parents = {self._process.pid}, _parents()
        pid = self._bash
        while pid not in chain and pid in parents:
            chain.add(pid)
            pid = parents[pid]
        return chain


def _parents() -> dict[int, int]:
    """The parent of each process of this machine."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                found[int(name)] = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
    return found


def _descendants(pid: int) -> Iterator[int]:
    """All processes below one, those that started it first."""
    children: dict[int, list[int]] = {}
    for child, parent in _parents().items():
        children.setdefault(parent, []).append(child)
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(), []):
            yield child
            waiting.append(child)
