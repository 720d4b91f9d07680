"""From a path in any of its forms to what the tree holds there, by requests to the process that has the store open.

Used to check citations. What is asked for in a session is looked for in its own tree first, by ``own``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kgfs.agent.citations import Place
from kgfs.control.client import Discard, Receiver
from kgfs.control.path_arguments import PathArgument
from kgfs.errors import IsADirectory, KgfsError, NotFoundError, UsageError
from kgfs.paths import PREFIX

Ask = Callable[[str, dict[str, Any], Receiver | None], dict[str, Any]]
"""A request: its name, its arguments, and who gets the parts of the answer."""

MOST_BYTES = 16 * 1024 * 1024
"""Of a larger file the beginning is searched."""
MAIN_FILES = ("content.txt", "text.txt", "summary.txt", "definition.txt", "facts/all.jsonl")
"""What a directory is cited for."""


class _Gathered(Discard):
    def __init__(self) -> None:
        self.bytes = bytearray()

    def data(self, data: bytes) -> None:
        if len(self.bytes) < MOST_BYTES:
            self.bytes += data


class CitedPlaces:
    """The places of one store, as a run of an agent may name them."""

    def __init__(self, ask: Ask, own: Callable[[str], bytes | None] = lambda path: None) -> None:
        """``own`` reads a file that only the run's session has, by its path from the root."""
        self._ask, self._own = ask, own

    def read(self, path: str) -> Place | None:
        """What is at a path; none where nothing is, or a query's answer."""
        try:
            return self._found(path)
        except (NotFoundError, UsageError):
            pass
        inside = path.removeprefix(f"{PREFIX}/").strip("/")
        if inside and not inside.startswith(("/", "@")) and (text := self._own(inside)) is not None:
            return Place(inside, (text.decode("utf-8", "replace"),))
        return None

    def _found(self, path: str) -> Place | None:
        place = {"place": PathArgument(text=path).fields()}
        try:
            canonical, text = self._cat(place)
        except IsADirectory:
            canonical = str(self._ask("stat", place, None)["path"])
            if canonical.startswith("@"):
                return None
            return Place(canonical, tuple(self._in_directory(canonical)))
        return None if canonical.startswith("@") else Place(canonical, (text,))

    def _in_directory(self, directory: str) -> list[str]:
        found = []
        for name in MAIN_FILES:
            try:
                found.append(self._cat({"place": PathArgument(text=name, exact=f"{directory}/{name}").fields()})[1])
            except KgfsError:
                continue
        return found

    def _cat(self, arguments: dict[str, Any]) -> tuple[str, str]:
        gathered = _Gathered()
        told = self._ask("cat", arguments, gathered)
        return str(told["path"]), gathered.bytes.decode("utf-8", "replace")
