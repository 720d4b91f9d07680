"""How long ``@find`` takes: by the engine, and by a listing on a mount.

    scripts/bench query --part find [--entities 10000] [--no-mount] [--json FILE]

The engine keeps nothing, so each path is asked three times and the median counts; on the mount each is listed once,
which is what the first listing of a generation costs, with all its names.
"""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path
from typing import Any

from fs import Daemon

from kgfs.errors import QueryError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.queries.find import find_matching
from kgfs.namespace.queries.query_cache import Query
from tests import graph_builder

PATHS = (
    "@find/type=Organization", "@find/type=Organization/min_facts=3", "@find/name=*77*", "@find/facts>2",
    "@find/mentions=Person_number_77", "@find/related_to=Organization_number_6000",
    "@find/relationship=ACQUIRED/type=entity", "@find/date=2015-03", "@find/from=2015/to=2016/type=fact",
    "@find/topic=Topic_9", "@find/subject=Person_number_77", "@find/has_subtopics=true", "@find/type=fact",
    "entities/people/@find/name=*1*", "chunks/@find/mentions=Person_number_5",
)  # fmt: skip
TIMES = 3


def bench(work: Path, entities: int, mount: bool) -> dict[str, Any]:
    """Milliseconds a path, and how many links it lists."""
    store = work / "store"
    with graph_builder.build(store, entities=entities, documents=max(entities // 20, 3)) as database:
        namespace = Namespace(database)
        namespace.adopt(namespace.load_snapshot())
        rows = [by_engine(namespace, path) for path in PATHS]
    rows = [row for row in rows if row]
    if mount:
        by_mount(work, store, rows)
    for row in rows:
        listed = f"{row['mount']:9.1f}" if mount else ""
        print(f"{row['engine']:8.1f}{listed} {row['links']:8,} {row['path']}")
    for door in ("engine", "mount") if mount else ("engine",):
        figures = [row[door] for row in rows]
        print(f"@find by {door}, ms: median {statistics.median(figures):.1f}, most {max(figures):.1f}")
    return {"paths": rows}


def by_engine(namespace: Namespace, path: str) -> dict[str, Any]:
    directory, _, predicates = path.partition("@find/")
    words = tuple(predicates.split("/"))
    seconds = []
    for number in range(TIMES):
        query = Query(number + 1, "@find/<predicate>/", namespace.resolve(directory), 0, words)
        begun = time.perf_counter()
        try:
            result = find_matching(namespace, query)
        except QueryError as error:
            print(f"left out: {path}: {error}")
            return {}
        seconds.append(time.perf_counter() - begun)
    return {"path": path, "links": len(result.links), "engine": statistics.median(seconds) * 1000}


def by_mount(work: Path, store: Path, rows: list[dict[str, Any]]) -> None:
    daemon = Daemon(store, work / "kg")
    (work / "kg").mkdir()
    daemon.start()
    try:
        for row in rows:
            begun = time.perf_counter()
            os.listdir(work / "kg" / row["path"])
            row["mount"] = (time.perf_counter() - begun) * 1000
    finally:
        daemon.stop()
