"""How long pages of the website and pictures take, on a mount.

    scripts/bench web [--store DIR] [--entities 10000] [--pages 200] [--json FILE]

Of each kind so many pages are read that nobody has read before, then the same again: milliseconds for opening, reading
and closing, as medians, 95th percentiles and greatest. Without a store one of so many entities is built.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fs import Daemon

from tests import graph_builder

KINDS = {
    "first page": "index.html", "lists": "*/**/index*.html", "entities": "entities/*/*.html", "topics": "topics/*.html",
    "documents": "documents/*.html", "facts": "facts/*/*.html",
    "graphs": "entities/*/*,graph.svg", "timelines": "entities/*/*,timeline.svg", "topic graphs": "topics/*,graph.svg",
}  # fmt: skip


@contextmanager
def store_of(given: str | None, entities: int) -> Iterator[Path]:
    if given is not None:
        yield Path(given)
        return
    with tempfile.TemporaryDirectory(prefix="kgfs-bench-") as place:
        print(f"building a store of {entities:,} entities", flush=True)
        graph_builder.build(Path(place, "store"), entities=entities, documents=entities // 20).close()
        yield Path(place, "store")


def read(path: Path) -> tuple[float, int]:
    began = time.perf_counter()
    size = len(path.read_bytes())
    return (time.perf_counter() - began) * 1e3, size


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench web")
    parser.add_argument("--store")
    parser.add_argument("--entities", type=int, default=10_000)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = {}
    with store_of(given.store, given.entities) as store, tempfile.TemporaryDirectory(prefix="kgfs-bench-") as place:
        daemon = Daemon(store, Path(place))
        daemon.start()
        try:
            site = Path(place, "@web")
            began = time.perf_counter()
            count = sum(1 for _ in site.rglob("*"))
            print(f"{count:,} names listed in {time.perf_counter() - began:.2f} s")
            dice = random.Random(1)
            for kind, pattern in KINDS.items():
                paths = sorted(site.glob(pattern))
                paths = dice.sample(paths, min(len(paths), given.pages))
                first = [read(path) for path in paths]
                again = [read(path)[0] for path in paths]
                times = sorted(took for took, _ in first)
                found[kind] = {
                    "pages": len(paths), "median": statistics.median(times), "p95": times[int(len(times) * 0.95)],
                    "most": times[-1], "again": statistics.median(again), "bytes": max(size for _, size in first),
                }  # fmt: skip
                print(
                    "{:12} {pages:5} pages   median {median:6.1f} ms   95 % {p95:6.1f}   most {most:6.1f}   "
                    "again {again:5.2f}   largest {bytes:,} bytes".format(kind, **found[kind]),
                    flush=True,
                )
        finally:
            daemon.stop()
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
