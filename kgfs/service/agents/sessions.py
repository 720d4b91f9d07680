"""What commands do with sessions: make, list, compare, commit and discard them.

Used by the control socket's requests, on the threads that answer. One session is committed, forked, copied or discarded
by one request at a time; the others go on.
"""

from __future__ import annotations

import contextlib
import logging
import stat
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.agentfs.exchange import transfer
from kgfs.agentfs.overlays import session_diff
from kgfs.agentfs.overlays.overlay import Overlay
from kgfs.agentfs.overlays.session_diff import Change, Conflict
from kgfs.callers import caller
from kgfs.drives.gate import Mutation
from kgfs.errors import ConflictError, KgfsError, NotFoundError, UsageError
from kgfs.filesystem import FileSystem, Stat
from kgfs.progress import Cancel
from kgfs.service.agents.session_commit import Commit, conflicts, describe
from kgfs.service.components import Components
from kgfs.store.files import items

if TYPE_CHECKING:
    from kgfs.drives.files_by_path import FilesByPath
    from kgfs.service.annotations import Annotations

log = logging.getLogger(__name__)

PIECE = 1 << 20
FORMS = ("snapshot", "export")


class SessionJobs:
    """The sessions of one store, each change of them through the gate."""

    def __init__(
        self,
        components: Components,
        files_by_path: Callable[[], FilesByPath],
        annotations: Callable[[], Annotations],
    ) -> None:
        self._components = components
        self._files_by_path, self._annotations = files_by_path, annotations
        self._lock = threading.Lock()
        self._busy: dict[str, str] = {}
        """Sessions of which something is done, with what."""

    def new(self, name: str) -> dict[str, Any]:
        """Make a session. ``UsageError`` for a name that cannot be, ``ExistsError``, ``MountedReadOnly``."""
        with self._passing("session_new", name):
            self._components.sessions.new(name)
        return self._made(name)

    def take(self, name: str, file: Path) -> dict[str, Any]:
        """Make a session of a file that was written by ``copy``, here or on another machine."""
        with self._passing("session_new", name):
            mended = self._components.sessions.take(name, file)
        return {**self._made(name), "mended": mended}

    def fork(self, name: str, new: str) -> dict[str, Any]:
        """Make a session that begins with all that was changed in another."""
        with self._alone(name, "forked"), self._passing("session_fork", name, new):
            self._components.sessions.fork(name, new)
        return self._made(new)

    def _made(self, name: str) -> dict[str, Any]:
        self._components.on_session(name.encode())
        prefix = self._components.path_prefix
        path = f"{prefix.rstrip('/')}/@session/{name}"
        return {"name": name, "mounted": bool(prefix), "path": path if prefix else ""}

    def listed(self) -> Iterator[dict[str, Any]]:
        """Name, time of making, number of changes by kind, and bytes of each session, by name; of one whose file cannot
        be used its name and ``error``."""
        sessions = self._components.sessions
        for name in sessions.names():
            try:
                info = sessions.info(name)
                counts = Counter(change.kind for change in self._changes(self._overlay(name)))
            except NotFoundError:
                continue  # it was discarded meanwhile
            except KgfsError as error:
                yield {"name": name, "error": error.message}
                continue
            yield {
                "name": name, "created_at": info.created_ns / 1e9, "changes": dict(counts), "bytes": info.bytes,
                "forked_from": info.forked_from,
            }  # fmt: skip

    def changes(self, name: str) -> list[dict[str, Any]]:
        """What was changed in a session, by path."""
        return [describe(change) for change in self._changes(self._overlay(name))]

    def patches(self, name: str) -> Iterator[tuple[dict[str, Any], str]]:
        """What was changed, each with its patch."""
        overlay = self._overlay(name)
        for change in self._changes(overlay):
            yield describe(change), session_diff.patch(overlay, change)

    def _changes(self, overlay: Overlay) -> list[Change]:
        overlay.sync()
        return list(session_diff.changes(overlay))

    def conflicts(self, name: str) -> Iterator[tuple[dict[str, Any], list[tuple[str, Iterator[bytes]]]]]:
        """What was changed in a session and outside of it, each with its versions: ``base``, ``theirs``, ``ours``.

        A version is missing where there was nothing, or a directory; the first also where it was too large to be kept.
        """
        overlay = self._overlay(name)
        for conflict in conflicts(overlay, session_diff.changes(overlay)):
            yield describe(conflict.change) | {"why": conflict.reason}, _versions(overlay, conflict)

    def discard(self, name: str) -> dict[str, Any]:
        """Remove a session; returns how many changes went with it."""
        with self._alone(name, "discarded"):
            count = 0
            try:
                count = len(self._changes(self._overlay(name)))
            except NotFoundError:
                raise
            except (KgfsError, OSError) as error:
                log.warning("session %s is removed unseen: %s", name, error)
            with self._passing("session_discard", name):
                self._components.sessions.discard(name)
            self._components.on_session(name.encode())
        return {"name": name, "changes": count}

    def commit(self, name: str, *, force: bool, cancel: Cancel) -> dict[str, Any]:
        """Make what was changed in a session true outside; what ``Commit.run`` says of it."""
        components = self._components
        overlay = self._overlay(name)
        with self._alone(name, "committed"), self._passing("session_commit", name):
            commit = Commit(
                overlay, lambda: components.agent.workspace, self._files_by_path, self._annotations(), self._hash_of,
                force=force, cancel=cancel,
            )  # fmt: skip
            try:
                done = commit.run()
            finally:
                components.agent.settle()
                components.agent.on_changed()
        return {"name": name, **done}

    def copy(self, name: str, form: str, sink: Callable[[bytes], object]) -> dict[str, Any]:
        """Hand on a session's file: whole (``snapshot``), or as one of its own without what only sessions have
        (``export``)."""
        if form not in FORMS:
            raise UsageError(f"{form!r} is no form of a session; there are {' and '.join(FORMS)}.")
        sessions = self._components.sessions
        with (
            self._alone(name, "copied"),
            tempfile.TemporaryDirectory(prefix=".session-", dir=self._components.store) as at,
        ):
            to = Path(at) / "session.db"
            if form == "snapshot":
                sessions.snapshot(name, to)
            else:
                overlay = self._overlay(name)
                overlay.sync()
                transfer.export_path(self._components.agent.database, overlay.delta, b"/", to)
            size = to.stat().st_size
            with to.open("rb") as file:
                while piece := file.read(PIECE):
                    sink(piece)
        return {"name": name, "bytes": size}

    # --- what they share ---------------------------------------------------------------------------------------------

    def _overlay(self, name: str) -> Overlay:
        return self._components.sessions.overlay(name)

    def _hash_of(self, drive: str, path: str) -> str | None:
        rows = self._components.database.fetch("SELECT hash FROM context_items WHERE ref = ?", [items.ref(drive, path)])
        return None if not rows else str(rows[0][0])

    @contextlib.contextmanager
    def _passing(self, operation: str, *refs: str) -> Iterator[None]:
        """A change that passes the gate; all that is recorded meanwhile is of this session."""
        token = caller.set(msgspec.structs.replace(caller.get(), session=refs[0]))
        try:
            with self._components.gate.passing(Mutation(operation=operation, refs=refs)):
                yield
        finally:
            caller.reset(token)

    @contextlib.contextmanager
    def _alone(self, name: str, doing: str) -> Iterator[None]:
        """``ConflictError`` while something else is done with the session as a whole."""
        with self._lock:
            if name in self._busy:
                raise ConflictError(f"Session {name} is being {self._busy[name]}; run this again when that has ended.")
            self._busy[name] = doing
        try:
            yield
        finally:
            with self._lock:
                del self._busy[name]


def _versions(overlay: Overlay, conflict: Conflict) -> list[tuple[str, Iterator[bytes]]]:
    change = conflict.change
    found: list[tuple[str, Iterator[bytes]]] = []
    before = session_diff.base_then(conflict)
    if before is not None:
        found.append(("base", iter((before,))))
    for version, files, there in (("theirs", overlay.base, change.base), ("ours", overlay, change.ours)):
        if there is not None and stat.S_ISLNK(there.mode):
            found.append((version, iter((files.readlink(there.ino),))))
        elif there is not None and stat.S_ISREG(there.mode):
            found.append((version, _pieces(files, there)))
    return found


def _pieces(files: FileSystem, there: Stat) -> Iterator[bytes]:
    offset = 0
    while piece := files.read(there.ino, offset, PIECE):
        yield piece
        offset += len(piece)
