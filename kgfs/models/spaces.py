"""Which vector space a store's vectors are of, and whether the model that is loaded makes vectors of it.

Used by the worker, in the threads of its lanes. Vectors of two spaces must never be compared: the numbers would look
like answers. Names and files cannot tell: one model has several forms (torch, ONNX) whose vectors are the same, and
one file may be another model tomorrow. So a space is known by what the model *does*: ``space.json`` beside the vectors
keeps some texts with their vectors, and a model is of the space when it makes the same of these texts.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from kgfs.config import Config
from kgfs.errors import ModelError, ModelMismatch
from kgfs.models.embedders import Embedder, identify, locate
from kgfs.models.token_model import MEND

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPACE = "space.json"
SAME = 0.999
"""Least cosine between two vectors of one text in one space. Measured with all-MiniLM-L6-v2: ONNX and torch with
16-bit floats 0.99996 and more; with its weights rounded to 8 bits 0.89 to 0.96."""
PROBES = (
    "Wages in the Boston District rose modestly, and employers said that workers are hard to find.",
    "Der Ausschuss beschloß, die Zinsen für März unverändert zu lassen.",
    "東京の中央銀行は金利を据え置いた。 Центральный банк сохранил ставку.",
    "def total(rows: list[int]) -> int:\n    return sum(rows) // 2  # half of it",
    "aspirin",
    " ".join(f"Item {number}: the {word} was counted twice." for number, word in enumerate(
        "anchor basket candle drawer engine feather garden hammer island jacket kettle ladder mirror needle orange"
        " pencil quarry ribbon saddle ticket umbrella valley window yarn zipper bridge copper dancer eleven".split()
    )),
)  # fmt: skip
"""Several languages and lengths: the last one is longer than models read at once, so that what becomes of the rest
counts too."""


class Space(msgspec.Struct, kw_only=True):
    """A vector space, as ``space.json`` keeps it."""

    model_id: str
    """Its name, which every vector of it bears."""
    setting: str
    """``embedding_model`` of the model that made the first vectors."""
    dimension: int
    texts: list[str]
    vectors: bytes
    """32-bit floats, shape (texts, dimension), of length 1."""

    def holds(self, embedder: Embedder) -> bool:
        """Whether the model's vectors are of this space. Embeds the texts: a tenth of a second."""
        return embedder.dimension == self.dimension and are_alike(embedder, self.texts, self.vectors)


def are_alike(embedder: Embedder, texts: Sequence[str], vectors: bytes) -> bool:
    """Whether a model makes of texts what another one made (32-bit floats, one text after the other)."""
    import numpy as np

    if not texts or len(vectors) != 4 * len(texts) * embedder.dimension:
        return False
    known: NDArray[np.float32] = np.frombuffer(vectors, np.float32).reshape(len(texts), embedder.dimension)
    cosines = (known * embedder.encode(texts)).sum(axis=1)
    return bool(cosines.min() >= SAME)


class Index(Protocol):
    """The part of ``kgfs.store.index.vectors.VectorStore`` that this uses."""

    dimension: int

    def model_ids(self) -> set[str]: ...

    def clear_vectors(self, dimension: int) -> None: ...


class StoreSpace:
    """The space of one store's vectors. Safe to use from several threads."""

    def __init__(self, directory: Path, config: Config) -> None:
        self._file = directory / SPACE
        self._config = config
        self._lock = threading.Lock()
        self._seen: Embedder | None = None
        self._id = ""
        self._refusal: ModelError | None = None

    def id_for(self, embedder: Embedder, index: Index) -> str:
        """The name of the store's space, which the model's vectors are of; a store without vectors takes the model's.

        ``ModelMismatch`` where the store has vectors of another space, ``ModelError`` where the settings have another
        dimension than the model (0 goes with every one). Looked at once a model.
        """
        with self._lock:
            if self._seen is not embedder:
                self._id, self._refusal = "", None
                try:
                    self._id = self._found(embedder, index)
                except ModelError as error:
                    self._refusal = error
                self._seen = embedder
            if self._refusal is not None:
                raise type(self._refusal)(self._refusal.message)
            return self._id

    def adopt(self, embedder: Embedder, index: Index) -> str:
        """Drop all vectors; from now on the store's space is the model's. Returns the name of the space."""
        with self._lock:
            # First: a record of the new space beside old vectors would have these pass for new ones.
            index.clear_vectors(embedder.dimension)
            self._id, self._refusal, self._seen = self._record(embedder), None, embedder
            return self._id

    def _found(self, embedder: Embedder, index: Index) -> str:
        setting, wanted = self._config.embedding_model, self._config.embedding_dimension
        if wanted not in (0, embedder.dimension):
            raise ModelError(
                f"The model {setting} makes vectors of {embedder.dimension} dimensions and this store is set to"
                f" {wanted}; run `kgfs reembed` to embed everything with it, `kgfs config embedding_dimension"
                f" {embedder.dimension}` where the setting alone is wrong, or {MEND}."
            )
        present = index.model_ids()
        space = self._read()
        if not present:
            if space is not None and index.dimension == space.dimension and space.holds(embedder):
                return space.model_id
            if index.dimension != embedder.dimension:
                index.clear_vectors(embedder.dimension)
            return self._record(embedder)
        if space is None or space.model_id not in present:
            # A store of before these records: the name of its vectors says of which files they are.
            former = identify(setting, locate(setting))
            if former in present and index.dimension == embedder.dimension:
                return self._record(embedder, former)
            raise self._mismatch(sorted(present)[0].partition("#")[0], index.dimension)
        if not space.holds(embedder):
            raise self._mismatch(space.setting, space.dimension)
        return space.model_id

    def _mismatch(self, setting: str, dimension: int) -> ModelMismatch:
        back = f"`kgfs config embedding_model {setting}`"
        if dimension != self._config.embedding_dimension:
            back += f" and `kgfs config embedding_dimension {dimension}`"
        return ModelMismatch(
            f"The vectors of this store were made by {setting}, and {self._config.embedding_model} as it is set now"
            f" makes others; run `kgfs reembed` to embed everything again, or {back} to go back."
        )

    def _read(self) -> Space | None:
        try:
            space = msgspec.json.decode(self._file.read_bytes(), type=Space)
        except (OSError, msgspec.DecodeError):
            return None
        return space if len(space.vectors) == 4 * len(space.texts) * space.dimension else None

    def _record(self, embedder: Embedder, model_id: str = "") -> str:
        """Write down the model's space. Its name has a hash of what the model does, so that no other has it."""
        vectors = embedder.encode(PROBES).tobytes()
        setting = self._config.embedding_model
        space = Space(
            model_id=model_id or f"{setting}#{hashlib.blake2b(vectors, digest_size=8).hexdigest()}",
            setting=setting,
            dimension=embedder.dimension,
            texts=list(PROBES),
            vectors=vectors,
        )
        temporary = self._file.with_suffix(".new")
        temporary.write_bytes(msgspec.json.encode(space))
        os.replace(temporary, self._file)
        return space.model_id
