"""A store filled with a graph made by rule, by bulk SQL: for tests of the tree and for benches.

    from tests.graph_builder import build
    database = build(tmp_path / "store", entities=200, documents=20)      # published; close it yourself
    build(directory, entities=100_000, documents=5_000, chunks_a_document=4).close()

The same arguments give the same graph. Documents have dates over ten years (every tenth has none) and link to others;
every third is the page of an entity. Each chunk mentions a few entities, states two facts and has a topic; topics are
nested three deep; places have dated figures. Chunks of a document, joined, are its text, which is the stored file's,
except that every seventh document's text was "extracted" (its file is binary). ``touch`` changes a graph at random as
the pipeline would, noting what is stale.
"""

from __future__ import annotations

import hashlib
import random
from datetime import datetime
from pathlib import Path

from kgfs.model import STATUSES
from kgfs.names import slug_key
from kgfs.namespace.publish import publish
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.catalog.inserts import insert, take_ids
from tests.new_stores import new_store

TYPES = ("Organization", "Person", "Location", "Concept", "Event", "Strange Kind")
FACT_TYPES = ("ACQUIRED", "FOUNDED", "CHIEF_EXECUTIVE_OF", "PARTNERED_WITH", "REPORTED", "LOCATED_IN", "SPOKE_WITH")
WORDS = (
    "wages rose in the district while firms hired fewer people and prices of energy fell again after a calm spring "
    "analysts expect the bank to hold rates because growth is slow yet steady"
).split()
BATCH = 20_000
"""Documents whose rows are made at once."""
CHANGED = datetime(2024, 6, 1, 9, 30)


def build(
    store: Path,
    *,
    entities: int = 120,
    documents: int = 12,
    chunks_a_document: int = 5,
    mentions_a_chunk: int = 4,
    facts_a_chunk: int = 2,
    topics: int = 13,
    seed: int = 1,
    skew: float = 0.0,
    published: bool = True,
) -> Database:
    """A new store at ``store`` with such a graph, published unless told otherwise.

    With a ``skew`` some entities are mentioned far more often than others, as in real texts: the share of mentions of
    the r-th of n falls about as ``(r / n) ** (1 / skew - 1)``.
    """
    database = new_store(store, reserve=0)
    maker = _Maker(random.Random(seed), entities, chunks_a_document, mentions_a_chunk, facts_a_chunk, skew)
    database.write(lambda cursor: maker.fill(cursor, documents, topics))
    if published:
        publish(database)
    return database


class _Maker:
    def __init__(
        self, dice: random.Random, entities: int, chunks: int, mentions: int, facts: int, skew: float = 0.0
    ) -> None:
        self.dice, self.entities, self.chunks, self.mentions, self.facts = dice, entities, chunks, mentions, facts
        self.skew = skew

    def fill(self, cursor: Cursor, documents: int, topics: int) -> None:
        self.add_entities(cursor, self.entities)
        topic_ids = self.add_topics(cursor, topics)
        for start in range(0, documents, BATCH):
            self.add_documents(cursor, min(BATCH, documents - start), topic_ids, start)
        insert(
            cursor,
            "sources",
            {
                "id": take_ids(cursor, "source", 1),
                "group_id": [1],
                "name": ["Vault"],
                "drive": ["disk"],
                "path": ["/home/ann/Vault"],
            },
        )

    def add_entities(self, cursor: Cursor, count: int) -> None:
        row_ids = take_ids(cursor, "entity", count)
        names = [f"{TYPES[i % len(TYPES)]} number {i}" for i in row_ids]
        slugs = [name.replace(" ", "_") for name in names]
        insert(
            cursor,
            "entities",
            {
                "id": row_ids,
                "group_id": [1] * count,
                "slug": slugs,
                "slug_key": [slug_key(slug) for slug in slugs],
                "name": names,
                "type": [TYPES[i % len(TYPES)] for i in row_ids],
                "description": [f"{name} is known for its part in the record." for name in names],
                "attributes": ['{"founded": "1998", "ticker": "X"}' if i % 3 else None for i in row_ids],
                "confidence": [0.5 + (i % 5) / 10 for i in row_ids],
                "extractor": ["rules"] * count,
                "version": [1] * count,
                "changed_at": [CHANGED] * count,
                "created_at": [CHANGED] * count,
            },
        )
        aliased = [i for i in row_ids if i % 4 == 0]
        insert(
            cursor,
            "entity_aliases",
            {
                "group_id": [1] * len(aliased),
                "entity_id": aliased,
                "alias": [f"Alias {i}" for i in aliased],
                "slug": [f"Alias_{i}" for i in aliased],
                "key": [f"alias_{i}" for i in aliased],
            },
        )
        dirty_rows.mark_dirty(cursor, "entity", row_ids)

    def add_topics(self, cursor: Cursor, count: int) -> list[int]:
        row_ids = take_ids(cursor, "topic", count)
        first = row_ids[0] if count else 0
        insert(
            cursor,
            "topics",
            {
                "id": row_ids,
                "group_id": [1] * count,
                "slug": [f"topic_{i}" for i in row_ids],
                "slug_key": [f"topic_{i}" for i in row_ids],
                "name": [f"Topic {i}" for i in row_ids],
                "parent_id": [None if i - first < 3 else first + (i - first) // 3 - 1 for i in row_ids],
                "definition": [f"What belongs to topic {i}." if i % 2 else "" for i in row_ids],
                "source": ["heading"] * count,
                "version": [1] * count,
                "changed_at": [CHANGED] * count,
            },
        )
        dirty_rows.mark_dirty(cursor, "topic", row_ids)
        return list(row_ids)

    def mentioned(self, entity_ids: list[int]) -> list[int]:
        """Entities that a chunk mentions, each once."""
        if not self.skew:
            return self.dice.sample(entity_ids, min(self.mentions, len(entity_ids)))
        picked = (int(len(entity_ids) * self.dice.random() ** self.skew) for _ in range(self.mentions))
        return list(dict.fromkeys(entity_ids[place] for place in picked))

    def add_documents(self, cursor: Cursor, count: int, topics: list[int], start: int = 0) -> list[int]:
        dice = self.dice
        entity_ids = [row[0] for row in cursor.execute("SELECT id FROM entities ORDER BY id").fetchall()]
        row_ids = list(take_ids(cursor, "item", count))
        chunk_ids = take_ids(cursor, "chunk", count * self.chunks)
        fact_ids = take_ids(cursor, "fact", count * self.chunks * self.facts)
        tables: dict[str, dict[str, list[object]]] = {}

        def add(table: str, **values: object) -> None:
            columns = tables.setdefault(table, {name: [] for name in values})
            for name, value in values.items():
                columns[name].append(value)

        next_chunk, next_fact = iter(chunk_ids), iter(fact_ids)
        for number, row_id in enumerate(row_ids, start):
            year, month, day = 2015 + number % 10, number % 12 + 1, number % 28 + 1
            date = (
                None
                if number % 10 == 9
                else (f"{year}-{month:02d}-{day:02d}", f"{year}-{month:02d}", f"{year}")[number % 3]
            )
            texts = []
            for ordinal in range(1, self.chunks + 1):
                words = " ".join(dice.choices(WORDS, k=dice.randint(20, 60)))
                texts.append(f"# Part {ordinal} of {row_id}\n{words} – é {ordinal}.\n")
            whole = "".join(texts)
            extracted = number % 7 == 6
            path = (
                f"/home/ann/Vault/{'deep/er/' if number % 5 == 0 else ''}note {row_id}.{'pdf' if extracted else 'md'}"
            )
            add(
                "context_items", id=row_id, group_id=1, drive="disk", path=path, ref=f"disk:{path}",
                title=f"Note {row_id}",
                mime_type="application/pdf" if extracted else "text/markdown", content=None if extracted else whole,
                content_blob=b"\xff\x00" * 20 if extracted else None, is_textual=not extracted,
                size=40 if extracted else len(whole.encode()), hash=hashlib.md5(whole.encode()).hexdigest(), mode=0o644,
                source_id=1, source_mtime_ns=1_700_000_000_000_000_000 + row_id, created_at=CHANGED, updated_at=CHANGED,
                want_gen=1, have_gen=1, extracted_gen=1,
            )  # fmt: skip
            add(
                "documents", id=row_id, group_id=1, slug=f"note_{row_id}", slug_key=f"note_{row_id}",
                title=f"Note {row_id}",
                date=date, description="A note.", summary="What was noted.", text=whole if extracted else None,
                text_size=len(whole.encode()), text_is_content=not extracted, front_matter='{"a": 1}', tags='["x"]',
                extractor="rules", version=1, changed_at=CHANGED,
            )  # fmt: skip
            at = line = 0
            for ordinal, text in enumerate(texts, 1):
                chunk = next(next_chunk)
                size = len(text.encode())
                add(
                    "chunks", id=chunk, group_id=1, document_id=row_id, ordinal=ordinal, text=text, size=size, start=at,
                    first_line=line + 1, last_line=line + 2, headings=f'["Note", "Part {ordinal}"]', page=None,
                    date=None, tokens=size // 4, hash=str(chunk), want_gen=1, have_gen=1, version=1, changed_at=CHANGED,
                )  # fmt: skip
                at, line = at + size, line + 2
                mentioned = self.mentioned(entity_ids)
                for entity in mentioned:
                    add(
                        "entity_chunks",
                        group_id=1,
                        entity_id=entity,
                        chunk_id=chunk,
                        document_id=row_id,
                        count=dice.randint(1, 3),
                    )
                topic = dice.choice(topics) if topics else None
                if topic is not None:
                    add("chunk_topics", group_id=1, chunk_id=chunk, topic_id=topic, document_id=row_id)
                for _ in range(self.facts if mentioned else 0):
                    fact = next(next_fact)
                    kind = dice.choice(FACT_TYPES)
                    figure = kind == "REPORTED"
                    quote = text[:12]
                    add(
                        "facts", id=fact, group_id=1, fact_id=f"f_{hashlib.md5(f'{fact}'.encode()).hexdigest()[:16]}",
                        type=kind, subject_id=mentioned[0], object_id=None if figure else mentioned[-1],
                        object_text="3.6 percent" if figure else None, value=3.6 if figure else None,
                        unit="percent" if figure else None, indicator="unemployment_rate" if figure else None,
                        description=f"Statement {fact}." if fact % 2 else "", date=date if fact % 4 else None,
                        valid_from=None, valid_to=None,
                        status=STATUSES[fact % 5 % len(STATUSES)], confidence=dice.choice((0.5, 0.7, 0.9)),
                        extractor="rules", document_id=row_id, chunk_id=chunk, quote=quote, span_start=0,
                        span_end=len(quote.encode()),
                        want_gen=1, have_gen=1, version=1, changed_at=CHANGED,
                    )  # fmt: skip
                    if topic is not None:
                        add("fact_topics", group_id=1, fact_id=fact, topic_id=topic, document_id=row_id)
            for step in (1, 5, 0):  # the last one is to itself
                add(
                    "document_links", group_id=1, document_id=row_id, target=f"note {row_id}",
                    target_key=f"note {row_id}", kind="wikilink", label="",
                    target_id=row_ids[(number - start + step) % count],
                )  # fmt: skip
            if entity_ids and number % 3 == 0:
                add(
                    "entity_claims", group_id=1, entity_id=entity_ids[number % len(entity_ids)], document_id=row_id,
                    key=f"note {row_id}", name=f"Note {row_id}", type="Concept", declared=True,
                )  # fmt: skip
        for table, columns in tables.items():
            insert(cursor, table, columns)
        dirty_rows.mark_dirty(cursor, "document", row_ids)
        dirty_rows.mark_dirty(cursor, "chunk", chunk_ids)
        dirty_rows.mark_dirty(cursor, "fact", fact_ids)
        mark_topics(cursor, topics)
        cursor.execute(  # as if they contradicted each other
            "UPDATE facts SET conflict_id = subject_id WHERE (subject_id, type) IN"
            " (SELECT (subject_id, type) FROM facts GROUP BY ALL HAVING count(*) > 1 ORDER BY ALL LIMIT 2)"
        )
        return row_ids


def mark_topics(cursor: Cursor, topic_ids: list[int]) -> None:
    """As the topic pass does: with all above them, whose pages count what stands beneath."""
    sql = (
        "WITH RECURSIVE up AS (SELECT id, parent_id FROM topics WHERE id IN (SELECT unnest($1::BIGINT[])) "
        "UNION SELECT t.id, t.parent_id FROM topics t JOIN up ON up.parent_id = t.id) SELECT id FROM up"
    )
    dirty_rows.mark_dirty(cursor, "topic", [row[0] for row in cursor.execute(sql, [topic_ids]).fetchall()])


def touch(database: Database, seed: int) -> None:
    """One change at random, as the pipeline would commit it: a document more or less, an entity renamed or retyped."""
    dice = random.Random(seed)
    maker = _Maker(dice, 0, 3, 3, 2)

    def one(cursor: Cursor, sql: str) -> int:
        found = cursor.execute(sql).fetchall()
        return int(dice.choice(found)[0])

    def change(cursor: Cursor) -> None:
        kind = seed % 7
        if kind == 0:
            topics = [row[0] for row in cursor.execute("SELECT id FROM topics").fetchall()]
            count = cursor.execute("SELECT max(id) FROM documents").fetchone()
            maker.add_documents(cursor, 1, topics, start=int(count[0] if count else 0))
        elif kind == 1:
            remove_document(cursor, one(cursor, "SELECT id FROM documents ORDER BY id"))
        elif kind == 2:
            entity = one(cursor, "SELECT id FROM entities ORDER BY id")
            cursor.execute(
                "UPDATE entities SET name = ?, slug = ?, slug_key = ?, changed_at = now()::TIMESTAMP WHERE id = ?",
                [f"Renamed {seed}", f"Renamed_{seed}", f"renamed_{seed}", entity],
            )
            dirty_rows.mark_dirty(cursor, "entity", [entity])
        elif kind == 3:
            entity = one(cursor, "SELECT id FROM entities ORDER BY id")
            cursor.execute("UPDATE entities SET type = ? WHERE id = ?", [dice.choice(TYPES), entity])
            dirty_rows.mark_dirty(cursor, "entity", [entity])
        elif kind == 4:
            fact = one(cursor, "SELECT id FROM facts ORDER BY id")
            cursor.execute("UPDATE facts SET date = '2001-02', confidence = 0.1 WHERE id = ?", [fact])
            dirty_rows.mark_dirty(cursor, "fact", [fact])
        elif kind == 5:
            topic = one(cursor, "SELECT id FROM topics WHERE parent_id IS NOT NULL ORDER BY id")
            mark_topics(cursor, [topic])
            cursor.execute("UPDATE topics SET parent_id = NULL, definition = 'Now at the top.' WHERE id = ?", [topic])
            mark_topics(cursor, [topic])
        else:
            maker.add_entities(cursor, 2)

    database.write(change)


def remove_document(cursor: Cursor, row_id: int) -> None:
    """Remove a document with its chunks and facts; entities stay."""
    owned = {
        "chunk": "SELECT id FROM chunks WHERE document_id = ?",
        "fact": "SELECT id FROM facts WHERE document_id = ?",
        "entity": "SELECT DISTINCT entity_id FROM entity_chunks WHERE document_id = ?",
        "topic": "SELECT DISTINCT topic_id FROM chunk_topics WHERE document_id = ?",
    }
    for kind, sql in owned.items():
        found = [row[0] for row in cursor.execute(sql, [row_id]).fetchall()]
        if kind == "topic":
            mark_topics(cursor, found)
        else:
            dirty_rows.mark_dirty(cursor, kind, found)
    linking = cursor.execute("SELECT document_id FROM document_links WHERE target_id = ?", [row_id]).fetchall()
    dirty_rows.mark_dirty(cursor, "document", {row_id, *(row[0] for row in linking)})
    for table in ("chunks", "facts", "entity_chunks", "chunk_topics", "fact_topics", "document_links", "entity_claims"):
        cursor.execute(f"DELETE FROM {table} WHERE document_id = ?", [row_id])
    cursor.execute("UPDATE document_links SET target_id = NULL WHERE target_id = ?", [row_id])
    cursor.execute("DELETE FROM documents WHERE id = ?", [row_id])
    cursor.execute("DELETE FROM context_items WHERE id = ?", [row_id])
