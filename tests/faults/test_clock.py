"""The clock is set back by years while the daemon runs, and forward again.

Python's clock, in the daemon and in all that it starts: libfaketime has no ``sleep`` that Python 3.11 could use.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kgfs import mounts
from tests.conftest import copy_store
from tests.faults.conftest import ended
from tests.waiting import until

YEAR = 365 * 86400
_SHIFTED = """
import datetime, os, time
_time, _time_ns, _datetime = time.time, time.time_ns, datetime.datetime
def _offset():
    with open(os.environ["KGFS_TEST_CLOCK"]) as file:
        return int(file.read() or 0)
class _Shifted(type(_datetime)):
    def __instancecheck__(cls, one):
        return isinstance(one, _datetime)
class datetime_(_datetime, metaclass=_Shifted):
    @classmethod
    def now(cls, tz=None):
        return _datetime.fromtimestamp(time.time(), tz)
time.time = lambda: _time() + _offset()
time.time_ns = lambda: _time_ns() + _offset() * 10**9
datetime.datetime = datetime_
"""
"""A ``sitecustomize``: the clock is off by so many seconds as a file says."""

pytestmark = [pytest.mark.mount, pytest.mark.long]


def test_a_clock_that_is_set_back_while_it_runs(pristine_filled_store: Path, folder: Path, tmp_path: Path) -> None:
    """What is written before, while and after is shown as it was written last, found, and follows in the history."""
    store, root, clock = copy_store(pristine_filled_store, tmp_path / "store"), tmp_path / "kg", tmp_path / "clock"
    clock.write_text("0")
    (tmp_path / "shifted").mkdir()
    (tmp_path / "shifted/sitecustomize.py").write_text(_SHIFTED)
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "shifted"), "KGFS_TEST_CLOCK": str(clock)}
    command = [sys.executable, "-m", "kgfs.cli.main", "--store", os.fspath(store)]

    def kgfs(*words: str | Path) -> str:
        done = subprocess.run([*command, *map(str, words)], capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    log = (tmp_path / "log").open("w+")
    daemon = subprocess.Popen([*command, "mount", "-f", root], env=env, stdout=log, stderr=log)
    try:
        until(lambda: mounts.mount_at(root) is not None and (root / "AGENTS.md").exists())
        note, key, work = root / "notes/clock.md", root / "@kv/clock", root / "workspace/clock.txt"
        times = []
        for turn, offset in enumerate((0, -YEAR, -2 * YEAR, 0)):
            clock.write_text(str(offset))
            text = f"Turn {turn} of bergamot{turn}, which grows.\n"
            for file in (note, work):
                file.write_text(text)
                assert file.read_text() == text and file.stat().st_size == len(text)
            key.write_text(str(turn))
            assert key.read_text().strip() == str(turn)
            times.append(note.stat().st_mtime)
            added = folder.with_name(f"clock-{turn}")
            added.mkdir()
            (added / f"added{turn}.md").write_text(f"# Added {turn}\n\nAcme {turn} Inc. bought quince{turn}.\n")
            kgfs("add", added)
            kgfs("wait")
            assert (root / f"documents/added{turn}/text.txt").read_text().startswith(f"# Added {turn}")
            for word in (f"bergamot{turn}", f"quince{turn}"):
                assert word.encode() in (root / f"@search/keyword/{word}/results.jsonl").read_bytes()
            assert "clock.md" in os.listdir(root / "notes")
        # The daemon did live in these years.
        now = time.time()
        assert [round((now - at) / YEAR) for at in times] == [0, 1, 2, 0]
        before = kgfs("context", "history", "agent:/clock.md")
        assert before.strip(), before
        (root / "notes/clock.md").unlink()
        assert not note.exists()
        assert (root / "@status/errors.jsonl").read_text() == ""
        assert kgfs("fsck").startswith("Nothing is wrong")
    finally:
        said = ended(daemon, root, log)
    assert daemon.returncode == 0 and "Traceback" not in said, said
