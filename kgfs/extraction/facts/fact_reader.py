"""The facts of one document: every reader of facts over every sentence, with the names of the lexicon as their ends.

Used by the extractor; pure but for the tagger's syntax. What a fact shows of its ends' types goes back to the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kgfs.extraction.descriptions import cut_text
from kgfs.extraction.facts import (
    belonging,
    districts,
    ends,
    leads,
    meetings,
    page_sentences,
    proximity,
    records,
    relations,
    reports,
    structure,
    syntax,
    tables,
)
from kgfs.extraction.facts.changes import find_changes
from kgfs.extraction.facts.figures import find_figures
from kgfs.extraction.facts.marks import CLOSE, OPEN, with_marks
from kgfs.extraction.facts.nationality import find_nationalities
from kgfs.extraction.facts.open_relations import open_relations
from kgfs.extraction.links import references, sentence_links, target_name
from kgfs.extraction.names import tagging
from kgfs.extraction.names.kinds import noun_type
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.names.places import is_administrative
from kgfs.extraction.units import Unit
from kgfs.model import FactCandidate, ParsedDocument
from kgfs.relation_types import RELATION_TYPES, entity_types, is_thing, may_join

if TYPE_CHECKING:
    from spacy.tokens import Doc

_PRONOUN = re.compile(
    r"^(?:(?:In|On|By|Since) (?:[A-Z][a-z]+ )?(?:\d{1,2} )?(?:[A-Z][a-z]+ )?\d{4},? |(?:Later|Then|Today|Soon),? )?"
    r"(?P<word>It|it|He|he|She|she|The (?:company|firm|bank|group|business|start-?up|laboratory|organi[sz]ation)"
    r"|the (?:company|firm|bank|group|business|start-?up|laboratory|organi[sz]ation))(?=[ ,'’])"
)
_GOES_ON = re.compile(r" (?!(?:In|On|At|Since|From|And|The)\b)[A-Z]")
_COPULA = re.compile(r" (?:is|was|are|were) ")
_CALLED = re.compile(
    r"\b(?:known|called|styli[sz]ed|latini[sz]ed|billed|credited|nicknamed|abbreviated|romani[sz]ed|spelled|written)"
    r"(?: [a-z]+){0,3} [\"“(]?$|\b(?:pseudonym|stage name|pen name|born) [\"“]?$"
)
"""Before another name of what a lead is about."""
_WE = re.compile(r",? (?P<we>we) ")
_THIS = re.compile(r"(?:This|The) (?P<noun>[a-z]+)(?= )")
_BY_TYPE = proximity.TYPES | syntax.TYPES
"""What phrases and clauses state; with no roles of its own a statement was found between names of fitting types."""
_SURE_ALONE = 0.75
"""Types so sure that two names are entities since a clause joins them."""
_SURE = 0.55
"""A type that more than one sentence shows."""


class _Told(NamedTuple):
    type: str
    subject: int
    object: int


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


class FactReader:
    """Reads the facts of a document whose names were read; ``spans`` are those of each unit."""

    def __init__(
        self,
        document: ParsedDocument,
        lexicon: Lexicon,
        units: Sequence[Unit],
        spans: Sequence[Sequence[NameSpan]],
        *,
        tagged: bool,
    ) -> None:
        self._document = document
        self._lexicon = lexicon
        self._units = units
        self._spans = spans
        self._tagged = tagged
        self._facts: list[LexiconFact] = []
        self._begun = 0
        """How many facts there were when the sentence began."""
        self._belong: set[frozenset[int]] = set()
        """The pairs of which one was shown to belong to the other."""
        self._references = references(document.text or "")
        self._parsed: dict[int, Doc] = {}
        """The syntax of the sentences that may state a fact, by the unit's identity."""
        subject = lexicon.subject
        self._subject = None if subject is None else lexicon.resolved(subject)
        lead = leads.lead_units(units) if tagged and subject is not None else []
        self._lead = {id(unit): not place for place, unit in enumerate(lead)}
        """The sentences of the lead of a document whose subject is known; whether it is the first."""
        resolved = [self._resolved(found) for found in spans]
        self._page = structure.PageStructure(units, resolved, self._subject, self._is_sure, self._is_term, self._links)
        self._kind = ""
        """What the lead says the subject is, in one word: ``film``."""
        self._heading: Unit | None = None
        """The heading above."""
        self._goes_on = False
        """The sentence of the lead before was about the subject, so that a pronoun means it."""

    def _parse(self) -> None:
        """Find the syntax of the sentences that may state a fact: two names, with a verb of a fact or sure ones."""
        wanted = [
            unit
            for unit, spans in zip(self._units, self._spans, strict=True)
            if unit.kind == "sentence"
            and len(spans) + self._may_mean_subject(unit) > 1
            and (syntax.TRIGGER.search(unit.content.text) or self._has_two_ends(unit, spans))
        ]
        docs = tagging.parse_sentences([unit.content.text for unit in wanted])
        self._parsed = {id(unit): doc for unit, doc in zip(wanted, docs, strict=True)}

    def read(self) -> list[LexiconFact]:
        """All facts, in order of the sentences; those of front matter, headings and tables behind them."""
        if self._tagged:
            self._parse()
        previous: tuple[Unit, list[NameSpan]] | None = None
        for unit, spans in zip(self._units, self._spans, strict=True):
            if unit.kind == "heading":
                self._heading = unit
            if unit.kind != "sentence":
                if unit.kind == "row" and leads.is_for_more(unit.headings):
                    self._pointed_to(unit, self._resolved(spans))
                continue
            spans = self._resolved(spans)
            self._begun = len(self._facts)
            self._changes(unit, spans)
            self._pointed_to(unit, spans)
            mark = None
            if id(unit) in self._lead:
                text, spans, mark = self._with_subject(unit, spans)
                pronoun = mark is not None and not self._lead[id(unit)]
            if mark is None:
                text, spans, pronoun = self._with_pronoun(unit, spans, previous)
                spans = self._with_we(text, self._with_kind(text, spans))
            if spans:
                masked = with_marks(text, spans)
                self._statements(unit, spans, masked, pronoun)
                self._figures(unit, spans, masked, pronoun)
                if self._tagged:
                    if mark is not None:
                        self._lead_facts(unit, spans, mark)
                    self._open(unit, spans)
                    self._belonging(unit, spans)
                    self._nationalities(unit, spans, pronoun)
                    self._reports(unit, spans)
                previous = (unit, spans)
            else:
                previous = (unit, previous[1] if previous and previous[0].paragraph == unit.paragraph else [])
        self._structure()
        self._of_page()
        told = {
            (fact.subject, fact.candidate.chunk, fact.candidate.start)
            for fact in self._facts
            if fact.candidate.indicator
        }
        self._facts += [
            LexiconFact(rule, candidate, subject, None)
            for rule, found in (
                ("districts", districts.district_facts(self._document, self._units, self._lexicon)),
                ("tables", tables.table_facts(self._document, self._units, self._lexicon)),
            )
            for candidate, subject in found
            if candidate.indicator or (subject, candidate.chunk, candidate.start) not in told
        ]
        measured = {(fact.subject, fact.candidate.chunk, fact.candidate.object_text) for fact in self._facts}
        minutes = meetings.meeting_facts(self._document, self._lexicon, tagged=self._tagged)
        read = [fact.candidate for fact in minutes if fact.rule not in ("meetings.attendance", "meetings.table")]
        self._facts += [
            LexiconFact("records", candidate, subject, object_)
            for candidate, subject, object_ in records.record_facts(self._document, self._lexicon)
            if (candidate.value is None or (subject, candidate.chunk, candidate.object_text) not in measured)
            and not any(_within(candidate, one) for one in read)
        ]
        self._facts += [LexiconFact(*found) for found in minutes]
        return self._facts

    def _resolved(self, spans: Sequence[NameSpan]) -> list[NameSpan]:
        return [NameSpan(span.start, span.end, self._lexicon.resolved(span.ref)) for span in spans]

    def _with_pronoun(
        self, unit: Unit, spans: list[NameSpan], previous: tuple[Unit, list[NameSpan]] | None
    ) -> tuple[str, list[NameSpan], bool]:
        """The sentence with ``It`` or ``The company`` as a name: what the sentence before is about, if clear."""
        text = unit.content.text
        found = _PRONOUN.match(text)
        if found is None or previous is None or previous[0].paragraph != unit.paragraph:
            return text, spans, False
        antecedent = self._antecedent(found["word"].lower(), previous[1])
        if antecedent is None:
            return text, spans, False
        start, end = found.span("word")
        if any(span.start < end for span in spans if span.end > start):
            return text, spans, False
        merged = sorted([*spans, NameSpan(start, end, antecedent)], key=lambda span: span.start)
        return text, merged, True

    def _with_kind(self, text: str, spans: list[NameSpan]) -> list[NameSpan]:
        """The names of a sentence with ``This element`` as the page's subject, where that is what the page is about."""
        found = _THIS.match(text) if self._subject is not None else None
        if found is None or self._subject is None or (spans and spans[0].start < found.end()):
            return spans
        last = self._lexicon.named[self._subject].name.rpartition(" ")[2].lower()
        if found["noun"] not in (self._kind, last):
            return spans
        return [NameSpan(0, found.end(), self._subject), *spans]

    def _with_we(self, text: str, spans: list[NameSpan]) -> list[NameSpan]:
        """The names of a sentence with ``we`` as the organization that it begins with: ``At GSA, we use Slack``."""
        if not spans or text[: spans[0].start] not in ("At ", "At the ", "In ", "Within "):
            return spans
        found = _WE.match(text, spans[0].end)
        if found is None or self._given_type(spans[0].ref) in ("Person", "Location", "Work"):
            return spans
        return [spans[0], NameSpan(found.start("we"), found.end("we"), spans[0].ref), *spans[1:]]

    def _with_subject(self, unit: Unit, spans: list[NameSpan]) -> tuple[str, list[NameSpan], int | None]:
        """A sentence of the lead with the page's subject as a name where it begins with it, and that name's number."""
        text, subject = unit.content.text, self._subject
        assert subject is not None
        named = self._lexicon.named[subject]
        start = end = 0
        if spans and spans[0].ref == subject and _opening(text[: spans[0].start]):
            start, end = spans[0].start, spans[0].end
        if self._lead[id(unit)]:
            end = max(end, *(leads.opens_with(text, name) for name in (named.name, *named.aliases)))
        elif not end and self._goes_on:
            start, end = leads.goes_on_with(text, named.name, named.best[0] if named.best else "", self._kind)
        self._goes_on = end > 0
        if not end:
            return text, spans, None
        own = [span for span in spans if span.end <= start or span.start >= end]
        if self._lead[id(unit)]:
            # "Giotto di Bondone, latinised as Giottus, was": up to the verb another name is a name of the subject.
            verb = _COPULA.search(text, end)
            own = [
                NameSpan(span.start, span.end, subject)
                if verb is not None and span.end <= verb.start() and _CALLED.search(text[end : span.start])
                else span
                for span in own
            ]
        merged = sorted([*own, NameSpan(start, end, subject)], key=lambda span: span.start)
        return text, merged, next(place for place, span in enumerate(merged) if span.start == start)

    def _lead_facts(self, unit: Unit, spans: list[NameSpan], mark: int) -> None:
        """What a sentence of the lead says of the page's subject."""
        text, span = unit.content.text, spans[mark]
        masked = with_marks(text, spans).replace(f"{OPEN}{mark}{CLOSE}", leads.SUBJECT, 1)
        plain = f"{text[: span.start]}{leads.SUBJECT}{text[span.end :]}"
        own = self._lexicon.named[span.ref].best
        for one in leads.lead_facts(masked, plain, self._lead[id(unit)]):
            if one.rule == "leads.kind":
                self._kind = one.text.rpartition(" ")[2].lower()
            if not leads.is_of(one, own[0] if own else ""):
                continue
            if one.type == "LOCATED_IN" and noun_type(self._kind) == "Person":
                continue  # "is a teacher in Oslo"
            candidate = self._candidate(unit, one.type, one.confidence)
            if one.rule == "leads.work_by" and one.type == "DIRECTED" and one.mark is not None:
                maker = self._lexicon.named[spans[one.mark].ref].best
                if maker is not None and maker[0] == "Organization":
                    candidate.type = "PRODUCED"  # "a film by Acme Pictures"
            candidate.date, candidate.valid_from, candidate.valid_to = one.date, one.valid_from, one.valid_to
            if one.mark is None:
                candidate.object_text = one.text
                self._facts.append(LexiconFact(one.rule, candidate, span.ref, None, unit))
                continue
            other = spans[one.mark]
            pair = (other.ref, span.ref) if one.turned else (span.ref, other.ref)
            if other.ref != span.ref and self._can_join(one.type, *pair, span.ref):
                places = (other, span) if one.turned else (span, other)
                self._facts.append(LexiconFact(one.rule, candidate, *pair, unit, places))

    def _pointed_to(self, unit: Unit, spans: list[NameSpan]) -> None:
        """The entities to which a page sends its reader for more of its subject."""
        if self._subject is None:
            return
        text, labels = unit.content.text, [(link.start, link.end) for link in unit.content.links]
        marks = list(leads.pointed_to(with_marks(text, spans))) if unit.kind == "sentence" else []
        rule = "leads.see_also"
        if (
            leads.is_for_more(unit.headings)
            and len(spans) == 1
            and text.strip(" *-.") == text[spans[0].start : spans[0].end]
        ):
            marks, rule = [0], "leads.listed_also"
        for mark in marks:
            other = spans[mark]
            # Of "the Accessibility Guide" only a part is a name that is known: that is another thing.
            cut = any(
                start < other.end and other.start < end and (start, end) != (other.start, other.end)
                for start, end in labels
            )
            if not cut and other.ref != self._subject and self._is_given(other.ref):
                candidate = self._candidate(unit, "SEE_ALSO", 0.7)
                if rule == "leads.listed_also" and self._heading is not None:
                    self._quote_from(candidate, self._heading, unit)
                self._facts.append(LexiconFact(rule, candidate, self._subject, other.ref, unit))

    def _structure(self) -> None:
        """What the lists, tables and sections of the page say of its names."""
        told = {(fact.subject, fact.object) for fact in self._facts if fact.candidate.type != "SEE_ALSO"}
        pointed = {(fact.subject, fact.object) for fact in self._facts}
        for one in self._page.read():
            known = pointed if one.type == "SEE_ALSO" else told
            types = (self._given_type(one.subject), self._given_type(one.object))
            if (one.subject, one.object) in known or not may_join(one.type, *types):
                continue
            known.add((one.subject, one.object))
            candidate = self._candidate(one.last, one.type, one.confidence)
            if one.first is not one.last:
                self._quote_from(candidate, one.first, one.last)
            self._facts.append(LexiconFact(one.rule, candidate, one.subject, one.object))

    def _of_page(self) -> None:
        """What sentences that need not name the page's subject say of it."""
        told = set(self._told())
        paragraph = -1
        for unit, found in zip(self._units, self._spans, strict=True):
            text = unit.content.text
            subject = self._page.about(unit.headings) if unit.kind in ("sentence", "row") else None
            opens, paragraph = unit.paragraph != paragraph, unit.paragraph
            if subject is None or not is_thing(self._given_type(subject)) or text.startswith("|"):
                continue
            for label, ref in self._links(unit) if unit.kind == "sentence" else ():
                if page_sentences.points_to(text, label):
                    self._add_of_page("page.link", "SEE_ALSO", (subject, ref), unit, told)
            spans = self._resolved(found)
            if not spans:
                continue
            types = ["" if span.ref == subject else self._page_end(span.ref) for span in spans]
            masked = with_marks(text, spans)
            for one in page_sentences.page_facts(masked, types, opens=opens):
                name = self._lexicon.named[spans[one.mark].ref].name
                if one.type == "USES" and name.casefold() in self._lexicon.named[subject].name.casefold():
                    continue  # *Introduction to Slack* tells how one uses it
                if one.type != "COVERS" or self._is_term(spans[one.mark].ref):
                    pair = (subject, spans[one.mark].ref)
                    self._add_of_page(one.rule, one.type, pair[::-1] if one.turned else pair, unit, told)

    def _links(self, unit: Unit) -> list[tuple[str, int]]:
        """The labels of the links in a sentence or an item that lead to the page of an entity, with the entity."""
        if "[" not in unit.quote:
            return []
        found = []
        for label, target in sentence_links(unit.quote, self._references):
            ref = self._lexicon.known_entry(target_name(target))
            if ref is None:
                ref = self._lexicon.known_entry(label)
            if ref is not None and self._is_given(self._lexicon.resolved(ref)):
                found.append((label, self._lexicon.resolved(ref)))
        return found

    def _add_of_page(self, rule: str, type_: str, pair: tuple[int, int], unit: Unit, told: set[_Told]) -> None:
        """A fact of what a page or a section is about, once."""
        key = _Told(type_, *pair)
        types = (self._given_type(pair[0]), self._given_type(pair[1]))
        if pair[0] != pair[1] and key not in told and may_join(type_, *types):
            told.add(key)
            candidate = self._candidate(unit, type_, 0.65)
            # What a link leads to is an entity here too, where its name does not stand in the text.
            self._facts.append(LexiconFact(rule, candidate, *pair, unit, shows_ends=type_ == "SEE_ALSO"))

    def _told(self) -> Iterator[_Told]:
        """The facts between two names so far."""
        for fact in self._facts:
            if fact.object is not None:
                yield _Told(fact.candidate.type, fact.subject, fact.object)

    def _page_end(self, ref: int) -> str:
        """The type of a name that may be the other end of what a page says of its subject; empty where none is sure."""
        if not self._is_sure(ref):
            return ""
        type_ = self._given_type(ref)
        name = self._lexicon.named[ref].name
        # Where somebody is "at" it, it is no tool.
        return "" if type_ == "Product" and f" at {name}" in (self._document.text or "") else type_

    def _quote_from(self, candidate: FactCandidate, heading: Unit, unit: Unit) -> None:
        """Let the quote of an item begin at its heading, which says what the item is, where that is near."""
        if heading.chunk is unit.chunk and 0 < unit.end - heading.start <= structure.MOST_QUOTED:
            text = unit.chunk.text
            candidate.quote = text[heading.start : unit.end]
            candidate.start = len(text[: heading.start].encode())
            candidate.end = candidate.start + len(candidate.quote.encode())

    def _can_join(self, type_: str, subject: int, target: int, own: int) -> bool:
        """Whether two entries can be the ends of a fact by their types; a name without one has what the fact shows."""
        row = RELATION_TYPES[type_]
        types = []
        for ref, letters in ((subject, row.subject), (target, row.object)):
            named = self._lexicon.named[ref]
            if named.best is None and ref != own and len(shown := entity_types(letters)) == 1:
                named.vote(shown[0], 0.7)
            types.append(named.best[0] if named.best else "")
        names_ = [self._lexicon.named[ref].name for ref in (subject, target)]
        if type_ in ("LOCATED_IN", "CAPITAL_OF") and not ends.may_lie_in(*names_):
            return False
        return all(types) and may_join(type_, *types)

    def _antecedent(self, word: str, before: list[NameSpan]) -> int | None:
        if not before:
            return None
        wanted = "Person" if word in ("he", "she") else "Organization"
        fitting = []
        for span in before:
            best = self._lexicon.named[span.ref].best
            if best is not None and best[0] == wanted and span.ref not in fitting:
                fitting.append(span.ref)
        # The subject of the sentence before, if nothing else there could be meant or the document is about it.
        first = before[0].ref
        if not fitting or fitting[0] != first:
            return None
        return first if len(fitting) == 1 or first == self._lexicon.subject else None

    def _statements(self, unit: Unit, spans: list[NameSpan], masked: str, pronoun: bool) -> None:
        found = relations.pattern_facts(masked)
        if self._tagged:
            found += self._joined(unit, spans, found)
        for statement in found:
            refs = {mark: spans[mark].ref for mark in (*statement.subjects, *statement.objects)}
            sure = statement.type in _BY_TYPE and not any(statement.roles.values())
            if not sure and not all(
                self._fits(refs[mark], statement.roles.get(mark, ""), statement.type) for mark in refs
            ):
                continue
            confidence = statement.confidence * (0.8 if pronoun and 0 in statement.subjects else 1.0)
            if statement.rule == "relations.owned_by":
                if _GOES_ON.match(unit.content.text, spans[statement.objects[0]].end):
                    continue  # "is owned by the Acme Director"
                self._owned(statement, refs)
            for subject in statement.subjects:
                for object_ in statement.objects:
                    if refs[subject] == refs[object_]:
                        continue
                    for mark, type_ in (
                        ()
                        if sure
                        else (
                            (subject, self._role(statement, subject, spans, unit.content.text)),
                            (object_, statement.roles[object_]),
                        )
                    ):
                        named = self._lexicon.named[refs[mark]]
                        if not named.known and not named.declared:
                            named.vote(type_, confidence - 0.15)
                    candidate = self._candidate(unit, statement.type, confidence)
                    candidate.date = statement.date
                    candidate.valid_from, candidate.valid_to = statement.valid_from, statement.valid_to
                    candidate.value, candidate.unit = statement.value, statement.unit
                    places = (spans[subject], spans[object_])
                    self._facts.append(
                        LexiconFact(statement.rule, candidate, refs[subject], refs[object_], unit, places)
                    )

    def _owned(self, statement: relations.PatternFact, refs: dict[int, int]) -> None:
        """Let what is owned and is no organization for certain have an owner, not a parent."""
        (owned,) = statement.subjects
        best = self._lexicon.named[refs[owned]].best
        if best is None or best[0] != "Organization" or not self._is_sure(refs[owned]):
            statement.type, statement.subjects, statement.objects = "OWNS", statement.objects, statement.subjects
            owners = dict.fromkeys(statement.subjects, "Organization")
            statement.roles = {**owners, **dict.fromkeys(statement.objects, "")}

    def _joined(
        self, unit: Unit, spans: list[NameSpan], found: list[relations.PatternFact]
    ) -> list[relations.PatternFact]:
        """The facts in phrases and clauses that join names of known types, without those that are there already."""
        letters, sure, name = self._letters(spans)
        marked = with_marks(unit.content.text, spans, letters)
        known = {(s, o) for one in found for s in one.subjects for o in one.objects}
        near = proximity.proximity_facts(marked, letters, name, is_administrative)
        doc = self._parsed.get(id(unit))
        if doc is not None and unit.content.text == doc.text and not relations.is_unreal(marked):
            places = [(span.start, span.end, letters[i], name[i]) for i, span in enumerate(spans)]
            far = syntax.syntax_facts(doc, places)
            told = {(one.subjects[0], one.objects[0]) for one in far}
            near = [one for one in near if one.type == "KILLED" or (one.subjects[0], one.objects[0]) not in told]
            had = {(one.type, one.subjects[0], one.objects[0]) for one in near}
            near += [one for one in far if (one.type, one.subjects[0], one.objects[0]) not in had]
        more = [
            one
            for one in near
            if (one.subjects[0], one.objects[0]) not in known
            and _can_be(one, letters, name)
            and not _is_quoted(marked, one)
            and one.confidence - sum(0.1 for mark in (one.subjects[0], one.objects[0]) if sure[mark] < _SURE) >= 0.5
        ]
        relations.attach_dates_and_prices([one for one in more if one.dated], marked)
        return more

    def _role(self, statement: relations.PatternFact, mark: int, spans: list[NameSpan], text: str) -> str:
        """The type that a fact shows of a subject that may be of several: founders are persons, unless known else."""
        role = statement.roles[mark]
        if role:
            return role
        name = self._lexicon.named[spans[mark].ref].name
        person = statement.type == "FOUNDED" and 2 <= len(name.split()) <= 4 and not name.isupper()
        return "Person" if person and not text[: spans[mark].start].lower().endswith("the ") else "Organization"

    def _fits(self, ref: int, role: str, fact_type: str) -> bool:
        """Whether a name can stand where a pattern has it, by what else is known of it."""
        named = self._lexicon.named[ref]
        best = named.best
        if role == "Product":
            # What was developed must be known from elsewhere: a declared or linked name of nobody and no place.
            return (named.known or named.declared or named.linked) and (
                best is None or best[0] not in ("Person", "Location", "Organization")
            )
        if role == "Location":
            return (best is not None and best[0] == "Location") or (best is None and named.mid > 0)
        if role == "Person":
            return (best is None and " " in named.name) or (best is not None and best[0] == "Person")
        if role == "Organization":
            if best is None:
                return True
            # DeepMind's AlphaFold may be bought too, but a person or a place is no company.
            return best[0] not in ("Person", "Location", "Law", "Concept") or (best[0] == "Person" and best[1] < 0.5)
        return best is None or best[0] in ("Person", "Organization") or (fact_type == "FOUNDED" and best[1] < 0.5)

    def _figures(self, unit: Unit, spans: list[NameSpan], masked: str, pronoun: bool) -> None:
        for figure in find_figures(masked):
            ref = spans[figure.subject].ref
            best = self._lexicon.named[ref].best
            if best is None or best[0] not in ("Organization", "Location", "Country", "City"):
                continue
            confidence = figure.confidence * (0.8 if pronoun and figure.subject == 0 else 1.0)
            candidate = self._candidate(unit, "REPORTED", confidence)
            candidate.value, candidate.unit, candidate.indicator = figure.value, figure.unit, figure.indicator
            candidate.object_text = figure.text
            # Without a date of its own a figure is as old as its document, unless the sentence speaks of other times.
            candidate.date = figure.date or (None if figure.dated else self._document.date)
            if figure.date is None:
                candidate.confidence = round(confidence - 0.2, 2)
            self._facts.append(LexiconFact(figure.rule, candidate, ref, None, unit))

    def _of(self, unit: Unit) -> list[LexiconFact]:
        """The facts of a sentence that is being read: all facts of a long document are many."""
        return [fact for fact in self._facts[self._begun :] if fact.unit is unit]

    def _open(self, unit: Unit, spans: list[NameSpan]) -> None:
        """The clauses that join two entities, whatever their verb, where nothing else was read of the two."""
        doc = self._parsed.get(id(unit))
        masked = with_marks(unit.content.text, spans)
        if doc is None or doc.text != unit.content.text or relations.is_unreal(masked):
            return
        told = {frozenset((fact.subject, fact.object)) for fact in self._of(unit)}
        ends_ = [(span.start, span.end, self._end_type(span)) for span in spans if span.end <= len(doc.text)]
        for one in open_relations(doc, ends_):
            subject, target = spans[one.subject], spans[one.object]
            if subject.ref == target.ref or frozenset((subject.ref, target.ref)) in told:
                continue
            if stands_in_quotes(doc.text, one.start, one.end):
                continue
            candidate = self._candidate(unit, one.type, one.confidence)
            given = any(self._is_given(ref) for ref in (subject.ref, target.ref)) or all(
                self._is_sure(ref) for ref in (subject.ref, target.ref)
            )
            self._facts.append(
                LexiconFact(
                    one.rule, candidate, subject.ref, target.ref, unit, (subject, target), shows_ends=given
                )
            )  # fmt: skip

    def _belonging(self, unit: Unit, spans: list[NameSpan]) -> None:
        """What the sentence shows to belong to an organization, where nothing else was read of the two."""
        letters, sure, name = self._letters(spans)
        marked = with_marks(unit.content.text, spans, letters)
        told = {frozenset((fact.subject, fact.object)) for fact in self._of(unit)}
        for one in belonging.belongings(marked, name):
            refs = (spans[one.subject].ref, spans[one.object].ref)
            types = (self._given_type(refs[0]), self._given_type(refs[1]))
            pair = frozenset(refs)
            if len(pair) == 1 or pair in told or pair in self._belong or not may_join(one.type, *types):
                continue
            if all(self._is_given(ref) or sure[mark] >= _SURE for ref, mark in zip(refs, one[2:4], strict=True)):
                candidate = self._candidate(unit, one.type, one.confidence)
                places = (spans[one.subject], spans[one.object])
                self._facts.append(LexiconFact(one.rule, candidate, *refs, unit, places, shows_ends=False))
                told.add(pair)
                self._belong.add(pair)

    def _is_given(self, ref: int) -> bool:
        """Whether a name is an entity whatever the sentences show: declared, explained, or known from elsewhere."""
        named = self._lexicon.named[ref]
        return named.known or named.declared or named.defined

    def _is_sure(self, ref: int) -> bool:
        """Whether a name is an entity for certain, or its type is nearly so."""
        best = self._lexicon.named[ref].best
        return self._is_given(ref) or (best is not None and best[1] >= _SURE_ALONE)

    def _is_term(self, ref: int) -> bool:
        """Whether a name is that of something a page can explain: nobody, no place, no ordinary word."""
        return is_thing(self._page_end(ref)) and not self._lexicon.is_word(self._lexicon.named[ref].name)

    def _given_type(self, ref: int) -> str:
        """The type of a name that is an entity for certain: a term where nothing shows what it is."""
        best = self._lexicon.named[ref].best
        return best[0] if best is not None else "Concept"

    def _end_type(self, span: NameSpan) -> str:
        """The type of a name that may be an end of an open relation; empty where its type is not sure."""
        ref = self._lexicon.resolved(span.ref)
        if self._is_given(ref):
            return self._given_type(ref)
        best = self._lexicon.named[ref].best
        return best[0] if best is not None and best[1] >= _SURE else ""

    def _may_mean_subject(self, unit: Unit) -> bool:
        """Whether a sentence may be about the page's subject without its name."""
        return id(unit) in self._lead or (self._subject is not None and _THIS.match(unit.content.text) is not None)

    def _has_two_ends(self, unit: Unit, spans: Sequence[NameSpan]) -> bool:
        """Whether two entities stand in a sentence, so that its clauses are worth to be parsed."""
        first = self._subject if self._subject is not None and self._may_mean_subject(unit) else -1
        for span in spans:
            ref = self._lexicon.resolved(span.ref)
            if ref != first and self._end_type(span):
                if first >= 0:
                    return True
                first = ref
        return False

    def _nationalities(self, unit: Unit, spans: list[NameSpan], pronoun: bool) -> None:
        """The countries that adjectives give to names."""
        letters, sure, _ = self._letters(spans)
        for found in find_nationalities(unit.content.text, [(span.start, span.end) for span in spans], letters):
            span = spans[found.mark]
            if sure[found.mark] < _SURE or (pronoun and found.mark == 0 and found.type != "CITIZEN_OF"):
                continue
            if letters[found.mark] == "P" and not ends.may_be_person(self._lexicon.named[span.ref].name):
                continue
            candidate = self._candidate(
                unit, found.type, found.confidence * (0.8 if pronoun and not found.mark else 1.0)
            )
            place = self._lexicon.place(found.country)
            if place != span.ref:
                self._facts.append(
                    LexiconFact(
                        found.rule, candidate, span.ref, place, unit, (span, NameSpan(found.start, found.end, place))
                    )
                )

    def _changes(self, unit: Unit, spans: list[NameSpan]) -> None:
        """By how many percent something changed, in the places that the sentence names or its heading is about."""
        letters, _, _ = self._letters(spans)
        for change in find_changes(with_marks(unit.content.text, spans, letters), self._document.date):
            refs = [spans[mark].ref for mark in change.marks]
            # "Revenues were down 10 percent" under a heading: whose, the paragraph says or nobody.
            bare = "_" not in change.indicator.partition("_change")[0]
            own = None if refs or bare else districts.district_city(unit.headings)
            if own is not None:
                refs = [self._lexicon.place(own)]
            for ref in refs:
                candidate = self._candidate(unit, "REPORTED", change.confidence)
                candidate.value, candidate.unit, candidate.indicator = change.value, "percent", change.indicator
                candidate.object_text, candidate.date = change.text, change.date
                rule = change.rule if own is None else f"{change.rule}.heading"
                self._facts.append(LexiconFact(rule, candidate, ref, None, unit))

    def _reports(self, unit: Unit, spans: list[NameSpan]) -> None:
        """What a sentence reports of its places, organizations and persons, where no figure says it already."""
        letters, _, name = self._letters(spans)
        text = unit.content.text
        own = districts.district_city(unit.headings)
        told = {fact.subject for fact in self._of(unit)}
        for mark, confidence, rule in reports.report_subjects(text, with_marks(text, spans, letters), name):
            ref = spans[mark].ref
            if ref in told or name[mark] == own:
                continue
            candidate = self._candidate(unit, "REPORTED", confidence)
            candidate.object_text = districts.main_clause(text)
            candidate.date = reports.report_date(text) or self._document.date
            self._facts.append(LexiconFact(rule, candidate, ref, None, unit))

    def _letters(self, spans: Sequence[NameSpan]) -> tuple[list[str], list[float], list[str]]:
        """Of each span the letter of its type, how sure it is, and its name."""
        best = [self._lexicon.named[span.ref].best for span in spans]
        letters = [proximity.LETTERS.get(one[0], "X") if one else "X" for one in best]
        return letters, [one[1] if one else 0.0 for one in best], [self._lexicon.named[span.ref].name for span in spans]

    def _candidate(self, unit: Unit, type_: str, confidence: float) -> FactCandidate:
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


def _within(candidate: FactCandidate, other: FactCandidate) -> bool:
    """Whether the words of a fact are among those of another one."""
    return candidate.chunk == other.chunk and other.start <= candidate.start and candidate.end <= other.end


def _can_be(statement: relations.PatternFact, letters: Sequence[str], name: Sequence[str]) -> bool:
    """Whether the names of a statement can be its ends."""
    subject, target = statement.subjects[0], statement.objects[0]
    if statement.type == "LOCATED_IN":
        return ends.may_lie_in(name[subject], name[target])
    if statement.type == "WORKS_FOR" and not ends.may_employ(name[target]):
        return False
    return letters[subject] != "P" or ends.may_be_person(name[subject])


def _is_quoted(masked: str, statement: relations.PatternFact) -> bool:
    """Whether a statement stands between quotation marks: then it is what somebody says."""
    before, after = masked[: statement.start], masked[statement.end :]
    if before.count("“") > before.count("”"):
        return True
    return before.count('"') % 2 == 1 and '"' in after


def _opening(before: str) -> bool:
    """Whether nothing but an article or a quotation mark stands before a sentence's first name."""
    return before.strip(" \"“'‘(*").lower() in ("", "the", "a", "an")


def stands_in_quotes(text: str, start: int, end: int) -> bool:
    """Whether a part of a text stands between quotation marks, or begins or ends in them."""
    before, inside = text[:start], text[start:end]
    if before.count("“") != before.count("”") or before.count('"') % 2 == 1:
        return True
    return inside.count('"') % 2 == 1 or inside.count("“") != inside.count("”")
