"""What a mount shows at ``@session/``: a directory a session, and ``mkdir`` makes one.

Used by ``service.components``; ``mountd`` passes the kernel's requests to it on threads of its own.
"""

from __future__ import annotations

import stat
from collections.abc import Callable

from kgfs.agentfs.filesystem.grafts import EmptyDirectory, Grafted
from kgfs.agentfs.filesystem.stored import failure
from kgfs.agentfs.overlays.sessions import Sessions
from kgfs.drives.gate import Gate, Mutation
from kgfs.errors import KgfsError, NotPermitted
from kgfs.filesystem import ROOT, Space, Stat
from kgfs.names import name_text


class SessionDirectory(Grafted):
    """A ``kgfs.filesystem.FileSystem`` of all sessions."""

    def __init__(
        self,
        sessions: Sessions,
        gate: Gate,
        space: Callable[[], Space],
        refused: Callable[[KgfsError], None] = lambda error: None,
    ) -> None:
        """``space`` says how much room the store's disk has; ``refused`` is told of errors that have a sentence for the
        user."""
        super().__init__(EmptyDirectory(space, 0o755), sessions.grafts)
        self._sessions, self._gate, self._refused = sessions, gate, refused

    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat:
        """In the root a directory is a new session; nothing else can be made there."""
        if parent != ROOT:
            return super().make(parent, name, mode, rdev, uid, gid)
        try:
            if not stat.S_ISDIR(mode):
                raise NotPermitted("Only directories can be made in @session/: each is a session.")
            text = name_text(name)
            with self._gate.passing(Mutation(operation="session_new", refs=(text,))):
                self._sessions.new(text)
        except KgfsError as error:
            raise self._refusal(error) from error
        return self.lookup(parent, name)

    def rmdir(self, parent: int, name: bytes) -> None:
        """A session is discarded by the command, which says what goes with it."""
        if parent == ROOT and name in self._sessions.grafts():
            raise self._refusal(
                NotPermitted(f"`kgfs session discard {name_text(name)}` removes a session, with all that is in it.")
            )
        super().rmdir(parent, name)

    def _refusal(self, error: KgfsError) -> OSError:
        self._refused(error)
        return failure(error)
