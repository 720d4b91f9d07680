"""The server of the website: pages as they are in ``@web``, and the search that a page asks while one types.

Used by ``kgfs web``. Each answer is asked of the process that has the store open, so it works beside a mount and
without one. Nothing here changes anything.
"""

from __future__ import annotations

import socket
from pathlib import PurePosixPath
from typing import Any

import anyio.to_thread
import uvicorn
from starlette.applications import Starlette
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from kgfs.control.client import Gathered
from kgfs.control.path_arguments import PathArgument
from kgfs.control.store_asking import StoreAsking
from kgfs.errors import DeadlineExceeded, IsADirectory, KgfsError, NotADirectory, NotFoundError, UsageError
from kgfs.site.rendering import POLICY, served_script
from kgfs.web.entrance import HOSTS, WithToken

AREA = "@web"
SEARCH = "api/search"
LIVE = "assets/live.js"
MOST_CHARACTERS = 500
"""Of a question."""
_DRAIN_SECONDS = 1
_TYPES = {
    ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
}  # fmt: skip
_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""A picture has its style in it."""
_STATUSES: tuple[tuple[type[KgfsError], int], ...] = (
    (NotFoundError, 404), (NotADirectory, 404), (IsADirectory, 404), (UsageError, 400), (DeadlineExceeded, 504),
)  # fmt: skip


class Site:
    """The pages and the search of one store."""

    def __init__(self, asking: StoreAsking) -> None:
        self._asking = asking

    async def page(self, request: Request) -> Response:
        """A file of ``@web``; the list of a directory for its name with a slash behind it."""
        path = request.path_params["path"]
        if path == LIVE:
            return _answered(served_script(), path)
        if not path or path.endswith("/"):
            path += "index.html"
        if any(part in ("", ".", "..") for part in path.split("/")) or "\0" in path:
            return PlainTextResponse("There is no such page.\n", 404)
        place = PathArgument(text=f"/{path}", exact=f"{AREA}/{path}")
        gathered = Gathered()
        try:
            await anyio.to_thread.run_sync(lambda: self._asking.call("cat", {"place": place.fields()}, gathered))
        except KgfsError as error:
            return _failed(error)
        return _answered(bytes(gathered.bytes), path)

    async def search(self, request: Request) -> Response:
        """``names`` that begin with what was typed, and ``results`` of the search, each with its page."""
        question = " ".join(request.query_params.get("q", "").split())[:MOST_CHARACTERS]
        if not question:
            return JSONResponse({"names": [], "results": []})
        try:
            found = await anyio.to_thread.run_sync(lambda: self._asking.call("site-search", {"query": question}))
        except KgfsError as error:
            return _failed(error)
        return JSONResponse(found, headers={"Cache-Control": "no-store"})


def _answered(body: bytes, path: str) -> Response:
    suffix = PurePosixPath(path).suffix
    policy = _PICTURE_POLICY if suffix == ".svg" else f"{POLICY}; frame-ancestors 'none'"
    return Response(
        body, media_type=_TYPES.get(suffix, "application/octet-stream"),
        headers={"Content-Security-Policy": policy, "Cache-Control": "no-cache"},
    )  # fmt: skip


def _failed(error: KgfsError) -> Response:
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 503)
    return PlainTextResponse(f"{error.message}\n", status)


class _WithHeaders:
    """Headers that every answer has."""

    _ALWAYS = ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"))

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._ALWAYS]
            await send(message)

        await self._app(scope, receive, with_headers)


def application(asking: StoreAsking, token: str, ticket: str, port: int) -> ASGIApp:
    """The server as an application of ASGI."""
    site = Site(asking)
    routes = [Route(f"/{SEARCH}", site.search, methods=["GET"]), Route("/{path:path}", site.page, methods=["GET"])]
    guarded = WithToken(Starlette(routes=routes), token, ticket, port)
    return _WithHeaders(TrustedHostMiddleware(guarded, allowed_hosts=HOSTS, www_redirect=False))


async def serve(asking: StoreAsking, listener: socket.socket, token: str, ticket: str) -> None:
    """Serve until the process is told to end; ``token`` and ``ticket`` let in, the latter once."""
    app = application(asking, token, ticket, listener.getsockname()[1])
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, lifespan="off", timeout_graceful_shutdown=_DRAIN_SECONDS,
        server_header=False,
    )  # fmt: skip
    await uvicorn.Server(config).serve(sockets=[listener])
