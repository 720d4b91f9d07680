"""What an agent sees of the machine, as a registry keyed by location: the mount, added directories, skills.

Used by the file tools, the shell and the prompt. A path is what it is in the sandbox: ``/kg/…``, relative to ``/kg``,
or the real path of an added directory. Location alone decides whether one may write; below ``/kg`` the mount says.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import msgspec

from kgfs import mounts
from kgfs.sandbox.bubblewrap import PLACE, Added, View

_WRITABLE_BY_ALL = "notes/, workspace/, @kv/ or a session (@session/NAME/…)"


class Root(msgspec.Struct, frozen=True, kw_only=True):
    """One place that an agent sees."""

    location: str
    """Its path in the sandbox."""
    directory: Path
    """The directory of the machine that is shown there."""
    writable: bool
    what: str
    """What it is, for people and models: ``the mount``, ``a session``, ``an added directory``, ``skills``."""


class Roots:
    """All that an agent sees besides the system."""

    def __init__(
        self,
        mounted: Path,
        *,
        added: Sequence[Added] = (),
        skills: Sequence[Path] = (),
        session: str | None = None,
        read_only: bool = False,
        unsafe: bool = False,
    ) -> None:
        """``mounted`` is the directory of the mount, or of the session ``session`` on it. With ``read_only`` nothing
        but the private ``/tmp`` may be written. ``unsafe`` is for a shell without a sandbox: places have the paths that
        they have on the machine."""
        self.session = session
        self.read_only = read_only
        self.unsafe = unsafe
        self.place = str(mounted) if unsafe else PLACE
        """Where the mount is, and what relative paths are relative to."""
        mount = mounts.mount_of(mounted)
        self._mountpoint = None if mount is None else mount.mountpoint
        self.mount = Root(
            location=self.place, directory=mounted, writable=not read_only,
            what="the mount" if session is None else f"the session {session}",
        )  # fmt: skip
        beside = [
            Root(
                location=str(one.directory), directory=one.directory, writable=one.writable and not read_only,
                what="an added directory",
            )
            for one in added
        ]  # fmt: skip
        known = {root.location for root in beside}
        beside += [
            Root(location=str(folder), directory=folder, writable=False, what="skills")
            for folder in map(Path.resolve, skills)
            if str(folder) not in known
        ]
        self.roots = (self.mount, *sorted(beside, key=lambda root: PurePosixPath(root.location).parts))
        """The mount first; one that lies in another comes after it."""

    def absolute(self, path: str) -> str:
        """A path as the sandbox takes it. ``..`` and links stay: the kernel resolves them."""
        return path if path.startswith("/") else f"{self.place}/{path}"

    def shown(self, location: str) -> str:
        """A location as an agent should name it: relative to the mount where it lies there."""
        if location == self.place:
            return "."
        return location.removeprefix(f"{self.place}/")

    def root_of(self, location: str) -> Root | None:
        """The root in which a location lies, the innermost one; ``None`` for the system, ``/tmp`` and the rest."""
        inner = [root for root in self.roots if PurePosixPath(location).is_relative_to(root.location)]
        return inner[-1] if inner else None

    def where_to_write(self) -> str:
        """A sentence that says where one may write."""
        places = [f"{root.location}/" for root in self.roots[1:] if root.writable]
        if not self.read_only:
            places.insert(0, _WRITABLE_BY_ALL if self.session is None else f"{self.place}/, which is {self.mount.what}")
        places.append("/tmp/, which is emptied in the end")
        return f"Write under {'; '.join(places)}."

    def view(self, *, hidden: Sequence[Path] = (), network: bool = False, scratch_bytes: int = 1 << 30) -> View:
        """The same as what a sandbox sees."""
        return View(
            mounted=self.mount.directory, known_as=self._mountpoint, read_only=self.read_only, network=network,
            hidden=hidden,
            added=[Added(root.directory, root.writable) for root in self.roots[1:]], scratch_bytes=scratch_bytes,
        )  # fmt: skip
