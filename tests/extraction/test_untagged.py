"""Names that the tagger marks nowhere."""

from __future__ import annotations

import pytest

from kgfs.extraction import extractor
from kgfs.extraction.learnt.sentence_encoder import model_folder
from kgfs.extraction.names import tagging

SENTENCES = [
    "The road to Quorlim is steep.", "A few miles from Quorlim stands a ruined castle.",
    "In the church of Quorlim there is a bell.", "From Quorlim you may walk to the coast.",
]  # fmt: skip


@pytest.mark.skipif(model_folder() is None, reason="the packaged model is not installed")
def test_they_have_the_type_that_their_sentences_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging, "spans_of", lambda texts: [[] for _ in texts])
    assert types_read() == {"Location"}
    monkeypatch.setattr(extractor, "read_untagged", lambda *_: None)
    assert types_read() <= {""}


def types_read() -> set[str]:
    """The types of the name in all sentences."""
    readings = extractor.read_sentences(SENTENCES)
    return {
        name.type
        for sentence, reading in zip(SENTENCES, readings, strict=True)
        for name in reading.names
        if sentence[name.start : name.end] == "Quorlim"
    }
