"""The SDK's memory tool (``memory_20250818``) as a door to the file tools: what a model remembers is files.

Used by the loop's toolbox. Paths of the tool begin with ``/memories``; what is behind it is ``context/agent/memories``
of the store, so a person reads, edits and deletes memories as any note, and the next run sees them. For an evaluation
it is a directory that begins empty and is discarded (``ephemeral``). Commands and their arguments are those of
``anthropic.lib.tools.BetaAbstractMemoryTool``; values are those of tools.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from kgfs.agent import arranging, listing, reading, writing
from kgfs.agent.editor import Create, Insert, Replace, first_and_limit, numbered, refuse_range
from kgfs.agent.file_tools import FileTools, answered
from kgfs.errors import KgfsError, NotFoundError
from kgfs.sandbox.bubblewrap import Added
from kgfs.tools.outcome import BadArguments, BadRange, Hinted, Value, done
from kgfs.tools.sizes import size_text

NAME, TYPE = "memory", "memory_20250818"
HERE = "/memories"
STORED = "context/agent/memories"
"""Where memories are, relative to the mount."""
_LEVELS = 2
"""Directories that are listed in each other."""


class _View(msgspec.Struct):
    path: str = HERE
    view_range: tuple[int, int] | None = None


class _Delete(msgspec.Struct):
    path: str


class _Rename(msgspec.Struct):
    old_path: str
    new_path: str


class Memory:
    """The memory of one run."""

    def __init__(self, tools: FileTools, place: str | None = None) -> None:
        """``place`` is the directory behind ``/memories``, as the sandbox sees it: by default the store's. It is made
        when something is remembered."""
        self._tools, self._roots = tools, tools.places.roots
        self._place = place or self._roots.absolute(STORED)
        self._commands: dict[str, tuple[type[msgspec.Struct], Callable[[Any], Value]]] = {
            "view": (_View, self._view), "create": (Create, self._create), "str_replace": (Replace, self._replace),
            "insert": (Insert, self._insert), "delete": (_Delete, self._delete), "rename": (_Rename, self._rename),
        }  # fmt: skip

    def call(self, arguments: dict[str, Any]) -> Value:
        """A call of the tool: a value whose ``content`` is the text for the model."""
        return answered(NAME, lambda: self._call(arguments))

    def _call(self, arguments: dict[str, Any]) -> Value:
        name = arguments.get("command")
        if not isinstance(name, str) or name not in self._commands:
            raise BadArguments(f"There is no command {name!r}; use one of {', '.join(self._commands)}.")
        taken, command = self._commands[name]
        try:
            given = msgspec.convert(arguments, taken, strict=False)
        except (msgspec.MsgspecError, ValueError, TypeError) as error:
            raise BadArguments(f"These arguments do not fit {name}: {error}.") from error
        with self._named():
            return command(given)

    # --- paths ------------------------------------------------------------------------------------------------------

    def _behind(self, path: str, *, inside: bool = True) -> str:
        """The path in the sandbox of one that the model gave."""
        parts = PurePosixPath(path).parts
        if not path.startswith("/") or parts[1:2] != (HERE[1:],) or ".." in parts or "\0" in path:
            raise Hinted(
                BadArguments(f"{path!r} is no path of the memory."),
                f"Paths begin with {HERE}/ and have no `..` in them.",
            )
        if inside and len(parts) == 2:
            raise BadArguments(f"{HERE} is the memory itself; name a file in it.")
        return "/".join([self._place, *parts[2:]])

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Let messages name the paths that the model knows."""
        try:
            yield
        except Hinted as raised:
            raise Hinted(self._renamed(raised.error), self._shown(raised.hint)) from raised
        except KgfsError as error:
            raise self._renamed(error) from error

    def _renamed(self, error: KgfsError) -> KgfsError:
        return type(error)(self._shown(error.message))

    def _shown(self, text: str) -> str:
        return text.replace(self._place, HERE).replace(self._roots.shown(self._place), HERE)

    # --- commands ---------------------------------------------------------------------------------------------------

    def _view(self, given: _View) -> Value:
        place = self._behind(given.path, inside=False)
        if self._is_directory(place, given.path):
            refuse_range(given.view_range)
            lines = list(self._lines(place, PurePosixPath(given.path).as_posix(), _LEVELS))
            return done(
                path=given.path, content="\n".join(lines) or f"{given.path} is empty: nothing is remembered yet."
            )
        first, limit = first_and_limit(given.view_range)
        value = reading.read_file(self._tools.places, place, first, limit)
        shown = {**value, "path": given.path, "content": numbered(value["content"], first)}
        if value.get("more"):
            shown["note"] = f"Read on with view_range [{value['next_offset']}, -1]."
        return shown

    def _is_directory(self, place: str, path: str) -> bool:
        try:
            with self._tools.places.at(place) as one:
                return one.kind == "directory"
        except Hinted as raised:
            if isinstance(raised.error, NotFoundError) and place == self._place:
                return True  # nothing was remembered yet
            raise

    def _lines(self, place: str, shown: str, levels: int) -> Iterator[str]:
        try:
            value = listing.ls(self._tools.places, place)
        except Hinted as raised:
            if isinstance(raised.error, NotFoundError):
                return
            raise
        for entry in value["entries"]:
            if entry["name"].startswith("."):
                continue
            if entry["kind"] == "directory":
                yield f"{shown}/{entry['name']}/"
                if levels > 1:
                    yield from self._lines(f"{place}/{entry['name']}", f"{shown}/{entry['name']}", levels - 1)
            else:
                yield f"{shown}/{entry['name']}\t{size_text(entry.get('size') or 0)}"
        if value["more"]:
            yield f"… {value['total'] - len(value['entries']):,} more in {shown}/"

    def _create(self, given: Create) -> Value:
        value = writing.write_file(self._tools.places, self._behind(given.path), given.file_text, overwrite=True)
        did = "Created" if value["created"] else "Replaced"
        return done(path=given.path, content=f"{did} {given.path} ({size_text(value['bytes'])}).")

    def _replace(self, given: Replace) -> Value:
        value = writing.edit_file(self._tools.places, self._behind(given.path), given.old_str, given.new_str)
        return done(path=given.path, content=f"Edited {given.path}, line {value['first_line']}.")

    def _insert(self, given: Insert) -> Value:
        place, text = self._behind(given.path), given.insert_text.encode()

        def inserted(body: bytes, shown: str) -> bytes:
            lines = body.splitlines(keepends=True)
            if not 0 <= given.insert_line <= len(lines):
                raise BadRange(f"{given.path} has {len(lines)} lines; insert_line is from 0 to {len(lines)}.")
            before = b"".join(lines[: given.insert_line])
            before += b"\n" if before and not before.endswith(b"\n") else b""
            end = b"" if text.endswith(b"\n") else b"\n"
            return before + text + end + b"".join(lines[given.insert_line :])

        writing.change_file(self._tools.places, place, inserted)
        return done(path=given.path, content=f"Inserted it into {given.path} after line {given.insert_line}.")

    def _delete(self, given: _Delete) -> Value:
        arranging.remove(self._tools.places, self._behind(given.path))
        return done(path=given.path, content=f"Deleted {given.path}.")

    def _rename(self, given: _Rename) -> Value:
        arranging.rename(self._tools.places, self._behind(given.old_path), self._behind(given.new_path))
        return done(path=given.new_path, content=f"Renamed {given.old_path} to {given.new_path}.")


@contextlib.contextmanager
def ephemeral() -> Iterator[Added]:
    """A directory for the memory of one run, to be added to what its sandbox sees; it is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="kgfs-memories-") as directory:
        yield Added(Path(directory).resolve(), True)
