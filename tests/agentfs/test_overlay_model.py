"""Base and delta together are a plain copy of the base to which the same was done.

The base is filled by some steps; the others are done in a session over it and in a directory of tmpfs that was filled
alike. After each step both are the same, the base is as it was, and every rule holds of the session's file. Only two
things differ, as they do of Linux's overlayfs: a directory of the base does not move, and nobody counts its links.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from kgfs.agentfs.checking import check
from tests.agentfs.filesystem_sides import Host, Library, Names, Seen, outcome
from tests.agentfs.session_sides import Opened
from tests.agentfs.test_workspace_model import SHM, STEPS
from tests.memory_file_system import MemoryFileSystem
from tests.rounds import rounds

EXAMPLES = int(os.environ.get("KGFS_MODEL_EXAMPLES", rounds(60, 2000)))
PHASES = (Phase.explicit, Phase.generate, Phase.shrink)
FILLING = {"make", "symlink", "write", "truncate", "chmod", "chown", "setxattr"}
DIRECTORIES = [("make", (b"a",), stat.S_IFDIR | 0o755, 0), ("make", (b"a", b"b"), stat.S_IFDIR | 0o755, 0)]
Step = tuple[object, ...]


class Sides:
    """A session over a filled base, and a directory that was filled alike."""

    def __init__(self, folder: Path, filling: list[Step]) -> None:
        root = folder / "root"
        root.mkdir(mode=0o755)
        self.host = Host(root)
        self.base = Library(MemoryFileSystem(0, 0))
        for name, *rest in filling:
            if name in FILLING:
                for side in (self.base, self.host):
                    outcome(partial(getattr(side, str(name)), *rest))
        self.before = shown(self.base)
        self.session = Opened(folder, self.base.files)
        self.library = Library(self.session.overlay)

    def reopen(self) -> None:
        self.session.reopen()
        self.library = Library(self.session.overlay)

    def step(self, name: str, *rest: object) -> None:
        if name == "commit":
            self.session.overlay.sync()
            assert check.check(self.session.database) == []
        elif name == "reopen":
            if not self.library.open:
                self.reopen()
        elif name not in ("hold", "write_held", "release") or (rest[0] in self.library.open) != (name == "hold"):
            ours = outcome(lambda: getattr(self.library, name)(*rest))
            if ours == "EXDEV":
                assert name == "rename" and any(self.was_directory(path) for path in rest[:2])
            else:
                assert ours == outcome(lambda: getattr(self.host, name)(*rest)), (name, rest)

    def was_directory(self, path: object) -> bool:
        return path in self.before and stat.S_ISDIR(self.before[path].mode)  # type: ignore[index]

    def close(self) -> None:
        for descriptor in self.host.open.values():
            os.close(descriptor)
        self.session.close()


def shown(side: Library | Host) -> dict[Names, Seen]:
    """What is compared; links of directories are not."""
    return {
        path: seen._replace(nlink=0) if stat.S_ISDIR(seen.mode) else seen for path, (seen, _) in side.tree().items()
    }


@pytest.mark.skipif(not SHM.is_dir() or os.geteuid() != 0, reason="needs tmpfs, and root for special files")
@pytest.mark.long
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), phases=PHASES)
@given(st.lists(STEPS, min_size=0, max_size=25), st.lists(STEPS, min_size=10, max_size=50))
@example(
    [("make", (b"a", b"a"), stat.S_IFREG | 0o644, 0), ("write", (b"a", b"a"), 100, b"x" * 9000)],
    [
        ("hold", 0, (b"a", b"a")), ("unlink", (b"a", b"a")), ("write_held", 0, b"y" * 10), ("commit",),
        ("rmdir", (b"a", b"b")), ("rmdir", (b"a",)), ("make", (b"a",), stat.S_IFDIR | 0o700, 0), ("release", 0),
        ("make", (b"b",), stat.S_IFDIR | 0o700, 0), ("make", (b"b", b"a"), stat.S_IFREG | 0o700, 0), ("reopen",),
        ("rename", (b"b",), (b"a",), 0), ("commit",), ("reopen",),
    ],
)  # fmt: skip
def test_a_session_is_like_a_copy(filling: list[Step], steps: list[Step]) -> None:
    umask = os.umask(0)
    folder = Path(tempfile.mkdtemp(dir=SHM, prefix="kgfs-overlay-"))
    sides = Sides(folder, DIRECTORIES + filling)
    try:
        assert shown(sides.library) == shown(sides.host)
        for name, *rest in steps:
            sides.step(str(name), *rest)
            assert shown(sides.library) == shown(sides.host), (name, rest)
        assert shown(sides.base) == sides.before
        sides.session.sound()
        sides.library.open.clear()
        wanted = shown(sides.host)
        sides.reopen()
        assert shown(sides.library) == wanted
        sides.session.sound()
    finally:
        sides.close()
        shutil.rmtree(folder)
        os.umask(umask)
