"""A web server on this machine for tests: pages by path, and every way to misbehave.

``with WebServer() as server:`` then ``server.pages["/post"] = Answer(...)`` and ``server.url("/post")``. What is no
page is 404. ``server.seen`` are the requests (path and headers) in order.
"""

from __future__ import annotations

import gzip
import http.server
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

MIB = 1024 * 1024


@dataclass
class Answer:
    """One page. ``act`` takes the place of all else: it gets the handler and does to the connection what it likes."""

    body: bytes = b""
    content_type: str | None = "text/html; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    etag: str = ""
    act: Callable[[http.server.BaseHTTPRequestHandler, threading.Event], None] | None = None


def redirect(to: str, status: int = 302) -> Answer:
    return Answer(status=status, headers={"Location": to})


def page(title: str, *paragraphs: str, head: str = "", around: str = "") -> Answer:
    """A page with an article."""
    text = "".join(f"<p>{one}</p>" for one in paragraphs)
    body = f"{around}<main><h1>{title}</h1>{text}</main>{around}"
    html = f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    return Answer(html.encode())


# --- ways to misbehave ---------------------------------------------------------------------------------------------


def _head(handler: http.server.BaseHTTPRequestHandler, *lines: str) -> None:
    handler.wfile.write("\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode())


def hang(handler: http.server.BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """Nothing is answered."""
    stop.wait(60)


def drip_head(handler: http.server.BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """A header that never ends, byte by byte."""
    _send_slowly(handler, b"HTTP/1.1 200 OK\r\nX-Slow: ", stop)


def drip_body(handler: http.server.BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """A body of some bytes a second."""
    _head(handler, "Content-Type: text/html", "Content-Length: 1000000")
    _send_slowly(handler, b"", stop)


def _send_slowly(handler: http.server.BaseHTTPRequestHandler, first: bytes, stop: threading.Event) -> None:
    handler.wfile.write(first)
    while not stop.wait(0.05):
        handler.wfile.write(b"a")
        handler.wfile.flush()


def promise_too_much(handler: http.server.BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """A length beyond the body."""
    _head(handler, "Content-Type: text/html", "Content-Length: 5000")
    handler.wfile.write(b"<p>Half of it.</p>")


def endless(handler: http.server.BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """200 MB without a length."""
    _head(handler, "Content-Type: text/plain", "Connection: close")
    for _ in range(200):
        handler.wfile.write(b"a" * MIB)


def understated(handler: http.server.BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """A small length over a large body: what was promised is all that counts."""
    _head(handler, "Content-Type: text/plain", "Content-Length: 5")
    handler.wfile.write(b"12345" + b"6" * MIB)


def announced(handler: http.server.BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """200 MB, honestly said; nothing has to come for that to be known."""
    _head(handler, "Content-Type: text/plain", f"Content-Length: {200 * MIB}")
    stop.wait(30)


def bomb(coding: str) -> Answer:
    """40 MB of nothing, packed."""
    packed = gzip.compress(b"\0" * (40 * MIB), 1) if coding == "gzip" else zlib.compress(b"\0" * (40 * MIB), 1)
    return Answer(packed, "text/html", headers={"Content-Encoding": coding})


def nonsense(handler: http.server.BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """Something that is no HTTP."""
    handler.wfile.write(b"SSH-2.0-OpenSSH_9.9\r\n")


def close(handler: http.server.BaseHTTPRequestHandler, stop: threading.Event) -> None:
    """The end, without a word."""


class WebServer:
    """Listens on a free port of this machine until the block ends."""

    def __init__(self) -> None:
        self.pages: dict[str, Answer] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        self._stop = threading.Event()
        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def paths(self) -> list[str]:
        return [path for path, _ in self.seen]

    def __enter__(self) -> WebServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server.seen.append((self.path, dict(self.headers)))
                answer = server.pages.get(self.path, Answer(b"not here", "text/plain", 404))
                self.close_connection = True
                try:
                    if answer.act is not None:
                        answer.act(self, server._stop)
                        return
                    unchanged = answer.etag and self.headers.get("If-None-Match") == answer.etag
                    self.send_response(304 if unchanged else answer.status)
                    if answer.content_type is not None:
                        self.send_header("Content-Type", answer.content_type)
                    if answer.etag:
                        self.send_header("ETag", answer.etag)
                    for name, value in answer.headers.items():
                        self.send_header(name, value)
                    body = b"" if unchanged else answer.body
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:  # the other end did not wait
                    pass

            def log_message(self, *_: object) -> None:
                pass

        return Handler
