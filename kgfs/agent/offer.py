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
from kgfs.agent.editor import Editor
from kgfs.agent.file_tools import FileTools
from kgfs.agent.interrupts import Interrupts
from kgfs.agent.memory import NAME as MEMORY
from kgfs.agent.memory import TYPE as MEMORY_TYPE
from kgfs.agent.memory import Memory, ephemeral
from kgfs.agent.places import Places
from kgfs.agent.roots import Roots
from kgfs.agent.shell import Shell
from kgfs.agent.skills import Skills, load_skills
from kgfs.agent.toolbox import Toolbox, Typed
from kgfs.errors import ExistsError, KgfsError
from kgfs.sandbox.places import added_directory, hidden_directories, mounted_place
from kgfs.tools.outcome import Hinted, Value, failure
from kgfs.tools.prompts.skill_files import StoredSkill
from kgfs.tools.registry import TOOLS
from kgfs.trust import trusted

INSTEAD = frozenset({"execute", "read_file", "write_file", "edit_file", MEMORY})
"""What is not offered where a server knows bash and the editor by their types."""


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


class _MemoryDoor:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def call(self, name: str, arguments: dict[str, Any]) -> Value:
        return self._memory.call(arguments)


def _skills(store: Path, asked: Asking) -> Skills:
    stored = [StoredSkill(**one) for one in asked.ask("skills", {})["skills"]]
    return load_skills(stored, trusted(store))


@contextlib.contextmanager
def offered(
    store: Path, asked: Asking, kept: Keeping, wanted: Wanted, interrupts: Interrupts
) -> Iterator[Offer]:  # fmt: skip
    """What a run over a mounted store has. ``KgfsError`` where mount, session or sandbox cannot be had."""
    if wanted.session is not None:
        with contextlib.suppress(ExistsError):
            asked.ask("session-new", {"name": wanted.session})
    mounted = mounted_place(store, wanted.session, str(store))
    skills = _skills(store, asked)
    door = _StoreDoor(kept)
    with contextlib.ExitStack() as opened:
        added = [added_directory(name, store) for name in wanted.added]
        forgotten = opened.enter_context(ephemeral()) if wanted.ephemeral_memory else None
        roots = Roots(
            mounted, added=[*added, forgotten] if forgotten else added, skills=skills.directories,
            session=wanted.session, read_only=wanted.read_only,
        )  # fmt: skip
        shell = opened.enter_context(Shell(roots, hidden=hidden_directories(store)))
        files = FileTools(roots, shell, door.call)
        declared = [tool._replace(kind="file") if tool.name in files.names else tool for tool in TOOLS.values()]
        tools = [
            tool for tool in declared
            if "agent" in tool.offered and not (tool.kind == "store" and tool.writes and wanted.session is not None)
        ]  # fmt: skip
        editor = Editor(files)
        memory = Memory(files, str(forgotten.directory) if forgotten else None)
        typed = (
            Typed("bash", "bash_20250124", editor.bash),
            Typed(MEMORY, MEMORY_TYPE, memory.call),
            Typed("str_replace_based_edit_tool", "text_editor_20250728", editor.edit),
        )
        toolbox = Toolbox(
            tools, {"store": door, "file": files, "loop": _MemoryDoor(memory)}, typed, kept.record, interrupts,
            shell.interrupt, read_only=wanted.read_only, instead=INSTEAD,
        )  # fmt: skip
        in_session = wanted.session is not None
        yield Offer(
            toolbox, skills.prompt(), skills.problems, lambda path: _own(files.places, path) if in_session else None
        )


def _own(places: Places, path: str) -> bytes | None:
    """A file as the run sees it; none where there is none."""
    try:
        with places.file(path) as (file, _):
            return os.read(file, MOST_BYTES)
    except (KgfsError, Hinted, OSError):
        return None
