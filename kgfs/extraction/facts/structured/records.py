"""Facts out of records: rows, mappings, cards, ``Key: value`` lines, front matter.

Used by the fact reader; pure. The quote is the row or line as it stands in its chunk. A value that is the name of a
record or of a known entity, or of what its column always holds (an owner, a city), is the other end; any other is kept
as a value.
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
from kgfs.documents.records.foreign_keys import has_comma
from kgfs.documents.records.reading import document_records, record_names
from kgfs.documents.records.record import (
    Field,
    Record,
    has_no_case,
    is_foreign_key,
    is_nothing,
    is_plain_value,
    key_word,
    spelled,
)
from kgfs.extraction.facts.chunk_places import ChunkPlaces
from kgfs.extraction.facts.sentences.proximity import ROLE
from kgfs.extraction.facts.structured.record_columns import (
    OF_THINGS,
    ColumnMeaning,
    column_meaning,
    key_type,
    led_post,
    states_value,
    value_type,
)
from kgfs.extraction.facts.structured.record_measures import read_measure
from kgfs.extraction.facts.structured.record_people import (
    OF_PERSONS,
    former_places,
    is_person_like,
    is_unspaced_person,
    says_who,
    slug_person,
)
from kgfs.extraction.facts.structured.structure import FORMER
from kgfs.extraction.names import capitals
from kgfs.extraction.names.declared.gazetteer import clean_name, is_own_type
from kgfs.extraction.names.declared.record_names import record_entity
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.people.name_words import may_be_somebody
from kgfs.extraction.names.software import is_software
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.kind_nouns import noun_type
from kgfs.extraction.names.wordlists.places import ADMINISTRATIVE, PLACES
from kgfs.extraction.names.wordlists.well_known import FIRMS_TOO, well_known_type
from kgfs.languages import ENGLISH, UNKNOWN, language_of
from kgfs.model import Chunk, FactCandidate, ParsedDocument
from kgfs.relation_types import RELATION_TYPES, canonical_type, is_thing, may_join

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
_BETWEEN = re.compile(r"\s*(?:[;,/&；，、]|\b(?:and|und|et|и)\s)\s*(?:and\s+)?(?:the\s+)?")
"""What stands between the names of a value."""
_ID = re.compile(r"[a-z][a-z\d]+(?:[_-][a-z\d]+)+")
"""A name in the spelling of identifiers."""
_SLUG = re.compile(r"(?:^|_)(?:slug|username|login)$")
"""A key whose value is what other records call this one by."""
_OF_PRESENT = frozenset({"MEMBER_OF", "WORKS_FOR", "LEADS"})
_MADE_WITH = frozenset({"USES", "REQUIRES", "RUNS_ON"})
_MADE = frozenset({"CREATED", "DEVELOPED", "MANUFACTURES"})
_PERSON = re.compile(r"(?:[^\W\d_][\w.'’-]*\s+){1,3}[^\W\d_][\w.'’-]*")
_THINGS = ("Product", "Technology")
_THING = re.compile(r"(?i:[a-z][\w.+#-]{1,30})(?: [A-Z\d][\w.+-]{0,20}){0,2}")
_PROPER = re.compile(r"[A-Z\d¡-\uffff][^\n]{1,79}")
_NO_EMPLOYER = re.compile(
    r"(?i)(?:IE\b|n/?a\b|(?:invited|independent)(?: \w+)?$|"
    r"(?:individual|self|self-employed|freelance|freelancer|none|contributor|guest|observer)$)"
)
"""What stands in the column of organizations for somebody who is of none."""
_HANDLE = re.compile(r"\s*[(\[]?(?<!\S)[(\[*]*@[A-Za-z\d][\w-]*[)\]*]*$")
"""What somebody is called on a site, behind the name."""
_ONLY_HANDLE = re.compile(r"@[A-Za-z\d](?:[A-Za-z\d]|-(?=[A-Za-z\d])){1,38}")
"""Somebody who is called by nothing else: ``authors: ['@jdoe']``."""
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
_REMARK = re.compile(r"\s*\([^()]*\)$")
"""*Tarn (formerly Lumen)*."""
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
_KEPT_IN = ColumnMeaning("STORED_IN", "Product")
_POST = re.compile(rf"(?i:\b(?:{ROLE}|board|team|staff)\b)")
_SEVERAL = re.compile(
    r"\b(?:Team|Group|Committee|Council|Board|Staff|Office|Department|Association|Foundation|Contributors|Authors|"
    r"Alliance|Community|Company|Consortium|Games|Graphics|Interactive|International|Software|Teams)$"
)
"""Who is not one person: *The Rust Release Team*."""


_PERIODICAL = re.compile(
    r"(?i)\b(?:journal|proceedings|transactions on|letters|magazine|arxiv|et al|preprint|plos|vol\.|pp\.)(?=\W|$)|"
    r"^(?:Nature|Science|Cell)(?:$| \w+$)"
)
"""Where something appeared, which is none of its authors."""


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
        self._by_key: dict[str, int] = {}
        self._by_name: dict[str, int] = {}
        for record, ref in zip(records, self._refs, strict=True):
            if ref is not None and record.name:
                self._by_name.setdefault(record.name.casefold(), ref)
                if record.key:
                    self._by_key.setdefault(record.key.casefold(), ref)
        self._by_slug = self._slugs()

    def read(self) -> list[RecordFact]:
        joined = self._joining_keys()
        former = former_places(self._blocks)
        found: list[RecordFact] = []
        for record, ref in zip(self._records, self._refs, strict=True):
            if ref is None:
                continue
            is_former = any(start <= record.start < end for start, end in former)
            for one in record.fields:
                if is_former and not says_who(key_word(one.key)):
                    continue  # what an alumnus was there
                found += self._facts(record, ref, one, joined)
                if len(found) >= MAX_FACTS:
                    return found
        return found

    def _subject(self, record: Record) -> int | None:
        """The entry that a record is about; ``None`` where it is about nothing that is an entity."""
        lexicon = self._lexicon
        if not record.name or record.of_page:
            return lexicon.subject if lexicon.subject is not None else lexicon.known_entry(self._document.title)
        if record.shape == "lines" and _STEP.match(record.name):
            return None
        (term,) = record_names([record])
        candidate = record_entity(term)
        if candidate is not None:
            return lexicon.get(candidate.name)
        return lexicon.find_entry(record.name)

    def _type(self, ref: int) -> str:
        best = self._lexicon.named[self._lexicon.resolved(ref)].best
        return best[0] if best else ""

    def _slugs(self) -> dict[str, int]:
        """The records by what their file calls them where others name them: ``slug``, ``username``."""
        found: defaultdict[str, set[int]] = defaultdict(set)
        for record, ref in zip(self._records, self._refs, strict=True):
            if ref is None:
                continue
            for one in record.fields:
                if _SLUG.search(key_word(one.key)) and not is_nothing(one.value):
                    found[one.value.casefold()].add(ref)
        return {value: refs.pop() for value, refs in found.items() if len(refs) == 1}

    def _joining_keys(self) -> frozenset[str]:
        """The keys whose values are mostly names of records or of known entities: they join, others may by accident."""
        values: defaultdict[str, set[str]] = defaultdict(set)
        for record in self._records:
            for one in record.fields:
                if not is_plain_value(one.value) or self._by_key:
                    values[key_word(one.key)].add(one.value.casefold())
        return frozenset(
            key
            for key, seen in values.items()
            if sum(self._named(key, value) is not None for value in seen) * 5 >= 3 * len(seen)
        )

    def _named(self, key: str, value: str) -> int | None:
        """The entry that a value names: a record of this document by its name or key, or a known entity."""
        ref = self._by_name.get(value.casefold())
        if ref is None and "@" not in value and (key.endswith("_id") or not value.isdigit()):
            ref = self._by_key.get(value.casefold())
        if ref is None and not _SLUG.search(key):
            ref = self._by_slug.get(value.casefold())
        if ref is None and not is_plain_value(value):
            ref = self._lexicon.known_entry(value)
        if ref is None and _ID.fullmatch(value):
            ref = self._lexicon.known_entry(re.sub("[_-]", " ", value))  # "executive_council"
        return ref

    def _facts(self, record: Record, subject: int, one: Field, joined: frozenset[str]) -> Iterator[RecordFact]:
        word = key_word(one.key)
        said = word.removesuffix("_id").removesuffix("_name") if word not in ("id",) else word
        meaning = column_meaning(word, self._type(subject)) or column_meaning(said, self._type(subject))
        if meaning is None and word in OF_PERSONS and self._type(subject) in ("", "Concept") and is_person_like(record):
            meaning = column_meaning(word, "Person")
        employs = meaning is not None and meaning.type == "WORKS_FOR" and meaning.value == "Organization"
        one = replace(one, value=_FOOTNOTE.sub("", one.value))
        if employs and _NO_EMPLOYER.match(one.value):
            return  # "Independent"
        if _SITE_LABEL.fullmatch(one.value) and not employs:
            one = replace(one, value=self._address(one) or one.value)
        if is_nothing(one.value) or _LABEL.fullmatch(one.value):
            return
        posted = _WITH_POST.fullmatch(one.value) if meaning is not None else None
        published = meaning is not None and meaning.type == "PUBLISHED"
        if published and (posted is not None or (capitals.type_cue(one.value) or ("",))[0] == "Person"):
            meaning = column_meaning("author", self._type(subject))  # of a blog: "published_by: Ann Lee"
        if posted is not None and meaning is not None and meaning.value == "Person":
            one = replace(one, value=posted["name"])  # "Ann Lee, VP Acme Lamps"
        if meaning is not None and meaning.type in _OF_PRESENT and FORMER.search(re.sub("[_-]", " ", one.value)):
            return  # "former_council"
        if meaning is not None and meaning.type == "LOCATED_IN" and is_software(_REMARK.sub("", one.value)):
            meaning = _KEPT_IN  # where a secret is
        if meaning is not None and meaning.type == "HELD_IN" and _is_call(_REMARK.sub("", one.value)):
            meaning = None
        if _CHANNEL.fullmatch(one.value) and record.shape != "front":
            yield from self._channel(record, one, subject, meaning)
            return
        joins = meaning is not None or (
            word in joined and (record.shape != "front" or self._is_meant(one, record, word))
        )
        ends = self._ends(record, one, word, meaning) if joins else self._somebody(record, one, word)
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
        return ref is not None and self._type(self._lexicon.resolved(ref)) in _NO_LABELS

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
            ref = self._new(one.value, "Channel")
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
        ref = self._named(word, one.value)
        if ref is None:
            return False
        named = self._lexicon.named[self._lexicon.resolved(ref)]
        return one.value in (named.name, *named.aliases) and one.value != one.value.lower()

    def _relation(self, key: str, meaning: ColumnMeaning | None, subject: int, object_: int) -> tuple[str, bool]:
        """The type of fact of a key, and whether its ends change places; the key itself where no type fits the ends."""
        known = (meaning.type, meaning.turned) if meaning is not None else canonical_type(key_type(key))
        first, second = (object_, subject) if known[1] else (subject, object_)
        if meaning is not None and meaning.value == "Organization" and self._type(object_) in _NAMED_ALIKE:
            return known  # "Company: Elastic", which is the name of what it makes, too
        named = self._lexicon.named[self._lexicon.resolved(object_)].name.casefold()
        if known[0] == "WORKS_FOR" and self._type(object_) == "Person" and named not in self._by_name:
            return known  # a firm that is taken for somebody elsewhere
        if may_join(known[0], self._type(first), self._type(second)):
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
        if _SLUG.search(word) and value.casefold() in self._by_slug and "_" in word:
            return False  # what only its file calls it
        if record.shape == "front" and word in OF_THINGS:
            return self._type(subject) != "Document"
        # Front matter speaks of the text too (who wrote it, when): of the thing only where it says what that is.
        return record.shape != "front" or (
            is_own_type(self._document.front_matter.get("type")) and word not in ("type", "date", "author", "authors")
        )

    def _ends(self, record: Record, one: Field, word: str, meaning: ColumnMeaning | None) -> list[tuple[str, int]]:
        """The entities that a value names, with the names."""
        ref = self._named(word, one.value)
        if ref is not None:
            return [(one.value, ref)]
        if meaning is not None and meaning.value in ("Person", "") and _ONLY_HANDLE.fullmatch(one.value.strip()):
            return [(one.value.strip(), self._new(one.value.strip(), "Person"))]
        if (
            meaning is not None
            and meaning.type == "WROTE"
            and (name := slug_person(one.value.strip(), self._lexicon.is_word))
        ):
            ref = self._new(name, "Person")
            self._lexicon.named[ref].linked = True  # what is written as an address means one in every document
            return [(name, ref)]
        if is_plain_value(one.value):
            return []
        if meaning is not None and meaning.value == "Location":
            place = self._place(one.value)
            return [(one.value, place)] if place is not None else []
        parts = [clean_name(part) for part in _BETWEEN.split(one.value)]
        parts = [part for part in parts if part]
        if meaning is not None and meaning.type == "SEE_ALSO":
            pages = [(part, self._page(record, word, part)) for part in parts]
            return [(part, ref) for part, ref in pages if ref is not None]
        if meaning is None:
            known = [(part, found) for part in parts if (found := self._named(word, part)) is not None]
            return known if len(known) == len(parts) else []
        if not meaning.value:
            shown = [
                (part, ref if ref is not None else self._agent(part, maker=meaning.type in _MADE))
                for part in parts
                for ref in (self._named_or_known(word, part, meaning.type),)
            ]
            named = [(part, ref) for part, ref in shown if ref is not None]
            return named if len(named) == len(parts) else []
        if meaning.type == "WORKS_FOR" and meaning.value == "Organization":
            own = _REMARK.sub("", one.value)
            # The column says what it is, though it may be called as somebody is.
            named_so = "" if "/" in own or not self._is_firm(own) else clean_name(own)
            if named_so:
                return [(named_so, self._new(named_so, "Organization"))]
        if meaning.value == "Organization":
            parts = [clean_name(part) for part in re.split(r"\s+/\s+", _REMARK.sub("", one.value))]
        if meaning.value == "Person":
            # "Ann Lee, Acme Executive Director": behind a comma stands what she is.
            parts = [part for part in parts if part == parts[0] or _POST.search(part) is None]
            parts = [said for part in parts if (said := _HANDLE.sub("", part).strip())] or parts
        names = [part for part in parts if self._fits(part, meaning.value)]
        if len(names) != len(parts):
            return []
        return [(name, self._new(name, "Organization" if _SEVERAL.search(name) else meaning.value)) for name in names]

    def _somebody(self, record: Record, one: Field, word: str) -> list[tuple[str, int]]:
        """Whom a key of front matter names that nothing is known of, in another language than English, by the given
        name: ``betreut_von: Anna Müller``."""
        if record.shape != "front" or not states_value(word) or not self._in_other_language or word != spelled(one.key):
            return []
        name = clean_name(one.value)
        first, *rest = name.split() or [""]
        somebody = first in words.CLEAR_GIVEN and 1 <= len(rest) <= 3 and may_be_somebody([first, *rest])
        known = self._lexicon.find_entry(name) is not None
        return [(name, self._new(name, "Person"))] if somebody and not known and self._fits(name, "Person") else []

    @cached_property
    def _has_comma(self) -> bool:
        """Whether the numbers of the document are written as 1.000,5, by the language of its keys."""
        return any(has_comma(spelled(key)) for key in {one.key for record in self._records for one in record.fields})

    @cached_property
    def _in_other_language(self) -> bool:
        """Whether the front matter, or else the text, is in another language than English."""
        if any(is_foreign_key(str(key)) for key in self._document.front_matter):
            return True
        return language_of(self._text) not in (ENGLISH, UNKNOWN)

    def _fits(self, name: str, type_: str) -> bool:
        """Whether a name that stands where a person or an organization does can be one."""
        ref = self._lexicon.find_entry(name)
        best = self._lexicon.named[self._lexicon.resolved(ref)].best if ref is not None else None
        if best is not None and best[1] >= 0.8 and ref is not None and self._lexicon.named[ref].known:
            return best[0] == type_ or (type_ in _THINGS and is_thing(best[0]))
        if type_ in _THINGS:
            return _THING.fullmatch(name) is not None and not self._lexicon.is_word(name)
        if is_plain_value(name) or len(name) > 80:
            return False
        if type_ == "Person":
            if has_no_case(name):
                return is_unspaced_person(name)
            if " of " in name and noun_type(name.partition(" ")[0].lower()) == "Person":
                return False  # "Director of Engineering"
            longer = [word for word in name.split() if len(word) > 3]
            return _PERSON.fullmatch(name) is not None and all(
                word[:1].isupper() or not word.isascii() for word in longer
            )
        return _PROPER.fullmatch(name) is not None and len(name.split()) <= 8 and not _NO_EMPLOYER.match(name)

    def _is_firm(self, name: str) -> bool:
        """Whether the value of a column of employers is one by its look, and none of the persons of the records."""
        return (
            _PROPER.fullmatch(name) is not None
            and len(name.split()) <= 8
            and not is_plain_value(name)
            and not _POST.search(name)
            and name.casefold() not in self._by_name
        )

    def _page(self, record: Record, word: str, name: str) -> int | None:
        """The entry of another page, by its name or, in front matter, by that of its file."""
        ref = self._named(word, name)
        if ref is None and record.shape == "front":
            ref = self._lexicon.page_entry(name.casefold())
        return ref

    def _named_or_known(self, key: str, value: str, type_: str) -> int | None:
        """``_named``; of what something is made with also software that everybody knows: ``Framework: FastAPI``."""
        ref = self._named(key, value)
        known = well_known_type(value) if ref is None and type_ in _MADE_WITH else ""
        return self._new(value, known) if known in ("Product", "Technology") else ref

    def _agent(self, name: str, *, maker: bool) -> int | None:
        """The entry of who owns or maintains something, where the words of the name show who that is.

        Who made something is somebody by whatever name.
        """
        if _PERIODICAL.search(name):
            return None
        cue = ("Organization", 0.9) if _SEVERAL.search(name) else capitals.type_cue(name)
        if cue is None and maker and name[:1].isupper():
            cue = ("Person" if " " in name and _PERSON.fullmatch(name) else "Organization", 0.7)
        if cue is None or cue[0] not in ("Person", "Organization") or not self._fits(name, cue[0]):
            return None
        return self._new(name, cue[0])

    def _new(self, name: str, type_: str) -> int:
        ref = self._lexicon.resolved(self._lexicon.get(name))
        named = self._lexicon.named[ref]
        if not named.known and not named.declared:
            named.vote(type_, 0.9)
        return ref

    def _place(self, value: str) -> int | None:
        """The place that a value names: the first part of ``Mountain View, California``."""
        first, _, rest = value.partition(",")
        if first.strip() == "Washington" and rest.strip().rstrip(".") in ("D.C", "DC"):
            return self._lexicon.place("Washington, D.C.")
        name = clean_name(first)
        if (
            not name
            or name in ADMINISTRATIVE
            or not (name[0].isupper() or has_no_case(name))
            or len(name.split()) > 5
            or is_plain_value(name)
        ):
            return None
        if any(char.isdigit() for char in name) or name.lower() in ("remote", "online", "hybrid", "home", "virtual"):
            return None
        if any(word[:1].islower() for word in name.split() if len(word) > 3):
            return None  # "Not stored"
        ref = self._lexicon.place(name)
        best = self._lexicon.named[ref].best
        return ref if best is None or best[0] in ("Location", "Country", "City", "State", "Facility") else None

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
            confidence=_IN_TEXT if record.shape in ("cells", "lines") else _CONFIDENCE,
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
