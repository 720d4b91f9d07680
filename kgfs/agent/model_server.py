"""A language model behind the Messages API, by the ``anthropic`` SDK: one streamed message at a time.

Used by the loop, on the main thread. The key comes from the environment and the server from there or from the user's
settings, never from a store (``kgfs.llm.client.open_client``). The SDK repeats what may go better the next time; a
stream that is cut is asked for again here, since nothing of it has been acted on.

Servers differ. Anthropic's know tools by type (``bash_20250124`` …), for which their models are trained; others know
custom tools only, and some neither marks for the cache nor instructions in blocks. A request has several forms; the
next one is tried where the server calls one malformed (400 or 422), and what worked is kept.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from kgfs.config import Config
from kgfs.errors import KgfsError, LlmError, LlmTimeout
from kgfs.llm.client import explain_error, open_client, overloaded, too_slow, unlike_the_api
from kgfs.llm_records import LlmUsage

if TYPE_CHECKING:
    import anthropic

MAX_TOKENS = 8192
"""One message is no longer."""
CUT_TRIES = 3
"""So often a message is asked for whose stream was cut."""
CUT_PAUSE_SECONDS = 0.5
_MAKER = "anthropic.com"
_KEPT: Mapping[str, Any] = {"type": "ephemeral"}
_PASSING = frozenset({"overloaded_error", "api_error", "timeout_error", "rate_limit_error"})
"""Errors in the middle of a stream that may not come again."""

_FIELDS: Mapping[str, Sequence[str]] = {
    "text": ("text",), "tool_use": ("id", "name", "input"), "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
}  # fmt: skip

Message = dict[str, Any]
"""A message as the API has it: ``role`` and ``content``, a list of blocks."""


class ToolForms(NamedTuple):
    """The tools of a run in both forms that a server may take."""

    typed: Sequence[dict[str, Any]]
    """Some by type (``bash_20250124``), for Anthropic's own servers."""
    plain: Sequence[dict[str, Any]]
    """Each with name, description and schema."""


class Asked(NamedTuple):
    """What a model is asked."""

    system: Sequence[str]
    """Instructions, the most lasting first."""
    messages: Sequence[Message]
    tools: ToolForms
    may_call: bool = True
    """Without it the model must answer in text."""


class Said(NamedTuple):
    """What a model said."""

    content: list[dict[str, Any]]
    """Blocks as the API has them; the input of a tool that was cut off is ``{}``, and its id is in ``broken``."""
    stop_reason: str
    usage: LlmUsage
    broken: frozenset[str] = frozenset()


class _Form(NamedTuple):
    typed: bool = False
    cached: bool = True


_FORMS = (_Form(typed=True), _Form(), _Form(cached=False))


class ModelServer:
    """One model of one server. Nothing is imported or opened before the first message."""

    def __init__(self, config: Config, model: str, *, typed: bool | None = None) -> None:
        """``typed``: whether the server is tried with typed tools first; without it, whether it is Anthropic's."""
        self.model = model
        self._config = config
        self._client: anthropic.Anthropic | None = None
        self._typed = typed
        self._form: int | None = None

    def open(self) -> None:
        """Look for key and server. ``LlmUnavailable`` where there is no key."""
        if self._client is None:
            self._client = open_client(self._config)
            typed = self._typed
            if typed is None:
                host = urlsplit(str(self._client.base_url)).hostname or ""
                typed = host == _MAKER or host.endswith(f".{_MAKER}")
            self._form = 0 if typed else 1

    def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def ask(self, asked: Asked, told: Callable[[str], None], again: Callable[[str], None]) -> Said:
        """The model's next message. ``told`` gets its text as it comes, ``again`` why it is asked for anew.

        ``LlmUnavailable`` where no request can be answered now, else ``LlmError``.
        """
        import anthropic

        self.open()
        assert self._form is not None
        refused: Exception | None = None
        for form in range(self._form, len(_FORMS)):
            try:
                said = self._whole(_body(self.model, asked, _FORMS[form]), told, again)
            except (anthropic.BadRequestError, anthropic.UnprocessableEntityError) as error:
                refused = refused or error
                if _too_long(error):
                    break
            except Exception as error:
                raise self._explained(error) from error
            else:
                self._form = form
                return said
        assert refused is not None
        if _too_long(refused):
            raise LlmError("The conversation is longer than the model can read; begin a new one.") from refused
        raise self._explained(refused) from refused

    def _whole(self, body: dict[str, Any], told: Callable[[str], None], again: Callable[[str], None]) -> Said:
        """One message, asked for again where its stream is cut."""
        import anthropic
        import httpx2

        assert self._client is not None
        tries = 0
        while True:
            tries += 1
            begun = False
            try:
                stream = self._client.messages.create(**body, stream=True)
                begun = True
                with stream:
                    return _read(stream, told)
            except anthropic.APIStatusError as error:
                if not begun or _type_of(error) not in _PASSING:
                    raise
                cut: Exception = error
            except (msgspec.DecodeError, anthropic.APIConnectionError, httpx2.HTTPError) as error:
                if not begun:
                    raise
                cut = error
            if tries == CUT_TRIES:
                raise _cut_explained(cut, self._config) from cut
            again("The answer was cut off; asking again.")
            time.sleep(CUT_PAUSE_SECONDS * tries)

    def _explained(self, error: Exception) -> Exception:
        assert self._client is not None
        found = explain_error(error, str(self._client.base_url), self._config)
        if isinstance(found, msgspec.MsgspecError):
            return LlmError(unlike_the_api(found))
        return found


def _body(model: str, asked: Asked, form: _Form) -> dict[str, Any]:
    """What the SDK sends: the lasting parts first, each with a mark up to which the server keeps it."""
    tools = [dict(tool) for tool in (asked.tools.typed if form.typed else asked.tools.plain)]
    messages = list(asked.messages)
    body: dict[str, Any] = {"model": model, "max_tokens": MAX_TOKENS, "messages": messages}
    if form.cached:
        system = [{"type": "text", "text": text} for text in asked.system if text]
        if system:
            system[0] = {**system[0], "cache_control": _KEPT}  # type: ignore[dict-item]
            body["system"] = system
        if tools:
            tools[-1] = {**tools[-1], "cache_control": _KEPT}
        if messages and messages[-1]["content"]:
            *before, last = messages[-1]["content"]
            messages[-1] = {**messages[-1], "content": [*before, {**last, "cache_control": _KEPT}]}
    else:
        body["system"] = "\n\n".join(text for text in asked.system if text)
    if tools:
        body["tools"] = tools
        body["tool_choice"] = {"type": "auto" if asked.may_call else "none"}
    return body


def _read(stream: Any, told: Callable[[str], None]) -> Said:
    """A streamed message. The SDK would mend a tool's input that was cut off, and so hide that."""
    blocks: list[dict[str, Any]] = []
    inputs: dict[int, list[str]] = {}
    usage: dict[str, Any] = {}
    reason = ""
    ended = False
    for event in stream:
        if event.type == "message_start":
            usage = event.message.usage.model_dump(warnings=False, exclude_none=True)
        elif event.type == "content_block_start":
            block = event.content_block.model_dump(warnings=False, exclude_none=True)
            blocks.append(block)
            if block.get("text"):
                told(block["text"])
        elif event.type == "content_block_delta" and blocks:
            _grow(blocks[-1], event.delta, inputs.setdefault(len(blocks) - 1, []), told)
        elif event.type == "message_delta":
            reason = event.delta.stop_reason or reason
            usage |= event.usage.model_dump(warnings=False, exclude_none=True)
        ended = ended or event.type == "message_stop"
    if not ended:
        raise msgspec.DecodeError("the stream ends in the middle")
    broken = set()
    for number, block in enumerate(blocks):
        if block["type"] == "tool_use":
            found: Any = block.get("input")
            if parts := "".join(inputs.get(number, ())):
                try:
                    found = msgspec.json.decode(parts)
                except (msgspec.DecodeError, RecursionError):
                    found = None
            if not isinstance(found, dict):
                broken.add(str(block.get("id")))
            block["input"] = found if isinstance(found, dict) else {}
    kept = [_kept(block) for block in blocks if block["type"] != "text" or block.get("text")]
    return Said(kept, reason, _usage(usage), frozenset(broken))


def _grow(block: dict[str, Any], delta: Any, input_parts: list[str], told: Callable[[str], None]) -> None:
    if delta.type == "text_delta":
        block["text"] = block.get("text", "") + delta.text
        told(delta.text)
    elif delta.type == "input_json_delta":
        input_parts.append(delta.partial_json)
    elif delta.type == "thinking_delta":
        block["thinking"] = block.get("thinking", "") + delta.thinking
    elif delta.type == "signature_delta":
        block["signature"] = delta.signature


def _kept(block: dict[str, Any]) -> dict[str, Any]:
    """A block as it may be sent back: some fields of answers are none of requests."""
    names = _FIELDS.get(block["type"])
    return block if names is None else {name: block[name] for name in ("type", *names) if name in block}


def _usage(found: Mapping[str, Any]) -> LlmUsage:
    def number(name: str) -> int:
        value = found.get(name)
        return value if isinstance(value, int) and value > 0 else 0

    return LlmUsage(
        input_tokens=number("input_tokens"),
        output_tokens=number("output_tokens"),
        cache_read_tokens=number("cache_read_input_tokens"),
        cache_write_tokens=number("cache_creation_input_tokens"),
    )


def _type_of(error: anthropic.APIStatusError) -> str:
    with contextlib.suppress(AttributeError, TypeError):
        return str(error.body["error"]["type"])  # type: ignore[index]
    return ""


def _too_long(error: Exception) -> bool:
    said = str(error).lower()
    return "too long" in said or "context length" in said or "context window" in said


def _cut_explained(cut: Exception, config: Config) -> KgfsError:
    import anthropic
    import httpx2

    if isinstance(cut, anthropic.APIStatusError):
        return overloaded(_type_of(cut))
    if isinstance(cut, anthropic.APITimeoutError | httpx2.TimeoutException):
        return too_slow(config, CUT_TRIES, "did not end its answer")
    return LlmTimeout(f"The language model's answer was cut off {CUT_TRIES} times; try again later.")
