"""The directories beneath ``context/``, as the paths of stored files make them.

``ContextTree`` holds those of one snapshot; what a path's names are is in ``context_names``. It is built by the thread
that loads the snapshot; what is written later is applied to it (``journal``), one change after another, while others
read: each step leaves a tree that makes sense, and nobody keeps an iterator over its tables.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import NamedTuple

from kgfs.namespace.context_names import MAX_COMPONENT_BYTES, SELF, encode_component, names_of
from kgfs.namespace.domains import Domain
from kgfs.namespace.node import ID_BITS, ID_MASK
from kgfs.namespace.relations import Ints

Files = Mapping[str, int]
"""Name to inode."""
PATHS_LEFT = 10_000
"""Of so many paths it is known that a directory left them."""


@dataclass(slots=True)
class StoredFile:
    """What is known of a file beside its place, where that is newer than the snapshot's columns.

    While a program has a file open there is one object for it, whatever snapshot is shown, since the program changes
    it. Times are microseconds since 1970.
    """

    inode: int
    item: int
    """Row id; 0 while there is no row yet."""
    size: int
    mtime: int
    ctime: int
    mode: int
    textual: bool = True
    atime: int | None = None
    """As somebody set it."""
    xattrs: dict[str, str] = field(default_factory=dict)
    """Name to base64."""
    serial: int = 0
    """Raised with each committed body: by item and serial a text is known. 0: the body is that of the snapshot's row,
    of which only attributes stand here."""
    target: str | None = None
    """Where it leads, of a symbolic link; bytes that are no UTF-8 as ``os.fsdecode`` has them."""

    def become(self, other: StoredFile) -> None:
        """Take over what another object says of this file; ``serial`` stays that of this one."""
        for each in ("item", "size", "mtime", "ctime", "mode", "textual", "atime", "xattrs"):
            setattr(self, each, getattr(other, each))


@dataclass(slots=True)
class DirectoryRow:
    """The row of a directory that has one; directories that only follow from paths have none."""

    item: int
    mode: int
    ctime: int
    mtime: int | None = None
    """As somebody set it."""
    atime: int | None = None
    xattrs: dict[str, str] = field(default_factory=dict)


class FileNumbers:
    """Numbers of directories and files that are not what they usually are, for as long as the store is open.

    A directory is known by a hash of its path, a file by its item's id; one that was moved keeps the number it had,
    and one that is made where another was gets a new one. For any thread.
    """

    def __init__(self) -> None:
        self._keys: dict[str, int] = {}
        """Path of a directory to its key, where that is not the usual one."""
        self._paths: dict[int, str] = {}
        """The inverse."""
        self._left: dict[str, None] = {}
        """Paths at which the usual key is that of a directory which left, the last ones that did: for who still has an
        old number open. Of the others the number is used again."""
        self._fresh = 0
        self.editions = itertools.count(1)
        """For the listings of directories, in all trees: none of one tree is taken for that of another."""
        self.item_of: dict[int, int] = {}
        """Inode to item, where they differ."""
        self.inode_of: dict[int, int] = {}
        self._lock = threading.Lock()

    def key(self, path: str, taken: dict[int, Directory]) -> int:
        """The key of the directory at a path; ``taken`` are those of the tree that it will stand in."""
        with self._lock:
            found = self._keys.get(path)
            if found is not None:
                return found
            fresh = path in self._left
            text = f"{path}\0{self._fresh}" if fresh else path
            key = int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") >> 10
            while key in taken or key in self._paths or not key:
                key = (key + 1) & ((1 << 2 * ID_BITS) - 1)
            if fresh:
                self._know(path, key)
            return key

    def moved(self, key: int, path: str) -> None:
        """The directory of this key is at another path now."""
        with self._lock:
            self._know(path, key)

    def _know(self, path: str, key: int) -> None:
        self._keys[path], self._paths[key] = key, path
        self._left.pop(path, None)

    def left(self, path: str) -> None:
        """No directory is at this path any more: the next one is another."""
        with self._lock:
            key = self._keys.pop(path, None)
            if key is not None and self._paths.get(key) == path:
                del self._paths[key]
            self._left.pop(path, None)
            self._left[path] = None
            self._fresh += 1
            while len(self._left) > PATHS_LEFT:
                del self._left[next(iter(self._left))]

    def bind(self, inode: int, item: int) -> None:
        """This file is that item from now on, and the one that was it before is none."""
        former = self.item_of.pop(inode, None)
        if former is not None and self.inode_of.get(former) == inode:
            del self.inode_of[former]
        before = self.inode_of.pop(item, None)
        if before is not None and before != inode:
            self.item_of.pop(before, None)
        if inode != item:
            self.item_of[inode] = item
            self.inode_of[item] = inode


class Directory:
    """One directory: a drive (``parent`` is ``None``) or one beneath it."""

    __slots__ = ("_own", "directories", "edition", "files", "key", "mtime", "name", "parent", "row", "touched")

    def __init__(self, key: int, name: str, parent: Directory | None, edition: int) -> None:
        self.row: DirectoryRow | None = None
        self.edition = edition
        """Another one whenever its listing changes."""
        self.touched = 0
        """When a name last came or went here, as far as this process has seen it."""
        self.key = key
        self.name = name
        self.parent = parent
        self.directories: dict[str, Directory] = {}
        self.files: Files = {}
        """Changed by ``own_files`` only: trees share what their rows say alike."""
        self._own: dict[str, int] | None = None
        self.mtime = 0
        """The newest file beneath, as it was when the snapshot was loaded."""

    @property
    def a(self) -> int:
        return self.key >> ID_BITS

    @property
    def b(self) -> int:
        return self.key & ID_MASK

    def own_files(self) -> dict[str, int]:
        """``files`` to be changed: of this directory in this tree alone. One thread changes at a time."""
        if self._own is None:
            self.files = self._own = dict(self.files)
        return self._own

    def empty(self) -> None:
        """Let go of the names: nobody has the tree any more."""
        self.files, self._own = {}, None

    def names(self) -> tuple[str, ...]:
        """From the drive, inclusive."""
        found = []
        here: Directory | None = self
        while here is not None:
            found.append(here.name)
            here = here.parent
        return tuple(reversed(found))


class FileRows(NamedTuple):
    """Stored files as their rows say; nothing of it is changed."""

    items: Domain
    folder: memoryview
    """The number of each one's folder."""
    name: Ints
    """Text."""
    inode_of: Mapping[int, int]
    """Item to inode, where they differ."""
    files: Mapping[int, Files]
    """Folder to what is in it."""


Place = tuple[Directory, str]
"""A file's directory and its name there."""


class Places(MutableMapping[int, Place]):
    """Inode to where a file stands: as the rows say, and what was put or taken away since, which is kept beside them.
    So a tree costs nothing for each of its files."""

    def __init__(self) -> None:
        self._since: dict[int, Place | None] = {}
        """``None``: it stands nowhere."""
        self._rows: FileRows | None = None
        self._directories: Sequence[Directory | None] = ()
        """By the number of the folder."""
        self._item_of: dict[int, int] = {}

    def take_rows(self, rows: FileRows, directories: Sequence[Directory | None]) -> None:
        """Know the files of these rows."""
        self._rows, self._directories = rows, directories
        self._item_of = {inode: item for item, inode in rows.inode_of.items()}

    def index(self, inode: int) -> int:
        """The index of the row of a file, -1 where there is none."""
        rows = self._rows
        if rows is None:
            return -1
        if rows.inode_of:
            item = self._item_of.get(inode)
            if item is not None:
                return rows.items.find_index(item)
            if inode in rows.inode_of:
                return -1
        return rows.items.find_index(inode)

    def _find(self, inode: int) -> Place | None:
        if inode in self._since:
            return self._since[inode]
        index = self.index(inode)
        if index < 0 or self._rows is None:
            return None
        directory = self._directories[self._rows.folder[index]]
        return None if directory is None else (directory, self._rows.name[index])

    def __getitem__(self, inode: int) -> Place:
        found = self._find(inode)
        if found is None:
            raise KeyError(inode)
        return found

    def __contains__(self, inode: object) -> bool:
        return isinstance(inode, int) and self._find(inode) is not None

    def __setitem__(self, inode: int, place: Place) -> None:
        self._since[inode] = place

    def __delitem__(self, inode: int) -> None:
        if inode not in self:
            raise KeyError(inode)
        self._since[inode] = None

    def __iter__(self) -> Iterator[int]:
        since = dict(self._since)
        yield from (inode for inode, place in since.items() if place is not None)
        if self._rows is not None:
            inode_of = self._rows.inode_of
            yield from (inode for item in self._rows.items.ids if (inode := inode_of.get(item, item)) not in since)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class ContextTree:
    """All directories of a snapshot. Directories are known by a 54-bit hash of their path, files by their inode, which
    is their item's id but for a few (``FileNumbers``)."""

    def __init__(self, drives: Iterable[str], numbers: FileNumbers | None = None) -> None:
        self.numbers = numbers or FileNumbers()
        self.drives: dict[str, Directory] = {}
        self.by_key: dict[int, Directory] = {}
        self.place = Places()
        self.live: dict[int, StoredFile] = {}
        """Files of which more is known than the snapshot's columns say."""
        self.targets: dict[int, str] = {}
        """Inode to where it leads, of files that are symbolic links."""
        self.touched: set[int] = set()
        """Keys of directories in which names came or went."""
        self.written: set[int] = set()
        """Inodes of files that a change after loading put elsewhere, made or took away."""
        self.stale = False
        """Whether something was committed that the snapshot's columns do not know."""
        for drive in drives:
            self._drive(drive)

    def __del__(self) -> None:
        # Directories hold each other, and stay until cycles are collected; what they list goes now.
        for directory in self.by_key.values():
            directory.empty()

    def _drive(self, drive: str) -> Directory:
        name = "".join(encode_component(drive))[:MAX_COMPONENT_BYTES]
        found = self.drives.get(name)
        if found is None:
            found = self.drives[name] = self._make(name, None)
        return found

    def _make(self, name: str, parent: Directory | None) -> Directory:
        path = name if parent is None else "/".join((*parent.names(), name))
        key = self.numbers.key(path, self.by_key)
        directory = self.by_key[key] = Directory(key, name, parent, next(self.numbers.editions))
        return directory

    # --- loading ----------------------------------------------------------------------------------------------------

    def add_all(
        self, folders: Sequence[tuple[str, ...]], rows: FileRows, newest: Iterable[tuple[int, int]]
    ) -> tuple[list[int], list[tuple[Directory, int]]]:
        """Place the files of these rows, of folders that are given with the newest time in each; directories take the
        newest time beneath them.

        Returns the key of each folder's directory, -1 where it has no file, and the directories that are a file
        themselves with its inode: they have its time to take.
        """
        directories: list[Directory | None] = [None] * len(folders)
        own = []
        for number, latest in newest:
            drive, *beneath = folders[number]
            here = directories[number] = self._descend(self._drive(drive), beneath)
            if here.files:
                here.own_files().update(rows.files[number])
            else:
                here.files = rows.files[number]
            above: Directory | None = here
            while above is not None and latest > above.mtime:
                above.mtime = latest
                above = above.parent
        self.place.take_rows(rows, directories)
        for directory in filter(None, directories):
            for name in directory.files.keys() & directory.directories.keys():
                inode, inner = directory.own_files().pop(name), directory.directories[name]
                inner.own_files()[SELF] = inode
                self.place[inode] = (inner, SELF)
                own.append((inner, inode))
        return [-1 if directory is None else directory.key for directory in directories], own

    def add_directory(self, drive: str, path: str, row: DirectoryRow) -> None:
        """A directory that has a row; before the files."""
        self._descend(self._drive(drive), names_of(drive, path)).row = row

    def _descend(self, here: Directory, names: Iterable[str]) -> Directory:
        """The directory so many names further down, made where it is missing."""
        for name in names:
            child = here.directories.get(name)
            if child is None:
                child = self._make(name, here)
                here.directories[name] = child
                here.edition = next(self.numbers.editions)
            here = child
        return here

    # --- changes ----------------------------------------------------------------------------------------------------

    def directory(self, names: Sequence[str]) -> Directory | None:
        """The directory at these names, the drive first."""
        here = self.drives.get(names[0]) if names else None
        for name in names[1:]:
            if here is None:
                return None
            here = here.directories.get(name)
        return here

    def put_file(self, names: Sequence[str], file: StoredFile, now: int = 0) -> None:
        """The file stands there (a drive's name first), wherever it stood before; what else stood there does not."""
        self.written.add(file.inode)
        before = self.place.get(file.inode)
        here = self._descend(self._drive(names[0]), names[1:-1])
        name = names[-1]
        if name in here.directories:
            here, name = here.directories[name], SELF
        other = here.files.get(name)
        self.live[file.inode] = file
        if file.target is not None:
            self.targets[file.inode] = file.target
        here.own_files()[name] = file.inode
        self.place[file.inode] = (here, name)
        if other is not None and other != file.inode:
            self.written.add(other)
            self.place.pop(other, None)
        if before is not None and before != (here, name):
            self._take(before, file.inode, now)
        if before != (here, name) or other != file.inode:
            self._listed(here, now)

    def drop_file(self, inode: int, now: int = 0) -> None:
        """The file stands nowhere any more. A program that has it open keeps it (``live``)."""
        place = self.place.pop(inode, None)
        self.written.add(inode)
        if place is not None:
            self._take(place, inode, now)

    def drop_name(self, names: Sequence[str], now: int = 0) -> None:
        """No file stands at these names (a drive's name first)."""
        here = self.directory(names[:-1])
        inode = None if here is None else here.files.get(names[-1])
        if here is not None and inode is not None:
            self.written.add(inode)
            self._take((here, names[-1]), inode, now)
            if self.place.get(inode) == (here, names[-1]):
                del self.place[inode]

    def _take(self, place: tuple[Directory, str], inode: int, now: int) -> None:
        directory, name = place
        if directory.files.get(name) == inode:
            del directory.own_files()[name]
            self._listed(directory, now)

    def _listed(self, directory: Directory, now: int) -> None:
        directory.edition = next(self.numbers.editions)
        if now > directory.touched:
            directory.touched = now
            self.touched.add(directory.key)
        if now and directory.row is not None and directory.row.mtime is not None:
            directory.row = replace(directory.row, mtime=None)  # it is no longer the one that somebody set

    def put_directory(self, names: Sequence[str], row: DirectoryRow | None, now: int = 0) -> Directory:
        """There is a directory, with this row."""
        above = self._descend(self._drive(names[0]), names[1:-1])
        fresh = names[-1] not in above.directories
        here = self._descend(above, names[-1:]) if len(names) > 1 else above
        here.row = row
        if fresh:
            self._listed(above, now)
        return here

    def drop_directory(self, names: Sequence[str], now: int = 0) -> None:
        """There is no such directory; one that holds something stays."""
        here = self.directory(names)
        if here is None or here.parent is None or here.files or here.directories:
            return
        del here.parent.directories[here.name]
        self._listed(here.parent, now)
        if self.by_key.get(here.key) is here:  # else it moved, and is known at its new place already
            del self.by_key[here.key]

    def move_directory(self, here: Directory, above: Directory, name: str, now: int = 0) -> None:
        """A directory with all beneath it stands elsewhere; nothing may stand there."""
        assert here.parent is not None
        former, before = here.parent, here.names()
        above.directories[name] = here
        here.parent, old = above, here.name
        here.name = name
        if former.directories.get(old) is here and (former is not above or old != name):
            del former.directories[old]
        self._listed(former, now)
        self._listed(above, now)
        for each in self.beneath(here):
            names = each.names()
            self.numbers.moved(each.key, "/".join(names))
            self.numbers.left("/".join((*before, *names[len(here.names()) :])))

    def remember_touched(self, former: ContextTree) -> None:
        """When names came and went, as an earlier tree of the same directories saw it."""
        for key in former.touched:
            here, before = self.by_key.get(key), former.by_key.get(key)
            if here is not None and before is not None:
                here.touched = max(here.touched, before.touched)
                if here.row is not None and before.row is not None and before.row.mtime is None:
                    here.row = replace(here.row, mtime=None)
                self.touched.add(key)

    def beneath(self, here: Directory) -> list[Directory]:
        """A directory and all in it, itself first."""
        found = [here]
        for each in found:
            found.extend(list(each.directories.values()))
        return found

    # --- looking ----------------------------------------------------------------------------------------------------

    def item_of(self, inode: int) -> int:
        """The row id of a file; 0 while it has none."""
        live = self.live.get(inode)
        return live.item if live is not None else self.numbers.item_of.get(inode, inode)

    def inode_of(self, item_id: int) -> int:
        return self.numbers.inode_of.get(item_id, item_id)

    def find_stored(self, drive: str, path: str) -> Directory | int | None:
        """What stands at a stored path: a directory, a file's inode, or nothing."""
        here = self.drives.get("".join(encode_component(drive)))
        if here is None:
            return None
        parts = names_of(drive, path) if path.strip("/") else ()
        for place, part in enumerate(parts):
            inner = here.directories.get(part)
            if inner is None:
                return here.files.get(part) if place == len(parts) - 1 else None
            here = inner
        return here

    def path(self, inode: int) -> str:
        """From the mount's root."""
        directory, name = self.place[inode]
        return "/".join(("context", *directory.names(), name))
