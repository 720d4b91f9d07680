"""Bodies of every size and encoding come back as they were; paths map one to one."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kgfs.store.catalog.database import Database
from kgfs.store.files import items, sources
from kgfs.store.files.items import BLOCK_BYTES, NewItem

bodies = st.one_of(
    st.binary(max_size=300),
    st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from([b"\r\n" * 10, b"\xef\xbb\xbfx", b"a\0b", "é".encode()[:1], b"\xff\xfe"]),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Database:
    database = Database.open(tmp_path_factory.mktemp("items"), create=True)
    yield database  # type: ignore[misc]
    database.close()


def put(database: Database, body: bytes, path: str = "/x") -> int:
    return database.write(lambda cursor: items.put_item(cursor, NewItem(drive="disk", path=path, body=body)))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=bodies, offset=st.integers(0, 320), length=st.one_of(st.none(), st.integers(0, 320)))
def test_a_body_comes_back(shared: Database, body: bytes, offset: int, length: int | None) -> None:
    item_id = put(shared, body)
    with shared.read() as cursor:
        assert items.read_item(cursor, item_id) == body
        end = len(body) if length is None else offset + length
        assert items.read_item(cursor, item_id, offset, length) == body[offset:end]
        found = items.find_item(cursor, "disk:/x")
    assert found is not None
    assert (found.size, found.hash) == (len(body), items.hash_body(body))
    assert found.is_textual == (b"\0" not in body and body.decode("utf-8", "replace").encode() == body)


@pytest.mark.parametrize(
    "size", [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES, 3 * BLOCK_BYTES + 7]
)
@pytest.mark.parametrize("textual", [True, False])
def test_bodies_around_the_block_size(shared: Database, size: int, textual: bool) -> None:
    body = (b"abcdefghij" * (size // 10 + 1))[:size] if textual else os.urandom(size)
    item_id = put(shared, body, "/big")
    with shared.read() as cursor:
        assert items.read_item(cursor, item_id) == body
        for offset, length in ((0, 10), (BLOCK_BYTES - 3, 9), (size - 2, 100), (2 * BLOCK_BYTES, 1), (size + 5, 5)):
            offset = max(0, offset)
            assert items.read_item(cursor, item_id, offset, length) == body[offset : offset + length]
    assert shared.fetch("SELECT count(*) FROM blocks WHERE item_id = ?", [item_id]) == [
        (-(-size // BLOCK_BYTES) if size > BLOCK_BYTES else 0,)
    ]


def test_replacing_keeps_the_id_and_raises_the_generation(shared: Database) -> None:
    first = put(shared, b"one", "/r")
    assert put(shared, os.urandom(2 * BLOCK_BYTES), "/r") == first
    assert put(shared, b"two", "/r") == first
    with shared.read() as cursor:
        assert items.read_item(cursor, first) == b"two"
        found = items.find_item(cursor, "disk:/r")
    assert found is not None
    assert found.want_gen == 3
    assert shared.fetch("SELECT count(*) FROM blocks WHERE item_id = ?", [first]) == [(0,)]


def test_an_unknown_item_is_none(shared: Database) -> None:
    with shared.read() as cursor:
        assert items.read_item(cursor, 10_000) is None
        assert items.find_item(cursor, "disk:/none") is None


@settings(max_examples=400)
@given(st.binary(min_size=1, max_size=30).filter(lambda name: b"\0" not in name))
@example(b"100%.md")
@example(b"%FF")
@example(b"%25FF")
@example(b"%2525FF\xff")
@example(b"caf\xe9")
@example(b"%e9")
def test_paths_map_one_to_one(name: bytes) -> None:
    path = os.fsdecode(b"/" + name)
    row = items.row_path(path)
    row.encode("utf-8")  # no surrogate is left
    assert os.fsencode(items.host_path(row)) == b"/" + name


def test_ordinary_paths_stay_as_they_are() -> None:
    for path in ("/a/b c.md", "/100%.md", "/x%20y", "/日本/é\n.txt"):
        assert items.row_path(path) == path


def test_sources_get_their_own_names(shared: Database) -> None:
    def name(place: str, wanted: str | None = None) -> str:
        source = shared.write(lambda cursor: sources.put_source(cursor, "disk", place, wanted, {}))
        return str(shared.fetch("SELECT name FROM sources WHERE id = ?", [source])[0][0])

    assert name("/a/Notes") == "Notes"
    assert name("/b/notes") == "notes~2"
    assert name("/a/Notes") == "Notes"
    assert name("/c", "My Vault") == "My_Vault"
    assert name("/c") == "My_Vault"
    assert name("/") == "source"


def test_beneath_is_a_folder_not_a_prefix(shared: Database) -> None:
    for path in ("/f/a", "/f/b/c", "/fa", "/f"):
        put(shared, b"", path)
    with shared.read() as cursor:
        assert [item.path for item in items.items_beneath(cursor, "disk", "/f")] == ["/f", "/f/a", "/f/b/c"]
        assert set(items.known_files(cursor, "disk", "/f/b")) == {"/f/b/c"}
