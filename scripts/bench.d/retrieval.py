"""How good search is on labelled collections: nDCG@10 and Recall@100 of each leg and of the fused result.

    scripts/bench retrieval DIR [--set cranfield] [--json FILE]

DIR holds a folder a collection, each with ``corpus.jsonl`` {_id, title, text}, ``queries.jsonl`` {_id, text} and
``qrels.tsv`` (query-id, corpus-id, score; relevant means score > 0). A document is one row of kind chunk, and every
query goes through the worker process and ``kgfs.search``, as a user's does. Also printed: seconds to index, and the
median time of a search.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kgfs.config import Config
from kgfs.model import IndexRow
from kgfs.models.client import Worker
from kgfs.search.query import SearchRequest
from kgfs.search.rows import CatalogRows
from kgfs.search.searcher import Searcher
from kgfs.store.database import Database, insert

KIND = "chunk"
DEPTH = 1000
BATCH = 128

Relevance = dict[str, dict[str, int]]
"""Query to document to its score above 0."""


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def relevance(path: Path) -> Relevance:
    found: Relevance = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        if int(score) > 0:
            found[query][document] = int(score)
    return found


def ndcg(ranked: list[str], relevant: dict[str, int], depth: int = 10) -> float:
    gain = sum(relevant.get(one, 0) / math.log2(place + 2) for place, one in enumerate(ranked[:depth]))
    best = sorted(relevant.values(), reverse=True)[:depth]
    return gain / sum(score / math.log2(place + 2) for place, score in enumerate(best))


def recall(ranked: list[str], relevant: dict[str, int], depth: int = 100) -> float:
    return len(relevant.keys() & set(ranked[:depth])) / len(relevant)


def index(directory: Path, database: Database, worker: Worker) -> list[str]:
    """Put a collection's documents into catalog and index; their ids in order of row id, which counts from 1."""
    documents = list(lines(directory / "corpus.jsonl"))
    count = len(documents)
    columns = {
        "id": list(range(1, count + 1)),
        "document_id": list(range(1, count + 1)),
        "text": [document["text"] for document in documents],
        "want_gen": [1] * count,
        "have_gen": [1] * count,
    }
    database.write(lambda cursor: insert(cursor, "chunks", columns))
    rows = [
        IndexRow(
            id=number,
            document_id=number,
            gen=1,
            title=document["title"],
            text=document["text"],
            embedded=f"{document['title']}\n{document['text']}".strip(),
        )
        for number, document in enumerate(documents, 1)
    ]
    for start in range(0, count, BATCH):
        worker.index_texts(KIND, rows[start : start + BATCH])
        worker.index_vectors(KIND, rows[start : start + BATCH])
        print(f"\r{directory.name}: {min(count, start + BATCH)} of {count} indexed", end="", file=sys.stderr)
    print(file=sys.stderr)
    time.sleep(1.5)  # the worker folds new rows into its indexes once nothing was written for a second
    worker.optimize()
    return [document["_id"] for document in documents]


def measure(directory: Path) -> dict[str, Any]:
    relevant = relevance(directory / "qrels.tsv")
    queries = {query["_id"]: query["text"] for query in lines(directory / "queries.jsonl")}
    ranked: dict[str, dict[str, list[str]]] = {"bm25": {}, "vector": {}, "fused": {}}
    times = []
    with tempfile.TemporaryDirectory() as temporary:
        store = Path(temporary)
        with Database.open(store, create=True) as database, Worker(store, Config()) as worker:
            worker.embed(["load the model"])
            started = time.monotonic()
            ids = index(directory, database, worker)
            seconds = time.monotonic() - started
            searcher = Searcher(worker, CatalogRows(database), 60.0)
            for query in relevant:
                text = queries[query]
                started = time.monotonic()
                answer = searcher.search(SearchRequest(query=text, kinds=(KIND,), limit=20))
                times.append((time.monotonic() - started) * 1000)
                answer = searcher.search(SearchRequest(query=text, kinds=(KIND,), limit=DEPTH))
                found = {
                    "bm25": worker.keyword([KIND], text, DEPTH)[KIND].ids,
                    "vector": worker.nearest([KIND], text, DEPTH)[KIND].ids,
                    "fused": [hit.id for hit in answer.hits],
                }
                for leg, numbers in found.items():
                    ranked[leg][query] = [ids[number - 1] for number in numbers]
            searcher.close()
    legs = {
        leg: {
            "ndcg@10": statistics.mean(ndcg(lists[query], relevant[query]) for query in relevant),
            "recall@100": statistics.mean(recall(lists[query], relevant[query]) for query in relevant),
        }
        for leg, lists in ranked.items()
    }
    return {
        "documents": len(ids),
        "queries": len(relevant),
        "index_seconds": seconds,
        "search_ms": statistics.median(times),
        **legs,
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench retrieval", description="Quality of search.")
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--set", action="append", dest="names", help="only this collection; may be given again")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    names = options.names or sorted(path.parent.name for path in options.directory.glob("*/qrels.tsv"))
    if not names:
        parser.error(f"{options.directory} holds no collection (a folder with corpus.jsonl, queries.jsonl, qrels.tsv)")
    results = {name: measure(options.directory / name) for name in names}
    print("| set | BM25 | vectors | fused | indexed in | median search |")
    print("|---|---|---|---|---|---|")
    for name, result in results.items():
        legs = " | ".join(
            f"{result[leg]['ndcg@10']:.3f} / {result[leg]['recall@100']:.3f}" for leg in ("bm25", "vector", "fused")
        )
        print(f"| {name} | {legs} | {result['index_seconds']:.0f} s | {result['search_ms']:.0f} ms |")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
