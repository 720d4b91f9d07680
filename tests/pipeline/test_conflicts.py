"""Facts that cannot both be true are marked, whatever comes first, until one of them goes; nothing else is."""

from __future__ import annotations

from typing import Any

import pytest

from kgfs.config import Config
from kgfs.model import EntityCandidate, Extraction, FactCandidate
from kgfs.pipeline.run import Run
from kgfs.pipeline.validity_pass import validity_pass
from kgfs.store.catalog.database import Database
from tests import planned_graphs as graphs

pytestmark = pytest.mark.usefixtures("nothing_left")

OFFICE, CEO = "HEADQUARTERED_IN", "CHIEF_EXECUTIVE_OF"
DOLLARS = {"value": 5e8, "unit": "USD"}

Said = tuple[str, str, str | None, dict[str, Any]]
"""Type, subject, object, and what else a fact has."""


def says(database: Database, path: str, *facts: Said, quote: str | None = None) -> int:
    """A document with these facts, each a sentence of its own, or all in one ``quote``."""
    kinds = {"Oslo": "City", "Bergen": "City", "Rome": "City", "Norway": "Country"}
    names = sorted({name for _, subject, other, _ in facts for name in (subject, other) if name is not None})
    text, candidates = quote or "", []
    for kind, subject, other, fields in facts:
        sentence = quote or f"{path}: {kind} of {subject}, {other} {sorted(fields.items())}. "
        start = 0 if quote else len(text)
        text = quote or text + sentence
        object_ = None if other is None else names.index(other)
        candidates.append(
            FactCandidate(
                type=kind, subject=names.index(subject), object=object_, chunk=1, quote=sentence, start=start,
                end=start + len(sentence), **fields,
            )
        )  # fmt: skip
    entities = [EntityCandidate(name=name, type=kinds.get(name, "Organization")) for name in names]
    return graphs.put(
        database,
        path,
        graphs.parsed([text], title=path),
        Extraction(extractor="t", entities=entities, facts=candidates),
    )


def conflicting(database: Database) -> list[str]:
    """Of each fact that contradicts another, the entity that both are about, and its type."""
    validity_pass(Run(database, None, Config()))  # type: ignore[arg-type]  # asks no worker
    rows = database.fetch(
        "SELECT e.name || ' ' || f.type FROM facts f JOIN entities e ON e.id = f.conflict_id ORDER BY 1"
    )
    return [row[0] for row in rows]


def figure(value: float, date: str = "2020", unit: str = "USD") -> dict[str, Any]:
    return {"value": value, "date": date, "unit": unit, "indicator": "revenue", "object_text": f"{value}"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other", "about"),
    [
        # One date of birth; a year and a day within it are no two.
        (("BORN", "Ann", None, {"date": "1970-05-12"}), ("BORN", "Ann", None, {"date": "1972"}), "Ann BORN"),
        (("BORN", "Ann", None, {"date": "1970-05-12"}), ("BORN_ON", "Ann", None, {"date": "1971-05-12"}), "Ann"),
        (("BORN", "Ann", None, {"date": "1970-05-12"}), ("BORN", "Ann", None, {"date": "1970"}), None),
        (("BORN", "Ann", None, {"date": "1970"}), ("DIED", "Ann", None, {"date": "2020"}), None),
        # One place, of two of a kind of which neither lies in the other.
        (("BORN_IN", "Ann", "Oslo", {}), ("BORN_IN", "Ann", "Bergen", {}), "Ann BORN_IN"),
        (("BORN_IN", "Ann", "Oslo", {}), ("BORN_IN", "Ann", "Norway", {}), None),
        (("LOCATED_IN", "Ann", "Oslo", {}), ("LOCATED_IN", "Ann", "Bergen", {}), None),
        # What a newer fact ends is over; at one time there is one.
        ((OFFICE, "Acme", "Oslo", {"date": "2010"}), (OFFICE, "Acme", "Rome", {"date": "2015"}), None),
        ((OFFICE, "Acme", "Oslo", {"date": "2010"}), (OFFICE, "Acme", "Rome", {"date": "2010-03"}), "Acme"),
        ((OFFICE, "Acme", "Oslo", {}), (OFFICE, "Acme", "Rome", {"date": "2010"}), None),
        ((CEO, "Ann", "Acme", {}), (CEO, "Bo", "Acme", {}), "Acme CHIEF"),
        ((CEO, "Ann", "Acme", {}), (CEO, "Ann", "Bolt", {}), None),
        ((CEO, "Ann", "Acme", {}), (CEO, "Bo", "Acme", {"status": "planned"}), None),
        # What happens once has one date and one price.
        (("ACQUIRED", "Acme", "Bolt", {"date": "2014-03"}), ("ACQUIRED", "Acme", "Bolt", {"date": "2015"}), "Acme"),
        (("ACQUIRED", "Acme", "Bolt", {"date": "2014-03"}), ("ACQUIRED", "Acme", "Bolt", {"date": "2014"}), None),
        (("ACQUIRED", "Acme", "Bolt", DOLLARS), ("ACQUIRED", "Acme", "Bolt", {"value": 6e8, "unit": "USD"}), "Acme"),
        (("ACQUIRED", "Acme", "Bolt", DOLLARS), ("ACQUIRED", "Acme", "Bolt", {"value": 5.05e8, "unit": "USD"}), None),
        (("ACQUIRED", "Acme", "Bolt", DOLLARS), ("ACQUIRED", "Acme", "Bolt", {"value": 4e8, "unit": "EUR"}), None),
        (("ACQUIRED", "Acme", "Bolt", {"date": "2014"}), ("ACQUIRED", "Acme", "Cyan", {"date": "2015"}), None),
        # One figure of one date.
        (("REPORTED", "Acme", None, figure(5.0)), ("REPORTED", "Acme", None, figure(6.0)), "Acme REPORTED"),
        (("REPORTED", "Acme", None, figure(5.0)), ("REPORTED", "Acme", None, figure(6.0, "2021")), None),
        (("REPORTED", "Acme", None, figure(5.0)), ("REPORTED", "Acme", None, figure(6.0, unit="percent")), None),
    ],
)  # fmt: skip
def test_what_contradicts(shared: Database, one: Said, other: Said, about: str | None) -> None:
    says(shared, "/1", one)
    second = says(shared, "/2", other)
    found = conflicting(shared)
    assert len(found) == (0 if about is None else 2)
    assert all(each.startswith(str(about)) for each in found)
    if about is not None:
        assert shared.fetch("SELECT count(*) FROM stale WHERE kind = 'fact'") != [(0,)]
    graphs.remove(shared, second)
    assert conflicting(shared) == []


def test_a_sentence_contradicts_nothing_of_itself(shared: Database) -> None:
    quote = "Acme is based in Oslo and Bergen, and Ann and Bo lead it together."
    leads: list[Said] = [(CEO, name, "Acme", {}) for name in ("Ann", "Bo")]
    says(shared, "/1", (OFFICE, "Acme", "Oslo", {}), (OFFICE, "Acme", "Bergen", {}), *leads, quote=quote)
    assert conflicting(shared) == []
    says(shared, "/2", ("LOCATED_IN", "Ostra", "Oslo", {}), (OFFICE, "Acme", "Ostra", {}))
    assert conflicting(shared) == []


def test_a_table_of_one_document_is_no_contradiction(shared: Database) -> None:
    says(shared, "/1", ("REPORTED", "Acme", None, figure(5.0)), ("REPORTED", "Acme", None, figure(6.0)))
    assert conflicting(shared) == []
