"""Lines that an exact search found, by file.

Used by ``grep``; filled by two threads at once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kgfs.errors import TooLarge
from kgfs.namespace.queries.stored_text import Reach
from kgfs.namespace.snapshot import Snapshot
from kgfs.store.tree.text_scan import StoredText

LIMIT_BYTES = 64 * 1024 * 1024
"""No answer is larger."""
_NUMBER_BYTES = 10
"""A line's number in the stream is hardly longer."""


class Line(NamedTuple):
    """A line that matches."""

    path: bytes
    """Relative to the directory, as the names are stored."""
    number: int
    text: bytes


def too_large() -> TooLarge:
    return TooLarge("More than 64 MB of lines match; ask in a smaller place, for a rarer pattern, or with the flag l.")


class _Block(NamedTuple):
    """Lines of one text that match, as grep printed them: ``number:line``, joined by newlines."""

    shift: int
    """To be added to their numbers to have those of the file."""
    printed: bytes


class Matches:
    """Lines that match, by file."""

    def __init__(self, names: bool, searched: Reach, s: Snapshot) -> None:
        """``names``: only the names of files are wanted."""
        self.names = names
        self.searched = searched
        self._s = s
        self._files: dict[bytes, list[_Block]] = {}
        self._size = 0
        self._known: dict[Any, Any] = {}
        self._lock = threading.Lock()

    def add_text(self, text: StoredText, first: int, printed: list[bytes]) -> None:
        """Lines of a stored text, numbered from ``first``; they go to each file in which it stands."""
        for row, view in self.searched.rows.get(text.source, ()):
            for ref in view.places(self._s, text):
                paths = list(self.searched.shown(row, ref))
                if paths:
                    before = 0 if self.names else view.before(self._s, ref, text, self._known)
                    self.add(paths, before + 1 - first, printed)

    def add(self, paths: Iterable[bytes], shift: int, printed: list[bytes]) -> None:
        """Lines of files; ``TooLarge`` where there are too many."""
        block = _Block(shift, b"" if self.names else b"\n".join(printed))
        with self._lock:
            for path in paths:
                if not self.names:
                    # At least: the numbers may be shorter in the file.
                    self._size += len(block.printed) + 1 + len(printed) * (len(path) + 1 - _NUMBER_BYTES)
                    self._files.setdefault(path, []).append(block)
                elif path not in self._files:
                    self._size += len(path) + 1
                    self._files[path] = []
            if self._size > LIMIT_BYTES:
                raise too_large()

    def lines(self) -> Iterator[Line]:
        """By path, then by number. For names alone one line a file, with the number 0."""
        for path in sorted(self._files):
            if self.names:
                yield Line(path, 0, b"")
                continue
            blocks = self._files[path]
            if len(blocks) > 1:
                blocks = sorted(blocks, key=_first_number)
            for shift, printed in blocks:
                for line in printed.split(b"\n"):
                    number, _, text = line.partition(b":")
                    yield Line(path, int(number) + shift, text)


def _first_number(block: _Block) -> int:
    return block.shift + int(block.printed[: block.printed.index(b":")])
