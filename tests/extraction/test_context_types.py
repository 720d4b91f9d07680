"""What the words around a name say of its type: the encoder beside the embedding model, and names in sentences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kgfs.config import Config
from kgfs.extraction.learnt import context_types
from kgfs.extraction.learnt.context_types import NamePlace, ReadType, TypeWeights, is_clear, mention_vector, read_types
from kgfs.extraction.learnt.sentence_encoder import SentenceEncoder, model_folder
from kgfs.extraction.learnt.word_shapes import NUMBERS, word_shapes
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
    found = [read_types(once)["Quira Molkin"], read_types([*once, NamePlace(sentences[1], 0, 12, "")])["Quira Molkin"]]
    assert [(one.type, one.clear) for one in found] == [("Person", False), ("Person", True)]
    assert all(one.share > 0.8 for one in found)


@pytest.mark.parametrize(
    ("type_", "share", "clear"),
    [
        ("Organization", 0.85, True),
        ("Organization", 0.75, False),
        ("Product", 0.85, False),
        ("Product", 0.95, True),
        ("Concept", 0.99, False),
        ("", 0.99, False),
    ],
)
def test_software_must_be_clearer_than_others(type_: str, share: float, clear: bool) -> None:
    assert is_clear(ReadType(type_, share, False)) is clear


def test_what_was_not_learnt_is_left_to_the_tagger(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "The Norvalian novelist Quira Molkin opposed the Lamp Oil Act."
    given = places(sentence, Norvalian="Group", Lamp_Oil_Act="Law", Quira_Molkin="Person")
    assert {name: read.type for name, read in read_types(given).items()} == {"Quira Molkin": "Person"}
    assert read_types([]) == {}
    monkeypatch.setattr(context_types, "_folder", lambda: None)
    assert read_types(given) == {}


def test_what_is_no_name_is_told() -> None:
    sentences = ["Do we know who Quira Molkin is?", "Every Reviewer opens a Pull Request before the meeting."]
    tagged = {"Reviewer": "Organization", "Pull_Request": "Work"}
    found = read_types([*places(sentences[0], Do="Organization", Quira_Molkin=""), *places(sentences[1], **tagged)])
    assert {name: read.type for name, read in found.items()} == {
        "Do": "", "Quira Molkin": "Person", "Reviewer": "", "Pull Request": "",
    }  # fmt: skip


def test_a_name_behind_what_is_read_has_no_vector() -> None:
    assert FOLDER is not None
    sentence = "and " * 400 + "Quira Molkin"
    tokens = TypeWeights.read().encoder(FOLDER).encode([sentence])[0]
    assert mention_vector(tokens, len(sentence) - 12, len(sentence)) is None
    assert mention_vector(tokens, 0, 3) is not None
    assert read_types([NamePlace(sentence, len(sentence) - 12, len(sentence), "Work")]) == {}


def test_the_weights_fit_the_encoder() -> None:
    assert FOLDER is not None
    weights = TypeWeights.read()
    for sentence, tokens in zip(SENTENCES, weights.encoder(FOLDER).encode(SENTENCES), strict=True):
        whole = mention_vector(tokens, 0, len(sentence))
        assert whole is not None and whole.shape[0] == weights.inner.shape[0]
    shares = weights.shares(np.zeros((2, weights.inner.shape[0]), np.float32))
    assert shares.shape == (2, len(weights.types))
    assert np.allclose(shares.sum(axis=1), 1)
    assert Path(context_types.WEIGHTS).stat().st_size < 1_000_000


def test_changes_of_layers_are_seen_and_what_they_stand_on_is_not() -> None:
    assert FOLDER is not None
    learnt = TypeWeights.read().layers
    taken = learnt.behind, learnt.behind + len(learnt.changes)
    plain = SentenceEncoder(FOLDER, taken).encode(SENTENCES)
    changed = SentenceEncoder(FOLDER, taken, learnt).encode(SENTENCES)
    for before, after in zip(plain, changed, strict=True):
        width = before.vectors.shape[1] // 2
        assert np.array_equal(before.vectors[:, :width], after.vectors[:, :width])
        assert not np.allclose(before.vectors[:, width:], after.vectors[:, width:], atol=0.1)


@pytest.mark.parametrize(
    ("text", "offsets", "alike"),
    [
        ("iOS", [(0, 0), (0, 3), (0, 0)], False),
        ("the Lamp", [(0, 3), (4, 8)], False),
        ("a Lamp and a Wick", [(2, 6), (13, 15), (15, 17)], True),
        ("Lamp Wick", [(0, 4), (5, 9)], False),  # the first word of a sentence is known to be
    ],
)
def test_words_have_the_shape_that_they_are_written_in(text: str, offsets: list[tuple[int, int]], alike: bool) -> None:
    found = word_shapes(text, offsets)
    assert (len(set(found)) == 1) is alike
    assert all(0 <= shape < NUMBERS for shape in found)
    assert [shape for shape, (start, end) in zip(found, offsets, strict=True) if start == end] == [0] * sum(
        start == end for start, end in offsets
    )
