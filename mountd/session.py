"""One mount from its first request to its unmounting.

Used by ``__main__``. ``open`` and ``close`` run on the main thread, ``run`` is the event loop; ``publish`` may be
called from any other thread.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pyfuse3
import trio

from kgfs import mounts
from kgfs.callers import door
from kgfs.errors import KgfsError
from kgfs.namespace.tree import SESSIONS
from mountd import fast_wait, kernel
from mountd.changes import IDLE_SECONDS, Changes, Record
from mountd.guard import ErrorLog, in_thread
from mountd.kernel import Invalidator, Orders
from mountd.operations import Operations
from mountd.publisher import ACKNOWLEDGE_SECONDS, Publisher
from mountd.reads import Reads
from mountd.requesters import Requesters
from mountd.router import Router
from mountd.space import Space
from mountd.submounts.open_handles import OpenHandles
from mountd.submounts.submount import Submount
from mountd.watchdog import STUCK_SECONDS, Watchdog

if TYPE_CHECKING:
    from kgfs.drives.files import Drives
    from kgfs.filesystem import FileSystem
    from kgfs.namespace.context_tree import Directory
    from kgfs.namespace.namespace import Namespace
    from kgfs.namespace.snapshot import Snapshot

TASKS = 30
"""Requests that may wait for something at once; as a minimum too, for workers that come and go cost more."""
GRACE_SECONDS = 2.0
"""How long requests that are being answered may go on after the signal to end."""
READ_AHEAD_KB = 1024
_END_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

log = logging.getLogger(__name__)


class Options(msgspec.Struct, kw_only=True, frozen=True):
    """How to mount."""

    allow_other: bool = False
    read_only: bool = False
    audit_reads: bool = False
    """Whether openings of files for reading are recorded."""
    session: str | None = None
    """The session that is the mount itself."""
    stuck_seconds: float = STUCK_SECONDS


class Session:
    """A namespace at a mountpoint."""

    def __init__(
        self,
        namespace: Namespace,
        store: Path,
        mountpoint: Path,
        errors: ErrorLog,
        *,
        deadline: float,
        options: Options | None = None,
        refuse: Callable[[KgfsError], None] = lambda error: None,
        drives: Drives | None = None,
        file_systems: Mapping[str, FileSystem] | None = None,
        record: Record | None = None,
    ) -> None:
        """``file_systems`` stand in directories of the tree, by the patterns of their rows. ``record`` is told what
        programs do that nobody else records."""
        self._store = store
        self._mountpoint = mountpoint
        self._options = options or Options()
        self._drives = None if self._options.read_only else drives
        requesters = Requesters()
        self.operations = Operations(
            namespace, errors, deadline=deadline, space=Space(store), refuse=refuse, drives=self._drives,
            requesters=requesters,
        )  # fmt: skip
        self.operations.reload = self._reload
        self._deadline = deadline
        self._reloads = trio.CapacityLimiter(1)
        self._invalidator = Invalidator()
        self._publisher = Publisher(self.operations, self._invalidator)
        handles = OpenHandles()
        self._changes = Changes(record, requesters) if record is not None else None
        self.submounts = {
            pattern: Submount(
                self._name(pattern), each, number, namespace.resolve(pattern.rstrip("/")), handles, errors,
                read_only=self._options.read_only, changes=self._changes, areas=pattern == SESSIONS,
            )
            for number, (pattern, each) in enumerate((file_systems or {}).items())
        }  # fmt: skip
        """The other file systems, by the patterns of their rows."""
        reads = Reads(record, requesters) if record is not None and self._options.audit_reads else None
        self._router = Router(self.operations, self.submounts.values(), handles, reads)
        if drives is not None:
            drives.files_by_path.on_touched = self._publisher.touched
            drives.open_files.lost = self._lost
        self._watchdog = Watchdog(errors, self._options.stuck_seconds)
        self._ending = False
        self._restore: Callable[[], None] | None = None

    def _name(self, pattern: str) -> str:
        """What the audit trail calls one of the other file systems."""
        if pattern == "/" and self._options.session is not None:
            return f"{SESSIONS}{self._options.session}"
        return pattern.rstrip("/")

    def open(self) -> None:
        """Mount. ``KgfsError`` when the kernel or ``fusermount3`` refuses."""
        # Once there is a mount, a signal must not leave it behind: what comes before the loop listens sets a flag,
        # what comes after the loop has ended does nothing.
        for number in _END_SIGNALS:
            signal.signal(number, self._note_end)
        before = fast_wait.fuse_descriptors()
        try:
            pyfuse3.init(self._router, str(self._mountpoint), self._mount_options())
        except RuntimeError as error:
            raise KgfsError(
                f"{self._mountpoint} could not be mounted ({error}); `kgfs doctor` looks for the cause."
            ) from error
        opened = fast_wait.fuse_descriptors() - before
        if len(opened) == 1:
            descriptor = opened.pop()
            self._restore = fast_wait.install(descriptor)
            self._invalidator.expire_entry = functools.partial(kernel.expire_entry, descriptor)
        if self._restore is None:
            log.warning("pyfuse3 %s is not the one we know: requests wait the slow way", pyfuse3.__version__)
        self.operations.mounted = True
        for submount in self.submounts.values():
            submount.mounted = True
            submount.tell = self._tell

    def _tell(self, orders: Orders) -> None:
        """Have the kernel drop things, and return when it has."""
        if not self._invalidator.submit(lambda: orders).wait(ACKNOWLEDGE_SECONDS):
            log.error("the kernel has not dropped what a command changed after %g seconds", ACKNOWLEDGE_SECONDS)

    def submounts_changed(self) -> None:
        """Have the kernel forget what it knows of the other file systems, of which something was changed past it
        (blocks; any thread but the loop's)."""
        for submount in self.submounts.values():
            submount.all_changed()

    def name_changed(self, pattern: str, name: bytes) -> None:
        """The same, where all that was changed is one name in the root of one of them."""
        submount = self.submounts.get(pattern)
        if submount is not None:
            submount.name_changed(name)

    def _lost(self, inode: int, place: tuple[Directory, str] | None) -> None:
        node_of = self.operations.namespace.node_of
        self._publisher.lost(node_of(inode), None if place is None else (node_of(place[0]), place[1]))

    def _read_further_ahead(self) -> None:
        """Larger reads of large files, where we may say so (as root); 128 KiB are the kernel's own idea."""
        mount = mounts.mount_at(self._mountpoint)
        if mount is not None:
            with contextlib.suppress(OSError):
                Path(f"/sys/class/bdi/{mount.device}/read_ahead_kb").write_text(str(READ_AHEAD_KB))

    def _mount_options(self) -> set[str]:
        options = {
            "default_permissions",
            "nosuid",
            "nodev",
            f"fsname={mounts.source_of(self._store)}",
            f"subtype={mounts.SUBTYPE}",
        }
        if self._options.allow_other:
            options.add("allow_other")
        if self._options.read_only:
            options.add("ro")
        return options

    def run(self, ready: Callable[[], None]) -> None:
        """Serve requests until the mount is unmounted or a signal ends it; ``ready`` is called when serving begins."""
        self._invalidator.start()
        self._watchdog.start()
        trio.run(self._main, ready)

    def _note_end(self, number: int, frame: object) -> None:
        self._ending = True

    async def _main(self, ready: Callable[[], None]) -> None:
        door.set("mount")  # every task and thread that handles a request begins with it
        self._publisher.attach()
        async with trio.open_nursery() as nursery:
            requests = trio.CancelScope()
            await nursery.start(self._end_on_signal, requests)
            nursery.start_soon(self._watchdog.beat)
            nursery.start_soon(self._greet, ready)
            nursery.start_soon(self._record_changes)
            self.operations.pieces.start_soon = nursery.start_soon
            with requests:
                await pyfuse3.main(min_tasks=TASKS, max_tasks=TASKS)
            self._ending = True
            self._publisher.detach()
            nursery.cancel_scope.cancel()

    async def _record_changes(self) -> None:
        while self._changes is not None:
            await trio.sleep(IDLE_SECONDS)
            self._changes.flush()

    async def _greet(self, ready: Callable[[], None]) -> None:
        await self.operations.greeted.wait()
        self._read_further_ahead()
        ready()

    async def _end_on_signal(
        self, requests: trio.CancelScope, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        with trio.open_signal_receiver(*_END_SIGNALS) as signals:
            task_status.started()
            if not self._ending:
                async for number in signals:
                    log.info("ending after %s", signal.Signals(number).name)
                    break
            self._ending = True
            # The loop may not have come to its first request yet.
            await trio.sleep(0)
            pyfuse3.terminate()
            await trio.sleep(GRACE_SECONDS)
            requests.cancel()
            await trio.sleep_forever()  # further signals are swallowed here

    def close(self) -> bool:
        """Unmount and free everything; False if a thread hangs in the kernel, so that only the process's end helps."""
        self._watchdog.stop()
        self.operations.mounted = False
        for submount in self.submounts.values():
            submount.close()
        if self._changes is not None:
            self._changes.flush(ending=True)
        if self._drives is not None:
            self._drives.open_files.finish()
        if self._restore is not None:
            self._restore()
        if self._invalidator.stop():
            pyfuse3.close(unmount=True)
            return True
        log.error("the invalidator hangs in the kernel; ending without it")
        if mounts.mount_at(self._mountpoint) is not None:
            mounts.unmount(self._mountpoint, lazy=True)
        return False

    def publish(self, snapshot: Snapshot) -> bool:
        """See :meth:`Publisher.publish`."""
        return self._publisher.publish(snapshot)

    async def _reload(self) -> None:
        """For a read that a commit overtook and nobody publishes: fetch the newest snapshot ourselves."""
        before = self.operations.namespace.view.generation
        async with self._reloads:
            if self.operations.namespace.view.generation == before:
                await in_thread(self._deadline, trio.CapacityLimiter(1), self._load_and_publish)

    def _load_and_publish(self) -> None:
        self.publish(self.operations.namespace.load_snapshot())
