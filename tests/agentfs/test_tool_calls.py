"""The audit trail: what is inserted, what is refused, what is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from kgfs.agentfs.audit.tool_calls import Call, ToolCalls
from kgfs.agentfs.database import AgentDatabase
from kgfs.errors import UsageError

SECOND = 1_000_000_000


@pytest.fixture
def database(tmp_path: Path) -> Iterator[AgentDatabase]:
    with AgentDatabase(tmp_path / "agent.db") as database:
        yield database


def call(name: str, start: float, end: float, **given: object) -> Call:
    return Call(name=name, started_ns=int(start * SECOND), ended_ns=int(end * SECOND), **given)  # type: ignore[arg-type]


def test_both_rules_hold_in_every_row(database: AgentDatabase) -> None:
    """Exactly one of result and error; the duration is the difference of the seconds."""
    ToolCalls(database).record(
        [
            call("read", 10.2, 10.9, result={"bytes": 5}), call("read", 10.9, 11.1, parameters={"path": "ü"}),
            call("write", 20, 35.5, error="No such file."), call("clock", 40, 39), call("empty", 50, 50, error=""),
        ]
    )  # fmt: skip
    with database.read() as connection:
        rows = connection.execute(
            "SELECT name, parameters, result, error, status, started_at, completed_at, duration_ms FROM tool_calls"
        ).fetchall()
    assert rows == [
        ("read", None, '{"bytes": 5}', None, "success", 10, 10, 0),
        ("read", '{"path": "ü"}', "null", None, "success", 10, 11, 1000),
        ("write", None, None, "No such file.", "error", 20, 35, 15000),
        ("clock", None, "null", None, "success", 40, 40, 0),
        ("empty", None, None, "", "error", 50, 50, 0),
    ]
    for row in rows:
        assert (row[2] is None) != (row[3] is None) and row[7] == (row[6] - row[5]) * 1000


@pytest.mark.parametrize(
    "given",
    [
        {"result": 1, "error": "both"},
        {"name": ""},
        {"result": {1, 2}},
        {"parameters": float("nan")},
        {"result": b"bytes"},
    ],
)
def test_a_call_that_breaks_a_rule_is_refused_with_its_batch(database: AgentDatabase, given: dict[str, object]) -> None:
    calls = ToolCalls(database)
    with pytest.raises(UsageError):
        calls.record([call("fine", 1, 2), call(str(given.pop("name", "bad")), 1, 2, **given)])
    assert list(calls.list()) == []


def test_what_is_asked(database: AgentDatabase) -> None:
    calls = ToolCalls(database)
    ids = calls.record(
        [
            call("read", 10, 10.25, session="one", pid=7, command="cat"), call("read", 20, 21, error="gone"),
            call("write", 30, 30.5, session="one", cost=0.25, result=[1]), call("write", 30, 31, session="two"),
        ]
    )  # fmt: skip

    def names(**given: object) -> list[int]:
        return [ids.index(one.id) for one in calls.list(**given)]  # type: ignore[arg-type]

    assert names() == [3, 2, 1, 0]
    assert names(name="read") == [1, 0]
    assert names(status="error") == [1]
    assert names(since=20) == [3, 2, 1]
    assert names(session="one") == [2, 0]
    assert names(session="one", name="write", status="success", since=1, limit=1) == [2]
    assert names(limit=0) == []
    first = list(calls.list())[-1]
    assert json.loads(msgspec.json.encode(first)) == {
        "id": ids[0], "name": "read", "status": "success", "started_at": 10, "completed_at": 10, "duration_ms": 0,
        "started_ns": 10 * SECOND, "elapsed_us": 250_000, "result": None, "pid": 7, "command": "cat", "session": "one",
    }  # fmt: skip
    assert [msgspec.structs.astuple(one) for one in calls.stats()] == [
        ("read", 2, 1, 1, 625.0), ("write", 2, 2, 0, 750.0),
    ]  # fmt: skip
