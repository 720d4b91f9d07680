"""How fast the mount is written, beside ext4 with and without fsync, in one run.

    scripts/bench write [--files 300] [--writers 8] [--megabytes 300] [--json FILE]

In a mount ``close()`` returns when the file is durable, so its peer is ext4 with an fsync before each close (and of the
directory after what changes names); ext4 without is shown beside it. The peer is a file system on a loop device that
lies on the disk of the store. Files are Markdown: what becomes documents. Each part begins with a fresh store and
ends before the daemon begins to index what was written (a second of quiet, or five seconds after the first file); what
indexing costs is in ``scripts/bench ingest``. Needs root and mkfs.ext4.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from fs import Daemon, run

from tests import graph_builder

BODY = (b"A note of somebody about what was seen today, in a few plain words. " * 15)[:1000]
OTHER = BODY[::-1]
LINE = b"One line more.\n"
PLACE = "context/agent"
READ = ("entities/organizations", "facts")
"""What the reader lists and reads beside the writers."""
ENTITIES, DOCUMENTS = 1_000, 100
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Sync = bool
"""Whether the program asks for durability itself: on ext4 only."""
Row = tuple[str, str, float | None, float | None, float | None, str]
"""What, unit, kgfs, ext4 with fsync, ext4 without, target."""
Rates = tuple[float, list[float]]
"""Files a second; milliseconds of the reader."""


# What programs do. Each takes a directory and a number, and answers nothing; ``sync`` makes it durable on ext4.


def put(path: Path, body: bytes, flags: int, sync: Sync) -> None:
    descriptor = os.open(path, flags, 0o644)
    try:
        os.write(descriptor, body)
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_directory(directory: Path, sync: Sync) -> None:
    if sync:
        descriptor = os.open(directory, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def note(directory: Path, number: int) -> Path:
    return directory / f"note{number}.md"


def create(directory: Path, number: int, sync: Sync) -> None:
    put(note(directory, number), BODY, os.O_WRONLY | os.O_CREAT | os.O_EXCL, sync)


def overwrite(directory: Path, number: int, sync: Sync) -> None:
    put(note(directory, number), OTHER, os.O_WRONLY | os.O_TRUNC, sync)


def save(directory: Path, number: int, sync: Sync) -> None:
    """As editors do: another file, moved over."""
    other = directory / f".note{number}.md.new"
    put(other, BODY, os.O_WRONLY | os.O_CREAT | os.O_EXCL, sync)
    os.rename(other, note(directory, number))
    sync_directory(directory, sync)


def append(directory: Path, number: int, sync: Sync) -> None:
    put(note(directory, number), LINE, os.O_WRONLY | os.O_APPEND, sync)


def rename(directory: Path, number: int, sync: Sync) -> None:
    os.rename(note(directory, number), directory / f"moved{number}.md")
    sync_directory(directory, sync)


def unlink(directory: Path, number: int, sync: Sync) -> None:
    os.unlink(directory / f"moved{number}.md")
    sync_directory(directory, sync)


def mkdir(directory: Path, number: int, sync: Sync) -> None:
    os.mkdir(directory / f"folder{number}")
    sync_directory(directory, sync)


CHANGES: dict[str, Callable[[Path, int, Sync], None]] = {
    "overwrite in place": overwrite, "atomic save": save, "append a line": append, "rename": rename, "unlink": unlink,
    "mkdir": mkdir,
}  # fmt: skip


def timed(action: Callable[[Path, int, Sync], None], directory: Path, count: int, sync: Sync) -> list[float]:
    """Milliseconds of each."""
    found = []
    for number in range(count):
        started = time.perf_counter()
        action(directory, number, sync)
        found.append((time.perf_counter() - started) * 1e3)
    return found


# Many at once


def creating(directory: Path, first: int, count: int, sync: Sync, begin: float) -> tuple[float, float]:
    """One writer: when it began and ended. All begin at one moment."""
    time.sleep(max(0.0, begin - time.monotonic()))
    started = time.monotonic()
    for number in range(first, first + count):
        create(directory, number, sync)
    return started, time.monotonic()


def reading(root: Path, begin: float, until: float) -> list[float]:
    """Milliseconds of each: list a directory, read a file, until then."""
    directories = [root / part for part in READ]
    files = [next(file for file in directory.rglob("*") if file.is_file()) for directory in directories]
    time.sleep(max(0.0, begin - time.monotonic()))
    found = []
    while time.monotonic() < until:
        for directory, file in zip(directories, files, strict=True):
            started = time.perf_counter()
            os.listdir(directory)
            file.read_bytes()
            found.append((time.perf_counter() - started) * 1e3)
        time.sleep(0.005)
    return found


def writers(directory: Path, processes: int, count: int, sync: Sync, reader: Path | None = None) -> Rates:
    """Files a second from several processes, ``count`` files each; beside them somebody may read."""
    with ProcessPoolExecutor(processes + 1, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(time.sleep, [0.3] * (processes + 1)))  # they are up
        begin = time.monotonic() + 0.3
        watching: Future[list[float]] | None = None
        if reader is not None:
            watching = pool.submit(reading, reader, begin, begin + 2)
        spans = [pool.submit(creating, directory, number * count, count, sync, begin) for number in range(processes)]
        times = [span.result() for span in spans]
        seen = watching.result() if watching is not None else []
    seconds = max(end for _, end in times) - min(start for start, _ in times)
    return processes * count / seconds, seen


# One large file


def large(directory: Path, megabytes: int, sync: Sync, fresh: Callable[[], object]) -> tuple[float, float]:
    """MB a second of writing it and, after ``fresh``, of reading it."""
    piece = os.urandom(1 << 20)
    path = directory / "large.bin"
    started = time.perf_counter()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    for _ in range(megabytes):
        os.write(descriptor, piece)
    if sync:
        os.fsync(descriptor)
    os.close(descriptor)
    wrote = time.perf_counter() - started
    fresh()
    started = time.perf_counter()
    total = 0
    with path.open("rb", buffering=0) as file:
        while part := file.read(1 << 20):
            total += len(part)
    read = time.perf_counter() - started
    if total != megabytes << 20:
        raise SystemExit(f"bench: {total} bytes came back of {megabytes << 20}")
    return total / wrote / 1e6, total / read / 1e6


# The systems


class Fresh:
    """Mounts over copies of one store, one after the other."""

    def __init__(self, work: Path) -> None:
        self.made = work / "made"
        self.store = work / "store"
        self.mountpoint = work / "mounted"
        self.mountpoint.mkdir()
        self.daemon = Daemon(self.store, self.mountpoint)
        graph_builder.build(self.made, entities=ENTITIES, documents=DOCUMENTS).close()

    def begin(self) -> Path:
        """A fresh store, mounted; answers where to write."""
        self.daemon.stop()
        if self.store.exists():
            shutil.rmtree(self.store)
        shutil.copytree(self.made, self.store)
        self.daemon.start()
        place = self.mountpoint / PLACE
        place.mkdir(exist_ok=True)
        return place

    def again(self) -> None:
        """Mount the same store once more."""
        self.daemon.stop()
        self.daemon.start()


class Ext4:
    """A file system on a loop device beside the store."""

    def __init__(self, work: Path, megabytes: int) -> None:
        self.image, self.mountpoint, self.number = work / "ext4.img", work / "ext4", 0
        self.mountpoint.mkdir()
        with self.image.open("wb") as file:
            file.truncate((2 * megabytes + 512) << 20)
        run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", self.image)

    def mount(self) -> None:
        run("mount", "-o", "loop", self.image, self.mountpoint)

    def unmount(self) -> None:
        if os.path.ismount(self.mountpoint):
            run("umount", self.mountpoint)

    def begin(self) -> Path:
        self.number += 1
        place = self.mountpoint / str(self.number)
        place.mkdir()
        os.sync()
        return place

    def again(self) -> None:
        """Mount it once more; the loop device's pages go too."""
        self.unmount()
        with self.image.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        self.mount()


@contextmanager
def systems(directory: Path | None, megabytes: int) -> Iterator[tuple[Fresh, Ext4]]:
    with tempfile.TemporaryDirectory(dir=directory, prefix="kgfs-bench-") as name:
        work = Path(name)
        ext4 = Ext4(work, megabytes)
        try:
            ext4.mount()
            fresh = Fresh(work)
            try:
                yield fresh, ext4
            finally:
                fresh.daemon.stop()
        finally:
            ext4.unmount()


def end(number: int, frame: object) -> None:
    """A signal ends the run as an error does: what is mounted is unmounted, what was built is removed."""
    for each in ENDINGS:
        signal.signal(each, signal.SIG_IGN)  # once is enough
    sys.exit(128 + number)


# The run


def measure(kgfs: Fresh, ext4: Ext4, arguments: argparse.Namespace) -> tuple[list[Row], dict[str, object]]:
    rows: list[Row] = []
    facts: dict[str, object] = {}

    def add(label: str, unit: str, values: list[float | None], target: str = "") -> None:
        rows.append((label, unit, values[0], values[1], values[2], target))
        print(f"  {label}: " + ", ".join("-" if value is None else f"{value:,.2f}" for value in values), flush=True)

    alone = [
        timed(create, begin(), arguments.files, sync)
        for begin, sync in ((kgfs.begin, False), (ext4.begin, True), (ext4.begin, False))
    ]
    add("create, write 1 kB, close: median", "ms", [statistics.median(one) for one in alone], "≤ 5 ms")
    for label, part in (("p95", 94), ("p99", 98)):
        add(label, "ms", [statistics.quantiles(one, n=100)[part] for one in alone])

    count, each = arguments.writers, arguments.each
    best: list[float | None] = []
    for begin, sync in ((kgfs.begin, False), (ext4.begin, True), (ext4.begin, False)):
        best.append(max(writers(begin(), count, each, sync)[0] for _ in range(arguments.repeat)))
        if begin == kgfs.begin:
            facts["daemon MB after the writers"] = round(kgfs.daemon.memory() / 1e6)
    add(f"the same, {count} writers", "files/s", best, "≥ 1,000/s")

    found: dict[str, list[float | None]] = {label: [] for label in CHANGES}
    for begin, sync in ((kgfs.begin, False), (ext4.begin, True), (ext4.begin, False)):
        place = begin()
        timed(create, place, arguments.changes, sync)
        for label, action in CHANGES.items():
            found[label].append(statistics.median(timed(action, place, arguments.changes, sync)))
    for label, values in found.items():
        add(f"{label}: median", "ms", values)

    if arguments.megabytes:
        speeds = [
            large(system.begin(), arguments.megabytes, sync, system.again)
            for system, sync in ((kgfs, False), (ext4, True), (ext4, False))
        ]
        facts["daemon MB after reading the large file"] = round(kgfs.daemon.memory() / 1e6)
        add(f"one file of {arguments.megabytes} MiB: write", "MB/s", [speed[0] for speed in speeds])
        add("read it back, cold", "MB/s", [speed[1] for speed in speeds])

    kgfs.begin()
    now = time.monotonic()
    idle = statistics.median(reading(kgfs.mountpoint, now, now + 1))
    _, beside = writers(kgfs.mountpoint / PLACE, count, each, False, kgfs.mountpoint)
    add("ls and cat, nobody writes: median", "ms", [idle, None, None])
    add(f"ls and cat beside {count} writers: median", "ms", [statistics.median(beside), None, None])
    return rows, facts


def ratio(row: Row) -> str:
    """How many times as long as durable ext4; of rates the other way round."""
    _, unit, ours, peer, _, _ = row
    if ours is None or peer is None:
        return ""
    return f"{(peer / ours if unit.endswith('/s') else ours / peer):.2f} ×"


def table(rows: list[Row]) -> str:
    def shown(value: float | None) -> str:
        return "" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.2f}"

    lines = [
        "Durable when close() returns, but in the last column of ext4.",
        f"{'':42} {'':8} {'kgfs':>8} {'ext4, fsync':>12} {'without':>8} {'to durable':>11}  target",
    ]
    for row in rows:
        label, unit, ours, durable, loose, target = row
        figures = f"{shown(ours):>8} {shown(durable):>12} {shown(loose):>8}"
        lines.append(f"{label:42} {unit:8} {figures} {ratio(row):>11}  {target}".rstrip())
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench write", description=__doc__)
    parser.add_argument("--files", type=int, default=300, help="that one writer creates")
    parser.add_argument("--writers", type=int, default=8, help="processes that write at once")
    parser.add_argument("--each", type=int, default=300, help="files that each of them creates")
    parser.add_argument("--changes", type=int, default=60, help="how often each change is made")
    parser.add_argument("--megabytes", type=int, default=300, help="of the large file; 0 leaves it out")
    parser.add_argument("--repeat", type=int, default=2, help="runs of the many writers, of which the best counts")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    parser.add_argument("--work", type=Path, help="where to build (default: a temporary directory)")
    arguments = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("mkfs.ext4"):
        raise SystemExit("bench: the comparison mounts ext4; run it as root with mkfs.ext4 installed.")
    for each in ENDINGS:
        signal.signal(each, end)
    load = os.getloadavg()[0]
    with systems(arguments.work, arguments.megabytes) as (kgfs, ext4):
        rows, facts = measure(kgfs, ext4, arguments)
    print(table(rows))
    facts["load before"] = round(load, 2)
    for label, value in facts.items():
        print(f"{label}: {value}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"rows": rows, "facts": facts}, indent=1) + "\n")


if __name__ == "__main__":
    main()
