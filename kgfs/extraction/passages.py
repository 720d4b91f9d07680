"""The sentences that tell most of an entity, chosen for its summary, word for word but for markup.

Used by the extractor; pure. A few a document are passed on with a score, so that the best over all documents are taken.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kgfs.extraction.descriptions import cut_text, lead_owners, without_markup
from kgfs.extraction.names.matching import Matcher, Tokens
from kgfs.extraction.names.named import NameSpan, matches_any_case
from kgfs.extraction.remarks import is_remark
from kgfs.extraction.units import Unit
from kgfs.model import EntityCandidate, Passage

MOST = 3
"""Passages of one entity in one document."""
MIN_LENGTH, MAX_LENGTH = 40, 320
ENOUGH_SAID = 60
REMARK = 1.0
"""What a sentence tells less that looks like a definition and only remarks on a thing."""
_MARKUP = re.compile(r"\]\(|\{[%{]|\||<\w+>")
_END = re.compile(r"[.!。][\"'”’)]*$")
_SHORT_FORM = r"(?: \([^()]{1,60}\))?(?:,? (?:(?:also |sometimes )?(?:known|referred to) as|or) [^,.]{2,50},?)?"
_DEFINES = re.compile(
    rf"{_SHORT_FORM}(?:,? (?:is|are) (?:(?:simply|essentially|basically)\b|an?|the|one of|part of|any|all|how|when|what|where|defined as|short for)\b|,? (?:was|were) (?:an?|one of)\b|"
    r"[\"”] (?:shall |will )?means? | (?:refers? to|means|stands for|consists? of) |,? are (?:[a-z-]+ ){0,2}[a-z]+s (?:of|that|which|for|who|whose|in)\b)"
)
_APPOSED = re.compile(rf"{_SHORT_FORM}, (?:which (?:is|are|was) )?(?:an?|the|one of) [a-z][^,;]{{12,120}}[,.]")
_DOES = re.compile(
    r"(?: \([^)]{1,60}\))? (?:provides?|helps?|allows?|lets|offers?|manages?|supports?|oversees|runs|develops?|publishes|"
    r"(?:is|are) (?:responsible|designed|used|available|built|located|based|known)|reported|said|announced|includes?|consists?|contains?|has|have|serves?|enables?|makes?|conducts|collects|requires?|"
    r"works?|leads?|covers|rose|fell|grew|declined|increased|remained)\b"
)
_LEANS = re.compile(
    r"^(?:It|They|He|She|This|That|These|Those|However|But|And|Or|So|Also|Then|If|When|Note|See|For example|For more|"
    r"Click|Select|Open|Please|Go to|Use|Choose|You|Your|We|Our|I|My)\b"
)
_SPOKEN = re.compile(r"\b(?:you|your|we|our|I|please|click|see)\b", re.I)


def choose_passages(
    entities: Sequence[EntityCandidate],
    entity_of: Callable[[int], int | None],
    units: Sequence[Unit],
    spans: Sequence[Sequence[NameSpan]],
) -> None:
    """Give each entity its best sentences of the document; ``entity_of`` is the entity of a span's ``ref``."""
    found: dict[int, dict[str, tuple[float, bool]]] = {}
    terms, leads = _terms(entities), lead_owners(entities)
    for unit, names in zip(units, spans, strict=True):
        text = unit.content.text
        if (
            unit.kind not in ("sentence", "foreign")
            or not MIN_LENGTH <= len(text) <= MAX_LENGTH
            or not _END.search(text)
        ):
            continue
        owner = leads.get(cut_text(without_markup(text)))
        tokens = Tokens(text)
        places = [(span.start, span.end, entity_of(span.ref)) for span in names]
        places += [(hit.start, hit.end, hit.key) for matcher in terms for hit in matcher.find_names(tokens)]
        for start, end, entity in places:
            if entity is not None:
                told = _score(text, start, end, len(names))
                if told[1] and (owner not in (None, entity) or is_remark(text, end, entities[entity].type)):
                    told = told[0] - REMARK, False
                scores = found.setdefault(entity, {})
                scores[text] = max(scores.get(text, told), told)
    for entity, scores in found.items():
        best = sorted(scores, key=lambda text: (-scores[text][0], text))[:MOST]
        entities[entity].passages = [
            Passage(text=without_markup(text), score=scores[text][0], defines=scores[text][1])
            for text in best
            if scores[text][0] > 0
        ]


def _terms(entities: Sequence[EntityCandidate]) -> tuple[Matcher[int], Matcher[int]]:
    """The names of terms: where the text explains one, it was none yet when the sentence was read for names."""
    exact: Matcher[int] = Matcher([])
    folded: Matcher[int] = Matcher([], ignore_case=True)
    for number, entity in enumerate(entities):
        for name in (entity.name, f"{entity.name}s", *entity.aliases) if entity.type == "Concept" else ():
            (folded if matches_any_case(name, entity.type) else exact).add(name, number)
    return exact, folded


def _score(text: str, start: int, end: int, names: int) -> tuple[float, bool]:
    """How much a sentence tells of the name at ``text[start:end]``, and whether it says what that is."""
    score = 0.5
    opens = text[:start].strip(' "“(').lower() in ("", "the", "a", "an", "in", "at")
    defines = opens and _DEFINES.match(text, end) is not None
    if defines:
        # The shortest definitions say least: "Slack is a Public Record System."
        score += 2.0 + 0.3 * (len(text) >= ENOUGH_SAID)
    elif _APPOSED.match(text, end):
        score += 1.5 if opens else 1.0
        defines = opens and not text.startswith(("In ", "At "))  # "In Acme, the policy is set by …"
    elif _DEFINES.match(text, end):
        score += 0.7
    elif _DOES.match(text, end):
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
    return round(score - 0.1 * max(0, names - 3) - start / 400, 3), defines
