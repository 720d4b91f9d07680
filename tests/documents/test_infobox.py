"""Tables of two columns above the sections of a page: which are the box of what the page is about, and which are not."""

# Tables stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import document_blocks, parse_document
from kgfs.documents.records.reading import document_records

HALL = [("Architect", "Hugo Brandt"), ("Capacity", "4,100")]
RULE = "|---|---|\n"


def box(text: str, path: str = "Orm_Hall.md") -> list[tuple[str, str]]:
    """The fields of what the page is about."""
    document = parse_document(text.encode(), path)
    records = document_records(document, document_blocks(document))
    return [(one.key, one.value) for record in records if record.of_page for one in record.fields]


@pytest.mark.parametrize(
    "table",
    [
        f"| Architect | Hugo Brandt |\n{RULE}| Capacity | 4,100 |\n",
        f"|  |  |\n{RULE}| **Architect** | Hugo Brandt |\n| **Capacity:** | 4,100 |\n",
        f"| Field | Value |\n{RULE}| Architect | [Hugo Brandt](Hugo.md) |\n| Capacity | 4,100 |\n",
        "<table><tr><th colspan=2>Orm Hall</th></tr><tr><th>Architect</th><td>Hugo Brandt</td></tr><tr><th>Capacity</th><td>4,100</td></tr></table>\n",
    ],
)
def test_a_box_says_what_its_page_has(table: str) -> None:
    assert box(f"# Orm Hall\n\nOrm Hall is a hall.\n\n{table}\n## History\n\nIt burnt.\n") == HALL
    assert box(f"# Orm Hall\n\nOrm Hall is a hall.\n\n## History\n\n{table}") == []  # of a section
    assert box(f"# Orm Hall\n\n{table}\n# Tarn Hall\n\nText.\n") == []  # of one of several


def test_a_box_of_html_has_lines() -> None:
    rows = "<tr><td>Directed by<td>Vera Lunt<tr><td>Starring<td>Nina Castell<br>Hugo Brandt<tr><td>Producer<td><ul><li><a href='o.html'>Olga Reyes</a><li>Tom Ferris</ul><tr><td>Running time<td>94<br>minutes"
    assert box(f"<title>Low Water</title><h1>Low Water</h1><table>{rows}</table><p>A film.", "film.html") == [
        ("Directed by", "Vera Lunt"), ("Starring", "Nina Castell"), ("Starring", "Hugo Brandt"), ("Producer", "Olga Reyes"), ("Producer", "Tom Ferris"), ("Running time", "94 minutes"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "rows",
    [
        "Captain|Ship\nHugo Brandt|Kestrel\nNina Castell|Fern",
        "Name|Type\nowner|string\nstatus|enum\nlocation|string",
        "Field|Value\nowner|string\nlocation|string",
        "Owner|Name\nStatus|Orm\nLocation|Tarn",
        "Owner|Who may change it\nStatus|Whether it is lit or not.\nLocation|Where it stands.\nCapacity|How much oil it takes.",
        "Owner|Ann Lee\nOwner|Bob Lind",  # one key twice
        "Status|Lit\nWick|Two\nOil|Three\nSmoke|Four",  # most are no keys of things
        "Owner|Ann Lee|Oslo\nStatus|Lit|Now",
        "1990|Opened\n1991|Closed",
    ],
)
def test_other_tables_are_none(rows: str) -> None:
    head, *others = (f"| {' | '.join(row.split('|'))} |\n" for row in rows.split("\n"))
    assert box(f"# Orm Hall\n\n{head}{'|---' * (head.count('|') - 1)}|\n{''.join(others)}\nOrm Hall is a hall.\n") == []


def test_a_definition_list_of_properties_is_a_box() -> None:
    listed = "<dl><dt>Designer</dt><dd>Hugo Brandt</dd><dt>Length</dt><dd>410 m</dd></dl>"
    page = f"<h1>Orm Bridge</h1>{listed}<p>Orm Bridge is a bridge."
    assert box(page, "bridge.html") == [("Designer", "Hugo Brandt"), ("Length", "410 m")]
    assert not parse_document(page.encode(), "bridge.html").terms
    terms = parse_document(page.replace("Designer", "Wick").replace("Length", "Oil").encode(), "bridge.html").terms
    assert [term.name for term in terms] == ["Wick", "Oil"]
