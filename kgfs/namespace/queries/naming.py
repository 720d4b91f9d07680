"""What a person means by the name of an entity or a topic in a question.

Used by the engines of query areas; reads the snapshot only.
"""

from __future__ import annotations

from kgfs import names
from kgfs.namespace.snapshot import Snapshot


def find_entity(s: Snapshot, text: str) -> int | None:
    """The index of the entity with this slug, alias, former slug or name; case matters only where it decides."""
    domain = s.entities
    for name in _spellings(text):
        index = domain.by_slug.get(name, s.aliases.get(name, -1))
        if index >= 0:
            return index
        for former in domain.former.values():
            if name in former:
                return former[name]
    wanted = {name.casefold() for name in _spellings(text)}
    for known in (domain.by_slug, s.aliases):
        for name, index in known.items():
            if name.casefold() in wanted:
                return index
    return None


def find_topic(s: Snapshot, text: str) -> int | None:
    """The index of the topic with this slug, former slug or name."""
    domain = s.topics
    for name in _spellings(text):
        index = domain.by_slug.get(name, -1)
        if index < 0:
            index = domain.former.get("", {}).get(name, -1)
        if index >= 0:
            return index
    wanted = {name.casefold() for name in _spellings(text)}
    return next((index for name, index in domain.by_slug.items() if name.casefold() in wanted), None)


def _spellings(text: str) -> tuple[str, ...]:
    """A name as written, and as the tree would spell it."""
    text = text.strip().strip("/")
    return text, names.slug(text)
