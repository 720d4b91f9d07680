"""Facts one end of which is not what its sentence names there: a part of a longer name, an adjective, an ordinary word.

Used by the fact reader; pure. It looks at what stands around an end in the sentence, or in the quote where the name stands once.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgfs.extraction.facts.lexicon_facts import LexiconFact
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.places import PLACES

_GOES_ON = re.compile(
    r" [\[“*_]*(?!(?:Inc|Incorporated|Ltd|Limited|LLC|LLP|Corp|Corporation|GmbH|AG|PLC|Plc|Co|SA|BV|SE|Jr|Sr|I|The|This|It|We|In|On|At|C[EFIOTPM]O|CISO|GM|[SE]?VP)\b)"
    r"(?P<next>[A-Z][\w-]*[a-z][\w-]*|[A-Z]{2,}[\w-]*)"
)
"""The next word of a longer name."""
_QUOTED_BEHIND = re.compile(r" [\"“][a-z]")
_NOUN_BEHIND = re.compile(r",? [a-z][\w-]*")
_CLAUSES = (
    "belonging",
    "clause.",
    "guide.",
    "open.",
    "proximity.member",
    "proximity.person_member",
    "ties.",
    "tools.",
)
"""Rules that read what stands beside a name in a sentence."""
_WORDS = ("clause.", "open.", "guide.", "described.", "belonging")
"""Rules of manuals, in whose sentences an ordinary word is seldom a term."""
_NO_MORE = frozenset({"Person", "Location", "Channel", "Address", "Document"})


class _End(NamedTuple):
    ref: int
    text: str
    start: int
    end: int


def has_false_end(fact: LexiconFact, types: NameTypes, lexicon: Lexicon) -> bool:
    """Whether an end of a fact is only a part of what its sentence names, an ordinary word there, or somebody else."""
    if _is_some_other(fact, types):
        return True
    if fact.rule.startswith("proximity.place"):
        return any(_is_cut_place(one) for one in _ends(fact, types))
    if not fact.rule.startswith(_CLAUSES) and not fact.rule.startswith(_WORDS):
        return False
    ends = list(_ends(fact, types))
    if any(_is_other(one, fact, types) for one in ends):
        return True
    return any(_is_cut(one, fact, ends, types) or _is_word(one, fact, types, lexicon) for one in ends)


_SOME = r"\b(?:an?|another|some) (?:certain )?(?:Miss|Mrs?\.?|Mme\.?|Madame) "
"""Before the surname of somebody of whom nothing more is said: *he had married a Miss Lind*."""


def _is_some_other(fact: LexiconFact, types: NameTypes) -> bool:
    """Whether a person at an end shares only the surname with whom the sentence speaks of."""
    quote = fact.candidate.quote
    if " Mr" not in quote and " Miss " not in quote and " Madame " not in quote:
        return False
    names = [types.name(ref) for ref in (fact.subject, fact.object) if ref is not None and types.best(ref) == "Person"]
    return any(
        name not in quote and re.search(rf"{_SOME}{re.escape(name.rpartition(' ')[2])}\b", quote) is not None
        for name in names
    )


def _ends(fact: LexiconFact, types: NameTypes) -> Iterator[_End]:
    """Where the ends stand in the sentence; none that is not written there, or twice."""
    refs = [fact.subject] if fact.object is None else [fact.subject, fact.object]
    if fact.places is not None and fact.unit is not None:
        text = fact.unit.content.text
        for ref, place in zip(refs, fact.places, strict=False):
            if place.end > place.start:
                yield _End(ref, text, place.start, place.end)
        return
    # Where a link leads has names, too: the sentence without its markup comes first.
    texts = [fact.candidate.quote] if fact.unit is None else [fact.unit.content.text, fact.candidate.quote]
    for ref in refs:
        name = re.compile(rf"(?<!\w){re.escape(types.name(ref))}(?!\w)", re.I)
        for text in texts:
            found = list(name.finditer(text))
            if len(found) == 1:
                yield _End(ref, text, found[0].start(), found[0].end())
                break


def _is_cut_place(one: _End) -> bool:
    """Whether the tagger parted the name of a place: *Shaheed* of *Shaheed Bhagat Singh Nagar district*."""
    behind = _GOES_ON.match(one.text, one.end)
    return (
        behind is not None and one.text[one.start : one.end] not in PLACES and behind["next"] not in words.PLACE_HEADS
    )


def _is_cut(one: _End, fact: LexiconFact, ends: list[_End], types: NameTypes) -> bool:
    """Whether a longer name goes on behind an end: *Silicon Valley* of *the Silicon Valley Community Foundation*."""
    if not fact.rule.startswith(_CLAUSES):
        return False
    said = one.text[one.start : one.end]
    behind = _GOES_ON.match(one.text, one.end)
    if behind is not None and said[:1].isupper() and "\n" not in behind[0]:
        begins = any(other.start == behind.start("next") for other in ends)
        cuts = types.best(one.ref) not in _NO_MORE or said in words.DEMONYMS
        return not begins and cuts
    if _QUOTED_BEHIND.match(one.text, one.end) and one is ends[-1]:
        return True  # it eliminates the Lumen "wick gap"
    # "Acme's internal, option-backed library" has no "internal".
    return fact.rule.startswith("belonging") and said.islower() and _NOUN_BEHIND.match(one.text, one.end) is not None


_OTHER = re.compile(
    r"[*_`\"”’)\]]*(?:['’]s)? (?:web ?sites?|sites?|web ?pages?|home ?page|pages?|blogs?|docs|documentation|users?|teams?|maintainers|contributors|customers)\b"
)
"""What belongs to a thing, or who has to do with it, behind its name: *the Lumen website*, *Lumen users*."""
_CALLED = re.compile(r"\((?!\S+://)[\w\s,*&.\[\]]{0,40}\)")
"""Behind the name of a function, without a blank: ``LMP()``."""
_COMMENT = re.compile(r"\s*(?://|/\*|#(?:include|define|if)\b|--\[)")
_DONE = frozenset({"USES", "HAS", "RUNS_ON", "REQUIRES", "MAINTAINS", "MAINTAINED_ON", "HOSTS", "OWNS"})


def _is_other(one: _End, fact: LexiconFact, types: NameTypes) -> bool:
    """Whether a clause says it of what a thing has, of a function, or stands in a comment of code."""
    if _COMMENT.match(one.text) is not None or _CALLED.match(one.text, one.end) is not None:
        return True
    said = _OTHER.match(one.text, one.end)
    if said is None or fact.candidate.type not in _DONE:
        return False
    # "The Acme team uses Lumen": of a firm it is said, of software not.
    return types.best(one.ref) in ("Product", "Technology", "Concept") or "site" in said[0] or "page" in said[0]


def _is_word(one: _End, fact: LexiconFact, types: NameTypes, lexicon: Lexicon) -> bool:
    """Whether a term of one ordinary word stands there in small letters: *runs processes* beside a term *Processes*."""
    said, name = one.text[one.start : one.end], types.name(one.ref)
    return (
        fact.rule.startswith(_WORDS)
        and " " not in name
        and name[:1].isupper()
        and said.islower()
        and types.best(one.ref) in ("Concept", "")
        and lexicon.is_word(name)
    )
