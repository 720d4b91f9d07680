"""A mount, and programs in the sandbox that see it; used by the tests here and by those of the command."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kgfs.errors import KgfsError
from kgfs.sandbox import bubblewrap
from tests.conftest import Program
from tests.mount.daemons import Daemon
from tests.mount.served_stores import ended, started

PYTHON = shutil.which("python3", path=bubblewrap.PATH)
"""The sandbox has that of the system only."""


class Sandboxed:
    """Runs programs by ``kgfs run`` over one mount."""

    def __init__(self, kgfs: Program, daemon: Daemon) -> None:
        self.kgfs = kgfs
        self.daemon = daemon
        self.store = daemon.store
        self.mountpoint = daemon.mountpoint
        self.workspace = daemon.mountpoint / "workspace"

    def words(self, *arguments: str) -> list[str]:
        """The command ``kgfs run`` with these arguments, without ``kgfs``."""
        return ["--store", str(self.store), "run", *arguments]

    def __call__(self, *arguments: str, status: int | None = 0, **options: Any) -> subprocess.CompletedProcess[str]:
        """``kgfs run ARGUMENTS`` to its end."""
        return self.kgfs(*self.words(*arguments), status=status, **options)

    def python(self, code: str, *arguments: object, options: tuple[str, ...] = (), **more: Any) -> Any:
        """What a Python program in the sandbox prints, which is JSON."""
        if PYTHON is None:
            pytest.skip("the system has no Python of its own")
        text = self(*options, "--", PYTHON, "-c", code, *map(str, arguments), **more).stdout
        return json.loads(text)


@contextmanager
def sandboxed(kgfs: Program) -> Iterator[Sandboxed]:
    """Such a mount; a test that wants it is skipped where no sandbox can be made."""
    try:
        bubblewrap.require(bubblewrap.View(mounted=Path("/usr"), read_only=True))
    except KgfsError as error:
        pytest.skip(error.message)
    directory = Path(tempfile.mkdtemp(prefix="sandboxed-"))
    try:
        daemon = started(directory)
        try:
            yield Sandboxed(kgfs, daemon)
            ended(daemon)
        finally:
            daemon.clear()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
