"""Targets that speak: the control socket and the MCP server, over a real service."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import queue
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import msgspec
from mcp.server.stdio import stdio_server

from kgfs.control import answers, frames
from kgfs.control.client import Discard
from kgfs.control.server import Server
from kgfs.control.store_asking import StoreAsking
from kgfs.errors import KgfsError
from kgfs.mcp.server import StoreServer
from kgfs.service.service import Service
from tests.fuzz.target import Check, Target
from tests.graph_builder import build

ASKED = (
    "ls", "cat", "tree", "find", "grep", "stat", "history", "diff", "restore", "at-work",
    "sources", "source", "site-page", "write-scope", "skills", "source-states", "source-move", "entity", "fact",
    "kv-set", "kv-delete", "audit-archive", "run-record", "tool", "workspace-promote", "no such request",
)  # fmt: skip
"""What neither reads files of the host, nor starts a worker."""
SECONDS = 30.0


class Unheard(Discard):
    """A reply that nobody reads."""

    cancel = threading.Event()


def _small_store(directory: Path) -> Path:
    build(directory / "store", entities=6, documents=3, chunks_a_document=2, topics=3).close()
    return directory / "store"


@contextlib.contextmanager
def _frames(directory: Path) -> Iterator[Check]:
    """The bytes come on a connection: they are refused, or are a request that is answered; then the next one is."""
    store = _small_store(directory)
    with Service.open(store) as service:

        def check(data: bytes) -> None:
            ours, theirs = socket.socketpair()
            with ours, theirs:
                ours.sendall(data[: 1 << 16])
                ours.shutdown(socket.SHUT_WR)
                with contextlib.suppress(frames.FrameError):
                    while (body := frames.receive(theirs)) is not None:
                        _answered(service, body)
            with contextlib.suppress(frames.FrameError):
                frames.decode_answer(data)
            _answered(service, data)

        yield check


def _answered(service: Service, body: bytes | bytearray) -> None:
    try:
        request = frames.decode_request(body)
    except frames.FrameError:
        return
    if request.command not in ASKED:
        request.command = ASKED[sum(request.command.encode("utf-8", "replace")) % len(ASKED)]
    if request.command == "tool" and request.arguments.get("name") in (
        "brief",
        "search",
        "search_semantic",
        "context_refresh",
    ):
        return
    try:
        result = answers.answer(service, request, Unheard())
    except KgfsError as error:
        assert error.message
    else:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            sender = threading.Thread(target=frames.send, args=(ours, frames.Answer(result=result)))
            sender.start()
            answer = frames.receive(theirs)
            sender.join()
            assert answer is not None
            frames.decode_answer(answer)


def _frame_seeds() -> list[bytes]:
    def body(command: str, **arguments: Any) -> bytes:
        return msgspec.msgpack.encode(frames.Request(command, arguments, b"/"))

    place = {"text": "entities/by_name", "exact": "entities/by_name", "host": b"/x"}
    seeds = [
        body("ls", place=place),
        body("cat", place={"text": "AGENTS.md"}),
        body("tree", place=place, levels=2),
        body("stat", place=place),
        body("tool", name="context_read", arguments={"path": "/a"}),
        body("tool", name="search_grep", arguments={"pattern": "a"}, places={"path": place}),
        body("entity", action="rename", place=place, name="x"),
        body("kv-set", key="a", value="1"),
        body("grep", pattern="wages", place=place),
        body("history", place=place),
        body("fact", action="retract", place={"text": "f_0123456789abcdef"}),
        body("source-move", source="x", to=b"/y"),
    ]
    return [*seeds, len(seeds[0]).to_bytes(4, "big") + seeds[0], b"\xff\xff\xff\xff"]


class _Lines(io.TextIOBase):
    """Standard input for the server: lines that are put in, until ``None``."""

    def __init__(self) -> None:
        self.lines: queue.Queue[str | None] = queue.Queue()

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        return self.lines.get() or ""

    def __iter__(self) -> Any:
        return iter(self.readline, "")

    def __next__(self) -> str:
        line = self.readline()
        if not line:
            raise StopIteration
        return line


class _Out(io.TextIOBase):
    """Standard output: what was said, by message."""

    def __init__(self) -> None:
        self.said: queue.Queue[str] = queue.Queue()

    def write(self, text: str) -> int:
        self.said.put(text)
        return len(text)


@contextlib.contextmanager
def _mcp(directory: Path) -> Iterator[Check]:
    """Lines come; whatever they are, all that is said is a message, and a ping behind them is answered."""
    store = _small_store(directory)
    with Service.open(store) as service:
        service.daemon = True
        server = Server(store, functools.partial(answers.answer, service))
        server.start()
        asking = StoreAsking(store)
        lines, out = _Lines(), _Out()

        async def serve() -> None:
            made = StoreServer(asking, read_only=False)
            streams = stdio_server(anyio.wrap_file(lines), anyio.wrap_file(out))  # type: ignore[arg-type]
            async with streams as (reading, writing), made.running() as running:
                await running.run(reading, writing, running.create_initialization_options())

        thread = threading.Thread(target=anyio.run, args=(serve,), daemon=True)
        thread.start()
        count = 0

        def said_to(number: int) -> dict[str, Any]:
            while True:
                message = json.loads(out.said.get(timeout=SECONDS))
                assert message.get("jsonrpc") == "2.0", message
                if message.get("id") == number:
                    return message

        def ask(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
            nonlocal count
            count += 1
            number = 1_000_000 + count
            asked = {"jsonrpc": "2.0", "id": number, "method": method, **({"params": params} if params else {})}
            lines.lines.put(json.dumps(asked) + "\n")
            return said_to(number)

        told = {"name": "fuzz", "version": "1"}
        ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": told})
        lines.lines.put('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')

        def check(data: bytes) -> None:
            for line in data.decode("utf-8", "replace").splitlines()[:4]:
                if line.strip() and not any(word in line for word in _SLOW):
                    lines.lines.put(line + "\n")
            assert thread.is_alive(), "the server ended"
            assert "result" in ask("ping")

        try:
            yield check
        finally:
            lines.lines.put(None)
            thread.join(SECONDS)
            asking.close()
            server.close()


_SLOW = ("brief", "search", "refresh", "listen", "initialize", "cancelled")
"""What starts a worker, or ends what the check waits for."""


def _mcp_seeds() -> list[bytes]:
    def line(method: str, **params: Any) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode()

    return [
        line("tools/list"),
        line("tools/call", name="read", arguments={"path": "/kg/AGENTS.md"}),
        line("tools/call", name="list", arguments={"path": "/kg/entities"}),
        line("resources/list"),
        line("resources/read", uri="kgfs:///AGENTS.md"),
        line("resources/subscribe", uri="kgfs:///AGENTS.md"),
        line(
            "completion/complete",
            ref={"type": "ref/resource", "uri": "kgfs:///entities/{a}"},
            argument={"name": "a", "value": "e"},
        ),
        line("prompts/get", name="ask", arguments={"question": "x"}),
        line("ping"),
        b'{"jsonrpc": "2.0", "method": "x"}',
        line("tools/call", name="context_write", arguments={"path": "/a.md", "content": "x"}),
    ]


MESSAGE_TARGETS = {
    "control": Target(
        "frames of the control socket, answered by a service",
        _frames,
        _frame_seeds,
        (
            b"\x81",
            b"\x82",
            b"\xc0",
            b"\xc1",
            b"\xdf\xff\xff\xff\xff",
            b"\xc7\x01\x01\xff",
            b"\xa4text",
            b"\xa5place",
            b"\xa5exact",
        ),
    ),
    "mcp": Target(
        "messages to the MCP server",
        _mcp,
        _mcp_seeds,
        (
            b'"id":',
            b"null",
            b"{",
            b"[",
            b'"params":',
            b'"method":',
            b'"arguments":',
            b"kgfs:///",
            b"%00",
            b"\\ud800",
            b"-1",
            b"\n",
        ),
    ),
}
