"""For whom somebody works by the bracket behind the name, ``Ann Lee (Acme)``, and who made what a quoted title names.

Used by the fact reader where the tagger gives every name a type; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from kgfs.extraction.facts import ends
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import CLOSE, OPEN, with_marks
from kgfs.extraction.facts.name_types import SURE, NameTypes
from kgfs.extraction.facts.sentences.statement_checks import is_group
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit

SURE_OF_ANOTHER = 0.7
"""How sure the type of a title may be that is none of a work: *Tell* of a play is taken for somebody."""


_OF_TITLE = "|".join(
    (
        "own famous great celebrated well-known immortal beautiful early late first last new latest recent monumental "
        "charming posthumous novel book poem play essay story opera symphony overture cantata oratorio song painting "
        "film paper treatise article memoir collection tragedy comedy ballad hymn mass quartet trilogy drama romance"
    ).split()
)
_HIS_TITLE = re.compile(rf"(?:['’]s?|,? in (?:his|her)) (?:(?:{_OF_TITLE}) ){{0,3}}[\"“_*]+(?:The |A )?$")
"""Between somebody and the title of what he made: ``Ann Lee's famous "⟨Quay⟩"``."""
_TITLE_ENDS = re.compile(r"[,.;:!?]?[\"”_*]")


def own_titles(text: str, spans: Sequence[NameSpan], letters: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Persons and the works whose titles stand in quotation marks behind their possessive, as marks."""
    for who, what in pairwise(range(len(spans))):
        between = text[spans[who].end : spans[what].start]
        if letters[who] == "P" and _HIS_TITLE.match(between) and _TITLE_ENDS.match(text, spans[what].end):
            yield who, what


_EMPLOYED = re.compile(rf"{OPEN}P(?P<who>\d+){CLOSE} \({OPEN}O(?P<firm>\d+){CLOSE}\)")
_PERSON = rf"{OPEN}P\d+{CLOSE}(?: \((?:[^()]{{1,80}})\))?"
_WHEN = r"(?: (?:each|all|both|also|just|now|recently|again|newly|unanimously|officially))?"
_SEAT = r"(?:(?:an?|the|one|their|his|her|two|three|four|\d+) )?(?:[\w-]+ ){0,4}(?:terms?|seats?|positions?) (?:to|on|at|in|of) "
_ELECTED = re.compile(
    rf"{_PERSON}(?:,? (?:who|which))?(?: (?:has|have|had))?{_WHEN} (?:been|was|were|got){_WHEN} (?:re-?)?(?:elected|appointed|voted) (?:in)?(?:to|onto) "
    rf"(?:{_SEAT})?(?:the )?(?:{OPEN}O\d+{CLOSE}[’']s )?{OPEN}O\d+{CLOSE}(?=[^\w\s]|$| (?:for|in|on|as|by|at|until|from|and|with|during)\b)"
)
"""``Ann Lee (Acme) was elected to the Harbour Board``."""


def employed(marked: str) -> Iterator[tuple[int, int]]:
    """Persons and the firms in the brackets behind their names, as marks; ``marked`` has the letters of their types."""
    pairs = list(_EMPLOYED.finditer(marked)) if "(" in marked else []
    # One alone may be whom a firm is called after, or who told it.
    if len(pairs) > 1 or (pairs and _ELECTED.search(marked) is not None):
        yield from ((int(found["who"]), int(found["firm"])) for found in pairs)


_ROLE = re.compile(
    r"(?i)\b(?:volunteer|guest|observer|notes|note[- ]taker|scribe|moderator|independent|self|individual|retired|"
    r"student|research(?= &))\b"
)
"""What stands in a bracket behind somebody who works for nobody by it."""


def bracket_facts(
    unit: Unit, spans: Sequence[NameSpan], types: NameTypes, told: Collection[tuple[str, int, int | None]]
) -> Iterator[LexiconFact]:
    """The facts of a sentence of which none is ``told``: type, subject and object."""
    text = unit.content.text
    letters, sure, _ = types.letters(spans)
    for who, firm in employed(with_marks(text, spans, letters)):
        body = types.name(spans[firm].ref)
        if _ROLE.search(body) or not ends.may_employ(body):
            continue  # "Casey Lind (Volunteer)", "Vi Moor (Research & pytarn)", "Kit Hale (ex-Acme)"
        type_ = "MEMBER_OF" if any(map(is_group, types.names(spans[firm].ref))) else "WORKS_FOR"
        if (type_, spans[who].ref, spans[firm].ref) not in told:
            yield _fact("brackets.employer", type_, 0.8, unit, (spans[who], spans[firm]))
    for who, what in own_titles(text, spans, letters):
        known = ("WROTE", "DIRECTED", "PERFORMED", "COMPOSED", "PUBLISHED", "CREATED")
        said = any((type_, spans[who].ref, spans[what].ref) in told for type_ in known)
        if sure[who] >= SURE and not said and (letters[what] in "WX" or sure[what] < SURE_OF_ANOTHER):
            types.show_work(spans[what].ref)
            types.show_person(spans[who].ref)
            yield _fact("brackets.title", "CREATED", 0.75, unit, (spans[who], spans[what]))


def _fact(rule: str, type_: str, confidence: float, unit: Unit, pair: tuple[NameSpan, NameSpan]) -> LexiconFact:
    return LexiconFact(rule, candidate_of(unit, type_, confidence), pair[0].ref, pair[1].ref, unit, pair)
