"""A plain BERT encoder on torch alone, for the folders that hold one: ready in a third of the time, with two thirds
of the memory.

Used by ``embedders.load`` in the worker process. Measured with all-MiniLM-L6-v2 beside sentence-transformers, which
takes transformers along: ready after 1.2 instead of 5.6 seconds of processor time, 430 MB instead of 630, the same
vectors (cosine 0.9999998 over 155 texts), and no slower. Every command that has no daemon, and the first search after a
mount, waits for this. Which folders are such models is looked at closely; all others are sentence-transformers'.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from kgfs.config import Config
from kgfs.errors import ModelError
from kgfs.models.token_model import ModelFolder, TokenModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kgfs.models.token_model import Forward

    Linear = Callable[[Any, "_Matrix"], Any]
    Added = Callable[[Any, "_Matrix", Any], Any]

_WEIGHTS = "model.safetensors"
_FEW_ROWS, _MANY, _ROWS = 32, 512, 128
"""Tokens of a batch are filled up to a multiple of so many, from ``_MANY`` on to one of ``_ROWS``."""
_KEYS = 16
"""Attention is to a multiple of so many tokens, those behind a text hidden: torch takes up to twice as long for any
other number (250 tokens 1.2 ms a layer, 256 0.7)."""
_MODULES = [["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]]
_SETTINGS = {
    "model_type": "bert", "architectures": ["BertModel"], "hidden_act": "gelu", "position_embedding_type": "absolute",
    "is_decoder": False, "add_cross_attention": False, "chunk_size_feed_forward": 0,
}  # fmt: skip
"""What the computation here is right for, where a model says anything of it. The first two it must say."""


def is_plain_bert(place: Path) -> bool:
    """Whether a folder holds a BERT with pooling and nothing else, with its weights as safetensors."""
    folder = ModelFolder(place, "")
    if not all((place / name).is_file() for name in (_WEIGHTS, "tokenizer.json", "modules.json")):
        return False
    try:
        modules = msgspec.json.decode((place / "modules.json").read_bytes(), type=list[dict[str, Any]])
        said = folder.read("config.json")
        transformer = folder.read("sentence_bert_config.json")
    except msgspec.DecodeError:
        return False
    return (
        [str(one.get("type", "")).rpartition(".")[2] for one in modules] in _MODULES
        and not modules[0].get("path")
        and not transformer.get("do_lower_case")
        and all(name in said for name in ("model_type", "architectures"))
        and all(said.get(name, wanted) == wanted for name, wanted in _SETTINGS.items())
    )


def open_bert(config: Config, place: Path, *, half: bool) -> TokenModel | None:
    """The model in the folder ``place``; ``None`` where its weights are not those of a plain encoder, or its pooling is
    not known here. ``half``: many texts at once are embedded in 16-bit floats."""
    folder = ModelFolder(place, config.embedding_model)
    try:
        encoder, poolings = _Encoder(folder), folder.poolings()
    except (KeyError, ModelError):
        return None
    return TokenModel(folder, config, encoder.forward, poolings, encoder.halved() if half else None)


class _Encoder:
    """The layers (Devlin et al., "BERT", 2019), as ``BertModel`` of transformers computes them.

    Nothing is computed for what fills up the texts of a batch: the tokens of all of them are one sequence of rows, and
    only attention goes text by text. Filled up, passages take a tenth more, names more than twice as much.
    """

    def __init__(self, folder: ModelFolder) -> None:
        """``KeyError`` where a weight is missing."""
        import torch
        from safetensors.torch import load_file

        said = folder.read("config.json")
        self._torch = torch
        self._epsilon = float(said["layer_norm_eps"])
        self._heads = int(said["num_attention_heads"])
        weights = load_file(folder.place / _WEIGHTS)
        named = {
            name.removeprefix("bert."): tensor.float() for name, tensor in weights.items() if tensor.is_floating_point()
        }
        self._words = named["embeddings.word_embeddings.weight"]
        self._places = named["embeddings.position_embeddings.weight"]
        self._first = named["embeddings.token_type_embeddings.weight"][0]
        self._begin = _norm(named, "embeddings.")
        self._layers = [_Layer(named, f"encoder.layer.{number}.") for number in range(int(said["num_hidden_layers"]))]
        functional = torch.nn.functional
        self._linear: Linear = lambda values, of: functional.linear(values, *of)
        self._gelu: Linear = lambda values, of: functional.gelu(functional.linear(values, *of))
        self._added: Added = lambda values, of, to: functional.linear(values, *of) + to
        self._type = torch.float32

    def halved(self) -> Forward | None:
        """``forward`` in 16-bit floats (bfloat16), with the matrices in the order in which oneDNN multiplies them, and
        what follows a product computed in it; ``None`` where this torch has it not."""
        torch = self._torch
        pack = getattr(torch.ops.mkldnn, "_reorder_linear_weight", None)
        multiply: Any = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
        binary: Any = getattr(multiply, "binary", None)
        if not torch.backends.mkldnn.is_available() or pack is None or binary is None:
            return None
        other = copy(self)
        other._type = torch.bfloat16
        other._layers = [
            layer.changed(lambda one: _Matrix(pack(one.weight.bfloat16()), one.bias.bfloat16()))
            for layer in self._layers
        ]
        other._linear = lambda values, of: multiply(values, *of, "none", [], "")
        other._gelu = lambda values, of: multiply(values, *of, "gelu", [], "none")
        other._added = lambda values, of, to: binary(values, to, *of, "add")
        return other.forward

    def forward(self, tokens: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """Shapes (texts, tokens) to (texts, tokens, dimension), zeros where the mask is; texts begin their rows."""
        torch = self._torch
        seen = mask != 0
        lengths = seen.sum(axis=1)
        count = int(lengths.sum())
        # oneDNN keeps something for each number of rows that it met. Attention reads beyond the last text.
        rows = -(-(count + _KEYS) // (step := _FEW_ROWS if count < _MANY else _ROWS)) * step
        numbers, places = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
        numbers[:count], places[:count] = tokens[seen], np.nonzero(seen)[1]
        with torch.inference_mode():
            hidden = self._words[torch.from_numpy(numbers)] + self._first + self._places[torch.from_numpy(places)]
            hidden = self._normed(hidden, self._begin).to(self._type)
            for layer in self._layers:
                hidden = self._layer(layer, hidden, lengths)
            found = np.zeros((*tokens.shape, hidden.shape[1]), np.float32)
            found[seen] = hidden[:count].float().numpy()
            return found

    def _layer(self, layer: _Layer, hidden: Any, lengths: NDArray[np.int64]) -> Any:
        context = self._attended(self._linear(hidden, layer.attention), lengths)
        hidden = self._normed(self._added(context, layer.joined, hidden), layer.joined_norm)
        inner = self._gelu(hidden, layer.inner)
        return self._normed(self._added(inner, layer.outer, hidden), layer.outer_norm)

    def _attended(self, parts: Any, lengths: NDArray[np.int64]) -> Any:
        """What each token takes from those of its text; texts of one length that follow each other at once."""
        torch = self._torch
        width = parts.shape[1] // 3
        size = width // self._heads
        context = torch.zeros((parts.shape[0], width), dtype=parts.dtype)
        start = 0
        for length, same in groupby(lengths.tolist()):
            texts = len(list(same))
            end = start + texts * length
            if length:
                seen = -(-length // _KEYS) * _KEYS
                hidden = torch.zeros((1, 1, 1, seen), dtype=parts.dtype)
                hidden[..., length:] = -torch.inf
                # Of each text its rows and, hidden, those of the next one.
                shape = (texts, seen, 3, self._heads, size)
                strides = (3 * width * length, 3 * width, width, size, 1)
                own = parts.as_strided(shape, strides, 3 * width * start).permute(2, 0, 3, 1, 4)
                whole = torch.nn.functional.scaled_dot_product_attention(
                    own[0][:, :, :length], own[1], own[2], attn_mask=hidden
                )
                context[start:end] = whole.transpose(1, 2).reshape(-1, width)
            start = end
        return context

    def _normed(self, values: Any, by: _Matrix) -> Any:
        return self._torch.nn.functional.layer_norm(values, by.weight.shape, by.weight, by.bias, self._epsilon)


class _Matrix(NamedTuple):
    """Tensors of torch: what values are multiplied by, and what is added."""

    weight: Any
    bias: Any


class _Layer:
    """The weights of a layer. ``KeyError`` where one is missing."""

    def __init__(self, named: Mapping[str, Any], name: str) -> None:
        import torch

        parts = [_matrix(named, f"{name}attention.self.{part}") for part in ("query", "key", "value")]
        self.attention = _Matrix(torch.cat([part.weight for part in parts]), torch.cat([part.bias for part in parts]))
        self.joined = _matrix(named, f"{name}attention.output.dense")
        self.joined_norm = _norm(named, f"{name}attention.output.")
        self.inner = _matrix(named, f"{name}intermediate.dense")
        self.outer = _matrix(named, f"{name}output.dense")
        self.outer_norm = _norm(named, f"{name}output.")

    def changed(self, change: Callable[[_Matrix], _Matrix]) -> _Layer:
        """This layer with other matrices; its norms stay."""
        other = copy(self)
        for part in ("attention", "joined", "inner", "outer"):
            setattr(other, part, change(getattr(self, part)))
        return other


def _matrix(named: Mapping[str, Any], name: str) -> _Matrix:
    return _Matrix(named[f"{name}.weight"], named[f"{name}.bias"])


def _norm(named: Mapping[str, Any], name: str) -> _Matrix:
    return _matrix(named, f"{name}LayerNorm")
