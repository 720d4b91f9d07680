"""Everything at once for a while: walkers, searches, and ``kgfs add`` of files that change, on one real mount.

``KGFS_SOAK_SECONDS`` says for how long (a short form by default). What must hold: nothing hangs, no size or name is
stale after an ``add`` has returned, no error is logged, and the memory of the daemon does not grow.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import SAMPLES, Program, copy_store, daemon_pid, mounting, searchable
from tests.rounds import rounds

pytestmark = [pytest.mark.mount, pytest.mark.slow, pytest.mark.long]

SECONDS = float(os.environ.get("KGFS_SOAK_SECONDS", rounds(8, 60)))
COMMAND_SECONDS = 120.0
PLACES = ("Boston", "Chicago", "Dallas", "Atlanta", "London", "Zürich")
VERBS = ("hired", "reported", "acquired", "opened", "closed")


@pytest.fixture
def soaked(kgfs: Program, pristine_sample_store: Path, tmp_path: Path) -> Iterator[tuple[Path, Path, Path]]:
    """A mount of the sample, its store, and a folder whose files change."""
    store = copy_store(pristine_sample_store, tmp_path / "store")
    changing = tmp_path / "changing"
    changing.mkdir()
    with mounting(kgfs, tmp_path) as mount:
        yield mount(store), store, changing


def write_some(folder: Path, chance: random.Random, turn: int) -> None:
    """Change, add and remove a few files, as a person and a program do."""
    for number in chance.sample(range(12), 4):
        path = folder / f"note-{number:02}.md"
        if path.exists() and chance.random() < 0.2:
            path.unlink()
            continue
        lines = [f"# Note {number}, turn {turn}", ""]
        for _ in range(chance.randrange(1, 60)):
            lines.append(
                f"Firm {chance.choice('ABCDEFG')} Corp. {chance.choice(VERBS)} people in {chance.choice(PLACES)}."
            )
        lines.append(f"Acme {turn} Inc. acquired Widget {number} Ltd. in {2000 + turn % 24}.")
        path.write_text("\n".join(lines) + "\n")


def resident_kib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))


def check_shown(root: Path, folder: Path) -> None:
    """After an ``add`` the mount shows exactly the files as they are, in name, size and bytes."""
    shown = root / "context" / "disk" / folder.relative_to("/")
    for path in folder.iterdir():
        there = shown / path.name
        assert there.stat().st_size == path.stat().st_size, path
        assert there.read_bytes() == path.read_bytes(), path
        text = root / "documents" / path.stem / "text.txt"
        assert text.read_bytes() == path.read_bytes(), path
        chunks = sorted((root / "chunks" / "by_document" / path.stem).glob("chunk_*"))
        assert b"".join((chunk / "content.txt").read_bytes() for chunk in chunks) == path.read_bytes(), path


def check_sizes(root: Path) -> int:
    """Every file has the size that ``stat`` says; what goes away meanwhile is no fault."""
    count = 0
    for directory, _, files in os.walk(root):
        if "@status" in directory or "@audit" in directory:
            continue
        for name in files:
            path = os.path.join(directory, name)
            try:
                if os.path.islink(path):
                    assert os.path.exists(path) or not os.path.lexists(path), path
                    continue
                with open(path, "rb") as file:
                    said, data = os.fstat(file.fileno()).st_size, file.read()
                    assert len(data) == said or os.fstat(file.fileno()).st_size == len(data), (path, said, len(data))
            except FileNotFoundError:
                continue
            count += 1
    return count


def test_soak(kgfs: Program, soaked: tuple[Path, Path, Path]) -> None:
    root, store, folder = soaked
    searchable(root)
    pid = daemon_pid(kgfs, store)
    stop = threading.Event()
    faults: list[str] = []
    turns: dict[str, int] = {}

    def repeat(name: str, commands: Iterator[list[str]], allowed: tuple[int, ...]) -> None:
        for command in commands:
            if stop.is_set():
                return
            try:
                done = subprocess.run(
                    command, cwd=root, capture_output=True, text=True, errors="replace", timeout=COMMAND_SECONDS,
                    check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                faults.append(f"{command} hung")
                return
            gone = ("No such file", "file changed as we read it", "Stale file handle", "File removed before we read it")
            said = [
                line
                for line in done.stderr.splitlines()
                if not any(word in line for word in gone) and "Exiting with failure status" not in line
            ]
            if done.returncode not in allowed or said:
                faults.append(f"{command}: {done.returncode} {said[:5]}")
            turns[name] = turns.get(name, 0) + 1

    queries = ("wages in Boston", "which AI labs did Google buy", "who acquired Widget", "unemployment rate", "Acme")
    walkers = {
        "rg": (itertools.repeat(["rg", "-c", "acquired", "."]), (0, 2)),
        "tar": (
            itertools.repeat(["tar", "--exclude=./@status", "--exclude=./@audit", "-cf", "/dev/null", "."]),
            (0, 1),
        ),
        "find": (itertools.repeat(["find", ".", "-ls"]), (0, 1)),
        "grep": (itertools.repeat(["grep", "-rc", "Inc", "entities"]), (0, 2)),
        "search": (itertools.cycle([["cat", f"@search/text/{query}"] for query in queries]), (0,)),
        "questions": (
            itertools.cycle(
                [
                    ["cat", "chunks/@search/text/hired people in Dallas"],
                    ["cat", "@grep/-i/acme [0-9]+"],
                    ["cat", "documents/@grep/-l/Firm"],
                    ["ls", "-l", "@find/type=Organization/min_facts=1"],
                    ["cat", "entities/organizations/@stat"],
                    ["cat", "@sql/select count(*) from facts"],
                    ["cat", "entities/by_name/Alphabet_Inc/@near/2/near.txt"],
                ]
            ),
            (0, 1, 2),  # 1: ls met a link that went meanwhile
        ),
    }
    threads = [
        threading.Thread(target=repeat, args=(name, commands, allowed), daemon=True)
        for name, (commands, allowed) in walkers.items()
    ]
    for thread in threads:
        thread.start()
    chance = random.Random(4)
    memory: list[int] = []
    turn = 0
    until = time.monotonic() + SECONDS
    try:
        while time.monotonic() < until and not faults:
            turn += 1
            write_some(folder, chance, turn)
            before = {path.stem for path in folder.iterdir()}
            kgfs("--store", store, "add", "--on-conflict", "overwrite", folder, timeout=COMMAND_SECONDS)
            check_shown(root, folder)
            if turn % 3 == 0:
                victim = chance.choice(sorted(before))
                kgfs("--store", store, "rm", f"disk:{folder / (victim + '.md')}", timeout=COMMAND_SECONDS)
                assert not (root / "documents" / victim).exists(), victim
                assert victim not in os.listdir(root / "documents")
                (folder / f"{victim}.md").unlink()
            memory.append(resident_kib(pid))
    finally:
        stop.set()
        for thread in threads:
            thread.join(COMMAND_SECONDS + 10)
    assert not any(thread.is_alive() for thread in threads), "a walker hangs"
    assert faults == []
    assert set(turns) == set(walkers), turns
    assert check_sizes(root) > 1000
    errors = (root / "@status" / "errors.jsonl").read_text()
    assert errors == "", errors
    kgfs("--store", store, "wait", timeout=COMMAND_SECONDS)
    status = json.loads((root / "@status" / "status.json").read_text())
    assert status["complete"] is True, status
    if len(memory) >= 8:
        # The first turns fill caches; from then on it stays.
        early, late = max(memory[2 : len(memory) // 2]), max(memory[len(memory) // 2 :])
        assert late < early * 1.25 + 40_000, memory
    assert shutil.which("rg") and SAMPLES.is_dir()
    print(f"{turn} turns, {turns}, resident KiB {memory[:1]} to {memory[-1:]}")
