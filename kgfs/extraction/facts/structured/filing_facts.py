"""What a filing says of its registrant by its form: the cover page, the officers, the auditor.

Used by the fact reader; pure. The cover page has a value above each label in brackets, the list of officers has a post
beside each name, and the auditor signs beside the year since which it audits (17 CFR 249.310, PCAOB AS 3101).
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from kgfs.documents.filings import COVER_CHARACTERS, read_filing
from kgfs.documents.records.record import key_word
from kgfs.documents.shouting import calmed
from kgfs.extraction.facts.chunk_places import ChunkPlaces
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_at
from kgfs.extraction.facts.meeting_notes.attendees import person_name
from kgfs.extraction.facts.structured.document_tables import document_tables
from kgfs.extraction.facts.structured.listed_names import stated_entry
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.wordlists.places import PLACES
from kgfs.extraction.units import Unit
from kgfs.model import ParsedDocument

_LABELLED = re.compile(
    r"(?m)^(?P<values>[^\n]+)\n(?:[| -]{0,200}\n){0,4}(?P<labels>[^\n]*\([^\n]*(?i:jurisdiction of|principal executive offices)[^\n]*)"
)
_STATE = re.compile(r"(?i)jurisdiction of\s+(?:incorporation|organization)")
_OFFICE = re.compile(r"(?i)address of (?:registrant['’]s )?principal executive offices?")
_CITY = re.compile(
    r"(?:^|, |\n)(?P<city>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]+){0,2}), (?P<state>[A-Z][a-z]+(?: [A-Z][a-z]+)?)\b"
)
_EXCHANGE = re.compile(r"(?i)exchanges?\W+on which (?:each class is )?registered")
_AUDITOR = re.compile(r"auditor[s]?(?: \w+){0,3} since (?:at least )?\d{4}")
_SIGNED = re.compile(r"/[sS]/ ?(?P<name>[A-Z][\w&.,'’ -]{3,60}?(?:LLP|L\.L\.P\.|LLC|PC|P\.C\.))")
_REPORT = re.compile(
    r"(?i)(?:report of independent registered public accounting firm|independent auditor[’']?s[’']? report|to the (?:board of directors|(?:share|stock)holders))\b"
)
_MOST_HEADING, _MOST_UNITS = 160, 400
_NEAR = 400
"""Characters from the auditor's sentence to its signature."""
_POSTS = ("position", "title", "office", "positions", "position_s", "titles", "offices")
_NAMES = ("name", "executive_officer", "officer", "executive_officers", "executive", "director")
_FORMER = re.compile(r"(?i)\b(?:former|retired|until)\b")
_POST = re.compile(
    r"(?i)\b(?:chair(?:man|woman)?|chief|ceo|cfo|coo|cto|controller|counsel|director|executive|head|manager|officer|president|secretary|treasurer|vp)\b"
)
_BIOGRAPHY = re.compile(
    r"(?m)^[\[\]()\d*_ -]{0,8}(?P<name>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]*){1,4}),? ?\(?(?:age[d]? |, )?\d\d\)?,? (?:has been|has served as|is|serves as|currently serves as|joined|was (?:appointed|elected|named)|became|assumed) (?P<rest>[^\n.]{3,300})"
)
_MOST_QUOTED = 600


def auditors_words(units: Sequence[Unit]) -> set[int]:
    """The identities of the units that are the report of an auditor, who says *we* of itself."""
    found: set[int] = set()
    inside = False
    for unit in units:
        text = unit.content.text.strip(" *_#|")
        inside = inside or (len(text) < _MOST_HEADING and _REPORT.match(text) is not None)
        if inside:
            found.add(id(unit))
            inside = _AUDITOR.search(text) is None and len(found) < _MOST_UNITS
    return found


class FilingFacts:
    """Reads one filing; nothing of any other document."""

    def __init__(self, document: ParsedDocument, lexicon: Lexicon) -> None:
        self._document, self._lexicon = document, lexicon
        self._text = document.text or ""

    def read(self) -> list[LexiconFact]:
        """The facts, in the order of the form, each once."""
        filed = bool(self._document.chunks) and read_filing(self._text) is not None
        registrant = self._lexicon.speaker() if filed else None
        if registrant is None:
            return []
        found: dict[tuple[str, int, int | None], LexiconFact] = {}
        for fact in (*self._cover(registrant), *self._officers(registrant), *self._auditor(registrant)):
            found.setdefault(fact.statement, fact)
        return list(found.values())

    @cached_property
    def _places(self) -> ChunkPlaces:
        return ChunkPlaces(self._document.chunks)

    def _cover(self, registrant: int) -> Iterator[LexiconFact]:
        cover = self._text[:COVER_CHARACTERS]
        for found in _LABELLED.finditer(cover):
            values, labels = (_cells(found[name]) for name in ("values", "labels"))
            for place, label in enumerate(labels):
                value = values[min(place, len(values) - 1)]
                if _STATE.search(label) and value in PLACES:
                    yield from self._placed("INCORPORATED_IN", registrant, value, found)
                elif _OFFICE.search(label) and (city := _CITY.search(value)) is not None and city["state"] in PLACES:
                    yield from self._placed("HEADQUARTERED_IN", registrant, city["city"], found)
        for table in document_tables(self._document):
            if table.rows and table.rows[0].start > COVER_CHARACTERS:
                break
            column = next((at for at, cell in enumerate(table.header) if _EXCHANGE.search(cell)), None)
            for row in table.rows if column is not None else ():
                name = row.cells[column] if column is not None and column < len(row.cells) else ""
                if re.search(r"(?i)exchange|nasdaq|market", name) and len(name) < 60:
                    ref = stated_entry(self._lexicon, re.sub(r"^The ", "", name.strip()), "Organization")
                    yield from self._fact("cover", "LISTED_ON", registrant, ref, row.start, row.end)

    def _placed(self, type_: str, registrant: int, place: str, found: re.Match[str]) -> Iterator[LexiconFact]:
        ref = self._lexicon.place(place) if place in PLACES else stated_entry(self._lexicon, place, "Location")
        yield from self._fact("cover", type_, registrant, ref, found.start(), found.end())

    def _officers(self, registrant: int) -> Iterator[LexiconFact]:
        for table in document_tables(self._document):
            words = [key_word(cell) for cell in table.header]
            post = next((at for at, word in enumerate(words) if word in _POSTS), None)
            if post is None or not words or words[0] not in _NAMES:
                continue
            for row in table.rows:
                title = row.cells[post] if post < len(row.cells) else ""
                name = person_name(calmed(row.cells[0].strip()))
                if name and " " in name and _POST.search(title) and not _FORMER.search(title):
                    yield from self._officer(registrant, name, title, row.start, row.end)
        for found in _BIOGRAPHY.finditer(self._text):
            name = person_name(calmed(found["name"]))
            if name and " " in name and _POST.search(found["rest"][:120]):
                title = re.split(r" since\b| effective\b| from\b|,? and (?:has|was)\b|;", found["rest"])[0]
                yield from self._officer(registrant, name, title, found.start(), found.end())

    def _officer(self, registrant: int, name: str, title: str, start: int, end: int) -> Iterator[LexiconFact]:
        person = stated_entry(self._lexicon, name, "Person")
        for fact in self._fact("officers", "WORKS_FOR", person, registrant, start, end):
            fact.candidate.role = " ".join(title.split())[:120]
            yield fact

    def _auditor(self, registrant: int) -> Iterator[LexiconFact]:
        for found in _AUDITOR.finditer(self._text):
            start = max(0, found.start() - _NEAR)
            signed = list(_SIGNED.finditer(self._text, start, found.end() + _NEAR))
            if signed:
                ref = stated_entry(self._lexicon, calmed(" ".join(signed[-1]["name"].split())), "Organization")
                low, high = min(signed[-1].start(), found.start()), max(signed[-1].end(), found.end())
                yield from self._fact("auditor", "AUDITED", ref, registrant, low, high)

    def _fact(
        self, rule: str, type_: str, subject: int | None, object_: int | None, start: int, end: int
    ) -> Iterator[LexiconFact]:
        while start < end and self._text[start].isspace():
            start += 1
        place = self._places.find_chunk(start, end)
        if subject is None or object_ is None or subject == object_ or place is None or end - start > _MOST_QUOTED:
            return
        said = " ".join(self._text[start:end].split())
        yield LexiconFact(f"filings.{rule}", candidate_at(type_, said, 0.9, place), subject, object_)


def _cells(line: str) -> list[str]:
    """The values of a line: the cells of a row, else the line."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")] if "|" in line else [line.strip()]
