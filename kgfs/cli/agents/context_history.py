"""``kgfs context history``, ``diff`` and ``restore``: earlier versions of a file that was overwritten or removed."""

from __future__ import annotations

import sys
from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.indexing import index, no_index
from kgfs.cli.stores import places, session
from kgfs.control.client import Gathered

_NUMBER = click.IntRange(min=1)


@declare("history", "List the versions of a file.")
@click.argument("path", metavar="PATH")
def list_versions(invocation: Invocation, path: str) -> int:
    """List the versions of a file: number, time, size, and when it was replaced.

    PATH may be a file that was removed, or a directory, whose files are then all listed. On the mount the versions are
    the files <dir>/@history/<name>/<number>.
    """
    receiver = Gathered()
    with session(invocation, [path]) as store:
        (place,) = places(store.store, [path])
        result = store.call("history", {"place": place.fields()}, receiver)
    if invocation.json:
        for version in receiver.items:
            invocation.emit(version)
        return 0
    last = ""
    for version in receiver.items:
        if version["ref"] != last:
            last = version["ref"]
            invocation.say(invocation.style(invocation.printable(last), bold=True))
        print(
            f"{version['number']:>4}  written {version['written']}  {version['size']:>10,}  until {version['replaced']}"
        )
    if not receiver.items:
        invocation.say(invocation.printable(f"{result['ref']} has no versions: nothing was written over."))
    return 0


@declare("diff", "Show the changes since a version.")
@click.argument("path", metavar="PATH")
@click.argument("number", type=_NUMBER, required=False, metavar="[N")
@click.argument("other", type=_NUMBER, required=False, metavar="[M]]")
def compare(invocation: Invocation, path: str, number: int | None, other: int | None) -> int:
    """Show the changes between version N (default: the newest) and the current content, or version M, as a unified
    diff."""
    receiver = Gathered()
    with session(invocation, [path]) as store:
        (place,) = places(store.store, [path])
        result = store.call("diff", {"place": place.fields(), "number": number, "other": other}, receiver)
    text = bytes(receiver.bytes)
    if invocation.json:
        invocation.emit({**result, "diff": text.decode()})
        return 0
    if result["same"]:
        invocation.say(invocation.printable(f"{result['ref']}: version {result['number']} is the same."))
    elif result["binary"]:
        before, after = result["sizes"]
        print(invocation.printable(f"{result['ref']}: they differ and are not text ({before:,} and {after:,} bytes)."))
    elif invocation.terminal:
        for line in text.decode().splitlines():
            print(invocation.style(invocation.printable(line), **_style(line)))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    return 0


def _style(line: str) -> dict[str, Any]:
    if line.startswith(("---", "+++")):
        return {"bold": True}
    return {"fg": {"+": "green", "-": "red", "@": "cyan"}[line[0]]} if line[:1] in ("+", "-", "@") else {}


@declare("restore", "Restore a version.")
@click.argument("path", metavar="PATH")
@click.argument("number", type=_NUMBER, metavar="N")
@no_index
def restore(invocation: Invocation, path: str, number: int, no_index: bool) -> int:
    """Restore version N of a file. The current content becomes a version, so this can be undone.

    A removed file is created again. The drive must be writable.
    """
    with session(invocation, [path]) as store:
        (place,) = places(store.store, [path])
        result = store.call("restore", {"place": place.fields(), "number": number})
        soon = index(invocation, store, leave=no_index)
    if invocation.json:
        invocation.emit(result)
        return 0
    invocation.say(invocation.printable(f"{result['ref']} holds version {result['number']} again; {soon}."))
    return 0


COMMANDS: dict[str, click.Command] = {"history": list_versions, "diff": compare, "restore": restore}
"""Subcommand of ``kgfs context`` to command."""
