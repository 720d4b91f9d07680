"""The extractor dialogue: a model reads a document passage by passage; what it says is held against the text.

Used by ``kgfs.pipeline.graph_pass``; pure. A document of several chunks is asked for its card first, then each chunk is
one request; an answer that was cut off is asked for again in two halves; a passage of which something was refused is
shown once more, with what was found in it and what was refused. What the passages say together: ``assembly``.

A second look at every dense passage is not worth its price: of 38 such looks (docs/benchmarks.md) 21 found nothing,
and all together 23 facts beside the 739 of the first looks, for an eighth of the cost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import msgspec

from kgfs.documents import dates
from kgfs.documents.sentences import sentence_spans
from kgfs.llm import answers, prompts
from kgfs.llm.asking import Dialogue
from kgfs.llm.assembly import ReadPiece, assemble
from kgfs.llm.cards import DocumentCard, card_request, read_card
from kgfs.llm.evidence import FoldedText
from kgfs.llm.grounding import MOST_EXAMPLES, DroppedExample, PassageFindings, ShownPassage, ground_records
from kgfs.llm_records import LlmAnswer, LlmRequest
from kgfs.model import Chunk, Extraction, FactCandidate, Gazetteer, ParsedDocument
from kgfs.store.llm.type_verdicts import TypeVerdict

MAX_TOKENS = 4096
"""Of an answer: a passage of 350 tokens takes 1,500 as a rule."""
_OPENING = 1000
"""Characters at the beginning in which a document may say its date."""
_PUT_RIGHT = ("fact:", "entity: name")
"""Reasons for which something is gone that another quote or name may bring back."""
_REFUSED = 8
_LEAST_HALF = 80
"""Characters: what is shorter is not halved again."""

CUT_OFF = "gleaning: answer cut off"
FAILED = "gleaning: failed"


class DocumentReading(msgspec.Struct):
    """What became of one document."""

    extraction: Extraction | None
    """``None`` where the model failed for good."""
    summary: str = ""
    title: str = ""
    """As the text has it, where the document's own title is not from its text; else empty."""
    description: str = ""
    dropped: Counter[str] = msgspec.field(default_factory=Counter)
    """What the model said and the text does not, by kind and reason."""
    examples: list[DroppedExample] = []
    """Some of that."""
    failure: str = ""
    """Why there is no extraction, one sentence."""


class _Whole(NamedTuple):
    """What all parts of a document share."""

    document: ParsedDocument
    text: FoldedText
    date: str | None
    """As the passages show it: what the document states itself."""
    card: DocumentCard


class _Part:
    """A stretch of a chunk that is asked about, and what was found in it."""

    def __init__(self, chunk: Chunk, start: int, end: int, whole: _Whole) -> None:
        self.chunk = chunk
        self.start = start
        """Characters from the start of the chunk's text."""
        self.end = end
        self.whole = whole
        document = whole.document
        date = whole.date or document.date
        self.passage = ShownPassage(chunk.text[start:end], document.title, chunk.headings, date, whole.text, whole.card)
        self.stage: Literal["extract", "again", "glean", "done"] = "extract"
        self.found = PassageFindings()
        if not self.passage.text.strip():
            self.stage = "done"


def read_document(
    document: ParsedDocument,
    model: str,
    known: Gazetteer | None = None,
    joined: Mapping[str, TypeVerdict] = MappingProxyType({}),
    *,
    glean: bool = True,
) -> Dialogue[DocumentReading]:
    """Ask about each chunk of a document.

    ``known`` are the names that all documents declare, ``joined`` the types of facts that stand for others. These
    change no request.
    """
    text = FoldedText(document.text or "")
    date = _stated_date(document)
    card = DocumentCard()
    if sum(bool(chunk.text.strip()) for chunk in document.chunks) > 1:
        (answer,) = yield [card_request(document, date, model)]
        card = read_card(answer, document, text)
    whole = _Whole(document, text, date or card.date, card)
    parts = [_Part(chunk, 0, len(chunk.text), whole) for chunk in document.chunks]
    while waiting := [part for part in parts if part.stage != "done"]:
        replies = yield [_request(part, model) for part in waiting]
        for part, answer in zip(waiting, replies, strict=True):
            halves = _take(part, answer, glean=glean)
            if isinstance(halves, str):
                return DocumentReading(None, failure=halves)
            if halves:
                place = parts.index(part)
                parts[place : place + 1] = halves
    pieces = [ReadPiece(part.chunk, part.start, part.found) for part in parts]
    extraction, summary, fallen = assemble(document, pieces, card, known or Gazetteer(), f"llm:{model}")
    for fact in extraction.facts:
        _join_type(fact, joined)
    dropped = card.dropped + fallen
    examples: list[DroppedExample] = []
    for part in parts:
        dropped.update(part.found.dropped)
        examples += part.found.examples
    only = pieces[0].found.summary if len(pieces) == 1 else ""
    return DocumentReading(
        extraction,
        card.summary or summary,
        title=card.title if text.find_quote(document.title) is None else "",
        description=card.description or only,
        dropped=dropped,
        examples=examples[:MOST_EXAMPLES],
    )


def _join_type(fact: FactCandidate, joined: Mapping[str, TypeVerdict]) -> None:
    """Give a fact the type that its own means."""
    verdict = joined.get(fact.type)
    if verdict is None or (verdict.turned and fact.object is None):
        return
    fact.type = verdict.target
    if verdict.turned and fact.object is not None:
        fact.subject, fact.object = fact.object, fact.subject


def _request(part: _Part, model: str) -> LlmRequest:
    whole = part.whole
    card = whole.card.shown(part.passage.folded)
    shown = (whole.document.title, whole.date, part.chunk.headings, part.passage.text)
    if part.stage == "glean":
        content = prompts.glean_content(*shown, _recorded(part.found), card)
    else:
        content = prompts.extract_content(*shown, card)
        content = prompts.asked_again(content) if part.stage == "again" else content
    return LlmRequest(
        purpose="glean" if part.stage == "glean" else "extract",
        model=model,
        prompt_version=prompts.EXTRACT_VERSION,
        system=prompts.EXTRACT_SYSTEM,
        content=content,
        tool=prompts.EXTRACT_TOOL,
        max_tokens=MAX_TOKENS,
    )


def _stated_date(document: ParsedDocument) -> str | None:
    """The document's date, if it states it itself: that of its file changes with every edit, and all questions with it.

    Relative words are resolved by the document's date in any case.
    """
    date = document.date
    if date is None:
        return None
    stated = (dates.from_front_matter(document.front_matter), dates.from_title(document.title))
    opening = (span.date for span in dates.find_dates((document.text or "")[:_OPENING]))
    return date if date in stated or date in opening else None


def _recorded(found: PassageFindings) -> dict[str, Any]:
    """What was found, as short as a model needs it."""
    return {
        "entities": [entity.name for entity in found.entities],
        "facts": [
            [
                found.entities[fact.subject].name,
                fact.type,
                fact.object_text if fact.object is None else found.entities[fact.object].name,
            ]
            for fact in found.facts
        ],
        "refused": _refused(found),
    }


def _refused(found: PassageFindings) -> list[list[str]]:
    """What was dropped and may be put right: why, and what the model said."""
    return [[one.reason, one.what] for one in found.examples if one.reason.startswith(_PUT_RIGHT)][:_REFUSED]


def _take(part: _Part, answer: LlmAnswer, *, glean: bool) -> list[_Part] | str:
    """Note an answer. Two halves where it was cut off; a sentence where there is no way to read the passage."""
    if part.stage == "glean":
        part.stage = "done"
        if answer.error or answer.input is None:
            part.found.dropped[FAILED] += 1
        elif answer.stop_reason == "max_tokens":
            part.found.dropped[CUT_OFF] += 1
        else:
            part.found = ground_records(answers.read_records(answer.input), part.passage, part.found)
        return []
    if answer.error:
        return answer.error
    if answer.stop_reason == "max_tokens":
        middle = _middle(part.passage.text)
        if middle is None:
            return f"The model's answer on passage {part.chunk.ordinal} was cut off however short the passage was."
        return [
            _Part(part.chunk, part.start, part.start + middle, part.whole),
            _Part(part.chunk, part.start + middle, part.end, part.whole),
        ]
    if answer.input is None:
        if part.stage == "again":
            return f"The model gave no usable answer on passage {part.chunk.ordinal}, twice."
        part.stage = "again"
        return []
    part.found = ground_records(answers.read_records(answer.input), part.passage)
    part.stage = "glean" if glean and _refused(part.found) else "done"
    return []


def _middle(text: str) -> int | None:
    """Where a text is best halved: at a line, else between sentences, else between words; ``None`` if too short."""
    if len(text) < _LEAST_HALF:
        return None
    lines = [place + 1 for place, char in enumerate(text[:-1]) if char == "\n"]
    sentences = [start for start, _ in sentence_spans(text)]
    words = [place + 1 for place, char in enumerate(text[:-1]) if char.isspace()]
    for among in (lines, sentences, words):
        place = _nearest(among, len(text))
        if place is not None:
            return place
    return len(text) // 2


def _nearest(places: Sequence[int], length: int) -> int | None:
    """The place nearest to the middle, if it is in the middle half."""
    best = min(places, key=lambda place: abs(2 * place - length), default=0)
    return best if length // 4 < best < length - length // 4 else None
