"""Names in code and members of numbered series: which look like one, and which of them enough documents have."""

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.documents.identifiers import code_shape, read_series, series_spellings
from kgfs.extraction.extractor import extract
from kgfs.extraction.names.declared.gazetteer import declared_entities, make_gazetteer, stated_names
from kgfs.extraction.names.declared.suggested import ENOUGH
from kgfs.model import Gazetteer, ParsedDocument


def parsed(*texts: str, suffix: str = "md") -> list[ParsedDocument]:
    found = []
    for number, text in enumerate(texts):
        document = parse_document(text.encode(), f"page{number}.{suffix}")
        document.path = f"page{number}.{suffix}"
        found.append(document)
    return found


def known(*texts: str, suffix: str = "md") -> Gazetteer:
    return make_gazetteer(stated_names(document) for document in parsed(*texts, suffix=suffix))


def types(gazetteer: Gazetteer) -> dict[str, str]:
    return {entry.name: entry.type for entry in gazetteer.entries}


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("Get-Widget", "verb-noun"), ("asyncio.run", "dotted"), ("std::vector", "dotted"), ("max_connections", "snake"),
        ("MAX_PATH", "snake"), ("matchLabels", "camel"), ("ConfigMap", "camel"), ("fork()", "call"),
        ("depot create", "command"), ("depot repo-list", "command"),
        ("true", ""), ("null", ""), ("$home", ""), ("--force", ""), ("-Path", ""), ("/etc/fstab", ""),
        ("config.yaml", ""),
        ("www.example.org", ""), ("tarn.io", ""), ("module", ""), ("42", ""), ("1.2.3", ""), ("my_table", ""),
        ("Non-Goals", ""), ("foo.bar", ""), ("if the", ""), ("e.g.", ""), ("PATH", ""), ("a = b", ""), ("x" * 90, ""),
    ],
)  # fmt: skip
def test_what_code_looks_like_a_name(code: str, shape: str) -> None:
    assert code_shape(code) == shape


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("PEP 703", "PEP 703"), ("PEP-703", "PEP 703"), ("PEP 0703", "PEP 703"), ("RFC2119", "RFC 2119"),
        ("CVE-2023-36811", "CVE-2023-36811"), ("ISO/IEC 27001", "ISO/IEC 27001"), ("IEEE 802.11", "IEEE 802.11"),
        ("ISO 8859-1", "ISO 8859-1"), ("TARN-123", "TARN-123"), ("M-22-09", "M-22-09"), ("SF-50", "SF-50"),
    ],
)  # fmt: skip
def test_a_number_of_a_series(text: str, name: str) -> None:
    found = read_series(text)
    assert found is not None and found.name == name
    assert name in series_spellings(name)


@pytest.mark.parametrize(
    "text",
    ["COVID-19", "UTF-8", "Boeing 747", "World War 2", "Section 508", "FY 2024", "Windows 11", "Q3 2020", "TLS 1.3",
     "USD 500",
     "STEP 12", "XYZ-2021", "Python 3.12", "JAN-22-2009", "SHA-256", "PEP"],
)  # fmt: skip
def test_what_is_no_number_of_a_series(text: str) -> None:
    assert read_series(text) is None


def test_code_of_enough_documents_is_known_with_what_most_call_it() -> None:
    page = "Call `Get-Widget` first. The `max_widgets` setting and the `widgets.count()` method limit it."
    gazetteer = known(
        "The `Get-Widget` cmdlet gets widgets. Set `max_widgets`.", page,
        "Use the `Get-Widget` cmdlet. `widgets.count()` counts. See the **Set-Widget** cmdlet, `TarnStore`.",
        "`Set-Widget` and `Get-Lamp`. ``TarnStore`` is TarnStore, and TarnStore is TarnStore, TarnStore. `max_widgets`",
        "Neither `Set-Widget` nor `Get-Lamp`. `TarnStore`, TarnStore, TarnStore, TarnStore. `widgets.count()`",
        "And `Get-Lamp`. `TarnStore` as TarnStore is TarnStore and TarnStore.",
    )  # fmt: skip
    assert types(gazetteer) == {
        "Get-Widget": "Command",
        "Set-Widget": "Command",
        "Get-Lamp": "Concept",  # nothing says what it is, and two cmdlets are too few to go by
        "max_widgets": "Setting",
        "widgets.count()": "Function",
    }
    assert not any(term.weight for term in parsed("```\nGet-Widget | Get-Lamp\n```\n")[0].terms)


def test_shapes_and_families() -> None:
    texts = [
        "The `Get-Ant` cmdlet, the `Get-Bee` cmdlet, the `Get-Cow` cmdlet, `Get-Dog`. `depot list --all`, "
        "`depot create`, `depot prune`, `salt water`."
    ] * ENOUGH
    found = types(known(*texts))
    assert found["Get-Dog"] == "Command"
    assert {name for name in found if " " in name} == {"depot list", "depot create", "depot prune"}
    assert found["depot list"] == "Command"


def test_a_heading_of_its_own_says_more() -> None:
    gazetteer = known(
        "# Settings\n\n## `max_widgets`\n\nHow many widgets there are.", "Set `max_widgets`, and `min_widgets`."
    )
    assert "max_widgets" in types(gazetteer)
    assert "min_widgets" not in types(gazetteer)


def test_members_of_series_are_known_from_the_second_time() -> None:
    gazetteer = known(
        "We took PEP 703 and RFC 9110. TARN-123 is open. Table 12 and FY 2024.",
        "PEP-0703 was taken. TARN-123 is closed. LOG 12 and LOG 12. ABC 77, ABC 77.",
        "SB 12, SB 45 and SB 78 were passed; SB 45 came first. No log was kept.",
        "BARD 12 and BARD 12, BARD 14, BARD 15 beside a bard.",
    )
    assert types(gazetteer) == {"PEP 703": "Identifier", "TARN-123": "Identifier", "SB 45": "Identifier"}


def test_they_are_found_in_prose_and_by_any_spelling() -> None:
    gazetteer = known(*["The `Get-Widget` cmdlet. PEP 703 says so."] * 3)
    text = (
        "# Notes of Monday\n\nGet-Widget failed, wrote Ines. PEP-0703 and [pep 703](pep-0703.html) were read.\n\n"
        "```\nGet-Widget -All\n```\n"
    )
    (document,) = parsed(text)
    extraction = extract(document, gazetteer)
    found = {entity.name: (entity.type, entity.aliases) for entity in extraction.entities}
    assert found["Get-Widget"] == ("Command", []) and found["PEP 703"] == ("Identifier", [])
    counts = {extraction.entities[one.entity].name: one.count for one in extraction.mentions}
    assert (counts["Get-Widget"], counts["PEP 703"]) == (2, 2)
    assert "Get-Widget" not in {entity.name for entity in extract(document, Gazetteer()).entities}


@pytest.mark.parametrize(
    ("path", "text", "name", "aliases"),
    [
        ("a.md", "# PEP 703 – Making the lock optional\n\nThis is one.\n", "PEP 703", ["Making the lock optional"]),
        ("pep-0703.rst", "PEP: 703\nTitle: Making the lock optional\nStatus: Final\n\nAbstract\n========\n\nA lock.\n",
         "PEP 703", ["Making the lock optional"]),
        ("rfc9110.md", "# HTTP Semantics\n\nThis document describes HTTP.\n", "RFC 9110", []),
        ("b.md", "# TARN-123: Lamps stay dark after noon\n\nThey do.\n", "TARN-123", ["Lamps stay dark after noon"]),
    ],
)  # fmt: skip
def test_a_page_of_a_number(path: str, text: str, name: str, aliases: list[str]) -> None:
    document = parse_document(text.encode(), path)
    document.path = path
    subject = declared_entities(document)[0]
    assert (subject.name, subject.type, subject.aliases) == (name, "Identifier", aliases)


def test_roles_of_restructuredtext_say_what_they_name() -> None:
    text = "Call :func:`widgets.count`, see :pep:`703` and :class:`~widgets.Store`."
    gazetteer = known(*[text] * 3, suffix="rst")
    assert types(gazetteer) == {"widgets.count": "Function", "PEP 703": "Identifier", "widgets.Store": "Class"}
