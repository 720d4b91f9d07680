"""The quick forms of the tagger's networks and of its name finder say what spaCy's own say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kgfs.extraction.names import name_finder, tagging, token_vectors

pytestmark = pytest.mark.skipif(not tagging.has_tagger(), reason="needs a model of spaCy")

SENTENCES = [
    "Ada Lovell went from Tarn to Port Lumen on 3 March 2021.",
    "Acme Works of New Tarn bought Lumen Lamps Ltd. for $3.5 million, says Ada Lovell.",
    "The lamps are lit at seven.",
    "Tarn",
    "the North Tarn Lamp Makers",
    "",
    "   ",
    "\n",
    "It is\nAcme  Works , and Ada\tLovell.",
    "Ada Lovell and Bert Carver and Cora Dale and Dora Elm and Emil Fox met in the Hall of the Tarn Council in Lumen.",
    "In the summer of 1904 the University of Tarn sent Professor Emil Fox to the South Pole for 12 weeks.",
    "LAMP_LIGHT=1 lamp --bright=3 | tee /tmp/lamp.txt",
    "Zażółć gęślą jaźń, said Ż. Kowalska of Kraków.",
    *(f"Lamp {number} of Acme Works was sent to Bert Carver in Tarn." for number in range(20)),
]  # fmt: skip
MANY = [*SENTENCES, *(f"Lamp {number} of Acme Works was sent to Bert Carver in Tarn." for number in range(20, 300))]
"""More than a batch has."""


@pytest.fixture(scope="module")
def plain() -> Any:
    """The pipeline as spaCy has it."""
    return tagging.library().load(tagging.tagger_package())


@pytest.fixture(scope="module")
def quick() -> Any:
    pipeline = tagging.library().load(tagging.tagger_package())
    token_vectors.quicken(pipeline)
    return pipeline


def marked(pipeline: Any, texts: list[str]) -> list[list[tuple[int, int, str]]]:
    docs = list(pipeline.get_pipe("ner").pipe((pipeline.make_doc(text) for text in texts), batch_size=64))
    return [[(name.start_char, name.end_char, name.label_) for name in doc.ents] for doc in docs]


def test_the_networks_are_those_that_are_known(quick: Any) -> None:
    names = [node.name for pipe in ("tok2vec", "ner") for node in quick.get_pipe(pipe).model.walk()]
    assert names.count("token_vectors") == 2 and "hashembed" not in names


@pytest.mark.parametrize("size", [1, 7, 400])
def test_words_have_the_same_vectors(plain: Any, quick: Any, size: int) -> None:
    docs = [plain.make_doc(text) for text in (SENTENCES if size < 100 else MANY)]
    for start in range(0, len(docs), size):
        some = docs[start : start + size]
        for one, other in zip(
            plain.get_pipe("tok2vec").predict(some), quick.get_pipe("tok2vec").predict(some), strict=True
        ):
            assert one.shape == other.shape
            assert np.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("most", [1, 40, 200])
def test_words_that_are_forgotten_are_embedded_again(plain: Any, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_vectors, "MOST_WORDS", most)
    pipeline = tagging.library().load(tagging.tagger_package())
    token_vectors.quicken(pipeline)
    for _ in range(2):
        docs = [plain.make_doc(text) for text in SENTENCES[:20]]
        for doc in docs:
            (one,), (other,) = plain.get_pipe("tok2vec").predict([doc]), pipeline.get_pipe("tok2vec").predict([doc])
            assert np.allclose(one, other, atol=1e-5)


def test_a_vector_does_not_depend_on_what_was_read_before(quick: Any) -> None:
    """Or a document would be read differently behind others; two pipelines may differ in the last digits."""
    fresh = tagging.library().load(tagging.tagger_package())
    token_vectors.quicken(fresh)
    doc = fresh.make_doc(SENTENCES[1])
    first = fresh.get_pipe("tok2vec").predict([doc])[0].copy()
    for text in SENTENCES:
        fresh.get_pipe("tok2vec").predict([fresh.make_doc(text)])
    assert np.array_equal(fresh.get_pipe("tok2vec").predict([doc])[0], first)
    assert np.allclose(quick.get_pipe("tok2vec").predict([quick.make_doc(SENTENCES[1])])[0], first, atol=1e-5)


@pytest.mark.parametrize("batch", [1, 5, 128])
def test_the_same_names_are_found(plain: Any, quick: Any, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_finder, "BATCH", batch)
    finder = name_finder.NameFinder(quick)
    assert finder._moves is not None
    texts = SENTENCES if batch < 100 else MANY
    found = finder.find_names([quick.make_doc(text) for text in texts])
    assert found == marked(plain, texts)
    assert found[0][0] == (0, len("Ada Lovell"), "PERSON")
    assert finder.find_names([]) == []


def test_a_name_ends_where_a_sentence_does(plain: Any, quick: Any) -> None:
    """Words in one doc that another component made several sentences of."""
    texts = ["He works at the University of Tarn", "Ada Lovell", "North Tarn Lamp Makers of New Lumen"]
    for text in texts:
        for place in range(1, len(plain.make_doc(text))):
            docs = [pipeline.make_doc(text) for pipeline in (plain, quick)]
            for doc in docs:
                doc[place].is_sent_start = True
            (found,) = name_finder.NameFinder(quick).find_names([docs[1]])
            list(plain.get_pipe("ner").pipe([docs[0]]))
            assert found == [(name.start_char, name.end_char, name.label_) for name in docs[0].ents]


@pytest.mark.parametrize("beam, unseen", [(4, set()), (1, {3})])
def test_another_finder_marks_by_itself(beam: int, unseen: set[int]) -> None:
    pipeline = tagging.library().load(tagging.tagger_package())
    component = pipeline.get_pipe("ner")
    component.cfg["beam_width"], component.model.attrs["unseen_classes"] = beam, unseen
    finder = name_finder.NameFinder(pipeline)
    assert finder._moves is None
    assert finder.find_names([pipeline.make_doc(SENTENCES[0])])[0][0] == (0, len("Ada Lovell"), "PERSON")


@pytest.mark.parametrize(
    "change, known",
    [
        ({}, True),
        ({"maxout_pieces": 1}, True),
        ({"subword_features": False}, True),
        ({"depth": 1}, False),
        ({"window_size": 2}, False),
    ],
)
def test_a_network_of_another_shape_is_right_or_stays(change: dict[str, Any], known: bool) -> None:
    pipeline = tagging.library().blank("en")
    shape = {"@architectures": "spacy.HashEmbedCNN.v2", "pretrained_vectors": None, "width": 24, "depth": 2}
    more = {"embed_size": 50, "window_size": 1, "maxout_pieces": 3, "subword_features": True}
    pipeline.add_pipe("sentencizer")
    component = pipeline.add_pipe("tok2vec", config={"model": {**shape, **more, **change}})
    pipeline.initialize()
    docs = [pipeline.make_doc(text) for text in SENTENCES]
    before, vectors = component.model, component.predict(docs)
    token_vectors.quicken(pipeline)
    assert (component.model is not before) == known
    for one, other in zip(vectors, component.predict(docs), strict=True):
        assert np.allclose(one, other, atol=1e-5)


def test_words_of_two_documents_are_kept_and_read_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    tagging._pipeline()  # what is set with it must come back
    monkeypatch.setattr(tagging._local, "met", set())
    monkeypatch.setattr(tagging._local, "kept", set())
    monkeypatch.setattr(tagging, "_MOST_KEPT", 4)
    texts = ["Zorlight-lamps don't glimmer (in Tarnholm), U.S.", "Zorlight-lamps of Ada Lovell's Tarnholm don't"]

    def read() -> list[list[tuple[str, str]]]:
        with tagging.tagging_zone():
            return tagging.parts_of_speech(texts)

    first = read()
    assert not tagging._local.kept and "Zorlight-lamps" in tagging._local.met
    assert read() == first
    assert len(tagging._local.kept) == 4  # no more
    assert read() == first and len(tagging._local.kept) == 4
    monkeypatch.setattr(tagging, "_MOST_MET", 3)
    assert read() == first and read() == first and len(tagging._local.met) < 20
