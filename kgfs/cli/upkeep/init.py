"""``kgfs init``: an empty store."""

from __future__ import annotations

from pathlib import Path

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store, short, working_directory
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
    here = working_directory()
    # `git init` makes one in the working directory. Where this made none there, the message says how to.
    elsewhere = directory is None and here is not None and here not in store.parents
    if is_store(store):
        other = ", and `kgfs init .` makes one in this directory" if elsewhere else ""
        raise ConflictError(f"There is a store at {short(store)} already; `kgfs status` says what is in it{other}.")
    with open_session(store, create=True):
        pass
    if invocation.json:
        invocation.emit({"store": str(store)})
    other = " (`kgfs init .` makes one in this directory)" if elsewhere else ""
    invocation.say(f"Made the store {short(store)}{other}. Next: kgfs add PATH")
