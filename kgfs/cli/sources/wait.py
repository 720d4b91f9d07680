"""``kgfs wait``: wait until everything that was added is indexed."""

from __future__ import annotations

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.progress import following
from kgfs.cli.stores import chosen_store, going_on


@declare("wait", "Wait until everything that was added is indexed.")
@click.option("--timeout", type=click.FloatRange(min=0), metavar="S", help="Give up after S seconds (exit status 1).")
def command(invocation: Invocation, timeout: float | None) -> None:
    """Wait until keyword index, extraction and vectors are complete. Interrupted work is continued."""
    with following(invocation, "wait") as receiver:
        result = going_on(
            invocation, chosen_store(invocation), lambda store: store.call("wait", {"timeout": timeout}, receiver)
        )
    if invocation.json:
        invocation.emit(result)
    invocation.say("The index is complete.")
