"""Stored files and months: dates of their directories and the links that lead to stored files."""

from __future__ import annotations

from typing import Any

from kgfs.errors import NotFoundError
from kgfs.namespace.attributes import DIRECTORY_MODE
from kgfs.namespace.domains import gone
from kgfs.namespace.node import NodeRef
from kgfs.namespace.route import Stamp
from kgfs.namespace.segments.context import directory_at
from kgfs.namespace.segments.dates import Dated
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.links import Computed


def directory_stamp(s: Snapshot, node: NodeRef) -> tuple[int, int]:
    """A directory of a drive: its newest file beneath, or when a name came or went; what somebody set stands."""
    found = directory_at(s, node)
    row = found.row
    when = max(found.mtime, found.touched) or (row.ctime if row is not None else s.published)
    ctime = max(when, row.ctime) if row is not None else when
    if row is not None and row.mtime is not None:
        return row.mtime, ctime
    return when, ctime


def directory_mode(s: Snapshot, node: NodeRef) -> int:
    """The creator's permission bits."""
    row = directory_at(s, node).row
    return DIRECTORY_MODE if row is None else row.mode


def directory_atime(s: Snapshot, node: NodeRef) -> int | None:
    """As somebody set it."""
    row = directory_at(s, node).row
    return None if row is None else row.atime


def mode(s: Snapshot, node: NodeRef) -> int:
    """The creator's permission bits."""
    live = s.context.live.get(node.id)
    return (s.item_mode[s.items.index(s.context.item_of(node.id))] if live is None else live.mode) & 0o7777


def atime(s: Snapshot, node: NodeRef) -> int | None:
    """As somebody set it."""
    live = s.context.live.get(node.id)
    return None if live is None else live.atime


class ToItem(Computed):
    """From a document (``id``) to its stored file."""

    def path(self, s: Snapshot, node: NodeRef) -> str:
        inode = s.context.inode_of(node.id)
        if inode not in s.context.place:
            raise gone("file")
        return s.context.path(inode)

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        index = s.documents.index(node.id)
        return s.documents.mtime[index], s.documents.ctime[index]


class ToSource(Computed):
    """From a source (``id``) to where its files stand."""

    def _found(self, s: Snapshot, node: NodeRef) -> tuple[int, str, int]:
        name = s.source_names.get(node.id)
        if name is None:
            raise gone("source")
        return s.sources[name]

    def path(self, s: Snapshot, node: NodeRef) -> str:
        return self._found(s, node)[1]

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        return self._found(s, node)[2], s.published


def _newest(s: Snapshot, dated: Dated, month: int) -> int:
    members: Any = dated.months(s).get(month)
    if members is None:
        raise NotFoundError("Nothing is of that date any more.")
    return int(dated.row_names.domain(s).mtime_array[members].max())


def month_stamp(dated: Dated) -> Stamp:
    """A month: its newest member."""
    return lambda s, node: (_newest(s, dated, node.id), s.published)


def year_stamp(dated: Dated) -> Stamp:
    """A year: its newest member, in its last month."""

    def stamp(s: Snapshot, node: NodeRef) -> tuple[int, int]:
        month = max((month for month in range(node.id * 12, node.id * 12 + 12) if month in dated.months(s)), default=-1)
        return _newest(s, dated, month), s.published

    return stamp
