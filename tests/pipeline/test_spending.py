"""What reading with a model will cost and did cost is told, held below a budget, and a model that is gone stops nothing
else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kgfs.config import Config
from kgfs.errors import LlmUnavailable, UsageError
from kgfs.llm.prices import PRICES
from kgfs.llm_records import LlmAnswer, LlmRequest, LlmUsage
from kgfs.pipeline.pipeline import PAUSED, Pipeline
from kgfs.pipeline.refresh import Refresher
from kgfs.pipeline.refresh_records import RefreshRequest, RefreshTarget
from kgfs.pipeline.request import AddRequest, AddSummary
from kgfs.service.jobs import Jobs
from kgfs.store.catalog.database import Database
from kgfs.store.llm import llm_rows
from tests.pipeline.test_reading_by_model import CONFIG, ModelWorker, folder

PRICE = PRICES[CONFIG.llm_model]
ANSWER = (100 * PRICE.input + 10 * PRICE.output) / 1e6
"""What one answer of the worker costs."""


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    one = Jobs()
    yield one
    one.close()


def add(jobs: Jobs, database: Database, worker: ModelWorker, config: Config = CONFIG, **options: Any) -> AddSummary:
    """As the service does: a job."""
    notes = worker.place / "notes"

    def work(progress: Any, cancel: Any) -> AddSummary:
        pipeline = Pipeline(database, worker, config, progress=progress, cancel=cancel)
        return pipeline.add(AddRequest(paths=[notes], **options))

    summary: AddSummary = jobs.run("add", "kgfs add", work)
    return summary


class Reader(ModelWorker):
    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.place = place


@pytest.fixture
def worker(tmp_path: Path) -> Reader:
    folder(tmp_path / "notes")
    return Reader(tmp_path)


def test_costs_are_told_by_stage_and_document(jobs: Jobs, database: Database, worker: Reader) -> None:
    summary = add(jobs, database, worker)
    asked = len(worker.asked)
    assert summary.extractor == "llm"
    assert summary.cost["requests"] == asked
    assert summary.cost["usd"] == pytest.approx(asked * ANSWER, abs=1e-6)
    stages = summary.cost["stages"]
    assert {stage: stages[stage]["requests"] for stage in stages} == Counter(purpose for _, purpose in worker.asked)
    documents = summary.cost["documents"]
    assert {ref.rpartition("/")[2] for ref in documents} == {note.name for note in worker.place.glob("notes/*.md")}
    assert sum(one["output_tokens"] for one in documents.values()) == 10 * (asked - stages["topics"]["requests"])
    (job,) = jobs.known()
    assert job.cost == summary.cost
    assert "cost" not in job.progress
    assert msgspec.json.decode(msgspec.json.encode(job))["cost"] == summary.cost
    again = add(jobs, database, worker)
    assert again.cost == {}


def test_a_dry_run_names_the_price_and_asks_nothing(jobs: Jobs, database: Database, worker: Reader) -> None:
    no_key = msgspec.structs.replace(CONFIG, llm_base_url="", extractor="auto")
    told = add(jobs, database, worker, no_key, dry_run=True, extractor="llm")
    notes, files = (len(list(worker.place.glob(f"notes/*{kind}"))) for kind in (".md", ""))
    assert (told.added, worker.asked) == (files, [])
    estimate = told.estimate
    assert estimate is not None
    assert estimate.documents == notes == files - 1, "the table is read offline"
    assert estimate.chunks > notes
    assert estimate.input_tokens > 1_000 * estimate.requests, "each request has the whole prompt"
    assert estimate.usd is not None
    assert estimate.batch_usd == pytest.approx(estimate.usd / 2)
    assert add(jobs, database, worker, no_key, dry_run=True).estimate is None, "nobody would ask a model"
    unknown = msgspec.structs.replace(CONFIG, llm_model="my-model")
    other = add(jobs, database, worker, unknown, dry_run=True).estimate
    assert other is not None
    assert other.usd is None
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY"):
        add(jobs, database, worker, no_key, extractor="llm")
    with pytest.raises(UsageError, match="price of my-model"):
        add(jobs, database, worker, unknown, budget=1.0)
    assert database.fetch("SELECT count(*) FROM documents") == [(0,)]
    # What was said beforehand holds, roughly: as many requests, give or take the chunks that the model proposes.
    summary = add(jobs, database, worker)
    assert 0.5 < summary.cost["requests"] / estimate.requests < 2


def dear(worker: Reader) -> float:
    """Have each answer cost so many dollars."""
    answer, usage = worker.model, LlmUsage(input_tokens=20_000, output_tokens=1_000)

    def model(request: LlmRequest) -> LlmAnswer:
        said = answer(request)
        assert isinstance(said, dict)
        return LlmAnswer(input=said, stop_reason="tool_use", usage=usage)

    worker.model = model
    return PRICE.cost(usage)


def test_a_budget_stops_reading_and_nothing_else(jobs: Jobs, database: Database, worker: Reader) -> None:
    each = dear(worker)
    short = add(jobs, database, worker, budget=6 * each)
    assert any("larger --budget" in warning for warning in short.warnings)
    asked = len(worker.asked)
    assert short.cost["usd"] == pytest.approx(asked * each)
    assert 0 < asked <= 6
    assert short.counts["documents"] == len(list(worker.place.glob("notes/*")))
    assert database.fetch("SELECT count(*) FROM chunks WHERE have_gen < want_gen") == [(0,)], "the texts are searchable"
    rest = add(jobs, database, worker, budget=5.0)
    assert rest.warnings == []
    assert rest.counts["entities"] > short.counts["entities"]
    assert len({key for key, _ in worker.asked}) == len(worker.asked) > asked


def test_what_a_budget_left_is_not_read_by_itself_and_a_day_has_a_bound(
    jobs: Jobs, database: Database, worker: Reader
) -> None:
    left = Pipeline(database, worker, CONFIG)
    add(jobs, database, worker, budget=0.1)
    each, asked = dear(worker), len(worker.asked)
    (target,) = [RefreshTarget(source=row[0]) for row in database.fetch("SELECT id FROM sources")]
    refresher = Refresher(database, worker, CONFIG)

    # All that one request can cost at most is reserved, and so much is not there.
    short = refresher.refresh(RefreshRequest(targets=[target], budget=1e-6))
    database.write(lambda cursor: cursor.execute("UPDATE context_items SET extracted_gen = 0"))
    database.write(lambda cursor: cursor.execute("DELETE FROM llm_answers"))
    assert short.warnings == [] and left.resume() == []
    more = len(worker.asked)
    assert more > asked, "nothing waited, so nothing was paused"
    database.write(lambda cursor: cursor.execute("UPDATE context_items SET extracted_gen = 0"))
    database.write(lambda cursor: cursor.execute("DELETE FROM llm_answers"))
    short = refresher.refresh(RefreshRequest(targets=[target], budget=1e-6))
    assert "larger --budget" in short.warnings[0]
    assert left.resume() == [PAUSED] == left.remove([]).warnings
    assert len(worker.asked) == more

    daily = msgspec.structs.replace(CONFIG, llm_budget_per_day=database.write(llm_rows.spent_today) + 6 * each)
    spent = Refresher(database, worker, daily).refresh(RefreshRequest(targets=[target]))
    assert "llm_budget_per_day" in spent.warnings[0] and "tomorrow" in spent.warnings[0]
    assert database.write(llm_rows.spent_today) <= daily.llm_budget_per_day
    assert len(worker.asked) > more, "some were asked"
    assert spent.cost["requests"] == len(worker.asked) - more
    assert "llm_budget_per_day" in Pipeline(database, worker, daily).resume()[0]
    database.write(lambda cursor: cursor.execute("DELETE FROM meta WHERE key = 'llm_spent'"))
    roomy = msgspec.structs.replace(daily, llm_budget_per_day=100 * each)
    assert Pipeline(database, worker, roomy).resume() == [], "another day"
    with pytest.raises(UsageError, match="llm_budget_per_day cannot hold"):
        add(jobs, database, worker, msgspec.structs.replace(daily, llm_model="my-model"))


def test_a_model_that_is_gone_leaves_documents_waiting(jobs: Jobs, database: Database, worker: Reader) -> None:
    answer = worker.model

    def gone(request: LlmRequest) -> LlmAnswer:
        raise LlmUnavailable("Nothing answers.")

    worker.model = gone
    assert add(jobs, database, worker).warnings == ["Nothing answers."]
    assert database.fetch("SELECT count(*) FROM chunks WHERE have_gen < want_gen") == [(0,)]
    worker.model = answer
    with Database.open(worker.place / "other", create=True) as other:
        whole = add(jobs, other, Reader(worker.place))
    assert add(jobs, database, worker).counts == whole.counts
