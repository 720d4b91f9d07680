"""The audit trail as files: sizes that are true, files that only grow, and what other programs do meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from kgfs.agentfs.audit import call_files
from kgfs.agentfs.audit.call_files import BY_DAY, BY_NAME, EVERYTHING, CallFiles, Extent, Place, file_name
from kgfs.agentfs.audit.call_lines import call_line
from kgfs.agentfs.audit.tool_calls import Call, ToolCalls
from kgfs.agentfs.database import AgentDatabase
from kgfs.errors import ConflictError

SECOND = 1_000_000_000
DAY = 86_400
BEGIN = 1_700_000_000


@pytest.fixture
def database(tmp_path: Path) -> Iterator[AgentDatabase]:
    with AgentDatabase(tmp_path / "agent.db") as database:
        yield database


@pytest.fixture
def files(database: AgentDatabase, monkeypatch: pytest.MonkeyPatch) -> CallFiles:
    """With blocks and steps so small that a few calls fill many."""
    monkeypatch.setattr(call_files, "BLOCK_BYTES", 500)
    monkeypatch.setattr(call_files, "ROWS", 7)
    monkeypatch.setattr(call_files, "BLOCKS", 3)
    return CallFiles(lambda: database, lambda: None, lambda: None)


def some(dice: Random, count: int) -> list[Call]:
    found = []
    for _ in range(count):
        began = (BEGIN + dice.randrange(3 * DAY)) * SECOND + dice.randrange(SECOND)
        error = dice.choice((None, None, "No such file: „ü“."))
        found.append(
            Call(
                name=dice.choice(("write", "search", "server/tool", ".hidden")), error=error, started_ns=began,
                ended_ns=began + dice.randrange(3 * SECOND), parameters={"q": "x" * dice.randrange(300)}, pid=7,
            )
        )  # fmt: skip
    return found


def whole(files: CallFiles, place: Place) -> bytes:
    extent = files.extent(place)
    assert extent is not None
    return files.read(place, extent, 0, extent.size + 100)


def all_places(files: CallFiles) -> list[Place]:
    found = [EVERYTHING]
    for group in (BY_NAME, BY_DAY):
        for name in files.names(group):
            place = files.place(group, name)
            assert place is not None
            found.append(place)
    return found


def wanted(database: AgentDatabase, place: Place) -> bytes:
    calls = sorted(ToolCalls(database).list(), key=lambda call: call.id)
    lines = [(call, call_line(call)) for call in calls]
    if place.group == BY_NAME:
        lines = [(call, line) for call, line in lines if call.name == place.key]
    elif place.group == BY_DAY:
        lines = [(call, line) for call, line in lines if json.loads(line)["started_at"][:10] == place.key]
    return b"".join(line for _, line in lines)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_read_is_what_the_size_says(database: AgentDatabase, files: CallFiles, seed: int) -> None:
    dice = Random(seed)
    calls = ToolCalls(database)
    assert not files.ready
    files.prepare()
    assert files.ready and whole(files, EVERYTHING) == b"" and list(files.names(BY_NAME)) == []
    for _ in range(5):
        before = {place: whole(files, place) for place in all_places(files)}
        calls.record(some(dice, dice.randrange(1, 40)))
        files.catch_up()
        for place in all_places(files):
            extent = files.extent(place)
            assert extent is not None
            text = whole(files, place)
            assert len(text) == extent.size and text == wanted(database, place)
            assert text.startswith(before.get(place, b"")), "it only grows"
            for _ in range(20):
                begin, length = dice.randrange(extent.size + 1), dice.randrange(2000)
                assert files.read(place, extent, begin, length) == text[begin : begin + length]
    again = CallFiles(lambda: database, lambda: None, lambda: None)
    again.prepare()
    assert {place: again.extent(place) for place in all_places(again)} == {
        place: files.extent(place) for place in all_places(files)
    }
    assert files.names(BY_NAME) == ["%2Ehidden", "search", "server%2Ftool", "write"]


def test_a_reader_goes_on_while_calls_come(database: AgentDatabase, files: CallFiles) -> None:
    """What was opened stays as long as it was, whatever comes behind."""
    calls = ToolCalls(database)
    calls.record(some(Random(1), 30))
    files.prepare()
    extent = files.extent(EVERYTHING)
    assert extent is not None
    text = whole(files, EVERYTHING)
    calls.record(some(Random(2), 30))
    files.catch_up()
    assert files.read(EVERYTHING, extent, 0, 1 << 30) == text
    assert whole(files, EVERYTHING).startswith(text) and len(whole(files, EVERYTHING)) > len(text)


def test_the_time_of_a_file_is_that_of_its_latest_call(database: AgentDatabase, files: CallFiles) -> None:
    ToolCalls(database).record(
        [
            Call(name="a", started_ns=BEGIN * SECOND, ended_ns=BEGIN * SECOND + 1_234_567_000),
            Call(name="b", started_ns=BEGIN * SECOND, ended_ns=BEGIN * SECOND + 5000),
        ]
    )
    files.prepare()
    latest = {place: files.extent(place) for place in all_places(files)}
    assert latest[EVERYTHING] is not None and latest[EVERYTHING].latest_us == BEGIN * 1_000_000 + 1_234_567
    b = latest[Place(BY_NAME, "b")]
    assert b is not None and b.latest_us == BEGIN * 1_000_000 + 5
    assert files.names(BY_DAY) == ["2023-11-14"]


def test_stats(database: AgentDatabase, files: CallFiles) -> None:
    began = BEGIN * SECOND
    ToolCalls(database).record(
        [
            Call(name="read", started_ns=began, ended_ns=began + 1_000_000),
            Call(name="read", started_ns=began, ended_ns=began + 2_500_000, error="gone"),
            Call(name="a\tb", started_ns=began, ended_ns=began + SECOND),
        ]
    )
    files.prepare()
    head, *rows = files.stats().decode().splitlines()
    assert head == "name\tcalls\tsuccess\terror\tavg_ms\tmax_ms\tlast"
    assert rows == [
        "read\t2\t1\t1\t1.8\t2.5\t2023-11-14T22:13:20Z", "a b\t1\t1\t0\t1000.0\t1000.0\t2023-11-14T22:13:21Z",
    ]  # fmt: skip
    assert [int(row.split("\t")[1]) for row in rows] == [one.total_calls for one in ToolCalls(database).stats()]


def test_a_call_that_another_program_began_and_ended(database: AgentDatabase, files: CallFiles) -> None:
    with database.write() as connection:
        connection.execute("INSERT INTO tool_calls (name, started_at) VALUES ('theirs', ?)", (BEGIN,))
    ToolCalls(database).record(some(Random(3), 10))
    files.prepare()
    assert json.loads(whole(files, EVERYTHING).splitlines()[0])["status"] == "pending"
    assert b"theirs" not in files.stats()
    with database.write() as connection:
        connection.execute(
            "UPDATE tool_calls SET status = 'success', result = '[1,2]', completed_at = ?, duration_ms = 5000"
            " WHERE name = 'theirs'",
            (BEGIN + 5,),
        )
    files.catch_up()
    files.prepare()
    assert whole(files, EVERYTHING) == wanted(database, EVERYTHING)
    assert json.loads(whole(files, Place(BY_NAME, "theirs")))["result"] == [1, 2]
    assert b"theirs\t1\t1\t0\t5000.0" in files.stats()


def test_what_other_programs_wrote_oddly(database: AgentDatabase, files: CallFiles) -> None:
    rows = [
        ("nan", "NaN", BEGIN), ("text", "no json", BEGIN), ("late", "1", 10**18), ("deep", "[" * 5000, BEGIN),
        ("x" * 300, "{}", BEGIN), ("a/../b", "{}", BEGIN), ("..", "{}", -(10**15)), ("ü\n", '"\\ud800"', BEGIN),
    ]  # fmt: skip
    with database.write() as connection:
        connection.executemany(
            "INSERT INTO tool_calls (name, parameters, started_at, status, result) VALUES (?, ?, ?, 'success', '1')",
            rows,
        )
    files.prepare()
    lines = whole(files, EVERYTHING).splitlines()
    assert [json.loads(line)["name"] for line in lines] == [row[0] for row in rows]
    for place in all_places(files):
        extent = files.extent(place)
        assert extent is not None and len(whole(files, place)) == extent.size > 0
    names = files.names(BY_NAME)
    assert len(names) == len(rows)
    for name in names:
        assert len(name.encode()) < 250 and "/" not in name and not name.startswith(".")


def test_archived_calls_leave_the_files(database: AgentDatabase, files: CallFiles) -> None:
    calls = ToolCalls(database)
    calls.record(some(Random(4), 60))
    files.prepare()
    extent = files.extent(EVERYTHING)
    assert extent is not None
    before = {call.id: call for call in calls.list()}
    moment = BEGIN + DAY
    moved = calls.archive(moment)
    assert 0 < moved < 60 and calls.archive(moment) == 0
    with pytest.raises(ConflictError):
        files.read(EVERYTHING, extent, 0, extent.size)
    assert not files.ready
    files.prepare()
    assert whole(files, EVERYTHING) == wanted(database, EVERYTHING)
    left, gone = {one.id: one for one in calls.list()}, {one.id: one for one in calls.list(archived=True)}
    assert len(gone) == moved and not left.keys() & gone.keys()
    assert left | gone == before, "nothing of a call is lost"
    assert all((one.started_at < moment) == (one.id in gone) for one in before.values())


def test_numbers_of_archived_calls_are_not_given_again(database: AgentDatabase) -> None:
    calls = ToolCalls(database)
    old = calls.record(some(Random(5), 3))
    with database.write() as connection:
        connection.execute("INSERT INTO tool_calls (name, started_at) VALUES ('pending', 1)")
    assert calls.archive(BEGIN + 30 * DAY) == 3
    assert [one.name for one in calls.list()] == ["pending"], "a call that has not ended stays"
    assert min(calls.record(some(Random(6), 1))) > max(old)


def test_without_a_file_there_is_nothing(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    files = CallFiles(lambda: AgentDatabase(path) if path.exists() else None, lambda: None, lambda: None)
    files.prepare()
    assert whole(files, EVERYTHING) == b"" and list(files.names(BY_DAY)) == [] and not path.exists()
    assert files.extent(Place(BY_NAME, "x")) is None and files.extent(EVERYTHING) == Extent()


def test_names_of_files_differ(database: AgentDatabase) -> None:
    names = ["a/b", "a%2Fb", "a%b", ".a", "%2Ea", "x" * 400, "x" * 401, "ü" * 150]
    assert len({file_name(name) for name in names}) == len(names)
