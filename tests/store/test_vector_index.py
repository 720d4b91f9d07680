"""The approximate index of vectors: which of its rows it finds, rows that come and go, filters, a crash while it is
made. The real engine and the real process that makes it; vectors in clusters, as those of texts are.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kgfs import interpreter
from kgfs.errors import StoreError
from kgfs.index_records import IdFilter, IndexRow
from kgfs.model import KINDS
from kgfs.store.index import index_table, vector_index, vectors
from kgfs.store.index.vectors import VectorStore

DIMENSION = 32
ROWS = 6000
LEAST = 1000
MODEL = "model#1"
RECALL = 0.95


def clustered(count: int, seed: int) -> NDArray[np.float32]:
    """Unit vectors around 200 centres, which are the same for every seed."""
    centres = np.random.default_rng(0).standard_normal((200, DIMENSION))
    dice = np.random.default_rng(seed)
    found = centres[dice.integers(len(centres), size=count)] + 0.8 * dice.standard_normal((count, DIMENSION))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def put(store: VectorStore, first: int, made: NDArray[np.float32]) -> None:
    rows = [IndexRow(id=first + at, document_id=1, gen=1, title="", text=f"{first + at}") for at in range(len(made))]
    store.put_vectors("chunk", rows, made, MODEL)


def within(ids: NDArray[np.int64]) -> IdFilter:
    return IdFilter(ids=np.sort(ids).astype(np.int64).tobytes())


def recall(
    store: VectorStore, there: NDArray[np.float32], first: int = 0, only: NDArray[np.int64] | None = None
) -> float:
    """Of the ten rows that are nearest to each of some vectors, what part is found. ``there``: the vectors by id."""
    queries = clustered(40, 99)
    ids = np.arange(first, len(there)) if only is None else only
    found = 0
    for query in queries:
        wanted = ids[np.argsort(-(there[ids] @ query), kind="stable")[:10]]
        ranking = store.nearest("chunk", query, MODEL, 10, None if only is None else within(only))
        assert len(ranking.ids) == 10 and ranking.scores == sorted(ranking.scores, reverse=True)
        np.testing.assert_allclose(ranking.scores, there[ranking.ids] @ query, atol=1e-5)
        found += len(set(ranking.ids) & set(wanted.tolist()))
    return found / (10 * len(queries))


def parts(store: VectorStore) -> list[int]:
    """The indexes that the engine says it has."""
    return list(store._vectors["chunk"].read(vector_index.parts_by_name).values())


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "vectors"


@pytest.fixture
def there() -> NDArray[np.float32]:
    return clustered(ROWS, 1)


@pytest.fixture
def store(directory: Path, there: NDArray[np.float32], monkeypatch: pytest.MonkeyPatch) -> VectorStore:
    """An index that is large by its own measure, and searched in no other way for being small."""
    monkeypatch.setattr(vectors, "MAX_ROWS", dict.fromkeys(KINDS, -1))
    monkeypatch.setattr(vector_index, "EXACT_ROWS", 0)
    monkeypatch.setattr(vector_index, "TAKEN_COST", 0)
    store = VectorStore(directory, DIMENSION, LEAST)
    put(store, 0, there)
    return store


def test_nearly_all_is_found_through_the_index(store: VectorStore, there: NDArray[np.float32]) -> None:
    assert recall(store, there) == 1.0
    assert store.make_indexes() == ["chunk"]
    assert parts(store) == [vector_index.parts_of(ROWS)]
    assert vector_index.probed_parts(parts(store)[0], 10 / ROWS) < parts(store)[0] / 2
    assert recall(store, there) >= RECALL
    assert store.make_indexes() == []


@pytest.mark.slow
def test_rows_that_come_and_go_after_it_was_made(
    store: VectorStore, there: NDArray[np.float32], directory: Path
) -> None:
    store.make_indexes()
    added = clustered(300, 2)
    put(store, ROWS, added)
    store.remove("chunk", list(range(500)))
    turned = clustered(50, 3)
    put(store, 500, turned)  # other vectors in the place of those that the index has
    there = np.concatenate([there, added])
    there[500:550] = turned
    for number in range(0, 300, 20):
        assert store.nearest("chunk", added[number], MODEL, 1).ids == [ROWS + number]
    assert store.nearest("chunk", turned[7], MODEL, 1).ids == [507]
    assert recall(store, there, first=500) >= RECALL
    store._vectors["chunk"]._optimize(keep=0.001)
    assert recall(store, there, first=500) >= RECALL
    assert recall(VectorStore(directory, DIMENSION, LEAST), there, first=500) >= RECALL
    assert min(store.nearest("chunk", there[7], MODEL, ROWS).ids) == 500


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.01, 0.1, 0.6])
@pytest.mark.parametrize("sort", ["scattered", "a run", "alike"])
def test_a_filter_loses_nothing(store: VectorStore, there: NDArray[np.float32], share: float, sort: str) -> None:
    """Through the index, though so few rows would be compared one by one."""
    store.make_indexes()
    count = int(ROWS * share)
    order = {
        "scattered": np.random.default_rng(5).permutation(ROWS),
        "a run": np.arange(ROWS),
        "alike": np.argsort(-(there @ there[11])),
    }[sort]
    assert recall(store, there, only=np.sort(order[:count])) >= RECALL


def test_few_rows_that_pass_are_compared_one_by_one(
    store: VectorStore, there: NDArray[np.float32], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.make_indexes()
    monkeypatch.setattr(vector_index, "EXACT_ROWS", ROWS // 50)
    assert recall(store, there, only=np.arange(0, ROWS, 60)) == 1.0


def test_vectors_of_two_models_are_not_mixed(store: VectorStore, there: NDArray[np.float32]) -> None:
    store.make_indexes()
    row = IndexRow(id=3, document_id=1, gen=1, title="", text="3")
    store.put_vectors("chunk", [row], there[7:8], "another")
    assert store.nearest("chunk", there[7], "another", 5).ids == [3]
    assert 3 not in store.nearest("chunk", there[7], MODEL, 5).ids


@pytest.mark.slow
def test_it_is_made_anew_when_the_table_outgrew_it(store: VectorStore, there: NDArray[np.float32]) -> None:
    store.remove("chunk", list(range(1100, ROWS)))
    assert store.make_indexes() == ["chunk"]
    assert parts(store) == [vector_index.parts_of(1100)]
    put(store, 1100, there[1100:3000])
    assert store.make_indexes() == []
    put(store, 3000, there[3000:])
    assert store.make_indexes() == ["chunk"]
    assert parts(store) == [vector_index.parts_of(ROWS)]
    assert recall(store, there) >= RECALL


def test_a_small_table_has_none(store: VectorStore) -> None:
    store.remove("chunk", list(range(LEAST, ROWS)))
    assert store.make_indexes() == [] and parts(store) == []


def test_searches_and_writes_go_on_while_it_is_made(store: VectorStore, there: NDArray[np.float32]) -> None:
    made: list[list[str]] = []
    making = threading.Thread(target=lambda: made.append(store.make_indexes()))
    making.start()
    written = 0
    while making.is_alive() or not written:
        put(store, ROWS + written, clustered(1, 100 + written))
        written += 1
        assert len(store.nearest("chunk", there[1], MODEL, 10).ids) == 10
    making.join()
    assert made == [["chunk"]] and len(parts(store)) == 1
    added = np.concatenate([clustered(1, 100 + number) for number in range(written)])
    assert recall(store, np.concatenate([there, added])) >= RECALL


def test_a_process_that_dies_while_it_makes_one_costs_nothing(
    store: VectorStore, there: NDArray[np.float32], directory: Path
) -> None:
    files = directory / "chunk_vectors.lance" / "_indices"
    before = set(files.iterdir())
    for _ in range(3):
        with _process(directory) as process:
            while process.poll() is None and set(files.iterdir()) == before:
                time.sleep(0.001)
            process.kill()
        if process.returncode == -signal.SIGKILL and not parts(store):
            break
        for name in store._vectors["chunk"].read(vector_index.parts_by_name):
            store._vectors["chunk"]._table.drop_index(name)
        before = set(files.iterdir())
    else:
        pytest.fail("It was always whole before it could be killed.")
    assert set(files.iterdir()) > before  # it was in the middle
    assert recall(store, there) == 1.0
    assert store.make_indexes() == ["chunk"]
    assert recall(VectorStore(directory, DIMENSION, LEAST), there) >= RECALL


def test_the_process_ends_with_the_worker(store: VectorStore, directory: Path) -> None:
    process = _process(directory)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(60) == 1
    assert parts(store) == []


def test_what_cannot_be_made_is_said(store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "program", lambda *told: ["false", *told])
    with pytest.raises(StoreError, match="exit status 1"):
        store.make_indexes()
    monkeypatch.setattr(interpreter, "program", lambda *told: [os.devnull, *told])
    with pytest.raises(StoreError, match="No process"):
        store.make_indexes()


def _process(directory: Path) -> subprocess.Popen[bytes]:
    command = interpreter.program("kgfs.store.index.vector_index", directory, "chunk_vectors")
    return subprocess.Popen(command, stdin=subprocess.PIPE)


def test_a_large_table_is_optimized_for_many_rows_only(store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine would write the whole index anew for each few rows."""
    monkeypatch.setattr(index_table, "LARGE_ROWS", LEAST)
    monkeypatch.setattr(index_table, "LARGE_WAITS", (100, 50))
    table = store._vectors["chunk"]
    table._optimize()
    done: list[bool] = []
    monkeypatch.setattr(table, "_optimize", lambda: done.append(True))
    table._took = 0.0
    for added, times in ((60, 0), (60, 1)):
        put(store, ROWS + added * times, clustered(added, 7 + times))
        table._written, table._left = table._written - 600, table._left - 600
        store.optimize()
        assert len(done) == times
