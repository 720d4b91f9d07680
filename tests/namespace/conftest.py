"""A store with a graph, once for all tests that only read it, and the tree over it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgfs.namespace import prefixes
from kgfs.namespace.namespace import Namespace
from kgfs.store.catalog.database import Database
from tests.graph_builder import build
from tests.namespace.drivers import SubstringSearcher, opened


@pytest.fixture(scope="session", autouse=True)
def short_lists() -> Iterator[None]:
    """The graphs of these tests are small, and all that the tree has is to be shown."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prefixes, "LIMIT", 5)
        yield


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with build(tmp_path_factory.mktemp("graph") / "store") as made:
        yield made


@pytest.fixture(scope="session")
def tree(database: Database) -> Namespace:
    return opened(database, searcher=SubstringSearcher(database))
