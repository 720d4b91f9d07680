"""``kgfs fsck``: whether all that a store holds agrees, and mending what does not."""

from __future__ import annotations

from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.progress import following
from kgfs.cli.stores import session

_COLORS = {"found": "red", "mended": "green", "left": "red"}


@declare("fsck", "Check that all that the store holds agrees; --repair mends it.")
@click.option("--repair", is_flag=True, help="Mend what is found.")
def command(invocation: Invocation, repair: bool) -> int:
    """Check rows against each other, against the search index and against what the tree shows.

    The bodies of files are the only thing that cannot be made again: all else is made of them, and --repair makes again
    what is damaged. Exit status 0 if nothing is wrong, 5 if all that was wrong is mended, 1 if something is left.
    """
    with session(invocation) as store, following(invocation, "fsck") as receiver:
        result = store.call("fsck", {"repair": repair}, receiver)
    status = int(result["exit_status"])
    if invocation.json:
        invocation.emit(result)
        return status
    for finding in result["findings"]:
        _say(invocation, finding)
    for sentence in (*result["skipped"], *result["warnings"]):
        invocation.note(f"  {sentence}")
    invocation.say(_summary(result, repair))
    return status


def _say(invocation: Invocation, finding: dict[str, Any]) -> None:
    """One finding: what is wrong, how often, where for example, and what becomes of it."""
    state = invocation.style(f"{finding['state']:<6}", fg=_COLORS[finding["state"]])
    print(invocation.printable(f"{finding['check']}: {finding['count']:,}") + f"  {state}")
    print(invocation.printable(f"  {finding['explanation']}"))
    for example in finding["examples"]:
        print(invocation.printable(f"  - {example}"))
    if finding["count"] > len(finding["examples"]):
        print(f"  - and {finding['count'] - len(finding['examples']):,} more")
    verb = "Mended" if finding["state"] == "mended" else "Mending"
    print(invocation.printable(f"  {verb}: {finding['remedy']}"))


def _summary(result: dict[str, Any], repair: bool) -> str:
    findings = result["findings"]
    if not findings:
        return f"Nothing is wrong: {result['checks']} checks in {result['seconds']:.1f} s."
    left = sum(finding["state"] == "left" for finding in findings)
    if not repair:
        return f"{len(findings)} of {result['checks']} checks found something; `kgfs fsck --repair` mends it."
    if left:
        return f"{len(findings) - left} mended, {left} left; run it again, or restore a backup."
    return f"All {len(findings)} mended; a second run finds nothing."
