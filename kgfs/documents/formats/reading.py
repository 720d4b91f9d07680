"""What goes into a reader of a format and what comes out of it.

Used by every module of this package; pure. A reader is ``read(source) -> FileText``; it raises ``Unreadable`` for a
file that is of its format but gives no text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from kgfs.config import Config

KEPT = "kept as a file"
BROKEN = "It is broken or not of the format that its name says"


class Unreadable(Exception):
    """A file of a known format that gives no text. The message says why, without a full stop (``It is broken``)."""

    @property
    def sentence(self) -> str:
        """The one line that the user sees."""
        return f"{self}; {KEPT}."


@dataclass(slots=True)
class RawFile:
    """A file to be read."""

    name: str
    """The file's name, printable, without its folders."""
    mime_type: str
    data: bytes
    config: Config
    text: str = ""
    """The decoded bytes, where the format is one of text."""
    url: str = ""
    """Where it comes from, if from the web."""
    path: str = ""
    """The name with its folders, which may say its day; empty where they are not known."""


@dataclass(slots=True)
class FileText:
    """The text of a file and what its format says about it."""

    text: str
    is_content: bool = False
    """``text`` is the decoded bytes, nothing added, nothing left out."""
    title: str = ""
    date: str | None = None
    """The date that the author gave it (``kgfs.documents.dates``); wins over the file's name."""
    made: str | None = None
    """The date that the program wrote into the file's properties; the file's name wins over it."""
    description: str = ""
    summary: str = ""
    front_matter: dict[str, Any] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    """Where each page starts, in characters, ascending; empty in a format without pages."""


class FormatReader(Protocol):
    """The one function of a format's module."""

    def __call__(self, source: RawFile) -> FileText: ...


def property_lines(**values: object) -> dict[str, Any]:
    """Document properties as front matter: without what is empty, texts on one line."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, str):
            value = printable(value)[:1000]
        if value:
            found[key] = value
    return found


def printable(text: object) -> str:
    """A property as one line of valid text."""
    raw = str(text or "").encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
    return " ".join(raw.split())


def split_words(text: object) -> list[str]:
    """Keywords that stand in one property, split at commas and semicolons."""
    parts = str(text or "").replace(";", ",").split(",")
    return list(dict.fromkeys(word for part in parts if (word := printable(part)) and len(word) <= 80))[:50]
