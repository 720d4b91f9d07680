"""What was changed in a session becomes true outside: each change is done again where it means something.

Used by ``service.agents.sessions``, on the thread of the request. Stored files pass the gate as those of any other
writer, the workspace gets copies, some edits of pages are annotations. What was done leaves the session; what means
nothing outside, and what somebody else changed meanwhile, stays in it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from kgfs.agentfs.exchange.copying import Copy
from kgfs.agentfs.overlays import session_diff
from kgfs.agentfs.overlays.overlay import Overlay
from kgfs.agentfs.overlays.session_diff import Change, Conflict
from kgfs.errors import Cancelled, ChangedError, ExistsError, KgfsError, NotFoundError
from kgfs.filesystem import ROOT, Entry, FileSystem, Stat
from kgfs.names import name_text, one_line
from kgfs.namespace import xattrs
from kgfs.namespace.attributes import DIRECTORY_MODE, FILE_MODE
from kgfs.namespace.context_names import encode_component, path_of
from kgfs.progress import Cancel
from kgfs.store.files.drive_rows import NewAttributes

if TYPE_CHECKING:
    from kgfs.drives.files_by_path import FilesByPath
    from kgfs.service.annotations import Annotations

PIECE = 1 << 20
TEMPORARY = b".kgfs-commit-"
"""What a file of the workspace is called until it is whole."""
_OURS = "user.kg."


class _Kept(Exception):
    """A change that means nothing outside; the message says why."""


class _Conflict(Exception):
    """Somebody else was faster."""


class Commit:
    """One commit of one session."""

    def __init__(
        self,
        overlay: Overlay,
        workspace: Callable[[], FileSystem],
        files_by_path: Callable[[], FilesByPath],
        annotations: Annotations,
        hash_of: Callable[[str, str], str | None],
        *,
        force: bool,
        cancel: Cancel,
    ) -> None:
        """``hash_of`` is the hash of the body at a drive's path. With ``force`` the session's version is taken of what
        was changed outside too."""
        self._overlay = overlay
        self._workspace = workspace
        self._files_by_path = files_by_path
        self._annotations = annotations
        self._hash_of = hash_of
        self._force, self._cancel = force, cancel
        self._hashes: dict[bytes, str | None] = {}
        """What stored files that are to be overwritten held before it was looked for conflicts."""
        self._copy: Copy | None = None
        self._directories: list[tuple[int, int]] = []
        """Directories of the workspace that were made or changed: their inodes in the session and in the workspace."""

    def run(self) -> dict[str, list[dict[str, Any]]]:
        """Do it. Returns ``committed``, ``kept`` and ``failed`` (each with ``why``), and ``conflicts``."""
        overlay = self._overlay
        overlay.sync()
        found = session_diff.changes(overlay)
        for change in found:
            place = self._drive_place(change)
            if place is not None and change.kind == "M":
                self._hashes[change.path] = self._hash_of(*place)
        conflicting = () if self._force else conflicts(overlay, found)
        reasons = {one.change.path: one.reason for one in conflicting}
        told: dict[str, list[dict[str, Any]]] = {"committed": [], "kept": [], "failed": [], "conflicts": []}
        done: list[Change] = []
        try:
            for change in sorted(found, key=_turn):
                if self._cancel.is_set():
                    raise Cancelled("Stopped; what was committed is outside now, the rest is in the session.")
                line = describe(change)
                if change.path in reasons:
                    told["conflicts"].append(line | {"why": reasons[change.path]})
                    continue
                try:
                    line["became"] = self._commit(change)
                except _Kept as kept:
                    told["kept"].append(line | {"why": str(kept)})
                except (_Conflict, ChangedError, ExistsError) as error:
                    told["conflicts"].append(line | {"why": str(error)})
                except (KgfsError, OSError) as error:
                    why = error.message if isinstance(error, KgfsError) else error.strerror or str(error)
                    told["failed"].append(line | {"why": why})
                else:
                    told["committed"].append(line)
                    done.append(change)
        finally:
            self._set_directory_times()
            self._give_back(found, done)
        return told

    def _set_directory_times(self) -> None:
        """Give directories their times once all is in them: what comes into one changes its time."""
        if self._copy is None:
            return
        for source, target in reversed(self._directories):
            with contextlib.suppress(OSError):  # it went again meanwhile
                self._copy.attributes(source, target)

    def _give_back(self, found: Sequence[Change], done: Sequence[Change]) -> None:
        """Have what was committed leave the session, with the directories that are in it for its sake only."""
        overlay = self._overlay
        left = {change.path for change in found} - {change.path for change in done}
        directories: set[bytes] = set()
        for change in done:
            parts = change.path.split(b"/")
            if change.ours is not None and stat.S_ISDIR(change.ours.mode):
                parts.append(b"")
            else:
                overlay.give_back(b"/" + change.path, change.ours)
            directories |= {b"/".join(parts[:count]) for count in range(1, len(parts))}
        gone = [change.path for change in found if change.ours is None and change.path in left]
        for path in sorted(directories):  # those that were made in the session are outside now, too
            hidden = [name for above, _, name in (each.rpartition(b"/") for each in gone) if above == path]
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                overlay.join(b"/" + path, hidden)
        for path in sorted(directories - left, reverse=True):  # the deepest first
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                there = _at(overlay, path)
                if overlay.is_changed(there.ino) and overlay.is_merged(there.ino):
                    overlay.give_back(b"/" + path, there)
        overlay.sync()

    # --- one change -------------------------------------------------------------------------------------------------

    def _commit(self, change: Change) -> str:
        """Do one change outside; returns what it became. ``_Kept``, ``_Conflict``, ``KgfsError``, ``OSError``."""
        match target(change):
            case "stored file":
                return self._store(change)
            case "workspace":
                self._work(change, change.path.split(b"/")[1:])
                return ""
            case "summary":
                return self._describe(change, change.path.split(b"/"))
            case "fact":
                fact = name_text(change.path.rpartition(b"/")[2]).removesuffix(".json")
                self._annotations.retract(fact)
                return f"fact {fact} is retracted"
        raise _Kept("this change cannot be committed; it exists only in the session")

    # --- stored files -----------------------------------------------------------------------------------------------

    def _drive_place(self, change: Change) -> tuple[str, str] | None:
        """The drive and the stored path of a change in ``context/``; none elsewhere, and on a drive that nobody may
        write."""
        parts = [name_text(part) for part in change.path.split(b"/")]
        if parts[0] != "context" or len(parts) < 3:
            return None
        drives = {"".join(encode_component(drive)): drive for drive in self._files_by_path().writable}
        drive = drives.get(parts[1])
        return None if drive is None else (drive, path_of(drive, parts[2:]))

    def _store(self, change: Change) -> str:
        place = self._drive_place(change)
        if place is None:
            name = name_text(change.path.split(b"/")[1])
            raise _Kept(f"context/{name} shows files that come from elsewhere, which are not changed here")
        drive, path = place
        files, ours, base = self._files_by_path(), change.ours, change.base
        if ours is None:
            with contextlib.suppress(NotFoundError):
                files.remove(drive, path, recursive=True)
            return f"{drive}:{path} removed"
        if not (stat.S_ISREG(ours.mode) or stat.S_ISDIR(ours.mode) or stat.S_ISLNK(ours.mode)):
            raise _Kept(f"a {change.what} cannot stand in context/")
        other = base is not None and stat.S_IFMT(base.mode) != stat.S_IFMT(ours.mode)
        if other:
            self._require_unchanged(change)
            files.remove(drive, path, recursive=True)
        if stat.S_ISDIR(ours.mode):
            files.make_directory(drive, path)
        elif stat.S_ISLNK(ours.mode):
            replaced = base is not None and not other
            files.make_link(drive, path, name_text(self._overlay.readlink(ours.ino)), overwrite=replaced or self._force)
        else:
            on_conflict: Literal["error", "overwrite"] = "overwrite" if base is not None or self._force else "error"
            known = None if self._force or other or base is None else self._hashes.get(change.path)
            files.put(drive, path, self._pieces(ours), on_conflict=on_conflict, instead_of=known)
        if not stat.S_ISLNK(ours.mode):
            self._set_attributes(drive, path, ours, base)
        return f"{drive}:{path}"

    def _require_unchanged(self, change: Change) -> None:
        """``_Conflict`` where a directory that something else takes the place of got something since."""
        gone = msgspec.structs.replace(change, kind="D", ours=None)
        for conflict in () if self._force else session_diff.conflicts(self._overlay, [gone]):
            raise _Conflict(conflict.reason)

    def _pieces(self, ours: Stat) -> Iterator[bytes]:
        """A file's bytes as the session has them."""
        self._overlay.hold(ours.ino)
        try:
            offset = 0
            while piece := self._overlay.read(ours.ino, offset, PIECE):
                yield piece
                offset += len(piece)
        finally:
            self._overlay.release(ours.ino)

    def _set_attributes(self, drive: str, path: str, ours: Stat, base: Stat | None) -> None:
        is_directory = stat.S_ISDIR(ours.mode)
        usual = DIRECTORY_MODE if is_directory else FILE_MODE
        mode = stat.S_IMODE(ours.mode)
        values = _own_xattrs(self._overlay, ours.ino)
        before = {} if base is None else _own_xattrs(self._overlay.base, base.ino)
        wanted = NewAttributes(
            mode=None if mode == (usual if base is None else stat.S_IMODE(base.mode)) else mode,
            mtime_us=None if is_directory else ours.mtime_ns // 1000,
            xattrs=None if values == before else xattrs.encoded(values),
        )
        if wanted != NewAttributes():
            self._files_by_path().set_attributes(drive, path, wanted)

    # --- the workspace ----------------------------------------------------------------------------------------------

    def _work(self, change: Change, parts: Sequence[bytes]) -> None:
        """Do a change in the workspace."""
        workspace, ours = self._workspace(), change.ours
        if ours is None:
            with contextlib.suppress(FileNotFoundError):
                above = _at(workspace, b"/".join(parts[:-1])).ino
                _remove(workspace, above, parts[-1])
            return
        if self._copy is None:
            self._copy = Copy(self._overlay, workspace, replace=True, cancel=self._cancel)
        copy = self._copy
        above = ROOT
        for number, part in enumerate(parts[:-1], 1):
            there = _entry(workspace, above, part)
            if there is None:
                directory = _at(self._overlay, b"/".join((b"workspace", *parts[:number])))
                made = copy.entry(Entry(part, directory.ino, directory.mode), above, part)
                copy.attributes(directory.ino, made)
                self._directories.append((directory.ino, made))
            above = made if there is None else there.ino
        name, there = parts[-1], _entry(workspace, above, parts[-1])
        if there is not None and stat.S_IFMT(there.mode) != stat.S_IFMT(ours.mode):
            _remove(workspace, above, name)
        if stat.S_ISDIR(ours.mode):
            made = copy.entry(Entry(name, ours.ino, ours.mode), above, name)
            copy.attributes(ours.ino, made)
            self._directories.append((ours.ino, made))
            return
        # Beside its place first, so that nobody sees half of it.
        beside = TEMPORARY + os.urandom(8).hex().encode()
        copy.entry(Entry(beside, ours.ino, ours.mode), above, change.path)
        try:
            workspace.rename(above, beside, above, name, 0)
        except OSError:
            workspace.unlink(above, beside)
            raise
        if _entry(workspace, above, beside) is not None:  # both were names of one file: then nothing is renamed
            workspace.unlink(above, beside)

    # --- pages ------------------------------------------------------------------------------------------------------

    def _describe(self, change: Change, parts: Sequence[bytes]) -> str:
        """Another description in a summary describes the entity."""
        path = name_text(b"/".join(parts[:3]))
        entity = self._annotations.show(path)
        texts = (session_diff.base_now(self._overlay, change), session_diff.ours(self._overlay, change))
        try:
            before, after = (None if text is None else text.decode() for text in texts)
        except UnicodeDecodeError:
            before = after = None
        said = None if before is None or after is None else described(before, after, str(entity["description"]))
        if said is None:
            raise _Kept("in a summary.txt only a new description below the name can be committed")
        if change.base is None or entity["path"] != path:
            raise _Kept("the entity stands elsewhere by now")
        self._annotations.describe(path, said)
        return f"{entity['name']} is described so"


def target(change: Change) -> Literal["stored file", "workspace", "summary", "fact"] | None:
    """What a change becomes a change of when it is committed; ``None`` where it cannot be committed."""
    match change.path.split(b"/"):
        case [b"context", _, _, *_]:
            return "stored file"
        case [b"workspace", _, *_]:
            return "workspace"
        case [b"entities", _, _, b"summary.txt"] if change.kind == "M":
            return "summary"
        case [b"facts", b"by_type", _, _] if change.kind == "D":
            return "fact"
    return None


def conflicts(overlay: Overlay, found: Sequence[Change]) -> Sequence[Conflict]:
    """The changes whose place the base has changed too. What means nothing outside is none: it is never committed, and
    pages like ``AGENTS.md`` change with each publication."""
    return session_diff.conflicts(overlay, [change for change in found if target(change) is not None])


def described(before: str, after: str, description: str) -> str | None:
    """The description that somebody wrote into a summary; ``None`` where something else of it was changed, or where
    only a part of the present one is shown there."""
    old, new = before.splitlines(), after.splitlines()
    head = old.index("") if "" in old else len(old)
    rest = old[head:]
    if description:
        if len(rest) < 2 or rest[1] != one_line(description):
            return None
        rest = rest[2:]
    if new[:head] != old[:head] or len(new) < head + 2 or new[head] != "":
        return None
    count = next((number for number, line in enumerate(new[head + 1 :]) if not line), len(new) - head - 1)
    said = " ".join(line.strip() for line in new[head + 1 : head + 1 + count]).strip()
    if new[head + 1 + count :] != rest or not said or said == one_line(description):
        return None
    return said


def describe(change: Change) -> dict[str, Any]:
    """A change as it is shown."""
    return {"kind": change.kind, "path": os.fsdecode(change.path), "what": change.what}


def _turn(change: Change) -> tuple[int, bytes]:
    """Directories that come first, since others go into them; what goes, goes last."""
    if change.ours is None:
        return 2, change.path
    return (0 if stat.S_ISDIR(change.ours.mode) else 1), change.path


def _at(files: FileSystem, path: bytes) -> Stat:
    """What stands at a path."""
    found = files.getattr(ROOT)
    for name in path.split(b"/") if path else ():
        found = files.lookup(found.ino, name)
    return found


def _entry(files: FileSystem, directory: int, name: bytes) -> Stat | None:
    try:
        return files.lookup(directory, name)
    except FileNotFoundError:
        return None


def _remove(files: FileSystem, directory: int, name: bytes) -> None:
    """Remove what has a name, with all in it."""
    found = files.lookup(directory, name)
    if not stat.S_ISDIR(found.mode):
        files.unlink(directory, name)
        return
    for entry in files.list(found.ino):
        _remove(files, found.ino, entry.name)
    files.rmdir(directory, name)


def _own_xattrs(files: FileSystem, ino: int) -> dict[str, bytes]:
    """The attributes that somebody set."""
    names = (name for name in files.listxattr(ino) if not name_text(name).startswith(_OURS))
    return {name_text(name): files.getxattr(ino, name) for name in names}
