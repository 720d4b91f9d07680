"""What the index of vectors finds and costs beside exact search, on vectors of real sentences.

    scripts/bench vectors TEXTS [--rows 100000] [--keep DIR] [--queries 200]

Sentences of the ``.md`` and ``.jsonl`` files beneath ``TEXTS``, and pairs of them that follow each other, are embedded
by the model of the settings (minutes to an hour; ``--keep`` keeps the vectors for the next time). Queries are sentences
that are held out, and half of them the questions of files named ``queries`` or ``questions``, if there are any.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kgfs.config import Config
from kgfs.index_records import IdFilter, IndexRow
from kgfs.model import KINDS
from kgfs.models.embedders import load
from kgfs.search.fusion import DEPTH
from kgfs.store.index import vector_cache
from kgfs.store.index.vectors import VectorStore

MODEL = "bench"
BATCH = 10_000
LEAST_LETTERS, MOST_LETTERS = 25, 250
_END = re.compile(r'(?<=[.!?])\s+(?=[A-Z0-9"`(])|\n\s*\n|\n(?=[-*|#>]|\d+\.)')
_ASKED = re.compile("queries|questions")

Vectors = NDArray[np.float32]
Ids = NDArray[np.int64]


def sentences(directory: Path) -> tuple[list[str], list[str]]:
    """Distinct sentences and pairs of them in a random order, and questions."""
    found: dict[str, None] = {}
    questions: list[str] = []
    for file in sorted(directory.rglob("*.md")) + sorted(directory.rglob("*.jsonl")):
        texts = [file.read_text(errors="replace")]
        if file.suffix == ".jsonl":
            rows = [json.loads(line) for line in texts[0].splitlines()]
            texts = [str(row.get("text") or row.get("question") or row.get("sentence") or "") for row in rows]
        if _ASKED.search(file.name):
            questions += texts
            continue
        for text in texts:
            parts = [one for part in _END.split(text) if len(one := " ".join(part.split())) >= LEAST_LETTERS]
            pairs = [f"{one} {other}" for one, other in pairwise(parts)]
            found |= dict.fromkeys(one for one in (*parts, *pairs) if len(one) <= MOST_LETTERS)
    order = list(found)
    random.Random(1).shuffle(order)
    return order, questions


def embedded(directory: Path, keep: Path, rows: int, queries: int) -> tuple[Vectors, Vectors]:
    """So many vectors of sentences, and those of queries."""
    kept = keep / "vectors.npy", keep / "queries.npy"
    if not all(file.exists() for file in kept):
        texts, questions = sentences(directory)
        model = load(Config())
        np.save(kept[0], model.encode(texts[: rows + queries]))
        asked = [model.encode_query(one) for one in random.Random(1).sample(questions, min(len(questions), queries))]
        np.save(kept[1], np.array(asked, np.float32).reshape(-1, model.dimension))
    there, asked = np.load(kept[0]), np.load(kept[1])
    held = there[-queries:][: queries - min(len(asked), queries // 2)]
    return there[:-queries][:rows], np.concatenate([held, asked[: queries // 2]])


def filters(there: Vectors) -> dict[str, Ids | None]:
    """What passes: everything, and parts of it that a kind, a folder or a date may leave, by what the table says."""
    count = len(there)
    shuffled = np.random.default_rng(2).permutation(count)
    alike = np.argsort(-(there @ there[0]))
    return {
        "none": None,
        "1 %, scattered": np.sort(shuffled[: count // 100]),
        "1 %, alike": np.sort(alike[: count // 100]),
        "1 %, one folder": np.arange(count // 3, count // 3 + count // 100),
        "40 %, scattered": np.sort(shuffled[: count * 2 // 5]),
        "40 %, alike": np.sort(alike[: count * 2 // 5]),
    }


def measure(store: VectorStore, way: str, there: Vectors, queries: Vectors, only: dict[str, Ids | None]) -> None:
    """Print a line a filter: what part of the exact best 10 and best ``DEPTH`` is found, and how long it takes."""
    for name, ids in only.items():
        where = None if ids is None else IdFilter(ids=ids.astype(np.int64).tobytes())
        candidates = np.arange(len(there)) if ids is None else ids
        ten, deep, took = [], [], []
        for query in queries:
            started, used = time.perf_counter(), time.process_time()
            found = store.nearest("chunk", query, MODEL, DEPTH, where).ids
            took.append((time.process_time() - used, time.perf_counter() - started))
            exact = candidates[np.argsort(-(there[candidates] @ query))[:DEPTH]]
            ten.append(len(np.intersect1d(found[:10], exact[:10])) / 10)
            deep.append(len(np.intersect1d(found, exact)) / len(exact))
        times = " | ".join(f"{statistics.median(some) * 1e3:.0f} ms" for some in zip(*took, strict=True))
        print(f"| {way} | {name} | {np.mean(ten):.3f} | {np.mean(deep):.3f} | {times} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="What the index of vectors finds and costs.")
    parser.add_argument("texts", type=Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kgfs-bench-") as made:
        there, queries = embedded(arguments.texts, arguments.keep or Path(made), arguments.rows, arguments.queries)
        store = VectorStore(Path(made) / "vectors", there.shape[1], index_rows=1)
        for start in range(0, len(there), BATCH):
            part = there[start : start + BATCH]
            rows = [
                IndexRow(id=start + at, document_id=1, gen=1, title="", text=f"{start + at}") for at in range(len(part))
            ]
            store.put_vectors("chunk", rows, part, MODEL)
        store.optimize()
        print(f"{len(there):,} vectors, {len(queries)} queries")
        print("| | filter | of the best 10 | of the best 1,000 | processors | waited |\n|---|---|---:|---:|---:|---:|")
        only = filters(there)
        vector_cache.MAX_ROWS.update(dict.fromkeys(KINDS, len(there)))
        measure(store, "in memory", there, queries[:20], {"none": None})
        vector_cache.MAX_ROWS.update(dict.fromkeys(KINDS, -1))
        measure(store, "scan", there, queries[:20], only)
        started = time.perf_counter()
        store.make_indexes()
        took = time.perf_counter() - started
        measure(store, "index", there, queries, only)
        print(f"The index was made in {took:.0f} s.")


if __name__ == "__main__":
    main()
