"""A daemon in a process of its own, watched until it answers and always unmounted; used by the fixtures here."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgfs import mounts
from tests.warm_python import pid_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
START_SECONDS = 30


class Daemon:
    """A process that mounts at ``mountpoint``; made by a fixture, which ends and unmounts it."""

    def __init__(self, command: list[str], mountpoint: Path, store: Path, log: Path) -> None:
        self.mountpoint = mountpoint
        self.store = store
        self.log = log
        self.expected = 0
        """The exit status that the end of the test asserts; ``None`` after a kill."""
        with log.open("wb") as stderr:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, cwd=ROOT, text=True
            )

    def wait(self) -> Daemon:
        """Until it is mounted and answers; an error when the process ends before."""
        until = time.monotonic() + START_SECONDS
        # In this order: a stale mount does not answer, and the bare directory that answers is no mount.
        while not mounts.answers(self.mountpoint) or mounts.mount_at(self.mountpoint) is None:
            assert self.process.poll() is None, f"ended with {self.process.returncode}: {self.log.read_text()}"
            assert time.monotonic() < until, f"not mounted: {self.log.read_text()}"
            time.sleep(0.01)
        return self

    def say(self, *command: Any) -> Any:
        """Send a command to a daemon of ours and wait for its answer."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"it ended: {self.log.read_text()}"
        answer = json.loads(line)
        assert not (isinstance(answer, dict) and "fault" in answer), answer
        return answer

    def end(self, signal_number: int = signal.SIGTERM, seconds: float = 15) -> int:
        """Signal it to end and wait; answers the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal_number)
        return self.process.wait(seconds)

    @property
    def pid(self) -> int:
        """The daemon itself: ``process`` may be what stands for it (``tests.warm_python``)."""
        return pid_of(self.process.pid)

    def kill(self) -> None:
        """Kill it and wait."""
        os.kill(self.pid, signal.SIGKILL)
        self.process.wait()

    def memory(self) -> int:
        """Resident bytes."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def unexpected(self) -> list[str]:
        """The lines of its log that no test should see."""
        words = ("ERROR", "Traceback", "WARNING")
        return [line for line in self.log.read_text().splitlines() if any(word in line for word in words)]

    def clear(self) -> None:
        """Whatever happened: no process, no mount."""
        try:
            self.end()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        finally:
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    pipe.close()
            while (mount := mounts.mount_at(self.mountpoint)) is not None and mount.ours:
                mounts.unmount(self.mountpoint, lazy=True)


def in_threads(count: int, work: Callable[[int], None], seconds: float = 60) -> None:
    """Run ``work(number)`` in so many threads; raises the first fault, or when one hangs."""
    faults: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=guarded, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    if faults:
        raise faults[0]
