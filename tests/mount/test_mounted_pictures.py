"""Pictures on a mount: drawn by the worker, with the size that ``stat`` says, also after what drew them was killed."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from lxml import etree

from tests.conftest import Mounting, Program, mounting
from tests.waiting import until

pytestmark = pytest.mark.mount


def drawers(store: Path) -> list[int]:
    """The drawing processes of a store's worker."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                above = Path(f"/proc/{parent}/cmdline").read_bytes().split(b"\0")
            except (OSError, ValueError):
                continue
            if b"kgfs.pictures.drawing_child" in words and os.fsencode(store) in above:
                found.append(int(entry.name))
    return found


class StartedProgram(Program):
    """Started as users start it: processes that are forked are not known by their words."""

    def _words(self, env: Mapping[str, str] | None) -> tuple[str, ...]:
        return self.command


@pytest.fixture
def cold_mount(own_directories: Path, tmp_path: Path) -> Iterator[Mounting]:
    with mounting(StartedProgram(), tmp_path) as mount_here:
        yield mount_here


def drawn(picture: Path) -> bytes:
    """Its bytes; none yet where a drawer takes longer to start than a read may take, as on a busy machine."""
    try:
        return picture.read_bytes()
    except TimeoutError:
        return b""


@pytest.mark.slow
def test_pictures(sample_store: Path, cold_mount: Mounting) -> None:
    kg = cold_mount(sample_store)
    home = kg / "entities/organizations/Alphabet_Inc"
    wanted = [
        home / "graph.svg",
        home / "timeline.svg",
        home / "@near/2/near.svg",
        kg / "topics/map.svg",
        kg / "@path/Geoffrey Hinton/YouTube/path.svg",
        kg / "entities/locations/United_States/economic_data/unemployment_rate.svg",
    ]
    for path in wanted:
        size = path.stat().st_size
        data = path.read_bytes()
        assert len(data) == size > 1000 and etree.fromstring(data).tag.endswith("svg"), path
        assert path.name not in os.listdir(path.parent)
    assert b"DeepMind" in wanted[0].read_bytes() and b"14.7" in wanted[-1].read_bytes()
    (drawer,) = drawers(sample_store)
    os.kill(drawer, signal.SIGKILL)
    other = kg / "entities/organizations/DeepMind/graph.svg"
    data = until(lambda: drawn(other))
    assert len(data) == other.stat().st_size and b"London" in data
    with pytest.raises(FileNotFoundError):
        (kg / "entities/locations/United_States/economic_data/nothing.svg").stat()
    with pytest.raises(OSError, match="Read-only"):
        wanted[0].write_text("x")
    listed = subprocess.run(["find", kg / "entities", "-name", "*.svg"], capture_output=True, check=True).stdout
    assert listed == b""
