"""What the words around a name say of its type, by weights that were learnt from labelled texts.

Used by the extractor, which gives it what the tagger marks. The tagger is often right about where a name stands and,
outside of news, often wrong about what it is: it takes software, albums and elections for organizations. Here each name
of a document has one type by up to ``PLACES`` of its sentences, or is shown to be none: the vectors of its words in
context (the packaged embedding model, whose later layers are changed for it) go through two small layers, all learnt
by ``scripts/train-name-types``. Where the model is not installed, the tagger's word stands.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kgfs.extraction.learnt.sentence_encoder import LearntLayers, SentenceEncoder, SentenceTokens, model_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WEIGHTS = Path(__file__).with_name("context_types.npz")
PLACES = 3
"""Sentences of a document that are read for one name."""
SURE = 0.5
"""The share that a type must have of all to replace the tagger's; on wikigold and conll04, 0.45 to 0.6 are as good."""
SURE_AT_ONE = 0.6
"""The same where only one sentence has the name."""
CLEAR = 0.8
"""The share at which it says as much as clear words around a name do: it is right 92 times in 100 on wikigold, 97 on
CrossNER, over single sentences (2026-11-27)."""
SURE_OF_SOFTWARE = 0.7
"""The share at which a name that the tagger takes for an organization is software: texts about software speak of both
alike."""
KEPT_TOKENS = 8192
"""So many tokens of sentences are kept (25 MB): a document asks for a sentence up to two times."""
NO_NAME = "NONE"
"""What the weights call what is no name."""
SURE_OF_NONE = 0.7
"""The share of it at which what the tagger marks is none: 92 of 100 such spans are none, of ten projects of which no
sentence was learnt (2026-11-28)."""
CLEAR_SOFTWARE = 0.9
"""The same for software: in texts about it, everything looks like it."""
_GROUPS = frozenset({"Group", "Language"})
"""Types of the tagger's of which only parties and persons are others: hardly any labelled text has nationalities."""
_TAGGERS = frozenset({"Concept", "Law"})
"""Types of the tagger's that stand: laws were not learnt, and *COVID-19* is a concept by how it is written."""


class NamePlace(NamedTuple):
    """A name at ``sentence[start:end]``, with the type that the tagger gives it."""

    sentence: str
    start: int
    end: int
    type: str

    @property
    def name(self) -> str:
        return self.sentence[self.start : self.end]


class ReadType(NamedTuple):
    """The type of a name, and whether its sentences show it as clearly as words would that say it."""

    type: str
    """Empty for what is no name."""
    share: float
    """How much of all speaks for it."""
    clear: bool


class TypeWeights(NamedTuple):
    """The layers that are changed, and the two behind them."""

    types: list[str]
    layers: LearntLayers
    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: Floats

    @classmethod
    def read(cls, file: Path = WEIGHTS) -> TypeWeights:
        with np.load(file) as said:
            matrices = {name: said[name].astype(np.float32) for name in said.files if name not in ("types", "behind")}
            types, behind = [str(type_) for type_ in said["types"]], int(said["behind"])
        changes: defaultdict[int, dict[str, Floats]] = defaultdict(dict)
        for name, matrix in matrices.items():
            number, _, part = name.partition(".")
            if part:
                changes[int(number)][part] = matrix
        layers = LearntLayers(behind, matrices["shapes"], [changes[number] for number in sorted(changes)])
        return cls(types, layers, *(matrices[name] for name in cls._fields[2:]))

    def encoder(self, folder: Path) -> SentenceEncoder:
        """The encoder whose tokens ``mention_vector`` and ``shares`` are for; ``folder`` holds the packaged model."""
        behind = self.layers.behind
        return SentenceEncoder(folder, (behind, behind + len(self.layers.changes)), self.layers)

    def shares(self, vectors: Floats) -> Floats:
        """How much speaks for each type, for each vector; shape (vectors, types), rows of sum 1."""
        scores = np.tanh(vectors @ self.inner + self.inner_bias) @ self.outer + self.outer_bias
        shares: Floats = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return shares


_local = threading.local()


_folder = cache(model_folder)


def read_types(places: Iterable[NamePlace]) -> dict[str, ReadType]:
    """Name to its type, of the names of a document for which one type is clear."""
    by_name = _by_name(places)
    tagged = {name: Counter(one.type for one in found).most_common(1)[0][0] for name, found in by_name.items()}
    chosen = _chosen(by_name)
    if _folder() is None or not chosen:
        return {}
    weights = _models().weights
    found_types: dict[str, ReadType] = {}
    for name, several in _shares(chosen, _encoded(chosen), weights).items():
        read = _settled(name, tagged[name], several, weights.types)
        if read is not None:
            found_types[name] = read
    return found_types


def encode_ahead(documents: Iterable[Iterable[NamePlace]]) -> None:
    """Have the sentences at hand that ``read_types`` will read for each of these documents, if they are not too many.

    The encoder goes through the weights of its layers (28 MB) in each call, so a sentence by itself takes it twice as
    long as one among ten. The tokens are the same to the last bit.
    """
    chosen = [one for places in documents for one in _chosen(_by_name(places))]
    if _folder() is not None and chosen:
        _encoded(chosen)


def _by_name(places: Iterable[NamePlace]) -> dict[str, list[NamePlace]]:
    found: defaultdict[str, list[NamePlace]] = defaultdict(list)
    for place in places:
        found[place.name].append(place)
    return found


def _chosen(by_name: Mapping[str, Sequence[NamePlace]]) -> list[NamePlace]:
    """The places of a document's names that are read."""
    return [one for found in by_name.values() if not _is_taggers(found) for one in _spread(found)]


class _Models(NamedTuple):
    """What a thread has loaded, and the tokens of the sentences that it encoded last, by their text."""

    weights: TypeWeights
    encoder: SentenceEncoder
    kept: dict[str, SentenceTokens]


def _models() -> _Models:
    """Those of this thread; to be asked only where the model is installed."""
    found: _Models | None = getattr(_local, "models", None)
    if found is None:
        folder = _folder()
        assert folder is not None
        weights = TypeWeights.read()
        _local.models = found = _Models(weights, weights.encoder(folder), {})
    return found


def _encoded(places: Sequence[NamePlace]) -> dict[str, SentenceTokens]:
    """The tokens of the sentences of places, by the sentences' text."""
    _, encoder, kept = _models()
    sentences = list(dict.fromkeys(one.sentence for one in places))
    found = {sentence: kept[sentence] for sentence in sentences if sentence in kept}
    new = [sentence for sentence in sentences if sentence not in found]
    if not new:
        return found
    found |= zip(new, encoder.encode(new), strict=True)
    if sum(len(tokens.offsets) for tokens in (kept | found).values()) > KEPT_TOKENS:
        kept.clear()
    if sum(len(tokens.offsets) for tokens in found.values()) <= KEPT_TOKENS:
        kept.update(found)
    return found


def _shares(
    places: Sequence[NamePlace], tokens: Mapping[str, SentenceTokens], weights: TypeWeights
) -> dict[str, list[Floats]]:
    """Name to how much speaks for each type at each of its places; ``tokens``: of their sentences."""
    names: list[str] = []
    rows: list[Floats] = []
    for one in places:
        vector = mention_vector(tokens[one.sentence], one.start, one.end)
        if vector is not None:
            names.append(one.name)
            rows.append(vector)
    found: defaultdict[str, list[Floats]] = defaultdict(list)
    for name, shares in zip(names, weights.shares(np.array(rows)) if rows else (), strict=True):
        found[name].append(shares)
    return found


def _settled(name: str, tagged: str, several: Sequence[Floats], types: Sequence[str]) -> ReadType | None:
    """The type that the shares of several places show of a name which the tagger takes for ``tagged``."""
    mean = np.mean(several, axis=0)
    share, type_ = mean.max(), types[int(mean.argmax())]
    if type_ == NO_NAME:
        return ReadType("", float(share), False) if share >= SURE_OF_NONE else None
    if tagged in _GROUPS and type_ not in ("Organization", "Person"):
        return None
    sure = SURE if len(several) > 1 else SURE_AT_ONE
    if share < (SURE_OF_SOFTWARE if (tagged, type_) == ("Organization", "Product") else sure):
        return None
    read = ReadType(type_, float(share), False)
    return read._replace(clear=len(several) > 1 and is_clear(read))


def is_clear(read: ReadType) -> bool:
    """Whether the sentences that were read, be it one, show a type clearly."""
    if read.type in ("", "Concept"):
        return False
    return read.share >= (CLEAR_SOFTWARE if read.type == "Product" else CLEAR)


def mention_vector(tokens: SentenceTokens, start: int, end: int) -> Floats | None:
    """The mean of the tokens of a name, and behind it the sum of those at its two sides as the last layer sees them;
    ``None`` where the sentence is too long to have been read up to there."""
    inside = [
        place for place, (first, behind) in enumerate(tokens.offsets) if first < end and behind > max(start, first)
    ]
    if not inside:
        return None
    last = tokens.vectors[:, tokens.vectors.shape[1] // 2 :]
    # The tokens that the model adds stand before the first and behind the last.
    sides = last[inside[0] - 1] + last[min(inside[-1] + 1, len(last) - 1)]
    vector: Floats = np.concatenate([tokens.vectors[inside].mean(axis=0), sides])
    return vector


def _is_taggers(found: Sequence[NamePlace]) -> bool:
    """Whether the tagger mostly gives a name a type that was not learnt."""
    return 2 * sum(one.type in _TAGGERS for one in found) >= len(found)


def _spread(found: Sequence[NamePlace]) -> list[NamePlace]:
    """Up to ``PLACES`` of the places, spread evenly."""
    step = max(1, len(found) // PLACES)
    return list(found[::step][:PLACES])
