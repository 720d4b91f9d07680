"""From what a user calls a stored file to its drive and path, whether or not anything is there.

Used by ``control.answers``, ``control.tooling`` and ``control.versions``, on the thread that answers.
"""

from __future__ import annotations

from kgfs import paths
from kgfs.control.path_arguments import PathArgument, PathFinder, walk
from kgfs.errors import NotADirectory, NotFoundError, UsageError
from kgfs.namespace.context_names import encode_component, path_of, typed_path


class StoredPlaces:
    """The places of one store's drives."""

    def __init__(self, finder: PathFinder, writable: frozenset[str]) -> None:
        """``writable`` are drives that may be written: a place of one need not have anything on it yet."""
        self._finder, self._writable = finder, writable

    def find_drive_path(self, place: PathArgument) -> tuple[str | None, str]:
        """Drive and path of a PATH; nothing need be there. ``(None, "/")`` is ``context/`` itself, all drives.

        ``UsageError`` for a place of the tree that is no stored file, ``NotFoundError`` for what is no place of it.
        """
        text = place.text
        drives = self._drives()
        if place.exact is None:
            if (ref := paths.parse_ref(text)) is not None:
                return ref.drive, typed_path(*ref)
            drive = text.removesuffix(":")
            if paths.is_drive(drive) and (text.endswith(":") or drive in drives.values()):
                return drive, "/"
            if paths.is_number(text):
                return "agent", text
        try:
            canonical = self._finder.path(place)
        except (NotFoundError, NotADirectory):
            return self._missing(place, drives)
        found = _in_context(canonical, drives)
        return found if found is not None else self._finder.references.at_path(canonical, text)

    def in_tree(self, text: str) -> bool:
        """Whether a text can only be a path of the tree: none on a drive begins so."""
        if text == "context" or text.startswith("context/"):
            return True
        return any(paths.below(prefix, text) is not None for prefix in (self._finder.path_prefix, paths.PREFIX))

    def on_one_drive(self, place: PathArgument) -> tuple[str, str]:
        """``find_drive_path`` for what must be on a drive. ``UsageError`` for ``context/`` itself."""
        return require_drive(place, *self.find_drive_path(place))

    def _drives(self) -> dict[str, str]:
        """Name beneath ``context/`` to drive."""
        names = self._writable.union(self._finder.references.drives())
        return {"".join(encode_component(drive)): drive for drive in names}

    def _missing(self, place: PathArgument, drives: dict[str, str]) -> tuple[str | None, str]:
        """Drive and path of a PATH that is not there: by the part of it that is."""
        namespace = self._finder.namespace
        for start, path, _ in self._finder.readings(place):
            names = [name for name in path.split("/") if name not in ("", ".")]
            for there in range(len(names), -1, -1):
                try:
                    trail = walk(namespace, walk(namespace, [namespace.root], start), "/".join(names[:there]))
                except (NotFoundError, NotADirectory):
                    continue
                above = namespace.path(trail[-1])
                if above.partition("/")[0] != "context":
                    break
                whole = "/".join((above, *names[there:]))
                found = _in_context(whole, drives)
                if found is None or ".." in names[there:]:
                    raise NotFoundError(f"{place.text}: no such path; `kgfs context list` lists the drives.")
                return found
        drive, colon, path = place.text.partition(":")
        if colon and paths.is_drive(drive) and (drive in drives.values() or "/" in path):
            raise UsageError(f"{place.text}: a path on a drive begins at its root; write {drive}:/{path.strip()}.")
        if "/" not in place.text.rstrip("/"):
            raise NotFoundError(
                f"{place.text}: no such item, reference or id; write agent:/{place.text} for a path on the drive agent."
            )
        if ".." in place.text.split("/"):
            raise UsageError(f"{place.text} leads out of the drives; write agent:/a.md for a path on the drive agent.")
        raise UsageError(
            f"{place.text} is not beneath context/; write notes/{place.text.lstrip('/')} or"
            f" agent:/{place.text.lstrip('/')}."
        )


def _in_context(canonical: str, drives: dict[str, str]) -> tuple[str | None, str] | None:
    """Drive and path of a path from the root, where that is beneath ``context/``."""
    top, *names = canonical.rstrip("/").split("/")
    if top != "context":
        return None
    if not names:
        return None, "/"
    drive = drives.get(names[0])
    if drive is None:
        return None
    return drive, path_of(drive, names[1:]) if names[1:] else "/"


def require_drive(place: PathArgument, drive: str | None, path: str) -> tuple[str, str]:
    """Drive and path of what ``place`` names. ``UsageError`` for ``context/`` itself, which is all drives."""
    if drive is None:
        raise UsageError(f"{place.text} is every drive; name a file or a directory of one: agent:/notes.")
    return drive, path
