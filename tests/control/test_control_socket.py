"""The control socket: its frames, its permissions, and what a hostile or clumsy peer can do (nothing)."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgfs.config import SOCKET
from kgfs.control import frames, server, sockets
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
def store(tmp_path: Path) -> Path:
    """A directory that a store could be in."""
    directory = tmp_path / "store"
    directory.mkdir(mode=0o700)
    return directory


@pytest.fixture
def running(store: Path) -> Iterator[Server]:
    one = Server(store, handle)
    one.start()
    yield one
    one.close()


def dial(store: Path) -> socket.socket:
    connection = sockets.connect(store)
    assert connection is not None
    connection.settimeout(20)
    return connection


def ask(store: Path, command: str, arguments: dict[str, Any] | None = None, receiver: Any = None) -> dict[str, Any]:
    session = RemoteSession(Path("/nowhere"), dial(store))
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


def test_a_request_is_answered_and_the_parts_keep_their_order(running: Server, store: Path) -> None:
    parts = Parts()
    assert ask(store, "many", {"count": 1000}, parts) == {"done": True}
    assert parts.parts[:1000] == [{"number": number} for number in range(1000)]
    assert parts.parts[1000:] == [b"\0bytes\xff", {"stage": "read", "done": 1, "total": 2}]
    assert ask(store, "echo", {"a": [1, "ü", None, b"\xff"]})["arguments"] == {"a": [1, "ü", None, b"\xff"]}


def test_errors_arrive_as_what_they_were(running: Server, store: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(NotFoundError, match="no such path"):
        ask(store, "missing")
    with pytest.raises(KgfsError, match="ZeroDivisionError"):
        ask(store, "bug")
    assert "a bug" in caplog.text
    assert ask(store, "echo")["arguments"] == {}


def test_the_socket_is_for_its_owner_only(running: Server, store: Path) -> None:
    assert stat.S_IMODE((store / SOCKET).stat().st_mode) == 0o600


@contextlib.contextmanager
def stranger(address: Callable[[sockets.Directory], str], store: Path) -> Iterator[Callable[[], bytes]]:
    """A process of another user that listens there; the call answers what it was sent so far."""
    reading, writing = os.pipe()
    ready, said = os.pipe()
    process = os.fork()
    if process == 0:
        os.setgid(STRANGER)
        os.setuid(STRANGER)
        with sockets.Directory(store) as directory, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(address(directory))
            listener.listen()
            if not address(directory).startswith("\0"):
                os.chmod(address(directory), 0o777)
            os.write(said, b"!")
            while True:
                connection, _ = listener.accept()
                connection.settimeout(0.5)
                with contextlib.suppress(OSError):
                    os.write(writing, connection.recv(1000))
                    frames.send(connection, Answer(result={"forged": True}))
    try:
        assert os.read(ready, 1) == b"!"
        os.set_blocking(reading, False)

        def told() -> bytes:
            time.sleep(0.2)
            try:
                return os.read(reading, 1000)
            except BlockingIOError:
                return b""

        yield told
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        for descriptor in (reading, writing, ready, said):
            os.close(descriptor)


STRANGER = 12345
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user, too")


def open_to_others(directory: Path) -> None:
    for one in (directory, *directory.parents):
        one.chmod(one.stat().st_mode | 0o055)


@root_only
def test_a_stranger_who_listens_in_the_store_is_told_nothing(store: Path) -> None:
    open_to_others(store)
    os.chown(store, 0, STRANGER)
    store.chmod(0o775)
    with stranger(lambda directory: directory.address, store) as told:
        with pytest.raises(StoreError, match=f"another user \\({STRANGER}\\).*told nothing"):
            sockets.connect(store)
        assert told() == b""
        one = Server(store, handle)  # who has the store open takes the place
        one.start()
        assert ask(store, "echo")["arguments"] == {}
        one.close()


@root_only
def test_a_directory_of_a_stranger_or_of_everybody_is_not_asked(store: Path) -> None:
    open_to_others(store)
    for owner, mode in ((STRANGER, 0o755), (0, 0o777)):
        os.chown(store, owner, owner)
        store.chmod(mode)
        with stranger(lambda directory: directory.address, store) as told:
            assert sockets.connect(store) is None
            one = Server(store, handle)
            one.start()
            assert ask(store, "echo")["arguments"] == {}
            one.close()
            assert told() == b""
        (store / SOCKET).unlink()


@root_only
def test_a_stranger_who_takes_the_abstract_address_is_nobody(store: Path, caplog: pytest.LogCaptureFixture) -> None:
    (store / SOCKET).mkdir()  # no socket can be made here
    open_to_others(store)
    with stranger(lambda directory: directory.abstract, store) as told:
        assert sockets.connect(store) is None
        one = Server(store, handle)
        one.start()
        assert "cannot reach this process now" in caplog.text
        assert sockets.connect(store) is None
        assert told() == b""
    try:
        reachable(store)
    finally:
        one.close()


def reachable(store: Path, answer: dict[str, Any] | None = None) -> None:
    """Wait until a server answers, which looks after its socket each second."""
    until = time.monotonic() + 30
    while (connection := sockets.connect(store)) is None:
        assert time.monotonic() < until
        time.sleep(0.05)
    connection.close()
    assert ask(store, "echo") == answer or answer is None


def test_a_peer_of_another_user_is_hung_up_on(running: Server, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = dial(store)
    connection.close()
    monkeypatch.setattr(sockets, "peer_user", lambda connection: os.geteuid() + STRANGER)
    with pytest.raises(StoreError, match="another user"):
        sockets.connect(store)
    try:
        with socket.socket(socket.AF_UNIX) as connection, sockets.Directory(store) as directory:
            connection.connect(directory.address)
            connection.sendall(struct.pack(">I", 0))
            assert connection.recv(1) == b""
    except (ConnectionResetError, BrokenPipeError):
        pass  # it may hang up before we are through


def vanish(place: Path) -> None:
    place.unlink()


def become_a_file(place: Path) -> None:
    place.unlink()
    place.write_text("no socket\n")


def become_dead(place: Path) -> None:
    place.unlink()
    with socket.socket(socket.AF_UNIX) as other, sockets.Directory(place.parent) as directory:
        other.bind(directory.address)


def become_a_link(place: Path) -> None:
    place.rename(place.with_name("elsewhere"))
    place.symlink_to("elsewhere")


@pytest.mark.parametrize("happen", [vanish, become_a_file, become_dead, become_a_link])
def test_a_socket_that_goes_is_made_again(
    running: Server, store: Path, happen: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LOOK_SECONDS", 0.05)
    held = dial(store)
    happen(store / SOCKET)
    assert sockets.connect(store) is None or happen is vanish
    reachable(store)
    session = RemoteSession(store, held)  # who is connected goes on
    assert session.call("echo", {"a": 1})["arguments"] == {"a": 1}
    assert stat.S_IMODE((store / SOCKET).lstat().st_mode) == 0o600


def test_closing_does_not_spin(store: Path) -> None:
    """What waits for peers sees at once that it is to end. It used to spin until its time was out."""
    serving = Server(store, handle)
    serving.start()
    assert ask(store, "echo")["arguments"] == {}
    before = time.process_time()
    serving.close()
    assert time.process_time() - before < server.LOOK_SECONDS / 4


def test_a_store_that_is_moved_is_served_where_it_is(running: Server, store: Path) -> None:
    store.rename(store.with_name("moved"))
    moved = store.with_name("moved")
    assert ask(moved, "echo")["arguments"] == {}
    (moved / SOCKET).unlink()
    store.mkdir(mode=0o700)  # another store now
    reachable(moved)
    assert sockets.connect(store) is None
    assert not (store / SOCKET).exists()


def test_where_no_socket_can_be_made_the_kernel_keeps_its_name(store: Path, caplog: pytest.LogCaptureFixture) -> None:
    (store / SOCKET).mkdir()
    one, other = Server(store, handle), Server(store, lambda request, reply: {"other": True})
    one.start()
    assert ask(store, "echo")["arguments"] == {}
    other.start()
    assert "cannot reach" in caplog.text
    assert ask(store, "echo")["arguments"] == {}
    one.close()
    reachable(store, {"other": True})
    other.close()
    assert sockets.connect(store) is None


def test_a_socket_left_by_a_killed_process_is_replaced(store: Path) -> None:
    with socket.socket(socket.AF_UNIX) as left, sockets.Directory(store) as directory:
        left.bind(directory.address)
    assert sockets.connect(store) is None
    one = Server(store, handle)
    one.start()
    assert ask(store, "echo")["arguments"] == {}
    one.close()
    assert not (store / SOCKET).exists()


def test_a_second_server_is_refused_and_the_first_goes_on(running: Server, store: Path) -> None:
    with pytest.raises(ConflictError, match="Another"):
        Server(store, handle).start()
    assert ask(store, "echo")["arguments"] == {}


def test_closing_leaves_the_socket_of_a_successor(running: Server, store: Path) -> None:
    (store / SOCKET).unlink()
    successor = Server(store, handle)
    successor.start()
    running.close()
    assert ask(store, "echo")["arguments"] == {}
    successor.close()


def test_a_path_longer_than_the_kernel_takes(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True, mode=0o700)
    one = Server(deep, handle)
    one.start()
    assert ask(deep, "echo")["arguments"] == {}
    one.close()


def test_hanging_up_cancels(running: Server, store: Path) -> None:
    GONE.clear()
    connection = dial(store)
    frames.send(connection, Request("until gone"))
    time.sleep(0.1)
    assert not GONE.is_set()
    connection.close()
    assert GONE.wait(5)


def test_closing_hangs_up_on_those_who_wait(store: Path) -> None:
    one = Server(store, handle)
    one.start()
    GONE.clear()
    with dial(store) as connection:
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
def test_hostile_bytes_cost_only_their_own_connection(running: Server, store: Path, sent: bytes) -> None:
    with dial(store) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        answer = frames.receive(connection)
        assert answer is None or frames.decode_answer(answer).error is not None
    assert ask(store, "echo", {"still": "here"})["arguments"] == {"still": "here"}


def test_a_peer_that_never_sends_is_hung_up_on(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.2)
    one = Server(store, handle)
    one.start()
    with dial(store) as connection:
        answer = frames.receive(connection)
        assert answer is not None and frames.decode_answer(answer).error is not None
        assert frames.receive(connection) is None
    one.close()


def test_too_many_peers_are_told_and_the_others_served(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 2)
    one = Server(store, handle)
    one.start()
    held = [dial(store), dial(store)]
    for connection in held:
        frames.send(connection, Request("until gone"))
    time.sleep(0.1)
    try:
        with pytest.raises(ConflictError, match="busy"):
            ask(store, "echo")
    finally:
        for connection in held:
            connection.close()
    for _ in range(100):
        if not one.busy:
            break
        time.sleep(0.02)
    assert ask(store, "echo")["arguments"] == {}
    one.close()


def test_an_answer_that_ends_early_is_an_error(store: Path) -> None:
    listener = socket.socket(socket.AF_UNIX)
    with sockets.Directory(store) as directory:
        listener.bind(directory.address)
    listener.listen()

    def serve() -> None:
        connection, _ = listener.accept()
        frames.receive(connection)
        frames.send(connection, Answer(progress={"stage": "read"}))
        connection.close()

    thread = threading.Thread(target=serve)
    thread.start()
    with pytest.raises(KgfsError, match="ended before"):
        ask(store, "echo")
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
