"""A store of so many entities with a search index beside it, for ``scripts/bench scale``.

Four facts, two passages and half a document an entity. Rows are made by rule; some entities are mentioned far more
often than others. Vectors are random: what a search costs does not depend on what they mean.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from kgfs.config import VECTORS, Config
from kgfs.models.embedders import load
from kgfs.models.spaces import StoreSpace
from kgfs.namespace.publish import publish
from kgfs.pipeline.vector_pass import index_rows
from kgfs.service.health import state
from kgfs.service.service import Service
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files import documents
from kgfs.store.graph import conflicts, validity
from kgfs.store.index.index_table import KEEP_SECONDS
from kgfs.store.index.vectors import VectorStore
from tests import graph_builder

CHUNKS_A_DOCUMENT = 4
FACTS_A_CHUNK = 2
SKEW = 3.0
"""The tenth of the entities that is mentioned most has 46 % of the mentions."""
INDEXED = ("entity", "chunk")
TABLES = {"entity": "entities", "chunk": "chunks"}
BATCH = 20_000


def build_scaled(store: Path, entities: int) -> None:
    """A store of so many entities, published and indexed."""
    database = graph_builder.build(
        store, entities=entities, documents=entities // 2, chunks_a_document=CHUNKS_A_DOCUMENT,
        facts_a_chunk=FACTS_A_CHUNK, mentions_a_chunk=4, topics=0, skew=SKEW, published=False,
    )  # fmt: skip
    try:
        database.write(_settle)
        publish(database)
        _index(store, database)
    finally:
        database.close()


def _settle(cursor: Cursor) -> None:
    """Leave nothing to do for the first run of the pipeline."""
    validity.write_ended(cursor, validity.ended_differences(cursor))
    conflicts.write_conflicts(cursor, conflicts.conflict_differences(cursor))
    documents.resolve_links(cursor)
    for table in ("entities", "chunks", "facts"):
        cursor.execute(f"UPDATE {table} SET want_gen = 1, have_gen = 1")


def settle_index(store: Path) -> None:
    """Have a store know its index for the one that it was put into; else the first job puts all of it there anew. And
    fold the parts that the index was written in, which takes minutes at a million and would be measured otherwise."""
    service = Service.open(store)
    try:
        identities = service.components.worker.index_state().identities
        state.reconcile_index(service.database, identities)
        service.database.write(_all_indexed)
    finally:
        service.close()
    index = VectorStore(store / VECTORS, Config().embedding_dimension)
    time.sleep(KEEP_SECONDS + 1)  # only then it folds what was written before it was opened
    index.optimize()


def _all_indexed(cursor: Cursor) -> None:
    for table in ("entities", "chunks", "facts", "context_items"):
        cursor.execute(f"UPDATE {table} SET have_gen = want_gen WHERE have_gen < want_gen")


def _index(store: Path, database: Database) -> None:
    config = Config()
    dice = np.random.default_rng(1)
    (store / VECTORS).mkdir(exist_ok=True)
    index = VectorStore(store / VECTORS, config.embedding_dimension)
    model_id = StoreSpace(store / VECTORS, config).id_for(load(config), index)
    for kind in INDEXED:
        with database.read() as cursor:
            ids = [row[0] for row in cursor.execute(f"SELECT id FROM {TABLES[kind]} ORDER BY id").fetchall()]
        for start in range(0, len(ids), BATCH):
            with database.read() as cursor:
                rows = index_rows(cursor, kind, ids[start : start + BATCH])
            index.put_texts(kind, rows)
            vectors = dice.standard_normal((len(rows), config.embedding_dimension), np.float32)
            index.put_vectors(kind, rows, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), model_id)
    index.optimize()
