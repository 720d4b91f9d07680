"""Where an ordinary word in small letters is meant as the name that it is, too: *header*, *log*, *error*.

Used by the lexicon; pure. A manual's directives, options and terms take the words that everybody uses. Such a word is
the name only where its markup or the word beside it says so.
"""

from __future__ import annotations

import re

from kgfs.extraction.names import tagging
from kgfs.extraction.names.named import LONG_TERM, TERM_TYPES
from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.units import Unit

_KINDS = (
    r"(?:(?:sub|meta)?commands?|(?:sub)?directives?|cmdlets?|options?|parameters?|settings?|keywords?|flags?|functions?|"
    r"methods?|macros?|modules?|plug-?ins?|extensions?|packages?|programs?|tools?|utilit(?:y|ies)|hooks?|decorators?)\b"
)
_BEHIND = re.compile(rf"[`'\"”’*_]* {_KINDS}")
_BEFORE = re.compile(rf"\b{_KINDS}(?: (?:named|called))? [`'\"“‘*_]*$")
_QUOTES = "\"“”‘’'*_«»„"


def is_small_word(name: str, type_: str, *, tagged: bool, term: bool = False) -> bool:
    """Whether a name is one ordinary word in small letters; ``tagged`` is whether there is a dictionary.

    A long word (*photosynthesis*) says enough by itself, unless it is only a ``term`` of a list or a table: *internal*.
    """
    if not (name.isalpha() and name.isascii() and name.islower()):
        return False
    if type_ in TERM_TYPES and len(name) >= LONG_TERM and not term:
        return False
    return name in words.NOT_NAMES or (tagged and (is_ordinary(name) or tagging.is_inflected_verb(name)))


def is_meant(unit: Unit, start: int, end: int, type_: str) -> bool:
    """Whether the word at ``start`` is meant as a name: in code, in quotes, as a link or a whole heading, beside the
    word for its kind."""
    text = unit.content.text
    if unit.kind == "code":
        # What a listing does: a directive opens its line.
        line = text[text.rfind("\n", 0, start) + 1 : start]
        return type_ == "Command" and not line.strip() and text[end : end + 1] in ("", " ", "\n")
    if any(first == start and end <= last for first, last in unit.content.code):
        return True
    if any(link.start == start and link.end == end for link in unit.content.links):
        return True
    before, behind = text[:start], text[end:]
    if before[-1:] in _QUOTES and before and behind[:1] in _QUOTES and behind:
        return True
    if unit.kind == "heading":
        return text.strip(" #*_`") == text[start:end]
    return _BEHIND.match(behind) is not None or _BEFORE.search(before) is not None
