"""Whether a name that stands in a text is meant as the name that it is, or is an ordinary word or a part of another
name there.

Used by the lexicon, which hands itself in; pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Protocol

from kgfs.extraction.names import namesakes
from kgfs.extraction.names.matching import NameMatch
from kgfs.extraction.names.named import NameFindings
from kgfs.extraction.names.wording import Wording
from kgfs.extraction.names.wordlists import small_words, words
from kgfs.extraction.names.wordlists.calendar_words import CALENDAR, is_time
from kgfs.extraction.units import Unit
from kgfs.model import EntityCandidate

_QUOTES = "\"“”‘’'*_«»„"
_CAPITAL_BEFORE = re.compile(r"[A-Z][\w.]* $")
_WORD_BEFORE = re.compile(r"(?<=\S )(?P<word>[A-Z]\w+) $")
_MERE_THINGS = frozenset("Dashboard Directory Guide Handbook Intranet Manual Playbook Portal Toolkit Wiki".split())
"""Words that are a thing's name on its own pages, and the end of many others': *the Consumer Action Handbook*."""
_NAMED_THINGS = frozenset({"Policy", "Product", "Program"})
_CAPITAL_AFTER = re.compile(r" (?:of |and )?[A-Z]\w")
_SAYS_WHO = re.compile(r"['’]s\b|,? (?:[a-z]+ed|is|was|has|had|will|said|says|bought|made|and [A-Z])\b")
"""What follows the name of somebody at the start of a sentence."""


class DocumentNames(Protocol):
    """What is known of the names of a document."""

    @property
    def named(self) -> list[NameFindings]: ...
    @property
    def subject(self) -> int | None: ...
    @property
    def declared(self) -> Mapping[int, EntityCandidate]: ...
    @property
    def wording(self) -> Wording: ...
    def find_entry(self, name: str) -> int | None:
        """The entry of ``name``, if there is one."""

    def resolved(self, ref: int) -> int:
        """The entry that an entry became."""

    def in_lower_case(self, word: str) -> bool:
        """Whether the document writes a word in lower case."""

    def is_small(self, name: str, type_: str) -> bool:
        """Whether a name of this type is an ordinary word in small letters."""

    def is_word(self, name: str) -> bool:
        """Whether a name is one word with a capital that is an ordinary word too."""


def is_meant(names: DocumentNames, unit: Unit, hit: NameMatch[int]) -> bool:
    """Whether a name that is an ordinary word is meant as the name: *Rose*, *Filter*, *header*.

    With a capital it must be in quotes, or inside a sentence where no other name goes on. A name of several words
    at the start of a sentence counts.
    """
    text = unit.content.text
    word = text[hit.start : hit.end]
    named = names.named[hit.key]
    best = named.best
    type_ = best[0] if best else "Concept"
    if namesakes.means_other(named.name, type_, text, hit.start, hit.end):
        return False
    if (
        type_ in _NAMED_THINGS
        and (" " in word or word in _MERE_THINGS)
        and _is_part(names, text, hit, {"Organization", type_})
    ):
        return False
    if _opens_with_subject(names, unit, hit):
        return False
    if word in CALENDAR and is_time(text, hit.start, hit.end, own=hit.key in names.declared):
        return False
    if not (named.known or named.declared):
        return True
    if names.is_small(word, type_):
        return small_words.is_meant(unit, hit.start, hit.end, type_)
    if not names.is_word(word):
        return True
    before, after = text[: hit.start], text[hit.end :]
    if before[-1:] in _QUOTES and after[:1] in _QUOTES:
        return True
    if named.term and hit.key not in names.declared:
        return False  # of a list's term, *Processes*, a capital says nothing elsewhere
    of_name = best is not None and best[0] in ("Organization", "Person", "Location", "Product", "Work")
    # Of a concept (*Security*, *President*) a capital says nothing, however often the text writes it.
    small = not of_name or word.lower() in words.NOT_NAMES or names.in_lower_case(word)
    if small and word.casefold() != named.name.casefold() and hit.key not in names.declared:
        return False  # only another name of it: too little
    if (
        word.casefold() != named.name.casefold()
        and hit.key not in names.declared
        and (_CAPITAL_BEFORE.search(before) or _CAPITAL_AFTER.match(after))
    ):
        return False  # "Chief Executive Officer" is nothing of Officer, Victoria
    if unit.kind != "sentence":
        return text.strip(" #*_`") == word
    if not before.strip(" \"'“‘«(*_[—–-") or before.rstrip()[-1:] in ".:!?":
        return hit.key == names.subject or (not small and _SAYS_WHO.match(after) is not None)
    # A word that the text always writes with a capital is the name, whatever stands beside it.
    return not small or not (_CAPITAL_BEFORE.search(before) or _CAPITAL_AFTER.match(after))


def _opens_with_subject(names: DocumentNames, unit: Unit, hit: NameMatch[int]) -> bool:
    """Whether a sentence opens with a name, on a page on another thing of that name: *Reno is a 2002 film*."""
    if names.subject is None or hit.start or unit.kind != "sentence":
        return False
    subject = names.resolved(names.subject)
    return hit.key != subject and names.named[subject].name.startswith(f"{unit.content.text[: hit.end]} (")


def _is_part(names: DocumentNames, text: str, hit: NameMatch[int], owners: Collection[str]) -> bool:
    """Whether a thing that is called by ordinary words is only a part of what is named: *Self Service* of *Tarn IT
    Self Service Portal*, but not of *the GSA Self Service app*."""
    found = _WORD_BEFORE.search(text, max(0, hit.start - 30), hit.start)
    if found is None or not names.wording.plain(text[hit.start : hit.end]):
        return False
    known = names.find_entry(found["word"])
    best = names.named[names.resolved(known)].best if known is not None else None
    return best is None or best[0] not in owners
