"""Dates in questions: ``@find`` and the filters of ``@search``, each against a model that reads the rows one by one."""

from __future__ import annotations

import datetime as dt
import errno
import random
from pathlib import Path
from typing import Any

import pytest

from kgfs.errors import QueryError
from kgfs.namespace.namespace import Namespace
from kgfs.namespace.publish import publish
from kgfs.namespace.queries import find
from kgfs.namespace.scope import EVERYTHING
from kgfs.search.query import search_request
from kgfs.search.rows import CatalogRows
from kgfs.store.catalog.database import Cursor, Database
from tests.graph_builder import build
from tests.namespace.drivers import NamespaceDriver, opened

DATES = (
    "1492", "1677-09", "1999-12-31", "2000-02-29", "2005-06", "2019", "2019-10", "2019-10-01", "2019-10-31",
    "2019-10-31T23:30:00Z", "2019-11-01", "2020-01", "2020-01-01T00:00:00Z", "2025-03-04", "2300-01-01", None,
)  # fmt: skip
ASKED = (
    "1492", "1492-01", "1600", "1677-09-01", "1999", "1999-12", "1999-12-31", "2000-01-01", "2000-02", "2005",
    "2005-06-01", "2019", "2019-10", "2019-10-31", "2019-11", "2020", "2020-02", "2024", "2025-03-04", "2262", "2300",
    "9999",
)  # fmt: skip


def redate(database: Database, dice: random.Random) -> None:
    """Other dates everywhere: a document's, that of its chunks (or none of their own) and of its facts."""

    def change(cursor: Cursor) -> None:
        for table in ("documents", "chunks", "facts"):
            for (row,) in cursor.execute(f"SELECT id FROM {table}").fetchall():
                cursor.execute(f"UPDATE {table} SET date = ? WHERE id = ?", [dice.choice(DATES), row])
                if dice.random() < 0.3:
                    cursor.execute(f"UPDATE {table} SET date = NULL WHERE id = ?", [row])

    database.write(change)


class Model:
    """Which rows have something dated within a span of time, by looking at each."""

    def __init__(self, database: Database) -> None:
        fetch = database.fetch
        documents = dict(fetch("SELECT id, date FROM documents"))
        self.dates: dict[str, dict[int, list[dt.date]]] = {kind: {} for kind in find.KINDS}
        for row, date in documents.items():
            self._has("document", row, date)
        chunks: dict[int, str | None] = {}
        for row, document, date in fetch("SELECT id, document_id, date FROM chunks"):
            chunks[row] = date or documents[document]
            self._has("chunk", row, chunks[row])
            self._has("document", document, chunks[row])
        for kind, links in (("entity", "entity_chunks"), ("topic", "chunk_topics")):
            for row, chunk in fetch(f"SELECT {kind}_id, chunk_id FROM {links}"):
                self._has(kind, row, chunks[chunk])
        for row, subject, object_, date in fetch("SELECT id, subject_id, object_id, date FROM facts"):
            self._has("fact", row, date)
            for entity in {subject, object_} - {None}:
                self._has("entity", entity, date)

    def _has(self, kind: str, row: int, date: str | None) -> None:
        known = self.dates[kind].setdefault(row, [])
        if date is not None:
            known.append(dt.date.fromisoformat((date + "0000-01-01"[len(date) :])[:10]))

    def within(self, kind: str, since: str | None, until: str | None) -> set[int]:
        first = dt.date.min if since is None else dt.date.fromisoformat(since + "0000-01-01"[len(since) :])
        last = dt.date.max if until is None else self._last(until)
        every = since is None and until is None
        return {row for row, dates in self.dates[kind].items() if every or any(first <= day <= last for day in dates)}

    @staticmethod
    def _last(date: str) -> dt.date:
        for day in (31, 30, 29, 28):
            try:
                return dt.date.fromisoformat(date + f"0000-12-{day}"[len(date) :])
            except ValueError:
                continue
        raise AssertionError(date)


def found(s: Any, *words: str) -> dict[str, set[int]]:
    chosen = find.satisfying(s, EVERYTHING, words)
    return {
        kind: {getattr(s, domain).ids[index] for index in chosen.get(kind, ())}
        for kind, (domain, _, _) in find.KINDS.items()
    }


def spans(dice: random.Random, count: int) -> list[tuple[str | None, str | None]]:
    ends = (*ASKED, None)
    return [(dice.choice(ends), dice.choice(ends)) for _ in range(count)] + [(date, date) for date in ASKED]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_what_has_something_dated_within(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    with build(tmp_path / "store", entities=20, documents=5, chunks_a_document=4, topics=7, seed=seed) as database:
        redate(database, dice)
        publish(database)
        model, s, rows = Model(database), opened(database).view, CatalogRows(database)
        seen = 0
        for since, until in spans(dice, 60):
            words = [f"from={since}"] if since else []
            words += [f"to={until}"] if until else []
            dice.shuffle(words)
            expected = {kind: model.within(kind, since, until) for kind in find.KINDS}
            assert found(s, *words) == expected, (since, until)
            if since == until and since:
                assert found(s, f"date={since}") == expected
            options = {name: date for name, date in (("from", since), ("to", until)) if date}
            for kind in ("chunk", "fact", "entity", "topic"):
                allowed = rows.allowed(kind, search_request("semantic", "x", options)).tolist()
                assert allowed == sorted(expected[kind]), (kind, since, until)
            seen += sum(0 < len(expected[kind]) < len(model.dates[kind]) for kind in expected)
        assert seen > 100, "most questions tell rows apart"


@pytest.mark.parametrize("seed", range(4))
def test_dates_among_other_predicates_are_one_span(tmp_path: Path, seed: int) -> None:
    """Wherever they stand and however many there are."""
    dice = random.Random(seed)
    with build(tmp_path / "store", entities=20, documents=5, chunks_a_document=4, seed=seed) as database:
        redate(database, dice)
        publish(database)
        model, s = Model(database), opened(database).view
        others = ("type=Person", "type=entity", "min_facts=1", "name=*1*", "type=chunk", "topic=topic_1")
        for since, until in spans(dice, 40):
            words = [dice.choice(others)]
            only = found(s, *words)
            dated = [f"from={since}"] * (since is not None) + [f"to={until}"] * (until is not None)
            if since == until and since and dice.random() < 0.5:
                dated.append(f"date={since}")
            words += dated
            dice.shuffle(words)
            expected = {kind: only[kind] & model.within(kind, since, until) for kind in only}
            assert found(s, *words) == expected, words


NO_DATES = (
    "2019-02-30",
    "2019-02-29",
    "2019-13",
    "2019-00",
    "0000",
    "19",
    "2019-1",
    "2019-10-1",
    "2019-10-",
    "",
    " 2019",
)


@pytest.mark.parametrize("date", NO_DATES)
def test_what_is_no_date(tree: Namespace, date: str) -> None:
    driver = NamespaceDriver(tree)
    for path in (f"@find/date={date}", f"@find/from={date}", f"@find/to={date}"):
        with pytest.raises(OSError) as caught:
            driver.listdir(path)
        assert caught.value.errno == errno.EINVAL, path
    for option in ("from", "to"):
        with pytest.raises(QueryError, match="is no date"):
            search_request("semantic", "wages", {option: date})


@pytest.mark.parametrize("value", ["\udcff", "a\udc80b", "%", "\x00", "é" * 500, "'", "disk:/\udcff", "disk:", ":", ""])
@pytest.mark.parametrize("option", ["origin", "type", "from", "to", "limit", "offset"])
def test_odd_options_find_nothing_or_are_refused(database: Database, option: str, value: str) -> None:
    """Bytes of a path that are no UTF-8 among them: the engine takes none."""
    try:
        asked = search_request("semantic", "wages", {option: value})
    except QueryError:
        return
    for kind in ("chunk", "fact", "entity", "topic"):
        found = CatalogRows(database).allowed(kind, asked)
        assert (option == "origin" and value in ("disk:",)) or not len(found)
