"""A server on this machine that speaks the Messages API, for tests: answers by a function, and misbehaves on request.

``with LlmServer(reply) as server:`` and set ``ANTHROPIC_BASE_URL`` (or ``llm_base_url``) to ``server.url``; the key may
be any text. ``reply(request)`` gets the body of one message request and returns the *input* of its tool, or a ``Reply``
for anything else. It is called on the server's threads, one a connection. ``faults`` are handed out first, one a
request, then good answers. ``server.requests`` are the bodies that were answered, in that order; a batch's are among
them when it ends.
"""

from __future__ import annotations

import http.server
import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

Fault = Literal[
    "429",
    "529",
    "500",
    "400",
    "401",
    "404",
    "hang",
    "drip",
    "long",
    "short",
    "truncated",
    "type",
    "loop",
    "close",
    "cut",
    "overloaded",
]
"""``429`` (with ``retry-after``), other numbers: that status. ``hang``: nothing is answered. ``drip``: a byte now and
then. ``long``: a Content-Length beyond the body, and the end; ``short``: one that cuts it. ``truncated``: half of the
JSON. ``type``: a page of HTML. ``loop``: a redirect for ever. ``close``: the connection ends without a word.
``cut``: a stream ends in the middle; ``overloaded``: it says so there."""

ERRORS = {
    400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error",
    500: "api_error", 529: "overloaded_error",
}  # fmt: skip


@dataclass
class Reply:
    """An answer that is not simply the tool's input."""

    input: Any = None
    """Of the tool; ``None`` is no use of the tool but text. Text is sent as it is: input that is no JSON."""
    stop_reason: str = "tool_use"
    usage: dict[str, int] = field(default_factory=dict)
    tool: str | None = None
    """The tool's name, if it is not the one that was asked for."""
    before: list[dict[str, Any]] = field(default_factory=list)
    """Content blocks before it."""


@dataclass
class Batch:
    """One message batch."""

    id: str
    requests: list[dict[str, Any]]
    created: datetime
    status: str = "in_progress"
    polls: int = 0
    results: list[dict[str, Any]] = field(default_factory=list)


class LlmServer:
    """Listens on a free port of this machine until the block ends."""

    def __init__(
        self,
        reply: Callable[[dict[str, Any]], dict[str, Any] | Reply],
        *,
        faults: Iterable[Fault] = (),
        key: str | None = None,
        retry_after: float | str = 0.05,
        delay: float = 0.0,
        polls: int = 1,
        unforced: bool = False,
    ) -> None:
        """``key``: the only one that is let in. ``retry_after``: what a 429 says, seconds or a date. ``delay``: seconds
        that each answer takes. ``polls``: how often a batch is looked at before it has ended. ``unforced``: a forced
        tool is refused, as some models do."""
        self.reply = reply
        self.faults: deque[Fault] = deque(faults)
        self.key = key
        self.retry_after = retry_after
        self.delay = delay
        self.polls = polls
        self.unforced = unforced
        self.plain = False
        """Whether it refuses tools and instructions in blocks, and has no batches, as servers of other makers may."""
        self.requests: list[dict[str, Any]] = []
        """Bodies of message requests that were answered well."""
        self.seen: list[tuple[str, str]] = []
        """Method and path of everything that came."""
        self.headers: list[dict[str, str]] = []
        self.batches: dict[str, Batch] = {}
        self.batch_result: Callable[[str, dict[str, Any]], str] = lambda _custom_id, _params: "succeeded"
        """What becomes of a batch's request: ``succeeded``, ``errored``, ``expired`` or ``canceled``."""
        self.after_create: Callable[[Batch], None] = lambda _batch: None
        """Called when a batch is made, before the answer is sent."""
        self.busiest = 0
        """How many message requests were under way at once at most."""
        self._busy = 0
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def idle(self) -> bool:
        """Whether no message request is under way."""
        return self._busy == 0

    @property
    def contents(self) -> list[str]:
        """The last message's text of each answered request."""
        return [content_of(request) for request in self.requests]

    def environment(self, key: str = "test-key") -> dict[str, str]:
        """For the process that is to ask here."""
        return {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": key}

    def __enter__(self) -> LlmServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    # --- what the handler asks -------------------------------------------------------------------------------------

    @contextmanager
    def busy(self) -> Iterator[None]:
        with self._lock:
            self._busy += 1
            self.busiest = max(self.busiest, self._busy)
        try:
            yield
        finally:
            with self._lock:
                self._busy -= 1

    def next_fault(self) -> Fault | None:
        with self._lock:
            return self.faults.popleft() if self.faults else None

    def wait(self, seconds: float) -> bool:
        """Sleep; whether the server ends meanwhile."""
        return self._stopping.wait(seconds)

    def message(self, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to one message request."""
        with self._lock:
            self.requests.append(body)
        made = self.reply(body)
        answer = made if isinstance(made, Reply) else Reply(input=made)
        tool = answer.tool or (body["tools"][0]["name"] if body.get("tools") else "none")
        content = list(answer.before)
        if answer.input is None:
            content.append({"type": "text", "text": "I would rather talk."})
        else:
            content.append(
                {"type": "tool_use", "id": f"toolu_{len(self.requests)}", "name": tool, "input": answer.input}
            )
        message = self.envelope(body)
        usage = {**message["usage"], **answer.usage}
        return {**message, "content": content, "stop_reason": answer.stop_reason, "usage": usage}

    def refuses(self, body: dict[str, Any]) -> bool:
        """Whether a message request is malformed to this server."""
        return False

    def envelope(self, body: dict[str, Any]) -> dict[str, Any]:
        """A message without content."""
        usage = {
            "input_tokens": 100,
            "output_tokens": 20,
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
        }
        return {
            "id": f"msg_{len(self.requests)}", "type": "message", "role": "assistant", "model": body["model"],
            "content": [], "stop_reason": "end_turn", "stop_sequence": None, "usage": usage,
        }  # fmt: skip

    def create(self, requests: list[dict[str, Any]]) -> Batch:
        with self._lock:
            batch = Batch(f"msgbatch_{len(self.batches) + 1:04d}", requests, datetime.now(UTC))
            self.batches[batch.id] = batch
        self.after_create(batch)
        return batch

    def look(self, batch: Batch) -> None:
        """It was looked at once more; in the end it has ended."""
        batch.polls += 1
        if batch.status == "in_progress" and batch.polls > self.polls:
            for request in batch.requests:
                kind = self.batch_result(request["custom_id"], request["params"])
                result: dict[str, Any] = {"type": kind}
                if kind == "succeeded":
                    result["message"] = self.message(request["params"])
                elif kind == "errored":
                    result["error"] = {"type": "error", "error": {"type": "api_error", "message": "broken"}}
                batch.results.insert(0, {"custom_id": request["custom_id"], "result": result})
            batch.status = "ended"

    def shown(self, batch: Batch) -> dict[str, Any]:
        ended = batch.status == "ended"
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        if ended:
            for result in batch.results:
                counts[result["result"]["type"]] += 1
        else:
            counts["processing"] = len(batch.requests)
        return {
            "id": batch.id, "type": "message_batch", "processing_status": batch.status, "request_counts": counts,
            "created_at": batch.created.isoformat(), "expires_at": (batch.created + timedelta(days=1)).isoformat(),
            "ended_at": batch.created.isoformat() if ended else None, "cancel_initiated_at": None, "archived_at": None,
            "results_url": f"{self.url}/v1/messages/batches/{batch.id}/results" if ended else None,
        }  # fmt: skip


def content_of(request: dict[str, Any]) -> str:
    """The text of a request's last message."""
    content = request["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def events(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A message as a stream has it, the tool's input in pieces."""
    start = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    yield "message_start", {"message": start}
    for index, block in enumerate(message["content"]):
        if block["type"] == "tool_use":
            yield "content_block_start", {"index": index, "content_block": {**block, "input": {}}}
            text = block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
            for start_at in range(0, len(text), 40):
                piece = {"type": "input_json_delta", "partial_json": text[start_at : start_at + 40]}
                yield "content_block_delta", {"index": index, "delta": piece}
        else:
            yield "content_block_start", {"index": index, "content_block": {**block, "text": ""}}
            yield "content_block_delta", {"index": index, "delta": {"type": "text_delta", "text": block["text"]}}
        yield "content_block_stop", {"index": index}
    delta: dict[str, Any] = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": delta, "usage": {"output_tokens": message["usage"]["output_tokens"]}}
    yield "message_stop", {}


def _handler(server: LlmServer) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:  # the other end did not wait
                self.close_connection = True

        def do_GET(self) -> None:
            self._come()
            path = self.path.partition("?")[0]
            if path == "/v1/messages/batches" and not server.plain:
                shown = [server.shown(batch) for batch in reversed(list(server.batches.values()))]
                ends = {"first_id": shown[0]["id"], "last_id": shown[-1]["id"]} if shown else {}
                self._json(200, {"data": shown, "has_more": False, **ends})
                return
            batch = server.batches.get(path.split("/")[4]) if path.startswith("/v1/messages/batches/") else None
            if batch is None:
                self._error(404)
            elif path.endswith("/results"):
                lines = "".join(json.dumps(result) + "\n" for result in batch.results)
                self._send(200, lines.encode(), "application/x-jsonl")
            else:
                server.look(batch)
                self._json(200, server.shown(batch))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            self._come()
            if server.key is not None and server.key not in self._credentials():
                self._error(401)
                return
            fault = "loop" if self.path == "/v1/loop" else server.next_fault()
            if fault is not None:
                self._misbehave(fault, body)
            elif self.path.endswith("/cancel"):
                batch = server.batches[self.path.split("/")[4]]
                batch.results = [
                    {"custom_id": one["custom_id"], "result": {"type": "canceled"}} for one in batch.requests
                ]
                batch.status = "ended"
                self._json(200, server.shown(batch))
            elif self.path == "/v1/messages/batches" and not server.plain:
                self._json(200, server.shown(server.create(body["requests"])))
            elif self.path == "/v1/messages":
                self._message(body)
            else:
                self._error(404)

        def _message(self, body: dict[str, Any]) -> None:
            if server.unforced and body.get("tool_choice", {}).get("type") in ("tool", "any"):
                self._error(400)
                return
            if server.refuses(body):
                self._error(400)
                return
            if server.plain and ("tools" in body or not isinstance(body.get("system", ""), str)):
                self._error(422)
                return
            with server.busy():
                if server.delay and server.wait(server.delay):
                    return
                message = server.message(body)
            if not body.get("stream"):
                self._json(200, message)
                return
            self._stream(events(message))

        def _stream(self, parts: Iterable[tuple[str, dict[str, Any]]]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for name, event in parts:
                self.wfile.write(f"event: {name}\ndata: {json.dumps({'type': name, **event})}\n\n".encode())
                self.wfile.flush()
            self.close_connection = True

        def _misbehave(self, fault: Fault, body: dict[str, Any]) -> None:
            if fault.isdigit():
                self._error(int(fault))
                return
            self.close_connection = True
            if fault == "hang":
                server.wait(600)
            elif fault == "loop":
                self._send(307, b"", "text/plain", {"Location": "/v1/loop"})
            elif fault in ("cut", "overloaded"):
                told: dict[str, Any] = {"error": {"type": "overloaded_error", "message": "Overloaded"}}
                text = {"type": "text", "text": "I was about to say"}
                begun = list(events({**server.envelope(body), "content": [text]}))[:3]
                self._stream([*begun, ("error", told)] if fault == "overloaded" else begun)
            elif fault == "type":
                self._send(200, b"<html><body>Please sign in</body></html>", "text/html")
            elif fault != "close":
                data = json.dumps(server.message(body)).encode()
                length = {"long": len(data) + 100, "short": len(data) - 30}.get(fault, len(data))
                if fault == "truncated":
                    data = data[: len(data) // 2]
                    length = len(data)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(length))
                self.end_headers()
                if fault == "drip":
                    for place in range(len(data)):
                        self.wfile.write(data[place : place + 1])
                        if server.wait(0.1):
                            return
                else:
                    self.wfile.write(data)

        def _come(self) -> None:
            server.seen.append((self.command, self.path))
            server.headers.append({name.lower(): value for name, value in self.headers.items()})

        def _credentials(self) -> set[str]:
            given = (self.headers.get("x-api-key", ""), self.headers.get("authorization", ""))
            return {one.removeprefix("Bearer ") for one in given}

        def _error(self, status: int) -> None:
            error = {"type": ERRORS.get(status, "api_error"), "message": f"the server says {status}"}
            extra = {"retry-after": str(server.retry_after)} if status == 429 else {"retry-after": "0.01"}
            self._json(status, {"type": "error", "error": error}, extra)

        def _json(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
            self._send(status, json.dumps(value).encode(), "application/json", headers)

        def _send(self, status: int, data: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    return Handler
