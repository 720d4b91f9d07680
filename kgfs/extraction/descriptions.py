"""Sentences that say what something is: the description of an entity, the definition of a topic.

Used by the extractor; pure. Chosen from the text, never made: ``Fitbit is an American maker of …``, then ``Fitbit, a
maker of …,``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kgfs.extraction.units import Unit
from kgfs.model import EntityCandidate, TopicCandidate

MAX_DESCRIPTION = 300
_IS = re.compile(r"(?:The )?(?P<name>.{2,80}?)(?: \([^)]{1,60}\))?,? (?:is|was|are|were) (?:an?|the|one of) ")
_APPOSED = re.compile(r"(?P<name>[^,]{2,80}?), (?:an?|the|one of) (?P<what>[a-z][^,]{10,160}),? ")
_TERM = re.compile(
    r"(?:(?:An?|The|In [^,]{3,40}, an?) )?(?P<term>[A-Za-z][\w' -]{2,60}?)(?: \([^)]{1,40}\))? "
    r"(?:is|are|refers? to|means?|describes?) (?:an?|the|any|all|when|how|what|to|one|those|people)\b"
)


def cut_text(text: str, limit: int = MAX_DESCRIPTION) -> str:
    """At most ``limit`` characters, cut between words."""
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0] + "…"


def describe_entities(entities: Sequence[EntityCandidate], units: Iterable[Unit]) -> None:
    """Give an entity without a description the first sentence that defines it, else the first that explains it."""
    wanted = {name: entity for entity in entities if not entity.description for name in (entity.name, *entity.aliases)}
    if not wanted:
        return
    explained: dict[int, str] = {}
    for unit in units:
        if unit.kind != "sentence":
            continue
        text = unit.content.text
        found = _IS.match(text)
        if found is not None:
            entity = wanted.get(found["name"])
            if entity is not None and not entity.description:
                entity.description = cut_text(text)
        found = _APPOSED.match(text)
        if found is not None:
            entity = wanted.get(found["name"])
            if entity is not None:
                explained.setdefault(id(entity), cut_text(text))
    for entity in entities:
        if not entity.description:
            entity.description = explained.get(id(entity), "")


def define_topics(topics: Iterable[TopicCandidate], units: Iterable[Unit]) -> None:
    """Give a topic the first sentence that defines its name."""
    wanted: dict[str, TopicCandidate] = {}
    for candidate in topics:
        if not candidate.definition:
            wanted.setdefault(candidate.path[-1], candidate)
    if not wanted:
        return
    for unit in units:
        if unit.kind != "sentence":
            continue
        found = _TERM.match(unit.content.text)
        if found is None:
            continue
        term = found["term"].lower()
        defined = wanted.get(term) or wanted.get(f"{term}s") or wanted.get(term.removesuffix("s"))
        if defined is not None and not defined.definition:
            defined.definition = cut_text(unit.content.text)
