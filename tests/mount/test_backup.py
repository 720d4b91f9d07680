"""A backup of a store that is mounted and written to, restored; and what of a backup is refused."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import tarfile
import threading
from pathlib import Path
from typing import Any

import pytest

from kgfs import mounts
from kgfs.config import Config, change_settings
from kgfs.errors import ConflictError, KgfsError, NoSpaceError, NotFoundError, StoreError, UsageError
from kgfs.exchange.archive import MANIFEST
from kgfs.exchange.backup import StoreCopy
from kgfs.exchange.files import whole_file
from kgfs.exchange.restore import restore_backup
from kgfs.fsck.run import Fsck
from kgfs.namespace.publish import publish
from kgfs.progress import Never
from kgfs.store.catalog.database import Database
from kgfs.store.files import staging
from tests.conftest import Mounting, Program
from tests.contract import walk
from tests.mount.test_killed_writers import is_whole
from tests.namespace.drivers import NamespaceDriver, opened

WRITERS = 4

pytestmark = pytest.mark.mount


class Writer(threading.Thread):
    """Writes whole files that say what they should be, one after the other, and notes what was acknowledged."""

    def __init__(self, top: Path, stop: threading.Event) -> None:
        super().__init__()
        self.top, self.stop = top, stop
        self.acknowledged: list[str] = []
        self.fault: BaseException | None = None

    def run(self) -> None:
        try:
            self.top.mkdir()
            while not self.stop.is_set():
                number = len(self.acknowledged)
                text = f"# {self.top.name} {number}\n\nAcme hired Jane in Boston.\n".encode() * (1 + number % 7)
                if number % 20 == 5:
                    text = b"\0" + text * 30_000  # in blocks
                name = f"note{number}.bin" if number % 20 == 5 else f"note{number}.md"
                (self.top / name).write_bytes(text + hashlib.sha256(text).hexdigest().encode())
                self.acknowledged.append(name)
        except BaseException as error:
            self.fault = error


@pytest.mark.slow
def test_while_it_is_written_to(kgfs: Program, mount: Mounting, light_store: Path, tmp_path: Path) -> None:
    store, backup, restored = light_store, tmp_path / "day.kgfs", tmp_path / "deep" / "restored"
    change_settings(store, {"extractor": "none"})
    kg = mount(store)
    stop = threading.Event()
    writers = [Writer(kg / "notes" / f"w{number}", stop) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        while not all(len(writer.acknowledged) > 8 or writer.fault for writer in writers):
            stop.wait(0.02)
        before = {writer.top.name: list(writer.acknowledged) for writer in writers}
        told = json.loads(kgfs("--store", store, "--json", "-q", "backup", backup).stdout)
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert [writer.fault for writer in writers] == [None] * WRITERS
    assert all(len(writer.acknowledged) > len(before[writer.top.name]) for writer in writers)
    assert told["bytes"] == backup.stat().st_size
    assert kgfs("--store", store, "backup", backup, status=4).stderr.endswith("--force replaces it.\n")
    assert not list(store.glob(".backup-*")) and not list(tmp_path.glob(".day*"))

    kgfs("--store", restored, "restore", backup)
    with Database.open(restored) as database:
        bodies = dict(database.fetch("SELECT ref, id FROM context_items WHERE drive = 'agent'"))
        for name, files in before.items():
            assert {f"agent:/{name}/{file}" for file in files} <= bodies.keys()
        publish(database)
        driver = NamespaceDriver(opened(database))
        for path, stat in walk(driver, "context/agent"):
            if stat.kind == "f":
                assert is_whole(driver.read(path)), path
        assert Fsck(database, Config()).check().findings == []
    (kg / "notes" / "after.md").write_text("The daemon still writes.\n")


def test_a_body_that_is_being_written(kgfs: Program, tmp_path: Path) -> None:
    """What of it is in the catalog when the backup is made belongs to no file, and is not restored."""
    store, backup, restored = tmp_path / "store", tmp_path / "one.kgfs", tmp_path / "restored"
    with Database.open(store, create=True, reserve=0) as database:
        database.write(lambda cursor: staging.put_blocks(cursor, staging.begin_staging(cursor), 0, [b"half of it"]))
        copy = StoreCopy(database, vectors=True)
        backup.write_bytes(b"".join(copy.stream(lambda progress: None, Never())))
        copy.close()
    kgfs("--store", restored, "restore", backup)
    with Database.open(restored) as database:
        assert database.fetch("SELECT count(*) FROM blocks") == [(0,)]


def test_what_is_refused(kgfs: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, backup, other = tmp_path / "store", tmp_path / "one.kgfs", tmp_path / "other"
    with Database.open(store, create=True, reserve=0) as database:
        (store / "vectors").mkdir(exist_ok=True)
        for number in range(20):
            (store / "vectors" / f"{number}.lance").write_bytes(b"x")
        copy = StoreCopy(database, vectors=True)
        told: list[Any] = []
        backup.write_bytes(b"".join(copy.stream(told.append, Never())))
        copy.close()
    assert len(told) == len({progress["done"] for progress in told}), "not one line a file"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConflictError, match="standard output"), whole_file(tmp_path / "-", force=True):
        pass
    with pytest.raises(ConflictError, match="is a device or a pipe"), whole_file(tmp_path / "pipe", force=True):
        raise AssertionError("what is replaced is gone")
    (tmp_path / "pipe").unlink()
    with pytest.raises(UsageError, match="is a directory"):
        restore_backup(store, other)
    with pytest.raises(ConflictError, match="There is a store at"):
        restore_backup(backup, store)
    with pytest.raises(NotFoundError):
        restore_backup(tmp_path / "nothing", other)
    whole = backup.read_bytes()
    plain = gzip.decompress(whole)
    changed = bytearray(plain)
    changed[5_000] ^= 1
    later = plain.replace(b'"kgfs_backup": 1', b'"kgfs_backup": 2')
    bad: list[tuple[bytes, type[KgfsError], str]] = [
        (b"something else", UsageError, "is not a backup"),
        (gzip.compress(b"something else" * 100), UsageError, "is not a backup"),
        (whole[: len(whole) // 2], StoreError, "cut short"),
        (gzip.compress(plain[: plain.rindex(MANIFEST.encode())]), StoreError, "cut short"),
        (gzip.compress(changed), StoreError, r"damaged \(catalog\.duckdb\)"),
        (gzip.compress(later), StoreError, "newer kgfs"),
        (gzip.compress(renamed(plain, "../../evil.db")), UsageError, "not a backup of kgfs: it holds"),
        (gzip.compress(renamed(plain, "vectors/../../x")), UsageError, "not a backup of kgfs: it holds"),
        (gzip.compress(renamed(plain, "/tmp/x")), UsageError, "not a backup of kgfs: it holds"),
        *(
            (
                gzip.compress(renamed(plain, "vectors/x", type=kind, linkname="/etc", size=0)),
                UsageError,
                "is not a file",
            )
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)
        ),
        (gzip.compress(renamed(plain, "vectors/x", size=1 << 50)), NoSpaceError, "no room"),
        (gzip.compress(renamed(plain, "x", type=tarfile.XHDTYPE, size=1 << 32)), UsageError, "too long"),
        (gzip.compress(renamed(plain, "x", type=tarfile.GNUTYPE_LONGNAME, size=1 << 32)), UsageError, "too long"),
        (gzip.compress(many(40)), StoreError, "files, which no backup does"),
    ]
    monkeypatch.setattr("kgfs.exchange.restore._MAX_FILES", 30)
    for body, kind, message in bad:
        backup.write_bytes(body)
        with pytest.raises(kind, match=message):
            restore_backup(backup, other)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["one.kgfs", "store"]
    backup.write_bytes(whole)
    kgfs("--store", other, "restore", backup)
    with Database.open(other) as database:
        assert database.fetch("SELECT count(*) FROM context_items") == [(0,)]


def renamed(plain: bytes, name: str, **more: Any) -> bytes:
    """A backup whose first member has another name, and another type or size."""
    entry = tarfile.TarInfo.frombuf(plain[:512], "utf-8", "strict")
    entry.name = name
    for key, value in more.items():
        setattr(entry, key, value)
    return entry.tobuf() + plain[512:]


def many(count: int) -> bytes:
    """An archive of so many empty files."""
    return b"".join(tarfile.TarInfo(f"vectors/{number}").tobuf() for number in range(count)) + bytes(1024)


@pytest.mark.slow
def test_a_backup_whose_rows_cannot_be(kgfs: Program, light_store: Path, tmp_path: Path) -> None:
    """It is restored, for nothing else may be left of somebody's notes, and the command says what is to be done."""
    store = light_store
    kgfs("--store", store, "context", "write", "agent:/delta.md", "--content", "Delta acquired Alpha.")
    with Database.open(store) as database:
        database.write(lambda cursor: cursor.execute("UPDATE documents SET slug = '../..'"))
    kgfs("--store", store, "backup", tmp_path / "backup")
    done = kgfs("--store", tmp_path / "other", "restore", tmp_path / "backup", status=5)
    assert "kgfs fsck --repair" in done.stderr
    kgfs("--store", tmp_path / "other", "fsck", "--repair", status=5)
    assert kgfs("--store", tmp_path / "other", "cat", "documents/delta/text.txt").stdout == "Delta acquired Alpha."


def test_a_full_disk(kgfs: Program, light_store: Path, tmp_path: Path) -> None:
    """The file that is written has no room: a sentence, and nothing is left of it."""
    store, small = light_store, tmp_path / "small"
    kgfs("--store", store, "context", "write", "agent:/.a", "--file", "-", input=os.urandom(400_000).hex())
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", small], check=False).returncode:
        pytest.skip("only root mounts a small file system")
    try:
        for command in (["backup", small / "b"], ["export", "--tree", small / "t"]):
            done = kgfs("--store", store, *command, status=1)
            assert "too full for" in done.stderr
        assert not list(small.glob(".*")) and not (small / "b").exists()
    finally:
        subprocess.run(["umount", small], check=True)
    assert mounts.mount_at(small) is None
