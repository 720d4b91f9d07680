"""The extractor process as the worker sees it: started when it is first needed, again when it died.

Used by ``kgfs.worker`` from its threads, one call at a time; the other end is ``kgfs.extraction.extractor_child``. A
document that it dies on is reported and costs nothing else.
"""

from __future__ import annotations

import threading

import msgspec

from kgfs.child import Helper
from kgfs.config import Config
from kgfs.model import Extraction

MOST_SECONDS = 840.0
"""No document takes longer, whatever its size: less than what the worker's caller waits."""
KEPT_BYTES = 700 * 1024 * 1024
"""An extractor that has grown larger than this gives its memory back by ending."""


class Extractor:
    """At most one process."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._helper: Helper | None = None

    def extract(self, document: msgspec.Raw, gazetteer: msgspec.Raw) -> Extraction:
        """What the extractor finds in a document; both arguments encoded.

        ``DeadlineExceeded`` or ``WorkerError`` with a reason that a sentence may quote.
        """
        with self._lock:
            helper, self._helper = self._helper, None
            if helper is None or not helper.is_running():
                helper = Helper("kgfs.extraction.extractor_child", self._config, MOST_SECONDS, "extract_seconds")
            seconds = min(MOST_SECONDS, self._config.extract_seconds * max(1.0, len(bytes(document)) / (1 << 20)))
            try:
                found: Extraction = helper.call(Extraction, seconds, document=document, gazetteer=gazetteer)
            except BaseException:
                helper.end()
                raise
            if (helper.memory() or 0) > KEPT_BYTES:
                helper.end()
            else:
                self._helper = helper
            return found

    def close(self) -> None:
        """End the process, if it waits."""
        with self._lock:
            helper, self._helper = self._helper, None
        if helper is not None:
            helper.end()
