"""Sentences read by a model, with the places of what it found in each: what the extraction benchmark measures.

Used by ``scripts/bench extraction``; pure. The same dialogue as for documents; several sentences are one passage.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgfs.extraction.extractor import SentenceFact, SentenceName, SentenceReading
from kgfs.extraction.mentions import entity_matchers
from kgfs.extraction.names.matching import Tokens
from kgfs.llm.asking import Dialogue
from kgfs.llm.extraction import read_document
from kgfs.model import Chunk, Extraction, ParsedDocument

_BETWEEN = "\n\n"


def read_sentences(sentences: Sequence[str], model: str, *, glean: bool = True) -> Dialogue[list[SentenceReading]]:
    """The names and facts of sentences of one document; nothing where the model fails."""
    text = _BETWEEN.join(sentences)
    chunk = Chunk(ordinal=1, text=text, start=0, first_line=1, last_line=1, headings=[], tokens=0)
    document = ParsedDocument(mime_type="text/plain", text=text, chunks=[chunk])
    reading = yield from read_document(document, model, glean=glean)
    if reading.extraction is None:
        return [SentenceReading([], []) for _ in sentences]
    found = []
    start = 0
    for sentence in sentences:
        end = start + len(sentence.encode())
        found.append(_placed(sentence, start, end, reading.extraction))
        start = end + len(_BETWEEN)
    return found


def _placed(sentence: str, start: int, end: int, extraction: Extraction) -> SentenceReading:
    """What was found in the sentence at bytes ``start`` to ``end`` of the passage."""
    tokens = Tokens(sentence)
    exact, folded = entity_matchers(extraction.entities)
    hits = sorted({*exact.find_names(tokens), *folded.find_names(tokens)})
    places: dict[int, tuple[int, int]] = {}
    for hit in hits:
        places.setdefault(hit.key, (hit.start, hit.end))
    names = [SentenceName(hit.start, hit.end, extraction.entities[hit.key].type) for hit in hits]
    facts = [
        SentenceFact(fact.type, places[fact.subject], places[fact.object])
        for fact in extraction.facts
        if fact.object in places and fact.subject in places and start <= fact.start < end
    ]
    return SentenceReading(names, list(dict.fromkeys(facts)))
