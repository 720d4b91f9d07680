"""A newer fact ends the one that it contradicts, and opens it again when it goes; nothing else does."""

from __future__ import annotations

import itertools

import pytest

from kgfs.config import Config
from kgfs.model import EntityCandidate, Extraction, FactCandidate
from kgfs.pipeline.run import Run
from kgfs.pipeline.validity_pass import validity_pass
from kgfs.store.catalog.database import Database
from tests import planned_graphs as graphs

pytestmark = pytest.mark.usefixtures("nothing_left")

CEO, OFFICE, INSIDE, WORKS = "CHIEF_EXECUTIVE_OF", "HEADQUARTERED_IN", "LOCATED_IN", "WORKS_FOR"


def says(
    database: Database,
    path: str,
    kind: str,
    subject: str,
    target: str,
    date: str | None = None,
    until: str | None = None,
) -> int:
    text = f"{subject} {kind} {target}."
    fact = FactCandidate(
        type=kind, subject=0, object=1, date=date, valid_to=until, chunk=1, quote=text, start=0, end=len(text)
    )
    entities = [EntityCandidate(name=name, type="Organization") for name in (subject, target)]
    return graphs.put(
        database, path, graphs.parsed([text], title=path), Extraction(extractor="t", entities=entities, facts=[fact])
    )


def ended(database: Database) -> dict[str, str | None]:
    """Subject and object to until when their fact holds."""
    validity_pass(Run(database, None, Config()))  # type: ignore[arg-type]  # asks no worker
    rows = database.fetch(
        "SELECT s.name || ' ' || o.name, coalesce(f.valid_to, f.ended) FROM facts f"
        " JOIN entities s ON s.id = subject_id JOIN entities o ON o.id = object_id"
        " WHERE f.type <> 'LOCATED_IN' ORDER BY 1"
    )
    return dict(rows)


def test_each_holds_until_the_next_and_again_when_that_goes(shared: Database) -> None:
    said = [("Ann", "2010"), ("Bo", "2015-03"), ("Cy", "2019-10-30")]
    numbers = {}
    for name, date in said:
        numbers[name] = says(shared, f"/{name}", CEO, name, "Acme", date)
    assert ended(shared) == {"Ann Acme": "2015-03", "Bo Acme": "2019-10-30", "Cy Acme": None}
    assert shared.fetch("SELECT count(*) FROM stale WHERE kind = 'fact'") != [(0,)]
    graphs.remove(shared, numbers["Bo"])
    assert ended(shared) == {"Ann Acme": "2019-10-30", "Cy Acme": None}
    graphs.remove(shared, numbers["Cy"])
    assert ended(shared) == {"Ann Acme": None}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_in_whatever_order_documents_come(shared: Database, order: tuple[int, ...]) -> None:
    said = [("Ann", "2010"), ("Bo", "2015"), ("Ann", "2020")]
    for number in order:
        says(shared, f"/{number}", CEO, said[number][0], "Acme", said[number][1])
    validity_pass(Run(shared, None, Config()))  # type: ignore[arg-type]
    assert shared.fetch("SELECT date, ended FROM facts ORDER BY date") == [
        ("2010", "2015"), ("2015", "2020"), ("2020", None)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("older", "newer", "until"),
    [
        ((CEO, "Ann", "Acme", None), (CEO, "Bo", "Acme", "2020"), None),  # nobody knows which is older
        ((CEO, "Ann", "Acme", "2020"), (CEO, "Bo", "Acme", "2020-05"), None),  # nor here
        ((CEO, "Ann", "Acme", "2019"), (CEO, "Ann", "Bolt", "2020"), None),  # one may lead two
        ((WORKS, "Ann", "Acme", "2019"), (WORKS, "Ann", "Bolt", "2020"), None),
        ((OFFICE, "Acme", "Oslo", "2019"), (OFFICE, "Acme", "Rome", "2020"), "2020"),
        ((OFFICE, "Acme", "Oslo", "2019"), (OFFICE, "Bolt", "Rome", "2020"), None),
        ((OFFICE, "Acme", "Oslo", "2019-12-31"), (OFFICE, "Acme", "Rome", "2020"), "2020"),
    ],
)
def test_what_ends_another(
    shared: Database,
    older: tuple[str, str, str, str | None],
    newer: tuple[str, str, str, str | None],
    until: str | None,
) -> None:
    says(shared, "/1", *older)
    says(shared, "/2", *newer)
    assert ended(shared)[f"{older[1]} {older[2]}"] == until


def test_a_part_is_no_contradiction_and_what_a_text_says_stands(shared: Database) -> None:
    says(shared, "/1", OFFICE, "Acme", "Oslo", "2019")
    says(shared, "/2", OFFICE, "Acme", "Norway", "2020")
    says(shared, "/3", INSIDE, "Oslo", "Norway")
    assert ended(shared) == {"Acme Oslo": None, "Acme Norway": None}
    says(shared, "/4", CEO, "Ann", "Bolt", "2010", until="2012")
    says(shared, "/5", CEO, "Bo", "Bolt", "2015")
    assert ended(shared)["Ann Bolt"] == "2012"
