"""Names of software and of code: what their words, their pages and the code around them show of their type."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.names import software_places
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.extraction.names.declared.suggested import type_in_code
from kgfs.extraction.names.software import is_offered, is_software
from kgfs.extraction.names.usage import name_use


@pytest.mark.parametrize(
    ("name", "software"),
    [
        ("AWS Batch", True), ("Google Cloud Storage", True), ("Apache Spark", True), ("Tarn CLI", True),
        ("Azure Key Vault", True), ("Lamp SDK", True),
        ("Apache Software Foundation", False), ("AWS", False), ("AWS Account", False), ("Google Cloud", True),
        ("the CLI", False), ("Command line", False), ("Azure Policy", False), ("Apache County", False),
    ],
)  # fmt: skip
def test_words_of_a_name_that_show_software(name: str, software: bool) -> None:
    assert is_software(name) == software


@pytest.mark.parametrize(
    ("name", "lead", "offered"),
    [
        ("Lampsmith", "Lampsmith allows you to forge lamps.", True),
        ("Lampsmith", "The Lampsmith lets developers forge lamps.", True),
        ("Lampsmith", "You can use Lampsmith to forge lamps.", True),
        ("Lampsmith", "Use Lampsmith for lamps.", True),
        ("Lampsmith", "We use Lampsmith for lamps.", True),
        ("Lampsmith", "Lampsmith can be used to forge lamps.", True),
        ("Lamp Groups", "We use Lamp Groups to forge lamps.", False),
        ("Lampsmith", "Lampsmith was a king.", False),
        ("Lampsmith", "Oilsmith allows you to forge lamps.", False),
        ("configuration", "configuration allows you to set lamps.", False),
    ],
)
def test_what_a_page_offers(name: str, lead: str, offered: bool) -> None:
    assert is_offered(name, lead) == offered


@pytest.mark.parametrize(
    ("name", "said", "type_"),
    [
        ("LampSession", "Event", "Class"), ("OpenLamp", "Organization", "OpenLamp"), ("DevLamp", "Concept", "DevLamp"),
        ("lamps.store.LampStore", "Concept", "Class"), ("lamp_size", "Concept", "Identifier"),
        ("lamp_size", "Product", "lamp_size"), ("light_lamp()", "Concept", "Function"), ("Lamp", "Event", "Lamp"),
    ],
)  # fmt: skip
def test_what_nothing_in_code_is(name: str, said: str, type_: str) -> None:
    assert type_in_code(name, said) == (said if type_ == name else type_)


def test_listings_show_what_names_in_code_are() -> None:
    texts = [
        "Call `light_lamp`, with `lamp_size` on a `TarnStore`, for `dim_lamp` and `lamps.store.OilStore`; `GetOil`.\n\n"
        "```python\nclass TarnStore:\n    ...\nlight_lamp(lamp_size=3)\nlamps.store.OilStore(x)\n"
        "$lamp.GetOil()\n```\n"
    ] * 3
    documents = [parse_document(text.encode(), f"a{place}.md") for place, text in enumerate(texts)]
    found = {
        entry.name: entry.type for entry in make_gazetteer([stated_names(document) for document in documents]).entries
    }
    assert {name: type_ for name, type_ in found.items() if type_} == {
        "light_lamp": "Function", "lamp_size": "Setting", "TarnStore": "Class", "dim_lamp": "Identifier",
        "lamps.store.OilStore": "Class", "GetOil": "Function",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("title", "lead", "name", "type_"),
    [
        ("Slice a lamp", "Lamps are sliced.", "Slice a lamp", "Document"),
        ("Set up the data", "First comes oil.", "Set up the data", "Document"),
        ("Lamp Works (outdated text that needs review)", "This is how.", "Lamp Works", ""),
        ("Travel policy", "Who travels asks first.", "Travel policy", "Policy"),
        ("AWS Lamps", "They run at scale.", "AWS Lamps", "Product"),
        ("Winnie the Pooh", "He lives in a wood.", "Winnie the Pooh", ""),
        ("Orm Design", "The Design team at Orm provides lamps to everybody.", "Orm Design", "Organization"),
        ("Operation Lamp", "Operation Lamp was the codename for the Battle of Orm in 1944.", "Operation Lamp", "Event"),
    ],
)
def test_titles(title: str, lead: str, name: str, type_: str) -> None:
    document = parse_document(f"# {title}\n\n{lead}\n".encode(), "lamps/a.md")
    (found,) = (one for one in stated_names(document) if not one.weight)
    assert (found.name, found.type) == (name, type_)


@given(st.lists(st.text("ab .", min_size=1, max_size=4), min_size=1), st.text("ab .", max_size=12))
def test_one_of_many_names_is_the_longest_that_nothing_goes_on_behind(names: list[str], text: str) -> None:
    behind = r"(?!a)"
    one_by_one = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    wanted = [found.span() for found in re.finditer(f"(?:{one_by_one}){behind}", text)]
    assert [found.span() for found in re.finditer(software_places._any_of(names) + behind, text)] == wanted


@pytest.mark.parametrize(
    ("name", "behind", "numbered"),
    [
        ("About", " 2.5 lamps burn.", False),
        ("C-Lamp", " #4639 adds a wick.", True), ("C-Lamp", " 0.10.2 is out.", True),
        ("Lamp Server", " v1.0 burns.", True),
        ("Lamp Newsletter", " #146 told of it.", False), ("PR", " #4639 adds a wick.", False),
        ("Section", " 2.1 tells of it.", False), ("C-Lamp", " #1", False), ("C-Lamp", " 2.5% of all", False),
        ("Lamps", " rose 2.5", False),
    ],
)  # fmt: skip
def test_a_version_or_a_request_behind_a_name(name: str, behind: str, numbered: bool) -> None:
    assert name_use(name + behind, 0, len(name)).numbered == numbered
