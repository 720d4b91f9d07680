"""``@find`` beside what the tree itself shows: each predicate against a walk through files and listings."""

from __future__ import annotations

import errno
import fnmatch
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgfs.errors import KgfsError, NotFoundError, QueryError
from kgfs.model import STATUSES
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.namespace.queries import find
from kgfs.store.catalog.database import Database
from tests.graph_builder import build
from tests.namespace.drivers import NamespaceDriver, all_nodes, opened

CANONICAL = {
    "entities/<types>/<Entity_Slug>/": "entity",
    "topics/<topic>/": "topic",
    "documents/<doc>/": "document",
    "chunks/by_document/<doc>/<chunk>/": "chunk",
    "facts/by_type/<TYPE>/<fact_id>.json": "fact",
}


class Shown:
    """Everything that the tree shows, read out of it."""

    def __init__(self, tree: Namespace) -> None:
        self.tree, self.driver = tree, NamespaceDriver(tree)
        self.rows: dict[str, dict[str, Any]] = {}
        """Canonical path to kind, name and what its files say."""
        for _, name, node in all_nodes(tree):
            kind = CANONICAL.get(tree.row(node).pattern)
            if kind is not None:
                self.rows[tree.path(node)] = {"kind": kind, "name": name, "node": node}
        for path, row in self.rows.items():
            if row["kind"] == "fact":
                row["said"] = json.loads(self.driver.read(path))
                row["name"] = f"{row['said']['fact_id']}.json"
            elif row["kind"] != "topic":
                row["said"] = json.loads(self.driver.read(f"{path}/metadata.json"))

    def links(self, path: str) -> set[str]:
        return {self.tree.path(self.tree.resolve(f"{path}/{name}")) for name in self.driver.listdir(path)}

    def found(self, path: str) -> set[str]:
        """What a path of ``@find`` lists, by canonical paths."""
        names = self.driver.listdir(path)
        assert len(names) == len(set(names))
        paths = {self.tree.path(self.tree.resolve(f"{path}/{name}")) for name in names}
        assert len(paths) == len(names)
        assert sorted(self.driver.read(f"{path}/_paths.txt").decode().splitlines()) == sorted(paths)
        return paths

    def facts(self, path: str) -> set[str]:
        """The facts in a directory by type."""
        kinds = self.driver.listdir(f"{path}/by_type")
        return set().union(*(self.links(f"{path}/by_type/{kind}") for kind in kinds))

    def where(self, test: Callable[[str, dict[str, Any]], bool]) -> set[str]:
        return {path for path, row in self.rows.items() if test(path, row)}


@pytest.fixture(scope="module")
def shown(tree: Namespace) -> Shown:
    return Shown(tree)


@pytest.mark.parametrize("glob", ["*", "*1*", "*_2", "note*", "*chunk_0001", "f_*0.json", "nothing", "[a-e]*", "??"])
def test_name(shown: Shown, glob: str) -> None:
    def fits(path: str, row: dict[str, Any]) -> bool:
        name = row["said"]["chunk_id"] if row["kind"] == "chunk" else row["name"]
        return fnmatch.fnmatchcase(name, glob)

    assert shown.found(f"@find/name={glob}") == shown.where(fits)


@pytest.mark.parametrize("value", ["Organization", "organization", "organizations", "Person", "ACQUIRED", "acquired"])
def test_type(shown: Shown, value: str) -> None:
    wanted = {value.casefold(), value.casefold().removesuffix("s")}
    expected = shown.where(
        lambda path, row: row["kind"] in ("entity", "fact") and row["said"]["type"].casefold() in wanted
    )
    assert expected and shown.found(f"@find/type={value}") == expected


@pytest.mark.parametrize("kind", ["entity", "topic", "document", "chunk", "fact"])
def test_kind(shown: Shown, kind: str) -> None:
    assert shown.found(f"@find/type={kind}") == shown.where(lambda path, row: row["kind"] == kind)


@pytest.mark.parametrize(
    ("predicate", "fits"),
    [
        ("facts>1", lambda n: n > 1), ("facts>=2", lambda n: n >= 2), ("facts<1", lambda n: n < 1),
        ("facts<=1", lambda n: n <= 1), ("facts=2", lambda n: n == 2), ("min_facts=2", lambda n: n >= 2),
        ("max_facts=0", lambda n: n == 0),
    ],
)  # fmt: skip
def test_facts(shown: Shown, predicate: str, fits: Callable[[int], bool]) -> None:
    def count(path: str, row: dict[str, Any]) -> bool:
        if row["kind"] == "entity":
            return fits(shown.driver.lstat(path).size)
        if row["kind"] in ("chunk", "topic"):
            return fits(len(shown.driver.listdir(f"{path}/facts")))
        if row["kind"] == "document":
            chunks = shown.links(f"{path}/chunks")
            return fits(sum(len(shown.driver.listdir(f"{chunk}/facts")) for chunk in chunks))
        return False

    assert shown.found(f"@find/{predicate}") == shown.where(count)


def test_mentions_topics_and_relations(shown: Shown) -> None:
    s = shown.tree.view
    busiest = max(
        range(len(s.entities)), key=lambda each: len(s.entity_chunks.members(each)) + int(s.stated.counts[each])
    )
    slug, path = s.entities.slugs[busiest], s.entity_path(busiest)
    found = shown.found(f"@find/mentions={slug}")
    chunks = shown.links(f"{path}/chunks")
    assert {each for each in found if each.startswith("chunks/")} == chunks
    assert {each for each in found if each.startswith("documents/")} == shown.links(f"{path}/documents")
    assert {each for each in found if each.startswith("topics/")} == shown.links(f"{path}/topics")
    stated, received = shown.facts(f"{path}/facts"), shown.facts(f"{path}/mentioned_in")
    assert {each for each in found if each.startswith("facts/")} == stated | received
    related = shown.found(f"@find/related_to={slug}/type=entity")
    beside = set()
    for side in ("relationships", "related_to"):
        for kind in shown.driver.listdir(f"{path}/{side}"):
            beside |= {
                shown.tree.path(shown.tree.resolve(f"{path}/{side}/{kind}/{name}"))
                for name in shown.driver.listdir(f"{path}/{side}/{kind}")
                if not name.startswith("_")
            }
    assert related == beside - {path}
    assert shown.found(f"@find/subject={slug}") == stated
    assert shown.found(f"@find/object={slug}") == received
    topic = max(range(len(s.topics)), key=lambda each: len(s.topic_all_chunks.members(each)))
    under = shown.links(f"chunks/by_topic/{s.topics.slugs[topic]}")
    found = shown.found(f"@find/topic={s.topics.slugs[topic]}")
    assert under and {each for each in found if each.startswith("chunks/")} == under
    both = shown.found(f"@find/topic={s.topics.slugs[topic]}/mentions={slug}/type=chunk")
    assert both == under & chunks


def test_dates(shown: Shown) -> None:
    for kind, place in (("chunk", "chunks/by_date"), ("fact", "facts/by_date")):
        years = [name for name in shown.driver.listdir(place) if name != "undated"]
        seen = set()
        for year in years:
            of_year = set()
            for month in shown.driver.listdir(f"{place}/{year}"):
                of_month = shown.links(f"{place}/{year}/{month}")
                assert shown.found(f"@find/date={year}-{month}/type={kind}") == of_month
                assert shown.found(f"@find/from={year}-{month}/to={year}-{month}/type={kind}") == of_month
                of_year |= of_month
            assert shown.found(f"@find/type={kind}/date={year}") == of_year
            seen |= of_year
        assert shown.found(f"@find/from={min(years)}/type={kind}") == seen
        assert shown.found(f"@find/to={max(years)}/type={kind}") == seen
        undated = shown.links(f"{place}/undated")
        assert seen | undated == shown.where(lambda path, row, kind=kind: row["kind"] == kind)  # type: ignore[misc]


def test_relationship_and_subtopics(shown: Shown) -> None:
    found = shown.found("@find/relationship=ACQUIRED/type=entity")
    has = shown.where(
        lambda path, row: row["kind"] == "entity" and "ACQUIRED" in shown.driver.listdir(f"{path}/relationships")
    )
    assert found == has
    inverse = shown.found("@find/relationship=ACQUIRED_BY/type=entity")
    assert inverse == shown.where(
        lambda path, row: row["kind"] == "entity" and "ACQUIRED_BY" in shown.driver.listdir(f"{path}/related_to")
    )
    deep = shown.where(lambda path, row: row["kind"] == "topic" and bool(shown.driver.listdir(f"{path}/subtopics")))
    assert deep and shown.found("topics/@find/has_subtopics=true") == deep
    assert not deep & shown.found("@find/has_subtopics=false")


@pytest.mark.parametrize("status", STATUSES)
def test_status(shown: Shown, status: str) -> None:
    facts = shown.where(lambda path, row: row["kind"] == "fact" and row["said"]["status"] == status)
    assert facts and shown.found(f"@find/status={status}/type=fact") == facts
    ends = {shown.rows[path]["said"][end] for path in facts for end in ("subject_slug", "object_slug")} - {None}
    found = shown.found(f"@find/status={status}/type=entity")
    assert {path.rsplit("/", 1)[-1] for path in found} == ends


def test_counts_and_summaries_take_what_is_stated_first(shown: Shown) -> None:
    mixed = 0
    for path, row in shown.rows.items():
        if row["kind"] != "entity":
            continue
        lines = [json.loads(line) for line in shown.driver.read(f"{path}/facts/all.jsonl").splitlines()]
        counts = row["said"]["counts"]
        assert counts["stated"] == sum(line["status"] == "stated" for line in lines)
        assert counts["facts"] == len(lines)
        told = [
            re.search(r"\[f_\w+(?: [\d.]+)?(?:, (\w+))?\]", line)
            for line in shown.driver.read(f"{path}/summary.txt").decode().splitlines()
        ]
        marked = [found[1] is not None for found in told if found]
        assert marked == sorted(marked), path
        mixed += any(marked) and not all(marked)
    assert mixed
    _, *types = shown.driver.read("facts/by_type/_counts.tsv").decode().splitlines()
    for kind, facts, stated in (line.split("\t") for line in types):
        of_type = [row["said"] for row in shown.rows.values() if row["kind"] == "fact" and row["said"]["type"] == kind]
        assert int(facts) == len(of_type)
        assert int(stated) == sum(line["status"] == "stated" for line in of_type)


def test_scoped(shown: Shown) -> None:
    s = shown.tree.view
    path = s.entity_path(max(range(len(s.entities)), key=lambda each: len(s.entity_chunks.members(each))))
    assert shown.found(f"{path}/@find/type=chunk") == shown.links(f"{path}/chunks")
    assert shown.found(f"{path}/chunks/@find/name=*") == shown.links(f"{path}/chunks")
    organizations = shown.found("entities/organizations/@find/name=*")
    assert organizations == shown.where(lambda path, row: path.startswith("entities/organizations/"))


@pytest.mark.parametrize(
    "predicate", ["facts>many", "min_facts=", "date=2019-13", "from=yesterday", "mentions=Nobody at all", "topic=~",
                  "has_subtopics=perhaps", "status=sure", "subject=", "related_to=%2Fx"],
)  # fmt: skip
def test_values_that_mean_nothing(database: Database, predicate: str) -> None:
    failures: list[KgfsError] = []
    tree = opened(database, failed=failures.append)
    driver = NamespaceDriver(tree)
    assert driver.lstat(f"@find/{predicate}").kind == "d", "a look at the name runs nothing"
    with pytest.raises(OSError) as caught:
        driver.listdir(f"@find/{predicate}")
    assert caught.value.errno == errno.EINVAL
    assert len(failures) == 1 and isinstance(failures[0], QueryError)


@pytest.mark.parametrize("name", ["colour=red", "type", "facts!3", "=x", ".git", "type==", "Name=x"])
def test_what_is_no_predicate(shown: Shown, name: str) -> None:
    if name == "type==":
        assert shown.driver.lstat(f"@find/{name}").kind == "d"  # the value is "="
        return
    with pytest.raises(OSError) as caught:
        shown.driver.lstat(f"@find/{name}")
    assert caught.value.errno == errno.ENOENT


def test_the_usage_names_every_predicate(shown: Shown) -> None:
    usage = shown.driver.read("@find/_usage.txt").decode()
    for predicate in (*find.PREDICATES, *find.SPANS):
        assert predicate.rstrip("<>=") in usage, predicate
    assert shown.driver.read("chunks/@find/_usage.txt").decode() == usage


def test_a_link_that_somebody_knows_leads_where_it_led(tmp_path: Path) -> None:
    """An answer of a newer generation has other links in other places: an inode keeps its target, or is gone."""
    with build(tmp_path / "store", entities=30, documents=3) as database:
        tree = opened(database)
        directory = tree.resolve("@find/type=entity")
        tree.prepare(directory)
        known = {entry.node: tree.target(entry.node) for entry in tree.entries(directory)}
        gone = sorted(tree.view.entities.slugs)[:5]
        database.write(lambda cursor: cursor.execute("DELETE FROM facts"))
        database.write(lambda cursor: cursor.execute("DELETE FROM entity_chunks"))
        database.write(
            lambda cursor: cursor.execute("DELETE FROM entities WHERE slug IN (SELECT unnest(?::VARCHAR[]))", [gone])
        )
        database.write(lambda cursor: cursor.execute("INSERT INTO stale SELECT 'entity', id FROM entities"))
        publish(database)
        tree.adopt(tree.load_snapshot())
        for node, target in known.items():
            assert tree.pending(node) or tree.pending(directory) is False
            tree.prepare(node)
            if target.rpartition("/")[2] in gone:
                with pytest.raises(NotFoundError):
                    tree.target(node)
            else:
                assert tree.target(node) == target and tree.attr(node).size == len(target.encode())
        assert len(tree.entries(directory)) == len(known) - len(gone)
        for entry in tree.entries(directory):
            assert tree.lookup(directory, entry.name) == entry.node and entry.node in known
