"""A model cuts and reads documents: the same graph however often a run is killed, and no answer is paid for twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from llm_reader import answer

from kgfs.config import Config
from kgfs.llm_records import LlmAnswer, LlmRequest, LlmUsage
from kgfs.namespace.views.documents import render_documents
from kgfs.pipeline.pipeline import Pipeline
from kgfs.pipeline.request import AddRequest, AddSummary
from kgfs.service.health import state
from kgfs.store.catalog.database import Database
from kgfs.store.sql.views import VIEWS
from tests import planned_graphs as graphs
from tests.local_worker import LocalWorker

TESTS = Path(__file__).parents[1]
CONFIG = Config(extractor="llm", llm_concurrency=1, chunk_tokens_min=20, chunk_tokens_max=60, llm_base_url="http://x")
QUOTE = "was the chief executive of Acme Corp since 2012"


class ModelWorker(LocalWorker):
    """A worker that has a model: by rules, or what a test gives. It notes each answer, and can end its process."""

    def __init__(self, place: Path, die: tuple[str, int] | None = None) -> None:
        super().__init__(place / "index.log", CONFIG)
        self._asked = place / "asked.log"
        self._die = die
        self._calls: Counter[str] = Counter()
        self.model: Callable[[LlmRequest], dict[str, Any] | LlmAnswer | None] = lambda request: answer(
            request.tool.name, request.content
        )

    def _call(self, name: str) -> None:
        self._calls[name] += 1
        if self._die == (name, self._calls[name]):
            signal.raise_signal(signal.SIGKILL)

    def complete(self, request: LlmRequest) -> LlmAnswer:
        self._call("complete")
        self._call(request.purpose)
        said = self.model(request)
        with self._asked.open("a") as file:
            file.write(json.dumps([request.key, request.purpose]) + "\n")
        if isinstance(said, LlmAnswer):
            return said
        return LlmAnswer(input=said, stop_reason="tool_use", usage=LlmUsage(input_tokens=100, output_tokens=10))

    def index_texts(self, kind: str, rows: Any) -> None:
        self._call("index")
        super().index_texts(kind, rows)

    @property
    def asked(self) -> list[tuple[str, str]]:
        """Key and purpose of each request that was answered."""
        return (
            [tuple(json.loads(line)) for line in self._asked.read_text().splitlines()] if self._asked.exists() else []
        )


PROGRAM = """
import sys
sys.path[:0] = sys.argv[1:3]
from pathlib import Path
from tests.pipeline.test_reading_by_model import ModelWorker, add
add(Path(sys.argv[3]), ModelWorker(Path(sys.argv[3]), (sys.argv[4], int(sys.argv[5]))), Path(sys.argv[6]))
"""


def add(place: Path, worker: LocalWorker, notes: Path, config: Config = CONFIG) -> AddSummary:
    with Database.open(place / "store", create=True) as database:
        return Pipeline(database, worker, config).add(AddRequest(paths=[notes], extractor=config.extractor))


def folder(place: Path) -> Path:
    place.mkdir()
    for number in range(3):
        parts = "".join(
            f"## Part {part}\n\nWages in Duluth rose modestly. Widget{part} Corp acquired Gizmo{number} Works in"
            f" 201{part}. {'Plain words stand here. ' * 4}Many speak of robotics.\n\n"
            for part in range(3)
        )
        (place / f"note{number}.md").write_text(f"# Note {number}\n\nAnn Lee{number} {QUOTE}.\n\n{parts}")
    (place / "table.csv").write_text("name,city\nAcme Corp,Duluth\n")
    return place


def rows(place: Path, sql: str) -> list[tuple[Any, ...]]:
    with Database.open(place / "store") as database:
        return database.fetch(sql)


@pytest.mark.slow
def test_killed_at_any_point_it_comes_to_the_same_graph_and_asks_nothing_twice(tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for place in (whole, killed):
        place.mkdir()
    summary = add(whole, ModelWorker(whole), notes)
    assert (summary.added, summary.failed) == (4, [])
    asked = ModelWorker(whole).asked
    assert {purpose for _, purpose in asked} == {"chunk", "card", "extract", "topics"}
    assert len({key for key, _ in asked}) == len(asked) > 12
    # At the chunker, when new chunks were written, at the extractor, at the topics.
    points = [("complete", 2), ("index", 1), ("complete", 3), ("topics", 1)]
    kills = 0
    for name, count in points:
        command = [sys.executable, "-c", PROGRAM, TESTS, TESTS.parent, killed, name, str(count), notes]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
        kills += 1
    worker = ModelWorker(killed)
    add(killed, worker, notes)
    assert {key for key, _ in worker.asked} == {key for key, _ in asked}
    assert len(worker.asked) <= len(asked) + kills  # one may have been under way at each kill
    with Database.open(killed / "store") as database, Database.open(whole / "store") as other:
        assert graphs.contradictions(database) == {}
        assert graphs.graph(database, slugs=False) == graphs.graph(other, slugs=False)
        held = {key[2] for key in worker.content() if key[:2] == ("text", "chunk")}
        assert held >= {row[0] for row in database.fetch("SELECT id FROM chunks")}

    before = len(worker.asked)
    again = ModelWorker(killed)
    assert add(killed, again, notes).skipped == {"unchanged": 4}
    # All documents again, with the same texts: all answers are there.
    with Database.open(killed / "store") as database:
        database.write(lambda cursor: cursor.execute("UPDATE context_items SET extracted_gen = 0"))
    add(killed, again, notes)
    assert len(again.asked) == before


def test_what_a_model_read_is_told_with_the_document(tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes")
    worker = ModelWorker(tmp_path)

    def model(request: LlmRequest) -> dict[str, Any]:
        said = answer(request.tool.name, request.content)
        if "facts" in said:
            said["facts"].append(
                {"subject": "Nobody", "type": "KILLED", "object": "Ann", "quote": "Nobody killed Ann."}
            )
        return said

    worker.model = model
    summary = add(tmp_path, worker, notes)
    passages = rows(
        tmp_path, "SELECT count(*) FROM chunks JOIN documents d ON d.id = document_id WHERE slug LIKE 'note%'"
    )
    # What was refused is asked about once more, and proposed once more.
    assert summary.dropped["fact: quote not in the text"] == 2 * passages[0][0]
    found = rows(tmp_path, "SELECT slug, extractor, chunker, reading FROM documents ORDER BY slug")
    assert [row[:3] for row in found] == [
        *((f"note{number}", f"llm:{Config().llm_model}", "llm") for number in range(3)),
        ("table", "test", "structural"),
    ]
    told = msgspec.json.decode(found[0][3])
    assert told["dropped"]["fact: quote not in the text"] > 0
    assert QUOTE in told["summary"]
    assert found[3][3] is None
    with Database.open(tmp_path / "store") as database:
        (shown,) = database.fetch(f"SELECT summary FROM ({VIEWS['documents'].statement}) WHERE slug = 'note0'")
        with database.read() as cursor:
            number = database.fetch("SELECT id FROM documents WHERE slug = 'note0'")[0][0]
            pages = {page.view: page.body.decode() for page in render_documents(cursor, [number])}
    assert shown == (told["summary"],)
    assert told["summary"] in pages["document_summary"]
    query = (
        "SELECT c.headings, c.text FROM chunks c JOIN documents d ON d.id = c.document_id WHERE slug = 'note1'"
        " ORDER BY ordinal"
    )
    for headings, text in rows(tmp_path, query)[1:]:
        assert text.startswith("## Part") and msgspec.json.decode(headings)[-1] == text.split("\n")[0][3:]


def test_what_a_model_says_of_an_entity_stands_before_sentences_that_rules_chose(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Acme Corp is a company in Duluth. It makes widgets for farms.\n")
    (notes / "b.md").write_text("Acme Corp was once a maker of boats.\n")
    said = {"Duluth": "Acme Corp makes widgets for farms, in Duluth.", "boats": "A maker of boats of Tesla.", "": ""}

    def model(request: LlmRequest) -> dict[str, Any]:
        description = next(text for word, text in said.items() if word in request.content)
        entity = {"name": "Acme Corp", "type": "Organization", "description": description}
        return {"entities": [entity], "facts": [], "topics": [], "summary": ""}

    worker = ModelWorker(tmp_path)
    worker.model = model
    add(tmp_path, worker, notes)
    assert rows(tmp_path, "SELECT name, description FROM entities") == [("Acme Corp", said["Duluth"])]
    (notes / "a.md").write_text(
        "---\ntitle: Acme Corp\ntype: organization\ndescription: We are Acme.\n---\nIn Duluth.\n"
    )
    add(tmp_path, worker, notes)
    assert ("Acme Corp", "We are Acme.") in rows(tmp_path, "SELECT name, description FROM entities")


def test_what_a_model_cannot_read_is_read_offline_and_told(tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes")
    worker = ModelWorker(tmp_path)
    worker.model = lambda request: (
        LlmAnswer(error="The server refused it.")
        if "Gizmo2" in request.content
        else answer(request.tool.name, request.content)
    )
    summary = add(tmp_path, worker, notes)
    ((path, error),) = [(failure.path, failure.error) for failure in summary.failed]
    assert path.endswith("note2.md") and "was read offline: The server refused it." in error
    found = rows(tmp_path, "SELECT extractor, chunker, reading FROM documents WHERE slug = 'note2'")
    assert found == [
        ("test", "structural (the model failed: The server refused it)", '{"failure":"The server refused it."}')
    ]
    assert rows(
        tmp_path, "SELECT count(*) FROM facts f JOIN documents d ON d.id = f.document_id WHERE slug = 'note2'"
    ) > [(0,)]


def test_chunks_stay_structural_where_the_settings_say_so(tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes")
    worker = ModelWorker(tmp_path)
    add(tmp_path, worker, notes, msgspec.structs.replace(CONFIG, chunker="structural"))
    assert {purpose for _, purpose in worker.asked} == {"card", "extract", "topics"}
    assert rows(tmp_path, "SELECT DISTINCT chunker FROM documents") == [("structural",)]


def test_a_document_that_changes_is_cut_again_and_read_where_it_changed(tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes")
    worker = ModelWorker(tmp_path)
    add(tmp_path, worker, notes)
    query = "SELECT c.text FROM chunks c JOIN documents d ON d.id = c.document_id WHERE slug = 'note0' ORDER BY ordinal"
    before = rows(tmp_path, query)
    (notes / "note0.md").write_text(
        (notes / "note0.md").read_text() + "## Part 9\n\nBoston Corp acquired Gizmo Works.\n"
    )
    asked = len(worker.asked)
    add(tmp_path, worker, notes)
    after = rows(tmp_path, query)
    assert after[:-1] == before
    assert after[-1][0].startswith("## Part 9")
    assert [purpose for _, purpose in worker.asked[asked:]] == ["chunk", "card", "extract"]


def test_what_was_read_without_a_model_is_read_by_one_where_it_is_named(tmp_path: Path) -> None:
    notes, worker = folder(tmp_path / "notes"), ModelWorker(tmp_path)
    offline = msgspec.structs.replace(CONFIG, extractor="offline")
    auto = msgspec.structs.replace(CONFIG, extractor="auto")
    assert add(tmp_path, worker, notes, offline).added == 4 and worker.asked == []
    (notes / "note0.md").write_text("# Note 0\n\nWages in Duluth fell.\n")
    with Database.open(tmp_path / "store") as database:
        pipeline = Pipeline(database, worker, auto)
        plain = pipeline.add(AddRequest(paths=[notes / "note1.md"]))  # what a key finds there is not paid for unasked
        assert (plain.again, plain.skipped) == (0, {"unchanged": 1})
        assert {purpose for _, purpose in worker.asked} <= {"topics"}
        dry = pipeline.add(AddRequest(paths=[notes], extractor="llm", dry_run=True))
        assert (dry.updated, dry.again, dry.skipped) == (1, 2, {"unchanged": 1})  # the table is nothing for a model
        assert dry.estimate is not None and dry.estimate.documents == 3
        done = pipeline.add(AddRequest(paths=[notes], extractor="llm"))
        assert (done.updated, done.again, done.skipped, done.failed) == (1, 2, {"unchanged": 1}, [])
        readers = dict(database.fetch("SELECT slug, extractor FROM documents"))
        assert {name for name, reader in readers.items() if reader.startswith("llm:")} == {"note0", "note1", "note2"}
        asked = worker.asked
        assert asked and pipeline.add(AddRequest(paths=[notes], extractor="llm")).again == 0
        assert worker.asked == asked


def test_types_that_mean_the_same_are_one_and_nothing_is_read_twice(tmp_path: Path) -> None:
    """What reads as another type is read again from the answers that are kept; later documents have the verdict."""
    notes = tmp_path / "notes"
    notes.mkdir()
    says = "Acme Corp bought its lamps of Gizmo Works. Gizmo Works has sold lamps to Widget Corp."
    (notes / "a.md").write_text(f"# A\n\n{says}\n")

    def model(request: LlmRequest) -> dict[str, Any]:
        if request.tool.name == "record_types":
            names = [json.loads(line).get("name") for line in request.content.splitlines()]
            return {"types": [{"type": names.index("BOUGHT_LAMPS_OF"), "same_as": "SOLD_LAMPS_TO", "turned": True}]}
        if request.tool.name != "record_graph":
            return answer(request.tool.name, request.content)
        firms = [{"name": name, "type": "Organization"} for name in ("Acme Corp", "Gizmo Works", "Widget Corp")]
        quotes = [
            ("Acme Corp bought its lamps of Gizmo Works", "Acme Corp", "BOUGHT_LAMPS_OF", "Gizmo Works"),
            ("Gizmo Works has sold lamps to Widget Corp", "Gizmo Works", "SOLD_LAMPS_TO", "Widget Corp"),
        ]
        facts = [
            {"quote": quote, "status": "claimed", "says": [
                {"subject": subject, "type": "OTHER", "proposed_type": kind, "object": other}]}
            for quote, subject, kind, other in quotes
        ]  # fmt: skip
        return {"entities": firms, "facts": facts}

    worker = ModelWorker(tmp_path)
    worker.model = model
    add(tmp_path, worker, notes)
    sql = (
        "SELECT s.name, f.type, o.name, f.status FROM facts f JOIN entities s ON s.id = subject_id"
        " JOIN entities o ON o.id = object_id ORDER BY ALL"
    )
    both = [
        ("Gizmo Works", "SOLD_LAMPS_TO", "Acme Corp", "claimed"),
        ("Gizmo Works", "SOLD_LAMPS_TO", "Widget Corp", "claimed"),
    ]
    assert rows(tmp_path, sql) == both
    asked = Counter(purpose for _, purpose in worker.asked)
    assert (asked["types"], asked["extract"]) == (1, 1)
    (notes / "b.md").write_text(f"# B\n\n{says} So they say.\n")
    add(tmp_path, worker, notes)
    assert rows(tmp_path, sql) == sorted([*both, *both])
    asked = Counter(purpose for _, purpose in worker.asked)
    assert (asked["types"], asked["extract"]) == (1, 2)


def test_what_is_dropped_can_be_looked_up(tmp_path: Path) -> None:
    """In what the run says, in the document's metadata, and by ``kgfs status --errors``."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\nAcme Corp bought Gizmo Works last year.\n")
    invented = "Acme Corp is bankrupt"
    worker = ModelWorker(tmp_path)
    worker.model = lambda request: {
        "entities": [{"name": "Acme Corp", "type": "Organization"}, {"name": "Nobody", "type": "Person"}],
        "facts": [
            {"quote": invented, "says": [{"subject": "Acme Corp", "type": "REPORTED", "value_text": "bankrupt"}]}
        ],
    }
    summary = add(tmp_path, worker, notes)
    assert summary.dropped == {"fact: quote not in the text": 2, "entity: name not in the text": 2}
    assert [(one.reason, one.ref.endswith("a.md")) for one in summary.dropped_examples[:2]] == [
        ("entity: name not in the text", True), ("fact: quote not in the text", True),
    ]  # fmt: skip
    assert "Acme Corp is bankrupt" in summary.dropped_examples[1].said
    msgspec.json.encode(summary)
    with Database.open(tmp_path / "store") as database:
        told = state.dropped_of_documents(database)
        assert [one["note"].partition(":")[0] for one in told] == ["The model's entity", "The model's fact"] * 2
        with database.read() as cursor:
            pages = {page.view: page.body for page in render_documents(cursor, [1])}
    shown = json.loads(pages["document_metadata"])["reading"]
    assert shown["dropped"] == summary.dropped
    assert [one["reason"] for one in shown["examples"]][:2] == [one.reason for one in summary.dropped_examples[:2]]
