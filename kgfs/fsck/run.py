"""One run of the check: every check in its order, and with repair what they find is repaired, round by round.

Used by the service, on its jobs thread (the quick checks on any thread). Each check looks at one state of the rows; a
repair looks again inside its own transaction. What repairs leave to be done (texts to be cut, documents to be
extracted, rows to be indexed, pages to be rendered) is done by the ordinary passes between two rounds.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kgfs.calls import ListingCalls
from kgfs.config import Config
from kgfs.errors import Cancelled, DamagedCatalog, KgfsError, NoSpaceError, StoreError
from kgfs.fsck import bodies, graph, index, names, pages, values
from kgfs.fsck.findings import Check, Damage, Finding, Report, Trial, finding
from kgfs.fsck.rebuilding import column, suspect
from kgfs.progress import Cancel, Progress
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files.documents import IN

log = logging.getLogger(__name__)

ROUNDS = 4
"""Repairing one thing may bring another to light; what is left after so many rounds is reported."""


class _Undone(Exception):
    """Ends a transaction that only tried something out."""


Work = Callable[[Cursor], object]


def _attempt(trial: Trial, work: Work, changed: list[Damage], cursor: Cursor) -> None:
    """Add to ``changed`` what a work changes, and undo it. What was stale before is forgotten meanwhile."""
    cursor.execute("DELETE FROM stale")
    cursor.execute("DELETE FROM removals")
    work(cursor)
    rows = column(cursor, "SELECT DISTINCT id FROM stale WHERE kind = ? ORDER BY id", trial.kind)
    known = dict(cursor.execute(f"SELECT id, slug FROM {trial.table} WHERE id {IN}", [rows]).fetchall())
    changed += [Damage(f"{trial.kind} {known.get(row, f'{row}, which would go')}", (trial.kind, row)) for row in rows]
    raise _Undone


def _done(trial: Trial, work: Work, changed: Sequence[Damage], cursor: Cursor) -> None:
    """Do it. Either what was made was wrong or what it is made of, so that is made again too."""
    numbers = [damage.key[1] for damage in changed]
    before = column(cursor, trial.made_of, numbers) if trial.made_of else []
    work(cursor)
    suspect(cursor, [*before, *(column(cursor, trial.made_of, numbers) if trial.made_of else [])])


class Fsck:
    """Checks one store, and repairs it.

    ``worker`` lists the index; without one that is not looked at. ``go_on`` does the work that waits, publishes, and
    returns what could not be done, one sentence each.
    """

    def __init__(
        self,
        database: Database,
        config: Config,
        *,
        worker: ListingCalls | None = None,
        go_on: Callable[[], list[str]] = list,
        progress: Progress = lambda progress: None,
        cancel: Cancel | None = None,
    ) -> None:
        self._database = database
        self._config = config
        self._worker = worker
        self._go_on = go_on
        self._progress = progress
        self._cancel = cancel
        self._skipped: list[str] = []
        self._warnings: list[str] = []

    def quick(self) -> Report:
        """The checks that look at numbers and names alone."""
        return self.check([one for one in self.checks(everything=False) if isinstance(one, Check) and one.quick])

    def check(self, checks: Sequence[Check | Trial] | None = None) -> Report:
        """These checks, else all; nothing is changed. Of pages a sample is rendered."""
        started = time.monotonic()
        checks = self.checks(everything=False) if checks is None else checks
        return self._report(checks, self._pass(checks), False, started)

    def damages(self) -> Iterator[tuple[Check | Trial, Damage]]:
        """All damage, check by check as it is found. Nothing is changed; a check that damage stands in the way of
        raises whatever it meets."""
        for check in self.checks(everything=False):
            found = self._tried(check, False) if isinstance(check, Trial) else self._looked(check, False)
            for damage in found:
                yield check, damage

    def repair(self) -> Report:
        """All checks, and repair what they find. A second run finds nothing but what is reported as left."""
        started = time.monotonic()
        checks = self.checks(everything=True)
        found: dict[str, Finding] = {}
        for number in range(ROUNDS + 1):
            damaged = self._pass(checks, repair=number < ROUNDS)
            for name, one in damaged.items():
                found.setdefault(name, one)
            for name, one in found.items():
                one.state = "left" if name in damaged else "mended"
            if not damaged:
                break
            if number < ROUNDS:
                # The tree is loaded again where it is shown, whatever rows these were.
                self._database.write(lambda cursor: dirty_rows.mark_dirty(cursor, "source", [0]))
                self._warnings = self._worked_on()
        return self._report(checks, found, True, started)

    def checks(self, *, everything: bool) -> list[Check | Trial]:
        """All checks in their order: what others rely on comes first."""
        found: list[Check | Trial] = [*names.CHECKS[:2], *values.CHECKS, *names.CHECKS[2:], *index.CHECKS]
        found += [*bodies.CHECKS, bodies.texts(self._config.max_text_bytes), *graph.CHECKS, *graph.TRIALS]
        if self._worker is not None:
            found += index.index_checks(self._worker)
        return [*found, *pages.checks(everything)]

    # --- one round -------------------------------------------------------------------------------------------------

    def _pass(self, checks: Sequence[Check | Trial], *, repair: bool = False) -> dict[str, Finding]:
        """What is found now, by check."""
        found: dict[str, Finding] = {}
        self._skipped = []
        for number, check in enumerate(checks):
            self._progress({"stage": "check", "done": number, "total": len(checks)})
            if self._cancel is not None and self._cancel.is_set():
                raise Cancelled("Stopped; what was mended stays mended, and the same command goes on.")
            try:
                damages = self._tried(check, repair) if isinstance(check, Trial) else self._looked(check, repair)
            except KgfsError as error:
                in_the_way = isinstance(error, DamagedCatalog) and found
                if isinstance(error, NoSpaceError | StoreError | Cancelled) and not in_the_way:
                    raise
                self._skip(f"{check.name}: {error.message}")
                continue
            except Exception:
                if not found:
                    raise
                # It relies on what others found damaged; those come first, and are mended first.
                log.warning("%s could not be checked", check.name, exc_info=True)
                self._skip(f"{check.name}: the damage above is in the way; `kgfs fsck --repair` mends it and goes on.")
                continue
            if damages:
                found[check.name] = finding(check, damages)
        self._progress({"stage": "check", "done": len(checks), "total": len(checks)})
        return found

    def _looked(self, check: Check, repair: bool) -> list[Damage]:
        with self._database.read(snapshot=True) as cursor:
            damages = check.find(cursor)
        if damages and repair:
            log.info("%s: %s damaged, to be repaired", check.name, len(damages))
            self._database.write(lambda cursor: check.repair(cursor, check.find(cursor)))
        return damages

    def _tried(self, trial: Trial, repair: bool) -> list[Damage]:
        with self._database.read(snapshot=True) as cursor:
            works = trial.works(cursor)
        damages: list[Damage] = []
        for work in works:
            changed: list[Damage] = []
            with contextlib.suppress(_Undone):
                self._database.write(partial(_attempt, trial, work, changed))
            damages += changed
            if changed and repair:
                self._database.write(partial(_done, trial, work, changed))
        return list(dict.fromkeys(damages))

    def _skip(self, sentence: str) -> None:
        if sentence not in self._skipped:
            self._skipped.append(sentence)

    def _worked_on(self) -> list[str]:
        try:
            return self._go_on()
        except (NoSpaceError, StoreError, Cancelled):
            raise
        except KgfsError as error:
            return [error.message]

    def _report(
        self, checks: Sequence[Check | Trial], found: dict[str, Finding], repaired: bool, started: float
    ) -> Report:
        return Report(
            checks=len(checks),
            findings=list(found.values()),
            repaired=repaired,
            skipped=self._skipped,
            warnings=self._warnings,
            seconds=time.monotonic() - started,
        )
