"""Pages among the stored files: which are known by their URL, and where a row came from.

Used by the passes over pages (reads, on the jobs thread and threads of its own) and by the pass that reads rows again.
Functions take a cursor of ``Database.read``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kgfs.store.catalog.database import Cursor
from kgfs.store.files.items import KNOWN_FIELDS, KnownFile


class KnownPage(NamedTuple):
    """A stored page."""

    drive: str
    ref: str
    source_url: str | None
    known: KnownFile


def known_pages(cursor: Cursor, refs: Sequence[str], urls: Sequence[str]) -> list[KnownPage]:
    """The items at these refs, and those that came from these URLs, in order of ref."""
    rows = cursor.execute(
        f"SELECT drive, ref, source_url, {KNOWN_FIELDS} FROM context_items"
        " WHERE ref IN (SELECT unnest(?::VARCHAR[])) OR source_url IN (SELECT unnest(?::VARCHAR[])) ORDER BY ref",
        [list(refs), list(urls)],
    ).fetchall()
    return [KnownPage(drive, ref, url, KnownFile(*known)) for drive, ref, url, *known in rows]


class Origin(NamedTuple):
    """Where an item came from."""

    url: str = ""
    """Empty where it came from none."""
    mime_type: str = ""
    dated: bool = True
    """Its origin said when it was last written; else the time in its row is when it was loaded."""


def item_origin(cursor: Cursor, item_id: int) -> Origin:
    """Where an item came from."""
    row = cursor.execute(
        "SELECT coalesce(source_url, ''), coalesce(mime_type, ''), source_mtime_ns IS DISTINCT FROM source_read_ns"
        " FROM context_items WHERE id = ?",
        [item_id],
    ).fetchone()
    return Origin(*row) if row else Origin()
