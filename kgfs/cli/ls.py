"""``kgfs ls``: what is in a directory of the tree, with a mount or without."""

from __future__ import annotations

from typing import Any

import click

from kgfs.cli import listing
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import places, session
from kgfs.control.client import Discard


class _Items(Discard):
    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []

    def item(self, item: Any) -> None:
        self.items.append(item)


@declare("ls")
@click.argument("path", default=".")
@click.option("-l", "long", is_flag=True, help="Show mode, size, date and link targets.")
def command(invocation: Invocation, path: str, long: bool) -> None:
    """List a directory of the tree.

    PATH is a path on the mount, a path from the root of the tree, /kg/…, drive:/path or an id. The default is the
    current directory if it is on the mount, else the root. The size of an entity's directory is its number of facts.
    """
    with session(invocation, [path]) as store:
        (place,) = places(store.store, [path])
        found = _Items()
        store.call("ls", {"place": place.fields()}, found)
    width = max((len(str(item["size"])) for item in found.items), default=1)
    for item in found.items:
        if invocation.json:
            invocation.emit(item)
        elif long:
            print(listing.long_line(invocation, item, width))
        else:
            print(listing.name(invocation, item["name"], item["kind"]))
