"""The recorder: nothing is lost or doubled, and neither secrets nor bodies are kept."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.agentfs.audit import recording
from kgfs.agentfs.audit.recording import Recorder, waits
from kgfs.agentfs.audit.redaction import REDACTED, redacted
from kgfs.agentfs.audit.tool_calls import Call, ToolCalls
from kgfs.agentfs.database import AgentDatabase
from kgfs.errors import StoreLocked


@pytest.fixture
def database(tmp_path: Path) -> Iterator[AgentDatabase]:
    with AgentDatabase(tmp_path / "agent.db") as database:
        yield database


def call(name: str, **given: object) -> Call:
    return Call(name=name, started_ns=time.time_ns(), ended_ns=time.time_ns(), **given)  # type: ignore[arg-type]


def names(database: AgentDatabase) -> list[str]:
    return sorted(one.name for one in ToolCalls(database).list())


def test_calls_go_into_the_table_once(database: AgentDatabase, tmp_path: Path) -> None:
    for turn in range(3):
        recorder = Recorder(tmp_path, lambda: database)
        for count in range(10):
            recorder.record(call(f"{turn}-{count}", parameters={"a": [1, None]}, pid=7, command="cat"))
            if count == 5:
                recorder.settle()
                recorder.settle()
        recorder.close()
    assert waits(tmp_path)
    recorder = Recorder(tmp_path, lambda: database)
    recorder.settle()
    assert not waits(tmp_path)
    recorder.close()
    assert names(database) == sorted(f"{turn}-{count}" for turn in range(3) for count in range(10))
    one = next(ToolCalls(database).list())
    assert (one.pid, one.command, bytes(one.parameters or b"")) == (7, "cat", b'{"a": [1, null]}')


def test_a_thread_fills_the_table(database: AgentDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "LINGER_SECONDS", 0.01)
    monkeypatch.setattr(recording, "SPOOL_BYTES", 2000)
    recorder = Recorder(tmp_path, lambda: database)
    recorder.start()

    def work(number: int) -> None:
        for count in range(100):
            recorder.record(call(f"{number}-{count}"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.close()
    assert names(database) == sorted(f"{number}-{count}" for number in range(4) for count in range(100))
    assert not waits(tmp_path)


def test_a_table_that_is_locked_is_filled_later(database: AgentDatabase, tmp_path: Path) -> None:
    def locked() -> AgentDatabase:
        raise StoreLocked("locked")

    recorder = Recorder(tmp_path, locked)
    recorder.record(call("a"))
    with pytest.raises(StoreLocked):
        recorder.settle()
    recorder.close()
    again = Recorder(tmp_path, lambda: database)
    again.record(call("b"))
    again.settle()
    again.close()
    assert names(database) == ["a", "b"]


def test_half_a_line_of_a_process_that_was_killed(database: AgentDatabase, tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, lambda: database)
    recorder.record(call("whole"))
    recorder.close()
    (spool,) = tmp_path.glob("*.spool")
    spool.write_bytes(spool.read_bytes() + b'{"name":"half","star')
    again = Recorder(tmp_path, lambda: database)
    again.record(call("next"))
    again.settle()
    again.close()
    assert names(database) == ["next", "whole"]


def test_what_cannot_be_recorded_keeps_nobody_from_working(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    recorder = Recorder(tmp_path / "missing", lambda: AgentDatabase(tmp_path / "agent.db"))
    recorder.record(call("a"))
    recorder.record(call("b"))
    assert len(caplog.records) == 1
    recorder.close()


def test_a_killed_process_loses_nothing_that_it_said(database: AgentDatabase, tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path\n"
        "from kgfs.agentfs.agent_store import AgentStore; from kgfs.agentfs.audit.tool_calls import Call\n"
        "store = AgentStore(Path(sys.argv[1])); store.recorder.start(); count = 0\n"
        "while True:\n"
        "    name = f'{sys.argv[2]}-{count}'; count += 1\n"
        "    store.recorder.record(Call(name=name, started_ns=1, ended_ns=2))\n"
        "    print(name, flush=True)\n"
    )
    said: set[str] = set()
    for turn in range(5):
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", code, str(tmp_path), str(turn)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        said.add(process.stdout.readline().strip())
        time.sleep(0.3)
        process.kill()
        said |= {line.strip() for line in process.stdout.read().splitlines()[:-1]}
        process.stdout.close()
        process.wait()
    recorder = Recorder(tmp_path, lambda: database)
    recorder.settle()
    recorder.close()
    found = names(database)
    assert said <= set(found) and len(found) == len(set(found)) and len(said) > 100


SECRETS = [
    "sk-" + "ant-" + "a1B2" * 8, "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefghij", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN",
    "AIzaSyA1234567890abcdefghijklmnopqrstuvw", "glpat-abcdefghij0123456789", "hunter2hunter2",
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
def test_no_secret_is_kept(secret: str) -> None:
    forms: list[object] = [
        {"password": secret}, {"headers": {"Authorization": f"Bearer {secret}"}}, {"api_key": secret, "x": 1},
        {"url": f"https://user:{secret}@example.com/x"}, {"url": f"https://example.com/?token={secret}&a=1"},
        {"env": [f"password={secret}"]},
    ]  # fmt: skip
    if secret != "hunter2hunter2":
        forms += [{"query": f"what is {secret}?"}, {secret: 1}, [[secret]]]
    for form in forms:
        assert secret not in json.dumps(redacted(form)), form
    assert REDACTED in json.dumps(redacted({"key": {"client_secret": secret}}))


@pytest.mark.parametrize(
    "plain",
    [
        "wages in Boston", "task-list of the risk-management-department-of-the-bank", "notes/token rings.md",
        "agent:/a/b.md", "https://example.com/path?page=2", "basic income", "bearer bonds were sold", "password policy",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ],
)  # fmt: skip
def test_plain_words_are_kept(plain: str) -> None:
    assert redacted({"query": plain, "tokens": 7}) == {"query": plain, "tokens": 7}
    assert redacted(plain) == plain


LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
KEYS = st.one_of(
    *(
        st.text(alphabet, min_size=least, max_size=least + 20).map(lambda rest, head=head: head + rest)  # type: ignore[misc]
        for head, alphabet, least in [
            ("sk-", LETTERS, 20), ("sk_live_", LETTERS, 20), ("ghp_", LETTERS, 36), ("github_pat_", LETTERS, 22),
            ("glpat-", LETTERS, 20), ("xoxp-", LETTERS, 12), ("npm_", LETTERS, 36), ("pypi-", LETTERS, 60),
            ("AIza", LETTERS, 35),
        ]
    ),
    st.text(CAPITALS, min_size=16, max_size=16).map(lambda rest: f"AKIA{rest}"),
)  # fmt: skip
WORDS = st.text("abc \n\"'/:=,ü", max_size=20)
VALUES = st.recursive(
    st.just(None) | WORDS | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None)
@given(key=KEYS, before=WORDS, after=WORDS, beside=VALUES, depth=st.integers(0, 4), named=st.booleans())
def test_no_key_of_a_service_is_kept(
    key: str, before: str, after: str, beside: object, depth: int, named: bool
) -> None:
    """Wherever it stands: in a text, beneath lists and objects, as the name of a field."""
    value: object = {f"{before} {key}": beside} if named else f"{before} {key} {after}"
    for level in range(depth):
        value = [beside, value] if level % 2 else {"field": value, "other": beside}
    assert key not in json.dumps(redacted(value), ensure_ascii=False)


@settings(deadline=None)
@given(
    name=st.sampled_from(["content", "body", "text", "data", "old_string", "new_string", "value"]),
    body=st.text(min_size=12, max_size=300), depth=st.integers(0, 3),
)  # fmt: skip
def test_no_body_is_kept(name: str, body: str, depth: int) -> None:
    value: object = {name: body}
    for _ in range(depth):
        value = {"arguments": [value]}
    text = json.dumps(redacted(value), ensure_ascii=False)
    assert json.dumps(body, ensure_ascii=False)[1:-1] not in text
    assert hashlib.sha256(body.encode("utf-8", "surrogateescape")).hexdigest() in text


def test_bodies_are_hashed() -> None:
    body = "A note of some length.\n" * 5
    digest = {"bytes": len(body), "sha256": hashlib.sha256(body.encode()).hexdigest()}
    assert redacted({"path": "/a.md", "content": body}) == {"path": "/a.md", "content": digest}
    assert redacted({"query": "x" * 1001})["query"]["bytes"] == 1001
    assert redacted(b"raw")["bytes"] == 3
    assert redacted(list(range(150)))[-1] == "and 50 more"
