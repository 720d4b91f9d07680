"""A small store served by ``mountd`` itself, with what a test asks of the command line."""

from __future__ import annotations

from pathlib import Path

from tests import warm_python
from tests.graph_builder import build
from tests.mount.daemons import Daemon


def started(directory: Path, *options: str, new: bool = True) -> Daemon:
    """``directory/kg``, a mount of ``directory/store``, which is made first unless ``new`` is false."""
    mountpoint, store = directory / "kg", directory / "store"
    if new:
        build(store, entities=5, documents=1).close()
    words = ["-f", "--no-warm", *options, "--store", str(store), str(mountpoint)]
    command = [warm_python.python(), "-m", "mountd", *words]
    return Daemon(command, mountpoint, store, directory / "log").wait()


def ended(daemon: Daemon) -> None:
    """End the daemon; assert that it ended well and logged nothing unexpected."""
    assert daemon.end() == 0, daemon.log.read_text()
    assert daemon.unexpected() == []
