"""``kgfs umount``: end a mount and its daemon."""

from __future__ import annotations

import time
from pathlib import Path

import click

from kgfs import mounts
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store, short
from kgfs.control.client import connect
from kgfs.errors import NotFoundError

ENDING_SECONDS = 30.0


@declare("umount", "Unmount the store and wait until its daemon has ended.")
@click.argument("directory", metavar="[DIR]", required=False)
@click.option("--lazy", is_flag=True, help="Detach now; whoever holds it may finish.")
def command(invocation: Invocation, directory: str | None, lazy: bool) -> None:
    """Unmount DIR (without it, the store's mount) and wait until the daemon has closed the store."""
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
    mounts.unmount(place, lazy=lazy)
    if not lazy:
        _wait_for_the_end(store)
    if invocation.json:
        invocation.emit({"unmounted": str(place)})
    invocation.say(f"Unmounted {short(place)}.")


def _wait_for_the_end(store: Path) -> None:
    """The daemon closes the store after the kernel let it go; the next command should find it closed."""
    deadline = time.monotonic() + ENDING_SECONDS
    while (connection := connect(store)) is not None and time.monotonic() < deadline:
        connection.close()
        time.sleep(0.05)
