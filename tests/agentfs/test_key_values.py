"""The key-value store: values as they were given, by any program."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.agentfs.database import AgentDatabase
from kgfs.agentfs.keys.key_values import Change, KeyValues
from kgfs.errors import NotFoundError, UsageError


@pytest.fixture
def database(tmp_path: Path) -> Iterator[AgentDatabase]:
    with AgentDatabase(tmp_path / "agent.db") as database:
        yield database


@pytest.mark.parametrize("key", ["a", "user:1/with/slashes", "", "ü 😀\n%_", "k" * 100_000, "' OR 1=1 --"])
def test_a_value_is_kept_as_it_was_given(database: AgentDatabase, key: str) -> None:
    values = KeyValues(database)
    with pytest.raises(NotFoundError):
        values.get(key)
    for value in ('{"b": 1,  "a": [1.50, null]}\n', '"\\ud800 ü"', "1e400", " true ", b"[]"):
        values.set(key, value)
        text = value.decode() if isinstance(value, bytes) else value
        assert values.get(key).value == text
        assert [(one.key, one.value) for one in values.list()] == [(key, text)]
    values.delete(key)
    with pytest.raises(NotFoundError):
        values.delete(key)
    assert values.list() == []


@pytest.mark.parametrize(
    "value", ["", "text", "{", "NaN", "-Infinity", "'a'", "1 2", b"\xff", "[" * 100_000, b"\xef\xbb\xbf1"]
)
def test_what_is_no_json_changes_nothing(database: AgentDatabase, value: str | bytes) -> None:
    values = KeyValues(database)
    values.set("a", "1")
    before = values.get("a")
    with pytest.raises(UsageError):
        values.set("a", value)
    assert values.get("a") == before


@pytest.mark.parametrize("key", ["a\0b", "k" * ((1 << 20) + 1), "\udcff"])
def test_what_cannot_be_a_key(database: AgentDatabase, key: str) -> None:
    with pytest.raises(UsageError):
        KeyValues(database).set(key, "1")


def test_times(database: AgentDatabase) -> None:
    values = KeyValues(database)
    now = int(time.time())
    values.set("a", "1")
    assert now <= values.get("a").created_at == values.get("a").updated_at <= now + 5
    with database.write() as connection:
        connection.execute("UPDATE kv_store SET created_at = 5, updated_at = 6")
    values.set("a", "2")
    assert values.get("a").created_at == 5 and values.get("a").updated_at >= now


def test_a_prefix_is_no_pattern(database: AgentDatabase) -> None:
    values = KeyValues(database)
    for key in ("a_1", "ab1", "a%", "A_1", "b"):
        values.set(key, "0")
    assert [one.key for one in values.list("a_")] == ["a_1"]
    assert [one.key for one in values.list("a")] == ["a%", "a_1", "ab1"]


def test_watching_shows_what_another_program_does(database: AgentDatabase) -> None:
    values = KeyValues(database)
    values.set("old", "1")
    seen: list[Change] = []
    done = threading.Event()

    def watch() -> None:
        for change in values.watch(seconds=0.01):
            seen.append(change)
            if change.key == "z-last":  # what changed before it is told before it
                done.set()
                return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    time.sleep(0.1)
    other = sqlite3.connect(database.path, isolation_level=None)
    other.execute("INSERT INTO kv_store (key, value) VALUES ('new', '2')")
    other.execute("UPDATE kv_store SET value = '3' WHERE key = 'old'")
    other.execute("DELETE FROM kv_store WHERE key = 'new'")
    other.close()
    deadline = time.monotonic() + 5
    while len(seen) < 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    values.delete("old")
    values.set("z-last", "4")
    while "z-last" not in [one.key for one in seen] and time.monotonic() < deadline:
        time.sleep(0.01)
    state = {"old": "1"}
    for change in seen:
        if change.value is None:
            state.pop(change.key)
        else:
            state[change.key] = change.value
    assert state == {"z-last": "4"}


def test_two_processes_at_once(database: AgentDatabase) -> None:
    with AgentDatabase(database.path) as other:
        first, second = KeyValues(database), KeyValues(other)

        def fill(values: KeyValues, name: str) -> None:
            for count in range(30):
                values.set(f"{name}{count}", json.dumps(count))

        threads = [threading.Thread(target=fill, args=given) for given in ((first, "a"), (second, "b"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(first.list()) == len(second.list()) == 60
