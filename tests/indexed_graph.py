"""Fixtures for ingest and search: one worker with the model loaded for the session, catalogs filled by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kgfs.config import Config
from kgfs.index_records import IndexRow
from kgfs.models.client import Worker
from kgfs.store.catalog.database import Database
from kgfs.store.catalog.inserts import insert
from tests.new_stores import new_store

PASSAGES = [
    # document, date, text
    (1, "2019-10-16", "Wages in the Boston District rose modestly. Employers said that workers are hard to find."),
    (1, "2019-10-16", "Retail contacts in Boston reported flat sales, and tourism was strong on Cape Cod."),
    (2, "2019-09-04", "The Chicago District saw manufacturing decline slightly, while auto production held steady."),
    (2, "2019-09-04", "Farm incomes fell again; corn and soybean prices were low across Iowa and Illinois."),
    (3, "2014", "Google bought DeepMind, a London laboratory for artificial intelligence, in January 2014."),
    (3, None, "Demis Hassabis founded the laboratory with Shane Legg and Mustafa Suleyman."),
]
ENTITIES = [
    ("Boston", "Location", "A city in Massachusetts."),
    ("DeepMind", "Organization", "A laboratory for artificial intelligence in London."),
    ("Deep Springs College", "Organization", ""),
    ("Google", "Organization", "Google is a company that makes a search engine."),
    ("Demis Hassabis", "Person", "A founder of DeepMind."),
]
FACTS = [
    ("ACQUIRED", "2014-01", 3, "Google bought DeepMind"),
    ("FOUNDED", None, 3, "Demis Hassabis founded the laboratory"),
]
TOPICS = [("labor markets", "Wages, hiring and unemployment."), ("agriculture", "")]


def rows(kind: str) -> list[IndexRow]:
    """The index rows of the small graph above."""
    if kind == "chunk":
        return [
            IndexRow(id=number, document_id=document, gen=1, title=f"Document {document}", text=text)
            for number, (document, _, text) in enumerate(PASSAGES, 1)
        ]
    if kind == "entity":
        return [
            IndexRow(id=number, gen=1, title=name, text=f"{name} {about}")
            for number, (name, _, about) in enumerate(ENTITIES, 1)
        ]
    if kind == "fact":
        return [
            IndexRow(id=number, document_id=document, gen=1, title="", text=quote)
            for number, (_, _, document, quote) in enumerate(FACTS, 1)
        ]
    return [IndexRow(id=number, gen=1, title=name, text=about) for number, (name, about) in enumerate(TOPICS, 1)]


def fill(database: Database) -> None:
    """The rows of the small graph, all indexed."""

    def work(cursor: Any) -> None:
        def numbered(table: str, count: int, **columns: Any) -> None:
            generations = {"want_gen": [1] * count, "have_gen": [1] * count} if table != "entity_chunks" else {}
            ids = {"id": list(range(1, count + 1))} if table != "entity_chunks" else {}
            insert(cursor, table, {**ids, **generations, **columns})

        drives = ["disk", "disk", "agent"]
        paths = ["/home/ann/notes/boston.md", "/home/ann/notes/chicago.md", "/home/ann/deepmind.md"]
        refs = [f"{drive}:{path}" for drive, path in zip(drives, paths, strict=True)]
        numbered("context_items", 3, drive=drives, path=paths, ref=refs)
        numbered("chunks", len(PASSAGES), document_id=[p[0] for p in PASSAGES], date=[p[1] for p in PASSAGES],
                 text=[p[2] for p in PASSAGES])  # fmt: skip
        numbered("entities", len(ENTITIES), name=[e[0] for e in ENTITIES], type=[e[1] for e in ENTITIES],
                 description=[e[2] for e in ENTITIES])  # fmt: skip
        numbered("facts", len(FACTS), type=[f[0] for f in FACTS], date=[f[1] for f in FACTS],
                 document_id=[f[2] for f in FACTS], quote=[f[3] for f in FACTS])  # fmt: skip
        numbered("topics", len(TOPICS), name=[t[0] for t in TOPICS], definition=[t[1] for t in TOPICS])
        insert(cursor, "entity_aliases", {"entity_id": [4, 2], "alias": ["Google LLC", "Deep Mind Technologies"]})
        numbered("entity_chunks", 3, entity_id=[1, 2, 4], chunk_id=[1, 5, 5], document_id=[1, 3, 3])

    database.write(work)


def vectors_of(worker: Worker, texts: list[str]) -> NDArray[np.float32]:
    """Vectors by the worker's model, shape (texts, dimension)."""
    return np.frombuffer(worker.embed(texts), np.float32).reshape(len(texts), -1)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Database]:
    """A new catalog with the small graph."""
    with new_store(tmp_path / "catalog") as database:
        fill(database)
        yield database


@pytest.fixture(scope="session")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """A worker whose model is loaded and whose index holds the small graph; tests add only ids from 1,000 up."""
    with Worker(tmp_path_factory.mktemp("worker"), Config()) as one:
        one.warm()
        for kind in ("chunk", "entity", "fact", "topic"):
            one.index_texts(kind, rows(kind))
            one.index_vectors(kind, rows(kind))
        yield one


@pytest.fixture
def new_worker(tmp_path: Path) -> Iterator[Worker]:
    """A worker of its own for one test, without a model unless the test asks for it."""
    with Worker(tmp_path / "store", Config()) as one:
        yield one
