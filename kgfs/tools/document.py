"""docs/tools.md, made of the registry: ``python -m kgfs.tools.document > docs/tools.md``."""

from __future__ import annotations

from typing import Any

import msgspec

from kgfs.tools.registry import TOOLS, Tool

_HEAD = """\
# Tools

What agents can call. `python -m kgfs.tools.document > docs/tools.md` makes this page from `kgfs/tools/registry.py`, as
the schemas of the Messages API and of MCP are made; `kgfs tools --json` prints them.

| offered to | where |
|---|---|
| agent | `kgfs agent` ([agents.md](agents.md)) |
| mcp | other agents, by `kgfs mcp` ([mcp.md](mcp.md)); with `--read-only`, what does not write |
| command | people, by `kgfs context` ([cli.md](cli.md)) |

A value is an object with `"is_error": false`. A failure is a value too: `{"is_error": true, "error_type", "message",
"next_action_hint"}`.
"""


def document() -> str:
    """The page."""
    rows = [f"| `{tool.name}` | {', '.join(sorted(tool.offered))} | {_effect(tool)} |" for tool in TOOLS.values()]
    table = "\n".join(["| tool | offered to | writes |", "|---|---|---|", *rows])
    return "\n".join([_HEAD, table, *map(_section, TOOLS.values())]) + "\n"


def _effect(tool: Tool) -> str:
    if not tool.writes:
        return ""
    return "yes, may replace or delete" if tool.destructive else "yes"


def _section(tool: Tool) -> str:
    schema = tool.input_schema()
    lines = ["", f"## {tool.name}", "", tool.description, ""]
    properties: dict[str, Any] = schema["properties"]
    if not properties:
        return "\n".join([*lines, "It takes no parameters."])
    lines += ["| parameter | type | default | |", "|---|---|---|---|"]
    for name, one in properties.items():
        default = "required" if name in schema["required"] else f"`{msgspec.json.encode(one.get('default')).decode()}`"
        said = one.get("description", "").replace("|", "\\|")
        lines.append(f"| `{name}` | {_type(one)} | {default} | {said} |")
    return "\n".join(lines)


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"] if each is not None)
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"] if each.get("type") != "null")
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}" if isinstance(schema.get("items"), dict) else "list"
    if "$ref" in schema:
        return "object"
    return str(schema.get("type", "any JSON"))


if __name__ == "__main__":
    print(document(), end="")
