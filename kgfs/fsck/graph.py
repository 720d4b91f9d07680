"""Checks of the graph: no row points nowhere, names and claims agree, quotes stand where facts say, entities and topics
are what their claims come to.

Used by ``kgfs.fsck.run``. What entities and topics should be is found by working it out again in a transaction that is
undone: the same code that made them says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kgfs.fsck.findings import Check, Damage, Mend, selected
from kgfs.fsck.mending import column, discard, read_again
from kgfs.graph import topic_tree
from kgfs.graph.resolution import drop_documents, resolve_again
from kgfs.store import changed_rows, claims, dirty_rows, documents, indexing, topics
from kgfs.store.database import Cursor, insert
from kgfs.store.documents import IN
from kgfs.store.items import GROUP
from kgfs.store.pages import any_stale

# --- references -----------------------------------------------------------------------------------------------------


class Reference(NamedTuple):
    """A column that names a row of another table."""

    table: str
    column: str
    target: str
    unless: str = ""
    """SQL: where a row may point at what is not there."""


REFERENCES = (
    Reference("chunks", "document_id", "documents"),
    Reference("entity_claims", "document_id", "documents"),
    Reference("claim_aliases", "document_id", "documents"),
    Reference("claim_forms", "document_id", "documents"),
    Reference("claim_evidence", "document_id", "documents"),
    Reference("mentions", "document_id", "documents"),
    Reference("mentions", "chunk_id", "chunks"),
    Reference("topic_claims", "document_id", "documents"),
    Reference("topic_claim_chunks", "document_id", "documents"),
    # What a new cut into chunks leaves here goes when the document is read again.
    Reference("topic_claim_chunks", "chunk_id", "chunks",
              "document_id IN (SELECT id FROM context_items WHERE extracted_gen < want_gen)"),
    Reference("document_links", "document_id", "documents"),
    Reference("facts", "document_id", "documents"),
    Reference("facts", "chunk_id", "chunks"),
    Reference("annotation_keys", "annotation_id", "annotations"),
    Reference("retracted_facts", "document_id", "documents"),
    Reference("retracted_facts", "chunk_id", "chunks",
              "document_id IN (SELECT id FROM context_items WHERE extracted_gen < want_gen)"),
    Reference("entity_keys", "entity_id", "entities"),
    Reference("entity_aliases", "entity_id", "entities"),
    Reference("entity_merges", "entity_id", "entities"),
    Reference("chunk_topics", "chunk_id", "chunks"),
    Reference("chunk_topics", "topic_id", "topics"),
    Reference("fact_topics", "fact_id", "facts"),
    Reference("fact_topics", "topic_id", "topics"),
    Reference("source_items", "source_id", "sources"),
    Reference("source_items", "item_id", "context_items"),
)  # fmt: skip


def _points_nowhere(reference: Reference) -> str:
    table, name, target, unless = reference
    return f"SELECT rowid, {name} FROM {table} WHERE {name} IS NOT NULL AND {name} NOT IN (SELECT id FROM {target})" + (
        f" AND NOT ({unless})" if unless else ""
    )


def _orphans(cursor: Cursor) -> list[Damage]:
    found = []
    for reference in REFERENCES:
        for row, value in cursor.execute(_points_nowhere(reference)).fetchall():
            text = f"{reference.table}: {reference.column} {value}, which is none of {reference.target}"
            found.append(Damage(text, (reference.table, row)))
    for name, kind, target in _OTHER_ORPHANS:
        for row, value in cursor.execute(f"SELECT rowid, {value_of(name)} FROM {name} WHERE {kind}").fetchall():
            found.append(Damage(f"{name}: {value}, which leads to no {target}", (name, row)))
    return found


def value_of(table: str) -> str:
    """SQL: what a row of these tables is told by."""
    return "kind || ' ' || slug" if table == "former_names" else "id"


_OTHER_ORPHANS = tuple(
    ("former_names", f"kind = '{kind}' AND target_id NOT IN (SELECT id FROM {table})", kind)
    for kind, table in (("entity", "entities"), ("topic", "topics"), ("document", "documents"))
)


def _drop_orphans(cursor: Cursor, damages: Sequence[Damage]) -> None:
    by_table: defaultdict[str, list[int]] = defaultdict(list)
    for damage in damages:
        by_table[damage.key[0]].append(damage.key[1])
    for table, rows in by_table.items():
        discard(cursor, table, rows)


_DOCUMENTS = (
    "SELECT id, slug FROM documents WHERE id NOT IN (SELECT id FROM context_items"
    " UNION ALL SELECT item_id FROM removed_items) ORDER BY id"
)


def _drop_documents(cursor: Cursor, damages: Sequence[Damage]) -> None:
    drop_documents(cursor, [damage.key[0] for damage in damages])


_REMOVED = "SELECT rowid, ref FROM removed_items WHERE item_id IN (SELECT id FROM context_items)"
_SOURCES_OF_ITEMS = (
    "SELECT id, ref FROM context_items WHERE source_id IS NOT NULL AND source_id NOT IN (SELECT id FROM sources)"
)


def _without_source(cursor: Cursor, damages: Sequence[Damage]) -> None:
    cursor.execute(
        "UPDATE context_items SET source_id = (SELECT min(m.source_id) FROM source_items m WHERE m.item_id = id"
        f" AND m.source_id IN (SELECT id FROM sources)) WHERE id {IN}",
        [[damage.key[0] for damage in damages]],
    )


# --- rows that stand twice ------------------------------------------------------------------------------------------

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
    "topic_claim_chunks": "document_id, key, source, chunk_id",
    "topics": "key",
    "source_items": "source_id, item_id",
    "former_names": "kind, directory, slug",
}


_PLACE = "row_number() OVER (PARTITION BY {key} ORDER BY rowid)"


def _twice(cursor: Cursor) -> list[Damage]:
    found = []
    for table, key in _ONCE.items():
        # Which of two facts has a wrong id is not known: both come again.
        place = "count(*) OVER (PARTITION BY {key})" if table == "facts" else _PLACE
        rows = cursor.execute(
            f"SELECT rowid, concat_ws(' ', {key}) FROM {table} QUALIFY {place.format(key=key)} > 1"
        ).fetchall()
        found += [Damage(f"{table}: {value}", (table, row)) for row, value in rows]
    return found


def _keep_first(cursor: Cursor, damages: Sequence[Damage]) -> None:
    by_table: defaultdict[str, list[int]] = defaultdict(list)
    for damage in damages:
        by_table[damage.key[0]].append(damage.key[1])
    for table, rows in by_table.items():
        discard(cursor, table, rows)


# --- claims ---------------------------------------------------------------------------------------------------------

_UNCLAIMED = " UNION ALL ".join(
    f"SELECT '{table}' AS name, document_id, key FROM {table} t WHERE NOT EXISTS (SELECT 1 FROM {of} c"
    " WHERE c.document_id = t.document_id AND c.key = t.key" + more + ")"
    for table, of, more in (
        ("claim_aliases", "entity_claims", ""),
        ("claim_forms", "entity_claims", ""),
        ("claim_evidence", "entity_claims", ""),
        ("mentions", "entity_claims", ""),
        ("topic_claim_chunks", "topic_claims", " AND c.source = t.source"),
    )
)
_FACT_NAMES = (
    "SELECT 'facts' AS name, document_id, subject_key AS key FROM facts f WHERE document_id IS NOT NULL AND NOT EXISTS"
    " (SELECT 1 FROM entity_claims c WHERE c.document_id = f.document_id AND c.key = f.subject_key)"
    " UNION ALL SELECT 'facts', document_id, object_key FROM facts f WHERE document_id IS NOT NULL AND object_key IS"
    " NOT NULL AND NOT EXISTS (SELECT 1 FROM entity_claims c WHERE c.document_id = f.document_id AND"
    " c.key = f.object_key)"
)
_LOST_CLAIMS = (
    "SELECT DISTINCT document_id, coalesce(d.slug, ''), name, key FROM ("
    f"{_UNCLAIMED} UNION ALL {_FACT_NAMES}) LEFT JOIN documents d ON d.id = document_id ORDER BY ALL"
)


def _read_documents_again(cursor: Cursor, damages: Sequence[Damage]) -> None:
    read_again(cursor, {damage.key[0] for damage in damages})


_MISPLACED = " UNION ALL ".join(
    f"SELECT '{table}' AS name, t.rowid AS number, d.slug FROM {table} t JOIN chunks c ON c.id = t.chunk_id"
    " LEFT JOIN documents d ON d.id = c.document_id WHERE t.document_id IS DISTINCT FROM c.document_id"
    for table in ("mentions", "topic_claim_chunks", "chunk_topics", "entity_chunks")
) + (
    " UNION ALL SELECT 'facts', f.rowid, f.fact_id FROM facts f JOIN chunks c ON c.id = f.chunk_id"
    " WHERE f.document_id IS DISTINCT FROM c.document_id"
    " UNION ALL SELECT 'fact_topics', t.rowid, f.fact_id FROM fact_topics t JOIN facts f ON f.id = t.fact_id"
    " WHERE t.document_id IS DISTINCT FROM f.document_id"
)


def _drop_misplaced(cursor: Cursor, damages: Sequence[Damage]) -> None:
    by_table: defaultdict[str, list[int]] = defaultdict(list)
    for table, row, _ in (damage.key for damage in damages):
        by_table[table].append(row)
    for table, rows in by_table.items():
        if table not in ("chunk_topics", "fact_topics", "entity_chunks"):
            # The chunk says whose it is: that document is read again too.
            owners = f"SELECT c.document_id FROM {table} t JOIN chunks c ON c.id = t.chunk_id WHERE t.rowid {IN}"
            read_again(cursor, column(cursor, owners, rows))
        discard(cursor, table, rows)


# --- names ----------------------------------------------------------------------------------------------------------

_WANTED_MENTIONS = (
    "SELECT k.entity_id, m.chunk_id, m.document_id, sum(m.count)::INTEGER AS count FROM mentions m"
    " JOIN entity_keys k USING (key) GROUP BY ALL"
)
_MENTIONS = "SELECT entity_id, chunk_id, document_id, count FROM entity_chunks"
_OTHER_MENTIONS = (
    f"SELECT document_id, any_value(entity_id) FROM ((({_WANTED_MENTIONS}) EXCEPT ({_MENTIONS})) UNION ALL"
    f" (({_MENTIONS}) EXCEPT ({_WANTED_MENTIONS}))) GROUP BY document_id ORDER BY document_id"
)


def _mentions(cursor: Cursor) -> list[Damage]:
    return [
        Damage(f"what document {document} mentions of entity {entity}, and perhaps others", (document,))
        for document, entity in cursor.execute(_OTHER_MENTIONS).fetchall()
    ]


def _count_again(cursor: Cursor, damages: Sequence[Damage]) -> None:
    numbers = sorted({damage.key[0] for damage in damages if damage.key[0] is not None})
    before = claims.entities_of_documents(cursor, numbers)
    cursor.execute("DELETE FROM entity_chunks WHERE document_id IS NULL")
    claims.rebuild_chunks(cursor, numbers, [])
    dirty_rows.mark_dirty(cursor, "entity", before | claims.entities_of_documents(cursor, numbers))
    dirty_rows.mark_dirty(cursor, "document", numbers)
    dirty_rows.mark_dirty(cursor, "chunk", indexing.chunk_ids(cursor, numbers))


_LOST_KEYS = (
    "SELECT key, min(entity_id) FROM entity_claims WHERE entity_id IN (SELECT id FROM entities) AND key NOT IN"
    " (SELECT key FROM entity_keys WHERE key IS NOT NULL) GROUP BY key ORDER BY key"
)


def _put_keys(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """Its claims say whose a name was."""
    keys, numbers = zip(*(damage.key for damage in damages), strict=True)
    insert(cursor, "entity_keys", {"group_id": [GROUP] * len(keys), "key": list(keys), "entity_id": list(numbers)})


_OTHER_ENTITY = (
    "SELECT 'entity_claims' AS name, c.rowid AS number, c.key FROM entity_claims c LEFT JOIN entity_keys k USING (key)"
    " WHERE c.entity_id IS DISTINCT FROM k.entity_id"
    " UNION ALL SELECT 'facts', f.rowid, f.fact_id FROM facts f LEFT JOIN entity_keys s ON s.key = f.subject_key"
    " WHERE f.document_id IS NOT NULL AND (f.subject_id IS NULL OR f.subject_id IS DISTINCT FROM s.entity_id)"
    " UNION ALL SELECT 'facts', f.rowid, f.fact_id FROM facts f LEFT JOIN entity_keys o ON o.key = f.object_key"
    " WHERE f.document_id IS NOT NULL AND f.object_id IS DISTINCT FROM o.entity_id"
)


def _follow_keys(cursor: Cursor, damages: Sequence[Damage]) -> None:
    """Claims and facts belong to the entities that their names are."""
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for table, row, _ in (damage.key for damage in damages):
        numbers[table].append(row)
    said = numbers["entity_claims"]
    touched = column(cursor, f"SELECT entity_id FROM entity_claims WHERE rowid {IN}", said)
    cursor.execute(
        "UPDATE entity_claims SET entity_id = (SELECT min(k.entity_id) FROM entity_keys k"
        f" WHERE k.key = entity_claims.key) WHERE rowid {IN}",
        [said],
    )
    touched += column(cursor, f"SELECT entity_id FROM entity_claims WHERE rowid {IN}", said)
    facts = numbers["facts"]
    ends = f"SELECT unnest([subject_id, object_id]) FROM facts WHERE rowid {IN}"
    touched += column(cursor, ends, facts)
    cursor.execute(
        "UPDATE facts SET subject_id = (SELECT min(k.entity_id) FROM entity_keys k WHERE k.key = facts.subject_key),"
        " object_id = (SELECT min(k.entity_id) FROM entity_keys k WHERE k.key = facts.object_key),"
        f" want_gen = want_gen + 1, version = version + 1 WHERE rowid {IN}",
        [facts],
    )
    touched += column(cursor, ends, facts)
    dirty_rows.mark_dirty(cursor, "fact", column(cursor, f"SELECT id FROM facts WHERE rowid {IN}", facts))
    dirty_rows.mark_dirty(cursor, "entity", touched)
    # A fact whose subject is nobody is no fact.
    lost = column(cursor, f"SELECT rowid FROM facts WHERE rowid {IN} AND subject_id IS NULL", facts)
    discard(cursor, "facts", lost)


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
                found.append(Damage(f"{fact} of {ref}", (row,)))
    return found


def _drop_facts(cursor: Cursor, damages: Sequence[Damage]) -> None:
    discard(cursor, "facts", [damage.key[0] for damage in damages])


# --- topics ---------------------------------------------------------------------------------------------------------


def _circles(cursor: Cursor) -> list[Damage]:
    """Topics beneath a topic that is not there, or beneath themselves."""
    rows = {row.id: row for row in topics.all_topics(cursor).values()}
    found = []
    sound: set[int] = set()
    for row in rows.values():
        trail: list[int] = []
        here: int | None = row.id
        while here is not None and here not in sound and here not in trail and here in rows:
            trail.append(here)
            here = rows[here].parent_id
        if here is None or here in sound:
            sound.update(trail)
        elif here not in rows:
            found.append(Damage(f"{rows[trail[-1]].name}: the topic above it is not there", (trail[-1],)))
            sound.update(trail)
        else:
            found.append(Damage(f"{rows[here].name}: it stands beneath itself", (here,)))
            sound.update(trail)
    return found


def _to_the_top(cursor: Cursor, damages: Sequence[Damage]) -> None:
    cursor.execute(f"UPDATE topics SET parent_id = NULL WHERE id {IN}", [[damage.key[0] for damage in damages]])
    topics.note_stale(cursor)


# --- what claims come to --------------------------------------------------------------------------------------------


KEYS_AT_ONCE = 500
"""Names that one transaction resolves again; nothing is written meanwhile."""


class Trial(NamedTuple):
    """Something that is worked out again: what that changes was wrong."""

    name: str
    explanation: str
    remedy: str
    kind: str
    """Of what it marks as stale, rows of this kind are what it is about."""
    table: str
    works: Callable[[Cursor], list[Callable[[Cursor], object]]]
    """What is to be done, each in a transaction of its own; nothing where it would prove nothing now."""

    def attempt(self, cursor: Cursor, work: Callable[[Cursor], object]) -> list[Damage]:
        """What a work changes. The transaction must be undone: what was stale before is forgotten in it."""
        names = f"SELECT id, slug FROM {self.table} WHERE id {IN}"
        cursor.execute("DELETE FROM stale")
        cursor.execute("DELETE FROM removals")
        work(cursor)
        changed = column(cursor, "SELECT DISTINCT id FROM stale WHERE kind = ? ORDER BY id", self.kind)
        known = dict(cursor.execute(names, [changed]).fetchall())
        return [Damage(f"{self.kind} {known.get(number, f'{number}, which would go')}") for number in changed]


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
    Trial(
        "entities",
        "An entity is what its claims come to: name, type, aliases, description, which names it joins.",
        "It is made of its claims again.",
        "entity",
        "entities",
        _resolving,
    ),
    Trial(
        "topics",
        "Topics, and what belongs to them, are what the claims of documents come to.",
        "They are made of the claims again.",
        "topic",
        "topics",
        _making_topics,
    ),
    Trial(
        "links between documents",
        "A link between documents leads to the document that it names.",
        "It is looked up again.",
        "document",
        "documents",
        _relinking,
    ),
)

_UNCLAIMED_ENTITIES = (
    "SELECT id, slug FROM entities WHERE NOT by_person AND id NOT IN"
    " (SELECT entity_id FROM entity_keys UNION SELECT entity_id FROM entity_claims WHERE entity_id IS NOT NULL)"
    " ORDER BY id"
)


def _drop_unclaimed(cursor: Cursor, damages: Sequence[Damage]) -> None:
    resolve_again(cursor, [], [damage.key[0] for damage in damages])


_WRONG_TARGETS = (
    "SELECT rowid, target FROM document_links WHERE target_id IS NOT NULL AND target_id NOT IN"
    " (SELECT id FROM documents)"
)


def _resolve_links(cursor: Cursor, damages: Sequence[Damage]) -> None:
    cursor.execute(
        f"UPDATE document_links SET target_id = NULL WHERE rowid {IN}", [[damage.key[0] for damage in damages]]
    )
    documents.resolve_links(cursor)


def _delete_rows(table: str) -> Mend:
    def mend(cursor: Cursor, damages: Sequence[Damage]) -> None:
        discard(cursor, table, [damage.key[0] for damage in damages])

    return mend


CHECKS = (
    Check(
        "documents without a file",
        "Every document is made of a stored file, or of one that was removed and has yet to go.",
        "The document goes with all that only it said.",
        selected(_DOCUMENTS, "{1}"),
        _drop_documents,
        quick=True,
    ),
    Check(
        "removed files",
        "What is noted as removed is not there.",
        "The note goes.",
        selected(_REMOVED, "{1}"),
        _delete_rows("removed_items"),
        quick=True,
    ),
    Check(
        "sources of files",
        "The source of a file is one of the sources.",
        "The file belongs to another source that has it, or to none.",
        selected(_SOURCES_OF_ITEMS, "{1}"),
        _without_source,
        quick=True,
    ),
    Check(
        "references",
        "No row points at a row that is not there.",
        "The row goes, and the document that it was made from is read again.",
        _orphans,
        _drop_orphans,
        quick=True,
    ),
    Check(
        "rows that stand twice",
        "What is said once stands in one row.",
        "One of the rows stays.",
        _twice,
        _keep_first,
        quick=True,
    ),
    Check(
        "places in documents",
        "What stands in a chunk belongs to the chunk's document.",
        "The row goes, and both documents are read again.",
        selected(_MISPLACED, "{0}: {2}"),
        _drop_misplaced,
        quick=True,
    ),
    Check(
        "claims",
        "Every name that a document mentions, or that a fact or a topic of it has, is claimed by that document.",
        "The document is read again.",
        selected(_LOST_CLAIMS, "{1}: {2} of {3}"),
        _read_documents_again,
        quick=True,
    ),
    Check(
        "facts",
        "The quote of a fact stands in its chunk, at the bytes that the fact names.",
        "The fact goes and its document is read again.",
        _quotes,
        _drop_facts,
    ),
    Check(
        "lost names",
        "The name of a claim that belongs to an entity is one of that entity's names.",
        "It becomes one again.",
        selected(_LOST_KEYS, "{0}"),
        _put_keys,
        quick=True,
    ),
    Check(
        "entities without claims",
        "Something claims every entity that no person made.",
        "The entity goes.",
        selected(_UNCLAIMED_ENTITIES, "{1}"),
        _drop_unclaimed,
        quick=True,
    ),
    Check(
        "names and entities",
        "Claims and facts belong to the entity whose name they have.",
        "They follow the names.",
        selected(_OTHER_ENTITY, "{0}: {2}"),
        _follow_keys,
        quick=True,
    ),
    Check(
        "mentions",
        "How often an entity stands in a chunk is the sum of the mentions of its names.",
        "They are counted again.",
        _mentions,
        _count_again,
        quick=True,
    ),
    Check(
        "topics above topics",
        "The topic above a topic is there, and none stands beneath itself.",
        "It is put to the top, and topics are made of the claims again.",
        _circles,
        _to_the_top,
        quick=True,
    ),
    Check(
        "targets of links",
        "Links between documents lead to documents.",
        "They are looked up again.",
        selected(_WRONG_TARGETS, "{1}"),
        _resolve_links,
        quick=True,
    ),
)
