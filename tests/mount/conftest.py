"""Real mounts for tests: a daemon over a planted tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kgfs import mounts
from tests import warm_python
from tests.graph_builder import build
from tests.mount.daemons import Daemon

Start = Callable[..., Daemon]


@pytest.fixture
def planted(tmp_path: Path) -> Iterator[Start]:
    """``planted(tree, stuck_seconds=…)`` mounts a planted tree."""
    daemons: list[Daemon] = []

    def start(tree: dict[str, str | None] | None = None, *, stuck_seconds: float = 10.0) -> Daemon:
        number = len(daemons)
        mountpoint, store = tmp_path / f"mount{number}", tmp_path / f"store{number}"
        mountpoint.mkdir()
        store.mkdir()
        words = [str(mountpoint), str(store), str(stuck_seconds)]
        command = [warm_python.python(), "-m", "tests.mount.planted_daemon", *words]
        daemon = Daemon(command, mountpoint, store, tmp_path / f"log{number}")
        daemons.append(daemon)
        assert daemon.process.stdout is not None
        assert daemon.process.stdout.readline() == '"ready"\n', daemon.log.read_text()
        daemon.wait()
        if tree is not None:
            assert daemon.say("publish", tree) is True
        return daemon

    yield from _watched(daemons, start)


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Start]:
    """``graph(entities=…, documents=…)`` mounts a graph made by rule."""
    daemons: list[Daemon] = []

    def start(**size: int) -> Daemon:
        mountpoint, store = tmp_path / "kg", tmp_path / "graph"
        mountpoint.mkdir()
        build(store, **size).close()
        command = [warm_python.python(), "-m", "tests.mount.graph_daemon", str(mountpoint), str(store)]
        daemon = Daemon(command, mountpoint, store, tmp_path / "log")
        daemons.append(daemon)
        assert daemon.process.stdout is not None
        assert daemon.process.stdout.readline() == '"ready"\n', daemon.log.read_text()
        return daemon.wait()

    yield from _watched(daemons, start)


def _watched(daemons: list[Daemon], start: Start) -> Iterator[Start]:
    try:
        yield start
        for daemon in daemons:
            if daemon.expected is not None:
                assert daemon.end() == daemon.expected, daemon.log.read_text()
                assert mounts.mount_at(daemon.mountpoint) is None
                assert daemon.unexpected() == []
    finally:
        for daemon in daemons:
            daemon.clear()
