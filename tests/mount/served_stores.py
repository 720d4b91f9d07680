"""A small store served by ``mountd`` itself, with what a test asks of the command line."""

from __future__ import annotations

from pathlib import Path

from kgfs.config import change_settings
from tests import warm_python
from tests.conftest import trust_all
from tests.graph_builder import build
from tests.mount.daemons import Daemon
from tests.onnx_models import write_small_model


def started(directory: Path, *options: str, new: bool = True) -> Daemon:
    """``directory/kg``, a mount of ``directory/store``, which is made first unless ``new`` is false. What is written
    there costs little: nothing is extracted from it, and the model loads in no time."""
    mountpoint, store = directory / "kg", directory / "store"
    if new:
        build(store, entities=5, documents=1).close()
        model = write_small_model(directory / "model", dimension=32)
        change_settings(store, {"extractor": "none", "embedding_model": str(model), "embedding_dimension": 32})
        trust_all(store)
    words = ["-f", "--no-warm", *options, "--store", str(store), str(mountpoint)]
    command = [warm_python.python(), "-m", "mountd", *words]
    return Daemon(command, mountpoint, store, directory / "log").wait()


def ended(daemon: Daemon) -> None:
    """End the daemon; assert that it ended well and logged nothing unexpected."""
    assert daemon.end() == 0, daemon.log.read_text()
    assert daemon.unexpected() == []
