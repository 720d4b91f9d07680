"""``kgfs find``: paths beneath a directory by name and type, or what satisfies predicates there."""

from __future__ import annotations

import os
import re
from typing import Any

import click

from kgfs.cli import listing
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.screen import Screen
from kgfs.cli.several import ask_each
from kgfs.cli.stores import session
from kgfs.control.client import Discard
from kgfs.control.path_arguments import PathArgument

_PREDICATE = re.compile(r"[a-z_]+[<>=]")


class _Paths(Discard):
    """Prints what one PATH has."""

    def __init__(self, invocation: Invocation, screen: Screen, text: str, root: str | None) -> None:
        self._invocation, self._screen = invocation, screen
        self._text, self._root = text, root

    def item(self, item: Any) -> None:
        if self._invocation.json:
            self._invocation.emit(item)
            return
        path = str(item["path"])
        styled = listing.name(self._invocation, path, item["kind"])
        print(self._screen.beneath(path, self._text, self._root, styled))


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
        screen = Screen(invocation, store.store)

        def find_beneath(place: PathArgument) -> None:
            arguments = {"place": place.fields(), "name": name, "kind": kind, "predicates": predicates}
            store.call("find", arguments, _Paths(invocation, screen, place.text, screen.root_of(store, place)))

        return ask_each(invocation, store, paths, find_beneath)


def _is_predicate(word: str) -> bool:
    """Whether a word looks like one, and no file of the host has that name."""
    return _PREDICATE.match(word) is not None and not os.path.lexists(word)
