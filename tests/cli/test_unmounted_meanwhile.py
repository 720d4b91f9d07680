"""Unmounting while a command has the daemon work for it: the command goes on by itself, and both say so."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Mounting, Program

pytestmark = pytest.mark.mount
FILES = 80


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    place = tmp_path / "documents"
    place.mkdir()
    for number in range(FILES):
        paragraph = f"Mary Smith of Acme Corp in Boston bought {number} wheels of Widget Inc. in March 2019. " * 3
        (place / f"{number:03}.md").write_text(f"# Report {number}\n\n{paragraph}\n\n{paragraph}\n")
    return place


def state(kgfs: Program, store: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(kgfs("--store", store, "--json", "status").stdout)
    return found


def until_at_work(kgfs: Program, store: Path, running: subprocess.Popen[str] | None) -> None:
    """Wait until the daemon has stored some of the files and not done with them."""
    until = time.monotonic() + 100
    while not (found := state(kgfs, store))["counts"]["documents"]:
        assert time.monotonic() < until and (running is None or running.poll() is None)
    assert not found["complete"]


def complete(kgfs: Program, store: Path) -> bool:
    found = state(kgfs, store)
    assert found["counts"]["documents"] == FILES
    return bool(found["complete"])


@pytest.mark.slow
def test_an_add_goes_on_without_the_daemon(kgfs: Program, mount: Mounting, light_store: Path, documents: Path) -> None:
    place = mount(light_store)
    running = kgfs.start("--store", light_store, "add", documents, "--extractor", "offline")
    try:
        until_at_work(kgfs, light_store, running)
        said = kgfs("umount", place).stdout
        assert f"`kgfs add {documents}` is at work and goes on without the mount" in said
        out, err = running.communicate(timeout=200)
    finally:
        running.kill()
    assert running.returncode == 0, err
    assert "nothing is lost" in err and "goes on without it" in err and "run the command again" not in err
    assert out.startswith("Added ")
    assert complete(kgfs, light_store)


@pytest.mark.slow
def test_a_wait_goes_on_with_an_add_in_the_background(
    kgfs: Program, mount: Mounting, light_store: Path, documents: Path
) -> None:
    place = mount(light_store)
    kgfs("--store", light_store, "add", documents, "--extractor", "offline", "--background")
    waiting = kgfs.start("--store", light_store, "wait")
    try:
        until_at_work(kgfs, light_store, waiting)
        said = kgfs("umount", place).stdout
        assert f"`kgfs add {documents}` was at work in the background and stopped" in said
        assert "run it again" in said
        _, err = waiting.communicate(timeout=200)
    finally:
        waiting.kill()
    assert waiting.returncode == 0, err
    kgfs("--store", light_store, "add", documents, "--extractor", "offline")
    assert complete(kgfs, light_store)


def test_a_quiet_mount_is_unmounted_without_a_word_more(kgfs: Program, mount: Mounting, light_store: Path) -> None:
    place = mount(light_store)
    kgfs("--store", light_store, "wait")
    assert kgfs("umount", place).stdout.splitlines() == [f"Unmounted {place}."]
