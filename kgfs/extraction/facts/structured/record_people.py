"""Records of persons: columns that only persons have, and what of those who left is still so.

Used by ``records``; pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kgfs.documents.blocks import Block
from kgfs.documents.records.record import Record
from kgfs.extraction.facts.structured.structure import FORMER
from kgfs.extraction.names.wordlists import words

_PERSON = re.compile(r"[^\W\d_a-z][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){1,3}")
_SLUG = re.compile(r"[a-z]{2,20}(?:-[a-z]{1,20}){1,2}")
_SCOTTISH = re.compile(r"^Mc([a-z])")
_SEVERAL = frozenset("Team Staff Group Office Editors Admin Bot Labs Lab Community Foundation Project".split())
OF_PERSONS = frozenset({"affiliation", "affiliations", "employer", "works_for"})
"""Columns that only persons have."""
_SAYS_WHO = re.compile(
    r"(?:.*_)?(?:e?_?mail|github|gitlab|slack|twitter|mastodon|linkedin|orcid|handle|username|user|irc|website|homepage|url)(?:_(?:id|handle|name|username|user|address))?"
)


def says_who(key: str) -> bool:
    """Whether a key, in one spelling, only says where one finds somebody, as it does of those who left."""
    return _SAYS_WHO.fullmatch(key) is not None


def is_person_like(record: Record) -> bool:
    """Whether a record is called as persons are."""
    return _PERSON.fullmatch(record.name) is not None


def slug_person(value: str, is_word: Callable[[str], bool]) -> str:
    """The name of somebody who is called as in an address (``ann-lee``, ``ann``); empty for anything else.

    It begins with a given name, or its parts are no words.
    """
    if value.isalpha() and value.islower():
        return value.capitalize() if value.capitalize() in words.GIVEN_NAMES else ""
    if _SLUG.fullmatch(value) is None:
        return ""
    parts = [_SCOTTISH.sub(lambda found: f"Mc{found[1].upper()}", part.capitalize()) for part in value.split("-")]
    somebody = parts[0] in words.GIVEN_NAMES or not any(map(is_word, parts))
    return " ".join(parts) if somebody and len(parts[-1]) > 1 and parts[-1] not in _SEVERAL else ""


def former_places(blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """Where a text stands beneath headings such as *Alumni*, in characters."""
    found: list[tuple[int, int]] = []
    headings: list[tuple[int, str]] = []
    for block in blocks:
        if block.kind == "heading":
            headings = [*(one for one in headings if one[0] < block.level), (block.level, block.title)]
        elif any(FORMER.search(title) for _, title in headings):
            found.append((block.start, block.end))
    return found
