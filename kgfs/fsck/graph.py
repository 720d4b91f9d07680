"""Checks of the graph: no row points nowhere, names and claims agree, quotes stand where facts say, entities and topics
are what their claims come to.

Used by ``kgfs.fsck.run``. What entities and topics should be is found by computing it again in a transaction that is
undone: the same code that made them says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgfs.fsck.findings import Check, Damage, Trial, selected
from kgfs.fsck.rebuilding import READ_AGAIN, column, rebuild, suspect
from kgfs.graph import topic_tree
from kgfs.graph.resolution import drop_documents, resolve_again
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert
from kgfs.store.files import changed_rows, documents
from kgfs.store.files.documents import IN
from kgfs.store.files.items import GROUP
from kgfs.store.graph import claims, topics
from kgfs.store.tree.pages import any_stale

# --- references -----------------------------------------------------------------------------------------------------

_OF_DOCUMENTS = (
    "chunks", "entity_claims", "claim_aliases", "claim_forms", "claim_evidence", "mentions", "topic_claims",
    "topic_claim_chunks", "document_links", "facts", "retracted_facts",
)  # fmt: skip
_SETTLED = (
    # What a new cut into chunks leaves goes when the document is read again.
    "SELECT rowid, * FROM {} WHERE document_id NOT IN (SELECT id FROM context_items WHERE extracted_gen < want_gen)"
)
REFERENCES = (
    *((table, "document_id", "documents") for table in _OF_DOCUMENTS),
    *((table, "chunk_id", "chunks") for table in ("mentions", "facts", "chunk_topics")),
    *((f"({_SETTLED.format(table)})", "chunk_id", "chunks") for table in ("topic_claim_chunks", "retracted_facts")),
    *((table, "entity_id", "entities") for table in ("entity_keys", "entity_aliases", "entity_merges")),
    *((table, "topic_id", "topics") for table in ("chunk_topics", "fact_topics")),
    ("fact_topics", "fact_id", "facts"),
    ("annotation_keys", "annotation_id", "annotations"),
    ("source_items", "source_id", "sources"),
    ("source_items", "item_id", "context_items"),
)  # fmt: skip
"""Table (or SQL), column, and the table of the rows that the column names."""


def _table(source: str) -> str:
    return source.split()[4] if source.startswith("(") else source


_POINTING_NOWHERE = " UNION ALL ".join(
    [
        f"SELECT '{_table(table)}', rowid, '{_table(table)}: {name} ' || {name} || ', which is none of {target}'"
        f" FROM {table} WHERE {name} IS NOT NULL AND {name} NOT IN (SELECT id FROM {target})"
        for table, name, target in REFERENCES
    ]
    + [
        f"SELECT 'former_names', rowid, 'former_names: {kind} ' || slug || ', which leads to no {kind}'"
        f" FROM former_names WHERE kind = '{kind}' AND target_id NOT IN (SELECT id FROM {table})"
        for kind, table in (("entity", "entities"), ("topic", "topics"), ("document", "documents"))
    ]
)

_DOCUMENTS = (
    "SELECT id, slug FROM documents WHERE id NOT IN (SELECT id FROM context_items"
    " UNION ALL SELECT item_id FROM removed_items) ORDER BY id"
)


def drop(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """Repair documents, given by id, that there should not be."""
    drop_documents(cursor, [damage.key[0] for damage in damages])


_REMOVED = "SELECT 'removed_items', rowid, ref FROM removed_items WHERE item_id IN (SELECT id FROM context_items)"
_SOURCES_OF_ITEMS = (
    "SELECT id, ref FROM context_items WHERE source_id IS NOT NULL AND source_id NOT IN (SELECT id FROM sources)"
)


def _without_source(cursor: Cursor, damages: Sequence[Damage]) -> None:
    cursor.execute(
        "UPDATE context_items SET source_id = (SELECT min(m.source_id) FROM source_items m WHERE m.item_id = id"
        f" AND m.source_id IN (SELECT id FROM sources)) WHERE id {IN}",
        [[damage.key[0] for damage in damages]],
    )


# --- rows that stand twice, or in the wrong place -------------------------------------------------------------------

_ONCE = {
    "entity_keys": "key",
    "entity_aliases": "entity_id, alias",
    "entity_merges": "entity_id, name, rule",
    "entity_chunks": "entity_id, chunk_id",
    "mentions": "chunk_id, key",
    "entity_claims": "document_id, key, name, type, aliases, declared, standing, description",
    "facts": "fact_id",
    "chunk_topics": "chunk_id, topic_id",
    "fact_topics": "fact_id, topic_id",
    "topic_claims": "document_id, key, source, name, above, definition, lead, times",
    "topic_claim_chunks": "document_id, key, source, chunk_id",
    "topics": "key",
    "source_items": "source_id, item_id",
    "former_names": "kind, directory, slug",
}
_TWICE = " UNION ALL ".join(
    f"(SELECT '{table}', rowid, '{table}: ' || concat_ws(' ', {key}) FROM {table} QUALIFY "
    # Which of two facts has a wrong id is not known: both come again.
    + ("count(*)" if table == "facts" else "row_number()")
    + f" OVER (PARTITION BY {key}{'' if table == 'facts' else ' ORDER BY rowid'}) > 1)"
    for table, key in _ONCE.items()
)

_MISPLACED = " UNION ALL ".join(
    f"SELECT '{table}', t.rowid, d.slug FROM {table} t JOIN chunks c ON c.id = t.chunk_id"
    " LEFT JOIN documents d ON d.id = c.document_id WHERE t.document_id IS DISTINCT FROM c.document_id"
    for table in ("mentions", "topic_claim_chunks", "chunk_topics", "entity_chunks", "facts")
) + (
    " UNION ALL SELECT 'fact_topics', t.rowid, f.fact_id FROM fact_topics t JOIN facts f ON f.id = t.fact_id"
    " WHERE t.document_id IS DISTINCT FROM f.document_id"
)

# --- claims and names -----------------------------------------------------------------------------------------------

_LOST_CLAIMS = " UNION ALL ".join(
    f"SELECT '{table}', t.rowid, coalesce(d.slug, ''), t.{key} FROM {table} t LEFT JOIN documents d"
    f" ON d.id = t.document_id WHERE t.document_id IS NOT NULL AND t.{key} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM"
    f" {of} c WHERE c.document_id = t.document_id AND c.key = t.{key}{more})"
    for table, key, of, more in (
        *((table, "key", "entity_claims", "") for table in ("claim_aliases", "claim_forms", "claim_evidence",
                                                            "mentions")),
        ("topic_claim_chunks", "key", "topic_claims", " AND c.source = t.source"),
        ("facts", "subject_key", "entity_claims", ""),
        ("facts", "object_key", "entity_claims", ""),
    )
)  # fmt: skip

_LOST_KEYS = (
    "SELECT key, min(entity_id) FROM entity_claims WHERE entity_id IN (SELECT id FROM entities) AND key NOT IN"
    " (SELECT key FROM entity_keys WHERE key IS NOT NULL) GROUP BY key ORDER BY key"
)
_UNCLAIMED = (
    "SELECT id, slug FROM entities WHERE NOT by_person AND id NOT IN"
    " (SELECT entity_id FROM entity_keys UNION SELECT entity_id FROM entity_claims WHERE entity_id IS NOT NULL)"
    " ORDER BY id"
)
_OTHER_ENTITY = " UNION ALL ".join(
    f"SELECT '{table}', t.rowid, t.{'key' if table == 'entity_claims' else 'fact_id'} FROM {table} t"
    f" LEFT JOIN entity_keys k ON k.key = t.{key} WHERE t.document_id IS NOT NULL AND"
    f" (t.{column} IS DISTINCT FROM k.entity_id{' OR t.subject_id IS NULL' if column == 'subject_id' else ''})"
    for table, column, key in claims.NAMED
)


def _follow(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """Claims say whose a name was, claims and facts follow the names, and what has no name goes."""
    lost = cursor.execute(_LOST_KEYS).fetchall()
    insert(
        cursor,
        "entity_keys",
        {
            "group_id": [GROUP] * len(lost),
            "key": [key for key, _ in lost],
            "entity_id": [number for _, number in lost],
        },
    )
    for table, name, key in claims.NAMED:
        wanted = f"(SELECT min(k.entity_id) FROM entity_keys k WHERE k.key = {table}.{key})"
        cursor.execute(f"UPDATE {table} SET {name} = {wanted} WHERE {name} IS DISTINCT FROM {wanted}")
    # A fact whose subject is no entity is no fact.
    nowhere = cursor.execute("SELECT 'facts', rowid FROM facts WHERE subject_id IS NULL").fetchall()
    rebuild(cursor, [Damage("", row) for row in nowhere])
    resolve_again(cursor, [], column(cursor, _UNCLAIMED))


_WANTED_MENTIONS = (
    "SELECT k.entity_id, m.chunk_id, m.document_id, sum(m.count)::INTEGER AS count FROM mentions m"
    " JOIN entity_keys k USING (key) GROUP BY ALL"
)
_MENTIONS = "SELECT entity_id, chunk_id, document_id, count FROM entity_chunks"
_OTHER_MENTIONS = (
    f"SELECT document_id, any_value(entity_id) FROM ((({_WANTED_MENTIONS}) EXCEPT ({_MENTIONS})) UNION ALL"
    f" (({_MENTIONS}) EXCEPT ({_WANTED_MENTIONS}))) GROUP BY document_id ORDER BY document_id"
)


def _count_again(cursor: Cursor, damages: Sequence[Damage]) -> None:
    numbers = [damage.key[0] for damage in damages if damage.key[0] is not None]
    claims.rebuild_chunks(cursor, numbers, [])
    suspect(cursor, numbers)


# --- facts ----------------------------------------------------------------------------------------------------------

_QUOTES = (
    "SELECT f.rowid, f.fact_id, coalesce(i.ref, ''), c.text, f.quote, f.span_start, f.span_end FROM facts f"
    " JOIN chunks c ON c.id = f.chunk_id LEFT JOIN context_items i ON i.id = f.document_id"
    " WHERE f.quote IS NOT NULL AND f.chunk_id BETWEEN ? AND ? ORDER BY f.id"
)
_CHUNKS_AT_ONCE = 5000


def _quotes(cursor: Cursor) -> list[Damage]:
    """Facts whose quote does not stand where they say. The engine cannot cut bytes out of a text, Python can."""
    found = []
    ((last,),) = cursor.execute("SELECT coalesce(max(chunk_id), 0) FROM facts").fetchall()
    for first in range(0, int(last) + 1, _CHUNKS_AT_ONCE):
        rows = cursor.execute(_QUOTES, [first, first + _CHUNKS_AT_ONCE - 1]).fetchall()
        for row, fact, ref, text, quote, start, end in rows:
            if start is None or end is None or start < 0 or text.encode()[start:end] != quote.encode() or not quote:
                found.append(Damage(f"{fact} of {ref}", ("facts", row)))
    return found


# --- topics and links -----------------------------------------------------------------------------------------------


def _circles(cursor: Cursor) -> list[Damage]:
    """Topics beneath a topic that is not there, or beneath themselves."""
    rows = {row.id: row for row in topics.all_topics(cursor).values()}
    found = []
    sound: set[int] = set()
    for row in rows.values():
        trail: list[int] = []
        here: int | None = row.id
        while here in rows and here not in sound and here not in trail:
            trail.append(here)
            here = rows[here].parent_id
        if here in trail:
            found.append(Damage(f"{rows[here].name}: it stands beneath itself", (here,)))
        elif here is not None and here not in sound:
            found.append(Damage(f"{rows[trail[-1]].name}: the topic above it is not there", (trail[-1],)))
        sound.update(trail)
    return found


def _to_the_top(cursor: Cursor, damages: Sequence[Damage]) -> None:
    cursor.execute(f"UPDATE topics SET parent_id = NULL WHERE id {IN}", [[damage.key[0] for damage in damages]])
    topics.note_stale(cursor)


_WRONG_TARGETS = (
    "SELECT rowid, target FROM document_links WHERE target_id IS NOT NULL AND target_id NOT IN"
    " (SELECT id FROM documents)"
)

# --- what claims come to --------------------------------------------------------------------------------------------

KEYS_AT_ONCE = 500
"""Names that one transaction resolves again; nothing is written meanwhile."""


def _resolving(cursor: Cursor) -> list[Callable[[Cursor], object]]:
    rows = cursor.execute("SELECT key FROM entity_claims UNION SELECT key FROM entity_keys ORDER BY 1").fetchall()
    keys = [row[0] for row in rows]
    return [_resolving_of(keys[start : start + KEYS_AT_ONCE]) for start in range(0, len(keys), KEYS_AT_ONCE)]


def _resolving_of(keys: Sequence[str]) -> Callable[[Cursor], object]:
    return lambda cursor: resolve_again(cursor, keys, [])


def _making_topics(cursor: Cursor) -> list[Callable[[Cursor], object]]:
    waits = "SELECT 1 FROM context_items i JOIN documents d USING (id) WHERE i.extracted_gen < i.want_gen LIMIT 1"
    if not topic_tree.topics_are_current(cursor) or cursor.execute(waits).fetchall():
        return []  # they are made when that is done
    return [topic_tree.make_topics]


def _relinking(cursor: Cursor) -> list[Callable[[Cursor], object]]:
    """Links are pointed elsewhere after what was written or removed was read, and what was moved is stale till then."""
    waits = any(changed_rows.count_waiting(cursor)) or any_stale(cursor)
    return [] if waits else [documents.resolve_links]


TRIALS = (
    Trial("entities", "An entity is what its claims come to: name, type, aliases, description, which names it joins.",
          "It is made of its claims again, and the documents that make these are read again.", "entity", "entities",
          _resolving, f"SELECT document_id FROM entity_claims WHERE entity_id {IN}"),
    Trial("topics", "Topics, and what belongs to them, are what the claims of documents come to.",
          "They are made of the claims again, and the documents that make these are read again.", "topic", "topics",
          _making_topics, f"SELECT document_id FROM chunk_topics WHERE topic_id {IN}"),
    Trial("links between documents", "A link between documents leads to the document that it names.",
          "It is looked up again.", "document", "documents", _relinking),
)  # fmt: skip

CHECKS = (
    Check("documents without a file",
          "Every document is made of a stored file, or of one that was removed and has yet to go.",
          "The document goes with all that only it said.", selected(_DOCUMENTS, "{1}"), drop),
    Check("removed files", "What is noted as removed is not there.", "The note goes.", selected(_REMOVED, "{2}"),
          rebuild),
    Check("sources of files", "The source of a file is one of the sources.",
          "The file belongs to another source that has it, or to none.", selected(_SOURCES_OF_ITEMS, "{1}"),
          _without_source),
    Check("references", "No row points at a row that is not there.", READ_AGAIN, selected(_POINTING_NOWHERE, "{2}"),
          rebuild),
    Check("rows that stand twice", "What is said once stands in one row.",
          "One of the rows stays, and the document that they were made from is read again.", selected(_TWICE, "{2}"),
          rebuild),
    Check("places in documents", "What stands in a chunk belongs to the chunk's document.", READ_AGAIN,
          selected(_MISPLACED, "{0}: {2}"), rebuild),
    Check("claims",
          "Every name that a document mentions, or that a fact or a topic of it has, is claimed by that document.",
          READ_AGAIN, selected(_LOST_CLAIMS, "{2}: {0} of {3}"), rebuild),
    Check("facts", "The quote of a fact stands in its chunk, at the bytes that the fact names.", READ_AGAIN, _quotes,
          rebuild, quick=False),
    Check("lost names", "The name of a claim that belongs to an entity is one of that entity's names.",
          "It becomes one again.", selected(_LOST_KEYS, "{0}"), _follow),
    Check("entities without claims", "Something claims every entity that no person made.", "The entity goes.",
          selected(_UNCLAIMED, "{1}"), _follow),
    Check("names and entities", "Claims and facts belong to the entity whose name they have.",
          "They follow the names.", selected(_OTHER_ENTITY, "{0}: {2}"), _follow),
    Check("mentions", "How often an entity stands in a chunk is the sum of the mentions of its names.",
          "They are counted again, and the document is read again.",
          selected(_OTHER_MENTIONS, "what document {0} mentions of entity {1}, and perhaps others"), _count_again),
    Check("topics above topics", "The topic above a topic is there, and none stands beneath itself.",
          "It is put to the top, and topics are made of the claims again.", _circles, _to_the_top),
    Check("targets of links", "Links between documents lead to documents.", "They are looked up again.",
          selected(_WRONG_TARGETS, "{1}"), lambda cursor, damages: None),
)  # fmt: skip
