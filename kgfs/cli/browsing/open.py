"""``kgfs open``: the page of a place of the tree in a browser, from the mount."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click

from kgfs import mounts
from kgfs.cli.browsing import browser
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import places, session, working_directory
from kgfs.control.client import Gathered
from kgfs.control.path_arguments import PathArgument
from kgfs.errors import NotADirectory, NotFoundError, UsageError

PICTURES = ("graph.svg", "path.svg", "near.svg", "map.svg", "topics/map.svg")
"""The picture of a place, in its directory, the first that is there."""


@declare("open")
@click.argument("path", required=False)
@click.option("--terminal", is_flag=True, help="Show its picture in this terminal, where that can show pictures.")
def command(invocation: Invocation, path: str | None, terminal: bool) -> int:
    """Open the page of a place of the tree in a browser, or its picture in the terminal.

    PATH is any path of the tree, or an id; without one it is where you are. The page is a file of the mount, so no
    server is needed; `kgfs web` serves the same pages with a search, also without a mount.
    """
    here = working_directory()
    named = path or ("." if here is not None and mounts.mount_of(here) is not None else "/")
    if terminal:
        return _show_picture(invocation, named)
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


def _show_picture(invocation: Invocation, named: str) -> int:
    """Show the picture that a place is, or has."""
    from kgfs.cli.browsing import terminal_picture

    if invocation.json:
        raise UsageError("Choose one of --terminal and --json.")
    with session(invocation, [named]) as store:
        (place,) = places(store.store, [named])
        described = store.call("stat", {"place": place.fields()})
        path = str(described["path"])
        for picture in [path] if path.endswith(".svg") else [f"{path}/{name}".lstrip("/") for name in PICTURES]:
            drawn = Gathered()
            with suppress(NotFoundError, NotADirectory):
                store.call("cat", {"place": PathArgument(text=picture, exact=picture).fields()}, drawn)
                break
        else:
            raise NotFoundError(f"{named} has no picture; entities and topics have one, and topics/map.svg is of all.")
    terminal_picture.show(bytes(drawn.bytes))
    return 0


def _nearest(mounted: list[mounts.Mount], here: Path | None) -> Path:
    """The mount that the user is on, else the first."""
    beneath = (each.mountpoint for each in mounted if here is not None and here.is_relative_to(each.mountpoint))
    return next(beneath, mounted[0].mountpoint)
