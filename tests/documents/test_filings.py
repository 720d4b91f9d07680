"""Filings at a stock exchange: what their cover pages say, and names in capitals."""

from __future__ import annotations

import pytest

from kgfs.documents.filings import read_filing
from kgfs.documents.formats.parsing import parse_document
from kgfs.documents.html import read_page
from kgfs.documents.shouting import calmed

COVER = """<?xml version='1.0'?><html><head><title>tarn-20241231</title></head><body>
<div style="display:none"><ix:header><ix:hidden>0000100885us-gaap:CommonStockMember</ix:hidden></ix:header></div>
<div><span>FORM 10-K</span></div>
<div>For the fiscal year ended <span>December 31</span>, 2024</div>
<div><span>TARN LAMPS CORP</span><span>ORATION</span></div>
<div>(Exact name of registrant as specified in its charter)</div>
<p hidden>unseen</p><p hidden="until-found">folded</p><p style="color:red; visibility: hidden">masked</p>
<p>Tarn Lamps Corporation makes lamps.</p></body></html>"""


def test_a_filing_is_called_by_its_cover() -> None:
    document = parse_document(COVER.encode(), "tarn-10-k-2025-02-07.html")
    assert document.title == "Tarn Lamps Corporation: Form 10-K, December 31, 2024"
    assert document.date == "2025-02-07"


def test_what_a_browser_hides_is_no_text() -> None:
    text = read_page(COVER).text
    assert "us-gaap" not in text and "unseen" not in text and "masked" not in text
    assert "folded" in text and "makes lamps" in text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("FORM 10-Q\n\nFor the quarterly period ended March 31, 2024\n\nTarn, Inc.\n"
         "(Exact name of registrant as specified in its charter)\n", ("Tarn, Inc.", "10-Q", "March 31, 2024")),
        ("| THE TARN COMPANY |\n| --- |\n| (Exact name of the registrant as specified in its charter) |\n",
         ("The Tarn Company", "", "")),
        ("Tarn is a company. It files a Form 10-K each year.\n", None),
        ("(Exact name of registrant as specified in its charter)\n", None),
        ("\n" * 30_000 + " \n" * 30_000, None),
    ],
)  # fmt: skip
def test_covers(text: str, read: tuple[str, str, str] | None) -> None:
    found = read_filing(text)
    assert (tuple(found) if found is not None else None) == read


@pytest.mark.parametrize(
    ("shouted", "name"),
    [
        ("RICHARD V. McTARN", "Richard V. McTarn"),
        ("ANN O'BRIEN-SMITH", "Ann O'Brien-Smith"),
        ("BANK OF TARN", "Bank of Tarn"),
        ("TARN LAMPS LLC", "Tarn Lamps LLC"),
        ("IBM", "IBM"),
        ("Ann Lee", "Ann Lee"),
    ],
)
def test_names_are_calmed(shouted: str, name: str) -> None:
    assert calmed(shouted) == name


def test_a_name_is_calmed_as_the_text_writes_it() -> None:
    assert calmed("TARNSTAR LAMPS, INC.", "We, TarnStar Lamps, Inc., make lamps.") == "TarnStar Lamps, Inc."
