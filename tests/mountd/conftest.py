"""What the tests of the handlers share: operations over a planted namespace, and trio to run them in."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pyfuse3
import pytest
import trio

from kgfs.errors import KgfsError
from mountd.guard import ErrorLog
from mountd.operations import Operations
from mountd.space import Space
from tests.mountd.planted import PlantedNamespace

T = TypeVar("T")
TREE: dict[str, bytes | str | None] = {
    "README.md": "-> AGENTS.md",
    "AGENTS.md": b"guide\n",
    "empty": b"",
    "entities/people/Ada/summary.txt": b"Ada Lovelace\n",
    "entities/people/Grace/summary.txt": b"Grace Hopper\n",
    "entities/places": None,
}


@pytest.fixture
def namespace() -> PlantedNamespace:
    return PlantedNamespace(TREE)


@pytest.fixture
def refusals() -> list[KgfsError]:
    """The errors that had a sentence for the user."""
    return []


@pytest.fixture
def operations(namespace: PlantedNamespace, tmp_path: Path, refusals: list[KgfsError]) -> Operations:
    log = ErrorLog(tmp_path / "errors.jsonl")
    return Operations(namespace, log, deadline=1.0, space=Space(tmp_path), refuse=refusals.append)


@pytest.fixture
def context() -> pyfuse3.RequestContext:
    return pyfuse3.RequestContext()


Run = Callable[..., Any]


@pytest.fixture
def run() -> Run:
    """``run(handler, *arguments)``: one handler in a loop of its own."""

    def run_one(function: Callable[..., Awaitable[T]], *arguments: Any, **named: Any) -> T:
        return trio.run(functools.partial(function, *arguments, **named))

    return run_one
