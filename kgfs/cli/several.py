"""Several PATHs of one command, one after the other: what is wrong with one is said, and the others go on.

Used by the commands that read the tree, on the main thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgfs.cli.declaration import Invocation
from kgfs.cli.outcome import PARTLY_DONE
from kgfs.cli.stores import places
from kgfs.control.client import LocalSession, RemoteSession
from kgfs.control.path_arguments import PathArgument
from kgfs.errors import (
    DeadlineExceeded,
    IsADirectory,
    KgfsError,
    NotADirectory,
    NotFoundError,
    QueryError,
    TooLarge,
)

OF_ONE_PATH = (DeadlineExceeded, IsADirectory, NotADirectory, NotFoundError, QueryError, TooLarge)
"""What says something of one PATH. Anything else is wrong with the store, or with the command as a whole."""


def ask_each(
    invocation: Invocation,
    store: LocalSession | RemoteSession,
    paths: Sequence[str],
    ask: Callable[[PathArgument], object],
) -> int:
    """Ask about each PATH; returns the exit status: 0, 5 where some failed, that of the first failure where all did.

    A single PATH that fails raises what it failed of.
    """
    failed: list[KgfsError] = []
    for place in places(store.store, paths):
        try:
            ask(place)
        except OF_ONE_PATH as error:
            if len(paths) == 1:
                raise
            if error.message not in [earlier.message for earlier in failed]:  # a bad pattern is bad everywhere
                invocation.fail(error.kind, error.message, error.exit_status)
            failed.append(error)
    if not failed:
        return 0
    return PARTLY_DONE if len(failed) < len(paths) else failed[0].exit_status
