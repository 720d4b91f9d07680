"""What goes wrong with the catalog's engine and its disk, as errors that a user understands.

Used by ``kgfs.store.catalog.database``, on any thread.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import _duckdb as duckdb

from kgfs.errors import DamagedCatalog, DiskReadOnly, KgfsError, NoSpaceError, StoreError, StoreLocked
from kgfs.store.catalog import change_log

_LOCK_HOLDER = re.compile(r"\(PID (\d+)\)")
_FULL = re.compile("No space left on device|Disk quota exceeded")
_READ_ONLY = "Read-only file system"
_OF_LOG = "replaying WAL file"
_FAILING = re.compile("Input/output error|Transport endpoint is not connected|Stale file handle|Remote I/O error")


def is_of_disk(error: duckdb.Error) -> bool:
    """Whether the disk refused or failed: no fault of a statement, whatever class the engine gives it."""
    text = str(error)
    return bool(_FULL.search(text) or _READ_ONLY in text or _FAILING.search(text))


def is_invalid(error: duckdb.Error) -> bool:
    """Whether the engine gave the open catalog up, as a full disk at a checkpoint makes it do."""
    return isinstance(error, duckdb.FatalException) or "database has been invalidated" in str(error)


def is_damage(error: duckdb.Error) -> bool:
    """Whether a block of the catalog is not what was written."""
    return "Corrupt database file" in str(error)


def damaged(error: duckdb.Error, path: Path) -> DamagedCatalog:
    """What it means that a block of an open catalog cannot be read."""
    return DamagedCatalog(
        f"A part of the catalog {path} is damaged ({str(error).splitlines()[0]}); `kgfs fsck` says what is in it, and"
        " `kgfs fsck --repair` keeps all else."
    )


def require_free(directory: Path, reserve: int) -> None:
    """``NoSpaceError`` where a directory's disk has fewer than ``reserve`` bytes free."""
    status = os.statvfs(directory)
    free = status.f_bavail * status.f_frsize
    if free < reserve:
        raise NoSpaceError(
            f"Only {free // (1 << 20)} MiB are free where the store {directory} lies and {reserve // (1 << 20)} MiB are"
            " kept in reserve; free some space and try again, nothing was lost."
        )


def os_explained(error: OSError, store: Path) -> KgfsError:
    """What it means that a store could not be made."""
    return StoreError(f"The store {store} cannot be made ({error.strerror}); choose another place with --store.")


def explained(error: duckdb.Error, path: Path) -> KgfsError:
    """What an error of the engine means to the user. A fault in our SQL is raised: no user can mend it."""
    text = str(error)
    if isinstance(error, duckdb.ProgrammingError) and not is_of_disk(error):
        raise error
    if "Could not set lock" in text or "Conflicting lock" in text:
        holder = _LOCK_HOLDER.search(text)
        who = f"process {holder[1]}" if holder else "another process"
        return StoreLocked(f"The store {path.parent} is open in {who}; wait until that ends, or end it.")
    if _FULL.search(text):
        return NoSpaceError(
            f"The disk that holds the store {path.parent} is full; free some space and try again, nothing was lost."
        )
    if "Permission denied" in text:
        return StoreError(f"The store {path.parent} may not be read and written by you; fix its permissions.")
    if _READ_ONLY in text:
        return DiskReadOnly(
            f"The store {path.parent} is on a file system that is read-only; make it writable, or copy the store to"
            " where one may write and name the copy with --store. Nothing was written."
        )
    failing = _FAILING.search(text)
    if failing is not None:
        return StoreError(
            f"The disk that holds the store {path.parent} fails ({failing[0]}); nothing of this was written. Look at"
            " the disk, then run `kgfs fsck`."
        )
    if is_invalid(error):
        return StoreError(f"The store {path.parent} had to be opened again; try once more ({text.splitlines()[0]}).")
    if _OF_LOG in text and change_log.log_of(path).exists():
        return change_log.refused(path, text)
    return StoreError(
        f"The catalog {path} is damaged or not a catalog ({text.splitlines()[0]}); restore a backup, or move it away"
        " and add the sources again."
    )
