"""Where somebody worked and studied, by the tables of a page on that person: *Organization | Role | Period*.

Used by the fact reader; pure. To ``records`` each row is about the body that its first cell names; on the page of a
person it is about that person, who had the role there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from kgfs.documents.records.record import is_nothing, key_word, may_be_name
from kgfs.documents.records.rst_tables import TableRow
from kgfs.extraction.facts.chunk_places import ChunkPlaces
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_at
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.structured.document_tables import REMARK, document_tables
from kgfs.extraction.facts.structured.listed_names import employer_entry
from kgfs.extraction.facts.structured.terms_of_office import term_of_office
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.model import ParsedDocument

_BODY = re.compile(
    r"organi[sz]ations?|compan(?:y|ies)|employers?|institutions?|firms?|affiliations?|universit(?:y|ies)|schools?"
)
_ROLE = re.compile(r"(?:job_)?(?:roles?|positions?|titles?|posts?)")
_DEGREE = re.compile(r"degrees?|qualifications?")
_PERIOD = re.compile(r"periods?|years?|dates?|when|time|duration|tenure|from|term")
_OF_OTHERS = re.compile(r"names?|people|persons?|members?|authors?|founders?|who")
_FOUNDER = re.compile(r"(?i)\b(?:co-?)?founder\b")
_LONGEST_ROLE = 80


def career_facts(
    document: ParsedDocument, lexicon: Lexicon, types: NameTypes, about: Callable[[Sequence[str]], int | None]
) -> Iterator[LexiconFact]:
    """The facts, in order of the rows; ``about`` gives the entry that a section with these headings is about."""
    places = ChunkPlaces(document.chunks)
    for table in document_tables(document):
        words = [key_word(cell) for cell in table.header]
        body, role = _column(words, _BODY), _column(words, _ROLE)
        degree, period = _column(words, _DEGREE), _column(words, _PERIOD)
        if body is None or (role is None and degree is None) or _column(words, _OF_OTHERS) is not None:
            continue
        person = about(table.headings)
        if person is None or types.given_type(person) != "Person":
            continue
        for row in table.rows:
            name = " ".join(REMARK.sub("", _cell(row, body)).split())
            what = _cell(row, role if role is not None else degree)
            where = employer_entry(lexicon, name) if may_be_name(name) and not is_nothing(what) else None
            place = places.find_chunk(row.start, row.end)
            if where is None or where == person or place is None or len(what) > _LONGEST_ROLE:
                continue
            since, until = term_of_office(_cell(row, period))
            type_ = "WORKS_FOR" if role is not None else "EDUCATED_AT"
            for one in (type_, *(["FOUNDED"] if role is not None and _FOUNDER.search(what) else [])):
                candidate = candidate_at(one, f"{what}, {name}", 0.85, place)
                if one != "FOUNDED":
                    candidate.role, candidate.valid_from, candidate.valid_to = what, since, until
                yield LexiconFact("tables.career", candidate, person, where)


def _column(words: Sequence[str], pattern: re.Pattern[str]) -> int | None:
    """The number of the first column whose header is such a word."""
    return next((place for place, word in enumerate(words) if pattern.fullmatch(word)), None)


def _cell(row: TableRow, place: int | None) -> str:
    """A cell of a row; empty where there is none."""
    return row.cells[place].strip(" *_") if place is not None and place < len(row.cells) else ""
