"""The kernel's requests, answered from the namespace: a thin adapter.

Used by ``session`` (and by tests, directly). All handlers run on the loop's thread; what may block runs in trio's pool
with a deadline, queries and loads behind limits of their own so that slow queries cannot starve reads.

The rule that keeps the kernel's caches right: a handler computes its answer and returns it with no ``await`` in
between. A snapshot is adopted between two handlers, and what was said of the old one is invalidated afterwards (see
``publisher``).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import pyfuse3
import trio
from pyfuse3 import EntryAttributes, FileInfo, FUSEError, ReaddirToken, RequestContext, StatvfsData

from kgfs.errors import DeadlineExceeded, IsADirectory, KgfsError, NotADirectory, NotFoundError, UnknownWord
from kgfs.names import as_utf8, name_bytes, name_text
from kgfs.namespace.bodies import GrowingBody, StaleSnapshotError
from mountd.guard import ErrorLog, guarded, in_thread
from mountd.handles import Handle, Handles
from mountd.kernel import ABSENT_SECONDS, Kernel
from mountd.pieces import Pieces
from mountd.requesters import Requesters
from mountd.space import NAME_MAX
from mountd.writing import Writing

if TYPE_CHECKING:
    from kgfs.drives.files import Drives
    from kgfs.namespace.bodies import Body
    from kgfs.namespace.namespace import Namespace, Shown
    from kgfs.namespace.tree_reader import Attr, Entry
    from mountd.space import Space

ROOT = int(pyfuse3.ROOT_INODE)
CACHE_SECONDS = 3600
"""How long the kernel may answer by itself; what changes earlier is invalidated."""
STORE_BYTES = 128 * 1024
"""Files up to this size are put into the page cache when they are opened, which saves the read requests."""
QUERY_THREADS = LOAD_THREADS = WRITE_THREADS = 8
LISTING_TRIES = 100
REPLY_ENTRIES = 200
"""About as many as a reply to the listing of a directory holds."""
WRITTEN_TRIES = 10
RELOAD_SECONDS = 1.0
"""How long a read that a commit overtook waits for the publication that must be under way."""
_PLAIN = (NotFoundError, NotADirectory, IsADirectory)
"""What every tool runs into all the time: no error worth a sentence in ``@status/last_error.txt``."""
_KIND_BITS = {"d": stat.S_IFDIR, "f": stat.S_IFREG, "l": stat.S_IFLNK}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_TRUNC | os.O_CREAT
_DOTS = 2
"""The offsets 1 and 2 are those of ``.`` and ``..``; the namespace's are higher."""


class Operations(Writing):
    """The file system as pyfuse3 calls it; what changes something is in ``writing``."""

    supports_dot_lookup = False
    enable_writeback_cache = False
    enable_acl = False

    def __init__(
        self,
        namespace: Namespace,
        errors: ErrorLog,
        *,
        deadline: float,
        space: Space,
        refuse: Callable[[KgfsError], None] = lambda error: None,
        drives: Drives | None = None,
        requesters: Requesters | None = None,
    ) -> None:
        """Without ``drives`` nothing can be written. ``refuse`` is told of each error that has a sentence for the
        user, before it becomes an errno."""
        super().__init__()
        self.namespace = namespace
        self.drives = drives
        self.requesters = requesters or Requesters()
        self.errors = errors
        self.deadline = deadline
        self.kernel = Kernel()
        self.handles = Handles()
        self.mounted = False
        """Whether there is a kernel to put bytes into."""
        self.greeted = trio.Event()
        """Set when the kernel has said what it can do, which it does before its first request."""
        self.reload: Callable[[], Awaitable[None]] | None = None
        """Load and publish the newest snapshot: for a read that was overtaken by a commit nobody publishes."""
        self._space = space
        self._refuse = refuse
        self._owner = (os.getuid(), os.getgid())
        self._queries = trio.CapacityLimiter(QUERY_THREADS)
        self._loads = trio.CapacityLimiter(LOAD_THREADS)
        self.pieces = Pieces(self._loads)
        self._others = trio.CapacityLimiter(2)
        self._writers = trio.CapacityLimiter(WRITE_THREADS)
        self._changers = trio.CapacityLimiter(WRITE_THREADS)
        self._loading: dict[int, trio.Event] = {}
        self._adopted = trio.Event()
        self._listed = self._blank()

    def init(self) -> None:
        self.greeted.set()

    # Names and attributes

    @guarded
    async def lookup(self, parent_inode: int, name: bytes, ctx: RequestContext) -> EntryAttributes:
        namespace = self.namespace
        text = name_text(name)
        if len(name) > NAME_MAX and name[:1] != b"@" and namespace.directory(parent_inode) is not None:
            raise FUSEError(errno.ENAMETOOLONG)
        if namespace.pending(parent_inode, text):
            self._asks(ctx.pid)
            await self._prepare(parent_inode, text)
        try:
            node = namespace.lookup(parent_inode, text)
            if self.drives is not None and self.drives.open_files.leaving:
                node = await self._settled(self.drives, parent_inode, text, node)
        except NotFoundError as error:
            if isinstance(error, UnknownWord):
                self.refused(error)
            return self._absent(parent_inode, text)
        entry = self._blank()
        self._fill(entry, node, namespace.attr(node))
        self.kernel.count(node)
        return entry

    def _absent(self, parent: int, name: str) -> EntryAttributes:
        """A missing name as the kernel remembers it, unless names may come there at any time."""
        try:
            lasting = not self.namespace.in_area(parent)
        except NotFoundError:
            lasting = False
        if not lasting or not self.kernel.absent(parent, name):
            raise FUSEError(errno.ENOENT)
        entry = EntryAttributes()  # inode number 0
        entry.entry_timeout = ABSENT_SECONDS
        return entry

    @guarded
    async def getattr(self, inode: int, ctx: RequestContext) -> EntryAttributes:
        entry = self._blank()
        try:
            attr = self.namespace.attr(inode)
        except (
            StaleSnapshotError
        ):  # of something that has yet to be rendered in this generation; a directory never needs it
            self._asks(ctx.pid)
            await self._prepare(inode)
            attr = self.namespace.attr(inode)
        self._fill(entry, inode, attr)
        return entry

    def _blank(self) -> EntryAttributes:
        """Attributes with what is the same for every node."""
        entry = EntryAttributes()
        entry.st_uid, entry.st_gid = self._owner
        return entry

    def _fill(self, entry: EntryAttributes, node: int, attr: Attr) -> None:
        size = attr.size
        mtime = attr.mtime_ns
        entry.st_ino = node
        entry.st_mode = _KIND_BITS[attr.kind] | attr.mode
        entry.st_nlink = attr.nlink
        entry.st_size = size
        entry.st_blocks = (size + 511) >> 9 if attr.kind == "f" else 0
        entry.st_mtime_ns = mtime
        entry.st_atime_ns = mtime if attr.atime_ns is None else attr.atime_ns
        entry.st_ctime_ns = attr.ctime_ns
        entry.attr_timeout = entry.entry_timeout = 0 if attr.volatile else CACHE_SECONDS

    @guarded
    async def readlink(self, inode: int, ctx: RequestContext) -> bytes:
        try:
            target = self.namespace.target(inode)
        except StaleSnapshotError:  # a link of an answer that has yet to be given in this generation
            self._asks(ctx.pid)
            await self._prepare(inode)
            target = self.namespace.target(inode)
        return name_bytes(target)

    @guarded
    async def access(self, inode: int, mode: int, ctx: RequestContext) -> bool:
        return True  # the kernel checks modes itself (default_permissions)

    async def forget(self, inode_list: Sequence[tuple[int, int]]) -> None:
        try:
            dropped = self.kernel.forget(inode_list)
            if dropped:
                self.namespace.forget(dropped)
        except Exception as error:  # nobody waits for an answer
            self.errors.note("forget", error)

    @guarded
    async def getxattr(self, inode: int, name: bytes, ctx: RequestContext) -> bytes:
        if not name.startswith(b"user."):
            # With this answer `ls -l` asks once a file system, not once a file.
            raise FUSEError(errno.EOPNOTSUPP)
        value = self.namespace.xattrs(inode).get(name_text(name))
        if value is None:
            raise FUSEError(errno.ENODATA)
        return bytes(value)

    @guarded
    async def listxattr(self, inode: int, ctx: RequestContext) -> Sequence[bytes]:
        return [name_bytes(name) for name in self.namespace.xattrs(inode)]

    @guarded
    async def statfs(self, ctx: RequestContext) -> StatvfsData:
        return await in_thread(self.deadline, self._others, self._space.statvfs)

    # Directories

    @guarded
    async def opendir(self, inode: int, ctx: RequestContext) -> int:
        if self.namespace.pending(inode):
            self._asks(ctx.pid)
            await self._prepare(inode)
        number = self.handles.open(inode, counted=False)
        self.handles.get(number).pid = ctx.pid
        try:
            self.handles.get(number).listing(self.namespace, 0)
        except BaseException:
            self.handles.close(number, counted=False)
            raise
        self.namespace.hold(inode)
        return number

    @guarded
    async def readdir(self, fh: int, start_id: int, token: ReaddirToken) -> None:
        handle = self.handles.get(fh)
        namespace = self.namespace
        if namespace.pending(handle.node):  # another snapshot may be shown since it was opened, of the same generation
            self._asks(handle.pid)
            await self._prepare(handle.node)
        if start_id < _DOTS and not self._list_dots(handle.node, start_id, token):
            return
        reached = start_id
        for _ in range(LISTING_TRIES):
            entries, first = handle.listing(namespace, reached)
            full = False
            try:
                while entries and not full:
                    for piece in namespace.shown(entries, first, REPLY_ENTRIES):
                        first = self._list_piece(entries, piece, token)
                        reached = entries[first - 1].offset if first else reached
                        handle.at = (reached, first)
                        full = first < piece.last
                        if full:
                            break
                    else:
                        entries, first = handle.listing(namespace, reached)
            except NotFoundError:  # it went while it was listed
                handle.drop_listing()
                continue
            break

    def _list_piece(self, entries: Sequence[Entry], piece: Shown, token: ReaddirToken) -> int:
        """Add a piece of a listing to a reply, as far as it fits; returns the index after the last entry added."""
        counts = self.kernel.counts
        reply = pyfuse3.readdir_reply
        entry = self._listed
        self._fill(entry, 1, piece.like)
        blocks = piece.like.kind == "f"
        mtime_before = ctime_before = None
        at = piece.first
        rows = zip(entries[at : piece.last], piece.sizes, piece.mtimes_ns, piece.ctimes_ns, strict=True)
        for (name, node, offset), size, mtime, ctime in rows:
            entry.st_ino = node
            entry.st_size = size
            if blocks:
                entry.st_blocks = (size + 511) >> 9
            if mtime != mtime_before:
                entry.st_mtime_ns = entry.st_atime_ns = mtime_before = mtime
            if ctime != ctime_before:
                entry.st_ctime_ns = ctime_before = ctime
            if not reply(token, name_bytes(name), entry, offset):
                break
            counts[node] = counts.get(node, 0) + 1
            at += 1
        return at

    def _list_dots(self, node: int, start_id: int, token: ReaddirToken) -> bool:
        """``.`` and ``..``: of these the kernel takes number and kind alone, and counts no lookup."""
        entry = self._listed
        entry.st_mode = stat.S_IFDIR
        if start_id == 0:
            entry.st_ino = node
            if not pyfuse3.readdir_reply(token, b".", entry, 1):
                return False
        entry.st_ino = self.namespace.parent(node)[0]
        return pyfuse3.readdir_reply(token, b"..", entry, _DOTS)

    @guarded
    async def releasedir(self, fh: int) -> None:
        handle = self.handles.close(fh, counted=False)
        if handle is not None:
            self.namespace.let_go(handle.node)

    @guarded
    async def fsyncdir(self, fh: int, datasync: bool) -> None:
        return None

    # Files

    @guarded
    async def open(self, inode: int, flags: int, ctx: RequestContext) -> FileInfo:
        stored = self.namespace.stored(inode) is not None and self.drives is not None
        if flags & _WRITING and not stored:
            raise FUSEError(errno.EROFS)
        if not stored:
            return await self._open_file(inode, ctx.pid)
        try:
            await self._open_stored(inode, flags)
        except NotFoundError:
            # The kernel has a name that is gone: with this answer it looks the name up again, and makes it if it may.
            raise FUSEError(errno.ESTALE) from None
        try:
            opened = await self._open_file(inode, ctx.pid)
        except BaseException:
            await self._close_stored(inode, flags)
            raise
        self.handles.get(opened.fh).flags = flags
        return opened

    async def _open_file(self, inode: int, pid: int) -> FileInfo:
        opened = await self._open_body(inode, pid)
        self.handles.get(opened.fh).pid = pid
        return opened

    async def _open_body(self, inode: int, pid: int) -> FileInfo:
        if self.kernel.is_stored(inode):  # a file that was opened before and has not changed since
            self.namespace.hold(inode)
            return FileInfo(fh=self.handles.open(inode), keep_cache=True)
        if self.namespace.pending(inode):
            self._asks(pid)
            await self._prepare(inode)
        attr = self.namespace.attr(inode)
        if attr.kind == "d":
            raise FUSEError(errno.EISDIR)
        if self.namespace.is_momentary(inode):
            # Past the page cache: its length would be that of another moment than the bytes. (With a writer beside
            # them, 2 of 53,000 reads of ``status.json`` had the end of a longer text behind theirs; so none of 67,000.)
            try:
                body, generation = await self._body(inode)
            except NotFoundError:
                raise FUSEError(errno.ESTALE) from None
            number = self.handles.open(inode)
            handle = self.handles.get(number)
            handle.momentary = True
            handle.body, handle.generation = body, generation
            return FileInfo(fh=number, direct_io=True)
        if attr.volatile and isinstance(self.namespace.peek(inode), GrowingBody):
            # Past the page cache, too: while one reader's ``stat`` makes the file longer, others would see zeros in the
            # rest of the page that was the last one.
            number = self.handles.open(inode)
            self.handles.get(number).volatile = True
            return FileInfo(fh=number, direct_io=True)
        if attr.volatile or self.kernel.was_volatile(inode):
            number = self.handles.open(inode)
            self.handles.get(number).volatile = True
            self.namespace.hold(inode)
            self.kernel.volatile(inode)
            return FileInfo(fh=number, keep_cache=False)
        if self.mounted and 0 < attr.size <= STORE_BYTES:
            await self._store(inode)
        self.namespace.hold(inode)
        return FileInfo(fh=self.handles.open(inode), keep_cache=True)

    async def _store(self, node: int) -> None:
        """Put a small file into the page cache before its opening is answered, so that no read request follows.

        Only while no handle is open on the inode: the call waits for pages that an unanswered read holds, and on this
        thread nobody would answer it.
        """
        body = self.namespace.peek(node)
        if body is None:
            body, _ = await self._body(node)
        if body.blocking or self.handles.is_open(node):
            return
        data = body.read(0, STORE_BYTES + 1)
        with contextlib.suppress(OSError, StaleSnapshotError, NotFoundError):  # then it is read when it is asked for
            if len(data) != self.namespace.attr(node).size:
                return
            pyfuse3.notify_store(node, 0, data)
            self.kernel.stored(node)

    @guarded
    async def read(self, fh: int, off: int, size: int) -> bytes:
        handle = self.handles.get(fh)
        body = handle.body
        if handle.momentary and body is not None:
            return await self._read_moment(handle, body, off, size)
        if (
            body is None
            or handle.volatile
            or handle.generation != self.namespace.view.generation
            or self.namespace.stored(handle.node) is not None  # it may have been written
        ):
            body = await self._current(handle)
        if body.blocking:
            return await self._read_piece(handle, body, off, size)
        return body.read(off, size)

    async def _read_piece(self, handle: Handle, body: Body, off: int, size: int) -> bytes:
        until = trio.current_time() + self.deadline
        if isinstance(body, GrowingBody):
            return await in_thread(self.deadline, self._loads, body.read, off, size)
        while True:
            adopted = self._adopted
            left = until - trio.current_time()
            state = (handle.generation, self.namespace.serial(handle.node))
            try:
                return await self.pieces.read(handle.node, state, body, off, size, left)
            except StaleSnapshotError:
                await self._newer(adopted)
                body = await self._current(handle)

    async def _read_moment(self, handle: Handle, body: Body, off: int, size: int) -> bytes:
        """Of a file that is rendered at each look: its text at opening, whole; and once that was read, what
        has been put behind it, for ``tail -f``."""
        if off >= body.size:
            now, _ = await self._body(handle.node)
            if now.size > body.size and now.read(0, body.size) == body.read(0, body.size):
                handle.body = body = now
        return body.read(off, size)

    async def _current(self, handle: Handle) -> Body:
        """The bytes as they are now: serving those of the time of opening would put them back into the page cache."""
        self._asks(handle.pid)
        try:
            handle.body, handle.generation = await self._body(handle.node)
        except NotFoundError:
            if handle.body is None:
                raise FUSEError(errno.ESTALE) from None
            # Removed while open: its reader may finish.
        return handle.body

    async def _body(self, node: int) -> tuple[Body, int]:
        """The body of a file and the generation that it belongs to, from memory or loaded."""
        namespace = self.namespace
        until = trio.current_time() + self.deadline
        tries = 0
        while True:
            generation = namespace.view.generation
            body = namespace.peek(node)
            if body is not None:
                return body, generation
            left = until - trio.current_time()
            if left <= 0:
                raise DeadlineExceeded(f"Not read within {self.deadline:g} seconds; try again.")
            other = self._loading.get(node)
            if other is not None:
                with trio.move_on_after(left):
                    await other.wait()
                continue
            loaded = self._loading[node] = trio.Event()
            adopted = self._adopted
            try:
                body = await in_thread(left, self._loads, namespace.load, node)
            except StaleSnapshotError:
                if namespace.stored(node) is not None and tries < WRITTEN_TRIES:
                    tries += 1  # a commit is about to be shown
                    await trio.sleep(0.002 * tries)
                else:
                    await self._newer(adopted)
                continue
            finally:
                del self._loading[node]
                loaded.set()
            if generation == namespace.view.generation:
                return body, generation

    async def _newer(self, adopted: trio.Event) -> None:
        """Wait for the snapshot that the commit which overtook us will bring, or fetch it."""
        with trio.move_on_after(RELOAD_SECONDS):
            await adopted.wait()
        if not adopted.is_set() and self.reload is not None:
            await self.reload()

    def adopted(self) -> None:
        """A snapshot was adopted."""
        self._adopted.set()
        self._adopted = trio.Event()
        self.handles.drop_listings()

    @guarded
    async def release(self, fh: int) -> None:
        handle = self.handles.close(fh)
        if handle is not None:
            self.namespace.let_go(handle.node)
            self._asks(handle.pid)
            await self._close_stored(handle.node, handle.flags)

    # Queries

    async def _prepare(self, node: int, name: str | None = None) -> None:
        """Have the query run that stands behind a place, until it is answered in the present generation."""
        namespace = self.namespace
        until = trio.current_time() + self.deadline
        while namespace.pending(node, name):
            left = until - trio.current_time()
            if left <= 0:
                raise DeadlineExceeded(f"No answer within {self.deadline:g} seconds; ask for less or try again.")
            adopted = self._adopted
            try:
                await in_thread(left, self._queries, namespace.prepare, node, name)
            except StaleSnapshotError:
                await self._newer(adopted)

    def path(self, inode: int) -> str:
        """Where an inode stands, for the audit trail."""
        try:
            return str(as_utf8(self.namespace.path(inode)))
        except KgfsError:  # it went meanwhile
            return f"#{inode}"

    def refused(self, error: KgfsError) -> None:
        if isinstance(error, UnknownWord) or not isinstance(error, _PLAIN):
            self._refuse(error)
