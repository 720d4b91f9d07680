"""What brackets behind names state: the post that somebody has, ``Ann Lee (Head of People)``, and who works where,
``Acme (Ann Lee, Bob Ray)``; and who was elected.

Used by the fact reader where the tagger gives every name a type; pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from kgfs.extraction.facts import ends
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import with_marks
from kgfs.extraction.facts.meeting_notes.attendees import is_role
from kgfs.extraction.facts.name_types import SURE, NameTypes
from kgfs.extraction.facts.sentences.elections import elected
from kgfs.extraction.facts.sentences.statement_checks import is_group
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit

_POST = re.compile(r" \((?:our |the |currently )?(?P<post>[A-Z][\w&/' -]{1,58})\)")
_NO_POST = re.compile(
    r"(?i)\b(?:he|she|they|former|formerly|previous|retired|late|emeritus|guest|visitor|volunteer|member|speaker|host|"
    r"presenter|parent|minutes?|regular|voting|invited|observer)\b"
)
"""What somebody was, or is for a day."""
SURE_OF_ANOTHER = 0.7
"""How sure the type of a title may be that is none of a work: *Tell* of a play is taken for somebody."""


class HeldPost(NamedTuple):
    """A person's span and the words of the post."""

    mark: int
    post: str


def held_posts(text: str, spans: Sequence[NameSpan], letters: Sequence[str]) -> Iterator[HeldPost]:
    """The posts that brackets behind the names of persons state; ``letters`` are the types of the spans, ``P`` of a
    person."""
    if "(" not in text:
        return
    for mark, span in enumerate(spans):
        found = _POST.match(text, span.end) if letters[mark] == "P" else None
        if found is not None and is_role(found["post"]) and _NO_POST.search(found["post"]) is None:
            yield HeldPost(mark, " ".join(found["post"].split()))


_YEAR = re.compile(r",? (?:[a-z. ]{1,12})?(?:1[5-9]|20)\d\d\)")


def bracketed_authors(text: str, spans: Sequence[NameSpan], letters: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Persons and the work before their bracket, as marks, where a year stands behind them.

    ``Lamps at Sea (Ann Lee, 1983)``.
    """
    for mark, span in enumerate(spans if _YEAR.search(text) else ()):
        if span.start > 3 or letters[mark] in "PL" or not re.match(r"[*_”\"’]* \(", text[span.end :]):
            continue
        authors = [one for one in range(mark + 1, len(spans)) if letters[one] == "P"]
        at = text.find("(", span.end) + 1
        told: list[int] = []
        for one in authors:
            if text[at : spans[one].start].strip(" ,&").removeprefix("and").strip():
                break
            told.append(one)
            at = spans[one].end
        if told and _YEAR.match(text, at) and all(" " in text[spans[one].start : spans[one].end] for one in told):
            yield from ((one, mark) for one in told)


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


def bracketed_staff(text: str, spans: Sequence[NameSpan], letters: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Persons and the organization whose bracket holds them and nothing else, as marks; one person alone may be its
    founder, or whom it is called after."""
    for mark, span in enumerate(spans):
        if letters[mark] != "O" or not text.startswith(" (", span.end):
            continue
        end = text.find(")", span.end)
        inside = [one for one in range(mark + 1, len(spans)) if spans[one].end <= end]
        between = text[span.end + 2 : end]
        for one in reversed(inside):
            between = between[: spans[one].start - span.end - 2] + between[spans[one].end - span.end - 2 :]
        alone = not between.replace("and", "").strip(" ,&")
        if alone and len(inside) > 1 and all(letters[one] == "P" for one in inside):
            yield from ((one, mark) for one in inside)


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
    letters, sure, names = types.letters(spans)
    for one in elected(with_marks(text, spans, letters)):
        pair = (spans[one.person], spans[one.body])
        body, type_ = types.name(pair[1].ref), one.type
        if type_ == "WORKS_FOR" and (_ROLE.search(body) or not ends.may_employ(body)):
            continue  # "Casey Lind (Volunteer)", "Vi Moor (Research & pytarn)", "Kit Hale (ex-Acme)"
        if type_ == "WORKS_FOR" and any(map(is_group, types.names(pair[1].ref))):
            type_ = "MEMBER_OF"
        if (type_, pair[0].ref, pair[1].ref) not in told:
            yield _fact(one.rule, type_, 0.8, unit, pair)
    for found in held_posts(text, spans, letters):
        if sure[found.mark] >= SURE and ends.may_be_person(names[found.mark]):
            candidate = candidate_of(unit, "ROLE", 0.8)
            candidate.object_text = found.post
            yield LexiconFact("brackets.post", candidate, spans[found.mark].ref, None, unit)
    for who, what in bracketed_authors(text, spans, letters):
        types.show_work(spans[what].ref)
        yield _fact("brackets.author", "WROTE", 0.75, unit, (spans[who], spans[what]))
    for who, what in own_titles(text, spans, letters):
        known = ("WROTE", "DIRECTED", "PERFORMED", "COMPOSED", "PUBLISHED", "CREATED")
        said = any((type_, spans[who].ref, spans[what].ref) in told for type_ in known)
        if sure[who] >= SURE and not said and (letters[what] in "WX" or sure[what] < SURE_OF_ANOTHER):
            types.show_work(spans[what].ref)
            types.show_person(spans[who].ref)
            yield _fact("brackets.title", "CREATED", 0.75, unit, (spans[who], spans[what]))
    for who, where in bracketed_staff(text, spans, letters):
        if min(sure[who], sure[where]) >= SURE:
            yield _fact("brackets.staff", "WORKS_FOR", 0.8, unit, (spans[who], spans[where]))


def _fact(rule: str, type_: str, confidence: float, unit: Unit, pair: tuple[NameSpan, NameSpan]) -> LexiconFact:
    return LexiconFact(rule, candidate_of(unit, type_, confidence), pair[0].ref, pair[1].ref, unit, pair)
