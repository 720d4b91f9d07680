"""``kgfs stat``: type, size, dates and attributes of a path of the tree."""

from __future__ import annotations

from typing import Any

import click

from kgfs.cli import listing
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.several import ask_each
from kgfs.cli.stores import session
from kgfs.control.path_arguments import PathArgument


@declare("stat", "Describe PATH: type, size, dates, counts, attributes.")
@click.argument("path", nargs=-1, required=True)
def command(invocation: Invocation, path: tuple[str, ...]) -> int:
    """Describe PATH: its canonical path, type, size, dates, counts and attributes."""
    with session(invocation, path) as store:

        def describe(place: PathArgument) -> None:
            found = store.call("stat", {"place": place.fields()})
            if invocation.json:
                invocation.emit(found)
                return
            for key, value in _rows(invocation, found).items():
                print(f"{key:<9} {invocation.printable(str(value))}")

        return ask_each(invocation, store, path, describe)


def _rows(invocation: Invocation, found: dict[str, Any]) -> dict[str, Any]:
    rows: dict[str, Any] = {
        "path": found["path"] or "/",
        "kind": found["kind"] + listing.arrow(invocation, found),
        "size": f"{found['size']:,}",
        "modified": listing.moment(found["mtime_ns"]) + " UTC",
        "changed": listing.moment(found["ctime_ns"]) + " UTC",
        "mode": listing.mode(found),
    }
    if "entries" in found:
        rows["entries"] = ", ".join(f"{count:,} {kind}" for kind, count in found["entries"].items())
    return {**rows, **found["attributes"]}
