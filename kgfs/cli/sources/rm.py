"""``kgfs rm``: take documents out of the store. The files that they came from stay."""

from __future__ import annotations

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.outcome import PARTLY_DONE
from kgfs.cli.progress import following
from kgfs.cli.stores import places, session
from kgfs.counting import counted


@declare("rm")
@click.argument("ref", nargs=-1, required=True)
@click.option("-r", "recursive", is_flag=True, help="Remove a directory and everything below it.")
@click.option(
    "--purge", is_flag=True, help="Also erase their earlier versions, and the answers of language models about them."
)
def command(invocation: Invocation, ref: tuple[str, ...], recursive: bool, purge: bool) -> int:
    """Remove documents from the graph, with everything that only they state. The files on disk are not touched.

    REF is drive:/path, a page's URL, a path on disk, a path on the mount, or the name of a document or source. Removing
    a source removes the documents that came only from it. The versions of files in notes/ are kept, unless --purge
    erases them.
    """
    with session(invocation, ref) as store:
        named = [place.fields() for place in places(store.store, ref)]
        with following(invocation, "rm") as receiver:
            result = store.call("rm", {"places": named, "recursive": recursive, "purge": purge}, receiver)
    status = PARTLY_DONE if result["warnings"] else 0
    if invocation.json:
        invocation.emit(result)
        return status
    removed, sources, shared = result["removed"], result["sources"], result["shared"]
    source = f" and {counted(sources, 'source')}" if sources else ""
    invocation.say(f"Removed {counted(removed, 'document')}{source}; the files on disk are untouched.")
    if result["purged"]:
        invocation.say(f"Erased {counted(result['purged'], 'version')}.")
    if result["answers"]:
        invocation.say(f"Erased {counted(result['answers'], 'answer')} of language models about removed documents.")
    if shared:
        invocation.note(
            f"  {shared:,} stay{'s' if shared == 1 else ''}: another source has {'it' if shared == 1 else 'them'} too"
        )
    elif removed and result["refreshed_by"]:
        names = ", ".join(result["refreshed_by"])
        invocation.note(f"  a file that still lies in {names} is read again by the next refresh or watch of that")
    for warning in result["warnings"]:
        invocation.warn(f"  {warning} `kgfs wait` goes on.")
    return status
