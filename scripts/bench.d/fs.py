"""How fast the mount is read, beside the same tree on ext4 and beside bindfs over that copy, in one run.

A store of so many entities is built and mounted; its tree is copied to an ext4 on a loop device; bindfs shows the copy.
"Cold" is a fresh mount of each (the pages of the loop device stay in memory). Each figure is the best of the
repetitions; ratios are to ext4, for lookups to bindfs. Needs root, bindfs and mkfs.ext4.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from kgfs.namespace.publish import publish
from kgfs.store.files.items import NewItem, put_item
from tests import graph_builder

ROOT = Path(__file__).resolve().parents[2]
BUSY_SECONDS = 60.0
"""How long a mount may be busy, and what holds it may take to end."""
LARGE = "large.bin"
LARGE_BYTES = 256 * 1024 * 1024
WALKED = ("entities/organizations", "facts", "chunks")
"""Many small directories; few large ones; something of both."""
LISTED = ("entities/by_name", "entities/organizations")
"""The directory with the most names, which are links, and the largest one of directories."""


class System:
    """One of the three: ``fresh`` mounts it anew, ``root`` is where the tree stands then."""

    def __init__(self, name: str, root: Path, mount: Callable[[], object], unmount: Callable[[], object]) -> None:
        self.name = name
        self.root = root
        self._mount = mount
        self._unmount = unmount

    def fresh(self) -> Path:
        self.end()
        self._mount()
        return self.root

    def end(self) -> None:
        if os.path.ismount(self.root):
            self._unmount()


def run(*command: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(part) for part in command], **{"check": True, **options})


# The three systems


class Daemon:
    """``mountd`` over a store."""

    program = ("-m", "mountd")
    options: Sequence[str] = ()

    def __init__(self, store: Path, mountpoint: Path) -> None:
        self.store = store
        self.mountpoint = mountpoint
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        reading, writing = os.pipe()
        with (self.store / "mountd.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *self.program, "-f", "--no-warm", *self.options, "--ready-fd", str(writing),
                 "--store", self.store, self.mountpoint], stdout=log, stderr=log, pass_fds=[writing], cwd=ROOT,
            )  # fmt: skip
        os.close(writing)
        with open(reading, "rb") as pipe:
            word = json.loads(pipe.readline() or b'{"error": "it ended"}')
        if "error" in word:
            raise SystemExit(f"bench: not mounted: {word['error']}")

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(300)  # a publication of a million entities that has begun
            self.process = None

    def memory(self) -> int:
        assert self.process is not None
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Bindfs:
    """bindfs that shows a directory at another. It holds what it shows until its process has ended, which is some time
    after it was unmounted, so that is waited for."""

    def __init__(self, source: Path, mountpoint: Path) -> None:
        self.source = source
        self.mountpoint = mountpoint
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(["bindfs", "-f", "-n", self.source, self.mountpoint])
        while not os.path.ismount(self.mountpoint):
            if self.process.poll() is not None:
                raise SystemExit(f"bench: bindfs ended with {self.process.returncode}")
            time.sleep(0.01)

    def stop(self) -> None:
        unmount(self.mountpoint)
        if self.process is not None:
            self.process.wait(BUSY_SECONDS)
            self.process = None


@contextmanager
def three(work: Path, store: Path, parts: list[str]) -> Iterator[tuple[dict[str, System], Daemon]]:
    """ext4, bindfs and kgfs with the same parts of the tree; everything is unmounted at the end."""
    places = {name: work / name for name in ("ext4", "bindfs", "kgfs")}
    for place in places.values():
        place.mkdir()
    image = work / "ext4.img"
    daemon = Daemon(store, places["kgfs"])
    shown = Bindfs(places["ext4"], places["bindfs"])
    ext4 = System(
        "ext4", places["ext4"], lambda: run("mount", "-o", "loop", image, places["ext4"]),
        lambda: (bindfs.end(), unmount(places["ext4"])),
    )  # fmt: skip
    bindfs = System("bindfs", places["bindfs"], lambda: (ext4.fresh(), shown.start()), shown.stop)
    kgfs = System("kgfs", places["kgfs"], daemon.start, daemon.stop)
    systems = {"kgfs": kgfs, "bindfs": bindfs, "ext4": ext4}
    with ExitStack() as ending:  # each is ended, whatever becomes of the others
        ending.callback(ext4.end)
        ending.callback(bindfs.end)
        ending.callback(daemon.stop)
        source = kgfs.fresh()
        names, total = measured(source, parts)
        print(f"copying {names:,} names, {total / 1e6:,.0f} MB", flush=True)
        with image.open("wb") as file:
            file.truncate(2 * total + 4096 * names + (256 << 20))
        inodes = str(names + names // 8 + 1000)
        run("mkfs.ext4", "-q", "-F", "-N", inodes, "-E", "lazy_itable_init=0,lazy_journal_init=0", image)
        target = ext4.fresh()
        for part in parts:
            (target / part).parent.mkdir(parents=True, exist_ok=True)
            run("cp", "-a", "--no-preserve=ownership", source / part, target / part)
        yield systems, daemon


def unmount(place: Path) -> None:
    """Unmount; what stays busy is detached, so that nothing is left, and ``SystemExit`` says so."""
    until = time.monotonic() + BUSY_SECONDS
    while (done := run("umount", place, capture_output=True, check=False)).returncode:
        if time.monotonic() > until:
            run("umount", "-l", place, capture_output=True, check=False)
            raise SystemExit(f"bench: {done.stderr.decode().strip()}")
        time.sleep(0.1)


def measured(root: Path, parts: list[str]) -> tuple[int, int]:
    """How many names there are in parts of a tree, and bytes in their files."""
    paths = [root / part for part in parts]
    lines = run("find", *paths, "-printf", "%y %s\n", capture_output=True).stdout.splitlines()
    return len(lines), sum(int(line[2:]) for line in lines if line.startswith(b"f "))


# What is measured. Each takes the root of a tree and answers seconds.


def command(*words: str, ok: tuple[int, ...] = (0,)) -> Callable[[Path], float]:
    def measure(root: Path) -> float:
        started = time.perf_counter()
        done = subprocess.run(words, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        took = time.perf_counter() - started
        if done.returncode not in ok:
            raise SystemExit(f"bench: {' '.join(words)} in {root}: {done.stderr.decode()}")
        return took

    return measure


def read_large(name: str) -> Callable[[Path], float]:
    def measure(root: Path) -> float:
        started = time.perf_counter()
        with (root / name).open("rb", buffering=0) as file:
            while file.read(1 << 20):
                pass
        return time.perf_counter() - started

    return measure


def stat_all(paths: list[str]) -> float:
    """Seconds a ``stat``."""
    started = time.perf_counter()
    for path in paths:
        os.stat(path)
    return (time.perf_counter() - started) / len(paths)


def drop_dentries() -> None:
    """Make the kernel forget names and inodes that are not in use; pages stay."""
    Path("/proc/sys/vm/drop_caches").write_text("2")


def lookups(root: Path, names: list[str], processes: int) -> float:
    """Uncached lookups a second: two a path (a directory and a file in it), after the kernel was made to forget."""
    paths = [str(root / name) for name in names]
    random.Random(1).shuffle(paths)
    drop_dentries()
    parts = [paths[number::processes] for number in range(processes)]
    started = time.perf_counter()
    if processes == 1:
        stat_all(paths)
    else:
        with ProcessPoolExecutor(processes) as pool:
            started = time.perf_counter()
            list(pool.map(stat_all, parts))
    return 2 * len(paths) / (time.perf_counter() - started)


# The run


def best(measure: Callable[[], float], repeat: int, highest: bool = False) -> float:
    values = [measure() for _ in range(repeat)]
    return max(values) if highest else min(values)


def measure_tree(systems: dict[str, System], kind: str, files: list[str], repeat: int) -> dict[str, dict[str, float]]:
    rows: dict[str, dict[str, float]] = {}

    def note(label: str) -> None:
        print(f"  {label}: {rows[label]}", flush=True)

    def cold(label: str, measure: Callable[[Path], float]) -> None:
        rows[label] = {
            name: best(lambda system=system: measure(system.fresh() / kind), repeat) for name, system in systems.items()
        }
        note(label)

    def warm(label: str, measure: Callable[[Path], float]) -> None:
        rows[label] = {}
        for name, system in systems.items():
            root = system.fresh() / kind
            measure(root)
            rows[label][name] = best(lambda root=root: measure(root), repeat)
        note(label)

    for processes in (1, 4):
        label = f"uncached lookups/s, {processes} process{'es' if processes > 1 else ''}"
        rows[label] = {}
        for name, system in systems.items():
            root = system.fresh() / kind
            stat_all([str(root / name) for name in files])
            rows[label][name] = best(lambda root=root, n=processes: lookups(root, files, n), repeat, highest=True)
        note(label)
    warm("warm stat", lambda root: stat_all([str(root / name) for name in files]))
    find = command("find", ".", "-type", "f")
    grep = command("grep", "-r", "no such words", ".", ok=(0, 1))
    rg = command("rg", "--no-messages", "no such words", ".", ok=(0, 1))
    tar = command("sh", "-c", "tar cf - . | cat >/dev/null")
    tools = {"find -type f": find, "grep -r": grep, "tar": tar}
    if shutil.which("rg"):
        tools["rg"] = rg
    for label, measure in tools.items():
        cold(f"cold {label}", measure)
    for label, measure in tools.items():
        warm(f"warm {label}", measure)
    return rows


def measure_listing(systems: dict[str, System], kind: str, repeat: int) -> dict[str, dict[str, float]]:
    listing, details = f"{kind}: cold ls -f", f"{kind}: ls -l after it"
    rows: dict[str, dict[str, float]] = {listing: {}, details: {}}
    first, second = command("ls", "-f", "."), command("ls", "-l", "--time-style=+%s", ".")
    for name, system in systems.items():
        pairs = []
        for _ in range(repeat):
            root = system.fresh() / kind
            pairs.append((first(root), second(root)))
        rows[listing][name] = min(pair[0] for pair in pairs)
        rows[details][name] = min(pair[1] for pair in pairs)
    return rows


def table(rows: dict[str, dict[str, float]]) -> str:
    lines = [f"{'':44} {'kgfs':>10} {'bindfs':>10} {'ext4':>10} {'to bindfs':>10} {'to ext4':>10}"]
    for label, values in rows.items():
        kgfs, bindfs, ext4 = values["kgfs"], values["bindfs"], values["ext4"]
        ratios = (bindfs / kgfs, ext4 / kgfs) if "/s" in label else (kgfs / bindfs, kgfs / ext4)
        shown = [_shown(label, value) for value in (kgfs, bindfs, ext4)]
        lines.append(
            f"{label:44} " + " ".join(f"{one:>10}" for one in shown) + "".join(f" {one:9.2f}×" for one in ratios)
        )
    return "\n".join(lines)


def _shown(label: str, value: float) -> str:
    if "GB/s" in label:
        return f"{value:.2f}"
    if "/s" in label:
        return f"{value:,.0f}"
    return f"{value * 1e6:.2f} µs" if value < 0.0005 else f"{value:.3f} s"


def build_store(directory: Path, entities: int, documents: int) -> None:
    """A graph by rule, and one large file in ``context/disk/large.bin``."""
    with graph_builder.build(directory, entities=entities, documents=documents, chunks_a_document=8) as database:
        body = random.Random(1).randbytes(1 << 20) * (LARGE_BYTES >> 20)
        item = NewItem(drive="disk", path=f"/{LARGE}", body=body)
        database.write(lambda cursor: put_item(cursor, item))
        publish(database)


def file_names(root: Path, tree: str, count: int) -> list[str]:
    """So many regular files, each two directories or more beneath the tree."""
    found = run("find", root / tree, "-mindepth", "2", "-type", "f", "-printf", "%P\n", capture_output=True).stdout
    names = found.decode().splitlines()
    return random.Random(2).sample(names, min(count, len(names)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench fs", description=__doc__)
    parser.add_argument("--entities", type=int, default=10_000, help="of the tree that is walked")
    parser.add_argument("--tree", nargs="+", default=list(WALKED), help="the parts of it that are walked")
    parser.add_argument("--listing", type=int, default=100_000, help="entities of the store whose names are listed")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write the figures there too")
    parser.add_argument("--work", type=Path, help="where to build (default: a temporary directory)")
    arguments = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("bindfs"):
        raise SystemExit("bench: the comparison mounts ext4 and bindfs; run it as root with bindfs installed.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that what is mounted is unmounted
    rows: dict[str, dict[str, float]] = {}
    facts: dict[str, Any] = {"entities": arguments.entities, "tree": arguments.tree}
    with tempfile.TemporaryDirectory(dir=arguments.work, prefix="kgfs-bench-") as name:
        walked, listed = Path(name) / "walked", Path(name) / "listed"
        for part in (walked, listed):
            part.mkdir()
        print(f"building a store of {arguments.entities:,} entities", flush=True)
        build_store(walked / "store", arguments.entities, arguments.entities // 10)
        with three(walked, walked / "store", [*arguments.tree, f"context/disk/{LARGE}"]) as (systems, daemon):
            for tree in arguments.tree:
                facts[f"names, bytes in {tree}"] = measured(systems["ext4"].root, [tree])
                files = file_names(systems["ext4"].root, tree, 20_000)
                measured_rows = measure_tree(systems, tree, files, arguments.repeat)
                rows |= {f"{tree}: {label}": values for label, values in measured_rows.items()}
            rows["cold read of a large file, GB/s"] = {
                each: LARGE_BYTES / 1e9 / best(lambda s=system: read_large(f"context/disk/{LARGE}")(s.fresh()), 2)
                for each, system in systems.items()
            }
            systems["kgfs"].fresh()
            for tree in arguments.tree:
                command("grep", "-r", "no such words", ".", ok=(0, 1))(systems["kgfs"].root / tree)
            facts["daemon bytes after grep"] = daemon.memory()
        print(f"building a store of {arguments.listing:,} entities", flush=True)
        graph_builder.build(listed / "store", entities=arguments.listing, documents=100).close()
        with three(listed, listed / "store", list(LISTED)) as (systems, daemon):
            started = time.perf_counter()
            source = systems["kgfs"].fresh()
            facts["seconds to mount"] = time.perf_counter() - started
            started = time.perf_counter()
            os.listdir(source)
            facts["seconds of the first ls"] = time.perf_counter() - started
            for directory in LISTED:
                rows |= measure_listing(systems, directory, arguments.repeat)
                facts[f"names in {directory}"] = len(os.listdir(systems["ext4"].fresh() / directory))
            systems["kgfs"].fresh()
            command("ls", "-l", ".")(systems["kgfs"].root / LISTED[0])
            facts["daemon bytes after ls -l"] = daemon.memory()
    print(table(rows))
    for label, value in facts.items():
        print(f"{label}: {value:,.3f}" if isinstance(value, float) else f"{label}: {value}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"rows": rows, "facts": facts}, indent=2) + "\n")


if __name__ == "__main__":
    main()
