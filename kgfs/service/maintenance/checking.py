"""``kgfs fsck`` as the service runs it: what the check of a store needs of its other parts.

Used by ``Upkeep.fsck``, on the jobs thread; ``quick`` on the thread that asks.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.agentfs import log_check
from kgfs.agentfs.agent_store import AgentStore
from kgfs.agentfs.checking import check as rules
from kgfs.agentfs.checking.check import Broken
from kgfs.agentfs.overlays.sessions import Sessions
from kgfs.config import Config
from kgfs.drives.gate import Gate, Mutation
from kgfs.errors import DamagedLog, KgfsError, NoSpaceError, StoreError
from kgfs.fsck.findings import EXAMPLES, Finding, Report
from kgfs.fsck.run import Fsck
from kgfs.progress import Cancel, Progress
from kgfs.store.catalog import salvage
from kgfs.store.catalog.database import Database

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
    agent: AgentStore,
    sessions: Sessions,
    *,
    reconcile: Callable[[], None],
    go_on: Callable[[], list[str]],
    repair: bool,
    progress: Progress,
    cancel: Cancel,
) -> dict[str, Any]:
    """All checks, those of ``agent.db`` and of sessions last. ``reconcile`` lets what another index or model has be
    indexed again; ``go_on`` does what waits."""
    broken = salvage.catalog_damage(gate.database)
    if broken is not None and not repair:
        return _told(_of_what_is_left(gate.database, config, broken))
    saved: list[Finding] = []
    if broken is not None:
        saved = _of_what_is_left(gate.database, config, broken).findings[:1]
        aside = _put_aside(gate.database)
        saved[0].state = "mended"
        saved[0].examples.append(f"the damaged file is kept as {aside.name}")
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
    report.findings = [*saved, *report.findings]
    report.skipped = [*skipped, *report.skipped]
    _add_agent(report, agent, repair)
    _add_sessions(report, sessions, repair)
    return _told(report)


def _said(error: OSError | KgfsError) -> str:
    """The sentence of an error, without its number."""
    return error.message if isinstance(error, KgfsError) else error.strerror or str(error)


def _add_agent(report: Report, agent: AgentStore, repair: bool) -> None:
    """Add what is found in ``agent.db``, which a store has once somebody used its workspace or its keys."""
    if not agent.exists:
        return
    started = time.monotonic()
    report.checks += len(rules.RULES)
    try:
        if repair:
            _mend_log(report, agent)
            with agent.workspace.set_aside():
                found = rules.repair(agent.database)
            agent.on_changed()
            agent.runs.forget()
        else:
            agent.settle()
            found = rules.check(agent.database)
    except StoreError as error:
        report.findings.append(
            Finding(
                check="agent.db", explanation="agent.db can be opened.", count=1, examples=[error.message],
                remedy="Restore it from a backup.", state="left" if repair else "found",
            )
        )  # fmt: skip
    except (OSError, KgfsError) as error:
        report.skipped.append(f"agent.db was not looked at: {_said(error)}")
    else:
        report.findings += [_finding(one, repair) for one in found]
    report.seconds += time.monotonic() - started


def _mend_log(report: Report, agent: AgentStore) -> None:
    """Go on with what can be read of the log of ``agent.db``."""
    try:
        _ = agent.database
    except DamagedLog as error:
        kept = log_check.cut(agent.path, error.place)
        report.findings.append(
            Finding(
                check="agent.db-wal", explanation="The log of agent.db can be read to its end.", count=1,
                examples=[f"it cannot be read from byte {error.place:,} on; all of it is kept as {kept.name}"],
                remedy="What stands before is kept. What was written later is lost, unless a backup has it.",
                state="mended",
            )
        )  # fmt: skip


def _add_sessions(report: Report, sessions: Sessions, repair: bool) -> None:
    """Add what is found in the files of sessions."""
    started = time.monotonic()
    names = sessions.names()
    report.checks += len(rules.RULES) * bool(names)
    for name in names:
        try:
            with sessions.set_aside(name) as database:
                found = rules.repair(database) if repair else rules.check(database)
        except StoreError as error:
            report.findings.append(
                Finding(
                    check="session", explanation=f"The file of session {name} can be opened.", count=1,
                    examples=[error.message], state="left" if repair else "found",
                    remedy=f"Restore it from a backup, or remove it by `kgfs session discard {name}`.",
                )
            )  # fmt: skip
        except (OSError, KgfsError) as error:
            report.skipped.append(f"Session {name} was not looked at: {_said(error)}")
        else:
            report.findings += [_finding(one, repair, f"session {name}: ") for one in found]
    report.seconds += time.monotonic() - started


def _finding(one: Broken, repair: bool, where: str = "") -> Finding:
    """What a rule of ``agent.db`` or of a session's file found."""
    return Finding(
        check=one.rule.name, explanation=one.rule.explanation, count=len(one.violations),
        examples=[where + violation.text for violation in one.violations[:EXAMPLES]], remedy=one.rule.remedy,
        state=("mended" if one.mended else "left") if repair else "found",
    )  # fmt: skip


def _of_what_is_left(database: Database, config: Config, broken: str) -> Report:
    """What the checks find in all that can be read of a catalog with damaged blocks; the damage itself comes first."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="salvage-", dir=database.path.parent) as place:
        store = Path(place) / "store"
        store.mkdir()
        salvage.salvage_catalog(database.path, store / database.path.name)
        with Database.open(store) as left:
            report = Fsck(left, config).check()
    named = [example for one in report.findings if one.check == "bodies" for example in one.examples]
    damage = Finding(
        check="catalog",
        explanation="Every block of the catalog's file is as it was written.",
        count=max(1, sum(one.count for one in report.findings if one.check == "bodies")),
        examples=[broken, *named],
        remedy="All that can be read goes into a new catalog, and the damaged file is kept beside it. A file of the"
        " disk that is named here is read again by `kgfs refresh`; of a note, `kgfs context history REF` has what it"
        " was before.",
    )
    return Report(
        checks=report.checks + 1,
        findings=[damage, *report.findings],
        repaired=False,
        skipped=report.skipped,
        seconds=time.monotonic() - started,
    )


def _put_aside(database: Database) -> Path:
    """Go on with a catalog of all that can be read; the damaged file's new name."""
    made = database.path.with_name(f"{database.path.name}.salvaged")
    aside = database.path.with_name(f"{database.path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")

    def make() -> Path:
        made.unlink(missing_ok=True)
        salvage.salvage_catalog(database.path, made)
        return made

    database.replace(make, aside)
    return aside


def _told(report: Report) -> dict[str, Any]:
    return {**msgspec.to_builtins(report), "exit_status": report.exit_status}
