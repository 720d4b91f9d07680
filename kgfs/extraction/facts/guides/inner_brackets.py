"""Brackets that explain an acronym in the middle of a phrase. Used by ``leads``; pure."""

from __future__ import annotations

import re

_INNER = re.compile(
    r"(?<=[A-Za-z\d][A-Z\d]) \((?:[^()\n]|\([^()\n]{0,200}\)){2,90}\) "
    r"(?!(?:an?|the|and|or|but|is|are|was|were|by|of|from|for|in|on|at|to|with|which|that|who|has|had)\b)(?=[a-z]{3,})"
)


def without_inner_bracket(text: str) -> str:
    """``text`` without what explains an acronym within a phrase: *the official MCP (…) server for lamps*."""
    return _INNER.sub(" ", text)
