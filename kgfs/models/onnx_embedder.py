"""The ONNX form of an embedding model, run by onnxruntime: loads in a second, and needs no torch.

Used by ``embedders.load`` in the worker process. A folder has ``model.onnx``, ``tokenizer.json`` and what
sentence-transformers keeps beside them (``modules.json``, the pooling's ``config.json``, prompts); where these are
missing it is mean pooling. The vectors are those that sentence-transformers makes of the same model, to rounding.
Safe to call from several threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from kgfs.config import Config
from kgfs.errors import ModelError
from kgfs.models.embedders import BATCH, MAX_TOKENS, MEND, PADDING, onnx_file
from kgfs.models.reading import Reading, prompts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Tokens = NDArray[np.float32]
    Mask = NDArray[np.float32]

_LEGACY_MODES = {
    "pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max", "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens", "pooling_mode_lasttoken": "lasttoken",
}  # fmt: skip
"""How the pooling's file says what sentence-transformers 6 calls ``pooling_mode``; its order."""
_TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")
_WHOLE_OUTPUT = "sentence_embedding"
_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")


class OnnxEmbedder:
    """A model in ONNX form on the processor. Safe to call from several threads."""

    def __init__(self, config: Config, place: Path) -> None:
        """Load the model in the folder ``place``; raises what its files cause. ``ModelError`` where onnxruntime is
        missing, or the model has a layer that its ONNX form lacks."""
        setting = config.embedding_model
        try:
            import onnxruntime
        except ImportError as error:
            raise ModelError(
                f"The model {setting} is in ONNX form, and onnxruntime is not installed;"
                f" run `pip install 'kgfs[onnx]'`, or {MEND}."
            ) from error
        from tokenizers import Tokenizer

        settings = _Folder(place, setting)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = _threads()
        options.inter_op_num_threads = 1
        # Threads that wait by spinning take the processors from the other legs of a search.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: Any = onnxruntime.InferenceSession(
            str(onnx_file(place)), options, providers=["CPUExecutionProvider"]
        )
        self._types = {each.name: _number_type(each.type) for each in self._session.get_inputs()}
        if unknown := sorted(set(self._types) - set(_INPUTS)):
            raise ModelError(f"The model {setting} wants {', '.join(unknown)}, which no text gives; {MEND}.")
        outputs = [each.name for each in self._session.get_outputs()]
        self._output = next((name for name in (*_TOKEN_OUTPUTS, _WHOLE_OUTPUT) if name in outputs), outputs[0])
        self._poolings = () if self._output == _WHOLE_OUTPUT else settings.poolings()
        self._longest = settings.longest()
        file = str(place / "tokenizer.json")
        self._tokenizer = Tokenizer.from_file(file)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self._longest)
        self._pad = settings.padding(self._tokenizer)
        declared = settings.read("config_sentence_transformers.json").get("prompts") or {}
        self._reading = Reading(Tokenizer.from_file(file), self._longest, prompts(declared, config))
        self.dimension = int(self._vectors(["dimension"], "").shape[1])

    def encode(self, texts: Sequence[str]) -> Vectors:
        return self._reading.passages(texts, self._vectors, self.dimension)

    def encode_query(self, query: str) -> Vectors:
        return self._reading.query(query, self._vectors)

    def _vectors(self, texts: list[str], prompt: str) -> Vectors:
        """Of texts that fit; those of about one length share a batch."""
        ids = [tokens.ids for tokens in self._tokenizer.encode_batch([(prompt + text).strip() for text in texts])]
        order = sorted(range(len(ids)), key=lambda place: -len(ids[place]))
        found = np.empty((len(ids), 0), np.float32)
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            vectors = self._batch([ids[place] for place in places])
            if not found.shape[1]:
                found = np.empty((len(ids), vectors.shape[1]), np.float32)
            found[places] = vectors
        return found

    def _batch(self, ids: list[list[int]]) -> Vectors:
        width = min(-(-max(map(len, ids)) // PADDING) * PADDING, self._longest)
        tokens = np.full((len(ids), width), self._pad, np.int64)
        mask = np.zeros((len(ids), width), np.int64)
        for row, one in enumerate(ids):
            tokens[row, : len(one)] = one
            mask[row, : len(one)] = 1
        given = {
            "input_ids": tokens,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(tokens),
            "position_ids": np.broadcast_to(np.arange(width), tokens.shape),
        }
        feed = {name: np.ascontiguousarray(given[name], kind) for name, kind in self._types.items()}
        (output,) = self._session.run([self._output], feed)
        whole = np.asarray(output, np.float32)
        if self._poolings:
            kept = mask.astype(np.float32)
            whole = np.concatenate([_POOLINGS[pooling](whole, kept) for pooling in self._poolings], axis=1)
        lengths = np.linalg.norm(whole, axis=1, keepdims=True)
        vectors: Vectors = np.ascontiguousarray(whole / np.maximum(lengths, 1e-12), np.float32)
        return vectors


class _Folder:
    """The settings that lie beside a model."""

    def __init__(self, place: Path, setting: str) -> None:
        self._place, self._setting = place, setting

    def read(self, name: str) -> dict[str, Any]:
        """A JSON object; an empty one where there is no such file."""
        file = self._place / name
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Any]) if file.is_file() else {}

    def poolings(self) -> tuple[str, ...]:
        """How the vectors of tokens become one. ``ModelError`` for what is not known, or a layer behind it."""
        file = self._place / "modules.json"
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


def _threads() -> int:
    """As many as the worker's environment says (``kgfs.models.process``), else as there are processors."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    return int(said) if said.isdecimal() and int(said) else len(os.sched_getaffinity(0))


def _number_type(name: str) -> type[np.int64] | type[np.int32]:
    return np.int32 if "int32" in name else np.int64


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
