"""What a person may say of entities: each is checked, kept as a row, and the graph brought up to date with it at once.

Used by the service (``kgfs.service.annotations``) as the work of a mutation, inside a write transaction on the store's
writer thread, so a check is never out of date. Errors are sentences for the user, and then nothing happened.
"""

from __future__ import annotations

from typing import NamedTuple

from kgfs.errors import ConflictError, NotFoundError, UsageError
from kgfs.graph.name_keys import name_key
from kgfs.graph.reduction import DEFAULT_TYPE
from kgfs.graph.resolution import own_names, resolve_annotated
from kgfs.names import ENTITY_DIRECTORIES, one_line, slug, slug_key
from kgfs.store.catalog.database import Cursor
from kgfs.store.graph import annotations as people
from kgfs.store.graph import claims, entities
from kgfs.store.graph.annotations import DESCRIBE, MAKE, MERGE, RENAME, RETYPE, Annotation

MAX_NAME = 500
MAX_TYPE = 60
MAX_DESCRIPTION = 4_000
"""Characters."""


class AnnotatedEntity(NamedTuple):
    """An entity that somebody speaks of."""

    id: int
    slug: str
    name: str
    type: str
    keys: list[str]
    """Its normalised names, the likeliest first."""
    known_as: str
    """Its name and type without what people said."""
    known_type: str


def annotated_entity(cursor: Cursor, entity_id: int) -> AnnotatedEntity:
    """The entity with this id. ``NotFoundError`` when it is gone."""
    row = entities.read_entities(cursor, [entity_id]).get(entity_id)
    if row is None:
        raise NotFoundError("The entity has just changed; look at it again and repeat the command.")
    keys, whole = own_names(cursor, entity_id)
    known_as, known_type = row.name, row.type
    if whole is not None and whole.word.name is not None:
        known_as = whole.word.known_as
    if whole is not None and whole.word.type is not None:
        known_type = whole.word.known_type
    return AnnotatedEntity(row.id, row.slug, row.name, row.type, keys, known_as, known_type)


# --- what is given -------------------------------------------------------------------------------------------------


def clean_text(text: str, what: str, most: int) -> str:
    """A text as it is kept: one line, no blanks around it. ``UsageError`` for an empty or a very long one."""
    text = " ".join(one_line(text.encode("utf-8", "replace").decode("utf-8")).split())
    if not text:
        raise UsageError(f"The {what} is empty; say one.")
    if len(text) > most:
        raise UsageError(f"The {what} has {len(text):,} characters; at most {most:,} are kept, so say a shorter one.")
    return text


def clean_name(text: str) -> str:
    """A name that an entity can have."""
    name = clean_text(text, "name", MAX_NAME)
    if not name_key(name):
        raise UsageError(f"{name} is no name; say one with a letter or a digit in it.")
    return name


def clean_type(cursor: Cursor, text: str) -> str:
    """A type; one that is known in any case is that one."""
    kind = clean_text(text, "type", MAX_TYPE)
    known = [row[0] for row in cursor.execute("SELECT DISTINCT type FROM entities ORDER BY type").fetchall()]
    return next((each for each in (*ENTITY_DIRECTORIES, *known) if each.casefold() == kind.casefold()), kind)


def _require_free(cursor: Cursor, name: str, but: int | None) -> None:
    """``ConflictError`` where another entity is called so, or has it for another name."""
    key, shown = name_key(name), slug_key(slug(name))
    holders = set(claims.entities_of_keys(cursor, [key]).values())
    found = cursor.execute(
        "SELECT id FROM entities WHERE slug_key = ? UNION SELECT entity_id FROM entity_aliases WHERE key = ?",
        [shown, shown],
    ).fetchall()
    holders |= {row[0] for row in found}
    holders.discard(-1 if but is None else but)
    others = entities.read_entities(cursor, holders)
    if others:
        other = others[min(others)]
        raise ConflictError(
            f"{name} is a name of {other.name} ({other.slug}) already; `kgfs entity merge` makes two entities one."
        )


# --- what is said --------------------------------------------------------------------------------------------------


def make_entity(cursor: Cursor, name: str, kind: str, description: str, who: str) -> int:
    """A new entity, which no document need mention; returns its id. ``ConflictError`` where there is one already."""
    name = clean_name(name)
    kind = clean_type(cursor, kind or DEFAULT_TYPE)
    description = clean_text(description, "description", MAX_DESCRIPTION) if description else ""
    _require_free(cursor, name, None)
    keys = [name_key(name)]
    people.put_annotation(cursor, Annotation(kind=MAKE, keys=keys, name=name, type=kind, said_by=who))
    if description:
        said = Annotation(kind=DESCRIBE, keys=keys, name=name, type=kind, value=description, said_by=who)
        people.put_annotation(cursor, said)
    resolve_annotated(cursor, keys)
    return claims.entities_of_keys(cursor, keys)[keys[0]]


def rename_entity(cursor: Cursor, entity_id: int, name: str, who: str) -> None:
    """Another name and slug. ``ConflictError`` for one that is taken."""
    of, name = annotated_entity(cursor, entity_id), clean_name(name)
    if name == of.name:
        raise UsageError(f"{of.name} is called so already.")
    _require_free(cursor, name, of.id)
    _say(cursor, of, RENAME, name, who, name_key(name))


def retype_entity(cursor: Cursor, entity_id: int, kind: str, who: str) -> None:
    """Another type, of the known ones or a new one."""
    of, kind = annotated_entity(cursor, entity_id), clean_type(cursor, kind)
    if kind == of.type:
        raise UsageError(f"{of.name} is of type {of.type} already.")
    _say(cursor, of, RETYPE, kind, who)


def describe_entity(cursor: Cursor, entity_id: int, text: str, who: str) -> None:
    """Another description."""
    of = annotated_entity(cursor, entity_id)
    _say(cursor, of, DESCRIBE, clean_text(text, "description", MAX_DESCRIPTION), who)


def _say(cursor: Cursor, of: AnnotatedEntity, kind: str, value: str, who: str, given: str = "") -> None:
    said = Annotation(
        kind=kind, keys=of.keys, name_key=given, value=value, name=of.known_as, type=of.known_type, slug=of.slug,
        said_by=who,
    )  # fmt: skip
    people.put_annotation(cursor, said)
    resolve_annotated(cursor, [*of.keys, given] if given else of.keys)


def merge_entities(cursor: Cursor, gone_id: int, kept_id: int, who: str) -> None:
    """All that is said of one entity is said of the other from now on. ``UsageError`` where they are one."""
    kept, gone = annotated_entity(cursor, kept_id), annotated_entity(cursor, gone_id)
    if kept.id == gone.id:
        raise UsageError(f"{kept.name} is one entity already; name two, the one that goes first.")
    said = Annotation(
        kind=MERGE, keys=gone.keys, target_keys=kept.keys, value=gone.name, name=gone.known_as, type=gone.known_type,
        slug=gone.slug, target_name=kept.known_as, target_type=kept.known_type, said_by=who,
    )  # fmt: skip
    people.put_annotation(cursor, said)
    resolve_annotated(cursor, [*gone.keys, *kept.keys])


def take_annotation_back(cursor: Cursor, said: Annotation, who: str) -> None:
    """An annotation of an entity does not stand any more: the graph is what it is without it."""
    people.take_annotation_back(cursor, [said.id], who)
    resolve_annotated(cursor, [*said.keys, *said.target_keys, *([said.name_key] if said.name_key else [])])
    if said.kind == MERGE:
        held = claims.entities_of_keys(cursor, [*said.keys, *said.target_keys])
        gone = next((held[key] for key in said.keys if key in held), None)
        kept = next((held[key] for key in said.target_keys if key in held), None)
        if gone is not None and kept is not None and gone != kept:
            own = {one.slug for one in people.all_of_keys(cursor, said.keys) if set(one.keys) & set(said.keys)}
            others = {one.slug for one in people.all_of_keys(cursor, said.target_keys) if one.kind != MERGE}
            entities.lead_back(cursor, kept, gone, own - others - {""})
