"""Pages into the store and refreshed: collisions, what is written, what changes, what goes, what is said."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen import canvas
from web_server import Answer, WebServer, page

from kgfs import trust
from kgfs.config import Config
from kgfs.errors import ConflictError, UsageError
from kgfs.llm.prices import price_of
from kgfs.llm_records import LlmUsage, Loaded, LoadRequest
from kgfs.pipeline.pipeline import Pipeline
from kgfs.pipeline.refresh import Refresher
from kgfs.pipeline.refresh_records import RefreshRequest, RefreshSummary, RefreshTarget, SourceSummary
from kgfs.pipeline.request import AddRequest, AddSummary
from kgfs.service.sources.references import References
from kgfs.store.catalog.database import Database
from kgfs.store.files import items, sources
from tests.local_worker import LocalWorker
from tests.pipeline.test_pipeline import folder, index_is_whole

NAVIGATION = "<nav><ul>" + "".join(f"<li><a href='/{n}'>Section {n}</a></li>" for n in range(40)) + "</ul></nav>"
TEXT = "Acme Corp acquired Beta Works in May. " * 12


class Loading(LocalWorker):
    """Pages that an MCP server would give stand in ``given`` by URL; the others are loaded for real."""

    def __init__(self, index: Path) -> None:
        super().__init__(index)
        self.given: dict[str, Loaded] = {}
        self.asked: list[LoadRequest] = []

    def load(self, request: LoadRequest) -> Loaded:
        self.asked.append(request)
        return self.given.get(request.url) or super().load(request)


@pytest.fixture
def worker(tmp_path: Path) -> Loading:
    return Loading(tmp_path / "index.jsonl")


@pytest.fixture
def refresher(database: Database, worker: Loading) -> Refresher:
    return Refresher(database, worker, Config())


@pytest.fixture
def web() -> Iterator[WebServer]:
    with WebServer() as server:
        server.pages["/post"] = page("A post", TEXT, around=NAVIGATION)
        yield server


def add(pipeline: Pipeline, *urls: str, **options: Any) -> AddSummary:
    wish: dict[str, Any] = {"paths": [], "allow_private": True, "on_conflict": "skip", **options}
    return pipeline.add(AddRequest(urls=list(urls), **wish))


def refresh(refresher: Refresher, database: Database, **options: Any) -> RefreshSummary:
    numbers = [row[0] for row in database.fetch("SELECT id FROM sources ORDER BY name")]
    return refresher.refresh(RefreshRequest(targets=[RefreshTarget(source=number) for number in numbers], **options))


def did(summary: RefreshSummary, number: int = 0) -> dict[str, int]:
    names = ("added", "updated", "removed", "vanished", "unchanged", "conflicts", "failed")
    one: SourceSummary = summary.sources[number]
    return {name: count for name in names if (count := getattr(one, name))}


def rows(database: Database) -> dict[str, tuple[Any, ...]]:
    found = database.fetch(
        "SELECT i.ref, i.title, i.mime_type, i.source_url, d.slug FROM context_items i LEFT JOIN documents d USING (id)"
    )
    return {ref: tuple(rest) for ref, *rest in found}


def text_of(database: Database, slug: str) -> str:
    ((text,),) = database.fetch(
        "SELECT string_agg(c.text, '' ORDER BY c.ordinal) FROM chunks c JOIN documents d ON d.id = c.document_id"
        " WHERE d.slug = ?", [slug],
    )  # fmt: skip
    return str(text)


def test_a_page_becomes_a_document(refresher: Refresher, database: Database, web: WebServer, worker: Loading) -> None:
    url = web.url("/post")
    done = add(refresher, url, url + "#part", url.replace("http://", "http://ann:secret@"))
    assert (done.added, done.failed, done.unread) == (1, [], 0)
    ref = f"url:/http/127.0.0.1:{web.port}/post"
    assert rows(database) == {ref: ("A post", "text/html", url, "post")}
    assert web.paths() == ["/post"]
    text = text_of(database, "post")
    assert "Acme Corp acquired Beta Works" in text and "Section" not in text
    ((fact,),) = database.fetch("SELECT count(*) FROM facts WHERE type = 'ACQUIRED'")
    assert fact > 0
    ((name, drive, path),) = database.fetch("SELECT name, drive, path FROM sources")
    assert (name, f"{drive}:{path}") == ("post", ref)
    index_is_whole(database, worker)
    # The bytes are those of the server.
    with database.read() as cursor:
        item = items.find_item(cursor, ref)
        assert item is not None and items.read_item(cursor, item.id) == web.pages["/post"].body


def test_addresses_that_end_with_a_slash(refresher: Refresher, database: Database, web: WebServer) -> None:
    """The front page, a folder and a page of the same name are three, each with a name of its own."""
    web.pages |= {"/": page("Front", TEXT), "/post/": page("Folder", TEXT)}
    assert add(refresher, web.url("/post"), web.url("/post/"), web.url()).added == 3
    place = f"url:/http/127.0.0.1:{web.port}"
    found = {ref: (row[0], row[3]) for ref, row in rows(database).items()}
    assert found.pop(place)[0] == "Front"
    assert {title for title, _ in found.values()} == {"A post", "Folder"}
    assert sorted(found) == [f"{place}/post", f"{place}/post/"]
    assert all(slug.startswith("post") or slug.endswith("post") for _, slug in found.values())
    assert [did(refresh(refresher, database), number) for number in range(3)] == [{"unchanged": 1}] * 3


def test_collisions_come_before_loading(
    refresher: Refresher, database: Database, web: WebServer, tmp_path: Path
) -> None:
    add(refresher, web.url("/post"))
    web.pages["/new"] = page("New", TEXT)
    before = len(web.seen)
    with pytest.raises(ConflictError, match="is stored already"):
        add(refresher, web.url("/new"), web.url("/post"), on_conflict="error")
    assert len(web.seen) == before and len(rows(database)) == 1
    done = add(refresher, web.url("/post#x"))
    assert (done.added, done.skipped) == (0, {"known": 1}) and len(web.seen) == before
    dry = add(refresher, web.url("/new"), web.url("/post"), dry_run=True)
    assert (dry.added, dry.skipped, len(web.seen)) == (1, {"known": 1}, before)
    web.pages["/post"] = page("Another title", TEXT)
    done = add(refresher, web.url("/post"), paths=[folder(tmp_path / "notes", 2)], on_conflict="overwrite")
    assert (done.added, done.updated) == (2, 1)
    assert {row[0] for row in rows(database).values()} >= {"Another title"}
    with pytest.raises(UsageError):
        add(refresher, "ftp://example.com/x")


def test_what_cannot_be_had(refresher: Refresher, database: Database, web: WebServer) -> None:
    """Each is told, none leaves anything behind, the others come."""
    web.pages["/empty"] = Answer(b"  \n")
    web.pages["/closed"] = Answer(b"", status=403)
    done = add(refresher, web.url("/none"), web.url("/empty"), web.url("/closed"), web.url("/post"))
    told = {failure.path.rsplit("/", 1)[1]: failure.error for failure in done.failed}
    assert (done.added, done.unread) == (1, 3)
    assert "is gone" in told["none"] and "gave nothing" in told["empty"] and "does not let" in told["closed"]
    assert len(rows(database)) == 1 and len(database.fetch("SELECT id FROM sources")) == 1
    private = add(refresher, web.url("/other"), allow_private=False)
    assert "--allow-private" in private.failed[0].error
    allowed = Refresher(database, LocalWorker(Path("/dev/null")), Config(allow_private_urls=True))
    assert "is gone" in add(allowed, web.url("/other"), allow_private=False).failed[0].error


def test_formats_by_type_name_and_bytes(refresher: Refresher, database: Database, web: WebServer) -> None:
    pdf = io.BytesIO()
    sheet = canvas.Canvas(pdf)
    sheet.drawString(72, 720, "Acme Corp acquired Beta Works.")
    sheet.save()
    web.pages["/paper"] = Answer(pdf.getvalue(), "application/pdf")
    web.pages["/notes.md"] = Answer(b"# Notes\n\nAcme Corp acquired Gamma Ltd.\n", "text/plain; charset=utf-8")
    web.pages["/login.pdf"] = page("Log in", "Please log in to see the paper.")
    web.pages["/login.pdf"].content_type = "application/pdf"
    web.pages["/old"] = Answer(
        "<p>Привет, мир. Это старая страница.".encode("cp1251"), "text/html; charset=windows-1251"
    )
    web.pages["/blob"] = Answer(bytes(range(256)) * 40, None)
    web.pages["/long.txt"] = Answer(b"A line of a long text.\n" * 400_000, "text/plain")
    done = add(refresher, *map(web.url, ("/paper", "/notes.md", "/login.pdf", "/old", "/blob", "/long.txt")))
    assert (done.added, [one for one in done.failed if "blob" not in one.path]) == (6, [])
    kinds = {ref.rsplit("/", 1)[1]: row[1] for ref, row in rows(database).items()}
    assert kinds["paper"] == "application/pdf" and kinds["notes.md"] == "text/markdown"
    assert kinds["login.pdf"] == "text/html" and kinds["old"] == "text/html" and kinds["long.txt"] == "text/plain"
    assert "Acme Corp" in text_of(database, "paper") and "Привет" in text_of(database, "old")
    ((size,),) = database.fetch("SELECT size FROM context_items WHERE ref LIKE '%long.txt'")
    assert size == len(web.pages["/long.txt"].body)


def test_refresh(refresher: Refresher, database: Database, web: WebServer, worker: Loading) -> None:
    web.pages["/tagged"] = page("Tagged", TEXT)
    web.pages["/tagged"].etag = '"1"'
    add(refresher, web.url("/post"), web.url("/tagged"))
    before = database.fetch("SELECT id, want_gen FROM context_items ORDER BY id"), worker.parsed
    assert [did(refresh(refresher, database), number) for number in (0, 1)] == [{"unchanged": 1}] * 2
    assert web.seen[-1][1].get("If-None-Match") or web.seen[-2][1].get("If-None-Match") == '"1"'
    assert (database.fetch("SELECT id, want_gen FROM context_items ORDER BY id"), worker.parsed) == before
    # Only what stands around the text changed.
    web.pages["/post"] = page("A post", TEXT, around=NAVIGATION.replace("Section 1", "Part 1"))
    assert did(refresh(refresher, database)) == {"unchanged": 1}
    web.pages["/post"] = page("A post", TEXT, "Delta Inc acquired Epsilon Corp.", around=NAVIGATION)
    assert did(refresh(refresher, database, dry_run=True)) == {"updated": 1}
    assert "Delta Inc" not in text_of(database, "post")
    assert did(refresh(refresher, database)) == {"updated": 1}
    assert "Delta Inc acquired" in text_of(database, "post")
    assert database.fetch("SELECT count(*) FROM context_items") == [(2,)]
    index_is_whole(database, worker)


def test_refresh_takes_nothing_away_by_itself(refresher: Refresher, database: Database, web: WebServer) -> None:
    add(refresher, web.url("/post"))
    kept = rows(database)
    good = web.pages["/post"]
    for bad in (Answer(b"", status=500), Answer(b"", status=403), Answer(b"")):
        web.pages["/post"] = bad
        done = refresh(refresher, database, prune=True)
        assert did(done) == {"failed": 1} and "what was read before is kept" in done.failed[0].error
        assert rows(database) == kept
    web.pages["/post"] = Answer(b"", status=410)
    done = refresh(refresher, database)
    assert did(done) == {"vanished": 1} and "is gone" in done.warnings[0] and rows(database) == kept
    assert did(refresh(refresher, database, prune=True, dry_run=True)) == {"removed": 1} and rows(database) == kept
    web.pages["/post"] = good
    assert did(refresh(refresher, database)) == {"unchanged": 1}
    web.pages["/post"] = Answer(b"", status=404)
    assert did(refresh(refresher, database, prune=True)) == {"removed": 1}
    assert rows(database) == {} and database.fetch("SELECT * FROM sources") == []
    assert database.fetch("SELECT count(*) FROM facts") == [(0,)]


def test_edited_here(refresher: Refresher, database: Database, web: WebServer) -> None:
    """A page that was changed here is not overwritten, unless somebody says so."""
    add(refresher, web.url("/post"))
    database.write(lambda cursor: cursor.execute("UPDATE context_items SET content = 'mine', hash = 'mine'"))
    assert did(refresh(refresher, database)) == {"unchanged": 1}
    web.pages["/post"] = page("A post", TEXT, "And more.")
    done = refresh(refresher, database)
    assert did(done) == {"conflicts": 1} and "edited here" in done.failed[0].error
    assert database.fetch("SELECT content FROM context_items") == [("mine",)]
    assert add(refresher, web.url("/post"), on_conflict="overwrite").updated == 1


def test_what_an_mcp_server_gave(refresher: Refresher, database: Database, web: WebServer, worker: Loading) -> None:
    """Its drive is that of its origin; without the server it cannot be had again, and that is said one by one."""
    url = "https://github.com/ann/tools/blob/main/README.md"
    document = "https://docs.google.com/document/d/1AbCDEFGhij/edit"
    for one, title in ((url, "Tools"), (document, "Plan")):
        body = f"# {title}\n\nAcme Corp acquired Beta Works.\n".encode()
        worker.given[one] = Loaded(state="read", url=one, body=body, mime_type="text/markdown", title=title, server="s")
    add(refresher, url, document + "#heading", web.url("/post"), prompt_addition="Use s.")
    found = rows(database)
    assert found["github:/ann/tools/README.md"][:3] == ("Tools", "text/markdown", url)
    assert found["google-docs:/1AbCDEFGhij"][:3] == ("Plan", "text/markdown", document)
    named = References(database, lambda: pytest.fail("the tree is not needed"))
    assert named.source(url.replace("https://github", "HTTPS://GitHub"), None) == ("github", "/ann/tools/README.md")
    assert named.stored(document + "#other", None) == ("google-docs", "/1AbCDEFGhij")
    assert named.source("https://github.com/ann", None) is None
    assert {request.guidance for request in worker.asked} == {"Use s."}
    with database.read() as cursor:
        assert [source.options["prompt_addition"] for source in sources.sources(cursor)] == ["Use s."] * 3
    assert add(refresher, url, document).skipped == {"known": 2}
    worker.asked.clear()
    assert did(refresh(refresher, database)) == {"unchanged": 1}
    assert {(request.url, request.plain) for request in worker.asked} == {
        (url, False), (document, False), (web.url("/post"), True),
    }  # fmt: skip
    assert {request.guidance for request in worker.asked} == {"Use s."}
    worker.given.clear()  # no server any more, and no model
    done = refresh(refresher, database)
    assert len(done.failed) == 2 and all("was loaded by an MCP server" in one.error for one in done.failed)
    assert rows(database) == found
    assert json.loads(database.fetch("SELECT options FROM sources")[0][0])["url"]


def test_what_the_rows_of_a_store_say_of_a_page_is_not_the_users_word(
    refresher: Refresher, database: Database, web: WebServer, worker: Loading
) -> None:
    """The rows of a store are written by the person who hands it over. They let no request onto the network of the
    person who refreshes it, and tell the user's loading agent nothing."""
    url = web.url("/post")
    add(refresher, url, prompt_addition="Use s.")
    asked, before = web.paths(), len(worker.asked)
    trust.revoke(database.path.parent)  # as it is for everybody who did not add the page
    assert did(refresh(refresher, database)) == {"failed": 1} and len(worker.asked) == before
    database.write(
        lambda cursor: cursor.execute("UPDATE sources SET options = ?", [f'{{"url": "{url}", "allow_private": true}}'])
    )
    summary = refresh(refresher, database)
    assert did(summary) == {"failed": 1} and "--allow-private" in summary.failed[0].error
    assert web.paths() == asked
    add(refresher, url, on_conflict="overwrite")
    assert did(refresh(refresher, database)) == {"unchanged": 1}


def test_what_the_agent_costs(database: Database, web: WebServer, tmp_path: Path) -> None:
    worker, budget = Loading(tmp_path / "index.jsonl"), 3.0
    pipeline = Pipeline(database, worker, Config())
    for number in (1, 2):
        url = f"https://example.com/{number}"
        used = LlmUsage(input_tokens=1_000_000)
        worker.given[url] = Loaded(state="read", url=url, body=b"# X", server="s", turns=2, usage=used)
    done = add(pipeline, *worker.given, budget=budget)
    assert done.added == 2
    price = price_of(Config().llm_model, {})
    assert price is not None
    each = price.cost(LlmUsage(input_tokens=1_000_000))
    assert [request.usd for request in worker.asked] == pytest.approx([budget, budget - each])
    stage = done.cost["stages"]["load"]
    assert (stage["input_tokens"], stage["usd"]) == (2_000_000, pytest.approx(2 * each))


def test_a_page_that_came_by_http_stays_on_its_drive(refresher: Refresher, database: Database, worker: Loading) -> None:
    url = "https://github.com/ann/tools"
    worker.given[url] = Loaded(state="read", url=url, body=b"<html><p>Tools", mime_type="text/html")
    add(refresher, url)
    assert list(rows(database)) == ["url:/https/github.com/ann/tools"]
    assert add(refresher, url).skipped == {"known": 1}
    worker.given[url] = Loaded(state="read", url=url, body=b"# Tools", mime_type="text/markdown", server="s")
    assert add(refresher, url, on_conflict="overwrite").updated == 1
    assert list(rows(database)) == ["url:/https/github.com/ann/tools"]
