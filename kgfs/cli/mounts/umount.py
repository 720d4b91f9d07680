"""``kgfs umount``: end a mount and its daemon."""

from __future__ import annotations

import fcntl
import os
import struct
import time
from pathlib import Path
from typing import Any

import click

from kgfs import mounts
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.mounts import service_units
from kgfs.cli.stores import ENDING_SECONDS, chosen_store, short
from kgfs.config import CATALOG
from kgfs.control.client import RemoteSession
from kgfs.control.sockets import connect
from kgfs.errors import KgfsError, NotFoundError

ASKING_SECONDS = 5.0
GOING_ON = frozenset({"add", "refresh", "reembed"})
"""The commands that finish the work themselves when the daemon ends (``stores.going_on``)."""
_LOCK = struct.Struct("hhqqi4x")
"""The system's ``struct flock``: kind, whence, start, length, process."""


@declare("umount", "Unmount the store and wait until its daemon has ended.")
@click.argument("directory", metavar="[DIR]", required=False)
@click.option("--lazy", is_flag=True, help="Detach now; programs that have files open may finish.")
@click.option("--forget", is_flag=True, help="Mount it at no login or boot any more (undoes `kgfs mount --on-login`).")
def command(invocation: Invocation, directory: str | None, lazy: bool, forget: bool) -> None:
    """Unmount DIR (default: the mount of the store) and wait until the daemon has closed the store.

    What is mounted on login is mounted again at the next login, unless you add --forget.
    """
    if directory is None:
        store = chosen_store(invocation)
        mounted = mounts.mounts_of(store)
        if not mounted:
            raise NotFoundError(f"The store {short(store)} is not mounted.")
        place = mounted[-1].mountpoint
    else:
        place = Path(directory).expanduser()
        found = mounts.mount_of(place)
        if found is not None and not place.is_absolute() and Path.cwd().is_relative_to(found.mountpoint):
            place = found.mountpoint
        store = mounts.store_of(place) or chosen_store(invocation)
    jobs = _at_work(store)
    daemon = None if lazy else holder(store)
    if forget:
        service_units.forget("mount", place)  # which ends the daemon, if the unit runs it
    if not forget or mounts.mount_at(Path(os.path.abspath(place))) is not None:
        mounts.unmount(place, lazy=lazy)
    if daemon is not None:
        wait_for_the_end(store, daemon)
    if invocation.json:
        invocation.emit({"unmounted": str(place), "at_work": jobs})
    invocation.say(f"Unmounted {short(place)}{', and at no login any more' if forget else ''}.")
    for job in jobs:
        invocation.say(invocation.printable(_what_becomes(job)))


def _at_work(store: Path) -> list[dict[str, Any]]:
    """The jobs that the daemon runs; none if it does not reply."""
    try:
        connection = connect(store)
        if connection is None:
            return []
        connection.settimeout(ASKING_SECONDS)
        jobs: list[dict[str, Any]] = RemoteSession(store, connection).call("at-work", {})["jobs"]
    except (KgfsError, OSError):
        return []
    return jobs


def _what_becomes(job: dict[str, Any]) -> str:
    if job["attended"] and job["command"] in GOING_ON:
        return f"`{job['title']}` is at work and goes on without the mount."
    how = "" if job["attended"] else " in the background"
    return f"`{job['title']}` was at work{how} and stopped; nothing is lost, run it again to go on."


def holder(store: Path) -> int | None:
    """The process that has the store open; ``None`` where there is none, 0 where it cannot be named."""
    try:
        with (store / CATALOG).open("rb") as file:
            asked = _LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            kind, _, _, _, process = _LOCK.unpack(fcntl.fcntl(file, fcntl.F_GETLK, asked))
    except OSError:  # the store is gone: nobody will open it
        return None
    return None if kind == fcntl.F_UNLCK else process


def wait_for_the_end(store: Path, daemon: int) -> None:
    """The daemon closes the store after the kernel let it go; the next command should find it closed.

    ``KgfsError`` where that takes too long.
    """
    deadline = time.monotonic() + ENDING_SECONDS
    while holder(store) == daemon:
        if time.monotonic() > deadline:
            who = f"process {daemon}" if daemon else "its process"
            raise KgfsError(
                f"It is unmounted, but the daemon ({who}) has not closed the store {short(store)} after"
                f" {ENDING_SECONDS:g} seconds; wait until it ends, or end it: nothing that was written is lost."
            )
        time.sleep(0.02)
