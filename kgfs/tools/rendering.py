"""The short text of a tool's value for a model, with the next step where something failed or was cut.

Used by an agent's loop and by the MCP server. What may hold text of documents stands between marks
(``kgfs.tools.marking``); a list has a line for each item. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kgfs.names import json_bytes, one_line
from kgfs.tools.marking import fenced
from kgfs.tools.outcome import Value

_TEXTS = ("output", "content", "text", "prompt")
"""Fields that are what was asked for; the others say something of it."""
_OWN = frozenset(
    {
        "answer", "context_copy", "context_create_dir", "context_delete", "context_edit", "context_exists",
        "context_move", "edit_file", "kv_delete", "kv_set", "remember", "write_file",
    }
)  # fmt: skip
"""Tools whose value is only what they did."""
_SAID = ("note", "hint")


def text_of(tool_name: str, value: Value) -> str:
    """The text for a model."""
    if value.get("is_error"):
        parts = [str(value.get("message", "")), str(value.get("next_action_hint", ""))]
        body = _body(value) if any(isinstance(value.get(name), str) for name in _TEXTS) else ""
        return "\n".join([" ".join(filter(None, parts)), *([fenced(body, "output")] if body else [])])
    body = _body(value)
    said = [str(value[name]) for name in _SAID if value.get(name)]
    status = value.get("status")
    if isinstance(status, int) and status != 0:
        said.insert(0, f"exit status {status}")
    if not body:
        return f"({'; '.join(said)})" if said else "(nothing)"
    if tool_name not in _OWN:
        body = fenced(body, "what the command printed" if tool_name in ("execute", "bash") else "from the store")
    return "\n".join([body, *(f"({each})" for each in said)])


def _body(value: Value) -> str:
    text = next((value[name] for name in _TEXTS if isinstance(value.get(name), str)), None)
    if text is not None:
        return text.rstrip("\n")
    for name, line in _LISTS.items():
        if isinstance(value.get(name), list):
            return "\n".join(line(each) for each in value[name])
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
