"""``kgfs grep``: exact lines beneath a directory, found by GNU grep itself."""

from __future__ import annotations

from typing import Any

import click

from kgfs.cli import listing
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.queries.line_marks import LineMarks
from kgfs.cli.screen import Screen
from kgfs.cli.several import ask_each
from kgfs.cli.stores import session
from kgfs.control.client import Discard
from kgfs.control.path_arguments import PathArgument


class _Matches(Discard):
    """Prints lines as ``grep`` does: each with its file."""

    def __init__(self, invocation: Invocation, numbers: bool) -> None:
        self._invocation = invocation
        self._numbers = numbers

    def item(self, item: Any) -> None:
        if self._invocation.json:
            self._invocation.emit(item)
            return
        where = self._invocation.style(item["path"], fg="magenta")
        if "text" not in item:
            print(where)
        elif self._numbers:
            print(f"{where}:{item['line']}:{item['text']}")
        else:
            print(f"{where}:{item['text']}")


class _Headed(Discard):
    """Prints lines for a person: beneath the name of their file, with numbers, what matches marked."""

    def __init__(self, invocation: Invocation, screen: Screen, marks: LineMarks) -> None:
        self._invocation, self._screen, self._marks = invocation, screen, marks
        self.text, self.root = "", None  # type: str, str | None
        self._file: str | None = None

    def item(self, item: Any) -> None:
        path = str(item["path"])
        if path != self._file:
            if self._file is not None and "text" in item:
                print()
            self._file = path
            styled = self._invocation.style(listing.shown_path(self._invocation, path), fg="magenta")
            print(self._screen.beneath(path, self.text, self.root, styled))
        if "text" in item:
            line = self._invocation.printable(item["text"])
            number = self._invocation.style(str(item["line"]), fg="green")
            print(f"{number}:{self._screen.marked(line, self._marks.of(line))}")


@declare("grep", "Print the lines beneath PATH that match, as `grep -rE` would.")
@click.argument("pattern")
@click.argument("path", nargs=-1)
@click.option("-i", "ignore_case", is_flag=True, help="Ignore case.")
@click.option("-F", "fixed", is_flag=True, help="PATTERN is plain text, not a regular expression.")
@click.option("-w", "words", is_flag=True, help="Match whole words only.")
@click.option("-l", "names", is_flag=True, help="Print only the paths of matching files.")
@click.option("-n", "numbers", is_flag=True, help="Print line numbers (the default on a terminal).")
def command(
    invocation: Invocation,
    pattern: str,
    path: tuple[str, ...],
    ignore_case: bool,
    fixed: bool,
    words: bool,
    names: bool,
    numbers: bool,
) -> int:
    """Print the lines below each PATH that match, as `grep -rE` does. The exit status is 1 if there are none.

    On a terminal the lines of a file stand beneath its name. Links are not followed; binary files and @ areas are
    skipped. The match is exact: to search by meaning, use `kgfs search`.
    """
    flags = "".join(flag for flag, on in zip("iFwl", (ignore_case, fixed, words, names), strict=True) if on)
    paths = path or (".",)
    counts: list[int] = []
    with session(invocation, paths) as store:
        screen = Screen(invocation, store.store)
        marks = LineMarks(pattern, fixed=fixed, ignore_case=ignore_case, words=words, wanted=invocation.color)
        headed = _Headed(invocation, screen, marks)
        receiver = headed if invocation.terminal else _Matches(invocation, numbers)

        def search_beneath(place: PathArgument) -> None:
            headed.text, headed.root = place.text, screen.root_of(store, place)
            arguments = {"place": place.fields(), "pattern": pattern, "flags": flags}
            counts.append(store.call("grep", arguments, receiver)["matches"])

        status = ask_each(invocation, store, paths, search_beneath)
    return status or (0 if any(counts) else 1)
