"""The worker process: holds what is heavy (the model, parsers, extractors, the search index) and answers calls.

Composition root of the child that ``kgfs.models.process`` starts: ``python -m kgfs.worker --store DIR --config JSON
--socket FD``. It never opens the catalog. The main thread reads frames; calls run in lanes, small pools of threads, so
that a keyword search waits neither for a model that loads nor for a document that is embedded. It leaves at once
when the socket closes: what was under way is done again by the process that asked for it.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kgfs import logs
from kgfs.calls import EXTRACTORS, DocumentCalls, FileName, Lane, WorkerCalls
from kgfs.child import Pool, Program
from kgfs.config import VECTORS, WORKER_LOG, Config
from kgfs.errors import DeadlineExceeded, KgfsError, ModelMismatch, UsageError, WorkerError
from kgfs.index_records import (
    IdFilter,
    IndexedRows,
    IndexRow,
    IndexState,
    MergeCandidate,
    NamedEntity,
    Ranking,
    WorkerStatus,
)
from kgfs.llm.client import LanguageModel
from kgfs.llm_records import LlmAnswer, LlmBatch, LlmRequest, LlmResult, Loaded, LoadRequest
from kgfs.model import KINDS, Extraction, Gazetteer, ParsedDocument, TopicGroup, TopicMember
from kgfs.models.embedders import Embedder, ModelHolder, load
from kgfs.models.serving import Server
from kgfs.models.spaces import StoreSpace
from kgfs.picture_records import Picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kgfs.store.index.vectors import VectorStore

log = logging.getLogger(__name__)

LANES: dict[Lane, int] = {"status": 1, "keyword": 2, "vector": 3, "draw": 2, "bulk": EXTRACTORS + 3, "load": 4}
"""Threads a lane. More searches than this at once only take turns on the processors. The lane ``llm``, which waits for
a server, has as many as the configuration says."""
PARSER = Program(
    "kgfs.documents.parser_child", "parser", ParsedDocument, most=4, kept_bytes=400 << 20, setting="parse_seconds",
    limited=True,
)  # fmt: skip
EXTRACTOR = Program(
    "kgfs.extraction.extractor_child", "extractor", list[Extraction], most=EXTRACTORS, kept_bytes=700 << 20,
    setting="extract_seconds",
)  # fmt: skip
LOADER = Program("kgfs.sources.web.loader_child", "loader", Loaded, most=4, kept_bytes=300 << 20, limited=True)
DRAWER = Program("kgfs.pictures.drawing_child", "drawer", bytes, most=2, kept_bytes=200 << 20)
DRAW_SECONDS = 8.0
MOST_EXTRACT_SECONDS = 840.0
"""No document takes longer, whatever its size: less than what the worker's caller waits."""
SEVERAL_SECONDS = 30.0
"""Some small documents take a second together. If one of them hangs, each is read anew by itself."""
LOAD_SECONDS = 330.0
"""One page takes no longer, whatever the agent and HTTP do: they have shorter deadlines of their own."""
_SETTLE_SECONDS = 2.0
_INDEX_SECONDS = 5.0
_AGAIN_SECONDS = 600.0
"""After an index could not be made, which may have taken minutes."""


class Documents(DocumentCalls):
    """Parses and extracts, in processes of its own: what the worker does here, a node of a Ray cluster does there."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self.parsers = Pool(PARSER, config)
        self.extractors = Pool(EXTRACTOR, config)

    def parse(self, path: FileName, data: bytes, name: FileName, mtime_ns: int | None, url: str = "") -> ParsedDocument:
        return self._parsed(path, name, mtime_ns, len(data), data, url)

    def parse_large(
        self, path: FileName, name: FileName, mtime_ns: int, size: int, head: bytes, tail: bytes, is_utf8: bool
    ) -> ParsedDocument:
        from kgfs.documents.formats import parsing

        if parsing.needs_whole(head, tail, name):
            return self._parsed(path, name, mtime_ns, size)
        return parsing.parse_head(head, name, is_utf8=is_utf8, mtime_ns=mtime_ns, config=self._config)

    def _parsed(
        self, path: str, name: str, mtime_ns: int | None, size: int, data: bytes | None = None, url: str = ""
    ) -> ParsedDocument:
        """The document of ``data``, else of the file at ``path``, which must still be of ``size`` and ``mtime_ns``."""
        try:
            document: ParsedDocument = self.parsers.call(
                self._config.parse_seconds,
                data=data,
                path=os.fsencode(path),
                name=os.fsencode(name),
                mtime_ns=mtime_ns,
                size=size,
                url=url,
            )
        except Exception:
            log.warning("Parsing %r failed.", path)
            raise
        return document

    def extract(self, document: ParsedDocument | msgspec.Raw, gazetteer: Gazetteer | msgspec.Raw) -> Extraction:
        mebibytes = max(1.0, len(msgspec.msgpack.encode(document)) / (1 << 20))
        seconds = min(MOST_EXTRACT_SECONDS, self._config.extract_seconds * mebibytes)
        found: list[Extraction] = self.extractors.call(seconds, documents=[document], gazetteer=gazetteer)
        return found[0]

    def extract_several(
        self, documents: Sequence[ParsedDocument] | msgspec.Raw, gazetteer: Gazetteer | msgspec.Raw
    ) -> list[Extraction]:
        seconds = min(SEVERAL_SECONDS, self._config.extract_seconds)
        found: list[Extraction] = self.extractors.call(seconds, documents=documents, gazetteer=gazetteer)
        return found


class Calls(Documents, WorkerCalls):
    """What the worker does when it is asked."""

    def __init__(self, store: Path, config: Config) -> None:
        super().__init__(config)
        self._directory = store / VECTORS
        self._index: VectorStore | None = None
        self._index_lock = threading.Lock()
        self.loaders = Pool(LOADER, config)
        self.drawers = Pool(DRAWER, config)
        self._kinds = ThreadPoolExecutor(len(KINDS), "keyword-kind")
        self._model = ModelHolder(self._load, config.embedding_model, config.embedding_dimension)
        self._space = StoreSpace(self._directory, config)
        self._language_model = LanguageModel(config)

    def _load(self) -> Embedder:
        embedder = load(self._config)
        with contextlib.suppress(KgfsError):  # a call that needs the model says so
            self._space.id_for(embedder, self.open_index())
        return embedder

    def _ready(self, wait: float | None = None) -> tuple[Embedder, str]:
        """The model and the name of the store's vector space, which is the model's too, else ``ModelMismatch``."""
        embedder = self._model.get(wait)
        return embedder, self._space.id_for(embedder, self.open_index())

    def open_index(self) -> VectorStore:
        """The index, opened by the first call that needs it."""
        with self._index_lock:
            if self._index is None:
                from kgfs.store.index.vectors import VectorStore

                self._index = VectorStore(self._directory, self._config.embedding_dimension)
            return self._index

    def settle(self) -> None:
        """Keep the index fast: called now and then."""
        if self._index is not None:
            self._index.optimize()

    def make_indexes(self) -> None:
        """Make the indexes of large tables of vectors that are due; may take minutes."""
        if self._index is not None:
            for kind in self._index.make_indexes():
                log.info("The vectors of %s have an index.", kind)

    def load(self, request: LoadRequest) -> Loaded:
        try:
            found: Loaded = self.loaders.call(LOAD_SECONDS, request=request)
        except (WorkerError, DeadlineExceeded) as error:
            return Loaded(state="failed", url=request.url, reason=f"{request.url} could not be loaded ({error}).")
        return found

    def draw(self, picture: Picture) -> bytes:
        drawn: bytes = self.drawers.call(DRAW_SECONDS, picture=picture)
        return drawn

    # --- the index -------------------------------------------------------------------------------------------------

    def index_texts(self, kind: str, rows: Sequence[IndexRow]) -> None:
        self.open_index().put_texts(_known(kind), rows)

    def index_vectors(self, kind: str, rows: Sequence[IndexRow]) -> None:
        self._put_vectors(kind, rows, self._ready()[0].encode)

    def new_texts(self, kind: str, rows: Sequence[IndexRow]) -> list[str]:
        return list(self._new_texts(kind, rows)[1].values())

    def put_vectors(self, kind: str, rows: Sequence[IndexRow], texts: Sequence[str], vectors: bytes) -> None:
        import numpy as np

        embedder, _ = self._ready()
        given = dict(zip(texts, np.frombuffer(vectors, np.float32).reshape(len(texts), -1), strict=True))

        def made(some: Sequence[str]) -> NDArray[np.float32]:
            # A text whose vector the index had when the texts were asked for, and lost since.
            given.update(zip(lost := [text for text in some if text not in given], embedder.encode(lost), strict=True))
            return np.stack([given[text] for text in some])

        self._put_vectors(kind, rows, made)

    def _new_texts(
        self, kind: str, rows: Sequence[IndexRow]
    ) -> tuple[dict[int, NDArray[np.float32]], dict[int, str], str]:
        """Of the texts of rows the vectors that the index has, the others, by digest, and the name of the space."""
        from kgfs.store.index.vectors import embedded_text, text_digest

        _, model_id = self._ready()
        texts = {text_digest(text): text for text in map(embedded_text, rows)}
        known = self.open_index().known_vectors(_known(kind), list(texts), model_id)
        return known, {digest: text for digest, text in texts.items() if digest not in known}, model_id

    def _put_vectors(
        self, kind: str, rows: Sequence[IndexRow], embed: Callable[[Sequence[str]], NDArray[np.float32]]
    ) -> None:
        """Keep the vectors of rows; ``embed`` makes those that the index does not have."""
        import numpy as np

        from kgfs.store.index.vectors import embedded_text, text_digest

        known, new, model_id = self._new_texts(kind, rows)
        if new:
            known.update(zip(new, embed(list(new.values())), strict=True))
        if rows:
            vectors = [known[text_digest(embedded_text(row))] for row in rows]
            self.open_index().put_vectors(kind, rows, np.stack(vectors), model_id)

    def unindex(self, kind: str, ids: Sequence[int]) -> None:
        self.open_index().remove(_known(kind), ids)

    def group_topics(self, members: Sequence[TopicMember]) -> list[TopicGroup]:
        from kgfs.graph.topics import grouping

        embedder, model_id = self._ready()
        ids = sorted({chunk for member in members for chunk in member.chunks})
        return grouping.group_topics(members, self.open_index().vectors("chunk", ids, model_id), embedder.encode)

    def merge_candidates(self, names: Sequence[NamedEntity]) -> list[MergeCandidate]:
        from kgfs.graph.candidates import find_merge_candidates

        index = self.open_index()
        _, model_id = self._ready()
        return find_merge_candidates(names, lambda ids: index.vectors("entity", ids, model_id))

    def tidy(self) -> None:
        if self._index is not None:
            self._index.tidy()

    def indexed(self, kind: str, part: str, first: int, limit: int) -> IndexedRows:
        return self.open_index().listed(_known(kind), part, first, limit)

    def index_state(self) -> IndexState:
        return self.open_index().state()

    # --- search ----------------------------------------------------------------------------------------------------

    def keyword(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, IdFilter] | None = None
    ) -> dict[str, Ranking]:
        index, within = self.open_index(), where or {}
        # At once: half of an answer's time is the engine's own, in threads of its own.
        answers = self._kinds.map(lambda kind: index.keyword(_known(kind), query, limit, within.get(kind)), kinds)
        return dict(zip(kinds, answers, strict=True))

    def nearest(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, IdFilter] | None = None, wait: float = 0.0
    ) -> dict[str, Ranking]:
        index = self.open_index()
        _, model_id = self._ready(wait)
        vector, within = self._model.query(query), where or {}
        return {kind: index.nearest(_known(kind), vector, model_id, limit, within.get(kind)) for kind in kinds}

    # --- the model -------------------------------------------------------------------------------------------------

    def embed(self, texts: Sequence[str]) -> bytes:
        return self._ready()[0].encode(texts).tobytes()

    def load_model(self) -> WorkerStatus:
        self._model.get()
        return self.status()

    def adopt_model(self) -> WorkerStatus:
        self._space.adopt(self._model.get(), self.open_index())
        return self.status()

    def complete(self, request: LlmRequest) -> LlmAnswer:
        return self._language_model.complete(request)

    def submit_batch(self, requests: Sequence[LlmRequest]) -> LlmBatch:
        return self._language_model.submit(requests)

    def batch(self, batch_id: str) -> LlmBatch | None:
        return self._language_model.batch(batch_id)

    def recent_batches(self) -> list[LlmBatch]:
        return self._language_model.recent_batches()

    def batch_results(self, batch_id: str) -> list[LlmResult]:
        return self._language_model.results(batch_id)

    def warm(self) -> None:
        self._model.warm()

    def status(self) -> WorkerStatus:
        found = self._model.status()
        if found.model == "ready":
            try:
                found.model_id = self._ready()[1]
            except ModelMismatch as error:
                found.model, found.error = "other", error.message
            except KgfsError as error:
                found.model, found.error = "failed", error.message
        return found


def _known(kind: str) -> str:
    if kind not in KINDS:
        raise UsageError(f"There is no kind {kind!r} in the index (there is {', '.join(KINDS)}).")
    return kind


def _settle(calls: Calls) -> None:
    while True:
        time.sleep(_SETTLE_SECONDS)
        try:
            calls.settle()
        except Exception:
            log.warning("Keeping the index fast failed.", exc_info=True)


def _make_indexes(calls: Calls) -> None:
    while True:
        time.sleep(_INDEX_SECONDS)
        try:
            calls.make_indexes()
        except Exception as error:
            log.warning("Making an index of vectors failed; searches are slower until there is one: %s", error)
            time.sleep(_AGAIN_SECONDS)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="kgfs.worker", description="The worker process of kgfs; kgfs starts it.")
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--config", default="{}")
    parser.add_argument("--socket", type=int, required=True, help="descriptor of an inherited socket")
    options = parser.parse_args(arguments)
    logs.begin(options.store / WORKER_LOG)
    for noisy in ("httpx", "httpx2", "sentence_transformers", "transformers", "lance", "lancedb"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    faulthandler.enable()  # a crash of an engine says where, in the worker's log
    config = msgspec.json.decode(options.config, type=Config)
    calls = Calls(options.store, config)
    connection = socket.socket(fileno=options.socket)
    # Before anything else: when a model, a tagger and the index are imported at once they share one interpreter, and
    # the first keyword answer takes three times as long.
    try:
        calls.open_index()
    except Exception:
        log.warning("The index cannot be opened; the calls that need it will say why.", exc_info=True)
    for keep in (_settle, _make_indexes):
        threading.Thread(target=keep, args=(calls,), name=keep.__name__.strip("_"), daemon=True).start()
    try:
        Server(connection, calls, WorkerCalls, {**LANES, "llm": max(1, config.llm_concurrency)}).serve()
        status = 0
    except (KgfsError, msgspec.DecodeError, OSError) as error:
        log.warning("The worker leaves: %s", error)
        status = 1
    logging.shutdown()
    sys.stdout.flush()
    # Not through the interpreter's end: lanes may be deep in a model, and nothing of theirs is worth waiting for.
    os._exit(status)


if __name__ == "__main__":
    main()
