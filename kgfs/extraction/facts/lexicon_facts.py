"""A fact while its document is being read: its candidate, and the entries of the lexicon that are its ends.

Used by the readers of facts, the extractor and ``fact_reader``. No rules here.
"""

from __future__ import annotations

from kgfs.extraction.descriptions import cut_text
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit
from kgfs.model import FactCandidate


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
