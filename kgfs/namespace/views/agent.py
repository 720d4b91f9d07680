"""``@agent``: the runs of agents, a directory each.

What they hold comes from the service, through ``RunSource``, and grows without a new generation. Runs on the event loop
except ``prepare`` and what bodies read.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from kgfs.errors import NotFoundError
from kgfs.namespace.bodies import Body, GrowingBody, StaleSnapshotError
from kgfs.namespace.domains import usable
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.route import Above, Listed
from kgfs.namespace.run_source import TRANSCRIPT, RunBytes
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.snapshot import Snapshot


def grows(s: Snapshot, node: NodeRef) -> bool:
    """A file of a run may be longer at any time: the kernel is to ask each time."""
    return True


class RunFile:
    """A file of a run: ``id`` is the number of the run's name."""

    lazy: ClassVar[bool] = True
    volatile: ClassVar[bool] = False

    def __init__(self, runtime: Runtime, file: str = TRANSCRIPT) -> None:
        self._runtime, self._file = runtime, file

    def _found(self, s: Snapshot, node: NodeRef) -> RunBytes:
        found = self._runtime.runs.find_file(s.names.name(node.id), self._file)
        if found is None and not self._runtime.runs.ready():
            raise StaleSnapshotError("The runs of agents have yet to be looked at.")
        if found is None:
            raise NotFoundError("There is no such run any more.")
        return found

    def size(self, s: Snapshot, node: NodeRef) -> int:
        return self._found(s, node).size

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        when = self._found(s, node).changed_us
        return when, when

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return self._found(s, node)

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        return self._body(s, node) if self._runtime.runs.ready() else None

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        self._runtime.runs.prepare()
        return self._body(s, node)

    def _body(self, s: Snapshot, node: NodeRef) -> Body:
        found, read = self._found(s, node), self._runtime.runs.read
        return GrowingBody(found.size, lambda offset, length: read(found, offset, length))

    def ready(self, s: Snapshot, node: NodeRef) -> bool:
        return self._runtime.runs.ready()

    def prepare(self, store: PageStore, s: Snapshot, node: NodeRef) -> None:
        self._runtime.runs.prepare()


class RunNames:
    """The runs: ``id`` is the number of the name."""

    of: ClassVar[tuple[str | None, str | None]] = (None, None)

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def list(self, s: Snapshot, node: NodeRef) -> list[Listed]:
        names = [name for name in self._runtime.runs.names() if usable(name)]
        numbers = sorted((s.names.number(name), name) for name in names)
        return [(name, number, 0, number) for number, name in numbers]

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        if not usable(name) or self._runtime.runs.find_file(name, TRANSCRIPT) is None:
            return None
        return NodeRef(s.names.number(name))

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return s.names.name(node.id)

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef()
