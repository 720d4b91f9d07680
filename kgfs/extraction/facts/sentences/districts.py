"""What sections about a place report: sentences on wages, prices or business under a District's heading.

Used by the extractor; pure. Regional reports speak of "the District" or of "contacts" and leave the place to the
heading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.documents import dates
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.wordlists.places import DISTRICTS, ORDINALS
from kgfs.extraction.units import Unit
from kgfs.model import FactCandidate, ParsedDocument

_CITY = "|".join(re.escape(city) for city in DISTRICTS)
_HEADING = re.compile(
    rf"(?:Federal Reserve Bank of (?P<bank>{_CITY})|(?P<city>{_CITY}) (?:Fed|District)"
    rf"|(?P<ordinal>{'|'.join(ORDINALS)}) (?:Federal Reserve )?District(?:\s*[-–—:,(]+\s*(?:{_CITY})\)?)?)"
)
_MEASURED = re.compile(
    r"\b(?:wages?|wage growth|prices?|pricing|employment|payrolls|hiring|labor markets?|headcounts?|staffing|"
    r"sales|spending|tourism|activity|economy|production|output|orders|shipments|demand|construction|rents?|vacanc(?:y|ies)|"
    r"lending|loans?|credit|inventor(?:y|ies)|inflation|costs?|revenues?|leasing|exports|inflation|conditions)\b",
    re.I,
)
_MOVED = re.compile(
    r"\b(?:rose|rise[ns]?|fell|fallen|falls?|increased?s?|decreased?s?|declined?s?|grew|grown|slowed|softened|strengthened|"
    r"weakened|improved|deteriorated|expanded|contracted|remained|remains|stabili[sz]ed|picked up|edged|moderated|"
    r"accelerated|rebounded|flattened|eased|dropped|climbed|unchanged|steady|flat|tight|up|down|tightened|continued)\b",
    re.I,
)  # fmt: skip
_NOT_STATED = re.compile(
    r"\b(?:expect(?:s|ed|ations?)?|anticipat\w+|plan(?:s|ned)? to|would|could|may|might|if|forecast\w*|hope[ds]?)\b",
    re.I,
)
MAX_GIST = 200


def district_city(headings: tuple[str, ...]) -> str | None:
    """The city of the District that a heading path is about, innermost first."""
    for heading in reversed(headings):
        found = _HEADING.fullmatch(heading.strip())
        if found:
            ordinal = found["ordinal"]
            return found["bank"] or found["city"] or DISTRICTS[ORDINALS.index(ordinal)]
    return None


def states_movement(text: str) -> bool:
    """Whether a sentence says how something that is measured moved: wages, prices, sales, hiring."""
    if not 30 <= len(text) <= 600 or text.endswith("?"):
        return False
    return moves(text) and _NOT_STATED.search(text) is None


def moves(text: str) -> bool:
    """Whether a text has what is measured and how it moved close to each other."""
    measured = _MEASURED.search(text)
    moved = _MOVED.search(text)
    return measured is not None and moved is not None and abs(moved.start() - measured.start()) <= 90


def district_facts(
    document: ParsedDocument, units: Sequence[Unit], lexicon: Lexicon
) -> list[tuple[FactCandidate, int]]:
    """``REPORTED`` facts of the Districts' cities, each with the lexicon's entry of the city."""
    found: list[tuple[FactCandidate, int]] = []
    for unit in units:
        if unit.kind != "sentence":
            continue
        city = district_city(unit.headings)
        if city is None:
            continue
        text = unit.content.text
        if not states_movement(text):
            continue
        ref = lexicon.place(city)
        start, end = unit.span()
        inside = {span.date for span in dates.find_dates(text) if len(span.date) > 4}
        candidate = FactCandidate(
            type="REPORTED",
            subject=0,
            object_text=main_clause(text),
            description=main_clause(text),
            date=document.date if document.date else (inside.pop() if len(inside) == 1 else None),
            confidence=0.7,
            chunk=unit.chunk.ordinal,
            quote=unit.quote,
            start=start,
            end=end,
        )
        found.append((candidate, ref))
    return found


def main_clause(text: str) -> str:
    """The sentence, or its main clause when it is long."""
    if len(text) <= MAX_GIST:
        return text
    first = re.split(r"[;:]|, (?:but|although|though|while|and|as|which) ", text)[0]
    if 30 <= len(first) <= MAX_GIST:
        return first
    return text[: MAX_GIST - 1].rsplit(" ", 1)[0] + "…"
