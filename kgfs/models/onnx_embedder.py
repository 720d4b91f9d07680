"""The ONNX form of an embedding model, run by onnxruntime: loads in a second, and needs no torch.

Used by ``embedders.load`` in the worker process.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kgfs.config import Config
from kgfs.errors import ModelError
from kgfs.models.token_model import MEND, ModelFolder, TokenModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")
_WHOLE_OUTPUT = "sentence_embedding"
_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")


def open_onnx(config: Config, place: Path, file: Path) -> TokenModel:
    """The model ``file`` in the folder ``place``; raises what its files cause. ``ModelError`` where onnxruntime is
    missing, or the model has a layer that its ONNX form lacks."""
    setting = config.embedding_model
    try:
        import onnxruntime
    except ImportError as error:
        raise ModelError(
            f"The model {setting} is in ONNX form, and onnxruntime is not installed;"
            f" run `pip install onnxruntime`, or {MEND}."
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _threads()
    options.inter_op_num_threads = 1
    # Threads that wait by spinning take the processors from the other legs of a search.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session: Any = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    types = {each.name: _number_type(each.type) for each in session.get_inputs()}
    if unknown := sorted(set(types) - set(_INPUTS)):
        raise ModelError(f"The model {setting} wants {', '.join(unknown)}, which no text gives; {MEND}.")
    outputs = [each.name for each in session.get_outputs()]
    output = next((name for name in (*_TOKEN_OUTPUTS, _WHOLE_OUTPUT) if name in outputs), outputs[0])

    def forward(tokens: Numbers, mask: Numbers) -> NDArray[np.float32]:
        given = {
            "input_ids": tokens,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(tokens),
            "position_ids": np.broadcast_to(np.arange(tokens.shape[1]), tokens.shape),
        }
        feed = {name: np.ascontiguousarray(given[name], kind) for name, kind in types.items()}
        (found,) = session.run([output], feed)
        return np.asarray(found, np.float32)

    folder = ModelFolder(place, setting)
    return TokenModel(folder, config, forward, () if output == _WHOLE_OUTPUT else folder.poolings())


def _threads() -> int:
    """As many as the worker's environment says (``kgfs.models.process``), else as there are processors."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    return int(said) if said.isdecimal() and int(said) else len(os.sched_getaffinity(0))


def _number_type(name: str) -> type[np.int64] | type[np.int32]:
    return np.int32 if "int32" in name else np.int64
