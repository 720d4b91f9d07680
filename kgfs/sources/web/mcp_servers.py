"""The MCP servers of the user while a page is loaded: which tools they have, and calls of them within bounds.

Used by ``agent`` in the loader process, in its event loop. A server that does not start, hangs, dies, or gives too much
costs one call, which then fails with a sentence for the model; the other servers go on.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import logging
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import mcp_types
import msgspec
from anyio.abc import TaskGroup
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

from kgfs.errors import KgfsError, TooLarge
from kgfs.sources.web.mcp_settings import McpServer
from kgfs.sources.web.mcp_stdio import ErrorOutput, program

log = logging.getLogger(__name__)

CONNECT_SECONDS = 20.0
CALL_SECONDS = 60.0
MAX_TOOLS = 500
"""Tools of one server that are looked at."""
MAX_PAGES = 20
SILENT = "does not say that it only reads"
"""Why a tool is ``refused`` that says nothing of it."""


class McpTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool of a server, as the server says."""

    server: str
    name: str
    description: str
    schema: dict[str, Any]
    refused: str = ""
    """Why it may not be called, as a part of a sentence; empty where it only reads."""


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """The whole of what a tool gave."""

    server: str
    body: bytes
    mime_type: str = ""
    """Where the tool named one; else it is text."""
    is_error: bool = False

    @property
    def is_text(self) -> bool:
        return not self.mime_type or self.mime_type.startswith("text/") or self.mime_type.endswith(("json", "xml"))


class _Connection:
    """One server: a task holds the connection open until it is told to stop."""

    def __init__(self, name: str, server: McpServer, most: int) -> None:
        self.name = name
        self.reading = server.readOnlyTools
        self._server = server
        self._most = most
        self._complaints = ErrorOutput()
        self._ready = anyio.Event()
        self._stop = anyio.Event()
        self._client: Client | None = None
        self._problem = ""
        self._started = False

    async def client(self, tasks: TaskGroup) -> Client:
        """The open connection, made by the first call. ``KgfsError`` where there is none (any more)."""
        if not self._started:
            self._started = True
            tasks.start_soon(self._hold)
        await self._ready.wait()
        if self._client is None:
            raise KgfsError(f"The MCP server {self.name} {self._problem}.")
        return self._client

    def lost(self, reason: str) -> KgfsError:
        """Give it up; later calls fail at once."""
        said = f" (it said: {self._complaints.last})" if self._complaints.last else ""
        self._client, self._problem = None, (self._complaints.fault or reason) + said
        self._stop.set()
        return KgfsError(f"The MCP server {self.name} {self._problem}.")

    async def _hold(self) -> None:
        try:
            with anyio.move_on_after(CONNECT_SECONDS) as patience:
                async with Client(
                    _Transport(self._streams()), read_timeout_seconds=CALL_SECONDS * 2, cache=None
                ) as client:
                    patience.deadline = float("inf")
                    self._client = client
                    self._ready.set()
                    await self._stop.wait()
            if patience.cancelled_caught:
                self.lost(f"did not answer within {CONNECT_SECONDS:g} seconds")
        except Exception as error:
            log.warning("The MCP server %s failed: %r", self.name, error)
            if self._client is not None or not self._problem:
                self.lost(f"failed ({_innermost(error)})")
        finally:
            self._client = None
            self._problem = self._problem or "was ended"
            self._ready.set()

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[tuple[Any, Any]]:
        if self._server.command:
            async with program(self._server, self._most, self._complaints) as streams:
                yield streams
            return
        timeout = httpx2.Timeout(CALL_SECONDS, connect=CONNECT_SECONDS)
        async with (
            httpx2.AsyncClient(
                headers=self._server.headers,
                timeout=timeout,
                transport=_BoundedTransport(self._most, self._complaints),
                trust_env=False,
            ) as client,
            streamable_http_client(self._server.url, http_client=client, max_sse_event_size=self._most) as streams,
        ):
            yield streams


class _Transport:
    """What the SDK enters and leaves."""

    def __init__(self, streams: contextlib.AbstractAsyncContextManager[tuple[Any, Any]]) -> None:
        self._streams = streams

    async def __aenter__(self) -> tuple[Any, Any]:
        return await self._streams.__aenter__()

    async def __aexit__(self, *error: Any) -> bool | None:
        return await self._streams.__aexit__(*error)


class _BoundedTransport(httpx2.AsyncHTTPTransport):
    """Answers that end with an error when they are too large."""

    def __init__(self, most: int, complaints: ErrorOutput) -> None:
        super().__init__()
        self._most, self._complaints = most, complaints

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        # What is counted must be what is kept: a packed answer could unpack to anything.
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.DecodingError("the answer is packed, which was not asked for", request=request)
        response.stream = _Bounded(response.stream, self._most, self._complaints, request)
        return response


class _Bounded(httpx2.AsyncByteStream):
    def __init__(
        self, inner: httpx2.AsyncByteStream, most: int, complaints: ErrorOutput, request: httpx2.Request
    ) -> None:
        self._inner, self._most, self._complaints, self._request = inner, most, complaints, request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > self._most:
                self._complaints.too_much(self._most)
                raise httpx2.ReadError(self._complaints.fault, request=self._request)
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


class McpServers:
    """All servers of a run; connections are made in ``tasks`` when they are first needed, and end with these."""

    def __init__(self, servers: Mapping[str, McpServer], most: int, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._most = most
        self._connections = {name: _Connection(name, server, most) for name, server in servers.items()}
        self._tools: dict[str, list[McpTool]] = {}
        self.problems: dict[str, str] = {}
        """Server to why its tools are not there."""

    async def tools(self) -> list[McpTool]:
        """The tools of all servers that answer; asked once."""
        missing = [name for name in self._connections if name not in self._tools and name not in self.problems]

        async def look(name: str) -> None:
            try:
                self._tools[name] = await self._list(name)
            except KgfsError as error:
                self.problems[name] = error.message

        async with anyio.create_task_group() as looks:
            for name in missing:
                looks.start_soon(look, name)
        return [tool for name in self._connections for tool in self._tools.get(name, [])]

    async def tool(self, server: str, name: str) -> McpTool:
        """One of them. ``KgfsError`` where there is none."""
        for tool in await self.tools():
            if (tool.server, tool.name) == (server, name):
                return tool
        raise KgfsError(f"There is no tool {name!r} on a server {server!r}; mcp_list_tools names them all.")

    async def call(self, tool: McpTool, arguments: dict[str, Any]) -> ToolResult:
        """Call a tool. ``KgfsError`` with a sentence where it gives nothing that can be used."""
        connection = self._connections[tool.server]
        answer = await self._ask(connection, lambda client: client.call_tool(tool.name, arguments))
        result = _result(tool.server, answer)
        if len(result.body) > self._most:
            raise TooLarge(f"{tool.name} gave more than {self._most:,} bytes, which is more than may be kept.")
        return result

    async def _list(self, name: str) -> list[McpTool]:
        found: list[McpTool] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await self._ask(self._connections[name], lambda client: client.list_tools(cursor=cursor))  # noqa: B023
            found += [_tool(name, one, self._connections[name].reading) for one in page.tools]
            cursor = page.next_cursor
            if not cursor or len(found) >= MAX_TOOLS:
                break
        return found[:MAX_TOOLS]

    async def _ask(self, connection: _Connection, ask: Any) -> Any:
        """One request. What shows that the connection is of no more use ends it."""
        client = await connection.client(self._tasks)
        try:
            with anyio.fail_after(CALL_SECONDS):
                return await ask(client)
        except TimeoutError:
            raise connection.lost(f"did not answer within {CALL_SECONDS:g} seconds") from None
        except Exception as error:
            if isinstance(error, MCPError) and error.code not in (CONNECTION_CLOSED, REQUEST_TIMEOUT):
                raise KgfsError(f"The MCP server {connection.name} refused: {_innermost(error)}.") from error
            raise connection.lost(f"broke off ({_innermost(error)})") from error


def _tool(server: str, tool: mcp_types.Tool, reading: Collection[str]) -> McpTool:
    """A tool; ``reading`` are those that only read by the user's word. To MCP, one that says nothing may write."""
    hints = tool.annotations
    refused = ""
    if tool.name not in reading and (hints is None or hints.read_only_hint is not True):
        says = hints is not None and (hints.read_only_hint is False or hints.destructive_hint is True)
        refused = "does more than read, says its server" if says else SILENT
    return McpTool(
        server=server,
        name=tool.name,
        description=tool.description or "",
        schema=dict(tool.input_schema),
        refused=refused,
    )


def _result(server: str, answer: mcp_types.CallToolResult) -> ToolResult:
    """The content of an answer: its texts, else the first thing that is none, else its structured form."""
    texts: list[str] = []
    mime_types: list[str] = []
    binary: tuple[bytes, str] | None = None
    for block in answer.content:
        if isinstance(block, mcp_types.TextContent):
            texts.append(block.text)
        elif isinstance(block, mcp_types.ImageContent | mcp_types.AudioContent):
            binary = binary or (_decoded(block.data), block.mime_type)
        elif isinstance(block, mcp_types.EmbeddedResource):
            resource = block.resource
            if isinstance(resource, mcp_types.TextResourceContents):
                texts.append(resource.text)
                mime_types.append(resource.mime_type or "")
            else:
                binary = binary or (_decoded(resource.blob), resource.mime_type or "application/octet-stream")
    if not any(text.strip() for text in texts):
        if binary is not None and not answer.is_error:
            return ToolResult(server=server, body=binary[0], mime_type=binary[1].lower())
        if answer.structured_content is not None and not texts:
            encoded = msgspec.json.format(msgspec.json.encode(answer.structured_content), indent=2)
            return ToolResult(server=server, body=encoded, mime_type="application/json", is_error=answer.is_error)
    mime_type = mime_types[0] if len(texts) == 1 and mime_types else ""
    body = "\n\n".join(texts).encode("utf-8", "replace")
    return ToolResult(server=server, body=body, mime_type=mime_type.lower(), is_error=answer.is_error)


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise KgfsError("The tool gave what is no base64.") from error


def _innermost(error: BaseException) -> str:
    """The first reason in a group of reasons, on one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return (" ".join(str(error).split()) or type(error).__name__)[:200].rstrip(".")
