"""Checks of names and numbers: refs and slugs are unique and as the rules make them, ids below their counters, what the
store says of itself is readable.

Used by ``kgfs.fsck.run``.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from kgfs.fsck.findings import Check, Damage, Find, selected
from kgfs.names import entity_directory, slug, slug_key, unique_slug
from kgfs.namespace.context_names import VERBATIM
from kgfs.store.catalog import dirty_rows, schema
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import ID_LIMIT, take_ids
from kgfs.store.files import drive_moves, items
from kgfs.store.files.document_names import wanted_names
from kgfs.store.files.documents import IN
from kgfs.store.files.items import DIRECTORY
from kgfs.store.graph import entities, topics
from kgfs.store.tree import pages

# --- what the store says of itself ----------------------------------------------------------------------------------


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"\d{1,18}", text))


META: dict[str, tuple[Callable[[str], bool], Callable[[], str], bool]] = {
    "schema_version": (_is_number, lambda: str(schema.migrations()[-1].number), True),
    "store_id": (lambda text: bool(re.fullmatch("[0-9a-f]{32}", text)), lambda: uuid.uuid4().hex, True),
    "created_at": (
        lambda text: bool(re.match(r"\d{4}-\d\d-\d\d", text)),
        lambda: datetime.now(UTC).isoformat(timespec="seconds"),
        True,
    ),
    "generation": (_is_number, lambda: "1", True),
    "published_us": (_is_number, lambda: "1", False),
    "gazetteer": (lambda text: text.startswith("[") and text.endswith("]"), lambda: "[]", False),
    "topics": (lambda text: _is_number(text) or text in (topics.STALE, topics.OLDER), lambda: topics.STALE, False),
}
"""Key to: whether a value can be, what to put in its place, whether it must be there."""


def _meta(cursor: Cursor) -> list[Damage]:
    known = dict(cursor.execute("SELECT key, value FROM meta").fetchall())
    found = []
    for key, (fits, _, needed) in META.items():
        value = known.get(key)
        if (value is None and (needed or key in known)) or (value is not None and not fits(value)):
            found.append(Damage(f"{key} is {value!r}", (key,)))
    return found


def _set_meta(cursor: Cursor, damages: Sequence[Damage]) -> None:
    for (key,) in (damage.key for damage in damages):
        pages.write_meta(cursor, key, META[key][1]())
    # Another number of its own: what was published is published again.
    pages.write_meta(cursor, "renderer", "")


_COUNTED: dict[str, tuple[str, ...]] = {
    "item": ("context_items.id", "item_versions.id", "blocks.item_id", "removed_items.item_id", "documents.id"),
    "chunk": ("chunks.id",),
    "entity": ("entities.id", "entity_keys.entity_id"),
    "fact": ("facts.id",),
    "topic": ("topics.id",),
    "source": ("sources.id",),
    "merge": ("merges.id",),
    "page": ("pages.page_id",),
    "annotation": ("annotations.id",),
}
"""Counter to the columns whose ids it gives out."""


def _counters(cursor: Cursor) -> list[Damage]:
    known = dict(cursor.execute("SELECT name, next FROM counters").fetchall())
    found = []
    for name, columns in _COUNTED.items():
        highest = max(
            int(cursor.execute(f"SELECT coalesce(max({column}), 0) FROM {table}").fetchall()[0][0])
            for table, column in (place.split(".") for place in columns)
        )
        least = known.get(name)
        wrong = not highest < least <= ID_LIMIT if least is not None else highest or name in known
        if wrong and (name != "page" or least is None or least <= highest):
            found.append(Damage(f"{name}: {least} is next, and {highest} is in use", (name, highest + 1)))
    return found


def _count_on(cursor: Cursor, damages: Sequence[Damage]) -> None:
    for name, following in (damage.key for damage in damages):
        cursor.execute("DELETE FROM counters WHERE name = ? AND next IS NULL", [name])
        row = cursor.execute("UPDATE counters SET next = ? WHERE name = ? RETURNING 1", [following, name]).fetchall()
        if not row:
            cursor.execute("INSERT INTO counters VALUES (?, ?)", [name, following])


# --- refs -----------------------------------------------------------------------------------------------------------

_REFS = "SELECT id, ref FROM context_items WHERE ref <> drive || ':' || path ORDER BY id"


def _follow_refs(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """The ref is the key that is known to be unique, so it is right, where it is one at all."""
    numbers = [damage.key[0] for damage in damages]
    cursor.execute(
        "UPDATE context_items SET drive = split_part(ref, ':', 1), path = substr(ref, strpos(ref, ':') + 1)"
        f" WHERE id {IN} AND regexp_matches(ref, '^[^:/]+:/')",
        [numbers],
    )
    cursor.execute(
        "UPDATE context_items SET ref = CASE WHEN EXISTS (SELECT 1 FROM context_items o WHERE"
        " o.ref = context_items.drive || ':' || context_items.path) THEN drive || ':/lost+found/' || id"
        f" ELSE drive || ':' || path END WHERE id {IN} AND ref <> drive || ':' || path",
        [numbers],
    )
    cursor.execute(
        "UPDATE context_items SET drive = split_part(ref, ':', 1), path = substr(ref, strpos(ref, ':') + 1)"
        f" WHERE id {IN} AND ref <> drive || ':' || path",
        [numbers],
    )
    dirty_rows.mark_dirty(cursor, "document", numbers)


_IN_THE_WAY = (
    "WITH RECURSIVE rows AS (SELECT id, drive, path, ref, mime_type FROM context_items"
    " WHERE drive IN (SELECT unnest({drives}::VARCHAR[]))), above AS (SELECT DISTINCT drive,"
    " regexp_extract(path, '^(.*)/[^/]*$', 1) AS path FROM rows UNION SELECT drive,"
    " regexp_extract(path, '^(.*)/[^/]*$', 1) FROM above WHERE path <> '')"
    f" SELECT r.id, r.ref, r.drive, r.path FROM rows r JOIN above a ON a.drive = r.drive AND a.path = r.path"
    f" WHERE r.mime_type <> '{DIRECTORY}' ORDER BY r.ref"
)


def _in_the_way(cursor: Cursor) -> list[Damage]:
    rows = cursor.execute(_IN_THE_WAY.format(drives=sorted(VERBATIM))).fetchall()
    return [Damage(row[1], row) for row in rows]


def _aside(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """The file gets the first name beside the directory that is free."""
    for number, _, drive, path in (damage.key for damage in damages):
        place = 2
        while items.find_item(cursor, items.ref(drive, f"{path}~{place}")) is not None:
            place += 1
        (free,) = take_ids(cursor, "item", 1)
        drive_moves.move_file(cursor, number, drive, path, drive, f"{path}~{place}", free)


# --- slugs ----------------------------------------------------------------------------------------------------------


class Slugs(NamedTuple):
    """Rows of one kind that have a name in the tree."""

    kind: str
    table: str
    made_of: str
    """SQL: what the name is made of."""
    wanted: Callable[[Any], list[str]]
    """The names that this may have, the best first."""
    name: str = "slug"
    key: str = "slug_key"
    """Columns of the name and of what it is looked up by."""

    def rows(self, cursor: Cursor) -> list[tuple[int, str, str, Any]]:
        """Id, name, key and what the name is made of: of two with one name it belongs to the one that it is made from,
        else to the one that came first."""
        found = cursor.execute(f"SELECT id, {self.name}, {self.key}, {self.made_of} FROM {self.table} ORDER BY id")
        return sorted(found.fetchall(), key=lambda row: self.wanted(row[3])[0] != row[1])


def _slug_or(fallback: str) -> Callable[[str | None], list[str]]:
    return lambda text: [slug(text or "", fallback)]


SLUGS = (
    Slugs("entity", "entities", "name", _slug_or("unnamed")),
    Slugs("topic", "topics", "name", _slug_or("topic")),
    Slugs(
        "document",
        "documents",
        "[(SELECT i.path FROM context_items i WHERE i.id = documents.id), title]",
        lambda place: wanted_names(*(each or "" for each in place)),
    ),
)
SOURCES = (Slugs("source", "sources", "regexp_extract(path, '([^/]*)/*$', 1)", _slug_or("source"), "name", "NULL"),)


def is_slug(name: str) -> bool:
    """Whether the naming rules can have made a name."""
    stem = re.sub(r"~[1-9]\d*\Z", "", name)
    return bool(stem) and slug(stem, "") == stem


def _names_of(kinds: Sequence[Slugs]) -> Find:
    def find_damages(cursor: Cursor) -> list[Damage]:
        found = []
        for each in kinds:
            had: set[str] = set()
            for number, name, key, _ in each.rows(cursor):
                if not is_slug(name):
                    found.append(Damage(f"{each.kind} {name!r} is no name in the tree", (each.kind, number)))
                elif slug_key(name) in had:
                    found.append(Damage(f"{each.kind} {name} has the name of another", (each.kind, number)))
                elif key not in (slug_key(name), None):
                    found.append(Damage(f"{each.kind} {name} is looked up as {key}", (each.kind, number)))
                had.add(slug_key(name))
        return found

    return find_damages


def _name_again(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """A name that is one, and free, stays: only what it is looked up by was wrong."""
    for each in (*SLUGS, *SOURCES):
        kind, table, column, key = each.kind, each.table, each.name, each.key
        wrong = {damage.key[1] for damage in damages if damage.key[0] == kind}
        rows = each.rows(cursor) if wrong else []
        taken = {slug_key(name) for number, name, *_ in rows if number not in wrong}
        for number, name, _, source in rows:
            if number not in wrong:
                continue
            keeps = is_slug(name) and slug_key(name) not in taken
            first, *others = each.wanted(source)
            new = name if keeps else unique_slug(first, taken.__contains__, others)
            taken.add(slug_key(new))
            cursor.execute(f"UPDATE {table} SET {column} = ? WHERE id = ?", [new, number])
            if key == "slug_key":
                cursor.execute(f"UPDATE {table} SET slug_key = ? WHERE id = ?", [slug_key(new), number])
        if kind == "entity" and wrong:
            types = cursor.execute(f"SELECT type, slug FROM entities WHERE id {IN}", [sorted(wrong)]).fetchall()
            entities.reclaim_names(cursor, "entity", ((entity_directory(one), name) for one, name in types))
            entities.mark_around(cursor, wrong)
        dirty_rows.mark_dirty(cursor, kind, wrong)


_VERSIONS = (
    "SELECT id, ref, number FROM item_versions QUALIFY number < 1"
    " OR row_number() OVER (PARTITION BY ref, number ORDER BY id) > 1 ORDER BY id"
)


def _number_again(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """Number the versions of these refs anew, in the order in which they were made."""
    cursor.execute(
        "UPDATE item_versions SET number = r.place FROM (SELECT id, row_number() OVER (PARTITION BY ref"
        " ORDER BY replaced_at, id) AS place FROM item_versions WHERE ref IN (SELECT unnest(?::VARCHAR[]))) r"
        " WHERE item_versions.id = r.id",
        [sorted({damage.key[1] for damage in damages})],
    )


CHECKS = (
    Check("meta", "What the store says of itself can be read.",
          "It is set to what it can be, and everything is published again.", _meta, _set_meta),
    Check("counters", "Every id is below the next one that will be given out.",
          "The counter goes on behind the highest id.", _counters, _count_on),
    Check("refs", "The ref of a file is its drive and path.",
          "Drive and path become those of the ref, which is the key that is unique.", selected(_REFS, "{1}"),
          _follow_refs),
    Check("files in the way", "On a drive that is written here no file has the path of a directory.",
          "The file gets a name beside the directory.", _in_the_way, _aside),
    Check("slugs", "Names in the tree are as the rules make them, each once among entities, topics and documents.",
          "Whatever came later gets the first name that is free.", _names_of(SLUGS), _name_again),
    Check("names of sources", "Every source has a name of its own.",
          "Whatever came later gets the first name that is free.", _names_of(SOURCES), _name_again),
    Check("versions", "The versions of a file are numbered from 1, each number once.",
          "They are numbered in the order in which they were made.", selected(_VERSIONS, "{1} version {2}"),
          _number_again),
)  # fmt: skip
