"""How costs grow with the graph: the same operations on stores of 10,000, 100,000 and more entities.

    scripts/bench scale [--entities 10000 100000 1000000] [--keep DIR] [--json FILE]

Each store is built (``scale_store``), mounted anew, and asked the same; the last column is the exponent of growth: 0 is
flat, 1 grows with the graph. Built stores stay in ``--keep`` and are taken from there the next time; a million entities
need some 30 GB there and an hour to build. Figures are medians of ``ROUNDS``, but for what happens once a mount.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from fs import Daemon
from process_memory import resident_below
from scale_store import build_scaled, settle_index

from kgfs.config import WORKER_LOG

ROUNDS = 9
PATIENCE_SECONDS = 600.0
RARE = "Alias {number}"
FREQUENT = "wages"
WORD = "kgfsscaleword"
BUILT = "built"
"""The name of a file that says that a store is whole."""


def seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def median(act: Callable[[int], object]) -> float:
    """Of ``ROUNDS``, each with another number."""
    return statistics.median(seconds(lambda number=number: act(number)) for number in range(ROUNDS))


def until(true: Callable[[], bool]) -> float:
    """Seconds until it is so. A question that is not answered within its time is asked again."""
    start = time.perf_counter()
    while time.perf_counter() - start < PATIENCE_SECONDS:
        with contextlib.suppress(TimeoutError):
            if true():
                return time.perf_counter() - start
        time.sleep(0.02)
    return math.nan


def longest_lookup(asked: Path, listed: Path) -> float:
    """The longest that a lookup in one directory takes while another one is listed."""
    names = (asked / f"none {number}" for number in itertools.count())  # the kernel knows none of them
    with subprocess.Popen(["ls", "-f", listed], stdout=subprocess.DEVNULL) as lister:
        longest = 0.0
        while lister.poll() is None:
            longest = max(longest, seconds(lambda: os.path.lexists(next(names))))
    return longest


def read(path: Path) -> str:
    """A file's text; a model that is loading is waited for."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return path.read_text()
        except TimeoutError:
            if time.monotonic() > deadline:
                raise


def tree_bytes(directory: Path) -> int:
    return sum(path.lstat().st_size for path in directory.rglob("*") if path.is_file())


class Figures(dict[str, float]):
    """Figures that are printed as they come: the largest store takes minutes, and may not get to its end."""

    def __setitem__(self, name: str, value: float) -> None:
        super().__setitem__(name, value)
        print(f"    {name.removesuffix(', bytes')}: {shown(name, value)}", flush=True)


def measure(store: Path, root: Path, entities: int) -> dict[str, float]:
    """Every figure of a store: seconds, or bytes where the name says so."""
    daemon = Daemon(store, root)
    found = Figures()
    found["mount"] = seconds(daemon.start)
    try:
        measure_reading(found, daemon, root, entities)
        measure_writing(found, root)
    finally:
        daemon.stop()
    found["disk, bytes"] = tree_bytes(store)
    return found


def measure_reading(found: Figures, daemon: Daemon, root: Path, entities: int) -> None:
    dice = random.Random(1)
    assert daemon.process is not None
    by_name = root / "entities/by_name"
    found["first ls of the root"] = seconds(lambda: os.listdir(root))
    found["first ls of entities/by_name"] = seconds(lambda: os.listdir(by_name))
    found["ls of it again"] = seconds(lambda: os.listdir(by_name))
    found["longest lookup while it is listed"] = longest_lookup(root / "documents", by_name)
    names = dice.sample(os.listdir(by_name), 3 * ROUNDS + entities // 1000)
    found["lookup"] = median(lambda number: os.lstat(by_name / names[number]))
    found["cat of a summary"] = median(lambda number: read(by_name / names[ROUNDS + number] / "summary.txt"))
    walked = names[3 * ROUNDS :]
    found["walk of a thousandth"] = seconds(lambda: [list(os.walk(by_name / name)) for name in walked])
    read(root / "@search/chunks/anything/results.jsonl")  # the model is loaded
    words = [f"{FREQUENT} and prices of energy {number}" for number in range(3 * ROUNDS)]
    found["hybrid search"] = median(lambda number: read(root / "@search/text" / words[number]))
    found["@brief"] = median(lambda number: read(root / f"@brief/what is {names[2 * ROUNDS + number]}"))
    found["@grep, a rare word"] = median(
        lambda number: read(root / "@grep" / RARE.format(number=number * entities // 20 * 4))
    )
    found["@grep, a frequent word"] = median(lambda number: read(root / f"@grep/{FREQUENT} r[ao]se|{number}zz"))
    found["@find by type"] = median(lambda number: os.listdir(root / f"@find/type=Person/min_facts={10 + number}"))
    found["@path"] = median(lambda number: read(root / "@path" / names[number] / names[number + ROUNDS] / "path.txt"))
    found["memory of the daemon, bytes"] = daemon.memory()
    found["memory of its processes, bytes"] = resident_below(daemon.process.pid)


def measure_writing(found: Figures, root: Path) -> None:
    for name in ("first", "second"):  # the first starts what indexes
        note = root / "notes" / f"scale_{name}.md"
        note.write_text(f"# {name.title()} note\n\nThe {WORD}{name} is here.\n")
        # Looked up, not listed: a listing of all documents is another figure.
        listed = until(lambda note=note: os.path.lexists(root / "documents" / note.stem))
        found[f"a note is a document ({name})"] = listed
        asked = iter(range(50, 1000))
        found[f"a note is found ({name})"] = listed + until(
            lambda name=name, asked=asked: (
                "scale_" in read(root / f"@search/keyword/limit={next(asked)}/{WORD}{name}/results.jsonl")
            )
        )


def built(directory: Path, entities: int) -> Path:
    """A store of so many entities in a directory: one that is there already, or a new one."""
    store = directory / f"scale-{entities}"
    if not (store / BUILT).exists():
        shutil.rmtree(store, ignore_errors=True)
        store.mkdir(parents=True)
        took = seconds(lambda: build_scaled(store, entities))
        print(f"built {entities:,} entities in {took:,.0f} s", flush=True)
        (store / BUILT).touch()
    return store


def exponent(sizes: list[int], values: list[float]) -> float:
    """Of the growth between the smallest and the largest store."""
    if values[0] <= 0 or values[-1] <= 0 or len(values) < 2:
        return math.nan
    return math.log(values[-1] / values[0]) / math.log(sizes[-1] / sizes[0])


def shown(name: str, value: float) -> str:
    if "bytes" in name:
        return f"{value / 1e6:,.0f} MB"
    return f"{value * 1e3:,.2f} ms" if value < 1 else f"{value:,.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description="How costs grow with the graph.")
    parser.add_argument("--entities", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--keep", type=Path, help="where built stores stay")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    sizes = sorted(arguments.entities)
    tables: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory(prefix="kgfs-bench-") as made:
        for entities in sizes:
            kept = built(arguments.keep or Path(made), entities)
            work = Path(made) / f"work-{entities}"  # what is measured writes to it
            subprocess.run(["cp", "-a", "--reflink=auto", kept, work], check=True)
            (work / BUILT).unlink()
            print(
                f"{entities:,} entities; index settled in {seconds(lambda work=work: settle_index(work)):,.1f} s",
                flush=True,
            )
            (work / WORKER_LOG).unlink(missing_ok=True)
            root = Path(made) / "kg"
            root.mkdir(exist_ok=True)
            tables.append(measure(work, root, entities))
            shutil.rmtree(work)
    print("".join([f"{'':<34}", *(f"{size:>14,}" for size in sizes), f"{'exponent':>10}"]))
    for name in tables[0]:
        values = [table[name] for table in tables]
        cells = "".join(f"{shown(name, value):>14}" for value in values)
        print(f"{name.removesuffix(', bytes'):<34}{cells}{exponent(sizes, values):>10.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(dict(zip(map(str, sizes), tables, strict=True)), indent=2))


if __name__ == "__main__":
    main()
