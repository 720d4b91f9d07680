"""What guides and manuals say without naming their subject: what to use, whom to ask, options, described things.

Used by ``fact_reader`` once the sentences were read. The subject is the page, or those who speak in it, or what an item of a
list describes; the patterns stand in ``advice``, ``descriptions_of`` and ``option_rows``.
"""

# A pattern, or a list of names, is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kgfs.documents.markup import PlainSentence
from kgfs.extraction.facts.chunk_places import ChunkPlaces
from kgfs.extraction.facts.guides import advice
from kgfs.extraction.facts.guides.contact_facts import ContactFacts, Links
from kgfs.extraction.facts.guides.option_owners import OptionOwners
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import with_marks
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.sentences import credits, descriptions_of, relations
from kgfs.extraction.facts.structured import option_rows
from kgfs.extraction.facts.structured.tables import is_table_rule
from kgfs.extraction.faults import Faults
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.names.wordlists.well_known import is_known_software
from kgfs.extraction.units import Unit
from kgfs.model import ParsedDocument
from kgfs.relation_types import is_thing, may_join

_TOOLS = frozenset({"Product", "Technology", "Command", "Work", "Module", "Class", "Website", "Service"})
_ADVISED = _TOOLS | {"Concept", "Law", "Identifier", "Document", "Standard"}
"""What one can be told to have or to follow; an organization is no tool, its standards may be."""
_PAGES = frozenset({PAGE, "Concept", "Event", "Task"})
"""Types of pages that are about what somebody does: what they have one use, it uses."""
_BODIES = frozenset({"Organization", "Team", "Group", "Person", "Location"})
"""Types of those in whom nothing is described, though a page of rules begins with their names."""
_OPTIONED = frozenset(
    {"Product", "Technology", "Command", "Module", "Class", "Function", "Service", "Organization", "Work"}
)
"""Types of what has options itself; any other page only describes those of something."""
_PLAIN = re.compile(r"[a-z ]+")
_TOOL_NAME = re.compile(r"[A-Z][a-z]+[A-Za-z0-9.]*[a-z0-9](?: [A-Z][A-Za-z]+)?|[A-Z][A-Z0-9]*[a-z]\w*|[a-z]+[A-Z]\w+")
"""A name of which the place alone may show that it is a tool: no acronym, no more than two words."""
_THEY = re.compile(r"\b(?:[Tt]hey|[Tt]heir|[Tt]hem|[Hh]e|[Ss]he|[Hh]is|[Hh]er)\b")
_NEWS = re.compile(r"(?i)newsletter|release[ _-]?notes|change[ _-]?log|what'?s[ _-]new|digest|this (?:week|month) in")
"""Titles of texts that tell of other things."""


class GuideFacts:
    """Reads what one document says to those who follow it."""

    def __init__(
        self,
        lexicon: Lexicon,
        types: NameTypes,
        units: Sequence[Unit],
        spans: Sequence[Sequence[NameSpan]],
        facts: list[LexiconFact],
        faults: Faults,
        document: ParsedDocument,
        about: Callable[[Sequence[str]], int | None],
        links: Links,
    ) -> None:
        """``spans`` are the resolved names of each unit; ``facts`` is added to; ``about`` is the entity that a section is
        about, ``links`` are the links of a unit to pages."""
        self._about = about
        self._document = document
        self._lexicon = lexicon
        self._types = types
        self._units = units
        self._spans = spans
        self._facts = facts
        self._faults = faults
        self._page = None if lexicon.page is None else lexicon.resolved(lexicon.page)
        speaker = lexicon.speaker()
        self._speaker = None if speaker is None else lexicon.resolved(speaker)
        self._places = ChunkPlaces(document.chunks)
        self._is_news = _NEWS.search(f"{document.title} {document.path}") is not None
        self._told: set[tuple[str, int, int]] = set()
        self._pairs: set[tuple[int, int]] = set()
        """What sentences say of two names already."""
        self._owners = OptionOwners()
        self._named = ""
        """What the last line of YAML named that names something."""
        self._contacts = ContactFacts(lexicon, types, document, about, links)

    def read(self) -> None:
        """Add the facts, in order of the units."""
        with self._faults.within("guide.owner", self._facts):
            self._owners_in_front_matter()
        with self._faults.within("credits", self._facts):
            self._credits()
        self._pairs = {
            pair
            for fact in self._facts
            if fact.object is not None and fact.candidate.type not in ("SEE_ALSO", "COVERS")
            for pair in ((fact.subject, fact.object), (fact.object, fact.subject))
        }
        table: tuple[str, str] | None = None
        column: int | None = None
        for place, (unit, spans) in enumerate(zip(self._units, self._spans, strict=True)):
            self._owners.see(unit)
            if unit.kind not in ("sentence", "row"):
                continue
            with self._faults.within("guide.option", self._facts):
                table = self._table(place, unit, table)
                self._option(unit, table)
            with self._faults.within("guide", self._facts):
                self._advice(unit, spans)
                self._add_contacts(unit, spans)
            with self._faults.within("described", self._facts):
                column = self._column(place, unit, column)
                if self._document.mime_type == "application/yaml":
                    self._described_line(unit, spans)
                elif column is None or not unit.quote.lstrip().startswith("|"):
                    self._described(unit, spans)
                else:
                    self._described_row(unit, spans, column)
            with self._faults.within("credits", self._facts):
                self._byline(unit, spans)

    # --- the page ----------------------------------------------------------------------------------------------------

    def _subject(self, unit: Unit) -> int | None:
        """What a sentence is about that names nothing: its section's entity, else the page's."""
        section = self._about(unit.headings)
        return self._page if section is None else self._lexicon.resolved(section)

    def _doer(self, unit: Unit, *, by_speaker: bool) -> int | None:
        """Whose practice a sentence is: theirs who speak, else that of what its section or the page tells how to do."""
        if self._speaker is not None and (by_speaker or self._page is None):
            return self._speaker
        subject = self._subject(unit)
        if subject is None:
            return None
        if self._types.given_type(subject) in _PAGES:
            return subject
        return self._speaker if subject == self._page else None

    def _advice(self, unit: Unit, spans: Sequence[NameSpan]) -> None:
        if not spans or unit.content.text.startswith("|") or self._is_news:
            return
        for one in advice.advice_in(with_marks(unit.content.text, spans)):
            span = spans[one.mark]
            if self._is_shortened(span, unit.content.text[span.start :]):
                continue
            if _THEY.search(unit.content.text, 0, span.start):
                continue  # what others do
            subject = self._doer(unit, by_speaker=one.by_speaker)
            kind = self._types.tool_type(span.ref) or self._shown_type(span, unit)
            if subject is None or subject == span.ref or kind not in (_TOOLS if one.type == "USES" else _ADVISED):
                continue
            if kind == "Concept" and not self._is_proper(span, unit):
                continue
            said = unit.content.text[span.start : span.end]
            if one.type == "USES" and _PLAIN.fullmatch(said) and not is_known_software(self._types.name(span.ref)):
                continue  # "Use inclusive language"
            type_ = one.type
            used = one.rule == "guide.used"
            about = self._types.given_type(subject)
            ordered = used and re.search(r"\b[Uu]se\b", unit.content.text[: span.start]) is not None
            if ordered and about in ("Organization", "Concept", PAGE):
                type_ = "RECOMMENDS"  # what a handbook orders
            elif type_ == "USES" and (about == PAGE or (used and (subject == self._speaker or about == "Concept"))):
                continue  # "First, install Lumen", "Log into your Lumen account": what a reader does
            self._add(one.rule, (type_, subject, span.ref), unit, 0.7)

    def _is_shortened(self, span: NameSpan, text: str) -> bool:
        """Whether one word of a longer name stands for it, where ``text`` begins: *Postgres* is not always *Aurora Postgres*."""
        said, name = text[: span.end - span.start].casefold(), self._types.name(span.ref).casefold()
        return span.ref != self._page and said != name and said in name.split()

    def _shown_type(self, span: NameSpan, unit: Unit) -> str:
        """That of a tool, where a name of which little is known stands where tools do."""
        name = self._types.name(span.ref)
        plain = self._lexicon.is_word(name) or self._lexicon.wording.plain(name) or self._lexicon.in_lower_case(name)
        if plain or span.start == 0 or _TOOL_NAME.fullmatch(name) is None:
            return ""
        if self._types.is_given(span.ref) or self._types.best(span.ref) in (
            "Location",
            "Law",
            "Event",
            "Work",
            "Group",
        ):
            return ""
        self._new(name, "Product", 0.75)
        return "Product"

    def _owners_in_front_matter(self) -> None:
        for one in self._contacts.in_front_matter():
            unit = self._line(one.start, one.end)
            if unit is not None and self._page is not None:
                self._add("guide.owner", ("HAS_CONTACT", self._page, self._new(one.name, one.type, 0.9)), unit, 0.85)

    def _add_contacts(self, unit: Unit, spans: Sequence[NameSpan]) -> None:
        if not self._is_news:
            for one in self._contacts.read(unit, spans):
                ref = self._new(one.contact.name, one.contact.type, 0.9)
                self._add(one.rule, (one.type, one.subject, ref), unit, 0.75)

    def _line(self, start: int, end: int) -> Unit | None:
        """A line of the text as a unit; ``None`` where a chunk's end cuts it."""
        place = self._places.find_chunk(start, end) if self._document.chunks else None
        if place is None:
            return None
        chunk, first, last = place
        return Unit("row", chunk, first, last, PlainSentence(chunk.text[first:last].strip()), (), 0)

    def _is_proper(self, span: NameSpan, unit: Unit) -> bool:
        """Whether a concept is called by a name here: *Test Driven Development*, no *code review*."""
        said = unit.content.text[span.start : span.end]
        return span.start > 0 and any(char.isupper() for char in said[:1]) and not self._lexicon.is_word(said)

    def _credits(self) -> None:
        """Who made the page's thing, or what the page's person made, by lines with links to notes."""
        if self._page is None:
            return
        page = self._types.given_type(self._page)
        for one in credits.credits_in(self._document.text or ""):
            unit = self._line(one.start, one.end)
            if unit is None or (not one.by and page not in ("Person", "Organization")):
                continue
            if one.of_body and page != "Organization":
                continue
            name = one.target.rsplit("/", 1)[-1]
            known = self._lexicon.page_entry(one.target.lower())
            known = self._lexicon.known_entry(name) if known is None else known
            if known is not None:
                ref = self._lexicon.resolved(known)
                if one.of_body and self._types.given_type(ref) not in ("Person", ""):
                    continue
            elif one.by:
                ref = self._new(name, "Person", 0.75)
            elif is_thing(one.kind):
                ref = self._new(one.name, one.kind, 0.85)
            else:
                continue
            pair = (ref, self._page) if one.by and one.type != "HAS_CONTACT" else (self._page, ref)
            self._add("credits.line" if one.by else "credits.section", (one.type, *pair), unit, 0.85)

    def _byline(self, unit: Unit, spans: Sequence[NameSpan]) -> None:
        """Who wrote the text that an item links to, by the names behind its link."""
        found = credits.BYLINE.match(unit.quote)
        if found is None:
            return
        text, label = unit.content.text, found["label"].strip(' *_"“”')
        place = text.find(label) + len(label)
        work: int | None = self._lexicon.known_entry(label)
        for span in spans:
            between = text[place : span.start]
            if span.start < place:
                continue
            opens = between.strip(' *_"”,') in ("by", "by the")
            if not (opens or (work is not None and credits.NEXT_NAME.fullmatch(between))):
                break
            by_person = self._types.best(span.ref) == "Person"
            by_house = self._types.best(span.ref) == "Organization" and opens
            by_house = by_house and credits.BYLINE_ENDS.match(text, span.end) is not None
            if not (by_person or by_house) or " " not in self._types.name(span.ref):
                break
            work = self._new(label, "Work", 0.8) if work is None else self._lexicon.resolved(work)
            self._add("credits.byline", ("WROTE" if by_person else "PUBLISHED", span.ref, work), unit, 0.8)
            if by_house:
                break
            place = span.end

    # --- what stands on one line ---------------------------------------------------------------------------------------

    def _table(self, place: int, unit: Unit, table: tuple[str, str] | None) -> tuple[str, str] | None:
        """What the first column of the table that goes on here holds."""
        if unit.kind != "row" or not unit.quote.lstrip().startswith("|"):
            return None
        following = self._units[place + 1] if place + 1 < len(self._units) else None
        if following is not None and is_table_rule(following.quote):
            return option_rows.header_kind(unit.content.text)
        return table

    def _option(self, unit: Unit, table: tuple[str, str] | None) -> None:
        if self._page is None or self._types.given_type(self._page) in ("Person", "Location"):
            return
        option = (
            option_rows.option_of_row(unit.quote, table)
            if table is not None
            else option_rows.option_of_item(unit.quote, unit.headings)
        )
        if option is not None:
            ref = self._new(option.name, option.kind, 0.85)
            command = self._owners.owner(unit) if option.type == "HAS_OPTION" else ""
            if command and command.casefold() not in map(str.casefold, self._types.names(self._page)):
                self._add("guide.option", ("HAS_OPTION", self._new(command, "Command", 0.85), ref), unit, 0.8)
                return
            if option.type != "DESCRIBED_IN" and self._types.given_type(self._page) in _OPTIONED:
                self._add("guide.option", (option.type, self._page, ref), unit, 0.8)
            elif self._types.given_type(self._page) not in _BODIES:
                self._add("guide.option", ("DESCRIBED_IN", ref, self._page), unit, 0.8)

    def _described_line(self, unit: Unit, spans: Sequence[NameSpan]) -> None:
        """What a line of YAML says of what the line above named."""
        named = descriptions_of.NAME_LINE.match(unit.quote)
        if named is not None:
            self._named = named["name"]
        found = descriptions_of.DESCRIPTION_LINE.match(unit.quote)
        if found is not None and self._named and descriptions_of.is_label(self._named):
            start = unit.content.text.find(":") + 1
            self._describe(self._named, unit, [span for span in spans if span.start >= start], start)
            self._named = ""

    def _described(self, unit: Unit, spans: Sequence[NameSpan]) -> None:
        """What an item says of the project whose link it opens with."""
        found = descriptions_of.ITEM.match(unit.quote)
        if found is not None:
            label, target = (found["label"] or found["bold"]).strip("*_` "), found["target"]
            start = unit.content.text.find(label)
            end = start + len(label)
            known = next((span for span in spans if span.start == start and span.end == end), None)
            is_project = target is not None and descriptions_of.is_project(target) and descriptions_of.is_label(label)
            if start < 0 or not (is_project or (known is not None and is_thing(self._types.tool_type(known.ref)))):
                return
            rest = [span for span in spans if span.start >= end]
            self._describe(known.ref if known is not None else label, unit, rest, end)
            return
        about = descriptions_of.COPULA.match(with_marks(unit.content.text, spans))
        if about is None or not spans or unit.kind != "sentence" or relations.is_unreal(unit.content.text):
            return
        first = spans[0]
        if is_thing(self._types.tool_type(first.ref)):
            self._describe(first.ref, unit, spans[1:], first.end)

    def _column(self, place: int, unit: Unit, column: int | None) -> int | None:
        """Which column of the table that goes on here describes what its rows begin with."""
        if unit.kind != "row" or not unit.quote.lstrip().startswith("|"):
            return None
        following = self._units[place + 1] if place + 1 < len(self._units) else None
        if following is None or not is_table_rule(following.quote):
            return column
        return descriptions_of.description_column(unit.content.text)

    def _described_row(self, unit: Unit, spans: Sequence[NameSpan], column: int) -> None:
        """What the cell of a row that describes says of the thing in the first one."""
        row = descriptions_of.row_parts(unit.content.text, column)
        if row is None:
            return
        label, start, first, last = row
        known = next((one for one in spans if one.start == start and one.end == start + len(label)), None)
        if known is None and not (descriptions_of.is_label(label) and ("](" in unit.quote or "`" in unit.quote)):
            return
        if known is not None and not is_thing(self._types.tool_type(known.ref)):
            return
        inside = [span for span in spans if span.start >= first and span.end <= last]
        self._describe(known.ref if known is not None else label, unit, inside, first, last)

    def _describe(
        self, thing: int | str, unit: Unit, spans: Sequence[NameSpan], start: int, end: int | None = None
    ) -> None:
        """What the words from ``start`` to ``end`` say of an entry, or of a name that is none yet."""
        text = unit.content.text[start:end].rstrip()
        shifted = [NameSpan(span.start - start, span.end - start, span.ref) for span in spans]
        for one in descriptions_of.described(with_marks(text, shifted)):
            other = spans[one.mark]
            if self._is_shortened(other, text[shifted[one.mark].start :]):
                continue
            if self._types.tool_type(other.ref) not in (_ADVISED | {"Organization", "Person"}):
                continue
            behind = text[shifted[one.mark].end :]
            if one.type == "MADE_FOR" and descriptions_of.is_distributed(self._types.name(other.ref), behind):
                continue  # "npm package"
            made = one.type == "DEVELOPED"
            if made and not self._is_made(thing, other.ref):
                continue
            if isinstance(thing, str):
                thing = self._new(thing, "Product", 0.75)
            if made:
                self._add(one.rule, (one.type, other.ref, thing), unit, 0.7)
                continue
            if one.type == "IMPLEMENTS" and descriptions_of.is_language(self._types.name(other.ref)):
                continue  # "a Rust implementation for lamps" is written in it
            if one.type == "MADE_FOR" and (other.ref == self._speaker or self._types.best(other.ref) == "Organization"):
                continue  # "the chat tool for Acme", which may be anybody's
            self._add(one.rule, (one.type, thing, other.ref), unit, 0.7)
        for said in descriptions_of.languages_of(text.lstrip(" -–—:")):
            if isinstance(thing, str):
                thing = self._new(thing, "Product", 0.75)
            self._add(said.rule, (said.type, thing, self._new(said.language, "Technology", 0.9)), unit, 0.7)

    def _is_made(self, thing: int | str, maker: int) -> bool:
        """Whether somebody can have made a thing: not what has a number in a list of others."""
        known = isinstance(thing, str) or self._types.given_type(thing) in _TOOLS
        return known and self._types.best(maker) in ("Organization", "Person")

    # --- facts -----------------------------------------------------------------------------------------------------------

    def _new(self, name: str, type_: str, confidence: float) -> int:
        ref = self._lexicon.resolved(self._lexicon.get(name))
        named = self._lexicon.named[ref]
        if not named.known and not named.declared:
            named.vote(type_, confidence)
        return ref

    def _add(self, rule: str, fact: tuple[str, int, int], unit: Unit, confidence: float) -> bool:
        """A fact, once a document, where nothing else was read of the two."""
        type_, subject, object_ = fact
        ends = (self._types.given_type(subject), self._types.given_type(object_))
        if subject == object_ or fact in self._told or (subject, object_) in self._pairs or not may_join(type_, *ends):
            return False
        if f" {self._types.name(object_)} ".casefold() in f" {self._types.name(subject)} ".casefold():
            return False  # *Setup Traefik on Docker* needs no more words to be about Docker
        self._told.add(fact)
        self._lexicon.named[object_].count += 1
        for ref in (subject, object_):
            if is_known_software(self._types.name(ref)):
                self._lexicon.named[ref].uses.clear()  # "make sure that Docker is installed" has no determiner
        self._facts.append(LexiconFact(rule, candidate_of(unit, type_, confidence), subject, object_))
        return True
