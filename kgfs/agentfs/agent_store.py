"""The parts of a store's ``agent.db``, made when they are first needed.

Used by the service, in the process that has the store open, from any thread. Only this process may have the workspace,
since that keeps names and changes in memory; key-values and tool calls may be used by others at the same time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from kgfs.agentfs.agent_runs import AgentRuns
from kgfs.agentfs.audit.call_files import CallFiles
from kgfs.agentfs.audit.recording import Recorder, waits
from kgfs.agentfs.audit.tool_calls import ToolCalls
from kgfs.agentfs.database import FILE, AgentDatabase
from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.keys.key_values import KeyValues


class AgentStore:
    """The workspace, the key-value store and the audit trail of one store."""

    def __init__(self, store: Path) -> None:
        self.path = store / FILE
        self.read_only = False
        """Whether it is opened only to be read; set before it is needed."""
        self.on_changed: Callable[[], None] = lambda: None
        """Called after the workspace was changed otherwise than through a mount, so that kept answers are forgotten."""
        self._lock = threading.RLock()
        self._database: AgentDatabase | None = None
        self._workspace: Workspace | None = None
        self.recorder = Recorder(store, lambda: self.database)
        """What is done here is told to it."""
        self.call_files = CallFiles(
            lambda: self.database if self.exists else None, self._settle_calls, self.recorder.poke
        )
        """The audit trail as ``@audit`` shows it."""
        self.recorder.on_taken = self.call_files.catch_up
        self.runs = AgentRuns(lambda: self.database if self.exists else None)
        """The runs of agents, as ``@agent`` shows them."""

    @property
    def exists(self) -> bool:
        """Whether the store has the file; without it there is nothing to read."""
        return self.path.exists()

    @property
    def database(self) -> AgentDatabase:
        """The file, made where it is missing. Errors as of ``AgentDatabase``."""
        with self._lock:
            if self._database is None:
                self._database = AgentDatabase(self.path, read_only=self.read_only)
            return self._database

    @property
    def workspace(self) -> Workspace:
        """The file system. ``KgfsError`` and ``OSError`` where the file cannot be used."""
        with self._lock:
            if self._workspace is None:
                self._workspace = Workspace(self.database)
            return self._workspace

    @property
    def key_values(self) -> KeyValues:
        return KeyValues(self.database)

    @property
    def tool_calls(self) -> ToolCalls:
        return ToolCalls(self.database)

    def archive_calls(self, before: int) -> int:
        """Move calls that began before a moment (seconds since 1970) into the archive; returns how many.
        ``KgfsError``."""
        if not self.exists and not waits(self.path.parent):
            return 0
        self.recorder.settle()
        try:
            return self.tool_calls.archive(before)
        finally:
            self.call_files.start_anew()

    def _settle_calls(self) -> None:
        """What waits cannot come into a file that may only be read."""
        if not self.read_only:
            self.recorder.settle()

    def make(self) -> None:
        """Make the file where it is missing."""
        _ = self.database

    def settle(self) -> None:
        """Bring what the workspace has in memory into the file, if it is open. ``OSError``."""
        if self._workspace is not None:
            self._workspace.sync()

    def close(self) -> None:
        """Commit what is left, and end; it is made again when it is needed again. ``OSError``."""
        self.recorder.close()
        with self._lock:
            try:
                if self._workspace is not None:
                    self._workspace.close()
            finally:
                self._workspace = None
                if self._database is not None:
                    self._database.close()
                    self._database = None
