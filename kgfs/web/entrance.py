"""Which requests the server of the website answers: those with the token, by the name of this machine.

Used by ``serving``. The address that ``kgfs web`` prints has the token; the first answer puts it into a cookie. The
cookie is named by the port, so two sites do not take each other's. The address that a browser is started with stands in
its command line, which others may see: it has a ticket instead, which is good once. Pages of others cannot ask: a name
of theirs that leads here is refused (DNS rebinding), and the cookie is sent with requests of this site alone.
"""

from __future__ import annotations

import hmac
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

HOSTS = ("127.0.0.1", "localhost")
_PARAMETER = "token"
_MISSING = "This needs the token: open the address that `kgfs web` printed.\n"


class WithToken:
    """Passes on requests with the token, and one request with the ticket."""

    def __init__(self, app: ASGIApp, token: str, ticket: str, port: int) -> None:
        self._app, self._token, self._ticket, self._cookie = app, token, ticket, f"kgfs-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        given = request.query_params.get(_PARAMETER)
        if given is not None:
            await self._greet(request, given)(scope, receive, send)
        elif self._is_right(request.cookies.get(self._cookie, "")):
            await self._app(scope, receive, send)
        else:
            await PlainTextResponse(_MISSING, 403)(scope, receive, send)

    def _is_right(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _takes_ticket(self, given: str) -> bool:
        if not self._ticket or not hmac.compare_digest(given.encode(), self._ticket.encode()):
            return False
        self._ticket = ""
        return True

    def _greet(self, request: Request, given: str) -> Response:
        """Take the token out of the address, so that it is in no history and no picture of a screen."""
        if not self._is_right(given) and not self._takes_ticket(given):
            return PlainTextResponse(_MISSING, 403)
        rest = urlencode([(name, value) for name, value in request.query_params.multi_items() if name != _PARAMETER])
        # A path, never a host: two slashes at its head would name one.
        path = "/" + request.scope["raw_path"].decode("latin-1").lstrip("/")
        answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
        answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")
        return answer
