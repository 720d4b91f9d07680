"""A fact while its document is being read: its candidate, and the entries of the lexicon that are its ends.

Used by the readers of facts, the extractor and ``fact_reader``. No rules here.
"""

from __future__ import annotations

from kgfs.extraction.descriptions import cut_text
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit
from kgfs.model import Chunk, FactCandidate


class LexiconFact:
    """A fact whose subject and object are entries of the lexicon still."""

    __slots__ = ("candidate", "object", "places", "rule", "shows_ends", "subject", "unit")

    def __init__(
        self,
        rule: str,
        candidate: FactCandidate,
        subject: int,
        object_: int | None,
        unit: Unit | None = None,
        places: tuple[NameSpan, NameSpan] | None = None,
        *,
        shows_ends: bool = True,
    ) -> None:
        self.rule = rule
        """The rule that made it, as ``docs/extraction.md`` lists it."""
        self.candidate = candidate
        self.subject = subject
        self.object = object_
        self.unit = unit
        self.places = places
        """Where subject and object stand in the sentence."""
        self.shows_ends = shows_ends
        """Whether its names are entities since they have it; else it falls where they are none by themselves."""

    @property
    def statement(self) -> tuple[str, int, int | None]:
        """Type, subject and object: what two facts have in common that say the same of the same two."""
        return self.candidate.type, self.subject, self.object


def candidate_of(unit: Unit, type_: str, confidence: float) -> FactCandidate:
    """A fact that a sentence, an item or a row states; its ends are set when the document was read."""
    start, end = unit.span()
    return FactCandidate(
        type=type_,
        subject=0,
        description=cut_text(unit.content.text),
        confidence=round(confidence, 2),
        chunk=unit.chunk.ordinal,
        quote=unit.quote,
        start=start,
        end=end,
    )


MOST_QUOTED = 900
"""Characters from a heading or a label to an item: farther away, a quote would not show what belongs together."""


def quote_from(candidate: FactCandidate, heading: Unit, unit: Unit) -> None:
    """Let the quote of an item begin at its heading, which says what the item is, where that is near."""
    if heading.chunk is unit.chunk:
        quote_from_place(candidate, heading.start, unit)


def quote_from_place(candidate: FactCandidate, start: int, unit: Unit) -> None:
    """As ``quote_from``; ``start`` in characters of the unit's chunk."""
    if 0 < unit.end - start <= MOST_QUOTED:
        quote_span(candidate, unit.chunk, start, unit.end)


def candidate_at(type_: str, said: str, confidence: float, place: tuple[Chunk, int, int]) -> FactCandidate:
    """A fact that a span of a chunk, in characters, states; ``said`` describes it."""
    chunk, start, end = place
    candidate = FactCandidate(
        type=type_,
        subject=0,
        description=cut_text(said),
        confidence=confidence,
        chunk=chunk.ordinal,
        quote="",
        start=0,
        end=0,
    )
    quote_span(candidate, chunk, start, end)
    return candidate


def quote_span(candidate: FactCandidate, chunk: Chunk, start: int, end: int) -> None:
    """Let a span of a chunk, in characters, be the quote."""
    candidate.quote = chunk.text[start:end]
    candidate.start = len(chunk.text[:start].encode())
    candidate.end = candidate.start + len(candidate.quote.encode())
