"""The disk beneath a store is full, read-only, failing or slow: errors name it, reading goes on, nothing is lost."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kgfs.store.catalog import engine_errors
from tests.conftest import Mounting, Program
from tests.faults.conftest import Disk

pytestmark = pytest.mark.mount

SAYS = {
    errno.ENOSPC: ("space", "is full"),
    errno.EROFS: ("read-only", "read-only"),
    errno.EIO: ("Input/output error", "input/output error"),
}
"""The disk's error to what a message about the catalog has, and one about ``agent.db``."""


def synced(path: Path, text: str) -> None:
    with path.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def ways(root: Path, text: str) -> dict[str, Callable[[], object]]:
    """What writes through the mount."""
    return {
        "a new note": lambda: (root / f"notes/{text}.md").write_text(text),
        "an old note": lambda: (root / "notes/kept.md").write_text(text),
        "a directory": lambda: (root / f"notes/in-{text}").mkdir(),
        "the workspace": lambda: synced(root / f"workspace/{text}.txt", text),
        "a key": lambda: (root / f"@kv/{text}.json").write_text(json.dumps(text)),
        "a session": lambda: (root / f"@session/{text}").mkdir(),
    }


def unexpected(store: Path) -> list[str]:
    """What a log should not hold."""
    log = (store / "mountd.log").read_text()
    return [line for line in log.splitlines() if "Traceback" in line or "Logging error" in line or " ERROR " in line]


def test_a_disk_that_refuses(kgfs: Program, stored: Path, disk: Disk, mount: Mounting, folder: Path) -> None:
    root = mount(stored)
    assert (root / "notes/kept.md").read_text() == "kept\n"
    held = "kept\n"
    for number, (catalog, agent) in SAYS.items():
        name = errno.errorcode[number]
        disk.faults(refuses=number)
        for way, write in ways(root, name).items():
            with pytest.raises(OSError) as refused:
                write()
            assert refused.value.errno == number, (way, refused.value)
        # What was there is shown, and can be asked.
        assert (root / "notes/kept.md").read_text() == held
        assert (root / "documents/n3/text.txt").read_bytes() == (folder / "n3.md").read_bytes()
        assert b"Widget 4" in (root / "@grep/Widget 4").read_bytes()
        for arguments, says in {
            ("add", folder): catalog,
            ("context", "write", "agent:/other.md"): catalog,
            ("kv", "set", "other", '"x"'): agent,
            ("backup", disk.place.parent / "backup.tar"): os.strerror(number),
        }.items():
            done = kgfs("--store", stored, *arguments, status=1, input="other\n")
            assert says in done.stderr and "failed unexpectedly" not in done.stderr, done.stderr
            assert "Exception" not in done.stderr, done.stderr
        disk.faults()
        # As soon as it can, it goes on, with all that was acknowledged.
        held = f"after-{name}"
        for write in ways(root, held).values():
            write()
        assert (root / "notes/kept.md").read_text() == held
        assert (root / f"workspace/{held}.txt").read_text() == held
        assert json.loads((root / f"@kv/{held}.json").read_text()) == held
        assert json.loads((root / "@kv/kept").read_text()) == "yes"
    assert (root / "@status/errors.jsonl").read_text() == ""
    kgfs("--store", stored, "umount")
    assert unexpected(stored) == []
    assert "Nothing is wrong: " in kgfs("--store", stored, "fsck").stdout


def test_a_store_on_a_disk_that_refuses_is_not_opened(kgfs: Program, stored: Path, disk: Disk, tmp_path: Path) -> None:
    disk.faults(refuses=errno.EROFS)
    for arguments in (("ls",), ("search", "wages"), ("mount", tmp_path / "kg"), ("kv", "get", "kept")):
        done = kgfs("--store", stored, *arguments, status=1)
        assert "read-only" in done.stderr.lower() and "Unexpected" not in done.stderr, done.stderr
    assert not (tmp_path / "kg").exists() or not os.listdir(tmp_path / "kg")
    disk.faults()
    assert "kept" in kgfs("--store", stored, "cat", "notes/kept.md").stdout


def test_a_disk_that_cannot_be_read(kgfs: Program, stored: Path, disk: Disk, mount: Mounting) -> None:
    """What is in memory is shown; what is not says that the disk fails; the mount lives, and shows it all later."""
    root = mount(stored)
    names = sorted(os.listdir(root / "documents"))
    disk.faults(unreadable=errno.EIO, refuses=errno.EIO)
    assert sorted(os.listdir(root / "documents")) == names
    for name in names:
        if (root / "documents" / name).is_dir():
            try:
                (root / "documents" / name / "text.txt").read_bytes()
            except OSError as error:
                assert error.errno == errno.EIO
    disk.faults()
    for number in range(6):
        assert f"Widget {number}" in (root / f"documents/n{number}/text.txt").read_text()
    assert (root / "@status/errors.jsonl").read_text() == ""
    kgfs("--store", stored, "umount")
    assert unexpected(stored) == []


@pytest.mark.slow
def test_a_slow_disk(stored: Path, disk: Disk, mount: Mounting) -> None:
    """A program that writes waits, one that reads what is in memory does not, and all that is written is kept."""
    root = mount(stored)
    (root / "documents/n3/text.txt").read_bytes()
    disk.faults(seconds=0.3)
    failed: list[BaseException] = []

    def write(path: Path) -> None:
        try:
            path.write_text("slowly\n")
        except BaseException as error:
            failed.append(error)

    writers = [
        threading.Thread(target=write, args=(path,)) for path in (root / "notes/slow.md", root / "workspace/slow.txt")
    ]
    for writer in writers:
        writer.start()
    seen = 0
    while any(writer.is_alive() for writer in writers):
        assert b"Widget 3" in (root / "documents/n3/text.txt").read_bytes()
        assert "n3" in os.listdir(root / "documents")
        seen += 1
    for writer in writers:
        writer.join()
    assert failed == [] and seen > 1
    disk.faults()
    assert (root / "notes/slow.md").read_text() == (root / "workspace/slow.txt").read_text() == "slowly\n"
    assert (root / "@status/errors.jsonl").read_text() == ""


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ('IO Error: Could not write file "x": Disk quota exceeded', errno.ENOSPC),
        ('TransactionContext Error: Failed to commit: Could not fsync "x": Input/output error', errno.EIO),
        ('TransactionContext Error: Failed to commit: Could not write "x": Read-only file system', errno.EROFS),
    ],
)
def test_the_engines_errors_of_a_disk(said: str, number: int) -> None:
    import _duckdb as duckdb

    error = duckdb.TransactionException(said)
    assert engine_errors.is_of_disk(error)
    assert engine_errors.explained(error, Path("/s/catalog.duckdb")).errno == number
