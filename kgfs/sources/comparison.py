"""What differs between a source on disk and the rows that were read from it, told by names, sizes and times alone.

Used by refreshing (on the jobs thread) and by ``status`` (on a thread of its own, which it may give up waiting for).
Looks at files and never reads one.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from pathlib import Path

import msgspec

from kgfs.sources.source_roots import decode_root, unmounted_folders
from kgfs.sources.walking import SkippedPath, WalkedFile, walk_files
from kgfs.store.files import items
from kgfs.store.files.items import KnownFile
from kgfs.store.files.sources import Source

LEFT_OUT = "known, left out now"
"""For ``skipped``: a stored file that is still there, and that an ignore file or the like leaves out now."""

UNREACHABLE = "out of reach"
"""For ``skipped``: a stored file of which the system does not say whether it is there."""


class SourceComparison(msgspec.Struct, kw_only=True):
    """A source, or parts of it, beside its rows."""

    walked: list[WalkedFile] = []
    """Every file that there is now."""
    new: list[WalkedFile] = []
    changed: list[tuple[WalkedFile, KnownFile]] = []
    """Size or time is another, or may only seem the same; also those that could not be read the last time."""
    vanished: list[KnownFile] = []
    """Certainly not there any more, provided that the source itself is."""
    unchanged: int = 0
    skipped: Counter[str] = Counter()
    unreadable: list[SkippedPath] = []
    whole: bool = True
    """False where it was stopped before the end."""


def compare_source(
    source: Source,
    known: Mapping[str, KnownFile],
    members: Mapping[str, KnownFile],
    *,
    only: Collection[str] | None = None,
    is_ours: Callable[[Path], bool] | None = None,
    stop: Callable[[], bool] | None = None,
    again: bool = True,
) -> SourceComparison:
    """Compare the files of a source with rows: ``known`` are all at or beneath its path, ``members`` the source's own.

    ``only`` are paths, as rows have them, to which it is limited. ``stop`` is asked now and then. ``again`` takes what
    failed, and what was written too shortly before it was read to be sure, for changed. ``NotFoundError`` where there
    is nothing at the source's path; ``UsageError`` for options that cannot be read.
    """
    found = SourceComparison(skipped=Counter())
    root = Path(items.host_path(source.path))
    places = None if only is None else [Path(items.host_path(path)) for path in only]
    seen: set[str] = set()
    for number, entry in enumerate(
        walk_files(
            root,
            exclude=source.options.get("exclude", ()),
            hidden=bool(source.options.get("hidden")),
            cross_device=bool(source.options.get("cross_device")),
            is_ours=is_ours,
            only=places,
        )
    ):
        if stop is not None and number % 64 == 0 and stop():
            found.whole = False
            return found
        if isinstance(entry, SkippedPath):
            if entry.reason == "unreadable":
                found.unreadable.append(entry)
            else:
                found.skipped[entry.reason] += 1
            continue
        path = items.row_path(entry.path)
        seen.add(path)
        _sort(found, entry, known.get(path), again)
    away = unmounted_folders(root, decode_root(source.root))
    chosen = None if only is None else {path.rstrip("/") for path in only}
    for number, (path, row) in enumerate(members.items()):
        if stop is not None and number % 64 == 0 and stop():
            found.whole = False
            return found
        if path not in seen and (chosen is None or is_within(path, chosen)):
            _sort_missing(found, row, away)
    return found


def _sort(found: SourceComparison, file: WalkedFile, row: KnownFile | None, again: bool) -> None:
    found.walked.append(file)
    if row is None:
        found.new.append(file)
        return
    # An edited row has a size of its own.
    same = row.mtime_ns == file.mtime_ns and (row.edited or row.size == file.size)
    if same and not (again and (row.racy or row.error is not None)):
        found.unchanged += 1
    else:
        found.changed.append((file, row))


class FilePresence(Enum):
    """Whether a stored file is still there."""

    THERE = "there"
    GONE = "gone"
    UNKNOWN = "unknown"


def file_presence(path: Path) -> FilePresence:
    """Whether a file, or a link to one, stands at ``path``; ``UNKNOWN`` where the system does not say."""
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return FilePresence.GONE
    except (OSError, ValueError):
        return FilePresence.UNKNOWN
    return FilePresence.THERE if stat.S_ISREG(mode) or stat.S_ISLNK(mode) else FilePresence.GONE


def _sort_missing(found: SourceComparison, row: KnownFile, away: Sequence[Path]) -> None:
    path = Path(items.host_path(row.path))
    # Of a folder that cannot be read nothing is certain, whatever the system says of a name in it.
    closed = any(path.is_relative_to(entry.path) for entry in found.unreadable)
    here = (
        FilePresence.UNKNOWN if closed or any(path.is_relative_to(folder) for folder in away) else file_presence(path)
    )
    if here is FilePresence.GONE:
        found.vanished.append(row)
    elif here is FilePresence.UNKNOWN:
        found.skipped[UNREACHABLE] += 1
    else:
        found.skipped[LEFT_OUT] += 1


def is_within(path: str, places: Collection[str]) -> bool:
    """Whether a row's path is one of ``places`` (a set, no slash at their ends) or lies beneath one."""
    while path:
        if path in places:
            return True
        path = path.rpartition("/")[0]
    return "" in places
