"""Fixtures of the store's tests: an open catalog, a pipeline over it with a worker in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from workers import LocalWorker

from kgfs.config import Config
from kgfs.ingest.pipeline import Pipeline
from kgfs.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database.open(tmp_path / "store", create=True) as opened:
        yield opened


@pytest.fixture
def worker(tmp_path: Path) -> LocalWorker:
    return LocalWorker(tmp_path / "index.log")


@pytest.fixture
def pipeline(database: Database, worker: LocalWorker) -> Pipeline:
    return Pipeline(database, worker, Config())
