"""A conversation with a language model that chooses among several tools, turn by turn.

Used by the loading agent in the loader process (``kgfs.sources.web``). What is asked one by one, and kept, goes
through ``kgfs.llm.client``; here each turn depends on what the world answered to the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kgfs.config import Config
from kgfs.errors import LlmError
from kgfs.llm.client import explain_error, open_client, unlike_the_api
from kgfs.llm_records import LlmTool, LlmUsage


class ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that the model wishes to be called."""

    id: str
    name: str
    input: Any
    """As the model gave it; it need not fit the schema."""


class ModelTurn(msgspec.Struct, frozen=True, kw_only=True):
    """What the model said."""

    content: list[dict[str, Any]]
    """Its blocks as they came, to be sent back as they are."""
    uses: list[ToolUse]
    stop_reason: str
    usage: LlmUsage


class _Usage(msgspec.Struct):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Answer(msgspec.Struct):
    content: list[dict[str, Any]]
    usage: _Usage
    stop_reason: str | None = None


class Conversation:
    """One client for many turns, closed at the end of the block; nothing is opened before the first."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._client: Any = None

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        if self._client is not None:
            self._client.close()

    def turn(
        self, system: str, messages: Sequence[dict[str, Any]], tools: Sequence[LlmTool], max_tokens: int
    ) -> ModelTurn:
        """What the model says to ``messages`` (of the Messages API: role and content), where it must use a tool.

        ``LlmUnavailable`` or ``LlmError`` where it says nothing that can be used.
        """
        if self._client is None:
            self._client = open_client(self._config)
        described: list[dict[str, Any]] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool in tools
        ]
        # What is the same in every turn is kept by the server at a tenth of its price.
        described[-1]["cache_control"] = {"type": "ephemeral"}
        try:
            raw = self._client.messages.with_raw_response.create(
                model=self._config.llm_model,
                max_tokens=max_tokens,
                system=system,
                messages=list(messages),
                tools=described,
            )
            answer = msgspec.json.decode(raw.http_response.content, type=_Answer)
        except Exception as error:
            reason = explain_error(error, str(self._client.base_url), self._config)
            if isinstance(reason, msgspec.MsgspecError):
                raise LlmError(unlike_the_api(reason)) from error
            raise reason from error
        used = answer.usage
        return ModelTurn(
            content=answer.content,
            uses=[
                ToolUse(id=str(block.get("id", "")), name=str(block.get("name", "")), input=block.get("input"))
                for block in answer.content
                if block.get("type") == "tool_use"
            ],
            stop_reason=answer.stop_reason or "",
            usage=LlmUsage(
                input_tokens=used.input_tokens,
                output_tokens=used.output_tokens,
                cache_read_tokens=used.cache_read_input_tokens or 0,
                cache_write_tokens=used.cache_creation_input_tokens or 0,
            ),
        )
