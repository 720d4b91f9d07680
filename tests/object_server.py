"""A real S3-compatible server on this machine for tests (moto), and every way for it to fail.

``with ObjectServer() as server:`` has one bucket, ``bucket``. ``server.environment`` is what a client needs. A request
is given to ``server.fault`` first, which may answer in the server's place, wait, or do nothing.
"""

from __future__ import annotations

import io
import threading
import urllib.request
from collections.abc import Callable, Iterable
from typing import Any

from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response

KEY = "THEKEY"
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
Fault = Callable[[Request], Response | None]


class ObjectServer:
    """The server; ``url`` of it, ``seen`` the requests (method, path) in order."""

    def __init__(self) -> None:
        # Imported here: a run that only collects the tests needs none of it.
        from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

        self.application: Application = DomainDispatcherApplication(create_backend_app)
        self.fault: Fault | None = None
        self.seen: list[tuple[str, str]] = []
        self.keys = {KEY}
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """What the user of a bucket has in the environment."""
        return {
            "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": self.url, "AWS_ALLOW_HTTP": "true",
        }  # fmt: skip

    def __enter__(self) -> ObjectServer:
        self._thread.start()
        request = urllib.request.Request(f"{self.url}/bucket", method="PUT", headers=_signed(KEY))
        urllib.request.urlopen(request).close()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        length = int(environ.get("CONTENT_LENGTH") or 0)
        environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(length))  # else the connection breaks
        request = Request(environ)
        self.seen.append((request.method, request.path))
        fault = self.fault
        answer = fault(request) if fault is not None else None
        if answer is None and not any(
            f"Credential={key}/" in request.headers.get("Authorization", "") for key in self.keys
        ):
            answer = Response("<Error><Code>InvalidAccessKeyId</Code></Error>", 403, content_type="application/xml")
        if answer is not None:
            return answer(environ, start)
        return self.application(environ, start)


def _signed(key: str) -> dict[str, str]:
    """What moto looks at of a signature."""
    return {"Authorization": f"AWS4-HMAC-SHA256 Credential={key}/20260101/us-east-1/s3/aws4_request, x"}


def unavailable(request: Request) -> Response:
    """Every request is refused for now."""
    return Response("<Error><Code>SlowDown</Code></Error>", 503, content_type="application/xml")
