"""Requests to the pipeline and their results: plain records, of which the service and commands make JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from kgfs.pipeline.estimate import Estimate
from kgfs.pipeline.relocation import MoveOffer
from kgfs.pipeline.run import DroppedFrom, Failure

OnConflict = Literal["skip", "overwrite", "error"]


class AddRequest(msgspec.Struct, kw_only=True):
    """What to add, and how."""

    paths: list[Path]
    """Absolute paths of files and folders."""
    name: str | None = None
    """The name of the source; for one path only."""
    extractor: str | None = None
    """``auto``, ``llm``, ``offline`` or ``none``; ``None`` is the store's setting."""
    budget: float | None = None
    """What the language model may cost, in US dollars."""
    batch: bool = False
    """Ask the language model in batches: half the price, and hours."""
    on_conflict: OnConflict | None = None
    """For a known file whose bytes changed: keep what is stored, replace it, or refuse the run. ``None`` replaces."""
    exclude: list[str] = []
    hidden: bool = False
    cross_device: bool = False
    dry_run: bool = False
    on: str = ""
    """The Ray cluster that reads (``kgfs.cluster.addresses.FORMS``); empty: the worker of the store does."""
    urls: list[str] = []
    """Pages to add; what is above for a known file holds for a known page."""
    prompt_addition: str = ""
    """What the user says to the agent that loads pages; kept for refreshing."""
    allow_private: bool = False
    """Pages on this machine and its network too."""


class AddSummary(msgspec.Struct, kw_only=True):
    """What a run did."""

    added: int = 0
    updated: int = 0
    textless: int = 0
    """How many of these hold no text that kgfs reads."""
    skipped: dict[str, int] = {}
    """How many were left out, by reason; files that are known and have not changed are ``unchanged``."""
    failed: list[Failure] = []
    unread: int = 0
    """How many of ``failed`` were not read at all; the others are among ``added`` and ``updated``, and incomplete."""
    notes: list[Failure] = []
    """What was odd in documents that were read: parts that were left out, a guessed encoding."""
    warnings: list[str] = []
    """What is still to be done and why, one sentence each; the files themselves are stored."""
    dropped: dict[str, int] = {}
    """What a language model said and the texts do not, by kind and reason; none of it is stored."""
    dropped_examples: list[DroppedFrom] = []
    """Some of that."""
    counts: dict[str, int] = {}
    """``documents chunks entities facts topics`` in the store."""
    extractor: str = ""
    """What was to read documents: ``llm``, ``auto`` (offline, there being no key), ``offline`` or ``none``."""
    offline: int = 0
    """How many documents this run read without a language model; some may wait since an earlier one."""
    cost: dict[str, Any] = {}
    """What a language model took (``kgfs.llm.spending``); empty where none was asked."""
    again: int = 0
    """How many documents that had not changed a language model was to read, having been read without one."""
    offers: list[MoveOffer] = []
    """Sources that are gone from their places, and whose files were found where these were added from."""
    estimate: Estimate | None = None
    """Of a dry run: what a language model would take."""
    seconds: float = 0.0


class RemoveSummary(msgspec.Struct, kw_only=True):
    """What ``remove`` did."""

    removed: int = 0
    sources: int = 0
    """How many sources went with their items."""
    warnings: list[str] = []
    seconds: float = 0.0
