"""The packaged model in ONNX form, written from its weights: what its authors' exporter makes, without one.

A BERT of pre-built operators, which is all that all-MiniLM-L6-v2 is; ``scripts/bench.d/embedders.py`` uses it too.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper, save
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from kgfs.models.embedders import locate

PACKAGED = Path(locate("packaged:all-MiniLM-L6-v2"))


def write_onnx_form(folder: Path, source: Path = PACKAGED, *, half: bool = False) -> Path:
    """The folder of a model like ``source`` whose weights are in ``model.onnx`` alone.

    With ``half`` they are kept as 16-bit floats and computed with as 32-bit ones: half the size, the same vectors to
    0.000001.
    """
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.safetensors", "*.md", "vocab.txt"))
    config = json.loads((source / "config.json").read_text())
    save(_Bert(load_file(source / "model.safetensors"), config, half=half).model(), folder / "model.onnx")
    return folder


def write_small_model(
    folder: Path,
    *,
    dimension: int = 32,
    seed: int = 1,
    pooling: str = "mean",
    prompts: dict[str, str] | None = None,
    torch: bool = False,
) -> Path:
    """The folder of a model with the packaged one's tokenizer and arbitrary weights, in ONNX form, and for ``torch``
    too. It loads and embeds in no time, and each ``seed`` is a vector space of its own."""
    shutil.copytree(PACKAGED, folder, ignore=shutil.ignore_patterns("*.safetensors", "*.md", "vocab.txt"))
    config = json.loads((PACKAGED / "config.json").read_text())
    config |= {
        "hidden_size": dimension, "num_attention_heads": 4, "intermediate_size": 2 * dimension, "num_hidden_layers": 1,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    pooled = {"embedding_dimension": dimension, "pooling_mode": pooling}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooled))
    declared = {"prompts": prompts or {}, "default_prompt_name": None}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(declared))
    weights = _arbitrary_weights(config, np.random.default_rng(seed))
    save(_Bert(weights, config).model(), folder / "model.onnx")
    if torch:
        save_file(weights, folder / "model.safetensors", {"format": "pt"})
    return folder


def write_multilingual_model(folder: Path, meanings: Sequence[Sequence[str]]) -> Path:
    """The folder of a model in ONNX form to which the words of each of ``meanings``, in whatever languages, are one.

    A text's vector is the mean of what its words mean; other words, and signs, mean next to nothing.
    """
    words = {"[PAD]": 0, "[UNK]": 1} | {
        word: number for number, word in enumerate((word for same in meanings for word in same), 2)
    }
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(lowercase=True, strip_accents=False, handle_chinese_chars=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    table = np.zeros((len(words), len(meanings) + 1), np.float32)
    table[:, 0] = 0.02
    for axis, same in enumerate(meanings, 1):
        for word in same:
            table[words[word], axis] = 1.0
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    gather = helper.make_node("Gather", ["meanings", "input_ids"], ["last_hidden_state"])
    given = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])
    result = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["texts", "tokens", table.shape[1]])
    graph = helper.make_graph([gather], "meanings", [given], [result], [numpy_helper.from_array(table, "meanings")])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), folder / "model.onnx")
    return folder


def _arbitrary_weights(config: dict[str, Any], dice: np.random.Generator) -> dict[str, NDArray[Any]]:
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings": (config["vocab_size"], hidden),
        "embeddings.position_embeddings": (config["max_position_embeddings"], hidden),
        "embeddings.token_type_embeddings": (2, hidden),
    }
    layer = "encoder.layer.0"
    for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
        shapes[f"{layer}.{name}"] = (hidden, hidden)
    shapes |= {f"{layer}.intermediate.dense": (inner, hidden), f"{layer}.output.dense": (hidden, inner)}
    shapes["pooler.dense"] = (hidden, hidden)
    weights = {f"{name}.weight": dice.standard_normal(shape) / 4 for name, shape in shapes.items()}
    weights |= {
        f"{name}.bias": dice.standard_normal(shape[0]) / 4
        for name, shape in shapes.items()
        if not name.startswith("embeddings")
    }
    for name in ("embeddings", f"{layer}.attention.output", f"{layer}.output"):
        weights |= {f"{name}.LayerNorm.weight": np.ones(hidden), f"{name}.LayerNorm.bias": np.zeros(hidden)}
    return {name: value.astype(np.float32) for name, value in weights.items()}


class _Bert:
    def __init__(self, weights: dict[str, NDArray[Any]], config: dict[str, Any], *, half: bool = False) -> None:
        self._half = half
        self._weights = weights
        self._config = config
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def _op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def _constant(self, value: NDArray[Any], name: str = "") -> str:
        name = name or f"c{len(self._constants)}"
        if self._half and value.ndim == 2 and value.dtype == np.float32:
            kept = self._constant(value.astype(np.float16), f"{name}.half")
            return self._op("Cast", kept, to=TensorProto.FLOAT)
        self._constants.setdefault(name, numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def _number(self, value: float) -> str:
        return self._constant(np.array(value, np.float32))

    def _weight(self, name: str) -> str:
        return self._constant(self._weights[name].astype(np.float32), name)

    def _linear(self, x: str, name: str) -> str:
        turned = self._constant(self._weights[f"{name}.weight"].astype(np.float32).T, f"{name}.turned")
        return self._op("Add", self._op("MatMul", x, turned), self._weight(f"{name}.bias"))

    def _norm(self, x: str, name: str) -> str:
        return self._op(
            "LayerNormalization", x, self._weight(f"{name}.weight"), self._weight(f"{name}.bias"),
            axis=-1, epsilon=self._config["layer_norm_eps"],
        )  # fmt: skip

    def _heads(self, x: str) -> str:
        heads = self._config["num_attention_heads"]
        shape = self._constant(np.array([0, 0, heads, self._config["hidden_size"] // heads], np.int64))
        return self._op("Transpose", self._op("Reshape", x, shape), perm=[0, 2, 1, 3])

    def _embedded(self) -> str:
        words = self._op("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        types = self._op("Gather", self._weight("embeddings.token_type_embeddings.weight"), "token_type_ids")
        length = self._op("Gather", self._op("Shape", "input_ids"), self._constant(np.array(1)))
        places = self._op("Range", self._constant(np.array(0)), length, self._constant(np.array(1)))
        positions = self._op("Gather", self._weight("embeddings.position_embeddings.weight"), places)
        return self._norm(self._op("Add", self._op("Add", words, types), positions), "embeddings.LayerNorm")

    def _layer(self, x: str, hidden: str, name: str) -> str:
        query, key, value = (
            self._heads(self._linear(x, f"{name}.attention.self.{part}")) for part in ("query", "key", "value")
        )
        size = self._config["hidden_size"] // self._config["num_attention_heads"]
        scores = self._op("MatMul", query, self._op("Transpose", key, perm=[0, 1, 3, 2]))
        scores = self._op("Add", self._op("Div", scores, self._number(math.sqrt(size))), hidden)
        mixed = self._op("MatMul", self._op("Softmax", scores, axis=-1), value)
        whole = self._constant(np.array([0, 0, self._config["hidden_size"]], np.int64))
        mixed = self._op("Reshape", self._op("Transpose", mixed, perm=[0, 2, 1, 3]), whole)
        attended = self._op("Add", self._linear(mixed, f"{name}.attention.output.dense"), x)
        attended = self._norm(attended, f"{name}.attention.output.LayerNorm")
        inner = self._op("Gelu", self._linear(attended, f"{name}.intermediate.dense"))
        outer = self._op("Add", self._linear(inner, f"{name}.output.dense"), attended)
        return self._norm(outer, f"{name}.output.LayerNorm")

    def model(self) -> Any:
        axes = self._constant(np.array([1, 2], np.int64))
        mask = self._op("Unsqueeze", self._op("Cast", "attention_mask", to=TensorProto.FLOAT), axes)
        hidden = self._op("Mul", self._op("Sub", self._number(1.0), mask), self._number(-1e9))
        x = self._embedded()
        for layer in range(self._config["num_hidden_layers"]):
            x = self._layer(x, hidden, f"encoder.layer.{layer}")
        self._nodes[-1].output[0] = "last_hidden_state"
        given = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ]
        sizes = ["texts", "tokens", self._config["hidden_size"]]
        result = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, sizes)
        graph = helper.make_graph(self._nodes, "bert", given, [result], list(self._constants.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
