"""What a terminal can show beyond text: its width, links to files on the mount, words that are marked.

Used by the commands that read the tree, where standard output is a terminal; elsewhere they print what scripts read.
Of rich only the widths of characters are taken: its console costs a command 30 ms.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from kgfs import mounts
from kgfs.cli.declaration import DUMB, Invocation
from kgfs.cli.stores import short, working_directory
from kgfs.control.client import Session
from kgfs.control.path_arguments import PathArgument
from kgfs.paths import PREFIX, below

LEAST_WIDTH = 20
"""Columns. Narrower terminals are written to as if they had these."""
READABLE_WIDTH = 100
"""Columns of running text on a wide terminal."""
_NO_LINKS = (*DUMB, "linux")
_NEEDS_NO_QUOTES = re.compile(r"[\w@%+=:,./-]+")
_WIDE = r"\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60\U0001f300-\U0003ffff"
_WORD = re.compile(rf"[{_WIDE}]|[^\s{_WIDE}]+")
"""What stays in one line: a word, or a sign of a script that is written without spaces."""
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", "'": "\\'"}


class Screen:
    """The terminal of one command, with the mount of its store."""

    def __init__(self, invocation: Invocation, store: Path) -> None:
        self._invocation = invocation
        self.width = max(LEAST_WIDTH, shutil.get_terminal_size().columns)
        self._links = (
            invocation.terminal and invocation.color_when != "never" and os.environ.get("TERM", "") not in _NO_LINKS
        )
        self._host = os.uname().nodename
        mounted = [mount.mountpoint for mount in mounts.mounts_of(store)] if invocation.terminal else []
        self._mountpoint = mounted[-1] if mounted else None

    def root_of(self, store: Session, place: PathArgument) -> str | None:
        """Where a PATH lies, from the root of the tree; ``None`` where nothing here would lead to it."""
        if self._mountpoint is None or not self._links:
            return None
        return str(store.call("stat", {"place": place.fields()})["path"])

    def beneath(self, shown: str, text: str, root: str | None, styled: str) -> str:
        """``styled``, which shows the path ``shown``, as a link. It was found by a PATH that was called ``text`` and
        lies at ``root``; what lies elsewhere is shown from the root of the tree, or whole."""
        if root is None:
            return styled
        called = "" if text == "." else text.rstrip("/")
        if not called or shown == called or shown.startswith(f"{called}/"):
            return self.in_tree(styled, f"{root}/{shown[len(called) :]}" if shown != "." else root)
        return self.as_printed(styled, shown)

    def as_printed(self, styled: str, path: str) -> str:
        """``styled`` as a link to a path that a result names: whole, or from the root of the tree."""
        inside = below(PREFIX, path) if path.startswith("/") else path
        return self.on_host(styled, path) if inside is None else self.in_tree(styled, inside)

    def path_here(self, path: str) -> str:
        """A path from the root of the tree as a shell finds it from where one stands; without a mount as it is."""
        if self._mountpoint is None:
            return pasted(path)
        here, whole = working_directory(), self._mountpoint / path
        if here is not None and here.is_relative_to(self._mountpoint):
            return pasted(os.path.relpath(whole, here))
        return pasted_host(whole)

    def in_tree(self, shown: str, path: str | None) -> str:
        """``shown``, which leads on a click to ``path``, from the root of the tree, where that is mounted."""
        if self._mountpoint is None or path is None:
            return shown
        return self.on_host(shown, os.path.normpath(f"{self._mountpoint}/{path}"))

    def on_host(self, shown: str, path: str | Path) -> str:
        """``shown``, which leads on a click to a file of this machine."""
        if not self._links:
            return shown
        url = f"file://{self._host}{quote(os.fsencode(path))}"
        return f"\x1b]8;;{url}\x1b\\{shown}\x1b]8;;\x1b\\"

    def marked(self, text: str, spans: Sequence[tuple[int, int]]) -> str:
        """``text`` with what lies in ``spans``, which are in order, in the colour of a match."""
        parts, at = [], 0
        for start, end in spans:
            parts += [text[at:start], self._invocation.style(text[start:end], fg="red", bold=True)]
            at = end
        return "".join([*parts, text[at:]])

    def paragraph(
        self, text: str, spans: Sequence[tuple[int, int]] = (), indent: int = 0, *, hanging: int = 0, most: int = 0
    ) -> list[str]:
        """A text of one line in lines of this screen, broken between words; of more than ``most`` lines the last says
        that there is more. ``hanging`` is how much further all but the first are indented."""
        room = min(self.width, READABLE_WIDTH) - indent - hanging
        lines = list(broken(text, room))
        cut = ""
        if most and len(lines) > most:
            start, _ = lines[most - 1]
            lines[most - 1 :] = [(start, start + len(fitted(text[start:], room - 1).rstrip()))]
            cut = "…"
        shown = []
        for start, end in lines:
            inside = [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]
            shown.append(" " * (indent + (hanging if shown else 0)) + self.marked(text[start:end], inside))
        if shown:
            shown[-1] += cut
        return shown


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def fitted(text: str, width: int) -> str:
    """As much of the beginning of ``text`` as has room in ``width`` columns."""
    if width_of(text) <= width:
        return text
    from rich.cells import chop_cells

    return chop_cells(text, max(1, width))[0]


def broken(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Where lines of at most ``width`` columns begin and end in ``text``. A word that has no room is cut."""
    line: tuple[int, int] | None = None
    for start, end in _words(text, width):
        if line is None:
            line = start, end
        elif width_of(text[line[0] : end]) <= width:
            line = line[0], end
        else:
            yield line
            line = start, end
    if line is not None:
        yield line


def _words(text: str, width: int) -> Iterator[tuple[int, int]]:
    for word in _WORD.finditer(text):
        start, end = word.span()
        while width_of(text[start:end]) > width:
            cut = start + max(1, len(fitted(text[start:end], width)))
            if cut >= end:
                break
            yield start, cut
            start = cut
        yield start, end


def columns(cells: Sequence[tuple[str, int]], width: int) -> Iterator[str]:
    """Lines of ``ls``: sorted downwards, in as many columns as have room. A cell is what is shown and its width."""
    sizes = [size for _, size in cells]
    rows, widths = len(cells), [max(sizes, default=0)]
    for count in range(min(len(cells), width // (min(sizes, default=0) + 2) + 1), 1, -1):
        fewer = -(-len(cells) // count)
        narrow = [max(sizes[at : at + fewer]) for at in range(0, len(cells), fewer)]
        if sum(narrow) + 2 * (len(narrow) - 1) <= width:
            rows, widths = fewer, narrow
            break
    for row in range(rows):
        beside = list(zip(cells[row::rows], widths, strict=False))
        padded = [shown + " " * (column + 2 - size) for (shown, size), column in beside[:-1]]
        yield "".join([*padded, beside[-1][0][0]])


def pasted(text: str) -> str:
    """A name as a shell reads it, quoted where it must be."""
    if _NEEDS_NO_QUOTES.fullmatch(text):
        return text
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join(map(_escaped, text)) + "'"


def pasted_host(path: str | Path) -> str:
    """A path of this machine as people write it and a shell reads it: ``~/notes``."""
    text = short(path)
    return f"~/{pasted(text[2:])}" if text.startswith("~/") else text if text == "~" else pasted(text)


def _escaped(char: str) -> str:
    code = ord(char)
    if char in _ESCAPES:
        return _ESCAPES[char]
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if char.isprintable():
        return char
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
