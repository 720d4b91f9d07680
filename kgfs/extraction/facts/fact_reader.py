"""The facts of one document: every reader of facts over every sentence, with the names of the lexicon as their ends.

Used by the extractor; pure but for the tagger's syntax. What a fact shows of its ends' types goes back to the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from kgfs.extraction.facts import ends, fallen_facts
from kgfs.extraction.facts.guides import answers, leads, linked_software, named_works, tools_used
from kgfs.extraction.facts.guides.guide_facts import GuideFacts
from kgfs.extraction.facts.guides.option_owners import commands_of
from kgfs.extraction.facts.guides.page_facts import PageFacts
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import CLOSE, OPEN, with_marks
from kgfs.extraction.facts.meeting_notes import meetings
from kgfs.extraction.facts.meeting_notes.meeting_names import day_in
from kgfs.extraction.facts.name_types import SURE, NameTypes
from kgfs.extraction.facts.recurring_names import RecurringNames
from kgfs.extraction.facts.sentences import (
    belonging,
    districts,
    governance,
    proximity,
    relations,
    syntax,
    ties,
)
from kgfs.extraction.facts.sentences.bracket_facts import bracket_facts
from kgfs.extraction.facts.sentences.code_parts import read_code_parts
from kgfs.extraction.facts.sentences.nationality import find_nationalities
from kgfs.extraction.facts.sentences.open_relations import DONE, open_relations
from kgfs.extraction.facts.sentences.plain_clauses import is_cut, read_clauses, read_duties, without_classes
from kgfs.extraction.facts.sentences.reported import ReportReader
from kgfs.extraction.facts.sentences.sentence_subjects import SentenceSubjects
from kgfs.extraction.facts.sentences.statement_checks import (
    can_be,
    is_infinitive,
    is_label,
    is_past_post,
    is_quoted,
    is_within,
    stands_in_quotes,
)
from kgfs.extraction.facts.structured import (
    affiliation_lines,
    language_tables,
    records,
    repository_lists,
    role_tables,
    rosters,
    supporters,
    tables,
)
from kgfs.extraction.faults import Faults
from kgfs.extraction.names import tagging
from kgfs.extraction.names.kinds import noun_type
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.names.wordlists.places import is_administrative
from kgfs.extraction.units import Unit
from kgfs.model import ParsedDocument
from kgfs.relation_types import may_join

if TYPE_CHECKING:
    from spacy.tokens import Doc

_GOES_ON = re.compile(r" (?!(?:In|On|At|Since|From|And|The)\b)[A-Z]")
_BY_TYPE = proximity.TYPES | syntax.TYPES | ties.TYPES
"""What phrases and clauses state; with no roles of its own a statement was found between names of fitting types."""


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
        self._worked_in: set[int] = set()
        """The tools that the document showed once already."""
        self._begun = 0
        """How many facts there were when the sentence began."""
        self._belong: set[frozenset[int]] = set()
        """The pairs of which one was shown to belong to the other."""
        self._parsed: dict[int, Doc] = {}
        """The syntax of the sentences that may state a fact, by the unit's identity."""
        text = document.text or ""
        self._types = NameTypes(lexicon, text)
        self._reported = ReportReader(document.date, lexicon, self._types)
        subject = None if lexicon.subject is None else lexicon.resolved(lexicon.subject)
        self._subject = subject
        lead = leads.lead_units(units) if tagged and subject is not None else []
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
                if unit.kind == "row" and leads.is_for_more(unit.headings):
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
        if self._tagged:
            spans_, about = [self._resolved(found) for found in self._spans], self._page.about
            GuideFacts(
                self._lexicon, self._types, self._units, spans_, self._facts, self._faults, self._document, about
            ).read()
        with self._rule("guide.answer"):
            self._facts += answers.answered(
                self._units, self._lexicon, self._types, self._page.about, tagged=self._tagged
            )
        with self._rule("credits.work"):
            self._facts += named_works.written_works(self._units, self._lexicon, tagged=self._tagged)
        with self._rule("tables.language"):
            self._facts += language_tables.language_facts(self._units, self._lexicon)
        with self._rule("structure.listed"):
            known = {fact.statement for fact in self._facts}
            listed = [
                *repository_lists.repository_facts(self._units, self._lexicon, self._types),
                *affiliation_lines.affiliation_facts(self._units, self._lexicon, self._types),
            ]
            self._facts += [fact for fact in listed if fact.statement not in known]
        with self._rule("linked"):
            told = {fact.statement for fact in self._facts}
            self._facts += [
                fact
                for fact in linked_software.linked_software(self._units, self._lexicon)
                if fact.statement not in told
            ]
        self._facts[:] = fallen_facts.standing(self._facts, self._types, self._document, self._lexicon)
        covered = {(fact.subject, fact.object) for fact in self._facts if fact.candidate.type == "COVERS"}
        return [
            fact
            for fact in self._facts
            if fact.candidate.type != "SEE_ALSO" or (fact.subject, fact.object) not in covered
        ]

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
        text, mark, pronoun = unit.content.text, None, False
        with self._rule("subjects"):
            if self._subjects.in_lead(unit):
                text, spans, mark = self._subjects.with_subject(unit, spans)
                pronoun = mark is not None and not self._subjects.opens(unit)
            if mark is None:
                text, spans, pronoun = self._subjects.with_pronoun(unit, spans, previous)
                spans = self._subjects.with_we(text, self._subjects.with_kind(text, spans))
                spans = self._subjects.with_me(unit, spans)
        if self._tagged and unit.content.code:
            with self._rule("code"):
                self._facts += read_code_parts(unit, self._page.with_links(unit, spans), self._types)
        if not spans:
            if self._tagged:
                with self._rule("open"):
                    self._open(unit, spans)
            return spans
        masked = with_marks(text, spans)
        with self._rule("statements"):
            self._statements(unit, spans, masked, pronoun)
        with self._rule("figures"):
            self._facts += self._reported.figures(unit, spans, masked, pronoun=pronoun)
        if self._tagged:
            if mark is not None:
                with self._rule("leads"):
                    self._lead_facts(unit, spans, mark)
            with self._rule("tools"):
                self._used(unit, spans)
            with self._rule("clauses"):
                told = {frozenset((fact.subject, fact.object)) for fact in self._of(unit) if fact.object is not None}
                if not relations.is_unreal(masked):
                    linked = self._page.with_links(unit, spans, page=True)
                    self._facts += read_clauses(unit, linked, self._types, told)
                    self._facts += read_duties(unit, linked, self._types)
            with self._rule("open"):
                self._open(unit, spans)
            with self._rule("belonging"):
                self._belonging(unit, spans)
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
            with self._rule("supporters"):
                self._of_projects_and_bodies()

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

    def _of_projects_and_bodies(self) -> None:
        """Who uses, funds or sponsors what, and what bodies have to do with each other, unless it was said before."""
        spans = [self._resolved(found) for found in self._spans]
        found = supporters.Supporters(self._lexicon, self._types, self._units, spans, self._page.about).read()
        found += governance.Governance(self._lexicon, self._types, self._page.about).read(self._units, spans)
        told = {fact.statement for fact in self._facts}
        for fact in found:
            said = fact.statement
            if said not in told:
                told.add(said)
                self._facts.append(fact)

    def _resolved(self, spans: Sequence[NameSpan]) -> list[NameSpan]:
        return [NameSpan(span.start, span.end, self._lexicon.resolved(span.ref)) for span in spans]

    def _lead_facts(self, unit: Unit, spans: list[NameSpan], mark: int) -> None:
        """What a sentence of the lead says of the page's subject."""
        text, span = unit.content.text, spans[mark]
        masked = with_marks(text, spans).replace(f"{OPEN}{mark}{CLOSE}", leads.SUBJECT, 1)
        plain = f"{text[: span.start]}{leads.SUBJECT}{text[span.end :]}"
        own = self._lexicon.named[span.ref].best
        for one in leads.lead_facts(masked, plain, self._subjects.opens(unit)):
            if one.rule == "leads.kind":
                self._subjects.kind = one.text.rpartition(" ")[2].lower()
            if not leads.is_of(one, own[0] if own else ""):
                continue
            if one.type == "LOCATED_IN" and noun_type(self._subjects.kind) == "Person":
                continue  # "is a teacher in Oslo"
            candidate = candidate_of(unit, one.type, one.confidence)
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
            if other.ref != span.ref and self._types.can_join(one.type, *pair, span.ref):
                places = (other, span) if one.turned else (span, other)
                # What ties said already the lead says with its date.
                self._facts[self._begun :] = [
                    fact
                    for fact in self._facts[self._begun :]
                    if fact.statement != (candidate.type, *pair) or not fact.rule.startswith("ties.")
                ]
                self._facts.append(LexiconFact(one.rule, candidate, *pair, unit, places))

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
                    candidate = candidate_of(unit, statement.type, confidence)
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
        if best is None or best[0] != "Organization" or not self._types.is_sure(refs[owned]):
            statement.type, statement.subjects, statement.objects = "OWNS", statement.objects, statement.subjects
            owners = dict.fromkeys(statement.subjects, "Organization")
            statement.roles = {**owners, **dict.fromkeys(statement.objects, "")}

    def _joined(
        self, unit: Unit, spans: list[NameSpan], found: list[relations.PatternFact]
    ) -> list[relations.PatternFact]:
        """The facts in phrases and clauses that join names of known types, without those that are there already."""
        letters, sure, name = self._types.letters(spans)
        marked = with_marks(unit.content.text, spans, letters)
        known = {(s, o) for one in found for s in one.subjects for o in one.objects}
        near = proximity.proximity_facts(marked, letters, name, is_administrative)
        shown = ["U" if self._lexicon.named[span.ref].best is None else letters[i] for i, span in enumerate(spans)]
        near += ties.tie_facts(with_marks(unit.content.text, spans, shown), shown, name)
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
            and can_be(one, letters, name)
            and not is_quoted(marked, one)
            and not is_past_post(marked, one.type, one.start, one.end)
            and one.confidence - sum(0.1 for mark in (one.subjects[0], one.objects[0]) if sure[mark] < SURE) >= 0.5
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

    def _of(self, unit: Unit) -> list[LexiconFact]:
        """The facts of a sentence that is being read: all facts of a long document are many."""
        return [fact for fact in self._facts[self._begun :] if fact.unit is unit]

    def _used(self, unit: Unit, spans: list[NameSpan]) -> None:
        """The tools that those who speak use."""
        text = unit.content.text
        speaks = self._lexicon.speaker()
        if speaks is None or relations.is_unreal(masked := with_marks(text, spans)):
            return
        ours = tools_used.tool_of_ours(masked)
        if ours is not None and spans[ours[0]].ref != speaks and (ours[0] == 0 or spans[0].ref == speaks):
            self._use(unit, NameSpan(0, 0, speaks), spans[ours[0]], ours[1])
            return
        speaker = self._subjects.speaks(text, spans)
        mark = None if speaker is None else tools_used.tool_used(text, spans, speaker)
        if speaker is not None and mark is not None:
            self._use(unit, spans[speaker], spans[mark])
            return
        owned = set(tools_used.tools_of_ours(masked, lambda mark: self._lexicon.resolved(spans[mark].ref) == speaks))
        for place, span in enumerate(spans):
            ref = self._lexicon.resolved(span.ref)
            known = self._types.end_type(span) == "Product" and ref != speaks and ref not in self._worked_in
            if known and (
                place in owned or (tools_used.tool_worked_in(text, span) and not self._has_others(spans, span, speaks))
            ):
                self._worked_in.add(ref)
                self._facts.append(LexiconFact("tools.worked_in", candidate_of(unit, "USES", 0.7), speaks, ref, unit))

    def _has_others(self, spans: Sequence[NameSpan], tool: NameSpan, speaks: int) -> bool:
        """Whether a sentence names somebody else than who speaks before a tool, who may be the one who works in it."""
        others = [span for span in spans if span.start < tool.start and self._lexicon.resolved(span.ref) != speaks]
        return any(
            self._types.best(span.ref) in ("Person", "Organization")
            and not tools_used.is_department(self._types.name(span.ref))
            for span in others
        )

    def _use(self, unit: Unit, subject: NameSpan, tool: NameSpan, type_: str = "Product") -> None:
        """What *we use* is a tool, or who makes one, where nothing shows that it is something else."""
        if not self._types.is_given(tool.ref):
            if self._types.best(tool.ref) in ("Person", "Location", "Law", "Event"):
                return
            self._lexicon.named[tool.ref].vote(type_, 0.75)
        candidate = candidate_of(unit, "USES", 0.75)
        self._facts.append(LexiconFact("tools.used", candidate, subject.ref, tool.ref, unit, (subject, tool)))

    def _open(self, unit: Unit, spans: list[NameSpan]) -> None:
        """The clauses that join two entities, whatever their verb, where nothing else was read of the two."""
        doc = self._parsed.get(id(unit))
        spans = self._page.with_links(unit, spans, page=True)
        spans = [span for span in without_classes(unit.content.text, spans) if not is_cut(unit, span)]
        masked = with_marks(unit.content.text, spans)
        if doc is None or doc.text != unit.content.text or relations.is_unreal(masked):
            return
        told = {frozenset((fact.subject, fact.object)) for fact in self._of(unit)}
        ends_ = [(span.start, span.end, self._types.end_type(span)) for span in spans if span.end <= len(doc.text)]
        for one in open_relations(doc, ends_):
            subject, target = spans[one.subject], spans[one.object]
            if subject.ref == target.ref or frozenset((subject.ref, target.ref)) in told:
                continue
            if stands_in_quotes(doc.text, one.start, one.end) or is_past_post(doc.text, one.type, one.start, one.end):
                continue
            if self._types.is_class_of(subject.ref, target.ref) or is_label(doc.text, subject.end):
                continue
            if one.type.endswith("_TO") and is_infinitive(doc.text, target.start):
                continue
            candidate = candidate_of(unit, one.type, one.confidence)
            if one.type in DONE.values():
                candidate.date = next((day for heading in reversed(unit.headings) if (day := day_in(heading))), None)
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
