"""The tree as a ``kgfs.filesystem.FileSystem`` in which the drives can be written.

Used by the mount, for what its requests change of names and attributes, on any thread but the event loop's and the
writer's. A kernel that did not ask itself is not told of what changes. Looking and reading are those of ``TreeFiles``.
Each change waits for its commit, but for the bytes of a file that is held: ``sync`` commits those, or who lets go last.
What rows cannot hold is refused: hard links, owners and devices (``EPERM``), exchanges (``EINVAL``), more than 1 GiB
(``EFBIG``), holes and files without a name (``EOPNOTSUPP``).
"""

from __future__ import annotations

import contextlib
import errno
import stat
import threading
from collections.abc import Callable, Iterator

from kgfs.drives.files import Drives
from kgfs.errors import ExistsError, KgfsError, NotADirectory, NotFoundError, NotPermitted, ReadOnlyError
from kgfs.filesystem import RENAME_NOREPLACE, XATTR_CREATE, XATTR_REPLACE, Stat
from kgfs.names import name_text
from kgfs.namespace import xattrs
from kgfs.namespace.context_tree import Directory
from kgfs.namespace.tree_files import NAME_MAX, TreeFiles
from kgfs.store.files.drive_rows import NewAttributes

_MOST_US = (2**63 - 1) // 1000
"""Times whose nanoseconds need more than 64 bits (before 1678, after 2261) are cut to these, as disks cut theirs."""
_OURS = "user.kg."
NOTHING_HERE = "Here nothing can be written; write under notes/."


class RowFiles(TreeFiles):
    """A namespace whose writable drives can be changed; elsewhere a change is ``EROFS``."""

    def __init__(self, drives: Drives, *, refused: Callable[[KgfsError], None] = lambda error: None) -> None:
        """``refused`` is told of errors that have a sentence for the user."""
        self._context = drives.context
        super().__init__(self._context.namespace, self._context.directory, refused=refused)
        self._open_files, self._namespace_ops = drives.open_files, drives.namespace_ops
        self._setting = threading.Lock()
        """Held while attributes are read and set: they are one value of a row."""

    # --- places -----------------------------------------------------------------------------------------------------

    def _directory(self, ino: int) -> Directory:
        """A directory of stored files, in which names may change where its drive is writable."""
        directory = self._namespace.directory(ino)
        if directory is None:
            if self._namespace.stored(ino) is not None:
                raise NotADirectory("A file has no names in it.")
            if self._namespace.is_directory_of_files(ino):
                self._namespace.attr(ino)  # it is gone
            raise ReadOnlyError(NOTHING_HERE)
        return directory

    def _file(self, ino: int) -> int:
        """The number of a stored file, whose bytes may be changed where its drive is writable."""
        stored = self._namespace.stored(ino)
        if stored is None:
            if stat.S_ISDIR(self._attributes(ino).mode):
                raise OSError(errno.EISDIR, "It is a directory.")
            raise ReadOnlyError(NOTHING_HERE)
        if stored in self._context.tree.targets:
            raise OSError(errno.EINVAL, "It is a link; write what it leads to.")
        return stored

    @staticmethod
    def _name(name: bytes) -> str:
        if len(name) > NAME_MAX:
            raise OSError(errno.ENAMETOOLONG, f"A name has at most {NAME_MAX} bytes.")
        return name_text(name)

    def _require_no_query(self, parent: int, name: str) -> None:
        """``ExistsError`` for the name of a query: it would hide what has it. Other names are looked at when they are
        made."""
        if name.startswith("@"):
            with contextlib.suppress(NotFoundError):
                found = self._namespace.lookup(parent, name)
                if self._namespace.stored(found) is None and not self._namespace.is_directory_of_files(found):
                    raise ExistsError(f"Here {name} asks a question; choose another name.")

    # --- names ------------------------------------------------------------------------------------------------------

    def make(self, parent: int, name: bytes, mode: int, rdev: int, uid: int, gid: int) -> Stat:
        """A new file or directory, of the owner of all; ``EPERM`` for what is neither."""
        text = self._name(name)
        with self._errors():
            directory = self._directory(parent)
            self._context.require_writable(directory)
            self._require_no_query(parent, text)
            if stat.S_ISDIR(mode):
                self._namespace_ops.make_directory(directory, text, mode).result()
            elif stat.S_IFMT(mode) in (0, stat.S_IFREG):
                stored = self._open_files.create(directory, text, mode)
                try:
                    self._open_files.commit(stored, closing=True).result()
                finally:
                    self._let_go(stored)
            else:
                raise NotPermitted("Here are files and directories only; make it outside the mount.")
        return self.lookup(parent, name)

    def symlink(self, parent: int, name: bytes, target: bytes, uid: int, gid: int) -> Stat:
        """A new symbolic link, whose target is kept byte for byte."""
        text = self._name(name)
        with self._errors():
            self._require_no_query(parent, text)
            self._namespace_ops.make_link(self._directory(parent), text, name_text(target)).result()
        return self.lookup(parent, name)

    def link(self, ino: int, new_parent: int, new_name: bytes) -> Stat:
        """``EPERM``."""
        self._name(new_name)
        with self._errors():
            self._context.require_writable(self._directory(new_parent))
            raise NotPermitted("Hard links cannot be stored here; copy the file.")

    def rename(self, old_parent: int, old_name: bytes, new_parent: int, new_name: bytes, flags: int) -> None:
        """Move a file or a directory, between drives too; ``EINVAL`` for any flag but ``RENAME_NOREPLACE``."""
        name, to_name = self._name(old_name), self._name(new_name)
        with self._errors():
            directory, to = self._directory(old_parent), self._directory(new_parent)
            if flags & ~RENAME_NOREPLACE:
                raise OSError(errno.EINVAL, "Names cannot be exchanged here; rename one after the other.")
            self._require_no_query(new_parent, to_name)
            replace = not flags & RENAME_NOREPLACE
            self._namespace_ops.rename(directory, name, to, to_name, replace=replace).result()

    def unlink(self, parent: int, name: bytes) -> None:
        """Remove a file or a link; a program that holds it keeps its bytes."""
        text = self._name(name)
        with self._errors():
            self._namespace_ops.remove_file(self._directory(parent), text).result()

    def rmdir(self, parent: int, name: bytes) -> None:
        """Remove an empty directory."""
        text = self._name(name)
        with self._errors():
            self._namespace_ops.remove_directory(self._directory(parent), text).result()

    def tmpfile(self, mode: int, uid: int, gid: int) -> Stat:
        """``EOPNOTSUPP``: a row has a path."""
        raise OSError(errno.EOPNOTSUPP, "A file here has a name.")

    # --- attributes -------------------------------------------------------------------------------------------------

    def setattr(
        self,
        ino: int,
        *,
        mode: int | None = None,
        uid: int | None = None,
        gid: int | None = None,
        size: int | None = None,
        atime_ns: int | None = None,
        mtime_ns: int | None = None,
    ) -> Stat:
        """Change what is given; times are kept in microseconds. ``EPERM`` for another owner."""
        with self._errors():
            self._require_writable(ino)
            if uid not in (None, self._owner[0]) or gid not in (None, self._owner[1]):
                raise NotPermitted("All files here belong to the user who mounted them; the owner cannot be changed.")
            if size is not None:
                if size < 0:
                    raise OSError(errno.EINVAL, "A size is not negative.")
                with self._writing(ino, empty=size == 0) as stored:
                    self._open_files.truncate(stored, size)
            given = NewAttributes(
                mode=None if mode is None else stat.S_IMODE(mode),
                mtime_us=_microseconds(mtime_ns),
                atime_us=_microseconds(atime_ns),
            )
            if given != NewAttributes():
                self._set(ino, given)
        return self.getattr(ino)

    def _require_writable(self, ino: int) -> None:
        """``ReadOnlyError`` for all but what a writable drive has or had."""
        stored = self._namespace.stored(ino)
        if stored is None:
            self._context.require_writable(self._directory(ino))
        elif (place := self._context.tree.place.get(stored)) is not None:
            self._context.require_writable(place[0])

    def _set(self, ino: int, given: NewAttributes) -> None:
        stored = self._namespace.stored(ino)
        if stored is not None:
            self._namespace_ops.set_file(stored, given).result()
        else:
            self._namespace_ops.set_directory(self._directory(ino), given).result()

    def setxattr(self, ino: int, name: bytes, value: bytes, flags: int = 0) -> None:
        """Set one; ``EOPNOTSUPP`` for all but ``user.*``, ``EPERM`` for ``user.kg.*``."""
        with self._errors(), self._setting:
            if not self._may_set(ino, name):
                return
            text, values = name_text(name), self._namespace.own_xattrs(ino)
            if flags & XATTR_CREATE and text in values:
                raise OSError(errno.EEXIST, "There is such an attribute.")
            if flags & XATTR_REPLACE and text not in values:
                raise OSError(errno.ENODATA, "There is no such attribute.")
            self._set(ino, NewAttributes(xattrs=xattrs.encoded(values | {text: value})))

    def removexattr(self, ino: int, name: bytes) -> None:
        """Remove one; the errors of ``setxattr`` too."""
        with self._errors(), self._setting:
            if not self._may_set(ino, name):
                return
            values = self._namespace.own_xattrs(ino)
            if values.pop(name_text(name), None) is None:
                raise OSError(errno.ENODATA, "There is no such attribute.")
            self._set(ino, NewAttributes(xattrs=xattrs.encoded(values)))

    def _may_set(self, ino: int, name: bytes) -> bool:
        """Whether an attribute is the user's. ``False`` for what the graph says by itself: tools that copy attributes
        (``mv`` from another disk, ``rsync -X``, ``tar --xattrs``) bring those of the original and take away those that
        it had not. That has no effect, and it is no error: these tools would report the whole copy as failed."""
        self._require_writable(ino)
        if not name.startswith(b"user."):
            raise OSError(errno.EOPNOTSUPP, "Only attributes user.* are kept.")
        text = name_text(name)
        if text in xattrs.NAMES:
            return False
        if text.startswith(_OURS):
            raise NotPermitted("Attributes user.kg.* say what the graph knows; choose another name.")
        return True

    # --- bytes ------------------------------------------------------------------------------------------------------

    def hold(self, ino: int) -> None:
        """Keep an inode while it is open."""
        super().hold(ino)
        stored = self._namespace.stored(ino)
        if stored is None:
            return
        place = self._context.tree.place.get(stored)
        try:
            with self._errors():
                # As a writer: no draft is dropped that somebody is reading.
                writing = place is None or self._context.is_writable(place[0])
                self._open_files.open_settled(stored, writing=writing)
        except BaseException:
            super().release(ino)
            raise

    def release(self, ino: int) -> None:
        """Let go of what ``hold`` kept. The last release commits what was written."""
        stored = self._namespace.stored(ino)
        if stored is not None and ino in self._held:
            self._let_go(stored)
        super().release(ino)

    def _let_go(self, stored: int) -> None:
        ended = self._open_files.release(stored, writing=True)
        if ended is not None:
            ended.result()

    @contextlib.contextmanager
    def _writing(self, ino: int, *, empty: bool = False) -> Iterator[int]:
        """A file while its bytes are changed; ``empty``: it is about to be cut to nothing. What nobody holds is
        committed then."""
        stored, open_files = self._file(ino), self._open_files
        open_files.open_settled(stored, writing=True)
        try:
            while open_files.needs_load(stored):
                open_files.load(stored, empty=empty)
            yield stored
            if ino not in self._held:
                open_files.commit(stored, closing=True).result()
        finally:
            self._let_go(stored)

    def write(self, ino: int, offset: int, data: bytes) -> int:
        """Write all of ``data``; ``EFBIG`` beyond 1 GiB."""
        if offset < 0:
            raise OSError(errno.EINVAL, "An offset is not negative.")
        with self._errors(), self._writing(ino) as stored:
            return self._open_files.write(stored, offset, data)

    def allocate(self, ino: int, mode: int, offset: int, length: int) -> None:
        """``EOPNOTSUPP``: rows have no holes."""
        raise OSError(errno.EOPNOTSUPP, "Files here have no holes; write zeros.")

    def sync(self, ino: int | None = None) -> None:
        """Commit what was written to a held file, or to all."""
        stored = None if ino is None else self._namespace.stored(ino)
        if ino is not None and stored is None:
            return  # names and attributes are committed
        with self._errors():
            waiting = list(self._open_files.by_inode) if stored is None else [stored]
            for future in [self._open_files.commit(each, closing=False) for each in waiting]:
                future.result()


def _microseconds(nanoseconds: int | None) -> int | None:
    return None if nanoseconds is None else max(-_MOST_US, min(nanoseconds // 1000, _MOST_US))
