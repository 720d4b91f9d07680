"""What one document says about topics: its tags, headings that name a subject, and the phrases that stand in it.

Used by the extractor, in the worker; pure but for the tagger's syntax in ``find_phrases``. These are claims, generous
ones: which of them are shown, and under what, is decided over all documents by ``kgfs.graph.topics``.

* ``tag``: ``labor-markets/wages`` is two levels.
* ``heading``: the path is the heading above, where that names a subject too, and the heading.
* ``part``: what a heading joins, ``Employment and Wages``, each beneath the whole, with the passages that speak of it.
* ``phrase``: a noun phrase of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from kgfs.extraction.descriptions import cut_text
from kgfs.extraction.names.declared.redirects import redirect_target
from kgfs.extraction.phrases import find_phrases
from kgfs.extraction.topic_words import FUNCTION, MAX_NAME, NO_SUBJECT, says_nothing, topic_name
from kgfs.extraction.units import Unit
from kgfs.model import ParsedDocument, TopicCandidate

MAX_WORDS = 5
_JOINED = re.compile(r",? (?:and|&) |, ")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]{0,200}\}$")
"""``{#key-ideas}`` behind a heading."""
_LEAD_WORDS = 6
"""A shorter first sentence under a heading explains nothing."""


def claimed_topics(
    document: ParsedDocument, units: Sequence[Unit], names: set[str], *, tagged: bool = False
) -> list[TopicCandidate]:
    """The topics that a document claims, with the ordinals of their chunks.

    ``names`` (casefolded) are entities: no topics. ``tagged`` adds phrases, which need the tagger. A page that only
    leads on to another one has none.
    """
    if redirect_target(document) is not None:
        return []
    said, nouns = find_phrases(units, names) if tagged else ([], None)
    return [*_tags(document, names), *_headings(units, names, nouns), *said]


def _tags(document: ParsedDocument, names: set[str]) -> list[TopicCandidate]:
    everywhere = [chunk.ordinal for chunk in document.chunks]
    found: dict[tuple[str, ...], None] = {}
    for tag in document.tags:
        path = tuple(name for part in tag.split("/") if (name := topic_name(part)))
        if path and not any(len(name) > MAX_NAME or says_nothing(name) or name in names for name in path):
            found[path] = None
    return [TopicCandidate(path=list(path), chunks=everywhere, source="tag") for path in found] if everywhere else []


def _headings(units: Sequence[Unit], names: set[str], nouns: set[str] | None) -> list[TopicCandidate]:
    """Headings with the chunks in which something stands directly or deeper under them, and what they join."""
    times = Counter(_heading_name(unit.content.text, names) for unit in units if unit.kind == "heading")
    found: dict[tuple[str, ...], TopicCandidate] = {}
    subjects: dict[str, str | None] = {}
    for unit in units:
        if unit.kind == "heading":
            continue
        above: str | None = None
        for depth, heading in enumerate(unit.headings):
            if heading not in subjects:
                subjects[heading] = _heading_name(heading, names)
            name = subjects[heading]
            if name is None:
                above = None
                continue
            if name == above:
                continue
            path = (above, name) if above else (name,)
            candidate = found.get(path)
            if candidate is None:
                candidate = found[path] = TopicCandidate(path=list(path), chunks=[], times=max(1, times[name]))
            if not candidate.chunks or candidate.chunks[-1] != unit.chunk.ordinal:
                candidate.chunks.append(unit.chunk.ordinal)
            if not candidate.lead and depth == len(unit.headings) - 1:
                candidate.lead = _lead(unit)
            _parts(found, name, unit, names, nouns)
            above = name
    for candidate in found.values():
        candidate.chunks = sorted(set(candidate.chunks))
    return list(found.values())


def _heading_name(heading: str, names: set[str]) -> str | None:
    name = heading_subject(heading)
    return None if name is None or heading.strip().casefold() in names or name in names else name


def _parts(
    found: dict[tuple[str, ...], TopicCandidate], whole: str, unit: Unit, names: set[str], nouns: set[str] | None
) -> None:
    """Note that a unit under ``wages and prices`` speaks of one of them; of ``professional and business services`` not.

    ``nouns`` are those of the text, where they are known.
    """
    if unit.kind not in ("sentence", "row"):
        return
    text = ""
    for part in name_conjuncts(whole):
        text = text or unit.content.text.lower()
        if nouns is not None and " " not in part and part not in nouns:
            continue
        if part in names or says_nothing(part) or not re.search(rf"\b{re.escape(_stem(part))}", text):
            continue
        candidate = found.setdefault((whole, part), TopicCandidate(path=[whole, part], chunks=[], source="part"))
        if candidate.source == "part" and (not candidate.chunks or candidate.chunks[-1] != unit.chunk.ordinal):
            candidate.chunks.append(unit.chunk.ordinal)


def name_conjuncts(name: str) -> list[str]:
    """What a name joins: ``ports and transportation`` is two, ``commercial real estate`` none."""
    parts = [part.strip() for part in _JOINED.split(name)]
    return parts if len(parts) > 1 and all(parts) else []


def _stem(name: str) -> str:
    """The beginning that a name has in all its forms: ``wage`` of ``wages``."""
    return name[:-1] if len(name) > 4 and name.endswith("s") and not name.endswith("ss") else name


def _lead(unit: Unit) -> str:
    """A sentence that can stand for what a section is about; empty for what is none."""
    text = _LINK.sub(r"\1", unit.content.text.strip())
    if unit.kind != "sentence" or len(text.split()) < _LEAD_WORDS or not text.endswith((".", "!")):
        return ""
    return cut_text(text)


def heading_subject(heading: str) -> str | None:
    """The topic that a heading names: a short noun phrase of ordinary words; ``None`` for anything else."""
    text = _ATTRIBUTES.sub("", heading.strip())
    if " " not in text:
        text = re.sub(r"[_-]+", " ", text)
    count = len(text.split())
    if not 1 <= count <= MAX_WORDS or len(text) > 60 or not re.fullmatch(r"[^\W\d_](?:[\w &,/’'-]*\w)?", text):
        return None
    name = topic_name(text)
    if says_nothing(name) or FUNCTION.search(text) or NO_SUBJECT.intersection(name.split()):
        return None
    if any(char.isdigit() for char in text) or (count == 1 and (len(name) < 4 or text[1:] != text[1:].lower())):
        return None
    return name
