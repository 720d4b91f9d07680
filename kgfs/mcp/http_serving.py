"""The MCP server over streamable HTTP: on this machine only, for clients that have the token.

Used by ``kgfs mcp --http``. Host and Origin are checked by the SDK, so a page in a browser cannot ask by a name of its
own that leads here; the token is checked before anything is read.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import secrets
import socket
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from kgfs.errors import UsageError
from kgfs.mcp.server import StoreServer

PATH = "/mcp"
TOKEN_VARIABLE = "KGFS_MCP_TOKEN"
BODY_BYTES = 16 << 20
MOST_SESSIONS = 100
_DRAIN_SECONDS = 2


def address_of(text: str) -> tuple[str, int]:
    """Host and port of ``[HOST:]PORT``. ``UsageError`` for one that others than this machine could reach."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise UsageError(f"{text!r} is no [HOST:]PORT; write 8765 or 127.0.0.1:8765.")
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise UsageError(f"{host} is not this machine alone; serve on 127.0.0.1, and reach it by `ssh -L` from others.")
    return host, int(port)


def new_token() -> str:
    """The token of the environment, else a new one."""
    return os.environ.get(TOKEN_VARIABLE) or secrets.token_urlsafe(32)


def write_token(path: Path, token: str) -> None:
    """Write the token where only its owner can read it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(descriptor, 0o600)
        file.write(token + "\n")


class WithToken:
    """Passes on requests with the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._wanted = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            if not hmac.compare_digest(given, self._wanted):
                refused = JSONResponse(
                    {"error": "unauthorized", "message": "Send the header Authorization: Bearer TOKEN."}, 401,
                    {"WWW-Authenticate": "Bearer"},
                )  # fmt: skip
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)


async def serve(store_server: StoreServer, listener: socket.socket, token: str) -> None:
    """Serve until the process is told to end."""
    names = ["127.0.0.1", "localhost", "[::1]"]
    app: Any = store_server.server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=BODY_BYTES,
        max_sessions=MOST_SESSIONS,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[each for name in names for each in (name, f"{name}:*")],
            allowed_origins=[f"http://{name}:*" for name in names],
        ),
    )
    config = uvicorn.Config(
        WithToken(app, token), log_level="warning", access_log=False, lifespan="on",
        timeout_graceful_shutdown=_DRAIN_SECONDS, server_header=False,
    )  # fmt: skip
    async with store_server.running():
        await uvicorn.Server(config).serve(sockets=[listener])
