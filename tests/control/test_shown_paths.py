"""Paths are printed as the place was given: what a command prints can be given to the next one, and leads there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from kgfs.control.answers import answer
from kgfs.control.client import Discard
from kgfs.control.frames import Request
from kgfs.control.path_arguments import PathArgument, PathFinder
from kgfs.service.service import Service
from tests.graph_builder import build


class Items(Discard):
    """What a request gives, one by one."""

    cancel = threading.Event()

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []

    def item(self, item: Any) -> None:
        self.items.append(item)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    store = tmp_path_factory.mktemp("shown") / "store"
    build(store, entities=20, documents=4).close()
    with Service.open(store, path_prefix="/somewhere/kg") as opened:
        yield opened


PLACES = [
    *(
        PathArgument(text=text)
        for text in ("/kg/chunks", "/kg/chunks/", "chunks", "chunks/", "./chunks", "/", ".", "/kg", "/kg/")
    ),
    *(
        PathArgument(text=text)
        for text in ("entities/people/Person_number_1", "/kg/documents/note_1", "disk:/home/ann/Vault", "note_1")
    ),
    *(
        PathArgument(text=f"/somewhere/kg/{path}", exact=path)
        for path in ("chunks", "documents/note_2", "entities/people", "")
    ),
    PathArgument(text="../mnt/chunks", exact="chunks"),
    PathArgument(text=".", inside="chunks"),
    PathArgument(text="by_document", inside="chunks"),
    PathArgument(text="..", inside="chunks/by_document"),
]
ASKED = (
    ("find", {}),
    ("find", {"name": "note*"}),
    ("find", {"kind": "d"}),
    ("find", {"predicates": ["type=chunk"]}),
    ("find", {"predicates": ["min_facts=1"]}),
    ("grep", {"pattern": "wages"}),
    ("grep", {"pattern": "wages", "flags": "l"}),
)


def given_back(text: str, before: PathArgument) -> PathArgument:
    """What a command makes of a path that was printed, where the first one stood."""
    if before.exact is None and before.inside is None:
        return PathArgument(text=text)
    if text.startswith("/somewhere/kg"):
        return PathArgument(text=text, exact=text.removeprefix("/somewhere/kg").lstrip("/"))
    if before.exact is not None:
        assert text.startswith("../mnt/"), text
        return PathArgument(text=text, exact=text.removeprefix("../mnt/"))
    return PathArgument(text=text, inside=before.inside)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place.text} {place.exact or ''}{place.inside or ''}")
@pytest.mark.parametrize(("command", "more"), ASKED)
def test_what_is_printed_leads_there(service: Service, place: PathArgument, command: str, more: dict[str, Any]) -> None:
    receiver = Items()
    answer(service, Request(command=command, arguments={"place": place.fields(), **more}), receiver)
    namespace = service.namespace
    finder = PathFinder(lambda: namespace, service.references, service.path_prefix)
    here = finder.path(place)
    typed = place.text.rstrip("/")
    assert receiver.items or command == "grep" or "predicates" in more
    for item in receiver.items[:200]:
        found = finder.find_node(given_back(item["path"], place), follow=False)
        canonical = namespace.path(found.node)
        if (f"{canonical}/".startswith(f"{here}/") or not here) and ":" not in place.text and place.text != "note_1":
            assert typed in ("", ".") or item["path"] == place.text or item["path"].startswith(f"{typed}/"), item
        kinds = {"d": "directory", "f": "file", "l": "link"}
        assert item.get("kind") in (None, kinds[namespace.row(found.node).kind])
