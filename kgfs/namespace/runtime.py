"""What rows of the table need beside a snapshot: what changes without a new generation, and what runs.

The namespace makes one ``Runtime`` and passes it to the table (``tree.rows``), which passes it on to the segments and
views that need it. Read on the event loop.
"""

from __future__ import annotations

from collections.abc import Mapping

from kgfs.namespace.audit_source import AuditSource
from kgfs.namespace.bodies import Body
from kgfs.namespace.histories import Histories
from kgfs.namespace.queries.query_cache import QueryCache
from kgfs.namespace.run_source import RunSource
from kgfs.namespace.status_source import StatusSource
from kgfs.namespace.views.made import MadeFiles
from kgfs.namespace.views.pictures import DrawnPictures


class Runtime:
    """The changing parts of one namespace."""

    queries: QueryCache
    histories: Histories
    status: StatusSource
    audit: AuditSource
    runs: RunSource
    pictures: DrawnPictures
    """Given by the namespace, as are the five above; a table that is only looked at (the docs) has none of them."""

    def __init__(self, links: bool = True) -> None:
        """``links``: whether the tree has links."""
        self.links = links
        self.drafts: Mapping[int, Body] = {}
        """Inode to the body of a file that somebody is writing; ``kgfs.drives`` puts its own here."""
        self.pages = MadeFiles()
        """Pages of the website that somebody looked at."""
        self.volatile: dict[object, tuple[bytes, int, float]] = {}
        """What ``@status`` says at present: bytes, since when (microseconds), and when they were made."""
