"""The names that are known before a document is read: what titles and front matter of all documents declare.

Used by the pipeline (which gathers ``declared_entities`` of every document into a ``Gazetteer``), by the worker and by
the extractor; pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from kgfs.model import EntityCandidate, Gazetteer, GazetteerEntry, ParsedDocument

_NOT_TYPES = frozenset(
    "article blog book chapter collection doc document documentation draft email faq file guide home how-to howto "
    "index journal landing-page layout log meeting memo minutes moc note notes overview page post quickstart reference "
    "report sample story summary task template todo topic tutorial transcript".split()
)
"""Values of ``type`` that say what kind of text a document is, not what it is about."""
_NOT_ATTRIBUTES = frozenset(
    "title name type aliases alias date tags tag keywords categories category description layout draft permalink slug "
    "summary redirect_from author authors id uid published publish created updated modified lastmod".split()
)
_SYNONYMS = {
    "company": "Organization", "org": "Organization", "organisation": "Organization", "institution": "Organization",
    "people": "Person", "human": "Person", "place": "Location", "idea": "Concept", "term": "Concept",
}  # fmt: skip
MAX_NAME = 160


def entity_type(value: Any) -> str | None:
    """A front matter ``type`` as an entity type in CamelCase; ``None`` where it names a kind of text."""
    if not isinstance(value, str):
        return None
    words = re.findall(r"[^\W_]+", value)
    if not words or len(words) > 3 or value.strip().lower() in _NOT_TYPES or not words[0][0].isalpha():
        return None
    lowered = " ".join(words).lower()
    if lowered in _NOT_TYPES:
        return None
    known = _SYNONYMS.get(lowered)
    return known or "".join(word[:1].upper() + word[1:] for word in words)


def declared_entities(document: ParsedDocument) -> list[EntityCandidate]:
    """The entities that a document's front matter declares: at most one, the document's own subject.

    Needs ``type``; the name is ``name`` or the title; every other scalar becomes an attribute.
    """
    matter = document.front_matter
    declared_type = entity_type(matter.get("type"))
    if declared_type is None:
        return []
    name = clean_name(matter.get("name") or document.title)
    if not name:
        return []
    aliases = [clean_name(alias) for alias in as_list(matter.get("aliases", matter.get("alias")))]
    attributes = {
        key: value
        for key, value in matter.items()
        if key.lower() not in _NOT_ATTRIBUTES and isinstance(value, str | int | float | bool) and value != ""
    }
    return [
        EntityCandidate(
            name=name,
            type=declared_type,
            aliases=[alias for alias in dict.fromkeys(aliases) if alias and alias != name],
            description=document.description,
            attributes=attributes,
            confidence=1.0,
            declared=True,
        )
    ]


def make_gazetteer(candidates: Iterable[EntityCandidate]) -> Gazetteer:
    """The gazetteer of what many documents declared; entries of one name are one (the first one's type wins)."""
    entries: dict[str, GazetteerEntry] = {}
    for candidate in candidates:
        key = candidate.name.casefold()
        entry = entries.get(key)
        if entry is None:
            entries[key] = GazetteerEntry(
                name=candidate.name,
                type=candidate.type,
                aliases=list(candidate.aliases),
                declared=candidate.declared,
            )
        else:
            entry.declared = entry.declared or candidate.declared
            entry.aliases += [alias for alias in candidate.aliases if alias not in entry.aliases]
    return Gazetteer(entries=list(entries.values()))


def as_list(value: Any) -> list[Any]:
    """A front matter value as a flat list: text with commas is several, ``[[x]]`` (nested lists to YAML) is one."""
    if value is None:
        return []
    if isinstance(value, list):
        flat: list[Any] = []
        waiting = list(reversed(value))
        while waiting:
            item = waiting.pop()
            if isinstance(item, list):
                waiting += reversed(item)
            else:
                flat.append(item)
        return flat
    if isinstance(value, str) and "," in value:
        return [part.strip() for part in value.split(",")]
    return [value]


def clean_name(value: Any) -> str:
    """A name without markup and at most 160 characters; empty where it is none."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return ""
    name = " ".join(str(value).replace("[[", "").replace("]]", "").split("|")[0].split())
    return name.strip("\"'“”") if len(name) <= MAX_NAME else ""
