"""``kill -9`` of the daemon under concurrent writers: what was acknowledged is there after the next mount, and whole.

``KGFS_KILL_ROUNDS`` says how many rounds.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest

from kgfs import mounts
from tests.conftest import Program, daemon_pid
from tests.rounds import rounds

ROUNDS = int(os.environ.get("KGFS_KILL_ROUNDS", rounds(1, 6)))
WRITERS = 4
GONE = {errno.ENOTCONN, errno.ECONNABORTED, errno.EIO, errno.ENOENT, errno.EBADF}

pytestmark = [pytest.mark.mount, pytest.mark.long, pytest.mark.timeout(120 + 60 * ROUNDS)]


def body(random_: random.Random, tag: str) -> bytes:
    """A text that says what it should be: its own hash stands at its end."""
    words = " ".join(random_.choice(["Acme", "Globex", "wages", "rose", "in", "Boston", "metal"]) for _ in range(40))
    text = f"# Note {tag}\n\n{words}.\n".encode() * random_.choice([1, 1, 1, 10])
    if random_.random() < 0.1:
        text = b"\0" + text * 3000  # more than 1 MiB, and nothing to be read by a model
    return text + hashlib.sha256(text).hexdigest().encode()


def is_whole(found: bytes) -> bool:
    return not found or hashlib.sha256(found[:-64]).hexdigest().encode() == found[-64:]


class Writer(threading.Thread):
    """Writes, moves and removes in a directory of its own until the mount is gone; notes what was acknowledged."""

    def __init__(self, top: Path, number: int, round_: int, state: dict[str, set[bytes | None]]) -> None:
        super().__init__()
        self.top = top / f"writer{number}"
        self.random = random.Random(1000 * round_ + number)
        self.state = state
        """Path to what it may hold: the one thing that was acknowledged last, and what was under way after that."""
        self.round = round_
        self.acknowledged = 0
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            self.top.mkdir(exist_ok=True)
            for step in range(10_000):
                self.step(step)
        except OSError as error:
            if error.errno not in GONE:
                self.fault = error
        except BaseException as error:
            self.fault = error

    def step(self, step: int) -> None:
        name = f"f{self.random.randrange(12)}.md"
        path, key = self.top / name, f"{self.top.name}/{name}"
        before = self.state.get(key, {None})
        kind = self.random.random()
        if kind < 0.1 and None not in before:
            self.state[key] = before | {None}
            path.unlink()
            self.state[key] = {None}
        else:
            data = body(self.random, f"{self.round}.{step}")
            # Cut to nothing is a state of its own only while it is open: it is not committed.
            self.state[key] = before | {data}
            if kind < 0.4:
                temporary = self.top / f".{name}.tmp"
                self.write(temporary, data)
                os.replace(temporary, path)
            else:
                self.write(path, data)
            self.state[key] = {data}
        self.acknowledged += 1

    def write(self, path: Path, data: bytes) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            if self.random.random() < 0.3:
                os.fsync(descriptor)
        except BaseException:
            with contextlib.suppress(OSError):
                os.close(descriptor)
            raise
        os.close(descriptor)


def test_acknowledged_is_kept(kgfs: Program, light_store: Path, tmp_path: Path) -> None:
    store, place = light_store, tmp_path / "kg"
    place.mkdir()
    state: dict[str, set[bytes | None]] = {}
    chance = random.Random(7)
    total = 0
    try:
        for round_ in range(ROUNDS):
            kgfs("--store", store, "mount", place)
            check(place / "notes", state)
            writers = [Writer(place / "notes", number, round_, state) for number in range(WRITERS)]
            for writer in writers:
                writer.start()
            time.sleep(chance.uniform(0.5, 4.0))
            mount = mounts.mount_at(place)
            assert mount is not None
            os.kill(daemon_pid(kgfs, store), signal.SIGKILL)
            for writer in writers:
                writer.join(60)
                assert not writer.is_alive()
                assert writer.fault is None, writer.fault
                total += writer.acknowledged
        kgfs("--store", store, "mount", place)
        check(place / "notes", state)
        kgfs("--store", store, "wait", timeout=300)
        check(place / "notes", state)
        kgfs("--store", store, "fsck", timeout=300)
        print(f"{ROUNDS} rounds, {total} operations acknowledged")
    finally:
        kgfs("--store", store, "umount", place, status=None)
        if mounts.mount_at(place) is not None:
            mounts.unmount(place, lazy=True)


def check(notes: Path, state: dict[str, set[bytes | None]]) -> None:
    """Each path holds what was acknowledged last, or the whole of what was under way."""
    for key, allowed in state.items():
        path = notes / key
        try:
            found: bytes | None = path.read_bytes()
        except FileNotFoundError:
            found = None
        assert found is None or is_whole(found), f"{key} is torn"
        assert found in allowed or (found == b"" and len(allowed) > 1 and None in allowed), key
        state[key] = {found}
