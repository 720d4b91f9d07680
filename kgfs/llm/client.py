"""A language model behind the Messages API, by the ``anthropic`` SDK: one structured answer, or a batch of them.

Used by the worker process, on the threads of its lane ``llm``. The SDK retries what may go better the next time and
waits as long as ``retry-after`` says; what still fails becomes one of our errors: ``LlmUnavailable`` where no request
can be answered now, ``LlmError`` where this one was not. The key comes from the environment (``KEY_VARIABLES``) and
goes nowhere else.

Models differ in whether they may be forced to use a tool: the newest refuse that, and some only while they think (API
reference, "Forced tool use"). Servers of other makers may know no tools at all. So a request has several forms, the
next one is tried where the server calls one malformed (400 or 422, which costs nothing), and what worked is remembered
while the process lives. The last form is plain: the schema is in the text, and the answer is JSON in the text.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from kgfs.config import Config
from kgfs.errors import BatchesUnsupported, KgfsError, LlmError, LlmTimeout, LlmUnavailable
from kgfs.llm_records import LlmAnswer, LlmBatch, LlmRequest, LlmResult, LlmTool, LlmUsage
from kgfs.model import prepared

if TYPE_CHECKING:
    import anthropic
    import httpx2

T = TypeVar("T")

KEY_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
BASE_URL_VARIABLE = "ANTHROPIC_BASE_URL"

STREAM_ABOVE = 16_000
"""Answers that may be longer (``max_tokens``) are streamed: they may take so long that a silent connection breaks."""
MAX_WAIT_SECONDS = 120.0
"""A server that asks for a longer pause (``retry-after``) is not waited for."""
MAX_ANSWER_BYTES = 64 * 1024 * 1024
TRIES = 2
"""How often a request is sent whose answer came whole and is no answer."""
RECENT = 100
"""How many batches of the account are looked through for one whose id was lost."""

_FORMS: tuple[dict[str, Any], ...] = (
    {"thinking": {"type": "disabled"}, "force": True},
    {"force": True},
    {"output_config": {"effort": "low"}, "force": False},
    {"force": False},
    {"force": False, "plain": True},
)
_PLAIN = """

Answer with one JSON object and nothing else, no explanation and no code fence: the input of {name} ({description}), as
this JSON schema says:

{schema}"""
_UNSUPPORTED = frozenset({404, 405, 501})
"""What servers without batches answer where batches are asked for."""


class _Block(msgspec.Struct):
    type: str
    name: str = ""
    input: Any = None
    text: str = ""


class _Usage(msgspec.Struct):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Message(msgspec.Struct):
    content: list[_Block]
    usage: _Usage
    stop_reason: str | None = None


class _Result(msgspec.Struct):
    type: str
    message: msgspec.Raw = msgspec.Raw(b"null")


class _Line(msgspec.Struct):
    custom_id: str
    result: _Result


def key_in(environment: dict[str, str] | os._Environ[str]) -> bool:
    """Whether an environment has a key."""
    return any(environment.get(name) for name in KEY_VARIABLES)


class LanguageModel:
    """The models of one server. Nothing is imported or opened before the first call; calls come from any thread."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._opened: anthropic.Anthropic | None = None
        self._forms: dict[str, int] = {}

    def close(self) -> None:
        """Let go of the connections; the next call opens others."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
            self._opened = None

    def complete(self, request: LlmRequest) -> LlmAnswer:
        """The model's answer. ``LlmUnavailable`` or ``LlmError`` where there is none."""
        self._client()
        for last in (*(False,) * (TRIES - 1), True):
            try:
                return self._in_a_form_that_is_taken(request)
            except LlmError:
                raise
            except msgspec.MsgspecError as error:
                if last:
                    raise LlmTimeout(unlike_the_api(error)) from error
        raise AssertionError("unreachable")

    def submit(self, requests: Sequence[LlmRequest]) -> LlmBatch:
        """Begin a batch; the results carry the keys of their requests."""
        entries = [
            {"custom_id": request.key, "params": _body(request, self._forms.get(request.model, 0))}
            for request in requests
        ]
        import anthropic

        batches = self._client().messages.batches
        try:
            return _batch(batches.create(requests=entries))  # type: ignore[arg-type]
        except anthropic.APIStatusError as error:
            if error.status_code in _UNSUPPORTED:
                raise BatchesUnsupported(f"{self._client().base_url} takes no batches; leave out --batch.") from error
            raise self._explanation(error) from error
        except Exception as error:
            raise self._explanation(error) from error

    def batch(self, batch_id: str) -> LlmBatch | None:
        """How far a batch is; ``None`` where the server has none of that id."""
        import anthropic

        batches = self._client().messages.batches
        try:
            return _batch(batches.retrieve(batch_id))
        except anthropic.NotFoundError:
            return None
        except Exception as error:
            raise self._explanation(error) from error

    def recent_batches(self) -> list[LlmBatch]:
        """The batches of the key's workspace, latest first, at most ``RECENT``."""
        batches = self._client().messages.batches
        return self._explained(lambda: [_batch(one) for one in batches.list(limit=RECENT).data])

    def results(self, batch_id: str) -> list[LlmResult]:
        """What became of the requests of a batch that has ended, in no order. A line that is none is left out."""
        batches = self._client().messages.batches

        def read() -> list[LlmResult]:
            with batches.with_streaming_response.results(batch_id) as response:
                return [result for line in response.iter_lines() if (result := _result(line)) is not None]

        return self._explained(read)

    # --- inside ----------------------------------------------------------------------------------------------------

    def _client(self) -> anthropic.Anthropic:
        with self._lock:
            if self._opened is None:
                self._opened = open_client(self._config)
            return self._opened

    def _in_a_form_that_is_taken(self, request: LlmRequest) -> LlmAnswer:
        import anthropic

        first = self._forms.get(request.model, 0)
        refused: Exception | None = None
        for form in range(first, len(_FORMS)):
            try:
                answer = self._ask(request, form)
            except (anthropic.BadRequestError, anthropic.UnprocessableEntityError) as error:
                refused = refused or error
            except Exception as error:
                raise self._explanation(error) from error
            else:
                self._forms[request.model] = form
                return answer
        assert refused is not None
        raise self._explanation(refused) from refused

    def _ask(self, request: LlmRequest, form: int) -> LlmAnswer:
        messages = self._client().messages
        body = _body(request, form)
        if request.max_tokens > STREAM_ABOVE:
            return _streamed(messages.create(**body, stream=True), request.tool)
        answer = messages.with_raw_response.create(**body).http_response.content
        return _answer(answer, request.tool)

    def _explained(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except Exception as error:
            raise self._explanation(error) from error

    def _explanation(self, error: Exception) -> Exception:
        return explain_error(error, str(self._client().base_url), self._config)


def open_client(config: Config) -> anthropic.Anthropic:
    """A client. ``LlmUnavailable`` without a key, unless a server is named that may need none."""
    base_url = config.llm_base_url or os.environ.get(BASE_URL_VARIABLE) or None
    key, token = (os.environ.get(name) or None for name in KEY_VARIABLES)
    if key is None and token is None:
        if base_url is None:
            raise LlmUnavailable(f"There is no key for the language model; set {KEY_VARIABLES[0]}, or use offline.")
        key = "none"
    import anthropic

    hooks: dict[str, list[Callable[..., Any]]] = {"response": [_Bounds(config.llm_timeout_seconds)]}
    seconds = anthropic.Timeout(config.llm_timeout_seconds, connect=10.0)
    client = anthropic.DefaultHttpxClient(event_hooks=hooks, follow_redirects=False, timeout=seconds)
    return anthropic.Anthropic(
        api_key=key, auth_token=None if key else token, base_url=base_url, timeout=seconds,
        max_retries=config.llm_retries, http_client=client,
    )  # fmt: skip


class _Bounds:
    """A response hook: a body that drips ends after the time that one answer has, or has too many bytes; a pause that
    is too long is not made. (The client's own timeout restarts with each byte.)"""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __call__(self, response: httpx2.Response) -> None:
        if _pause(response.headers) > MAX_WAIT_SECONDS:
            response.headers["x-should-retry"] = "false"
        kind = response.headers.get("content-type", "")
        if "jsonl" not in kind and "octet-stream" not in kind and "binary" not in kind:  # a batch's results are long
            response.stream = _bounded(response, time.monotonic() + self._seconds)


def _pause(headers: Mapping[str, str]) -> float:
    """The seconds that a server wishes to be left alone, in each of the forms that the SDK obeys; 0 where in none."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with contextlib.suppress(ValueError):
            return float(headers.get(name, "")) * unit
    try:
        return parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time()
    except (ValueError, OverflowError):
        return 0.0


def _bounded(response: httpx2.Response, deadline: float) -> httpx2.SyncByteStream:
    import httpx2

    stream = response.stream
    assert isinstance(stream, httpx2.SyncByteStream)
    inner: httpx2.SyncByteStream = stream

    class Bounded(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for part in inner:
                size += len(part)
                if time.monotonic() > deadline:
                    raise httpx2.ReadTimeout("the answer drips", request=response.request)
                if size > MAX_ANSWER_BYTES:
                    raise httpx2.DecodingError("the answer is too large", request=response.request)
                yield part

        def close(self) -> None:
            inner.close()

    return Bounded()


def _body(request: LlmRequest, form: int) -> dict[str, Any]:
    """What the SDK sends. The stable part is first and ends with a mark up to which the server keeps it."""
    more = dict(_FORMS[form])
    forced = more.pop("force")
    if more.pop("plain", False):
        schema = msgspec.json.encode(request.tool.input_schema).decode()
        asked = _PLAIN.format(name=request.tool.name, description=request.tool.description, schema=schema)
        return {
            "model": request.model,
            "max_tokens": request.max_tokens,
            "system": f"{request.system}{asked}".strip(),
            "messages": [{"role": "user", "content": request.content}],
        }
    tool = {"name": request.tool.name, "description": request.tool.description}
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "tools": [{**tool, "input_schema": request.tool.input_schema}],
        "tool_choice": {"type": "tool", "name": request.tool.name} if forced else {"type": "auto"},
        "messages": [{"role": "user", "content": request.content}],
        **more,
    }
    body["tool_choice"]["disable_parallel_tool_use"] = True
    if request.system:
        stable = {"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}
        body["system"] = [stable]
    return body


def _answer(data: bytes | msgspec.Raw, tool: LlmTool) -> LlmAnswer:
    message = msgspec.json.decode(data, type=prepared(_Message))
    return _read(message, tool.name, tool.input_schema)


def _read(message: _Message, tool: str, schema: Mapping[str, Any] | None = None) -> LlmAnswer:
    used = message.usage
    inputs = [block.input for block in message.content if block.type == "tool_use" and block.name == tool]
    if schema is not None and not any(block.type == "tool_use" for block in message.content):
        inputs = [_object_in("".join(block.text for block in message.content if block.type == "text"), schema)]
    return LlmAnswer(
        # Several uses of the tool would be several answers: which one counts, nobody knows.
        input=inputs[0] if len(inputs) == 1 and isinstance(inputs[0], dict) else None,
        stop_reason=message.stop_reason or "",
        usage=LlmUsage(
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
            cache_read_tokens=used.cache_read_input_tokens or 0,
            cache_write_tokens=used.cache_creation_input_tokens or 0,
        ),
    )


def _object_in(text: str, schema: Mapping[str, Any]) -> Any:
    """The JSON object in a text, if it has all that the schema requires: with words or a fence around it."""
    start, end = text.find("{"), text.rfind("}") + 1
    try:
        found = msgspec.json.decode(text[start:end]) if 0 <= start < end else None
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) and all(name in found for name in schema.get("required", ())) else None


def _streamed(events: Any, tool: LlmTool) -> LlmAnswer:
    """A streamed answer. The SDK would mend a tool's input that was cut off, and so hide that; here it is ``None``."""
    blocks: list[tuple[_Block, list[str]]] = []
    usage: dict[str, Any] = {}
    reason: str | None = None
    ended = False
    with events:
        for event in events:
            if event.type == "message_start":
                usage = event.message.usage.model_dump(warnings=False)
            elif event.type == "content_block_start":
                block = event.content_block
                blocks.append((_Block(block.type, getattr(block, "name", ""), text=getattr(block, "text", "")), []))
            elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                blocks[-1][0].text += event.delta.text
            elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                blocks[-1][1].append(event.delta.partial_json)
            elif event.type == "message_delta":
                reason = event.delta.stop_reason
                usage |= event.usage.model_dump(warnings=False, exclude_none=True)
            ended = ended or event.type == "message_stop"
    if not ended:
        raise msgspec.DecodeError("the stream ends in the middle")
    for block, parts in blocks:
        if block.type == "tool_use":
            try:
                block.input = msgspec.json.decode("".join(parts) or "{}")
            except msgspec.DecodeError:
                block.input = None
    message = _Message([block for block, _ in blocks], msgspec.convert(usage, type=_Usage), reason)
    return _read(message, tool.name, tool.input_schema)


def _batch(batch: Any) -> LlmBatch:
    counts = batch.request_counts
    requests = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
    created = batch.created_at if isinstance(batch.created_at, datetime) else datetime.fromisoformat(batch.created_at)
    return LlmBatch(
        id=batch.id, ended=batch.processing_status == "ended", requests=requests, created_at=created.timestamp()
    )


def _result(line: str) -> LlmResult | None:
    try:
        found = msgspec.json.decode(line, type=prepared(_Line))
        if found.result.type != "succeeded":
            return LlmResult(key=found.custom_id)
        message = msgspec.json.decode(found.result.message, type=prepared(_Message))
    except msgspec.DecodeError:
        return None
    tools = [block.name for block in message.content if block.type == "tool_use"]
    return LlmResult(key=found.custom_id, answer=_read(message, tools[0] if tools else ""))


def unlike_the_api(error: Exception) -> str:
    """The sentence on an answer that cannot be decoded."""
    return f"The server's answer is not what the Messages API gives ({error})."


def overloaded(said: str) -> LlmError:
    """The error of a server that cannot answer now; ``said`` is its reason."""
    return LlmError(f"The language model is overloaded or out of order ({said}); try again later.")


def too_slow(config: Config, tries: int, failed: str) -> LlmTimeout:
    """The error of a server that ``failed`` (*gave no answer*) within the time that the settings allow, so often."""
    return LlmTimeout(
        f"The language model {failed} in {config.llm_timeout_seconds:g} seconds, {tries} times; raise"
        " llm_timeout_seconds with `kgfs config`, or try again later."
    )


def explain_error(error: Exception, base_url: str, config: Config) -> Exception:
    """What the SDK raised, as our error: one sentence that says what to do."""
    import anthropic
    import httpx2

    if isinstance(error, KgfsError | msgspec.MsgspecError):
        return error
    if isinstance(error, anthropic.APIStatusError):
        return _status_explained(error, base_url, config)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
        return too_slow(config, config.llm_retries + 1, "gave no answer")
    cause = error.__cause__ if isinstance(error, anthropic.APIConnectionError) else error
    if isinstance(cause, httpx2.ConnectError | httpx2.UnsupportedProtocol | httpx2.ProxyError):
        return LlmUnavailable(
            f"No server responds at {base_url} ({cause}); check the network and llm_base_url (or {BASE_URL_VARIABLE})."
        )
    if isinstance(cause, httpx2.HTTPError | anthropic.AnthropicError):
        return LlmTimeout(f"The connection to {base_url} broke off ({cause}); try again later.")
    return msgspec.DecodeError(f"{type(error).__name__}: {error}"[:200])


def _status_explained(error: anthropic.APIStatusError, base_url: str, config: Config) -> KgfsError:
    said = (error.api_message if isinstance(error.api_message, str) else "") or f"status {error.status_code}"
    status = error.status_code
    if status == 401:
        return LlmUnavailable(f"{base_url} refuses the key ({said}); set {KEY_VARIABLES[0]} to a valid one.")
    if status in (402, 403):
        return LlmUnavailable(f"The key may not do this ({said}); see the console of your account.")
    if status == 404:
        return LlmUnavailable(
            f"{base_url} does not know what was asked for ({said}); set llm_model with `kgfs config` to a model it has."
        )
    if 300 <= status < 400:
        return LlmUnavailable(f"{base_url} sends requests elsewhere; set llm_base_url to where the API is.")
    if status == 429:
        wait = error.response.headers.get("retry-after")
        pause = f" and asks for a pause of {wait} seconds" if wait else ""
        return LlmError(
            f"The rate limit of the language model is reached{pause} ({said}); try again later, or with a lower"
            " llm_concurrency."
        )
    if status >= 500:
        return overloaded(said)
    return LlmError(f"The language model refused a request ({said}).")
