"""Pictures: whatever the names are, what comes out is SVG that shows them, runs nothing, and is the same each time."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from kgfs.config import Config
from kgfs.picture_records import (
    Edge,
    Event,
    GraphPicture,
    Node,
    Picture,
    Point,
    ProgressPicture,
    SeriesPicture,
    Step,
    TimelinePicture,
)
from kgfs.pictures.drawing_child import begin
from kgfs.pictures.series_drawing import time_labels

draw = begin(Config())

NASTY = (
    "<b>bold</b>", "<script>alert(1)</script>", "]]><script>alert(1)</script>", '"><img src=x onerror=alert(1)>',
    "a\\nb\\N\\G", "&amp; & &lt;", "\x00\x01\ud800", "", "نجيب محفوظ", "人工智能", "🦀" * 300, "x" * 500, "a|b{c}", "<",
    ">", "javascript:alert(1)", "\u2028line", "%s %d {0}",
)  # fmt: skip


def shown(drawn: bytes) -> str:
    """All text of a picture; it must be well-formed and hold no script."""
    root = etree.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for element in root.iter():
        assert isinstance(element.tag, str) and etree.QName(element).localname not in (
            "script",
            "foreignObject",
            "image",
        )
        for name, value in element.attrib.items():
            assert not etree.QName(name).localname.startswith("on"), name
            if etree.QName(name).localname == "href":
                assert not value.strip().lower().startswith("javascript:")
    return "".join(root.itertext())


def neighbourhood(names: list[str]) -> GraphPicture:
    nodes = tuple(
        Node(label=name, kind="Person", link=f"../{place}/graph.svg", told=name) for place, name in enumerate(names)
    )
    edges = tuple(Edge(start=0, end=place, label=name, told=name) for place, name in enumerate(names) if place)
    return GraphPicture(title=names[0], nodes=nodes, edges=edges, left_out=3)


@pytest.mark.parametrize("chain", [False, True])
def test_names_of_any_kind(chain: bool) -> None:
    graph = neighbourhood(list(NASTY))
    picture = GraphPicture(title=graph.title, nodes=graph.nodes, edges=graph.edges, left_out=3, chain=chain)
    text = shown(draw(picture))
    for name in ("<b>bold</b>", "نجيب", "人工智能", "a|b{c}", "and 3 more"):
        assert name in text.replace("\xa0", " "), name
    assert draw(picture) == draw(picture)


@settings(max_examples=25)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_any_text(names: list[str]) -> None:
    shown(draw(neighbourhood(names)))
    shown(
        draw(
            TimelinePicture(
                title=names[0], events=tuple(Event(date=name[:10], label=name, told=name) for name in names)
            )
        )
    )
    points = tuple(Point(date="2019-10", value=float(len(name)), told=name) for name in names)
    shown(draw(SeriesPicture(title=names[0], unit=names[-1], points=points, sources=tuple(names))))


@pytest.mark.parametrize(
    "picture",
    [
        GraphPicture(title="alone", nodes=(Node(label="alone", centre=True),), edges=()),
        TimelinePicture(title="no dates", events=()),
        SeriesPicture(title="no figures", unit="", points=()),
        ProgressPicture(title="no steps", steps=()),
        ProgressPicture(title="nothing to do", steps=(Step(name="<b>", done=0, total=0),), told="\x00<script>"),
        ProgressPicture(title="too much done", steps=(Step(name="a", done=9, total=3),)),
        SeriesPicture(title="one", unit="%", points=(Point(date="2019", value=-1e308),)),
        SeriesPicture(
            title="equal", unit="", points=(Point(date="0001-01-01", value=2), Point(date="9999-12-31", value=2))
        ),
    ],
    ids=lambda picture: picture.title,
)  # fmt: skip
def test_little_to_draw(picture: Picture) -> None:
    assert picture.title in shown(draw(picture)) or not isinstance(picture, GraphPicture)
    assert draw(picture) == draw(picture)


def test_links_and_colours() -> None:
    nodes = (
        Node(label="Ann", kind="Person", centre=True),
        Node(label="Acme", kind="Organization", link="../a%20b/graph.svg"),
    )
    drawn = draw(GraphPicture(title="Ann", nodes=nodes, edges=(Edge(start=0, end=1, label="FOUNDED"),))).decode()
    assert re.search(r'<a [^>]*xlink:href="\.\./a%20b/graph\.svg"', drawn)
    assert 'class="node person centre"' in drawn and 'class="node organization"' in drawn
    assert "prefers-color-scheme:dark" in drawn and "FOUNDED" in drawn


def test_order_of_time() -> None:
    events = (Event(date="1998", label="founded"), Event(date="2004-08-19", label="went public"))
    text = shown(draw(TimelinePicture(title="Google", events=events)))
    assert [part for part in ("1998", "founded", "2004-08-19", "went public") if part in text] and "1998" in text


@pytest.mark.parametrize(
    ("first", "last", "labels"),
    [
        ("2019-10-01", "2023-01-01", "2020-01 2020-07 2021-01 2021-07 2022-01 2022-07 2023-01"),
        ("2020-05-03", "2020-05-09", "2020-05-03 2020-05-09"),
        ("1990-01-01", "2019-01-01", "1990 1995 2000 2005 2010 2015"),
        ("0001-01-01", "2020-01-01", "0500 1000 1500 2000"),
        ("2020-01-01", "2020-01-01", "2020-01-01"),
    ],
)
def test_the_axis_of_time_has_round_dates(first: str, last: str, labels: str) -> None:
    found = time_labels([date.fromisoformat(last), date.fromisoformat(first)])
    assert " ".join(found.values()) == labels and list(found) == sorted(found)


def test_no_days_no_labels() -> None:
    assert time_labels([]) == {}
