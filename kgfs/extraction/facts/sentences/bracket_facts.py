"""The facts that brackets behind names state, and who was elected, with the names of the lexicon as their ends.

Used by the fact reader where the tagger gives every name a type.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kgfs.extraction.facts import ends
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import with_marks
from kgfs.extraction.facts.name_types import SURE, NameTypes
from kgfs.extraction.facts.sentences.brackets import bracketed_authors, bracketed_staff, held_posts, own_titles
from kgfs.extraction.facts.sentences.elections import elected
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit

SURE_OF_ANOTHER = 0.7
"""How sure the type of a title may be that is none of a work: *Tell* of a play is taken for somebody."""


def bracket_facts(
    unit: Unit, spans: Sequence[NameSpan], types: NameTypes, told: Collection[tuple[str, int, int | None]]
) -> Iterator[LexiconFact]:
    """The facts of a sentence of which none is ``told``: type, subject and object."""
    text = unit.content.text
    letters, sure, names = types.letters(spans)
    for one in elected(with_marks(text, spans, letters)):
        pair = (spans[one.person], spans[one.body])
        if (one.type, pair[0].ref, pair[1].ref) not in told:
            yield _fact(one.rule, one.type, 0.8, unit, pair)
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
