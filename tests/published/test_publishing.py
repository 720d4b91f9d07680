"""``kgfs publish`` and ``kgfs mount s3://…`` as users run them: a real store, a real object store, a real mount."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import _duckdb as duckdb
import pytest

from kgfs import mounts
from kgfs.config import CATALOG
from kgfs.progress import Never
from kgfs.published.address import parse_address
from kgfs.published.bucket import Bucket
from kgfs.published.manifest import Manifest
from kgfs.published.sender import send
from kgfs.published.snapshot_cache import SnapshotCache
from tests.conftest import Program, copy_store, end, searchable
from tests.object_server import ObjectServer, unavailable

pytestmark = pytest.mark.mount

POLL = 0.2


@pytest.fixture(scope="module")
def made(kgfs: Program, pristine_light_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a document and a note."""
    place = tmp_path_factory.mktemp("made")
    (place / "docs").mkdir()
    (place / "docs" / "google.md").write_text(
        "---\ntitle: Google LLC\ntype: Organization\n---\nGoogle LLC acquired Looker in 2019, for 2.6 billion.\n"
    )
    store = copy_store(pristine_light_store, place / "store")
    kgfs("--store", store, "add", place / "docs", "--extractor", "offline")
    kgfs("--store", store, "context", "write", "agent:/kept.md", "--content", "the first state\n")
    return store


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Path:
    return copy_store(made, tmp_path / "store")


@pytest.fixture
def address(server: ObjectServer, tmp_path: Path) -> Iterator[str]:
    """A place in the bucket where nothing is published yet."""
    yield f"s3://bucket/{tmp_path.name}"
    server.fault = None


class Reader:
    """Another machine: directories of its own, and what is mounted there."""

    def __init__(self, kgfs: Program, home: Path) -> None:
        self._kgfs = kgfs
        self.home = home
        self.environment = {"XDG_DATA_HOME": str(home / "data"), "XDG_CACHE_HOME": str(home / "cache")}
        self.place = home / "kg"
        self._pid: int | None = None

    def kgfs(self, *arguments: str | Path, **options: Any) -> Any:
        return self._kgfs(*arguments, env=self.environment, **options)

    def mount(self, address: str, *options: str) -> str:
        """Mount it; what was said on standard error."""
        said = self.kgfs("mount", address, self.place, "--poll", str(POLL), *options)
        told = json.loads(self.kgfs("--store", self.store(address), "--json", "status").stdout)
        self._pid = int(told["mount"]["pid"])
        return str(said.stderr)

    def store(self, address: str) -> Path:
        return self.home / "data" / "kgfs-published" / parse_address(address).key

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.place / "@status/status.json").read_text())["published"]
        return found

    def until(self, what: Callable[[dict[str, Any]], bool], seconds: float = 60.0) -> dict[str, Any]:
        """Wait until ``@status`` says so of the published graph."""
        deadline = time.monotonic() + seconds
        while not what(found := self.status()):
            assert time.monotonic() < deadline, found
            time.sleep(0.05)
        return found

    def close(self) -> None:
        if mounts.mount_at(self.place) is not None:
            mounts.unmount(self.place, lazy=True)
        if self._pid is not None:
            end(self._pid)


@pytest.fixture
def reader(kgfs: Program, tmp_path: Path) -> Iterator[Reader]:
    found = Reader(kgfs, tmp_path / "reader")
    found.home.mkdir()
    try:
        yield found
    finally:
        found.close()


def write_note(kgfs: Program, store: Path, text: str) -> None:
    kgfs("--store", store, "context", "write", "agent:/kept.md", "--content", text, "--overwrite", "--no-index")


@pytest.mark.slow
def test_a_mount_shows_what_is_published_and_follows_it(
    kgfs: Program, reader: Reader, store: Path, address: str, server: ObjectServer
) -> None:
    (store / ".publish-4194305").mkdir()  # what a command left that was killed
    said = kgfs("--store", store, "publish", address).stdout
    assert "Published snapshot 1: 1 document, " in said or "Published snapshot 1: 2 documents, " in said
    assert "Nothing changed since snapshot 1" in kgfs("--store", store, "publish", address).stdout
    assert not list(store.glob(".publish-*"))
    reader.mount(address)
    root = reader.place
    entity = root / "entities/organizations/Google_LLC"
    inode, summary = entity.stat().st_ino, (entity / "summary.txt").read_text()
    assert (root / "context/agent/kept.md").read_text() == "the first state\n"
    assert (root / "@grep/2.6 billion").exists()
    assert reader.until(lambda found: found["checked_at"])["state"] == "current"
    assert "google" in (searchable(root) / "@search/text/Looker for 2.6 billion").read_text().lower()

    for change in (
        lambda: (root / "notes/x.md").write_text("x"),
        lambda: (root / "context/agent/kept.md").write_text("x"),
        lambda: os.remove(root / "context/agent/kept.md"),
    ):
        with pytest.raises(OSError) as caught:
            change()
        assert caught.value.errno == errno.EROFS
    refused = reader.kgfs("--store", reader.store(address), "add", __file__, status=None)
    assert refused.returncode and f"published at {address}" in refused.stderr

    with (root / "context/agent/kept.md").open("rb") as held:
        write_note(kgfs, store, "the second state\n")
        kgfs("--store", store, "entity", "add", "Newcomer Inc", "--type", "Organization")
        sent = json.loads(kgfs("--store", store, "--json", "publish", address).stdout.splitlines()[-1])
        assert sent["snapshot"] == 2 and sent["bytes"] < sent["size"]
        reader.until(lambda found: found["snapshot"] == 2)
        assert held.read(3) == b"the"
    assert (root / "context/agent/kept.md").read_text() == "the second state\n"
    assert "Newcomer_Inc" in os.listdir(root / "entities/organizations")
    assert entity.stat().st_ino == inode  # the same graph, further on
    assert "Newcomer" in (searchable(root) / "@search/text/Newcomer Inc").read_text()  # and another index
    assert (entity / "summary.txt").read_text() == summary
    assert (
        json.loads(reader.kgfs("--store", reader.store(address), "--json", "status").stdout)["published"]["snapshot"]
        == 2
    )

    shown = reader.kgfs("--store", reader.store(address), "status").stdout
    assert f"snapshot 2 of {address}, current" in shown and "Sources" not in shown

    # The network goes away: what is shown stays, and says so.
    server.fault = unavailable
    assert "cannot be reached" in reader.until(lambda found: found["state"] == "offline")["problem"]
    assert (root / "context/agent/kept.md").read_text() == "the second state\n"
    reader.kgfs("umount", root)
    assert "Snapshot 2 of" in reader.mount(address)  # and it is mounted without it
    assert (root / "context/agent/kept.md").read_text() == "the second state\n"
    server.fault = None
    assert reader.until(lambda found: found["state"] == "current")["problem"] is None


@pytest.mark.slow
def test_a_directory_that_is_published_is_mounted(
    kgfs: Program, reader: Reader, store: Path, tmp_path: Path, server: ObjectServer
) -> None:
    kgfs("--store", store, "publish", tmp_path / "shelf")
    reader.mount(str(tmp_path / "shelf"))
    assert (reader.place / "context/agent/kept.md").read_text() == "the first state\n"
    wrong = reader.kgfs("mount", tmp_path / "shelf", status=2).stderr
    assert "Name a directory to show it at" in wrong
    assert "is mounted at" in reader.kgfs("mount", tmp_path / "shelf", tmp_path / "twice", status=4).stderr
    # A piece goes while a newer snapshot is to be fetched: the one before stays, and @status says what is wrong.
    write_note(kgfs, store, "the second state\n")
    shelf, whole = tmp_path / "shelf", tmp_path / "whole"
    shutil.copytree(shelf, whole)
    kgfs("--store", store, "publish", whole)
    shutil.copytree(whole / "manifests", shelf / "manifests", dirs_exist_ok=True)
    shutil.copy(whole / "latest", shelf / "latest")
    found = reader.until(lambda found: found["state"] == "behind")
    assert "is gone from" in found["problem"] and found["snapshot"] == 1
    assert (reader.place / "context/agent/kept.md").read_text() == "the first state\n"
    shutil.copytree(whole / "objects", shelf / "objects", dirs_exist_ok=True)
    reader.until(lambda found: found["snapshot"] == 2 and found["state"] == "current")
    assert (reader.place / "context/agent/kept.md").read_text() == "the second state\n"


@pytest.mark.slow
def test_notes_on_a_published_graph_are_a_session_that_is_sent_back(
    kgfs: Program, reader: Reader, store: Path, tmp_path: Path
) -> None:
    shelf = str(tmp_path / "shelf")
    kgfs("--store", store, "publish", shelf)
    reader.mount(shelf, "--session", "mine")
    (reader.place / "notes/mine.md").write_text("written far away\n")
    (reader.place / "context/agent/kept.md").write_text("changed far away\n")
    theirs = reader.store(shelf)
    assert "context/agent/mine.md" in reader.kgfs("--store", theirs, "session", "diff", "mine").stdout
    refused = reader.kgfs("--store", theirs, "session", "commit", "mine", status=1).stderr
    assert "session commit NAME --to STORE" in refused
    # A newer snapshot shows up beneath the session.
    kgfs("--store", store, "context", "write", "agent:/newer.md", "--content", "new", "--no-index")
    kgfs("--store", store, "publish", shelf)
    reader.until(lambda found: found["snapshot"] == 2)
    assert (reader.place / "notes/newer.md").read_text() == "new"
    assert (reader.place / "notes/mine.md").read_text() == "written far away\n"

    told = reader.kgfs("--store", theirs, "session", "commit", "mine", "--to", store, "--no-index").stdout
    assert "agent:/mine.md" in told and "Nothing is left in the session" in told
    for name, text in (("mine.md", "written far away\n"), ("kept.md", "changed far away\n")):
        assert kgfs("--store", store, "cat", f"context/agent/{name}").stdout == text
    # The same by a file, where the two machines share none.
    reader.kgfs("--store", theirs, "session", "snapshot", "mine", tmp_path / "mine.db")
    kgfs("--store", store, "session", "import", tmp_path / "mine.db", "again")
    said = kgfs("--store", store, "session", "commit", "again", "--no-index").stdout
    assert "0 changes committed" in said and "Nothing is left in the session" in said  # it is all there already
    (tmp_path / "none.db").write_text("no session")
    kgfs("--store", store, "session", "import", tmp_path / "none.db", "none", status=1)
    assert "none" not in kgfs("--store", store, "session", "list").stdout
    reader.kgfs("umount", reader.place)
    reader.mount(shelf, "--session", "mine")  # what was written stays
    assert (reader.place / "notes/mine.md").read_text() == "written far away\n"


@pytest.mark.parametrize(
    ("crafted", "why"),
    [
        ("UPDATE context_items SET notes = 'x'", "items"),
        ("UPDATE entities SET slug = '../../etc'", "made up"),
        (
            "ALTER TABLE documents RENAME TO away; CREATE VIEW documents AS SELECT * FROM read_csv('/etc/passwd')",
            "made up",
        ),
        ("DROP TABLE facts", "made up"),
        ("UPDATE meta SET value = '99999' WHERE key = 'schema_version'", "newer kgfs"),
        ("UPDATE meta SET value = replace(uuid()::VARCHAR, '-', '') WHERE key = 'store_id'", "another graph"),
        (None, "cannot be opened|not a DuckDB|damaged"),
    ],
)
def test_a_catalog_that_cannot_be_is_not_shown(
    reader: Reader, made: Path, tmp_path: Path, crafted: str | None, why: str, server: ObjectServer
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    if crafted is None:
        (theirs / CATALOG).write_bytes(b"no catalog at all" * 1000)
    else:
        shutil.copy(made / CATALOG, theirs / CATALOG)
        with contextlib.closing(duckdb.connect(str(theirs / CATALOG))) as connection:
            ((graph,),) = connection.execute("SELECT value FROM meta WHERE key = 'store_id'").fetchall()
            connection.execute(crafted)
    draft = Manifest(
        kgfs="1", schema=1, graph=graph if crafted else "g", number=0, generation=1, published_at="2026-01-01T00:00:00Z"
    )
    (tmp_path / "shelf").mkdir()
    bucket = Bucket(parse_address(str(tmp_path / "shelf")))
    send(bucket, theirs, draft, replace=False, progress=lambda progress: None, cancel=Never())
    refused = reader.kgfs("mount", tmp_path / "shelf", reader.place, status=1).stderr
    assert re.search(why, refused), refused
    assert not (reader.store(str(tmp_path / "shelf")) / CATALOG).exists()
    assert mounts.mount_at(reader.place) is None


def test_what_goes_out_names_no_server_and_no_job(
    kgfs: Program, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kgfs("--store", store, "config", "llm_base_url", "https://example.com/secret")
    kgfs("--store", store, "config", "search_limit", "7")
    kgfs("--store", store, "publish", tmp_path / "shelf")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    address = parse_address(str(tmp_path / "shelf"))
    cache, bucket = SnapshotCache(address), Bucket(address)
    with cache.fetching():
        seen = bucket.pointer()
        assert seen is not None
        directory = cache.fetch(bucket, cache.manifest(bucket, seen, 1000), lambda progress: None)
    assert json.loads((directory / "config.json").read_text())["search_limit"] == 7
    assert "secret" not in (directory / "config.json").read_text()
    assert not list(directory.glob("agent.db*")) and not (directory / "sessions").exists()
    with contextlib.closing(duckdb.connect(str(directory / CATALOG))) as connection:
        assert connection.execute("SELECT count(*) FROM jobs").fetchall() == [(0,)]


def test_what_cannot_be_published_or_mounted_is_said(kgfs: Program, store: Path, tmp_path: Path) -> None:
    table = [
        (("publish", "http://host/x"), 2, "is no address"),
        (("publish", "s3://key:secret@bucket/x"), 2, "belong in the environment"),
        (("publish", store / "published"), 2, "is in the store"),
        (("mount", "s3://bucket/x"), 2, "Name a directory to show it at"),
        (("mount", tmp_path / "nothing", tmp_path / "kg"), 2, "Nothing is published at"),
        (("mount", "s3://bucket/x", tmp_path / "kg", "--writable", "disk"), 2, "is only read"),
    ]
    for arguments, status, why in table:
        assert why in kgfs("--store", store, *arguments, status=status).stderr
    assert "has its store by itself" in kgfs("--store", store, "mount", "s3://b/x", tmp_path / "kg", status=2).stderr


@pytest.mark.slow
def test_old_snapshots_are_removed(kgfs: Program, store: Path, tmp_path: Path) -> None:
    """They go a day after they were followed, by the modification times of the objects."""
    there = tmp_path / "there"
    kgfs("--store", store, "publish", there)
    for name in ("a", "b"):
        kgfs("--store", store, "context", "write", f"agent:/{name}.md", "--content", f"state {name}\n")
        assert "Removed" not in kgfs("--store", store, "publish", there, "--keep", "1").stdout
    for path in there.rglob("*"):
        os.utime(path, (0, 0))
    before = sum(path.stat().st_size for path in there.rglob("*") if path.is_file())
    done = json.loads(kgfs("--store", store, "publish", there, "--keep", "1", "--json").stdout)
    assert (done["new"], done["snapshot"], done["removed"]["snapshots"]) == (False, 3, 2)
    after = sum(path.stat().st_size for path in there.rglob("*") if path.is_file())
    assert done["removed"]["bytes"] > 0 and before - after >= done["removed"]["bytes"]
    assert "Nothing changed since snapshot 3" in kgfs("--store", store, "publish", there).stdout
