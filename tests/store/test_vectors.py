"""The index: puts and removals, any query, filters, several writers, damage. The real engine, no model."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kgfs.errors import NoSpaceError, StoreError
from kgfs.index_records import IdFilter, IndexRow, Ranking
from kgfs.model import KINDS
from kgfs.store.index import index_table, vectors
from kgfs.store.index.vectors import VectorStore, embedded_text, text_digest

DIMENSION = 8
MODEL = "model#1"


def row(number: int, text: str = "text", *, title: str = "", gen: int = 1, document: int = 1) -> IndexRow:
    return IndexRow(id=number, document_id=document, gen=gen, title=title, text=text)


def direction(*angles: float) -> NDArray[np.float32]:
    """Unit vectors in a plane."""
    flat = np.zeros((len(angles), DIMENSION), np.float32)
    flat[:, 0], flat[:, 1] = np.cos(angles), np.sin(angles)
    return flat


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "vectors"


@pytest.fixture
def store(directory: Path) -> VectorStore:
    return VectorStore(directory, DIMENSION)


@pytest.fixture(params=["in memory", "scanned"])
def either(request: pytest.FixtureRequest, store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> VectorStore:
    """Small tables are searched in memory, large ones by the engine: the answers are the same."""
    if request.param == "scanned":
        monkeypatch.setattr(vectors, "MAX_ROWS", dict.fromkeys(KINDS, -1))
    return store


def found(store: VectorStore, query: str, kind: str = "chunk", where: IdFilter | None = None) -> list[int]:
    return store.keyword(kind, query, 100, where).ids


# --- text ----------------------------------------------------------------------------------------------------------


def test_keyword_works_before_there_is_any_vector(store: VectorStore) -> None:
    store.put_texts("chunk", [row(1, "wages rose in Boston"), row(2, "corn prices fell")])
    assert found(store, "boston wage") == [1]
    assert store.nearest("chunk", direction(0)[0], MODEL, 5) == Ranking()


def test_a_new_row_is_found_at_once_and_after_optimizing(store: VectorStore) -> None:
    for number in range(1, 120):  # passes OPTIMIZE_COMMITS twice
        store.put_texts("chunk", [row(number, f"number{number} common")])
        assert found(store, f"number{number}") == [number]
    assert len(found(store, "common")) == 100
    assert found(store, "number3") == [3]


def test_putting_twice_is_putting_once(store: VectorStore) -> None:
    for _ in range(3):
        store.put_texts("chunk", [row(1, "wages"), row(1, "wages again", gen=2)])
        store.put_vectors("chunk", [row(1), row(1, gen=2)], direction(0, 1), MODEL)
    answer = store.keyword("chunk", "wages", 10)
    assert (answer.ids, answer.gens) == ([1], [2])
    nearest = store.nearest("chunk", direction(1)[0], MODEL, 10)
    assert (nearest.ids, nearest.gens) == ([1], [2])
    assert nearest.scores[0] == pytest.approx(1.0, abs=1e-5)
    state = store.state()
    assert (state.texts["chunk"], state.vectors["chunk"]) == (1, 1)


def test_a_new_text_replaces_the_old(store: VectorStore) -> None:
    store.put_texts("entity", [row(1, "a company")])
    store.optimize()
    store.put_texts("entity", [row(1, "a river")])
    assert found(store, "company", "entity") == []
    assert found(store, "river", "entity") == [1]


def test_removing_removes_from_both_and_twice_is_once(store: VectorStore) -> None:
    store.put_texts("chunk", [row(1, "wages"), row(2, "wages")])
    store.put_vectors("chunk", [row(1), row(2)], direction(0, 1), MODEL)
    for _ in range(2):
        store.remove("chunk", [1, 77])
    store.remove("chunk", [])
    assert found(store, "wages") == [2]
    assert store.nearest("chunk", direction(0)[0], MODEL, 10).ids == [2]


def test_kinds_are_apart(store: VectorStore) -> None:
    for number, kind in enumerate(KINDS, 1):
        store.put_texts(kind, [row(number, "zeppelin ships")])
    for number, kind in enumerate(KINDS, 1):
        assert found(store, "zeppelin", kind) == [number]


def test_the_title_counts_and_is_part_of_the_text(store: VectorStore) -> None:
    store.put_texts("chunk", [row(1, "plain", title="Wages"), row(2, "wages", title="Plain"), row(3, "other")])
    assert found(store, "wages") == [1, 2]
    assert found(store, "plain wages")[0] in (1, 2)


def test_stems_and_stop_words(store: VectorStore) -> None:
    store.put_texts("chunk", [row(1, "The company acquired startups")])
    assert found(store, "acquiring a startup") == [1]
    assert found(store, "the of and a") == []


@pytest.mark.parametrize(
    "query",
    [
        '"', "'", "''; DROP TABLE chunk_text; --", 'a "quoted phrase', "a AND (b OR", "field:value^2~1*?", "\\",
        "[1 TO 2]",
        "😀", "🇩🇪 ⚙️", "\0", "\x1b[31m", "-", "...", "ａｂｃ", "工资 上涨", "мир", "é" * 500, "a" * 10_000,
        "word " * 10_000, "+must -not", "\u202e rtl", "\ufeff",
    ],
)  # fmt: skip
def test_any_text_is_a_query(store: VectorStore, query: str) -> None:
    store.put_texts("chunk", [row(1, "a passage about wages")])
    assert found(store, query) == []
    assert found(store, f"{query[:50]} wages {query[:50]}") == [1]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=200))
def test_no_query_raises(store: VectorStore, query: str) -> None:
    assert isinstance(store.keyword("topic", query, 10), Ranking)


def test_scores_fall_and_equal_ones_are_in_order_of_id(store: VectorStore) -> None:
    store.put_texts("chunk", [row(number, "same text") for number in (5, 3, 9, 1)] + [row(7, "same same text text")])
    for _ in range(3):
        answer = store.keyword("chunk", "same text", 10)
        assert answer.scores == sorted(answer.scores, reverse=True)
        assert [number for number in answer.ids if number != 7] == [1, 3, 5, 9]


# --- vectors -------------------------------------------------------------------------------------------------------


def test_nearest_is_by_cosine(either: VectorStore) -> None:
    rows = [row(1), row(2), row(3)]
    either.put_vectors("chunk", rows, direction(0.1, 1.5, 3.1), MODEL)
    answer = either.nearest("chunk", direction(0)[0], MODEL, 2)
    assert answer.ids == [1, 2]
    assert answer.scores == pytest.approx([np.cos(0.1), np.cos(1.5)], abs=1e-4)


def test_vectors_of_another_model_are_not_compared(either: VectorStore) -> None:
    either.put_vectors("chunk", [row(1), row(2)], direction(0, 0.5), "old'model")
    either.put_vectors("chunk", [row(2)], direction(2), MODEL)
    assert either.nearest("chunk", direction(0)[0], MODEL, 10).ids == [2]
    assert either.nearest("chunk", direction(0)[0], "old'model", 10).ids == [1]
    assert either.nearest("chunk", direction(0)[0], "third", 10).ids == []


def only(*ids: int) -> IdFilter:
    return IdFilter(ids=np.array(ids, np.int64).tobytes())


def test_filters_are_applied_before_the_limit(either: VectorStore) -> None:
    rows = [row(number, "wages", document=number % 3) for number in range(1, 31)]
    either.put_texts("chunk", rows)
    either.put_vectors("chunk", rows, direction(*np.linspace(0, 1, 30)), MODEL)
    vector = direction(0)[0]
    for where, expected in [
        (only(29, 30), [29, 30]),
        (only(*range(2, 31, 3), 99), list(range(2, 31, 3))),
        (only(), []),
        (IdFilter(), list(range(1, 31))),
    ]:
        assert either.nearest("chunk", vector, MODEL, len(expected) or 1, where).ids == expected
        assert either.keyword("chunk", "wages", len(expected) or 1, where).ids == expected


def test_a_write_is_seen_by_the_next_search(either: VectorStore) -> None:
    for number in range(1, 6):
        either.put_vectors("chunk", [row(number)], direction(0.1 * number), MODEL)
        assert either.nearest("chunk", direction(0)[0], MODEL, 10).ids == list(range(1, number + 1))
    either.remove("chunk", [1])
    assert either.nearest("chunk", direction(0)[0], MODEL, 10).ids == [2, 3, 4, 5]


def test_listing_in_pieces(store: VectorStore) -> None:
    """What ``fsck`` compares with the rows: ids in order, each with generation and document."""
    numbers = [9, 3, 12, 4, 7]
    store.put_texts("fact", [row(number, gen=number * 2, document=number + 100) for number in numbers])
    store.put_vectors("fact", [row(9, gen=5)], np.ones((1, DIMENSION), np.float32), "m")
    for limit in (1, 2, 5, 100):
        seen: list[tuple[int, int, int]] = []
        first = -(1 << 62)
        while True:
            listed = store.listed("fact", "text", first, limit)
            columns = [np.frombuffer(one, np.int64).tolist() for one in (listed.ids, listed.gens, listed.documents)]
            seen += zip(*columns, strict=True)
            if len(columns[0]) < limit:
                break
            first = columns[0][-1] + 1
        assert seen == [(number, number * 2, number + 100) for number in sorted(numbers)]
    assert np.frombuffer(store.listed("fact", "vector", 0, 10).gens, np.int64).tolist() == [5]
    assert store.listed("topic", "vector", 0, 10).ids == b""


def test_the_wrong_shape_is_refused(store: VectorStore) -> None:
    with pytest.raises(ValueError, match="shape"):
        store.put_vectors("chunk", [row(1)], np.zeros((1, 3), np.float32), MODEL)
    store.put_vectors("chunk", [], np.zeros((0, DIMENSION), np.float32), MODEL)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 8), st.sampled_from(["put", "remove"]), st.integers(1, 5)), max_size=12),
    st.booleans(),
)
def test_the_index_is_what_was_put_last(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str, int]], again: bool
) -> None:
    store = _shared(tmp_path_factory)
    store.remove("fact", list(range(1, 9)))
    expected: dict[int, int] = {}
    for number, action, gen in steps:
        for _ in range(2 if again else 1):
            if action == "put":
                store.put_texts("fact", [row(number, "word", gen=gen)])
                store.put_vectors("fact", [row(number, gen=gen)], direction(gen), MODEL)
            else:
                store.remove("fact", [number])
        if action == "put":
            expected[number] = gen
        else:
            expected.pop(number, None)
    text = store.keyword("fact", "word", 100)
    nearest = store.nearest("fact", direction(0)[0], MODEL, 100)
    assert dict(zip(text.ids, text.gens, strict=True)) == expected
    assert dict(zip(nearest.ids, nearest.gens, strict=True)) == expected


_stores: list[VectorStore] = []


def _shared(factory: pytest.TempPathFactory) -> VectorStore:
    if not _stores:
        _stores.append(VectorStore(factory.mktemp("shared") / "vectors", DIMENSION))
    return _stores[0]


def test_writers_and_readers_at_once(store: VectorStore) -> None:
    errors: list[BaseException] = []
    stop = threading.Event()

    def write(base: int) -> None:
        try:
            for number in range(base, base + 25):
                store.put_texts("chunk", [row(number, "common words")])
                store.put_vectors("chunk", [row(number)], direction(number / 100), MODEL)
        except BaseException as error:
            errors.append(error)

    def read() -> None:
        seen = 0
        try:
            while not stop.is_set():
                now = len(store.keyword("chunk", "common", 1000).ids)
                assert now >= seen
                seen = now
                store.nearest("chunk", direction(0)[0], MODEL, 1000)
        except BaseException as error:
            errors.append(error)

    writers = [threading.Thread(target=write, args=(base,)) for base in (0, 100, 200)]
    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in (*writers, *readers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert errors == []
    assert len(store.keyword("chunk", "common", 1000).ids) == 75
    assert len(store.nearest("chunk", direction(0)[0], MODEL, 1000).ids) == 75


# --- life of the directory -----------------------------------------------------------------------------------------


@pytest.fixture
def filled(directory: Path) -> Iterator[dict[str, str]]:
    """A closed index with one row of each sort; its identities."""
    store = VectorStore(directory, DIMENSION)
    store.put_texts("chunk", [row(1, "wages")])
    store.put_vectors("chunk", [row(1)], direction(0), MODEL)
    yield store.state().identities


def test_it_is_there_after_opening_again(directory: Path, filled: dict[str, str]) -> None:
    store = VectorStore(directory, DIMENSION)
    assert found(store, "wages") == [1]
    assert store.nearest("chunk", direction(0)[0], MODEL, 5).ids == [1]
    assert store.state().identities == filled
    assert store.state().rebuilt == []


def test_vectors_are_dropped_when_that_is_said_and_not_by_another_dimension_in_the_settings(
    directory: Path, filled: dict[str, str]
) -> None:
    store = VectorStore(directory, 16)
    assert store.dimension == DIMENSION and store.model_ids() == {MODEL}
    assert store.nearest("chunk", direction(0)[0], MODEL, 5).ids == [1]
    assert store.state().identities == filled
    store.clear_vectors(16)
    assert store.nearest("chunk", np.eye(1, 16, dtype=np.float32)[0], MODEL, 5) == Ranking()
    for again in (store, VectorStore(directory, DIMENSION)):
        state = again.state()
        assert found(again, "wages") == [1]
        assert again.dimension == 16 and state.vectors["chunk"] == 0 and again.model_ids() == set()
        changed = {name for name, identity in state.identities.items() if identity != filled[name]}
        assert changed == {f"{kind}_vectors" for kind in KINDS} and state.rebuilt == []
        again.put_vectors("chunk", [row(1)], np.eye(1, 16, dtype=np.float32), MODEL)
        again.remove("chunk", [1])
        again.put_texts("chunk", [row(1, "wages")])


def _remove_data(directory: Path) -> None:
    shutil.rmtree(directory / "chunk_text.lance" / "data")


def _remove_versions(directory: Path) -> None:
    shutil.rmtree(directory / "chunk_text.lance" / "_versions")


def _scribble(directory: Path) -> None:
    for file in (directory / "chunk_text.lance" / "_versions").iterdir():
        file.write_bytes(b"\0scribble")


def _scribble_data(directory: Path) -> None:
    for file in (directory / "chunk_text.lance" / "data").iterdir():
        file.write_bytes(b"\0scribble")


def _remove_table(directory: Path) -> None:
    shutil.rmtree(directory / "chunk_text.lance")


def _file_for_table(directory: Path) -> None:
    _remove_table(directory)
    (directory / "chunk_text.lance").write_text("a file")


DAMAGES = [_remove_data, _remove_versions, _scribble, _scribble_data, _remove_table, _file_for_table]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_table_is_made_anew_and_said_so(directory: Path, filled: dict[str, str], damage: object) -> None:
    assert callable(damage)
    damage(directory)
    store = VectorStore(directory, DIMENSION)
    state = store.state()
    assert state.rebuilt == ["chunk_text"]
    assert state.identities["chunk_text"] != filled["chunk_text"]
    assert state.identities["chunk_vectors"] == filled["chunk_vectors"]
    assert found(store, "wages") == []
    assert store.nearest("chunk", direction(0)[0], MODEL, 5).ids == [1]
    store.put_texts("chunk", [row(1, "wages")])
    assert found(store, "wages") == [1]
    assert VectorStore(directory, DIMENSION).state().identities == state.identities


@pytest.mark.parametrize("damage", [_remove_data, _remove_table])
def test_damage_under_an_open_index_is_mended(directory: Path, filled: dict[str, str], damage: object) -> None:
    assert callable(damage)
    store = VectorStore(directory, DIMENSION)
    damage(directory)
    found(store, "wages")
    store.put_texts("chunk", [row(2, "wages")])
    assert 2 in found(store, "wages")
    assert store.state().identities["chunk_text"] != filled["chunk_text"]


def test_a_lost_full_text_index_is_made_again(directory: Path) -> None:
    store = VectorStore(directory, DIMENSION)
    store.put_texts("chunk", [row(number, f"wages {number}") for number in range(1, 50)])
    store._texts["chunk"]._optimize()
    shutil.rmtree(directory / "chunk_text.lance" / "_indices")
    again = VectorStore(directory, DIMENSION)
    assert len(found(again, "wages")) == 49


def test_lost_identities_are_another_index(directory: Path, filled: dict[str, str]) -> None:
    (directory / index_table.IDENTITIES).write_text("{nonsense")
    store = VectorStore(directory, DIMENSION)
    assert set(store.state().identities) == set(filled)
    assert all(store.state().identities[name] != filled[name] for name in filled)
    assert found(store, "wages") == [1]


def test_a_file_in_place_of_the_directory(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_text("a file")
    store = VectorStore(tmp_path / "vectors", DIMENSION)
    store.put_texts("chunk", [row(1, "wages")])
    assert found(store, "wages") == [1]


def test_a_full_disk_is_said_and_nothing_is_thrown_away(store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put_texts("chunk", [row(1, "wages")])
    table = store._texts["chunk"]

    def fail(_: object) -> None:
        raise OSError("LanceError(IO): No space left on device (os error 28)")

    with pytest.raises(NoSpaceError):
        table._write(fail, 1)
    with pytest.raises(StoreError, match="Too many open files"):
        table.read(lambda _: (_ for _ in ()).throw(RuntimeError("Too many open files (os error 24)")))
    assert found(store, "wages") == [1]
    assert store.state().rebuilt == []


def test_many_unindexed_rows_do_not_slow_searches(store: VectorStore) -> None:
    text = "words of a passage that is as long as passages are and speaks of wages and prices " * 10
    for start in range(0, 3000, 100):
        store.put_texts("chunk", [row(number, f"{text} {number}") for number in range(start, start + 100)])
    started = time.monotonic()
    for _ in range(5):
        store.keyword("chunk", "wages and prices", 1000)
    assert (time.monotonic() - started) / 5 < 0.25


# --- what was embedded before --------------------------------------------------------------------------------------


def test_vectors_are_known_by_the_text_that_they_were_made_of(store: VectorStore) -> None:
    rows = [row(1, "one"), row(2, "two"), row(3, "three")]
    store.put_vectors("chunk", rows, direction(0, 1, 2), MODEL)
    digests = [text_digest(embedded_text(one)) for one in rows]
    known = store.known_vectors("chunk", [*digests[1:], text_digest("never seen")], MODEL)
    assert set(known) == set(digests[1:])
    np.testing.assert_array_equal(known[digests[1]], direction(1)[0])
    assert store.known_vectors("chunk", digests, "another model") == {}
    assert store.known_vectors("fact", digests, MODEL) == {}
    assert store.known_vectors("chunk", [], MODEL) == {}
    store.remove("chunk", [2])
    assert set(store.known_vectors("chunk", digests, MODEL)) == {digests[0], digests[2]}


def test_more_known_vectors_than_the_engine_gives_by_itself(store: VectorStore) -> None:
    rows = [row(number, f"text {number}") for number in range(200)]
    store.put_vectors("chunk", rows, direction(*np.linspace(0, 3, 200)), MODEL)
    store.optimize()
    digests = [text_digest(embedded_text(one)) for one in rows]
    assert set(store.known_vectors("chunk", digests, MODEL)) == set(digests)


@given(st.text(max_size=20), st.text(max_size=20))
def test_digests_fit_the_column_and_tell_texts_apart(one: str, other: str) -> None:
    assert -(1 << 63) <= text_digest(one) < 1 << 63
    assert (text_digest(one) == text_digest(other)) == (one == other)


def test_large_tables_are_optimized_as_they_grow(store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time costs in proportion to the table: after so many rows each it would be quadratic."""
    table = store._texts["chunk"]
    optimize, sizes = table._optimize, []

    def counted() -> None:
        optimize()
        sizes.append(table._optimized)

    monkeypatch.setattr(table, "_optimize", counted)
    monkeypatch.setattr(index_table, "OPTIMIZE_ROWS", 20)
    for start in range(0, 2000, 10):
        store.put_texts("chunk", [row(number, f"number{number}") for number in range(start, start + 10)])
    assert 20 < len(sizes) < 60
    assert all(later >= earlier * 1.09 for earlier, later in pairwise(sizes))
    assert found(store, "number1999") == [1999]


def test_the_client_of_remote_catalogs_is_left_out_until_it_is_used() -> None:
    code = """
import sys
import kgfs.store.index.vectors
client = "lance_namespace_urllib3_client"
assert client in sys.modules
assert not [name for name in sys.modules if name.startswith(client + ".api")]
from lance_namespace_urllib3_client import ApiClient, TableApi
assert ApiClient and TableApi
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def taken(directory: Path, table: str) -> int:
    """Bytes of a table's data, old versions and all."""
    return sum(path.stat().st_size for path in (directory / f"{table}.lance" / "data").iterdir())


def test_old_versions_go(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What optimizing wrote anew before is removed when the process ends, and while it goes on a little later."""
    store = VectorStore(directory, DIMENSION)
    table = store._vectors["chunk"]

    def written() -> int:
        for start in range(0, 1500, 50):
            rows = [row(number, f"text {number}") for number in range(start, start + 50)]
            store.put_vectors("chunk", rows, direction(*np.linspace(0, 3, 50)), MODEL)
            table._optimize()
        return taken(directory, "chunk_vectors")

    grown = written()
    store.tidy()
    small = taken(directory, "chunk_vectors")
    assert small * 8 < grown
    assert sorted(store.nearest("chunk", direction(1)[0], MODEL, 2000).ids) == list(range(1500))
    again = written()
    monkeypatch.setattr(index_table, "KEEP_SECONDS", 0.01)
    store.optimize()
    assert taken(directory, "chunk_vectors") == again  # a search may be under way
    table._left, table._written = table._left - 60, table._written - 60
    monkeypatch.setattr(table, "_optimize", lambda optimize=table._optimize: optimize(keep=0.01))
    time.sleep(0.1)  # what is to go must be of an age
    store.optimize()
    assert taken(directory, "chunk_vectors") * 8 < again and not table._left


def test_what_takes_long_is_not_done_beside_every_write(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = VectorStore(directory, DIMENSION)
    table = store._vectors["chunk"]
    rows = [row(number, f"text {number}") for number in range(40)]
    store.put_vectors("chunk", rows, direction(*np.linspace(0, 3, 40)), MODEL)
    done: list[bool] = []
    monkeypatch.setattr(table, "_optimize", lambda: done.append(True))
    table._took, written = 2.0, table._written
    for seconds, times in ((2.0, 0), (2.0 * index_table.REST - 1, 0), (2.0 * index_table.REST + 1, 1)):
        table._written = written - seconds
        store.optimize()
        assert len(done) == times


def test_a_table_that_is_written_to_is_not_tidied(directory: Path) -> None:
    store = VectorStore(directory, DIMENSION)
    table = store._texts["chunk"]
    store.put_texts("chunk", [row(1, "prices")])
    store.tidy()
    assert table._commits == 1  # it left nothing: nothing was written anew
    table._optimize()
    store.put_texts("chunk", [row(1, "wages")])
    with ThreadPoolExecutor(1) as other:
        with table._lock:
            other.submit(store.tidy).result(10)
            assert table._commits == 1
        store.tidy()
    assert table._commits == 0 and found(store, "wages") == [1]
