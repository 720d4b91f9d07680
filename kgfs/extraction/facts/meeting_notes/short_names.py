"""Whom minutes mean by a given name: ``Present: Ann, Bob R., cray``, where one person alone of the folder is called so.

Used by ``minutes``; pure. Those who know each other write no surnames. A name that two persons have is nobody's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from kgfs.documents.suggestions.attendance_names import attendance_names
from kgfs.names import without_accents

_PART = re.compile(
    r"(?P<lead>^[ *_]*|[,;&][ *_]*|\band )(?P<said>@?[^\W\d_][\w'’-]*(?: [A-Z]\.?)?)(?=[ *_.]*(?:$|[,;&(]| and ))"
)
"""A name of one word, with the first letter of another or without, that is the whole of a part of a list."""


class ShortNames:
    """The persons on the lists of attendance of a folder, and of one document of it."""

    def __init__(self, title: str, text: str, everybody: Iterable[str]) -> None:
        """``everybody`` are the full names on the lists of all documents."""
        self._own = _by_short_name(term.name for term in attendance_names(title, text))
        self._all = _by_short_name(everybody)
        self.meant: set[str] = set()
        """The persons for whom a short name stood: they are somebody, whatever the words of their names."""

    def written_out(self, line: str) -> str:
        """A list with full names in the place of those that are short and mean one person.

        Who is listed in full is not the one that the list calls by a given name, too.
        """
        listed = {name for names in (*self._own.values(), *self._all.values()) for name in names if name in line}

        def full(part: re.Match[str]) -> str:
            meant = self._whom(part["said"]) - listed
            if len(meant) != 1:
                return part[0]
            self.meant |= meant
            return part["lead"] + next(iter(meant))

        return _PART.sub(full, line)

    def _whom(self, said: str) -> set[str]:
        key = _plain(said.strip(".@"))
        return self._own.get(key) or self._all.get(key, set())


def _by_short_name(names: Iterable[str]) -> dict[str, set[str]]:
    """Full names by their given names, those with the first letter of the surname, and usual handles."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name in {_plain(name): name for name in names}.values():  # with accents or without, one is one
        given, *_, surname = _plain(name).split()
        for short in (given, f"{given} {surname[0]}", given[0] + surname, given + surname):
            found[short].add(name)
    return found


def _plain(name: str) -> str:
    """A name in small letters without accents."""
    return without_accents(name.casefold())
