"""Bundles: rows out of a store and into another one, as the same tree; and what is refused."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kgfs.config import Config
from kgfs.errors import Cancelled, ConflictError, KgfsError, StoreError, UsageError
from kgfs.exchange import importing, merging
from kgfs.exchange.bundle import DERIVED, LOCAL, TABLES, Bundle, BundleEnd, bundle_digest, end_line
from kgfs.exchange.exporting import column_types, export_bundle
from kgfs.namespace.publish import publish
from kgfs.pipeline import graph_pass
from kgfs.pipeline.pipeline import Pipeline
from kgfs.progress import Never
from kgfs.store.catalog import schema
from kgfs.store.catalog.database import Database
from kgfs.store.files import staging
from kgfs.store.graph import topics
from kgfs.store.llm import type_verdicts
from kgfs.store.llm.topic_verdicts import TopicVerdict, put_verdicts
from tests import planned_graphs as graphs
from tests.contract import walk
from tests.graph.test_annotations import People
from tests.local_worker import LocalWorker
from tests.namespace.drivers import NamespaceDriver, opened
from tests.new_stores import new_store
from tests.pipeline.test_pipeline import add, folder, index_is_whole
from tests.pipeline.test_row_pass import Drive

NEWEST = schema.migrations()[-1].number
WRITING = re.compile(
    rb'"((created|updated|changed|indexed|added|refreshed)_at":"[^"]*"|(source_read_ns|version|want_gen|have_gen)":[0-9]+),?'
)
"""When and how often a row was written, in its line."""


class Stopped:
    def is_set(self) -> bool:
        return True


def quiet(progress: object) -> None:
    pass


def written(database: Database, to: Path) -> Path:
    with (gzip.open if to.suffix == ".gz" else open)(to, "wb") as file:
        for piece in export_bundle(database, quiet, Never()):
            file.write(piece)
    return to


def taken(database: Database, path: Path, on_conflict: str = "skip", cancel: Any = None) -> importing.ImportSummary:
    with Bundle(path, NEWEST) as bundle:
        with database.read() as cursor:
            untouched = importing.is_untouched(cursor)
        if untouched:
            return importing.import_whole(database, bundle, quiet, cancel or Never())
        return merging.merge_bundle(database, bundle, on_conflict, quiet, cancel or Never())


def indexed(database: Database, worker: LocalWorker) -> None:
    assert Pipeline(database, worker, Config()).resume() == []


def tree(database: Database) -> dict[str, tuple[Any, ...]]:
    """What stands at each path but the areas: kind, size, time, mode, bytes or target. The time of what has none of its
    own is that of the generation, and left out."""
    publish(database)
    driver = NamespaceDriver(opened(database))
    published_ns = driver.namespace.view.published * 1000
    found = {}
    for top in driver.listdir(""):
        if not top.startswith("@"):
            stats = {top: driver.lstat(top)} | (dict(walk(driver, top)) if driver.lstat(top).kind == "d" else {})
            for path, stat in stats.items():
                what = driver.read(path) if stat.kind == "f" else driver.readlink(path) if stat.kind == "l" else b""
                mtime_ns = 0 if stat.mtime_ns == published_ns else stat.mtime_ns
                found[path] = (stat.kind, stat.size, mtime_ns, stat.mode, what)
    return found


def index_log(store: Path) -> Path:
    return store.with_name(f"{store.name}.index")


Opened = Callable[[str], tuple[Database, LocalWorker]]


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Opened]:
    """``made("name")`` is a new store with its worker."""
    databases = []

    def make(name: str) -> tuple[Database, LocalWorker]:
        database = new_store(tmp_path / name, reserve=0)
        databases.append(database)
        return database, LocalWorker(index_log(tmp_path / name))

    yield make
    for database in databases:
        database.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rich")


@pytest.fixture(scope="module")
def rich(place: Path) -> Iterator[Database]:
    """A store with something in every table, which nobody changes."""
    with new_store(place / "rich", reserve=0) as database:
        _fill(database, place)
        yield database


@pytest.fixture(scope="module")
def whole(rich: Database, place: Path) -> bytes:
    """Its bundle."""
    return written(rich, place / "bundle.jsonl").read_bytes()


@pytest.fixture
def bundle(whole: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "bundle.jsonl"
    path.write_bytes(whole)
    return path


def _fill(database: Database, place: Path) -> None:
    worker = LocalWorker(index_log(place / "rich"))
    notes = folder(place / "notes", 3)
    (notes / "Öl & 'Co' %41.md").write_text(
        "---\ntitle: Delta\ntype: organization\naliases: [Dee]\ntags: [a/b]\n---\nDelta acquired Alpha.\n"
    )
    (notes / "large.bin").write_bytes(bytes(range(256)) * 9000)
    (notes / "nothing.txt").write_bytes(b"")
    pipeline = Pipeline(database, worker, Config())
    add(pipeline, notes)
    drive = Drive(database)
    drive.make_directory("/ideas")
    drive.write("/ideas/one.md", "Gamma acquired Delta.\n")
    drive.write("/ideas/one.md", "Gamma acquired Epsilon.\n")
    drive.write("/ideas/.draft", b"\0" * 1_500_000)
    drive.write("/gone.md", "Never said Anything.\n")
    drive.remove("/gone.md")
    pipeline.resume()
    people = People(database)
    people.rename("Alpha", "Alpha Holding")
    people.merge("Beta", "Gamma")
    people.make("Zeta", description="Nobody mentions it.")
    ((fact_id,),) = database.fetch("SELECT min(fact_id) FROM facts")
    people.retract(fact_id)
    pipeline.resume()
    with database.read() as cursor:
        key = next(iter(topics.all_topics(cursor).values())).key
    database.write(lambda cursor: put_verdicts(cursor, [TopicVerdict(key=key, evidence="e", documents=[1])]))
    types = [type_verdicts.TypeVerdict("BOUGHT_OFF", "ACQUIRED", turned=False)]
    database.write(lambda cursor: type_verdicts.put_verdicts(cursor, types, "m"))


def test_every_table_is_decided_about(made: Opened) -> None:
    """A new table is bundled, derived or local (``kgfs.exchange.bundle``), and is in one of these only."""
    database, _ = made("new")
    with database.read() as cursor:
        tables = set(column_types(cursor))
    decided = [*(table.name for table in TABLES), *DERIVED, *LOCAL]
    assert sorted(decided) == sorted(tables)


NOT_MADE = {"merges", "removed_items", "topic_groups", "claim_evidence", "merge_verdicts"}
"""Tables that this store has nothing in."""


def test_the_same_tree(rich: Database, made: Opened, tmp_path: Path) -> None:
    """Every file's bytes, every link, size and time; and then nothing is read again."""
    before = tree(rich)
    for table in TABLES:
        if table.name not in NOT_MADE:
            assert rich.fetch(f"SELECT 1 FROM {table.name} LIMIT 1"), table.name
    packed = written(rich, tmp_path / "bundle.jsonl.gz")
    database, worker = made("copy")
    assert taken(database, packed).added == len(rich.fetch("SELECT 1 FROM context_items"))
    assert tree(database) == before
    for name in DERIVED:
        columns = ", ".join(list(column_types_of(rich, name)))
        sql = f"SELECT {columns} FROM {name} ORDER BY ALL"
        assert database.fetch(sql) == rich.fetch(sql), name
    assert worker.parsed == 0
    indexed(database, worker)
    index_is_whole(database, worker)
    assert worker.parsed == 0
    assert tree(database) == before
    assert lines(written(database, tmp_path / "again.jsonl")) == lines(packed)


def column_types_of(database: Database, table: str) -> dict[str, str]:
    with database.read() as cursor:
        return column_types(cursor)[table]


def lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a bundle without what the index says of them."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
        rows = [json.loads(line) for line in file][1:-1]
    for row in rows:
        for values in row.values():
            for name in ("have_gen", "indexed_at"):
                values.pop(name, None)
    return rows


def test_into_a_store_that_has_something(rich: Database, bundle: Path, made: Opened, tmp_path: Path) -> None:
    """The graph is that of both stores together, as if all files had been added to one."""
    more = tmp_path / "more"
    more.mkdir()
    (more / "epsilon.md").write_text("Epsilon acquired Alpha. See [[note1]].\n")
    (more / "dee.md").write_text("# Wages\n\nDee acquired Wages.\n")
    other, worker = made("other")
    add(Pipeline(other, worker, Config()), more)
    assert taken(other, bundle).updated == 0
    indexed(other, worker)
    index_is_whole(other, worker)
    both, helper = made("both")
    taken(both, bundle)
    add(Pipeline(both, helper, Config()), more)
    assert graphs.graph(other, slugs=False) == graphs.graph(both, slugs=False)
    assert bodies(other) == bodies(both)
    again = taken(other, bundle)
    assert (again.added, again.updated, set(again.skipped)) == (0, 0, {"unchanged"})
    indexed(other, worker)
    assert graphs.graph(other, slugs=False) == graphs.graph(both, slugs=False)


def bodies(database: Database) -> dict[str, Any]:
    """Paths beneath ``context/`` and ``sources/``."""
    return {path: what for path, what in tree(database).items() if path.startswith(("context/", "sources/"))}


def test_on_conflict(bundle: Path, made: Opened) -> None:
    other, _ = made("other")
    drive = Drive(other)
    drive.write("/ideas/one.md", "Something else.\n")
    drive.write("/own.md", "Mine.\n")

    def held() -> str:
        return str(other.fetch("SELECT content FROM context_items WHERE ref = 'agent:/ideas/one.md'")[0][0])

    with pytest.raises(ConflictError, match=r"agent:/ideas/one\.md is stored here and is another"):
        taken(other, bundle, "error")
    assert other.fetch("SELECT count(*) FROM context_items") == [(2,)]
    assert other.fetch("SELECT count(*) FROM blocks") == [(0,)]
    assert taken(other, bundle, "skip").skipped == {merging.KEPT: 1}
    assert held() == "Something else.\n"
    overwritten = taken(other, bundle, "overwrite")
    assert (overwritten.updated, held()) == (1, "Gamma acquired Epsilon.\n")
    versions = other.fetch("SELECT content FROM item_versions WHERE ref = 'agent:/ideas/one.md'")
    assert ("Something else.\n",) in versions
    assert other.fetch("SELECT count(*) FROM context_items WHERE path = '/own.md'") == [(1,)]


def test_nothing_is_half_done(rich: Database, bundle: Path, whole: bytes, made: Opened) -> None:
    """A bundle that is cut short, damaged anywhere, of a later version or stopped leaves the store as it was."""
    rows = whole.splitlines(keepends=True)
    packed = gzip.compress(whole)
    other, _ = made("other")

    def signed(*given: bytes) -> bytes:
        """As somebody writes it by hand, with the right digest."""
        seen = bundle_digest()
        seen.update(b"".join(given))
        return b"".join(given) + end_line(BundleEnd(rows={"facts": len(given) - 1}, digest=seen.hexdigest()))

    newer = rows[0].replace(b'"version":1', b'"version":2')
    foreign = rows[0].replace(b'"facts":{', b'"facts":{"x; DROP TABLE facts":"VARCHAR",')
    bad: list[tuple[bytes, type[KgfsError], str]] = [
        (b"", UsageError, "is not a bundle"),
        (b"{}\n", UsageError, "is not a bundle"),
        (b"".join(rows[:-1]), KgfsError, "cut short"),
        (whole[: len(whole) // 2], KgfsError, "cut short"),
        (whole.replace(b"Epsilon", b"Epsilom"), KgfsError, "damaged"),
        (b"".join([*rows[:40], *rows[41:]]), KgfsError, "damaged"),
        (packed[: len(packed) // 2], KgfsError, "damaged"),
        (signed(newer), StoreError, "newer kgfs"),
        (signed(foreign), KgfsError, "names tables that no bundle has"),
        (signed(rows[0].replace(b'"facts":{', b'"facts":{"colour":"VARCHAR",')), StoreError, "does not know"),
        (signed(rows[0], b'{"facts":{"size":1}}\n'), KgfsError, "line 2: it cannot be read"),
    ]
    for body, kind, message in bad:
        bundle.write_bytes(body)
        with pytest.raises(kind, match=message):
            taken(other, bundle)
    bundle.write_bytes(whole)
    with pytest.raises(Cancelled):
        taken(other, bundle, cancel=Stopped())
    with pytest.raises(Cancelled):
        list(export_bundle(rich, quiet, Stopped()))
    other.write(staging.sweep_staged)
    with other.read() as cursor:
        assert importing.is_untouched(cursor)
    assert other.fetch("SELECT count(*) FROM blocks") == [(0,)]
    assert taken(other, bundle).added


def test_how_documents_were_put_together_is_not_seen(
    made: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of what all documents say have one order, whatever was read and written in one go."""
    notes = folder(tmp_path / "notes", 4)
    (notes / "a.md").write_text("# Visit\n\nAcme Corporation hired Bob Quill. Delta Works Inc. bought Zeta. #a\n")
    (notes / "b.md").write_text("# Tools\n\nDelta Works Inc. (DWI) and Zeta Limited (ZL) were founded in 1999. #b\n")
    (notes / "z.md").write_text("# Acme\n\nAcme Corporation (ACM) was founded by Zoe Young in 1999. ACM grew. #a #b\n")
    lines = []
    for size in (1, 3, 128):
        monkeypatch.setattr(graph_pass, "BATCH_DOCUMENTS", size)
        database, worker = made(f"of {size}")
        add(Pipeline(database, worker, Config()), notes)
        bundle = written(database, tmp_path / f"{size}.bundle").read_bytes()
        lines.append([WRITING.sub(b"", line) for line in bundle.splitlines()[1:-1]])
    assert lines[0] == lines[1] == lines[2]
    several = {table: [line for line in lines[0] if line.startswith(b'{"%s"' % table)] for table in (
        b"entity_keys", b"entity_aliases", b"entity_merges", b"chunk_topics")}  # fmt: skip
    assert all(len(rows) > 1 for rows in several.values()), several
