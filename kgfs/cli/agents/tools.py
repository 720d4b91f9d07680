"""``kgfs tools``: what an agent can call, with the schema of each call."""

from __future__ import annotations

from kgfs.cli.declaration import Invocation, declare


@declare("tools", "List the tools that an agent can call.")
def command(invocation: Invocation) -> None:
    """List the tools that an agent can call, and who is offered each: kgfs agent (agent), other agents through kgfs mcp
    (mcp), kgfs context (command). With --json there is one object a tool, with the JSON schema of its parameters."""
    from kgfs.tools.registry import TOOLS

    for tool in TOOLS.values():
        if invocation.json:
            invocation.emit(
                {**tool.described(), "offered": sorted(tool.offered), "kind": tool.kind, "writes": tool.writes}
            )
            continue
        print(invocation.style(tool.name, bold=True))
        print(f"    {tool.description} [{', '.join(sorted(tool.offered))}]")
