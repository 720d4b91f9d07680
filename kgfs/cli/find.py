"""``kgfs find``: paths beneath a directory by name and type."""

from __future__ import annotations

from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import places, session
from kgfs.control.client import Discard


class _Paths(Discard):
    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation

    def item(self, item: Any) -> None:
        if self._invocation.json:
            self._invocation.emit(item)
        else:
            print(self._invocation.printable(item["path"]))


@declare("find", "List PATH and everything beneath it.")
@click.argument("path", default=".")
@click.option("-name", "--name", "name", metavar="GLOB", help="The last component fits this pattern (quote it).")
@click.option("-type", "--type", "kind", type=click.Choice(["d", "f", "l"]), help="A directory, a file or a link only.")
def command(invocation: Invocation, path: str, name: str | None, kind: str | None) -> None:
    """List PATH and everything beneath it; links are listed and not followed."""
    with session(invocation, [path]) as store:
        (place,) = places(store.store, [path])
        arguments = {"place": place.fields(), "name": name, "kind": kind}
        store.call("find", arguments, _Paths(invocation))
