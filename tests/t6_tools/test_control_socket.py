"""The control socket: its frames, its permissions, and what a hostile or clumsy peer can do (nothing)."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgfs.control import frames, server
from kgfs.control.client import Discard, RemoteSession
from kgfs.control.frames import Answer, FrameError, Reply, Request
from kgfs.control.server import Server
from kgfs.errors import ConflictError, KgfsError, NotFoundError, StoreError


def handle(request: Request, reply: Reply) -> dict[str, Any]:
    match request.command:
        case "echo":
            return {"arguments": request.arguments, "cwd": request.cwd}
        case "many":
            for number in range(request.arguments["count"]):
                reply.item({"number": number})
            reply.data(b"\0bytes\xff")
            reply.progress({"stage": "read", "done": 1, "total": 2})
            return {"done": True}
        case "missing":
            raise NotFoundError("x: no such path.")
        case "bug":
            raise ZeroDivisionError("a bug")
        case "until gone":
            while not reply.cancel.is_set():
                time.sleep(0.01)
            GONE.set()
            return {}
    raise KgfsError("unknown")


GONE = threading.Event()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    directory = tmp_path / "run"
    directory.mkdir(mode=0o700)
    return directory / "s.sock"


@pytest.fixture
def running(path: Path) -> Iterator[Server]:
    one = Server(path, handle)
    one.start()
    yield one
    one.close()


def dial(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(20)
    with frames.short_address(path) as address:
        connection.connect(address)
    return connection


def ask(path: Path, command: str, arguments: dict[str, Any] | None = None, receiver: Any = None) -> dict[str, Any]:
    session = RemoteSession(Path("/nowhere"), dial(path))
    return session.call(command, arguments or {}, receiver)


class Parts(Discard):
    def __init__(self) -> None:
        self.parts: list[Any] = []

    def item(self, item: Any) -> None:
        self.parts.append(item)

    def data(self, data: bytes) -> None:
        self.parts.append(data)

    def progress(self, progress: dict[str, Any]) -> None:
        self.parts.append(progress)


def test_a_request_is_answered_and_the_parts_keep_their_order(running: Server, path: Path) -> None:
    parts = Parts()
    assert ask(path, "many", {"count": 1000}, parts) == {"done": True}
    assert parts.parts[:1000] == [{"number": number} for number in range(1000)]
    assert parts.parts[1000:] == [b"\0bytes\xff", {"stage": "read", "done": 1, "total": 2}]
    assert ask(path, "echo", {"a": [1, "ü", None, b"\xff"]})["arguments"] == {"a": [1, "ü", None, b"\xff"]}


def test_errors_arrive_as_what_they_were(running: Server, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(NotFoundError, match="no such path"):
        ask(path, "missing")
    with pytest.raises(KgfsError, match="ZeroDivisionError"):
        ask(path, "bug")
    assert "a bug" in caplog.text
    assert ask(path, "echo")["arguments"] == {}


def test_the_socket_is_for_its_owner_only(running: Server, path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.parent.chmod(0o755)
    with pytest.raises(StoreError, match="chmod 700"):
        Server(path.with_name("other.sock"), handle).start()


def test_a_peer_of_another_user_is_hung_up_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "peer_uid", lambda connection: os.getuid() + 12345)
    one = Server(path, handle)
    one.start()
    try:
        with dial(path) as connection:
            connection.sendall(struct.pack(">I", 0))
            assert connection.recv(1) == b""
    except (ConnectionResetError, BrokenPipeError):
        pass  # it may hang up before we are through
    finally:
        one.close()


def test_a_socket_left_by_a_killed_process_is_replaced(path: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()
    one = Server(path, handle)
    one.start()
    assert ask(path, "echo")["arguments"] == {}
    one.close()
    assert not path.exists()


def test_a_second_server_is_refused_and_the_first_goes_on(running: Server, path: Path) -> None:
    with pytest.raises(ConflictError, match="Another"):
        Server(path, handle).start()
    assert ask(path, "echo")["arguments"] == {}


def test_closing_leaves_the_socket_of_a_successor(running: Server, path: Path) -> None:
    path.unlink()
    successor = Server(path, handle)
    successor.start()
    running.close()
    assert ask(path, "echo")["arguments"] == {}
    successor.close()


def test_a_path_longer_than_the_kernel_takes(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True, mode=0o700)
    one = Server(deep / "s.sock", handle)
    one.start()
    assert ask(deep / "s.sock", "echo")["arguments"] == {}
    one.close()


def test_hanging_up_cancels(running: Server, path: Path) -> None:
    GONE.clear()
    connection = dial(path)
    frames.send(connection, Request("until gone"))
    time.sleep(0.1)
    assert not GONE.is_set()
    connection.close()
    assert GONE.wait(5)


def test_closing_hangs_up_on_those_who_wait(path: Path) -> None:
    one = Server(path, handle)
    one.start()
    GONE.clear()
    with dial(path) as connection:
        frames.send(connection, Request("until gone"))
        time.sleep(0.1)
        one.close()
        assert GONE.wait(5)


HOSTILE = {
    "nothing": b"",
    "half a length": b"\0\0",
    "longer than allowed": struct.pack(">I", frames.MAX_FRAME + 1) + b"x",
    "4 GiB claimed": b"\xff\xff\xff\xff",
    "claims more than it sends": struct.pack(">I", 100) + b"x" * 10,
    "empty frame": struct.pack(">I", 0),
    "no msgpack": struct.pack(">I", 4) + b"\xc1\xc1\xc1\xc1",
    "not a request": struct.pack(">I", 1) + b"\x01",
    "deep nesting": struct.pack(">I", 200_000) + b"\x91" * 200_000,
    "http": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
}


@pytest.mark.parametrize("sent", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bytes_cost_only_their_own_connection(running: Server, path: Path, sent: bytes) -> None:
    with dial(path) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        answer = frames.receive(connection)
        assert answer is None or frames.decode_answer(answer).error is not None
    assert ask(path, "echo", {"still": "here"})["arguments"] == {"still": "here"}


def test_a_peer_that_never_sends_is_hung_up_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.2)
    one = Server(path, handle)
    one.start()
    with dial(path) as connection:
        answer = frames.receive(connection)
        assert answer is not None and frames.decode_answer(answer).error is not None
        assert frames.receive(connection) is None
    one.close()


def test_too_many_peers_are_told_and_the_others_served(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 2)
    one = Server(path, handle)
    one.start()
    held = [dial(path), dial(path)]
    for connection in held:
        frames.send(connection, Request("until gone"))
    time.sleep(0.1)
    try:
        with pytest.raises(ConflictError, match="busy"):
            ask(path, "echo")
    finally:
        for connection in held:
            connection.close()
    for _ in range(100):
        if not one.busy:
            break
        time.sleep(0.02)
    assert ask(path, "echo")["arguments"] == {}
    one.close()


def test_an_answer_that_ends_early_is_an_error(path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def serve() -> None:
        connection, _ = listener.accept()
        frames.receive(connection)
        frames.send(connection, Answer(progress={"stage": "read"}))
        connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    with pytest.raises(KgfsError, match="ended before"):
        ask(path, "echo")
    thread.join()
    listener.close()


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_any_bytes_decode_or_are_a_frame_error(body: bytes) -> None:
    for decode in (frames.decode_request, frames.decode_answer):
        with contextlib.suppress(FrameError):
            decode(body)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(), values, max_size=5), st.binary())
def test_requests_survive_the_wire(arguments: dict[str, Any], cwd: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        frames.send(ours, Request("x", arguments, cwd))
        body = frames.receive(theirs)
        assert body is not None
        got = frames.decode_request(body)
    assert (got.arguments, got.cwd) == (arguments, cwd)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(got), type=Request) == got
