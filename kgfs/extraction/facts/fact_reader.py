"""The facts of one document: every reader of facts over every sentence, with the names of the lexicon as their ends.

Used by the extractor; pure but for the tagger's syntax. What a fact shows of its ends' types goes back to the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from kgfs.extraction.facts import ends, rejected_facts
from kgfs.extraction.facts.dated_events import dated_events, day_beside, day_of_sentence
from kgfs.extraction.facts.guides import lead_parts, lead_subjects, leads, named_works, page_links
from kgfs.extraction.facts.guides.guide_facts import GuideFacts
from kgfs.extraction.facts.guides.lead_clauses import SUBJECT, clauses
from kgfs.extraction.facts.guides.lead_patterns import LeadFact
from kgfs.extraction.facts.guides.made_titles import made_titles
from kgfs.extraction.facts.guides.option_owners import commands_of
from kgfs.extraction.facts.guides.page_facts import PageFacts
from kgfs.extraction.facts.guides.page_titles import title_facts
from kgfs.extraction.facts.guides.tool_facts import ToolFacts
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import CLOSE, OPEN, with_marks
from kgfs.extraction.facts.meeting_notes import meetings
from kgfs.extraction.facts.meeting_notes.votes import vote_facts
from kgfs.extraction.facts.name_types import SURE, NameTypes
from kgfs.extraction.facts.recurring_names import RecurringNames
from kgfs.extraction.facts.sentences import (
    belonging,
    districts,
    relations,
    syntax,
)
from kgfs.extraction.facts.sentences.brackets import bracket_facts
from kgfs.extraction.facts.sentences.code_parts import read_code_parts
from kgfs.extraction.facts.sentences.families import KIN_TYPES, Families
from kgfs.extraction.facts.sentences.nationality import find_nationalities
from kgfs.extraction.facts.sentences.open_relations import open_relations
from kgfs.extraction.facts.sentences.plain_clauses import is_cut, read_clauses, read_duties, without_classes
from kgfs.extraction.facts.sentences.report_facts import ReportReader
from kgfs.extraction.facts.sentences.sentence_subjects import SentenceSubjects
from kgfs.extraction.facts.sentences.stated_ends import is_another
from kgfs.extraction.facts.sentences.statement_checks import (
    is_infinitive,
    is_label,
    is_past_post,
    is_within,
    stands_in_quotes,
)
from kgfs.extraction.facts.sentences.statements import Statements
from kgfs.extraction.facts.structured import (
    affiliation_lines,
    cited_works,
    records,
    repository_lists,
    role_tables,
    rosters,
    tables,
)
from kgfs.extraction.facts.structured.filing_facts import FilingFacts, auditors_words
from kgfs.extraction.faults import Faults
from kgfs.extraction.names import tagging
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.kind_nouns import noun_type
from kgfs.extraction.units import Unit
from kgfs.model import FactCandidate, ParsedDocument
from kgfs.relation_types import may_join

if TYPE_CHECKING:
    from spacy.tokens import Doc


_ENTRY = re.compile(
    r"\W*(?P<label>[A-Z][\w&]*(?: [\w&]+){0,4})\W{0,3} [-–—] \W*(?=The [A-Z]|(?P=label) (?:is|was|are)\b)"
)
"""What opens the entry of a list of short forms, before a sentence on it."""


_OF_MAKERS = frozenset({"leads.made_by", "leads.work_by", "leads.part_by", "leads.starring"})
_LAND = re.compile(r"\b(?:Islands?|Isle|Peninsula|Plateau|Plain|Heights)\b")
"""Words of names of what a town on it lies in; any other is a water."""
_OF_ONE_TYPE = frozenset({"leads.part", "leads.replaces", "leads.follows"})
"""Rules whose ends are of one type where nothing shows that of the other: part of a network is a network."""
_OF_STAFF = frozenset({"leads.post", "leads.joined"})
_GROUNDS = frozenset("arena ballpark field ground oval park pitch rink stadium velodrome".split())
_OF_NAME = re.compile(r" of (?=[A-Z])")
_AND_HIS = re.compile(r"\band (?:his|her) [a-z ]+$")
_WITHOUT_DATES = ("ties.", "proximity.person_office_of")
_PLACES_OF_LIFE = frozenset({"Location", "Country", "City", "Village", "Town", "State", "Region", "Island", "Facility"})


class FactReader:
    """Reads the facts of a document whose names were read; ``spans`` are those of each unit."""

    def __init__(
        self,
        document: ParsedDocument,
        lexicon: Lexicon,
        units: Sequence[Unit],
        spans: Sequence[Sequence[NameSpan]],
        faults: Faults,
        *,
        tagged: bool,
    ) -> None:
        self._document = document
        self._lexicon = lexicon
        self._units = units
        self._spans = spans
        self._faults = faults
        self._tagged = tagged
        self._facts: list[LexiconFact] = []
        self._begun = 0
        """How many facts there were when the sentence began."""
        self._belong: set[frozenset[int]] = set()
        """The pairs of which one was shown to belong to the other."""
        self._parsed: dict[int, Doc] = {}
        """The syntax of the sentences that may state a fact, by the unit's identity."""
        text = document.text or ""
        self._types = NameTypes(lexicon, text)
        self._statements = Statements(lexicon, self._types, tagged=tagged)
        self._tools = ToolFacts(lexicon, self._types)
        self._families = Families(lexicon, self._types)
        self._reported = ReportReader(document.date, lexicon, self._types)
        subject = None if lexicon.subject is None else lexicon.resolved(lexicon.subject)
        self._subject = subject
        lead = lead_subjects.lead_units(units) if tagged and subject is not None else []
        self._subjects = SentenceSubjects(lexicon, self._types, lead, subject, document.front_matter)
        if tagged:
            with faults.within("recurring", self._facts):
                recurring = RecurringNames(lexicon, commands_of(units))
                self._spans = [
                    recurring.completed(unit, self._resolved(found)) if unit.kind in ("sentence", "row") else found
                    for unit, found in zip(units, spans, strict=True)
                ]
        resolved = [self._resolved(found) for found in self._spans]
        self._page = PageFacts(lexicon, self._types, units, resolved, document, self._facts, faults)
        self._audited = auditors_words(units)
        """Sentences in which *we* are the auditor."""
        self._heading: Unit | None = None
        """The heading above."""

    def _parse(self) -> None:
        """Find the syntax of the sentences that may state a fact: two names, with a verb of a fact or sure ones."""
        wanted = [
            unit
            for unit, spans in zip(self._units, self._spans, strict=True)
            if unit.kind == "sentence" and self._may_state(unit, self._page.with_links(unit, self._resolved(spans)))
        ]
        docs = tagging.parse_sentences([unit.content.text for unit in wanted])
        self._parsed = {id(unit): doc for unit, doc in zip(wanted, docs, strict=True)}

    def _may_state(self, unit: Unit, spans: Sequence[NameSpan]) -> bool:
        """Whether a sentence has the names of a fact, so that it is worth to be parsed."""
        if self._subjects.may_define(unit):
            return True
        implied = (
            self._subjects.implied(unit) is not None
            or self._page.begins_with_page(unit)
            or self._subjects.may_refer(unit)
        )
        if len(spans) + implied < 2:
            return False
        return syntax.TRIGGER.search(unit.content.text) is not None or self._has_two_ends(unit, spans)

    def read(self) -> list[LexiconFact]:
        """All facts, in order of the sentences; those of front matter, headings and tables behind them."""
        if self._tagged:
            with self._rule("syntax"):
                self._parse()
        previous: tuple[Unit, list[NameSpan]] | None = None
        for unit, spans in zip(self._units, self._spans, strict=True):
            if unit.kind == "heading":
                self._heading = unit
            if unit.kind != "sentence":
                if unit.kind == "row" and page_links.is_for_more(unit.headings):
                    with self._rule("page.pointed_to"):
                        self._page.pointed_to(unit, self._resolved(spans), self._heading)
                continue
            spans = self._sentence(unit, self._resolved(spans), previous)
            if spans:
                previous = (unit, spans)
            else:
                previous = (unit, previous[1] if previous and previous[0].paragraph == unit.paragraph else [])
        with self._rule("structure.contents"):
            self._page.from_contents()
        self._page.from_structure()
        self._page.from_sentences()
        self._from_lines()
        resolved = [self._resolved(found) for found in self._spans]
        if self._tagged:
            GuideFacts(
                self._lexicon, self._types, self._units, resolved, self._facts, self._faults, self._document,
                self._page.about, self._page.links,
            ).read()  # fmt: skip
        with self._rule("pages.about"):
            self._add_new(title_facts(self._document, self._lexicon, self._types))
        with self._rule("credits.work"):
            self._facts += named_works.written_works(self._units, self._lexicon, tagged=self._tagged)
        with self._rule("credits.cited"):
            self._add_new(cited_works.cited_works(self._units, self._lexicon))
        with self._rule("meetings.votes"):
            self._add_new(vote_facts(self._units, resolved, self._types))
        with self._rule("filings"):
            self._add_new(FilingFacts(self._document, self._lexicon).read())
        with self._rule("structure.listed"):
            listed = [
                *repository_lists.repository_facts(self._units, self._lexicon, self._types),
                *affiliation_lines.affiliation_facts(self._units, self._lexicon, self._types),
            ]
            self._add_new(listed)
        self._facts[:] = rejected_facts.standing(self._facts, self._types, self._document, self._lexicon)
        covered = {(fact.subject, fact.object) for fact in self._facts if fact.candidate.type == "COVERS"}
        return [
            fact
            for fact in self._facts
            if fact.candidate.type != "SEE_ALSO" or (fact.subject, fact.object) not in covered
        ]

    def _add_new(self, found: Iterable[LexiconFact]) -> None:
        """Add the facts that no rule before them stated."""
        told = {fact.statement for fact in self._facts}
        self._facts += [fact for fact in found if fact.statement not in told]

    def _rule(self, name: str) -> AbstractContextManager[None]:
        """A block in which a rule reads one place, and whose facts go where it fails."""
        return self._faults.within(name, self._facts)

    def _sentence(
        self, unit: Unit, spans: list[NameSpan], previous: tuple[Unit, list[NameSpan]] | None
    ) -> list[NameSpan]:
        """Read one sentence; the names in it, with whom its pronouns mean."""
        self._begun = len(self._facts)
        with self._rule("changes"):
            self._facts += self._reported.changes(unit, spans)
        with self._rule("page.pointed_to"):
            self._page.pointed_to(unit, spans, self._heading)
        text, mark, pronoun, whose = unit.content.text, None, False, None
        with self._rule("subjects"):
            whose = self._subjects.whose(unit, previous) if self._tagged else None
            if self._subjects.in_lead(unit):
                text, spans, mark = self._subjects.with_subject(unit, spans)
                pronoun = mark is not None and not self._subjects.opens(unit)
            if mark is None:
                text, spans, pronoun = self._subjects.with_pronoun(unit, spans, previous)
                spans = self._subjects.with_kind(text, spans)
                if id(unit) not in self._audited:
                    spans = self._subjects.with_we(text, spans)
                spans = self._subjects.with_me(unit, spans)
        if self._tagged and unit.content.code:
            with self._rule("code"):
                self._facts += read_code_parts(unit, self._page.with_links(unit, spans), self._types)
        if self._tagged and mark is None and self._subjects.is_defined_by(unit, self._parsed.get(id(unit))):
            with self._rule("leads"):
                self._definition_facts(unit, spans)
        if self._tagged:
            self._subjects.note_persons(unit, spans, whose)
        if not spans:
            if self._tagged:
                with self._rule("open"):
                    self._open(unit, spans)
            return spans
        masked = with_marks(text, spans)
        with self._rule("statements"):
            self._facts += self._statements.read(
                unit, spans, masked, pronoun=pronoun, syntax_of=self._parsed.get(id(unit))
            )
        with self._rule("figures"):
            self._facts += self._reported.figures(unit, spans, masked, pronoun=pronoun)
        if self._tagged:
            if mark is not None:
                with self._rule("leads"):
                    self._lead_facts(unit, spans, mark)
            elif self._subjects.in_lead(unit):
                with self._rule("leads"):
                    self._parts_of_work(unit, spans)
            with self._rule("works"):
                said = {fact.statement for fact in self._of(unit)}
                self._facts += made_titles(unit, spans, self._types, self._lexicon, said)
            with self._rule("families"):
                said = {fact.statement for fact in self._of(unit)}
                self._facts += self._families.read(unit, spans, whose, said)
                self._families.note(unit, self._of(unit))
            with self._rule("tools"):
                self._facts += self._tools.read(unit, spans, self._subjects.speaks(unit.content.text, spans))
            with self._rule("clauses"):
                told = {frozenset((fact.subject, fact.object)) for fact in self._of(unit) if fact.object is not None}
                if not relations.is_unreal(masked):
                    linked = self._page.with_links(unit, spans, page=True)
                    self._facts += read_clauses(unit, linked, self._types, told)
                    self._facts += read_duties(unit, linked, self._types)
            with self._rule("open"):
                self._open(unit, spans)
            with self._rule("dated"):
                told_of = {(fact.candidate.type, fact.subject) for fact in self._of(unit)}
                self._facts += [
                    fact
                    for fact in dated_events(unit, spans, self._types)
                    if (fact.candidate.type, fact.subject) not in told_of
                ]
            with self._rule("belonging"):
                self._belonging(unit, spans)
                self._own_parts(unit, spans)
            with self._rule("nationality"):
                self._nationalities(unit, spans, pronoun)
            with self._rule("brackets"):
                said = {fact.statement for fact in self._of(unit)}
                self._facts += bracket_facts(unit, spans, self._types, said)
            with self._rule("reports"):
                subjects = {fact.subject for fact in self._of(unit)}
                self._facts += self._reported.reports(unit, spans, subjects)
        return spans

    def _from_lines(self) -> None:
        """What tables, records, Districts' headings and minutes say, unless a sentence says it too."""
        told = {
            (fact.subject, fact.candidate.chunk, fact.candidate.start)
            for fact in self._facts
            if fact.candidate.indicator
        }
        for rule, read in (("districts", districts.district_facts), ("tables", tables.table_facts)):
            with self._rule(rule):
                self._facts += [
                    LexiconFact(rule, candidate, subject, None)
                    for candidate, subject in read(self._document, self._units, self._lexicon)
                    if candidate.indicator or (subject, candidate.chunk, candidate.start) not in told
                ]
        measured = {(fact.subject, fact.candidate.chunk, fact.candidate.object_text) for fact in self._facts}
        minutes: list[meetings.MeetingFact] = []
        with self._rule("meetings"):
            minutes = meetings.meeting_facts(self._document, self._lexicon, tagged=self._tagged)
        said = [fact.candidate for fact in minutes if fact.rule not in ("meetings.attendance", "meetings.table")]
        with self._rule("records"):
            self._facts += [
                LexiconFact("records", candidate, subject, object_)
                for candidate, subject, object_ in records.record_facts(self._document, self._lexicon)
                if (candidate.value is None or (subject, candidate.chunk, candidate.object_text) not in measured)
                and not any(is_within(candidate, one) for one in said)
            ]
        with self._rule("tables.role"):
            told_of = {(fact.subject, fact.object) for fact in self._facts}
            by_role = role_tables.RoleTables(self._document, self._lexicon, self._types, tagged=self._tagged).read()
            self._facts += [
                fact
                for fact in by_role
                if {(fact.subject, fact.object), (fact.object, fact.subject)}.isdisjoint(told_of)
            ]
        self._facts += [LexiconFact(*found) for found in minutes]
        if not minutes:
            with self._rule("rosters"):
                self._rosters()

    def _rosters(self) -> None:
        """Who belongs to what by lists of persons; those of minutes are attendance."""
        reader = rosters.Rosters(self._lexicon, self._types, self._units, self._page.about, tagged=self._tagged)
        found = {fact.statement: fact for fact in reversed(reader.read())}
        # What a roster says, with the role and of the body, the list beneath the heading said without.
        told = {(type_, subject) for type_, subject, _ in found}
        self._facts[:] = [
            fact
            for fact in self._facts
            if not fact.rule.startswith("structure.") or (fact.candidate.type, fact.subject) not in told
        ]
        self._facts += reversed(found.values())

    def _resolved(self, spans: Sequence[NameSpan]) -> list[NameSpan]:
        return [NameSpan(span.start, span.end, self._lexicon.resolved(span.ref)) for span in spans]

    def _lead_facts(self, unit: Unit, spans: list[NameSpan], mark: int) -> None:
        """What a sentence of the lead says of the page's subject."""
        text, span = unit.content.text, spans[mark]
        masked = with_marks(text, spans).replace(f"{OPEN}{mark}{CLOSE}", SUBJECT, 1)
        plain = f"{text[: span.start]}{SUBJECT}{text[span.end :]}"
        main, *more = clauses(masked)
        plain = plain if main == masked else main
        self._said_in_lead(leads.lead_facts(main, plain, self._subjects.opens(unit)), unit, spans, span)
        for clause in more:
            self._said_in_lead(leads.lead_facts(clause, clause, False), unit, spans, span)

    def _parts_of_work(self, unit: Unit, spans: list[NameSpan]) -> None:
        """Who made the music or the script of the work that a page is about, who leads the body, the capital."""
        subject = "Person" if self._subject is None else self._types.best(self._subject)
        if self._subject is not None and subject != "Person":
            found = lead_parts.facts_of_parts(with_marks(unit.content.text, spans), self._subjects.kind, subject)
            self._said_in_lead(found, unit, spans, NameSpan(0, 0, self._subject))

    def _definition_facts(self, unit: Unit, spans: list[NameSpan]) -> None:
        """What a definition says that opens the page and has no verb: *A tool for lamps, built by Acme*."""
        if (subject := self._lexicon.subject) is not None:
            text, masked = unit.content.text, with_marks(unit.content.text, spans)
            masked, plain = (f"{SUBJECT} is {said[0].lower()}{said[1:]}" for said in (masked, text))
            found = leads.lead_facts(masked, plain, True)
            self._said_in_lead(found, unit, spans, NameSpan(0, 0, self._lexicon.resolved(subject)))

    def _said_in_lead(self, found: Iterable[LeadFact], unit: Unit, spans: Sequence[NameSpan], span: NameSpan) -> None:
        """Add what a lead says of the subject, which stands at ``span``."""
        own = self._lexicon.named[span.ref].best
        for one in found:
            if one.rule == "leads.kind":
                self._subjects.kind = _OF_NAME.split(one.text)[0].rpartition(" ")[2].lower()
            if not leads.is_of(one, own[0] if own else ""):
                continue
            if one.rule == "leads.reign":
                self._date_office(span.ref, one)
                continue
            if noun_type(self._subjects.kind) == "Person" and (
                one.type == "LOCATED_IN" or (one.type == "IS_A" and own is not None and own[0] == "Event")
            ):
                continue  # "is a teacher in Oslo"; "Ann Lee was a singer", on the page "Death of Ann Lee"
            candidate = candidate_of(unit, one.type, one.confidence)
            if one.rule == "leads.work_by" and one.type == "DIRECTED" and one.mark is not None:
                maker = self._lexicon.named[spans[one.mark].ref].best
                if maker is not None and maker[0] == "Organization":
                    candidate.type = "PRODUCED"  # "a film by Acme Pictures"
            candidate.date, candidate.valid_from, candidate.valid_to = one.date, one.valid_from, one.valid_to
            candidate.role = one.role or None
            if one.rule.endswith("_bracket_in"):
                place = self._place_of_life(one.place) if one.place else spans[one.mark or 0].ref
                if place is not None and self._types.can_join(one.type, span.ref, place, span.ref):
                    self._facts.append(LexiconFact(one.rule, candidate, span.ref, place, unit))
                elif one.date and own is not None and own[0] == "Person":
                    candidate.type = one.type.removesuffix("_IN")
                    candidate.object_text = one.text or one.date
                    self._facts.append(LexiconFact(one.rule, candidate, span.ref, None, unit))
                continue
            if one.mark is None:
                candidate.object_text = one.text
                self._facts.append(LexiconFact(one.rule, candidate, span.ref, None, unit))
                continue
            other = spans[one.mark]
            if one.rule in _OF_MAKERS:
                self._types.show_maker(one.type, other.ref)
            if one.type == "LIES_ON" and _LAND.search(self._types.name(other.ref)) is not None:
                one.type = candidate.type = "LOCATED_IN"
            if one.rule == "leads.located" and _shows_place(own[0] if own else "", unit.content.text, other):
                self._types.show_likely("Location", other.ref)
            if one.type == "ALIAS_OF" and " alias " in unit.content.text:
                self._types.as_software(other.ref)  # no command is short for a firm
            if one.rule == "leads.home" and one.turned and self._subjects.kind not in _GROUNDS:
                if own is None or own[0] != "Location":
                    continue  # "a base that was home to the 509th Bomb Wing"
                one.type = candidate.type = "LOCATED_IN"  # "The town is home to Orm College"
            if one.rule == "leads.owned" and self._types.best(other.ref) != "Organization":
                continue  # "a project of love", "a product of Ohio"
            if one.rule in _OF_STAFF:
                if own is None or own[0] != "Person" or self._types.best(other.ref) == "Location":
                    continue
                if unit.content.text.startswith(" at ", other.end):
                    continue  # "the Director of Racing at Orm"
                if any({fact.subject, fact.object} == {span.ref, other.ref} for fact in self._of(unit)):
                    continue
            if one.type == "SUBSIDIARY_OF" or one.rule in _OF_STAFF:
                self._types.show_likely("Organization", other.ref)
            if one.rule == "leads.succeeded" and own is not None and own[0] == "Person":
                self._types.show_person(other.ref)
            if one.rule in _OF_ONE_TYPE and not self._types.best(other.ref) and own is not None:
                self._lexicon.named[other.ref].vote(own[0], 0.7)
            if one.rule == "leads.followed":
                self._as_order(one, candidate, span.ref, other.ref)
            if one.past and one.date is None:
                candidate.date = day_beside(unit.content.text, other.end, other.end)
                candidate.date_role = "happened" if candidate.date else None
            pair = (other.ref, span.ref) if one.turned else (span.ref, other.ref)
            if other.ref != span.ref and self._types.can_join(one.type, *pair, span.ref):
                places = (other, span) if one.turned else (span, other)
                # What was said already the lead says with its date; who leads a body works for it.
                less = ("WORKS_FOR", *pair) if candidate.type == "LEADS" else None
                self._facts[self._begun :] = [
                    fact
                    for fact in self._facts[self._begun :]
                    if fact.statement != less
                    and (fact.statement != (candidate.type, *pair) or not fact.rule.startswith(_WITHOUT_DATES))
                ]
                if any(
                    fact.statement == (candidate.type, *pair) and fact.candidate.date == candidate.date
                    for fact in self._of(unit)
                ):
                    continue
                self._facts.append(LexiconFact(one.rule, candidate, *pair, unit, places))

    def _date_office(self, ref: int, reign: LeadFact) -> None:
        """Date the only office of somebody by the years in which he or she reigned, which a later sentence says."""
        offices = [fact for fact in self._facts if fact.subject == ref and fact.candidate.type == "OFFICIAL_OF"]
        if len({fact.object for fact in offices}) == 1:
            for fact in offices:
                if fact.candidate.valid_from is None:
                    fact.candidate.valid_from, fact.candidate.valid_to = reign.valid_from, reign.valid_to

    def _as_order(self, one: LeadFact, candidate: FactCandidate, own: int, other: int) -> None:
        """Let what follows be of the type of what the page is about; persons and bodies succeed each other."""
        kind = self._types.best(own)
        if not self._types.best(other):
            self._lexicon.named[other].vote(kind, 0.7)
        if kind == self._types.best(other) and kind in ("Person", "Organization"):
            candidate.type = "SUCCEEDED" if kind == "Person" else "REPLACES"
            if kind == "Person":
                self._types.show_person(other)
            one.type, one.turned = candidate.type, not one.turned

    def _place_of_life(self, name: str) -> int | None:
        """The entry of a place behind the day of a birth or a death; ``None`` where it is known as something else."""
        ref = self._lexicon.resolved(self._lexicon.get(name))
        if self._types.best(ref) not in _PLACES_OF_LIFE:
            if self._types.is_given(ref) or self._types.best(ref) == "Organization":
                return None
            self._types.show_place(ref)  # the tagger takes "Ribe" for somebody
        return ref if self._types.best(ref) in _PLACES_OF_LIFE else None

    def _of(self, unit: Unit) -> list[LexiconFact]:
        """The facts of a sentence that is being read: all facts of a long document are many."""
        return [fact for fact in self._facts[self._begun :] if fact.unit is unit]

    def _open(self, unit: Unit, spans: list[NameSpan]) -> None:
        """The clauses that join two entities, whatever their verb, where nothing else was read of the two."""
        doc = self._parsed.get(id(unit))
        spans = self._page.with_links(unit, spans, page=True)
        spans = [
            span
            for span in without_classes(unit.content.text, spans)
            if not (is_cut(unit, span) or is_another(unit, span, self._types.end_type(span)))
        ]
        masked = with_marks(unit.content.text, spans)
        if doc is None or doc.text != unit.content.text or relations.is_unreal(masked):
            return
        if (entry := _ENTRY.match(doc.text)) is not None:
            # "FAS - The Federal Acquisition Service is a GSA office": the clause begins behind the label
            begin = entry.end()
            spans = [span for span in spans if span.start >= begin]
            if len(spans) < 2:
                return
            (doc,) = tagging.parse_sentences([doc.text[begin:]])
        else:
            begin = 0
        told = {frozenset((one.subject, one.object)) for one in self._of(unit) if one.rule != "families.own"}
        text = unit.content.text
        ends_ = [
            (span.start - begin, span.end - begin, self._types.end_type(span))
            for span in spans
            if span.end <= len(text)
        ]
        for one in open_relations(doc, ends_):
            subject, target = spans[one.subject], spans[one.object]
            if subject.ref == target.ref or frozenset((subject.ref, target.ref)) in told:
                continue
            start, end = one.start + begin, one.end + begin
            if stands_in_quotes(text, start, end) or is_past_post(text, one.type, start, end):
                continue
            if one.type in KIN_TYPES and _AND_HIS.search(text, start, target.start) is not None:
                continue  # "the brother of Orm Lee and his wife Ann"
            if self._types.is_class_of(subject.ref, target.ref) or is_label(text, subject.end):
                continue
            if one.type.endswith("_TO") and is_infinitive(text, target.start):
                continue
            candidate = candidate_of(unit, one.type, one.confidence)
            if one.happened:
                candidate.date = day_of_sentence(text, start, end, unit.headings)
                candidate.date_role = "happened" if candidate.date else None
            given = any(self._types.is_given(ref) for ref in (subject.ref, target.ref)) or all(
                self._types.is_sure(ref) for ref in (subject.ref, target.ref)
            )
            self._facts.append(
                LexiconFact(
                    one.rule, candidate, subject.ref, target.ref, unit, (subject, target), shows_ends=given
                )
            )  # fmt: skip

    def _belonging(self, unit: Unit, spans: list[NameSpan]) -> None:
        """What the sentence shows to belong to an organization, where nothing else was read of the two."""
        letters, sure, name = self._types.letters(spans)
        marked = with_marks(unit.content.text, spans, letters)
        told = {frozenset((fact.subject, fact.object)) for fact in self._of(unit)}
        for one in belonging.belongings(marked, name):
            refs = (spans[one.subject].ref, spans[one.object].ref)
            types = (self._types.given_type(refs[0]), self._types.given_type(refs[1]))
            pair = frozenset(refs)
            if len(pair) == 1 or pair in told or pair in self._belong or not may_join(one.type, *types):
                continue
            if all(self._types.is_given(ref) or sure[mark] >= SURE for ref, mark in zip(refs, one[2:4], strict=True)):
                candidate = candidate_of(unit, one.type, one.confidence)
                places = (spans[one.subject], spans[one.object])
                self._facts.append(LexiconFact(one.rule, candidate, *refs, unit, places, shows_ends=False))
                told.add(pair)
                self._belong.add(pair)

    def _own_parts(self, unit: Unit, spans: Sequence[NameSpan]) -> None:
        """The organizations whose part something is by its name, where they are entities for certain."""
        for span in spans:
            said = unit.content.text[span.start : span.end]
            called = map(str.casefold, self._types.names(span.ref))
            if self._types.best(span.ref) != "Organization" or said.casefold() not in called:
                continue
            for name in belonging.owner_of_part(said):
                known = self._lexicon.known_entry(name)
                known = self._lexicon.find_entry(name) if known is None else known
                if known is None or (owner := self._lexicon.resolved(known)) == span.ref:
                    continue
                if self._types.best(owner) != "Organization":
                    continue
                pair = frozenset((span.ref, owner))
                if pair not in self._belong:
                    self._belong.add(pair)
                    candidate = candidate_of(unit, "PART_OF", 0.7)
                    self._facts.append(LexiconFact("names.part", candidate, span.ref, owner, unit, shows_ends=False))
                break

    def _has_two_ends(self, unit: Unit, spans: Sequence[NameSpan]) -> bool:
        """Whether two entities stand in a sentence, so that its clauses are worth to be parsed."""
        found = {self._lexicon.resolved(span.ref) for span in spans if self._types.end_type(span)}
        page = self._lexicon.page if self._page.begins_with_page(unit) else None
        more = self._subjects.may_refer(unit) and len(found) > 0
        return more or len(found | {self._subjects.implied(unit), page} - {None}) > 1

    def _nationalities(self, unit: Unit, spans: list[NameSpan], pronoun: bool) -> None:
        """The countries that adjectives give to names."""
        letters, sure, _ = self._types.letters(spans)
        for found in find_nationalities(unit.content.text, [(span.start, span.end) for span in spans], letters):
            span = spans[found.mark]
            if sure[found.mark] < SURE or (pronoun and found.mark == 0 and found.type != "CITIZEN_OF"):
                continue
            if letters[found.mark] == "P" and not ends.may_be_person(self._lexicon.named[span.ref].name):
                continue
            candidate = candidate_of(unit, found.type, found.confidence * (0.8 if pronoun and not found.mark else 1.0))
            place = self._lexicon.place(found.country)
            if place != span.ref:
                self._facts.append(
                    LexiconFact(
                        found.rule, candidate, span.ref, place, unit, (span, NameSpan(found.start, found.end, place))
                    )
                )


def _shows_place(own: str, text: str, other: NameSpan) -> bool:
    """Whether a lead says of a place, or of a body by one bare name, where it lies: *a mill town in Tarn*."""
    before, name = text[: other.start], text[other.start : other.end]
    if name in words.DEMONYMS or text.startswith(("-", "–"), other.end):
        return False  # "on the Norwegian–Swedish border"
    if own in ("Location", "Facility"):
        return before.endswith((" in ", " in the ", " on ", " on the ", " at "))
    return own == "Organization" and before.endswith(" in ") and name.isalpha() and name.istitle()
