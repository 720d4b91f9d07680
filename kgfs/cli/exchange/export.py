"""``kgfs export``: the store as a bundle, or its tree as ordinary files."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import IO, Any

import click

from kgfs import mounts
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.progress import PLAIN_SECONDS, following
from kgfs.cli.stores import session, short
from kgfs.control.client import Receiver
from kgfs.counting import counted
from kgfs.errors import UsageError


@declare("export", "Write the store as a bundle, or its tree as files.")
@click.argument("file", required=False)
@click.option("--tree", metavar="DIR", help="Write the tree as ordinary files into DIR instead.")
@click.option("--force", is_flag=True, help="Replace FILE, or existing files in DIR.")
def command(invocation: Invocation, file: str | None, tree: str | None, force: bool) -> int:
    """Write the whole store to FILE, as lines of JSON (compressed if the name ends in .gz).

    `kgfs import FILE` makes the same tree in another store without reading any document again; only the vectors are
    computed again. With --tree the tree itself is written: directories, files, relative links and times, without the @
    areas, for tools that cannot use a mount.
    """
    if (file is None) == (tree is None):
        raise UsageError("Name one thing to write: `kgfs export FILE`, or `kgfs export --tree DIR`.")
    if tree is not None:
        return _tree(invocation, writable(tree), force)
    assert file is not None
    return _bundle(invocation, writable(file), force)


def writable(given: str) -> Path:
    """An absolute path that is not on a mount of ours: what is written there would be in the store."""
    path = Path(os.path.abspath(os.path.expanduser(given)))
    if mounts.mount_of(path) is not None:
        raise UsageError(f"{given} lies on a mount of kgfs; name a place outside of it.")
    return path


class Relay:
    """A receiver: progress goes to one, items and data to another."""

    def __init__(self, shown: Receiver, item: Any, data: Any) -> None:
        self.progress = shown.progress
        self.item = item
        self.data = data


def _bundle(invocation: Invocation, path: Path, force: bool) -> int:
    from kgfs.exchange.files import GZIP_SUFFIX, whole_file

    with session(invocation) as store, whole_file(path, force=force, pack=path.suffix == GZIP_SUFFIX) as out:
        result = receive(invocation, store, "export", {}, out)
    size = path.stat().st_size
    if invocation.json:
        invocation.emit({"file": str(path), "bytes": size, "unpacked": result["bytes"]})
    invocation.say(f"Exported to {short(path)}, {megabytes(size)}. `kgfs --store DIR import {short(path)}` reads it.")
    return 0


def receive(invocation: Invocation, store: Any, request: str, arguments: dict[str, Any], out: IO[bytes]) -> Any:
    """Send a request whose result is data, and write the data."""
    with following(invocation, request) as shown:
        return store.call(request, arguments, Relay(shown, lambda item: None, out.write))


def _tree(invocation: Invocation, path: Path, force: bool) -> int:
    from kgfs.exchange.files import TreeWriter, explain_error, require_directory

    with session(invocation) as store, following(invocation, "export") as shown:
        require_directory(path, force=force)
        writer = TreeWriter(path)

        said = time.monotonic()

        def item(item: Any) -> None:
            nonlocal said
            writer.item(item)
            if time.monotonic() - said > PLAIN_SECONDS:
                said = time.monotonic()
                shown.progress({"stage": "written", "message": f"{writer.paths:,} paths"})

        try:
            result = store.call("export-tree", {}, Relay(shown, item, writer.data))
            writer.finish()
        except OSError as error:
            raise explain_error(error, path) from error
        finally:
            writer.close()
    if invocation.json:
        invocation.emit({"directory": str(path), **result})
    invocation.say(
        f"Wrote {counted(result['files'], 'file')}, {counted(result['links'], 'link')}"
        f" and {counted(result['directories'], 'directory', 'directories')} to {short(path)}"
    )
    return 0


def megabytes(size: int) -> str:
    """``3.2 MB``."""
    return f"{size / 1e6:,.1f} MB"
