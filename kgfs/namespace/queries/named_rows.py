"""What a person means by the name of an entity or a topic in a query.

Used by the engines of query areas; reads the snapshot only.
"""

from __future__ import annotations

from collections.abc import Mapping

from kgfs import names
from kgfs.namespace.domains import Slugged
from kgfs.namespace.snapshot import Snapshot
from kgfs.nearest import MOST


def entity_named(s: Snapshot, text: str) -> int | None:
    """The entity that somebody means: by its slug, another name or a former one, or its path; then in any case.

    ``None``: nobody.
    """
    return _find(s.entities, text, s.aliases)


def entities_beginning(s: Snapshot, text: str) -> list[str]:
    """The slugs of some entities that have ``text`` and more for a name: *David Bradley* of two pages has neither."""
    wanted = names.slug_key(names.slug(text.strip())) + "_"
    return sorted(slug for slug in s.entities.slugs if names.slug_key(slug[: len(wanted)]) == wanted)[:MOST]


def topic_named(s: Snapshot, text: str) -> int | None:
    """The topic that somebody means, as ``entity_named``."""
    return _find(s.topics, text, {})


def _find(domain: Slugged, text: str, aliases: Mapping[str, int]) -> int | None:
    name = text.strip().rstrip("/").rpartition("/")[2]
    wanted = names.slug(name)
    tables: tuple[Mapping[str, int], ...] = (domain.by_slug, aliases, *domain.former.values())
    for each in (name, wanted):
        for table in tables:
            if each in table:
                return table[each]
    key = names.slug_key(wanted)
    for table in tables:
        for slug, index in table.items():
            if names.slug_key(slug) == key:
                return index
    return None
