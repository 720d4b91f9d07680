"""The requests of an agent that runs. Used by ``control.answers``, on the thread that answers."""

from __future__ import annotations

from typing import Any

import msgspec

from kgfs.control.frames import converted
from kgfs.service.agents.runs import RunCall, RunPart, Runs, caller_of

__all__ = ["begin", "caller_of", "end", "record", "write"]


class _Begin(msgspec.Struct):
    question: str
    session: str | None = None


class _Write(msgspec.Struct):
    run: str
    parts: list[RunPart]


class _Call(msgspec.Struct):
    run: str
    call: RunCall
    session: str | None = None


class _End(msgspec.Struct):
    run: str
    began: int
    told: dict[str, Any]
    stop: str
    dollars: float | None = None
    session: str | None = None


def begin(runs: Runs, arguments: dict[str, Any]) -> dict[str, Any]:
    """``question, session`` to ``run``, its name."""
    given: _Begin = _read(arguments, _Begin)
    return {"run": runs.begin(given.question, given.session)}


def write(runs: Runs, arguments: dict[str, Any]) -> dict[str, Any]:
    """``run, parts``: add to its files, or replace them."""
    given: _Write = _read(arguments, _Write)
    runs.write(given.run, given.parts)
    return {}


def record(runs: Runs, arguments: dict[str, Any]) -> dict[str, Any]:
    """``run, session, call``: a call that the run's own process answered, for the audit trail."""
    given: _Call = _read(arguments, _Call)
    runs.called(given.run, given.session, given.call)
    return {}


def end(runs: Runs, arguments: dict[str, Any]) -> dict[str, Any]:
    """``run, session, began, told, stop, dollars``: it has ended."""
    given: _End = _read(arguments, _End)
    runs.end(given.run, given.session, given.began, given.told, given.stop, given.dollars)
    return {}


def _read(arguments: dict[str, Any], kind: type[Any]) -> Any:
    return converted(arguments, kind, "The request is not what it must be")
