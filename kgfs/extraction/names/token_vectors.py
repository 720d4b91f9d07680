"""The vectors of words, as spaCy's small pipelines compute them, with less work around the products of matrices.

Used by ``tagging`` when it loads a pipeline. Two small networks of thinc (hash embeddings, then convolutions over three
words), one for names and one for syntax, are most of what tagging costs. Here each distinct word is embedded once for
many sentences, and what is between the products is done in place, in half of the processor time. The vectors are the
same; a network of another shape is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from spacy.language import Language
    from spacy.tokens import Doc

    Floats = NDArray[np.float32]

MOST_WORDS = 16_384
"""So many words are kept with what they are embedded as (6 MB); then all are forgotten."""
_BLOCK = 64
"""Words are embedded by so many: what is found for one then does not depend on how many others are new."""
_EMBED = frozenset("extract_features list2ragged ints-getitem hashembed maxout layernorm dropout ragged2list".split())
_LAYER = ["expand_window", "maxout", "layernorm", "dropout"]


class _Layer(NamedTuple):
    """A convolution: the weights of its maxout, a column for each piece of each number, and of its norm."""

    weight: Floats
    bias: Floats
    scale: Floats
    shift: Floats


def quicken(pipeline: Language) -> None:
    """Replace the networks of a pipeline that are known here."""
    from thinc.api import Model

    for name in pipeline.pipe_names:
        component: Any = pipeline.get_pipe(name)
        whole: Any = getattr(component, "model", None)
        for node in list(whole.walk()) if isinstance(whole, Model) else ():
            if not (node.has_ref("embed") and node.has_ref("encode") and _is_known(node)):
                continue
            quick: Any = Model("token_vectors", _TokenVectors(node).forward, dims={"nO": node.get_dim("nO")})
            if node is whole:
                component.model = quick
            else:
                whole.replace_node(node, quick)


def _is_known(node: Any) -> bool:
    """Whether a network is a hash embedding and convolutions over three words, with nothing else in it."""
    embed, encode = node.get_ref("embed"), node.get_ref("encode")
    leaves = [one.name for one in encode.walk(order="dfs_pre") if not one.layers]
    return (
        {one.name for one in embed.walk() if not one.layers} == _EMBED
        and len(embed.layers) == 5
        and encode.name.startswith("with_array")
        and all(one.name.startswith("residual") for one in encode.layers[0].layers)
        and leaves == _LAYER * len(encode.layers[0].layers)
        and all(one.attrs["window_size"] == 1 for one in encode.walk() if one.name == "expand_window")
    )


class _TokenVectors:
    """One of the networks. Not safe to share between threads, as little as its pipeline."""

    def __init__(self, node: Any) -> None:
        embed, encode = node.get_ref("embed"), node.get_ref("encode")
        features, _, self._tables, self._mixer, _ = embed.layers
        self._columns: list[int | str] = features.attrs["columns"]
        self._pad: int = encode.attrs["pad"]
        self._width: int = node.get_dim("nO")
        leaves = {name: [one for one in encode.walk(order="dfs_pre") if one.name == name] for name in _LAYER}
        self._layers = [
            _Layer(
                np.ascontiguousarray(maxout.get_param("W").swapaxes(0, 1).reshape(-1, maxout.get_dim("nI")).T),
                np.ascontiguousarray(maxout.get_param("b").T).reshape(-1),
                norm.get_param("G"),
                norm.get_param("b"),
            )
            for maxout, norm in zip(leaves["maxout"], leaves["layernorm"], strict=True)
        ]
        self._known: dict[bytes, int] = {}
        self._embedded = np.empty((MOST_WORDS, self._width), np.float32)

    def forward(self, model: Any, docs: Sequence[Doc], is_train: bool) -> tuple[list[Floats], Any]:
        """The vectors of the words of each sentence. Nothing is learned here, so there is no way back."""
        lengths = [len(doc) for doc in docs]
        if not sum(lengths):
            return [np.zeros((0, self._width), np.float32) for _ in docs], None
        words = np.concatenate([doc.to_array(self._columns).reshape(len(doc), -1) for doc in docs if len(doc)])
        starts = np.cumsum([self._pad, *(length + self._pad for length in lengths if length)])[:-1]
        places = np.concatenate(
            [np.arange(start, start + length) for start, length in zip(starts, filter(None, lengths), strict=True)]
        )
        rows = np.zeros((places[-1] + 1 + self._pad, self._width), np.float32)
        rows[places] = self._of_words(words)
        rows = self._encoded(rows)
        found, start = [], self._pad
        for length in lengths:
            found.append(rows[start : start + length])
            start += length + self._pad if length else 0
        return found, None

    def _of_words(self, words: NDArray[np.uint64]) -> Floats:
        """What each word is embedded as, given its features."""
        keys: list[bytes] = np.ascontiguousarray(words).view(f"V{words.shape[1] * words.itemsize}").ravel().tolist()
        new = {key: place for place, key in enumerate(keys) if key not in self._known}
        if len(self._known) + len(new) > MOST_WORDS:
            self._known.clear()
            new = {key: place for place, key in enumerate(keys)}
        if len(new) > MOST_WORDS:
            return self._embed(words)
        if new:
            first = len(self._known)
            self._embedded[first : first + len(new)] = self._embed(words[list(new.values())])
            self._known.update(zip(new, range(first, first + len(new)), strict=True))
        found: Floats = self._embedded[[self._known[key] for key in keys]]
        return found

    def _embed(self, words: NDArray[np.uint64]) -> Floats:
        filled = np.zeros((-(-len(words) // _BLOCK) * _BLOCK, words.shape[1]), np.uint64)
        filled[: len(words)] = words
        blocks = [
            self._mixer.predict(self._tables.predict(filled[start : start + _BLOCK]))
            for start in range(0, len(filled), _BLOCK)
        ]
        return np.concatenate(blocks)[: len(words)]

    def _encoded(self, rows: Floats) -> Floats:
        width = self._width
        window = np.zeros((len(rows), 3 * width), np.float32)
        for layer in self._layers:
            window[1:, :width], window[:, width : 2 * width], window[:-1, 2 * width :] = rows[:-1], rows, rows[1:]
            pieces = window @ layer.weight
            pieces += layer.bias
            best = pieces[:, :width]
            for start in range(width, pieces.shape[1], width):
                best = np.maximum(best, pieces[:, start : start + width])
            best -= best.mean(axis=1, keepdims=True)
            best *= (np.square(best).mean(axis=1, keepdims=True) + 1e-08) ** -0.5
            best *= layer.scale
            best += layer.shift
            rows = rows + best
        return rows
