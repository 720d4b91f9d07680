"""Reader processes as the worker sees them: one document at a time each, replaced when it dies or grew large.

Used by ``kgfs.worker`` from its threads; the other end is ``kgfs.documents.parser_child``. A document that a reader
dies on is reported and costs nothing else.
"""

from __future__ import annotations

import os
import threading

from kgfs.child import Helper
from kgfs.config import Config
from kgfs.documents.formats import parsing
from kgfs.model import ParsedDocument

KEPT_BYTES = 400 * 1024 * 1024
"""A reader that has grown larger than this gives its memory back by ending."""


class Readers:
    """As many reader processes as there are documents read at once; each is started when it is first needed."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._idle: list[Helper] = []
        self._lock = threading.Lock()

    def parse(self, data: bytes, name: str, mtime_ns: int | None, url: str = "") -> ParsedDocument:
        """The document that a file holds (``kgfs.documents.formats.parse``).

        ``DeadlineExceeded`` when that takes longer than ``parse_seconds``, ``WorkerError`` when the reader broke down
        on it; both messages are a reason that a sentence may quote.
        """
        return self._read(data, "", name, mtime_ns, len(data), url)

    def parse_large(
        self, path: str, name: str, mtime_ns: int, size: int, head: bytes, tail: bytes, is_utf8: bool
    ) -> ParsedDocument:
        """The document that a large file holds; its bytes cross no socket.

        Of text that is kept as it is the first bytes (``head``) are enough. Of any other format a reader reads the file
        itself, which must still be of that ``size`` and ``mtime_ns``. Errors as of ``parse``.
        """
        if parsing.needs_whole(head, tail, name):
            return self._read(None, path, name, mtime_ns, size)
        return parsing.parse_head(head, name, is_utf8=is_utf8, mtime_ns=mtime_ns, config=self._config)

    def _read(
        self, data: bytes | None, path: str, name: str, mtime_ns: int | None, size: int, url: str = ""
    ) -> ParsedDocument:
        with self._lock:
            reader = self._idle.pop() if self._idle else None
        if reader is None or not reader.is_running():
            seconds = self._config.parse_seconds
            reader = Helper("kgfs.documents.parser_child", self._config, seconds, "parse_seconds", limited=True)
        try:
            document: ParsedDocument = reader.call(
                ParsedDocument,
                data=data,
                path=os.fsencode(path),
                name=os.fsencode(name),
                mtime_ns=mtime_ns,
                size=size,
                url=url,
            )
        except BaseException:
            reader.end()
            raise
        held = reader.memory()
        if held is None or held > KEPT_BYTES:
            reader.end()
        else:
            with self._lock:
                self._idle.append(reader)
        return document

    def idle(self) -> list[int]:
        """The processes that wait for a document."""
        with self._lock:
            return [reader.pid for reader in self._idle]

    def close(self) -> None:
        """End the processes that wait; those at work end when they are done."""
        with self._lock:
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.end()
