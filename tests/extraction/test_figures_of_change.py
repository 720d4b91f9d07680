"""Figures of change: how much something rose or fell, where and when; and what states none."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.sentences.changes import find_changes
from kgfs.extraction.names import tagging


def marked(text: str) -> str:
    """``[Boston]`` and the like as the marks of places."""
    for number, name in enumerate(("Boston", "Ohio", "Iowa", "Utah")):
        text = text.replace(f"[{name}]", f"{OPEN}L{number}{CLOSE}")
    return text


Row = tuple[str, float, tuple[int, ...], str | None]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Statewide sales in [Boston] rose 4 percent.", [("sales_change", 4.0, (0,), "2019-11")]),
        ("Gross retail sales in [Ohio] jumped more than 6 percent in September compared with a year earlier.", [("gross_retail_sales_change_year_over_year", 6.0, (1,), "2019-09")]),
        ("January gross sales in [Ohio] and [Iowa] both grew about 1 percent to 2 percent compared with a year earlier.", []),
        ("October production decreased 8 percent from a year ago.", [("production_change_year_over_year", -8.0, (), "2019-10")]),
        ("December home prices were 3.5% lower than a year earlier.", [("home_prices_change_year_over_year", -3.5, (), "2018-12")]),
        ("[Boston] hotel revenue was up 6.9 percent in June 2018.", [("hotel_revenue_change", 6.9, (0,), "2018-06")]),
        ("There was a 10 percent decline in steel orders.", [("steel_orders_change", -10.0, (), "2019-11")]),
        ("Menu prices were up 3.1 percent, while wholesale food prices rose 1.6 percent.", [("menu_prices_change", 3.1, (), "2019-11"), ("wholesale_food_prices_change", 1.6, (), "2019-11")]),
        # nothing is stated, or not of the place
        ("Contacts expect sales in [Boston] to rise 4 percent.", []),
        ("Sales in [Boston] may have risen 4 percent.", []),
        ("Did sales rise 4 percent?", []),
        ("One retailer in [Boston] said that sales rose 4 percent.", []),
        ("A 9 percent increase in input costs hit a dairy firm.", []),
        ("Sales rose 4 percent, with gains seen in [Ohio], [Iowa] and [Utah].", []),
        ("Just 6 percent of contacts reported that prices rose.", []),
        ("Prices rose.", []),
        ("", []),
    ],
)  # fmt: skip
def test_changes(text: str, rows: list[Row]) -> None:
    found = find_changes(marked(text), "2019-11")
    assert [(one.indicator, one.value, one.marks, one.date) for one in found] == rows
    assert all(0.4 <= one.confidence <= 0.8 and OPEN not in one.text for one in found)


@given(
    st.text(alphabet=f"abs rosefl 0123456789.,%-{OPEN}{CLOSE}L;", max_size=80),
    st.sampled_from([None, "2019", "2019-11-02"]),
)
def test_any_text_is_read(text: str, date: str | None) -> None:
    find_changes(text + " sales rose 4 percent", date)


@pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")
def test_a_heading_says_whose_the_figure_is() -> None:
    text = (
        "---\ntitle: 'Beige Book: November 2019'\ndate: 2019-11\n---\n# Federal Reserve Bank of Boston\n\n"
        "The Federal Reserve collects reports. Retail sales increased by 5 percent from a year ago.\n"
    )
    document = parse_document(text.encode(), "a.md")
    extraction = extract(document)
    (fact,) = [fact for fact in extraction.facts if fact.indicator]
    assert extraction.entities[fact.subject].name == "Boston"
    assert (fact.indicator, fact.value, fact.unit, fact.date) == (
        "retail_sales_change_year_over_year",
        5.0,
        "percent",
        "2019-11",
    )
    # What a figure says is not said again in words.
    assert [one for one in extraction.facts if one.chunk == fact.chunk and one.start == fact.start] == [fact]
