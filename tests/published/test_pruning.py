"""What is removed of where a graph is published: only what no kept snapshot needs, and nothing that is young."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from kgfs.errors import StoreError
from kgfs.progress import Never
from kgfs.published.address import Address, parse_address
from kgfs.published.bucket import Bucket
from kgfs.published.manifest import Manifest, Pointer, digest_of, encoded, manifest_name, manifest_of, object_name
from kgfs.published.pruning import Pruned, prune
from kgfs.published.sender import send

SCHEMA = 1000
NO_GRACE = timedelta(0)
NOTHING = Pruned(snapshots=0, objects=0, bytes=0)


@pytest.fixture(params=["s3", "directory"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Address:
    if request.param == "directory":
        (tmp_path / "there").mkdir()
        return parse_address(str(tmp_path / "there"))
    request.getfixturevalue("server")
    return parse_address(f"s3://bucket/{tmp_path.name}")


@pytest.fixture
def publish(address: Address, tmp_path: Path) -> Callable[..., tuple[Bucket, Manifest]]:
    """Publishes a store whose files hold what is given, each in one piece."""
    bucket, directory = Bucket(address), tmp_path / "store"
    directory.mkdir()

    def published(**files: bytes) -> tuple[Bucket, Manifest]:
        (directory / "catalog.duckdb").write_bytes(files["catalog"])
        (directory / "vectors").mkdir(exist_ok=True)
        (directory / "vectors/a").write_bytes(files["index"])
        draft = Manifest(kgfs="1", schema=1, graph="g", number=0, generation=1, published_at="2026-01-01T00:00:00Z")
        sent = send(bucket, directory, draft, replace=False, progress=lambda _: None, cancel=Never())
        return bucket, sent.manifest

    return published


def pieces(*manifests: Manifest) -> set[str]:
    return {object_name(digest) for one in manifests for file in one.files.values() for digest in file.pieces}


def test_only_what_no_kept_snapshot_needs(publish: Callable[..., tuple[Bucket, Manifest]]) -> None:
    made = [publish(catalog=b"c%d" % number, index=b"index %d" % (number // 2))[1] for number in range(5)]
    bucket, last = publish(catalog=b"c0", index=b"index 9")  # as long ago, again
    bucket.write(object_name("ab" * 32), b"of nobody")
    assert prune(bucket, 2, SCHEMA) == NOTHING  # all of it is young
    assert prune(bucket, 9, SCHEMA, grace=NO_GRACE) == Pruned(snapshots=0, objects=1, bytes=len(b"of nobody"))
    kept = (made[-1], last)
    found = prune(bucket, 2, SCHEMA, grace=NO_GRACE)
    assert bucket.objects("objects/").keys() == pieces(*kept)
    assert sorted(pointer.number for name in bucket.objects("manifests/") if (pointer := manifest_of(name))) == [5, 6]
    assert (found.snapshots, found.objects) == (4, len(pieces(*made) - pieces(*kept)))
    assert prune(bucket, 2, SCHEMA, grace=NO_GRACE) == NOTHING
    seen = bucket.pointer()
    assert seen is not None and seen.pointer.number == 6


def test_what_another_publisher_is_about_to_name_stays(publish: Callable[..., tuple[Bucket, Manifest]]) -> None:
    publish(catalog=b"1", index=b"i")
    bucket, newest = publish(catalog=b"2", index=b"i")
    coming = Manifest(
        kgfs="1", schema=1, graph="g", number=3, generation=2, published_at="2026-01-01T00:00:00Z",
        files=newest.files | {"vectors/b": newest.files["vectors/a"]},
    )  # fmt: skip
    body = encoded(coming)
    name = manifest_name(3, digest_of(body))
    bucket.write(name, body)
    prune(bucket, 1, SCHEMA, grace=NO_GRACE)
    assert name in bucket.objects("manifests/") and len(bucket.objects("manifests/")) == 2
    assert pieces(newest, coming) == bucket.objects("objects/").keys()


def test_nothing_goes_where_it_is_not_known_what_is_needed(publish: Callable[..., tuple[Bucket, Manifest]]) -> None:
    publish(catalog=b"1", index=b"i")
    bucket, second = publish(catalog=b"2", index=b"j")
    seen = bucket.pointer()
    assert seen is not None
    bucket.write(manifest_name(2, seen.pointer.manifest), b"torn")
    before = bucket.objects("")
    with pytest.raises(StoreError, match="so nothing was removed"):
        prune(bucket, 1, SCHEMA, grace=NO_GRACE)
    assert bucket.objects("").keys() == before.keys()
    assert pieces(second) <= before.keys()


def test_thousands_go_in_turns(address: Address, publish: Callable[..., tuple[Bucket, Manifest]]) -> None:
    if address.directory is None:
        pytest.skip("the server needs a request each")
    bucket, manifest = publish(catalog=b"1", index=b"i")
    for number in range(2100):
        digest = f"{number:064x}"
        path = address.directory / object_name(digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
        os.utime(path, (0, 0))
    assert prune(bucket, 1, SCHEMA) == Pruned(snapshots=0, objects=2100, bytes=2100)
    assert bucket.objects("objects/").keys() == pieces(manifest)


@pytest.mark.parametrize(
    "name",
    ["manifests/", "manifests/1.json", f"manifests/{1:010d}-xyz.json", f"objects/{'a' * 64}", f"manifests/x/{1:010d}"],
)
def test_other_names_are_no_manifests(name: str) -> None:
    assert manifest_of(name) is None
    pointer = Pointer(number=12, manifest="ab" * 32)
    assert manifest_of(manifest_name(12, "ab" * 32)) == pointer
