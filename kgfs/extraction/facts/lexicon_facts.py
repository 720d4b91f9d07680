"""A fact while its document is being read: its candidate, and the entries of the lexicon that are its ends.

Used by the readers of facts, the extractor and ``fact_reader``. No rules here.
"""

from __future__ import annotations

from kgfs.extraction.descriptions import cut_text
from kgfs.extraction.names.firms import FIRMS
from kgfs.extraction.names.lexicon import Lexicon
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


MOST_QUOTED = 900
"""Characters from a heading or a label to an item: farther away, a quote would not show what belongs together."""

LETTERS = 6
"""Capitals that may stand for anything: a committee, a time zone, a role."""


def quote_from(candidate: FactCandidate, heading: Unit, unit: Unit) -> None:
    """Let the quote of an item begin at its heading, which says what the item is, where that is near."""
    if heading.chunk is unit.chunk:
        quote_from_place(candidate, heading.start, unit)


def quote_from_place(candidate: FactCandidate, start: int, unit: Unit) -> None:
    """As ``quote_from``; ``start`` in characters of the unit's chunk."""
    if 0 < unit.end - start <= MOST_QUOTED:
        text = unit.chunk.text
        candidate.quote = text[start : unit.end]
        candidate.start = len(text[:start].encode())
        candidate.end = candidate.start + len(candidate.quote.encode())


def stated_entry(lexicon: Lexicon, name: str, type_: str) -> int | None:
    """The entry of a name that a list says to be of a type; ``None`` where it is known to be of another."""
    ref = lexicon.resolved(lexicon.get(name))
    named = lexicon.named[ref]
    best = named.best
    if (named.known or named.declared) and best is not None and best[0] not in (type_, "Concept"):
        return None
    named.vote(type_, 0.95)
    named.defined = True
    return ref


def employer_entry(lexicon: Lexicon, name: str) -> int | None:
    """The entry of a name behind a person's, if it may be an employer's: no place, no unknown letters."""
    known = lexicon.find_entry(name)
    best = lexicon.named[lexicon.resolved(known)].best if known is not None else None
    if best is not None and best[0] not in ("Organization", "Product", "Concept"):
        return None
    if name.isupper() and len(name) <= LETTERS and name not in FIRMS and (best is None or best[0] != "Organization"):
        return None
    return stated_entry(lexicon, name, "Organization")
