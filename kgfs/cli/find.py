"""``kgfs find``: paths beneath a directory by name and type, or what satisfies predicates there."""

from __future__ import annotations

import os
import re
from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.several import ask_each
from kgfs.cli.stores import session
from kgfs.control.client import Discard
from kgfs.control.path_arguments import PathArgument

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
@click.argument("words", nargs=-1, metavar="[PATH]... [PREDICATE]...")
@click.option("-name", "--name", "name", metavar="GLOB", help="Only names that match this pattern (quote it).")
@click.option("-type", "--type", "kind", type=click.Choice(["d", "f", "l"]), help="Only directories, files or links.")
def command(invocation: Invocation, words: tuple[str, ...], name: str | None, kind: str | None) -> int:
    """List each PATH and everything below it. Links are listed, not followed.

    With predicates (`kgfs find entities type=Organization min_facts=10`), list the entities, topics, documents, chunks
    and facts that belong to PATH and satisfy all predicates; `kgfs cat @find/_usage.txt` explains them.
    """
    first = next((at for at, word in enumerate(words) if _is_predicate(word)), len(words))
    paths, predicates = words[:first] or (".",), list(words[first:])
    with session(invocation, paths) as store:

        def find_beneath(place: PathArgument) -> None:
            arguments = {"place": place.fields(), "name": name, "kind": kind, "predicates": predicates}
            store.call("find", arguments, _Paths(invocation))

        return ask_each(invocation, store, paths, find_beneath)


def _is_predicate(word: str) -> bool:
    """Whether a word looks like one, and no file of the host has that name."""
    return _PREDICATE.match(word) is not None and not os.path.lexists(word)
