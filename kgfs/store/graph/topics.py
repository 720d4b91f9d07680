"""Topics as rows: what documents claim of them, and what is made of all claims together.

Used by ``kgfs.graph.topic_tree`` inside a write transaction, on the store's writer thread. Claims change with their
documents; ``topics``, ``chunk_topics`` and ``fact_topics`` are written by nobody but the reduction, as differences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert, value_table
from kgfs.store.files.documents import IN
from kgfs.store.files.items import GROUP, now

PHRASE = "phrase"
STALE = "stale"
OLDER = "older"
"""The state in which migration 2 leaves claims: their keys are those of another normal form."""


class TopicRow(msgspec.Struct, kw_only=True):
    """A topic's row."""

    id: int
    slug: str
    name: str
    key: str
    parent_id: int | None
    definition: str = ""
    source: str = ""


class TopicClaim(msgspec.Struct, frozen=True, kw_only=True):
    """What one document says about one topic."""

    document_id: int
    key: str
    source: str
    name: str
    above: str = ""
    definition: str = ""
    lead: str = ""
    times: int = 1


class ClaimChunk(msgspec.Struct, frozen=True, kw_only=True):
    """A chunk that a claim is about."""

    document_id: int
    key: str
    source: str
    chunk_id: int
    count: int = 1


# --- claims --------------------------------------------------------------------------------------------------------


def clear_claims(cursor: Cursor, document_ids: Sequence[int]) -> bool:
    """Take back what documents say about topics; returns whether they said anything."""
    numbers = list(document_ids)
    cursor.execute(f"DELETE FROM topic_claim_chunks WHERE document_id {IN}", [numbers])
    row = cursor.execute(f"DELETE FROM topic_claims WHERE document_id {IN}", [numbers]).fetchone()
    return bool(row and row[0])


def insert_claims(cursor: Cursor, claims: Sequence[TopicClaim], chunks: Sequence[ClaimChunk]) -> None:
    """Insert claims and their chunks."""
    for table, rows, kind in (("topic_claims", claims, TopicClaim), ("topic_claim_chunks", chunks, ClaimChunk)):
        columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in kind.__struct_fields__}
        insert(cursor, table, {**columns, "group_id": [GROUP] * len(rows)})


def note_stale(cursor: Cursor) -> None:
    """Claims changed, or the entities whose names are no topics: topics are to be made of the claims again."""
    cursor.execute("INSERT OR REPLACE INTO meta VALUES ('topics', ?)", [STALE])


def any_claims(cursor: Cursor) -> bool:
    """Whether any document claims a topic."""
    return cursor.execute("SELECT 1 FROM topic_claims LIMIT 1").fetchone() is not None


def topics_state(cursor: Cursor) -> str:
    """What ``note_state`` was last told; empty in a new store, ``STALE`` where claims changed since."""
    row = cursor.execute("SELECT value FROM meta WHERE key = 'topics'").fetchone()
    return str(row[0]) if row else ""


def note_state(cursor: Cursor, value: str) -> None:
    """Remember by which rules topics were made of the claims as they stand."""
    cursor.execute("INSERT OR REPLACE INTO meta VALUES ('topics', ?)", [value])


def rename_keys(cursor: Cursor, rename: Callable[[str], str]) -> None:
    """Give all claims the keys that ``rename`` makes of theirs."""
    for table, column in (("topic_claims", "key"), ("topic_claims", "above"), ("topic_claim_chunks", "key")):
        keys = [row[0] for row in cursor.execute(f"SELECT DISTINCT {column} FROM {table}").fetchall()]
        names = {"old": ("VARCHAR", keys), "new": ("VARCHAR", [rename(key) for key in keys])}
        with value_table(cursor, "renamed", names):
            cursor.execute(
                f"UPDATE {table} SET {column} = renamed.new FROM renamed WHERE {table}.{column} = renamed.old"
            )


def count_headed(cursor: Cursor) -> list[tuple[str, int, int, int, bool, int | None, bool]]:
    """Of every key that a tag, a heading or a model claims: documents, chunks, times in one document at most, whether
    it is a tag, the document that is the only one to have it, and whether a model claims it.
    """
    return cursor.execute(
        "WITH claims AS (SELECT key, count(DISTINCT document_id) AS documents, max(times) AS times,"
        " min(document_id) AS first,"
        " bool_or(source = 'tag') AS tag, bool_or(source = 'model') AS model"
        f" FROM topic_claims WHERE source <> '{PHRASE}' GROUP BY key),"
        " passages AS (SELECT key, count(DISTINCT chunk_id) AS chunks FROM topic_claim_chunks JOIN chunks"
        f" ON chunks.id = chunk_id WHERE source <> '{PHRASE}' GROUP BY key)"
        " SELECT key, documents, coalesce(chunks, 0), times, tag, CASE documents WHEN 1 THEN first END, model"
        " FROM claims LEFT JOIN passages USING (key)"
        " WHERE tag OR documents > 1 OR chunks > 1 OR times > 1 ORDER BY key"
    ).fetchall()


_SPOKEN_PASSAGES = 40
"""Of each heading so many passages are looked at."""


def count_spoken(cursor: Cursor, stems: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Of headings, by key with the stems of their words: in what share of their passages the text has one of these.

    Lines that are headings themselves do not count.
    """
    columns: dict[str, tuple[str, Sequence[Any]]] = {
        "key": ("VARCHAR", [key for key, words in stems.items() for _ in words]),
        "stem": ("VARCHAR", [word for words in stems.values() for word in words]),
    }
    if not columns["key"][1]:
        return {}
    with value_table(cursor, "asked", columns):
        rows = cursor.execute(
            "WITH claimed AS (SELECT DISTINCT t.key, t.chunk_id, c.hash FROM topic_claim_chunks t JOIN chunks c"
            " ON c.id = t.chunk_id WHERE t.source = 'heading' AND t.key IN (SELECT key FROM asked)"
            f" QUALIFY row_number() OVER (PARTITION BY t.key ORDER BY c.hash, t.chunk_id) <= {_SPOKEN_PASSAGES}),"
            " said AS (SELECT p.key, p.chunk_id, bool_or(contains(b.body, a.stem)) AS spoken FROM claimed p"
            " JOIN (SELECT id, lower(regexp_replace(text, '(?m)^[ ]{0,3}#.*$', '', 'g')) AS body FROM chunks"
            " WHERE id IN (SELECT chunk_id FROM claimed)) b ON b.id = p.chunk_id JOIN asked a ON a.key = p.key"
            " GROUP BY ALL) SELECT key, avg(spoken::INTEGER) FROM said GROUP BY key ORDER BY key"
        ).fetchall()
    return dict(rows)


def count_phrases(cursor: Cursor) -> list[tuple[str, int, int, int]]:
    """Of every phrase in two passages or more: documents, chunks, occurrences."""
    return cursor.execute(
        "SELECT key, count(DISTINCT t.document_id), count(DISTINCT chunk_id), sum(count)::BIGINT"
        f" FROM topic_claim_chunks t JOIN chunks ON chunks.id = chunk_id WHERE source = '{PHRASE}'"
        " GROUP BY key HAVING count(DISTINCT chunk_id) > 1 ORDER BY key"
    ).fetchall()


def topic_claims(cursor: Cursor, keys: Collection[str]) -> list[tuple[str, TopicClaim]]:
    """The claims of these keys, each with its document's ref; in order of that."""
    rows = cursor.execute(
        "SELECT i.ref, c.document_id, c.key, c.source, c.name, c.above, c.definition, c.lead, c.times"
        " FROM topic_claims c JOIN context_items i ON i.id = c.document_id"
        " WHERE c.key IN (SELECT unnest(?::VARCHAR[])) ORDER BY ALL",
        [sorted(keys)],
    ).fetchall()
    names = TopicClaim.__struct_fields__
    return [(row[0], TopicClaim(**dict(zip(names, row[1:], strict=True)))) for row in rows]


def claim_chunks(cursor: Cursor, keys: Collection[str]) -> list[ClaimChunk]:
    """The chunks of the claims of these keys."""
    rows = cursor.execute(
        "SELECT t.document_id, t.key, t.source, t.chunk_id, t.count FROM topic_claim_chunks t JOIN chunks c"
        " ON c.id = t.chunk_id WHERE t.key IN (SELECT unnest(?::VARCHAR[])) ORDER BY ALL",
        [sorted(keys)],
    ).fetchall()
    names = ClaimChunk.__struct_fields__
    return [ClaimChunk(**dict(zip(names, row, strict=True))) for row in rows]


def claimed_beneath(cursor: Cursor, keys: Collection[str]) -> dict[str, set[int]]:
    """Of these keys the chunks of what claims put directly beneath them."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for above, chunk in cursor.execute(
        "SELECT DISTINCT c.above, t.chunk_id FROM topic_claims c JOIN topic_claim_chunks t"
        " USING (document_id, key, source) WHERE c.above IN (SELECT unnest(?::VARCHAR[]))",
        [sorted(keys)],
    ).fetchall():
        found[above].add(chunk)
    return dict(found)


def opening_chunks(cursor: Cursor, chunks: Mapping[str, Collection[int]], documents: int) -> list[tuple[str, int, str]]:
    """Of each set of chunks the first chunk of the first ``documents`` by ref: whose set, document, text."""
    owners = [(owner, chunk) for owner, own in sorted(chunks.items()) for chunk in sorted(own)]
    table: dict[str, tuple[str, Sequence[Any]]] = {
        "owner": ("VARCHAR", [owner for owner, _ in owners]),
        "chunk_id": ("BIGINT", [chunk for _, chunk in owners]),
    }
    with value_table(cursor, "owned", table):
        return cursor.execute(
            "WITH first AS (SELECT o.owner, c.document_id, i.ref, arg_min(c.id, c.ordinal) AS chunk_id FROM owned o"
            " JOIN chunks c ON c.id = o.chunk_id JOIN context_items i ON i.id = c.document_id"
            " GROUP BY o.owner, c.document_id, i.ref)"
            " SELECT owner, f.document_id, c.text FROM first f JOIN chunks c ON c.id = f.chunk_id"
            " QUALIFY row_number() OVER (PARTITION BY owner ORDER BY ref) <= ? ORDER BY owner, ref",
            [documents],
        ).fetchall()


def entity_names(cursor: Cursor, keys: Collection[str]) -> dict[str, tuple[bool, float, int]]:
    """Of these normalised names those of entities that are no concepts: declared?, confidence, how many documents."""
    rows = cursor.execute(
        "SELECT k.key, e.declared_by IS NOT NULL, e.confidence, count(DISTINCT c.document_id) FROM entity_keys k"
        " JOIN entities e ON e.id = k.entity_id JOIN entity_claims c ON c.entity_id = e.id"
        " WHERE e.type <> 'Concept' AND k.key IN (SELECT unnest(?::VARCHAR[])) GROUP BY ALL",
        [sorted(keys)],
    ).fetchall()
    return {key: (declared, confidence, documents) for key, declared, confidence, documents in rows}


def store_sizes(cursor: Cursor) -> tuple[int, int]:
    """How many documents with text, and how many chunks the store has."""
    row = cursor.execute("SELECT count(DISTINCT document_id), count(*) FROM chunks").fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


# --- groups --------------------------------------------------------------------------------------------------------


class GroupedTopic(msgspec.Struct, frozen=True, kw_only=True):
    """A topic in a group: the key and name of the topic above it."""

    member: str
    key: str
    name: str
    size: int


def topic_groups(cursor: Cursor) -> list[GroupedTopic]:
    """What the vectors put together, in order of member."""
    rows = cursor.execute("SELECT member, key, name, size FROM topic_groups ORDER BY member").fetchall()
    return [GroupedTopic(**dict(zip(GroupedTopic.__struct_fields__, row, strict=True))) for row in rows]


def replace_groups(cursor: Cursor, found: Sequence[GroupedTopic]) -> None:
    """Make these the groups."""
    cursor.execute("DELETE FROM topic_groups")
    columns: dict[str, list[Any]] = {
        name: [getattr(one, name) for one in found] for name in GroupedTopic.__struct_fields__
    }
    insert(cursor, "topic_groups", {**columns, "group_id": [GROUP] * len(found)})


def groups_state(cursor: Cursor) -> str:
    """What the groups were last made of; empty where they never were."""
    row = cursor.execute("SELECT value FROM meta WHERE key = 'topic_groups'").fetchone()
    return str(row[0]) if row else ""


def note_groups_state(cursor: Cursor, value: str) -> None:
    """Remember what the groups were made of."""
    cursor.execute("INSERT OR REPLACE INTO meta VALUES ('topic_groups', ?)", [value])


# --- topics as shown -----------------------------------------------------------------------------------------------


def all_topics(cursor: Cursor) -> dict[int, TopicRow]:
    """Every topic by id: there are few."""
    rows = cursor.execute(
        "SELECT id, slug, name, key, parent_id, definition, source FROM topics ORDER BY id"
    ).fetchall()
    return {row[0]: TopicRow(**dict(zip(TopicRow.__struct_fields__, row, strict=True))) for row in rows}


def insert_topics(cursor: Cursor, topics: Sequence[TopicRow], keys: Sequence[str]) -> None:
    """Insert topics; ``keys`` are the slugs' keys."""
    count = len(topics)
    insert(
        cursor,
        "topics",
        {
            **{name: [getattr(topic, name) for topic in topics] for name in TopicRow.__struct_fields__},
            "group_id": [GROUP] * count,
            "slug_key": list(keys),
            "want_gen": [1] * count,
            "have_gen": [0] * count,
            "version": [1] * count,
            "changed_at": [now()] * count,
        },
    )


def update_topics(cursor: Cursor, topics: Sequence[TopicRow], reindex: Collection[int]) -> None:
    """Update rows (never their slugs); those of ``reindex`` go to the search index again."""
    if not topics:
        return
    table: dict[str, tuple[str, Sequence[Any]]] = {
        "id": ("BIGINT", [topic.id for topic in topics]),
        "name": ("VARCHAR", [topic.name for topic in topics]),
        "key": ("VARCHAR", [topic.key for topic in topics]),
        "parent_id": ("BIGINT", [topic.parent_id for topic in topics]),
        "definition": ("VARCHAR", [topic.definition for topic in topics]),
        "source": ("VARCHAR", [topic.source for topic in topics]),
        "again": ("INTEGER", [int(topic.id in reindex) for topic in topics]),
    }
    with value_table(cursor, "given", table):
        cursor.execute(
            "UPDATE topics SET name = given.name, key = given.key, parent_id = given.parent_id,"
            " definition = given.definition, source = given.source, want_gen = topics.want_gen + given.again,"
            " version = topics.version + 1, changed_at = ? FROM given WHERE topics.id = given.id",
            [now()],
        )


def delete_topics(cursor: Cursor, topic_ids: Iterable[int]) -> None:
    """Delete topics with their links and former names. Marks what shows how many topics it has."""
    numbers = sorted(topic_ids)
    if not numbers:
        return
    chunks = cursor.execute(f"SELECT DISTINCT chunk_id FROM chunk_topics WHERE topic_id {IN}", [numbers]).fetchall()
    _mark_counts(cursor, [row[0] for row in chunks])
    cursor.execute(f"DELETE FROM topics WHERE id {IN}", [numbers])
    for table in ("chunk_topics", "fact_topics"):
        cursor.execute(f"DELETE FROM {table} WHERE topic_id {IN}", [numbers])
    cursor.execute(f"DELETE FROM former_names WHERE kind = 'topic' AND target_id {IN}", [numbers])
    dirty_rows.mark_removed(cursor, "topic", numbers)


def drop_links(cursor: Cursor, document_ids: Sequence[int]) -> None:
    """Take documents' chunks and facts out of the topics."""
    numbers = list(document_ids)
    rows = cursor.execute(f"SELECT DISTINCT topic_id FROM chunk_topics WHERE document_id {IN}", [numbers]).fetchall()
    for table in ("chunk_topics", "fact_topics"):
        cursor.execute(f"DELETE FROM {table} WHERE document_id {IN}", [numbers])
    dirty_rows.mark_dirty(cursor, "topic", (row[0] for row in rows))


def delete_empty(cursor: Cursor) -> None:
    """Delete topics that have neither chunks nor subtopics, upwards: what removing documents left."""
    while True:
        rows = cursor.execute(
            "SELECT id, parent_id FROM topics t WHERE NOT EXISTS (SELECT 1 FROM chunk_topics c WHERE c.topic_id = t.id)"
            " AND NOT EXISTS (SELECT 1 FROM topics s WHERE s.parent_id = t.id)"
        ).fetchall()
        if not rows:
            return
        delete_topics(cursor, [row[0] for row in rows])
        dirty_rows.mark_dirty(cursor, "topic", {row[1] for row in rows if row[1] is not None})


def topic_chunks(cursor: Cursor) -> dict[int, set[int]]:
    """Topic to its own chunks."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for topic, chunk in cursor.execute("SELECT topic_id, chunk_id FROM chunk_topics").fetchall():
        found[topic].add(chunk)
    return found


def set_links(cursor: Cursor, wanted: Mapping[int, Collection[int]]) -> set[int]:
    """Make ``{topic: chunks}`` the links of topics, and those of facts to fit; returns the topics that gained or lost.

    What shows how many topics it has is marked: the documents of those chunks, and the entities in them.
    """
    present = topic_chunks(cursor)
    lost = [
        (topic, chunk) for topic, have in present.items() for chunk in sorted(have.difference(wanted.get(topic, ())))
    ]
    gained = [(topic, chunk) for topic, want in sorted(wanted.items()) for chunk in sorted(set(want) - present[topic])]
    if lost:
        with value_table(cursor, "lost", _pairs(lost)):
            cursor.execute(
                "DELETE FROM chunk_topics WHERE (topic_id, chunk_id) IN (SELECT (topic_id, chunk_id) FROM lost)"
            )
    if gained:
        with value_table(cursor, "gained", _pairs(gained)):
            cursor.execute(
                f"INSERT INTO chunk_topics BY NAME SELECT {GROUP} AS group_id, g.chunk_id, g.topic_id, c.document_id"
                " FROM gained g JOIN chunks c ON c.id = g.chunk_id"
            )
    _mark_counts(cursor, sorted({chunk for _, chunk in (*lost, *gained)}))
    return {topic for topic, _ in (*lost, *gained)} | _set_fact_links(cursor)


def _mark_counts(cursor: Cursor, chunk_ids: Sequence[int]) -> None:
    """Mark what shows how many topics these chunks are in: their documents and the entities in them."""
    if not chunk_ids:
        return
    for kind, column, table in (("document", "document_id", "chunks"), ("entity", "entity_id", "entity_chunks")):
        where = "id" if table == "chunks" else "chunk_id"
        rows = cursor.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {where} {IN}", [chunk_ids]).fetchall()
        dirty_rows.mark_dirty(cursor, kind, (row[0] for row in rows))


def _pairs(pairs: Sequence[tuple[int, int]]) -> dict[str, tuple[str, Sequence[Any]]]:
    return {
        "topic_id": ("BIGINT", [topic for topic, _ in pairs]),
        "chunk_id": ("BIGINT", [chunk for _, chunk in pairs]),
    }


def _set_fact_links(cursor: Cursor) -> set[int]:
    """The facts of a chunk belong to its topics."""
    wanted = "SELECT DISTINCT f.id AS fact_id, c.topic_id FROM facts f JOIN chunk_topics c ON c.chunk_id = f.chunk_id"
    lost = cursor.execute(
        f"DELETE FROM fact_topics WHERE (fact_id, topic_id) NOT IN (SELECT (fact_id, topic_id) FROM ({wanted}))"
        " RETURNING topic_id"
    ).fetchall()
    gained = cursor.execute(
        f"INSERT INTO fact_topics BY NAME SELECT {GROUP} AS group_id, w.fact_id, w.topic_id, f.document_id"
        f" FROM ({wanted}) w JOIN facts f ON f.id = w.fact_id WHERE (w.fact_id, w.topic_id) NOT IN"
        " (SELECT (fact_id, topic_id) FROM fact_topics) RETURNING topic_id"
    ).fetchall()
    return {row[0] for row in (*lost, *gained)}


def common_phrases(cursor: Cursor, chunk_topics: Mapping[str, Collection[int]], limit: int) -> dict[str, list[str]]:
    """Of each set of chunks the phrases that stand in most of them, by name."""
    owners = [(owner, chunk) for owner, chunks in sorted(chunk_topics.items()) for chunk in sorted(chunks)]
    table: dict[str, tuple[str, Sequence[Any]]] = {
        "owner": ("VARCHAR", [owner for owner, _ in owners]),
        "chunk_id": ("BIGINT", [chunk for _, chunk in owners]),
    }
    found: defaultdict[str, list[str]] = defaultdict(list)
    with value_table(cursor, "owned", table):
        rows = cursor.execute(
            "WITH said AS (SELECT o.owner, t.key, count(DISTINCT t.chunk_id) AS chunks FROM owned o"
            f" JOIN topic_claim_chunks t ON t.chunk_id = o.chunk_id AND t.source = '{PHRASE}' GROUP BY ALL)"
            f" SELECT s.owner, (SELECT min(c.name) FROM topic_claims c WHERE c.key = s.key AND c.source = '{PHRASE}')"
            " FROM said s WHERE chunks > 1"
            " QUALIFY row_number() OVER (PARTITION BY owner ORDER BY chunks DESC, key) <= ?"
            " ORDER BY owner, chunks DESC, key",
            [limit],
        ).fetchall()
    for owner, name in rows:
        found[owner].append(name)
    return dict(found)
