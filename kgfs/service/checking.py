"""``kgfs fsck`` as the service runs it: what the check of a store needs of its other parts.

Used by ``Service.fsck``, on the jobs thread; ``quick`` on the thread that asks.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.config import Config
from kgfs.drives.gate import Gate, Mutation
from kgfs.errors import KgfsError, NoSpaceError, StoreError
from kgfs.fsck.findings import Report
from kgfs.fsck.run import Fsck
from kgfs.service.jobs import CancelLike, Progress
from kgfs.store.database import Database

if TYPE_CHECKING:
    from kgfs.models.client import Worker


def quick(database: Database, config: Config) -> dict[str, Any]:
    """The checks that need no more than some statements."""
    return _told(Fsck(database, config).quick())


def is_sound(store: Path) -> bool:
    """Whether the quick checks find nothing in a store that nobody has open; its settings are not looked at."""
    with Database.open(store) as database:
        return not quick(database, Config())["findings"]


def check(
    gate: Gate,
    config: Config,
    worker: Worker,
    *,
    reconcile: Callable[[], None],
    go_on: Callable[[], list[str]],
    repair: bool,
    progress: Progress,
    cancel: CancelLike,
) -> dict[str, Any]:
    """All checks. ``reconcile`` lets what another index or model has be indexed again; ``go_on`` does what waits."""
    skipped = []
    listing: Worker | None = worker
    try:
        reconcile()
    except (NoSpaceError, StoreError):
        raise
    except KgfsError as error:
        skipped.append(f"The search index was not looked at: {error.message}")
        listing = None
    fsck = Fsck(gate.database, config, worker=listing, go_on=go_on, progress=progress, cancel=cancel)
    if repair:
        with gate.passing(Mutation(operation="fsck", refs=())):
            report = fsck.repair()
    else:
        report = fsck.check()
    report.skipped = [*skipped, *report.skipped]
    return _told(report)


def _told(report: Report) -> dict[str, Any]:
    return {**msgspec.to_builtins(report), "exit_status": report.exit_status}
