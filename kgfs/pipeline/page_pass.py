"""Pages on their way in: told apart from what is known, loaded by the worker, parsed, and made rows like a file's.

Used by the pipeline (``add``) and by refreshing, on the jobs thread; threads of its own wait for the worker. What is
known is looked at before anything is loaded. A page that cannot be had is reported and leaves nothing behind.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import msgspec

from kgfs import trust
from kgfs.errors import KgfsError
from kgfs.graph.parsed_body import UNKNOWN_TYPE, parse_body, read_as
from kgfs.llm_records import Loaded, LoadRequest
from kgfs.model import ParsedDocument, prepared
from kgfs.pipeline.file_read import FileRead
from kgfs.pipeline.run import Run
from kgfs.pipeline.text_pass import TextPass
from kgfs.sources.web import drives
from kgfs.sources.web.file_names import HEAD_BYTES, file_name
from kgfs.store.files import documents, items, sources, web_rows
from kgfs.store.files.items import KnownFile, NewItem
from kgfs.store.files.web_rows import KnownPage
from kgfs.store.llm import llm_rows

AT_ONCE = 4
"""Pages that are loaded at once."""
_POLL_SECONDS = 0.2
MODE = 0o644


class Validators(msgspec.Struct, frozen=True, kw_only=True):
    """What a server said of its answer, by which it tells whether that changed; noted at the page's source."""

    etag: str = ""
    last_modified: str = ""

    def encode(self) -> str:
        return msgspec.json.encode(self).decode()


def noted_validators(noted: str | None) -> Validators:
    """Of a source's row; empty where none were noted."""
    try:
        return msgspec.json.decode(noted or "{}", type=prepared(Validators))
    except msgspec.DecodeError:
        return Validators()


class WantedPage(msgspec.Struct, kw_only=True):
    """A page to be loaded."""

    url: str
    """Normal."""
    drive: str
    path: str
    """Where it stands, or will if it comes from where its URL says."""
    known: KnownFile | None = None
    guidance: str = ""
    private: bool = False
    noted: Validators = Validators()
    fixed: bool = False
    """It stays on its drive, and what is on another than ``url`` came from an MCP server and can only come from one."""


_PAGES = "pages"
"""Under which trust keeps what the user said of pages: URL to instructions, and whether it may be a private one."""


def keep_word(run: Run, page: WantedPage) -> None:
    """Note that the user said of a page what goes beyond loading it: a row could say it for anybody who wrote it."""
    store = run.database.path.parent
    said = {page.url: [page.guidance, page.private]}
    if page.guidance or page.private:
        trust.trust(store, {_PAGES: trust.trusted(store).get(_PAGES, {}) | said})


def is_users_word(run: Run, page: WantedPage) -> bool:
    """Whether what a row says of its page was said by the user."""
    said = trust.trusted(run.database.path.parent).get(_PAGES, {}).get(page.url)
    return bool(said == [page.guidance, page.private])


class PageRead(msgspec.Struct, kw_only=True):
    """What became of a page."""

    page: WantedPage
    loaded: Loaded
    read: FileRead
    drive: str
    path: str


def wanted_pages(run: Run, urls: Sequence[str], *, guidance: str = "", private: bool = False) -> list[WantedPage]:
    """What URLs name, each once, with what is known of it. ``UsageError`` for what is no URL."""
    found: dict[str, WantedPage] = {}
    for url in urls:
        normal = drives.normal_url(url)
        drive, path = drives.detect_drive(normal)
        found.setdefault(normal, WantedPage(url=normal, drive=drive, path=path, guidance=guidance, private=private))
    chosen = list({(page.drive, page.path): page for page in found.values()}.values())
    # One that came by plain HTTP is on drive url, whatever its origin.
    places = {page.url: [items.ref(page.drive, page.path), _plain_ref(page.url)] for page in chosen}
    with run.database.read() as cursor:
        stored = web_rows.known_pages(cursor, [ref for refs in places.values() for ref in refs], list(places))
        noted = {(source.drive, source.path): source.root for source in sources.sources(cursor)}
    for page in chosen:
        row = _row_of(page.url, places[page.url], stored)
        if row is not None:
            page.known, page.drive, page.path = row.known, row.drive, row.known.path
            page.noted = noted_validators(noted.get((page.drive, page.path)))
    return chosen


def _plain_ref(url: str) -> str:
    return items.ref(drives.URL, drives.url_path(url))


def _row_of(url: str, refs: Sequence[str], stored: Sequence[KnownPage]) -> KnownPage | None:
    for ref in refs:
        for row in stored:
            if row.ref == ref:
                return row
    return next((row for row in stored if row.source_url == url), None)


def load_pages(run: Run, wanted: Sequence[WantedPage], take: Callable[[PageRead], None]) -> None:
    """Load pages, some at once, and give each to ``take`` on this thread as it comes.

    ``Cancelled`` when the run stops: what was taken stays.
    """
    run.report("read", 0, len(wanted))
    # With a budget one after another: each may cost what the others have left.
    bounded = run.left is not None
    pool = ThreadPoolExecutor(1 if bounded else AT_ONCE, "load")
    try:
        waiting: set[Future[PageRead]] = {pool.submit(_come, run, page) for page in wanted}
        while waiting:
            done, waiting = wait(waiting, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
            run.check()
            for future in done:
                one = future.result()
                if not bounded:
                    _count(run, one.loaded)
                take(one)
            if done:
                run.report("read", len(wanted) - len(waiting), len(wanted))
    finally:
        # Not waited for: what a server does not answer ends by itself, with the worker at the latest.
        pool.shutdown(wait=False, cancel_futures=True)


def _come(run: Run, page: WantedPage) -> PageRead:
    """One page, loaded and parsed; on a thread of the pool."""
    read_ns = time.time_ns()
    try:
        loaded = run.worker.load(
            LoadRequest(
                url=page.url,
                plain=not page.fixed or page.drive == drives.URL,
                guidance=page.guidance,
                private=page.private or run.config.allow_private_urls,
                usd=run.left,
                etag=page.noted.etag if _is_whole(page.known) else "",
                last_modified=page.noted.last_modified if _is_whole(page.known) else "",
            )
        )
    except KgfsError as error:
        loaded = Loaded(state="failed", reason=error.message, url=page.url)
    if run.left is not None:
        _count(run, loaded)
    drive, path = page.drive, page.path
    if page.known is None and not page.fixed:
        drive, path = (
            drives.detect_drive(page.url, loaded.server) if loaded.server else (drives.URL, drives.url_path(page.url))
        )
    shown = items.ref(drive, path)
    if loaded.state == "read" and not loaded.body.strip():
        loaded = msgspec.structs.replace(
            loaded, state="failed", reason=f"{page.url} gave nothing: the answer is empty."
        )
    if loaded.state == "read":
        read = _read_page(run, page, loaded, drive, path, read_ns)
    elif loaded.state == "unchanged" and page.known is not None:
        read = _same(shown, page.known, loaded, read_ns)
    else:
        read = FileRead(shown, failure=loaded.reason or f"{page.url} gave nothing.")
    return PageRead(page=page, loaded=loaded, read=read, drive=drive, path=path)


def _count(run: Run, loaded: Loaded) -> None:
    """Note what the agent cost."""
    if loaded.turns:
        spending, model = run.asker.spending, run.config.llm_model
        usd = spending.cost(model, loaded.usage, batch=False)
        spending.settle(0.0, "load", 0, loaded.usage, usd)
        if usd:
            run.database.share(lambda cursor: llm_rows.put_spent(cursor, usd))


def _is_whole(known: KnownFile | None) -> bool:
    """Whether what is stored is what was read, so that "unchanged" would be an answer."""
    return known is not None and known.error is None and not known.edited


def _same(shown: str, known: KnownFile, loaded: Loaded, read_ns: int) -> FileRead:
    return FileRead(shown, same=(known.id, loaded.mtime_ns or read_ns, MODE, read_ns))


def _read_page(run: Run, page: WantedPage, loaded: Loaded, drive: str, path: str, read_ns: int) -> FileRead:
    shown, known = items.ref(drive, path), page.known
    if known is not None and known.error is None and known.hash == items.hash_body(loaded.body):
        return _same(shown, known, loaded, read_ns)
    name = file_name(page.url, loaded.mime_type, loaded.body[:HEAD_BYTES])
    parsed = parse_body(lambda: run.worker.parse(shown, loaded.body, name, loaded.mtime_ns, page.url))
    document = parsed.document
    if document is not None:
        document.title = loaded.title or document.title
        document.notes += loaded.notes
        if loaded.url and loaded.url != page.url:
            document.notes.append(f"It was found at {loaded.url}.")
    if known is not None and _is_whole(known) and document is not None and _reads_the_same(run, known, document):
        return _same(shown, known, loaded, read_ns)
    item = NewItem(
        drive=drive,
        path=path,
        body=loaded.body,
        title=parsed.title or page.url,
        mime_type=loaded.mime_type or UNKNOWN_TYPE if document is None else document.mime_type,
        mode=MODE,
        source_mtime_ns=loaded.mtime_ns or read_ns,
        source_read_ns=read_ns,
        source_url=page.url,
        error=parsed.failure or None,
        notes=loaded.notes if document is None else document.notes,
    )
    return FileRead(shown, item, parsed, known is None, failure=parsed.sentence)


def _reads_the_same(run: Run, known: KnownFile, document: ParsedDocument) -> bool:
    """Whether only what is not read of a page changed: a counter, a token, an advertisement."""
    if document.text is None:
        return False
    with run.database.read() as cursor:
        stored = documents.load_documents(cursor, [known.id]).get(known.id)
    # Bytes that are the text are what the user reads: any change of them counts.
    return stored is not None and not document.text_is_content and read_as(stored) == read_as(document)


class PagePass(TextPass):
    """Puts pages into rows, in transactions that some share."""

    def __init__(self, run: Run) -> None:
        super().__init__(run, {})

    def put(self, came: PageRead, options: dict[str, object], name: str | None = None) -> int | None:
        """Take what came; its source is made where there is none yet. Returns that, ``None`` where nothing came."""
        if came.read.item is None and came.read.same is None:
            self.take_read(came.read)
            return None
        chosen = name or (came.loaded.title or None if came.drive == drives.GOOGLE_DOCS else None)
        source_id = self._run.database.write(
            lambda cursor: sources.put_source(cursor, came.drive, came.path, chosen, options)
        )
        if came.read.item is not None:
            came.read.item.source_id = source_id
        self.take_read(came.read)
        return source_id


def note_page(run: Run, came: PageRead, source_id: int) -> None:
    """Note whose the page is, and by what its server tells whether it changed; after it was committed."""
    noted = Validators(etag=came.loaded.etag, last_modified=came.loaded.last_modified).encode()
    run.database.write(lambda cursor: sources.note_members(cursor, source_id, came.drive, [came.path]))
    run.database.write(lambda cursor: sources.note_root(cursor, source_id, noted))
