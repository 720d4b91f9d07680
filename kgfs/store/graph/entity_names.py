"""Which entities somebody may mean by a text: a slug, a name, an alias, a former slug, an id.

Used by the service's annotations, on any thread, with a reader's cursor.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from kgfs.names import slug, slug_key
from kgfs.store.catalog.database import Cursor
from kgfs.store.files.documents import IN

_ID = re.compile(r"(?:entity:)?(\d{1,9})")
_ROW = "SELECT e.id, e.slug, e.name, e.type, e.description FROM entities e"
_READINGS = (
    f"{_ROW} WHERE e.slug = $text",
    f"{_ROW} WHERE e.name = $text",
    f"{_ROW} WHERE e.slug_key = $slug",
    f"{_ROW} WHERE e.id IN (SELECT target_id FROM former_names WHERE kind = 'entity'"
    " AND (slug = $text OR lower(slug) = $slug))",
    f"{_ROW} WHERE e.id IN (SELECT entity_id FROM entity_aliases WHERE alias = $text OR key = $slug)",
    f"{_ROW} WHERE e.id IN (SELECT entity_id FROM entity_keys WHERE key = $key)",
)
"""From what says it best to what may be meant."""


class NamedRow(NamedTuple):
    """An entity as the user sees it."""

    id: int
    slug: str
    name: str
    type: str
    description: str


def entities_named(cursor: Cursor, text: str, key: str) -> list[NamedRow]:
    """The entities that ``text`` names best; ``key`` is its normalised form. More than one where it is ambiguous."""
    values = {"text": text, "slug": slug_key(slug(text)), "key": key}
    for sql in _READINGS:
        wanted = {name: value for name, value in values.items() if f"${name}" in sql}
        found = cursor.execute(f"{sql} ORDER BY e.slug", wanted).fetchall()
        if found:
            return [NamedRow(*row) for row in found]
    match = _ID.fullmatch(text)
    return by_id(cursor, [int(match[1])]) if match else []


def by_id(cursor: Cursor, entity_ids: Collection[int]) -> list[NamedRow]:
    """Entities by id, in order of slug; those that are gone are left out."""
    rows = cursor.execute(f"{_ROW} WHERE e.id {IN} ORDER BY e.slug", [sorted(entity_ids)]).fetchall()
    return [NamedRow(*row) for row in rows]


def entities_near(cursor: Cursor, text: str, most: int = 5) -> list[str]:
    """Slugs of entities whose name or alias looks like ``text``, the likeliest first."""
    rows = cursor.execute(
        "WITH names AS (SELECT id, slug, lower(name) AS name FROM entities UNION ALL SELECT e.id, e.slug,"
        " lower(a.alias) FROM entity_aliases a JOIN entities e ON e.id = a.entity_id),"
        " scored AS (SELECT slug, max(jaro_winkler_similarity(left(name, 200), $1)"
        " + CASE WHEN contains(name, $1) OR (length(name) > 3 AND contains($1, name)) THEN 1 ELSE 0 END) AS score"
        " FROM names GROUP BY slug) SELECT slug FROM scored WHERE score >= 0.8 ORDER BY score DESC, slug LIMIT $2",
        [text.lower()[:200], most],
    ).fetchall()
    return [row[0] for row in rows]
