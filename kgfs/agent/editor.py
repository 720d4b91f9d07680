"""The editor and the bash of the Messages API (``text_editor_20250728``, ``bash_20250124``) as doors to the file tools.

Used by the loop's toolbox. They open no file of their own: each command is a call of the functions that the file tools
have, so a path means the same and is refused the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from kgfs.agent import listing, reading, writing
from kgfs.agent.file_tools import FileTools, answered
from kgfs.agent.places import Places
from kgfs.tools.outcome import BadArguments, BadRange, Value

_AROUND = 4
"""Lines that are shown before and after a change."""


class _View(msgspec.Struct):
    path: str
    view_range: tuple[int, int] | None = None


class Create(msgspec.Struct):
    """Write a file; the memory tool has this command too, and the two that follow."""

    path: str
    file_text: str


class Replace(msgspec.Struct):
    """Replace a text."""

    path: str
    old_str: str
    new_str: str = ""


class Insert(msgspec.Struct):
    """Insert a text behind a line."""

    path: str
    insert_line: int
    insert_text: str


class _Bash(msgspec.Struct):
    command: str | None = None
    restart: bool = False
    timeout: float | None = None


class Editor:
    """The SDK's editor and bash over the same places and the same shell as the file tools."""

    def __init__(self, tools: FileTools) -> None:
        self._tools = tools

    def edit(self, arguments: dict[str, Any]) -> Value:
        """A call of ``str_replace_based_edit_tool``: a value whose ``content`` is the text for the model."""
        return answered("str_replace_based_edit_tool", lambda: self._edit(arguments))

    def bash(self, arguments: dict[str, Any]) -> Value:
        """A call of ``bash``: the value of ``execute``, or of a restart."""
        return answered("bash", lambda: self._bash(arguments))

    def _edit(self, arguments: dict[str, Any]) -> Value:
        commands: dict[str, tuple[type[msgspec.Struct], Callable[[Places, Any], Value]]] = {
            "view": (_View, _view), "create": (Create, _create), "str_replace": (Replace, _replace),
            "insert": (Insert, _insert),
        }  # fmt: skip
        name = arguments.get("command")
        if not isinstance(name, str) or name not in commands:
            raise BadArguments(f"There is no command {name!r}; use one of {', '.join(commands)}.")
        taken, command = commands[name]
        return command(self._tools.places, _converted(arguments, taken))

    def _bash(self, arguments: dict[str, Any]) -> Value:
        given = _converted(arguments, _Bash)
        shell = self._tools.places.shell
        if given.restart:
            return shell.restart()
        if given.command is None:
            raise BadArguments("bash takes a command, or restart:true.")
        return shell.run(given.command, given.timeout)


def _converted(arguments: dict[str, Any], taken: type[msgspec.Struct]) -> Any:
    try:
        return msgspec.convert(arguments, taken, strict=False)
    except (msgspec.MsgspecError, ValueError, TypeError) as error:
        raise BadArguments(f"These arguments do not fit the command: {error}.") from error


def refuse_range(view_range: tuple[int, int] | None) -> None:
    """``BadArguments`` where a directory is to be listed and there is a range of lines."""
    if view_range is not None:
        raise BadArguments("view_range is for files; leave it out to list a directory.")


def first_and_limit(view_range: tuple[int, int] | None) -> tuple[int, int | None]:
    """The first line of a range and the number of its lines, ``None`` for all. ``BadRange``."""
    first, last = view_range or (1, -1)
    if first < 1 or (last != -1 and last < first):
        raise BadRange("view_range is [first, last], from line 1 on; last is -1 for the end.")
    return first, None if last == -1 else last - first + 1


def _view(places: Places, given: _View) -> Value:
    with places.at(given.path) as one:
        directory = one.kind == "directory"
    if directory:
        refuse_range(given.view_range)
        value = listing.ls(places, given.path)
        lines = [f"{entry['name']}{'/' if entry['kind'] == 'directory' else ''}" for entry in value["entries"]]
        return {**value, "content": "".join(f"{line}\n" for line in lines)}
    first, limit = first_and_limit(given.view_range)
    value = reading.read_file(places, given.path, first, limit)
    return {**value, "content": numbered(value["content"], first)}


def _create(places: Places, given: Create) -> Value:
    return writing.write_file(places, given.path, given.file_text, overwrite=True)


def _replace(places: Places, given: Replace) -> Value:
    value = writing.edit_file(places, given.path, given.old_str, given.new_str)
    return _with_surroundings(places, given.path, value, value["first_line"], given.new_str.count("\n") + 1)


def _insert(places: Places, given: Insert) -> Value:
    text = given.insert_text.encode()
    text += b"" if text.endswith(b"\n") else b"\n"

    def inserted(body: bytes, shown: str) -> bytes:
        lines = [line + b"\n" for line in body.split(b"\n")]
        lines[-1:] = (
            [lines[-1][:-1]] if lines[-1] != b"\n" else []
        )  # what follows the last end is a line if it is there
        if not 0 <= given.insert_line <= len(lines):
            raise BadRange(f"{shown} has {len(lines)} lines; insert_line is from 0 to {len(lines)}.")
        before = b"".join(lines[: given.insert_line])
        before += b"\n" if before and not before.endswith(b"\n") else b""
        return before + text + b"".join(lines[given.insert_line :])

    value = writing.change_file(places, given.path, inserted)
    del value["before"]
    return _with_surroundings(places, given.path, value, given.insert_line + 1, text.count(b"\n"))


def _with_surroundings(places: Places, path: str, value: Value, line: int, lines: int) -> Value:
    """Show what was changed, with some lines around it."""
    first = max(1, line - _AROUND)
    shown = reading.read_file(places, path, first, line - first + lines + _AROUND)
    return {**value, "content": numbered(shown["content"], first)}


def numbered(text: str, first: int) -> str:
    """Lines with their numbers, as the editor shows them."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return "".join(f"{number:6}\t{line}\n" for number, line in enumerate(lines, first))
