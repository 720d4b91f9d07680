"""``kgfs init``: an empty store."""

from __future__ import annotations

from pathlib import Path

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store, short
from kgfs.config import STORE_DIRECTORY, is_store
from kgfs.control.client import open_session
from kgfs.errors import ConflictError


@declare("init", "Make an empty store.")
@click.argument("directory", required=False)
def command(invocation: Invocation, directory: str | None) -> None:
    """Create an empty store: DIRECTORY/.kgfs, else --store or $KGFS_STORE, else your default store.

    This is optional: the first `kgfs add` creates the store too.
    """
    store = Path(directory).absolute() / STORE_DIRECTORY if directory else chosen_store(invocation)
    if is_store(store):
        raise ConflictError(f"There is a store at {short(store)} already; `kgfs status` says what is in it.")
    with open_session(store, create=True):
        pass
    if invocation.json:
        invocation.emit({"store": str(store)})
    invocation.say(f"Made the store {short(store)}. Next: kgfs add PATH")
