"""The sentences that tell most of an entity, chosen for its summary, word for word.

Used by the extractor; pure. A few a document are passed on with a score, so that the best over all documents are taken.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kgfs.ingest.extraction.lexicon import Lexicon
from kgfs.ingest.extraction.named import Span
from kgfs.ingest.extraction.units import Unit
from kgfs.model import EntityCandidate, Passage

MOST = 3
"""Passages of one entity in one document."""
MIN_LENGTH, MAX_LENGTH = 40, 320
ENOUGH_SAID = 60
_MARKUP = re.compile(r"\]\(|\{[%{]|\|")
_END = re.compile(r"[.!。][\"'”’)]*$")
_DEFINES = re.compile(
    r"(?: \([^)]{1,60}\))?,? (?:is|are|was|were) (?:an?|the|one of|part of|responsible|designed|used|available|built|located|based|known)\b"
)
_DOES = re.compile(
    r"(?: \([^)]{1,60}\))? (?:provides?|helps?|allows?|lets|offers?|manages?|supports?|oversees|runs|develops?|publishes|"
    r"reported|said|announced|includes?|consists?|contains?|has|have|serves?|enables?|makes?|conducts|collects|requires?|"
    r"works?|leads?|covers|rose|fell|grew|declined|increased|remained)\b"
)
_LEANS = re.compile(
    r"^(?:It|They|He|She|This|That|These|Those|However|But|And|Or|So|Also|Then|If|When|Note|See|For example|For more|"
    r"Click|Select|Open|Please|Go to|Use|Choose|You|Your|We|Our|I|My)\b"
)
_SPOKEN = re.compile(r"\b(?:you|your|we|our|I|please|click|see)\b", re.I)


def choose_passages(
    entities: Sequence[EntityCandidate],
    index: Mapping[int, int],
    units: Sequence[Unit],
    spans: Sequence[Sequence[Span]],
    lexicon: Lexicon,
) -> None:
    """Give each entity its best sentences of the document; ``index`` is the entity of each entry of the lexicon."""
    found: dict[int, dict[str, tuple[float, bool]]] = {}
    for unit, names in zip(units, spans, strict=True):
        text = unit.content.text
        if unit.kind != "sentence" or not MIN_LENGTH <= len(text) <= MAX_LENGTH or not _END.search(text):
            continue
        for span in names:
            entity = index.get(lexicon.resolved(span.ref))
            if entity is not None:
                told = _score(text, span, len(names))
                scores = found.setdefault(entity, {})
                scores[text] = max(scores.get(text, told), told)
    for entity, scores in found.items():
        best = sorted(scores, key=lambda text: (-scores[text][0], text))[:MOST]
        entities[entity].passages = [
            Passage(text=text, score=scores[text][0], defines=scores[text][1]) for text in best if scores[text][0] > 0
        ]


def _score(text: str, span: Span, names: int) -> tuple[float, bool]:
    """How much a sentence tells of the name at ``span``, and whether it says what that is."""
    score = 0.5
    opens = text[: span.start].strip(' "“(').lower() in ("", "the", "a", "an", "in", "at")
    defines = opens and _DEFINES.match(text, span.end) is not None
    if defines:
        # The shortest definitions say least: "Slack is a Public Record System."
        score += 2.0 + 0.3 * (len(text) >= ENOUGH_SAID)
    elif _DEFINES.match(text, span.end):
        score += 0.7
    elif _DOES.match(text, span.end):
        score += 1.2 if opens else 0.5
    elif opens:
        score += 0.5
    if re.search(r"\d", text):
        score += 0.2
    if not opens and _LEANS.match(text):
        score -= 0.6
    if _SPOKEN.search(text):
        score -= 0.4
    if _MARKUP.search(text):
        score -= 1.0
    return round(score - 0.1 * max(0, names - 3) - span.start / 400, 3), defines
