"""Topics of a document: its tags (``labor-markets/wages`` is two levels) and headings that name a subject.

Used by the extractor; pure.
"""

from __future__ import annotations

import re
from collections import Counter

from kgfs.ingest.extraction.units import Unit
from kgfs.model import ParsedDocument, TopicCandidate

MAX_WORDS = 5
MAX_WORDS_ONCE = 3
"""Of a heading that does not recur in its document."""
_RECURS = 2
_GENERIC_PHRASES = frozenset(
    " ".join(words.split())
    for words in (
        "see also|further reading|external links|getting started|table of contents|next steps|before the sale|in brief|"
        "quick start|more information|summary of economic activity|overall economic activity|national summary|"
        "long description|short description|known issues|new features|bug fixes|breaking changes|related links|"
        "about this document|early life|personal life|a word on terms|all in one table|who lost work|see more"
    ).split("|")
)
_GENERIC_WORDS = frozenset(
    "introduction intro summary overview history background about abstract conclusion conclusions contents references "
    "notes note resources appendix faq examples example usage changelog license contributing installation requirements "
    "outlook people places place others other highlights afterwards figures honours questions acknowledgements sources "
    "lessons structure events timeline parameters parameter inputs outputs description syntax keywords issues today "
    "details general related ideas reputation prerequisites remarks attributes samples demonstrates methods basics "
    "purpose scope review definition definitions steps links output input notice contact contacts instructions process "
    "tools options".split()
)
_NO_SUBJECT = frozenset(
    "one two three four five first second third next last new better best more most other same".split()
)
_FUNCTION = re.compile(
    r"\b(?:how|why|what|when|where|who|which|is|are|was|were|do|does|did|can|should|will|to|you|your|we|our|i|my|it|this|"
    r"that|a|an|the|use|using|create|add|if|than|from|with|by|at|as|in|on|for|after|before|instead|became)\b",
    re.I,
)
_TAG_SEPARATORS = re.compile(r"[\s_-]+")


def topic_name(text: str) -> str:
    """A topic's name for people: lower-case words, so that ``Labor Markets`` and ``labor-markets`` are one."""
    return _TAG_SEPARATORS.sub(" ", text).strip(" .:#").lower()


def topics(document: ParsedDocument, units: list[Unit], names: set[str]) -> list[TopicCandidate]:
    """The topics of a document with the ordinals of their chunks. ``names`` (casefolded) are entities: no topics."""
    found: dict[tuple[str, ...], TopicCandidate] = {}
    everywhere = [chunk.ordinal for chunk in document.chunks]
    for tag in document.tags:
        path = [name for part in tag.split("/") if (name := topic_name(part))]
        if path and all(len(name) <= 80 for name in path):
            found.setdefault(tuple(path), TopicCandidate(path=path, chunks=everywhere, source="tag"))
    by_leaf = {path[-1]: candidate for path, candidate in found.items()}
    counts = Counter(unit.content.text for unit in units if unit.kind == "heading")
    chunks_of = _chunks_of_headings(units)
    for heading, chunks in chunks_of.items():
        name = subject(heading) or ""
        if not name or heading.casefold() in names or name in names:
            continue
        known = by_leaf.get(name)
        if known is not None and known.source == "tag":
            # A section of a tag's name says more exactly which chunks the tag is about.
            known.chunks = sorted(set(chunks)) if known.chunks == everywhere else sorted({*known.chunks, *chunks})
            continue
        if counts[heading] < _RECURS and len(name.split()) > MAX_WORDS_ONCE:
            continue
        candidate = found.setdefault((name,), TopicCandidate(path=[name], chunks=[], source="heading"))
        candidate.chunks = sorted({*candidate.chunks, *chunks})
    return [candidate for candidate in found.values() if candidate.chunks]


def _chunks_of_headings(units: list[Unit]) -> dict[str, list[int]]:
    """For each heading the chunks in which something stands directly or deeper under it; not for titles."""
    chunks: dict[str, dict[int, None]] = {}
    for unit in units:
        if unit.kind == "heading":
            continue
        for depth, heading in enumerate(unit.headings):
            if depth > 0 or len(unit.headings) == 1:
                chunks.setdefault(heading, {})[unit.chunk.ordinal] = None
    return {heading: list(ordinals) for heading, ordinals in chunks.items()}


def subject(heading: str) -> str | None:
    """The topic that a heading names: a short noun phrase of ordinary words; ``None`` for anything else."""
    text = heading.strip()
    if " " not in text:
        text = _TAG_SEPARATORS.sub(" ", text)
    count = len(text.split())
    if not 1 <= count <= MAX_WORDS or len(text) > 60 or not re.fullmatch(r"[^\W\d_](?:[\w &/’'-]*\w)?", text):
        return None
    name = topic_name(text)
    if name in _GENERIC_PHRASES or (count == 1 and name in _GENERIC_WORDS) or _FUNCTION.search(text):
        return None
    if _NO_SUBJECT.intersection(name.split()):
        return None
    if any(char.isdigit() for char in text) or (count == 1 and (len(name) < 4 or text[1:] != text[1:].lower())):
        return None
    return name
