"""Clients of ``kgfs mcp`` for the tests: the official one over stdio and over HTTP, and raw lines."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import msgspec
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests import warm_python

MODES = ("legacy", "auto")
"""Both eras of the protocol: the handshake, and without one."""


def command(store: Path, *options: str) -> list[str]:
    """How a program starts the server."""
    return [warm_python.python(), "-m", "kgfs.cli.main", "--store", str(store), "mcp", *options]


@asynccontextmanager
async def over_stdio(store: Path, *options: str, mode: str = "auto", **more: Any) -> AsyncIterator[Client]:
    """The official client, with a server of its own."""
    program, *arguments = command(store, *options)
    parameters = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    async with Client(stdio_client(parameters), mode=mode, cache=None, **more) as client:
        yield client


class Served(NamedTuple):
    """A server over HTTP."""

    url: str
    token: str


@contextmanager
def http_server(store: Path, *options: str) -> Iterator[Served]:
    """``kgfs mcp --http`` on a free port."""
    program, *arguments = command(store, "--http", "0", *options)
    arguments.insert(arguments.index("--store"), "--json")
    with subprocess.Popen([program, *arguments], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            said = msgspec.json.decode(process.stdout.readline())
            yield Served(said["url"], said["token"])
        finally:
            process.terminate()
            process.wait(30)


@asynccontextmanager
async def over_http(served: Served, *, mode: str = "auto", **more: Any) -> AsyncIterator[Client]:
    """The official client of a server over HTTP."""
    headers = {"Authorization": f"Bearer {served.token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(served.url, http_client=http)
        async with Client(transport, mode=mode, cache=None, **more) as client:
            yield client
