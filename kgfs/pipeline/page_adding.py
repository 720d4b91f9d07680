"""Adding pages: which of the URLs that a user gives are to be loaded, and bringing them in.

Used by the pipeline's ``add``, on the jobs thread. Collisions are looked for before anything is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kgfs.errors import ConflictError
from kgfs.pipeline.page_pass import PagePass, PageRead, WantedPage, keep_word, load_pages, note_page, wanted_pages
from kgfs.pipeline.run import Run
from kgfs.pipeline.text_pass import ReadOutcome
from kgfs.store.files import items

KNOWN = "known"
"""Why a page is left out: it is stored, and what is at its URL now only loading it would tell."""


class ChosenPages(msgspec.Struct, kw_only=True):
    """What of the URLs is to be loaded."""

    wanted: list[WantedPage] = []
    skipped: dict[str, int] = {}

    @property
    def new(self) -> int:
        """How many of ``wanted`` are not stored."""
        return sum(page.known is None for page in self.wanted)


def choose_pages(run: Run, urls: Sequence[str], on_conflict: str | None, guidance: str, private: bool) -> ChosenPages:
    """The pages to load. ``ConflictError`` where one is stored and ``on_conflict`` is ``error``.

    A page that was stored without being understood is loaded again, whatever ``on_conflict``.
    """
    found = ChosenPages()
    for page in wanted_pages(run, urls, guidance=guidance, private=private) if urls else ():
        known = page.known is not None and page.known.error is None
        if known and on_conflict == "error":
            raise ConflictError(
                f"{items.ref(page.drive, page.path)} is stored already; add it with --on-conflict overwrite or skip."
            )
        if known and on_conflict == "skip":
            found.skipped[KNOWN] = found.skipped.get(KNOWN, 0) + 1
        else:
            found.wanted.append(page)
    return found


def add_pages(run: Run, found: ChosenPages, options: dict[str, object], name: str | None) -> dict[ReadOutcome, int]:
    """Load the pages and put them into rows; how many were added, updated, unchanged and failed.

    ``options`` are kept with each page's source, ``name`` is its name where there is one page only.
    """
    page_pass = PagePass(run)
    came: list[tuple[PageRead, int]] = []
    only = name if len(found.wanted) == 1 else None

    def take(one: PageRead) -> None:
        kept: dict[str, Any] = {**options, "url": one.page.url}
        kept |= {"prompt_addition": one.page.guidance} if one.page.guidance else {}
        kept |= {"allow_private": True} if one.page.private else {}
        source_id = page_pass.put(one, kept, only)
        if source_id is not None:
            keep_word(run, one.page)
            came.append((one, source_id))

    try:
        load_pages(run, found.wanted, take)
    finally:
        page_pass.flush()
        for one, source_id in came:
            note_page(run, one, source_id)
    run.committed()
    run.publish()
    run.check()
    return page_pass.counts
