"""What a run has to work with: its view of the machine, its shell, its tools, its skills.

Used by ``kgfs.agent.run``. Everything that is started here is ended at the end.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from kgfs.agent.cited_places import MOST_BYTES
from kgfs.agent.file_tools import FileTools
from kgfs.agent.interrupts import Interrupts
from kgfs.agent.places import Places
from kgfs.agent.roots import Roots
from kgfs.agent.shell import Shell
from kgfs.agent.toolbox import Toolbox
from kgfs.errors import ExistsError, KgfsError
from kgfs.sandbox.places import added_directory, hidden_directories, mounted_place
from kgfs.tools.outcome import Hinted, Value, failure
from kgfs.tools.registry import TOOLS


class Wanted(Protocol):
    """What of a user's wishes decides what is offered."""

    @property
    def session(self) -> str | None: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def added(self) -> Any: ...
    @property
    def ephemeral_memory(self) -> bool: ...


class Asking(Protocol):
    """How the process that has the store open is asked."""

    def ask(self, command: str, arguments: dict[str, Any]) -> dict[str, Any]: ...


class Keeping(Protocol):
    """How a run's calls are asked and recorded."""

    def tool(self, name: str, arguments: dict[str, Any]) -> Value: ...
    def record(self, name: str, arguments: dict[str, Any], began: int, ended: int, value: Value) -> None: ...


class Offer(NamedTuple):
    """What a run has."""

    toolbox: Toolbox
    skills: str
    """What the prompt says of them."""
    problems: tuple[str, ...]
    """What was left out, a sentence each."""
    own: Callable[[str], bytes | None]
    """Reads a file that only the run's session has."""


class _StoreDoor:
    def __init__(self, kept: Keeping) -> None:
        self._kept = kept

    def call(self, name: str, arguments: dict[str, Any]) -> Value:
        try:
            return self._kept.tool(name, arguments)
        except KgfsError as error:
            return failure(error)


@contextlib.contextmanager
def offered(
    store: Path, asked: Asking, kept: Keeping, wanted: Wanted, interrupts: Interrupts
) -> Iterator[Offer]:  # fmt: skip
    """What a run over a mounted store has. ``KgfsError`` where mount, session or sandbox cannot be had."""
    if wanted.session is not None:
        with contextlib.suppress(ExistsError):
            asked.ask("session-new", {"name": wanted.session})
    mounted = mounted_place(store, wanted.session, str(store))
    roots = Roots(
        mounted, added=[added_directory(name, store) for name in wanted.added], session=wanted.session,
        read_only=wanted.read_only,
    )  # fmt: skip
    door = _StoreDoor(kept)
    with Shell(roots, hidden=hidden_directories(store)) as shell:
        files = FileTools(roots, shell, door.call)
        declared = [tool._replace(kind="file") if tool.name in files.names else tool for tool in TOOLS.values()]
        tools = [
            tool for tool in declared
            if "agent" in tool.offered and not (tool.kind == "store" and tool.writes and wanted.session is not None)
        ]  # fmt: skip
        toolbox = Toolbox(
            tools, {"store": door, "file": files}, (), kept.record, interrupts, shell.interrupt,
            read_only=wanted.read_only,
        )  # fmt: skip
        places = Places(roots, shell)
        yield Offer(toolbox, "", (), lambda path: _own(places, path) if wanted.session else None)


def _own(places: Places, path: str) -> bytes | None:
    """A file as the run sees it; none where there is none."""
    try:
        with places.file(path) as (file, _):
            return os.read(file, MOST_BYTES)
    except (KgfsError, Hinted, OSError):
        return None
