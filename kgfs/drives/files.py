"""The drives of an open store: open files, operations on the namespace, and files by path, over one context.

Used by the service, which makes one when something is first written, and by the mount.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kgfs.drives.drive_context import DriveContext
from kgfs.drives.files_by_path import FilesByPath
from kgfs.drives.gate import Gate
from kgfs.drives.namespace_ops import NamespaceOps
from kgfs.drives.open_files import OpenFiles
from kgfs.namespace.context_names import AGENT_DRIVE
from kgfs.namespace.namespace import Namespace
from kgfs.store.files.history import VERSIONS_KEPT


class Drives:
    """What can be written, and how."""

    def __init__(
        self,
        namespace: Namespace,
        gate: Gate,
        directory: Path,
        writable: Iterable[str] = (AGENT_DRIVE,),
        versions: int = VERSIONS_KEPT,
    ) -> None:
        self.context = DriveContext(namespace, gate, writable, directory, versions)
        self.open_files = OpenFiles(self.context)
        self.namespace_ops = NamespaceOps(self.context, self.open_files)
        self.files_by_path = FilesByPath(self.context, self.open_files, self.namespace_ops)
