"""The drives of an open store: contents, structure and places over one ground.

Used by the service, which makes one when something is first written, and by the mount.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kgfs.drives.contents import Contents
from kgfs.drives.gate import Gate
from kgfs.drives.ground import Ground
from kgfs.drives.places import Places
from kgfs.drives.structure import Structure
from kgfs.namespace.context_tree import AGENT_DRIVE
from kgfs.namespace.namespace import Namespace
from kgfs.store.history import VERSIONS_KEPT


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
        self.ground = Ground(namespace, gate, writable, directory, versions)
        self.contents = Contents(self.ground)
        self.structure = Structure(self.ground, self.contents)
        self.places = Places(self.ground, self.contents, self.structure)
