"""``kgfs doctor``: check whether everything that kgfs needs is installed, and say how to fix what is missing."""

from __future__ import annotations

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.stores import chosen_store


@declare("doctor", "Check FUSE, permissions, packages, the model and the store.")
def command(invocation: Invocation) -> int:
    """Check FUSE, permissions, packages, the model and the store. The exit status is 1 if something must be fixed."""
    from kgfs import doctor

    failed = False
    for check in doctor.checks(chosen_store(invocation)):
        failed = failed or check.state == "bad"
        if invocation.json:
            invocation.emit({"check": check.name, "state": check.state, "message": check.message})
            continue
        if invocation.quiet and check.state == "ok":
            continue
        colors = {"ok": "green", "note": "yellow", "bad": "red"}
        state = invocation.style(f"{check.state:<4}", fg=colors[check.state])
        print(f"{state} {check.name:<12} {invocation.printable(check.message)}")
    return 1 if failed else 0
