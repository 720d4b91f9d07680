"""How many files of each source changed, came and went since it was read, for ``kgfs status``.

Used by the service, on the thread that asks; the looking is done on a thread of its own, which is left to itself when
a file system does not answer. Answers are kept for some seconds, and until something was read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from kgfs.config import is_store
from kgfs.errors import KgfsError
from kgfs.sources import source_roots
from kgfs.sources.comparison import compare_source
from kgfs.store.catalog.database import Database
from kgfs.store.files import items, sources
from kgfs.store.files.sources import Source

LOOK_SECONDS = 1.0
"""How long all sources together may be looked at; beyond it a count is a lower bound."""
PATIENCE_SECONDS = 0.5
"""How long a caller waits for that look: a file system that does not answer holds the thread that asks it."""
KEPT_SECONDS = 5.0


class SourceState(msgspec.Struct, kw_only=True):
    """A source and what is seen of it on disk."""

    name: str
    ref: str
    path: str
    items: int
    changed: int = 0
    new: int = 0
    vanished: int = 0
    complete: bool = False
    """Whether all of its files were looked at; if not, the numbers are lower bounds."""
    missing: bool = False
    problem: str = ""
    """Why what is not seen may be out of reach."""


class SourceChanges:
    """Looks at the sources of one store."""

    def __init__(self, database: Database, is_ours: Callable[[Path], bool] = is_store) -> None:
        self._database = database
        self._is_ours = is_ours
        self._asking = threading.Lock()
        self._looking: threading.Thread | None = None
        self._version = 0
        self._kept: tuple[float, int, list[SourceState]] | None = None

    def forget(self) -> None:
        """Something was read or removed: what was seen before is not true any more."""
        self._version += 1

    def describe(self) -> list[dict[str, Any]]:
        """Every source, in order of name, as ``SourceState``. Takes ``LOOK_SECONDS`` at most, or a little more."""
        with self._asking:
            version = self._version
            kept = self._kept
            if kept is not None and kept[1] == version and time.monotonic() - kept[0] < KEPT_SECONDS:
                return msgspec.to_builtins(kept[2])  # type: ignore[no-any-return]
            states = self._look()
            if all(state.complete for state in states):
                self._kept = (time.monotonic(), version, states)
            return msgspec.to_builtins(states)  # type: ignore[no-any-return]

    def _look(self) -> list[SourceState]:
        with self._database.read() as cursor:
            found = sources.sources(cursor)
            counts = {source.id: sources.count_members(cursor, source.id) for source in found}
        states = [
            SourceState(
                name=source.name,
                ref=items.ref(source.drive, source.path),
                path=str(source.options.get("url") or source.path),
                items=counts[source.id],
                complete=source.drive != "disk",  # what became of a page only loading it would tell
            )
            for source in found
        ]  # fmt: skip
        if self._looking is not None and self._looking.is_alive():
            return states  # held by a file system that does not answer
        deadline = time.monotonic() + LOOK_SECONDS
        seen: dict[int, SourceState] = {}
        work = [(number, source, states[number]) for number, source in enumerate(found) if source.drive == "disk"]
        self._looking = threading.Thread(
            target=self._look_at, args=(work, deadline, seen), name="source-changes", daemon=True
        )
        self._looking.start()
        self._looking.join(LOOK_SECONDS + PATIENCE_SECONDS)
        return [seen.get(number, state) for number, state in enumerate(states)]

    def _look_at(
        self, work: list[tuple[int, Source, SourceState]], deadline: float, seen: dict[int, SourceState]
    ) -> None:
        for position, (number, source, state) in enumerate(work):
            now = time.monotonic()
            share = now + max(0.0, deadline - now) / (len(work) - position)
            try:
                seen[number] = self._compare(source, state, share)
            except (KgfsError, OSError):  # the store is being closed, or options of another version
                return

    def _compare(self, source: Source, state: SourceState, deadline: float) -> SourceState:
        place = Path(items.host_path(source.path))
        if source_roots.is_missing(place):
            return msgspec.structs.replace(state, missing=True, complete=True)
        with self._database.read(snapshot=True) as cursor:
            known = items.known_files(cursor, source.drive, source.path)
            members = sources.members(cursor, source.id)
        found = compare_source(
            source, known, members, is_ours=self._is_ours, stop=lambda: time.monotonic() > deadline, again=False
        )
        problem = None
        if found.vanished:
            files = [Path(items.host_path(path)) for path in members]
            problem = source_roots.out_of_reach_reason(place, source_roots.decode_root(source.root), files)
        return msgspec.structs.replace(
            state,
            changed=len(found.changed),
            new=len(found.new),
            vanished=len(found.vanished),
            complete=found.whole,
            problem=problem or "",
        )
