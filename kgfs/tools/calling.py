"""Calls a tool by its name with arguments of any kind. A failure is a value.

Used by the request ``tool`` of the control socket and by every host of an agent, on the calling thread, which may be
any but the FUSE loop and the writer.
"""

from __future__ import annotations

import logging
from difflib import get_close_matches
from typing import Any

import msgspec

from kgfs.drives.gate import door
from kgfs.errors import KgfsError
from kgfs.model import prepared
from kgfs.tools.outcome import BadArguments, Hinted, UnknownTool, Value, failure
from kgfs.tools.reach import Reach
from kgfs.tools.registry import TOOLS, Tool

log = logging.getLogger(__name__)


def call(reach: Reach, name: str, arguments: object, *, through: str = "tool") -> Value:
    """Run a tool. ``arguments`` is what JSON had; ``through`` is the door that the audit trail is told of."""
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None or tool.kind != "store":
        of_store = [known for known, one in TOOLS.items() if one.kind == "store"]
        near = get_close_matches(str(name), of_store, 3) or of_store
        return failure(UnknownTool(f"There is no tool {name!r}."), f"Call one of: {', '.join(near)}.")
    token = door.set(through)
    try:
        return tool.function()(reach, _checked(tool, arguments))
    except Hinted as raised:
        return failure(raised.error, raised.hint)
    except KgfsError as error:
        return failure(error)
    except Exception as error:
        # Never into the loop of an agent: it could not go on. The log has what a person needs.
        log.exception("the tool %s failed", name)
        sentence = f"{name} failed unexpectedly ({type(error).__name__}); the log of the store says where."
        return failure(KgfsError(sentence), "Do something else, and tell the user that this failed.")
    finally:
        door.reset(token)


def _checked(tool: Tool, arguments: object) -> Any:
    """The arguments as the tool's struct. ``BadArguments`` says which is wrong."""
    try:
        # There and back: only what JSON can hold may come in (no half of a surrogate pair, no number without end).
        plain = msgspec.json.decode(msgspec.json.encode({} if arguments is None else arguments))
        return msgspec.convert(plain, prepared(tool.parameters), strict=False)
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError) as error:
        names = ", ".join(
            field.encode_name + ("" if field.required else "?") for field in msgspec.structs.fields(tool.parameters)
        )
        takes = f"It takes {names}." if names else "It takes no arguments."
        raise Hinted(
            BadArguments(f"{tool.name} cannot take these arguments: {error}."), f"{takes} Correct them and call again."
        ) from error
