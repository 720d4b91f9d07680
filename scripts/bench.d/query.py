"""How long query paths take, part by part.

    scripts/bench query [--part find|grep|search] [--entities 10000] [--no-mount] [--work DIR] [--json FILE]

``grep``: ``@grep/-r`` over the whole tree of a store of so many entities, by the engine and by ``cat`` on a mount,
beside ``grep -rn`` of GNU over the same tree written to disk, warm, for 50 listed patterns. Every pattern is asked
once, so no answer is kept from before; that both say the same is checked. The figure is the median of the ratios.

``find``: ``@find`` by the engine and by a listing on a mount (``query_find.py``).

``search``: ``@search`` of everything and inside scopes (``query_search.py``).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import query_find
import query_search
from fs import Daemon

from kgfs.namespace.namespace import Namespace
from kgfs.namespace.queries import grep
from kgfs.namespace.queries.query_cache import encode
from kgfs.store.catalog.database import Database
from tests import graph_builder

PATTERNS: tuple[tuple[str, str], ...] = (
    # plain words: absent, rare, in every document
    ("no such words", ""), ("Organization number 6000", ""), ("Person number 77", ""), ("note_123_chunk_0004", ""),
    ("Part 7 of 42", ""), ("Statement 15999", ""), ("Topic 9", ""), ("calm spring", ""), ("wages", ""),
    ("firms hired fewer", ""), ("unemployment_rate", ""), ("zebra", ""), ("3.6 percent", "F"), ("Alias 4000", "F"),
    ("\"object\": null", "F"), ("é 3", ""),
    # anchors, classes, repetition
    ("^# Part 5", ""), ("steady$", ""), ("^Note 99", ""), ("2015-0[1-3]", ""), ("number 77[0-9]{2}", ""),
    ("[A-Z][a-z]+ number 1234", ""), ("f_[0-9a-f]{4}0000", ""), ("[[:upper:]]{14,}", ""), ("(bank|firms) to hold", ""),
    ("prices +of +energy +fell +again", ""), ("[0-9]{4}-12-2[0-9]", ""), ("^.{200,}$", ""), (r"\.5,$", ""),
    ("é [12]\\.$", ""),
    # alternation, words, back-references
    ("zebra|lion|tiger", ""), ("ACQUIRED|FOUNDED", ""), ("Person number (12|34)56", ""), (r"\bslow yet steady\b", ""),
    (r"\<expect\> the", ""), ("growth", "w"), ("number 500", "w"), (r"(wages) .*\1", ""), (r"\b([a-z]+) \1\b", ""),
    (r"([0-9])\1\1\1", ""),
    # without case, names of files
    ("WAGES ROSE", "i"), ("organization NUMBER 600", "i"), ("kelvin", "i"), ("analysts expect", "il"), ("wages", "l"),
    ("Concept number 9999", "l"), ("PARTNERED_WITH", "l"), ("zebra", "l"), ("chief_executive_of", "iw"),
    ("district", "Fw"),
)  # fmt: skip
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8"}


def write_out(namespace: Namespace, target: Path) -> tuple[int, int]:
    """The tree but for areas and links, on disk; how many files and bytes that are."""
    files = size = 0
    waiting = [(namespace.root, target)]
    while waiting:
        node, path = waiting.pop()
        path.mkdir()
        if namespace.pending(node):
            namespace.prepare(node)
        for entry in namespace.entries(node):
            kind = namespace.row(entry.node).kind
            if kind == "l" or (node == namespace.root and entry.name.startswith("@")):
                continue
            if kind == "d":
                waiting.append((entry.node, path / entry.name))
                continue
            body = namespace.peek(entry.node) or namespace.load(entry.node)
            files, size = files + 1, size + body.size
            (path / entry.name).write_bytes(body.read(0, body.size))
    return files, size


def timed(work: Callable[[], bytes]) -> tuple[float, bytes]:
    """Milliseconds, and what came of it."""
    started = time.perf_counter()
    found = work()
    return (time.perf_counter() - started) * 1000, found


def gnu(root: Path, pattern: str, flags: str) -> bytes:
    options = ["-F" if "F" in flags else "-E", *(f"-{flag}" for flag in flags if flag in "iwl")]
    command = ["grep", "-rn", "--binary-files=without-match", *options, "-e", pattern]
    return subprocess.run(command, cwd=root, env=ENVIRONMENT, capture_output=True, check=False).stdout


def bench_grep(work: Path, entities: int, mount: bool) -> dict[str, Any]:
    store, copy = work / "store", work / "copy"
    print(f"building a store of {entities:,} entities and writing its tree out", flush=True)
    graph_builder.build(store, entities=entities, documents=entities // 10, chunks_a_document=8).close()
    rows: list[dict[str, Any]] = []
    with Database.open(store) as database:
        namespace = Namespace(database)
        namespace.adopt(namespace.load_snapshot())
        files, size = write_out(namespace, copy)
        gnu(copy, "wages", "")  # what is read once is warm

        def engine(pattern: str, flags: str) -> bytes:
            return grep.matching_lines(namespace, namespace.store, namespace.view, namespace.root, pattern, f"r{flags}")

        engine("what is rendered once a generation", "")
        for pattern, flags in PATTERNS:
            ours, found = timed(lambda: engine(pattern, flags))  # noqa: B023
            theirs, wanted = timed(lambda: gnu(copy, pattern, flags))  # noqa: B023
            if sorted(found.split(b"\n")) != sorted(wanted.split(b"\n")):
                raise SystemExit(f"bench: @grep and grep disagree on {pattern!r} {flags}")
            rows.append({"pattern": pattern, "flags": flags, "engine": ours, "gnu": theirs, "bytes": len(found)})
    if mount:
        by_mount(work, store, rows)
    for row in rows:
        row["ratio"] = row["engine"] / row["gnu"]
        cat = f"{row['mount']:9.0f}" if mount else ""
        print(
            f"{row['ratio']:6.3f} {row['engine']:8.0f} {row['gnu']:8.0f}{cat} {row['bytes']:10,} "
            f"{row['flags'] or '-':3} {row['pattern']}"
        )
    medians = {key: statistics.median(row[key] for row in rows) for key in rows[0] if key in ("engine", "gnu", "mount")}
    ratios = [row["ratio"] for row in rows]
    print(
        f"{len(rows)} patterns over {files:,} files, {size / 1e6:,.0f} MB; medians in ms: "
        + ", ".join(f"{key} {value:,.0f}" for key, value in medians.items())
    )
    print(f"@grep / grep -rn: median {statistics.median(ratios):.3f}, most {max(ratios):.3f}")
    if mount:
        print(f"by cat on the mount: median {statistics.median(row['mount'] / row['gnu'] for row in rows):.3f}")
    return {"files": files, "bytes": size, "patterns": rows, "ratio": statistics.median(ratios)}


def by_mount(work: Path, store: Path, rows: list[dict[str, Any]]) -> None:
    """The same by ``cat`` of the path."""
    mountpoint = work / "mount"
    mountpoint.mkdir()
    daemon = Daemon(store, mountpoint)
    daemon.start()
    try:
        subprocess.run(["cat", mountpoint / "@grep/what is rendered once a generation"], check=True)
        for row in rows:
            path = mountpoint / f"@grep/-r{row['flags']}/{encode(row['pattern'])}"
            row["mount"], found = timed(
                lambda: subprocess.run(["cat", path], capture_output=True, check=True).stdout  # noqa: B023
            )
            if len(found) != row["bytes"]:
                raise SystemExit(f"bench: the mount and the engine disagree on {row['pattern']!r}")
        print(f"daemon after that: {daemon.memory() / 1e6:,.0f} MB")
    finally:
        daemon.stop()


PARTS: dict[str, Callable[[Path, int, bool], dict[str, Any]]] = {
    "find": query_find.bench,
    "grep": bench_grep,
    "search": query_search.bench,
}
"""By name; each takes a directory to work in, how many entities, and whether to mount."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench query", description="How long query paths take.")
    parser.add_argument("--part", choices=sorted(PARTS), action="append", help="only this (default: all)")
    parser.add_argument("--entities", type=int, default=10_000)
    parser.add_argument("--no-mount", action="store_true", help="only what needs no mount")
    parser.add_argument("--work", type=Path, help="where to build (default: a temporary directory)")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    arguments = parser.parse_args()
    results = {}
    for name in arguments.part or sorted(PARTS):
        with tempfile.TemporaryDirectory(dir=arguments.work, prefix="kgfs-bench-") as directory:
            results[name] = PARTS[name](Path(directory), arguments.entities, not arguments.no_mount)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
