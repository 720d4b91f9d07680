"""What a command that writes does at its end: where no daemon follows up, it has what was written indexed itself.

Used by ``kgfs context``, ``kgfs entity`` and ``kgfs fact``.
"""

from __future__ import annotations

import click

from kgfs.cli.declaration import Invocation
from kgfs.cli.progress import following
from kgfs.control.client import Discard, LocalSession, RemoteSession
from kgfs.errors import Cancelled, KgfsError

no_index = click.option(
    "--no-index", is_flag=True, help="Without a mount: do not index now; `kgfs wait` does it later."
)
"""The option of a command that writes."""


def index(invocation: Invocation, store: RemoteSession | LocalSession, *, leave: bool) -> str:
    """Have what was written indexed, unless a daemon does it or it is to be left; says when it is searchable.

    What cannot be indexed now is kept all the same: that is a note, never a failure of the command.
    """
    if store.remote:
        return "it is searchable within seconds"
    if not leave:
        try:
            if invocation.json:
                store.call("settle", {}, Discard())
            else:
                with following(invocation, "index") as receiver:
                    store.call("settle", {}, receiver)
            return "it is searchable"
        except Cancelled:
            invocation.note("Stopped indexing; what was written is kept.")
        except KgfsError as error:
            invocation.note(f"What was written is kept, but cannot be indexed now: {error.message}")
    return "`kgfs wait` makes it searchable"
