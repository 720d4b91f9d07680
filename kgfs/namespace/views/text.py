"""How rendered texts are put together: lines, pretty JSON, shortening."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import msgspec

from kgfs.names import json_bytes

PART = 2_000
"""So many values of a list are written at once."""


def bytes_lines(lines: Iterable[str]) -> bytes:
    """Lines as UTF-8, each ended; characters that have no encoding become ``?``."""
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def json_page(value: Any) -> bytes:
    """Pretty-printed JSON with a final newline."""
    return msgspec.json.format(json_bytes(value), indent=2) + b"\n"


def json_list_page(values: Iterable[Any]) -> bytes:
    """``json_page`` of a list that may be long: in parts, between which other threads have their turn."""
    rest, parts = iter(values), []
    while part := list(islice(rest, PART)):
        parts.append(json_page(part)[len("[\n") : -len("\n]\n")])
    return b"[\n" + b",\n".join(parts) + b"\n]\n" if parts else json_page([])


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters, cut at a space where there is one, with an ellipsis."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit // 2 else cut).rstrip() + "…"


def json_list(text: str | None) -> list[Any]:
    """A column that holds a JSON list; empty where it holds nothing."""
    value = msgspec.json.decode(text) if text else []
    return value if isinstance(value, list) else []
