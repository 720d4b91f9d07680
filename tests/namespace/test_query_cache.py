"""What is kept of questions: it has a budget, goes when they are forgotten, and numbers of links keep their meaning."""

from __future__ import annotations

import gc
import random
import threading
import tracemalloc
from pathlib import Path

import pytest

from kgfs.control.answers import answer
from kgfs.control.client import Discard as Unheard
from kgfs.control.frames import Request
from kgfs.errors import NotFoundError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.namespace.queries import query_cache
from kgfs.service.service import Service
from tests.graph_builder import build, touch
from tests.namespace.drivers import NamespaceDriver, opened


class Discard(Unheard):
    """A reply that nobody reads."""

    cancel = threading.Event()


def asked(tree: Namespace, path: str) -> dict[int, str]:
    """What a question lists, as a reader gets to know it: each link with where it leads."""
    node = NamespaceDriver(tree).node(path)
    if tree.pending(node):
        tree.prepare(node)
    return {entry.node: tree.target(entry.node) for entry in tree.entries(node)}


@pytest.mark.slow
def test_answers_stay_within_their_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many questions a reader asks and never forgets, and however much each lists."""
    budget = 6 << 20
    monkeypatch.setattr(query_cache, "KEPT_BYTES", budget)
    with build(tmp_path / "store", entities=800, documents=60, chunks_a_document=10) as database:
        tree = opened(database)
        links = len(asked(tree, "@find/name=*"))
        assert links > 2_000
        gc.collect()
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            for number in range(150):
                asked(
                    tree,
                    f"@find/name=*/facts>=0/facts<{1000 + number}"
                    if number % 2
                    else f"@find/name=*/name=*[!~{number}]*",
                )
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
        weights = sum(tree.queries._weights.values())
        assert weights <= budget and grown < 1.25 * budget, (weights, grown)
        assert len(tree.queries) > 150, "a reader that forgets nothing can go on with each"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_number_keeps_its_meaning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Through generations, answers that are dropped and questions that are forgotten: a node that a reader knows leads
    where it led, or is gone."""
    dice = random.Random(seed)
    monkeypatch.setattr(query_cache, "KEPT_BYTES", 20_000)
    monkeypatch.setattr(query_cache, "SPARE_NUMBERS", 50)
    paths = ["@find/name=*", "@find/type=entity", "@find/type=chunk", "entities/@find/name=*1*", "@find/min_facts=1"]
    with build(tmp_path / "store", entities=20, documents=4, chunks_a_document=3, seed=seed) as database:
        tree = opened(database)
        known: dict[str, dict[int, str]] = {path: {} for path in paths}
        directories: dict[str, list[int]] = {}
        for step in range(60):
            path = dice.choice(paths)
            match dice.randrange(6):
                case 0:
                    touch(database, dice.randrange(1000))
                    publish(database)
                    tree.adopt(tree.load_snapshot())
                case 1 if path in directories:
                    tree.forget([*known[path], *reversed(directories.pop(path))])
                    known[path] = {}
                case _:
                    directories[path] = trail(tree, path)
                    now = asked(tree, path)
                    assert all(known[path].get(node, target) == target for node, target in now.items()), step
                    known[path] |= now
            for path, links in known.items():
                if links:
                    tree.prepare(directories[path][-1])
                for node, target in links.items():
                    try:
                        assert tree.target(node) == target, (step, path)
                    except NotFoundError:
                        continue
        for path in list(directories):
            tree.forget([*known[path], *reversed(directories.pop(path))])
        assert not len(tree.queries)


@pytest.mark.slow
def test_numbers_that_nobody_knows_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_cache, "SPARE_NUMBERS", 50)
    ever: set[str] = set()
    with build(tmp_path / "store", entities=40, documents=2) as database:
        tree = opened(database)
        for number in range(30):
            sql = "UPDATE entities SET slug = $1 || id::VARCHAR, slug_key = $1 || id::VARCHAR"
            database.write(lambda cursor, sql=sql, number=number: cursor.execute(sql, [f"g{number}_"]))  # type: ignore[misc]
            database.write(lambda cursor: cursor.execute("INSERT INTO stale SELECT 'entity', id FROM entities"))
            publish(database)
            tree.adopt(tree.load_snapshot())
            links = asked(tree, "@find/type=entity")
            ever |= set(links.values())
            assert len(tree.queries.link_numbers) <= 50 + 3 * len(links)
            tree.forget([*links, *reversed(trail(tree, "@find/type=entity"))])
    assert len(ever) == 30 * 40


def trail(tree: Namespace, path: str) -> list[int]:
    """The nodes on the way to a path."""
    found = [tree.root]
    for name in path.split("/"):
        found.append(tree.lookup(found[-1], name))
    return found[1:]


REQUESTS = (
    ("find", {"place": {"text": "/"}, "predicates": ["type=entity", "name=*{}*"]}),
    ("find", {"place": {"text": "entities"}, "predicates": ["min_facts=1", "name=*{}*"]}),
    ("find", {"place": {"text": "@find/name=*{}*"}, "name": "*1*"}),
    ("ls", {"place": {"text": "@find/name=*{}*/type=entity"}}),
    ("cat", {"place": {"text": "chunks/@find/name=*{}*/_paths.txt"}}),
    ("stat", {"place": {"text": "@find/name=*{}*"}}),
    ("cat", {"place": {"text": "@grep/-i/wages{}"}}),
    ("tree", {"place": {"text": "entities/@find/name=*{}*"}}),
    ("grep", {"place": {"text": "documents"}, "pattern": "wages{}"}),
    ("ls", {"place": {"text": "@find/colour={}"}}),
    ("ls", {"place": {"text": "@find/facts>{}x"}}),
)


def filled(value: object, number: int) -> object:
    if isinstance(value, str):
        return value.replace("{}", str(number))
    if isinstance(value, list):
        return [filled(each, number) for each in value]
    return {key: filled(each, number) for key, each in value.items()} if isinstance(value, dict) else value


def request(service: Service, number: int) -> None:
    command, arguments = REQUESTS[number % len(REQUESTS)]
    place = dict(arguments["place"])
    made = filled({**arguments, "place": place}, number)
    try:
        answer(service, Request(command=command, arguments=made), Discard())  # type: ignore[arg-type]
    except Exception as error:
        assert "colour" in str(made) or "x" in str(made), (made, error)


def test_a_request_leaves_no_question_behind(tmp_path: Path) -> None:
    build(tmp_path / "store", entities=40, documents=4).close()
    with Service.open(tmp_path / "store") as service:
        tree = service.namespace
        assert not len(tree.queries)
        for number in range(60):
            request(service, number)
            assert not len(tree.queries), REQUESTS[number % len(REQUESTS)]
        assert not tree.queries._weights


def test_what_the_kernel_knows_stays_when_a_request_ends(tmp_path: Path) -> None:
    """In either order, and while both ask at once."""
    build(tmp_path / "store", entities=40, documents=4).close()
    with Service.open(tmp_path / "store") as service:
        tree = service.namespace
        path = "@find/name=*1*"
        known = asked(tree, path)
        nodes = trail(tree, path)
        for _ in range(3):
            answer(service, Request(command="ls", arguments={"place": {"text": path}}), Discard())
            answer(service, Request(command="find", arguments={"place": {"text": path}}), Discard())
        assert {node: tree.target(node) for node in known} == known

        failures: list[BaseException] = []
        over = threading.Event()

        def requests(start: int) -> None:
            number = start
            while not over.is_set():
                answer(
                    service,
                    Request(command="ls", arguments={"place": {"text": f"@find/name=*{number % 5}*"}}),
                    Discard(),
                )
                number += 1

        threads = [threading.Thread(target=requests, args=(start,)) for start in range(3)]
        for thread in threads:
            thread.start()
        try:
            for number in range(300):
                one = f"@find/name=*{number % 5}*"
                on_the_way = trail(tree, one)
                found = asked(tree, one)
                assert found and {node: tree.target(node) for node in found} == found
                if number % 3:
                    tree.forget([*found, *reversed(on_the_way)])
        except BaseException as error:
            failures.append(error)
        finally:
            over.set()
            for thread in threads:
                thread.join()
        if failures:
            raise failures[0]
        tree.forget([*known, *reversed(nodes)])
