"""A real mount beside a tmpfs directory: whatever is done to both, they answer and hold the same."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import warm_python
from tests.graph_builder import build
from tests.mount.daemons import Daemon
from tests.writing_model import EXAMPLES, PHASES, OsSide, TwoSides

pytestmark = [pytest.mark.mount, pytest.mark.timeout(max(900, 20 * EXAMPLES))]


class Mount:
    """One mount for all examples, each in a directory of its own."""

    directory: Path
    daemon: Daemon
    numbers = itertools.count()

    @classmethod
    def start(cls) -> None:
        mountpoint, store = cls.directory / "kg", cls.directory / "graph"
        command = [warm_python.python(), "-m", "tests.mount.graph_daemon", str(mountpoint), str(store)]
        cls.daemon = Daemon(command, mountpoint, store, cls.directory / "log")
        assert cls.daemon.process.stdout is not None
        assert cls.daemon.process.stdout.readline() == '"ready"\n', cls.daemon.log.read_text()
        cls.daemon.wait()

    @classmethod
    def end(cls) -> None:
        try:
            assert cls.daemon.end() == 0, cls.daemon.log.read_text()
            assert cls.daemon.unexpected() == []
        finally:
            cls.daemon.clear()


@pytest.fixture(scope="module", autouse=True)
def mount(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    Mount.directory = tmp_path_factory.mktemp("mount")
    (Mount.directory / "kg").mkdir()
    build(Mount.directory / "graph", entities=20, documents=3).close()
    Mount.start()
    try:
        yield
    finally:
        Mount.end()


class MountLikeTmpfs(TwoSides):
    examples = itertools.count()

    def begin(self) -> None:
        self.beside = Path(tempfile.mkdtemp(dir="/dev/shm"))
        self.theirs = OsSide(self.beside)
        self.top = Mount.directory / "kg/notes" / f"example{next(Mount.numbers)}"
        self.top.mkdir()
        self.ours = OsSide(self.top)

    def newer(self) -> None:
        assert Mount.daemon.say("newer") is True

    def reopens(self) -> bool:
        return next(self.examples) % 8 == 0

    def again(self) -> None:
        Mount.end()
        Mount.start()

    def end(self) -> None:
        shutil.rmtree(self.beside)
        shutil.rmtree(self.top)


TestMount = pytest.mark.long(MountLikeTmpfs.TestCase)
TestMount.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=40,
    deadline=None,
    phases=PHASES,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize(
    "touch",
    [
        lambda path: os.setxattr(path, "user.a", b"x"),
        lambda path: os.utime(path, (1_000_000, 1_500_000)),
        lambda path: os.chmod(path, 0o600),
        lambda path: None,
    ],
    ids=["attribute", "times", "mode", "nothing"],
)
def test_a_file_that_was_read_shows_what_was_written_since(touch: Callable[[Path], None]) -> None:
    """Attributes that a snapshot knows of a file say nothing of its body: the one that was read before is not kept."""
    path = Mount.directory / "kg/notes" / f"read{next(Mount.numbers)}"
    path.write_bytes(b"first")
    touch(path)
    for body in (b"other", b"longer than that", b"x" * 300_000, b""):
        assert Mount.daemon.say("newer") is True
        path.read_bytes()
        path.write_bytes(body)
        assert path.read_bytes() == body
        assert Mount.daemon.say("newer") is True
        assert path.read_bytes() == body
