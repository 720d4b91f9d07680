"""Runs of agents in ``agent.db``: files that grow or are replaced, names that sort by time, what is found again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgfs.agentfs import agent_runs
from kgfs.agentfs.agent_runs import FILES, AgentRuns
from kgfs.agentfs.checking.check import check
from kgfs.agentfs.database import AgentDatabase
from kgfs.errors import NotFoundError, TooLarge, UsageError


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(st.tuples(st.sampled_from(FILES), st.binary(max_size=70), st.booleans()), max_size=12),
    offset=st.integers(0, 100), length=st.integers(0, 100),
)  # fmt: skip
def test_files_are_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, bytes, bool]], offset: int, length: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, AgentDatabase(tmp_path_factory.mktemp("runs") / "agent.db") as database:
        patch.setattr(agent_runs, "PIECE_BYTES", 16)
        runs = AgentRuns(lambda: database)
        run = runs.begin("What?")
        expected = dict.fromkeys(FILES, b"")
        for file, data, replace in steps:
            (runs.replace if replace else runs.append)(run, file, data)
            expected[file] = data if replace else expected[file] + data
        again = AgentRuns(lambda: database)
        again.prepare()
        for seen in (runs, again):
            for file, text in expected.items():
                found = seen.find_file(run, file)
                assert found is not None and found.size == len(text)
                assert seen.read(found, file, 0, 1 << 20) == text
                assert seen.read(found, file, offset, length) == text[offset : offset + length]
        assert check(database) == []


def test_names_sort_by_time_and_are_names(tmp_path: Path) -> None:
    with AgentDatabase(tmp_path / "agent.db") as database:
        runs = AgentRuns(lambda: database)
        asked = ["Zebra?", "a/b ../c", "", "Ünïcode … 漢字", "x" * 500, "Zebra?"]
        names = [runs.begin(question) for question in asked]
        assert names == sorted(names) == list(runs.names()) and len(set(names)) == len(names)
        assert all(len(name) <= 60 and "/" not in name and name.isascii() for name in names)
        assert names[0].endswith("_zebra") and names[2].endswith("_conversation")


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not AgentRuns(lambda: None).ready
    with AgentDatabase(tmp_path / "agent.db") as database:
        runs = AgentRuns(lambda: database)
        run = runs.begin("Q")
        for wrong, error in ((("none", "answer.md"), NotFoundError), ((run, "../x"), UsageError)):
            with pytest.raises(error):
                runs.append(*wrong, b"x")
        monkeypatch.setattr(agent_runs, "MOST_BYTES", 10)
        runs.append(run, "answer.md", b"123456789")
        with pytest.raises(TooLarge):
            runs.append(run, "transcript.md", b"12")
        runs.replace(run, "answer.md", b"1234567890")
        found = runs.find_file(run, "answer.md")
        assert found is not None and runs.read(found, "answer.md", 0, 99) == b"1234567890"
        runs.end(run, "answered", 0.5)
        with pytest.raises(NotFoundError):
            runs.end("none", "answered", None)
