"""Whom and what the values of records name: persons, bodies, places, other records, pages.

Used by ``records``; it adds names to the lexicon. A value that is the name of a record or of a known entity names it.
What a column holds otherwise says its key (an owner is somebody or a body) with the look of the name; a name that may
be of anything names nothing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property

from kgfs.documents.identifiers import read_series
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
from kgfs.extraction.facts.sentences.proximity import ROLE
from kgfs.extraction.facts.structured.record_columns import OF_THINGS_TOO, ColumnMeaning, column_meaning, states_value
from kgfs.extraction.facts.structured.record_people import is_unspaced_person, looks_like_somebody, slug_person
from kgfs.extraction.names import capitals
from kgfs.extraction.names.declared.gazetteer import clean_name
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.people.name_words import may_be_somebody
from kgfs.extraction.names.software import is_software
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.kind_nouns import noun_type
from kgfs.extraction.names.wordlists.places import ADMINISTRATIVE
from kgfs.extraction.names.wordlists.well_known import FIRMS_TOO, well_known_type
from kgfs.languages import ENGLISH, UNKNOWN, language_of
from kgfs.model import ParsedDocument
from kgfs.plurals import singular
from kgfs.relation_types import is_thing

SLUG = re.compile(r"(?:^|_)(?:slug|username|login)$")
"""A key whose value is what other records call this one by."""
OF_AGENTS = frozenset({"OWNS", "MAINTAINS", "CLIENT_OF"})
"""What a column says of somebody or of a body, so that a name of which nothing else is known is one."""
NO_EMPLOYER = re.compile(
    r"(?i)(?:IE\b|n/?a\b|(?:invited|independent)(?: \w+)?$|"
    r"(?:individual|self|self-employed|freelance|freelancer|none|contributor|guest|observer)$)"
)
"""What stands in the column of organizations for somebody who is of none."""
REMARK = re.compile(r"\s*\([^()]*\)$")
"""*Tarn (formerly Lumen)*."""
_OF_SOMEBODY = re.compile(
    r"(?:.*_)?(?:owners?|maintainers?|designers?|architects?|builders?|shipwrights?|engravers?)|"
    r"(?:owned|maintained|designed|built)_by"
)
"""Keys of persons as well as of bodies: a name of the shape of a person's is one."""
_BETWEEN = re.compile(r"\s*(?:[;,/&；，、]|\b(?:and|und|et|и)\s)\s*(?:and\s+)?(?:the\s+)?")
"""What stands between the names of a value."""
_ID = re.compile(r"[a-z][a-z\d]+(?:[_-][a-z\d]+)+")
"""A name in the spelling of identifiers."""
_MADE_WITH = frozenset({"USES", "REQUIRES", "RUNS_ON"})
_MADE = frozenset({"CREATED", "DEVELOPED", "MANUFACTURES"})
_PERSON = re.compile(r"(?:[^\W\d_][\w.'’-]*\s+){1,3}[^\W\d_][\w.'’-]*")
_THINGS = ("Product", "Technology")
_THING = re.compile(r"(?i:[a-z][\w.+#-]{1,30})(?: [A-Z\d][\w.+-]{0,20}){0,2}")
_PROPER = re.compile(r"[A-Z\d¡-\uffff][^\n]{1,79}")
_HANDLE = re.compile(r"\s*[(\[]?(?<!\S)[(\[*]*@[A-Za-z\d][\w-]*[)\]*]*$")
"""What somebody is called on a site, behind the name."""
_ONLY_HANDLE = re.compile(r"@[A-Za-z\d](?:[A-Za-z\d]|-(?=[A-Za-z\d])){1,38}")
"""Somebody who is called by nothing else: ``authors: ['@jdoe']``."""
_POST = re.compile(rf"(?i:\b(?:{ROLE}|board|team|staff)\b)")
_SEVERAL = re.compile(
    r"\b(?:Team|Group|Committee|Council|Board|Staff|Office|Department|Association|Foundation|Contributors|Authors|"
    r"Alliance|Community|Company|Consortium|Games|Graphics|Interactive|International|Software|Teams)$"
)
"""Who is not one person: *The Rust Release Team*."""
_FIRM_OF_SEVERAL = re.compile(
    r"[^\W\d_a-z][^\n;/]{1,60}? (?:&|and) (?:Associates|Brothers|Bros\.?|Co\.?|Company|Daughters?|Partners|Sons?)"
)
"""A firm whose name has the sign that parts others: *Wedel & Sons*."""
_PERIODICAL = re.compile(
    r"(?i)\b(?:journal|proceedings|transactions on|letters|magazine|arxiv|et al|preprint|plos|vol\.|pp\.)(?=\W|$)|"
    r"^(?:Nature|Science|Cell)(?:$| \w+$)"
)
"""Where something appeared, which is none of its authors."""


class RecordEnds:
    """What the values of the records of one document name, with entries in its lexicon."""

    def __init__(
        self, document: ParsedDocument, lexicon: Lexicon, records: Sequence[Record], refs: Sequence[int | None]
    ) -> None:
        self._document = document
        self._lexicon = lexicon
        self._records = records
        self._refs = refs
        """The entries that the records are about."""
        self._text = document.text or ""
        self.by_key: dict[str, int] = {}
        """The records by what others call them, in small letters."""
        self.by_name: dict[str, int] = {}
        for record, ref in zip(records, refs, strict=True):
            if ref is not None and record.name:
                self.by_name.setdefault(record.name.casefold(), ref)
                if record.key:
                    self.by_key.setdefault(record.key.casefold(), ref)
        self.by_slug = self._slugs()

    def type_of(self, ref: int) -> str:
        """The type of what an entry is taken for; empty where nothing says it."""
        best = self._lexicon.named[self._lexicon.resolved(ref)].best
        return best[0] if best else ""

    def named(self, key: str, value: str) -> int | None:
        """The entry that a value names: a record of this document by its name or key, or a known entity."""
        ref = self.by_name.get(value.casefold())
        if ref is None and "@" not in value and (key.endswith("_id") or not value.isdigit()):
            ref = self.by_key.get(value.casefold())
        if ref is None and not SLUG.search(key):
            ref = self.by_slug.get(value.casefold())
        if ref is None and not is_plain_value(value):
            ref = self._lexicon.known_entry(value)
        if ref is None and _ID.fullmatch(value):
            ref = self._lexicon.known_entry(re.sub("[_-]", " ", value))  # "executive_council"
        if ref is None and (one := read_series(value)) is not None:
            ref = self._lexicon.known_entry(one.name)  # "ADR-009", which is *ADR 9*
        return ref

    def is_client(self, record: Record, word: str, value: str) -> bool:
        """Whether a value may be whom one works for: a client may be a program, too (*Client: Web App*)."""
        ref = self.named(word, value)
        if ref is not None:
            return self.type_of(ref) == "Concept" or not is_thing(self.type_of(ref))
        if capitals.type_cue(value) is not None:
            return True
        named = not all(map(self._lexicon.is_word, re.findall(r"[^\W\d_]+", value.lower())))
        return (
            named
            and record.shape in ("front", "lines", "box", "mapping")
            and not (is_software(value) or well_known_type(value))
        )

    def ends(self, record: Record, one: Field, word: str, meaning: ColumnMeaning | None) -> list[tuple[str, int]]:
        """The entities that a value names, with the names."""
        ref = self.named(word, one.value)
        if ref is not None:
            return [(one.value, ref)]
        if meaning is not None and meaning.value in ("Person", "") and _ONLY_HANDLE.fullmatch(one.value.strip()):
            return [(one.value.strip(), self.add(one.value.strip(), "Person"))]
        if (
            meaning is not None
            and meaning.type == "WROTE"
            and (name := slug_person(one.value.strip(), self._lexicon.is_word))
        ):
            ref = self.add(name, "Person")
            self._lexicon.named[ref].linked = True  # what is written as an address means one in every document
            return [(name, ref)]
        if is_plain_value(one.value):
            return []
        if meaning is not None and meaning.value == "Location":
            place = self._place(one.value)
            return [(one.value, place)] if place is not None else []
        if meaning is not None and meaning.value in ("", "Organization") and _FIRM_OF_SEVERAL.fullmatch(one.value):
            return [(one.value, self.add(one.value, "Organization"))]
        parts = [clean_name(part) for part in _BETWEEN.split(one.value)]
        parts = [part for part in parts if part]
        if meaning is not None and meaning.type == "SEE_ALSO":
            pages = [(part, self._page(record, word, part)) for part in parts]
            return [(part, ref) for part, ref in pages if ref is not None]
        if meaning is None:
            known = [(part, found) for part in parts if (found := self.named(word, part)) is not None]
            return known if len(known) == len(parts) else []
        if not meaning.value:
            shown = [
                (part, ref if ref is not None else self._agent(part, maker=meaning.type in _MADE))
                for part in parts
                for ref in (self._named_or_known(word, part, meaning.type),)
            ]
            if meaning.type in OF_AGENTS:
                shown = [
                    (part, self.add(part, "Person") if ref is None and part.casefold() in self._persons else ref)
                    for part, ref in shown
                ]
            if _OF_SOMEBODY.fullmatch(word):
                shown = [
                    (part, self.add(part, "Person") if ref is None and self._is_somebody(part) else ref)
                    for part, ref in shown
                ]
            if word in self._of_persons:
                shown = [(part, ref if ref is not None else self._person_like(part)) for part, ref in shown]
            named = [(part, ref) for part, ref in shown if ref is not None]
            return named if len(named) == len(parts) else []
        if meaning.type == "WORKS_FOR" and meaning.value == "Organization":
            own = REMARK.sub("", one.value)
            # The column says what it is, though it may be called as somebody is.
            named_so = "" if "/" in own or not self._is_firm(own) else clean_name(own)
            if named_so:
                return [(named_so, self.add(named_so, "Organization"))]
        if meaning.value == "Organization":
            parts = [clean_name(part) for part in re.split(r"\s+/\s+", REMARK.sub("", one.value))]
        if meaning.value == "Person":
            # "Ann Lee, Acme Executive Director": behind a comma stands what she is.
            parts = [part for part in parts if part == parts[0] or _POST.search(part) is None]
            parts = [said for part in parts if (said := _HANDLE.sub("", part).strip())] or parts
        names = [part for part in parts if self._fits(part, meaning.value)]
        if word in OF_THINGS_TOO:
            names = [part for part in names if capitals.type_cue(part) is not None or self._is_somebody(part)]
        if len(names) != len(parts):
            return []
        return [(name, self.add(name, self._sort(name, meaning))) for name in names]

    def linked(self, record: Record, one: Field, word: str) -> list[tuple[str, int]]:
        """The entity to which the link of an inline field leads: ``studio:: [[Corran Films]]``."""
        if record.shape != "lines" or not states_value(word) or f"[[{one.value}" not in self._text[one.start : one.end]:
            return []
        ref = self._lexicon.find_entry(one.value)
        return [(one.value, ref)] if ref is not None and self._lexicon.named[ref].linked else []

    def somebody(self, record: Record, one: Field, word: str) -> list[tuple[str, int]]:
        """Whom a key of front matter names that nothing is known of, in another language than English, by the given
        name: ``betreut_von: Anna Müller``."""
        if record.shape != "front" or not states_value(word) or not self._in_other_language or word != spelled(one.key):
            return []
        name = clean_name(one.value)
        first, *rest = name.split() or [""]
        somebody = first in words.CLEAR_GIVEN and 1 <= len(rest) <= 3 and may_be_somebody([first, *rest])
        known = self._lexicon.find_entry(name) is not None
        return [(name, self.add(name, "Person"))] if somebody and not known and self._fits(name, "Person") else []

    def add(self, name: str, type_: str) -> int:
        """The entry of a name, which its place here shows to be of this type."""
        ref = self._lexicon.resolved(self._lexicon.get(name))
        named = self._lexicon.named[ref]
        if not named.known and not named.declared:
            named.vote(type_, 0.9)
        return ref

    def _sort(self, name: str, meaning: ColumnMeaning) -> str:
        """The type of what a column holds: persons, some of whom are several, or bodies, but for clients."""
        if _SEVERAL.search(name):
            return "Organization"
        cue = capitals.type_cue(name) if meaning.type == "CLIENT_OF" else None
        return cue[0] if cue is not None and cue[0] == "Person" else meaning.value

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
        return _PROPER.fullmatch(name) is not None and len(name.split()) <= 8 and not NO_EMPLOYER.match(name)

    def _is_firm(self, name: str) -> bool:
        """Whether the value of a column of employers is one by its look, and none of the persons of the records."""
        return (
            _PROPER.fullmatch(name) is not None
            and len(name.split()) <= 8
            and not is_plain_value(name)
            and not _POST.search(name)
            and name.casefold() not in self.by_name
        )

    def _page(self, record: Record, word: str, name: str) -> int | None:
        """The entry of another page, by its name or, in front matter, by that of its file."""
        ref = self.named(word, name)
        if ref is None and record.shape == "front":
            ref = self._lexicon.page_entry(name.casefold())
        return ref

    def _named_or_known(self, key: str, value: str, type_: str) -> int | None:
        """``_named``; of what something is made with also software that everybody knows: ``Framework: FastAPI``."""
        ref = self.named(key, value)
        known = well_known_type(value) if ref is None and type_ in _MADE_WITH else ""
        return self.add(value, known) if known in ("Product", "Technology") else ref

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
        return self.add(name, cue[0])

    def _person_like(self, name: str) -> int | None:
        """The entry of somebody whose name stands among those of persons, and has no word that means anything else."""
        parts = name.split()
        of_words = any(self._lexicon.is_word(form) for part in parts for form in (part.lower(), singular(part.lower())))
        if not 2 <= len(parts) <= 3 or of_words or not may_be_somebody(parts) or not self._fits(name, "Person"):
            return None
        return self.add(name, "Person")

    def _is_somebody(self, name: str) -> bool:
        """Whether a name that stands where persons do has the shape of one, and is not known for anything else."""
        known = well_known_type(name) or name in FIRMS_TOO
        return not known and looks_like_somebody(name, foreign=self._in_other_language) and self._fits(name, "Person")

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

    def _slugs(self) -> dict[str, int]:
        """The records by what their file calls them where others name them: ``slug``, ``username``."""
        found: defaultdict[str, set[int]] = defaultdict(set)
        for record, ref in zip(self._records, self._refs, strict=True):
            if ref is None:
                continue
            for one in record.fields:
                if SLUG.search(key_word(one.key)) and not is_nothing(one.value):
                    found[one.value.casefold()].add(ref)
        return {value: refs.pop() for value, refs in found.items() if len(refs) == 1}

    @cached_property
    def _persons(self) -> frozenset[str]:
        """The values of keys that only persons have, as far as they may be persons, in small letters."""
        return frozenset(
            one.value.casefold()
            for record in self._records
            for one in record.fields
            if (meaning := column_meaning(key_word(one.key), "")) is not None
            and meaning.value == "Person"
            and self._fits(one.value, "Person")
        )

    @cached_property
    def _of_persons(self) -> frozenset[str]:
        """The keys at least half of whose values show to be persons, and none to be a body."""
        cues: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for key, value in {(key_word(one.key), one.value) for record in self._records for one in record.fields}:
            cue = ("Organization",) if _SEVERAL.search(value) else capitals.type_cue(value)
            cues[key][cue[0] if cue is not None else ""] += 1
        others = {key for key, seen in cues.items() if seen.keys() - {"Person", ""}}
        return frozenset(key for key, seen in cues.items() if seen["Person"] * 2 >= seen.total()) - others

    @cached_property
    def _in_other_language(self) -> bool:
        """Whether the front matter, or else the text, is in another language than English."""
        if any(is_foreign_key(str(key)) for key in self._document.front_matter):
            return True
        return language_of(self._text) not in (ENGLISH, UNKNOWN)
