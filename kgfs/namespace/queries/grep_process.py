"""GNU grep at work: over a stream of texts, whose line numbers become lines of texts, and over doubtful files.

Used by ``grep``; blocks, with a thread of its own for feeding.
"""

from __future__ import annotations

import bisect
import contextlib
import fcntl
import os
import select
import subprocess
import tempfile
import threading
from array import array
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, NamedTuple

from kgfs.errors import Cancelled, QueryError
from kgfs.namespace.queries.matches import Matches
from kgfs.namespace.queries.stored_text import Late, check
from kgfs.store.tree.text_scan import StoredText

_PIPE_BYTES = 1 << 20
_FILES_AT_ONCE = 32
_TOGETHER_BYTES = 65_536
"""A larger file is looked at alone: grep reads more of it at once where it has met a long line before."""
_PATTERN_BYTES = 100_000
"""The system takes no longer argument than 128 KiB."""
FILES_SECONDS = 9.0
"""For one grep over doubtful files."""


class Command(NamedTuple):
    """How grep is called."""

    options: list[bytes]
    """With ``-l`` where only names are asked for."""
    pattern: bytes

    def stream(self) -> list[bytes]:
        """Over the stream: numbers of lines are what names come from."""
        options = [option for option in self.options if option != b"-l"]
        return [b"grep", b"-a", b"-n", *options, b"-e", self.pattern]

    def files(self, names: list[str]) -> list[bytes]:
        """Over files, each name in the output ended by a NUL."""
        options = [b"-nHZ", b"--binary-files=without-match", *self.options]
        return [b"grep", *options, b"-e", self.pattern, b"--", *map(os.fsencode, names)]


def require_pattern(raw: bytes) -> None:
    """``QueryError`` where this cannot be an argument of grep."""
    if b"\0" in raw:
        raise QueryError("The pattern holds a NUL byte, which no line of text does; leave it out.")
    if len(raw) > _PATTERN_BYTES:
        raise QueryError(f"The pattern is longer than {_PATTERN_BYTES:,} bytes; ask for less.")


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}


class Stream:
    """One GNU grep over texts that lie one behind the other, and whose texts the lines were.

    One thread feeds it (``open_text`` and ``write``), the one that made it reads.
    """

    def __init__(self, command: list[bytes], found: Matches, late: Late, stopped: Callable[[], bool]) -> None:
        self._found, self._late, self._stopped = found, late, stopped
        # One line more than the last text has: where the next one begins.
        self._starts = array("q", [1])
        self._owners, self._pages, self._kinds = array("q"), array("q"), array("B")
        self._sources: list[str] = []
        self._names: dict[int, str] = {}
        self._loose: list[list[bytes]] = []
        self.over = threading.Event()
        """Nobody reads any more: the feeder may stop."""
        self._failure: BaseException | None = None
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
            bufsize=0,
        )

        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # fewer turns; not every system has so much to give
                fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        if self._process.poll() is None:
            self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()
        self._process.wait()

    # Feeding

    def source(self, name: str) -> int:
        """The number of a source of texts, for ``texts``."""
        if name not in self._sources:
            self._sources.append(name)
        return self._sources.index(name)

    def texts(self, texts: list[StoredText]) -> None:
        """Feed texts that end with a newline and are not empty."""
        at = self._starts[-1]
        starts = []
        for text in texts:
            at += text.body.count(b"\n")
            starts.append(at)
            if text.name:
                self._names[len(self._owners) + len(starts) - 1] = text.name
        kinds = bytes([self.source(text.source) for text in texts])
        # Before the bytes: a line is looked up only after grep has seen it. The starts come last: they are looked up.
        self._owners.extend([text.owner for text in texts])
        self._pages.extend([text.page for text in texts])
        self._kinds.frombytes(kinds)
        self._starts.extend(starts)
        self._write(b"".join([text.body for text in texts]))

    def body(self, text: StoredText | list[bytes], parts: Iterable[bytes]) -> None:
        """Feed one text in parts: a stored one (its own body is not looked at), or files by their paths."""
        if isinstance(text, list):
            self._loose.append(text)
            text = StoredText("", len(self._loose) - 1, "", 0, b"")
        self._owners.append(text.owner)
        self._pages.append(text.page)
        self._kinds.append(self.source(text.source))
        first = at = self._starts[-1]
        # Until its end is known it has no end: a line that is looked up is found behind the last start.
        self._starts.append(1 << 62)
        last = b"\n"
        for part in parts:
            at += part.count(b"\n")
            last = part[-1:] or last
            self._write(part)
        if last != b"\n":
            at += 1
            self._write(b"\n")
        assert first <= at
        self._starts[-1] = at

    def _write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        rest = memoryview(data)
        while len(rest):
            rest = rest[self._process.stdin.write(rest) :]  # (a raw pipe says how much it took)

    def _feeding(self, feed: Callable[[], None]) -> None:
        try:
            feed()
        except BrokenPipeError:
            pass  # grep ended: its exit status says why
        except BaseException as error:
            self._failure = error
        finally:
            assert self._process.stdin is not None
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    # Reading

    def run(self, feed: Callable[[], None]) -> None:
        """Feed in a thread of its own and read what grep prints, to the end."""
        feeder = threading.Thread(target=self._feeding, args=(feed,), name="kgfs-grep", daemon=True)
        feeder.start()
        try:
            self._read()
        except BaseException:
            self._process.kill()
            raise
        finally:
            self.over.set()
            feeder.join()
        if self._failure is not None:
            raise self._failure
        assert self._process.stderr is not None
        reason = self._process.stderr.read().decode("utf-8", "replace").strip().removeprefix("grep: ")
        if self._process.wait() > 1:
            raise QueryError(f"grep refuses the pattern: {reason.splitlines()[-1] if reason else 'no reason given'}.")

    def _read(self) -> None:
        assert self._process.stdout is not None
        out = self._process.stdout.fileno()
        pieces: list[bytes] = []
        self._go_on()
        while True:
            while not select.select([out], [], [], 0.2)[0]:
                self._go_on()
            data = os.read(out, 1 << 20)
            if not data:
                break
            self._go_on()
            end = data.rfind(b"\n") + 1
            if not end:
                pieces.append(data)
                continue
            self._take(b"".join([*pieces, data[: end - 1]]).split(b"\n"))
            pieces = [data[end:]] if end < len(data) else []

    def _go_on(self) -> None:
        """Raises where reading should end."""
        if self._stopped():
            raise Cancelled("Stopped.")
        check(self._late)
        if self._failure is not None:
            raise self._failure

    def _take(self, printed: list[bytes]) -> None:
        """Lines as grep printed them."""
        index, first, end = -1, 0, 0
        own: list[bytes] = []
        for line in printed:
            number = int(line[: line.index(b":")])
            if number >= end:
                if own:
                    self._found_in(index, first, own)
                index = bisect.bisect_right(self._starts, number) - 1
                first, end = self._starts[index], self._starts[index + 1]
                own = []
            own.append(line)
        if own:
            self._found_in(index, first, own)

    def _found_in(self, index: int, first: int, printed: list[bytes]) -> None:
        source, owner = self._sources[self._kinds[index]], self._owners[index]
        if not source:
            self._found.add(self._loose[owner], 1 - first, printed)
            return
        text = StoredText(source, owner, self._names.get(index, ""), self._pages[index], b"")
        self._found.add_text(text, first, printed)


class Doubtful:
    """Bodies that are no clean text, as files for grep to decide on; some at a time."""

    def __init__(self, command: Command, found: Matches, directory: Path, late: Late) -> None:
        """The files lie in the directory while they are needed, without a name."""
        self._command, self._found, self._directory, self._late = command, found, directory, late
        self._waiting: list[tuple[StoredText | list[bytes], IO[bytes]]] = []

    def add_text(self, text: StoredText, parts: Iterable[bytes]) -> None:
        self._add(text._replace(body=b""), parts)

    def add_files(self, paths: list[bytes], parts: Iterable[bytes]) -> None:
        self._add(paths, parts)

    def _add(self, what: StoredText | list[bytes], parts: Iterable[bytes]) -> None:
        file = tempfile.TemporaryFile(dir=self._directory)  # noqa: SIM115
        self._waiting.append((what, file))
        for part in parts:
            file.write(part)
        file.flush()
        if file.tell() > _TOGETHER_BYTES:
            alone = self._waiting.pop()
            self.decide()
            self._waiting.append(alone)
            self.decide()
        elif len(self._waiting) >= _FILES_AT_ONCE:
            self.decide()

    def decide(self) -> None:
        """Have grep look at what waits. A pattern that is none is reported by the stream."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        check(self._late)
        try:
            self._decide(waiting)
        finally:
            for _, file in waiting:
                file.close()

    def _decide(self, waiting: list[tuple[StoredText | list[bytes], IO[bytes]]]) -> None:
        numbers = [file.fileno() for _, file in waiting]
        names = [f"/dev/fd/{number}" for number in numbers]
        with subprocess.Popen(
            self._command.files(names), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=_environment(), pass_fds=numbers,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            timer = threading.Timer(FILES_SECONDS, process.kill)
            timer.start()
            try:
                printed = process.stdout.read()
            finally:
                timer.cancel()
        check(self._late)
        what = dict(zip(map(os.fsencode, names), (each for each, _ in waiting), strict=True))
        for name, lines in _by_file(printed, self._found.names).items():
            each = what[name]
            if isinstance(each, StoredText):
                self._found.add_text(each, 1, lines)
            else:
                self._found.add([*each], 0, lines)


def _by_file(printed: bytes, names: bool) -> dict[bytes, list[bytes]]:
    """What grep printed with ``-nHZ`` (and perhaps ``-l``), by file."""
    if names:
        return {name: [] for name in printed.split(b"\0") if name}
    found: dict[bytes, list[bytes]] = {}
    for line in printed.split(b"\n"):
        name, nul, rest = line.partition(b"\0")
        if nul:
            found.setdefault(name, []).append(rest)
    return found
