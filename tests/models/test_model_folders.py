"""The folder of a model is data: what in it is code, or a pickle that would run some, is not run.

In the worker as it runs for a user: its environment is a part of the answer.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kgfs.config import Config
from kgfs.errors import KgfsError
from kgfs.models.client import Worker
from kgfs.models.process import environment
from tests.onnx_models import write_small_model

CODE = """
open({marker!r}, "w").close()
class Evil:
    def __init__(self, *arguments, **options): pass
    load = from_pretrained = classmethod(lambda evil, *arguments, **options: evil())
"""


class Runs:
    """What a pickle of it does when it is read."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return os.open, (str(self.marker), os.O_CREAT | os.O_WRONLY)


def change(file: Path, **values: object) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def module_of_the_folder(folder: Path, marker: Path) -> None:
    (folder / "custom.py").write_text(CODE.format(marker=str(marker)))
    modules = json.loads((folder / "modules.json").read_text())
    modules[0]["type"] = "custom.Evil"
    (folder / "modules.json").write_text(json.dumps(modules))


def classes_of_the_folder(folder: Path, marker: Path) -> None:
    (folder / "custom.py").write_text(CODE.format(marker=str(marker)))
    names = ("AutoConfig", "AutoModel", "AutoModelForMaskedLM")
    change(folder / "config.json", model_type="evil", auto_map={name: "custom.Evil" for name in names})


def tokenizer_of_the_folder(folder: Path, marker: Path) -> None:
    (folder / "custom.py").write_text(CODE.format(marker=str(marker)))
    change(folder / "config.json", hidden_act="relu")  # no plain BERT, whose tokenizer is read without transformers
    settings = folder / "tokenizer_config.json"
    settings.write_text(settings.read_text() if settings.exists() else "{}")
    change(settings, tokenizer_class="Evil", auto_map={"AutoTokenizer": ["custom.Evil", "custom.Evil"]})


def pickled_weights(folder: Path, marker: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Runs(marker)))


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.parametrize(
    "hide", [module_of_the_folder, classes_of_the_folder, tokenizer_of_the_folder, pickled_weights]
)
def test_code_in_the_folder_of_a_model_does_not_run(hide: Callable[[Path, Path], None], tmp_path: Path) -> None:
    folder = write_small_model(tmp_path / "model", torch=True)
    shutil.rmtree(folder / "onnx", ignore_errors=True)
    (folder / "model.onnx").unlink()
    marker = tmp_path / "ran"
    hide(folder, marker)
    with Worker(tmp_path / "store", Config(embedding_model=str(folder), embedding_dimension=32)) as worker:
        try:
            said = worker.load_model().error
        except KgfsError as error:
            said = error.message
    assert not marker.exists()
    assert hide is tokenizer_of_the_folder or "cannot be loaded" in said, said


@pytest.mark.slow
@pytest.mark.model
def test_a_pickle_beside_the_weights_does_not_run_whoever_reads_it(tmp_path: Path) -> None:
    """A layer's own weights, and whatever else a library loads by torch: the environment of the worker decides."""
    folder = write_small_model(tmp_path / "model", torch=True)
    (folder / "model.onnx").unlink()
    marker = tmp_path / "ran"
    layer = folder / "3_Dense"
    layer.mkdir()
    settings = {"in_features": 32, "out_features": 32, "bias": True, "activation_function": "torch.nn.Tanh"}
    (layer / "config.json").write_text(json.dumps(settings))
    (layer / "pytorch_model.bin").write_bytes(pickle.dumps(Runs(marker)))
    modules = json.loads((folder / "modules.json").read_text())
    modules.append({"idx": 3, "name": "3", "path": "3_Dense", "type": "sentence_transformers.models.Dense"})
    (folder / "modules.json").write_text(json.dumps(modules))
    with (
        Worker(tmp_path / "store", Config(embedding_model=str(folder), embedding_dimension=32)) as worker,
        pytest.raises(KgfsError, match="cannot be loaded"),
    ):
        worker.load_model()
    assert not marker.exists()
    variables = environment()
    assert variables["TORCH_FORCE_WEIGHTS_ONLY_LOAD"] == "1" and "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD" not in variables
