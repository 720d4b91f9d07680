"""What the words around a name say of its type: the encoder beside the embedding model, and names in sentences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kgfs.config import Config
from kgfs.extraction.learnt import context_types
from kgfs.extraction.learnt.context_types import NamePlace, ReadType, TypeWeights, mention_vector, read_types
from kgfs.extraction.learnt.sentence_encoder import SentenceEncoder, model_folder
from kgfs.models.embedders import load

FOLDER = model_folder()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="the packaged model is not installed")

SENTENCES = [
    "Quira Molkin wrote the novel Lampfire in 1931.",
    "Lamps.",
    "In 1987 the band Nine Wicks released the album Ember Road, which was recorded in Vossburg. " * 4,
]


def places(sentence: str, **tagged: str) -> list[NamePlace]:
    """The names of a sentence with what the tagger says; an underscore stands for a space."""
    names = {name.replace("_", " "): type_ for name, type_ in tagged.items()}
    return [
        NamePlace(sentence, sentence.index(name), sentence.index(name) + len(name), type_)
        for name, type_ in names.items()
    ]


def test_the_encoder_sees_what_the_model_sees() -> None:
    assert FOLDER is not None
    found = SentenceEncoder(FOLDER, (6,)).encode(SENTENCES)
    wanted = load(Config(embedding_model="packaged:all-MiniLM-L6-v2")).encode(SENTENCES)
    for tokens, vector in zip(found, wanted, strict=True):
        mean = tokens.vectors.mean(axis=0)
        assert float(mean @ vector / np.linalg.norm(mean)) > 0.999


def test_a_sentence_is_read_alike_alone_and_among_others() -> None:
    assert FOLDER is not None
    encoder = SentenceEncoder(FOLDER, (2, 4))
    for sentence, together in zip(SENTENCES, encoder.encode(SENTENCES), strict=True):
        alone = encoder.encode([sentence])[0]
        assert alone.offsets == together.offsets
        assert np.allclose(alone.vectors, together.vectors, atol=1e-4)


def test_names_have_the_type_that_their_sentences_show() -> None:
    found = read_types(
        [
            *places(SENTENCES[0], Quira_Molkin="Organization", Lampfire="Person"),
            *places(SENTENCES[2], Nine_Wicks="Work", Ember_Road="Location", Vossburg="Organization"),
        ]
    )
    assert {name: read.type for name, read in found.items()} == {
        "Quira Molkin": "Person", "Lampfire": "Work", "Nine Wicks": "Organization", "Ember Road": "Work",
        "Vossburg": "Location",
    }  # fmt: skip


def test_a_type_is_clear_where_two_sentences_show_it() -> None:
    sentences = ["Quira Molkin was born in 1931.", "Quira Molkin married the painter Otto Wick."]
    once = [NamePlace(sentences[0], 0, 12, "Organization")]
    assert read_types(once) == {"Quira Molkin": ReadType("Person", False)}
    assert read_types([*once, NamePlace(sentences[1], 0, 12, "")]) == {"Quira Molkin": ReadType("Person", True)}


def test_what_was_not_learnt_is_left_to_the_tagger(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "The Norvalian novelist Quira Molkin opposed the Lamp Oil Act."
    given = places(sentence, Norvalian="Group", Lamp_Oil_Act="Law", Quira_Molkin="Person")
    assert {name: read.type for name, read in read_types(given).items()} == {"Quira Molkin": "Person"}
    assert read_types([]) == {}
    monkeypatch.setattr(context_types, "_folder", lambda: None)
    assert read_types(given) == {}


def test_a_name_behind_what_is_read_has_no_vector() -> None:
    assert FOLDER is not None
    sentence = "and " * 400 + "Quira Molkin"
    tokens = SentenceEncoder(FOLDER, (2,)).encode([sentence])[0]
    assert mention_vector(tokens, len(sentence) - 12, len(sentence)) is None
    assert mention_vector(tokens, 0, 3) is not None
    assert read_types([NamePlace(sentence, len(sentence) - 12, len(sentence), "Work")]) == {}


def test_the_weights_fit_the_encoder() -> None:
    weights = TypeWeights.read()
    assert weights.inner.shape[0] == 384 * len(context_types.LAYERS)
    shares = weights.shares(np.zeros((2, weights.inner.shape[0]), np.float32))
    assert shares.shape == (2, len(weights.types))
    assert np.allclose(shares.sum(axis=1), 1)
    assert Path(context_types.WEIGHTS).stat().st_size < 300_000
