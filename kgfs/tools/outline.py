"""What a drive holds, drawn as a tree: upper levels whole before lower ones, so that it is a view from above.

Used by ``context_tree`` and by tools that answer with a snapshot of it, on the thread that calls them.
"""

from __future__ import annotations

from typing import NamedTuple

from kgfs.names import one_line
from kgfs.store import drive_contents
from kgfs.store.database import Cursor
from kgfs.store.drive_contents import Child
from kgfs.store.items import ref
from kgfs.tools.sizes import size_text


class Outline(NamedTuple):
    """A drawn tree."""

    text: str
    shown: int
    """Entries that are drawn."""
    truncated: bool
    """Whether there are more than those."""


def counted(number: int, noun: str) -> str:
    """``1 file``, ``2,000 files``."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun if number == 1 else plural}"


def outline(cursor: Cursor, drive: str, path: str, max_depth: int, max_entries: int) -> Outline:
    """The directory ``path`` drawn; ``max_entries`` bounds what is read and what is drawn."""
    below: dict[str, list[Child]] = {}
    shown, truncated = 0, False
    open_directories = 1
    for level in range(1, max_depth + 1):
        room = max_entries - shown
        if open_directories == 0:
            break
        if room <= 0:
            truncated = True
            break
        found = drive_contents.children(cursor, drive, path, level, room + 1, room + 1)
        if len(found) > room:  # each directory gets its share of what room there is
            truncated = True
            share = max(1, room // open_directories)
            found = drive_contents.children(cursor, drive, path, level, share, room)
        for child in found:
            below.setdefault(child.path.rpartition("/")[0], []).append(child)
        shown += len(found)
        open_directories = sum(child.is_directory for child in found)
        if truncated:
            break
    truncated = truncated or any(_is_closed(below, child) for listed in below.values() for child in listed)
    top = ref(drive, path if path == "/" else path + "/")
    lines = [top]
    _draw(below, "" if path == "/" else path, "", lines)
    return Outline("\n".join(lines), shown, truncated)


def _is_closed(below: dict[str, list[Child]], child: Child) -> bool:
    """Whether there is something in a directory that is not drawn."""
    return child.is_directory and child.files > 0 and child.path not in below


def _draw(below: dict[str, list[Child]], path: str, bars: str, lines: list[str]) -> None:
    here = below.get(path, [])
    left_out = here[0].siblings - len(here) if here else 0
    for number, child in enumerate(here):
        last = number == len(here) - 1 and not left_out
        arm, bar = ("└── ", "    ") if last else ("├── ", "│   ")
        name = one_line(child.path.rpartition("/")[2])
        if child.is_file:
            lines.append(f"{bars}{arm}{name}  {size_text(child.size)}")
        if child.is_directory:
            closed = f"  {counted(child.files, 'file')}" if _is_closed(below, child) else ""
            lines.append(f"{bars}{arm}{name}/{closed}")
            _draw(below, child.path, bars + bar, lines)
    if left_out:
        lines.append(f"{bars}└── … {left_out:,} more")
