"""Passages as HTML: Markdown without any HTML of its own, and without pictures, which would be fetched.

Used by the templates. What comes out is safe: the parser escapes text, and only addresses of the web and of mail become
links, beside the pages that ``[[names]]`` are known to have.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup

_SCHEMES = ("http", "https", "mailto")


def passage_html(text: str, names: Mapping[str, str]) -> Markup:
    """A passage as HTML. ``names``: what stands in ``[[…]]`` to its page."""
    return Markup(_parser().render(text, {"names": names}))


@functools.cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "html_block", "html_inline"])
    parser.inline.ruler.before("link", "wiki", _wiki)
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # ``_link_open`` decides
    parser.add_render_rule("link_open", _link_open)
    parser.add_render_rule("link_close", _link_close)
    # A page has headings of its own; those of a passage are no part of its outline.
    parser.add_render_rule("heading_open", lambda self, tokens, at, options, env: '<p class="heading">')
    parser.add_render_rule("heading_close", lambda self, tokens, at, options, env: "</p>\n")
    return parser


def _is_of_the_web(address: str) -> bool:
    """Whether a passage may link there; a relative address led to a file beside the one that the text came from."""
    try:
        return urlsplit(address).scheme.casefold() in _SCHEMES
    except ValueError:
        return False


def _link_open(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    address = str(tokens[at].attrGet("href") or "")
    known = tokens[at].meta.get("known", False)
    shown = known or _is_of_the_web(address)
    env.setdefault("open", []).append(shown)
    return f'<a href="{escapeHtml(address)}"{"" if known else " rel=noreferrer"}>' if shown else "<span>"


def _link_close(self: Any, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    return "</a>" if env["open"].pop() else "</span>"


def _wiki(state: StateInline, silent: bool) -> bool:
    """``[[name]]`` and ``[[name|words]]``, as notes link to each other."""
    start = state.pos
    if not state.src.startswith("[[", start):
        return False
    end = state.src.find("]]", start + 2)
    inner = state.src[start + 2 : end]
    if end < 0 or not inner or any(sign in inner for sign in "[]\n"):
        return False
    if not silent:
        name, _, words = inner.partition("|")
        address = state.env["names"].get(name.strip())
        if address:
            token = state.push("link_open", "a", 1)
            token.attrs, token.meta = {"href": address}, {"known": True}
        state.push("text", "", 0).content = words.strip() or name.strip()
        if address:
            state.push("link_close", "a", -1)
    state.pos = end + 2
    return True
