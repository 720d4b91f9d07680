"""Invariants over every row of the table, on a graph that has something for each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from kgfs.errors import IsADirectory, NotADirectory, NotFoundError, UsageError
from kgfs.namespace import document, tree_reader
from kgfs.namespace.audit_source import Lines
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.node import ROOT, ROW_SHIFT, NodeRef, ref_of
from kgfs.namespace.publish import publish
from kgfs.namespace.route import Dir, File, Link, compile_rows
from kgfs.namespace.run_source import RunBytes
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.tree import rows
from kgfs.picture_records import Picture
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.catalog.inserts import insert
from kgfs.store.files import history
from tests.graph_builder import build
from tests.namespace.drivers import SubstringSearcher, all_nodes, opened
from tests.new_stores import new_store

ROWS = rows(Runtime())
HOSTILE = (
    "a b", "-rf", "new\nline", "tab\there", "quote'\"", "back\\slash", "$HOME", "`id`", "*", "ünïcödé", "日本語", "🦆",
    "per%cent", "%2F", "semi;colon", "x" * 200, "e\u0301", "~tilde", "a&b", "(brackets)", "\x1b[31mred",
)  # fmt: skip
"""Names that the naming rules do not give out; should one stand in a store, it is shown and nothing breaks."""


class Jobs:
    """A service that runs something."""

    def status(self) -> dict[str, object]:
        return {"health": "good"}

    def errors(self) -> bytes:
        return b'{"error": "x"}\n'

    def last_error(self) -> str:
        return "It failed; try again."

    def metrics(self) -> bytes:
        return b"kgfs_complete 1.0\n"

    def jobs(self) -> dict[str, dict[str, object]]:
        return {"job-1": {"state": "running"}, "../evil": {}, "": {}}


class Calls:
    """A service that recorded a call; its name, that of a day and one that cannot stand in a tree."""

    def ready(self) -> bool:
        return True

    def prepare(self) -> None:
        return None

    def names(self, group: str) -> list[str]:
        return ["2026-11-24", "../evil", "", "write"]

    def find_file(self, group: str, name: str) -> Lines | None:
        return Lines(4, 1_700_000_000_000_000) if not group or name in self.names(group) else None

    def read(self, lines: Lines, offset: int, length: int) -> bytes:
        return b"{}\n\n"[offset : offset + length]

    def stats(self) -> bytes:
        return b"name\n"


class Drawer:
    """What draws the same picture of everything."""

    def draw(self, picture: Picture) -> bytes:
        return b"<svg/>"


class Runs:
    """A service where an agent ran; the name of the run, and one that cannot stand in a tree."""

    def ready(self) -> bool:
        return True

    def prepare(self) -> None:
        return None

    def names(self) -> list[str]:
        return ["../evil", "2026-11-24_0915_which-labs"]

    def find_file(self, run: str, file: str) -> RunBytes | None:
        return RunBytes(len(file), 1_700_000_000_000_000, file) if run in self.names() else None

    def read(self, found: RunBytes, offset: int, length: int) -> bytes:
        return str(found.place).encode()[offset : offset + length]


def make_hostile(cursor: Cursor) -> None:
    """Former names, hostile names, an item that is a directory too, a large file."""
    now = datetime(2024, 1, 1)
    for row_id, name in enumerate(HOSTILE, 1):
        cursor.execute("UPDATE entities SET slug = ?, name = ? WHERE id = ?", [name, name, row_id])
    insert(
        cursor,
        "entity_aliases",
        {
            "group_id": [1, 1, 1, 1],
            "entity_id": [30, 30, 31, 999_999],
            "alias": ["a", "b", "c", "d"],
            "slug": ["per$cent", "Topic/1", "per$cent", "ghost"],
            "key": ["a", "b", "c", "d"],
        },
    )
    former = [
        ("entity", "organizations", "Old_Name", 30),
        ("entity", "vanished_types", "Other_Old", 31),
        ("entity", "people", "..", 31),
        ("document", "", "old_note", 2),
        ("topic", "", "old_topic", 5),
        ("topic", "", "ghost", 99_999),
        ("nonsense", "", "x", 1),
    ]
    cursor.executemany("INSERT INTO former_names VALUES (1, ?, ?, ?, ?)", former)
    paths = [
        "/home/ann/Vault/note 2.md/inner.txt",
        "/home/ann/100%/a%2Fb",
        "/home/ann//double",
        "/_self",
        "/home/ann/" + "long" * 200 + "/f",
        *(f"/names/{name}" for name in HOSTILE),
    ]
    big = b"0123456789abcdef" * 200_000
    bodies = [(path, b"small") for path in paths] + [("/big.bin", big)]
    for item, (path, body) in enumerate(bodies, 5_000):
        blocks = len(body) > 1 << 20
        cursor.execute(
            "INSERT INTO context_items (id, group_id, drive, path, ref, content, content_blob, is_textual, size, mode, "
            "updated_at) VALUES (?, 1, 'url', ?, ?, ?, NULL, true, ?, 420, ?)",
            [item, path, f"url:{path}", None if blocks else body.decode(), len(body), now],
        )
        if blocks:
            step = 1 << 20
            parts = [body[start : start + step] for start in range(0, len(body), step)]
            insert(cursor, "blocks", {"item_id": [item] * len(parts), "ordinal": range(len(parts)), "data": parts})
    cursor.execute("INSERT INTO stale SELECT 'entity', id FROM entities")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with build(tmp_path_factory.mktemp("hostile") / "store", published=False) as database:
        database.write(make_hostile)
        database.write(keep_versions)
        publish(database)
        yield database


@pytest.fixture(scope="module")
def tree(store: Database) -> Namespace:
    return opened(store, searcher=SubstringSearcher(store), status=Jobs(), audit=Calls(), runs=Runs(), drawing=Drawer())


def keep_versions(cursor: Cursor) -> None:
    """One file was written over twice."""
    sql = "SELECT id FROM context_items WHERE drive = 'disk' AND content IS NOT NULL ORDER BY id LIMIT 1"
    for _ in range(2):
        history.keep_version(cursor, cursor.execute(sql).fetchall()[0][0])


def asked(tree: Namespace) -> list[int]:
    """Directories of queries: never listed, so walked on their own."""
    s = tree.view
    ends = zip(s.fact_subject, s.fact_object, strict=True)
    one, other = next((a, b) for a, b in ends if b >= 0 and a != b)
    slugs = s.entities.slugs
    paths = (
        "@search/semantic/wages", "@search/entities/number 1", "@search/facts/limit=3",
        "@search/facts/limit=3/ACQUIRED", "@search/topics/nothing",
        "@search/semantic/limit=5/offset=2/the", "@search/chunks/a%2Fb", "@search/text/limit=2", ".vscode",
        "@find/type=Organization", "@find/min_facts=1/name=*e*", "entities/by_name/@find/type=Organization",
        "documents/@search/chunks/wages", "facts/@search/text/limit=2", "context/disk/@search",
        f"@path/{slugs[one]}/{slugs[other]}", f"@path/{slugs[one]}", "@grep/-iw", "topics/@grep", "@brief/limit=900",
        f"{s.entity_path(one)}/@near", f"{s.entity_path(one)}/@near/1", "@changes/2020..", "@web",
    )  # fmt: skip
    with tree.store.database.read() as cursor:
        ((item,),) = cursor.execute("SELECT DISTINCT item_id FROM item_versions").fetchall()
    directory, name = tree.view.context.place[item]
    here = "/".join(("context", *directory.names(), "@history"))
    return [tree.resolve(path) for path in (*paths, here, f"{here}/{name}")]


def test_a_listing_shows_the_attributes_of_its_nodes(tree: Namespace) -> None:
    """In pieces of any size, from any place, first asked or asked before."""
    directories = 0
    for start in [tree.root, *asked(tree)]:
        if tree.row(start).kind != "d":
            continue
        for node in [start, *(node for _, _, node in all_nodes(tree, start) if tree.row(node).kind == "d")]:
            if tree.pending(node):
                tree.prepare(node)
            entries = tree.entries(node)
            directories += 1
            for first, count in ((0, 200), (1, 3), (len(entries) // 2, 40)):
                places = []
                for piece in tree.shown(entries, first, count):
                    columns = (piece.sizes, piece.mtimes_ns, piece.ctimes_ns)
                    for at, numbers in zip(range(piece.first, piece.last), zip(*columns, strict=True), strict=True):
                        places.append(at)
                        size, mtime, ctime = numbers
                        seen = piece.like._replace(size=size, mtime_ns=mtime, ctime_ns=ctime)
                        if tree.pending(entries[at].node):  # a late file that nobody has asked for
                            assert (seen.size, seen.volatile) == (0, True)
                            continue
                        assert seen == tree.attr(entries[at].node), tree.path(entries[at].node)
                assert places == list(range(first, min(first + count, len(entries))))
    assert directories > 300


def test_a_listing_goes_on_behind_any_offset(tree: Namespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """In batches of the size that is asked for, also behind an offset whose entry is gone."""
    monkeypatch.setattr(tree_reader, "BATCH", 4)
    long = set()
    for start in [tree.root, *asked(tree)]:
        if tree.row(start).kind != "d":
            continue
        for node in [start, *(node for _, _, node in all_nodes(tree, start) if tree.row(node).kind == "d")]:
            if tree.pending(node):
                tree.prepare(node)
            entries = tree.entries(node)
            offsets = [entry.offset for entry in entries]
            for after in {0, 2, *(offset + more for offset in (*offsets[:9], *offsets[-3:]) for more in (-1, 0, 1))}:
                batches = list(tree.batches(node, after))
                assert [entry for batch in batches for entry in batch] == [e for e in entries if e.offset > after]
                assert all(batches)
                assert all(len(batch) == 4 for batch in batches[1:-1])
            if len(entries) > 12:
                long |= {type(segment).__name__ for _, _, segment in tree.row(node).segments}
    assert long >= {"Entities", "EntityNames", "Everything", "Members", "OfMonth", "FactsOfType", "SitePages"}


def test_every_row_holds(tree: Namespace) -> None:
    seen = {"/"}
    for start in [tree.root, *asked(tree)]:
        seen.add(tree.row(start).pattern)
        for parent, name, node in all_nodes(tree, start):
            row = tree.row(node)
            seen.add(row.pattern)
            path = tree.path(node)
            assert tree.lookup(parent, name) == node, path
            assert tree.parent(node) == (parent, name), path
            listing = tree.entries(parent)
            assert [entry.offset for entry in listing] == sorted({entry.offset for entry in listing}), path
            assert min(entry.offset for entry in listing) >= 3
            if tree.pending(node):
                tree.prepare(node)
            attr = tree.attr(node)
            assert attr.kind == row.kind
            if attr.kind == "f":
                body = tree.load(node)
                known = tree.peek(node)
                assert known is not None or body.size > 1 << 20 or row.pattern.startswith("entities/<types>/<E")
                assert len(body.read(0, body.size + 10)) == body.size == attr.size, path
                assert body.read(attr.size, 10) == b""
                with pytest.raises(NotADirectory):
                    tree.lookup(node, "x")
                with pytest.raises(NotADirectory):
                    tree.entries(node)
            elif attr.kind == "l":
                assert len(tree.target(node).encode()) == attr.size
                assert tree.row(tree.resolve(path)).kind != "l"
                with pytest.raises(UsageError):
                    tree.load(node)
            else:
                with pytest.raises(NotFoundError):
                    tree.lookup(node, "..nothing like this")
                with pytest.raises(IsADirectory):
                    tree.load(node)
            assert node >> ROW_SHIFT == row.number
            assert all(name.startswith("user.kg.") for name in tree.xattrs(node))
    unlisted = {
        "@sql/<select>",
        "@sql/csv/<select>",
        "@stat",
        "@find/<predicate>/_paths.txt",
        "@brief/<question>",
        "@brief/<option>/<question>",
        "@grep/<pattern>",
        "@grep/<flags>/<pattern>",
        "@search/text/<query>",
        "@status/metrics.prom",
        "CACHEDIR.TAG",
        ".nomedia",
        ".trackerignore",
        "documents/<doc>/text.txt",
        *(pattern for pattern, what, _ in ROWS if getattr(what, "hidden", False) and pattern.endswith(".svg")),
        "entities/<types>/<Entity_Slug>/economic_data/<indicator>.svg",  # test_pictures.py has all of these
    }
    # A row of a tree inside a tree has nodes of the row that it is like.
    like = {pattern for pattern, what, _ in ROWS if isinstance(what, Dir) and what.like not in (None, pattern)}
    assert {pattern for pattern, _, _ in ROWS} - seen - unlisted - like == set()


def test_every_row_is_described() -> None:
    for pattern, what, description in ROWS:
        assert isinstance(what, (Dir, File, Link))
        assert description.endswith((".", "…", "indexed.")) and len(description) < 110, pattern
        assert pattern.endswith("/") == isinstance(what, Dir)
        assert (what.segment is not None) == pattern.rstrip("/").endswith(
            (">", ">.html", ">.json", ">.jsonl", ">.svg", ">.tsv", ">,graph.svg", ">,timeline.svg")
        ) or "_of" in pattern, pattern


def test_the_documented_tree_is_the_table() -> None:
    assert document.PATH.read_text(encoding="utf-8") == document.text(), "run python -m kgfs.namespace.document"


def test_patterns_are_unique_but_for_conditions() -> None:
    by_pattern: dict[str, int] = {}
    for pattern, what, _ in ROWS:
        by_pattern[pattern] = by_pattern.get(pattern, 0) + 1
        if by_pattern[pattern] > 1:
            assert what.when is not None
    assert len(compile_rows(ROWS).rows) == len(ROWS) < 1 << 9, "row << 54 must fit 63 bits"


def test_a_node_that_is_nothing(tree: Namespace) -> None:
    for node in (500 << ROW_SHIFT, 1023 << ROW_SHIFT | NodeRef(5, 5).key):
        with pytest.raises(NotFoundError):
            tree.attr(node)
    for pattern in ("entities/<types>/<Entity_Slug>/", "documents/<doc>/", "topics/<topic>/", "context/<drive>/"):
        missing = tree.table.by_pattern[pattern].make(NodeRef(100_000_000, 7))
        for call in (tree.attr, tree.entries, tree.parent, tree.path):
            with pytest.raises(NotFoundError):
                call(missing)


def test_root() -> None:
    assert ROOT == 1 and ref_of(ROOT) == NodeRef()


def test_former_names_lead_on(tree: Namespace) -> None:
    assert tree.path(tree.resolve("entities/organizations/Old_Name")).endswith("/Organization_number_30")
    assert tree.path(tree.resolve("entities/vanished_types/Other_Old")).endswith("/Person_number_31")
    assert tree.path(tree.resolve("entities/by_name/Old_Name")).endswith("/Organization_number_30")
    assert tree.path(tree.resolve("documents/old_note")) == "documents/note_2"
    assert tree.path(tree.resolve("topics/old_topic")) == "topics/topic_1/subtopics/topic_5"


def test_an_item_that_is_a_directory_too(tree: Namespace) -> None:
    drive = tree.resolve("context/url")
    assert tree.row(drive).kind == "d"
    assert tree.path(tree.resolve("context/url/%5Fself")) == "context/url/%5Fself"


def test_large_files_are_read_in_pieces(tree: Namespace) -> None:
    body = tree.load(tree.resolve("context/url/big.bin"))
    whole = b"0123456789abcdef" * 200_000
    assert body.blocking and body.size == len(whole)
    for offset, length in ((0, 10), (1_048_570, 20), (3_199_990, 50), (3_200_000, 5), (5_000_000, 5), (7, 2_500_000)):
        assert body.read(offset, length) == whole[offset : offset + length]


def test_without_links(store: Database) -> None:
    tree = opened(store, links=False)
    for _, _, node in all_nodes(tree):
        assert tree.row(node).kind != "l"
        if tree.row(node).kind == "f":
            assert tree.load(node).size == tree.attr(node).size
    text = tree.load(tree.resolve("documents/note_1/text.txt"))
    with_links = opened(store)
    assert text.read(0, 1 << 20) == with_links.load(with_links.resolve("documents/note_1/text.txt")).read(0, 1 << 20)
    assert "by_name" not in [entry.name for entry in tree.entries(tree.resolve("entities"))]


def test_lists_are_one_record_a_line(tree: Namespace) -> None:
    node = tree.resolve("entities/_index.tsv")
    tree.prepare(node)
    lines = tree.load(node).read(0, 1 << 20).decode().split("\n")
    assert len(lines) == 1 + 120 + 1
    assert all(line.count("\t") == 7 for line in lines[:-1])
    counts = [int(line.split("\t")[4]) for line in lines[1:-1]]
    assert counts == sorted(counts, reverse=True)


def test_no_escape_reaches_a_terminal(tree: Namespace) -> None:
    lists = (
        "entities/_index.tsv",
        "entities/people/_index.txt",
        "entities/concepts/_index.txt",
        "documents/_index.tsv",
    )
    for name in (*lists, "entities/by_name/\x1b[31mred/summary.txt", "@search/text/limit=900/1"):
        node = tree.resolve(name)
        tree.prepare(node)
        assert b"\x1b" not in tree.load(node).read(0, 1 << 20)


def test_calls(tree: Namespace) -> None:
    for group in ("by_name", "by_day"):
        assert [entry.name for entry in tree.entries(tree.resolve(f"@audit/{group}"))] == [
            "2026-11-24.jsonl", "write.jsonl",
        ]  # fmt: skip
        for missing in ("write", "none.jsonl", ".jsonl"):
            with pytest.raises(NotFoundError):
                tree.resolve(f"@audit/{group}/{missing}")
    for path in ("tool_calls.jsonl", "by_name/write.jsonl", "by_day/2026-11-24.jsonl"):
        node = tree.resolve(f"@audit/{path}")
        attr = tree.attr(node)
        assert (attr.size, attr.mtime_ns, attr.volatile) == (4, 1_700_000_000_000_000_000, True)
        assert tree.load(node).read(0, 100) == b"{}\n\n" and tree.path(node) == f"@audit/{path}"
    assert tree.load(tree.resolve("@audit/stats.tsv")).read(0, 100) == b"name\n"


def test_runs_of_agents(tree: Namespace) -> None:
    (run,) = tree.entries(tree.resolve("@agent"))
    assert run.name == "2026-11-24_0915_which-labs"
    files = [entry.name for entry in tree.entries(run.node)]
    assert files == ["transcript.md", "answer.md", "citations.jsonl", "cost.json", "messages.jsonl"]
    for file in files:
        node = tree.resolve(f"@agent/{run.name}/{file}")
        attr = tree.attr(node)
        assert (attr.size, attr.mtime_ns, attr.volatile) == (len(file), 1_700_000_000_000_000_000, True)
        assert tree.load(node).read(0, 100) == file.encode() and tree.path(node) == f"@agent/{run.name}/{file}"
    with pytest.raises(NotFoundError):
        tree.resolve("@agent/none")


def test_jobs_and_status(tree: Namespace) -> None:
    names = [entry.name for entry in tree.entries(tree.resolve("@status/jobs"))]
    assert names == ["job-1.json"]
    assert tree.load(tree.resolve("@status/last_error.txt")).read(0, 100) == b"It failed; try again.\n"
    assert tree.load(tree.resolve("@status/metrics.prom")).read(0, 100) == b"kgfs_complete 1.0\n"
    assert tree.attr(tree.resolve("@status/status.json")).volatile


def test_extended_attributes(tree: Namespace) -> None:
    entity = tree.resolve("entities/by_name/Person_number_31")
    found = tree.xattrs(entity)
    assert found["user.kg.id"] == b"entity:31"
    assert found["user.kg.ref"] == b"entities/people/Person_number_31"
    assert int(found["user.kg.facts"]) == tree.attr(entity).size
    text = tree.resolve("chunks/by_document/note_1/chunk_0001/content.txt")
    assert tree.xattrs(text)["user.kg.id"] == b"note_1_chunk_0001"
    item = tree.resolve("context/disk/home/ann/Vault/deep/er/note 1.md")
    assert tree.xattrs(item)["user.kg.ref"] == b"disk:/home/ann/Vault/deep/er/note 1.md"
    assert tree.xattrs(tree.resolve("entities")) == {}


def test_an_empty_store(tmp_path: Path) -> None:
    with new_store(tmp_path / "store", reserve=0) as database:
        for publish_first in (False, True):
            if publish_first:
                publish(database)
            tree = opened(database)
            paths = {tree.path(node) for _, _, node in all_nodes(tree)}
            assert {"entities/people", "entities/concepts/_index.txt", "context/agent", "notes"} <= paths
            for path in paths:
                if tree.row(tree.resolve(path)).kind == "f":
                    tree.load(tree.resolve(path))
            guide = tree.resolve("AGENTS.md")
            tree.prepare(guide)
            text = tree.load(guide).read(0, 10_000).decode()
            assert len(text) < 4000 and "by_name/" not in text


def test_the_type_of_an_entity_is_its_own(tree: Namespace) -> None:
    """Not the directory in which all of that type stand."""
    said = 0
    for _, name, node in all_nodes(tree):
        if name == "metadata.json" and tree.row(node).pattern.startswith("entities/"):
            metadata = json.loads(tree.load(node).read(0, 1 << 20))
            attributes = tree.xattrs(tree.parent(node)[0])
            assert attributes["user.kg.type"].decode() == metadata["type"]
            said += 1
    assert said > 100
