"""What a command costs that needs no model: processor seconds from its start to its exit.

    scripts/bench commands [--store DIR] [--runs 15] [--json FILE]

Without ``--store`` the shipped sample is added to a store of the benchmark's own first. Each command runs on its own,
by itself ("alone": it opens the store) and beside a daemon that has the store mounted ("mounted": it asks the daemon;
the daemon's part is not counted). Seconds are user and system time of the command's process, with modules compiled
beforehand, as an installed program has them; *least* is the run that other jobs disturbed least. The first row is
Python itself, doing nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KGFS = [sys.executable, "-m", "kgfs.cli.main"]
TARGET = 0.3
COMMANDS = (
    "--version", "search --help", "config", "status", "ls", "ls entities/organizations", "cat AGENTS.md",
    "stat entities", "find documents --type d", "tree entities/people", "grep Boston entities/locations",
)  # fmt: skip
Row = tuple[str, str, float, float]
"""Command, ``alone`` or ``mounted``, least and median processor seconds."""


def spent(command: list[str], environment: dict[str, str]) -> float:
    """Processor seconds of one run; ``SystemExit`` where the command fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, cwd="/", env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"bench: {' '.join(command)} failed: {done.stderr.decode(errors='replace')}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(what: str, how: str, once: Callable[[], float], runs: int) -> Row:
    """A row of the table; the first run is not counted, for it compiles and fills caches."""
    once()
    seconds = [once() for _ in range(runs)]
    return what, how, min(seconds), statistics.median(seconds)


@contextmanager
def mounted(environment: dict[str, str], directory: Path) -> Iterator[None]:
    """The store mounted, without a model."""
    place = directory / "kg"
    subprocess.run([*KGFS, "-q", "mount", place], env=environment, check=True)
    try:
        yield
    finally:
        subprocess.run([*KGFS, "-q", "umount", place], env=environment, check=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench commands", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--store", type=Path, metavar="DIR", help="an existing store; nothing in it is changed")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    arguments = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="kgfs-bench-") as name:
        directory = Path(name)
        store = (arguments.store or directory / "store").resolve()
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "KGFS_STORE": str(store), "NO_COLOR": "1"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if arguments.store is None:
            subprocess.run([*KGFS, "-q", "add", ROOT / "kgfs" / "samples"], env=environment, check=True)
        rows.append(
            measured("(python -c pass)", "", lambda: spent([sys.executable, "-c", ""], environment), arguments.runs)
        )

        def measure(how: str) -> None:
            for each in COMMANDS:
                command = [*KGFS, *each.split()]
                rows.append(
                    measured(f"kgfs {each}", how, lambda command=command: spent(command, environment), arguments.runs)
                )

        measure("alone")
        with mounted(environment, directory):
            measure("mounted")
    load = os.getloadavg()[0]
    print(f"processor seconds, {arguments.runs} runs, load {load:.1f} on {os.cpu_count()} cores; target {TARGET} s")
    print("| command | how | least | median |\n|---|---|---|---|")
    for what, how, least, median in rows:
        print(f"| `{what}` | {how} | {least:.2f} | {median:.2f} |{' over' if median > TARGET else ''}")
    if arguments.json:
        fields = ("command", "how", "least", "median")
        found = {"load": load, "rows": [dict(zip(fields, row, strict=True)) for row in rows]}
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
