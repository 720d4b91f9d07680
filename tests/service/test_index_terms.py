"""A store whose keyword index holds the terms of another version: its rows wait, once, and its vectors stay."""

from __future__ import annotations

from pathlib import Path

from kgfs.service.health import state
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.tree import pages
from tests.new_stores import new_store


def generations(database: Database) -> list[int]:
    return [row[0] for row in database.fetch("SELECT have_gen FROM topics")]


def test_an_index_of_other_terms_waits_once(tmp_path: Path) -> None:
    with new_store(tmp_path / "store") as database:
        identities = {"chunk_text": "one", "topic_text": "two"}
        state.renew_terms(database)
        state.reconcile_index(database, identities)

        def indexed(cursor: Cursor) -> None:
            cursor.execute("DELETE FROM topics")
            cursor.execute("INSERT INTO topics (id, slug, name, want_gen, have_gen) VALUES (1, 'wages', 'wages', 3, 3)")

        database.write(indexed)
        state.renew_terms(database)
        assert generations(database) == [3], "the index has these terms"
        database.write(lambda cursor: pages.write_meta(cursor, "index_terms", "0"))
        state.renew_terms(database)
        assert generations(database) == [0]
        database.write(indexed)
        state.renew_terms(database)
        state.reconcile_index(database, identities)
        assert generations(database) == [3], "and once only"
