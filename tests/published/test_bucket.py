"""A published graph in a real S3-compatible server and in a directory: what is atomic, and what each fault does.

Snapshots here are folders of files with the names that a store has: what is in them is the affair of
``test_publishing.py``.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.wrappers import Request, Response

from kgfs.errors import (
    Cancelled,
    ChangedError,
    ConflictError,
    KgfsError,
    NoSpaceError,
    NotFoundError,
    RefusedError,
    StoreError,
    Unreachable,
    UsageError,
)
from kgfs.progress import Never
from kgfs.published.address import Address, parse_address
from kgfs.published.bucket import Bucket
from kgfs.published.manifest import Manifest, Pointer, decode_manifest, digest_of, encoded, manifest_name, object_name
from kgfs.published.sender import Sent, send
from kgfs.published.snapshot_cache import SnapshotCache
from tests.object_server import KEY, ObjectServer, unavailable

SCHEMA = 1000
MIB = 1 << 20
FILES = {
    "catalog.duckdb": os.urandom(2 * MIB + 17),
    "config.json": b"{}",
    "vectors/chunk_text.lance/data/a.lance": os.urandom(9 * MIB),
    "vectors/chunk_text.lance/empty": b"",
}


def draft(graph: str = "g", generation: int = 1, content: str = "") -> Manifest:
    return Manifest(
        kgfs="1", schema=1, graph=graph, number=0, generation=generation, published_at="2026-01-01T00:00:00Z",
        content=content,
    )  # fmt: skip


def quiet(progress: object) -> None:
    pass


def put(bucket: Bucket, directory: Path, manifest: Manifest | None = None, replace: bool = False) -> Sent:
    return send(bucket, directory, manifest or draft(), replace=replace, progress=quiet, cancel=Never())


def fetched(cache: SnapshotCache, bucket: Bucket) -> dict[str, bytes]:
    """The newest snapshot, as it comes to a reader."""
    with cache.fetching():
        seen = bucket.pointer()
        assert seen is not None
        directory = cache.fetch(bucket, cache.manifest(bucket, seen, SCHEMA), quiet)
        return {
            path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
        }


def write(directory: Path, files: dict[str, bytes]) -> Path:
    for name, body in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(body)
    return directory


@pytest.fixture(autouse=True)
def well(server: ObjectServer) -> Iterator[None]:
    yield
    server.fault = None


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(params=["s3", "directory"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Address:
    if request.param == "directory":
        (tmp_path / "pub lished #é").mkdir()
        return parse_address(str(tmp_path / "pub lished #é"))
    return parse_address(f"s3://bucket/{tmp_path.name}")


@pytest.fixture
def s3(tmp_path: Path) -> Address:
    return parse_address(f"s3://bucket/{tmp_path.name}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "folder", FILES)


@pytest.fixture
def cache(own_cache: None, s3: Address) -> SnapshotCache:
    return SnapshotCache(s3)


def test_what_is_sent_is_what_comes_and_only_what_changed_is_sent(
    own_cache: None, address: Address, folder: Path
) -> None:
    bucket, cache = Bucket(address), SnapshotCache(address)
    with pytest.raises(NotFoundError, match="Nothing is published"):
        bucket.pointer()
    first = put(bucket, folder)
    assert (first.manifest.number, first.bytes) == (1, sum(map(len, FILES.values())))
    assert fetched(cache, bucket) == FILES
    seen = bucket.pointer()
    assert seen is not None and bucket.pointer(seen.tag) is None
    changed = bytearray(FILES["catalog.duckdb"])
    changed[MIB + 5] ^= 1
    (folder / "catalog.duckdb").write_bytes(changed)
    second = put(bucket, folder, draft(generation=2))
    assert (second.manifest.number, second.objects, second.bytes) == (2, 1, MIB)
    assert bucket.pointer(seen.tag) is not None
    assert fetched(cache, bucket) == FILES | {"catalog.duckdb": bytes(changed)}


def test_what_is_the_same_is_not_published_again(address: Address, folder: Path) -> None:
    bucket = Bucket(address)
    assert put(bucket, folder, draft(content="c")).new
    again = put(bucket, folder, draft(content="c"))
    assert (again.new, again.manifest.number, again.objects) == (False, 1, 0)
    assert put(bucket, folder, draft(content="d")).new


def test_another_graph_and_an_older_state_replace_nothing_unasked(address: Address, folder: Path) -> None:
    bucket = Bucket(address)
    put(bucket, folder, draft(generation=5))
    for manifest, why in ((draft("other", 9), "Another graph"), (draft(generation=4), "newer state")):
        with pytest.raises(ConflictError, match=why):
            put(bucket, folder, manifest)
    assert put(bucket, folder, draft("other", 1), replace=True).manifest.number == 2


def test_of_two_publishers_at_once_one_is_told(address: Address, folder: Path) -> None:
    bucket = Bucket(address)
    put(bucket, folder)
    together = threading.Barrier(4)
    ends: list[object] = []

    def publish(number: int) -> None:
        class Meeting(Bucket):
            def point(self, body: bytes, before: str | None) -> None:
                together.wait(30)
                super().point(body, before)

        try:
            ends.append(put(Meeting(address), folder, draft(generation=2 + number)).manifest.generation)
        except ChangedError as error:
            ends.append(error)

    threads = [threading.Thread(target=publish, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (won,) = [end for end in ends if isinstance(end, int)]
    assert sum("Somebody else published" in str(end) for end in ends) == 3
    seen = bucket.pointer()
    assert seen is not None and seen.pointer.number == 2
    body = bucket.read(manifest_name(2, seen.pointer.manifest), MIB)
    assert decode_manifest(body, seen.pointer, SCHEMA).generation == won


def test_a_publisher_that_is_killed_leaves_the_snapshot_before(
    cache: SnapshotCache, s3: Address, folder: Path, server: ObjectServer
) -> None:
    bucket = Bucket(s3)
    put(bucket, folder)
    write(folder, {"catalog.duckdb": os.urandom(6 * MIB)})
    sent = 0

    class Killed(BaseException):
        pass

    class Dying(Bucket):
        def write(self, name: str, body: bytes) -> None:
            nonlocal sent
            sent += 1
            if sent > 3:
                raise Killed
            super().write(name, body)

    with pytest.raises(Killed):
        put(Dying(s3), folder, draft(generation=2))
    assert fetched(cache, bucket) == FILES
    after = put(bucket, folder, draft(generation=2))
    assert (after.manifest.number, after.objects) == (2, 3)  # what was sent is there


def test_stopping_it(s3: Address, folder: Path) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        send(Bucket(s3), folder, draft(), replace=False, progress=quiet, cancel=stop)
    with pytest.raises(NotFoundError):
        Bucket(s3).pointer()


# --- faults of the server -------------------------------------------------------------------------------------------


def _sometimes(answer: Callable[[Request], Response | None]) -> Callable[[Request], Response | None]:
    """Every third request meets with this."""
    count = iter(range(1 << 30))
    return lambda request: answer(request) if next(count) % 3 == 0 else None


def _slow(request: Request) -> None:
    time.sleep(0.05)


def test_a_server_that_is_slow_or_refuses_for_now(
    cache: SnapshotCache, s3: Address, folder: Path, server: ObjectServer
) -> None:
    bucket = Bucket(s3)
    for generation, fault in enumerate((_slow, _sometimes(unavailable)), 1):
        server.fault = fault
        write(folder, {"catalog.duckdb": os.urandom(2 * MIB)})
        put(bucket, folder, draft(generation=generation))
        assert fetched(cache, bucket)["catalog.duckdb"] == (folder / "catalog.duckdb").read_bytes()


def test_the_answer_to_the_pointer_is_lost(s3: Address, folder: Path, server: ObjectServer) -> None:
    bucket = Bucket(s3)
    put(bucket, folder)
    application = server.application
    lost = []

    def fault(request: Request) -> Response | None:
        if request.method == "PUT" and request.path.endswith("/latest") and not lost:
            lost.append(b"".join(application(request.environ, lambda *ignored: None)))
            return Response("", 503)
        return None

    server.fault = fault
    assert put(bucket, folder, draft(generation=2)).manifest.number == 2
    assert lost


def test_a_server_that_is_away(s3: Address, server: ObjectServer) -> None:
    server.fault = unavailable
    started = time.monotonic()
    with pytest.raises(Unreachable, match=r"cannot be reached \(.*503"):
        Bucket(s3, patience=1).pointer()
    assert time.monotonic() - started < 10
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        with pytest.raises(Unreachable):
            Bucket(s3, patience=1).pointer()


def test_wrong_keys(s3: Address, folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AWS_ACCESS_KEY_ID", "another")
        for act in (lambda bucket: bucket.pointer(), lambda bucket: put(bucket, folder)):
            with pytest.raises(RefusedError, match="check the keys in your environment") as caught:
                act(Bucket(s3))
            assert "secret" not in caught.value.message


def test_keys_of_amazons_own_configuration(s3: Address, folder: Path, tmp_path: Path) -> None:
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws/credentials").write_text(
        f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = secret\n"
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("HOME", str(tmp_path))
        patched.delenv("AWS_ACCESS_KEY_ID")
        patched.delenv("AWS_SECRET_ACCESS_KEY")
        assert put(Bucket(s3), folder).new
        (tmp_path / ".aws/credentials").unlink()
        with pytest.raises(RefusedError, match="There are no keys"):
            Bucket(s3, patience=1).pointer()


def test_no_such_bucket(folder: Path) -> None:
    bucket = Bucket(parse_address("s3://nowhere/graph"))
    with pytest.raises(NotFoundError):
        bucket.pointer()
    with pytest.raises(KgfsError, match="nowhere"):
        put(bucket, folder)


def test_a_deleted_object_is_named_and_sent_again(
    cache: SnapshotCache, s3: Address, folder: Path, server: ObjectServer
) -> None:
    bucket = Bucket(s3)
    sent = put(bucket, folder, draft(content="c"))
    gone = object_name(sent.manifest.files["catalog.duckdb"].pieces[1])
    bucket._obstore.delete(bucket._store, gone)
    with pytest.raises(StoreError, match=f"{gone} of the newest snapshot is gone"):
        fetched(cache, bucket)
    mended = put(bucket, folder, draft(content="c"))
    assert mended.objects == 1
    assert fetched(cache, bucket) == FILES


@pytest.mark.parametrize("damage", [b"", b"x", b"y" * MIB], ids=["empty", "short", "other"])
def test_a_torn_or_changed_object_is_never_taken(
    cache: SnapshotCache, s3: Address, folder: Path, damage: bytes
) -> None:
    bucket = Bucket(s3)
    sent = put(bucket, folder)
    name = object_name(sent.manifest.files["catalog.duckdb"].pieces[0])
    bucket.write(name, damage)
    with pytest.raises(StoreError, match=r"is not what its name says"):
        fetched(cache, bucket)
    if len(damage) != MIB:  # one of the right length is not seen by the publisher, which looks at lengths alone
        put(bucket, folder, draft(generation=2))
        assert fetched(cache, bucket) == FILES


def test_a_piece_that_comes_torn_is_fetched_once_more(
    cache: SnapshotCache, s3: Address, folder: Path, server: ObjectServer
) -> None:
    bucket = Bucket(s3)
    put(bucket, folder)
    torn: list[str] = []

    def fault(request: Request) -> Response | None:
        if request.method == "GET" and "/objects/" in request.path and request.path not in torn:
            torn.append(request.path)
            return Response(b"z", 200, headers={"ETag": '"1"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"})
        return None

    server.fault = fault
    assert fetched(cache, bucket) == FILES
    assert torn


def test_a_damaged_cache_is_fetched_again(
    cache: SnapshotCache, s3: Address, folder: Path, server: ObjectServer
) -> None:
    bucket = Bucket(s3)
    put(bucket, folder)
    fetched(cache, bucket)
    server.seen.clear()
    assert fetched(cache, bucket) == FILES
    assert not [path for _, path in server.seen if "/objects/" in path]  # nothing crosses the network twice
    for number, piece in enumerate(sorted(cache.pieces.glob("??/*"))):
        body = bytearray(piece.read_bytes())
        piece.unlink()  # the next snapshot's files are links to it
        if number % 2:
            body[len(body) // 2] ^= 4
            piece.write_bytes(body)
    assert fetched(cache, bucket) == FILES


def test_a_disk_without_room(cache: SnapshotCache, s3: Address, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = Bucket(s3)
    put(bucket, folder)
    monkeypatch.setattr("kgfs.published.snapshot_cache._LEFT_FREE", 1 << 60)
    with pytest.raises(NoSpaceError, match="The snapshot needs 11 MiB in"):
        fetched(cache, bucket)
    assert not list(cache.pieces.glob("??/*"))


def test_two_processes_fetch_one_after_the_other(cache: SnapshotCache) -> None:
    with (
        cache.fetching(),
        pytest.raises(ConflictError, match="Another kgfs fetches"),
        SnapshotCache(cache.address).fetching(),
    ):
        pass


# --- what others wrote ----------------------------------------------------------------------------------------------


def _pointed(body: bytes) -> Pointer:
    return Pointer(number=1, manifest=digest_of(body))


GOOD = {
    "kgfs_published": 1, "kgfs": "1", "schema": 1, "graph": "g", "number": 1, "generation": 1, "published_at": "now",
    "files": {"catalog.duckdb": {"size": 3, "piece": 2, "pieces": ["a" * 64, "b" * 64]}},
}  # fmt: skip
FILE = {"size": 1, "piece": 1, "pieces": ["a" * 64]}
CATALOG = GOOD["files"]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"kgfs_published": 2}, "newer kgfs"),
        ({"schema": SCHEMA + 1}, "newer kgfs"),
        ({"number": 2}, "another number"),
        ({"files": {}}, "no catalog"),
        *[
            ({"files": {**CATALOG, name: FILE}}, "which no snapshot does")  # type: ignore[dict-item]
            for name in (
                "../x", "/etc/passwd", "vectors/../../x", "vectors", "vectors/./x", "vectors//x", "agent.db",
                "mountd.log", "sessions/x.db", "catalog.duckdb.wal",
                "vectors/\0", "vectors/" + "x" * 256, "published.json", "",
            )
        ],
        ({"files": {**CATALOG, "vectors/a": FILE, "vectors/a/b": FILE}}, "a file where it has a directory"),  # type: ignore[dict-item]
        ({"files": {"catalog.duckdb": {"size": 9, "piece": 2, "pieces": ["a" * 64]}}}, "what cannot be"),
        ({"files": {"catalog.duckdb": {"size": -1, "piece": 2, "pieces": []}}}, "cannot be read"),
        ({"files": {"catalog.duckdb": {"size": 1, "piece": 0, "pieces": ["a" * 64]}}}, "cannot be read"),
        ({"files": {"catalog.duckdb": {"size": 1, "piece": 1, "pieces": ["../../x"]}}}, "cannot be read"),
        ({"generation": "x"}, "cannot be read"),
    ],
)  # fmt: skip
def test_a_manifest_that_cannot_be_is_refused(changed: dict[str, object], why: str) -> None:
    body = msgspec.json.encode(GOOD)
    assert decode_manifest(body, _pointed(body), SCHEMA).files
    body = msgspec.json.encode({**GOOD, **changed})
    with pytest.raises(StoreError, match=why):
        decode_manifest(body, _pointed(body), SCHEMA)


def test_a_manifest_that_was_changed_is_refused() -> None:
    body = msgspec.json.encode(GOOD)
    with pytest.raises(StoreError, match="is damaged"):
        decode_manifest(body.replace(b"now", b"not"), _pointed(body), SCHEMA)


@given(st.binary(max_size=200) | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(msgspec.json.encode))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_whatever_stands_there_in_the_place_of_pointer_and_manifest(
    tmp_path_factory: pytest.TempPathFactory, body: bytes
) -> None:
    with pytest.raises(StoreError):
        decode_manifest(body, _pointed(body), SCHEMA)
    directory = tmp_path_factory.getbasetemp() / "whatever"
    directory.mkdir(exist_ok=True)
    (directory / "latest").write_bytes(body)
    with pytest.raises(StoreError):
        Bucket(parse_address(str(directory))).pointer()


def test_a_pointer_that_is_damaged_is_replaced_by_whoever_publishes_with_replace(folder: Path, s3: Address) -> None:
    bucket = Bucket(s3)
    put(bucket, folder)
    seen = bucket.pointer()
    assert seen is not None
    bucket._obstore.delete(bucket._store, manifest_name(1, seen.pointer.manifest))
    assert put(bucket, folder, draft(generation=2)).manifest.number == 2


@pytest.mark.parametrize(
    "text",
    [
        "s3://key:secret@bucket/x", "s3://bucket/x?region=y", "s3://bucket/x#y", "s3:///x", "http://host/x", "ftp://x/y",
        "s3://bucket/../x", "s3://bucket:80/x", "s3://[x/", "file://host/x",
    ],
)  # fmt: skip
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(text)
    assert "secret" not in caught.value.message


def test_addresses(tmp_path: Path) -> None:
    assert parse_address("s3://bucket/a//b/").url == "s3://bucket/a/b"
    assert parse_address(f"file://{tmp_path}/a%20b") == parse_address(f"{tmp_path}/a b/")
    assert parse_address(f"{tmp_path}/a b").directory == tmp_path / "a b"
    assert str(parse_address("gs://b")) == "gs://b"


def test_encoded_is_what_is_decoded(folder: Path) -> None:
    body = encoded(msgspec.convert(GOOD, Manifest))
    assert decode_manifest(body, _pointed(body), SCHEMA) == msgspec.convert(GOOD, Manifest)
