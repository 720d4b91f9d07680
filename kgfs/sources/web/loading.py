"""One page from wherever it can be had: by the loading agent where there are a model and MCP servers, else plain HTTP.

Runs in the loader process (``loader``), one page at a time. Whatever happens there is an answer: what was read, or a
sentence.
"""

from __future__ import annotations

import logging
import os

import msgspec

from kgfs.config import Config
from kgfs.errors import KgfsError, NotFoundError
from kgfs.llm.client import BASE_URL_VARIABLE, key_in
from kgfs.llm.prices import price_of
from kgfs.llm.spending import OVERHEAD_TOKENS
from kgfs.llm_records import LlmUsage, Loaded, LoadRequest
from kgfs.sources.web.http import fetch_page
from kgfs.sources.web.mcp_settings import McpServer, mcp_servers

log = logging.getLogger(__name__)


def load_page(config: Config, request: LoadRequest) -> Loaded:
    """Load a page."""
    try:
        servers = _servers(config)
        if not servers:
            return _plain(config, request)
        return _by_agent(config, request, servers)
    except NotFoundError as error:
        return Loaded(state="gone", reason=error.message, url=request.url)
    except KgfsError as error:
        return Loaded(state="failed", reason=error.message, url=request.url)


def _servers(config: Config) -> dict[str, McpServer]:
    """The MCP servers that may be asked; none where no model would ask them."""
    has_model = key_in(os.environ) or config.llm_base_url or os.environ.get(BASE_URL_VARIABLE)
    return mcp_servers(config.mcp_settings) if has_model else {}


def _affordable(config: Config, usd: float | None, used: LlmUsage, size: int, max_tokens: int) -> bool:
    """Whether one more turn stays within ``usd``: it reads ``size`` bytes, which are fewer tokens, and may say all."""
    if usd is None:
        return True
    price = price_of(config.llm_model, config.llm_prices)
    return price is not None and price.cost(used) + price.most(size + OVERHEAD_TOKENS, max_tokens) <= usd


def _plain(config: Config, request: LoadRequest) -> Loaded:
    if not request.plain:
        raise KgfsError(
            f"{request.url} was loaded by an MCP server, which is not available; set up a language model and the"
            " server in mcp.json, or add the URL again."
        )
    got = fetch_page(
        request.url,
        most=config.max_download_bytes,
        private=request.private,
        etag=request.etag,
        last_modified=request.last_modified,
    )
    return Loaded(
        state="unchanged" if got.unchanged else "read",
        url=got.url,
        body=got.body,
        mime_type=got.content_type,
        etag=got.etag,
        last_modified=got.last_modified,
        mtime_ns=got.mtime_ns,
    )


def _by_agent(config: Config, request: LoadRequest, servers: dict[str, McpServer]) -> Loaded:
    from kgfs.llm.conversation import Conversation
    from kgfs.sources.web import agent

    with Conversation(config) as conversation:
        outcome = agent.load_by_agent(
            request.url,
            request.guidance,
            servers,
            conversation.turn,
            config.max_download_bytes,
            lambda used, size: _affordable(config, request.usd, used, size, agent.MAX_TOKENS),
        )
    if outcome.end == "content" and outcome.result is not None:
        found = Loaded(
            state="read",
            url=request.url,
            body=outcome.result.body,
            mime_type=outcome.mime_type or "text/markdown",
            title=outcome.title,
            server=outcome.result.server,
        )
    elif outcome.end == "failure":
        reason = f"{request.url} was not loaded: {outcome.reason.rstrip('.')}."
        found = Loaded(state="failed", reason=reason, url=request.url)
    else:
        try:
            found = _plain(config, request)
        except KgfsError as error:
            state = "gone" if isinstance(error, NotFoundError) else "failed"
            found = msgspec.convert({"state": state, "reason": error.message, "url": request.url}, Loaded)
        if outcome.reason:
            note = f"It came by plain HTTP: {outcome.reason.rstrip('.')}."
            found = msgspec.structs.replace(found, notes=[note])
    return msgspec.structs.replace(found, usage=outcome.usage, turns=outcome.turns)
