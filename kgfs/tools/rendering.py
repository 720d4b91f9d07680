"""The short text of a tool's value for a model, with the next step where something failed or was cut.

Used by an agent's loop and by the MCP server. What may hold text of documents stands between marks
(``kgfs.tools.marking``), what the tool says of it outside; a list has a line for each item. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kgfs.names import json_bytes, one_line
from kgfs.tools.marking import fenced
from kgfs.tools.outcome import Value

_MARKED = frozenset({"context_prompt"})
"""Tools whose text has marks of its own."""
_TEXTS = ("output", "content", "text", "prompt")
"""Fields that are what was asked for; the others say something of it."""
_SAID = ("note", "hint")


def text_of(tool_name: str, value: Value) -> str:
    """The text for a model."""
    lines: list[str] = []
    if value.get("is_error"):
        said = filter(None, (str(value.get("message", "")), str(value.get("next_action_hint", ""))))
        lines.append(one_line(" ".join(said)))
    body = _body(value)
    if body:
        source = value.get("path") or value.get("ref")
        lines.append(
            body if tool_name in _MARKED else fenced(body, source if isinstance(source, str) else tool_name)
        )  # fmt: skip
    status = value.get("status")
    if isinstance(status, int) and status != 0:
        lines.append(f"(exit status {status})")
    lines += [f"({one_line(str(value[name]))})" for name in _SAID if value.get(name)]
    return "\n".join(lines) or "(nothing)"


def _body(value: Value) -> str:
    text = next((value[name] for name in _TEXTS if isinstance(value.get(name), str)), None)
    if isinstance(text, str):
        return text.rstrip("\n")
    for name, line in _LISTS.items():
        if isinstance(value.get(name), list):
            return "\n".join(line(each) for each in value[name])
    if value.get("is_error"):
        return ""
    rest = {name: one for name, one in value.items() if name not in ("is_error", *_SAID)}
    return json_bytes(rest).decode() if rest else ""


def _result(each: Any) -> str:
    lines = each.get("lines")
    where = f":{lines[0]}-{lines[1]}" if lines else ""
    title = f" {one_line(each['title'])}:" if each.get("title") else ""
    place = each.get("path") or each.get("ref")
    return f"{one_line(str(place))}{where} [{each['score']:.2f}]{title} {one_line(each.get('snippet') or '')}"


def _match(each: Any) -> str:
    return f"{one_line(str(each.get('path') or each.get('ref')))}:{each['line']}:{one_line(each['text'])}"


def _entry(each: Any) -> str:
    if not isinstance(each, dict):
        return one_line(str(each))
    name = one_line(str(each.get("name", "")))
    if each.get("kind") == "directory":
        return f"{name}/"
    return f"{name} -> {one_line(str(each['target']))}" if each.get("target") else f"{name}  {each.get('size', '')}"


_LISTS: dict[str, Callable[[Any], str]] = {
    "results": _result, "matches": _match, "entries": _entry, "paths": lambda each: one_line(str(each)),
    "keys": lambda each: one_line(str(each)), "rows": lambda each: json_bytes(each).decode(),
}  # fmt: skip
"""Fields that are a list, and how one of it is told."""
