"""Each ``_usage.txt`` is true: what it shows can be run as it stands, and it names all that there is."""

from __future__ import annotations

import errno
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.errors import KgfsError, UnknownWord
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.namespace.queries import find, grep, path_files
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.tree import rows
from kgfs.search.query import AREAS, OPTIONS
from kgfs.store.catalog.database import Database
from kgfs.store.sql.views import VIEWS
from tests.graph_builder import build
from tests.namespace.drivers import NamespaceDriver, SubstringSearcher, opened

ROWS = rows(Runtime())
USAGES = {
    pattern.removesuffix("_usage.txt"): what.view._data.decode()
    for pattern, what, _ in ROWS
    if pattern.endswith("/_usage.txt")
}
"""Area to what its ``_usage.txt`` says."""

NAMES = {
    "Alphabet Inc": ("Organization", "Alphabet_Inc"),
    "Acme": ("Organization", "Acme"),
    "DeepMind": ("Organization", "DeepMind"),
    "Kaggle": ("Organization", "Kaggle"),
    "Boston": ("Location", "Boston"),
    "Federal Reserve": ("Organization", "Federal_Reserve"),
    "Geoffrey Hinton": ("Person", "Geoffrey_Hinton"),
}
"""The entities that usages speak of."""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with build(tmp_path_factory.mktemp("usages") / "store", entities=40, documents=8, published=False) as made:
        sql = "UPDATE entities SET name = ?, type = ?, slug = ?, slug_key = ? WHERE id = ?"
        rows = [[name, kind, slug, slug.lower(), row] for row, (name, (kind, slug)) in enumerate(NAMES.items(), 1)]
        made.write(lambda cursor: cursor.executemany(sql, rows))
        named = "UPDATE topics SET slug = 'labor_markets', slug_key = 'labor_markets' WHERE id = 1"
        made.write(lambda cursor: cursor.execute(named))
        publish(made)
        yield made


@pytest.fixture
def failures() -> list[KgfsError]:
    return []


@pytest.fixture
def tree(database: Database, failures: list[KgfsError]) -> Namespace:
    return opened(database, searcher=SubstringSearcher(database), failed=failures.append)


def examples(usage: str) -> list[tuple[str, str]]:
    """Each command that a usage shows, and each path of the tree in it: (command, path)."""
    found = []
    for line in usage.splitlines():
        for match in re.finditer(r"\b(cat|ls|tail -n \+1 -f)\s+('[^']+'|[^\s':;,)]+)", line):
            found.append((match[1].split()[0], shlex.split(match[2].rstrip("."))[0]))
        for match in re.finditer(r"'([^']*@[^']+)'", line):
            found.append(("", match[1]))
    return list(dict.fromkeys(found))


EXAMPLES = [(area, *example) for area, usage in USAGES.items() for example in examples(usage)]


def test_there_are_examples() -> None:
    assert set(USAGES) == {"@brief/", "@search/", "@grep/", "@find/", "@near/", "@path/", "@sql/", "@changes/"}
    for area, usage in USAGES.items():
        assert len([path for _, path in examples(usage) if area.rstrip("/") in path]) >= 2, area
        assert usage.endswith("\n") and max(map(len, usage.splitlines())) <= 130


@pytest.mark.parametrize(("area", "command", "path"), EXAMPLES)
def test_what_a_usage_shows_can_be_run(
    tree: Namespace, failures: list[KgfsError], area: str, command: str, path: str
) -> None:
    driver = NamespaceDriver(tree)
    assert not path.startswith("/"), "a path of the tree is from where one stands"
    if area == "@near/":
        path = f"entities/people/Geoffrey_Hinton/{path}"
    kind = driver.lstat(path).kind
    if command == "ls" or (not command and kind == "d"):
        listed = driver.listdir(path)
        assert all(driver.lstat(f"{path}/{name}").kind for name in listed)
    else:
        assert kind == "f" and len(driver.read(path)) == driver.lstat(path).size
    assert not [error for error in failures if not error.message.startswith(("No chain", "No line"))]


def words(usage: str) -> set[str]:
    return set(re.findall(r"[^\s,;:()'/.]+", usage))


def test_find_names_every_predicate() -> None:
    shown = {match[1] + match[2] for match in re.finditer(r"\b([a-z_]+)(<=|>=|<|>|=)", USAGES["@find/"])}
    assert shown == set(find.PREDICATES) | find.SPANS


def test_search_names_every_kind_and_option() -> None:
    usage = USAGES["@search/"]
    assert set(AREAS) <= words(usage) and {"text"} <= words(usage)
    assert {match[1] for match in re.finditer(r"\b([a-z]+)=", usage)} == set(OPTIONS)


def test_grep_names_every_flag() -> None:
    said = re.search(r"^Flags: (.*?)\.$", USAGES["@grep/"], re.M | re.S)
    assert said and set(re.findall(r"\b([A-Za-z0-9]) \(", said[1])) == set(grep.FLAGS)


def test_sql_names_every_view() -> None:
    said = re.search(r"^Views: ([a-z_ \n]+)\.$", USAGES["@sql/"], re.M)
    assert said and set(said[1].split()) == set(VIEWS)


@pytest.mark.parametrize("area", ["@path/", "@near/", "@search/", "@changes/"])
def test_every_file_of_an_answer_is_named(area: str) -> None:
    files = {pattern.rpartition("/")[2] for pattern, _, _ in ROWS if pattern.startswith(area)}
    for name in files - {"_usage.txt", ""}:
        if not name.startswith("<"):
            assert name in USAGES[area], name


UNKNOWN = (
    ("@find", "colour=red", "colour=red"),
    ("@find", "type", "type"),
    ("@find/type=Person", "facts!3", "facts!3"),
    ("chunks/@find", "Name=x", "Name=x"),
    ("@search", "everything", "semantic"),
    ("@path", "Nobody At All", "Nobody At All"),
    ("@path/DeepMind", "Nobody", "Nobody"),
    ("@path", "geoffrey", "did you mean Geoffrey_Hinton"),
    ("entities/people/Geoffrey_Hinton/@near", "9", "4"),
)


@pytest.mark.parametrize(("directory", "name", "said"), UNKNOWN)
def test_a_word_that_is_none_has_a_sentence(tree: Namespace, directory: str, name: str, said: str) -> None:
    node = NamespaceDriver(tree).node(directory)
    if tree.pending(node, name):
        tree.prepare(node, name)
    with pytest.raises(UnknownWord, match=re.escape(said)) as caught:
        tree.lookup(node, name)
    assert caught.value.errno == errno.ENOENT and caught.value.message.endswith((".", "?"))
    for probe in (".git", "_usage", ".ignore"):
        with pytest.raises(KgfsError) as caught:
            tree.lookup(node, probe)
        assert not isinstance(caught.value, UnknownWord), "tools probe for such names"


def test_no_chain_is_said(tree: Namespace, database: Database, failures: list[KgfsError], tmp_path: Path) -> None:
    """One sentence is in the file, and in ``last_error.txt``."""
    with build(tmp_path / "store", entities=12, documents=1, chunks_a_document=1) as small:
        told: list[KgfsError] = []
        alone = opened(small, failed=told.append)
        driver = NamespaceDriver(alone)
        slugs = alone.view.entities.slugs
        bound = {
            entity for chunk in range(len(alone.view.chunks)) for entity in alone.view.chunk_entities.members(chunk)
        }
        ends = [index for index in range(len(slugs)) if index not in bound][:2]
        one, other = (slugs[index] for index in ends)
        assert driver.read(f"@path/{one}/{other}/path.txt").decode() == f"# {path_files.no_chain(alone.view, *ends)}\n"
        assert driver.read(f"@path/{one}/{other}/path.jsonl") == b""
        assert driver.listdir(f"@path/{one}/{other}") == ["path.txt", "path.jsonl"]
        assert len(told) == 1 and told[0].message.endswith(".")
        assert "up to 4 facts" in told[0].message and one in told[0].message and other in told[0].message


def test_no_line_is_said(tree: Namespace, failures: list[KgfsError]) -> None:
    """The answer is empty, as grep's output is; ``last_error.txt`` says that nothing matched, and what else to try."""
    driver = NamespaceDriver(tree)
    for flags, tried in (("", True), ("-w/", True), ("-i/", False), ("-ri/", False)):
        failures.clear()
        assert driver.read(f"@grep/{flags}zzqqxxyy") == b""
        assert len(failures) == 1 and "'zzqqxxyy'" in failures[0].message and failures[0].message.endswith(".")
        assert ("@grep/-i" in failures[0].message) == tried
