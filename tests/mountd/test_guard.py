"""The log of faults and the watchdog."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from mountd import guard
from mountd.guard import ErrorLog


def test_the_log_is_one_object_a_line(tmp_path: Path) -> None:
    log = ErrorLog(tmp_path / "errors.jsonl")
    try:
        raise ValueError("a\nb \udcff ü")
    except ValueError as error:
        log.note("read", error)
    log.note("watchdog", "It stood still.")
    first, second = (json.loads(line) for line in log.path.read_bytes().splitlines())
    assert first["where"] == "read" and first["error"] == "ValueError" and "ü" in first["message"]
    assert first["at"].startswith("test_guard.py:") and first["time"].endswith("Z")
    assert second == {"time": second["time"], "where": "watchdog", "message": "It stood still."}


def test_the_log_is_cut_to_its_newer_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_LOG_BYTES", 10_000)
    log = ErrorLog(tmp_path / "errors.jsonl")
    for number in range(1000):
        log.note("x", str(number))
    lines = [json.loads(line) for line in log.path.read_bytes().splitlines()]
    assert lines[-1]["message"] == "999"
    assert log.path.stat().st_size <= 11_000


def test_many_threads_write_whole_lines(tmp_path: Path) -> None:
    log = ErrorLog(tmp_path / "errors.jsonl")
    threads = [threading.Thread(target=lambda: [log.note("x", "y" * 500) for _ in range(50)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([json.loads(line) for line in log.path.read_bytes().splitlines()]) == 400


def test_a_log_that_cannot_be_written_does_no_harm(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    ErrorLog(tmp_path / "file" / "errors.jsonl").note("x", "y")
    assert "cannot be written" in caplog.text


@pytest.mark.parametrize(
    "stuck", ["time.sleep(1.0)", "ctypes.PyDLL(None).usleep(1000000)"], ids=["python", "a C call that keeps the lock"]
)
def test_the_watchdog_notices_a_loop_that_stands_still(tmp_path: Path, stuck: str) -> None:
    program = f"""
        import ctypes, sys, time, trio
        from pathlib import Path
        from mountd.guard import ErrorLog
        from mountd.watchdog import Watchdog

        def the_culprit():
            {stuck}

        async def main():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(watchdog.beat)
                await trio.sleep(0.5)
                quiet = watchdog.noticed
                the_culprit()
                await trio.sleep(0.3)
                nursery.cancel_scope.cancel()
            return quiet

        watchdog = Watchdog(ErrorLog(Path(sys.argv[1])), seconds=0.3)
        watchdog.start()
        quiet = trio.run(main)
        watchdog.stop()
        print(quiet, watchdog.noticed)
    """
    errors = tmp_path / "errors.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(errors)],
        capture_output=True, text=True, timeout=30, check=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert "the_culprit" in done.stderr and "Timeout" in done.stderr
    assert done.stdout.split()[0] == "0"
    if "sleep(1.0)" in stuck:
        assert done.stdout.split() == ["0", "1"]
        assert "has not run" in json.loads(errors.read_bytes())["message"]
