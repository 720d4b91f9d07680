"""``kgfs source``: what was added, and telling where it is now."""

from __future__ import annotations

import os

import click

from kgfs.cli.declaration import Invocation, SharedOptions, declare, shared_options
from kgfs.cli.outcome import PARTLY_DONE
from kgfs.cli.progress import following
from kgfs.cli.sources.add import addable
from kgfs.cli.sources.refresh import NO_SOURCES
from kgfs.cli.stores import places, session, short
from kgfs.cli.upkeep.status import source_line
from kgfs.counting import counted
from kgfs.errors import Cancelled
from kgfs.progress import STOPPED


class Source(SharedOptions, click.Group):
    """The group of the subcommands, in the order in which they were declared."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


command = Source(
    name="source",
    help="""List the sources, or record that one has moved.

    A source is a folder, a file or a page that was added. `kgfs refresh` reads it again, `kgfs rm -r` removes it.
    """,
    short_help="List the sources; say where one is now.",
    params=shared_options(),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@declare("list")
def _list(invocation: Invocation) -> None:
    """List the sources: name, location, and how many files were changed, added and removed since they were read."""
    with session(invocation) as store:
        sources = store.call("source-states", {})["sources"]
    for source in sources:
        if invocation.json:
            invocation.emit(source)
        else:
            print(invocation.printable(source_line(source)))
    if not sources:
        invocation.say(NO_SOURCES)


@declare("move")
@click.argument("old")
@click.argument("new")
def _move(invocation: Invocation, old: str, new: str) -> int:
    """Record that a source has moved from OLD to NEW; nothing is read again.

    OLD is the name of the source or its former path; if OLD is a folder that held several sources, all of them move.
    Documents, passages, vectors, facts, ids and history stay. If files were added from NEW already, these duplicates
    are removed.
    """
    with session(invocation, [old]) as store:
        to = addable(new, store.store)
        (place,) = places(store.store, [old])
        try:
            with following(invocation, "move") as receiver:
                result = store.call("source-move", {"place": place.fields(), "to": os.fsencode(to)}, receiver)
        except (Cancelled, KeyboardInterrupt):
            raise Cancelled(STOPPED) from None
    names = " ".join(result["sources"])
    if invocation.json:
        invocation.emit(result)
    else:
        doubles = (
            f", and {counted(result['doubles'], 'second copy', 'second copies')} went" if result["doubles"] else ""
        )
        invocation.say(
            invocation.printable(f"{names} is at {short(to)} now: {counted(result['items'], 'file')} moved{doubles}.")
        )
        invocation.say(invocation.printable(f"Next: `kgfs refresh {names}` reads what changed there."))
    for warning in result["warnings"]:
        invocation.warn(f"  {warning}")
    return PARTLY_DONE if result["warnings"] else 0


for _command in (_list, _move):
    command.add_command(_command)
