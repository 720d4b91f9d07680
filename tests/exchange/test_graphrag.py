"""What GraphRAG wrote comes in: documents, text units as passages, entities, relationships with quotes, communities."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kgfs.config import Config
from kgfs.errors import ConflictError, KgfsError, UsageError
from kgfs.exchange import graphrag
from kgfs.exchange.import_formats import import_format
from kgfs.exchange.importing import ImportSummary
from kgfs.pipeline.pipeline import Pipeline
from kgfs.pipeline.request import AddRequest
from kgfs.progress import Never
from kgfs.store.catalog.database import Database
from tests.local_worker import LocalWorker
from tests.new_stores import new_store

FIRST = "Acme Corp hired Jane Roe in Boston. She runs the lab.\n"
SECOND = "Globex sued ACME CORP over a patent. Boston had snow.\n"
LETTER = "Dr. Jane Roe wrote to Globex. Nobody answered.\n"
OVERLAP = [LETTER, "Globex. Nobody answered.\n"]
"""Text units of the letter: they overlap, so they are no passages."""

NEW = {
    "documents": [
        {"id": "d1", "title": "news.txt", "text": FIRST + SECOND, "text_unit_ids": ["u1", "u2"],
         "creation_date": "2024-03-04 08:01:17 +0000"},
        {"id": "d2", "title": "in/letter.txt", "text": LETTER, "text_unit_ids": ["u3", "u4"], "creation_date": ""},
    ],
    "text_units": [
        {"id": "u1", "text": FIRST, "document_ids": ["d1"]},
        {"id": "u2", "text": SECOND, "document_ids": ["d1"]},
        {"id": "u3", "text": OVERLAP[0], "document_ids": ["d2"]},
        {"id": "u4", "text": OVERLAP[1], "document_ids": ["d2"]},
    ],
    "entities": [
        {"id": "e1", "title": "ACME CORP", "type": "ORGANIZATION", "description": "A firm.",
         "text_unit_ids": ["u1", "u2"]},
        {"id": "e2", "title": "JANE ROE", "type": "PERSON", "description": "A chemist.", "text_unit_ids": ["u1", "u3"]},
        {"id": "e3", "title": "GLOBEX", "type": "ORGANIZATION", "description": "A rival.",
         "text_unit_ids": ["u2", "u3", "u4"]},
        {"id": "e4", "title": "BOSTON", "type": "GEO", "description": "", "text_unit_ids": ["u1", "u2"]},
    ],
    "relationships": [
        {"id": "r1", "source": "ACME CORP", "target": "JANE ROE", "description": "Acme employs Jane.", "weight": 8.0,
         "text_unit_ids": ["u1"]},
        {"id": "r2", "source": "GLOBEX", "target": "ACME CORP", "description": "They are in court.", "weight": 2.0,
         "text_unit_ids": ["u2"]},
        {"id": "r3", "source": "GLOBEX", "target": "BOSTON", "description": "Globex is in Boston.", "weight": 1.0,
         "text_unit_ids": ["u2"]},
        {"id": "r4", "source": "JANE ROE", "target": "GLOBEX", "description": "Jane wrote.", "weight": 1.0,
         "text_unit_ids": ["u3", "u4"]},
    ],
    "communities": [
        {"id": "c0", "community": 0, "level": 0, "parent": -1, "title": "Community 0", "text_unit_ids": ["u1", "u2"],
         "entity_ids": ["e1"]},
        {"id": "c1", "community": 1, "level": 1, "parent": 0, "title": "Community 1", "text_unit_ids": ["u2"],
         "entity_ids": []},
    ],
    "community_reports": [
        {"community": 0, "title": "The rivalry of two firms", "summary": "Two firms quarrel."},
        {"community": 1, "title": "A patent suit", "summary": "It is about a patent."},
    ],
}  # fmt: skip
"""As GraphRAG 2.x writes it."""


def old(tables: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """The same as 0.x wrote it: other names of files and columns, members of communities by nodes."""

    def renamed(rows: list[dict[str, Any]], **names: str) -> list[dict[str, Any]]:
        return [{names.get(name, name): value for name, value in row.items() if names.get(name) != ""} for row in rows]

    found = {
        "documents": renamed(tables["documents"], text="raw_content", creation_date=""),
        "text_units": tables["text_units"],
        "entities": renamed(tables["entities"], title="name"),
        "relationships": tables["relationships"],
        "communities": [{"id": "0", "title": "Community 0", "text_unit_ids": ["u1,u2"], "level": 0}],
        "community_reports": [{**row, "community": str(row["community"])} for row in tables["community_reports"]],
        "nodes": [
            {"title": "GLOBEX", "community": "1", "level": 1},
            {"title": "BOSTON", "community": None, "level": 0},
        ],
    }
    return {f"create_final_{name}": rows for name, rows in found.items()}


def written(directory: Path, tables: dict[str, list[dict[str, Any]]]) -> Path:
    directory.mkdir(parents=True)
    for name, rows in tables.items():
        pq.write_table(pa.Table.from_pylist(rows), directory / f"{name}.parquet")
    return directory


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with new_store(tmp_path / "store", reserve=0) as opened:
        yield opened


@pytest.fixture
def worker(tmp_path: Path) -> LocalWorker:
    return LocalWorker(tmp_path / "index")


def take(database: Database, worker: LocalWorker, path: Path, on_conflict: str = "skip") -> ImportSummary:
    summary = graphrag.import_graphrag(database, worker.parse, path, on_conflict, lambda progress: None, Never())
    summary.warnings += Pipeline(database, worker, Config()).resume()
    return summary


def facts(database: Database) -> set[tuple[Any, ...]]:
    return set(
        database.fetch(
            "SELECT s.name, f.type, o.name, f.description, f.quote, c.text[f.span_start + 1:f.span_end] = f.quote"
            " FROM facts f JOIN entities s ON s.id = subject_id JOIN entities o ON o.id = object_id"
            " JOIN chunks c ON c.id = f.chunk_id"
        )
    )


def topics(database: Database) -> set[tuple[Any, ...]]:
    return set(
        database.fetch("SELECT t.name, p.name, t.definition FROM topics t LEFT JOIN topics p ON p.id = t.parent_id")
    )


QUOTED = {
    ("Acme Corp", "RELATED_TO", "Jane Roe", "Acme employs Jane.", "Acme Corp hired Jane Roe in Boston.", True),
    ("Globex", "RELATED_TO", "Acme Corp", "They are in court.", "Globex sued ACME CORP over a patent.", True),
    ("Jane Roe", "RELATED_TO", "Globex", "Jane wrote.", "Dr. Jane Roe wrote to Globex.", True),
}


@pytest.mark.parametrize(("folder", "tables"), [("output", NEW), ("output/20240101-1/artifacts", old(NEW))])
def test_what_comes_in(
    database: Database, worker: LocalWorker, tmp_path: Path, folder: str, tables: dict[str, Any]
) -> None:
    written(tmp_path / "run" / folder, tables)
    assert import_format(tmp_path / "run", "auto") == "graphrag"
    summary = take(database, worker, tmp_path / "run")
    assert (summary.added, summary.failed, summary.warnings) == (2, [], [])
    assert summary.skipped == {"relationships without a sentence that names both ends": 1}
    assert database.fetch("SELECT ref, content FROM context_items ORDER BY ref") == [
        ("graphrag:/in/letter.txt", LETTER),
        ("graphrag:/news.txt", FIRST + SECOND),
    ]
    passages = "SELECT c.text, d.extractor FROM chunks c JOIN documents d ON d.id = document_id ORDER BY c.id"
    assert database.fetch(passages) == [(text, "graphrag") for text in (FIRST, SECOND, LETTER)]
    assert facts(database) == QUOTED
    types = dict(database.fetch("SELECT name, type FROM entities"))
    organizations = dict.fromkeys(("Acme Corp", "Globex"), "Organization")
    assert types == {**organizations, "Jane Roe": "Person", "Boston": "Location"}
    assert database.fetch("SELECT description FROM entities WHERE name = 'Jane Roe'") == [("A chemist.",)]
    assert database.fetch(
        "SELECT sum(count) FROM entity_chunks JOIN entities ON id = entity_id WHERE name = 'Acme Corp'"
    ) == [(2,)]
    above = "The rivalry of two firms" if tables is NEW else "Communities"
    assert {topic[:2] for topic in topics(database)} == {
        ("Communities", None), ("The rivalry of two firms", "Communities"), ("A patent suit", above),
    }  # fmt: skip
    assert ("The rivalry of two firms", "Communities", "Two firms quarrel.") in topics(database)
    assert database.fetch("SELECT count(*) FROM context_items WHERE have_gen < want_gen") == [(0,)]


def test_it_stays_what_it_is(database: Database, worker: LocalWorker, tmp_path: Path) -> None:
    """Another document that declares a name has others read again, but not these; a second import changes nothing."""
    run = written(tmp_path / "run", NEW)
    take(database, worker, run)
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "globex.md").write_text("---\ntitle: Globex\ntype: organization\n---\nGlobex acquired Initech.\n")
    Pipeline(database, worker, Config()).add(AddRequest(paths=[vault]))
    assert facts(database) >= QUOTED
    assert database.fetch("SELECT count(*) FROM entities WHERE lower(name) = 'globex'") == [(1,)]
    assert take(database, worker, run).skipped == {"unchanged": 2}
    changed = {**NEW, "documents": [{**NEW["documents"][1], "text": LETTER + "\nJane Roe met Globex.\n"}]}
    other = written(tmp_path / "other", changed)
    assert take(database, worker, other).skipped == {"known, another here": 1}
    with pytest.raises(ConflictError, match="another"):
        take(database, worker, other, "error")
    assert take(database, worker, other, "overwrite").updated == 1
    assert database.fetch("SELECT size FROM context_items WHERE path = '/in/letter.txt'") == [(len(LETTER) + 22,)]


def test_what_cannot_come_in(database: Database, worker: LocalWorker, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no output of GraphRAG"):
        take(database, worker, tmp_path / "empty")
    with pytest.raises(UsageError, match="name its --format"):
        import_format(tmp_path / "empty", "auto")
    broken = written(tmp_path / "broken", NEW)
    (broken / "relationships.parquet").write_bytes(b"PAR1 and nothing")
    with pytest.raises(KgfsError, match="cannot be read"):
        take(database, worker, broken)
    foreign = written(tmp_path / "foreign", {**NEW, "text_units": [{"a": 1}]})
    with pytest.raises(KgfsError, match="has no column 'id'"):
        take(database, worker, foreign)
    assert database.fetch("SELECT count(*) FROM context_items") == [(0,)]
