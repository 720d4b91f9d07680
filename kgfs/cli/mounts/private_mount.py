"""A mount for as long as a command needs one, where the store is not mounted.

Used by ``kgfs agent``, on the main thread.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kgfs import mounts, trust
from kgfs.cli.declaration import Invocation
from kgfs.cli.mounts.mount import refuse_while_added, start_daemon
from kgfs.cli.mounts.umount import holder, wait_for_the_end
from kgfs.errors import KgfsError
from kgfs.paths import PREFIX


@contextlib.contextmanager
def mounted(invocation: Invocation, store: Path) -> Iterator[None]:
    """The store is mounted until the end: where it is, or in a directory of its own. Errors as of ``kgfs mount``."""
    if mounts.mounts_of(store):
        yield
        return
    mounts.check_fuse()
    trust.refuse_links(store)
    refuse_while_added(store)
    directory = Path(tempfile.mkdtemp(prefix="kgfs-agent-"))
    place = directory / "kg"
    place.mkdir()
    try:
        start_daemon([str(place), "--store", str(store), "--path-prefix", PREFIX], store)
        try:
            yield
        finally:
            _unmounted(invocation, store, place)
    finally:
        with contextlib.suppress(OSError):
            place.rmdir()
            shutil.rmtree(directory, ignore_errors=True)  # nothing is in it once the mount is gone


def _unmounted(invocation: Invocation, store: Path, place: Path) -> None:
    daemon = holder(store)
    try:
        mounts.unmount(place)
    except KgfsError as error:
        invocation.warn(f"{error.message} It was detached.")
        mounts.unmount(place, lazy=True)
    if daemon is not None:
        wait_for_the_end(store, daemon)
