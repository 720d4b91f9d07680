"""The date that a document states, told apart from the time of its file, which dates no fact.

Used by the extractor before it reads a document; pure. A document keeps its date, whatever it came from; what its
sentences and rows say is as old as the document only where its name, its title or its front matter says so.
"""

from __future__ import annotations

import msgspec

from kgfs.documents import dates
from kgfs.model import ParsedDocument

_DATED_INSIDE = frozenset({"text/html", "text/x-tex", "text/calendar"})
"""Formats of text that have a date of their own, as a mail or a PDF has; others are dated by name or front matter."""
_UNDATED = ("text/", "application/json", "application/yaml", "application/toml")
"""What formats without such a date begin with."""


def as_stated(document: ParsedDocument) -> ParsedDocument:
    """The document without a date that only its file's time says; its passages keep those of their headings."""
    inside = document.mime_type in _DATED_INSIDE or not document.mime_type.startswith(_UNDATED)
    if document.date is None or not document.path or inside or _states(document, document.date):
        return document
    chunks = [
        msgspec.structs.replace(chunk, date=None) if chunk.date == document.date else chunk for chunk in document.chunks
    ]
    return msgspec.structs.replace(document, date=None, chunks=chunks)


def _states(document: ParsedDocument, date: str) -> bool:
    named = dates.from_path(document.path)
    return date in (named, dates.from_title(document.title), dates.from_front_matter(document.front_matter))
