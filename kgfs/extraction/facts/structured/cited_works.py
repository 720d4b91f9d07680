"""Who wrote and who published what references name: ``Ann Lee (2008): _Lamps at Sea_, Oslo: Tarn Press``.

Used by the fact reader; pure. ``kgfs.documents.citations`` reads a reference. Authors by initials alone (``A. Lee``)
are taken where the document names them elsewhere: by itself, such a name is that of many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgfs.documents.citations import Author, read_citation
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.meeting_notes.attendees import person_name
from kgfs.extraction.facts.structured.listed_names import stated_entry
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.units import Unit

_MOST = 8
"""So many authors are each somebody of whom one may ask; of more the first three."""
_FIRST = 3


def cited_works(units: Sequence[Unit], lexicon: Lexicon) -> Iterator[LexiconFact]:
    """The facts, in order of the references; each pair once, with the year as its date."""
    told: set[tuple[int, int]] = set()
    for unit in units:
        found = read_citation(unit.quote) if unit.kind == "citation" else None
        authors = [] if found is None else [name for one in found.authors if (name := _name(one, lexicon))]
        if found is None or not authors:
            continue
        work = stated_entry(lexicon, found.title, "Work")
        ends = [("WROTE", name, "Person") for name in authors[: _FIRST if len(authors) > _MOST else _MOST]]
        if found.publisher:
            ends.append(("PUBLISHED", found.publisher, "Organization"))
        for type_, name, kind in ends:
            other = stated_entry(lexicon, name, kind) if work is not None else None
            if work is None or other is None or other == work or (other, work) in told:
                continue
            told.add((other, work))
            candidate = candidate_of(unit, type_, 0.85)
            candidate.date, candidate.date_role = found.year, "happened"
            yield LexiconFact("credits.cited", candidate, other, work, unit)


def _name(author: Author, lexicon: Lexicon) -> str:
    """The name of an author; empty for nobody."""
    if not author.whole and lexicon.find_entry(author.name) is None:
        return ""
    return person_name(author.name, tagged=False)
