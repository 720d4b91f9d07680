"""A pipe to an MCP server that is a program: what it may say at once is bounded, and it ends with the connection.

Used by ``mcp_servers`` as a transport of the ``mcp`` SDK. The SDK's own reads a line of any length, and copies what it
has with each piece that comes.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types
from anyio.abc import Process
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from kgfs.sources.web.mcp_settings import McpServer

END_SECONDS = 1.0
"""How long a server may take to leave when its input closes, and again when it is asked to."""
ERROR_LINES = 5
"""So much of what it says on its error output is kept, to tell why it died."""


class ErrorOutput:
    """The last lines of a program's error output, and what it did wrong."""

    def __init__(self) -> None:
        self.fault = ""
        self._lines: deque[str] = deque(maxlen=ERROR_LINES)

    def note(self, data: bytes) -> None:
        self._lines.extend(line for line in data.decode("utf-8", "replace")[-2000:].splitlines() if line.strip())

    def too_much(self, most: int) -> None:
        """It gave more than may be taken."""
        self.fault = f"gave more than {most:,} bytes at once, which is more than may be kept"

    @property
    def last(self) -> str:
        return " ".join(self._lines[-1].split())[:200] if self._lines else ""


@asynccontextmanager
async def program(server: McpServer, most: int, complaints: ErrorOutput) -> AsyncIterator[tuple[Any, Any]]:
    """Start a server and yield the two streams of messages. A message of more than ``most`` bytes ends it, as
    ``complaints`` then says. ``OSError`` where it cannot be started."""
    process = await anyio.open_process(
        [server.command, *server.args],
        env={**get_default_environment(), **server.env},
        cwd=server.cwd,
        start_new_session=True,
    )
    to_session, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_session = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        assert process.stdout is not None
        parts: list[bytes] = []
        size = 0
        async with to_session:
            with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                async for data in process.stdout:
                    *lines, rest = data.split(b"\n")
                    for line in lines:
                        await to_session.send(_message(b"".join([*parts, line])))
                        parts, size = [], 0
                    parts.append(rest)
                    size += len(rest)
                    if size > most:
                        complaints.too_much(most)
                        return

    async def write() -> None:
        assert process.stdin is not None
        async with from_session:
            with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                async for message in from_session:
                    text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await process.stdin.send(text.encode() + b"\n")

    async def listen() -> None:
        assert process.stderr is not None
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            async for data in process.stderr:
                complaints.note(data)

    async with anyio.create_task_group() as tasks:
        for work in (read, write, listen):
            tasks.start_soon(work)
        try:
            yield incoming, outgoing
        finally:
            tasks.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await _end(process)
                for stream in (incoming, outgoing, to_session, from_session):
                    await stream.aclose()


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _end(process: Process) -> None:
    """Let it leave, ask it to, make it: with all that it has started."""
    if process.stdin is not None:
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            await process.stdin.aclose()
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with anyio.move_on_after(END_SECONDS):
            while process.returncode is None:
                await anyio.sleep(0.01)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sign)  # also when it has left: what it started may be there
    with anyio.move_on_after(END_SECONDS):
        await process.aclose()
