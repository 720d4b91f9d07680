"""``kgfs rm``: take documents out of the store. The files that they came from stay."""

from __future__ import annotations

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.progress import following
from kgfs.cli.stores import places, session


@declare("rm")
@click.argument("ref", nargs=-1, required=True)
@click.option("-r", "recursive", is_flag=True, help="A directory: everything beneath it.")
def command(invocation: Invocation, ref: tuple[str, ...], recursive: bool) -> int:
    """Remove documents from the graph, with all that only they said. The files on disk are not touched.

    REF is drive:/path, the file's path on disk, a path on the mount, a document's name or the name of a source.
    """
    with session(invocation, ref) as store:
        named = [place.fields() for place in places(store.store, ref)]
        with following(invocation, "rm") as receiver:
            result = store.call("rm", {"places": named, "recursive": recursive}, receiver)
    if invocation.json:
        invocation.emit(result)
    removed = result["removed"]
    invocation.say(f"Removed {removed:,} document{'' if removed == 1 else 's'}; the files on disk are untouched.")
    return 0
