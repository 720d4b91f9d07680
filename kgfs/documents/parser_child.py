"""The parser process: parses one document after another, with a limit on time and on memory.

A child that ``kgfs.worker`` starts: ``python -m kgfs.documents.parser_child``. Parsers of strangers' files hang, crash
and take memory; here that costs one document and nothing else. It imports formats only, never a model.
"""

from __future__ import annotations

import os

from kgfs.child import Answer, serve
from kgfs.config import Config
from kgfs.documents.formats import parsing
from kgfs.documents.original import has_changed
from kgfs.model import ParsedDocument


def begin(config: Config) -> Answer:
    """Parses ``data``, or where there is none the file at ``path``, which must be of ``size`` and ``mtime_ns``."""

    def parse(
        data: bytes | None, path: bytes, name: bytes, mtime_ns: int | None, size: int, url: str
    ) -> ParsedDocument:
        if data is None:
            assert mtime_ns is not None
            with open(path, "rb") as file:
                data = file.read(size + 1)
                status = os.fstat(file.fileno())
            if len(data) != size or has_changed(status, size, mtime_ns):
                raise ValueError("the file changed while it was read")
        document = parsing.parse_document(data, os.fsdecode(name), mtime_ns=mtime_ns, config=config, url=url)
        if document.unread and _peak_memory() > config.parse_memory_bytes // 8 * 7:
            raise MemoryError  # libraries take a file for broken when they get no more memory
        return document

    return parse


def _peak_memory() -> int:
    """The most bytes that this program has held. (``ru_maxrss`` counts what its parent held when it was started.)"""
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:")), 0)


if __name__ == "__main__":
    serve("kgfs.documents.parser_child", begin)
