"""What every door to the tree must do: one suite, run on the namespace, on the mount's operations and on a real mount.

A door is a ``Driver``. To run the suite on one, subclass ``Contract`` in a test module and give the fixture ``driver``
(over a store made by ``graph_builder.build(directory)`` with its defaults):

    class TestNamespace(Contract):
        @pytest.fixture(scope="class")
        @classmethod
        def driver(cls, tmp_path_factory): ...

Paths start at the tree's root without a slash; the root is "". Failures are ``OSError`` with the errno that the
kernel sees.
"""

from __future__ import annotations

import errno
import json
import posixpath
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

import pytest


class Stat(NamedTuple):
    """What ``lstat`` says."""

    kind: str
    """``d``, ``f`` or ``l``."""
    size: int
    mtime_ns: int
    mode: int
    nlink: int
    ino: int


class Driver(Protocol):
    """A door to the tree."""

    def listdir(self, path: str) -> list[str]: ...
    def lstat(self, path: str) -> Stat: ...
    def read(self, path: str) -> bytes: ...
    def readlink(self, path: str) -> str: ...


def join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name


def walk(driver: Driver, start: str = "") -> Iterator[tuple[str, Stat]]:
    """Every path beneath, links not followed."""
    waiting = [start]
    while waiting:
        here = waiting.pop()
        for name in driver.listdir(here):
            path = join(here, name)
            stat = driver.lstat(path)
            yield path, stat
            if stat.kind == "d":
                waiting.append(path)


def documents(driver: Driver) -> list[str]:
    """The names of all documents."""
    return [name for name in driver.listdir("documents") if not name.startswith("_") and name != "by_prefix"]


def fails(number: int, call: object, *arguments: object) -> None:
    with pytest.raises(OSError) as caught:
        call(*arguments)  # type: ignore[operator]
    assert caught.value.errno == number


class Contract:
    """The cases."""

    @pytest.fixture(scope="class")
    @classmethod
    def driver(cls) -> Driver:
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def places(cls, driver: Driver) -> dict[str, Stat]:
        """Every path of the tree."""
        return dict(walk(driver))

    def test_root_lists_what_the_design_names(self, driver: Driver) -> None:
        names = set(driver.listdir(""))
        wanted = {"AGENTS.md", "README.md", "sources", "notes", "entities", "topics", "chunks", "documents", "facts"}
        assert names == wanted | {
            "context", "workspace", "@brief", "@search", "@grep", "@find", "@path", "@sql", "@kv", "@session", "@audit",
            "@agent", "@changes", "@status",
        }  # fmt: skip

    def test_names_of_a_listing_are_unique(self, driver: Driver) -> None:
        for directory in ("", "entities/by_name", "entities/people", "documents", "facts/by_type/ACQUIRED"):
            names = driver.listdir(directory)
            assert len(names) == len(set(names))

    def test_sizes_are_true(self, driver: Driver, places: dict[str, Stat]) -> None:
        for path, stat in places.items():
            if stat.kind == "f":
                assert len(driver.read(path)) == stat.size, path

    def test_modes_and_link_counts(self, places: dict[str, Stat]) -> None:
        modes = {"d": 0o755, "f": 0o644, "l": 0o777}
        for path, stat in places.items():
            links = {1, 2} if path in ("workspace", "@kv", "@session") else {1}  # there other file systems stand
            assert stat.mode == modes[stat.kind], path
            assert stat.nlink in links, path

    def test_inodes_are_unique(self, places: dict[str, Stat]) -> None:
        assert len({stat.ino for stat in places.values()}) == len(places)

    def test_links_are_relative_and_lead_to_something_listed(self, driver: Driver, places: dict[str, Stat]) -> None:
        for path, stat in places.items():
            if stat.kind == "l":
                target = driver.readlink(path)
                assert not target.startswith("/")
                assert len(target.encode()) == stat.size
                resolved = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
                assert resolved in places, (path, target)
                assert places[resolved].kind != "l", (path, target)

    def test_what_is_not_listed_is_not_there(self, driver: Driver, places: dict[str, Stat]) -> None:
        for path, stat in [("", driver.lstat("")), *places.items()]:
            if stat.kind == "d" and not path.startswith(
                ("@brief", "@search/", "@grep", "@sql")
            ):  # there it is a question
                fails(errno.ENOENT, driver.lstat, join(path, "nothing like this"))
                fails(errno.ENOENT, driver.lstat, join(path, ".git"))

    def test_beneath_a_file_is_no_directory(self, driver: Driver) -> None:
        fails(errno.ENOTDIR, driver.lstat, "AGENTS.md/x")
        fails(errno.ENOTDIR, driver.listdir, "AGENTS.md")

    def test_chunks_joined_are_the_text(self, driver: Driver) -> None:
        for document in documents(driver):
            chunks = sorted(driver.listdir(f"chunks/by_document/{document}"))
            names = [name for name in chunks if name.startswith("chunk_")]
            parts = [driver.read(f"chunks/by_document/{document}/{name}/content.txt") for name in names]
            text = f"documents/{document}/text.txt"
            if driver.lstat(text).kind == "l":
                text = posixpath.normpath(f"documents/{document}/{driver.readlink(text)}")
            assert b"".join(parts) == driver.read(text)

    def test_an_entity_counts_its_facts(self, driver: Driver) -> None:
        for name in driver.listdir("entities/people"):
            path = f"entities/people/{name}"
            if driver.lstat(path).kind == "d":
                lines = driver.read(f"{path}/facts/all.jsonl").splitlines()
                assert driver.lstat(path).size == len(lines)
                listed = [
                    join(kind, fact)
                    for kind in driver.listdir(f"{path}/facts/by_type")
                    for fact in driver.listdir(f"{path}/facts/by_type/{kind}")
                ]
                facts = [json.loads(line) for line in lines]
                assert sorted(listed) == sorted(f"{fact['type']}/{fact['fact_id']}.json" for fact in facts)
                assert all(fact["subject_slug"] == name for fact in facts)

    def test_a_fact_holds_its_quote(self, driver: Driver) -> None:
        for kind in driver.listdir("facts/by_type"):
            if kind.startswith("_"):
                continue
            for name in driver.listdir(f"facts/by_type/{kind}"):
                fact = json.loads(driver.read(f"facts/by_type/{kind}/{name}"))
                start, end = fact["span"]
                passage = driver.read(f"{fact['chunk']}/content.txt")
                assert passage[start:end].decode() == fact["quote"]
                assert f"{fact['fact_id']}.json" == name

    def test_dates(self, driver: Driver) -> None:
        for document in documents(driver):
            date = json.loads(driver.read(f"documents/{document}/metadata.json"))["date"]
            if date is not None:
                moment = datetime.fromisoformat((date + "0000-01-01"[len(date) :])[:10] + "T12:00:00").replace(
                    tzinfo=UTC
                )
                wanted = int(moment.timestamp()) * 10**9
                assert driver.lstat(f"documents/{document}").mtime_ns == wanted
                assert driver.lstat(f"chunks/by_document/{document}/chunk_0001/content.txt").mtime_ns == wanted

    def test_directories_are_as_new_as_their_newest_member(self, driver: Driver, places: dict[str, Stat]) -> None:
        newest: dict[str, int] = {}
        for path, stat in places.items():
            above = posixpath.dirname(path)
            newest[above] = max(newest.get(above, -(1 << 63)), stat.mtime_ns)
        for directory in ("facts", "relationships", "related_to", "chunks", "documents", "topics", "mentioned_in"):
            for name in driver.listdir("entities/people"):
                path = f"entities/people/{name}/{directory}"
                if path in places and path in newest:
                    assert places[path].mtime_ns == newest[path], path

    def test_a_nested_topic_has_one_place(self, driver: Driver, places: dict[str, Stat]) -> None:
        nested = [path for path, stat in places.items() if "/subtopics/" in path and path.endswith("/definition.txt")]
        assert nested
        for path in nested:
            fails(errno.ENOENT, driver.lstat, f"topics/{path.split('/')[-2]}")

    def test_neighbours_files_answer_and_are_not_listed(self, driver: Driver) -> None:
        assert json.loads(driver.read(".vscode/settings.json"))["search.followSymlinks"] is False
        assert driver.read("CACHEDIR.TAG").startswith(b"Signature: 8a477f597d28d172789f06886806bc55")
        assert driver.read(".nomedia") == driver.read(".trackerignore") == b""
        assert not any(name.startswith(".") or name == "CACHEDIR.TAG" for name in driver.listdir(""))

    def test_query_areas_list_fixed_names_only(self, driver: Driver) -> None:
        kinds = {"semantic", "keyword", "entities", "facts", "chunks", "topics"}
        assert set(driver.listdir("@search")) == kinds | {"text", "_usage.txt"}
        driver.lstat("@search/semantic/what became of it")
        for kind in (*kinds, "text"):
            assert driver.listdir(f"@search/{kind}") == []
        fails(errno.ENOENT, driver.lstat, "@search/semantic/.git")

    def test_the_guide_is_short(self, driver: Driver) -> None:
        assert 500 < len(driver.read("AGENTS.md").decode()) < 4000

    def test_status(self, driver: Driver) -> None:
        status = json.loads(driver.read("@status/status.json"))
        assert status["counts"]["documents"] == 12
