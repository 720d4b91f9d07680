"""What goes wrong with the catalog's engine and its disk, as errors that a user understands.

Used by ``kgfs.store.database``, on any thread.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import _duckdb as duckdb

from kgfs.errors import KgfsError, NoSpaceError, StoreError, StoreLocked

_LOCK_HOLDER = re.compile(r"\(PID (\d+)\)")


def is_full(error: duckdb.Error) -> bool:
    """Whether the disk is full."""
    return "No space left on device" in str(error)


def is_invalid(error: duckdb.Error) -> bool:
    """Whether the engine gave the open catalog up, as a full disk at a checkpoint makes it do."""
    return isinstance(error, duckdb.FatalException) or "database has been invalidated" in str(error)


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
    if isinstance(error, duckdb.ProgrammingError):
        raise error
    text = str(error)
    if "Could not set lock" in text or "Conflicting lock" in text:
        holder = _LOCK_HOLDER.search(text)
        who = f"process {holder[1]}" if holder else "another process"
        return StoreLocked(f"The store {path.parent} is open in {who}; wait until that ends, or end it.")
    if is_full(error):
        return NoSpaceError(
            f"The disk that holds the store {path.parent} is full; free some space and try again, nothing was lost."
        )
    if "Permission denied" in text:
        return StoreError(f"The store {path.parent} may not be read and written by you; fix its permissions.")
    if "Read-only file system" in text:
        return StoreError(
            f"The store {path.parent} is on a file system that is read-only; copy it to where one may write and name"
            " the copy with --store."
        )
    if is_invalid(error):
        return StoreError(f"The store {path.parent} had to be opened again; try once more ({text.splitlines()[0]}).")
    return StoreError(
        f"The catalog {path} is damaged or not a catalog ({text.splitlines()[0]}); restore a backup, or move it away"
        " and add the sources again."
    )
