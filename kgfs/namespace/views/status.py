"""``@status`` and the small files that make the mount a good neighbour (design, 2.6).

What ``@status`` says comes from the service, through ``StatusSource``; it changes without a new generation, so its
files are *volatile*: the kernel must not keep their attributes. Runs on the event loop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import ClassVar

from kgfs.names import as_utf8
from kgfs.namespace.bodies import Body, BytesBody
from kgfs.namespace.domains import usable
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.route import Above, Listed
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.status_source import StatusSource
from kgfs.namespace.views.files import MemoryView
from kgfs.namespace.views.stamps import published
from kgfs.namespace.views.text import bytes_lines, json_page

FRESH_SECONDS = 1.0
"""A rendering stays for so long, so that a size and the read after it agree."""


class Volatile(MemoryView):
    """A file that is made anew when looked at, at most once a second."""

    volatile: ClassVar[bool] = True

    def __init__(self, runtime: Runtime, make: Callable[[Snapshot, StatusSource, NodeRef], bytes]) -> None:
        self._runtime, self._make = runtime, make

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        when = self._current(s, node)[1]
        return when, when

    def _current(self, s: Snapshot, node: NodeRef) -> tuple[bytes, int, float]:
        """The bytes, since when they have been these (microseconds), and when they were made."""
        pinned = self._runtime.volatile
        known = pinned.get((self, node.id))
        now = time.monotonic()
        if known is None or now - known[2] > FRESH_SECONDS:
            text = self._make(s, self._runtime.status, node)
            since = known[1] if known is not None and known[0] == text else time.time_ns() // 1000
            known = pinned[self, node.id] = (text, since, now)
        return known

    def size(self, s: Snapshot, node: NodeRef) -> int:
        return len(self._current(s, node)[0])

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return self._current(s, node)[0]

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        return BytesBody(self._current(s, node)[0])

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        return BytesBody(self._current(s, node)[0])


def status_json(s: Snapshot, source: StatusSource, node: NodeRef) -> bytes:
    """Counts of what is shown, and what the service adds."""
    counts = {
        "documents": len(s.documents),
        "chunks": len(s.chunks),
        "entities": len(s.entities),
        "facts": len(s.facts),
        "topics": len(s.topics),
        "files": len(s.items),
    }
    return json_page({"generation": s.generation, "counts": counts, **source.status()})


def last_error_txt(s: Snapshot, source: StatusSource, node: NodeRef) -> bytes:
    text = source.last_error()
    return bytes_lines([as_utf8(text)]) if text else b""


def job_json(s: Snapshot, source: StatusSource, node: NodeRef) -> bytes:
    return json_page(source.jobs().get(s.names.name(node.id), {}))


class Jobs:
    """Jobs: ``id`` is the number of the job's name."""

    of: ClassVar[tuple[str | None, str | None]] = (None, None)

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def list(self, s: Snapshot, node: NodeRef) -> list[Listed]:
        numbers = sorted(s.names.number(job) for job in self._runtime.status.jobs() if usable(job))
        return [(f"{s.names.name(number)}.json", number, 0, number) for number in numbers]

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        job = name.removesuffix(".json")
        if job == name or not usable(job) or job not in self._runtime.status.jobs():
            return None
        return NodeRef(s.names.number(job))

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return f"{s.names.name(node.id)}.json"

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef()


NEIGHBOUR_FILES = {
    "settings.json": (
        b'{\n  "search.followSymlinks": false,\n  "files.watcherExclude": {"**": true},\n'
        b'  "search.exclude": {"**/@search/**": true}\n}\n'
    ),
    "CACHEDIR.TAG": (
        b"Signature: 8a477f597d28d172789f06886806bc55\n# This is a view of a kgfs store; back up the store instead.\n"
    ),
    ".nomedia": b"",
    ".trackerignore": b"",
}


class Constant(MemoryView):
    """A file that never changes."""

    stamp = staticmethod(published)

    def __init__(self, data: bytes) -> None:
        self._data = data

    def size(self, s: Snapshot, node: NodeRef) -> int:
        return len(self._data)

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return self._data

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        return BytesBody(self._data)

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        return BytesBody(self._data)
