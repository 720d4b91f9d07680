"""``kgfs tree``: what lies beneath a directory, drawn as a tree."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from kgfs.cli import listing
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.screen import Screen
from kgfs.cli.several import ask_each
from kgfs.cli.stores import session
from kgfs.control.client import Discard
from kgfs.control.path_arguments import PathArgument
from kgfs.counting import counted


class _Drawing(Discard):
    """Draws each item when it is known whether one of its siblings follows; holds back only what is undecided."""

    def __init__(self, invocation: Invocation, screen: Screen, root: str | None) -> None:
        self._invocation, self._screen, self._root = invocation, screen, root
        self._held: list[dict[str, Any]] = []
        self._more: list[bool] = []

    def item(self, item: Any) -> None:
        self._held.append(item)

    def draw(self) -> None:
        follows: list[bool] = [False] * (max((item["depth"] for item in self._held), default=0) + 2)
        last: list[bool] = [True] * len(self._held)
        for index in range(len(self._held) - 1, -1, -1):
            depth = self._held[index]["depth"]
            last[index] = not follows[depth]
            follows[depth] = True
            for deeper in range(depth + 1, len(follows)):
                follows[deeper] = False
        bars: list[str] = []
        for item, is_last in zip(self._held, last, strict=True):
            depth = item["depth"]
            del bars[depth - 1 :]
            name = item["path"].rpartition("/")[2]
            shown = listing.name(self._invocation, name, item["kind"])
            if self._root is not None:
                shown = self._screen.in_tree(shown, f"{self._root}/{item['path']}")
            shown += listing.arrow(self._invocation, item)
            print("".join(bars) + ("└── " if is_last else "├── ") + shown)
            bars.append("    " if is_last else "│   ")


class _Lines(Discard):
    """Prints items as JSON; of several PATHs each says of which it is."""

    def __init__(self, invocation: Invocation, directory: str | None) -> None:
        self._invocation = invocation
        self._of = {} if directory is None else {"directory": directory}

    def item(self, item: Any) -> None:
        self._invocation.emit({**self._of, **item})


@declare("tree", "Show what lies beneath a directory of the tree.")
@click.argument("path", nargs=-1)
@click.option("-L", "levels", type=click.IntRange(min=1), metavar="N", help="Show at most this many levels.")
def command(invocation: Invocation, path: tuple[str, ...], levels: int | None) -> int:
    """Show directories of the tree with everything below them. Links are shown, not followed."""
    paths = path or (".",)
    totals: Counter[str] = Counter()
    with session(invocation, paths) as store:
        screen = Screen(invocation, store.store)

        def show(place: PathArgument) -> None:
            arguments = {"place": place.fields(), "levels": levels}
            if invocation.json:
                store.call("tree", arguments, _Lines(invocation, place.text if len(paths) > 1 else None))
                return
            root = screen.root_of(store, place)
            drawing = _Drawing(invocation, screen, root)
            result = store.call("tree", arguments, drawing)
            totals.update({kind: result[kind] for kind in ("directories", "files", "links")})
            print(screen.in_tree(listing.name(invocation, result["path"], "directory"), root))
            drawing.draw()

        status = ask_each(invocation, store, paths, show)
    if totals:
        directories = counted(totals["directories"], "directory", "directories")
        print(f"\n{directories}, {counted(totals['files'], 'file')}, {counted(totals['links'], 'link')}")
    return status
