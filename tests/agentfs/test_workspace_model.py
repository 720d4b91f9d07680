"""The workspace beside a directory of tmpfs: after each step of the same works, both are the same.

Compared are results and errnos, and of each inode its type, permissions, links, owner, device, size, bytes, target and
attributes, and that each time changed by a step that tmpfs saw changing it. Some steps
commit, or close the file and open it again.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.filesystem import inode_table, workspace
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.filesystem import KEEP_SIZE, PUNCH_HOLE, RENAME_EXCHANGE, RENAME_NOREPLACE
from tests.agentfs.filesystem_sides import Host, Library, changes, outcome
from tests.rounds import rounds

SHM = Path("/dev/shm")
EXAMPLES = int(os.environ.get("KGFS_MODEL_EXAMPLES", rounds(60, 2000)))
MULTIGRAIN = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2]) >= (6, 13)
"""Only then does tmpfs give most changes right after each other different times."""

NAMES = st.sampled_from([b"a", b"b", b"\xff"])
PATHS = st.lists(NAMES, min_size=1, max_size=2).map(tuple)
MODES = st.sampled_from([0o644, 0o600, 0o755, 0o1777, 0o000])
KINDS = st.sampled_from(
    [stat.S_IFREG, stat.S_IFREG, stat.S_IFDIR, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR]
)
OFFSETS = st.sampled_from([0, 1, 50, 4095, 4096, 4097, 8192, 10000, 20000])
LENGTHS = st.sampled_from([1, 10, 4095, 4096, 4097, 9000])
DATA = st.tuples(LENGTHS, st.integers(1, 255)).map(lambda drawn: bytes([drawn[1]]) * drawn[0])
TIMES = st.sampled_from([0, 1, 999_999_999, -1, -1_500_000_000, 1_700_000_000_123_456_789, 2**32 * 10**9 + 5])
ALLOCATIONS = st.sampled_from([0, KEEP_SIZE, PUNCH_HOLE | KEEP_SIZE, PUNCH_HOLE, 0x08])
ATTRIBUTES = st.sampled_from([b"user.a", b"user.b"])
KEYS = st.integers(0, 2)
STEPS = st.one_of(
    st.tuples(st.just("make"), PATHS, st.builds(lambda kind, mode: kind | mode, KINDS, MODES), st.sampled_from([0])),
    st.tuples(st.just("make"), PATHS, st.builds(lambda mode: stat.S_IFDIR | mode, MODES), st.just(0)),
    st.tuples(st.just("make"), PATHS, st.just(stat.S_IFREG | 0o644), st.just(0)),
    st.tuples(st.just("symlink"), PATHS, st.sampled_from([b"a", b"/abs/x", b"\xfe\xff", b"x" * 300])),
    st.tuples(st.just("link"), PATHS, PATHS),
    st.tuples(st.just("unlink"), PATHS),
    st.tuples(st.just("rmdir"), PATHS),
    st.tuples(st.just("rename"), PATHS, PATHS, st.sampled_from([0, 0, 0, RENAME_NOREPLACE, RENAME_EXCHANGE])),
    st.tuples(st.just("write"), PATHS, OFFSETS, DATA),
    st.tuples(st.just("write"), PATHS, OFFSETS, DATA),
    st.tuples(st.just("truncate"), PATHS, OFFSETS),
    st.tuples(st.just("allocate"), PATHS, ALLOCATIONS, OFFSETS, LENGTHS),
    st.tuples(st.just("chmod"), PATHS, MODES),
    st.tuples(st.just("chown"), PATHS, st.sampled_from([0, 1, 65534]), st.sampled_from([0, 7])),
    st.tuples(st.just("utime"), PATHS, TIMES, TIMES),
    st.tuples(st.just("setxattr"), PATHS, ATTRIBUTES, st.sampled_from([b"", b"\0\xff"]), st.sampled_from([0, 1, 2])),
    st.tuples(st.just("removexattr"), PATHS, ATTRIBUTES),
    st.tuples(st.just("hold"), KEYS, PATHS),
    st.tuples(st.just("write_held"), KEYS, DATA),
    st.tuples(st.just("release"), KEYS),
    st.tuples(st.just("commit")),
    st.tuples(st.just("reopen")),
)  # fmt: skip
PHASES = (Phase.explicit, Phase.generate, Phase.shrink)
UNTIMED = {"allocate", "hold", "release", "write_held"}
"""Steps of which tmpfs and POSIX differ in what changes a time."""


class Pair:
    """The two sides."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "agent.db"
        self.root = folder / "root"
        self.root.mkdir(mode=0o755)
        self.open()
        self.host = Host(self.root)

    def open(self) -> None:
        self.database = AgentDatabase(self.path, chunk_size=4096)
        self.workspace = Workspace(self.database)
        self.library = Library(self.workspace)

    def close(self) -> None:
        self.workspace.close()
        self.database.close()

    def step(self, name: str, *given: object) -> None:
        if name == "commit":
            self.workspace.sync()
        elif name == "reopen":
            if not self.library.open:
                self.close()
                self.open()
        elif name not in ("hold", "write_held", "release") or (given[0] in self.library.open) != (name == "hold"):
            results = [outcome(lambda side=side: getattr(side, name)(*given)) for side in (self.library, self.host)]
            assert results[0] == results[1], (name, given)


@pytest.fixture(scope="module", autouse=True)
def fine_clock() -> Iterator[None]:
    """Two steps within a tick of the kernel's clock get different times, as on tmpfs."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (workspace, inode_table):
            patch.setattr(module, "now_ns", time.time_ns)
        yield


@pytest.mark.skipif(not SHM.is_dir() or os.geteuid() != 0, reason="needs tmpfs, and root for special files")
@pytest.mark.long
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), phases=PHASES)
@given(st.lists(STEPS, min_size=10, max_size=60))
@example([
    ("make", (b"a",), stat.S_IFDIR | 0o755, 0), ("make", (b"a", b"b"), stat.S_IFREG | 0o644, 0),
    ("write", (b"a", b"b"), 5000, b"x" * 9000), ("commit",), ("truncate", (b"a", b"b"), 100),
    ("truncate", (b"a", b"b"), 20000), ("hold", 0, (b"a", b"b")), ("unlink", (b"a", b"b")), ("commit",),
    ("rmdir", (b"a",)), ("write_held", 0, b"y" * 4096), ("commit",), ("release", 0), ("reopen",),
])  # fmt: skip
def test_the_workspace_is_like_tmpfs(steps: list[tuple[object, ...]]) -> None:
    before = os.umask(0)
    folder = Path(tempfile.mkdtemp(dir=SHM, prefix="kgfs-model-"))
    pair = Pair(folder)
    try:
        trees = [side.tree() for side in (pair.library, pair.host)]
        for name, *rest in steps:
            pair.step(str(name), *rest)
            after = [side.tree() for side in (pair.library, pair.host)]
            seen = [{path: one[0] for path, one in tree.items()} for tree in after]
            assert seen[0] == seen[1], (name, rest)
            if MULTIGRAIN and name not in UNTIMED:
                ours, theirs = (changes(*both) for both in zip(trees, after, strict=True))
                for path, times in theirs.items():
                    assert set(times) <= set(ours.get(path, "")), (name, rest, path)
            trees = after
        pair.close()
        pair.open()
        assert {path: one[0] for path, one in pair.library.tree().items()} == seen_of(pair.host)
    finally:
        for descriptor in pair.host.open.values():
            os.close(descriptor)
        pair.close()
        shutil.rmtree(folder)
        os.umask(before)


def seen_of(host: Host) -> dict[tuple[bytes, ...], object]:
    return {path: one[0] for path, one in host.tree().items()}
