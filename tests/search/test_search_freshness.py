"""Search while files are written: a hit's words stand in the body that is there when it is given."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kgfs.calls import PipelineCalls, SearchCalls
from kgfs.config import Config
from kgfs.documents.formats import parsing
from kgfs.errors import ModelLoading
from kgfs.index_records import IdFilter, IndexRow, MergeCandidate, NamedEntity, Ranking
from kgfs.model import EntityCandidate, Extraction, FactCandidate, Mention, ParsedDocument, TopicGroup, TopicMember
from kgfs.pipeline.pipeline import Pipeline
from kgfs.search.query import SearchHit, search_request
from kgfs.search.rows import CatalogRows
from kgfs.search.searcher import Searcher
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.catalog.inserts import take_ids
from kgfs.store.files import drive_moves, drive_rows, items
from kgfs.store.files.drive_rows import NewAttributes
from tests.new_stores import new_store

_ACQUIRED = re.compile(r"(\w+) acquired (\w+)")


class Words(PipelineCalls, SearchCalls):
    """A worker in this process: its index finds every row that holds a word of the query, and forgets nothing soon."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: dict[str, dict[int, tuple[int, str]]] = {"chunk": {}, "entity": {}, "fact": {}, "topic": {}}
        self.before_answer: list[Any] = []
        """Called, once each, while the next search is at work."""

    def parse(self, path: str, data: bytes, name: str, mtime_ns: int | None, url: str = "") -> ParsedDocument:
        return parsing.parse_document(data, name, mtime_ns=mtime_ns)

    def extract_several(self, documents: Sequence[ParsedDocument], gazetteer: Any) -> list[Extraction]:
        return [self.extract(document, gazetteer) for document in documents]

    def extract(self, document: ParsedDocument, gazetteer: Any) -> Extraction:
        found = Extraction(extractor="test")
        for chunk in document.chunks:
            for match in _ACQUIRED.finditer(chunk.text):
                for name in match.groups():
                    found.mentions.append(Mention(entity=len(found.entities), chunk=chunk.ordinal))
                    found.entities.append(EntityCandidate(name=name, type="Concept", confidence=0.9))
                found.facts.append(
                    FactCandidate(
                        type="ACQUIRED", subject=len(found.entities) - 2, object=len(found.entities) - 1,
                        chunk=chunk.ordinal, quote=match[0], start=0, end=0, description=match[0],
                    )
                )  # fmt: skip
        return found

    def index_texts(self, kind: str, rows: Sequence[IndexRow]) -> None:
        with self._lock:
            self._texts[kind].update({row.id: (row.gen, f"{row.title} {row.text}") for row in rows})

    def index_vectors(self, kind: str, rows: Sequence[IndexRow]) -> None:
        pass

    def unindex(self, kind: str, ids: Sequence[int]) -> None:
        with self._lock:
            for row_id in ids:
                self._texts[kind].pop(row_id, None)

    def group_topics(self, members: Sequence[TopicMember]) -> list[TopicGroup]:
        return []

    def merge_candidates(self, names: Sequence[NamedEntity]) -> list[MergeCandidate]:
        return []

    def keyword(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, IdFilter] | None = None
    ) -> dict[str, Ranking]:
        answer = {}
        with self._lock:
            for kind in kinds:
                found = [(row, gen) for row, (gen, text) in sorted(self._texts[kind].items()) if query in text]
                scores = [1.0 / rank for rank in range(1, len(found) + 1)]
                answer[kind] = Ranking(ids=[row for row, _ in found], gens=[gen for _, gen in found], scores=scores)
        while self.before_answer:
            self.before_answer.pop()()
        return answer

    def nearest(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, IdFilter] | None = None, wait: float = 0.0
    ) -> dict[str, Ranking]:
        raise ModelLoading("There is none.")


class Shelf:
    """A drive with its searcher and its pipeline."""

    def __init__(self, database: Database) -> None:
        self.database, self.worker = database, Words()
        self.searcher = Searcher(self.worker, CatalogRows(database), 0.0)

    def write(self, path: str, text: str) -> None:
        def work(cursor: Cursor) -> None:
            known = items.find_item(cursor, f"agent:{path}")
            if known is None:
                drive_rows.create_file(
                    cursor, take_ids(cursor, "item", 1)[0], "agent", path, text.encode(), NewAttributes()
                )
            else:
                drive_rows.overwrite_file(cursor, known.id, path, text.encode(), NewAttributes(), keep_version=True)

        self.database.write(work)

    def remove(self, path: str) -> None:
        def work(cursor: Cursor) -> None:
            known = items.find_item(cursor, f"agent:{path}")
            drive_rows.remove_items(cursor, [] if known is None else [known.id])

        self.database.write(work)

    def move_directory(self, path: str, to: str) -> None:
        self.database.write(lambda cursor: drive_moves.move_directory(cursor, "agent", path, "agent", to))

    def settle(self) -> None:
        assert Pipeline(self.database, self.worker, Config()).resume() == []

    def hits(self, query: str = "acquired", area: str = "semantic") -> list[SearchHit]:
        return self.searcher.search(search_request(area, query, {"limit": "100"})).hits

    def found(self, query: str = "acquired", kind: str = "fact") -> set[str]:
        return {hit.snippet for hit in self.hits(query, f"{kind}s")}


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    with new_store(tmp_path / "store") as database:
        one = Shelf(database)
        yield one
        one.searcher.close()


def sections(*words: str) -> str:
    return "\n\n".join(f"# Part {word}\n\n{word} acquired Omega. " + "Filling words here. " * 100 for word in words)


def test_what_was_written_over_is_not_found(shelf: Shelf) -> None:
    shelf.write("/a.md", sections("Alpha", "Beta", "Gamma"))
    shelf.settle()
    assert shelf.found() == {"Alpha acquired Omega", "Beta acquired Omega", "Gamma acquired Omega"}
    chunks = shelf.found(kind="chunk")
    shelf.write("/a.md", sections("Alpha", "Delta", "Gamma"))
    assert shelf.found() == {"Alpha acquired Omega", "Gamma acquired Omega"}
    assert shelf.found(kind="chunk") < chunks and not any("Beta" in text for text in shelf.found(kind="chunk"))
    shelf.settle()
    assert shelf.found() == {"Alpha acquired Omega", "Delta acquired Omega", "Gamma acquired Omega"}


def test_what_was_removed_or_hidden_is_not_found(shelf: Shelf) -> None:
    for name in ("a", "b", "c"):
        shelf.write(f"/{name}/{name}.md", f"{name.upper()}lpha acquired Omega.\n")
    shelf.settle()
    assert len(shelf.found()) == 3
    shelf.remove("/a/a.md")
    assert shelf.found() == {"Blpha acquired Omega", "Clpha acquired Omega"}
    shelf.move_directory("/b", "/.b")
    assert shelf.found() == {"Clpha acquired Omega"}
    shelf.move_directory("/c", "/d")  # found all the while
    assert shelf.found() == {"Clpha acquired Omega"}
    shelf.write("/a/a.md", "Alpha acquired Omega.\n")  # the id and the words are back
    assert "Alpha acquired Omega" in shelf.found()
    shelf.settle()
    assert shelf.found() == {"Alpha acquired Omega", "Clpha acquired Omega"}


def test_a_document_whose_text_is_not_its_body(shelf: Shelf) -> None:
    """Of a page that was written over nothing can be compared: it is not found until it was read again."""
    shelf.write("/p/a.html", "<p>Alpha acquired Omega.</p>")
    shelf.settle()
    assert shelf.found() == {"Alpha acquired Omega"}
    shelf.move_directory("/p", "/q")
    shelf.database.write(lambda cursor: cursor.execute("UPDATE context_items SET want_gen = want_gen + 1"))
    assert shelf.found() == {"Alpha acquired Omega"}  # to be read again, but never written
    shelf.write("/q/a.html", "<p>Alpha acquired Omega, or so.</p>")
    assert shelf.found() == set()
    shelf.settle()
    assert shelf.found() == {"Alpha acquired Omega"}


def test_a_write_while_the_legs_are_at_work(shelf: Shelf) -> None:
    shelf.write("/a.md", "Alpha acquired Omega.\n")
    shelf.write("/b.md", "Beta acquired Omega.\n")
    shelf.settle()
    shelf.worker.before_answer.append(lambda: shelf.write("/a.md", "Nothing.\n"))
    assert shelf.found() == {"Beta acquired Omega"}
    shelf.worker.before_answer.append(lambda: shelf.remove("/b.md"))
    assert shelf.found() == set()


def test_writers_and_searchers_at_once(shelf: Shelf) -> None:
    """No hit whose words were in no body from the start of the search to its end, as far as writers knew then."""
    paths = [f"/{number}.md" for number in range(4)]
    bodies: dict[str, str] = dict.fromkeys(paths, "")
    given: dict[int, list[str]] = {0: [""], 1: [""]}
    """What each writer wrote, the last one perhaps not yet."""
    guard = threading.Lock()
    ending = threading.Event()
    problems: list[object] = []
    counts = {"writes": 0, "searches": 0, "hits": 0}

    def writer(seed: int) -> None:
        chosen = random.Random(seed)
        own = paths[seed * 2 : seed * 2 + 2]
        number = 0
        while not ending.is_set():
            path = chosen.choice(own)
            number += 1
            text = "" if chosen.random() < 0.2 else sections(*(f"Word{seed}x{number + part}" for part in range(2)))
            with guard:
                given[seed].append(text)
            if text:
                shelf.write(path, text)
            else:
                shelf.remove(path)
            with guard:
                bodies[path] = text
                counts["writes"] += 1
            time.sleep(chosen.random() * 0.05)

    def asking() -> None:
        chosen = random.Random(7)
        while not ending.is_set():
            with guard:
                before = list(bodies.values())  # a write may be read before its writer knows, and before search does
                starts = {seed: len(texts) - 1 for seed, texts in given.items()}
            hits = shelf.hits(area=chosen.choice(("facts", "chunks", "semantic")))
            meanwhile = [text for seed, start in starts.items() for text in given[seed][start:]]
            there = "\n\f".join([*before, *meanwhile])
            counts["searches"] += 1
            counts["hits"] += len(hits)
            for hit in hits:
                if hit.kind in ("chunk", "fact"):
                    words = re.findall(r"Word\dx\d+", hit.snippet)
                    if not words or any(word not in there for word in words):
                        problems.append((hit.kind, hit.id, hit.snippet))

    def cascade() -> None:
        while not ending.is_set():
            shelf.settle()
            time.sleep(0.05)

    def guarded(work: Any, *arguments: Any) -> None:
        try:
            work(*arguments)
        except BaseException as error:
            problems.append(error)
            ending.set()

    threads = [
        threading.Thread(target=guarded, args=arguments)
        for arguments in ((writer, 0), (writer, 1), (asking,), (asking,), (cascade,))
    ]
    for thread in threads:
        thread.start()
    began = time.monotonic()
    while not ending.wait(0.1):
        enough = counts["writes"] > 10 and counts["searches"] > 5 and counts["hits"] > 5
        if ((seconds := time.monotonic() - began) > 6 and enough) or seconds > 120:  # a busy machine takes longer
            break
    ending.set()
    for thread in threads:
        thread.join()
    assert problems == []
    assert counts["writes"] > 10 and counts["searches"] > 5 and counts["hits"] > 5, counts
    shelf.settle()
    assert shelf.found() == {match[0] for text in bodies.values() for match in _ACQUIRED.finditer(text)}
