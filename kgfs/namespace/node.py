"""A node is one integer, which is also its inode number: ``row << 54 | id << 27 | sub`` (docs/architecture.md).

Used by everything in the namespace and by the doors. ``row`` is the row of the table in ``tree``; ``id`` and ``sub``
are a ``NodeRef``. So a number is stable while mounted and needs no table.
"""

from __future__ import annotations

import threading

import msgspec

Node = int

ID_BITS = 27
ROW_SHIFT = 2 * ID_BITS
ID_MASK = (1 << ID_BITS) - 1
ROOT: Node = 1
"""Row 0, b = 1: no node may be 0, and the kernel calls the root 1."""


class NodeRef(msgspec.Struct, frozen=True, gc=False):
    """Which of the many nodes of a row of the table is meant: what segments, views and link targets are given.

    Both are row ids of the store or small numbers (of a ``NumberedNames``, of a query, a month), below 2^27.
    """

    id: int = 0
    """What the node stands for or belongs to: the entity, the chunk, the query. 0 where its row has one node only."""
    sub: int = 0
    """What tells the nodes of one ``id`` apart: the fact type, the member of a relation; 0 where there is one."""

    @property
    def key(self) -> int:
        """Both as one number, as a node ends with it."""
        return self.id << ID_BITS | self.sub


def ref_of(node: Node) -> NodeRef:
    """Which of its row's nodes a node is."""
    return NodeRef() if node == ROOT else NodeRef(node >> ID_BITS & ID_MASK, node & ID_MASK)


class NumberedNames:
    """Names that have no row of their own (types, indicators, prefixes), each with a number that it keeps for ever.

    Filled while a snapshot loads (in a thread) and read by the event loop; only ever grows, by kinds and not by items.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._lock = threading.Lock()

    def number(self, name: str) -> int:
        """The number of a name, given out if it is new."""
        number = self._numbers.get(name)
        if number is None:
            with self._lock:
                number = self._numbers.setdefault(name, len(self._names))
                if number == len(self._names):
                    self._names.append(name)
        return number

    def find_number(self, name: str) -> int | None:
        return self._numbers.get(name)

    def name(self, number: int) -> str:
        return self._names[number]

    def __len__(self) -> int:
        return len(self._names)
