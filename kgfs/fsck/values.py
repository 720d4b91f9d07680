"""Checks of single rows: columns that always have a value have one, JSON is JSON, words are of those that there are.

Used by ``kgfs.fsck.run``, before all other checks: these rely on it. One statement a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from kgfs.fsck.findings import Check, Damage, selected
from kgfs.fsck.rebuilding import parse_again, rebuild
from kgfs.model import DATE_ROLES, STATUSES
from kgfs.paths import FACT_ID
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import ID_LIMIT, take_ids
from kgfs.store.files.documents import IN
from kgfs.store.files.items import DIRECTORY
from kgfs.store.files.staging import move_blocks
from kgfs.store.graph.claims import SHAPES


class Columns(NamedTuple):
    """What the columns of a table hold."""

    table: str
    always: str
    """Columns that are never NULL."""
    lists: str = ""
    """Columns that hold a JSON list."""
    objects: str = ""
    """Columns that hold a JSON object."""
    words: Mapping[str, str] = MappingProxyType({})
    """Column to the words that it may hold."""
    dates: str = ""
    """Columns that hold an ISO date or NULL."""
    other: str = ""
    """SQL: what else is wrong."""


TABLES = (
    Columns("documents", "group_id slug slug_key title description summary text_size text_is_content front_matter tags"
            " version changed_at", lists="tags", objects="front_matter", dates="date",
            other="NOT text_is_content AND text IS NULL"),
    Columns("chunks", "document_id ordinal text size start first_line last_line headings tokens hash group_id version"
            " changed_at", lists="headings", dates="date"),
    Columns("entities", "group_id slug slug_key name type description attributes confidence extractor by_person version"
            " changed_at created_at summary", objects="attributes", other="name = '' OR type = ''"),
    Columns("entity_claims", "group_id document_id key name type aliases description attributes confidence declared"
            " extractor standing passages", lists="aliases passages", objects="attributes",
            words={"standing": "sure shown seen"}, other="key = ''"),
    Columns("claim_aliases", "group_id document_id key alias_key declared rule"),
    Columns("claim_forms", "group_id document_id key rule form side", words={"side": "long short same"}),
    Columns("claim_evidence", "group_id document_id key kind label amount",
            words={"kind": "seen acts type clue shown against shape"},
            other=f"kind = 'shape' AND label NOT IN {SHAPES}"),
    Columns("entity_keys", "group_id key entity_id"),
    Columns("entity_aliases", "group_id entity_id alias slug key"),
    Columns("entity_merges", "group_id entity_id name rule confidence documents"),
    Columns("mentions", "group_id document_id chunk_id key count", other="count < 1"),
    Columns("entity_chunks", "group_id entity_id chunk_id document_id count"),
    Columns("former_names", "group_id kind directory slug target_id", words={"kind": "entity topic document"}),
    Columns("facts", "group_id fact_id type description status confidence extractor version changed_at",
            words={"status": " ".join(STATUSES), "date_role": " ".join(DATE_ROLES)},
            dates="date valid_from valid_to ended",
            other=f"NOT regexp_full_match(fact_id, '{FACT_ID}') OR type = ''"
            # What a document says has its place in it.
            " OR (document_id IS NOT NULL AND (chunk_id IS NULL OR subject_key IS NULL OR quote IS NULL"
            " OR span_start IS NULL OR span_end IS NULL))"),
    Columns("topics", "group_id slug slug_key name key definition source version changed_at",
            words={"source": "tag heading part phrase model cluster"}, other="key = '' OR name = ''"),
    Columns("topic_claims", "group_id document_id key source name above definition lead times",
            words={"source": "tag heading part phrase model"}, other="key = ''"),
    Columns("topic_claim_chunks", "group_id document_id key source chunk_id count",
            words={"source": "tag heading part phrase model"}),
    Columns("topic_groups", "group_id member key name size"),
    Columns("chunk_topics", "group_id chunk_id topic_id document_id"),
    Columns("fact_topics", "group_id fact_id topic_id document_id"),
    Columns(
        "document_links", "group_id document_id target target_key kind label", words={"kind": "wikilink embed path"}
    ),
    Columns("retracted_facts", "group_id fact_id document_id chunk_id fact", objects="fact"),
    Columns("annotation_keys", "annotation_id role ordinal key"),
    Columns("source_items", "source_id item_id"),
    Columns("sources", "group_id name drive path", objects="options"),
    Columns("removed_items", "item_id ref want_gen removed_at"),
    Columns("stale", "kind id", words={"kind": "document chunk entity topic fact source"}),
    Columns("removals", "kind id", words={"kind": "chunk entity topic fact"}),
    Columns("pages", "page_id view owner_id name size body"),
    Columns("blocks", "item_id ordinal data"),
    Columns("item_versions", "ref number item_id is_textual size hash mode mtime_us replaced_at"),
)  # fmt: skip
"""What every row of these tables must hold; ``context_items`` has a check of its own."""

IDS = ("documents", "chunks", "entities", "facts", "topics", "sources", "item_versions")
_DATE = r"'\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])([T ].*)?)?)?'"


def _wrong(columns: Columns, *, with_id: bool) -> list[tuple[str, str]]:
    """``(what is wrong, SQL condition)`` of every thing that may be wrong in a row."""
    found = [(f"{name} is missing", f"{name} IS NULL") for name in columns.always.split()]
    for kind, names in (("ARRAY", columns.lists), ("OBJECT", columns.objects)):
        found += [
            (
                f"{name} is no JSON {kind.lower()}",
                # (the engine asks for the type even where the test before says no)
                f"{name} IS NOT NULL AND coalesce(json_type(CASE WHEN json_valid({name}) THEN {name} END), '')"
                f" <> '{kind}'",
            )
            for name in names.split()
        ]
    for name, words in columns.words.items():
        known = ", ".join(f"'{word}'" for word in words.split())
        found.append((f"{name} is a word that is not known", f"{name} NOT IN ({known})"))
    for name in columns.dates.split():
        found.append((f"{name} is no date", f"{name} IS NOT NULL AND NOT regexp_full_match({name}, {_DATE})"))
    if columns.other:
        found.append(("what it holds cannot be", f"({columns.other})"))
    if with_id:
        found.append(("its id cannot be", f"id < 1 OR id >= {ID_LIMIT}"))
    return found


def _statement(columns: Columns) -> str:
    cases = _wrong(columns, with_id=columns.table in IDS)
    label = " ".join(f"WHEN {condition} THEN '{what}'" for what, condition in cases)
    return (
        f"SELECT '{columns.table}', rowid, what FROM (SELECT rowid, CASE {label} END AS what FROM {columns.table})"
        " WHERE what IS NOT NULL"
    )


_ITEM = (
    "SELECT id, coalesce(ref, drive || ':' || path, 'an item without a name'), what FROM (SELECT *, CASE"
    f" WHEN id < 1 OR id >= {ID_LIMIT} THEN 'its id cannot be'"
    " WHEN drive IS NULL OR path IS NULL OR ref IS NULL THEN 'its name is missing'"
    " WHEN title IS NULL THEN 'its title is missing' WHEN mime_type IS NULL THEN 'its media type is missing'"
    " WHEN is_textual IS NULL OR (size IS NULL) THEN 'its size is missing'"
    f" WHEN hash IS NULL AND mime_type <> '{DIRECTORY}' THEN 'its hash is missing'"
    " WHEN mode IS NULL OR mode < 0 OR mode > 4095 THEN 'its mode cannot be'"
    " WHEN created_at IS NULL OR updated_at IS NULL THEN 'its times are missing'"
    " WHEN notes IS NULL OR coalesce(json_type(CASE WHEN json_valid(notes) THEN notes END), '') <> 'ARRAY'"
    " THEN 'its notes are no JSON list'"
    " WHEN xattrs IS NOT NULL AND coalesce(json_type(CASE WHEN json_valid(xattrs) THEN xattrs END), '') <> 'OBJECT'"
    " THEN 'its attributes are no JSON object'"
    " WHEN group_id IS NULL THEN 'its group is missing' END AS what FROM context_items) WHERE what IS NOT NULL"
)


def _complete_items(cursor: Cursor, damages: Sequence[Damage]) -> None:
    numbers = [damage.key[0] for damage in damages]
    cursor.execute(
        "UPDATE context_items SET group_id = 1,"
        " drive = coalesce(drive, nullif(split_part(ref, ':', 1), ''), 'disk'),"
        " path = coalesce(path, nullif(substr(ref, strpos(ref, ':') + 1), ''), '/lost+found/' || id),"
        " mode = CASE WHEN mode BETWEEN 0 AND 4095 THEN mode ELSE 420 END,"
        " updated_at = coalesce(updated_at, created_at, TIMESTAMP '1970-01-01'),"
        " created_at = coalesce(created_at, updated_at, TIMESTAMP '1970-01-01'),"
        " mime_type = coalesce(mime_type, CASE WHEN is_textual THEN 'text/plain' ELSE 'application/octet-stream' END),"
        " is_textual = coalesce(is_textual, content IS NOT NULL), size = coalesce(size, -1), hash = coalesce(hash, ''),"
        " notes = CASE WHEN json_valid(notes) AND json_type(CASE WHEN json_valid(notes) THEN notes END) = 'ARRAY'"
        " THEN notes ELSE '[]' END,"
        " xattrs = CASE WHEN json_valid(xattrs) AND json_type(CASE WHEN json_valid(xattrs) THEN xattrs END) = 'OBJECT'"
        f" THEN xattrs END WHERE id {IN}",
        [numbers],
    )
    cursor.execute(
        "UPDATE context_items SET ref = coalesce(ref, CASE WHEN NOT EXISTS (SELECT 1 FROM context_items o"
        " WHERE o.ref = context_items.drive || ':' || context_items.path) THEN drive || ':' || path"
        " ELSE drive || ':/lost+found/' || id END),"
        f" title = coalesce(title, regexp_extract(path, '[^/]*$')) WHERE id {IN}",
        [numbers],
    )
    strange = [number for number in numbers if not 0 < number < ID_LIMIT]
    for number, free in zip(strange, take_ids(cursor, "item", len(strange)), strict=True):
        cursor.execute("UPDATE context_items SET id = ? WHERE id = ?", [free, number])
        move_blocks(cursor, number, free)
        parse_again(cursor, [free])
    parse_again(cursor, numbers)


CHECKS = (
    Check("items", "Every stored file has a name, a size, a mode and times that can be.",
          "What is missing is made from the rest of the row.", selected(_ITEM, "{1}: {2}"), _complete_items),
    Check("values", "Every row has the values that its table always has, in the form that they always have.",
          "The row goes, and the document that it was made from is read again; a version or a source is completed.",
          selected(" UNION ALL ".join(map(_statement, TABLES)), "{0}: {2}"), rebuild),
)  # fmt: skip
