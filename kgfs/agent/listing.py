"""The file tools that list: a directory, and the paths that a pattern names.

Used by ``kgfs.agent.file_tools`` and the editor. No link is followed but the path that is asked for.
"""

from __future__ import annotations

import contextlib
import fnmatch
import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from itertools import islice

from kgfs.agent.opening import kind_of
from kgfs.agent.places import Places
from kgfs.tools.outcome import BadArguments, Value, call_text, done

SHOWN_ENTRIES = 300
SHOWN_MATCHES = 200
_READ_ENTRIES = 100_000
_VISITED = 200_000
_SECONDS = 20.0


def ls(places: Places, path: str = ".") -> Value:
    """The entries of a directory, or the file itself: ``entries`` with name, kind, size, and where a link leads."""
    with places.at(path) as one:
        shown = places.roots.shown(one.location)
        if one.kind != "directory":
            return done(path=shown, entries=[_entry(os.path.basename(one.location), one.status)], total=1, more=False)
    with places.directory(path) as opened, places.translated(path):
        with os.scandir(opened) as entries:
            names = sorted(entry.name for entry in islice(entries, _READ_ENTRIES))
        listed = []
        for name in names[:SHOWN_ENTRIES]:
            with contextlib.suppress(FileNotFoundError):
                listed.append(_entry(name, os.stat(name, dir_fd=opened, follow_symlinks=False), opened))
    value = done(path=shown, entries=listed, total=len(names), more=len(names) > len(listed))
    if len(names) > SHOWN_ENTRIES:
        value["note"] = (
            f"Only the first {SHOWN_ENTRIES} are shown; name fewer by"
            f" {call_text('glob', pattern='PREFIX*', path=shown)}, or use execute: ls | sed -n 301,600p."
        )
    return value


def glob(places: Places, pattern: str, path: str = ".") -> Value:
    """The paths below a directory that a pattern names: ``*``, ``?``, ``[…]`` in a name, ``**`` for any directories."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if pattern.startswith("/") or ".." in parts or not parts or "\0" in pattern:
        raise BadArguments("A pattern is relative to path and has no `..`: notes/**/*.md; pass the directory as path.")
    with places.at(path) as one:
        shown = places.roots.shown(one.location)
        location = one.location.rstrip("/")
    with places.directory(path) as opened, places.translated(path):
        walk = _Walk([re.compile(fnmatch.translate(part)) if part != "**" else None for part in parts], parts)
        found = sorted(islice(walk.matches(opened), SHOWN_MATCHES + 1))
    matches = [places.roots.shown(f"{location}/{_text(name)}") for name in found[:SHOWN_MATCHES]]
    value = done(path=shown, pattern=pattern, matches=matches, more=len(found) > SHOWN_MATCHES or walk.stopped)
    if len(found) > SHOWN_MATCHES:
        value["note"] = f"Only {SHOWN_MATCHES} are shown; use a narrower pattern or a deeper path."
    elif walk.stopped:
        value["note"] = "Not everything was looked at, it is too much; pass a deeper path."
    return value


class _Walk:
    """Looks through directories for what a pattern names, level by level of the pattern."""

    def __init__(self, patterns: Sequence[re.Pattern[str] | None], parts: Sequence[str]) -> None:
        self._patterns = patterns
        self._parts = parts
        self._until = time.monotonic() + _SECONDS
        self._visited = 0
        self.stopped = False
        """Whether it gave up before the end."""

    def matches(self, directory: int) -> Iterator[str]:
        """Each path once, relative to an opened directory."""
        yield from self._below(directory, "", frozenset([0]))

    def _below(self, directory: int, prefix: str, states: frozenset[int]) -> Iterator[str]:
        """``states`` are the parts of the pattern that may come next."""
        states = self._opened(states)
        with os.scandir(directory) as entries:
            for entry in entries:
                self._visited += 1
                if self._visited > _VISITED or time.monotonic() > self._until:
                    self.stopped = True
                    return
                after = self._after(states, entry.name)
                if not after:
                    continue
                last = len(self._parts)
                if last in self._opened(after):
                    yield prefix + entry.name
                if after - {last} and entry.is_dir(follow_symlinks=False):
                    with contextlib.suppress(OSError):
                        inner = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=directory)
                        try:
                            yield from self._below(inner, f"{prefix}{entry.name}/", after)
                        finally:
                            os.close(inner)

    def _opened(self, states: frozenset[int]) -> frozenset[int]:
        """``**`` may also stand for nothing."""
        found = set(states)
        for state in sorted(states):
            while state < len(self._parts) and self._parts[state] == "**":
                state += 1
                found.add(state)
        return frozenset(found)

    def _after(self, states: frozenset[int], name: str) -> frozenset[int]:
        """Which parts may come after a name. Names that begin with a dot or ``@`` are named, as in a shell."""
        after = set()
        for state in states:
            if state == len(self._parts):
                continue
            pattern, part = self._patterns[state], self._parts[state]
            if name[0] in ".@" and part[0] != name[0]:
                continue
            if pattern is None:
                after.add(state)
            elif pattern.match(name):
                after.add(state + 1)
        return frozenset(after)


def _entry(name: str, status: os.stat_result, directory: int | None = None) -> dict[str, object]:
    kind = kind_of(status.st_mode)
    entry: dict[str, object] = {"name": _text(name), "kind": kind}
    if kind == "file":
        entry["size"] = status.st_size
    if stat.S_ISLNK(status.st_mode) and directory is not None:
        with contextlib.suppress(OSError):
            entry["target"] = _text(os.readlink(name, dir_fd=directory))
    return entry


def _text(name: str) -> str:
    """A name as JSON can hold it; one that is not UTF-8 has escapes, and can only be reached by the shell."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
