"""A language model is asked for nothing twice, within a budget, and whatever its server does ends in a sentence."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from llm_server import Fault, LlmServer, Reply

from kgfs.calls import LlmCalls
from kgfs.config import Config
from kgfs.errors import BudgetError, Cancelled, LlmTimeout, LlmUnavailable, UsageError
from kgfs.llm import batches as batches_module
from kgfs.llm.asking import Asker, Dialogue
from kgfs.llm.choice import choose_reader
from kgfs.llm.client import STREAM_ABOVE, LanguageModel
from kgfs.llm.prices import PRICES, price_of
from kgfs.llm_records import LlmAnswer, LlmBatch, LlmRequest, LlmTool, LlmUsage
from kgfs.models.client import Worker
from kgfs.store.catalog.database import Database
from kgfs.store.llm import llm_rows
from tests.waiting import until

MODEL = "claude-haiku-4-5"
TOOL = LlmTool(name="say", description="Say it.", input_schema={"type": "object"})
COST = (100 * 1 + 20 * 5) / 1e6
"""Of one answer of the server, which says 100 tokens in and 20 out."""


def request(content: str, *, purpose: str = "extract", max_tokens: int = 100, model: str = MODEL) -> LlmRequest:
    return LlmRequest(
        purpose=purpose, model=model, prompt_version="1", system="Be brief.", content=content, tool=TOOL,
        max_tokens=max_tokens,
    )  # fmt: skip


def ask(*contents: str, purpose: str = "extract") -> Dialogue[list[Any]]:
    """All at once."""
    answers = yield [request(content, purpose=purpose) for content in contents]
    return [answer.error or answer.input for answer in answers]


def ask_in_turn(*contents: str) -> Dialogue[list[Any]]:
    """One after the other."""
    said = []
    for content in contents:
        (answer,) = yield [request(content)]
        said.append(answer.error or answer.input)
    return said


def echo(body: dict[str, Any]) -> dict[str, Any]:
    return {"said": body["messages"][0]["content"]}


def said(*contents: str) -> list[dict[str, Any]]:
    return [{"said": content} for content in contents]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with Database.open(tmp_path_factory.mktemp("asking"), create=True) as database:
        yield database


@pytest.fixture
def database(opened: Database) -> Database:
    """With no answers in it."""
    tables = ("llm_answers", "llm_costs", "llm_batches", "llm_batch_requests")
    opened.write(lambda cursor: [cursor.execute(f"DELETE FROM {table}") for table in tables])
    return opened


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmServer]:
    with LlmServer(echo) as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running


class Killed(BaseException):
    """Stands for the end of the process: nobody handles it, and what is in the store is what is left."""


class Here(LlmCalls):
    """What the worker does, in this process: it takes seconds to start."""

    def __init__(self, config: Config, kill: str = "") -> None:
        self.model = LanguageModel(config)
        self._kill = kill
        self.complete, self.recent_batches = self.model.complete, self.model.recent_batches
        self.batch_results = self.model.results

    def submit_batch(self, requests: Sequence[LlmRequest]) -> LlmBatch:
        if self._kill == "before it is sent":
            raise Killed
        made = self.model.submit(requests)
        if self._kill == "before its id is noted":
            raise Killed
        if self._kill == "while nothing answers":
            self._kill = ""
            raise LlmTimeout("The connection broke off.")
        return made

    def batch(self, batch_id: str) -> LlmBatch | None:
        if self._kill == "before it ends":
            raise Killed
        return self.model.batch(batch_id)


Asking = Callable[..., Asker]
IMPATIENT = {"llm_timeout_seconds": 1}
"""For a server that does not answer. A busy machine may be late as well: then the request is sent once more."""


@pytest.fixture
def asking(server: LlmServer, database: Database) -> Iterator[Asking]:
    """Makes an asker, as each run has one. No answer is late but where the test wants it (``IMPATIENT``)."""
    made: list[Here] = []

    def make(settings: dict[str, Any] | None = None, kill: str = "", **options: Any) -> Asker:
        config = Config(**{"llm_model": MODEL, "llm_timeout_seconds": 30, "llm_retries": 1, **(settings or {})})
        made.append(Here(config, kill))
        return Asker(database, made[-1], config, **options)

    yield make
    for one in made:
        one.model.close()


def test_answers_come_in_order_and_are_asked_for_once(asking: Asking, server: LlmServer, database: Database) -> None:
    first = asking()
    found = first.drive([ask("a", "b"), ask_in_turn("b", "c", "a"), ask(), ask("a", "a")], [7, 8, 9, 7])
    assert found == [said("a", "b"), said("b", "c", "a"), [], said("a", "a")]
    assert sorted(server.contents) == ["a", "b", "c"]
    body = server.requests[0]
    assert body["tool_choice"]["name"] == "say"
    assert body["system"][-1]["cache_control"] == {"type": "ephemeral"}
    assert body["messages"][-1]["role"] == "user"

    second = asking()
    assert second.drive([ask_in_turn("c", "d")]) == [said("c", "d")]
    assert sorted(server.contents) == ["a", "b", "c", "d"], "only what is new was asked"
    assert (second.cost()["requests"], second.cost()["kept"]) == (1, 1)
    # Another model, another prompt, another length: other answers.
    others = {request("a").key, request("a", model="other").key, request("a", max_tokens=5).key}
    assert len(others) == 3
    assert request("a", purpose="glean").key == request("a").key

    with database.read() as cursor:
        costs = {cost.document_id: cost for cost in llm_rows.costs(cursor)}
    assert {number: cost.requests for number, cost in costs.items()} == {0: 1, 7: 2, 8: 1}
    assert costs[7].usd == pytest.approx(2 * COST)
    shown = first.cost()
    assert shown["usd"] == pytest.approx(3 * COST)
    assert shown["stages"]["extract"]["input_tokens"] == 300


def test_several_are_under_way_at_once(asking: Asking, server: LlmServer) -> None:
    server.delay = 0.1
    asking({"llm_concurrency": 3}).drive([ask(*"abcdef")])
    assert server.busiest == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("429", "rate limit"), ("529", "overloaded"), ("500", "out of order"), ("400", "refused a request"),
        ("hang", "no answer in 1 seconds"), ("drip", "no answer in 1 seconds"), ("long", "broke off"),
        ("close", "broke off"), ("short", "not what the Messages API gives"), ("type", "not what the Messages API"),
        ("truncated", "not what the Messages API gives"),
    ],
)  # fmt: skip
def test_a_request_that_fails_for_good_fails_alone(
    fault: Fault, message: str, asking: Asking, server: LlmServer, database: Database
) -> None:
    """The dialogue is told, the others go on, and the next run asks again."""
    server.faults.extend([fault] * (5 if fault == "400" else 2))  # each form of the request, or each try of it
    (failed, second) = asking({"llm_concurrency": 1, **IMPATIENT}).drive([ask("a"), ask("b")])
    assert re.search(message, failed[0])
    assert "\n" not in failed[0]
    assert second == said("b")
    assert asking().drive([ask("a", "b")]) == [said("a", "b")]
    assert server.contents.count("b") == 1


@pytest.mark.parametrize("faults", [["429", "529"], ["500", "close"], ["hang", "truncated"]])
def test_what_may_go_better_is_tried_again(faults: list[Fault], asking: Asking, server: LlmServer) -> None:
    server.faults.extend(faults)
    assert asking({"llm_retries": 2, **IMPATIENT}).drive([ask("a")]) == [said("a")]


def test_a_server_that_asks_for_a_pause_gets_it_unless_it_is_too_long(asking: Asking, server: LlmServer) -> None:
    server.retry_after, began = 0.8, time.monotonic()  # by itself the SDK would wait 0.5 s at most
    server.faults.append("429")
    assert asking().drive([ask("a")]) == [said("a")]
    assert time.monotonic() - began >= 0.8
    for pause in ("3600", "inf", "Fri, 01 Jan 2100 00:00:00 GMT"):
        server.retry_after = pause
        server.faults.append("429")
        before = len(server.seen)
        ((told,),) = asking().drive([ask(pause)])
        assert "rate limit" in told
        assert len(server.seen) == before + 1, "nobody waits so long, and nobody asks again before"


@pytest.mark.parametrize(
    ("fault", "message"), [("401", "refuses the key"), ("404", "llm_model"), ("loop", "llm_base_url")]
)
def test_a_server_that_cannot_answer_ends_the_run(
    fault: Fault, message: str, asking: Asking, server: LlmServer
) -> None:
    server.faults.extend([fault] * 20)
    asker = asking()
    with pytest.raises(LlmUnavailable, match=message):
        asker.drive([ask("a"), ask_in_turn("b", "c")])
    server.faults.clear()
    assert asker.drive([ask_in_turn("b", "c")]) == [said("b", "c")]


def test_a_server_that_fails_again_and_again_ends_the_run(asking: Asking, server: LlmServer) -> None:
    server.faults.extend(["529"] * 1000)
    with pytest.raises(LlmUnavailable, match=r"8 requests in a row failed.*overloaded"):
        asking({"llm_retries": 0}).drive([ask(*map(str, range(50)))])


def test_no_key_and_nobody_there(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    config = Config()
    assert choose_reader("auto", config) == "llm"
    with pytest.raises(LlmUnavailable, match=r"No server responds at http://127\.0\.0\.1:9"):
        asking({"llm_base_url": "http://127.0.0.1:9"}).drive([ask("b")])
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    with pytest.raises(LlmUnavailable, match="set ANTHROPIC_API_KEY"):
        asking().drive([ask("c")])
    assert choose_reader("auto", config) == "auto"
    assert choose_reader("auto", Config(llm_base_url="http://127.0.0.1:9")) == "llm"
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY"):
        choose_reader("llm", config)


def test_through_the_worker(
    server: LlmServer, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Errors and answers cross; the key is nowhere but in what is sent."""
    server.key = "a-key-that-nobody-prints"
    monkeypatch.setenv("ANTHROPIC_API_KEY", server.key)
    server.polls = 0
    config = Config(llm_model=MODEL)
    with Worker(tmp_path / "store", config) as worker:
        assert Asker(database, worker, config).drive([ask("a")]) == [said("a")]
        assert Asker(database, worker, config, bulk=True).drive([ask(*"bcdef")]) == [said(*"bcdef")]
        assert worker.batch("msgbatch_9999") is None
        assert [batch.ended for batch in worker.recent_batches()] == [True]
        server.faults.append("401")
        with pytest.raises(LlmUnavailable, match="refuses the key"):
            worker.complete(request("g"))
    for path in (tmp_path / "store").rglob("*"):
        assert path.is_dir() or server.key.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("max_tokens", [100, STREAM_ABOVE + 1], ids=["plain", "streamed"])
def test_answers_that_are_none(max_tokens: int, asking: Asking, server: LlmServer) -> None:
    """What is no object is ``None``, and why it ended is told; streamed or not."""
    text = {"type": "text", "text": "Well."}
    answers = {
        "object": Reply(input={"a": [1, "é" * 90, {"b": None}]}, before=[text]),
        "list": Reply(input=[1, 2]),
        "cut": Reply(input='{"a": [1, ', stop_reason="max_tokens"),
        "text": Reply(stop_reason="end_turn"),
        "refused": Reply(stop_reason="refusal", usage={"cache_read_input_tokens": 5}),
        "other tool": Reply(input={"a": 1}, tool="delete_everything"),
        "two": Reply(input={"a": 1}, before=[{"type": "tool_use", "id": "x", "name": "say", "input": {"a": 2}}]),
    }
    server.reply = lambda body: answers[body["messages"][0]["content"]]

    def dialogue() -> Dialogue[dict[str, LlmAnswer]]:
        given = yield [request(content, max_tokens=max_tokens) for content in answers]
        return dict(zip(answers, given, strict=True))

    (found,) = asking().drive([dialogue()])
    assert found["object"].input == answers["object"].input
    assert {name: answer.input for name, answer in found.items() if name != "object"} == dict.fromkeys(
        ["list", "cut", "text", "refused", "other tool", "two"]
    )
    assert found["cut"].stop_reason == "max_tokens"
    assert found["refused"].usage == LlmUsage(input_tokens=100, output_tokens=20, cache_read_tokens=5)
    assert asking().drive([dialogue()]) == [found], "the rows give the same"


def test_a_model_that_may_not_be_forced(asking: Asking, server: LlmServer) -> None:
    server.unforced = True
    assert asking().drive([ask_in_turn("a", "b")]) == [said("a", "b")]
    tries = [path for method, path in server.seen if method == "POST"]
    assert len(tries) == 4, "what works is found with the first request"


def dear(body: dict[str, Any]) -> Reply:
    """Costs most of what it may."""
    return Reply(input=echo(body), usage={"input_tokens": 900, "output_tokens": 100})


def test_the_budget_is_not_passed(asking: Asking, server: LlmServer) -> None:
    server.reply = dear
    most = (1_150 * 1.25 + 100 * 5) / 1e6
    contents = [f"passage {number}" for number in range(20)]
    asker = asking(budget=0.012)
    with pytest.raises(BudgetError, match=r"budget of 0\.012 USD.*larger --budget"):
        asker.drive([ask(*contents)])
    asked = len(server.requests)
    assert asker.cost()["usd"] == pytest.approx(asked * 0.0014)
    assert 0.012 - 1.5 * most < asked * 0.0014 <= 0.012
    assert asking().drive([ask(*contents)]) == [said(*contents)]
    assert len(server.requests) == 20 > asked, "the same command goes on"


def test_a_budget_needs_a_price(asking: Asking, server: LlmServer) -> None:
    with pytest.raises(UsageError, match="price of my-model is not known"):
        asking({"llm_model": "my-model"}, budget=1.0)
    with pytest.raises(UsageError, match="above 0"):
        asking(budget=0.0)
    asking({"llm_model": "my-model", "llm_prices": {"my-model": [1.0, 2.0]}}, budget=1.0)

    def unknown() -> Dialogue[str]:
        (answer,) = yield [request("a", model="my-model")]
        return answer.error

    asker = asking()
    assert asker.drive([unknown()]) == [""]
    assert asker.cost()["usd"] is None


def test_prices() -> None:
    usage = LlmUsage(
        input_tokens=1_000_000, output_tokens=1_000_000, cache_read_tokens=1_000_000, cache_write_tokens=1_000_000
    )
    haiku = PRICES["claude-haiku-4-5"]
    assert haiku.cost(usage) == pytest.approx(1 + 5 + 0.1 + 1.25)
    assert haiku.cost(usage, batch=True) == pytest.approx(haiku.cost(usage) / 2)
    assert price_of("claude-haiku-4-5-20251001", {}) == haiku
    assert price_of("gpt-1", {}) is None
    assert price_of("gpt-1", {"gpt-1": [2, 4]}) is not None
    long = PRICES["claude-haiku-5-5"]
    assert long.cost(LlmUsage(input_tokens=100_000)) == pytest.approx(0.01)
    assert long.cost(LlmUsage(input_tokens=200_000)) == pytest.approx(0.1)


def test_a_wish_to_stop_is_heard(asking: Asking, server: LlmServer) -> None:
    server.delay = 30
    stop = threading.Event()
    asker = asking({"llm_timeout_seconds": 60}, stopping=stop.is_set)
    threading.Thread(target=lambda: (until(lambda: server.busiest > 0), stop.set())).start()
    with pytest.raises(Cancelled):
        asker.drive([ask("a")])
    assert not server.requests, "nothing was waited for"


# --- killed runs ---------------------------------------------------------------------------------------------------

RUN = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from kgfs.config import Config
from kgfs.store.catalog.database import Database
from kgfs.llm.asking import Asker
from tests.llm.test_asking import Here, MODEL, dialogues
config = Config(llm_model=MODEL, llm_concurrency=2)
with Database.open(Path(sys.argv[1])) as database:
    Asker(database, Here(config), config).drive(dialogues())
"""


def dialogues() -> list[Dialogue[list[Any]]]:
    return [ask_in_turn(*(name + digit for digit in "123")) for name in "abcdef"]


@pytest.mark.slow
def test_a_killed_run_asks_for_nothing_twice(server: LlmServer, tmp_path: Path) -> None:
    Database.open(tmp_path, create=True).close()
    gate = threading.Semaphore(0)

    def reply(body: dict[str, Any]) -> dict[str, Any]:
        gate.acquire()
        return echo(body)

    server.reply = reply
    here = Path(__file__).parent
    process = subprocess.Popen([sys.executable, "-c", RUN, str(tmp_path), str(here.parents[1]), str(here.parent)])
    for _ in range(7):
        gate.release()
    until(lambda: len(server.requests) == 9)  # seven are answered, two under way: one for each thread
    process.kill()
    process.wait()
    for _ in range(100):
        gate.release()
    until(lambda: server.idle)
    config = Config(llm_model=MODEL)
    worker = Here(config)
    with Database.open(tmp_path) as database:
        for _ in range(2):
            found = Asker(database, worker, config).drive(dialogues())
            assert found == [said(*(name + digit for digit in "123")) for name in "abcdef"]
    worker.model.close()
    assert len(set(server.contents)) == 18
    assert len(server.contents) == 18 + 2


# --- batches -------------------------------------------------------------------------------------------------------


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches_module, "FIRST_POLL_SECONDS", 0.02)
    monkeypatch.setattr(batches_module, "LONGEST_POLL_SECONDS", 0.05)


@pytest.mark.usefixtures("quick_looks")
def test_in_bulk_it_is_the_same_at_half_the_price(asking: Asking, server: LlmServer, database: Database) -> None:
    asker = asking(bulk=True)
    assert asker.drive([ask("a", "b", "c"), ask_in_turn("d", "e"), ask("f", "a")], [1, 2, 3]) == [
        said("a", "b", "c"), said("d", "e"), said("f", "a"),
    ]  # fmt: skip
    (batch,) = server.batches.values()
    assert [one["params"]["messages"][0]["content"] for one in batch.requests] == ["b", "c", "d", "f"]
    assert all(len(one["custom_id"]) <= 64 for one in batch.requests)
    assert asker.cost()["usd"] == pytest.approx(COST * (1 + 4 / 2 + 1)), "the first one and the single last one"
    with database.read() as cursor:
        assert llm_rows.open_batches(cursor) == []
    assert asking(bulk=True).drive([ask(*"abcdef")]) == [said(*"abcdef")]
    assert len(server.requests) == 6


@pytest.mark.usefixtures("quick_looks")
@pytest.mark.parametrize("fate", ["errored", "expired", "canceled"])
def test_what_a_batch_leaves_is_asked_by_itself(fate: str, asking: Asking, server: LlmServer) -> None:
    server.batch_result = lambda _, params: fate if params["messages"][0]["content"] in "ce" else "succeeded"
    assert asking(bulk=True).drive([ask(*"abcdef")]) == [said(*"abcdef")]
    assert len(server.batches) == 1
    assert sorted(server.contents) == list("abcdef")


@pytest.mark.usefixtures("quick_looks")
def test_a_batch_fits_the_budget(asking: Asking, server: LlmServer) -> None:
    server.reply = dear
    asker = asking(bulk=True, budget=0.01)
    with pytest.raises(BudgetError):
        asker.drive([ask(*map(str, range(50)))])
    assert len(server.batches) > 1, "what was not spent of one is there for the next"
    assert 0.008 < asker.cost()["usd"] <= 0.01


@pytest.mark.slow
@pytest.mark.usefixtures("quick_looks")
@pytest.mark.parametrize(
    "when", ["before it is sent", "before its id is noted", "before it ends", "while nothing answers"]
)
@pytest.mark.parametrize("bulk", [True, False])
def test_a_killed_run_finds_its_batch_again(
    when: str, bulk: bool, asking: Asking, server: LlmServer, database: Database
) -> None:
    """Other batches of the same account, as large and as old, are in the way."""
    theirs = server.create([{"custom_id": f"theirs-{number}", "params": {}} for number in range(5)])
    theirs.results = [{"custom_id": one["custom_id"], "result": {"type": "expired"}} for one in theirs.requests]
    theirs.status = "ended"
    if when == "while nothing answers":  # nobody dies: the answer to the submission is lost
        assert asking(kill=when, bulk=True).drive([ask(*"abcdef")]) == [said(*"abcdef")]
    else:
        with pytest.raises(Killed):
            asking(kill=when, bulk=True).drive([ask(*"abcdef")])
        with database.read() as cursor:
            (note,) = llm_rows.open_batches(cursor)
        assert (note.api_id is not None) == (when == "before it ends")
        assert asking(bulk=bulk).drive([ask(*"cba"), ask("z")]) == [said(*"cba"), said("z")]
    assert asking(bulk=bulk).drive([ask(*"abcdef")]) == [said(*"abcdef")]
    assert sorted(set(server.contents) - {"z"}) == list("abcdef")
    assert len(server.contents) == len(set(server.contents)), "nothing was asked twice"
    if when != "before it is sent":
        assert len(server.batches) == 2
    with database.read() as cursor:
        assert llm_rows.open_batches(cursor) == []
