"""The worker's wire: frames that are cut, too long, or no frames at all, at both ends."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.control.frames import FrameError
from kgfs.errors import KgfsError, WorkerError
from kgfs.models import framing, process
from kgfs.models.process import WorkerProcess
from kgfs.wire import Wire

pytestmark = pytest.mark.usefixtures("new_pythons")

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


@given(st.binary(max_size=2000), st.integers(0, 2**31))
def test_any_frame_comes_as_it_was_sent(data: bytes, number: int) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        message = framing.Call(number, "parse", {"data": msgspec.Raw(msgspec.msgpack.encode(data))})
        framing.send(ours, message)
        frame = framing.receive(theirs)
        assert frame is not None
        got = msgspec.msgpack.decode(frame, type=framing.Call)
        assert (got.id, got.call, msgspec.msgpack.decode(got.arguments["data"])) == (number, "parse", data)


@given(st.lists(st.tuples(st.sampled_from(["extract", "parse"]), st.sampled_from(["Acme", "Gamma", "Beta " * 99]))))
def test_what_many_calls_share_is_sent_when_it_changes(calls: list[tuple[str, str]]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sender, receiver = framing.SharedArgument(), framing.SharedArgument()
        before = None
        for number, (name, said) in enumerate(calls):
            own = {"document": msgspec.Raw(msgspec.msgpack.encode(number))}
            shared = msgspec.Raw(msgspec.msgpack.encode(said))
            sent = own | {framing.SHARED: shared} if name == "extract" else own
            sender.send(ours, framing.Call(number, name, dict(sent)))
            frame = framing.receive(theirs)
            assert frame is not None
            got = receiver.completed(msgspec.msgpack.decode(frame, type=framing.Call))
            assert {key: bytes(value) for key, value in got.arguments.items()} == {
                key: bytes(value) for key, value in sent.items()
            }
            if name == "extract":
                assert (bytes(shared) in bytes(frame)) == (said != before)
                before = said


def test_an_argument_that_was_too_long_to_be_sent_is_sent_with_the_next_call(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender, receiver = framing.SharedArgument(), framing.SharedArgument()
    shared = msgspec.Raw(msgspec.msgpack.encode("Acme"))
    with monkeypatch.context() as patch:
        patch.setattr(framing, "_WIRE", Wire("it", 3, WorkerError))
        with pytest.raises(WorkerError):
            sender.send(pair[0], framing.Call(1, "extract", {framing.SHARED: shared}))
    sender.send(pair[0], framing.Call(2, "extract", {framing.SHARED: shared}))
    frame = framing.receive(pair[1])
    assert frame is not None
    got = receiver.completed(msgspec.msgpack.decode(frame, type=framing.Call))
    assert bytes(got.arguments[framing.SHARED]) == bytes(shared)


def test_an_error_is_a_whole_frame(pair: Pair) -> None:
    framing.send(pair[0], framing.Reply(7, error=framing.Failure("model", "No.")))
    frame = framing.receive(pair[1])
    assert frame is not None
    reply = msgspec.msgpack.decode(frame, type=framing.Reply)
    assert reply.error is not None
    assert (reply.id, reply.error.message) == (7, "No.")


def test_a_large_frame_comes_in_pieces(pair: Pair) -> None:
    data = os.urandom(5_000_000)
    message = framing.Reply(1, result=msgspec.Raw(msgspec.msgpack.encode(data)))
    sender = threading.Thread(target=framing.send, args=(pair[0], message))
    sender.start()
    frame = framing.receive(pair[1])
    sender.join()
    assert frame is not None
    assert msgspec.msgpack.decode(msgspec.msgpack.decode(frame, type=framing.Reply).result) == data


@pytest.mark.parametrize("data", [b"\x00", b"\x00\x00\x00", struct.pack(">I", 10) + b"123", b"\xff\xff\xff\xff"])
def test_hostile_bytes_are_an_error(pair: Pair, data: bytes) -> None:
    pair[0].sendall(data)
    pair[0].shutdown(socket.SHUT_WR)
    with pytest.raises(WorkerError):
        framing.receive(pair[1])


def test_a_close_between_frames_is_the_end(pair: Pair) -> None:
    pair[0].close()
    assert framing.receive(pair[1]) is None


def test_memory_grows_with_what_arrives(pair: Pair) -> None:
    """A frame that claims a gigabyte and brings ten bytes costs ten bytes."""
    pair[0].sendall(struct.pack(">I", framing.MAX_FRAME) + b"0123456789")
    pair[0].close()
    with pytest.raises(WorkerError, match="short of a frame"):
        framing.receive(pair[1])


@pytest.mark.parametrize("error", [WorkerError, FrameError])
def test_each_protocol_has_its_limit_and_its_error(pair: Pair, error: type[KgfsError]) -> None:
    wire = Wire("the test's connection", 100, error)
    with pytest.raises(error, match="too long for the test's connection"):
        wire.send(pair[0], b"x" * 101)
    wire.send(pair[0], b"x" * 100)
    assert wire.receive(pair[1]) == b"x" * 100
    wire.send(pair[0], b"")
    assert wire.receive(pair[1]) == b""
    pair[0].sendall(struct.pack(">I", 101))
    with pytest.raises(error, match="101 bytes came on the test's connection"):
        wire.receive(pair[1])


@given(st.lists(st.binary(max_size=300), max_size=4), st.integers(0, 3))
def test_a_cut_anywhere_is_an_end_or_an_error(bodies: list[bytes], cut: int) -> None:
    wire = Wire("the test's connection", 1000, WorkerError)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sent = b"".join(struct.pack(">I", len(body)) + body for body in bodies)
        ours.sendall(sent[: len(sent) - cut])
        ours.close()
        got = []
        with contextlib.suppress(WorkerError):
            while (frame := wire.receive(theirs)) is not None:
                got.append(bytes(frame))
            assert not (cut and bodies)
        assert got == bodies[: len(got)]
        assert len(got) >= (len(bodies) if not cut else len(bodies) - 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.0\r\n\r\n",
        struct.pack(">I", 3) + b"\xc1\xc1\xc1",
        struct.pack(">I", 1) + b"\x90",
        struct.pack(">I", 0),
        b"\xff\xff\xff\xff",
    ],
    ids=["http", "no-msgpack", "no-map", "empty", "too-long"],
)
def test_the_child_leaves_on_what_is_no_call(tmp_path: Path, data: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        command = [sys.executable, "-m", "kgfs.worker", "--store", str(tmp_path), "--socket", str(theirs.fileno())]
        child = subprocess.Popen(command, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE, text=True)
        theirs.close()
        ours.sendall(data)
        ours.shutdown(socket.SHUT_WR)
        _, said = child.communicate(timeout=60)
    assert child.returncode == 1
    assert "The worker leaves" in said
    assert "Traceback" not in said


BABBLER = """#!{python}
import os, sys
fd = int(sys.argv[sys.argv.index("--socket") + 1])
os.read(fd, 1)
os.write(fd, {data!r})
import time; time.sleep(60)
"""


@pytest.mark.parametrize("data", [b"Segmentation fault", struct.pack(">I", 2) + b"{}", struct.pack(">I", 1) + b"\xc0"])
def test_the_parent_ends_a_child_that_babbles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    babbler = tmp_path / "babbler"
    babbler.write_text(BABBLER.format(python=sys.executable, data=data))
    babbler.chmod(0o755)
    monkeypatch.setattr(process.interpreter, "PYTHON", str(babbler))
    monkeypatch.setattr(process.WorkerProcess, "LEAVING_SECONDS", 0.2)
    worker = WorkerProcess(tmp_path, Config(), tmp_path / "log")
    with pytest.raises(WorkerError):
        worker.call("status", {}, object, 10)
    assert worker.pid is None
    worker.close()
