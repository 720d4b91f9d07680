"""Plain records of questions to language models, of their answers, and of pages that are loaded with or without one.

Made by ``kgfs.llm``, ``kgfs.sources.web`` and the pipeline; they cross the worker's socket. No I/O, nothing of ours
imported.
"""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec


class LlmTool(msgspec.Struct, kw_only=True, frozen=True):
    """The one tool that a language model is made to call: its input is the answer."""

    name: str
    description: str
    input_schema: dict[str, Any]
    """A JSON schema of type ``object``."""


class LlmRequest(msgspec.Struct, kw_only=True, frozen=True):
    """One question to a language model, answered by the input of its tool."""

    purpose: str
    """What costs are counted for: ``chunk extract glean judge topics load`` …"""
    model: str
    prompt_version: str
    """Raised whenever prompts or their reading change: answers to another one are not used."""
    system: str
    """What is the same in many requests: a server keeps it, with the tool, at a tenth of its price."""
    content: str
    """What only this request has: the passage."""
    tool: LlmTool
    max_tokens: int
    """Of the answer; one that needs more ends with ``stop_reason`` ``max_tokens``."""

    @property
    def key(self) -> str:
        """64 hexadecimal digits of all that decides about the answer: not ``purpose``."""
        parts = (self.model, self.prompt_version, self.system, self.content, self.tool, self.max_tokens)
        encoded = msgspec.json.encode(parts, order="deterministic")
        return hashlib.blake2b(encoded, digest_size=32).hexdigest()


class LlmUsage(msgspec.Struct, kw_only=True, frozen=True):
    """Tokens that an answer took, as the server counts them. The three kinds of input do not overlap."""

    input_tokens: int = 0
    """Read at full price."""
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class LlmAnswer(msgspec.Struct, kw_only=True, frozen=True):
    """What a model answered to one request."""

    input: dict[str, Any] | None = None
    """The tool's input, not checked against its schema; ``None`` where there is none that is an object."""
    stop_reason: str = ""
    """``tool_use``; ``max_tokens`` where the answer was cut off and must not be used: ask for less at once."""
    usage: LlmUsage = LlmUsage()
    error: str = ""
    """One sentence where the request failed for good; there is no ``input`` then."""


class LlmBatch(msgspec.Struct, kw_only=True, frozen=True):
    """A batch of requests as the server tells it."""

    id: str
    ended: bool
    requests: int
    created_at: float
    """Seconds since 1970, by the server's clock."""


class LlmResult(msgspec.Struct, kw_only=True, frozen=True):
    """What became of one request of a batch."""

    key: str
    """``LlmRequest.key``."""
    answer: LlmAnswer | None = None
    """``None`` where it was cancelled, expired or failed: it may be asked again."""


class LoadRequest(msgspec.Struct, kw_only=True, frozen=True):
    """A page to be loaded from where it is."""

    url: str
    plain: bool = True
    """Whether plain HTTP would give the same; what came from an MCP server may be something else there."""
    guidance: str = ""
    """What the user says to the agent."""
    private: bool = False
    """Whether this machine and its network may be reached by plain HTTP."""
    usd: float | None = None
    """What the agent may cost at most, in US dollars; ``None`` is any."""
    etag: str = ""
    last_modified: str = ""
    """What the server said of the answer that is known: only another one is wanted."""


class Loaded(msgspec.Struct, kw_only=True, frozen=True):
    """What became of a page that was to be loaded."""

    state: Literal["read", "unchanged", "gone", "failed"]
    reason: str = ""
    """One sentence that says what to do, where it is ``gone`` or ``failed``."""
    url: str = ""
    """Where it came from in the end."""
    body: bytes = b""
    mime_type: str = ""
    """As the server or the tool that gave it says; may be empty or wrong."""
    title: str = ""
    """As the agent says; empty where the content is to say it."""
    server: str = ""
    """The MCP server that gave it; empty where it came by plain HTTP."""
    etag: str = ""
    last_modified: str = ""
    mtime_ns: int | None = None
    notes: list[str] = []
    """What the user should know of how it was loaded, one sentence each."""
    usage: LlmUsage = LlmUsage()
    """What the agent's turns took, together."""
    turns: int = 0
