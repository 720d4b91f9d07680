"""Whose options a list or a table lists: the command that the heading, the sentence or the listing before it names.

Used by ``guide_facts``; pure. *The `lamp light` command has more flags* says that those beneath it are of that command, on
whatever page they stand.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.extraction.units import Unit

_NAME = r"[a-z][\w-]+(?: [a-z][\w-]+){0,2}"
_HEADING = re.compile(rf"#*[ \t]*`(?P<name>{_NAME})`(?: (?:sub-?)?command)?[ \t]*(?:options|flags)?[ \t]*#*", re.I)
_TOLD = re.compile(rf"`(?P<name>{_NAME})`[*_]*(?: (?P<kind>(?:sub-?)?command|tool|utility|binary|CLI))?")
_OPTIONS = re.compile(r"(?i)\b(?:flags?|options|arguments|parameters|switches)\b")
_USAGE = re.compile(rf"(?im)^[ \t]*usage:?[ \t]+\$?[ \t]*(?P<name>{_NAME})(?=[ \t]+[\[<-]|[ \t]*$)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]")


def commands_of(units: Sequence[Unit]) -> list[str]:
    """The commands whose help a document lists, each once."""
    found = (_USAGE.search(unit.quote) for unit in units if unit.kind == "code")
    return list(dict.fromkeys(one["name"] for one in found if one is not None))


class OptionOwners:
    """Keeps, unit by unit, whose options come next."""

    def __init__(self) -> None:
        self._owners: dict[tuple[str, ...], str] = {}

    def see(self, unit: Unit) -> None:
        """Learn what a unit says of the options behind it."""
        if unit.kind == "heading":
            self._owners = {
                headings: name
                for headings, name in self._owners.items()
                if unit.headings[: len(headings)] == headings and unit.headings != headings
            }
            found = _HEADING.fullmatch(unit.quote.strip())
            if found is not None:
                self._owners[unit.headings] = found["name"]
        elif unit.kind == "code":
            found = _USAGE.search(unit.quote)
            if found is not None:
                self._owners[unit.headings] = found["name"]
        elif unit.kind == "sentence" and _ITEM.match(_line(unit)) is None and _OPTIONS.search(unit.quote):
            named = [one for one in _TOLD.finditer(unit.quote) if one["kind"] or " " in one["name"]]
            first = re.match(r"\W*(?:The |Run )?`", unit.quote) is not None
            if len(named) == 1 and (first or unit.headings not in self._owners):
                self._owners[unit.headings] = named[0]["name"]

    def owner(self, unit: Unit) -> str:
        """The command whose options stand at a unit; empty where none was named."""
        for end in range(len(unit.headings), -1, -1):
            name = self._owners.get(unit.headings[:end])
            if name is not None:
                return name
        return ""


def _line(unit: Unit) -> str:
    text = unit.chunk.text
    return text[text.rfind("\n", 0, unit.start) + 1 : unit.end]
