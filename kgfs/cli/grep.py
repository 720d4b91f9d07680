"""``kgfs grep``: exact lines beneath a directory, found by GNU grep itself."""

from __future__ import annotations

from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.several import ask_each
from kgfs.cli.stores import session
from kgfs.control.client import Discard
from kgfs.control.path_arguments import PathArgument


class _Matches(Discard):
    def __init__(self, invocation: Invocation, numbers: bool) -> None:
        self._invocation = invocation
        self._numbers = numbers

    def item(self, item: Any) -> None:
        if self._invocation.json:
            self._invocation.emit(item)
            return
        printable = self._invocation.printable
        where = self._invocation.style(printable(item["path"]), fg="magenta")
        if "text" not in item:
            print(where)
        elif self._numbers:
            print(f"{where}:{item['line']}:{printable(item['text'])}")
        else:
            print(f"{where}:{printable(item['text'])}")


@declare("grep", "Print the lines beneath PATH that match, as `grep -rE` would.")
@click.argument("pattern")
@click.argument("path", nargs=-1)
@click.option("-i", "ignore_case", is_flag=True, help="Ignore case.")
@click.option("-F", "fixed", is_flag=True, help="PATTERN is plain text, not a regular expression.")
@click.option("-w", "words", is_flag=True, help="Match whole words only.")
@click.option("-l", "names", is_flag=True, help="Print only the paths of matching files.")
@click.option("-n", "numbers", is_flag=True, help="Print line numbers.")
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

    Links are not followed; binary files and @ areas are skipped. The match is exact: to search by meaning, use `kgfs
    search`.
    """
    flags = "".join(flag for flag, on in zip("iFwl", (ignore_case, fixed, words, names), strict=True) if on)
    paths = path or (".",)
    counts: list[int] = []
    with session(invocation, paths) as store:

        def search_beneath(place: PathArgument) -> None:
            arguments = {"place": place.fields(), "pattern": pattern, "flags": flags}
            counts.append(store.call("grep", arguments, _Matches(invocation, numbers))["matches"])

        status = ask_each(invocation, store, paths, search_beneath)
    return status or (0 if any(counts) else 1)
