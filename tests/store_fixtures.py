"""Fixtures of the store's tests: an open catalog, a pipeline over it with a worker in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgfs.config import Config
from kgfs.pipeline.pipeline import Pipeline
from kgfs.store.catalog.database import Database
from tests import planned_graphs as graphs
from tests.local_worker import LocalWorker
from tests.new_stores import new_store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with new_store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """One store for the tests of a module; with ``nothing_left`` each finds it empty."""
    with new_store(tmp_path_factory.mktemp("shared")) as opened:
        yield opened


@pytest.fixture
def nothing_left(shared: Database) -> Iterator[None]:
    """When all documents of the shared store are gone, no row of theirs is left."""
    yield
    graphs.empty(shared)
    assert graphs.rows_left(shared) == {}


@pytest.fixture
def worker(tmp_path: Path) -> LocalWorker:
    return LocalWorker(tmp_path / "index.log")


@pytest.fixture
def pipeline(database: Database, worker: LocalWorker) -> Pipeline:
    return Pipeline(database, worker, Config())
