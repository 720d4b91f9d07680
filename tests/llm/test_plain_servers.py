"""Servers that speak the Messages API without tools, caching or batches; and the first of many requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from llm_reader import answer
from llm_server import LlmServer, Reply, content_of

from kgfs.calls import LlmCalls
from kgfs.config import Config
from kgfs.documents.formats.parsing import parse_document
from kgfs.llm.asking import Asker, Dialogue
from kgfs.llm.client import LanguageModel
from kgfs.llm.extraction import DocumentReading, read_document
from kgfs.llm_records import LlmRequest, LlmTool
from kgfs.store.catalog.database import Database

TEXTS = [
    f"# Note {number}\n\nAnn Lee founded Acme Corp in 2012. Acme Corp acquired Gizmo{number} Works in 2015.\n"
    for number in range(4)
]


class PlainServer(LlmServer):
    """Knows text only, and counts no caches. Some of its answers have a fence and words around them."""

    def __init__(self) -> None:
        super().__init__(lambda body: Reply())
        self.plain = True

    def message(self, body: dict[str, Any]) -> dict[str, Any]:
        made = super().message(body)
        said = json.dumps(answer("record_graph", content_of(body)))
        around = ("", "```json\n{}\n```", "Here it is:\n{}\nI hope this helps.")[len(self.requests) % 3]
        made["content"] = [{"type": "text", "text": around.replace("{}", said) or said}]
        made["stop_reason"] = "end_turn"
        made["usage"] = {"input_tokens": 50, "output_tokens": 10}
        return made


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(tmp_path / "store", create=True) as opened:
        yield opened


class Here(LlmCalls):
    """What the worker does, in this process."""

    def __init__(self, config: Config) -> None:
        self.model = model = LanguageModel(config)
        self.complete, self.submit_batch, self.batch = model.complete, model.submit, model.batch
        self.recent_batches, self.batch_results = model.recent_batches, model.results


@pytest.fixture
def here() -> Iterator[Callable[[Config], Here]]:
    made: list[Here] = []

    def make(config: Config) -> Here:
        made.append(Here(config))
        return made[-1]

    yield make
    for one in made:
        one.model.close()


@pytest.mark.parametrize("bulk", [False, True])
def test_a_server_without_tools_caches_and_batches(
    database: Database, here: Callable[[Config], Here], bulk: bool
) -> None:
    with PlainServer() as server:
        config = Config(llm_model="local", llm_base_url=server.url, llm_timeout_seconds=30, llm_retries=0)
        documents = [parse_document(text.encode(), f"{number}.md") for number, text in enumerate(TEXTS)]
        dialogues: list[Dialogue[DocumentReading]] = [read_document(one, "local") for one in documents]
        read = Asker(database, here(config), config, bulk=bulk).drive(dialogues, [1, 2, 3, 4], stage="read")
        for number, reading in enumerate(read):
            assert reading.extraction is not None, reading.failure
            entities = reading.extraction.entities
            facts = {
                (entities[one.subject].name, one.type, entities[one.object].name)
                for one in reading.extraction.facts
                if one.object is not None
            }
            assert facts >= {("Ann Lee", "FOUNDED", "Acme Corp"), ("Acme Corp", "ACQUIRED", f"Gizmo{number} Works")}
        assert len(server.requests) == len(TEXTS)
        assert all("tools" not in body and isinstance(body["system"], str) for body in server.requests)
        assert all('"says"' in body["system"] for body in server.requests), "the schema is in the text"
        refused = len([path for method, path in server.seen if method == "POST" and path == "/v1/messages"])
        assert refused - len(TEXTS) == 4, "the forms with tools are tried once"
        assert ("POST", "/v1/messages/batches") in server.seen or not bulk


def test_the_first_request_of_a_kind_goes_alone(database: Database, here: Callable[[Config], Here]) -> None:
    """What all have in common is kept by the server once it has answered one."""
    at_once: dict[str, int] = {}
    under_way = 0
    lock = threading.Lock()
    gate = threading.Barrier(3, timeout=20)

    def reply(body: dict[str, Any]) -> dict[str, Any]:
        nonlocal under_way
        with lock:
            under_way += 1
            at_once[content_of(body)] = under_way
        if content_of(body) != "0":
            gate.wait()  # three at a time, or it fails
        with lock:
            under_way -= 1
        return {"said": content_of(body)}

    tool = LlmTool(name="say", description="Say it.", input_schema={"type": "object"})

    def ask() -> Dialogue[list[Any]]:
        answers = yield [
            LlmRequest(purpose="extract", model="m", prompt_version="1", system="", content=str(number), tool=tool,
                       max_tokens=50)
            for number in range(7)
        ]  # fmt: skip
        return [one.input for one in answers]

    with LlmServer(reply) as server:
        config = Config(llm_model="m", llm_base_url=server.url, llm_concurrency=3, llm_timeout_seconds=60)
        (said,) = Asker(database, here(config), config).drive([ask()])
    assert said == [{"said": str(number)} for number in range(7)]
    assert at_once["0"] == 1
    assert max(at_once.values()) == 3
