"""Two columns of a large table, asked one by one, give what the engine gives for both at once."""

from __future__ import annotations

import random

import numpy as np
import pytest

from kgfs.index_records import IdFilter, IndexRow
from kgfs.store.index import two_columns
from kgfs.store.index.vectors import VectorStore

ROWS = 3000
WORDS = "wages prices energy growth banks harvest rates spring firms corn orders freight".split()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> VectorStore:
    """Texts of frequent and rare words, some of which their titles have, too."""
    dice = random.Random(1)
    store = VectorStore(tmp_path_factory.mktemp("two") / "vectors", 8)
    rows = [
        IndexRow(
            id=number, document_id=1, gen=number % 7,
            title=" ".join(dice.choices(WORDS, weights=range(1, 13), k=dice.randint(1, 3))),
            text=" ".join(dice.choices(WORDS, weights=range(1, 13), k=dice.randint(3, 40))) + f" note{number}",
        )
        for number in range(ROWS)
    ]  # fmt: skip
    store.put_texts("chunk", rows)
    store.optimize()
    return store


@pytest.mark.parametrize("query", ["wages", "freight orders", "wages and prices of energy", "note17 corn", "nothing"])
@pytest.mark.parametrize("only", [None, range(100, 2000), range(0, ROWS, 3), [17, 18, 2500]])
def test_both_ways_find_the_same(
    store: VectorStore, query: str, only: range | list[int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = None if only is None else IdFilter(ids=np.array(only, np.int64).tobytes())
    asked = 0
    best = two_columns.best_of_both

    def counted(*given: object) -> object:
        nonlocal asked
        asked += 1
        return best(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(two_columns, "best_of_both", counted)
    at_once = store.keyword("chunk", query, 200, where)
    assert not asked
    monkeypatch.setattr(two_columns, "LARGE_ROWS", 0)
    one_by_one = store.keyword("chunk", query, 200, where)
    assert asked
    assert len(one_by_one.ids) == len(at_once.ids)
    certain = len(at_once.ids) if len(at_once.ids) < 200 else 100  # near the end a row may be another one
    np.testing.assert_allclose(one_by_one.scores[:certain], at_once.scores[:certain], rtol=1e-5)
    # Equal scores may stand in another order where they differ in the last digit.
    last = at_once.scores[certain - 1] * (1 + 1e-5) if at_once.ids else 0.0
    above = {row for row, score in zip(at_once.ids, at_once.scores, strict=True) if score > last}
    assert above <= set(one_by_one.ids)
    gens = dict(zip(one_by_one.ids, one_by_one.gens, strict=True))
    assert all(gens[row] == row % 7 for row in one_by_one.ids)
