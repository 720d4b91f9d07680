"""What a directory holds, summed up and drawn as a tree: upper levels whole before lower ones, as seen from above.

Used by ``context_tree``, by tools that say how much lies somewhere, and by those that answer with a snapshot of a tree;
on the thread that calls them. Two statements, whatever the directory holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kgfs.names import one_line
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import drive_contents
from kgfs.store.files.drive_contents import FileHere
from kgfs.store.files.items import ref
from kgfs.tools.sizes import size_text


class Outline(NamedTuple):
    """A drawn tree."""

    text: str
    shown: int
    """Entries that are drawn."""
    truncated: bool
    """Whether there are more than those."""


class Folder:
    """A directory and what lies beneath it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = path.rpartition("/")[2]
        self.folders: dict[str, Folder] = {}
        self.own_files = 0
        self.own_size = 0
        self.files = 0
        """In it and beneath it."""
        self.size = 0
        """Bytes of those."""
        self.directories = 0
        """Beneath it, those that only follow from the paths of files too."""

    @property
    def entries(self) -> int:
        return len(self.folders) + self.own_files


def summed(cursor: Cursor, drive: str, path: str) -> Folder:
    """A directory with all directories beneath it, summed up."""
    top = Folder("")
    known = {"": top}

    def folder(at: str) -> Folder:
        missing = []
        while at not in known:
            missing.append(at)
            at = at.rpartition("/")[0]
        found = known[at]
        for path in reversed(missing):
            inner = known[path] = Folder(path)
            found.folders[inner.name] = inner
            found = inner
        return found

    for each in drive_contents.folders_beneath(cursor, drive, path):
        here = folder(each.path)
        here.own_files, here.own_size = each.files, each.size
    for at in sorted(known, key=lambda at: at.count("/") if at else -1, reverse=True):  # what is deepest first
        here = known[at]
        here.files += here.own_files
        here.size += here.own_size
        if at:
            above = known[at.rpartition("/")[0]]
            above.files += here.files
            above.size += here.size
            above.directories += here.directories + 1
    return top


def outline(cursor: Cursor, drive: str, path: str, top: Folder, max_depth: int, max_entries: int) -> Outline:
    """The directory ``path``, which is ``top``, drawn with at most ``max_entries`` entries."""
    opened: list[Folder] = []
    level, share, room, truncated = [top], max_entries, max_entries, False
    for _ in range(max_depth):
        entries = sum(each.entries for each in level)
        if entries > room:  # each directory gets its share of what room there is
            truncated = True
            share = room // len(level)
            if share:
                opened += level
            break
        opened += level
        room -= entries
        level = [inner for each in level for inner in each.folders.values()]
        if not level:
            break
    drawing = _Drawing({each.path for each in opened}, set() if not truncated else {each.path for each in level}, share)
    for file in drive_contents.files_in(cursor, drive, path, [each.path for each in opened], max_entries):
        drawing.files.setdefault(file.folder, []).append(file)
    drawing.lines.append(ref(drive, path if path == "/" else path + "/"))
    drawing.draw(top)
    closed = any(inner.files and inner.path not in drawing.opened for each in opened for inner in each.folders.values())
    return Outline("\n".join(drawing.lines), drawing.shown, truncated or closed)


class _Drawing:
    """Lines of a tree; of directories that are ``cut`` only the first entries are drawn."""

    def __init__(self, opened: set[str], cut: set[str], share: int) -> None:
        self.opened, self._cut, self._share = opened, cut, share
        self.files: dict[str, list[FileHere]] = {}
        self.lines: list[str] = []
        self.shown = 0

    def draw(self, top: Folder) -> None:
        open_ = [self._lines(top, "")]
        while open_:
            inner = next(open_[-1], None)
            if inner is None:
                open_.pop()
            else:
                open_.append(self._lines(*inner))

    def _lines(self, here: Folder, bars: str) -> Iterator[tuple[Folder, str]]:
        """Write the lines of a directory; each directory in it that is to be drawn next is handed on with its bars."""
        entries: list[tuple[str, Folder | FileHere]] = [
            *((file.name, file) for file in self.files.get(here.path, [])),
            *here.folders.items(),
        ]
        entries.sort(key=lambda entry: entry[0])
        shown = entries[: self._share] if here.path in self._cut else entries
        left_out = here.entries - len(shown)
        for number, (name, entry) in enumerate(shown):
            last = number == len(shown) - 1 and not left_out
            arm, bar = ("└── ", "    ") if last else ("├── ", "│   ")
            self.shown += 1
            if not isinstance(entry, Folder):
                self.lines.append(f"{bars}{arm}{one_line(name)}  {size_text(entry.size)}")
            elif entry.path in self.opened:
                self.lines.append(f"{bars}{arm}{one_line(name)}/")
                yield entry, bars + bar
            else:
                files = f"  {entry.files:,} file{'' if entry.files == 1 else 's'}" if entry.files else ""
                self.lines.append(f"{bars}{arm}{one_line(name)}/{files}")
        if left_out:
            self.lines.append(f"{bars}└── … {left_out:,} more")
