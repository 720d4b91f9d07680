"""The offline extractor: entities, mentions, facts, topics and links of one document.

Used by the worker; no network. Patterns find precise things; where spaCy is installed its tagger adds names and types,
and its syntax adds facts. It prefers to miss a fact over stating a wrong one: a fact has a sentence that says it, and
names that only stand together are no fact.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from kgfs.ingest.extraction import districts, frontmatter, proximity, relations, reports, syntax, tables, tagging
from kgfs.ingest.extraction.descriptions import cut, define, describe
from kgfs.ingest.extraction.figures import figures
from kgfs.ingest.extraction.gazetteer import Gazetteer, declarations
from kgfs.ingest.extraction.lexicon import Lexicon, Named, Span
from kgfs.ingest.extraction.links import links
from kgfs.ingest.extraction.mentions import mentions
from kgfs.ingest.extraction.places import is_administrative
from kgfs.ingest.extraction.prose import is_prose
from kgfs.ingest.extraction.topics import topics
from kgfs.ingest.extraction.units import Unit, units
from kgfs.ingest.markup import Plain
from kgfs.model import Chunk, EntityCandidate, Extraction, FactCandidate, ParsedDocument

if TYPE_CHECKING:
    from spacy.tokens import Doc

PATTERNS = "patterns"
SPACY = "spacy"
_PRONOUN = re.compile(
    r"^(?:(?:In|On|By|Since) (?:[A-Z][a-z]+ )?(?:\d{1,2} )?(?:[A-Z][a-z]+ )?\d{4},? |(?:Later|Then|Today|Soon),? )?"
    r"(?P<word>It|it|He|he|She|she|The (?:company|firm|bank|group|business|start-?up|laboratory|organi[sz]ation)"
    r"|the (?:company|firm|bank|group|business|start-?up|laboratory|organi[sz]ation))(?=[ ,'’])"
)
_RECURS = 3
_BY_TYPE = proximity.TYPES | syntax.TYPES
"""What phrases and clauses state; with no roles of its own a statement was found between names of fitting types."""
_SURE = 0.55
"""A type that more than one sentence shows."""
_NO_ENTITY = frozenset({"Group", "Language"})
"""What the tagger finds that is no thing of its own: ``American``, ``English``."""
_PLAIN_TYPES = frozenset({"Organization", "Person", "Location", "Law", "Concept"})
"""What the tagger is often right about; of the others it must be sure."""


class Name(NamedTuple):
    """A name in a sentence, with the type that the whole document shows; ``""`` where nothing shows one."""

    start: int
    end: int
    type: str


class Stated(NamedTuple):
    """A fact in a sentence: its type, and where its subject and object stand."""

    type: str
    subject: tuple[int, int]
    object: tuple[int, int]


class Reading(NamedTuple):
    """What was found in one sentence."""

    names: list[Name]
    facts: list[Stated]


def extractor_name(wanted: str = "auto") -> str:
    """The extractor that is used for ``auto``, ``offline`` or ``patterns``: ``spacy`` where it is installed."""
    return SPACY if wanted != PATTERNS and tagging.available() else PATTERNS


def quality(extractor: str) -> str:
    """What a user should know of an extractor that did the work; empty where there is nothing to mend."""
    if extractor == PATTERNS:
        return (
            "extraction patterns: low quality; install the offline extra (scripts/setup, or pip install kgfs[offline])"
        )
    return ""


def extract(document: ParsedDocument, gazetteer: Gazetteer | None = None, extractor: str = "auto") -> Extraction:
    """What ``document`` says, given the names that all documents declare.

    A document without chunks (binary, too large, empty) has no facts; its links, tags and declared entity are kept.
    ``extractor`` is ``auto`` or ``offline`` (spaCy and patterns, where spaCy is installed) or ``patterns``.
    """
    name = extractor_name(extractor)
    with tagging.zone() if name == SPACY else contextlib.nullcontext():
        found = units(document)
        if name == SPACY:
            for unit in found:
                if unit.kind == "sentence" and not is_prose(unit):
                    unit.kind = "row"
        return _Extractor(document, gazetteer or Gazetteer(), found, name).run()


def read_sentences(
    sentences: Sequence[str], gazetteer: Gazetteer | None = None, extractor: str = "auto"
) -> list[Reading]:
    """The names and facts of sentences of one document, with their places; used to measure."""
    name = extractor_name(extractor)
    text = "\n\n".join(sentences)
    chunk = Chunk(ordinal=1, text=text, start=0, first_line=1, last_line=1, headings=[], tokens=0)
    document = ParsedDocument(mime_type="text/plain", text=text, chunks=[chunk])
    found: list[Unit] = []
    place = 0
    for number, sentence in enumerate(sentences):
        found.append(Unit("sentence", chunk, place, place + len(sentence), Plain(sentence), (), number))
        place += len(sentence) + 2
    with tagging.zone() if name == SPACY else contextlib.nullcontext():
        return _Extractor(document, gazetteer or Gazetteer(), found, name).read()


class _Fact:
    """A fact whose subject and object are entries of the lexicon still."""

    __slots__ = ("candidate", "object", "places", "subject", "unit")

    def __init__(
        self,
        candidate: FactCandidate,
        subject: int,
        object_: int | None,
        unit: Unit | None = None,
        places: tuple[Span, Span] | None = None,
    ) -> None:
        self.candidate = candidate
        self.subject = subject
        self.object = object_
        self.unit = unit
        self.places = places
        """Where subject and object stand in the sentence."""


class _Extractor:
    def __init__(self, document: ParsedDocument, gazetteer: Gazetteer, found: list[Unit], name: str) -> None:
        self._document = document
        self._lexicon = Lexicon(document, gazetteer)
        self._units = found
        self._name = name
        self._spans: list[list[Span]] = []
        self._facts: list[_Fact] = []
        self._parsed: dict[int, Doc] = {}
        """The syntax of the sentences that may state a fact, by the unit's identity."""

    def run(self) -> Extraction:
        self._read_names()
        self._read_facts()
        kept = self._accepted()
        entities, index = self._entities(kept)
        facts = self._final_facts(index)
        known = {name.casefold() for entity in entities for name in (entity.name, *entity.aliases)}
        concepts = {entity.name.casefold() for entity in entities if entity.type == "Concept"}
        found = topics(self._document, self._units, known - concepts)
        define(found, self._units)
        return Extraction(
            extractor=self._name,
            entities=entities,
            mentions=mentions(self._document, self._units, self._spans, self._lexicon, entities, facts),
            facts=facts,
            topics=found,
            links=links(self._document),
        )

    def read(self) -> list[Reading]:
        """The names and facts of each unit."""
        self._read_names()
        self._read_facts()
        readings = []
        for unit, spans in zip(self._units, self._spans, strict=True):
            found = []
            for span in spans:
                named = self._lexicon.named[self._lexicon.resolved(span.ref)]
                if named.best is not None or named.mid:
                    found.append(Name(span.start, span.end, named.best[0] if named.best else ""))
            stated = [
                Stated(fact.candidate.type, (a.start, a.end), (b.start, b.end))
                for fact in self._facts
                if fact.unit is unit and fact.places is not None
                for a, b in (fact.places,)
            ]
            readings.append(Reading(found, stated))
        return readings

    def _read_names(self) -> None:
        lexicon = self._lexicon
        if self._name == SPACY:
            lexicon.read_words(self._units)
        sentences = [unit for unit in self._units if unit.kind == "sentence"]
        tagged = iter(tagging.tag([unit.content.text for unit in sentences]) if self._name == SPACY else ())
        self._spans = [
            lexicon.spans(unit, next(tagged, None) if unit.kind == "sentence" else None) for unit in self._units
        ]
        for unit, spans in zip(self._units, self._spans, strict=True):
            if unit.kind == "sentence":
                lexicon.in_state(unit.content.text, spans)
        lexicon.settle_types()
        lexicon.join_short_names()

    # --- facts -------------------------------------------------------------------------------------------------

    def _parse(self) -> None:
        """Find the syntax of the sentences with two names or more and a verb that states a fact."""
        wanted = [
            unit
            for unit, spans in zip(self._units, self._spans, strict=True)
            if unit.kind == "sentence" and len(spans) > 1 and syntax.TRIGGER.search(unit.content.text)
        ]
        docs = tagging.parse([unit.content.text for unit in wanted])
        self._parsed = {id(unit): doc for unit, doc in zip(wanted, docs, strict=True)}

    def _read_facts(self) -> None:
        if self._name == SPACY:
            self._parse()
        previous: tuple[Unit, list[Span]] | None = None
        for unit, spans in zip(self._units, self._spans, strict=True):
            if unit.kind != "sentence":
                continue
            spans = [Span(span.start, span.end, self._lexicon.resolved(span.ref)) for span in spans]
            text, spans, pronoun = self._with_pronoun(unit, spans, previous)
            if spans:
                masked = _masked(text, spans)
                self._statements(unit, spans, masked, pronoun)
                self._figures(unit, spans, masked, pronoun)
                if self._name == SPACY:
                    self._reports(unit, spans)
                previous = (unit, spans)
            else:
                previous = (unit, previous[1] if previous and previous[0].paragraph == unit.paragraph else [])
        self._facts += [
            _Fact(candidate, subject, object_)
            for candidate, subject, object_ in frontmatter.facts(self._document, self._lexicon)
        ]
        self._facts += [
            _Fact(candidate, subject, None)
            for candidate, subject in (
                *districts.facts(self._document, self._units, self._lexicon),
                *tables.facts(self._document, self._units, self._lexicon),
            )
        ]

    def _with_pronoun(
        self, unit: Unit, spans: list[Span], previous: tuple[Unit, list[Span]] | None
    ) -> tuple[str, list[Span], bool]:
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
        merged = sorted([*spans, Span(start, end, antecedent)], key=lambda span: span.start)
        return text, merged, True

    def _antecedent(self, word: str, before: list[Span]) -> int | None:
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

    def _statements(self, unit: Unit, spans: list[Span], masked: str, pronoun: bool) -> None:
        found = relations.statements(masked)
        if self._name == SPACY:
            found += self._joined(unit, spans, found)
        for statement in found:
            refs = {mark: spans[mark].ref for mark in (*statement.subjects, *statement.objects)}
            sure = statement.type in _BY_TYPE and not any(statement.roles.values())
            if not sure and not all(
                self._fits(refs[mark], statement.roles.get(mark, ""), statement.type) for mark in refs
            ):
                continue
            confidence = statement.confidence * (0.8 if pronoun and 0 in statement.subjects else 1.0)
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
                    self._facts.append(_Fact(candidate, refs[subject], refs[object_], unit, places))

    def _joined(self, unit: Unit, spans: list[Span], found: list[relations.Statement]) -> list[relations.Statement]:
        """The facts in phrases and clauses that join names of known types, without those that are there already."""
        letters, sure, name = self._letters(spans)
        marked = _masked(unit.content.text, spans, letters)
        known = {(s, o) for one in found for s in one.subjects for o in one.objects}
        near = proximity.statements(marked, letters, name, is_administrative)
        doc = self._parsed.get(id(unit))
        if doc is not None and unit.content.text == doc.text and not relations.unreal(marked):
            places = [(span.start, span.end, letters[i], name[i]) for i, span in enumerate(spans)]
            far = syntax.statements(doc, places)
            told = {(one.subjects[0], one.objects[0]) for one in far}
            near = [one for one in near if one.type == "KILLED" or (one.subjects[0], one.objects[0]) not in told]
            had = {(one.type, one.subjects[0], one.objects[0]) for one in near}
            near += [one for one in far if (one.type, one.subjects[0], one.objects[0]) not in had]
        more = [
            one
            for one in near
            if (one.subjects[0], one.objects[0]) not in known
            and one.confidence - sum(0.1 for mark in (one.subjects[0], one.objects[0]) if sure[mark] < _SURE) >= 0.5
        ]
        relations.attach([one for one in more if one.dated], marked)
        return more

    def _role(self, statement: relations.Statement, mark: int, spans: list[Span], text: str) -> str:
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

    def _figures(self, unit: Unit, spans: list[Span], masked: str, pronoun: bool) -> None:
        for figure in figures(masked):
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
            self._facts.append(_Fact(candidate, ref, None))

    def _reports(self, unit: Unit, spans: list[Span]) -> None:
        """What a sentence reports of its places, organizations and persons, where no figure says it already."""
        letters, _, name = self._letters(spans)
        text = unit.content.text
        own = districts.district(unit.headings)
        told = {fact.subject for fact in self._facts if fact.unit is unit}
        for mark, confidence in reports.subjects(text, _masked(text, spans, letters), name):
            ref = spans[mark].ref
            if ref in told or name[mark] == own:
                continue
            candidate = self._candidate(unit, "REPORTED", confidence)
            candidate.object_text = districts.gist(text)
            candidate.date = self._document.date
            self._facts.append(_Fact(candidate, ref, None, unit))

    def _letters(self, spans: Sequence[Span]) -> tuple[list[str], list[float], list[str]]:
        """Of each span the letter of its type, how sure it is, and its name."""
        best = [self._lexicon.named[span.ref].best for span in spans]
        letters = [proximity.LETTERS.get(one[0], "X") if one else "X" for one in best]
        return letters, [one[1] if one else 0.0 for one in best], [self._lexicon.named[span.ref].name for span in spans]

    def _candidate(self, unit: Unit, type_: str, confidence: float) -> FactCandidate:
        start, end = unit.span()
        return FactCandidate(
            type=type_,
            subject=0,
            description=cut(unit.content.text),
            confidence=round(confidence, 2),
            chunk=unit.chunk.ordinal,
            quote=unit.quote,
            start=start,
            end=end,
        )

    # --- what stays --------------------------------------------------------------------------------------------

    def _accepted(self) -> dict[int, tuple[str, float]]:
        """The entries that become entities, with type and confidence."""
        lexicon = self._lexicon
        in_facts = {fact.subject for fact in self._facts} | {
            fact.object for fact in self._facts if fact.object is not None
        }
        kept: dict[int, tuple[str, float]] = {}
        for ref, named in enumerate(lexicon.named):
            if not named.name or lexicon.resolved(ref) != ref:
                continue
            best = named.best
            used = named.count > 0 or ref in in_facts or named.declared
            if not used:
                continue
            if named.known or named.declared or named.defined:
                kept[ref] = best or ("Concept", 0.5)
            elif named.linked:
                kept[ref] = best or ("Concept", 0.4)
            elif best is not None and self._enough(named, best, ref in in_facts):
                kept[ref] = best
        return kept

    def _enough(self, named: Named, best: tuple[str, float], in_facts: bool) -> bool:
        if named.tags:
            if best[0] in _NO_ENTITY or named.name in self._lexicon.code or self._lexicon.common(named.name):
                return False
            if self._lexicon.is_label(named):
                return False
            if " " in named.name and named.name.isupper() and all(map(tagging.is_word, named.name.lower().split())):
                return False
            if best[0] not in _PLAIN_TYPES and named.count < _RECURS:
                return False
        if in_facts:
            return best[1] >= 0.4
        if best[0] == "Person" and " " not in named.name:
            return False
        return best[1] >= 0.7 or (best[1] >= 0.5 and named.count >= _RECURS)

    def _entities(self, kept: dict[int, tuple[str, float]]) -> tuple[list[EntityCandidate], dict[int, int]]:
        lexicon = self._lexicon
        declared = {candidate.name.casefold(): candidate for candidate in declarations(self._document)}
        entities: list[EntityCandidate] = []
        index: dict[int, int] = {}
        for ref, (type_, confidence) in kept.items():
            named = lexicon.named[ref]
            own = declared.get(named.name.casefold()) if named.declared else None
            index[ref] = len(entities)
            entities.append(
                EntityCandidate(
                    name=named.name,
                    type=own.type if own else type_,
                    aliases=list(dict.fromkeys([*(own.aliases if own else []), *named.aliases])),
                    description=own.description if own else "",
                    attributes=own.attributes if own else {},
                    confidence=1.0 if own else round(min(confidence, 0.95), 2),
                    declared=own is not None,
                )
            )
        describe(entities, self._units)
        return entities, index

    def _final_facts(self, index: dict[int, int]) -> list[FactCandidate]:
        final: list[FactCandidate] = []
        seen: set[tuple[object, ...]] = set()
        for fact in self._facts:
            subject = index.get(self._lexicon.resolved(fact.subject))
            object_ = None if fact.object is None else index.get(self._lexicon.resolved(fact.object))
            if subject is None or (fact.object is not None and (object_ is None or object_ == subject)):
                continue
            candidate = fact.candidate
            candidate.subject, candidate.object = subject, object_
            key = (
                candidate.type, subject, object_, candidate.value, candidate.indicator, candidate.date,
                candidate.chunk, candidate.start,
            )  # fmt: skip
            if key not in seen:
                seen.add(key)
                final.append(candidate)
        final.sort(key=lambda fact: (fact.chunk, fact.start))
        return final


def _masked(text: str, spans: Sequence[Span], letters: Sequence[str] = ()) -> str:
    """``text`` with a mark in the place of each name, with the letter of its type if there are any."""
    if relations.OPEN in text or relations.CLOSE in text:
        text = text.replace(relations.OPEN, " ").replace(relations.CLOSE, " ")
    pieces: list[str] = []
    position = 0
    for number, span in enumerate(spans):
        letter = letters[number] if letters else ""
        pieces += [text[position : span.start], f"{relations.OPEN}{letter}{number}{relations.CLOSE}"]
        position = span.end
    pieces.append(text[position:])
    return "".join(pieces)
