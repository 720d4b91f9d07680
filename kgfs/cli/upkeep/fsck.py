"""``kgfs fsck``: check the consistency of a store and repair it."""

from __future__ import annotations

from typing import Any

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.progress import following
from kgfs.cli.stores import chosen_store, session
from kgfs.errors import DamagedLog

EXIT_MENDED = 5
_COLORS = {"found": "red", "mended": "green", "left": "red"}
_STATES = {"found": "found", "mended": "repaired", "left": "left"}
"""State of a finding in JSON to its word for people."""


@declare("fsck", "Check the consistency of the store; --repair repairs it.")
@click.option("--repair", is_flag=True, help="Repair what is found.")
def command(invocation: Invocation, repair: bool) -> int:
    """Check the rows of the store against each other, against the search index and against the tree.

    Everything except the bodies of files can be derived again, and --repair does that for whatever is damaged. The exit
    status is 0 if nothing is wrong, 5 if everything wrong was repaired, 1 if something is left.
    """
    findings: list[dict[str, Any]] = []
    while True:
        try:
            result = _checked(invocation, repair)
            break
        except DamagedLog as error:
            if not repair:
                raise
            from kgfs.service.maintenance.log_repair import leave_out

            # When this is left out, more may be found before it.
            findings.append(leave_out(chosen_store(invocation), error))
    if findings:
        result["findings"][:0] = findings[:1]
        result["exit_status"] = result["exit_status"] or EXIT_MENDED
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


def _checked(invocation: Invocation, repair: bool) -> dict[str, Any]:
    with session(invocation) as store, following(invocation, "fsck") as receiver:
        return dict(store.call("fsck", {"repair": repair}, receiver))


def _say(invocation: Invocation, finding: dict[str, Any]) -> None:
    """One finding: the problem, how often it occurs, examples, and the repair."""
    state = invocation.style(_STATES[finding["state"]], fg=_COLORS[finding["state"]])
    print(invocation.printable(f"{finding['check']}: {finding['count']:,}") + f"  {state}")
    print(invocation.printable(f"  {finding['explanation']}"))
    for example in finding["examples"]:
        print(invocation.printable(f"  - {example}"))
    if finding["count"] > len(finding["examples"]):
        print(f"  - and {finding['count'] - len(finding['examples']):,} more")
    verb = "Repaired" if finding["state"] == "mended" else "Repair"
    print(invocation.printable(f"  {verb}: {finding['remedy']}"))


def _summary(result: dict[str, Any], repair: bool) -> str:
    findings = result["findings"]
    if not findings:
        where = " in what was looked at" if result["skipped"] else ""
        return f"Nothing is wrong{where}: {result['checks']} checks in {result['seconds']:.1f} s."
    left = sum(finding["state"] == "left" for finding in findings)
    if not repair:
        return f"{len(findings)} of {result['checks']} checks found something; `kgfs fsck --repair` repairs it."
    if left:
        return f"{len(findings) - left} repaired, {left} left; run it again, or restore a backup."
    return f"All {len(findings)} repaired; a second run finds nothing."
