"""Who works where by lines that are nothing but persons and their firms: speakers, editors, owners.

Used by the fact reader; pure. ``Ann Lee & Bob Ray, Acme`` or ``Ann Lee / Acme`` is one only among others of its form in the document, some of whose
firms are known to be firms: ``Jane Austen, Emma`` has the same form.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.extraction.facts import ends
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.meeting_notes.attendees import person_name
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.structured.listed_names import employer_entry, stated_entry
from kgfs.extraction.facts.structured.structure import FORMER
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.firms import FIRMS
from kgfs.extraction.names.wordlists.places import ABBREVIATIONS, PLACES
from kgfs.extraction.units import Unit

_BRACKET = re.compile(r"\s*[(\[][^()\[\]]{1,60}[)\]]")
_SLASHED = re.compile(r"(?P<who>[^,/;&+]{3,40}?) ?/ ?(?P<firm>[^,/;&+]+?)(?: ?[,/;&+] ?.*| [-–—] .*)?")
"""``Ann Lee / Acme``, ``Ann Lee/ Acme + Lumen``: the first of several firms."""
_FIRM = re.compile(r"[A-Z\d][\w.+&'’-]*(?: (?:of|for|and|the|[A-Z\d][\w.+'’-]*)){0,4}")
_NO_FIRM = re.compile(
    r"(?i)(?:independent|indepnedent|individual|freelance(?:r)?|self|self-employed|none|n/?a|retired|unaffiliated|etc\.?|jr\.?|sr\.?|ph\.?d\.?|md|esq\.?|ii+|inc\.?|llc|ltd\.?)"
)
_ROLE = re.compile(
    r"(?:.* )?(?:Maintainer|Contributor|Member|Organi[sz]er|Ambassador|Speaker|Advocate|Host|Moderator|Panelist|Student|Mentor|Author|Editor|Reviewer|Translator|Illustrator)s?"
)
_OF_PLACE = re.compile(r"(?:The )?(?:University|College|Institute?|Bank|Museum|Ministry|Department) (?:of|for|de|du) ")
_FEWEST = 3
"""Lines that make a list of persons and firms."""
_KNOWN = 0.34
"""The share of the lines whose firm is known to be one."""
_LONGEST = 120


class _Line(NamedTuple):
    unit: Unit
    pairs: list[tuple[str, str]]


def affiliation_facts(units: Sequence[Unit], lexicon: Lexicon, types: NameTypes) -> Iterator[LexiconFact]:
    """The facts, in order of the lines, each once."""
    lines = [line for unit in units if (line := _line(unit)) is not None]
    lines = [line for line in lines if not any(_is_place(name, lexicon, types) for one in line.pairs for name in one)]
    if len({line.unit.quote for line in lines}) < _FEWEST:
        return
    times = Counter(firm for line in lines for firm in {firm for _, firm in line.pairs})
    known = sum(any(_is_firm(firm, lexicon, types) for _, firm in line.pairs) for line in lines)
    if known < _KNOWN * len(lines):
        return
    told: set[tuple[int, int]] = set()
    for line in lines:
        for who, firm in line.pairs:
            if not (_is_firm(firm, lexicon, types) or times[firm] > 1 or " " in firm or not lexicon.is_word(firm)):
                continue
            employer = employer_entry(lexicon, firm)
            person = stated_entry(lexicon, who, "Person") if employer is not None else None
            if employer is None or person is None or person == employer or (person, employer) in told:
                continue
            told.add((person, employer))
            candidate = candidate_of(line.unit, "WORKS_FOR", 0.8)
            yield LexiconFact("structure.affiliation", candidate, person, employer, line.unit)


def _line(unit: Unit) -> _Line | None:
    if unit.kind not in ("sentence", "row") or any(map(FORMER.search, unit.headings)):
        return None
    text = _BRACKET.sub("", unit.content.text).strip(" *_-–—•")
    if len(text) > _LONGEST or text.startswith("|") or text.endswith((".", ":", "?", "!")):
        return None
    slashed = _SLASHED.fullmatch(text)
    if slashed is not None:
        text = f"{slashed['who']}, {slashed['firm']}"
    if "," not in text:
        return None
    pairs: list[tuple[str, str]] = []
    waiting: list[str] = []
    for group in re.split(r"\s*&\s*|\s+and\s+(?=[A-Z])", text):
        name, comma, firm = group.partition(",")
        who = person_name(name.strip())
        if not who or " " not in who:
            return None
        waiting.append(who)
        if comma:
            firm = firm.strip()
            if _FIRM.fullmatch(firm) is None or _NO_FIRM.fullmatch(firm) or _ROLE.fullmatch(firm) or ends.is_post(firm):
                return None
            pairs += ((one, firm) for one in waiting)
            waiting = []
    return _Line(unit, pairs) if pairs and not waiting else None


def _is_place(name: str, lexicon: Lexicon, types: NameTypes) -> bool:
    ref = lexicon.find_entry(name)
    return (
        name in PLACES or name in ABBREVIATIONS or (ref is not None and types.best(lexicon.resolved(ref)) == "Location")
    )


def _is_firm(name: str, lexicon: Lexicon, types: NameTypes) -> bool:
    ref = lexicon.find_entry(name)
    called = name.split()[-1] in words.ORGANIZATION_HEADS or _OF_PLACE.match(name) is not None
    return name in FIRMS or called or (ref is not None and types.best(lexicon.resolved(ref)) == "Organization")
