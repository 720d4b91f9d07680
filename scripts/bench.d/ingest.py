"""How fast folders become a graph, stage by stage, and what that takes of memory and of the processors.

    scripts/bench ingest FOLDER... [--tiny N] [--extractor auto|offline|none] [--store DIR] [--no-models] [--json FILE]

``--tiny N`` makes a folder of N notes of two or three sentences (``tiny_notes.py``), always the same ones, and says
what a note takes of the processors and where. Each FOLDER is added to a new store of its own (with ``--store`` all of
them go into that one, which is kept), by the same ``Service`` that a daemon has, with its snapshot loaded, so that
publishing costs what it costs beside a mount.

One row a stage: *read* (files read, parsed, cut into chunks, stored, in the keyword index), *extract* (names and facts
found, resolved, stored), *embed* (vectors), *publish* (pages rendered, the snapshot loaded; part of the time of the
others), *whole*. Stages overlap: the seconds of a stage go from its first report to its last. *MB* are those of the
files, 10^6 bytes. *cores*: processor seconds of all processes in a second of that stage; what this program takes to
look at them is left out. *Peak memory*: the largest sum
of the proportional set sizes (PSS) of all processes, looked at every half second, and the largest resident set of the
process that has the store (what a daemon would take) and of the largest process of each other kind.

*models alone* is the limit: what the tagger, the parser and the embedding model take of the processors by themselves
for the texts of that store, each distinct one once. The parser reads the sentences in which the tagger sees two names,
about those that extraction has parsed. Loading is not in it. ``--no-models`` leaves it out.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tiny_notes import write_notes

from kgfs.config import Config
from kgfs.extraction.extractor import PATTERNS, extractor_name
from kgfs.extraction.names import tagging
from kgfs.extraction.units import document_units
from kgfs.models import embedders
from kgfs.models.process import environment
from kgfs.pipeline.vector_pass import index_rows
from kgfs.progress import Never
from kgfs.service.service import Service
from kgfs.sources.walking import WalkedFile, walk_files
from kgfs.store.catalog.database import Database
from kgfs.store.files import documents
from kgfs.store.index.vectors import embedded_text
from kgfs.store.indexing import TABLES

SAMPLE_SECONDS = 0.5
STORE = "store"
"""This process, in what is shown."""
TINY = Path("notes")
"""Stands for the folder that ``--tiny`` makes."""
_TICK = os.sysconf("SC_CLK_TCK")


class Tree:
    """This process and all that come from it: memory and processor time, looked at in a thread."""

    def __init__(self) -> None:
        self.peak = 0
        self.resident: defaultdict[str, int] = defaultdict(int)
        self._spent: dict[tuple[int, str], float] = {}
        self._looking = 0.0
        """Processor seconds that looking took: reading the memory of large processes takes some."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Tree:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(SAMPLE_SECONDS):
            self.look()

    @contextlib.contextmanager
    def _look(self) -> Iterator[None]:
        """What is done within is not the work that is measured."""
        began = time.thread_time()
        try:
            yield
        finally:
            self._looking += time.thread_time() - began

    def processor(self) -> float:
        """The processor seconds of all processes so far, those that ended since the last look with what they had."""
        with self._look():
            for pid in processes(os.getpid()):
                with contextlib.suppress(OSError):
                    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                    self._spent[pid, name(pid)] = (int(fields[11]) + int(fields[12])) / _TICK
        return sum(list(self._spent.values())) - self._looking

    def spent(self) -> dict[str, float]:
        """Processor seconds of each kind of process."""
        found: defaultdict[str, float] = defaultdict(float)
        for (_, kind), seconds in list(self._spent.items()):
            found[kind] += seconds
        found[STORE] -= self._looking
        return dict(found)

    def look(self) -> None:
        """Note the memory that there is now."""
        self.processor()
        with self._look():
            self._look_at_memory()

    def _look_at_memory(self) -> None:
        total = 0
        for pid in processes(os.getpid()):
            try:
                memory, kind = dict(numbers(Path(f"/proc/{pid}/smaps_rollup"))), name(pid)
            except OSError:
                continue
            total += memory.get("Pss", 0)
            if kind:  # none while a process is about to become another
                self.resident[kind] = max(self.resident[kind], memory.get("Rss", 0))
        self.peak = max(self.peak, total)


def processes(pid: int) -> Iterator[int]:
    """A process and its descendants."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue
        for child in children:
            yield from processes(int(child))


def numbers(path: Path) -> Iterator[tuple[str, int]]:
    """``Name: 123 kB`` by line, in bytes."""
    for line in path.read_text().splitlines():
        key, _, rest = line.partition(":")
        if rest.endswith(" kB"):
            yield key, int(rest[:-3]) * 1024


def name(pid: int) -> str:
    """What a process is in the architecture."""
    if pid == os.getpid():
        return STORE
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return next((word.decode().removeprefix("kgfs.") for word in words if b"kgfs." in word), "?")


class Stages:
    """When each stage began and ended, from the reports of the pipeline."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.spans: dict[str, list[tuple[float, float]]] = {}
        self.totals: dict[str, int] = {}
        self.published = 0.0
        self.publishes = 0

    def report(self, progress: dict[str, Any]) -> None:
        stage = str(progress.get("stage"))
        done, total = int(progress.get("done", 0)), int(progress.get("total", 0))
        if stage not in self.spans or done >= total or time.monotonic() - self.spans[stage][-1][0] > SAMPLE_SECONDS:
            self.spans.setdefault(stage, []).append((time.monotonic(), self._tree.processor()))
            self.spans[stage][1:-1] = []
        self.totals[stage] = total

    def watch(self, service: Service) -> None:
        publish = service.publication.publish

        def timed() -> None:
            started = time.monotonic()
            publish()
            self.published += time.monotonic() - started
            self.publishes += 1

        service.publication.publish = timed  # type: ignore[method-assign]


def measure(folder: Path, store: Path, extractor: str | None, *, models: bool) -> dict[str, Any]:
    """Add one folder; what was seen. ``models``: what these take alone, too."""
    files = [entry for entry in walk_files(folder) if isinstance(entry, WalkedFile)]
    size = sum(entry.size for entry in files)
    with Tree() as tree, Service.open(store, create=True) as service:
        service.daemon = True
        stages = Stages(tree)
        stages.watch(service)
        _ = service.namespace
        started, before = time.monotonic(), tree.processor()
        request = service.sources.request([folder], {"extractor": extractor})
        service.sources.adding(request)(stages.report, Never())
        seconds, processor = time.monotonic() - started, tree.processor() - before
        counts = service.report.status(brief=True)["counts"]
        tree.look()
        of_each = tree.spent()
    rows = []
    for stage, span in stages.spans.items():
        (begin, spent), (end, spent_then) = span[0], span[-1]
        rows.append(row(stage, end - begin, len(files), size, spent_then - spent, stages.totals[stage]))
    rows.append({"stage": "publish", "seconds": round(stages.published, 1), "steps": stages.publishes})
    rows.append(row("whole", seconds, len(files), size, processor, None))
    limit = alone(store, extractor) if models else {}
    spent_alone = sum(limit.values())
    if models:
        rows.append({
            "stage": "models alone", "processor_seconds": round(spent_alone, 1),
            "processor_seconds_a_mb": round(spent_alone / size * 1e6, 1),
        })  # fmt: skip
    return {
        "folder": str(folder), "documents": len(files), "bytes": size, "counts": counts, "stages": rows,
        "peak_mb": round(tree.peak / 1e6),
        "resident_mb": {key: round(value / 1e6) for key, value in sorted(tree.resident.items())},
        "models": {key: round(value, 1) for key, value in limit.items()},
        "spent": {key: round(value, 1) for key, value in sorted(of_each.items())},
        "load": os.getloadavg()[0], "niceness": os.nice(0),
    }  # fmt: skip


def alone(store: Path, extractor: str | None) -> dict[str, float]:
    """Processor seconds that each model takes for the texts of a store, in a process of its own."""
    command = [sys.executable, __file__, "--models-of", str(store), "--extractor", extractor or "auto"]
    # The tagger's process has one thread for its matrices, too.
    variables = {**environment(), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, env=variables, stdout=subprocess.PIPE, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def models_of(store: Path, extractor: str) -> dict[str, float]:
    """The same, in this process."""
    with Database.open(store) as database, database.read() as cursor:
        ids = [row[0] for row in cursor.execute("SELECT id FROM documents ORDER BY id").fetchall()]
        read = documents.load_documents(cursor, ids)
        texts = {
            embedded_text(row): None
            for kind, table in TABLES.items()
            for row in index_rows(
                cursor, kind, [row[0] for row in cursor.execute(f"SELECT id FROM {table}").fetchall()]
            )
        }
    found: dict[str, float] = {}
    if extractor != "none" and extractor_name(extractor) != PATTERNS:
        tagging.tag_sentences(["It is loaded."])
        found |= {"tagger": 0.0, "parser": 0.0}
        for document in read.values():
            sentences = [unit.content.text for unit in document_units(document) if unit.kind == "sentence"]
            with tagging.tagging_zone():
                began = time.process_time()
                spans = tagging.spans_of(sentences)
                tagging.parts_of_speech(sentences)
                tagged = time.process_time()
                tagging.parse_sentences([text for text, two in zip(sentences, spans, strict=True) if len(two) > 1])
                found["parser"] += time.process_time() - tagged
                found["tagger"] += tagged - began
    model = embedders.load(Config())
    model.encode(["It is loaded."])
    began = time.process_time()
    model.encode(list(texts))
    found["embedding"] = time.process_time() - began
    return found


def row(stage: str, seconds: float, documents: int, size: int, processor: float, steps: int | None) -> dict[str, Any]:
    seconds = max(seconds, 1e-3)
    return {
        "stage": stage, "seconds": round(seconds, 1), "documents_a_second": round(documents / seconds, 2),
        "mb_a_second": round(size / 1e6 / seconds, 4), "cores": round(processor / seconds, 2),
        "processor_seconds": round(processor, 1), "processor_seconds_a_mb": round(processor / size * 1e6, 1),
        "steps": steps,
    }  # fmt: skip


def show_notes(found: dict[str, Any]) -> None:
    """What one of many notes takes of the processors, in all and in each kind of process."""
    count = found["documents"]
    (whole,) = (one for one in found["stages"] if one["stage"] == "whole")
    parts = sorted(((seconds, kind) for kind, seconds in found["spent"].items()), reverse=True)
    clock, processors = (whole[name] / count * 1000 for name in ("seconds", "processor_seconds"))
    print(
        f"a note: {clock:.1f} ms of wall clock, {processors:.1f} ms of the processors; "
        + ", ".join(f"{kind} {seconds / count * 1000:.1f}" for seconds, kind in parts)
    )


def show(found: dict[str, Any]) -> None:
    counts = ", ".join(f"{count:,} {kind}" for kind, count in found["counts"].items())
    print(f"\n{found['folder']}: {found['documents']} files, {found['bytes'] / 1e6:.2f} MB -> {counts}")
    print("| stage | seconds | documents/s | MB/s | processor s | processor s/MB | cores | steps |")
    print("|---" * 8 + "|")
    for one in found["stages"]:
        keys = (
            "seconds", "documents_a_second", "mb_a_second", "processor_seconds", "processor_seconds_a_mb", "cores",
            "steps",
        )  # fmt: skip
        print(f"| {one['stage']} | " + " | ".join("" if one.get(key) is None else str(one[key]) for key in keys) + " |")
    resident = ", ".join(f"{key} {value}" for key, value in found["resident_mb"].items())
    print(f"peak memory {found['peak_mb']} MB in all processes; largest resident sets in MB: {resident}")
    for what, spent in (("processor seconds", found["spent"]), ("of models alone", found["models"])):
        if spent:
            print(f"{what}: " + ", ".join(f"{key} {value}" for key, value in spent.items()))
    print(f"load {found['load']:.1f}, niceness {found['niceness']}, {len(os.sched_getaffinity(0))} processors")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--tiny", type=int, metavar="N", help="make so many tiny notes and add them")
    parser.add_argument("--extractor", choices=["auto", "offline", "none"])
    parser.add_argument("--store", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--no-models", action="store_true", help="leave out what the models take alone")
    parser.add_argument("--models-of", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.models_of:
        print(json.dumps(models_of(options.models_of, options.extractor)))
        return 0
    results = []
    for folder in [*options.folders, *([TINY] if options.tiny else [])]:
        with tempfile.TemporaryDirectory(prefix="kgfs-bench-") as scratch:
            store = options.store or Path(scratch) / "store"
            added = write_notes(Path(scratch) / "notes", options.tiny) if folder is TINY else folder.resolve()
            results.append(measure(added, store, options.extractor, models=not options.no_models))
        show(results[-1])
        if folder is TINY:
            show_notes(results[-1])
        sys.stdout.flush()
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # As a command ends. Through the interpreter's end the engine tells of each of its objects that a thread still has.
    os._exit(status)
