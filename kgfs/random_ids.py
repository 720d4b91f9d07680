"""Whether a file's name is a random identifier: letters of both cases and digits in any order.

Pure; used for the names of documents in the tree (``store.files.document_names``), for titles (``documents``) and for
the names of pages (``extraction``). Such a name says nothing of what a file holds.
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


def is_random_id(name: str) -> bool:
    """Whether a name changes between small letters, capitals and digits at every second sign: *Wq7xUc2RzK9oTf4LbN8eV*,
    not *Lamp2OilReaderOptions*."""
    if _SORTABLE.fullmatch(name):
        return True
    if len(name) < _SHORTEST or _CHARACTERS.fullmatch(name) is None:
        return False
    parts = re.split(r"[_-]+", name)
    return max(map(len, parts)) >= _LONGEST_PART and 2 * len(_RUN.findall(name)) >= sum(map(len, parts))
