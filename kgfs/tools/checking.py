"""What all tools share, in every process: arguments become the tool's struct, and every failure becomes a value.

Used by ``kgfs.tools.calling`` where the store is open, and by the file tools of an agent. Imports no engine.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import msgspec

from kgfs.errors import KgfsError
from kgfs.model import prepared
from kgfs.tools.outcome import BadArguments, Hinted, Value, failure

log = logging.getLogger(__name__)


def answered(name: str, work: Callable[[], Value]) -> Value:
    """The value of some work of a tool; a failure is one too."""
    try:
        return work()
    except Hinted as raised:
        return failure(raised.error, raised.hint)
    except KgfsError as error:
        return failure(error)
    except Exception as error:
        # Never into the loop of an agent: it could not go on. The log has what a person needs.
        log.exception("the tool %s failed", name)
        sentence = f"{name} failed unexpectedly ({type(error).__name__}); the log says where."
        return failure(KgfsError(sentence), "Do something else, and tell the user that this failed.")


def checked(name: str, parameters: type[msgspec.Struct], arguments: object) -> Any:
    """Arguments of any kind as a tool's struct. ``Hinted`` with ``BadArguments`` says which is wrong."""
    try:
        # There and back: only what JSON can hold may come in (no half of a surrogate pair, no number without end).
        plain = msgspec.json.decode(msgspec.json.encode({} if arguments is None else arguments))
        return msgspec.convert(plain, prepared(parameters), strict=False)
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError) as error:
        names = ", ".join(
            field.encode_name + ("" if field.required else "?") for field in msgspec.structs.fields(parameters)
        )
        takes = f"It takes {names}." if names else "It takes no arguments."
        raise Hinted(
            BadArguments(f"{name} cannot take these arguments: {error}."), f"{takes} Correct them and call again."
        ) from error
