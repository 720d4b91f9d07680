"""Twelve documents of six kinds with what a careful reader answered to the requests on them: ``tests/llm/replay``.

Used by tests and by ``scripts/bench replay``. The documents were written for this. The reader saw instructions
and requests and nothing else, wrote each answer at one go and changed none afterwards. Answers lie beside their
document, a line of JSON each: what was asked for (``card``, ``extract``, ``glean``), of which passage, and the answer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgfs.documents.formats.parsing import parse_document
from kgfs.llm.cards import DocumentCard, read_card
from kgfs.llm.evidence import FoldedText
from kgfs.llm.extraction import DocumentReading, read_document
from kgfs.llm_records import LlmAnswer, LlmRequest
from kgfs.model import ParsedDocument

FOLDER = Path(__file__).parent / "llm/replay"


class AnsweredRequest(NamedTuple):
    """A request and what was answered."""

    request: LlmRequest
    passage: int
    """Ordinal of the chunk; 0 of a card."""
    answer: dict[str, Any]


class ReplayedReading(NamedTuple):
    """A document that was read from recorded answers."""

    document: ParsedDocument
    reading: DocumentReading
    requests: list[AnsweredRequest]
    recorded: dict[tuple[str, int], dict[str, Any]]
    """All answers by purpose and passage, also to second looks that are not asked for any more."""


def documents() -> list[Path]:
    """The files, by name."""
    return sorted(path for path in FOLDER.iterdir() if path.suffix != ".jsonl")


def replay(path: Path, *, short: bool = False) -> ReplayedReading:
    """Read one of the documents. ``KeyError`` for a request that nobody has answered.

    ``short`` leaves out of the answers what the instructions did not yet say to leave out when they were given: a
    passage's summary, and names that the card has and the answer says nothing more of.
    """
    document = parse_document(path.read_bytes(), path.name)
    said = {}
    for line in Path(f"{path}.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        said[one["purpose"], one["passage"]] = one["input"]
    if short:
        card = read_card(LlmAnswer(input=said["card", 0]), document, FoldedText(document.text or ""))
        said = {key: given if key[0] == "card" else _shortened(given, card) for key, given in said.items()}
    asked: list[AnsweredRequest] = []

    def answered(request: LlmRequest) -> LlmAnswer:
        number = 0 if request.purpose == "card" else _passage(request, document)
        given = said[request.purpose, number]
        asked.append(AnsweredRequest(request, number, given))
        return LlmAnswer(input=given, stop_reason="tool_use")

    dialogue = read_document(document, "m")
    try:
        requests: Sequence[LlmRequest] = next(dialogue)
        while True:
            requests = dialogue.send([answered(request) for request in requests])
    except StopIteration as stop:
        return ReplayedReading(document, stop.value, asked, said)


def _shortened(given: dict[str, Any], card: DocumentCard) -> dict[str, Any]:
    known = {one.name: {one.name, *one.aliases} for one in card.names}
    entities = [
        one
        for one in given.get("entities", ())
        if one.get("description") or not {one["name"], *one.get("aliases", ())} <= known.get(one["name"], set())
    ]
    return {key: value for key, value in given.items() if key != "summary"} | {"entities": entities}


def _passage(request: LlmRequest, document: ParsedDocument) -> int:
    """The chunk that a request shows."""
    return next(chunk.ordinal for chunk in document.chunks if f"\n\n{chunk.text}" in request.content)


def facts_said(requests: Sequence[AnsweredRequest]) -> int:
    """How many facts the answers have."""
    return sum(len(quote["says"]) for one in requests for quote in one.answer.get("facts", ()))
