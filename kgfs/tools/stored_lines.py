"""Lines of stored files that match a pattern, as the rows are at this moment.

Used by ``search_grep``; blocks, in any thread. GNU grep decides on every line, as in ``@grep``, whose stream and
narrowing this uses; what is different is that it needs no tree: a file is found by its drive and path, and what was
written a moment ago is searched too. What has no text (``kgfs.tools.texts``) is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kgfs.namespace.queries.grep_process import Command, Stream, require_pattern
from kgfs.namespace.queries.literals import needles
from kgfs.namespace.queries.matches import LIMIT_BYTES, Matches, too_large
from kgfs.namespace.queries.stored_text import FEW_FILES, deadline
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files import drive_contents
from kgfs.store.files.drive_contents import TextFile
from kgfs.store.files.items import BLOCK_BYTES
from kgfs.store.tree import text_scan
from kgfs.store.tree.text_scan import StoredText
from kgfs.tools.addresses import Address
from kgfs.tools.texts import pieces

SECONDS = 9.0
"""An answer within 10 seconds, or none."""


class MatchingLine(NamedTuple):
    """One line."""

    ref: str
    number: int
    text: str


class _LinesByItem(Matches):
    """Lines by item, as the stream finds them."""

    def __init__(self) -> None:
        self.names = False
        self.lines_of: dict[int, list[tuple[int, bytes]]] = {}
        self._size = 0

    def add_text(self, text: StoredText, first: int, printed: list[bytes]) -> None:
        own = self.lines_of.setdefault(text.owner, [])
        for line in printed:
            number, _, rest = line.partition(b":")
            own.append((int(number) - first + 1, rest))
            self._size += len(rest) + 100
        if self._size > LIMIT_BYTES:
            raise too_large()


def matching(
    database: Database, place: Address | None, pattern: str, flags: str, fits: Callable[[str], object] | None
) -> list[MatchingLine]:
    """The lines at and beneath a place, or everywhere, by ref and number; ``flags`` are of ``i F w``.

    ``fits`` says of a name whether its file is searched. ``QueryError`` with grep's reason for a pattern that is none,
    ``TooLarge``, ``DeadlineExceeded``.
    """
    raw = pattern.encode("utf-8")
    require_pattern(raw)
    options = [b"-F" if "F" in flags else b"-E", *(f"-{flag}".encode() for flag in "iw" if flag in flags)]
    narrowing = needles(pattern, "F" in flags, "i" in flags)
    found = _LinesByItem()
    files: dict[int, TextFile] = {}
    with Stream(Command(options, raw).stream(), found, deadline(SECONDS), lambda: False) as stream:

        def feed() -> None:
            with database.read(snapshot=True) as cursor:
                for file in drive_contents.text_files(cursor, *(place or (None, "/"))):
                    if fits is None or fits(file.path.rpartition("/")[2]):
                        files[file.id] = file
                bodies = [file for file in files.values() if not file.extracted]
                _texts(stream, "documents", [file for file in files.values() if file.extracted], narrowing, cursor)
                _texts(stream, "items", [file for file in bodies if file.size <= BLOCK_BYTES], narrowing, cursor)
                for file in bodies:
                    if file.size > BLOCK_BYTES:
                        stream.body(StoredText("items", file.id, "", 0, b""), pieces(cursor, file.id, file.size))

        stream.run(feed)
    by_ref = sorted((files[item].ref, lines) for item, lines in found.lines_of.items())
    return [MatchingLine(ref, number, text.decode("utf-8", "replace")) for ref, own in by_ref for number, text in own]


def _texts(stream: Stream, table: str, files: list[TextFile], narrowing: text_scan.Needles, cursor: Cursor) -> None:
    """The texts of documents, or bodies that do not lie in blocks."""
    ids = np.array([file.id for file in files], np.int64)
    sizes = np.array([file.size for file in files], np.int64)
    wanted, few = set(ids.tolist()), len(files) <= FEW_FILES
    if table == "items":
        found = text_scan.scan_items(cursor, ids, sizes, narrowing, few=few)
    else:
        found = text_scan.scan_texts(cursor, table, ids, sizes, narrowing, few=few)
    for batch in found:
        if stream.over.is_set():
            raise BrokenPipeError
        texts = [text for text in batch if text.owner in wanted and not text.binary and text.body]
        texts = [text if text.body.endswith(b"\n") else text._replace(body=text.body + b"\n") for text in texts]
        if texts:
            stream.texts(texts)
