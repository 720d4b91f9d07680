"""Where the inodes of a submount stand in the tree, for the audit trail and for what the kernel must forget.

Used by the handlers here, on the loop's thread.
"""

from __future__ import annotations

from collections.abc import Iterable

from kgfs.names import as_utf8, name_text
from mountd.submounts.inode_numbers import InodeNumbers

NAMED = 20_000
"""Of so many files it is known where they stand."""
DEEPEST = 1_000


class Places:
    """The directory above and the name of each inode, as far as that is known."""

    def __init__(self, name: str, numbers: InodeNumbers, *, areas: bool) -> None:
        """``name`` is the path of the submount. With ``areas`` each directory in the root is an area of its own."""
        self._name = name
        self._numbers = numbers
        self._areas = areas
        self.above: dict[int, tuple[int, bytes]] = {}
        """The directory above and the name there, of directories that the kernel knows."""
        self._named: dict[int, tuple[int, bytes]] = {}
        """The same of other inodes, as they were named last; the latest ``NAMED`` of them."""

    def note(self, inode: int, parent: int, name: bytes, directory: bool) -> None:
        """An inode stands there now."""
        if directory:
            self.above[inode] = parent, name
            return
        named = self._named
        named[inode] = parent, name
        if len(named) > NAMED:
            del named[next(iter(named))]

    def forget(self, inodes: Iterable[int]) -> None:
        """The kernel does not know these any more."""
        for inode in inodes:
            self.above.pop(inode, None)
            self._named.pop(inode, None)

    def of(self, inode: int) -> tuple[int, bytes]:
        """Where an inode stands; in the root, by its number, where that is not known."""
        place = self.above.get(inode) or self._named.get(inode)
        return place or (self._numbers.root, b"#%d" % self._numbers.own(inode))

    def path_of(self, inode: int) -> str:
        """The path of an inode in the tree of the mount, as far as that is known."""
        return self._name if inode == self._numbers.root else self.path(*self.of(inode))

    def path(self, parent: int, name: bytes) -> str:
        """The path of a name in a directory."""
        parts = [name]
        while parent != self._numbers.root and len(parts) < DEEPEST:
            place = self.above.get(parent)
            if place is None:
                parts.append(b"...")
                break
            parent, above = place
            parts.append(above)
        return str(as_utf8(f"{self._name}/{name_text(b'/'.join(reversed(parts)))}"))

    def area(self, parent: int, name: bytes) -> str:
        """The submount, or the area in its root in which a name lies."""
        if not self._areas:
            return self._name
        while parent != self._numbers.root:
            place = self.above.get(parent)
            if place is None:
                return self._name
            parent, name = place
        return f"{self._name}/{name_text(name)}"
