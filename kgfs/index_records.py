"""Plain records of the search index: what is put into it, questions and their results, and the state of its model.

Made by the pipeline, the search and the worker; they cross the worker's socket. No I/O, nothing of ours imported.
"""

from __future__ import annotations

from typing import Literal

import msgspec

INDEX_TERMS = "2"
"""Which terms the keyword index makes of a text (``kgfs.store.index.terms``). To be changed with them, and with a
release of the stemmers that stems other words otherwise: then the keyword index of every store is made again."""


class IndexRow(msgspec.Struct, kw_only=True):
    """One row for the search index: a chunk, an entity, a fact or a topic, under its row id.

    ``title`` (a chunk's title and headings, an entity's name and aliases) and ``text`` are what the keyword index sees;
    ``embedded`` is what the model sees (made by ``kgfs.graph.embedding_text``, empty where only the keyword index is
    written).
    """

    id: int
    document_id: int = 0
    """The document of a chunk or a fact; 0 for what belongs to many."""
    gen: int
    """The generation that was read: the row's ``want_gen``; a hit of another generation is dropped."""
    title: str
    text: str
    embedded: str = ""


class IdFilter(msgspec.Struct, kw_only=True):
    """A filter inside the index: rows with one of these ids; ``None`` is no filter."""

    ids: bytes | None = None
    """Ascending, each once, as 64-bit integers of this machine: lists of 100,000 numbers would cost more than the
    search."""


class Ranking(msgspec.Struct, kw_only=True):
    """One leg's answer for one kind, best first: three lists of one length.

    Scores are BM25 (above 0, no upper end) or the cosine (-1 to 1); higher is better.
    """

    ids: list[int] = []
    gens: list[int] = []
    scores: list[float] = []


class IndexState(msgspec.Struct, kw_only=True):
    """What the index holds. A table whose identity changed was lost and made anew: its rows want indexing again."""

    identities: dict[str, str]
    """``chunk_text``, ``chunk_vectors`` …: a random name given when the table was made."""
    texts: dict[str, int]
    vectors: dict[str, int]
    """Rows a kind, of whatever model."""
    rebuilt: list[str] = []
    """Tables that were found damaged since the worker started, and made anew, empty."""


class NamedEntity(msgspec.Struct, frozen=True, order=True):
    """An entity as the search for merge candidates sees it."""

    id: int
    name: str
    type: str


class MergeCandidate(msgspec.Struct, frozen=True):
    """Two entities that may be one though nothing says so."""

    one: int
    """The smaller id."""
    other: int
    reason: str
    """What they have in common."""
    cosine: float | None
    """Of their vectors; ``None`` where one had none."""
    score: float
    """How likely they are one, 0 to 1."""


class IndexedRows(msgspec.Struct, kw_only=True):
    """Some rows of one table of the index, in order of id: three lists of one length, as 64-bit integers of this
    machine."""

    ids: bytes = b""
    gens: bytes = b""
    documents: bytes = b""


class WorkerStatus(msgspec.Struct, kw_only=True):
    """The state of the embedding model in the worker."""

    model: Literal["idle", "loading", "ready", "other", "failed"] = "idle"
    """``other``: it is loaded, and the vectors of the store are of another model."""
    model_id: str = ""
    dimension: int = 0
    error: str = ""
    """One sentence that says what to do, where ``model`` is ``failed`` or ``other``."""
