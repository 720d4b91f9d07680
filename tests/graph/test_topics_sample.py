"""Topics of the shipped sample: what one would show, and that they stay when documents come and go."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kgfs.config import Config
from kgfs.documents.formats import parsing
from kgfs.extraction.extractor import extract
from kgfs.extraction.names.declared.gazetteer import declared_entities, make_gazetteer
from kgfs.extraction.topic_words import says_nothing
from kgfs.graph import embedding_text
from kgfs.graph.candidate_rows import DocumentExtraction
from kgfs.graph.resolution import put_extractions
from kgfs.graph.topic_tree import make_topics
from kgfs.graph.topics.hierarchy import MAX_DEPTH
from kgfs.model import Extraction, ParsedDocument
from kgfs.store.catalog.database import Database
from kgfs.store.files import documents, items
from kgfs.store.files.items import NewItem
from kgfs.store.graph import topics
from tests import planned_graphs as graphs
from tests.new_stores import new_store

SAMPLES = Path(parsing.__file__).parents[2] / "samples"
Sample = dict[str, tuple[ParsedDocument, Extraction]]


@cache
def sample_of(every: int) -> Sample:
    """Every so many documents of the sample with what the extractor finds in them."""
    paths = sorted(path for path in SAMPLES.rglob("*") if path.is_file())[::every]
    parsed = {
        str(path.relative_to(SAMPLES)): parsing.parse_document(path.read_bytes(), path.name, config=Config())
        for path in paths
    }
    known = make_gazetteer(declared_entities(document) for document in parsed.values())
    return {name: (document, extract(document, known)) for name, document in parsed.items()}


def put(database: Database, sample: Sample, names: list[str]) -> list[int]:
    """Store documents, all in one transaction."""

    def work(cursor: Any) -> list[int]:
        reads = []
        for name in names:
            document, extraction = sample[name]
            body = (document.text or "").encode()
            item = NewItem(drive="disk", path=f"/{name}", body=body, mime_type=document.mime_type)
            item_id = items.put_item(cursor, item)
            hashes = [
                embedding_text.text_hash(
                    embedding_text.chunk_text(document.title, "", chunk.headings, name, chunk.text)
                )
                for chunk in document.chunks
            ]
            documents.replace_document(cursor, item_id, f"/{name}", document, hashes)
            reads.append(DocumentExtraction(item_id, 1, extraction))
        put_extractions(cursor, reads)
        make_topics(cursor)
        return [read.document_id for read in reads]

    return database.write(work)


def shown(database: Database) -> dict[str, tuple[str, str | None]]:
    """Key to slug and the key above."""
    with database.read() as cursor:
        rows = topics.all_topics(cursor)
    return {
        row.key: (row.slug, rows[row.parent_id].key if row.parent_id is not None else None) for row in rows.values()
    }


@pytest.mark.slow
def test_topics_of_the_sample(database: Database) -> None:
    sample = sample_of(1)
    put(database, sample, list(sample))
    found = shown(database)
    slugs = {slug for slug, _ in found.values()}
    assert {"wages", "hiring", "labor_markets", "machine_learning", "price_inflation"} <= slugs
    declared = database.fetch("SELECT name FROM entities WHERE declared_by IS NOT NULL AND type <> 'Concept'")
    things = {name.casefold() for (name,) in declared}
    rows: list[tuple[Any, ...]] = database.fetch("SELECT name, definition FROM topics")
    for name, definition in rows:
        assert name not in things and not says_nothing(name) and re.search(r"[a-z]{2}", name)
        assert definition.endswith((".", "…", "!")) and len(definition) < 400
    for key in found:
        levels, above = 1, found[key][1]
        while above is not None:
            levels, above = levels + 1, found[above][1]
        assert levels <= MAX_DEPTH
    assert max(Counter(above for _, above in found.values()).values()) <= 40
    assert not any("topic" in name for name in graphs.contradictions(database))


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_they_stay_when_documents_come_and_go(tmp_path: Path, database: Database, every: int) -> None:
    sample = sample_of(every)
    names = list(sample)
    later = names[::5]
    put(database, sample, [name for name in names if name not in later])
    before, graph = shown(database), graphs.graph(database, slugs=False)
    added = put(database, sample, later)
    after = shown(database)
    assert len(before.keys() - after.keys()) <= 0.05 * len(before)
    both = before.keys() & after.keys()
    assert [key for key in both if before[key][0] != after[key][0]] == []
    assert sum(before[key][1] != after[key][1] for key in both) <= 0.1 * len(both)
    with new_store(tmp_path / "other") as other:
        put(other, sample, names[::-1])
        assert shown(other) == after
    graphs.remove(database, *added)
    assert shown(database) == before
    assert graphs.graph(database, slugs=False)["topic_claims"] == graph["topic_claims"]
