"""The check of a store: it finds nothing in one that is right, finds each damage, mends it, and does no harm."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgfs.config import Config
from kgfs.fsck.findings import Report
from kgfs.fsck.run import Fsck
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.pipeline.pipeline import Pipeline
from kgfs.pipeline.request import AddRequest
from kgfs.store import indexing
from kgfs.store.catalog.database import Database
from kgfs.store.catalog.inserts import take_ids
from kgfs.store.files import drive_rows, staging
from kgfs.store.files.drive_rows import NewAttributes
from tests import planned_graphs as graphs
from tests.local_worker import LocalWorker
from tests.pipeline.test_pipeline import folder
from tests.pipeline.test_row_pass import Drive
from tests.rounds import rounds

LOG = "index.log"


class Opened(NamedTuple):
    """A store with all that works on it."""

    database: Database
    worker: LocalWorker

    def settle(self) -> list[str]:
        """Do the work that waits, and publish."""
        pipeline = Pipeline(self.database, self.worker, Config(), on_commit=lambda: publish(self.database))
        warnings = pipeline.resume()
        publish(self.database)
        return warnings

    def fsck(self) -> Fsck:
        return Fsck(self.database, Config(), worker=self.worker, go_on=self.settle)

    def state(self) -> dict[str, Any]:
        """Everything that a store shows, by names: bodies and versions, the graph, pages, and what the index has."""
        pages = "SELECT view, name, size, hash(body) FROM pages ORDER BY ALL"
        bodies = (
            "SELECT ref, drive, path, size, hash, mime_type, content, octet_length(content_blob) FROM context_items"
            " ORDER BY ALL"
        )
        return {
            **graphs.graph(self.database),
            "bodies": self.database.fetch(bodies),
            "versions": self.database.fetch("SELECT ref, number, size, hash, content FROM item_versions ORDER BY ALL"),
            "pages": len(self.database.fetch(pages)),
            "contradictions": graphs.contradictions(self.database),
            "waiting": self.database.fetch(
                "SELECT ref FROM context_items WHERE have_gen < want_gen OR extracted_gen < want_gen"
            ),
            "index": sorted(key[:2] for key in self.worker.content()),
        }


def opened(store: Path) -> Opened:
    return Opened(Database.open(store), LocalWorker(store / LOG))


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small graph with all that a store may have; nobody may open it."""
    place = tmp_path_factory.mktemp("fsck")
    notes = folder(place / "notes")
    (notes / "large.txt").write_bytes(b"Wages rose in Boston.\n" * 60_000)
    (notes / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (notes / "empty.txt").write_bytes(b"")
    (notes / "tagged.md").write_text(
        "---\ntags: [trade]\n---\n# Tagged\n\nDelta Works acquired Omega.\n\n## Details\n\nAlpha acquired Beta.\n"
    )
    (notes / "acme.md").write_text(
        "---\ntitle: Acme Corp\ntype: organization\naliases: [ACME, Acme Works]\n---\n"
        "\nAcme Corp acquired Delta Works.\n"
    )
    store = place / "store"
    with Database.open(store, create=True) as database:
        worker = LocalWorker(store / LOG)
        Pipeline(database, worker, Config(), on_commit=lambda: publish(database)).add(AddRequest(paths=[notes]))

        def write(cursor: Any) -> None:
            drive_rows.make_directory(cursor, take_ids(cursor, "item", 1)[0], "agent", "/notes", NewAttributes())
            item = take_ids(cursor, "item", 1)[0]
            drive_rows.create_file(
                cursor, item, "agent", "/notes/a.md", b"# First\n\nAlpha acquired Zeta.\n", NewAttributes()
            )
            for text in (b"# Second\n\nAlpha acquired Zeta.\n", b"# Third\n\nAlpha acquired Eta. Wages rose.\n"):
                drive_rows.overwrite_file(cursor, item, "/notes/a.md", text, NewAttributes(), keep_version=True)

        database.write(write)
        body = staging.stage_body(database, [b"a" * 1024 * 1024, b"b" * 100])
        database.write(
            lambda cursor: drive_rows.create_file(cursor, body.id, "agent", "/notes/b.txt", body, NewAttributes())
        )
        large = Opened(database, worker)
        large.settle()
        assert large.fsck().repair().findings == []
    return store


@pytest.fixture(scope="module")
def right(pristine: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the store shows while nothing is wrong with it."""
    store = tmp_path_factory.mktemp("right") / "store"
    shutil.copytree(pristine, store)
    found = opened(store)
    state = found.state()
    found.database.close()
    return state


@pytest.fixture
def copy(pristine: Path, tmp_path: Path) -> Iterator[Opened]:
    shutil.copytree(pristine, tmp_path / "store")
    found = opened(tmp_path / "store")
    yield found
    found.database.close()


def damage(store: Opened, *statements: str) -> None:
    for statement in statements:
        store.database.write(lambda cursor, sql=statement: cursor.execute(sql))


@pytest.mark.slow
def test_a_store_that_is_right(copy: Opened) -> None:
    before = copy.state()
    assert before["contradictions"] == {}
    assert before["waiting"] == []
    for look in (copy.fsck().quick, copy.fsck().check, copy.fsck().repair):
        report = look()
        assert (report.findings, report.skipped, report.exit_status) == ([], [], 0)
    assert copy.state() == before


@pytest.fixture
def written(tmp_path: Path) -> Iterator[tuple[Opened, Drive]]:
    """An empty store, and a drive to write to."""
    store = Opened(Database.open(tmp_path / "written", create=True), LocalWorker(tmp_path / LOG))
    yield store, Drive(store.database)
    store.database.close()


def test_what_waits_for_the_cascade_is_no_damage(written: tuple[Opened, Drive]) -> None:
    """Rows that say what a file was, until it was read again: right after a write, and when that is published."""
    store, drive = written
    for name in "abcde":
        drive.write(f"/d/{name}.md", f"# {name}\n\nAlpha acquired Beta. See [[b]].\n")
    store.settle()
    drive.write("/d/a.md", "# a\n\nOther words.\n")
    drive.move("/d/c.md", "/d/b.md")
    drive.move("/d/d.md", "/d/.d.md")
    drive.remove("/d/e.md")
    drive.move_directory("/d", "/e")
    assert store.fsck().check().findings == []
    publish(store.database)
    assert store.fsck().check().findings == []
    store.settle()
    assert store.fsck().check().findings == []


def test_pages_count_topics_that_went(written: tuple[Opened, Drive]) -> None:
    """A topic that stands in one document goes with it, and what counts it in another document is rendered again."""
    store, drive = written
    for name in "abc":
        drive.write(f"/{name}.md", f"# {name}\n\nAlpha acquired Beta.\n")
    drive.write("/d/a.md", "# a\n\nAlpha acquired Beta.\n")
    store.settle()
    topics = store.database.fetch("SELECT count(*) FROM topics")
    drive.write("/d/a.md", "Nothing.\n")
    store.settle()
    assert store.database.fetch("SELECT count(*) FROM topics") < topics
    assert store.fsck().check().findings == []


def some(table: str, column: str = "id", where: str = "true") -> str:
    """SQL: one row's value, always the same."""
    return f"(SELECT {column} FROM {table} WHERE {where} ORDER BY {column} LIMIT 1)"


DAMAGES: list[tuple[str, str]] = [
    ("meta", "DELETE FROM meta WHERE key = 'generation'"),
    ("meta", "UPDATE meta SET value = 'x' WHERE key = 'topics'"),
    ("counters", "UPDATE counters SET next = 2 WHERE name = 'chunk'"),
    ("counters", "DELETE FROM counters WHERE name = 'entity'"),
    ("items", f"UPDATE context_items SET title = NULL, mode = -1 WHERE id = {some('context_items')}"),
    ("items", f"UPDATE context_items SET notes = 'x' WHERE id = {some('context_items')}"),
    ("values", f"UPDATE documents SET title = NULL WHERE id = {some('documents')}"),
    ("values", f"UPDATE chunks SET headings = '{{' WHERE id = {some('chunks')}"),
    ("values", f"UPDATE entities SET name = NULL WHERE id = {some('entities')}"),
    ("values", f"UPDATE entity_claims SET standing = 'x' WHERE entity_id = {some('entities')}"),
    ("values", f"UPDATE facts SET date = 'soon' WHERE id = {some('facts')}"),
    ("values", f"UPDATE topics SET source = 'x' WHERE id = {some('topics')}"),
    ("values", "UPDATE topic_claims SET source = 'x'"),
    ("values", "UPDATE document_links SET kind = 'x'"),
    ("values", "INSERT INTO stale VALUES ('x', 1)"),
    ("refs", "UPDATE context_items SET path = '/elsewhere' WHERE path LIKE '%note0.md'"),
    ("slugs", f"UPDATE entities SET slug = 'a/b' WHERE id = {some('entities')}"),
    ("slugs", "UPDATE entities SET slug_key = 'x'"),
    ("slugs", f"UPDATE topics SET slug = '', slug_key = '' WHERE id = {some('topics')}"),
    ("slugs", f"UPDATE documents SET slug = {some('documents', 'slug')}, slug_key = {some('documents', 'slug_key')}"),
    ("files in the way", "INSERT INTO context_items BY NAME SELECT * REPLACE (99 AS id, '/notes/a.md/b' AS path,"
     " 'agent:/notes/a.md/b' AS ref, 'x' AS content, 1 AS size, '' AS hash) FROM context_items"
     " WHERE ref = 'agent:/notes/a.md'"),
    ("names of sources", "UPDATE sources SET name = '..'"),
    ("versions", "UPDATE item_versions SET number = 1"),
    ("generations of files", "UPDATE context_items SET have_gen = want_gen + 1 WHERE path LIKE '%note1.md'"),
    ("generations of files", "UPDATE context_items SET extracted_gen = NULL WHERE path LIKE '%note1.md'"),
    ("generations of files", "UPDATE context_items SET parsed_gen = 99 WHERE path LIKE '%note1.md'"),
    ("generations", f"UPDATE chunks SET have_gen = 99 WHERE id = {some('chunks')}"),
    ("generations", f"UPDATE facts SET want_gen = NULL WHERE id = {some('facts')}"),
    ("removals", f"INSERT INTO removals SELECT 'entity', {some('entities')}"),
    ("directories", "UPDATE context_items SET want_gen = 3 WHERE mime_type = 'inode/directory'"),
    ("directories", "UPDATE context_items SET mime_type = 'inode/directory' WHERE path LIKE '%note2.md'"),
    ("documents of directories", "UPDATE context_items SET mime_type = 'inode/directory', content = NULL, size = 0,"
     " want_gen = 0, have_gen = 0, extracted_gen = 0, parsed_gen = 0, is_textual = false WHERE path LIKE '%note2.md'"),
    ("loose blocks", "INSERT INTO blocks VALUES (99999, 0, 'x'::BLOB)"),
    ("blocks", "UPDATE blocks SET ordinal = 7 WHERE ordinal = 1"),
    ("bodies", "UPDATE context_items SET size = 1 WHERE path LIKE '%note1.md'"),
    ("bodies", "UPDATE context_items SET hash = 'x' WHERE path LIKE '%note1.md'"),
    ("bodies", "UPDATE context_items SET content = 'Alpha acquired Beta.' WHERE path LIKE '%note1.md'"),
    ("bodies", "UPDATE context_items SET content = NULL WHERE path LIKE '%note1.md'"),
    ("bodies", "DELETE FROM blocks WHERE ordinal = 1"),
    ("bodies", "UPDATE item_versions SET size = 3 WHERE number = 1"),
    ("bodies", "UPDATE item_versions SET content = 'x' WHERE number = 1"),
    ("places of chunks", "UPDATE chunks SET ordinal = ordinal + 1"),
    ("places of chunks", f"UPDATE chunks SET start = 5 WHERE id = {some('chunks')}"),
    ("texts", f"UPDATE chunks SET text = upper(text) WHERE id = {some('chunks')}"),
    ("texts", f"DELETE FROM chunks WHERE document_id = {some('chunks', 'document_id')}"),
    ("places of chunks", "DELETE FROM chunks WHERE ordinal = 3 AND document_id = (SELECT id FROM context_items"
     " WHERE path LIKE '%large.txt')"),
    ("documents without a file", "DELETE FROM context_items WHERE path LIKE '%note3.md'"),
    ("removed files", "INSERT INTO removed_items SELECT id, ref, 1, now()::TIMESTAMP FROM context_items LIMIT 1"),
    ("sources of files", "UPDATE context_items SET source_id = 99"),
    ("references", f"DELETE FROM entities WHERE id = {some('entities')}"),
    ("references", f"DELETE FROM documents WHERE id = {some('chunks', 'document_id')}"),
    ("pages", f"DELETE FROM documents WHERE id = {some('documents', where='text_size = 0')}"),
    ("references", f"DELETE FROM topics WHERE id = {some('topics')}"),
    ("references", f"DELETE FROM facts WHERE id = {some('fact_topics', 'fact_id')}"),
    ("references", "UPDATE mentions SET chunk_id = 99999"),
    ("references", "INSERT INTO former_names VALUES (1, 'entity', 'concepts', 'Old', 99999)"),
    ("references", "INSERT INTO source_items VALUES (99, 99999)"),
    ("rows that stand twice", "INSERT INTO entity_keys SELECT * FROM entity_keys LIMIT 2"),
    ("rows that stand twice", "INSERT INTO mentions SELECT * FROM mentions"),
    ("rows that stand twice", f"UPDATE facts SET fact_id = {some('facts', 'fact_id')}"),
    ("places in documents", f"UPDATE mentions SET document_id = {some('documents')}"),
    ("places in documents", f"UPDATE facts SET document_id = {some('documents')}"),
    ("claims", f"DELETE FROM entity_claims WHERE document_id = {some('mentions', 'document_id')}"),
    ("claims", f"DELETE FROM topic_claims WHERE document_id = {some('topic_claim_chunks', 'document_id')}"),
    ("facts", f"UPDATE facts SET quote = 'Nobody said so.' WHERE id = {some('facts')}"),
    ("facts", "UPDATE facts SET span_start = span_start + 1, span_end = span_end + 1"),
    ("entities without claims", "INSERT INTO entities BY NAME SELECT * REPLACE (9999 AS id, 'Nobody' AS name, 'Nobody'"
     f" AS slug, 'nobody' AS slug_key) FROM entities WHERE id = {some('entities')}"),
    ("names and entities", f"UPDATE entity_claims SET entity_id = {some('entities')}"),
    ("names and entities", f"UPDATE facts SET object_id = {some('entities')}"),
    ("lost names", "DELETE FROM entity_keys"),
    ("mentions", "DELETE FROM entity_chunks WHERE count = 1"),
    ("mentions", "UPDATE entity_chunks SET count = 77"),
    ("topics above topics", "UPDATE topics SET parent_id = id"),
    ("topics above topics", "UPDATE topics SET parent_id = 99999"),
    ("targets of links", "UPDATE document_links SET target_id = 99999"),
    ("entities", "UPDATE entities SET name = 'Someone'"),
    ("entities", "UPDATE entities SET type = 'Person'"),
    ("entities", "DELETE FROM entity_aliases"),
    ("entities", "UPDATE entities SET attributes = '{\"founded\": 1}'"),
    ("topics", "UPDATE topics SET definition = 'Nothing.'"),
    ("topics", "DELETE FROM chunk_topics"),
    ("topics", "DELETE FROM fact_topics"),
    ("links between documents", f"UPDATE document_links SET target_id = {some('documents')}"),
    ("pages", "DELETE FROM pages WHERE view = 'entity_summary'"),
    ("pages", "UPDATE pages SET size = size + 1"),
    ("pages", "INSERT INTO pages SELECT * FROM pages"),
    ("pages", "UPDATE pages SET owner_id = 99999 WHERE view = 'fact_line'"),
    ("pages", "UPDATE pages SET view = 'x' WHERE view = 'chunk_metadata'"),
    ("what pages say", "UPDATE pages SET body = repeat('x', size)::BLOB WHERE view = 'document_metadata'"),
]  # fmt: skip

LOSES = {
    # What a damaged body was is not known: its present bytes are kept. What is gone, or was numbered, is gone.
    "UPDATE context_items SET content = 'Alpha acquired Beta.' WHERE path LIKE '%note1.md'",
    "UPDATE context_items SET content = NULL WHERE path LIKE '%note1.md'",
    "DELETE FROM blocks WHERE ordinal = 1",
    "UPDATE item_versions SET content = 'x' WHERE number = 1",
    "DELETE FROM context_items WHERE path LIKE '%note3.md'",
    "UPDATE context_items SET mime_type = 'inode/directory' WHERE path LIKE '%note2.md'",
}
GROWS = "files in the way"


AT_ONCE = 4
"""How many damages a store gets together: each by itself takes a second."""


def batches() -> Iterator[list[tuple[str, str]]]:
    """The damages, some at a time, no two of one check or in one table; those that lose something by themselves."""
    waiting: list[list[tuple[str, str]]] = []
    for check, statement in DAMAGES:
        if not restored(check, statement):
            yield [(check, statement)]
            continue
        room = (
            batch
            for batch in waiting
            if len(batch) < AT_ONCE and all(check != one and table(statement) != table(other) for one, other in batch)
        )
        batch = next(room, None)
        if batch is None:
            waiting.append(batch := [])
        batch.append((check, statement))
    yield from waiting


def table(statement: str) -> str:
    return statement.removeprefix("DELETE FROM ").removeprefix("INSERT INTO ").removeprefix("UPDATE ").split()[0]


def restored(check: str, statement: str) -> bool:
    """Whether the store is after the repair what it was before the damage."""
    return statement not in LOSES and check != GROWS and "inode/directory', content" not in statement


@pytest.mark.slow
@pytest.mark.parametrize("damages", list(batches()), ids=lambda batch: ", ".join(sorted(dict(batch))))
def test_each_damage_is_found_and_mended(copy: Opened, right: dict[str, Any], damages: list[tuple[str, str]]) -> None:
    damage(copy, *(statement for _, statement in damages))
    found = {finding.check: finding for finding in copy.fsck().check().findings}
    report = copy.fsck().repair()
    for check, _ in damages:
        assert check in found, list(found)
        assert found[check].count and found[check].examples and found[check].explanation.endswith(".")
    assert (report.exit_status, report.warnings) == (5, []), report
    assert whole(copy)
    if all(restored(*one) for one in damages):
        after = copy.state()
        assert {name: value for name, value in after.items() if value != right[name]} == {}


def test_what_is_paid_for_is_not_read_again_on_suspicion(copy: Opened) -> None:
    """What a language model says of topics is no damage, and a document that one read is not read without it."""
    damage(
        copy,
        "UPDATE documents SET extractor = 'llm:model'",
        "UPDATE topics SET source = 'model'",
        "UPDATE topic_claims SET source = 'model'",
        "UPDATE topic_claim_chunks SET source = 'model'",
        "UPDATE documents SET extractor = 'graphrag' WHERE slug = 'acme'",
        "UPDATE entities SET name = 'Someone'",
        "UPDATE mentions SET count = NULL WHERE document_id = (SELECT id FROM documents WHERE slug = 'acme')",
    )
    report = copy.fsck().repair()
    assert report.exit_status == 5
    (values,) = (finding for finding in report.findings if finding.check == "values")
    assert all(example.startswith("mentions: ") for example in values.examples)
    assert set(copy.database.fetch("SELECT DISTINCT extractor FROM documents")) == {("llm:model",), ("graphrag",)}
    assert copy.database.fetch("SELECT * FROM entities WHERE name = 'Someone'") == []


def whole(store: Opened) -> bool:
    """The graph agrees with itself, and the tree can be shown. (A repair itself ends by finding nothing any more.)"""
    assert graphs.contradictions(store.database) == {}
    Namespace(store.database).load_snapshot()
    return True


@pytest.mark.slow
@pytest.mark.parametrize("part", ["text", "vector"])
@pytest.mark.parametrize("what", ["missing", "other", "surplus"])
def test_the_index(copy: Opened, part: str, what: str) -> None:
    before = copy.state()
    index = copy.worker
    expected = set()
    for kind in ("chunk", "entity", "fact", "topic"):
        expected.add(f"{'keyword index' if part == 'text' else 'vector index'} of {indexing.TABLES[kind]}")
        row, gen = next((key[2], gen) for key, gen in index.content().items() if (key[0], key[1]) == (part, kind))
        if what == "missing":
            index.lose(part, kind, row)
        elif what == "other":
            index.note(part, kind, row, gen + 1)
        else:
            index.note(part, kind, 99999, 1)
    report = copy.fsck().repair()
    assert expected <= {finding.check for finding in report.findings}
    assert report.exit_status == 5
    assert whole(copy)
    assert copy.state() == before


def test_a_worker_that_fails_is_no_damage(copy: Opened) -> None:
    class Dead(LocalWorker):
        def indexed(self, kind: str, part: str, first: int, limit: int) -> Any:
            from kgfs.errors import WorkerError

            raise WorkerError("The worker died.")

    report = Fsck(copy.database, Config(), worker=Dead(Path("/nowhere"))).check()
    assert report.findings == []
    assert len(report.skipped) == 8


TABLES = (
    "context_items", "documents", "chunks", "entities", "entity_claims", "claim_aliases", "claim_forms",
    "claim_evidence", "entity_keys", "entity_aliases", "entity_merges", "mentions", "entity_chunks", "former_names",
    "facts", "topics", "topic_claims", "topic_claim_chunks", "chunk_topics", "fact_topics", "document_links", "pages",
    "stale", "removals", "source_items", "sources", "blocks", "item_versions", "counters", "removed_items",
)  # fmt: skip
VALUES = {
    "BIGINT": ["NULL", "0", "-1", "1", "2", "7", "99999", "134217727"],
    "INTEGER": ["NULL", "0", "-1", "1", "99999"],
    "VARCHAR": ["NULL", "''", "'x'", "'[]'", "'{}'", "'1999'", "'a/b'", "'disk:/x'"],
    "BLOB": ["NULL", "''::BLOB", "'xyz'::BLOB"],
    "BOOLEAN": ["NULL", "true", "false"],
    "DOUBLE": ["NULL", "0", "1", "-5"],
    "TIMESTAMP": ["NULL", "TIMESTAMP '2001-01-01'"],
}


def break_something(store: Opened, chance: random.Random) -> str:
    """One random change of random rows, as no code of ours makes it."""
    import duckdb

    table = chance.choice(TABLES)
    rows = [row[0] for row in store.database.fetch(f"SELECT rowid FROM {table} ORDER BY rowid")]
    if not rows:
        return ""
    chosen = ", ".join(map(str, chance.sample(rows, min(len(rows), chance.choice([1, 2, 20])))))
    sql = f"DELETE FROM {table} WHERE rowid IN ({chosen})"
    if chance.random() < 0.7:
        columns = store.database.fetch(
            "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? AND database_name ="
            " current_database() ORDER BY column_name",
            [table],
        )
        column, kind = chance.choice(columns)
        values = [*VALUES[kind], f"(SELECT {column} FROM {table} ORDER BY rowid LIMIT 1)"]
        sql = f"UPDATE {table} SET {column} = {chance.choice(values)} WHERE rowid IN ({chosen})"
    try:
        damage(store, sql)
    except duckdb.Error:
        return ""  # what the engine itself does not allow
    return sql


@pytest.mark.long
@settings(max_examples=rounds(4, 30), suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 30), count=st.integers(1, 4))
def test_whatever_is_broken(pristine: Path, tmp_path: Path, seed: int, count: int) -> None:
    """It never fails, and what it says to have mended is."""
    place = tmp_path / str(seed)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(pristine, place)
    store = opened(place)
    try:
        chance = random.Random(seed)
        done = [break_something(store, chance) for _ in range(count)]
        report: Report = store.fsck().repair()
        left = [finding for finding in report.findings if finding.state == "left"]
        assert not left, (done, left)
        second = store.fsck().repair()
        assert second.findings == [], (done, report.findings, second.findings)
        Namespace(store.database).load_snapshot()
    finally:
        store.database.close()
        shutil.rmtree(place, ignore_errors=True)


CHECKED = {
    "documents": "title description text_size tags front_matter slug_key",
    "chunks": "document_id ordinal text size start headings",
    "entities": "slug slug_key name type description attributes summary",
    "entity_claims": "entity_id document_id key standing",
    "entity_keys": "entity_id key",
    "entity_aliases": "entity_id alias",
    "entity_merges": "entity_id rule documents",
    "mentions": "document_id chunk_id key count",
    "entity_chunks": "entity_id chunk_id document_id count",
    "facts": "fact_id type subject_id object_id subject_key document_id chunk_id quote span_start date",
    "topics": "slug name key parent_id definition source",
    "topic_claims": "document_id key source",
    "chunk_topics": "chunk_id topic_id document_id",
    "fact_topics": "fact_id topic_id document_id",
    "pages": "view owner_id body",
}
"""Derived tables of whose rows others speak too, so that a lost row is missed; and columns that checks look at."""


def break_derived(store: Opened, chance: random.Random) -> str:
    """Delete, duplicate or change some rows of one derived table."""
    import duckdb

    table = chance.choice(sorted(CHECKED))
    rows = [row[0] for row in store.database.fetch(f"SELECT rowid FROM {table} ORDER BY rowid")]
    if not rows:
        return ""
    chosen = ", ".join(map(str, chance.sample(rows, min(len(rows), chance.choice([1, 2, 5])))))
    column = chance.choice(CHECKED[table].split())
    other = f"(SELECT {column} FROM {table} WHERE rowid = {chance.choice(rows)})"
    sql = chance.choice(
        [
            f"DELETE FROM {table} WHERE rowid IN ({chosen})",
            f"INSERT INTO {table} SELECT * FROM {table} WHERE rowid IN ({chosen})",
            f"UPDATE {table} SET {column} = {other} WHERE rowid IN ({chosen})",
            f"UPDATE {table} SET {column} = NULL WHERE rowid IN ({chosen})",
        ]
    )
    try:
        damage(store, sql)
    except duckdb.Error:
        return ""  # what the engine itself does not allow
    return sql


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_derived_rows_are_rebuilt(copy: Opened, right: dict[str, Any], seed: int) -> None:
    """After many damages in derived rows the repair leaves the graph of before."""
    chance = random.Random(seed)
    done = [break_derived(copy, chance) for _ in range(8)]
    report = copy.fsck().repair()
    assert report.exit_status == 5, (done, report)
    assert whole(copy)
    after = copy.state()
    changed = {name: (right[name], after[name]) for name in after if after[name] != right[name]}
    assert changed == {}, (done, report.findings)
