"""The MCP server over standard input and output, as clients start it. Used by ``kgfs mcp``."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import anyio
import anyio.to_thread
from mcp.server.stdio import stdio_server

from kgfs.mcp.server import StoreServer


async def serve(store_server: StoreServer, let_go: Callable[[], None]) -> None:
    """Serve one client until it closes our standard input, or a signal ends this process; ``let_go`` of the store
    then."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_on_signal, let_go)
        async with stdio_server() as (reading, writing), store_server.running() as server:
            await server.run(reading, writing, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _end_on_signal(let_go: Callable[[], None]) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for number in signals:
            await anyio.to_thread.run_sync(let_go)
            # Not by an exception: the thread that waits for standard input cannot be woken.
            os._exit(128 + number)
