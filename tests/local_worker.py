"""A worker in this process: parses for real, finds names by capitals, and keeps the index in a log file.

For tests of the pipeline. The log is appended to, so that what a killed process had put there is still there.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kgfs.calls import ListingCalls, PipelineCalls
from kgfs.config import Config
from kgfs.documents.formats import parsing
from kgfs.errors import WorkerError
from kgfs.extraction.names.declared.gazetteer import declared_entities
from kgfs.index_records import IndexedRows, IndexRow, MergeCandidate, NamedEntity
from kgfs.llm_records import Loaded, LoadRequest
from kgfs.model import (
    DocumentLink,
    EntityCandidate,
    Extraction,
    FactCandidate,
    Gazetteer,
    Mention,
    ParsedDocument,
    TopicCandidate,
    TopicGroup,
    TopicMember,
)
from kgfs.sources.web import loading

_NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*")
_ACQUIRED = re.compile(rf"({_NAME.pattern}) acquired ({_NAME.pattern})")
_LINK = re.compile(r"\[\[([^\]]+)\]\]")


def extract(document: ParsedDocument) -> Extraction:
    """Names with capitals, ``A acquired B``, headings as topics, wikilinks: little, but deterministic."""
    names: dict[str, int] = {}
    found = Extraction(extractor="test")
    for candidate in declared_entities(document) if "type" in document.front_matter else ():
        names[candidate.name] = len(found.entities)
        found.entities.append(candidate)

    def entity(name: str) -> int:
        if name not in names:
            names[name] = len(found.entities)
            found.entities.append(EntityCandidate(name=name, type="Concept", confidence=0.5))
        return names[name]

    for chunk in document.chunks:
        for match in _NAME.finditer(chunk.text):
            found.mentions.append(Mention(entity=entity(match[0]), chunk=chunk.ordinal))
        for match in _ACQUIRED.finditer(chunk.text):
            start = len(chunk.text[: match.start()].encode())
            fact = FactCandidate(
                type="ACQUIRED", subject=entity(match[1]), object=entity(match[2]), chunk=chunk.ordinal, quote=match[0],
                start=start, end=start + len(match[0].encode()), description=match[0],
            )  # fmt: skip
            found.facts.append(fact)
        if chunk.headings:
            found.topics.append(TopicCandidate(path=chunk.headings[:2], chunks=[chunk.ordinal]))
        found.links += [DocumentLink(target=link[1], kind="wikilink") for link in _LINK.finditer(chunk.text)]
    return found


class LocalWorker(PipelineCalls, ListingCalls):
    """What the pipeline and the check of a store ask, without a process."""

    def __init__(self, index: Path, config: Config | None = None) -> None:
        self._index = index
        self._config = config or Config()
        self._lock = threading.Lock()
        self.fail_on: str | None = None
        """Parsing and extracting fail for documents that hold this."""
        self.parsed = 0
        self._held: dict[tuple[str, str, int], int] = {}
        self._read = 0

    def load(self, request: LoadRequest) -> Loaded:
        return loading.load_page(self._config, request)

    def parse(self, path: str, data: bytes, name: str, mtime_ns: int | None, url: str = "") -> ParsedDocument:
        self.parsed += 1
        if self.fail_on and self.fail_on.encode() in data:
            raise WorkerError("The worker died.")
        return parsing.parse_document(data, name, mtime_ns=mtime_ns, config=self._config, url=url)

    def parse_large(
        self, path: str, name: str, mtime_ns: int, size: int, head: bytes, tail: bytes, is_utf8: bool
    ) -> ParsedDocument:
        self.parsed += 1
        if parsing.needs_whole(head, tail, name):
            return parsing.parse_document(Path(path).read_bytes(), name, mtime_ns=mtime_ns, config=self._config)
        return parsing.parse_head(head, name, is_utf8=is_utf8, mtime_ns=mtime_ns, config=self._config)

    def extract(self, document: ParsedDocument, gazetteer: Gazetteer) -> Extraction:
        return extract(document)

    def extract_several(self, documents: Sequence[ParsedDocument], gazetteer: Gazetteer) -> list[Extraction]:
        return [self.extract(document, gazetteer) for document in documents]

    def index_texts(self, kind: str, rows: Sequence[IndexRow]) -> None:
        self._log([("text", kind, row.id, row.gen) for row in rows])

    def index_vectors(self, kind: str, rows: Sequence[IndexRow]) -> None:
        assert all(row.embedded for row in rows)
        self._log([("vector", kind, row.id, row.gen) for row in rows])

    def group_topics(self, members: Sequence[TopicMember]) -> list[TopicGroup]:
        return []

    def merge_candidates(self, names: Sequence[NamedEntity]) -> list[MergeCandidate]:
        return []

    def unindex(self, kind: str, ids: Sequence[int]) -> None:
        self._log([("gone", kind, row_id, 0) for row_id in ids])

    def indexed(self, kind: str, part: str, first: int, limit: int) -> IndexedRows:
        held = self.content()
        found = sorted((row, gen) for (one, other, row), gen in held.items() if (one, other) == (part, kind))
        rows = np.array([pair for pair in found if pair[0] >= first][:limit], np.int64).reshape(-1, 2)
        documents = np.zeros(len(rows), np.int64)
        return IndexedRows(ids=rows[:, 0].tobytes(), gens=rows[:, 1].tobytes(), documents=documents.tobytes())

    def note(self, part: str, kind: str, row_id: int, gen: int) -> None:
        """The index has a row of this generation."""
        self._log([(part, kind, row_id, gen)])

    def lose(self, part: str, kind: str, row_id: int) -> None:
        """One part of the index has lost a row."""
        held = self.content()
        del held[part, kind, row_id]
        self._index.write_text("")
        self._held, self._read = {}, 0
        self._log([(*key, gen) for key, gen in held.items()])

    def _log(self, lines: list[tuple[str, str, int, int]]) -> None:
        with self._lock, self._index.open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)

    def content(self) -> dict[tuple[str, str, int], int]:
        """What the index holds: ``{(part, kind, id): generation}``."""
        with self._lock:
            return dict(self._caught_up())

    def _caught_up(self) -> dict[tuple[str, str, int], int]:
        """What the log says; only what came since the last look is read."""
        size = self._index.stat().st_size if self._index.exists() else 0
        if size < self._read:
            self._held, self._read = {}, 0
        if size > self._read:
            with self._index.open() as file:
                file.seek(self._read)
                lines = file.readlines()
                self._read = file.tell()
            for line in lines:
                what, kind, row_id, gen = json.loads(line)
                if what == "gone":
                    self._held.pop(("text", kind, row_id), None)
                    self._held.pop(("vector", kind, row_id), None)
                else:
                    self._held[what, kind, row_id] = gen
        return self._held
