"""What a session changed, as kinds and as a patch, and what has changed in its base since.

Used by the service: ``changes`` for ``session diff``, ``patch`` for its text, ``conflicts`` before a commit. Only
directories that the session changed something in are looked into.
"""

from __future__ import annotations

import difflib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from kgfs.agentfs.overlays.copy_up import digest, is_absent
from kgfs.agentfs.overlays.overlay import Overlay
from kgfs.agentfs.overlays.overlay_notes import BaseNote
from kgfs.filesystem import ROOT, Entry, FileSystem, Stat

TEXT_BYTES = 1 << 20
"""A file that is larger is not shown as text."""
_PIECE = 1 << 20
_WORDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}

Kind = Literal["A", "M", "D"]


class Change(msgspec.Struct, frozen=True):
    """One path that is not as it was: added, modified or removed. A removed directory is one change."""

    kind: Kind
    path: bytes
    """From the root, without a slash in front."""
    what: str
    """Its type, or that of what was removed: ``file``, ``directory``, ``symlink``, ``fifo``, ``socket``, ``device``."""
    ours: Stat | None
    """What the session has there; none where it was removed."""
    base: Stat | None
    """What the base has there now, with the base's inode number; none where it has nothing."""


class Conflict(msgspec.Struct, frozen=True):
    """A change of a path that somebody else has changed in the base since the session began to change it."""

    change: Change
    reason: str
    """A sentence."""
    then: BaseNote | None
    """What the base was like; none where it had nothing, or nobody noted it."""


def changes(overlay: Overlay) -> Sequence[Change]:
    """Everything that the session changed, sorted by path."""
    overlay.sync()
    return sorted(_Walk(overlay).directory(b"", ROOT, ROOT), key=lambda change: change.path)


def conflicts(overlay: Overlay, found: Sequence[Change] | None = None) -> Sequence[Conflict]:
    """The changes (all, if none are given) whose place in the base is not what the session saw there."""
    if found is None:
        found = changes(overlay)
    conflicting = []
    for change in found:
        then = overlay.notes.seen(b"/" + change.path)
        reason = _reason(overlay, change, then)
        if reason:
            conflicting.append(Conflict(change, reason, then))
    return conflicting


def base_then(conflict: Conflict) -> bytes | None:
    """The bytes, or the target, that the base had; none where they were not kept, since they were many."""
    return conflict.then.body if conflict.then is not None else None


def base_now(overlay: Overlay, change: Change) -> bytes | None:
    """The bytes, or the target, that the base has; none where there are none."""
    return _content(overlay.base, change.base) if change.base is not None else None


def ours(overlay: Overlay, change: Change) -> bytes | None:
    """The bytes, or the target, that the session has; none where there are none."""
    return _content(overlay, change.ours) if change.ours is not None else None


def patch(overlay: Overlay, change: Change) -> str:
    """A change as a unified diff from what the base has now; a sentence where it is no text. Empty for directories."""
    name = os.fsdecode(change.path).encode("utf-8", "backslashreplace").decode()
    lines = []
    before, after = change.base, change.ours
    if before is not None and after is not None and stat.S_IMODE(before.mode) != stat.S_IMODE(after.mode):
        lines += [f"old mode {before.mode:06o}\n", f"new mode {after.mode:06o}\n"]
    elif before is None and after is not None and not stat.S_ISDIR(after.mode):
        lines.append(f"new file mode {after.mode:06o}\n")
    elif after is None and before is not None and not stat.S_ISDIR(before.mode):
        lines.append(f"deleted file mode {before.mode:06o}\n")
    old, new = _lines(overlay.base, before), _lines(overlay, after)
    old_name = f"a/{name}" if before is not None else "/dev/null"
    new_name = f"b/{name}" if after is not None else "/dev/null"
    if old is None or new is None:
        if not (before is not None and after is not None and _same_bytes(overlay, before, after)):
            lines.append(f"Binary files {old_name} and {new_name} differ\n")
    else:
        for line in difflib.unified_diff(old, new, old_name, new_name):
            lines.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join([f"diff --git a/{name} b/{name}\n", *lines]) if lines else ""


# --- what was changed ------------------------------------------------------------------------------------------------


class _Walk:
    """A walk over what a session changed."""

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay

    def directory(self, path: bytes, ino: int, base: int) -> Iterator[Change]:
        """The changes in a directory of the session; ``base`` is what the base has there, or 0."""
        # The base first: what comes to it meanwhile must not look as if it was removed here.
        beneath = {entry.name: entry for entry in _listed(self._overlay.base, base)} if base else {}
        entries = {entry.name: entry for entry in self._overlay.list(ino)}
        for name in entries.keys() | beneath.keys():
            place = path + b"/" + name if path else name
            yield from self._entry(place, entries.get(name), beneath.get(name))

    def _entry(self, path: bytes, ours: Entry | None, base: Entry | None) -> Iterator[Change]:
        overlay = self._overlay
        if ours is not None and not overlay.is_changed(ours.ino):
            return
        now = _stat(overlay.base, base)
        after = _stat(overlay, ours)
        if after is None:
            # What came into the base behind a directory that was made in the session was not removed by it.
            if now is not None and overlay.notes.seen(b"/" + path) is not None:
                yield Change("D", path, _WORDS[stat.S_IFMT(now.mode)], None, now)
            return
        kind: Kind = "A" if now is None and overlay.notes.seen(b"/" + path) is None else "M"
        if now is None or not self._is_same(path, after, now):
            yield Change(kind, path, _WORDS[stat.S_IFMT(after.mode)], after, now)
        if stat.S_ISDIR(after.mode):
            inside = now.ino if now is not None and stat.S_ISDIR(now.mode) else 0
            yield from self.directory(path, after.ino, inside)

    def _is_same(self, path: bytes, after: Stat, now: Stat) -> bool:
        """Whether it is what the base has, or what it had when it was copied up, which then nobody changed here."""
        overlay = self._overlay
        if after.mode == now.mode and after.rdev == now.rdev and _same_bytes(overlay, now, after):
            return True
        then = overlay.notes.seen(b"/" + path)
        return then is not None and after.mode == then.mode and _is_as_noted(overlay, after, then)


def _same_bytes(overlay: Overlay, base: Stat, after: Stat) -> bool:
    if stat.S_IFMT(base.mode) != stat.S_IFMT(after.mode):
        return False
    if stat.S_ISLNK(after.mode):
        return overlay.readlink(after.ino) == overlay.base.readlink(base.ino)
    if not stat.S_ISREG(after.mode):
        return True
    offset = 0
    while True:
        ours, theirs = overlay.read(after.ino, offset, _PIECE), overlay.base.read(base.ino, offset, _PIECE)
        if ours != theirs:
            return False
        if len(ours) < _PIECE:
            return True
        offset += _PIECE


def _is_as_noted(files: FileSystem, found: Stat, then: BaseNote) -> bool:
    """Whether something has the bytes that were noted; where none were, whether size and time are the same."""
    if stat.S_ISLNK(found.mode):
        return files.readlink(found.ino) == then.body
    if not stat.S_ISREG(found.mode):
        return True
    if then.digest is None:
        return (found.size, found.mtime_ns) == (then.size, then.mtime_ns)
    return digest(files, found.ino) == then.digest


# --- what changed beneath --------------------------------------------------------------------------------------------


def _reason(overlay: Overlay, change: Change, then: BaseNote | None) -> str:
    now = change.base
    if change.kind == "A" or then is None:
        if now is None or (change.ours is not None and stat.S_ISDIR(now.mode) and stat.S_ISDIR(change.ours.mode)):
            return ""
        if then is None:
            return "The base got something there meanwhile."
    assert then is not None
    if now is None:
        return "The base has it no more." if change.kind == "M" else ""
    if stat.S_IFMT(now.mode) != stat.S_IFMT(then.mode):
        return f"In the base it became a {_WORDS[stat.S_IFMT(now.mode)]}."
    if stat.S_ISDIR(now.mode):
        return _new_inside(overlay, change) if change.kind == "D" else ""
    if not _is_as_noted(overlay.base, now, then):
        return "The base has other contents now."
    if now.mode != then.mode:
        return "The base has other permissions now."
    return ""


def _new_inside(overlay: Overlay, change: Change) -> str:
    """Whether a directory that was removed has something in the base that the session did not remove."""
    assert change.base is not None
    stack = [(b"/" + change.path, change.base.ino)]
    while stack:
        path, ino = stack.pop()
        out = overlay.notes.whiteouts(path)
        for entry in _listed(overlay.base, ino):
            place = path + b"/" + entry.name
            if entry.name not in out:
                return "The base got something in it meanwhile."
            found, then = _stat(overlay.base, entry), overlay.notes.seen(place)
            if found is None or then is None:
                continue
            if stat.S_ISDIR(found.mode):
                stack.append((place, entry.ino))
            elif not _is_as_noted(overlay.base, found, then):
                return "In the base something in it has other contents now."
    return ""


def _listed(files: FileSystem, ino: int) -> Sequence[Entry]:
    try:
        return files.list(ino)
    except OSError as error:
        if is_absent(error):
            return ()
        raise


def _stat(files: FileSystem, entry: Entry | None) -> Stat | None:
    if entry is None:
        return None
    try:
        return files.getattr(entry.ino)
    except OSError as error:
        if error.errno == errno.ENOENT:
            return None
        raise


def _content(files: FileSystem, found: Stat) -> bytes | None:
    """The bytes of a file that is not too large, or the target of a link."""
    if stat.S_ISLNK(found.mode):
        return files.readlink(found.ino)
    if not stat.S_ISREG(found.mode) or found.size > TEXT_BYTES:
        return None
    return files.read(found.ino, 0, TEXT_BYTES)


def _lines(files: FileSystem, found: Stat | None) -> list[str] | None:
    """The lines of a text; none of what is no text."""
    if found is None or stat.S_ISDIR(found.mode):
        return []
    content = _content(files, found)
    if content is None or b"\0" in content:
        return None
    try:
        return content.decode().splitlines(keepends=True)
    except UnicodeDecodeError:
        return None
