"""Facts out of records: rows, mappings, cards, ``Key: value`` lines, front matter.

Used by the fact reader; pure. The quote is the row or line as it stands in its chunk. A value that names something
(``record_ends``) is the other end; any other is kept as a value.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from kgfs.documents import dates
from kgfs.documents.blocks import Block
from kgfs.documents.formats.parsing import document_blocks
from kgfs.documents.identifiers import read_series
from kgfs.documents.records.foreign_keys import has_comma
from kgfs.documents.records.reading import document_records, record_names
from kgfs.documents.records.record import (
    KIND_KEYS,
    Field,
    Record,
    is_nothing,
    is_plain_value,
    key_word,
    spelled,
)
from kgfs.extraction.facts.chunk_places import ChunkPlaces
from kgfs.extraction.facts.structured.record_columns import (
    OF_PAGES,
    OF_THINGS,
    ColumnMeaning,
    column_meaning,
    is_dated,
    key_type,
    led_post,
    states_value,
    value_type,
)
from kgfs.extraction.facts.structured.record_ends import NO_EMPLOYER, OF_AGENTS, REMARK, SLUG, RecordEnds
from kgfs.extraction.facts.structured.record_measures import read_measure
from kgfs.extraction.facts.structured.record_people import (
    OF_PERSONS,
    former_places,
    is_person_like,
    says_who,
)
from kgfs.extraction.facts.structured.structure import FORMER
from kgfs.extraction.names import capitals
from kgfs.extraction.names.declared.gazetteer import is_own_type
from kgfs.extraction.names.declared.record_names import record_entity
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.software import is_software
from kgfs.extraction.names.wordlists.kind_nouns import noun_type
from kgfs.extraction.names.wordlists.places import PLACES
from kgfs.extraction.names.wordlists.well_known import FIRMS_TOO
from kgfs.model import Chunk, FactCandidate, ParsedDocument
from kgfs.plurals import singular
from kgfs.relation_types import RELATION_TYPES, canonical_type, may_join

_NAMED_ALIKE = frozenset({"Concept", "Product", "Technology"})
_NO_LABELS = frozenset({"Person", "Location", "City", "Country", "State", "Facility"})
"""Types of names that are no label of a value."""
MAX_FACTS = 12_000
"""Of a document: more rows add nothing that search does not find."""
_WHOLE_QUOTE = 400
_MAX_QUOTE = 2000
_MAX_VALUE = 120
_MAX_WORDS = 8
"""A longer value is a sentence: its row is found by search."""
_CONFIDENCE = 0.95
_OF_YEAR = re.compile(
    r"(?i)year|date|found|establish|incorporat|born|birth|died|death|built|open|since|start|begin|began|end|until|from|to$|publish|"
    r"releas|launch|creat|complet|elect|term|when|time|join|left|retire|\w{3}ed\b"
)
"""In the key of a field whose number is a year: a *Population* of 2000 is none."""
_IN_TEXT = 0.9
"""Of tables and lines that stand in a text: what their rows are is less sure."""
_OF_PRESENT = frozenset({"MEMBER_OF", "WORKS_FOR", "LEADS"})
_IN_SERIES = frozenset({"REQUIRES", "REPLACES", "BASED_ON", "SEE_ALSO"})
"""What one of a series may have to do with another one."""
_NUMBERS = re.compile(r"\d{1,5}(?:(?:, ?| and )\d{1,5})*")
_HANDLES = re.compile(r"@[\w-]+(?:(?:, ?|,? and | )@[\w-]+)+")
"""Several who are called by their handles alone."""
_CHANNEL = re.compile(r"#[a-z][a-z\d]*(?:[-_][a-z\d]+)+")
"""A channel of a chat."""


class RecordFact(NamedTuple):
    """A fact with the lexicon's entries of its ends."""

    candidate: FactCandidate
    subject: int
    object: int | None


def _is_call(value: str) -> bool:
    """Whether a value is software by which people meet, in the place of a place: *Location: Zoom*."""
    return is_software(value) or value in FIRMS_TOO


def record_facts(document: ParsedDocument, lexicon: Lexicon) -> list[RecordFact]:
    """What the records of a document state, 12,000 facts at most."""
    if not document.chunks or not document.text:
        return []
    blocks = document_blocks(document)
    records = document_records(document, blocks)
    return _Reader(document, lexicon, records, blocks).read() if records else []


_STEP = re.compile(r"(?i)(?:step|exercise|lesson|task) \d{1,2}\b(?!\.\d)(?::|\.| [-–—]|$)")
"""A heading that tells what to do: what a list beneath it explains are roles and fields, not what the step has."""
_LABEL = re.compile(r"(?i)(?:link|here|website|url|more|more info(?:rmation)?|see (?:here|more)|read more)")
"""What a link is called whose address would be the value."""
_SITE_LABEL = re.compile(
    r"(?i)(?:github|gitlab|bitbucket|codeberg|sourceforge|docs?|documentation|repo(?:sitory)?|source(?: code)?|code|"
    r"slack|zoom|link|here|website|site|home ?page|url|view|notes|meeting notes|more|more info(?:rmation)?)"
)
"""What a link is called for where it leads, so that the address is the value."""
_WITH_POST = re.compile(
    r"(?P<name>[^\W\d_a-z][\w.'’-]*(?: [^\W\d_][\w.'’-]*){1,3}), (?:(?:Vice )?President|[SE]?VP|C[A-Z]O|Chair|Chief|"
    r"Director|Head|Founder|Co-?founder|Professor|Senior|Lead|Principal|Staff|Manager|Engineer|Editor)\b[^;&]*"
)
_FOOTNOTE = re.compile(r"(?<=\w)(?:\s?\\?[*†‡])+$")
"""Behind a value: what stands below the table is no part of it."""
_OF_TASKS = frozenset("deadline due due_date eta priority progress state status".split())
"""Keys of what somebody does, in a row that has only his or her name."""
_NO_KINDS = frozenset("draft epic module package story template".split())
"""Under *type* these sort files and tasks: ``"type": "module"`` of a program in JavaScript."""
_AGO = re.compile(r"\s*[;(][^;(]*$")
"""Behind a date: *1921; 103 years ago*."""
_KIND = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")
"""What something is, in at most three words."""
_KEPT_IN = ColumnMeaning("STORED_IN", "Product")
_SUPERSEDED = re.compile(r"(?i)(?:superse[dc]ed|replaced|obsoleted)[ -]by:?\s+(?P<by>\S.*)")
"""What became of a decision: *Status: superseded by ADR-017*."""


class _Reader:
    def __init__(
        self, document: ParsedDocument, lexicon: Lexicon, records: Sequence[Record], blocks: Sequence[Block]
    ) -> None:
        self._document = document
        self._blocks = blocks
        self._lexicon = lexicon
        self._records = records
        self._text = document.text or ""
        self._places = ChunkPlaces(document.chunks)
        self._refs: list[int | None] = [self._subject(record) for record in records]
        self._ends = RecordEnds(document, lexicon, records, self._refs)
        self._is_end = False
        """Whether what the record that is read is about stands at an end of a fact."""

    def read(self) -> list[RecordFact]:
        joined = self._joining_keys()
        former = former_places(self._blocks)
        found: list[RecordFact] = []
        for record, ref in zip(self._records, self._refs, strict=True):
            if ref is None:
                continue
            is_former = any(start <= record.start < end for start, end in former)
            fields = record.fields
            if record.shape == "front":
                # What is said of the page itself makes no entity of it: what else is said of it shows that it is one.
                fields = sorted(fields, key=lambda one: key_word(one.key) in OF_PAGES)
            self._is_end = False
            if record.says is not None and not is_former and (kind := self._kind(record, ref, record.says)) is not None:
                found.append(kind)
            for one in fields:
                of_kind = record.shape != "front" and key_word(one.key) in KIND_KEYS
                if of_kind and (kind := self._kind(record, ref, one)) is not None:
                    found.append(kind)
                    continue
                if is_former and not says_who(key_word(one.key)):
                    continue  # what an alumnus was there
                made = list(self._facts(record, ref, one, joined))
                self._is_end = self._is_end or any(fact.object is not None for fact in made)
                found += made
                if len(found) >= MAX_FACTS:
                    return found
        return found

    def _kind(self, record: Record, subject: int, one: Field) -> RecordFact | None:
        """What something is by a field of its own; ``None`` where that only sorts it (*internal*, *full-time*)."""
        name = one.value if re.search(r"[A-Z]", one.value[1:]) else one.value.lower()
        last = name.rpartition(" ")[2]
        said = noun_type(last) if last not in _NO_KINDS else ""
        of_text = record.of_page and said in ("Document", "Event", "Work")
        if _KIND.fullmatch(name) is None or said in ("", "Concept") or of_text or singular(last) != last:
            return None
        candidate = self._candidate(record, one, "IS_A", one.value)
        if candidate is not None:
            candidate.object_text = name
        return RecordFact(candidate, subject, None) if candidate is not None else None

    def _subject(self, record: Record) -> int | None:
        """The entry that a record is about; ``None`` where it is about nothing that is an entity."""
        lexicon = self._lexicon
        if record.shape == "box":
            ref = lexicon.subject if lexicon.subject is not None else lexicon.known_entry(self._document.title)
            named = lexicon.named[lexicon.resolved(ref)] if ref is not None else None
            return ref if named is not None and (named.best is None or named.best[0] != "Document") else None
        if not record.name or record.of_page:
            return lexicon.subject if lexicon.subject is not None else lexicon.known_entry(self._document.title)
        if record.shape == "lines" and _STEP.match(record.name):
            return None
        (term,) = record_names([record])
        candidate = record_entity(term)
        if candidate is not None:
            return lexicon.get(candidate.name)
        return lexicon.find_entry(record.name)

    def _joining_keys(self) -> frozenset[str]:
        """The keys whose values are mostly names of records or of known entities: they join, others may by accident."""
        values: defaultdict[str, set[str]] = defaultdict(set)
        for record in self._records:
            for one in record.fields:
                if not is_plain_value(one.value) or self._ends.by_key:
                    values[key_word(one.key)].add(one.value.casefold())
        return frozenset(
            key
            for key, seen in values.items()
            if sum(self._ends.named(key, value) is not None for value in seen) * 5 >= 3 * len(seen)
        )

    def _facts(self, record: Record, subject: int, one: Field, joined: frozenset[str]) -> Iterator[RecordFact]:
        word = key_word(one.key)
        said = word.removesuffix("_id").removesuffix("_name") if word not in ("id",) else word
        type_ = self._ends.type_of(subject)
        replaced = _SUPERSEDED.fullmatch(one.value) if word == "status" else None
        if replaced is not None and self._ends.named(word, replaced["by"]) is not None:
            word = said = "superseded_by"
            one = replace(one, value=replaced["by"])
        meaning = column_meaning(word, type_) or column_meaning(said, type_)
        if meaning is None and word in OF_PERSONS and type_ in ("", "Concept") and is_person_like(record):
            meaning = column_meaning(word, "Person")
        one = replace(one, value=_FOOTNOTE.sub("", one.value))
        if is_dated(word):
            if dates.from_value(day := _AGO.sub("", one.value)) is not None and is_plain_value(day):
                one = replace(one, value=day)
            elif word in ("born", "died") and type_ == "Person":
                meaning, said = column_meaning(f"{word}_in", type_), f"{word}_in"
        employs = meaning is not None and meaning.type == "WORKS_FOR" and meaning.value == "Organization"
        if employs and NO_EMPLOYER.match(one.value):
            return  # "Independent"
        if _SITE_LABEL.fullmatch(one.value) and not employs:
            one = replace(one, value=self._address(one) or one.value)
        if is_nothing(one.value) or _LABEL.fullmatch(one.value):
            return
        posted = _WITH_POST.fullmatch(one.value) if meaning is not None else None
        published = meaning is not None and meaning.type == "PUBLISHED"
        if published and (posted is not None or (capitals.type_cue(one.value) or ("",))[0] == "Person"):
            meaning = column_meaning("author", type_)  # of a blog: "published_by: Ann Lee"
        if posted is not None and meaning is not None and meaning.value == "Person":
            one = replace(one, value=posted["name"])  # "Ann Lee, VP Acme Lamps"
        if meaning is not None and meaning.type in _OF_PRESENT and FORMER.search(re.sub("[_-]", " ", one.value)):
            return  # "former_council"
        if meaning is not None and meaning.type == "LOCATED_IN" and is_software(REMARK.sub("", one.value)):
            meaning = _KEPT_IN  # where a secret is
        if meaning is not None and meaning.type == "HELD_IN" and _is_call(REMARK.sub("", one.value)):
            meaning = None
        if meaning is not None and meaning.type == "CLIENT_OF" and not self._ends.is_client(record, word, one.value):
            meaning = None
        one = self._with_series(subject, one, meaning)
        if _CHANNEL.fullmatch(one.value) and record.shape != "front":
            yield from self._channel(record, one, subject, meaning)
            return
        joins = meaning is not None or (
            word in joined and (record.shape != "front" or self._is_meant(one, record, word))
        )
        ends = self._ends.linked(record, one, word) if meaning is None or not meaning.value else []
        if not ends:
            ends = self._ends.ends(record, one, word, meaning) if joins else self._ends.somebody(record, one, word)
        made = False
        for name, ref in ends:
            if self._lexicon.resolved(ref) == self._lexicon.resolved(subject):
                made = True
                continue
            fact_type, turned = self._relation(said, meaning, subject, ref)
            candidate = self._candidate(record, one, fact_type, name) if fact_type else None
            if candidate is not None:
                made = True
                if fact_type == "HAS_CONTACT":
                    candidate.role = one.key.strip(" *_") or None
                elif fact_type == "LEADS" and (post := led_post(word)):
                    candidate.role = post
                if fact_type in _OF_PRESENT | {"HAS_CONTACT", "PART_OF"}:
                    candidate.valid_to = _ended(record)
                self._lexicon.named[ref].count += 1
                yield RecordFact(candidate, ref if turned else subject, subject if turned else ref)
        if not made and not self._is_name(one) and self._is_valued(record, subject, word, one.value):
            fact_type = value_type(word)
            # Each of several people who have nothing but a handle: "@al, @bo".
            for value in re.findall(r"@[\w-]+", one.value) if _HANDLES.fullmatch(one.value) else [one.value]:
                candidate = self._candidate(record, one, fact_type, value) if fact_type else None
                if candidate is not None:
                    candidate.object_text = value
                    candidate.value, candidate.unit = read_measure(value, comma=self._has_comma)
                    yield RecordFact(candidate, subject, None)

    def _with_series(self, subject: int, one: Field, meaning: ColumnMeaning | None) -> Field:
        """A field whose value is only the number of another one in the series of its subject, with its whole name: in
        the header of *PEP 779* the line ``Requires: 703``."""
        if meaning is None or meaning.type not in _IN_SERIES or _NUMBERS.fullmatch(one.value) is None:
            return one
        own = read_series(self._lexicon.named[self._lexicon.resolved(subject)].name)
        if own is None:
            return one
        sign = "-" if own.name.startswith(f"{own.series}-") else " "
        names = [f"{own.series}{sign}{number.lstrip('0')}" for number in re.findall(r"\d+", one.value)]
        known = all(self._lexicon.known_entry(name) is not None for name in names)
        return replace(one, value=", ".join(names)) if known else one

    def _is_name(self, one: Field) -> bool:
        """Whether the label of a value is a place's or somebody's name, or the value itself: it says nothing of the
        subject. *Oslo: oslo@acme.org* is a line of contacts."""
        label = one.key.strip(" *_`:")
        if key_word(label) == key_word(one.value) and " " in label:
            return True  # a link: "Office Guide: [Office Guide](…)"
        if not label[:1].isupper():
            return False
        if label in PLACES or re.sub(r",? D\.?C\b\.?$", ", D.C.", label) in PLACES:
            return True
        ref = self._lexicon.find_entry(label) if " " in label else None
        return ref is not None and self._ends.type_of(self._lexicon.resolved(ref)) in _NO_LABELS

    def _address(self, one: Field) -> str:
        """Where a value that is only the label of a link leads, if one link of its cell has the label."""
        label = re.escape(one.value)
        found = set(
            re.findall(rf"\[[*_`]*{label}[*_`]*\]\(<?(https?://[^\s()<>]+)>?\)", self._text[one.start : one.end])
        )
        return found.pop() if len(found) == 1 else ""

    def _channel(self, record: Record, one: Field, subject: int, meaning: ColumnMeaning | None) -> Iterator[RecordFact]:
        """Where one asks about what a record describes, or where its alerts go; whatever the key calls the channel."""
        type_ = meaning.type if meaning is not None and meaning.type == "ALERTS_GO_TO" else "HAS_CONTACT"
        candidate = self._candidate(record, one, type_, one.value)
        if candidate is not None:
            ref = self._ends.add(one.value, "Channel")
            self._lexicon.named[ref].count += 1
            yield RecordFact(candidate, subject, ref)

    def _is_meant(self, one: Field, record: Record, word: str) -> bool:
        """Whether a value of front matter means the entity, and not the word: as it is written, or by a link.

        ``questions: hiring`` names a channel, and tags say what a text touches, not what its subject has to do with it.
        """
        if not states_value(word) or word in ("type", "layout", "category"):
            return False  # the kind of the text
        if "[[" in self._text[one.start : one.end]:
            return True
        ref = self._ends.named(word, one.value)
        if ref is None:
            return False
        named = self._lexicon.named[self._lexicon.resolved(ref)]
        return one.value in (named.name, *named.aliases) and one.value != one.value.lower()

    def _relation(self, key: str, meaning: ColumnMeaning | None, subject: int, object_: int) -> tuple[str, bool]:
        """The type of fact of a key, and whether its ends change places; the key itself where no type fits the ends."""
        known = (meaning.type, meaning.turned) if meaning is not None else canonical_type(key_type(key))
        first, second = (object_, subject) if known[1] else (subject, object_)
        second_type = self._ends.type_of(second)
        if meaning is not None and meaning.value == "Organization" and self._ends.type_of(object_) in _NAMED_ALIKE:
            return known  # "Company: Elastic", which is the name of what it makes, too
        name = self._lexicon.named[self._lexicon.resolved(object_)].name
        named = name.casefold()
        unsaid = meaning is not None and meaning.turned and self._ends.type_of(object_) in ("", "Concept")
        if unsaid and known[0] in OF_AGENTS and name[:1].isupper() and may_join(known[0], "Organization", second_type):
            return known  # a body of which its page does not say so
        if known[0] == "DIRECTED" and self._ends.type_of(subject) in ("", "Concept", "Document"):
            return known  # only works are
        if known[0] == "WORKS_FOR" and self._ends.type_of(object_) == "Person" and named not in self._ends.by_name:
            return known  # a firm that is taken for somebody elsewhere
        if may_join(known[0], self._ends.type_of(first), second_type):
            return known
        own = key_type(key)
        if own in RELATION_TYPES or (meaning is not None and meaning.turned):
            return "", False  # "Leads: Jane Doe" leads nobody
        return own, False

    def _is_valued(self, record: Record, subject: int, word: str, value: str) -> bool:
        if self._lexicon.named[self._lexicon.resolved(subject)].name.lower().startswith(f"{word} "):
            return False  # "DEP: 12" of *DEP 12*
        if not states_value(word) or len(value) > _MAX_VALUE or len(value.split()) > _MAX_WORDS or "](" in value:
            return False
        if record.shape == "message":
            return word == "email"
        if word in _OF_TASKS and self._ends.type_of(subject) == "Person":
            return False  # "Owner | Status"
        if SLUG.search(word) and value.casefold() in self._ends.by_slug and "_" in word:
            return False  # what only its file calls it
        if record.shape == "front" and word in OF_THINGS:
            return self._ends.type_of(subject) != "Document"
        if record.shape == "front" and word in OF_PAGES:
            return self._ends.type_of(subject) != "Document" or self._is_end
        if record.shape == "front" and word == "role" and self._ends.type_of(subject) == "Person":
            return True
        # Front matter speaks of the text too (who wrote it, when): of the thing only where it says what that is.
        return record.shape != "front" or (
            is_own_type(self._document.front_matter.get("type")) and word not in ("type", "date", "author", "authors")
        )

    @cached_property
    def _has_comma(self) -> bool:
        """Whether the numbers of the document are written as 1.000,5, by the language of its keys."""
        return any(has_comma(spelled(key)) for key in {one.key for record in self._records for one in record.fields})

    def _candidate(self, record: Record, one: Field, fact_type: str, value: str) -> FactCandidate | None:
        quote = self._quote(record, one, value)
        if quote is None:
            return None
        chunk, start, end = quote
        shown = record.name or self._document.title
        text = chunk.text[start:end]
        first = len(chunk.text[:start].encode("utf-8", "replace"))
        dated = re.search(r"\d{4}", one.value) and is_plain_value(one.value)
        dated = dated and not (one.value.strip().isdigit() and _OF_YEAR.search(one.key) is None)
        found = dates.from_value(one.value) if dated else None
        return FactCandidate(
            type=fact_type,
            subject=0,
            description=f"{shown}: {one.key.strip()}: {value}"[:300],
            # A passage has the date of its headings, which front matter stands before.
            date=found or (chunk.date if record.shape != "front" else None) or self._document.date,
            confidence=_IN_TEXT if record.shape in ("cells", "lines", "box") else _CONFIDENCE,
            chunk=chunk.ordinal,
            quote=text,
            start=first,
            end=first + len(text.encode("utf-8", "replace")),
        )

    def _quote(self, record: Record, one: Field, value: str) -> tuple[Chunk, int, int] | None:
        """What says a field: the whole row where it is short, else its own lines, else the value as it stands there."""
        if record.end - record.start <= _WHOLE_QUOTE and "\n" not in self._text[record.start : record.end]:
            whole = self._places.find_chunk(record.start, record.end)
            if whole is not None and record.shape != "front":
                return whole
        if one.end - one.start <= _MAX_QUOTE and (whole := self._places.find_chunk(one.start, one.end)) is not None:
            return whole
        at = self._text.find(value, one.start, one.end)
        return self._places.find_chunk(at, at + len(value)) if at >= 0 and value else None


_ENDED = frozenset("archived_on closed_on disbanded_on dissolved_on end_date ended ended_on retired_on until".split())
"""Keys of the day on which what a record is about came to its end."""


def _ended(record: Record) -> str | None:
    """The day on which what a record is about came to its end; ``None`` where it says none."""
    said = next((one.value for one in record.fields if key_word(one.key) in _ENDED), "")
    return dates.from_value(said) if said else None
