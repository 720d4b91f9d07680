"""What the passages of one document say, together: an ``Extraction`` as the offline extractor gives one.

Used by the extractor dialogue; pure. Entities of one name are one; mentions are counted by finding the names in the
text, by the same code as offline; links, tags and headings are read as offline, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kgfs.documents.markup import plain_sentence
from kgfs.extraction.descriptions import cut_text, define_topics
from kgfs.extraction.links import document_links
from kgfs.extraction.mentions import Link, count_mentions, entity_matchers
from kgfs.extraction.names.declared.gazetteer import declared_entities
from kgfs.extraction.names.declared.known_names import compile_gazetteer
from kgfs.extraction.names.matching import Tokens
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.passages import choose_passages
from kgfs.extraction.topics import claimed_topics
from kgfs.extraction.units import Unit, document_units
from kgfs.graph.name_keys import name_key
from kgfs.llm.cards import CardName, DocumentCard
from kgfs.llm.evidence import QuoteSpan, byte_span
from kgfs.llm.grounding import SAME_END, TWICE, GroundedFact, PassageFindings
from kgfs.model import (
    Chunk,
    EntityCandidate,
    Extraction,
    FactCandidate,
    Gazetteer,
    Mention,
    ParsedDocument,
    TopicCandidate,
)

SUMMARY_CHARACTERS = 1000
_CONFIDENCE = 0.8
"""Confidence of an entity that a model names and the text has."""
NAME = "topic that is the name of an entity"
_AGAIN = 0.05
"""Added confidence per further passage, up to 0.95."""


class ReadPiece(NamedTuple):
    """A stretch of a chunk with what was found in it."""

    chunk: Chunk
    start: int
    """Characters from the start of the chunk's text."""
    found: PassageFindings


def assemble(
    document: ParsedDocument, pieces: Sequence[ReadPiece], card: DocumentCard, known: Gazetteer, extractor: str
) -> tuple[Extraction, str, Counter[str]]:
    """The extraction of a document, a summary of it from those of its passages, and what fell away between them."""
    read = document_units(document)
    names = _Entities(document, known, read, _surnames(pieces), _of_card(card))
    facts: list[FactCandidate] = []
    where: set[tuple[int, int]] = set()
    """Entity and chunk: where a model found it, whatever it is called there."""
    for piece in pieces:
        index = [names.note(one.name, one.type, one.aliases, one.description) for one in piece.found.entities]
        where.update((number, piece.chunk.ordinal) for number in index)
        facts += [_fact(fact, index, piece) for fact in piece.found.facts]
    entities = names.finished()
    dropped: Counter[str] = Counter()
    two = [fact for fact in facts if fact.subject != fact.object]
    dropped[f"fact: {SAME_END}"] = len(facts) - len(two)
    facts = _once(two)
    dropped[f"fact: {TWICE}"] = len(two) - len(facts)
    wiki = [names.wikilinks(unit) for unit in read]
    exact, folded = entity_matchers(entities)
    spans = []
    for unit in read:
        tokens = Tokens(unit.content.text)
        hits = [
            NameSpan(hit.start, hit.end, hit.key) for hit in (*exact.find_names(tokens), *folded.find_names(tokens))
        ]
        spans.append(sorted(hits, key=lambda span: (span.start, span.end)))
    choose_passages(entities, lambda ref: ref, read, spans)
    counted = {
        (one.entity, one.chunk): one.count for one in count_mentions(document, read, wiki, entities, facts, spans)
    }
    for place in where:
        counted.setdefault(place, 1)
    extraction = Extraction(
        extractor=extractor,
        entities=entities,
        mentions=[Mention(entity=e, chunk=c, count=n) for (e, c), n in sorted(counted.items())],
        facts=facts,
        topics=_topics(document, read, pieces, entities, dropped),
        links=document_links(document),
    )
    return extraction, _summary(pieces), +dropped


class _Entities:
    """The entities of a document, one for each normalised name."""

    def __init__(
        self,
        document: ParsedDocument,
        known: Gazetteer,
        read: Sequence[Unit],
        surnames: Mapping[str, str],
        card: Mapping[str, CardName],
    ) -> None:
        self._surnames = surnames
        self._card = card
        self._candidates: list[EntityCandidate] = []
        self._by_key: dict[str, int] = {}
        self._types: list[Counter[str]] = []
        self._times: list[int] = []
        for candidate in declared_entities(document):
            self._add(candidate)
        self._gazetteer(known, read)
        for unit in read:
            for link in unit.content.links:
                number = self._by_key.get(name_key(link.target.partition("#")[0])) if link.wiki else None
                if number is not None:
                    self._candidates[number].linked = True
        self._links = {
            name_key(link.target.partition("#")[0].rsplit("/", 1)[-1])
            for unit in read
            for link in unit.content.links
            if link.wiki
        }

    def _add(self, candidate: EntityCandidate) -> int:
        number = len(self._candidates)
        self._candidates.append(candidate)
        self._types.append(Counter())
        self._times.append(0)
        for name in (candidate.name, *candidate.aliases):
            self._by_key.setdefault(name_key(name), number)
        return number

    def _gazetteer(self, known: Gazetteer, read: Sequence[Unit]) -> None:
        """The names that other documents declare, where this one has them."""
        matching = compile_gazetteer(known, tagged=False)
        for unit in read if known.entries else ():
            tokens = Tokens(unit.content.text)
            for hit in (*matching.exact.find_names(tokens), *matching.folded.find_names(tokens)):
                entry = known.entries[hit.key]
                if name_key(entry.name) not in self._by_key:
                    self._add(
                        EntityCandidate(
                            name=entry.name,
                            type=entry.type,
                            aliases=list(entry.aliases),
                            confidence=0.95 if entry.declared else 0.8,
                            linked=True,
                        )
                    )

    def note(self, name: str, kind: str, aliases: Sequence[str], description: str) -> int:
        """An entity as a passage has it: the one of its name, else of one of its aliases if the type is the same."""
        full = self._surnames.get(name) if kind == "Person" else None
        card = self._card.get(name.casefold())
        if card is not None and card.type == kind:
            full = card.name
            aliases = [*aliases, *card.aliases]
        if full is not None:
            aliases, name = [one for one in (name, *aliases) if one != full], full
        number = self._by_key.get(name_key(name))
        if number is None:
            among = {self._by_key.get(name_key(alias)) for alias in aliases} - {None}
            same = [one for one in among if one is not None and self._kind(one) == kind]
            number = same[0] if len(same) == 1 and len(among) == 1 else None
        if number is None:
            number = self._add(EntityCandidate(name=name, type=kind, linked=name_key(name) in self._links))
        candidate = self._candidates[number]
        self._types[number][kind] += 1
        self._times[number] += 1
        candidate.description = candidate.description or description
        for alias in (name, *aliases):
            own = self._by_key.setdefault(name_key(alias), number) == number
            if own and alias != candidate.name and alias not in candidate.aliases:
                candidate.aliases.append(alias)
                if alias == name.split()[-1]:
                    candidate.rules[alias] = "surname"
        return number

    def _kind(self, number: int) -> str:
        """The type as far as it is known: the declared one, else the one given most often, the first of these."""
        candidate = self._candidates[number]
        types = self._types[number]
        if candidate.declared or not types:
            return candidate.type
        return min(types, key=lambda kind: -types[kind])

    def finished(self) -> list[EntityCandidate]:
        """All of them, in the order in which they were found."""
        for number, candidate in enumerate(self._candidates):
            if not candidate.declared and self._times[number] and not (candidate.linked and candidate.aliases):
                candidate.type = self._kind(number)
                sure = min(0.95, _CONFIDENCE + _AGAIN * (self._times[number] - 1))
                candidate.confidence = round(max(candidate.confidence, sure), 2)
        return self._candidates

    def wikilinks(self, unit: Unit) -> list[Link]:
        """Where a unit links to entities."""
        found = []
        for link in unit.content.links:
            target = link.target.partition("#")[0].rsplit("/", 1)[-1]
            number = self._by_key.get(name_key(target)) if link.wiki and target.strip() else None
            if number is not None:
                found.append((link.start, link.end, number))
        return found


def _surnames(pieces: Sequence[ReadPiece]) -> dict[str, str]:
    """Last name to the one person of the document who has it, by the full name."""
    found: dict[str, set[str]] = {}
    for piece in pieces:
        for one in piece.found.entities:
            if one.type == "Person" and " " in one.name:
                found.setdefault(one.name.split()[-1], set()).add(one.name)
    return {surname: full.pop() for surname, full in found.items() if len(full) == 1}


def _of_card(card: DocumentCard) -> dict[str, CardName]:
    """The names of the card by each of them, folded."""
    return {name.casefold(): one for one in card.names for name in (one.name, *one.aliases)}


def _fact(fact: GroundedFact, index: Sequence[int], piece: ReadPiece) -> FactCandidate:
    place = QuoteSpan(piece.start + fact.place.start, piece.start + fact.place.end)
    quote = piece.chunk.text[place.start : place.end]
    start, end = byte_span(piece.chunk.text, place)
    return FactCandidate(
        type=fact.type,
        subject=index[fact.subject],
        object=None if fact.object is None else index[fact.object],
        object_text=fact.object_text,
        value=fact.value,
        unit=fact.unit,
        indicator=fact.indicator,
        description=cut_text(plain_sentence(quote).text.strip()),
        date=fact.when.date,
        valid_from=fact.when.valid_from,
        valid_to=fact.when.valid_to,
        status=fact.status,
        role=fact.role,
        date_role=fact.date_role,
        confidence=fact.confidence,
        chunk=piece.chunk.ordinal,
        quote=quote,
        start=start,
        end=end,
    )


def _once(facts: Iterable[FactCandidate]) -> list[FactCandidate]:
    """The facts in order of their places, each once."""
    found: dict[tuple[object, ...], FactCandidate] = {}
    for fact in facts:
        key = (fact.type, fact.subject, fact.object, fact.object_text, fact.value, fact.indicator, fact.date,
               fact.valid_from, fact.valid_to, fact.chunk, fact.start, fact.end)  # fmt: skip
        found.setdefault(key, fact)
    return sorted(found.values(), key=lambda fact: (fact.chunk, fact.start, fact.end))


def _topics(
    document: ParsedDocument,
    read: Sequence[Unit],
    pieces: Sequence[ReadPiece],
    entities: Sequence[EntityCandidate],
    dropped: Counter[str],
) -> list[TopicCandidate]:
    """Tags and headings as offline, and what the model says that passages are about."""
    names = {name.casefold() for one in entities if one.type != "Concept" for name in (one.name, *one.aliases)}
    found = claimed_topics(document, read, names)
    by_path: dict[tuple[str, ...], TopicCandidate] = {}
    for piece in pieces:
        for path in piece.found.topics:
            if path[-1] in names:
                dropped[f"topic: {NAME}"] += 1
                continue
            levels = tuple(name for name in path if name not in names)
            candidate = by_path.get(levels)
            if candidate is None:
                candidate = by_path[levels] = TopicCandidate(path=list(levels), chunks=[], source="model")
                found.append(candidate)
            if piece.chunk.ordinal not in candidate.chunks:
                candidate.chunks.append(piece.chunk.ordinal)
                candidate.chunks.sort()
    define_topics(found, read)
    return found


def _summary(pieces: Sequence[ReadPiece]) -> str:
    """The sentences on the passages in order, as many as there is room for: what a text is about it says first."""
    text = ""
    for sentence in dict.fromkeys(piece.found.summary for piece in pieces if piece.found.summary):
        longer = f"{text} {sentence}".strip()
        if len(longer) > SUMMARY_CHARACTERS:
            break
        text = longer
    return text
