"""``kgfs trust``: the protected settings that a store asks for, and which of them the user allows."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click

from kgfs import trust
from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store, short
from kgfs.cli.upkeep.config import note_running
from kgfs.config import CATALOG, CONFIG, load_settings, require_store, stated_settings, whose
from kgfs.control.client import open_session
from kgfs.errors import NotFoundError, UsageError

SHOWN_EDITS = 20
_BY_NAME = frozenset({trust.WRITE_THROUGH, trust.SKILLS})
"""What is trusted by its name alone: ``--all`` does not mean it."""


@declare("trust")
@click.argument("name", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Trust all of them, except write-through and skills.")
@click.option("--revoke", is_flag=True, help="Withdraw trust.")
def command(invocation: Invocation, name: tuple[str, ...], everything: bool, revoke: bool) -> None:
    """Show the protected settings that the store asks for, or allow some of them.

    These settings name servers, programs and files, raise limits or set prices, and anybody may have made the store.
    Look at each value before you trust it. Trust covers this value in this store only: another value, or the store at
    another path, needs trust again. Three names are no settings: `directory` is trust in a store that other users can
    change; `write-through` is trust in the folders that `kgfs mount --write-through` writes to and in the edits that
    wait to be written; `skills` is trust in the instructions to `kgfs agent` that are in context/agent/skills, as they
    are now. --all does not include write-through and skills.
    """
    if name and everything:
        raise UsageError("Give names or --all, not both.")
    if revoke and not name and not everything:
        raise UsageError("Give the names to revoke, or --all.")
    store = require_store(chosen_store(invocation))
    if revoke:
        gone = trust.revoke(store, None if everything else name)
        if missing := sorted(set(name) - set(gone)):
            raise NotFoundError(f"{missing[0]} was not trusted; `kgfs trust` shows what is.")
        invocation.note(f"No longer trusted: {', '.join(gone)}" if gone else "Nothing was trusted.")
        _note_running(invocation, store, gone)
    scope = _scope(invocation, store)
    skills = {skill["name"]: skill["digest"] for skill in scope.pop("skills") if skill["digest"]}
    wishes = _wishes(store, scope, skills)
    if not revoke and (name or everything):
        if trust.WRITE_THROUGH in name and scope["folders"]:
            wishes[trust.WRITE_THROUGH] = scope["folders"]
        named = [one for one in wishes if one not in _BY_NAME] if everything else name
        chosen = {one: wishes[_known(one, wishes)] for one in named}
        trust.trust(store, chosen)
        scope["asked"] = [] if trust.WRITE_THROUGH in chosen else scope["asked"]
        invocation.note(f"Trusted in {short(store)}: {', '.join(chosen) or 'nothing; it asks for nothing'}")
        _note_running(invocation, store, chosen)
    _show(invocation, store, wishes, scope)


def _note_running(invocation: Invocation, store: Path, names: Collection[str]) -> None:
    if set(names) - _BY_NAME:  # which are looked up when they are needed
        note_running(invocation, store)


def _scope(invocation: Invocation, store: Path) -> dict[str, list[Any]]:
    """What ``--write-through`` would write to: the ``Scope`` of ``kgfs.service.writing.write_scope``; and the
    ``skills``."""
    with open_session(store, waiting=invocation.note) as session:
        return {**session.call("write-scope", {}), **session.call("skills", {})}


def _wishes(store: Path, scope: dict[str, list[Any]], skills: dict[str, str]) -> dict[str, Any]:
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
    if skills:
        wishes[trust.SKILLS] = skills
    return wishes


def _known(name: str, wishes: dict[str, Any]) -> str:
    if name not in wishes:
        there = f"it wishes {', '.join(wishes)}" if wishes else "it wishes nothing"
        raise NotFoundError(f"The store does not ask for {name}: {there}.")
    return name


def _show(invocation: Invocation, store: Path, wishes: dict[str, Any], scope: dict[str, list[Any]]) -> None:
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
            shown = ", ".join(value) if isinstance(value, list) or name == trust.SKILLS else value
            print(invocation.printable(f"{name:<{width}}  {state}  {shown}"))
    if trust.WRITE_THROUGH in wishes and not invocation.json:
        for what, paths in waiting.items():
            for path in paths[:SHOWN_EDITS]:
                print(invocation.printable(f"  would be {what}: {path}"))
            if len(paths) > SHOWN_EDITS:
                print(f"  and {len(paths) - SHOWN_EDITS:,} more would be {what}: --json lists all")
    if not wishes:
        invocation.say("The store asks for no protected setting.")
