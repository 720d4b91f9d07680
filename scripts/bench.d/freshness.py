"""How soon a note that somebody writes is found: seconds from ``close()`` to the answer that has it.

    scripts/bench freshness [--store DIR] [--rounds 10] [--json FILE]

A copy of the store (without one, an empty store) is mounted. Each round waits until all is indexed, writes a note and
asks for it every 20 ms, each time by another path so that no answer is one from before: ``@search/keyword`` for a word
that only this note has, and ``@search/chunks`` for what it says in other words, which only its vector can answer. The
machine should do nothing else.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from fs import ROOT, Daemon

NOTES = (
    ("A zebra grazes beside the waterhole at dawn", "striped animal drinking early in the morning"),
    ("The violinist tuned her instrument before the concerto", "musician getting ready to play with an orchestra"),
    ("Lava poured down the mountain and buried the village", "volcano destroys a small town"),
    ("He kneaded the dough and slid the loaf into the oven", "baking bread at home"),
    ("The goalkeeper saved the last penalty of the final", "football match decided by a shootout"),
    ("Astronauts repaired the telescope during a spacewalk", "fixing an observatory in orbit"),
    ("The surgeon stitched the wound after the operation", "doctor closing a cut in hospital"),
    ("A kitten chased the ball of wool under the sofa", "young cat playing with yarn"),
    ("Snow blocked the pass, so the climbers turned back", "mountaineers give up because of winter weather"),
    ("She planted tulip bulbs along the garden fence", "growing spring flowers in the yard"),
)
"""What a note says, and a question for it that has none of its words."""
TARGETS = {"keyword": 1.0, "semantic": 5.0}
"""Seconds."""
POLL_SECONDS = 0.02
PATIENCE_SECONDS = 120.0
LIMITS = 900
"""So many paths ask the same."""


class Mount:
    """A mounted store that is written to and asked."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._asked = count()

    def settled(self) -> None:
        """Wait until everything is indexed."""
        until(lambda: json.loads((self.root / "@status/status.json").read_text())["complete"])
        time.sleep(1.5)

    def finds(self, kind: str, question: str, note: str) -> bool:
        limit = 50 + next(self._asked) % LIMITS
        try:
            found = (self.root / f"@search/{kind}/limit={limit}" / question / "results.jsonl").read_text()
        except TimeoutError:  # the model is loading
            return False
        return note in found


def until(true: Callable[[], bool]) -> float:
    """Wait for it; when it was so."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not true():
        if time.monotonic() > deadline:
            raise SystemExit(f"bench: nothing was found within {PATIENCE_SECONDS:g} s")
        time.sleep(POLL_SECONDS)
    return time.monotonic()


def measure(mount: Mount, number: int) -> dict[str, float]:
    """One note: seconds until it is found, by word and by meaning."""
    text, question = NOTES[number % len(NOTES)]
    name, word = f"freshness_{number}", f"kgfsbench{number}word"
    mount.settled()
    (mount.root / "notes" / f"{name}.md").write_text(f"{text}. {word}\n")
    closed = time.monotonic()
    keyword = until(lambda: mount.finds("keyword", word, name)) - closed
    semantic = until(lambda: mount.finds("chunks", question, name)) - closed
    return {"keyword": keyword, "semantic": semantic}


def main() -> None:
    parser = argparse.ArgumentParser(description="How soon what is written is found.")
    parser.add_argument("--store", type=Path, help="a store to copy; it may not be in use")
    parser.add_argument("--rounds", type=int, default=len(NOTES))
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kgfs-bench-") as made:
        work = Path(made)
        store, place = work / "store", work / "kg"
        if arguments.store is not None:
            shutil.copytree(arguments.store, store, ignore=shutil.ignore_patterns("*.sock", "control*"))
        else:
            subprocess.run(
                [sys.executable, "-m", "kgfs.cli.main", "--store", store, "-q", "init"], check=True, cwd=ROOT
            )
        place.mkdir()
        daemon = Daemon(store, place)
        daemon.start()
        try:
            mount = Mount(place)
            counts = json.loads((place / "@status/status.json").read_text())["counts"]
            print(f"{counts['chunks']:,} chunks, {counts['entities']:,} entities, {counts['facts']:,} facts")
            measure(mount, -1)  # processes start and the model is loaded
            rounds = [measure(mount, number) for number in range(arguments.rounds)]
        finally:
            daemon.stop()
    print(f"{'found by':<10} {'median':>8} {'worst':>8} {'target':>8}   seconds after close()")
    for kind, target in TARGETS.items():
        seconds = [one[kind] for one in rounds]
        print(f"{kind:<10} {statistics.median(seconds):>8.2f} {max(seconds):>8.2f} {target:>8.1f}")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"counts": counts, "rounds": rounds}, indent=1))


if __name__ == "__main__":
    main()
