"""What a check is and what it finds: the types of ``kgfs.fsck``.

Used by every module of the package and by the service. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from kgfs.store.catalog.database import Cursor

EXAMPLES = 5
"""Of many damaged rows so many are named."""


class Damage(NamedTuple):
    """One thing that is not as it should be."""

    text: str
    """What it is, for the user: a ref, a slug, a table and what is wrong in it."""
    key: tuple[Any, ...] = ()
    """What its repair needs."""


Find = Callable[[Cursor], list[Damage]]
"""Looks for damage in one state of the rows."""
Repair = Callable[[Cursor, Sequence[Damage]], None]
"""Repairs what was found, in a transaction."""


class Check(NamedTuple):
    """One thing that must be true of a store."""

    name: str
    explanation: str
    """One sentence: what must be true."""
    remedy: str
    """One sentence: what repairing does; it is shown where something was found."""
    find: Find
    repair: Repair
    quick: bool = True
    """Whether it looks at numbers and names alone: some statements, whatever the size of the texts."""


class Trial(NamedTuple):
    """Something that is recomputed by the code that made it: what that changes was wrong."""

    name: str
    explanation: str
    remedy: str
    kind: str
    """Of what it marks as stale, rows of this kind are what it is about."""
    table: str
    works: Callable[[Cursor], list[Callable[[Cursor], object]]]
    """What is to be done, each in a transaction of its own; nothing where it would prove nothing now."""
    made_of: str = ""
    """SQL: the documents that rows of these ids are made of."""


class Finding(msgspec.Struct, kw_only=True):
    """What a check found."""

    check: str
    explanation: str
    count: int
    examples: list[str]
    remedy: str
    state: Literal["found", "mended", "left"] = "found"
    """``mended``: it was there and is no more. ``left``: it is there after repairing."""


class Report(msgspec.Struct, kw_only=True):
    """What a run came to."""

    checks: int
    """How many things were looked at."""
    findings: list[Finding]
    repaired: bool
    """Whether the run was to repair."""
    skipped: list[str] = []
    """What could not be looked at and why, one sentence each."""
    warnings: list[str] = []
    """What of the work after repairing waits, one sentence each."""
    seconds: float = 0.0

    @property
    def exit_status(self) -> int:
        """0: nothing was wrong; 5: it was and is mended; 1: something is left."""
        if not self.findings:
            return 0
        return 5 if all(finding.state == "mended" for finding in self.findings) else 1


def finding(check: Check | Trial, damages: Sequence[Damage]) -> Finding:
    """What a check found, to be told."""
    return Finding(
        check=check.name,
        explanation=check.explanation,
        count=len(damages),
        examples=[damage.text for damage in damages[:EXAMPLES]],
        remedy=check.remedy,
    )


def selected(sql: str, text: str) -> Find:
    """A check in SQL: every row that the statement returns is damage, its columns are the key; ``text`` is a format
    string over them."""

    def find_damages(cursor: Cursor) -> list[Damage]:
        return [Damage(text.format(*row), row) for row in cursor.execute(sql).fetchall()]

    return find_damages


def together(*parts: Find) -> Find:
    """What several of them find, one after the other."""

    def find_damages(cursor: Cursor) -> list[Damage]:
        return [damage for part in parts for damage in part(cursor)]

    return find_damages
