"""The log of changes beside the catalog (``catalog.duckdb.wal``): whether all of it can be read, and what to do if not.

Used by ``kgfs.store.catalog.database`` before the engine opens a catalog that was not closed, and by ``kgfs fsck``. The
engine refuses a log in which a checksum is wrong. But it takes an entry that reaches beyond the end for one whose
writing was cut short, and forgets it with all that follows; one changed bit in the length of an entry does that, too.
Here the two are told apart: behind an entry that was cut short there is no commit.

The format (DuckDB 1.4 and 2.0, versions 2 and 3): an entry that names the version, then entries of eight bytes with the
length, eight with the checksum, and the data.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

from kgfs.errors import DamagedLog, NotFoundError

WAL = ".wal"
_HEADER = re.compile(
    rb"d\x00be\x00[\x01-\x03](?:f\x00\x10(?:[\x80-\xff]\x01|[\x00-\x7f]){16})?(?:g\x00[\x80-\xff]*[\x00-\x7f])?\xff\xff"
)
"""The first entry: its kind, the version, and from version 2 on the catalog that it belongs to and its round."""
_END = b"\xff\xff"
"""The end of each entry's data."""
_PREFIX = 16
_COMMIT = b"d\x00d\xff\xff"
"""The data of an entry that ends a transaction."""
_PLACE = re.compile(r"entry at byte position (\d+)")


def require_whole(catalog: Path) -> None:
    """``DamagedLog`` where a commit in the catalog's log would be left out without a word."""
    log = log_of(catalog)
    try:
        data = log.read_bytes()
    except FileNotFoundError:
        return
    last = entries(data)[-1]
    if last < len(data) and _COMMIT in data[last:]:
        raise damaged(catalog, last)


def damaged(catalog: Path, place: int) -> DamagedLog:
    """What it means that a log cannot be read from a byte on."""
    log = log_of(catalog)
    return DamagedLog(
        f"The log {log} of what was written last is damaged (at byte {place:,} of {log.stat().st_size:,}), so the store"
        " is not opened. `kgfs fsck --repair` goes on with what stands before that and keeps the damaged log; a backup"
        " may have more.",
        str(log),
        place,
    )


def refused(catalog: Path, said: str) -> DamagedLog:
    """What it means that the engine, which says why, refuses a log."""
    place = _PLACE.search(said)
    if place is None:
        return damaged(catalog, 0)
    found = entries(log_of(catalog).read_bytes())
    return damaged(catalog, max((entry for entry in found if entry <= int(place[1])), default=0))


def cut(catalog: Path, place: int) -> Path:
    """Leave out what stands from this byte on; returns where all of the log is kept. ``NotFoundError`` where there is
    none. Nobody may have the catalog open."""
    log = log_of(catalog)
    if not log.exists():
        raise NotFoundError(f"There is no {log}.")
    kept = log.with_name(f"{log.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    shutil.copy2(log, kept)
    with contextlib.ExitStack() as opened:
        for path in (kept, log):
            file = opened.enter_context(path.open("r+b"))
            if path == log:
                file.truncate(place)
            os.fsync(file.fileno())
    return kept


def has_more(catalog: Path, place: int) -> bool:
    """Whether a log goes on behind a byte."""
    log = log_of(catalog)
    return log.exists() and log.stat().st_size > place


def log_of(catalog: Path) -> Path:
    """Where the log of a catalog is."""
    return Path(f"{catalog}{WAL}")


def entries(data: bytes) -> list[int]:
    """Where the entries of a log begin, and at last where what can be followed ends: at the end of a whole log."""
    header = _HEADER.match(data)
    if header is None:
        return [0]
    found = [header.end()]
    while len(data) - found[-1] >= _PREFIX:
        at = found[-1]
        end = at + _PREFIX + int.from_bytes(data[at : at + 8], "little")
        if end > len(data) or data[end - len(_END) : end] != _END:
            break
        found.append(end)
    return found
