"""The short text of a tool's value for a model, with the next step where something failed or was cut.

Used by an agent's loop and by the MCP server. Pure.
"""

from __future__ import annotations

from kgfs.names import json_bytes
from kgfs.tools.outcome import Value

_TEXTS = ("output", "content", "text", "prompt")
"""Fields that are what was asked for; the others say something of it."""


def text_of(tool_name: str, value: Value) -> str:
    """The text for a model."""
    lines: list[str] = []
    if value.get("is_error"):
        lines.append(" ".join(filter(None, (str(value.get("message", "")), str(value.get("next_action_hint", ""))))))
    shown = next((name for name in _TEXTS if isinstance(value.get(name), str)), None)
    if shown is not None and value[shown]:
        lines.append(value[shown].rstrip("\n"))
    status = value.get("status")
    if isinstance(status, int) and status != 0:
        lines.append(f"(exit status {status})")
    if value.get("note"):
        lines.append(f"({value['note']})")
    if shown is None and not value.get("is_error"):
        rest = {name: one for name, one in value.items() if name != "is_error"}
        lines.append(json_bytes(rest).decode())
    return "\n".join(lines)
