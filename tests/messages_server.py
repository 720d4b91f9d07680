"""A scripted language model behind the Messages API, streaming as the real one does, for tests of the loop.

``with MessagesServer([step, …]) as server:``. A step is what the model says to one request: a list of blocks (``say``,
``use``), or a function of the request's body that returns one. After the last step it says that it is done.
``server.requests`` are the bodies. Faults are those of ``tests.llm_server``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.llm_server import LlmServer

Block = dict[str, Any]


@dataclass
class Turn:
    """A step with another stop reason or usage than usual."""

    blocks: Sequence[Block]
    stop_reason: str | None = None
    usage: dict[str, int] | None = None


Step = Sequence[Block] | Turn | Callable[[dict[str, Any]], Sequence[Block] | Turn]

_ids = itertools.count(1)


def say(text: str) -> Block:
    """A block of text."""
    return {"type": "text", "text": text}


def use(tool: str, **arguments: Any) -> Block:
    """A call of a tool."""
    return {"type": "tool_use", "id": f"toolu_{next(_ids)}", "name": tool, "input": arguments}


def broken(tool: str, text: str) -> Block:
    """A call whose input is no JSON."""
    return {"type": "tool_use", "id": f"toolu_{next(_ids)}", "name": tool, "input": text}


def results(request: dict[str, Any]) -> list[str]:
    """The texts of the tool results in a request's last message."""
    return [
        "".join(part["text"] for part in block["content"])
        for block in request["messages"][-1]["content"]
        if block["type"] == "tool_result"
    ]


def told(request: dict[str, Any]) -> str:
    """The text in a request's last message beside results."""
    return "\n".join(block["text"] for block in request["messages"][-1]["content"] if block["type"] == "text")


class MessagesServer(LlmServer):
    """Says the steps one after the other."""

    def __init__(self, steps: Iterable[Step], *, untyped: bool = False, **options: Any) -> None:
        """``untyped``: tools with a type are refused, as servers of other makers do."""
        super().__init__(lambda _body: {}, **options)
        self.untyped = untyped
        self._steps = iter(list(steps))

    def refuses(self, body: dict[str, Any]) -> bool:
        return self.untyped and any("type" in tool and tool["type"] != "custom" for tool in body.get("tools", ()))

    def message(self, body: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            self.requests.append(body)
            step: Step = next(self._steps, [say("I am done.")])
        made = step(body) if callable(step) else step
        turn = made if isinstance(made, Turn) else Turn(made)
        calls = any(block["type"] == "tool_use" for block in turn.blocks)
        message = self.envelope(body)
        return {
            **message, "content": list(turn.blocks), "usage": {**message["usage"], **(turn.usage or {})},
            "stop_reason": turn.stop_reason or ("tool_use" if calls else "end_turn"),
        }  # fmt: skip
