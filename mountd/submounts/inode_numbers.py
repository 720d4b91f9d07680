"""What the kernel calls the inodes of a submount.

Used by ``router`` and by everything here. A row of the table of the tree has the numbers that begin with its own; those
behind the last row belong to submounts.
"""

from __future__ import annotations

from kgfs.filesystem import ROOT
from kgfs.namespace.node import ROW_SHIFT

FIRST_ROW = 384
"""As many rows the table of the tree has at most; the numbers behind them belong to submounts."""
SUBMOUNTS = FIRST_ROW << ROW_SHIFT
"""Inode numbers and handles from here on are those of submounts."""
_OWN = (1 << ROW_SHIFT) - 1


class InodeNumbers:
    """The numbers of one submount."""

    def __init__(self, number: int, root: int) -> None:
        """``number`` tells this submount from the others of the mount; ``root`` is the node of its directory."""
        self.root = root
        self.row = FIRST_ROW + number
        """What the kernel's numbers begin with."""
        self._base = self.row << ROW_SHIFT

    def own(self, inode: int) -> int:
        """The file system's number of what the kernel calls ``inode``."""
        return inode & _OWN if inode >= SUBMOUNTS else ROOT

    def kernels(self, ino: int) -> int:
        """What the kernel calls an inode of the file system."""
        return self._base | ino if ino != ROOT else self.root
