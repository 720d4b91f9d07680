"""Who maintains, leads, owns or knows what, and where to ask, by tables with a column *Maintainers* or *Expert*.

Used by the fact reader; pure. ``records`` reads the rows whose names show what they are; here the column's header and
its cells do, so that a row may be called by any word (``json``, ``filesystem``).
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.documents.records.record import is_nothing, is_plain_value, key_word, may_be_name
from kgfs.documents.records.rst_tables import TableRow
from kgfs.extraction.facts.chunk_places import ChunkPlaces
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_at
from kgfs.extraction.facts.meeting_notes.attendees import read_entry, read_names
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.structured.document_tables import REMARK, document_tables
from kgfs.extraction.facts.structured.listed_names import stated_entry
from kgfs.extraction.facts.structured.structure import FORMER
from kgfs.extraction.names import tagging
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.model import ParsedDocument
from kgfs.relation_types import may_join


class _Column(NamedTuple):
    """What a column of persons says of them and the row."""

    type: str
    words: re.Pattern[str]
    turned: bool = False
    """The row is the subject."""


_COLUMNS = (
    _Column("MAINTAINS", re.compile(r"(?:\w+_)?(?:co_)?maintainers?|committers")),
    _Column("LEADS", re.compile(r"(?:\w+_)?(?:co_)?(?:leads?|chairs?)")),
    _Column("OWNS", re.compile(r"(?:code_?|product_|service_|module_)?owners?")),
    _Column("EXPERT_IN", re.compile(r"(?:\w+_)?experts?")),
    _Column("COORDINATES", re.compile(r"(?:\w+_)?coordinators?|coordination_team")),
    _Column("REVIEWS", re.compile(r"(?:code_)?reviewers?")),
    _Column(
        "HAS_CONTACT", re.compile(r"(?:\w+_)?(?:contacts?|contact_persons?|liaisons?|points?_of_contact)"), turned=True
    ),
)
_CHANNELS = re.compile(r"(?:slack|chat|discord|irc|zulip|matrix)?_?channels?|slack|mailing_lists?")
"""Columns that say where to ask about a row."""
_CHANNEL = re.compile(r"#[a-z][\w-]{2,60}")
_ROWS = (
    ("", re.compile(r"name")),
    ("Organization", re.compile(r"(?:\w+_)?(?:team|group|committee|council|board|sig|wg|chapter|squad|department)s?")),
    ("Product", re.compile(r"(?:\w+_)?(?:tool|project|repo|repository|service|application|app|platform|library|system|software|product|component|plugin|extension)s?")),
    ("Module", re.compile(r"modules?|packages?|crates?|gems?")),
    ("Language", re.compile(r"languages?")),
    ("Concept", re.compile(r"(?:\w+_)?(?:areas?|topics?|fields?|domains?|subjects?|features?)")),
)  # fmt: skip
"""What rows are, by the header of their names."""
_HANDLE = re.compile(r"@?(?P<name>[A-Za-z\d](?:[\w.-]{0,37}[A-Za-z\d])?)[*^~†]*")
_BETWEEN = re.compile(r"\s*[,;]\s*|\s+and\s+|[\n\v]")
FEWEST_ROWS = 2
MOST_FACTS = 1500
"""Of a document."""
_MAX_QUOTE = 600


class RoleTables:
    """Reads the tables of one document."""

    def __init__(self, document: ParsedDocument, lexicon: Lexicon, types: NameTypes, *, tagged: bool) -> None:
        self._document, self._lexicon, self._types, self._tagged = document, lexicon, types, tagged
        self._places = ChunkPlaces(document.chunks)

    def read(self) -> list[LexiconFact]:
        """The facts, in order of the rows."""
        found: list[LexiconFact] = []
        for table in document_tables(self._document):
            if len(table.rows) >= FEWEST_ROWS and not any(map(FORMER.search, table.headings)):
                found += self._table(table.header, table.rows)
        return found[:MOST_FACTS]

    def _table(self, header: Sequence[str], rows: Sequence[TableRow]) -> Iterator[LexiconFact]:
        words = [key_word(cell) for cell in header]
        type_ = next((type_ for type_, pattern in _ROWS if words and pattern.fullmatch(words[0])), None)
        if type_ is None:
            return
        for place, word in list(enumerate(words))[1:]:
            if _CHANNELS.fullmatch(word):
                yield from self._channels(type_, place, rows)
            column = next((one for one in _COLUMNS if one.words.fullmatch(word)), None)
            if column is None:
                continue
            cells = [
                (row, self._persons(row.cells[place])) for row in rows if place < len(row.cells) and row.cells[place]
            ]
            people = [name for _, names in cells for name in names]
            if sum(bool(names) for _, names in cells) * 5 < 4 * len(cells) or len(cells) < FEWEST_ROWS:
                continue
            bare = [name for name in people if " " not in name and not name.startswith("@")]
            if sum(map(tagging.is_word, bare)) * 4 > len(people):
                continue  # a column of ordinary words
            if type_ == "Concept" and column.type == "MAINTAINS":
                column = column._replace(type="EXPERT_IN")  # nobody maintains an area of interest
            for row, names in cells:
                yield from self._row(column, type_, row, names, header[place])

    def _channels(self, type_: str, place: int, rows: Sequence[TableRow]) -> Iterator[LexiconFact]:
        """Where one asks about the things of the rows."""
        for row in rows:
            found = _CHANNEL.search(row.cells[place]) if place < len(row.cells) else None
            subject = self._subject(row, type_) if found is not None else None
            if found is not None and subject is not None and self._types.given_type(subject) != "Person":
                ref = stated_entry(self._lexicon, found[0], "Channel")
                if ref is not None:
                    yield from self._fact("HAS_CONTACT", subject, ref, row, f"{row.cells[0]}: {found[0]}")

    def _row(
        self, column: _Column, type_: str, row: TableRow, names: Sequence[str], title: str
    ) -> Iterator[LexiconFact]:
        subject = self._subject(row, type_)
        for person in names if subject is not None else ():
            ref = stated_entry(self._lexicon, person, "Person")
            if ref is None or subject is None or ref == subject:
                continue
            pair = (subject, ref) if column.turned else (ref, subject)
            said = f"{row.cells[0]}: {title}: {person}"
            for fact in self._fact(column.type, *pair, row, said):
                fact.candidate.role = title if column.type == "HAS_CONTACT" else None
                yield fact

    def _subject(self, row: TableRow, type_: str) -> int | None:
        """The entry of what a row is about; of one whose header is only *Name*, only what is known."""
        name = " ".join(REMARK.sub("", row.cells[0]).split()).strip("-–—•\\ ")
        if not may_be_name(name) or len(name.split()) > 8:
            return None
        known = self._lexicon.known_entry(name)
        if known is not None:
            return self._lexicon.resolved(known)
        return stated_entry(self._lexicon, name, type_) if type_ else None

    def _fact(self, type_: str, subject: int, object_: int, row: TableRow, said: str) -> Iterator[LexiconFact]:
        place = self._places.find_chunk(row.start, row.end)
        ends = (self._types.given_type(subject), self._types.given_type(object_))
        if place is None or row.end - row.start > _MAX_QUOTE or not may_join(type_, *ends):
            return
        candidate = candidate_at(type_, said, 0.85, place)
        yield LexiconFact("tables.role", candidate, subject, object_)

    def _persons(self, cell: str) -> list[str]:
        """The persons of a cell: names, or handles and nothing else; none where something else stands there."""
        if is_nothing(cell) or FORMER.search(cell):
            return []
        parts = [part for part in _BETWEEN.split(REMARK.sub("", cell)) if part]
        handles = [found for part in parts if (found := _HANDLE.fullmatch(part)) is not None]
        if len(handles) == len(parts):
            if len(parts) == 1 and read_entry(cell, tagged=self._tagged) is None and is_plain_value(parts[0]):
                return []
            return [part.rstrip("*^~†") for part in parts]
        return [one.name for one in read_names(cell, tagged=self._tagged) if one.sure or one.handle]


def is_told(fact: LexiconFact, by_role: Sequence[LexiconFact], types: NameTypes) -> bool:
    """Whether a value of a record is what a row says of persons."""
    value = fact.candidate.object_text
    return value is not None and any(
        fact.candidate.quote == one.candidate.quote and types.name(one.subject) in value for one in by_role
    )
