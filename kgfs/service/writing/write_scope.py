"""Which files ``--write-through`` may write: those in folders of sources that the user trusts this store with.

Used when writing starts, with every pass of it (``write_back``), and by ``kgfs trust``. What a store says of its
sources, and which of its rows are edits, may come from anybody; so the folders are trusted by name, outside of the
store (``kgfs.trust``), with links on their way followed. A folder that comes later is asked for anew.
"""

from __future__ import annotations

import os
import posixpath
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kgfs import trust
from kgfs.counting import counted
from kgfs.errors import RefusedError
from kgfs.names import is_knowledge
from kgfs.store.catalog.database import Database
from kgfs.store.files import disk_rows, sources
from kgfs.store.files.disk_rows import DRIVE
from kgfs.store.files.items import host_path, row_path
from kgfs.store.files.sources import Source

NAMED_FOLDERS = 5


class Scope(NamedTuple):
    """What would be written to; all paths as rows have them."""

    folders: list[str]
    """Folders of sources (a file that is one itself stands for itself), links followed."""
    asked: list[str]
    """Those of them that the user does not trust the store with."""
    written: list[str]
    """Files of edits that wait."""
    removed: list[str]
    """Files that would be removed."""


def scope(store: Path, database: Database) -> Scope:
    """What the store would write to now."""
    with database.read(snapshot=True) as cursor:
        known = [one for one in sources.sources(cursor) if one.drive == DRIVE]
        rows, gone = disk_rows.unwritten_rows(cursor), disk_rows.left_files(cursor)
    written = [row.path for row in rows if row.source_hash or is_knowledge(posixpath.basename(row.path))]
    folders, given = sorted({_folder(one) for one in known}), _trusted(store)
    asked = [folder for folder in folders if not _covered(folder, given)]
    return Scope(folders, asked, written, sorted(gone.keys() - set(written)))


def trusted(store: Path, known: Sequence[Source]) -> list[Source]:
    """Those of the sources whose folders the user trusts this store to write to, or folders around them."""
    folders = _trusted(store)
    return [one for one in known if _covered(_folder(one), folders)]


def require(store: Path, database: Database) -> None:
    """``RefusedError`` unless the user trusts the store to write to the folders of all its sources."""
    there = scope(store, database)
    if not there.asked:
        return
    more = len(there.asked) - NAMED_FOLDERS
    named = ", ".join(there.asked[:NAMED_FOLDERS]) + (f" and {more:,} more" if more > 0 else "")
    waiting = counted(len(there.written) + len(there.removed), "edit")
    raise RefusedError(
        f"--write-through would write to {named} ({waiting} waiting); if you mean it, say"
        f" `kgfs trust {trust.WRITE_THROUGH} --store {shlex.quote(os.fspath(store))}` once."
    )


def _trusted(store: Path) -> list[str]:
    given = trust.trusted(store).get(trust.WRITE_THROUGH, [])
    return [one for one in given if isinstance(one, str)] if isinstance(given, list) else []


def _covered(folder: str, folders: Sequence[str]) -> bool:
    return any(folder == one or folder.startswith(one.rstrip("/") + "/") for one in folders)


def _folder(source: Source) -> str:
    return row_path(os.path.realpath(host_path(source.path)))
