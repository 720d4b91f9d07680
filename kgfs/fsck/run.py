"""One run of the check: every check in its order, and with repair what they find is mended, round by round.

Used by the service, on its jobs thread (the quick checks on any thread). Each check looks at one state of the rows; a
mend looks again inside its own transaction. What mends leave to be done (texts to be cut, documents to be extracted,
rows to be indexed, pages to be rendered) is done by the ordinary passes between two rounds.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence

from kgfs.calls import ListingCalls
from kgfs.config import Config
from kgfs.errors import Cancelled, KgfsError, NoSpaceError, StoreError
from kgfs.fsck import bodies, graph, index, names, pages, values
from kgfs.fsck.findings import Check, Damage, Find, Finding, Report, finding
from kgfs.fsck.graph import Trial
from kgfs.progress import Cancel, Progress
from kgfs.store import dirty_rows
from kgfs.store.database import Cursor, Database

log = logging.getLogger(__name__)

ROUNDS = 4
"""Mending one thing may bring another to light; what is left after so many rounds is reported."""


class _Undone(Exception):
    """Ends a transaction that only tried something out."""

    def __init__(self, damages: list[Damage]) -> None:
        super().__init__(len(damages))
        self.damages = damages


class Fsck:
    """Checks one store, and mends it.

    ``worker`` lists the index; without one that is not looked at. ``go_on`` does the work that waits, publishes, and
    answers what could not be done, one sentence each.
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
        started = time.monotonic()
        checks = [check for check in self.checks(everything=False) if isinstance(check, Check) and check.quick]
        return self._report(checks, self._pass(checks), False, started)

    def check(self) -> Report:
        """All checks; nothing is changed. Of pages a sample is rendered."""
        started = time.monotonic()
        checks = self.checks(everything=False)
        return self._report(checks, self._pass(checks), False, started)

    def damages(self) -> Iterator[tuple[Check, Damage]]:
        """All damage, check by check as it is found. Nothing is changed; a check that damage stands in the way of
        raises whatever it meets."""
        for check in self.checks(everything=False):
            found = self._tried(check, False) if isinstance(check, Trial) else self._looked(check, False)
            for damage in found:
                yield check if isinstance(check, Check) else _as_check(check), damage

    def repair(self) -> Report:
        """All checks, and mend what they find. A second run finds nothing but what is reported as left."""
        started = time.monotonic()
        checks = self.checks(everything=True)
        found: dict[str, Finding] = {}
        for number in range(ROUNDS + 1):
            damaged = self._pass(checks, mend=number < ROUNDS)
            for name, one in damaged.items():
                found.setdefault(name, one)
            for name, one in found.items():
                one.state = "left" if name in damaged else "mended"
            if not damaged:
                break
            if number < ROUNDS:
                # Whoever shows the tree is to load it anew, whatever rows these were.
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

    def _pass(self, checks: Sequence[Check | Trial], *, mend: bool = False) -> dict[str, Finding]:
        """What is found now, by check."""
        found: dict[str, Finding] = {}
        self._skipped = []
        for number, check in enumerate(checks):
            self._progress({"stage": "check", "done": number, "total": len(checks)})
            if self._cancel is not None and self._cancel.is_set():
                raise Cancelled("Stopped; what was mended stays mended, and the same command goes on.")
            try:
                damages = self._tried(check, mend) if isinstance(check, Trial) else self._looked(check, mend)
            except (NoSpaceError, StoreError, Cancelled):
                raise
            except KgfsError as error:
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
                shown = check if isinstance(check, Check) else _as_check(check)
                found[check.name] = finding(shown, damages)
        self._progress({"stage": "check", "done": len(checks), "total": len(checks)})
        return found

    def _looked(self, check: Check, mend: bool) -> list[Damage]:
        with self._database.read(snapshot=True) as cursor:
            damages = check.find(cursor)
        if damages and mend:
            log.info("%s: %s damaged, to be mended", check.name, len(damages))
            self._database.write(lambda cursor: _mend(cursor, check.find, check))
        return damages

    def _tried(self, trial: Trial, mend: bool) -> list[Damage]:
        with self._database.read(snapshot=True) as cursor:
            works = trial.works(cursor)
        damages: list[Damage] = []
        for work in works:

            def attempt(cursor: Cursor, work: Callable[[Cursor], object] = work) -> None:
                raise _Undone(trial.attempt(cursor, work))

            try:
                self._database.write(attempt)
            except _Undone as undone:
                damages += undone.damages
                if undone.damages and mend:
                    self._database.write(work)
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


def _mend(cursor: Cursor, find: Find, check: Check) -> None:
    damages = find(cursor)
    if damages:
        check.mend(cursor, damages)


def _as_check(trial: Trial) -> Check:
    return Check(trial.name, trial.explanation, trial.remedy, lambda cursor: [], lambda cursor, damages: None)
