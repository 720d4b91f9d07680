"""Names that say nothing: of files (random identifiers, numbers), of folders that only say where files lie, headings.

Pure; used for the names of documents in the tree (``store.files.document_names``), for titles (``documents``) and for
the names of pages (``extraction``). A random identifier has letters of both cases and digits in any order.
"""

from __future__ import annotations

import re

_SHORTEST = 16
_LONGEST_PART = 8
"""Letters that the longest part between hyphens has at least: what is spelled with hyphens are words."""
_CHARACTERS = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z\d_-]+")
_RUN = re.compile(r"[a-z]+|[A-Z]+|\d+")
_SORTABLE = re.compile(r"(?=.*\d)(?=.*[A-Z])[0-7][0-9A-HJKMNP-TV-Z]{25}")
"""A ULID, which begins with the time."""


_DATE = re.compile(r"(?:1[5-9]|20)\d\d(?:[-_. ]?(?:0[1-9]|1[0-2])(?:[-_. ]?(?:0[1-9]|[12]\d|3[01]))?)?")
_NUMBER = re.compile(r"[\W_]*\d[\d\W_]*")
_HEXADECIMAL = re.compile(r"(?=[a-f]*\d)[0-9a-f]{8,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""With a digit: *effaced* is a word."""
_UNTITLED = re.compile(r"(?:untitled|unnamed|new (?:document|file|note)|scan|img|image)[\W_]*\d*")


def is_random_id(name: str) -> bool:
    """Whether a name changes between small letters, capitals and digits at every second sign: *Wq7xUc2RzK9oTf4LbN8eV*,
    not *Lamp2OilReaderOptions*."""
    if _SORTABLE.fullmatch(name):
        return True
    if len(name) < _SHORTEST or _CHARACTERS.fullmatch(name) is None:
        return False
    parts = re.split(r"[_-]+", name)
    return max(map(len, parts)) >= _LONGEST_PART and 2 * len(_RUN.findall(name)) >= sum(map(len, parts))


MERE_FOLDERS = frozenset(
    "assets blob build content contents dist doc docs documentation documents en files html main markdown master md "
    "notes pages posts public site src static text vault web wiki www".split()
)
"""Folders that say where files lie, not what they are about."""

_NO_TITLES = frozenset(
    "about contents description details document documentation general home index introduction main new note notes "
    "overview page readme summary todo untitled".split()
) | {"table of contents"}


def is_opaque(stem: str) -> bool:
    """Whether a file's name says nothing of what it holds: a number, a hash, *untitled*; a date does."""
    lowered = stem.strip().lower()
    if _DATE.fullmatch(lowered):
        return False
    return is_random_id(stem.strip()) or any(shape.fullmatch(lowered) for shape in (_NUMBER, _HEXADECIMAL, _UNTITLED))


def says_no_title(heading: str) -> bool:
    """Whether a heading says nothing of what a text is about: *Overview*, *Notes*; or it has no letter."""
    words = re.findall(r"[^\W_]+", heading.lower())
    return not words or " ".join(words) in _NO_TITLES
