"""The bracket with somebody's life that opens a page, of any century."""

from __future__ import annotations

import pytest

from kgfs.extraction.facts.guides.life_dates import life_dates
from kgfs.extraction.names import tagging
from tests.extraction.read_texts import read


@pytest.mark.parametrize(
    ("bracket", "born", "died"),
    [
        ("1215–1270", "1215", "1270"),
        ("12 March 1243 – 4 July 1301", "1243-03-12", "1301-07-04"),
        ("c. 1210 – 1266", "1210", "1266"),
        ("died 1285", None, "1285"),
        ("d. 1285", None, "1285"),
        ("born c. 985; died 1 May 1035", "0985", "1035-05-01"),
        ("Norse: Orm; 1215–1270", "1215", "1270"),
        ("12 March 1843, Ribe – 4 July 1901, Lund", "1843-03-12 Ribe", "1901-07-04 Lund"),
        ("Ribe, 12 March 1843 – Lund, 4 July 1901", "1843-03-12 Ribe", "1901-07-04 Lund"),
        # No life: a reign, no years, too long, backwards, before the bound, not yet.
        ("r. 1215–1270", None, None),
        ("reigned 1215–1270", None, None),
        ("1215–1220", None, None),
        ("100–400", None, None),
        ("1270–1215", None, None),
        ("20 BC – 40", None, None),
        ("44–99", None, None),
        ("2080–2140", None, None),
        ("1215–1270 km", None, None),
    ],
)
def test_life_dates(bracket: str, born: str | None, died: str | None) -> None:
    found = tuple(None if one is None else f"{one.date} {one.place}".strip() for one in life_dates(bracket))
    assert found == (born, died)


@pytest.mark.skipif(not tagging.has_tagger(), reason="leads are read where spaCy is installed")
@pytest.mark.parametrize(
    ("bracket", "facts"),
    [
        ("1215–1270", {"BORN 1215 @1215", "DIED 1270 @1270"}),
        ("c. 1210 – 1266", {"BORN c. 1210 @1210", "DIED 1266 @1266"}),
        ("died 1285", {"DIED 1285 @1285"}),
        (
            "12 March 1843, Ribe – 4 July 1901, Lund",
            {"BORN_IN Ribe @1843-03-12", "DIED_IN Lund @1901-07-04"},
        ),
        ("4 May 1920, Leeds – 9 June 1988, York", {"BORN_IN Leeds @1920-05-04", "DIED_IN York @1988-06-09"}),
    ],
)
def test_lives_in_leads(bracket: str, facts: set[str]) -> None:
    extraction = read(f"# Ann Lee\n\nAnn Lee ({bracket}) was a painter.")
    found = set()
    for fact in extraction.facts:
        if fact.type.startswith(("BORN", "DIED")):
            other = fact.object_text if fact.object is None else extraction.entities[fact.object].name
            found.add(f"{fact.type} {other} @{fact.date}")
    assert found == facts


@pytest.mark.skipif(not tagging.has_tagger(), reason="leads are read where spaCy is installed")
def test_years_of_a_firm_are_no_life() -> None:
    extraction = read("# Tarn Lamps\n\nTarn Lamps (1215–1270) was a company.")
    assert not [fact for fact in extraction.facts if fact.type.startswith(("BORN", "DIED"))]
