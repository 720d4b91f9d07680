"""A real mount over a real graph that changes: whatever was seen before, what is seen after a publication is true."""

from __future__ import annotations

import hashlib
import os
import random
import stat
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.mount.conftest import Start
from tests.mount.daemons import Daemon, in_threads
from tests.rounds import rounds

pytestmark = [pytest.mark.mount, pytest.mark.slow]
SECONDS = float(os.environ.get("KGFS_SOAK_SECONDS", rounds(5, 40)))


def seen(root: Path) -> dict[str, list[object]]:
    """The tree as any program sees it, in the shape of ``expect``."""
    found: dict[str, list[object]] = {}
    waiting = [""]
    while waiting:
        directory = waiting.pop()
        with os.scandir(root / directory) as entries:
            names = [entry.name for entry in entries]
        for name in names:
            below = directory + name
            if below.startswith(("@status", "@audit")):
                continue
            status = os.lstat(root / below)
            what: object = None
            if stat.S_ISDIR(status.st_mode):
                kind = "d"
                waiting.append(below + "/")
            elif stat.S_ISLNK(status.st_mode):
                kind, what = "l", os.readlink(root / below)
            else:
                data = (root / below).read_bytes()
                assert len(data) == status.st_size, below
                kind, what = "f", hashlib.md5(data).hexdigest()
            found[below] = [kind, status.st_size, status.st_mtime_ns, what]
    return found


def compare(mount: Daemon) -> int:
    """The mount shows what the tree is; answers how many places that are."""
    expected, shown = mount.say("expect"), seen(mount.mountpoint)
    ghosts, missing = shown.keys() - expected.keys(), expected.keys() - shown.keys()
    wrong = [path for path in expected.keys() & shown.keys() if expected[path] != shown[path]]
    report = [(path, expected.get(path), shown.get(path)) for path in [*ghosts, *missing, *wrong][:8]]
    assert not (ghosts or missing or wrong), (len(ghosts), len(missing), len(wrong), report)
    return len(expected)


@pytest.mark.long
def test_nothing_stale_while_tools_walk(graph: Start) -> None:
    mount = graph(entities=12, documents=3)
    assert compare(mount) > 300
    stop = threading.Event()
    faults: list[str] = []

    def walk(command: list[str], allowed: tuple[int, ...]) -> None:
        while not stop.is_set():
            done = subprocess.run(command, cwd=mount.mountpoint, capture_output=True, check=False)
            said = [line for line in done.stderr.decode().splitlines() if "No such file or directory" not in line]
            if done.returncode not in allowed or said:
                faults.append(f"{command}: {done.returncode} {said}")

    # Names may go while a tool walks: it says so, and ends with another status.
    commands = [
        (["find", ".", "-ls"], (0, 1)),
        (["grep", "-r", "a word that is nowhere", "."], (1, 2)),
        (["ls", "-lR", "."], (0, 1, 2)),
    ]
    walkers = [threading.Thread(target=walk, args=command, daemon=True) for command in commands]
    for walker in walkers:
        walker.start()
    turn = 0
    until = time.monotonic() + SECONDS
    try:
        while time.monotonic() < until or turn < 7:  # each kind of change once
            mount.say("touch", turn)
            compare(mount)
            turn += 1
    finally:
        stop.set()
        for walker in walkers:
            walker.join(60)
    assert faults == []


def test_missing_names_appear_and_names_go(graph: Start) -> None:
    """Names are looked up before they exist, by the thousand, and while they exist, again and again."""
    mount = graph(entities=30, documents=6)
    root = mount.mountpoint
    before = list(mount.say("expect"))
    for seed in range(14):
        mount.say("touch", seed)
        after = mount.say("expect")
        for path in {*before, *after}:
            assert os.path.lexists(root / path) == (path in after), path
        before = [*before, *after]


def test_readers_and_writers_at_once(graph: Start) -> None:
    """Sixty-four readers of random files while the graph changes: each reads a whole file of some moment."""
    mount = graph(entities=30, documents=6)
    files = [path for path, what in mount.say("expect").items() if what[0] == "f"]
    stop = threading.Event()

    def change() -> None:
        seed = 0
        while not stop.is_set():
            mount.say("touch", seed)
            seed += 1

    writer = threading.Thread(target=change)
    writer.start()
    try:

        def read(number: int) -> None:
            for path in random.Random(number).sample(files, min(150, len(files))):
                try:
                    data = (mount.mountpoint / path).read_bytes()
                except (FileNotFoundError, NotADirectoryError):
                    continue  # it went
                except OSError as error:
                    assert error.errno == 116, (path, error)  # it went while open
                    continue
                if path.endswith((".json", ".jsonl")) and data:
                    assert data.endswith(b"\n") and b"\0" not in data, path

        in_threads(64, read, 120)
    finally:
        stop.set()
        writer.join()
    compare(mount)
