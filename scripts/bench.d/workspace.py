"""How fast ``workspace/`` is, there and in a session, beside bindfs over ext4, ext4 itself, and calls of
``agentfs-sdk``, in one run.

    scripts/bench workspace [--files 1000] [--megabytes 300] [--only kgfs,session] [--json FILE]

The peers are on a file system on a loop device that lies on the disk of the store, and nothing is mounted anew in
between. ``close`` in the workspace returns when the file is durable, so on the peers a file is synced before it is
closed where the table says *durable*; the client's calls are durable (its database syncs at each commit), and it is
told not to for the row *not durable*. Needs root, bindfs, git and mkfs.ext4.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from fs import Bindfs, Daemon, run, unmount

from tests import graph_builder

BODY = (b"Something that an agent wrote down while it worked. " * 20)[:1000]
WRITERS = 8
MANY = 10_000
CLIENT = "agentfs-sdk"
Rows = dict[str, dict[str, float]]
TARGETS = {
    "create, durable": f"≥ 5 × {CLIENT}",
    f"create, durable, {WRITERS} writers": "≥ 2,000/s",
    f"rm -r of {MANY:,}": "≤ 4 × tmpfs",
}


def put(path: str, sync: bool) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        os.write(descriptor, BODY)
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def rate(paths: list[str], work: Callable[[str], object]) -> float:
    """How many a second."""
    started = time.perf_counter()
    for path in paths:
        work(path)
    return len(paths) / (time.perf_counter() - started)


def seconds(*command: str | Path, cwd: Path | None = None) -> float:
    started = time.perf_counter()
    run(*command, cwd=cwd, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def creating(top: str, count: int, sync: bool, begin: float) -> tuple[float, float]:
    """One writer in a folder of its own; all begin at one moment."""
    os.mkdir(top)
    time.sleep(max(0.0, begin - time.monotonic()))
    started = time.monotonic()
    for number in range(count):
        put(f"{top}/{number}", sync)
    return started, time.monotonic()


def together(top: Path, count: int, sync: bool) -> float:
    """Files a second of all writers."""
    with ProcessPoolExecutor(WRITERS, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(time.sleep, [0.3] * WRITERS))  # they are up
        begin = time.monotonic() + 0.3
        spans = [
            pool.submit(creating, str(top / f"w{number}"), count // WRITERS, sync, begin) for number in range(WRITERS)
        ]
        times = [span.result() for span in spans]
    return count / (max(end for _, end in times) - min(start for start, _ in times))


def repository(directory: Path) -> Path:
    """A repository of 1,000 files."""
    for number in range(1000):
        folder = directory / f"d{number % 20}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"f{number}.txt").write_text(f"line {number}\n" * 40)
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    run("git", "init", "-q", "-b", "main", cwd=directory)
    run("git", "add", ".", cwd=directory)
    run("git", *who, "commit", "-q", "-m", "All", cwd=directory)
    return directory


def on_files(root: Path, source: Path, archive: Path, files: int, megabytes: int, sync: bool) -> dict[str, float]:
    """What programs do in a directory: each figure by its label."""
    top = root / "bench"
    top.mkdir()
    paths = [str(top / f"f{number}") for number in range(files)]
    rows = {
        **(
            {"create, not durable": rate([f"{path}n" for path in paths], lambda path: put(path, False))} if sync else {}
        ),
        "create, durable": rate(paths, lambda path: put(path, sync)),
        "stat": rate(paths, os.stat),
        "read": rate(paths, lambda path: Path(path).read_bytes()),
        "list": rate([str(top)] * 20, os.listdir),
        "rename": rate(paths, lambda path: os.rename(path, path + "r")),
        "delete": rate(paths, lambda path: os.unlink(path + "r")),
        f"create, durable, {WRITERS} writers": together(top, files * 2, sync),
    }
    rows["git clone of 1,000 files"] = seconds("git", "clone", "-q", "--no-hardlinks", source, top / "clone")
    rows["git status"] = min(seconds("git", "status", "--porcelain", cwd=top / "clone") for _ in range(3))
    (top / "untarred").mkdir()
    rows["untar"] = seconds("tar", "-xf", archive, "-C", top / "untarred")
    (top / "many").mkdir()
    for number in range(MANY):
        os.mknod(top / f"many/{number}")
    rows["ls -l of 10,000"] = seconds("ls", "-lU", top / "many")
    rows[f"rm -r of {MANY:,}"] = seconds("rm", "-r", top / "many")
    rows |= large(top / "large", megabytes, sync)
    shutil.rmtree(top)
    return rows


def large(path: Path, megabytes: int, sync: bool) -> dict[str, float]:
    piece = os.urandom(1 << 20)
    started = time.perf_counter()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    for _ in range(megabytes):
        os.write(descriptor, piece)
    if sync:
        os.fsync(descriptor)
    os.close(descriptor)
    wrote = time.perf_counter() - started
    descriptor = os.open(path, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    started = time.perf_counter()
    while os.read(descriptor, 1 << 20):
        pass
    read = time.perf_counter() - started
    os.close(descriptor)
    return {"write one file, MB/s": (megabytes << 20) / wrote / 1e6, "read it, MB/s": (megabytes << 20) / read / 1e6}


def by_client(path: Path, files: int, *, durable: bool) -> dict[str, float]:
    """The same by calls of the client's library; without ``durable`` creating alone."""
    from agentfs_sdk import AgentFS, AgentFSOptions

    names = [f"/bench/f{number}" for number in range(files)]
    rows = {}

    async def work() -> None:
        async with await AgentFS.open(AgentFSOptions(path=str(path))) as client:
            await client.fs.mkdir("/bench")
            if not durable:
                await client._db.execute("PRAGMA synchronous = OFF")  # there is no public way

            async def each(label: str, call: Callable[[str], Awaitable[object]], given: list[str]) -> None:
                started = time.perf_counter()
                for name in given:
                    await call(name)
                rows[label] = len(given) / (time.perf_counter() - started)

            label = "create, durable" if durable else "create, not durable"
            await each(label, lambda name: client.fs.write_file(name, BODY), names)
            if not durable:
                return
            await each("stat", client.fs.stat, names)
            await each("read", lambda name: client.fs.read_file(name, encoding=None), names)
            await each("list", client.fs.readdir, ["/bench"] * 20)
            await each("rename", lambda name: client.fs.rename(name, name + "r"), names)
            await each("delete", lambda name: client.fs.unlink(name + "r"), names)

    asyncio.run(work())
    return rows


def shown(label: str, value: float | None) -> str:
    if value is None:
        return "-"
    if label.endswith("MB/s"):
        return f"{value:,.0f}"
    return f"{value:.3f} s" if is_time(label) else f"{value:,.0f}/s"


def is_time(label: str) -> bool:
    return label.startswith(("git", "untar", "rm", "ls"))


def table(rows: Rows, columns: list[str]) -> str:
    lines = [f"{'':34}" + "".join(f"{name:>14}" for name in columns) + "  target"]
    for label, values in rows.items():
        cells = "".join(f"{shown(label, values.get(name)):>14}" for name in columns)
        lines.append(f"{label:34}{cells}  {TARGETS.get(label, '')}".rstrip())
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench workspace", description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--only", metavar="SYSTEMS", help="measure these alone, with commas between")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    parser.add_argument("--work", type=Path, help="where to build (default: a temporary directory)")
    arguments = parser.parse_args()
    missing = [name for name in ("bindfs", "mkfs.ext4", "git") if not shutil.which(name)]
    if os.geteuid() != 0 or missing:
        raise SystemExit(f"bench: run it as root, with bindfs, mkfs.ext4 and git (missing: {missing}).")
    rows: Rows = {}

    def note(system: str, found: dict[str, float]) -> None:
        print(f"  {system}: {found}", file=sys.stderr, flush=True)
        for label, value in found.items():
            rows.setdefault(label, {})[system] = value

    with tempfile.TemporaryDirectory(dir=arguments.work, prefix="kgfs-bench-") as name, ExitStack() as ending:
        work = Path(name)
        source = repository(work / "repository")
        archive = work / "all.tar"
        run("tar", "-C", source, "-cf", archive, ".")
        graph_builder.build(work / "store", entities=100, documents=10).close()
        image = work / "ext4.img"
        with image.open("wb") as file:
            file.truncate(4 << 30)
        run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image)
        for place in ("ext4", "bindfs", "kgfs", "tmpfs"):
            (work / place).mkdir()
        run("mount", "-o", "loop", image, work / "ext4")
        ending.callback(unmount, work / "ext4")
        bindfs = Bindfs(work / "ext4", work / "bindfs")
        daemon = Daemon(work / "store", work / "kgfs")
        bindfs.start()
        ending.callback(bindfs.stop)
        daemon.start()
        ending.callback(daemon.stop)
        run("mount", "-t", "tmpfs", "none", work / "tmpfs")
        ending.callback(unmount, work / "tmpfs")
        os.mkdir(work / "kgfs/@session/bench")
        places = {"kgfs": work / "kgfs/workspace", "session": work / "kgfs/@session/bench/workspace"}
        places |= {each: work / each for each in ("bindfs", "ext4", "tmpfs")}
        chosen = arguments.only.split(",") if arguments.only else [*places, CLIENT]
        places = {name: place for name, place in places.items() if name in chosen}
        for system, root in places.items():
            sync = system in ("bindfs", "ext4")
            note(system, on_files(root, source, archive, arguments.files, arguments.megabytes, sync))
        if CLIENT in chosen:
            found = by_client(work / "client.db", arguments.files, durable=False)
            note(CLIENT, found | by_client(work / "durable.db", arguments.files, durable=True))
    print(table(rows, chosen))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
