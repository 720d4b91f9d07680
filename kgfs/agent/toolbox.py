"""The tools that a run offers to its model, and the way of a call to the code that answers it.

Used by the loop, on the main thread. Store tools are asked by the request ``tool``, which records them; the others run
here, and each of their calls is told to the process that has the store open, for the audit trail. A result is a text
for a model (``kgfs.tools.rendering``). No call raises but for Ctrl-C.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from kgfs.agent.interrupts import Interrupts
from kgfs.agent.loop import ANSWER, Outcome, ToolCall
from kgfs.agent.model_server import ToolForms
from kgfs.errors import Cancelled, KgfsError
from kgfs.nearest import nearest
from kgfs.tools.marking import fenced, unfenced
from kgfs.tools.outcome import BadArguments, UnknownTool, Value, failure
from kgfs.tools.registry import Tool
from kgfs.tools.rendering import text_of

RESULT_LENGTH = 60_000
"""No result has more characters; tools cut theirs long before, and say how to get the rest."""
_WRONG = frozenset({UnknownTool.kind, BadArguments.kind})
_STOPPED = Cancelled.kind

Ask = Callable[[str, dict[str, Any]], Value]
"""Has a store tool called by its name."""

Record = Callable[[str, dict[str, Any], int, int, Value], None]
"""Told of a call that was answered here: name, arguments, when it began and ended (nanoseconds), its value."""


class Door(Protocol):
    """Answers calls of some tools: ``call`` returns a value, for a failure too."""

    def call(self, name: str, arguments: dict[str, Any]) -> Value: ...


class Typed(NamedTuple):
    """A tool that Anthropic's models know by a type: another door to what file tools do."""

    name: str
    type: str
    call: Callable[[dict[str, Any]], Value]


class Toolbox:
    """The tools of one run."""

    def __init__(
        self,
        tools: Iterable[Tool],
        doors: Mapping[str, Door],
        typed: Sequence[Typed],
        record: Record,
        interrupts: Interrupts,
        interrupt: Callable[[], None],
        *,
        read_only: bool = False,
        instead: frozenset[str] = frozenset(),
    ) -> None:
        """``doors`` answer for the kinds of tools; ``typed`` are offered where a server knows them, then ``instead``
        are not. ``interrupt`` stops a command that runs. With ``read_only`` no tool is offered that writes."""
        self._tools = {tool.name: tool for tool in tools if not (read_only and tool.writes)}
        self._typed = {tool.name: tool for tool in typed}
        self._doors, self._record, self._interrupts, self._interrupt = doors, record, interrupts, interrupt
        plain = [tool.described() for tool in self._tools.values()]
        self.forms = ToolForms(
            typed=[
                *({"type": tool.type, "name": tool.name} for tool in self._typed.values()),
                *(one for one in plain if one["name"] not in instead),
            ],
            plain=plain,
        )

    def call(self, call: ToolCall) -> Outcome:
        """Do what a model asks for. ``KeyboardInterrupt`` where the user stopped a question to the store."""
        tool, typed = self._tools.get(call.name), self._typed.get(call.name)
        if tool is None and typed is None:
            names = [*self._tools, *self._typed]
            near = nearest(call.name, names) or names
            value = failure(UnknownTool(f"There is no tool {call.name!r}."), f"Call one of: {', '.join(near)}.")
            return _outcome(call.name, value)
        if tool is not None and tool.kind == "store":
            return _outcome(call.name, self._doors["store"].call(call.name, call.input))
        began = time.time_ns()
        with self._interrupts.passed_to(self._interrupt) as presses:
            try:
                if typed is not None:
                    value = typed.call(call.input)
                else:
                    assert tool is not None
                    value = self._doors[tool.kind].call(call.name, call.input)
            except KgfsError as error:
                value = failure(error)
        self._record(call.name, call.input, began, time.time_ns(), value)
        return _outcome(call.name, value, presses.count)


def _outcome(name: str, value: Value, presses: int = 0) -> Outcome:
    text = text_of(name, value)
    if len(text) > RESULT_LENGTH:
        more = len(text) - RESULT_LENGTH
        text = f"{fenced(unfenced(text)[:RESULT_LENGTH], name)}\n… {more:,} more characters; ask for less at once."
    kind = value.get("error_type")
    stops = max(presses, 1) if kind == _STOPPED and name != ANSWER else presses
    return Outcome(text, bool(value.get("is_error")), kind in _WRONG, stops)
