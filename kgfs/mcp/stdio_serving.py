"""The MCP server over standard input and output, as clients start it. Used by ``kgfs mcp``."""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from kgfs.mcp.server import StoreServer


async def serve(store_server: StoreServer) -> None:
    """Serve one client until it closes our standard input."""
    async with stdio_server() as (reading, writing), store_server.running() as server:
        await server.run(reading, writing, server.create_initialization_options())
