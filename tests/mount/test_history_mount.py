"""``@history`` through the kernel, with stock tools: what is kept is seen at once, and ``cp`` is undo."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kgfs.config import change_settings
from tests.conftest import Mounting, Program

pytestmark = pytest.mark.mount


def run(*command: str | Path) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def notes(light_store: Path, mount: Mounting) -> Path:
    change_settings(light_store, {"extractor": "none"})
    return mount(light_store) / "notes"


def test_cp_is_undo(notes: Path) -> None:
    place = notes / "deep"
    place.mkdir()
    file, history = place / "a.md", place / "@history" / "a.md"
    for number, text in enumerate(("one\n", "two, longer\n", "three\n")):
        run("sh", "-c", f"printf '%s' '{text}' > {file}")  # a shell empties the file first
        assert (sorted(os.listdir(history)) if number else []) == [str(each + 1) for each in range(number)]
    assert run("cat", history / "1", history / "2") == "one\ntwo, longer\n"
    assert [(history / str(number)).stat().st_size for number in (1, 2)] == [4, 12]
    run("cp", history / "1", file)
    assert file.read_text() == "one\n"
    assert (history / "3").read_text() == "three\n"
    file.unlink()
    assert os.listdir(place) == []
    assert os.listdir(place / "@history") == ["a.md"]
    assert (history / "4").read_text() == "one\n"
    run("cp", "-p", history / "3", file)
    assert file.stat().st_mtime_ns // 1000 == (history / "3").stat().st_mtime_ns // 1000


def test_recursive_tools_do_not_fall_in(notes: Path) -> None:
    file = notes / "a.md"
    file.write_text("secret of old\n")
    file.write_text("new\n")
    assert run("ls", "-A", notes / ".").splitlines() == ["a.md"]
    assert run("find", f"{notes}/", "-mindepth", "1").splitlines() == [str(file)]
    assert subprocess.run(["grep", "-r", "secret", f"{notes}/"], capture_output=True, check=False).stdout == b""
    assert not (notes.parent / "@history").exists()
    assert not (notes.parent / "entities" / "@history").exists()


def test_it_is_read_only(notes: Path) -> None:
    file = notes / "a.md"
    file.write_text("one\n")
    file.write_text("two\n")
    history = notes / "@history" / "a.md"
    for change in (
        lambda: (history / "1").write_text("x"),
        lambda: (history / "new").write_text("x"),
        lambda: (history / "1").unlink(),
        lambda: (notes / "@history" / "b").mkdir(),
        lambda: (history / "1").rename(notes / "b.md"),
    ):
        with pytest.raises(OSError) as error:
            change()
        assert error.value.errno in (30, 18), error.value  # EROFS; EXDEV would do for a move
    assert (history / "1").read_text() == "one\n"


def test_a_large_version(notes: Path) -> None:
    body = os.urandom(5 * 1024 * 1024 + 3)
    file = notes / "large.bin"
    file.write_bytes(body)
    file.write_bytes(b"small")
    version = notes / "@history" / "large.bin" / "1"
    assert version.stat().st_size == len(body)
    assert version.read_bytes() == body
    with version.open("rb") as opened:
        opened.seek(3 * 1024 * 1024 - 5)
        assert opened.read(10) == body[3 * 1024 * 1024 - 5 :][:10]


def test_a_purge_is_seen_and_numbers_begin_again(kgfs: Program, notes: Path) -> None:
    file, history = notes / "a.md", notes / "@history" / "a.md"
    for text in ("one\n", "two\n", "three\n"):
        file.write_text(text)
    assert (history / "1").read_text() == "one\n"
    kgfs("rm", "--purge", file)
    assert not file.exists()
    assert os.listdir(notes / "@history") == []
    with pytest.raises(FileNotFoundError):
        (history / "1").read_text()
    file.write_text("four!\n")
    file.write_text("five\n")
    assert (history / "1").read_text() == "four!\n"
    assert kgfs("context", "restore", file, "1").stdout.startswith("agent:/a.md holds version 1 again")
    assert file.read_text() == "four!\n"
    assert (history / "2").read_text() == "five\n"
