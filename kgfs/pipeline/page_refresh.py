"""Pages loaded again: each from where it came, and written only where it says something else now.

Used by ``kgfs.pipeline.refresh``, on the jobs thread. Nothing that goes wrong elsewhere takes anything away here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from kgfs.errors import UsageError
from kgfs.pipeline.page_pass import (
    PagePass,
    PageRead,
    WantedPage,
    is_users_word,
    load_pages,
    note_page,
    noted_validators,
)
from kgfs.pipeline.refresh_records import (
    CONFLICT,
    FileChange,
    RefreshRequest,
    RefreshSummary,
    SourceSummary,
    add_change,
)
from kgfs.pipeline.run import Run
from kgfs.sources.web import drives
from kgfs.store.files import items, sources, web_rows
from kgfs.store.files.items import KnownFile
from kgfs.store.files.sources import Source

CHANGES = {"new": "new", "changed": "changed", "gone": "vanished", "conflict": "conflict"}
"""What a page's ending is called among changes."""

Ending = Literal["new", "changed", "unchanged", "gone", "conflict", "failed"]


class RefreshedPage(msgspec.Struct, kw_only=True):
    """What became of the page of one source."""

    ending: Ending
    ref: str
    url: str = ""
    reason: str = ""
    """Why it is ``gone`` or ``failed``, one sentence; for others what else is to be known."""
    item_id: int | None = None


def refresh_pages(run: Run, chosen: Sequence[Source], *, dry_run: bool) -> dict[int, RefreshedPage]:
    """Load the pages of these sources again; what became of each, by source id. ``dry_run`` writes nothing.

    ``Cancelled`` when the run stops: what came by then is written.
    """
    found: dict[int, RefreshedPage] = {}
    wanted: list[WantedPage] = []
    by_place = {(source.drive, source.path): source for source in chosen}
    for source in chosen:
        try:
            wanted.append(_page(run, source))
        except UsageError as error:
            found[source.id] = RefreshedPage(
                ending="failed", ref=items.ref(source.drive, source.path), reason=error.message
            )
    page_pass = PagePass(run)
    came: list[tuple[PageRead, int]] = []

    def take(one: PageRead) -> None:
        source = by_place[one.page.drive, one.page.path]
        found[source.id] = ended = _ended(one)
        if dry_run or ended.ending not in ("new", "changed", "unchanged") or _kept(one):
            return
        taken = page_pass.put(one, dict(source.options))
        if taken is not None:
            came.append((one, taken))

    try:
        load_pages(run, wanted, take)
    finally:
        page_pass.flush()
        for one, source_id in came:
            note_page(run, one, source_id)
    return found


def _page(run: Run, source: Source) -> WantedPage:
    """What a source has, and from where. ``UsageError`` where that is not known."""
    with run.database.read() as cursor:
        known: KnownFile | None = sources.members(cursor, source.id).get(source.path)
        stored = web_rows.item_origin(cursor, known.id).url if known is not None else ""
    url = str(source.options.get("url") or stored)
    if not url and source.drive == drives.URL:
        url = drives.url_of(source.path)
    if not url:
        raise UsageError(
            f"{items.ref(source.drive, source.path)} does not say which URL it came from; add it again from its URL."
        )
    page = WantedPage(
        url=drives.normal_url(url),
        drive=source.drive,
        path=source.path,
        known=known,
        fixed=True,
        guidance=str(source.options.get("prompt_addition") or ""),
        private=source.options.get("allow_private") is True,
        noted=noted_validators(source.root),
    )
    if is_users_word(run, page):
        return page
    if page.guidance:
        raise UsageError(
            f"The instructions for loading {page.url} came with the store and are not trusted; give your own with"
            " `kgfs add --on-conflict overwrite --prompt-addition …`."
        )
    return msgspec.structs.replace(page, private=False)


def _kept(one: PageRead) -> bool:
    """Whether what came may not be written: the row was changed here."""
    return one.page.known is not None and one.page.known.edited and one.read.item is not None


def _ended(one: PageRead) -> RefreshedPage:
    known, loaded, read = one.page.known, one.loaded, one.read
    about: dict[str, Any] = {
        "ref": items.ref(one.drive, one.path), "url": one.page.url, "item_id": None if known is None else known.id,
    }  # fmt: skip
    if loaded.state == "gone":
        return RefreshedPage(ending="gone", reason=loaded.reason, **about)
    if read.item is None and read.same is None:
        return RefreshedPage(ending="failed", reason=read.failure, **about)
    if read.same is not None:
        return RefreshedPage(ending="unchanged", **about)
    if known is None:
        return RefreshedPage(ending="new", **about)
    if known.edited:
        # Changed here; also there?
        there = items.hash_body(loaded.body) != known.source_hash
        return RefreshedPage(ending="conflict" if there else "unchanged", **about)
    return RefreshedPage(ending="changed", **about)


def summarize_pages(
    run: Run,
    chosen: Sequence[Source],
    found: Mapping[int, RefreshedPage],
    request: RefreshRequest,
    summary: RefreshSummary,
) -> dict[int, SourceSummary]:
    """What became of each page, as numbers of its source; failures, changes and warnings are noted on the way."""
    summaries: dict[int, SourceSummary] = {}
    for source in chosen:
        page = found[source.id]
        one = summaries[source.id] = SourceSummary(name=source.name, path=page.url or page.ref)
        match page.ending:
            case "new" | "changed":
                one.added, one.updated = int(page.ending == "new"), int(page.ending == "changed")
            case "unchanged":
                one.unchanged = 1
            case "conflict":
                one.conflicts = 1
            case "failed":
                one.failed = 1
                run.fail(page.ref, f"{page.reason.rstrip('.')}; what was read before is kept.")
            case "gone":
                one.vanished, one.removed = int(not request.prune), int(request.prune)
                (one.removed_paths if request.prune else one.vanished_paths).append(one.path)
        if page.ending in CHANGES and request.dry_run:
            add_change(summary.changes, FileChange(CHANGES[page.ending], page.ref))
        elif page.ending == "conflict":
            run.fail(page.ref, CONFLICT)
        elif page.ending == "gone" and not request.prune:
            summary.warnings.append(page.reason)
    return summaries
