"""What it costs to show one more document, by the size of the graph: rendering, the new snapshot, what the kernel is
told.

    scripts/bench publication [--entities 100000 300000] [--keep DIR] [--json FILE]

In one process, without mount, pipeline and index: seconds of the processor, medians of ``ROUNDS``. Each document has
two passages with three entities each, and four facts. Built stores stay in ``--keep``, as those of ``scripts/bench
scale`` do, and are taken from there.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.store.catalog.database import CATALOG, Cursor, Database
from tests import graph_builder

ROUNDS = 5
KNOWN = 3_000
"""Names that the kernel knows."""
MENTIONED = 50
"""Entities among which a document's are."""


def built(directory: Path, entities: int) -> Path:
    """The catalog of a graph as ``scripts/bench scale`` has it."""
    store = directory / f"scale-{entities}"
    if not (store / CATALOG).exists():
        graph_builder.build(
            store, entities=entities, documents=entities // 2, chunks_a_document=4, facts_a_chunk=2,
            mentions_a_chunk=4, topics=0, skew=3.0,
        ).close()  # fmt: skip
    return store / CATALOG


class Few:
    """A cursor that knows some of the entities only: the builder reads all of them."""

    def __init__(self, cursor: Cursor, dice: random.Random) -> None:
        self._cursor, self._dice = cursor, dice

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def execute(self, sql: Any, *given: Any) -> Any:
        if isinstance(sql, str) and sql.startswith("SELECT id FROM entities"):
            ((last,),) = self._cursor.execute("SELECT max(id) FROM entities").fetchall()
            chosen = [self._dice.randint(1, last) for _ in range(MENTIONED)]
            return self._cursor.execute("SELECT DISTINCT unnest(?::BIGINT[]) AS id ORDER BY id", [chosen])
        if isinstance(sql, str) and sql.startswith("UPDATE facts SET conflict_id"):
            return self._cursor
        return self._cursor.execute(sql, *given)


def add_document(cursor: Cursor, dice: random.Random) -> None:
    maker = graph_builder._Maker(dice, 0, 2, 3, 2)
    maker.add_documents(Few(cursor, dice), 1, [], start=3)  # type: ignore[arg-type]


def measure(catalog: Path, work: Path) -> dict[str, float]:
    shutil.copy(catalog, work / CATALOG)
    found: dict[str, list[float]] = {}

    def timed(name: str, act: Callable[[], Any]) -> Any:
        start = time.process_time()
        result = act()
        found.setdefault(name, []).append(time.process_time() - start)
        return result

    dice = random.Random(1)
    with Database.open(work, reserve=0) as database:
        namespace = Namespace(database)
        namespace.adopt(timed("the first snapshot", namespace.load_snapshot))
        names = [entry.node for entry in namespace.entries(namespace.resolve("entities/by_name"))[:KNOWN]]
        known = [namespace.root, *map(namespace.resolve, ("entities", "documents", "entities/by_name")), *names]
        for number in range(ROUNDS + 1):
            database.write(lambda cursor: add_document(cursor, dice))
            if not number:  # it has what is made once
                found, first = {}, found
            timed("pages", lambda: publish(database))
            former, snapshot = namespace.view, timed("a snapshot", namespace.load_snapshot)
            namespace.adopt(snapshot)
            timed("what the kernel is told", lambda a=former, b=snapshot: namespace.changed(a, b, known))
            if not number:
                found = first
    return {name: statistics.median(times) for name, times in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="What one more document costs.")
    parser.add_argument("--entities", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--keep", type=Path, help="where built stores stay")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    tables: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="kgfs-bench-") as made:
        for entities in arguments.entities:
            work = Path(made) / f"work-{entities}"
            work.mkdir()
            tables[entities] = measure(built(arguments.keep or Path(made), entities), work)
            shutil.rmtree(work)
            print(f"{entities:,} entities", flush=True)
            for name, seconds in tables[entities].items():
                print(f"    {name}: {seconds:.3f} s", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(tables, indent=2))


if __name__ == "__main__":
    main()
