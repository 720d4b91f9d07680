"""``kgfs open``: the page of a place of the tree in a browser, from the mount."""

from __future__ import annotations

from pathlib import Path

import click

from kgfs import mounts
from kgfs.cli import browser
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import places, session, working_directory
from kgfs.errors import UsageError


@declare("open")
@click.argument("path", required=False)
def command(invocation: Invocation, path: str | None) -> int:
    """Open the page of a place of the tree in a browser.

    PATH is any path of the tree, or an id; without one it is where you are. The page is a file of the mount, so no
    server is needed; `kgfs web` serves the same pages with a search, also without a mount.
    """
    here = working_directory()
    named = path or ("." if here is not None and mounts.mount_of(here) is not None else "/")
    with session(invocation, [named]) as store:
        mounted = mounts.mounts_of(store.store)
        if not mounted:
            raise UsageError("The store is not mounted, so its pages are no files yet; mount it, or run `kgfs web`.")
        (place,) = places(store.store, [named])
        page = store.call("site-page", {"place": place.fields()})["page"]
    address = f"{_nearest(mounted, here).as_uri()}/@web/{page}"
    failure = browser.open_page(address)
    if invocation.json:
        invocation.emit({"url": address, "opened": not failure})
    elif failure:
        invocation.note(f"{failure}:")
        print(address)
    return 0


def _nearest(mounted: list[mounts.Mount], here: Path | None) -> Path:
    """The mount that the user is on, else the first."""
    beneath = (each.mountpoint for each in mounted if here is not None and here.is_relative_to(each.mountpoint))
    return next(beneath, mounted[0].mountpoint)
