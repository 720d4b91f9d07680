"""What a model answered about a text goes when the text is purged, or was gone for long; never before."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from kgfs.pipeline.pipeline import Pipeline
from kgfs.pipeline.request import AddRequest
from kgfs.store.catalog.database import Database
from kgfs.store.files.items import now
from kgfs.store.llm import llm_uses
from tests.pipeline.test_reading_by_model import CONFIG, ModelWorker, folder


class Store:
    """A folder, read by a model."""

    def __init__(self, database: Database, place: Path) -> None:
        self.database, self.worker, self.notes = database, ModelWorker(place), folder(place / "notes")
        self.add()

    def add(self) -> int:
        """How many requests were asked for it."""
        before = len(self.worker.asked)
        Pipeline(self.database, self.worker, CONFIG).add(AddRequest(paths=[self.notes], extractor="llm"))
        return len(self.worker.asked) - before

    def remove(self, name: str) -> None:
        ids = [row[0] for row in self.database.fetch("SELECT id FROM context_items WHERE ends_with(path, ?)", [name])]
        Pipeline(self.database, self.worker, CONFIG).remove(ids)

    def words(self, said: str) -> int:
        """How many answers have these words."""
        (row,) = self.database.fetch("SELECT count(*) FROM llm_answers WHERE contains(input, ?)", [said])
        return int(row[0])


@pytest.fixture
def store(database: Database, tmp_path: Path) -> Store:
    return Store(database, tmp_path)


@pytest.mark.slow
def test_purge_erases_what_only_gone_documents_need_and_plain_removal_nothing(store: Store) -> None:
    answers = store.database.fetch("SELECT count(*) FROM llm_answers")
    assert store.words("Gizmo1 Works") and store.words("Gizmo2 Works")
    store.remove("note1.md")
    assert store.database.fetch("SELECT count(*) FROM llm_answers") == answers
    assert store.add() == 0, "the same text costs nothing again"

    store.remove("note1.md")
    assert store.database.write(llm_uses.purge_answers) > 0
    assert store.words("Gizmo1 Works") == 0 and store.words("Gizmo2 Works")
    assert store.database.write(llm_uses.purge_answers) == 0
    (store.notes / "note1.md").unlink()
    store.database.write(lambda cursor: cursor.execute("UPDATE context_items SET extracted_gen = 0"))
    assert store.add() == 1 and store.worker.asked[-1][1] == "topics", "only topics showed words of what is gone"


@pytest.mark.slow
def test_an_answer_that_two_documents_need_stays_for_the_second(store: Store) -> None:
    text = (store.notes / "note1.md").read_text()
    (store.notes / "same.md").write_text(text)
    assert store.add() == 0
    store.remove("note1.md")
    store.database.write(llm_uses.purge_answers)
    assert store.words("Gizmo1 Works")
    store.remove("same.md")
    store.database.write(llm_uses.purge_answers)
    assert store.words("Gizmo1 Works") == 0


@pytest.mark.slow
def test_what_was_removed_or_rewritten_goes_with_the_versions(store: Store) -> None:
    def prune(days: float) -> None:
        store.database.write(lambda cursor: llm_uses.prune_answers(cursor, days=days))

    def later(days: float) -> None:
        before = now() - timedelta(days=days)
        store.database.write(
            lambda cursor: cursor.execute("UPDATE llm_uses SET left_at = ? WHERE left_at IS NOT NULL", [before])
        )

    store.remove("note1.md")
    (store.notes / "note1.md").unlink()
    changed = store.notes / "note2.md"
    changed.write_text(changed.read_text().replace("Widget0 Corp", "Silent Corp"))
    assert store.add() > 0
    prune(30)
    assert store.words("Gizmo1 Works") and store.words("Widget0 Corp acquired Gizmo2")
    later(29)
    prune(30)
    assert store.words("Gizmo1 Works") and store.words("Widget0 Corp acquired Gizmo2")
    later(31)
    prune(30)
    assert store.words("Gizmo1 Works") == store.words("Widget0 Corp acquired Gizmo2") == 0
    assert store.words("Silent Corp acquired Gizmo2") and store.words("Gizmo0 Works")
    store.database.write(lambda cursor: cursor.execute("UPDATE context_items SET extracted_gen = 0"))
    assert store.add() == 0
