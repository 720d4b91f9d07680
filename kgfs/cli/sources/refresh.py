"""``kgfs refresh``: read again what changed where it came from since it was added."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.outcome import PARTLY_DONE, note_failures, say_counts
from kgfs.cli.progress import following
from kgfs.cli.sources import options
from kgfs.cli.sources.reading import say_cluster, say_reading
from kgfs.cli.stores import chosen_store, going_on, places, short
from kgfs.errors import Cancelled, UsageError
from kgfs.progress import STOPPED

NO_SOURCES = "There are no sources; `kgfs add PATH` makes one."
SHOWN_PATHS = 20
"""So many of the files that vanished, and of those that were removed, are named."""


@declare("refresh")
@click.argument("ref", nargs=-1, metavar="[REF|SOURCE]...")
@click.option("--all", "everything", is_flag=True, help="Refresh every source.")
@click.option(
    "--prune", is_flag=True, help="Remove documents whose files vanished, unless the whole source is out of reach."
)
@options.budget
@options.on
@click.option("--dry-run", is_flag=True, help="Only print what would be done.")
def command(
    invocation: Invocation,
    ref: tuple[str, ...],
    everything: bool,
    prune: bool,
    budget: float | None,
    dry_run: bool,
    on: str | None,
) -> int:
    """Read sources again: changed, new and moved files. Files that vanished stay until --prune.

    SOURCE is a name under sources/; REF is drive:/path, a page's URL, a file or folder on disk, or a path on the mount.
    Both may be patterns ('url:/https/example.com/*'). The options of the original `add` apply again; pages are loaded
    again from their URLs. A document that was edited in the store is never overwritten.
    """
    if bool(ref) == everything:
        raise UsageError("Name what to refresh, or say --all (and not both); `kgfs status` lists the sources.")
    arguments: dict[str, Any] = {"all": everything, "prune": prune, "dry_run": dry_run, "budget": budget}
    arguments["on"] = on or ""
    store = chosen_store(invocation, ref)
    arguments["places"] = [place.fields() for place in places(store, ref)]
    try:
        with following(invocation, "refresh") as receiver:
            result = going_on(invocation, store, lambda opened: opened.call("refresh", arguments, receiver))
    except (Cancelled, KeyboardInterrupt):
        raise Cancelled(STOPPED) from None
    return summary(invocation, result, dry_run=dry_run, prune=prune)


def summary(invocation: Invocation, result: dict[str, Any], *, dry_run: bool, prune: bool) -> int:
    """Say what a refresh did, and return the exit status."""
    failures, warnings = result["failed"], result["warnings"]
    problems = [source for source in result["sources"] if source["problem"]]
    conflicts = any(source["conflicts"] for source in result["sources"])
    status = PARTLY_DONE if failures or warnings or problems or conflicts else 0
    if invocation.json:
        invocation.emit(result)
        return status
    for change in result["changes"]:
        to = f" -> {short(change['to'])}" if change.get("to") else ""
        what = "remove" if change["what"] == "vanished" and prune and not problems else change["what"]
        invocation.say(invocation.printable(f"  {what:<9} {short(change['path'])}{to}"))
    for source in result["sources"]:
        invocation.say(invocation.printable(f"{source['name']}  {short(source['path'])}  {_numbers(source, dry_run)}"))
        if not dry_run:  # which has named them among all changes
            _name(invocation, "vanished", source["vanished_paths"])
            _name(invocation, "removed", source["removed_paths"])
        if source["problem"]:
            invocation.warn(f"  {source['name']}: {source['problem']}")
    if not result["sources"]:
        invocation.say(NO_SOURCES)
    vanished = [source for source in result["sources"] if source["vanished"]]
    if vanished and not prune:
        names = " ".join(source["name"] for source in vanished)
        invocation.note(f"  What vanished stays: `kgfs refresh {names} --prune` removes it.")
    if not dry_run and any(map(_touched, result["sources"])):
        say_counts(invocation, result)
    say_reading(invocation, result, dry_run=dry_run)
    say_cluster(invocation, result)
    note_failures(invocation, failures, short)
    note_failures(invocation, result["notes"], short, failed=False)
    for warning in warnings:
        invocation.warn(f"  {warning}")
    return status


def _name(invocation: Invocation, what: str, paths: list[str]) -> None:
    """The first of some files, and how many more there are."""
    for path in paths[:SHOWN_PATHS]:
        invocation.say(invocation.printable(f"  {what:<9} {short(path)}"))
    if len(paths) > SHOWN_PATHS:
        invocation.say(f"  and {len(paths) - SHOWN_PATHS:,} more {what}: --json names all")


def _touched(source: dict[str, Any]) -> bool:
    return any(source[name] for name in ("added", "updated", "moved", "removed"))


def _numbers(source: dict[str, Any], dry_run: bool) -> str:
    numbers = " · ".join(parts(source)) or ("not looked at" if source["problem"] else "no files")
    return f"would be: {numbers}" if dry_run else numbers


def parts(source: dict[str, Any]) -> Iterator[str]:
    """What became of a source, number by number: ``3 changed``."""
    named = (
        ("updated", "changed"), ("added", "new"), ("moved", "moved"), ("removed", "removed"), ("vanished", "vanished"),
        ("conflicts", "in conflict"), ("failed", "failed"), ("unchanged", "unchanged"),
    )  # fmt: skip
    for name, word in named:
        if source[name]:
            yield f"{source[name]:,} {word}"
    skipped = source["skipped"]
    if skipped:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in skipped.items())
        yield f"{sum(skipped.values()):,} left out ({reasons})"
