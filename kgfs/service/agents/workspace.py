"""What commands change in ``agent.db``: keys, imports into the workspace, files of it that become knowledge.

Used by the control socket's requests, on the threads that answer; an import is a job on the jobs thread.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.agentfs.exchange import transfer
from kgfs.drives.gate import Mutation
from kgfs.errors import KgfsError, NotFoundError
from kgfs.filesystem import FileSystem
from kgfs.progress import Cancel, Progress
from kgfs.service.components import Components
from kgfs.service.jobs import Jobs

if TYPE_CHECKING:
    from kgfs.drives.files_by_path import FilesByPath

PIECE = 1 << 20
DRIVE = "agent"


class WorkspaceJobs:
    """Changes of the workspace, of keys and of what is archived, each through the gate."""

    def __init__(self, components: Components, jobs: Jobs, files_by_path: Callable[[], FilesByPath]) -> None:
        self._components, self._jobs, self._files_by_path = components, jobs, files_by_path

    def set_key(self, key: str, value: str) -> None:
        """Set a value. ``UsageError`` where it is no JSON, ``MountedReadOnly``."""
        with self._components.gate.passing(Mutation(operation="kv_set", refs=(key,))):
            self._components.agent.key_values.set(key, value)

    def delete_key(self, key: str) -> None:
        """Delete a key. ``NotFoundError``, ``MountedReadOnly``."""
        with self._components.gate.passing(Mutation(operation="kv_delete", refs=(key,))):
            self._components.agent.key_values.delete(key)

    def get_key(self, key: str) -> str:
        """The value of a key, as JSON. ``NotFoundError``."""
        return self._components.agent.key_values.get(key).value

    def list_keys(self, prefix: str) -> Sequence[str]:
        """The keys that begin with a prefix, sorted."""
        return self._components.agent.key_values.keys(prefix)

    def archive_calls(self, before: int) -> int:
        """Move calls that began before a moment (seconds since 1970) into the archive; returns how many.
        ``MountedReadOnly``."""
        with self._components.gate.passing(Mutation(operation="audit_archive", refs=(), details={"before": before})):
            return self._components.agent.archive_calls(before)

    def settle(self, *, make: bool = False) -> None:
        """Bring all of the workspace into the file, for a process that reads it there; ``make`` the file, too."""
        if make:
            self._components.gate.require_open()
            self._components.agent.make()
        self._components.agent.settle()

    def import_path(
        self, path: Path, to: bytes | None, options: dict[str, bool], progress: Progress, cancel: Cancel
    ) -> dict[str, Any]:
        """Import a directory or a file; what ``kgfs.agentfs.exchange.transfer`` says of it. ``options`` are its
        flags."""

        def work(progress: Progress, cancel: Cancel) -> dict[str, Any]:
            mutation = Mutation(operation="workspace_import", refs=(str(path),), details={**options})
            with self._components.gate.passing(mutation):
                agent = self._components.agent
                try:
                    done = transfer.import_path(agent.database, agent.workspace, path, to, cancel=cancel, **options)
                finally:
                    agent.on_changed()
            found: dict[str, Any] = msgspec.to_builtins(done)
            return found

        answer: dict[str, Any] = self._jobs.run("workspace-import", f"import {path}", work, progress, cancel)
        return answer

    def promote(self, paths: list[bytes], to: str, *, replace: bool) -> dict[str, Any]:
        """Copy files of the workspace into the notes, so that they are indexed; a directory with all beneath it.

        Returns ``promoted``, the refs, and ``left_out``, one sentence each.
        """
        if not self._components.agent.exists:
            raise NotFoundError("The store has no workspace yet.")
        workspace = self._components.agent.workspace
        promoted: list[str] = []
        left_out: list[str] = []
        for path in paths:
            above = b"/".join(transfer.parts(path)[:-1])
            for place, ino in transfer.promoted_files(workspace, path):
                relative = os.fsdecode(place[len(above) + 1 if above else 0 :])
                name = "/".join(["", *(part for part in (to.strip("/"), relative) if part)])
                try:
                    workspace.hold(ino)
                    try:
                        self._files_by_path().put(
                            DRIVE, name, _pieces(workspace, ino), on_conflict="overwrite" if replace else "error"
                        )
                    finally:
                        workspace.release(ino)
                except KgfsError as error:
                    left_out.append(f"{os.fsdecode(place)}: {error.message}")
                else:
                    promoted.append(f"{DRIVE}:{name}")
        return {"promoted": promoted, "left_out": left_out}


def _pieces(files: FileSystem, ino: int) -> Iterator[bytes]:
    offset = 0
    while piece := files.read(ino, offset, PIECE):
        yield piece
        offset += len(piece)
