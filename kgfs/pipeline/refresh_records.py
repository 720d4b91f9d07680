"""Requests for a refresh and their results: records of ``refresh`` and of the code that asks for one.

Used by ``kgfs.pipeline.refresh``, by what loads pages again (``remote.refreshing``), and by the service.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kgfs.pipeline.run import DroppedFrom, Failure

SHOWN_CHANGES = 1000
"""So many single changes a summary names."""

CONFLICT = (
    "It was edited here and changed where it came from too; it stays as it is here"
    " (`kgfs add --on-conflict overwrite`)."
)


class RefreshTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A source, or parts of it."""

    source: int
    only: list[str] | None = None
    """Paths at or beneath the source's, as rows have them."""


class RefreshRequest(msgspec.Struct, kw_only=True):
    """What to refresh, and how."""

    targets: list[RefreshTarget]
    prune: bool = False
    """Remove what vanished."""
    gone: list[str] | None = None
    """With ``prune``: only what lies at or beneath these paths."""
    dry_run: bool = False
    budget: float | None = None
    """What the language model may cost, in US dollars."""
    on: str = ""
    """The Ray cluster that reads; empty: the worker of the store does."""


class FileChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """What happened to one file, or would."""

    what: str
    """``new``, ``changed``, ``moved``, ``vanished``, ``conflict``."""
    path: str
    to: str = ""


class SourceSummary(msgspec.Struct, kw_only=True):
    """What became of one source."""

    name: str
    path: str
    added: int = 0
    updated: int = 0
    moved: int = 0
    removed: int = 0
    vanished: int = 0
    """Not there any more and kept."""
    unchanged: int = 0
    conflicts: int = 0
    failed: int = 0
    """Could not be looked at or read; ``RefreshSummary.failed`` says why."""
    skipped: dict[str, int] = {}
    problem: str = ""
    """One sentence: why it could not be looked at, or why nothing was removed."""
    missing: bool = False
    """There is nothing at its path."""
    vanished_paths: list[str] = []
    """Which vanished and stay, whole."""
    removed_paths: list[str] = []
    """Which were removed, or would be, whole."""


class RefreshSummary(msgspec.Struct, kw_only=True):
    """What a run did, or with ``dry_run`` would do."""

    sources: list[SourceSummary] = []
    changes: list[FileChange] = []
    """The first ``SHOWN_CHANGES`` of a dry run."""
    failed: list[Failure] = []
    notes: list[Failure] = []
    """What was odd in documents that were read: parts that were left out, a guessed encoding."""
    warnings: list[str] = []
    counts: dict[str, int] = {}
    cost: dict[str, Any] = {}
    """What a language model took (``kgfs.llm.spending``); empty where none was asked."""
    dropped: dict[str, int] = {}
    """What a language model said and the texts do not, by kind and reason; none of it is stored."""
    dropped_examples: list[DroppedFrom] = []
    """Some of that."""
    seconds: float = 0.0


def add_change(changes: list[FileChange], change: FileChange) -> None:
    """Name one more change, if that is not too many."""
    if len(changes) < SHOWN_CHANGES:
        changes.append(change)
