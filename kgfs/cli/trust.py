"""``kgfs trust``: what a store wishes, and which of it the user gives it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from kgfs import trust
from kgfs.cli.config import note_running
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store, short
from kgfs.config import CATALOG, CONFIG, load_settings, require_store, stated_settings, whose
from kgfs.control.client import open_session
from kgfs.errors import NotFoundError, UsageError

SHOWN_EDITS = 20


@declare("trust")
@click.argument("name", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that it wishes.")
@click.option("--revoke", is_flag=True, help="Follow these wishes no more.")
def command(invocation: Invocation, name: tuple[str, ...], everything: bool, revoke: bool) -> None:
    """Show what the store wishes, or follow some of it: settings that are yours to give.

    They name servers, programs and files, raise limits or set prices, and a store may have been made by anybody. Look
    at each value before you trust it. Trust holds for this value in this store only: another value, or the store at
    another place, is asked for anew. The name directory stands for a store that other users may change. The name
    write-through stands for the folders that `kgfs mount --write-through` writes to, and for the edits that wait; --all
    does not mean it.
    """
    if name and everything:
        raise UsageError("Name wishes or give --all, not both.")
    if revoke and not name and not everything:
        raise UsageError("Name what is to be trusted no more, or give --all.")
    store = require_store(chosen_store(invocation))
    if revoke:
        gone = trust.revoke(store, None if everything else name)
        if missing := sorted(set(name) - set(gone)):
            raise NotFoundError(f"{missing[0]} was not trusted; `kgfs trust` shows what is.")
        invocation.note(f"No longer trusted: {', '.join(gone)}" if gone else "Nothing was trusted.")
        _note_running(invocation, store, gone)
    scope = _scope(invocation, store)
    wishes = _wishes(store, scope)
    if not revoke and (name or everything):
        if trust.WRITE_THROUGH in name and scope["folders"]:
            wishes[trust.WRITE_THROUGH] = scope["folders"]
        named = [one for one in wishes if one != trust.WRITE_THROUGH] if everything else name
        chosen = {one: wishes[_known(one, wishes)] for one in named}
        trust.trust(store, chosen)
        scope["asked"] = [] if trust.WRITE_THROUGH in chosen else scope["asked"]
        invocation.note(f"Trusted in {short(store)}: {', '.join(chosen) or 'nothing, for it wishes nothing'}")
        _note_running(invocation, store, chosen)
    _show(invocation, store, wishes, scope)


def _note_running(invocation: Invocation, store: Path, names: Collection[str]) -> None:
    if set(names) - {trust.WRITE_THROUGH}:  # which a daemon looks up as it writes
        note_running(invocation, store)


def _scope(invocation: Invocation, store: Path) -> dict[str, list[str]]:
    """What ``--write-through`` would write to: the ``Scope`` of ``kgfs.service.write_scope``."""
    with open_session(store, waiting=invocation.note) as session:
        scope: dict[str, list[str]] = session.call("write-scope", {})
        return scope


def _wishes(store: Path, scope: dict[str, list[str]]) -> dict[str, Any]:
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
    if trust.WRITE_THROUGH in given or scope["written"] or scope["removed"]:
        wishes[trust.WRITE_THROUGH] = scope["folders"]
    return wishes


def _known(name: str, wishes: dict[str, Any]) -> str:
    if name not in wishes:
        there = f"it wishes {', '.join(wishes)}" if wishes else "it wishes nothing"
        raise NotFoundError(f"The store does not wish {name}: {there}.")
    return name


def _show(invocation: Invocation, store: Path, wishes: dict[str, Any], scope: dict[str, list[str]]) -> None:
    given = trust.trusted(store)
    waiting = {name: scope[name] for name in ("written", "removed")}
    width = max(map(len, wishes), default=0)
    for name, value in wishes.items():
        is_trusted = name in given and (given[name] == value if name != trust.WRITE_THROUGH else not scope["asked"])
        if invocation.json:
            more = waiting if name == trust.WRITE_THROUGH else {}
            invocation.emit({"name": name, "value": value, "trusted": is_trusted, **more})
        else:
            state = "trusted" if is_trusted else "ignored"
            shown = ", ".join(value) if isinstance(value, list) else value
            print(invocation.printable(f"{name:<{width}}  {state}  {shown}"))
    if trust.WRITE_THROUGH in wishes and not invocation.json:
        for what, paths in waiting.items():
            for path in paths[:SHOWN_EDITS]:
                print(invocation.printable(f"  would be {what}: {path}"))
            if len(paths) > SHOWN_EDITS:
                print(f"  and {len(paths) - SHOWN_EDITS:,} more would be {what}: --json names all")
    if not wishes:
        invocation.say("The store wishes nothing that is yours to give.")
