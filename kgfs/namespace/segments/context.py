"""Variable segments of stored files: drives, directories, files, sources, and the file that a document was made of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import ClassVar

from kgfs.namespace.context_names import SELF
from kgfs.namespace.context_tree import Directory
from kgfs.namespace.domains import gone
from kgfs.namespace.node import NodeRef
from kgfs.namespace.route import Above, Listed, Long
from kgfs.namespace.segments.rows import (
    Of,
)
from kgfs.namespace.snapshot import Snapshot


class Drives:
    """Drives: ``id`` and ``sub`` are the halves of the directory's key."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, node: NodeRef) -> list[Listed]:
        return _directories(s.context.drives.values())

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        found = s.context.drives.get(name)
        return None if found is None else NodeRef(found.a, found.b)

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return directory_at(s, node).name

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef()


CONTEXT_DIRECTORY = "context/<drive>/<path>/"


class ContextDirectories(Long):
    """Directories of a drive: ``id`` and ``sub`` are the halves of the key."""

    of: ClassVar[Of] = (None, None)

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        here, by_key = directory_at(s, node), s.context.by_key
        keys = sorted([each.key for each in list(here.directories.values())])
        for each in keys[bisect_right(keys, key) :]:
            found = by_key.get(each)
            if found is not None and found.parent is here:  # else it went since
                yield found.name, found.a, found.b, each

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        found = directory_at(s, node).directories.get(name)
        return None if found is None else NodeRef(found.a, found.b)

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return directory_at(s, node).name

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return _above(directory_at(s, node).parent)


class ContextFiles(Long):
    """Files of a directory on a drive: ``id`` is the inode, which is the item's row id but for a few."""

    of: ClassVar[Of] = ("items", None)

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        here, place = directory_at(s, node), s.context.place
        inodes = sorted(list(here.files.values()))
        for inode in inodes[bisect_right(inodes, key) :]:
            found = place.get(inode)
            if found is not None and found[0] is here:  # else it went since
                yield found[1], inode, 0, inode

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        inode = directory_at(s, node).files.get(name)
        return None if inode is None else NodeRef(inode)

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return _place_of(s, node.id)[1]

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return _above(_place_of(s, node.id)[0])


def _place_of(s: Snapshot, inode: int) -> tuple[Directory, str]:
    found = s.context.place.get(inode)
    if found is None:
        raise gone("file")
    return found


def _above(directory: Directory | None) -> Above:
    assert directory is not None, "a drive is no directory of a drive"
    return ("context/<drive>/" if directory.parent is None else CONTEXT_DIRECTORY), NodeRef(directory.a, directory.b)


def directory_at(s: Snapshot, node: NodeRef) -> Directory:
    found = s.context.by_key.get(node.key)
    if found is None:
        raise gone("directory")
    return found


def _directories(directories: Iterable[Directory]) -> list[Listed]:
    return sorted(((d.name, d.a, d.b, d.key) for d in directories), key=lambda listed: listed[3])


class Sources:
    """What was added: ``id`` is the source's row id."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, node: NodeRef) -> list[Listed]:
        rows = ((name, row_id, 0, row_id) for name, (row_id, _, _) in s.sources.items())
        return sorted(rows, key=lambda listed: listed[3])

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        found = s.sources.get(name)
        return None if found is None else NodeRef(found[0])

    def name(self, s: Snapshot, node: NodeRef) -> str:
        if node.id not in s.source_names:
            raise gone("source")
        return s.source_names[node.id]

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef()


class Original:
    """``original.<ext>`` of a document: ``id`` is the document's row id."""

    of: ClassVar[Of] = ("documents", None)

    def list(self, s: Snapshot, node: NodeRef) -> Iterator[Listed]:
        if s.document_item[s.documents.index(node.id)] >= 0:
            yield self.name(s, node), node.id, 0, 0

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        return NodeRef(node.id) if any(shown == name for shown, _, _, _ in self.list(s, node)) else None

    def name(self, s: Snapshot, node: NodeRef) -> str:
        directory, stored = _place_of(s, s.context.inode_of(node.id))
        if stored == SELF:
            stored = directory.name
        stem, dot, extension = stored.rpartition(".")
        usual = dot and stem and len(extension) <= 16 and extension.isalnum()
        return f"original.{extension}" if usual else "original"

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(node.id)
