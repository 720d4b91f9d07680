"""The worker's calls with their types: what the pipeline, the search and the service ask of it.

Used in the daemon and in commands, from any thread; every call blocks its thread. The other end is ``kgfs.worker``.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgfs.config import Config
from kgfs.errors import KgfsError, WorkerError
from kgfs.model import (
    Doubt,
    Extraction,
    IndexedRows,
    IndexRow,
    IndexState,
    LlmAnswer,
    LlmBatch,
    LlmRequest,
    LlmResult,
    Loaded,
    LoadRequest,
    NamedEntity,
    ParsedDocument,
    Ranking,
    TopicGroup,
    TopicMember,
    Where,
    WorkerStatus,
)
from kgfs.models.process import WorkerProcess

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUERY_SECONDS = 10.0
BULK_SECONDS = 900.0
TIDY_SECONDS = 10.0
LLM_PAUSES_SECONDS = 300.0
"""What the pauses between the tries of a request to a language model may add to the time of the tries."""
LOG = "worker.log"


class Worker:
    """The worker process of one store; it starts with the first call.

    Every call raises ``WorkerError`` when the process died under it and ``DeadlineExceeded`` after its time.
    Everything but ``parse`` and ``extract`` may be called again after that: twice is the same as once.
    """

    def __init__(self, store: Path, config: Config, log_path: Path | None = None) -> None:
        self._llm_seconds = config.llm_timeout_seconds * (config.llm_retries + 1) + LLM_PAUSES_SECONDS
        self._process = WorkerProcess(store, config, log_path or store / LOG)
        self._indexed = False
        """Whether anything was written to the index."""

    @property
    def pid(self) -> int | None:
        """The worker's process while it runs."""
        return self._process.pid

    def configure(self, config: Config, *, restart: bool) -> None:
        """The settings of the process when it starts again: at once, or whenever it has to."""
        self._process.configure(config)
        if restart:
            self._process.end()

    def close(self) -> None:
        """End the process; nothing can be called afterwards."""
        if self._indexed and self._process.pid is not None:
            # Asked for, not left to the end of the process: when we die, another worker may have the index by then.
            with contextlib.suppress(KgfsError):
                self._process.call("tidy", {}, type(None), TIDY_SECONDS)
        self._process.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- documents -------------------------------------------------------------------------------------------------

    def load(self, request: LoadRequest) -> Loaded:
        """What is at a URL, or why it cannot be had; minutes where an agent looks for it. Twice is two requests."""
        answer: Loaded = self._process.call("load", {"request": request}, Loaded, BULK_SECONDS)
        return answer

    def parse(self, path: str, data: bytes, name: str, mtime_ns: int | None, url: str = "") -> ParsedDocument:
        """The text and structure of a file with content ``data``. Path and name need not be UTF-8 (surrogates).

        ``url``: where it comes from, if from the web: then a page is read for its main text.
        """
        arguments = {
            "path": os.fsencode(path), "data": data, "name": os.fsencode(name), "mtime_ns": mtime_ns, "url": url,
        }  # fmt: skip
        answer: ParsedDocument = self._process.call("parse", arguments, ParsedDocument, BULK_SECONDS)
        return answer

    def parse_large(
        self, path: str, name: str, mtime_ns: int, size: int, head: bytes, tail: bytes, is_utf8: bool
    ) -> ParsedDocument:
        """The document that a file of ``size`` holds which is too large to be sent: its first and last bytes are.

        A format that is not text is read from ``path``. Of text the answer has no ``text`` where the file is UTF-8 as a
        whole: it is the file.
        """
        arguments = {
            "path": os.fsencode(path), "name": os.fsencode(name), "mtime_ns": mtime_ns, "size": size, "head": head,
            "tail": tail, "is_utf8": is_utf8,
        }  # fmt: skip
        answer: ParsedDocument = self._process.call("parse_large", arguments, ParsedDocument, BULK_SECONDS)
        return answer

    def extract(self, document: ParsedDocument, gazetteer: Any) -> Extraction:
        """What the extractor finds in a parsed document; ``gazetteer`` as ``kgfs.extraction`` defines it."""
        arguments = {"document": document, "gazetteer": gazetteer}
        answer: Extraction = self._process.call("extract", arguments, Extraction, BULK_SECONDS)
        return answer

    # --- the index -------------------------------------------------------------------------------------------------

    def index_texts(self, kind: str, rows: Sequence[IndexRow]) -> None:
        """Put rows of a kind (``kgfs.model.KINDS``) in the keyword index; they are found when this returns."""
        self._indexed = True
        self._process.call("index_texts", {"kind": kind, "rows": rows}, type(None), BULK_SECONDS)

    def index_vectors(self, kind: str, rows: Sequence[IndexRow]) -> None:
        """Embed what the rows say is ``embedded`` (else their title and text) and keep the vectors.

        Loads the model if need be; ``ModelError`` when it cannot be loaded. Some 20 passages a second and two
        processors: give at most a few hundred rows, so that progress can be shown and Ctrl-C heard.
        """
        self._indexed = True
        self._process.call("index_vectors", {"kind": kind, "rows": rows}, type(None), BULK_SECONDS)

    def group_topics(self, members: Sequence[TopicMember]) -> list[TopicGroup]:
        """Topics in groups by the vectors of their chunks; those that fit none, and those without vectors, in none."""
        answer: list[TopicGroup] = self._process.call(
            "group_topics", {"members": members}, list[TopicGroup], BULK_SECONDS
        )
        return answer

    def doubts(self, names: Sequence[NamedEntity]) -> list[Doubt]:
        """The pairs of entities that may be one, by their names and vectors, in order of ids."""
        answer: list[Doubt] = self._process.call("doubts", {"names": names}, list[Doubt], BULK_SECONDS)
        return answer

    def unindex(self, kind: str, ids: Sequence[int]) -> None:
        """Remove rows from both indexes; unknown ids are nothing."""
        self._process.call("unindex", {"kind": kind, "ids": ids}, type(None), BULK_SECONDS)

    def indexed(self, kind: str, part: str, first: int, limit: int) -> IndexedRows:
        """The rows that the index has of a kind in its ``part`` ``text`` or ``vector``, from id ``first`` on in order
        of id, ``limit`` at most."""
        arguments = {"kind": kind, "part": part, "first": first, "limit": limit}
        answer: IndexedRows = self._process.call("indexed", arguments, IndexedRows, BULK_SECONDS)
        return answer

    def index_state(self) -> IndexState:
        """What the index holds, and which of its tables were rebuilt."""
        answer: IndexState = self._process.call("index_state", {}, IndexState, BULK_SECONDS)
        return answer

    # --- search ----------------------------------------------------------------------------------------------------

    def keyword(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, Where] | None = None
    ) -> dict[str, Ranking]:
        """The best ``limit`` rows of each kind by BM25; ``where`` filters kinds inside the engine."""
        arguments = {"kinds": kinds, "query": query, "limit": limit, "where": where or {}}
        return self._again(lambda: self._process.call("keyword", arguments, dict[str, Ranking], QUERY_SECONDS))

    def nearest(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, Where] | None = None, wait: float = 0.0
    ) -> dict[str, Ranking]:
        """The best ``limit`` rows of each kind by the cosine of their vectors to the query's.

        ``ModelLoading`` when the model is not there after ``wait`` seconds, ``ModelError`` when it cannot be loaded.
        """
        arguments = {"kinds": kinds, "query": query, "limit": limit, "where": where or {}, "wait": wait}
        return self._again(lambda: self._process.call("nearest", arguments, dict[str, Ranking], QUERY_SECONDS + wait))

    # --- the model -------------------------------------------------------------------------------------------------

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Normalised vectors, shape (texts, dimension)."""
        import numpy as np

        data = self._process.call("embed", {"texts": texts}, bytes, BULK_SECONDS)
        flat = np.frombuffer(data, np.float32)
        return flat.reshape(len(texts), len(flat) // max(1, len(texts)))

    def load_model(self) -> WorkerStatus:
        """What the model is, once it is loaded: ``other`` where its vectors are not those of the store.

        ``ModelError`` when it cannot be loaded.
        """
        answer: WorkerStatus = self._process.call("load_model", {}, WorkerStatus, BULK_SECONDS)
        return answer

    def adopt_model(self) -> WorkerStatus:
        """Drop the vectors of the store: from now on they are the model's. Errors as ``load_model``."""
        answer: WorkerStatus = self._process.call("adopt_model", {}, WorkerStatus, BULK_SECONDS)
        return answer

    def complete(self, request: LlmRequest) -> LlmAnswer:
        """The answer of a language model, after as many tries as the configuration says.

        ``LlmUnavailable`` where no request can be answered now, ``LlmError`` where this one was not.
        """
        answer: LlmAnswer = self._process.call("complete", {"request": request}, LlmAnswer, self._llm_seconds)
        return answer

    def submit_batch(self, requests: Sequence[LlmRequest]) -> LlmBatch:
        """Begin a batch of requests; errors as ``complete``. Twice is two batches."""
        answer: LlmBatch = self._process.call("submit_batch", {"requests": requests}, LlmBatch, self._llm_seconds)
        return answer

    def batch(self, batch_id: str) -> LlmBatch | None:
        """How far a batch is; ``None`` where the server has none of that id."""
        arguments = {"batch_id": batch_id}
        answer: LlmBatch | None = self._process.call("batch", arguments, LlmBatch | None, self._llm_seconds)
        return answer

    def recent_batches(self) -> list[LlmBatch]:
        """The last batches that were made with this key, latest first."""
        answer: list[LlmBatch] = self._process.call("recent_batches", {}, list[LlmBatch], self._llm_seconds)
        return answer

    def batch_results(self, batch_id: str) -> list[LlmResult]:
        """What became of the requests of a batch that has ended."""
        arguments = {"batch_id": batch_id}
        answer: list[LlmResult] = self._process.call("batch_results", arguments, list[LlmResult], BULK_SECONDS)
        return answer

    def warm(self) -> None:
        """Start the worker and begin to load the model, which goes on after this returned."""
        self._process.call("warm", {}, type(None), BULK_SECONDS)

    def status(self) -> WorkerStatus:
        """The state of the model. Starts the process, not the model."""
        answer: WorkerStatus = self._process.call("status", {}, WorkerStatus, QUERY_SECONDS)
        return answer

    @staticmethod
    def _again(ask: Callable[[], dict[str, Ranking]]) -> dict[str, Ranking]:
        """A search is asked once more when the worker died under it: the user need not see that."""
        try:
            return ask()
        except WorkerError as error:
            if type(error) is not WorkerError:
                raise
            return ask()
