"""The grammar of PATH: what a user or an agent may call a place, as text (design, section 3). Pure.

A PATH is a path on the mount, a path from the tree's root, ``/kg/…``, ``drive:/path``, the URL of a page, the name of a
source, or an id: of a stored file, a document, a chunk, a fact or an entity. Here it is told which form a text has and
what its parts are. Whether there is such a thing is known by those who have rows and the tree: ``kgfs.control``,
``kgfs.service`` and ``kgfs.tools``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

PREFIX = "/kg"
"""What stands for the mountpoint in a path, wherever the store is mounted or not."""
ITEM_DIGITS = 18
"""No id of a stored file has more digits."""
FACT_ID = "f_[0-9a-f]{16}"
"""The pattern of a fact's id."""

_DRIVE = re.compile(r"[a-z][a-z0-9-]*")
_REF = re.compile(r"(?P<drive>[a-z][a-z0-9-]*):(?P<path>/.*)", re.DOTALL)
_NUMBER = re.compile(r"[0-9]+", re.ASCII)
_URL = re.compile(r"https?://.*", re.DOTALL | re.IGNORECASE)
_FACT = re.compile(FACT_ID)
_FACT_FILE = re.compile(rf"(?:.*/)?(?P<id>{FACT_ID})(?:\.json)?")
_ORDINAL = "(?P<ordinal>[0-9]{4,9})"
_CHUNK = re.compile(rf"(?P<document>[^/]+)_chunk_{_ORDINAL}")
_CHUNK_DIRECTORY = re.compile(rf"(?:.*/)?chunks/by_document/(?P<document>[^/]+)/chunk_{_ORDINAL}(?:/.*)?")
_ENTITY = re.compile(r"(?:/?kg/|/)?entities/[^/]+/(?P<slug>[^/]+)(?:/.*)?", re.DOTALL)


Reference = tuple[str, str]
"""Drive and path of something stored, or of a place above it."""


class Ref(NamedTuple):
    """A place of a drive; nothing need be there."""

    drive: str
    path: str
    """From the drive's root, which is ``/``."""


class ChunkName(NamedTuple):
    """A chunk by its document's slug and its number there."""

    document: str
    ordinal: str
    """Its digits, four to nine: ``0042``."""


def parse_ref(text: str) -> Ref | None:
    """``drive:/path``, as it was typed; ``None`` for any other form."""
    match = _REF.fullmatch(text)
    return None if match is None else Ref(match["drive"], match["path"])


def is_drive(text: str) -> bool:
    """Whether a drive may have this name."""
    return _DRIVE.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Whether a text is digits alone, as the id of a stored file is."""
    return _NUMBER.fullmatch(text) is not None


def item_id(text: str) -> int | None:
    """The id of a stored file."""
    return int(text) if is_number(text) and len(text) <= ITEM_DIGITS else None


def is_url(text: str) -> bool:
    """Whether a text is meant as the URL of a page."""
    return _URL.fullmatch(text) is not None


def is_fact_id(text: str) -> bool:
    """Whether a text is the id of a fact, ``f_`` and 16 digits."""
    return _FACT.fullmatch(text) is not None


def parse_fact(text: str) -> str | None:
    """The id of a fact that is given by its id or by the path of its file."""
    match = _FACT_FILE.fullmatch(text)
    return None if match is None else match["id"]


def fact_id(number: int) -> str:
    """The id of a fact, by its digits as a number."""
    return f"f_{number:016x}"


def fact_number(text: str) -> int | None:
    """The digits of a fact's id as a number; ``None`` for any other text."""
    return int(text[2:], 16) if is_fact_id(text) else None


def parse_chunk_id(text: str) -> ChunkName | None:
    """The id of a chunk: ``report_chunk_0042``."""
    return _chunk(_CHUNK.fullmatch(text))


def parse_chunk(text: str) -> ChunkName | None:
    """A chunk that is given by its id or by a path in its directory."""
    return _chunk(_CHUNK_DIRECTORY.fullmatch(text)) or parse_chunk_id(text)


def _chunk(match: re.Match[str] | None) -> ChunkName | None:
    return None if match is None else ChunkName(match["document"], match["ordinal"])


def parse_entity(text: str) -> str | None:
    """The slug of an entity that is given by a path in its directory: ``entities/people/Ada_Lovelace``."""
    match = _ENTITY.fullmatch(text)
    return None if match is None else match["slug"]


def source_name(text: str) -> str:
    """The name that a source has if ``text`` means one; it may stand beneath ``sources/``."""
    return text.removeprefix("sources/").rstrip("/")


def below(prefix: str, text: str) -> str | None:
    """What of an absolute path lies beneath ``prefix``, with its slash; ``None`` where it lies elsewhere."""
    if prefix in ("", "/") or not (text == prefix or text.startswith(prefix.rstrip("/") + "/")):
        return None
    return text[len(prefix) :]
