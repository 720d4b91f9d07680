"""``kgfs find``: paths beneath a directory by name and type, or what satisfies predicates there."""

from __future__ import annotations

import os
import re
from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import places, session
from kgfs.control.client import Discard

_PREDICATE = re.compile(r"[a-z_]+[<>=]")


class _Paths(Discard):
    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation

    def item(self, item: Any) -> None:
        if self._invocation.json:
            self._invocation.emit(item)
        else:
            print(self._invocation.printable(item["path"]))


@declare("find", "List PATH and everything beneath it, or what satisfies predicates there.")
@click.argument("path", default=".")
@click.argument("predicates", nargs=-1, metavar="[PREDICATE]...")
@click.option("-name", "--name", "name", metavar="GLOB", help="Only names that match this pattern (quote it).")
@click.option("-type", "--type", "kind", type=click.Choice(["d", "f", "l"]), help="Only directories, files or links.")
def command(invocation: Invocation, path: str, predicates: tuple[str, ...], name: str | None, kind: str | None) -> None:
    """List PATH and everything below it. Links are listed, not followed.

    With predicates (`kgfs find entities type=Organization min_facts=10`), list the entities, topics, documents, chunks
    and facts that belong to PATH and satisfy all predicates; `kgfs cat @find/_usage.txt` explains them.
    """
    if _PREDICATE.match(path) and not os.path.lexists(path):
        path, predicates = ".", (path, *predicates)
    with session(invocation, [path]) as store:
        (place,) = places(store.store, [path])
        arguments = {"place": place.fields(), "name": name, "kind": kind, "predicates": list(predicates)}
        store.call("find", arguments, _Paths(invocation))
