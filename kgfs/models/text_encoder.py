"""What a model is given of a text: its prompt before it, and of a text that is too long for it one window after the
other.

Used by all embedders, in the threads of the worker's lanes. A model reads so many tokens at once and drops the rest
without a word: what stands at the end of a long passage would be found by its words alone. So a long text is cut
between words into windows of about one length, and its vector is the mean of theirs, each counted by its tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kgfs.config import Config

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Vectors = NDArray[np.float32]
    Encode = Callable[[list[str], str], Vectors]

MOST_WINDOWS = 16
"""Of one text; what is behind them is not read. A chunk has two, seldom three."""
_BACK = 24
"""A window may end so many tokens early in order not to cut a word."""
_QUERY = ("query",)
_PASSAGE = ("document", "passage", "corpus")
"""Names of prompts that sentence-transformers looks for, in its order (``encode_document``)."""


class Prompts(NamedTuple):
    """What goes before a text: with e5 ``query: `` and ``passage: ``."""

    query: str = ""
    passage: str = ""


def prompts(declared: Mapping[str, object], config: Config) -> Prompts:
    """The settings, else what the model declares as ``prompts`` in ``config_sentence_transformers.json``, else none."""

    def one(setting: str, names: tuple[str, ...]) -> str:
        # sentence-transformers has an empty prompt for what is not declared, which hides the later names.
        found = next((declared[name] for name in names if declared.get(name)), "")
        return setting or (found if isinstance(found, str) else "")

    return Prompts(one(config.embedding_query_prefix, _QUERY), one(config.embedding_passage_prefix, _PASSAGE))


class TextEncoder:
    """Gives texts to one model. ``encode(texts, prompt)`` makes the vectors of texts that fit, each of length 1."""

    def __init__(self, tokenizer: Tokenizer | None, longest: int, given: Prompts) -> None:
        """``longest``: tokens that the model reads at once, its special ones included. The tokenizer is this object's
        own from now on; without one, long texts are left to the model, which cuts them."""
        self._prompts = given
        self._tokenizer = tokenizer
        self._room = dict.fromkeys(given, longest)
        if tokenizer is not None:
            tokenizer.no_truncation()
            tokenizer.no_padding()
            for prompt in self._room:
                taken = len(tokenizer.encode(prompt, add_special_tokens=False).ids)
                self._room[prompt] = max(1, longest - tokenizer.num_special_tokens_to_add(False) - taken)

    def query(self, query: str, encode: Encode) -> Vectors:
        """Shape (dimension,)."""
        vector: Vectors = self._whole([query], encode, self._prompts.query)[0]
        return vector

    def passages(self, texts: Sequence[str], encode: Encode, dimension: int) -> Vectors:
        """Shape (texts, dimension)."""
        import numpy as np

        return self._whole(texts, encode, self._prompts.passage) if texts else np.zeros((0, dimension), np.float32)

    def _whole(self, texts: Sequence[str], encode: Encode, prompt: str) -> Vectors:
        import numpy as np

        parts: list[str] = []
        weights: list[int] = []
        first: list[int] = []
        for text in texts:
            first.append(len(parts))
            for part, weight in windows(self._tokenizer, text, self._room[prompt]):
                parts.append(part)
                weights.append(weight)
        vectors = encode(parts, prompt)
        if len(parts) == len(texts):
            return vectors
        sums = np.add.reduceat(vectors * np.array(weights, np.float32)[:, None], first, axis=0)
        sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        several = np.diff([*first, len(parts)]) > 1
        return np.ascontiguousarray(np.where(several[:, None], sums, vectors[first]), np.float32)


def windows(tokenizer: Tokenizer | None, text: str, room: int) -> list[tuple[str, int]]:
    """The windows of a text, of at most ``room`` tokens, in order, each with its tokens; a text that fits is itself."""
    if tokenizer is None or len(text) <= room // 4:  # no tokenizer makes more than four tokens of a sign
        return [(text, 1)]
    # Places are characters only in the slower encoding.
    tokens: Any = tokenizer.encode(text, add_special_tokens=False)
    count = len(tokens.ids)
    if count <= room:
        return [(text, 1)]
    places, words = tokens.offsets, tokens.word_ids
    found: list[tuple[str, int]] = []
    start = 0
    while start < count and len(found) < MOST_WINDOWS:
        left = count - start
        end = start + -(-left // -(-left // room))
        if end < count:
            early = range(end, max(start, end - _BACK), -1)
            end = next((at for at in early if words[at] != words[at - 1]), end)
        found.append((text[places[start][0] : places[end - 1][1]], end - start))
        start = end
    return found
