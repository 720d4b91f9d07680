"""The short text of a tool's value for a model, with the next step where something failed or was cut.

Used by an agent's loop and by the MCP server. Pure.
"""

from __future__ import annotations

from kgfs.names import json_bytes, one_line
from kgfs.tools.marking import fenced
from kgfs.tools.outcome import Value

_MARKED = frozenset({"context_prompt"})
"""Tools whose text has marks of its own."""
_TEXTS = ("output", "content", "text", "prompt")
"""Fields that are what was asked for; the others say something of it."""


def text_of(tool_name: str, value: Value) -> str:
    """The text for a model: what came from files and documents between marks, what the tool says of it outside."""
    lines: list[str] = []
    if value.get("is_error"):
        said = filter(None, (str(value.get("message", "")), str(value.get("next_action_hint", ""))))
        lines.append(one_line(" ".join(said)))
    source = value.get("path") or value.get("ref")
    source = source if isinstance(source, str) else tool_name
    shown = next((name for name in _TEXTS if isinstance(value.get(name), str)), None)
    if shown is not None and value[shown]:
        lines.append(value[shown] if tool_name in _MARKED else fenced(value[shown].rstrip("\n"), source))
    status = value.get("status")
    if isinstance(status, int) and status != 0:
        lines.append(f"(exit status {status})")
    if value.get("note"):
        lines.append(f"({one_line(str(value['note']))})")
    if shown is None and not value.get("is_error"):
        rest = {name: one for name, one in value.items() if name != "is_error"}
        lines.append(fenced(json_bytes(rest).decode(), source))
    return "\n".join(lines)
