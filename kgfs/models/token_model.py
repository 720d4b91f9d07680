"""A model that makes a vector for each token of a text: texts in, one pooled vector a text out.

Used by the embedders whose layers something light runs (``onnx_embedder``, ``bert_embedder``), in the threads of the
worker's lanes. A folder has ``tokenizer.json`` and what sentence-transformers keeps beside a model (``modules.json``,
the pooling's ``config.json``, prompts); where these are missing it is mean pooling. The vectors are those that
sentence-transformers makes of the same model, to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from kgfs.config import Config
from kgfs.errors import ModelError
from kgfs.models.text_encoder import TextEncoder, prompts
from kgfs.models.turns import Turns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Tokens = NDArray[np.float32]
    Mask = NDArray[np.float32]
    Numbers = NDArray[np.int64]
    Forward = Callable[[Numbers, Numbers], Tokens]

MAX_TOKENS = 256
"""A model reads no more at once: what all-MiniLM-L6-v2 was trained with. Longer texts are read in windows."""
BATCH = 16
PADDING = 32
"""Batches are padded to a multiple of so many tokens. The libraries beneath keep memory for each shape that they met:
with this and small batches the process stays at 740 MB, where it grew beyond 1.2 GB, in the same time."""
MEND = "choose another with `kgfs config embedding_model …`"
_LEGACY_MODES = {
    "pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max", "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens", "pooling_mode_lasttoken": "lasttoken",
}  # fmt: skip
"""How the pooling's file says what sentence-transformers 6 calls ``pooling_mode``; its order."""


class TokenModel:
    """An embedder over ``forward``: token numbers and mask, shapes (texts, tokens), to vectors of tokens, shape (texts,
    tokens, dimension); with no poolings, of texts. Safe to call from several threads if ``forward`` is."""

    def __init__(
        self,
        folder: ModelFolder,
        config: Config,
        forward: Forward,
        poolings: Sequence[str],
        many: Forward | None = None,
    ) -> None:
        """``many``: another ``forward``, for passages. Embeds a word to find out the dimension."""
        from tokenizers import Tokenizer

        self._forward, self._many, self._poolings = forward, many or forward, poolings
        self._turns = Turns()
        self._longest = folder.longest()
        file = str(folder.place / "tokenizer.json")
        self._tokenizer = Tokenizer.from_file(file)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self._longest)
        self._pad = folder.padding(self._tokenizer)
        declared = folder.read("config_sentence_transformers.json").get("prompts") or {}
        self._reading = TextEncoder(Tokenizer.from_file(file), self._longest, prompts(declared, config))
        self.dimension = int(self._vectors(["dimension"], "").shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        passages = partial(self._vectors, forward=self._many, before=self._turns.give_way)
        return self._reading.passages(texts, passages, self.dimension)

    def encode_query(self, query: str) -> Vectors:
        with self._turns.question():
            return self._reading.query(query, self._vectors)

    def _vectors(
        self, texts: list[str], prompt: str, forward: Forward | None = None, before: Callable[[], None] = lambda: None
    ) -> Vectors:
        """Of texts that fit; those of about one length share a batch. ``before``: called before each batch."""
        ids = [tokens.ids for tokens in self._tokenizer.encode_batch([(prompt + text).strip() for text in texts])]
        order = sorted(range(len(ids)), key=lambda place: -len(ids[place]))
        found = np.empty((len(ids), 0), np.float32)
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            before()
            vectors = self._batch([ids[place] for place in places], forward or self._forward)
            if not found.shape[1]:
                found = np.empty((len(ids), vectors.shape[1]), np.float32)
            found[places] = vectors
        return found

    def _batch(self, ids: list[list[int]], forward: Forward) -> Vectors:
        width = min(-(-max(map(len, ids)) // PADDING) * PADDING, self._longest)
        tokens = np.full((len(ids), width), self._pad, np.int64)
        mask = np.zeros((len(ids), width), np.int64)
        for row, one in enumerate(ids):
            tokens[row, : len(one)] = one
            mask[row, : len(one)] = 1
        whole = forward(tokens, mask)
        if self._poolings:
            kept = mask.astype(np.float32)
            whole = np.concatenate([_POOLINGS[pooling](whole, kept) for pooling in self._poolings], axis=1)
        lengths = np.linalg.norm(whole, axis=1, keepdims=True)
        vectors: Vectors = np.ascontiguousarray(whole / np.maximum(lengths, 1e-12), np.float32)
        return vectors


class ModelFolder:
    """The settings that lie beside a model."""

    def __init__(self, place: Path, setting: str) -> None:
        self.place, self._setting = place, setting

    def read(self, name: str) -> dict[str, Any]:
        """A JSON object; an empty one where there is no such file."""
        file = self.place / name
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Any]) if file.is_file() else {}

    def poolings(self) -> tuple[str, ...]:
        """How the vectors of tokens become one. ``ModelError`` for what is not known, or a layer behind it."""
        file = self.place / "modules.json"
        modules = msgspec.json.decode(file.read_bytes(), type=list[dict[str, Any]]) if file.is_file() else []
        modes: tuple[str, ...] = ("mean",)
        for module in modules:
            kind = str(module.get("type", "")).rpartition(".")[2]
            if kind == "Pooling":
                modes = self._modes(self.read(f"{module.get('path', '')}/config.json"))
            elif kind not in ("Transformer", "Normalize"):
                raise self._unknown(f"a layer {kind}")
        return modes

    def _modes(self, config: dict[str, Any]) -> tuple[str, ...]:
        said = config.get("pooling_mode")
        modes = [said] if isinstance(said, str) else list(said or ())
        modes = modes or [mode for key, mode in _LEGACY_MODES.items() if config.get(key)] or ["mean"]
        if not config.get("include_prompt", True):
            raise self._unknown("a pooling that leaves the prompt out")
        for mode in modes:
            if mode not in _POOLINGS:
                raise self._unknown(f"the pooling {mode}")
        return tuple(modes)

    def _unknown(self, what: str) -> ModelError:
        return ModelError(
            f"The model {self._setting} has {what}, which its ONNX form lacks; take the form that"
            f" sentence-transformers reads, or {MEND}."
        )

    def longest(self) -> int:
        """How many tokens it reads, its special ones included."""
        said = self.read("sentence_bert_config.json").get("max_seq_length")
        if not isinstance(said, int):
            said = self.read("tokenizer_config.json").get("model_max_length")
        positions = self.read("config.json").get("max_position_embeddings")
        found = [int(each) for each in (said, positions) if isinstance(each, int | float) and each > 0]
        return min([*found, MAX_TOKENS])

    def padding(self, tokenizer: Any) -> int:
        """The token that fills up a batch. It counts for nothing, but has to be one of the model's."""
        token = self.read("tokenizer_config.json").get("pad_token")
        named = token.get("content") if isinstance(token, dict) else token
        known = tokenizer.token_to_id(named) if isinstance(named, str) else None
        return int(known if known is not None else self.read("config.json").get("pad_token_id") or 0)


def _mean(tokens: Tokens, mask: Mask) -> Vectors:
    mean: Vectors = _sum(tokens, mask) / np.maximum(mask.sum(1, keepdims=True), 1e-9)
    return mean


def _mean_sqrt(tokens: Tokens, mask: Mask) -> Vectors:
    scaled: Vectors = _sum(tokens, mask) / np.sqrt(np.maximum(mask.sum(1, keepdims=True), 1e-9))
    return scaled


def _sum(tokens: Tokens, mask: Mask) -> Vectors:
    summed: Vectors = np.einsum("bsd,bs->bd", tokens, mask)
    return summed


def _first(tokens: Tokens, mask: Mask) -> Vectors:
    return tokens[:, 0]


def _largest(tokens: Tokens, mask: Mask) -> Vectors:
    largest: Vectors = np.where(mask[:, :, None] > 0, tokens, -np.inf).max(1).astype(np.float32)
    return largest


def _last(tokens: Tokens, mask: Mask) -> Vectors:
    last: Vectors = tokens[np.arange(len(tokens)), mask.sum(1).astype(np.int64) - 1]
    return last


_POOLINGS: dict[str, Callable[[Tokens, Mask], Vectors]] = {
    "mean": _mean, "mean_sqrt_len_tokens": _mean_sqrt, "cls": _first, "max": _largest, "lasttoken": _last,
}  # fmt: skip
"""``pooling_mode`` of sentence-transformers to what it does: shapes (texts, tokens, dimension), (texts, tokens)."""
