"""References in notes, papers and bibliographies: who wrote what, when, published by whom; and what is none."""

# Sources stand here as they are written.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.citations import citation_spans, read_citation
from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.units import document_units

LEE = (["Ann Lee"], "Lamps at Sea", "2010", "Tarn Press")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[^1]: Ann Lee (2010): _Lamps at Sea_, Oslo: Tarn Press, p. 4.", LEE),
        ("[^lee]:Ann Lee (2010): Lamps at Sea: _A long way home for all who keep them_, Oslo: Tarn Press, pp 2-4.", LEE),
        ("Lee, Ann. *Lamps at Sea*. New York: Tarn Press, 2010.", LEE),
        ("Ann Lee, *Lamps at Sea* (New York: Tarn Press, 2010), 23.", LEE),
        ("Ann Lee: _[Lamps at Sea. What all who keep them should have known][lee]_, New York: Tarn Press, 2010", LEE),
        ("Ann Lee (2010): [Lamps at Sea](https://x.org), Oslo: Tarn Press.", LEE),
        ("Ann Lee, \"Lamps at Sea\", Journal of Lamps 12 (2010).", (["Ann Lee"], "Lamps at Sea", "2010", "")),
        (
            "Ann B. van der Lee and Bo Ray (2008): Wicks, oil, and how they burn, Review of Lamps 1, 2008, Vol. 12, pp. 9--27.",
            (["Ann B. van der Lee", "Bo Ray"], "Wicks, oil, and how they burn", "2008", ""),
        ),
        (
            "Lee, A., & Ray, B. C. (2019). Lamps in the far north. *Journal of Lamps*, 12(3), 1-10.",
            (["A. Lee", "B. C. Ray"], "Lamps in the far north", "2019", ""),
        ),
        (
            "[3] A. Lee and B. Ray, \"Lamps at sea,\" in Proc. Lamp Conf., 2019, pp. 1-5.",
            (["A. Lee", "B. Ray"], "Lamps at sea", "2019", ""),
        ),
        (
            "Lee, A., Ray, B., et al. (2017). Wick Is All You Need. In *LAMPS*, 5998-6008.",
            (["A. Lee", "B. Ray"], "Wick Is All You Need", "2017", ""),
        ),
        ("[^a]: Lee et al. (2022). \"Better lamps by asking those who keep them.\" Acme.", ([], "Better lamps by asking those who keep them", "2022", "")),
        ("Ann Lee (2008): Licht im Haus, in: Haus und Licht, Oslo: Tarn Press, S. 12.", (["Ann Lee"], "Licht im Haus", "2008", "Tarn Press")),
    ],
)  # fmt: skip
def test_references(text: str, found: tuple[list[str], str, str, str]) -> None:
    read = read_citation(text)
    assert read is not None
    assert ([one.name for one in read.authors], read.title, read.year, read.publisher) == found


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee (2019) argues that lamps are strong.",
        "Ann Lee (2008): we met her in Oslo.",
        'See "The lamps", 2010.',
        'Bob said, "I was there in 2010, (yes)".',
        'Ann Lee, "I will come," she said in 2010.',
        "Lee (2022). We met.",
        "The Lamp Society (2010): a *history* of it.",
        "Ann: *yes*",
        "[^2]: Affiliate link; we get a small kickback if you buy from this link.",
        "",
    ],
)
def test_what_is_no_reference(text: str) -> None:
    assert read_citation(text) is None
    assert citation_spans(text, 0, len(text)) == []


def test_several_in_one_note() -> None:
    text = (
        "[^all]: Ann Lee (2000): Lamps and oil, J Lamp 3, 2000, Vol. 186, S. 221-38. Bo Ray, Cy Ott, and Di Moe (1997):"
        " Wicks: how they burn in the wind of the far north, Proceedings of Lamps 11, 1997, Vol. 94, S. 5939--5942"
    )
    spans = citation_spans(text, 0, len(text))
    assert [text[start:end].split(" (")[0] for start, end in spans] == ["[^all]: Ann Lee", "Bo Ray, Cy Ott, and Di Moe"]
    assert spans[-1][1] == len(text)


def test_a_reference_is_one_unit_and_prose_is_not() -> None:
    text = "# Lamps\n\nWe keep them. They burn.[^1]\n\n[^1]: Ann Lee (2010): Lamps. At Sea. Oslo: Tarn Press. Worth a read.\n"
    document = parse_document(text.encode(), "a.md")
    assert [(unit.kind, unit.quote.split("(")[0].strip()) for unit in document_units(document)] == [
        ("heading", "# Lamps"),
        ("sentence", "We keep them."),
        ("sentence", "They burn."),
        ("citation", "[^1]: Ann Lee"),
    ]
