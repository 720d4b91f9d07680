"""Publishing while the store is being closed: nobody waits for a snapshot that nobody will see."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from kgfs.errors import Cancelled
from kgfs.namespace.loading.rows import Rows
from kgfs.namespace.namespace import Namespace
from kgfs.service.service import Service
from tests.graph_builder import build, touch


@pytest.fixture
def store(tmp_path: Path) -> Path:
    build(tmp_path / "store", documents=6)
    return tmp_path / "store"


def test_what_is_published_at_the_end_is_shown_at_the_next_start(store: Path) -> None:
    with Service.open(store) as service:
        namespace = service.namespace
        shown = namespace.view.generation
        service.publication.ending.set()
        touch(service.database, 1)
        service.publication.publish()
        assert namespace.view.generation == shown and service.publication.behind
    with Service.open(store) as service:
        assert service.namespace.view.generation == shown + 1 and not service.publication.behind


def test_a_snapshot_that_is_being_loaded_is_given_up(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Service.open(store) as service:
        namespace = service.namespace
        ending, read = threading.Event(), []
        domain = Rows.domain

        def ends_after_two(rows: Rows, name: str) -> object:
            read.append(name)
            if len(read) == 2:
                ending.set()
            return domain(rows, name)

        monkeypatch.setattr(Rows, "domain", ends_after_two)
        namespace.ending = ending
        with pytest.raises(Cancelled):
            namespace.load_snapshot()
        assert len(read) == 2
        monkeypatch.undo()
        assert isinstance(namespace, Namespace) and namespace.view.generation
