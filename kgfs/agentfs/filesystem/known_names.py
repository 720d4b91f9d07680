"""The names of a workspace that are in memory, by directory.

Used by ``inode_table``, with the workspace's lock held. Of a directory that was made or listed here all names are
known, so one that is not there is missing: making many files in it asks the database nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class KnownNames:
    """Directory to name to inode. Its length is how many names there are."""

    def __init__(self) -> None:
        self._names: dict[int, dict[bytes, int]] = {}
        """With 0 for a name that is known to be missing, where not all are known."""
        self._whole: set[int] = set()
        """Directories of which all names are known."""
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def find_inode(self, directory: int, name: bytes) -> int | None:
        """The inode that has a name; 0 where nothing has it, ``None`` where that is not known."""
        names = self._names.get(directory)
        found = None if names is None else names.get(name)
        return 0 if found is None and directory in self._whole else found

    def all_of(self, directory: int) -> Mapping[bytes, int] | None:
        """All names of a directory; ``None`` where they are not known."""
        return self._names.get(directory, {}) if directory in self._whole else None

    def put(self, directory: int, name: bytes, ino: int) -> None:
        """A name leads to an inode; to nothing with 0."""
        names = self._names.get(directory)
        if names is None:
            names = self._names[directory] = {}
        before = len(names)
        if ino or directory not in self._whole:
            names[name] = ino
        else:
            names.pop(name, None)
        self._length += len(names) - before

    def put_all(self, directory: int, names: Iterable[tuple[bytes, int]]) -> None:
        """These are all names of a directory."""
        self.forget(directory)
        self._names[directory] = dict(names)
        self._length += len(self._names[directory])
        self._whole.add(directory)

    def forget(self, directory: int) -> None:
        """Know nothing of a directory any more."""
        self._length -= len(self._names.pop(directory, ()))
        self._whole.discard(directory)

    def clear(self) -> None:
        """Know nothing any more."""
        self._names.clear()
        self._whole.clear()
        self._length = 0
