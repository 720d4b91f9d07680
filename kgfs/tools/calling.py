"""Calls a tool by its name with arguments of any kind. A failure is a value.

Used by the request ``tool`` of the control socket and by every host of an agent, on the calling thread, which may be
any but the FUSE loop and the writer.
"""

from __future__ import annotations

from kgfs.callers import through
from kgfs.nearest import nearest
from kgfs.tools.checking import answered, checked
from kgfs.tools.outcome import UnknownTool, Value, failure
from kgfs.tools.reach import Reach
from kgfs.tools.registry import TOOLS


def call(reach: Reach, name: str, arguments: object, *, door: str = "tool") -> Value:
    """Run a tool. ``arguments`` is what JSON had; ``door`` is what the audit trail is told of."""
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None or tool.kind != "store":
        of_store = [known for known, one in TOOLS.items() if one.kind == "store"]
        near = nearest(str(name), of_store) or of_store
        return failure(UnknownTool(f"There is no tool {name!r}."), f"Call one of: {', '.join(near)}.")
    with through(door):
        return answered(name, lambda: tool.function()(reach, checked(tool.name, tool.parameters, arguments)))
