"""A question asked while the model loads is answered by keyword, and better a little later, on one and the same path.

The kernel keeps sizes and pages for an hour: nothing of the first answer may be left in its caches.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Program
from tests.mount.daemons import Daemon
from tests.waiting import until

pytestmark = [pytest.mark.mount, pytest.mark.model]
QUERY = "which companies did Alphabet buy"
SECONDS = 180


def whole(path: Path) -> bytes:
    """A file's bytes; while it is open its size is that of the bytes, through the descriptor and by its name."""
    with path.open("rb", buffering=0) as file:
        data = b"".join(iter(lambda: file.read(1 << 16), b""))
        assert os.fstat(file.fileno()).st_size == os.stat(path).st_size == len(data)
    return data


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in whole(path).splitlines()]


def mode(path: Path) -> str:
    return str(records(path)[0]["mode"])


@pytest.mark.usefixtures("new_pythons")
def test_the_answer_gets_better_on_the_same_path(kgfs: Program, sample_store: Path, tmp_path: Path) -> None:
    """The first question starts the worker, as a new process: however slow all else is, its model is not there yet."""
    kgfs("--store", sample_store, "config", "model_wait_seconds", "0.05")
    kg = tmp_path / "kg"
    command = [sys.executable, "-m", "mountd", "-f", "--no-warm", "--store", str(sample_store), str(kg)]
    daemon = Daemon(command, kg, sample_store, tmp_path / "log").wait()
    try:
        gets_better(kg)
        assert daemon.end() == 0, daemon.log.read_text()
    finally:
        daemon.clear()


def gets_better(kg: Path) -> None:
    """An answer by keyword is replaced by one by meaning, and nothing of the first is left."""
    answer = kg / "@search" / "semantic" / QUERY
    results, text, top = answer / "results.jsonl", answer / "results.txt", answer / "top"
    in_one_step = kg / "@search" / "text" / "limit=3" / QUERY
    with results.open("rb", buffering=0) as held:
        beginning = held.read(100)
        early = os.pread(held.fileno(), 1 << 20, 0)
        assert json.loads(early.splitlines()[0])["mode"] == "keyword, model loading"
        assert whole(in_one_step)
        first = os.stat(in_one_step).st_mtime_ns
        # Where the model came between the two, the second answer is as good as it gets.
        early_too = mode(kg / "@search" / "chunks" / "Waze" / "results.jsonl") != "hybrid"
        seen = os.stat(results), os.stat(text), sorted(os.listdir(top))
        until(lambda: mode(kg / "@search" / "chunks" / "Nest" / "results.jsonl") == "hybrid")
        # Meanwhile the time of the first answer is long over, but a reader has it open.
        assert os.fstat(held.fileno()).st_size == len(early)
        assert beginning + held.read(1 << 20) == early == whole(results)
        assert (os.stat(results), os.stat(text), sorted(os.listdir(top))) == seen
    until(lambda: mode(results) == "hybrid")
    assert whole(results) != early
    assert os.stat(results).st_mtime_ns > seen[0].st_mtime_ns
    for path in (results, text):
        shown = subprocess.run(["cat", path], capture_output=True, check=True).stdout
        assert shown == whole(path) and len(shown) == os.stat(path).st_size
    if early_too:
        until(lambda: os.stat(in_one_step).st_mtime_ns > first)
    for _ in range(3):
        assert len(whole(in_one_step)) == os.stat(in_one_step).st_size > 0
    found = records(results)
    assert {record["mode"] for record in found} == {"hybrid"}
    names = sorted(os.listdir(top))
    assert len(names) == len(found)
    for name, record in zip(names, found, strict=True):
        assert (top / name).resolve() == kg / record["rel"]
    for name in set(seen[2]) - set(names):
        assert not os.path.lexists(top / name), "a link of the first answer is left"
