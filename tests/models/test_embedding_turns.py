"""A question is embedded before the next batch of passages: in one model, and through the worker's socket."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from kgfs.config import Config
from kgfs.index_records import IndexRow
from kgfs.models import turns
from kgfs.models.client import Worker
from kgfs.models.embedders import SentenceTransformerEmbedder, load, locate
from kgfs.models.token_model import BATCH, TokenModel
from kgfs.models.turns import Turns

PASSAGES = [f"Wages rose in district {number} while prices of energy fell." for number in range(6 * BATCH)]


def test_passages_wait_for_questions_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Turns()
    went_on = threading.Event()

    def passages() -> None:
        asked.give_way()
        went_on.set()

    with asked.question():
        waiting = threading.Thread(target=passages)
        waiting.start()
        assert not went_on.wait(0.1)
    waiting.join(10)
    assert went_on.is_set()
    monkeypatch.setattr(turns, "MOST_SECONDS", 0.01)
    with asked.question():
        asked.give_way()


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.parametrize("kind", ["plain", "sentence-transformers"])
def test_a_question_comes_before_the_next_batch(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch is under way when the question comes: it is the next that the model is given."""
    monkeypatch.setattr(turns, "MOST_SECONDS", 600.0)
    config = Config()
    begun, asking = threading.Event(), threading.Event()
    order: list[str] = []
    model: Any
    if kind == "plain":
        model = load(config)
        assert isinstance(model, TokenModel)
        name, owner = "_batch", model
    else:
        model = SentenceTransformerEmbedder(config, locate(config.embedding_model))
        name, owner = "_vectors", model
    compute, question = getattr(owner, name), model._turns.question

    def computed(*given: Any, **named: Any) -> Any:
        passages = threading.current_thread().name.startswith("passages")
        order.append("passages" if passages else "question")
        if passages and not begun.is_set():
            begun.set()
            assert asking.wait(60)
        return compute(*given, **named)

    class Announced:
        """A question that says so once it has its turn."""

        def __enter__(self) -> None:
            self.turn = question()
            self.turn.__enter__()
            asking.set()

        def __exit__(self, *ended: Any) -> None:
            self.turn.__exit__(*ended)

    monkeypatch.setattr(owner, name, computed)
    monkeypatch.setattr(model._turns, "question", Announced)
    with ThreadPoolExecutor(1, "passages") as pool:
        bulk = pool.submit(model.encode, PASSAGES)
        assert begun.wait(60)
        asked = model.encode_query("Where did wages rise?")
        vectors = bulk.result(120)
    assert order[:2] == ["passages", "question"] and order.count("question") == 1 and len(order) > 2
    monkeypatch.undo()
    np.testing.assert_allclose(asked, model.encode_query("Where did wages rise?"), atol=1e-5)
    assert ((vectors * model.encode(PASSAGES)).sum(axis=1) > 0.999).all()


@pytest.mark.slow
@pytest.mark.model
def test_a_search_is_answered_while_much_is_embedded(worker: Worker) -> None:
    worker.load_model()
    worker.index_vectors("chunk", [IndexRow(id=1, document_id=1, gen=1, title="", text=PASSAGES[0])])
    texts = [f"{text} It is said {number} times." for number in range(2000 // len(PASSAGES) + 1) for text in PASSAGES]
    ended: list[str] = []

    def embed() -> None:
        worker.embed(texts[:2000])
        ended.append("bulk")

    bulk = threading.Thread(target=embed)
    bulk.start()
    for number in range(3):
        found = worker.nearest(["chunk"], f"Where did wages rise, question {number}?", 5)
        assert 1 in found["chunk"].ids
        ended.append("search")
    bulk.join()
    worker.unindex("chunk", [1])
    assert ended == ["search", "search", "search", "bulk"]
