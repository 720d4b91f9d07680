"""``kgfs ls``: what is in directories of the tree, with a mount or without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from kgfs.cli import listing
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.several import ask_each
from kgfs.cli.stores import session
from kgfs.control.client import Discard
from kgfs.control.path_arguments import PathArgument


class _Listed(Discard):
    """What one PATH has: its entries, or itself where it is a file."""

    def __init__(self, place: PathArgument) -> None:
        self.place = place
        self.directory = True
        self.items: list[dict[str, Any]] = []

    def item(self, item: Any) -> None:
        self.items.append(item)


@declare("ls")
@click.argument("path", nargs=-1)
@click.option("-l", "long", is_flag=True, help="Show mode, size, date and link targets.")
def command(invocation: Invocation, path: tuple[str, ...], long: bool) -> int:
    """List directories of the tree.

    PATH is a path on the mount, a path from the root of the tree, /kg/…, drive:/path or an id. The default is the
    current directory if it is on the mount, else the root. The size of an entity's directory is its number of facts.
    """
    paths = path or (".",)
    every: list[_Listed] = []
    with session(invocation, paths) as store:

        def list_one(place: PathArgument) -> None:
            found = _Listed(place)
            found.directory = store.call("ls", {"place": place.fields()}, found).get("kind") != "file"
            every.append(found)

        status = ask_each(invocation, store, paths, list_one)
    # As ls does it: files first, then each directory under its name.
    files = [item for found in every if not found.directory for item in found.items]
    directories = [found for found in every if found.directory]
    _show(invocation, files, long)
    for number, found in enumerate(directories):
        if len(paths) == 1:
            _show(invocation, found.items, long)
        elif invocation.json:
            _show(invocation, [{"directory": found.place.text, **item} for item in found.items], long)
        else:
            print(("\n" if files or number else "") + f"{invocation.printable(found.place.text)}:")
            _show(invocation, found.items, long)
    return status


def _show(invocation: Invocation, items: Sequence[dict[str, Any]], long: bool) -> None:
    width = max((len(str(item["size"])) for item in items), default=1)
    for item in items:
        if invocation.json:
            invocation.emit(item)
        elif long:
            print(listing.long_line(invocation, item, width))
        else:
            print(listing.name(invocation, item["name"], item["kind"]))
