"""``kgfs ls``: what is in directories of the tree, with a mount or without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from kgfs.cli import listing
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.screen import Screen, columns, width_of
from kgfs.cli.several import ask_each
from kgfs.cli.stores import session
from kgfs.control.client import Gathered
from kgfs.control.path_arguments import PathArgument

Entry = tuple[dict[str, Any], str]
"""An entry and its path from the root of the tree."""


class _Listed(Gathered):
    """What one PATH has: its entries, or itself where it is a file."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.path = ""
        self.directory = True

    def entries(self) -> list[Entry]:
        return [(item, f"{self.path}/{item['name']}" if self.directory else self.path) for item in self.items]


@declare("ls")
@click.argument("path", nargs=-1)
@click.option("-l", "long", is_flag=True, help="Show mode, size, date and link targets.")
@click.option("-1", "single", is_flag=True, help="Show one entry a line, as where the output is no terminal.")
def command(invocation: Invocation, path: tuple[str, ...], long: bool, single: bool) -> int:
    """List directories of the tree.

    PATH is a path on the mount, a path from the root of the tree, /kg/…, drive:/path or an id. The default is the
    current directory if it is on the mount, else the root. The size of an entity's directory is its number of facts.
    """
    paths = path or (".",)
    every: list[_Listed] = []
    with session(invocation, paths) as store:
        screen = Screen(invocation, store.store)

        def list_one(place: PathArgument) -> None:
            found = _Listed(place.text)
            answer = store.call("ls", {"place": place.fields()}, found)
            found.path, found.directory = answer["path"], answer.get("kind") != "file"
            every.append(found)

        status = ask_each(invocation, store, paths, list_one)
    several = len(paths) > 1
    if invocation.json:
        for found in every:
            for item in found.items:
                invocation.emit({"directory": found.text, **item} if several and found.directory else item)
        return status
    # As ls does it: files first, then each directory under its name.
    files = [entry for found in every if not found.directory for entry in found.entries()]
    directories = [found for found in every if found.directory]
    _show(invocation, screen, files, long, single)
    for number, found in enumerate(directories):
        if several:
            print(("\n" if files or number else "") + f"{listing.shown_path(invocation, found.text)}:")
        _show(invocation, screen, found.entries(), long, single)
    return status


def _show(invocation: Invocation, screen: Screen, entries: Sequence[Entry], long: bool, single: bool) -> None:
    shown = [screen.in_tree(listing.name(invocation, item["name"], item["kind"]), path) for item, path in entries]
    if long:
        width = max((len(str(item["size"])) for item, _ in entries), default=1)
        for (item, _), name in zip(entries, shown, strict=True):
            print(listing.long_line(invocation, item, width, name))
    elif single or not invocation.terminal:
        for name in shown:
            print(name)
    else:
        widths = [width_of(listing.shown_path(invocation, item["name"])) for item, _ in entries]
        for line in columns(list(zip(shown, widths, strict=True)), screen.width):
            print(line)
