"""Tables of HTML: each value stands in the column in which a reader sees it, whatever cells span."""

# Tables stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import time

import pytest

from kgfs.documents.html import read_page
from kgfs.documents.html_cells import html_rows

HEAD = "<tr><th rowspan=2>Ship<th colspan=2>Crew<tr><th>Captain<th>Mate"
TABLES = [
    (f"{HEAD}<tr><td>Orm<td>Ann<td>Bo", [["Ship", "Crew: Captain", "Crew: Mate"], ["Orm", "Ann", "Bo"]]),
    (
        f"<thead>{HEAD}</thead><tbody><tr><td rowspan=2>Orm<td>Ann<td>Bo<tr><td>Cy<td>Di<tr><td>Tarn<td>Ed<td>Flo",
        [["Ship", "Crew: Captain", "Crew: Mate"], ["Orm", "Ann", "Bo"], ["Orm", "Cy", "Di"], ["Tarn", "Ed", "Flo"]],
    ),
    (
        "<tr><td rowspan=2>Ship<td colspan=2>Crew<tr><td>Captain<td>Mate<tr><td>Orm<td>Ann<td>Bo<tr><td>Tarn<td>Cy<td>Di",
        [["Ship", "Crew: Captain", "Crew: Mate"], ["Orm", "Ann", "Bo"], ["Tarn", "Cy", "Di"]],
    ),
    # in the middle, at the end, two that end in different rows
    (
        "<tr><th>A<th>B<th>C<tr><td>1<td rowspan=2>2<td rowspan=3>3<tr><td>4<tr><td>5<td>6",
        [["A", "B", "C"], ["1", "2", "3"], ["4", "2", "3"], ["5", "6", "3"]],
    ),
    ("<tr><th>A<th>B<th>C<tr><td colspan=2>1<td>2<tr><td>3<td>4<td>5", [["A", "B", "C"], ["1", "", "2"], ["3", "4", "5"]]),
    ("<tr><th>A<th>B<tr><td rowspan=2 colspan=2>1<td>2<tr><td>3<tr><td>4<td>5", [["A", "B"], ["1", "", "2"], ["1", "", "3"], ["4", "5"]]),
    # a header without another beneath it, a title, a divider, what only a layout asks for
    ("<tr><th>Name<th colspan=2>Call<tr><td>Ann<td>1<td>2", [["Name", "Call", "Call"], ["Ann", "1", "2"]]),
    ("<tr><th>Name<th colspan=2>Owner<tr><td rowspan=2>Orm<td>Ann Lee<td>1990<tr><td>Bo Lind<td>2001",
     [["Name", "Owner", ""], ["Orm", "Ann Lee", "1990"], ["Orm", "Bo Lind", "2001"]]),
    ("<tr><th>Name<th colspan=2>Owner<tr><td>Orm<td>Ann Lee<td>Bo Lind", [["Name", "Owner", "Owner"], ["Orm", "Ann Lee", "Bo Lind"]]),
    ("<tr><th rowspan=2>Ship<th rowspan=2 colspan=2>Owner<th colspan=2>Crew<tr><th>Mate<th>Cook<tr><td>Orm<td>Ann<td>12<td>Bo<td>Cy",
     [["Ship", "Owner", "", "Crew: Mate", "Crew: Cook"], ["Orm", "Ann", "12", "Bo", "Cy"]]),
    (f"<tr><th colspan=3>Ships{HEAD}<tr><td>Orm<td>Ann<td>Bo", [["Ships"], ["Ship", "Crew: Captain", "Crew: Mate"], ["Orm", "Ann", "Bo"]]),
    ("<tr><th>A<th>B<tr><td colspan=2>North<tr><td>1<td>2", [["A", "B"], ["North"], ["1", "2"]]),
    ("<tr><td colspan=3>Oil<td colspan=3>5<tr><td colspan=3>Wick<td colspan=3>6", [["Oil", "5"], ["Wick", "6"]]),
    ("<tr><th>Sum<th>1<tr><th>Rest<th>2", [["Sum", "1"], ["Rest", "2"]]),
    # nothing to be made of, too much, a row of nothing that is counted
    ("<tr><th>A<th>B<tr><td colspan=x>1<td rowspan=-3>2", [["A", "B"], ["1", "2"]]),
    ("<tr><th>A<th>B<tr><td colspan=100000>1<tr><td rowspan=99999>2<td>3<tr><td>4", [["A", "B"], ["1"], ["2", "3"], ["2", "4"]]),
    ("<tr><th>A<th>B<tr><td rowspan=2>1<td>2<tr><td><tr><td>3<td>4", [["A", "B"], ["1", "2"], ["3", "4"]]),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "expected"), TABLES)
def test_spans(rows: str, expected: list[list[str]]) -> None:
    lines = read_page(f"<table>{rows}</table><p>Text.").text.split("\n\n")[0].split("\n")
    assert [[cell.strip() for cell in line[1:-1].split("|")] for line in lines if "---" not in line] == expected
    source = f"<p>x</p><table>{rows}</table>"
    found = list(html_rows(source, 0, len(source)))
    assert [row.cells for row in found] == expected
    assert all(source[row.start :].startswith("<tr") and row.start < row.end for row in found)


def test_a_span_ends_with_its_table_and_its_part() -> None:
    pages = "<table><tr><td>A<td rowspan=0>B<tr><td>C</table><table><tr><td>D<td>E</table>"
    assert read_page(pages).text == "| A | B |\n| --- | --- |\n| C | B |\n\n| D | E |\n| --- | --- |\n"
    parts = "<table><thead><tr><th>A<th rowspan=9>B</thead><tbody><tr><td>C<td>D</table>"
    assert read_page(parts).text == "| A | B |\n| --- | --- |\n| C | D |\n"


@pytest.mark.parametrize(
    "rows",
    [
        "<tr>" + "<td rowspan=99999 colspan=99999>lamp" * 20 + "<tr><td>a" * 50_000,
        "<tr><td colspan=99999>a<td colspan=99999>b" * 20_000,
        "<tr><td rowspan=99999>" + "lamp " * 10_000 + "<td>a" + "<tr><td>a" * 20_000,
    ],
)
def test_spans_blow_nothing_up(rows: str) -> None:
    started = time.monotonic()
    assert len(read_page(f"<table>{rows}</table>").text) < 6_000_000
    assert time.monotonic() - started < 20
