"""A store on a disk without room is still shown, as it was published last."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgfs.service.service import Service
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Database
from tests.graph_builder import build


def test_what_cannot_be_published_is_shown_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with build(tmp_path / "store", entities=10, documents=2) as database:
        database.write(lambda cursor: dirty_rows.mark_dirty(cursor, "entity", [1]))
    plain = Database.open

    def full(store: Path, *, create: bool = False) -> Database:
        return plain(store, create=create, reserve=1 << 60)

    monkeypatch.setattr(Database, "open", full)
    with Service.open(tmp_path / "store") as service:
        namespace = service.namespace
        names = [entry.name for entry in namespace.entries(namespace.resolve("entities/by_name"))]
        assert len(names) >= 10
        told = namespace.load(namespace.resolve("@status/last_error.txt"))
        assert b"space" in told.read(0, told.size)
