"""``kgfs cat``: the bytes of files of the tree, with a mount or without."""

from __future__ import annotations

import sys

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.several import ask_each
from kgfs.cli.stores import session
from kgfs.control.client import Discard, Gathered
from kgfs.control.path_arguments import PathArgument


class _ToOutput(Discard):
    def data(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)


@declare("cat")
@click.argument("path", nargs=-1, required=True)
def command(invocation: Invocation, path: tuple[str, ...]) -> int:
    """Print files of the tree.

    PATH is a path on the mount, a path from the root of the tree, /kg/…, drive:/path or an id. A query path works too:
    `kgfs cat '@search/text/who founded DeepMind'`. With --json each file is one object: path, size, text.
    """
    with session(invocation, path) as store:

        def print_file(place: PathArgument) -> None:
            arguments = {"place": place.fields()}
            if invocation.json:
                gathered = Gathered()
                result = store.call("cat", arguments, gathered)
                invocation.emit({**result, "text": gathered.bytes.decode("utf-8", "replace")})
            else:
                sys.stdout.flush()
                store.call("cat", arguments, _ToOutput())
                sys.stdout.buffer.flush()

        return ask_each(invocation, store, path, print_file)
