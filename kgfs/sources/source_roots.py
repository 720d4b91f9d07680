"""What stands at the path of a source: tells a folder whose files are gone from one that is not mounted now.

Used by the pipeline (which notes it), by refreshing (which removes nothing that may only be out of reach) and by
``kgfs watch``. Asks the file system for the status of a few paths; no thread of its own.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

import msgspec

from kgfs.model import prepared
from kgfs.mounts import all_mounts
from kgfs.store.files.items import host_path, row_path

SAMPLE = 500
"""So many of a source's files are looked for where its folder is another than it was."""


class SourceRoot(msgspec.Struct, frozen=True, kw_only=True):
    """What stood at a source's path."""

    device: int
    inode: int
    directory: bool
    mounts: list[str] = []
    """Mountpoints beneath that were walked into (``--cross-device``), relative, written as rows have paths."""

    def encode(self) -> str:
        """As the row of the source has it."""
        return msgspec.json.encode(self).decode()

    def same(self, other: SourceRoot) -> bool:
        """Whether it is the very same file or folder."""
        return (self.device, self.inode, self.directory) == (other.device, other.inode, other.directory)


def decode_root(text: str | None) -> SourceRoot | None:
    """A root as a row has it; ``None`` where none was noted."""
    try:
        return None if text is None else msgspec.json.decode(text, type=prepared(SourceRoot))
    except msgspec.DecodeError:
        return None


def read_root(path: Path, *, cross_device: bool = False) -> SourceRoot | None:
    """What stands at ``path`` now; ``None`` where nothing can be seen. ``cross_device``: with the mounts beneath."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    beneath = sorted(_mounts_beneath(path)) if cross_device else []
    return SourceRoot(device=status.st_dev, inode=status.st_ino, directory=stat.S_ISDIR(status.st_mode), mounts=beneath)


def read_roots(paths: Sequence[Path], *, cross_device: bool = False) -> dict[Path, SourceRoot]:
    """What stands at each of ``paths`` where anything can be seen: to be asked before they are looked through, as what
    was read is from there, whatever stands there at the end."""
    seen = ((path, read_root(path, cross_device=cross_device)) for path in paths)
    return {path: root for path, root in seen if root is not None}


def is_missing(path: Path) -> bool:
    """Whether there is nothing at ``path`` (what may not be entered is there)."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def out_of_reach_reason(path: Path, noted: SourceRoot | None, known: Sequence[Path]) -> str | None:
    """Why files that are not found in a source may be out of reach instead of gone; ``None`` where they are gone.

    ``noted`` is what stood at ``path``, ``known`` the files that were read from there. What was made anew is the source
    as long as half of its files are there: a clone, a restored backup, a disk that has another device number now.
    """
    now = read_root(path)
    if now is None:
        return "it is not there (deleted, moved, or its disk is not mounted)"
    if noted is None:  # added by an older version
        return "it is empty (is its disk mounted?)" if known and now.directory and _is_empty(path) else None
    if noted.same(now):
        return None
    chosen = known[:: max(1, len(known) // SAMPLE)]
    if sum(map(os.path.lexists, chosen)) * 2 >= len(chosen):
        return None
    state = "empty and" if now.directory and _is_empty(path) else "there but"
    return f"it is {state} not the {'folder' if noted.directory else 'file'} that was read (is its disk mounted?)"


def unmounted_folders(path: Path, noted: SourceRoot | None) -> list[Path]:
    """The folders beneath a source that were mountpoints and are none now: what was read there is out of reach."""
    if noted is None or not noted.mounts:
        return []
    present = _mounts_beneath(path)
    return [path / host_path(mount) for mount in noted.mounts if mount not in present]


def _mounts_beneath(path: Path) -> set[str]:
    root = Path(os.path.realpath(path))
    try:
        mounts = all_mounts()
    except OSError:
        return set()
    return {
        row_path(mount.mountpoint.relative_to(root))
        for mount in mounts
        if mount.mountpoint != root and mount.mountpoint.is_relative_to(root)
    }


def _is_empty(path: Path) -> bool:
    try:
        with os.scandir(path) as entries:
            return next(entries, None) is None
    except OSError:
        return True
