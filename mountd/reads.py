"""Openings of files for reading, for the audit trail: ``kgfs mount --audit reads``.

Used by ``router``, on the loop's thread. Looking into the trail itself is not recorded.
"""

from __future__ import annotations

import logging
import time

from mountd.changes import Record
from mountd.requesters import Requesters

log = logging.getLogger(__name__)

_OWN = "@audit"


class Reads:
    """Records each file that somebody opened."""

    def __init__(self, record: Record, requesters: Requesters) -> None:
        self._record, self._requesters = record, requesters

    def opened(self, path: str, pid: int, began_ns: int) -> None:
        """A file was opened for reading. It never raises."""
        if path.split("/", 1)[0] == _OWN:
            return
        try:
            self._record("open", {"path": path}, began_ns, time.time_ns(), self._requesters.of(pid))
        except Exception:
            log.exception("an opening could not be recorded")
