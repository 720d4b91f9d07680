"""What the audit trail costs: the same work on a mount that records and on one that does not, in one run.

    scripts/bench audit [--files 200] [--rounds 9] [--json FILE]

Two daemons over equal stores are mounted at the same time; in one of them what would be recorded is dropped where it is
told. They take turns, and each round has folders of its own. A figure is the median of the rounds, the ratio the
median of the rounds' ratios. Openings are recorded by the first one only in their own row.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from fs import Daemon, unmount

from tests import graph_builder

BODY = (b"\0Something that an agent wrote down while it worked." * 20)[:1000]
"""Not text, so that no round is measured while the worker indexes the one before it."""
SILENT = """
import sys
from kgfs.agentfs.audit.recording import Recorder
from kgfs.callers import NOBODY
from mountd import changes, requesters
Recorder.record = lambda self, call: None
changes.Changes.note = lambda *told: None
requesters.Requesters.of = lambda self, pid: NOBODY
from mountd.daemon import main
sys.exit(main())
"""
PAUSE_SECONDS = 1.2
"""What the row before left to record is in the table by then, and is not counted for the next one."""
Work = Callable[[Path, int], None]


def put(path: Path, flags: int = os.O_WRONLY | os.O_CREAT | os.O_EXCL) -> None:
    descriptor = os.open(path, flags, 0o644)
    try:
        os.write(descriptor, BODY)
    finally:
        os.close(descriptor)


def read(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    os.read(descriptor, 4096)
    os.close(descriptor)


QUICK = 10
"""So many times ``--files`` are done of what takes microseconds: a round must last as long as changes are gathered."""
WORKS: dict[str, tuple[str, int, Work]] = {
    "create a note": ("context/agent", 1, lambda here, number: put(here / f"{number}.bin")),
    "overwrite a note": (
        "context/agent", 1, lambda here, number: put(here / f"{number}.bin", os.O_WRONLY | os.O_TRUNC),
    ),
    "rename a note": (
        "context/agent", 1, lambda here, number: os.rename(here / f"{number}.bin", here / f"m{number}.bin"),
    ),
    "delete a note": ("context/agent", 1, lambda here, number: os.unlink(here / f"m{number}.bin")),
    "create in workspace/, durable": ("workspace", 1, lambda here, number: put(here / str(number))),
    "mknod in workspace/": ("workspace", QUICK, lambda here, number: os.mknod(here / f"n{number}")),
    "rename in workspace/": (
        "workspace", QUICK, lambda here, number: os.rename(here / f"n{number}", here / f"m{number}"),
    ),
    "open and read in workspace/": ("workspace", 1, lambda here, number: read(here / str(number))),
    "delete in workspace/": ("workspace", QUICK, lambda here, number: os.unlink(here / f"m{number}")),
}  # fmt: skip
"""In this order: each goes on with what those before it left."""


class Mount(Daemon):
    """A daemon with options, or one that records nothing."""

    def __init__(self, store: Path, mountpoint: Path, program: tuple[str, str], options: Sequence[str]) -> None:
        super().__init__(store, mountpoint)
        self.program, self.options = program, options


def rate(work: Work, folder: Path, files: int) -> float:
    started = time.perf_counter()
    for number in range(files):
        work(folder, number)
    return files / (time.perf_counter() - started)


def measured(work: Path, options: argparse.Namespace, *more: str) -> dict[str, tuple[float, float, float]]:
    """Files a second with and without recording, and the ratio, by what was done."""
    with ExitStack() as ending:
        mounts = []
        for name, program in ("records", ("-m", "mountd")), ("silent", ("-c", SILENT)):
            graph_builder.build(work / f"{name}.kgfs", entities=100, documents=10).close()
            mount = Mount(work / f"{name}.kgfs", work / name, program, more)
            ending.callback(shutil.rmtree, mount.store, ignore_errors=True)
            ending.callback(lambda place=mount.mountpoint: os.path.ismount(place) and unmount(place))
            ending.callback(mount.stop)
            mount.start()
            mounts.append(mount)
        rates: dict[str, list[tuple[float, float]]] = {what: [] for what in WORKS}
        for turn in range(options.rounds + 1):
            for what, (place, times, each) in WORKS.items():
                time.sleep(PAUSE_SECONDS)
                found = {}
                for mount in mounts if turn % 2 else mounts[::-1]:
                    folder = mount.mountpoint / place / f"round{turn}"
                    folder.mkdir(exist_ok=True)
                    found[mount is mounts[0]] = rate(each, folder, options.files * times)
                if turn:  # the first one warms up
                    rates[what].append((found[True], found[False]))
            time.sleep(1.5)  # what is written is indexed, and the trail filled
        return {
            what: (
                statistics.median(on for on, _ in pairs), statistics.median(off for _, off in pairs),
                statistics.median(on / off for on, off in pairs),
            )
            for what, pairs in rates.items()
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        rows = measured(work, options)
        label = "open and read in workspace/"
        rows[f"{label}, --audit reads"] = measured(work, options, "--audit", "reads")[label]
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"| {options.files} files, median of {options.rounds} rounds | recorded | not recorded | ratio |")
    print("|---|---|---|---|")
    for what, (on, off, ratio) in rows.items():
        print(f"| {what} | {on:,.0f}/s | {off:,.0f}/s | {ratio:.2f} |")
    if options.json is not None:
        options.json.write_text(json.dumps({what: list(row) for what, row in rows.items()}, indent=1))


if __name__ == "__main__":
    main()
