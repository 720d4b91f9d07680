"""The tokens of sentences as the packaged embedding model sees them in context, layer by layer, computed with numpy.

Used by ``context_types``, in the extractor process, which has no torch (190 MB and a second). The
sentences are one sequence of rows, and only attention goes sentence by sentence. GELU is its approximation by tanh, so
the vectors differ from the embedder's in the fourth digit. Layers can be changed by what was learnt for names: each
matrix by a product of two thin ones (LoRA, Hu et al. 2021), and how words are written is added before them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kgfs.extraction.learnt.word_shapes import word_shapes
from kgfs.models.packaged import packaged_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

MODEL = "all-MiniLM-L6-v2"
_WEIGHTS = "model.safetensors"
_EPSILON = 1e-12
_HEADS = 12
_MOST_TOKENS = 160
"""What is behind so many tokens of a sentence is not read."""
_ROWS = 2048
"""So many tokens at most are computed at once: their inner vectors take 12 MB."""


def model_folder() -> Path | None:
    """The folder of the model; ``None`` where it is not installed."""
    folder = packaged_folder(MODEL)
    return folder if folder is not None and (folder / _WEIGHTS).is_file() else None


class SentenceTokens(NamedTuple):
    """The tokens of a sentence: where each stands in it, and their vectors."""

    offsets: list[tuple[int, int]]
    """Start and end in characters; empty for the tokens that the model adds."""
    vectors: Floats
    """Shape (tokens, layers asked for × width)."""


class LearntLayers(NamedTuple):
    """What is put behind the first layers of the packaged model in the place of its own."""

    behind: int
    """So many layers stay as they are."""
    shapes: Floats
    """What is added to a token before the first changed layer, by the shape of its word; (``word_shapes.NUMBERS``,
    width)."""
    changes: Sequence[Mapping[str, Floats]]
    """For each layer behind them, by names of ``_Layer``: ``NAME.down`` (rank, inputs) and ``NAME.up`` (outputs, rank)
    for a matrix, ``NAME.weight`` and ``NAME.bias`` for a norm."""


class _Layer(NamedTuple):
    """The matrices of a layer, each to be multiplied from the right, with what is added; and its two norms."""

    attention: tuple[Floats, Floats]
    joined: tuple[Floats, Floats]
    joined_norm: tuple[Floats, Floats]
    inner: tuple[Floats, Floats]
    outer: tuple[Floats, Floats]
    outer_norm: tuple[Floats, Floats]


class SentenceEncoder:
    """One model. Not safe to share between threads."""

    def __init__(self, folder: Path, layers: Sequence[int], learnt: LearntLayers | None = None) -> None:
        """``layers``: after which layers the vectors are taken, counted from 1. ``OSError`` or ``KeyError`` where the
        folder holds no such model."""
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        named = load_file(folder / _WEIGHTS)
        self._taken = tuple(layers)
        self._words = named["embeddings.word_embeddings.weight"]
        self._places = (
            named["embeddings.position_embeddings.weight"] + named["embeddings.token_type_embeddings.weight"][0]
        )
        self._begin = _pair(named, "embeddings.LayerNorm")
        self._layers = [_layer(named, f"encoder.layer.{number}.") for number in range(max(layers))]
        self._learnt = learnt
        if learnt is not None:
            for number, changes in enumerate(learnt.changes, learnt.behind):
                self._layers[number] = _changed(self._layers[number], changes)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MOST_TOKENS)

    def encode(self, sentences: Sequence[str]) -> list[SentenceTokens]:
        """The tokens of each sentence."""
        found: list[SentenceTokens] = []
        waiting: list[tuple[str, Any]] = []
        rows = 0
        for sentence, tokens in zip(sentences, self._tokenizer.encode_batch(list(sentences)), strict=True):
            if waiting and rows + len(tokens.ids) > _ROWS:
                found += self._together(waiting)
                waiting, rows = [], 0
            waiting.append((sentence, tokens))
            rows += len(tokens.ids)
        return found + self._together(waiting)

    def _together(self, sentences: Sequence[tuple[str, Any]]) -> list[SentenceTokens]:
        if not sentences:
            return []
        tokens = [one for _, one in sentences]
        lengths = [len(one.ids) for one in tokens]
        numbers = np.concatenate([one.ids for one in tokens])
        places = np.concatenate([np.arange(length) for length in lengths])
        hidden = _normed(self._words[numbers] + self._places[places], self._begin)
        taken = []
        for number, layer in enumerate(self._layers, 1):
            if self._learnt is not None and number == self._learnt.behind + 1:
                shapes = [shape for text, one in sentences for shape in word_shapes(text, one.offsets)]
                hidden = hidden + self._learnt.shapes[shapes]
            context = _attended(hidden @ layer.attention[0] + layer.attention[1], lengths)
            hidden = _normed(context @ layer.joined[0] + layer.joined[1] + hidden, layer.joined_norm)
            inner = _gelu(hidden @ layer.inner[0] + layer.inner[1])
            hidden = _normed(inner @ layer.outer[0] + layer.outer[1] + hidden, layer.outer_norm)
            if number in self._taken:
                taken.append(hidden)
        parts = np.split(np.concatenate(taken, axis=1), np.cumsum(lengths)[:-1])
        return [SentenceTokens(one.offsets, vectors) for one, vectors in zip(tokens, parts, strict=True)]


def _pair(named: dict[str, Any], name: str) -> tuple[Floats, Floats]:
    return named[f"{name}.weight"], named[f"{name}.bias"]


def _matrix(named: dict[str, Any], *names: str) -> tuple[Floats, Floats]:
    """Matrices side by side, to be multiplied from the right."""
    weights, biases = zip(*(_pair(named, name) for name in names), strict=True)
    return np.ascontiguousarray(np.concatenate(weights).T), np.concatenate(biases)


def _layer(named: dict[str, Any], name: str) -> _Layer:
    return _Layer(
        _matrix(named, *(f"{name}attention.self.{part}" for part in ("query", "key", "value"))),
        _matrix(named, f"{name}attention.output.dense"),
        _pair(named, f"{name}attention.output.LayerNorm"),
        _matrix(named, f"{name}intermediate.dense"),
        _matrix(named, f"{name}output.dense"),
        _pair(named, f"{name}output.LayerNorm"),
    )


def _changed(layer: _Layer, changes: Mapping[str, Floats]) -> _Layer:
    made = dict(layer._asdict())
    for name, (weight, bias) in made.items():
        if f"{name}.up" in changes:
            made[name] = weight + (changes[f"{name}.up"] @ changes[f"{name}.down"]).T, bias
        elif f"{name}.weight" in changes:
            made[name] = changes[f"{name}.weight"], changes[f"{name}.bias"]
    return _Layer(**made)


def _normed(values: Floats, by: tuple[Floats, Floats]) -> Floats:
    values = values - values.mean(axis=1, keepdims=True)
    values /= np.sqrt(np.square(values).mean(axis=1, keepdims=True) + np.float32(_EPSILON))
    values *= by[0]
    values += by[1]
    return values


def _gelu(values: Floats) -> Floats:
    inner = np.square(values)
    inner *= np.float32(0.044715)
    inner += 1
    inner *= values
    inner *= np.float32(0.7978845608)
    np.tanh(inner, out=inner)
    inner += 1
    inner *= values
    inner *= np.float32(0.5)
    return inner


def _attended(parts: Floats, lengths: Sequence[int]) -> Floats:
    """What each token takes from those of its sentence."""
    width = parts.shape[1] // 3
    size = width // _HEADS
    context = np.empty((len(parts), width), np.float32)
    start = 0
    for length in lengths:
        own = parts[start : start + length].reshape(length, 3, _HEADS, size).transpose(1, 2, 0, 3)
        scores = own[0] @ own[1].transpose(0, 2, 1)
        scores *= np.float32(size**-0.5)
        scores -= scores.max(axis=2, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=2, keepdims=True)
        context[start : start + length] = (scores @ own[2]).transpose(1, 0, 2).reshape(length, width)
        start += length
    return context
