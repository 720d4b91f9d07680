"""The gazetteer that is kept between passes is the one that would be made anew."""

from __future__ import annotations

import random
from pathlib import Path

from kgfs.pipeline import kept_gazetteer
from kgfs.store.catalog.database import Cursor
from tests.graph_builder import build, touch

TITLES = ("Acme Corporation", "Ada Lovelace", "Acme", "Notes", "PEP 703", "", "The Hague", "2019-10-01")
LEADS = ("Acme Corporation is a company.", "Ada Lovelace was a mathematician.", None, "It is a town in Holland.")


def test_what_is_kept_is_what_would_be_made(tmp_path: Path) -> None:
    dice = random.Random(7)

    def change(cursor: Cursor) -> None:
        for _ in range(dice.randrange(1, 4)):
            cursor.execute(
                "UPDATE documents SET title = ?, lead = ? WHERE id = ?",
                [dice.choice(TITLES), dice.choice(LEADS), dice.randrange(1, 30)],
            )

    read: list[int] = []
    stated = kept_gazetteer._all_stated

    def counting(cursor: Cursor, before: dict[int, kept_gazetteer._Stated]) -> dict[int, kept_gazetteer._Stated]:
        found = stated(cursor, before)
        read.append(sum(one is not before.get(number) for number, one in found.items()))
        return found

    with build(tmp_path / "store", documents=30, published=False) as database:
        kept_gazetteer._all_stated = counting  # type: ignore[assignment]
        try:
            for seed in range(25):
                database.write(change)
                touch(database, seed)
                kept = kept_gazetteer.kept_gazetteer(database)
                kept_gazetteer._kept.clear()
                assert kept == kept_gazetteer.kept_gazetteer(database)
        finally:
            kept_gazetteer._all_stated = stated
    assert read[0] > 25
    assert max(read[2::2]) < 10, "only what changed is read"
