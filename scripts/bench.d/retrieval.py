"""How good search is on labelled collections: nDCG@10 and Recall@100 of each leg and of the fused result.

    scripts/bench retrieval DIR [--set cranfield] [--json FILE]

DIR holds a folder a collection, of one of two shapes:

* ``corpus.jsonl`` {_id, title, text}, ``queries.jsonl`` {_id, text} and ``qrels.tsv`` (query-id, corpus-id, score;
  relevant means score > 0). A document is one row of kind chunk, and every query goes through the worker process and
  ``kgfs.search``, as a user's does. Also printed: seconds to index, and the median time of a search.
* ``docs.jsonl`` {_id, title, text} and ``questions.jsonl`` {_id, question, supporting}: questions that need several
  documents. They are added as a user adds a folder, so that there is a graph, and searched without and with the leg
  ``graph``.

Differences are printed with the interval that holds 95 % of the means over resampled queries.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kgfs.config import Config
from kgfs.index_records import IndexRow
from kgfs.models.client import Worker
from kgfs.search.query import SearchRequest
from kgfs.search.rows import CatalogRows
from kgfs.search.searcher import Searcher
from kgfs.store.catalog.database import Database
from kgfs.store.catalog.inserts import insert

KIND = "chunk"
DEPTH = 1000
BATCH = 128
RESAMPLED = 4000
K = 60

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
    return [document["_id"] for document in documents]


def by_rank(legs: list[list[int]], weights: tuple[float, ...] = (1.0, 1.3)) -> list[int]:
    """Reciprocal rank fusion: what the fusion of ``kgfs.search`` is compared with."""
    sums: dict[int, float] = defaultdict(float)
    for ranked, weight in zip(legs, weights, strict=True):
        for rank, number in enumerate(ranked, 1):
            sums[number] += weight / (K + rank)
    return sorted(sums, key=lambda number: (-sums[number], number))


def interval(first: list[float], second: list[float]) -> list[float]:
    """Where 95 % of the means of ``second`` less ``first`` lie, over resampled queries."""
    difference = np.array(second) - np.array(first)
    chosen = np.random.default_rng(0).integers(0, len(difference), (RESAMPLED, len(difference)))
    low, high = np.quantile(difference[chosen].mean(axis=1), [0.025, 0.975])
    return [float(low), float(high)]


def measure(directory: Path) -> dict[str, Any]:
    """A collection of single passages."""
    relevant = relevance(directory / "qrels.tsv")
    queries = {query["_id"]: query["text"] for query in lines(directory / "queries.jsonl")}
    ranked: dict[str, dict[str, list[str]]] = {"bm25": {}, "vector": {}, "by_rank": {}, "fused": {}}
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
                found["by_rank"] = by_rank([found["bm25"], found["vector"]])
                for leg, numbers in found.items():
                    ranked[leg][query] = [ids[number - 1] for number in numbers]
            searcher.close()
    gains = {leg: [ndcg(found[query], relevant[query]) for query in relevant] for leg, found in ranked.items()}
    legs = {
        leg: {
            "ndcg@10": statistics.mean(gains[leg]),
            "recall@100": statistics.mean(recall(found[query], relevant[query]) for query in relevant),
        }
        for leg, found in ranked.items()
    }
    return {
        "documents": len(ids),
        "queries": len(relevant),
        "index_seconds": seconds,
        "search_ms": statistics.median(times),
        "fused_less_by_rank": interval(gains["by_rank"], gains["fused"]),
        **legs,
    }


def measure_hops(directory: Path) -> dict[str, Any]:
    """Questions that need several documents: without and with the leg ``graph``."""
    questions = list(lines(directory / "questions.jsonl"))
    supporting = [dict.fromkeys(question["supporting"], 1) for question in questions]
    with tempfile.TemporaryDirectory() as temporary:
        folder, store = Path(temporary, "documents"), Path(temporary, "store")
        folder.mkdir()
        for document in lines(directory / "docs.jsonl"):
            path = folder / f"{document['_id']}.md"
            path.write_text(f"# {document['title']}\n\n{document['text']}\n", encoding="utf-8")
        command = [sys.executable, "-m", "kgfs.cli.main", "--store", os.fspath(store), "-q", "add", os.fspath(folder)]
        subprocess.run(command, check=True)
        with Database.open(store) as database, Worker(store, Config()) as worker:
            worker.embed(["load the model"])
            sql = "SELECT c.id, i.path FROM chunks c JOIN context_items i ON i.id = c.document_id"
            names = {row: Path(path).stem for row, path in database.fetch(sql)}
            ranked: dict[str, list[list[str]]] = {}
            times: dict[str, float] = {}
            for leg, graph in (("without", False), ("graph", True)):
                searcher = Searcher(worker, CatalogRows(database), 60.0, graph=graph)
                searcher.search(SearchRequest(query="first", kinds=(KIND,)))
                spent = []
                ranked[leg] = []
                for question in questions:
                    started = time.monotonic()
                    answer = searcher.search(SearchRequest(query=question["question"], kinds=(KIND,), limit=DEPTH))
                    spent.append((time.monotonic() - started) * 1000)
                    ranked[leg].append(list(dict.fromkeys(names[hit.id] for hit in answer.hits)))
                times[leg] = statistics.median(spent)
                searcher.close()
    figures: dict[str, Any] = {"documents": len(set(names.values())), "queries": len(questions)}
    gains, recalls = {}, {}
    for leg, found in ranked.items():
        pairs = list(zip(found, supporting, strict=True))
        gains[leg] = [ndcg(*pair) for pair in pairs]
        recalls[leg] = [recall(*pair, 5) for pair in pairs]
        figures[leg] = {
            "ndcg@10": statistics.mean(gains[leg]),
            "recall@5": statistics.mean(recalls[leg]),
            "all@5": statistics.mean(one == 1.0 for one in recalls[leg]),
            "all@8": statistics.mean(recall(*pair, 8) == 1.0 for pair in pairs),
            "all@10": statistics.mean(recall(*pair, 10) == 1.0 for pair in pairs),
            "recall@100": statistics.mean(recall(*pair) for pair in pairs),
            "search_ms": times[leg],
        }
    figures["graph_less_without"] = interval(gains["without"], gains["graph"])
    figures["graph_less_without_recall@5"] = interval(recalls["without"], recalls["graph"])
    return figures


def report(name: str, result: dict[str, Any]) -> None:
    if "fused" in result:
        legs = " | ".join(
            f"{result[leg]['ndcg@10']:.3f} / {result[leg]['recall@100']:.3f}"
            for leg in ("bm25", "vector", "by_rank", "fused")
        )
        low, high = result["fused_less_by_rank"]
        print("| set | BM25 | vectors | by rank | fused | fused less by rank | indexed in | median search |")
        print("|---|---|---|---|---|---|---|---|")
        print(
            f"| {name} | {legs} | {low:+.3f} to {high:+.3f} | {result['index_seconds']:.0f} s |"
            f" {result['search_ms']:.0f} ms |"
        )
        return
    print(f"| {name} | nDCG@10 | Recall@5 | all of them in 5 / 8 / 10 | Recall@100 | median search, 1,000 hits |")
    print("|---|---|---|---|---|---|")
    for leg in ("without", "graph"):
        one = result[leg]
        print(
            f"| {leg} | {one['ndcg@10']:.3f} | {one['recall@5']:.3f} | {one['all@5']:.3f} / {one['all@8']:.3f}"
            f" / {one['all@10']:.3f} |"
            f" {one['recall@100']:.3f} | {one['search_ms']:.0f} ms |"
        )
    intervals = (result["graph_less_without"], result["graph_less_without_recall@5"])
    print("| difference | " + " | ".join(f"{low:+.3f} to {high:+.3f}" for low, high in intervals) + " | | | |")


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench retrieval", description="Quality of search.")
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--set", action="append", dest="names", help="only this collection; may be given again")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    kinds = {"qrels.tsv": measure, "questions.jsonl": measure_hops}
    found = {path.parent.name: kind for mark, kind in kinds.items() for path in options.directory.glob(f"*/{mark}")}
    names = options.names or sorted(found)
    if not names or set(names) - found.keys():
        parser.error(
            f"{options.directory} lacks such a collection: a folder with corpus.jsonl, queries.jsonl, qrels.tsv,"
            " or with docs.jsonl, questions.jsonl"
        )
    results = {}
    for name in names:
        results[name] = found[name](options.directory / name)
        report(name, results[name])
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
