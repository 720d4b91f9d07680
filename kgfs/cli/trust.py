"""``kgfs trust``: what a store wishes, and which of it the user gives it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kgfs import trust
from kgfs.cli.config import note_running
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store, short
from kgfs.config import CATALOG, CONFIG, load_settings, require_store, stated_settings, whose
from kgfs.errors import NotFoundError, UsageError


@declare("trust")
@click.argument("name", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that it wishes.")
@click.option("--revoke", is_flag=True, help="Follow these wishes no more.")
def command(invocation: Invocation, name: tuple[str, ...], everything: bool, revoke: bool) -> None:
    """Show what the store wishes, or follow some of it: settings that are yours to give.

    They name servers, programs and files, raise limits or set prices, and a store may have been made by anybody. Look
    at each value before you trust it. Trust holds for this value in this store only: another value, or the store at
    another place, is asked for anew. The name directory stands for a store that other users may change.
    """
    if name and everything:
        raise UsageError("Name wishes or give --all, not both.")
    if revoke and not name and not everything:
        raise UsageError("Name what is to be trusted no more, or give --all.")
    store = require_store(chosen_store(invocation))
    wishes = _wishes(store)
    if revoke:
        gone = trust.revoke(store, None if everything else name)
        if missing := sorted(set(name) - set(gone)):
            raise NotFoundError(f"{missing[0]} was not trusted; `kgfs trust` shows what is.")
        invocation.note(f"No longer trusted: {', '.join(gone)}" if gone else "Nothing was trusted.")
        note_running(invocation, store)
    elif name or everything:
        chosen = dict(wishes) if everything else {one: wishes[_known(one, wishes)] for one in name}
        trust.trust(store, chosen)
        invocation.note(f"Trusted in {short(store)}: {', '.join(chosen) or 'nothing, for it wishes nothing'}")
        note_running(invocation, store)
    _show(invocation, store, wishes)


def _wishes(store: Path) -> dict[str, Any]:
    """What the store wishes, trusted or not."""
    given, refused = trust.trusted(store), load_settings(store).refused
    stated = stated_settings(store)
    wishes = {
        name: value
        for name, value in stated.items()
        if name in refused or (whose()[name] != "store" and name in given and given[name] == value)
    }
    if who := trust.outsiders_of(store, (CATALOG, CONFIG)):
        wishes[trust.DIRECTORY] = who
    return wishes


def _known(name: str, wishes: dict[str, Any]) -> str:
    if name not in wishes:
        there = f"it wishes {', '.join(wishes)}" if wishes else "it wishes nothing"
        raise NotFoundError(f"The store does not wish {name}: {there}.")
    return name


def _show(invocation: Invocation, store: Path, wishes: dict[str, Any]) -> None:
    given = trust.trusted(store)
    width = max(map(len, wishes), default=0)
    for name, value in wishes.items():
        is_trusted = name in given and given[name] == value
        if invocation.json:
            invocation.emit({"name": name, "value": value, "trusted": is_trusted})
        else:
            state = "trusted" if is_trusted else "ignored"
            print(invocation.printable(f"{name:<{width}}  {state}  {value}"))
    if not wishes:
        invocation.say("The store wishes nothing that is yours to give.")
