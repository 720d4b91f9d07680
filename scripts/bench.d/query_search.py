"""How long searches take: everything and inside scopes, by the library and by ``cat`` on a mount.

    scripts/bench query --part search [--entities 10000] [--no-mount] [--json FILE]

A store of a graph made by rule (``tests/graph_builder.py``), whose index holds texts of random words, as frequent as
words are, and random vectors: what is measured is the search, with the real model for the query and the real
engines, not what is found. Every query is asked once, so that no answer is kept from the time before. Medians, in
milliseconds.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgfs.config import VECTORS, Config
from kgfs.index_records import IndexRow
from kgfs.model import KINDS
from kgfs.models.client import Worker
from kgfs.search.query import AREAS, SearchRequest
from kgfs.search.rows import CatalogRows
from kgfs.search.searcher import Searcher
from kgfs.store.catalog.database import Database
from tests.graph_builder import build

VOCABULARY = 20_000
TABLES = {"chunk": "chunks", "entity": "entities", "fact": "facts", "topic": "topics"}
WORDS = {"chunk": 120, "entity": 8, "fact": 20, "topic": 4}
"""Words of a text of each kind."""
BATCH = 20_000
QUERIES = 25
"""Asked in each place."""

dice = np.random.default_rng(1)
_frequency = 1.0 / np.arange(1, VOCABULARY + 1)
_frequency /= _frequency.sum()


def words(count: int, rows: int = 1) -> list[str]:
    chosen = dice.choice(VOCABULARY, (rows, count), p=_frequency)
    return [" ".join(f"word{number}" for number in row) for row in chosen.tolist()]


def indexed(database: Database, table: str) -> None:
    """Let a table's rows be of generation 1, all of them indexed."""
    sql = f"UPDATE {table} SET want_gen = 1, have_gen = 1"
    database.write(lambda cursor: cursor.execute(sql) and None)


def make(store: Path, chunks: int) -> None:
    """A store with so many chunks (five a document, with a fifth as many entities, two facts a chunk), all indexed."""
    database = build(store, entities=max(chunks // 5, 10), documents=chunks // 5, topics=40)
    rows = {kind: [row for (row,) in database.fetch(f"SELECT id FROM {table}")] for kind, table in TABLES.items()}
    for table in TABLES.values():
        indexed(database, table)
    database.close()
    config = Config()
    with Worker(store, config) as worker:  # says what the vectors of this model are called
        worker.index_vectors("topic", [IndexRow(id=1, gen=0, title="", text="first")])
    from kgfs.store.index.vectors import VectorStore

    index = VectorStore(store / VECTORS, config.embedding_dimension)
    model = index._vectors["topic"].read(lambda table: table.search().select(["model_id"]).limit(1).to_list())
    for kind in KINDS:
        for start in range(0, len(rows[kind]), BATCH):
            ids = rows[kind][start : start + BATCH]
            texts = words(WORDS[kind], len(ids))
            made = [IndexRow(id=number, gen=1, title="", text=text) for number, text in zip(ids, texts, strict=True)]
            vectors = dice.standard_normal((len(ids), config.embedding_dimension)).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            index.put_texts(kind, made)
            index.put_vectors(kind, made, vectors, model[0]["model_id"])
    index.optimize()


def scopes(chunks: NDArray[np.int64]) -> Iterator[tuple[str, NDArray[np.int64] | None]]:
    """Of chunks; everything first."""
    yield "everything", None
    for count in (1, 50, len(chunks) // 2, len(chunks) - 50):
        yield f"{count:,} chunks, anywhere", np.sort(dice.choice(chunks, count, replace=False))
    half = len(chunks) // 4
    yield f"{len(chunks) // 2:,} chunks, one after the other", chunks[half : half + len(chunks) // 2]


def timed(ask: Callable[[str], Any], count: int) -> float:
    ask(words(5)[0])
    spent = []
    for query in words(5, count):
        started = time.monotonic()
        ask(query)
        spent.append((time.monotonic() - started) * 1000)
    return statistics.median(spent)


def by_library(store: Path, count: int) -> dict[str, dict[str, float]]:
    """Area to scope to milliseconds. Of other kinds than chunks a scope here holds everything."""
    found: dict[str, dict[str, float]] = {}
    with Database.open(store) as database, Worker(store, Config()) as worker:
        worker.embed(["load the model"])
        searcher = Searcher(worker, CatalogRows(database), 60.0)
        chunks = np.array([row for (row,) in database.fetch("SELECT id FROM chunks ORDER BY id")], np.int64)
        for area in ("chunks", "semantic"):
            kinds, _ = AREAS[area]
            found[area] = {}
            for name, scope in scopes(chunks):
                within = None if scope is None else {**dict.fromkeys(kinds), "chunk": scope}

                def ask(query: str, kinds: Any = kinds, within: Any = within) -> None:
                    searcher.search(SearchRequest(query=query, kinds=kinds, within=within))

                found[area][name] = timed(ask, count)
        searcher.close()
    return found


def by_cat(store: Path, count: int) -> dict[str, float]:
    """Directory to milliseconds of ``cat DIRECTORY/@search/semantic/…/results.jsonl``."""
    kgfs = [sys.executable, "-m", "kgfs.cli.main", "--store", os.fspath(store)]
    found = {}
    with tempfile.TemporaryDirectory() as temporary:
        mountpoint = Path(temporary, "kg")
        subprocess.run([*kgfs, "-q", "mount", os.fspath(mountpoint)], check=True)
        try:
            subprocess.run([*kgfs, "-q", "search", "load the model"], check=True, stdout=subprocess.DEVNULL)
            topic = next(path.name for path in (mountpoint / "topics").iterdir() if path.is_dir())
            for name in (".", "chunks", f"topics/{topic}", "facts"):

                def ask(query: str, directory: Path = mountpoint / name) -> None:
                    path = directory / "@search/semantic" / query / "results.jsonl"
                    subprocess.run(["cat", path], check=True, stdout=subprocess.DEVNULL)

                found[name] = timed(ask, count)
        finally:
            subprocess.run([*kgfs, "-q", "umount", os.fspath(mountpoint)], check=True)
    return found


def report(chunks: int, figures: dict[str, Any]) -> None:
    print(f"| {chunks:,} chunks | " + " | ".join(figures["library"]) + " |")
    print("|---" * (len(figures["library"]) + 1) + "|")
    areas = list(figures["library"].values())
    for name in areas[0]:
        print(f"| {name} | " + " | ".join(f"{area[name]:.0f} ms" for area in areas) + " |")
    for directory, spent in figures.get("cat", {}).items():
        print(f"| `cat {directory}/@search/semantic/…` | | {spent:.0f} ms |")


def bench(work: Path, entities: int, mount: bool) -> dict[str, Any]:
    """A part of ``scripts/bench query``: half as many chunks as it is told entities."""
    chunks = max(entities // 2, 50)
    store = work / "store"
    make(store, chunks)
    figures: dict[str, Any] = {"library": by_library(store, QUERIES)}
    if mount:
        figures["cat"] = by_cat(store, QUERIES)
    report(chunks, figures)
    return figures


if __name__ == "__main__":
    raise SystemExit("bench: run `scripts/bench query --part search`")
