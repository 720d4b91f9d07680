"""The file tools of an agent, by name: each call answers with a value, also where it fails.

Used by the loop's toolbox, the SDK's editor, bash and memory tools. A path is what it is in the sandbox
(``kgfs.agent.roots``), and the sandbox's own mounts decide what may be read and written: a tool can do what a command
of the shell can, and nothing more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kgfs.agent import listing, reading, searching, writing
from kgfs.agent.places import Places
from kgfs.agent.privileges import as_in_sandbox
from kgfs.agent.roots import Roots
from kgfs.agent.shell import Shell
from kgfs.nearest import nearest
from kgfs.tools import checking
from kgfs.tools.outcome import UnknownTool, Value, failure
from kgfs.tools.registry import TOOLS


class FileTools:
    """Calls file tools over one shell."""

    def __init__(self, roots: Roots, shell: Shell, ask: searching.Ask) -> None:
        """``ask`` calls a tool of the store, for what only the store finds."""
        self.places = places = Places(roots, shell)
        self._tools: dict[str, Callable[[Any], Value]] = {
            "read_file": lambda a: reading.read_file(places, a.path, a.offset, a.limit),
            "write_file": lambda a: writing.write_file(places, a.path, a.content, a.overwrite),
            "edit_file": lambda a: writing.edit_file(places, a.path, a.old_string, a.new_string, a.replace_all),
            "ls": lambda a: listing.ls(places, a.path),
            "glob": lambda a: listing.glob(places, a.pattern, a.path),
            "grep": lambda a: searching.grep(places, ask, a),
            "execute": lambda a: shell.run(a.command, a.timeout),
        }  # fmt: skip

    @property
    def names(self) -> frozenset[str]:
        """The tools that are answered here, though the store may know one of the same name."""
        return frozenset(self._tools)

    def call(self, name: str, arguments: object) -> Value:
        """Run a tool. ``arguments`` is what JSON had."""
        if name not in self._tools:
            near = nearest(name, self._tools) or list(self._tools)
            return failure(UnknownTool(f"There is no file tool {name!r}."), f"Call one of: {', '.join(near)}.")
        return answered(name, lambda: self._tools[name](checking.checked(name, TOOLS[name].parameters, arguments)))


def answered(name: str, work: Callable[[], Value]) -> Value:
    """The value of some work of a tool, with the rights that the sandbox has; a failure is one too."""

    def confined() -> Value:
        with as_in_sandbox():
            return work()

    return checking.answered(name, confined)
