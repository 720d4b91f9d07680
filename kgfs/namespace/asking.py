"""Asks the tree from a thread that may wait: what must be prepared is, what a commit overtook is asked for again.

Used by ``kgfs.control.browse`` and by the tools. It is for one question each; nothing is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from kgfs.errors import Cancelled
from kgfs.namespace.bodies import Body, StaleSnapshotError

if TYPE_CHECKING:
    from kgfs.namespace.namespace import Namespace
    from kgfs.namespace.queries.matches import Matches
    from kgfs.namespace.tree_reader import Attr, Entry

T = TypeVar("T")
READ_BYTES = 1 << 20
OVERTAKEN_SECONDS = 10.0
KIND_NAMES = {"d": "directory", "f": "file", "l": "link"}


def described(namespace: Namespace, node: int, name: str) -> dict[str, Any]:
    """A node as an entry of a listing: ``name, kind, size, mtime_ns, mode, nlink``, and ``target`` of a link."""
    attr = attributes(namespace, node)
    told: dict[str, Any] = {
        "name": name,
        "kind": KIND_NAMES[attr.kind],
        "size": attr.size,
        "mtime_ns": attr.mtime_ns,
        "mode": attr.mode & 0o7777,
        "nlink": attr.nlink,
    }
    if attr.kind == "l":
        told["target"] = target(namespace, node)
    return told


def described_whole(namespace: Namespace, node: int) -> dict[str, Any]:
    """The same with the canonical path, inode number, ``ctime_ns``, the number of entries and the attributes."""
    told = described(namespace, node, namespace.path(node).rpartition("/")[2])
    attr = attributes(namespace, node)
    told["path"] = namespace.path(node)
    told["ctime_ns"] = attr.ctime_ns
    told["inode"] = node
    if attr.kind == "d":
        counts = {"d": 0, "f": 0, "l": 0}
        for entry in entries(namespace, node):
            counts[namespace.kind(entry.node)] += 1
        told["entries"] = {"directories": counts["d"], "files": counts["f"], "links": counts["l"]}
    told["attributes"] = {
        key.removeprefix("user.kg."): value.decode("utf-8", "replace")
        for key, value in sorted(namespace.xattrs(node).items())
    }
    return told


def attributes(namespace: Namespace, node: int) -> Attr:
    """The attributes of a node; what must be rendered for them is rendered, again where a commit came in between."""
    return _current(namespace, node, namespace.attr)


def target(namespace: Namespace, node: int) -> str:
    """Where a link leads, likewise."""
    return _current(namespace, node, namespace.target)


def _current(namespace: Namespace, node: int, question: Callable[[int], T]) -> T:
    deadline = time.monotonic() + OVERTAKEN_SECONDS
    while True:
        try:
            return question(node)
        except StaleSnapshotError:
            if time.monotonic() > deadline:
                raise
            namespace.prepare(node)


def entries(namespace: Namespace, node: int) -> Sequence[Entry]:
    """A listing whose nodes have their attributes."""
    if namespace.pending(node):
        namespace.prepare(node)
    return namespace.entries(node)


def body(namespace: Namespace, node: int) -> Body:
    """The body of a file; one that a commit overtook is asked for again until the new snapshot is adopted."""
    deadline = time.monotonic() + OVERTAKEN_SECONDS
    while True:
        try:
            return namespace.peek(node) or namespace.load(node)
        except StaleSnapshotError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def pieces(namespace: Namespace, node: int) -> Iterator[bytes]:
    """The bytes of a file, in order."""
    whole = body(namespace, node)
    offset = 0
    while part := whole.read(offset, READ_BYTES):
        yield bytes(part)
        offset += len(part)


def matching(namespace: Namespace, node: int, pattern: str, flags: str, stopped: Callable[[], bool]) -> Matches:
    """What matches in the newest snapshot; asked again where a commit was faster. ``Cancelled`` once it is stopped."""
    from kgfs.namespace.queries import grep  # here: most commands do not search

    deadline = time.monotonic() + OVERTAKEN_SECONDS
    while True:
        try:
            return grep.search(
                namespace, namespace.store, namespace.view, node, pattern, f"r{flags}", seconds=None, stopped=stopped
            )
        except StaleSnapshotError:
            if time.monotonic() > deadline:
                raise
            if stopped():
                raise Cancelled("Stopped.") from None
            time.sleep(0.05)
