"""Sizes and dates of a row's nodes as columns: what ``stat`` and listings show without a call for each node.

Used by the namespace, on the event loop. Most rows of the table show things whose size and dates stand in columns of
the snapshot; there one index answers all three, and a listing takes them by the hundred. Rows that compute theirs (a
month, a query) have no columns and are asked node by node.
"""

from __future__ import annotations

from typing import NamedTuple

from kgfs.namespace.domains import Domain
from kgfs.namespace.node import ID_BITS
from kgfs.namespace.route import Dir, File, Row
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.stamps import RowColumn, RowDates

UP = len("../")
DIRECTORY_MODE, FILE_MODE, LINK_MODE = 0o755, 0o644, 0o777


class Columns(NamedTuple):
    """Where a row's sizes and dates stand."""

    domain: Domain
    shift: int
    """Bits by which a node is shifted to have the row id of this domain lowest."""
    sizes: memoryview | None
    """``None`` where all are 0."""
    more: int
    """Bytes to add to each size: what a link has in front of the path."""
    mtimes: memoryview
    """In microseconds, as are ``ctimes``."""
    ctimes: memoryview


def columns(row: Row, s: Snapshot) -> Columns | None:
    """The columns of a row in a snapshot, ``None`` where something of it is computed."""
    node_type = row.node_type
    more = 0
    if isinstance(node_type, Dir):
        dates, size = node_type.stamp, node_type.size
    elif isinstance(node_type, File):
        dates, size = node_type.view.stamp, node_type.view.size
        if (
            node_type.mode is not None
            or node_type.passing is not None
            or node_type.view.volatile
            or node_type.view.lazy
        ):
            return None
    else:
        dates, size = node_type.to.stamp, node_type.to.length
        if row.depth < 0 or node_type.passing is not None:
            return None
        more = UP * row.depth
    if not isinstance(dates, RowDates) or not (size is None or isinstance(size, RowColumn)):
        return None
    domain = dates.domain(s)
    if size is not None and (size.domain(s) is not domain or size.by_sub != dates.by_sub):
        return None
    sizes = None if size is None else size.column(s)
    return Columns(domain, 0 if dates.by_sub else ID_BITS, sizes, more, dates.column(s), domain.ctime)
