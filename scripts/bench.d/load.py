"""Many readers and writers on one mount while documents are added: errors, memory, and how long each kind of use takes.

    scripts/bench load --corpus DIR [--minutes 10] [--store DIR] [--pause 1.0] [--json FILE]

64 clients, eight a process, each with one kind of use, over and over, with a pause of ``--pause`` seconds on average
between two. What is written is read again and compared. The store is a copy of ``--store``, or is built (10,000
entities). ``kgfs add --corpus`` runs all the while, and once more where it ends. Exit status 1 if anything failed.
"""

from __future__ import annotations

import argparse
import errno
import itertools
import json
import multiprocessing
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.queues import SimpleQueue
from pathlib import Path

from process_memory import resident_below

from kgfs.config import WORKER_LOG

ROOT = Path(__file__).parents[2]
ENTITIES = 10_000
CLIENTS = {"cat": 16, "ls": 12, "@grep": 8, "@search": 8, "notes/": 8, "workspace/": 6, "@kv": 6}
"""Kind of use to how many do it."""
A_PROCESS = 8
NAMES = 2_000
"""Entities that are looked at."""
WORDS = ("wages", "prices", "energy", "retail", "metal", "steel", "labor", "credit")
STARTING_SECONDS = 3
"""What the processes of the clients take to start."""
ENDING_SECONDS = 120

Use = Callable[[random.Random, int], None]
Sample = tuple[str, float, str]
"""Kind, seconds, and what went wrong, or nothing."""


class Wrong(Exception):
    """What was read is not what was written."""


def uses(root: Path, names: list[str], client: int) -> dict[str, Use]:
    """How each kind is done once, given dice and the number of the round."""
    by_name = root / "entities/by_name"

    def cat(dice: random.Random, turn: int) -> None:
        (by_name / dice.choice(names) / "summary.txt").read_bytes()

    def listed(dice: random.Random, turn: int) -> None:
        place = dice.choice((by_name / dice.choice(names), root / "documents", root / "topics", root / "notes"))
        with os.scandir(place) as entries:
            for entry in itertools.islice(entries, 100):
                entry.stat(follow_symlinks=False)

    def grep(dice: random.Random, turn: int) -> None:
        (root / f"@grep/-l/{dice.choice(WORDS)} r[ao]se|{client}x{turn}").read_bytes()

    def search(dice: random.Random, turn: int) -> None:
        (root / f"@search/text/{dice.choice(WORDS)} and {dice.choice(WORDS)} {client} {turn}").read_bytes()

    def written(folder: Path, name: str, dice: random.Random, turn: int) -> None:
        folder.mkdir(exist_ok=True)
        text = f"# {name} {turn}\n\nThe {dice.choice(WORDS)} of client {client} rose in turn {turn}.\n"
        file = folder / f"{name}_{turn % 5}.md"
        file.write_text(text)
        if (found := file.read_text()) != text:
            raise Wrong(f"{file.name}: {found!r} is not {text!r}")

    def note(dice: random.Random, turn: int) -> None:
        written(root / "notes/load", f"client_{client}", dice, turn)

    def work(dice: random.Random, turn: int) -> None:
        written(root / "workspace/load", f"client_{client}", dice, turn)

    def key(dice: random.Random, turn: int) -> None:
        file = root / f"@kv/load_{client}_{turn % 5}"
        file.write_text(json.dumps({"turn": turn}))
        if json.loads(file.read_text()) != {"turn": turn}:
            raise Wrong(f"{file.name}: {file.read_text()!r} in turn {turn}")

    return {"cat": cat, "ls": listed, "@grep": grep, "@search": search, "notes/": note, "workspace/": work, "@kv": key}


def clients(root: Path, names: list[str], mine: list[tuple[int, str]], until: float, pause: float) -> list[Sample]:
    """Some clients, each on a thread, until a time of the monotonic clock."""
    samples: list[Sample] = []

    def go_on(client: int, kind: str) -> None:
        dice, use = random.Random(client), uses(root, names, client)[kind]
        for turn in itertools.count():
            time.sleep(dice.expovariate(1 / pause))
            if time.monotonic() > until:
                return
            start, fault = time.perf_counter(), ""
            try:
                use(dice, turn)
            except OSError as error:
                fault = f"{errno.errorcode.get(error.errno or 0, error.errno)} {error.filename}"
            except (Wrong, ValueError) as error:
                fault = f"{type(error).__name__} {error}"
            samples.append((kind, time.perf_counter() - start, fault))

    threads = [threading.Thread(target=go_on, args=one) for one in mine]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return samples


def in_process(told: SimpleQueue[list[Sample]], *arguments: object) -> None:
    told.put(clients(*arguments))  # type: ignore[arg-type]


class Adding:
    """``kgfs add`` of a corpus, again and again, until it is told to end."""

    def __init__(self, store: Path, corpus: Path) -> None:
        self._command = [
            sys.executable,
            "-m",
            "kgfs.cli.main",
            "--store",
            store,
            "--json",
            "add",
            "--on-conflict",
            "overwrite",
        ]
        self._store, self._corpus = store, corpus
        self._ending = threading.Event()
        self._process: subprocess.Popen[str] | None = None
        self.ended: list[int] = []
        """Exit statuses of those that came to their end."""
        self.said = ""
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        for turn in itertools.count():
            folder = self._store.with_name(f"corpus-{turn}")
            shutil.copytree(self._corpus, folder)
            self._process = subprocess.Popen(
                [*self._command, folder], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                preexec_fn=_hear_interrupts,
            )  # fmt: skip
            _, said = self._process.communicate()
            if self._ending.is_set():
                return
            self.ended.append(self._process.returncode)
            self.said += said
            if self._process.returncode:
                return

    def end(self) -> None:
        """Interrupt the one under way, as Ctrl-C does."""
        self._ending.set()
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        self._thread.join(ENDING_SECONDS)
        assert not self._thread.is_alive(), "add does not end"


def _hear_interrupts() -> None:
    """A shell has what it starts in the background ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def latencies(samples: list[Sample]) -> dict[str, dict[str, float]]:
    """By kind: how many, and milliseconds (median, 95 %, most)."""
    found = {}
    for kind in CLIENTS:
        values = sorted(1e3 * took for one, took, _ in samples if one == kind)
        if values:
            most = values[-1]
            part = values[min(len(values) - 1, int(0.95 * len(values)))]
            found[kind] = {"count": len(values), "median": statistics.median(values), "95 %": part, "max": most}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Many readers and writers while documents are added.")
    parser.add_argument("--corpus", type=Path, required=True, help="what is added meanwhile")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--store", type=Path, help="a store that is copied; else one is built")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two uses of a client, on average")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    # Here: the processes of the clients import this module and need neither.
    from fs import Daemon
    from scale_store import build_scaled, settle_index

    with tempfile.TemporaryDirectory(prefix="kgfs-bench-") as made:
        store, root = Path(made) / "store", Path(made) / "kg"
        root.mkdir()
        if arguments.store:
            subprocess.run(["cp", "-a", "--reflink=auto", arguments.store, store], check=True)
        else:
            store.mkdir()
            build_scaled(store, ENTITIES)
        settle_index(store)
        (store / WORKER_LOG).unlink(missing_ok=True)
        daemon = Daemon(store, root)
        daemon.start()
        assert daemon.process is not None
        try:
            names = random.Random(1).sample(os.listdir(root / "entities/by_name"), NAMES)
            while True:  # the model is loaded
                try:
                    (root / "@search/text/is anybody there").read_bytes()
                    break
                except TimeoutError:
                    continue
            every = list(enumerate(kind for kind, count in CLIENTS.items() for _ in range(count)))
            random.Random(2).shuffle(every)
            start = time.monotonic() + STARTING_SECONDS
            until = start + 60 * arguments.minutes
            told: SimpleQueue[list[Sample]] = multiprocessing.get_context("spawn").SimpleQueue()
            processes = [
                multiprocessing.get_context("spawn").Process(
                    target=in_process, args=(told, root, names, every[at : at + A_PROCESS], until, arguments.pause)
                )
                for at in range(0, len(every), A_PROCESS)
            ]
            for process in processes:
                process.start()
            adding = Adding(store, arguments.corpus)
            memory: dict[str, list[int]] = {}
            for minute in [m for m in (1, 2, 5, 10, 20, 30, 60) if m <= arguments.minutes]:
                time.sleep(max(0.0, start + 60 * minute - 2 - time.monotonic()))
                memory[str(minute)] = [daemon.memory(), resident_below(daemon.process.pid)]
                print(f"minute {minute}: daemon {memory[str(minute)][0] / 1e6:,.0f} MB, its processes"
                      f" {memory[str(minute)][1] / 1e6:,.0f} MB", flush=True)  # fmt: skip
            samples = [sample for _ in processes for sample in told.get()]
            for process in processes:
                process.join()
            adding.end()
            documents = len(os.listdir(root / "documents"))
            errors = (root / "@status/errors.jsonl").read_text()
        finally:
            daemon.stop()
    faults = Counter(f"{kind}: {fault}" for kind, _, fault in samples if fault)
    table = latencies(samples)
    print(f"{'':<12}{'uses':>8}{'median':>12}{'95 %':>12}{'max':>12}   (ms)")
    for kind, row in table.items():
        print(f"{kind:<12}{row['count']:>8,}{row['median']:>12,.1f}{row['95 %']:>12,.1f}{row['max']:>12,.1f}")
    print(f"{len(samples):,} uses, {sum(faults.values())} failed; {documents:,} documents at the end; add ended"
          f" {len(adding.ended)} times {adding.ended}")  # fmt: skip
    for fault, count in faults.most_common(20):
        print(f"  {count:>5} {fault}")
    print(errors, adding.said, sep="", end="")
    if arguments.json:
        found = {"memory": memory, "latencies": table, "faults": dict(faults)}
        arguments.json.write_text(json.dumps(found, indent=2))
    if faults or any(adding.ended) or errors:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
