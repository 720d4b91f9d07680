"""Documents and chunks: names, the diff that keeps ids, links."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.model import DocumentLink, EntityCandidate, Extraction, Mention
from kgfs.store.catalog.database import Database
from kgfs.store.files import documents
from kgfs.store.files.document_names import wanted_names
from tests import planned_graphs as graphs

pytestmark = pytest.mark.usefixtures("nothing_left")


def slug(database: Database, path: str) -> str:
    item_id = graphs.put(database, path, graphs.parsed(["x"]))
    return str(database.fetch("SELECT slug FROM documents WHERE id = ?", [item_id])[0][0])


def test_names_of_documents(shared: Database) -> None:
    assert slug(shared, "/a/notes.md") == "notes"
    assert slug(shared, "/b/Notes.txt") == "b_Notes"
    assert slug(shared, "/x/b/notes.md") == "notes~2" or slug(shared, "/x/b/notes.md") == "b_notes~2"
    assert slug(shared, "/a/notes.md") == "notes"
    assert slug(shared, "/a/.env") == "env"
    assert slug(shared, "/a/$$$") == "document"
    assert slug(shared, "/a/v1.2.md") == "v1.2"
    assert slug(shared, "/a/" + "é" * 200 + ".md") == "é" * 100


@pytest.mark.parametrize(
    ("path", "title", "names"),
    [
        ("/handbook/leave.md", "Leave policy", ["leave", "handbook_leave"]),
        ("/handbook/leave/index.md", "Leave policy", ["leave", "handbook_leave", "Leave_policy", "leave_index"]),
        ("/handbook/leave/_index.md", "", ["leave", "handbook_leave", "leave_index", "index"]),
        ("/tools/docs/README.md", "Widgets", ["Widgets", "docs_README"]),
        ("/tools/docs/README.md", "README", ["docs_README", "README"]),
        ("/tools/0001/index.html", "Widgets", ["Widgets", "0001_index"]),
        ("/README", "", ["README"]),
        ("/", "Home of widgets", ["Home_of_widgets"]),
        ("/notes/a1b2c3d4e5f6.md", "On rivers", ["On_rivers", "notes_a1b2c3d4e5f6"]),
        ("/notes/0001.md", "On rivers", ["On_rivers", "notes_0001", "0001"]),
        ("/notes/0001.md", "0001", ["notes_0001", "0001"]),
        ("/notes/0001.md", "https://example.com/a", ["notes_0001", "0001"]),
        ("/notes/0001.md", "🦆🦆🦆 Ducks", ["🦆🦆🦆_Ducks"]),
        ("/notes/0001.md", "A sentence of many words. " * 5, ["notes_0001", "0001"]),
        ("/notes/202103141200.md", "On rivers", ["On_rivers"]),
        ("/notes/6ba7b810-9dad-11d1-80b4-00c04fd430c8.md", "On rivers", ["On_rivers"]),
        ("/notes/Untitled 3.md", "On rivers", ["On_rivers"]),
        ("/guides/index~38.md", "Leave policy", ["Leave_policy", "guides", "guides_index_38"]),
        ("/guides/index (2).md", "index (2)", ["guides", "guides_index_2"]),
        ("/tools/lamp/docs/index.md", "index", ["docs_index", "index", "lamp_docs_index", "tools_lamp_docs_index"]),
        ("/notes/2024-01-05.md", "On rivers", ["2024-01-05", "notes_2024-01-05"]),
        ("/notes/1984.md", "On rivers", ["1984", "notes_1984"]),
        ("/notes/decade.md", "On rivers", ["decade"]),
        ("/notes/defaced.md", "On rivers", ["defaced"]),
        ("/notes/12 rules.md", "On rivers", ["12_rules"]),
        ("/src/main.py", "main.py", ["main", "src_main"]),
    ],
)
def test_a_name_says_what_a_document_is(path: str, title: str, names: list[str]) -> None:
    assert wanted_names(path, title)[: len(names)] == names


def test_pages_of_many_folders_have_names_of_their_own(shared: Database) -> None:
    graphs.empty(shared)
    assert [slug(shared, f"/site/{place}/index.md") for place in ("leave", "travel", "other/leave", "third/leave")] == [
        "leave", "travel", "other_leave", "third_leave",
    ]  # fmt: skip
    assert slug(shared, "/site/travel/index.md") == "travel"  # once made it stays


def chunk_ids(database: Database) -> dict[int, tuple[int, str]]:
    rows = database.fetch("SELECT id, ordinal, text FROM chunks")
    return {row[0]: (row[1], row[2]) for row in rows}


texts = st.lists(st.sampled_from(["one ", "two ", "three\n", "four\n", "é "]), max_size=6)


@settings(max_examples=12, deadline=None)
@given(versions=st.lists(texts, min_size=2, max_size=4))
def test_a_passage_that_stays_keeps_its_id(shared: Database, versions: list[list[str]]) -> None:
    graphs.empty(shared)
    before: dict[int, tuple[int, str]] = {}
    for version in versions:
        graphs.put(shared, "/d", graphs.parsed(version))
        after = chunk_ids(shared)
        assert [text for _, text in sorted(after.values())] == version
        assert [ordinal for ordinal, _ in sorted(after.values())] == list(range(1, len(version) + 1))
        for row_id in before.keys() & after.keys():
            assert before[row_id][1] == after[row_id][1]  # a row's text never changes
        had = [text for _, text in before.values()]
        kept = len(before.keys() & after.keys())
        assert kept == sum(min(had.count(text), version.count(text)) for text in set(version))
        gone = before.keys() - after.keys()
        removals = {row[0] for row in shared.fetch("SELECT id FROM removals WHERE kind = 'chunk'")}
        assert gone <= removals
        assert not after.keys() & removals
        before = after


def test_vectors_of_a_passage_that_moved_stay(shared: Database) -> None:
    graphs.put(shared, "/d", graphs.parsed(["one\n", "two\n"]))
    shared.write(lambda cursor: cursor.execute("UPDATE chunks SET have_gen = want_gen"))
    graphs.put(shared, "/d", graphs.parsed(["zero\n", "one\n", "two\n"]))
    rows = shared.fetch("SELECT text, ordinal, start, first_line, have_gen = want_gen FROM chunks ORDER BY ordinal")
    assert rows == [("zero\n", 1, 0, 1, False), ("one\n", 2, 5, 2, True), ("two\n", 3, 9, 3, True)]


def test_another_title_is_another_passage(shared: Database) -> None:
    graphs.put(shared, "/d", graphs.parsed(["one"], title="A"))
    before = chunk_ids(shared).keys()
    graphs.put(shared, "/d", graphs.parsed(["one"], title="B"))
    assert not before & chunk_ids(shared).keys()


def test_what_stood_in_a_passage_that_is_gone_goes_at_once(shared: Database) -> None:
    found = Extraction(
        extractor="x", entities=[EntityCandidate(name="Ann", type="Person")], mentions=[Mention(entity=0, chunk=1)]
    )
    graphs.put(shared, "/d", graphs.parsed(["Ann\n"]), found)
    assert shared.fetch("SELECT count(*) FROM entity_chunks") == [(1,)]
    graphs.put(shared, "/d", graphs.parsed(["Bob\n"]))
    assert shared.fetch("SELECT count(*) FROM entity_chunks") == [(0,)]
    assert graphs.contradictions(shared) == {}


def test_a_document_comes_back_as_it_was_parsed(shared: Database) -> None:
    document = graphs.parsed(
        ["One.\n", "Two é.\n"], date="2019-10", description="d", summary="s", tags=["t"], front_matter={"a": [1, "x"]}
    )
    item_id = graphs.put(shared, "/d", document)
    document.path = "/d"
    with shared.read() as cursor:
        assert documents.load_documents(cursor, [item_id, item_id + 1]) == {item_id: document}


def test_links_find_their_documents_when_these_come_and_go(shared: Database) -> None:
    links = [
        DocumentLink(target="Deep Mind", kind="wikilink"),
        DocumentLink(target="notes/Deep Mind#History", kind="wikilink"),
        DocumentLink(target="../b/deep%20mind.md", kind="path"),
        DocumentLink(target="../b/Deep Mind.md", kind="path"),
        DocumentLink(target="nowhere", kind="wikilink"),
    ]
    graphs.put(shared, "/a/x.md", graphs.parsed(["x"]), Extraction(extractor="x", links=links))
    shared.write(documents.resolve_links)
    targets = "SELECT target_id FROM document_links ORDER BY rowid"
    assert shared.fetch(targets) == [(None,)] * 5
    target = graphs.put(shared, "/b/Deep Mind.md", graphs.parsed(["y"], title="Other"))
    assert shared.write(documents.resolve_links) == 3
    assert shared.write(documents.resolve_links) == 0
    assert shared.fetch(targets) == [(target,), (target,), (None,), (target,), (None,)]
    graphs.remove(shared, target)
    assert shared.fetch(targets) == [(None,)] * 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "target", "leads_to"),
    [
        ("path", "paid leave.md", "/site/docs/Paid-Leave.md"),
        ("path", "Paid-Leave", "/site/docs/Paid-Leave.md"),
        ("path", "paid-leave.html", "/site/docs/Paid-Leave.md"),
        ("path", "./paid-leave.md", "/site/docs/Paid-Leave.md"),
        ("path", "paid-leave.png", None),
        ("path", "team", "/site/docs/team/README.md"),
        ("path", "team/", "/site/docs/team/README.md"),
        ("path", "team/index.html", "/site/docs/team/README.md"),
        ("path", "../", None),
        ("path", "/", None),
        ("path", "/docs/paid-leave/", "/site/docs/Paid-Leave.md"),
        ("path", "../holidays/", "/site/docs/holidays.md"),
        ("path", "/holidays", "/site/docs/holidays.md"),
        ("path", "/setup", None),  # two pages end so
        ("path", "/days-off/", "/site/docs/holidays.md"),
        ("path", "a/setup.md", "/site/docs/a/setup.md"),
        ("wikilink", "paid_leave", "/site/docs/Paid-Leave.md"),
        ("wikilink", "Days we are closed", "/site/docs/holidays.md"),
        ("wikilink", "Closing", "/site/docs/holidays.md"),
        ("wikilink", "setup", None),
        ("wikilink", "b/setup", "/site/docs/b/setup.md"),
    ],
)
def test_where_a_link_leads(shared: Database, kind: Any, target: str, leads_to: str | None) -> None:
    graphs.empty(shared)
    for path in ("Paid-Leave.md", "team/README.md", "a/setup.md", "b/setup.md"):
        graphs.put(shared, f"/site/docs/{path}", graphs.parsed(["x"], title=path))
    matter = {"permalink": "/days-off/", "aliases": ["Closing", "Shut"]}
    graphs.put(shared, "/site/docs/holidays.md", graphs.parsed(["x"], title="Days we are closed", front_matter=matter))
    links = [DocumentLink(target=target, kind=kind)]
    graphs.put(shared, "/site/docs/here.md", graphs.parsed(["y"], title="Here"), Extraction(extractor="x", links=links))
    shared.write(documents.resolve_links)
    found = shared.fetch("SELECT i.path FROM document_links l LEFT JOIN context_items i ON i.id = l.target_id")
    assert found == [(leads_to,)]


def test_a_name_of_several_is_that_of_the_nearest(shared: Database) -> None:
    graphs.empty(shared)
    links = Extraction(extractor="x", links=[DocumentLink(target="plan", kind="wikilink")])
    near = graphs.put(shared, "/a/plan.md", graphs.parsed(["x"]))
    graphs.put(shared, "/b/plan.md", graphs.parsed(["x"]))
    graphs.put(shared, "/a/x.md", graphs.parsed(["y"]), links)
    graphs.put(shared, "/c/x.md", graphs.parsed(["z"]), links)
    shared.write(documents.resolve_links)
    assert shared.fetch("SELECT target_id FROM document_links ORDER BY document_id") == [(near,), (None,)]
