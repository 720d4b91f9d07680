"""``@audit``: the audit trail as files of lines that grow, and as a table of numbers.

What they hold comes from the service, through ``AuditSource``, and grows without a new generation. Runs on the event
loop except ``prepare`` and what bodies read.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from kgfs.errors import NotFoundError
from kgfs.namespace.audit_source import ALL, Lines
from kgfs.namespace.bodies import Body, GrowingBody, StaleSnapshotError
from kgfs.namespace.domains import usable
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.route import Above, Listed
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.status import Volatile

SUFFIX = ".jsonl"


def grows(s: Snapshot, node: NodeRef) -> bool:
    """A file of calls may be longer at any time: the kernel is to ask each time."""
    return True


class CallLines:
    """A file of calls: ``id`` is the number of its name in its group."""

    lazy: ClassVar[bool] = True
    volatile: ClassVar[bool] = False

    def __init__(self, runtime: Runtime, group: str = ALL) -> None:
        self._runtime, self._group = runtime, group

    def _lines(self, s: Snapshot, node: NodeRef) -> Lines:
        name = s.names.name(node.id) if self._group else ""
        found = self._runtime.audit.find_file(self._group, name)
        if found is None and not self._runtime.audit.ready():
            raise StaleSnapshotError("The audit trail has yet to be looked at.")
        if found is None:
            raise NotFoundError("There are no such calls any more.")
        return found

    def size(self, s: Snapshot, node: NodeRef) -> int:
        return self._lines(s, node).size

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        when = self._lines(s, node).latest_us or s.published
        return when, when

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return self._lines(s, node)

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        return self._body(s, node) if self._runtime.audit.ready() else None

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        self._runtime.audit.prepare()
        return self._body(s, node)

    def _body(self, s: Snapshot, node: NodeRef) -> Body:
        lines, read = self._lines(s, node), self._runtime.audit.read
        return GrowingBody(lines.size, lambda offset, length: read(lines, offset, length))

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        return self._runtime.audit.ready()

    def prepare(self, store: PageStore, s: Snapshot, node: NodeRef) -> None:
        self._runtime.audit.prepare()


class CallStats(Volatile):
    """The table of numbers."""

    lazy: ClassVar[bool] = True

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime, lambda s, source, node: runtime.audit.stats())

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        return self._runtime.audit.ready()

    def prepare(self, store: PageStore, s: Snapshot, node: NodeRef) -> None:
        self._runtime.audit.prepare()

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        found = self._runtime.audit.find_file(ALL, "")
        when = (found.latest_us if found is not None else 0) or s.published
        return when, when


class CallNames:
    """The files of a group."""

    of: ClassVar[tuple[str | None, str | None]] = (None, None)

    def __init__(self, runtime: Runtime, group: str) -> None:
        self._runtime, self._group = runtime, group

    def list(self, s: Snapshot, node: NodeRef) -> list[Listed]:
        names = [name for name in self._runtime.audit.names(self._group) if usable(name)]
        numbers = sorted((s.names.number(name), name) for name in names)
        return [(name + SUFFIX, number, 0, number) for number, name in numbers]

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        stem = name.removesuffix(SUFFIX)
        if stem == name or not usable(stem) or self._runtime.audit.find_file(self._group, stem) is None:
            return None
        return NodeRef(s.names.number(stem))

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return s.names.name(node.id) + SUFFIX

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef()
