"""What a text explains a short form with: tables of phrases and texts, those among them that explain nothing."""

# Texts stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.learnt.sentence_encoder import model_folder
from kgfs.extraction.names import tagging
from kgfs.extraction.names.explanations import (
    before_bracket,
    behind_dash,
    is_short,
    singular_short_form,
    spells_short_form,
)
from kgfs.model import Extraction

tagged = pytest.mark.skipif(not tagging.has_tagger(), reason="the extra `offline` is not installed")


def read(text: str, extractor: str = "auto") -> Extraction:
    return extract(parse_document(text.encode(), "a.md"), extractor=extractor)


def called(extraction: Extraction, name: str) -> set[str]:
    """The names of the one entity that has this one among them."""
    (found,) = [
        {entity.name, *entity.aliases} for entity in extraction.entities if name in (entity.name, *entity.aliases)
    ]
    return found


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("You can request Leave Without Pay (LWOP) then.", "Leave Without Pay"),
        ("It uses Windows Remote Management (WinRM).", "Windows Remote Management"),
        ("See the Online University (OLU).", "Online University"),
        ("Once an interagency agreement (IAA) is signed", "interagency agreement"),
        ("Interagency Agreements (IAAs) are signed.", "Interagency Agreements"),
        ("the Federal Risk and Authorization Management Program (FedRAMP)", "Federal Risk and Authorization Management Program"),
        ("An American Automobile Association (AAA) map", "American Automobile Association"),
        ("The Contracting Officer (CO) signs.", "Contracting Officer"),
        ("Note: The Contracting Officer (CO) signs.", "Contracting Officer"),
        ("Acme's Thrift Savings Plan (TSP)", "Thrift Savings Plan"),
        ("the Contracting Officer’s Representative (COR)", "Contracting Officer’s Representative"),
        ("in human-centered design (HCD)", "human-centered design"),
        ("your Not To Exceed (NTE) date", "Not To Exceed"),
        ("JavaScript Object Notation (JSON)", "JavaScript Object Notation"),
        ("Personal information (PII) is kept.", None),
        # Only the end of a longer name, or no short form of these words.
        ("at Acme Information Technology (IT)", None),
        ("the Office of Technology Transformation Services (TTS)", None),
        ("Adobe Acrobat and Creative Cloud (CC)", None),
        ("Mike Matis (CoE) leads.", None),
        ("the team Lamps, Oil and Wicks (LOW)", "Lamps, Oil and Wicks"), ("Lamps, Oil and Wicks (LOX)", None),
        ("in Fargo (ND) and elsewhere", None),
        ("San Francisco International Airport (SFO)", None),
        ("It writes debug (WriteDebug) lines.", None),
        ("Wide View (GroupBy)", None),
        ("PowerShell 7.6 (LTS) is out.", None),
        ("It was signed. (IWS)", None),
    ],
)  # fmt: skip
def test_before_a_bracket(text: str, phrase: str | None) -> None:
    bracket = text.index("(")
    short = text[bracket + 1 : text.index(")")]
    found = before_bracket(text, bracket, short)
    assert (text[found.start : found.end] if found else None) == phrase


@pytest.mark.parametrize(
    ("text", "short", "phrase"),
    [
        ("CO - Contracting Officer.", "CO", "Contracting Officer"),
        ("FAS – The Federal Acquisition Service is an office.", "FAS", "Federal Acquisition Service"),
        ("API: Application programming interface, a way to", "API", "Application programming interface"),
        ("IaC — Infrastructure as Code.", "IaC", "Infrastructure as Code"),
        ("E&I - Experiment & Iterate.", "E&I", "Experiment & Iterate"),
        ("PoC - Proof of Concept", "PoC", "Proof of Concept"),
        ("TK - To Come, misspelled.", "TK", None),
        ("ENT - Your username and password", "ENT", None),
        ("Get-Item - Gets the items.", "Get-Item", None),
        ("GitHub - A website to help people collaborate.", "GitHub", None),
        ("FAR - Federal Acquisition Regulation System of 1984", "FAR", None),
        ("It is well-known - for some.", "It", None),
        ("A - Alpha Beta", "A", None),
        ("TB: That's better. We had a plan.", "TB", None),
        ("TB: Trimmer bots could tell people.", "TB", None),
    ],
)
def test_behind_a_dash(text: str, short: str, phrase: str | None) -> None:
    found = behind_dash(text)
    assert (found and (found.short, text[found.start : found.end])) == (phrase and (short, phrase))


@given(st.lists(st.from_regex(r"[A-Z][a-z]{3,8}", fullmatch=True), min_size=2, max_size=6, unique=True))
def test_initials_in_a_bracket_are_explained(words: list[str]) -> None:
    short, name = "".join(word[0] for word in words), " ".join(words)
    text = f"we met the {name} ({short}) and left"
    found = before_bracket(text, text.index("("), short)
    assert found is not None and name.endswith(text[found.start : found.end])
    assert spells_short_form(short, text[found.start : found.end].split(), inside=True)


PHRASES = st.lists(st.sampled_from("the of And Bab bab ACab cab-Abc Cabb's & (a) -".split()), max_size=7).map(" ".join)
SHORTS = st.text(st.sampled_from("abABC&-s"), min_size=1, max_size=6)


@given(PHRASES, SHORTS)
def test_what_is_explained_has_the_letters(words: str, short: str) -> None:
    before, behind = f"{words} ({short})", f"{short} - {words}"
    for text, found in ((before, before_bracket(before, len(words) + 1, short)), (behind, behind_dash(behind))):
        if found is not None:
            phrase = text[found.start : found.end]
            assert phrase in words and is_short(found.short)
            assert spells_short_form(singular_short_form(found.short), re.findall(r"[A-Za-z']+|&", phrase), inside=True)


@given(st.text(st.characters(categories=["Lu", "Ll"]), min_size=3, max_size=8))
def test_the_singular_has_no_more_letters(short: str) -> None:
    assert singular_short_form(short) in (short, short[:-1])


@pytest.mark.parametrize("extractor", ["patterns", pytest.param("auto", marks=tagged)])
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("You can request Leave Without Pay (LWOP) now.\n\nThen LWOP is on record.", {"Leave Without Pay", "LWOP"}),
        ("## Video relay services (VRS)\n\nCall the VRS at any time.", {"video relay services", "VRS"}),
        ("| Site | Use |\n|---|---|\n| Harbor University (HRU) | To learn |\n\nLog in to HRU daily.", {"Harbor University", "HRU"}),
        ("The Technical Lamp Board (“TLB”) decides.\n\nThen the TLB met.", {"Technical Lamp Board", "TLB"}),
        ('The Technical Lamp Board (the "TLB") decides.\n\nThen the TLB met.', {"Technical Lamp Board", "TLB"}),
        ("- **BOC** - Budget Object Code. Used for accounting.\n- **BPR** - Business Process Reengineering.\n", {"Budget Object Code", "BOC"}),
    ],
)  # fmt: skip
def test_a_short_form_is_what_explains_it(text: str, names: set[str], extractor: str) -> None:
    found = read(text, extractor)
    assert called(found, max(names, key=len)) == names


@pytest.mark.parametrize("extractor", ["patterns", pytest.param("auto", marks=tagged)])
def test_a_short_form_of_two_things_joins_neither_to_the_other(extractor: str) -> None:
    text = "- **AWS** - Amazon Web Services. They host us.\n- **AWS** - Alternative Work Schedule. Four days a week.\n"
    for entity in read(text, extractor).entities:
        assert not {"Amazon Web Services", "Alternative Work Schedule"} <= {entity.name, *entity.aliases}


@pytest.mark.parametrize("extractor", ["patterns", pytest.param("auto", marks=tagged)])
def test_forms_of_one_name_stay_one(extractor: str) -> None:
    text = "We sign a Memorandum of Understanding (MOU).\n\nAll Memoranda of Understanding (MOUs) are kept.\n"
    assert {"Memorandum of Understanding", "Memoranda of Understanding"} <= called(read(text, extractor), "MOU")


@tagged
@pytest.mark.parametrize(
    ("text", "name", "type_"),
    [
        ("The London and South Western Railway (LSWR) built it.\n\nLater the LSWR was sold.", "London and South Western Railway", "Organization"),
        ("The Senior Management Team (SMT) leads.\n\nThe SMT met and SMT decides.", "Senior Management Team", "Organization"),
        ("The Technical Lamp Community (TLC) is open.\n\nThen the TLC met.", "Technical Lamp Community", "Organization"),
        ("Windows Remote Management (WinRM) uses it.\n\nThen WinRM starts.", "Windows Remote Management", "Product"),
        ("JavaScript Object Notation (JSON) is simple.\n\nWe read JSON and write JSON.", "JavaScript Object Notation", "Technology"),
        ("You can request Leave Without Pay (LWOP) now.\n\nThen LWOP is on record.", "Leave Without Pay", "Concept"),
    ],
)  # fmt: skip
def test_the_words_of_a_name_show_its_type(text: str, name: str, type_: str) -> None:
    assert {entity.name: entity.type for entity in read(text).entities}[name] == type_


@tagged
@pytest.mark.skipif(model_folder() is None, reason="the packaged model is not installed")
def test_what_is_explained_is_a_body_where_its_sentence_shows_one() -> None:
    text = "The study is funded by UK Research and Innovation (UKRI) as part of a programme.\n"
    assert [(one.name, one.type) for one in read(text).entities] == [("UK Research and Innovation", "Organization")]
