"""``kgfs backup``: one consistent copy of a store, also while it is in use."""

from __future__ import annotations

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.exchange.export import megabytes, receive, writable
from kgfs.cli.stores import session, short
from kgfs.counting import counted


@declare("backup", "Write one consistent copy of the store to FILE, mounted or not.")
@click.argument("file")
@click.option(
    "--no-vectors", is_flag=True, help="Leave out the search index; after a restore everything is embedded again."
)
@click.option("--force", is_flag=True, help="Replace FILE.")
def command(invocation: Invocation, file: str, no_vectors: bool, force: bool) -> int:
    """Write a copy of the whole store to FILE (a tar, compressed by gzip): rows, settings, search index.

    The store may be mounted and written to meanwhile: the copy has every write that was acknowledged before it began.
    It waits for a running job (`kgfs add` of many files), so that rows and index agree; with --no-vectors it does not
    wait. `kgfs restore FILE` makes a store of it.
    """
    from kgfs.exchange.files import whole_file

    path = writable(file)
    with session(invocation) as store, whole_file(path, force=force) as out:
        result = receive(invocation, store, "backup", {"vectors": not no_vectors}, out)
    size = path.stat().st_size
    if invocation.json:
        invocation.emit({**result, "file": str(path), "bytes": size})
    counts = result["counts"]
    invocation.say(
        f"Backed up {counted(counts['items'], 'stored file')} and {counted(counts['facts'], 'fact')}"
        f" to {short(path)}, {megabytes(size)}"
        f"{'' if result['vectors'] else ', without the search index'}"
    )
    return 0
