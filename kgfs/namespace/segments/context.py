"""Variable segments of stored files: drives, directories, files, sources, and the file that a document was made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from kgfs.namespace.context_tree import SELF, Directory
from kgfs.namespace.domains import gone
from kgfs.namespace.route import Listed, Place
from kgfs.namespace.segments.rows import (
    Of,
    Up,
)
from kgfs.namespace.snapshot import Snapshot


class Drives:
    """Drives: ``a`` and ``b`` are the halves of the directory's key."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        return _directories(s.context.drives.values())

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        found = s.context.drives.get(name)
        return None if found is None else (found.a, found.b)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return directory_at(s, a, b).name

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, 0, 0


CONTEXT_DIRECTORY = "context/<drive>/<path>/"


class ContextDirectories:
    """Directories of a drive: ``a`` and ``b`` are the halves of the key."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        return _directories(list(directory_at(s, a, b).directories.values()))

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        found = directory_at(s, a, b).directories.get(name)
        return None if found is None else (found.a, found.b)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return directory_at(s, a, b).name

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return _above(directory_at(s, a, b).parent)


class ContextFiles:
    """Files of a directory on a drive: ``a`` is the inode, which is the item's row id but for a few."""

    of: ClassVar[Of] = ("items", None)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        files = list(directory_at(s, a, b).files.items())
        return sorted(((name, inode, 0, inode) for name, inode in files), key=lambda listed: listed[3])

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        inode = directory_at(s, a, b).files.get(name)
        return None if inode is None else (inode, 0)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return _place_of(s, a)[1]

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return _above(_place_of(s, a)[0])


def _place_of(s: Snapshot, inode: int) -> tuple[Directory, str]:
    found = s.context.place.get(inode)
    if found is None:
        raise gone("file")
    return found


def _above(directory: Directory | None) -> Up:
    assert directory is not None, "a drive is no directory of a drive"
    return ("context/<drive>/" if directory.parent is None else CONTEXT_DIRECTORY), directory.a, directory.b


def directory_at(s: Snapshot, a: int, b: int) -> Directory:
    found = s.context.by_key.get(a << 27 | b)
    if found is None:
        raise gone("directory")
    return found


def _directories(directories: Iterable[Directory]) -> list[Listed]:
    return sorted(((d.name, d.a, d.b, d.key) for d in directories), key=lambda listed: listed[3])


class Sources:
    """What was added: ``a`` is the source's row id."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        rows = ((name, row_id, 0, row_id) for name, (row_id, _, _) in s.sources.items())
        return sorted(rows, key=lambda listed: listed[3])

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        found = s.sources.get(name)
        return None if found is None else (found[0], 0)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        if a not in s.source_names:
            raise gone("source")
        return s.source_names[a]

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, 0, 0


class Original:
    """``original.<ext>`` of a document: ``a`` is the document's row id."""

    of: ClassVar[Of] = ("documents", None)

    def list(self, s: Snapshot, a: int, b: int) -> Iterator[Listed]:
        if s.document_item[s.documents.index(a)] >= 0:
            yield self.name(s, a, b), a, 0, 0

    def find_node(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        return (a, 0) if any(shown == name for shown, _, _, _ in self.list(s, a, b)) else None

    def name(self, s: Snapshot, a: int, b: int) -> str:
        directory, stored = _place_of(s, s.context.inode_of(a))
        if stored == SELF:
            stored = directory.name
        stem, dot, extension = stored.rpartition(".")
        usual = dot and stem and len(extension) <= 16 and extension.isalnum()
        return f"original.{extension}" if usual else "original"

    def up(self, s: Snapshot, a: int, b: int) -> Up:
        return None, a, 0
