"""The forms of PATH, told apart as text."""

from __future__ import annotations

import pytest

from kgfs import paths
from kgfs.paths import ChunkName, Ref


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("agent:/notes/a.md", Ref("agent", "/notes/a.md")),
        ("google-docs:/x", Ref("google-docs", "/x")),
        ("url:/https/example.com/a:b", Ref("url", "/https/example.com/a:b")),
        ("agent:/", Ref("agent", "/")),
        ("agent:/two\nlines", Ref("agent", "/two\nlines")),
        ("agent:", None),
        ("agent:notes/a.md", None),
        ("Agent:/a.md", None),
        ("/agent:/a.md", None),
        ("C:/a.md", None),
    ],
)
def test_refs(text: str, ref: Ref | None) -> None:
    assert paths.parse_ref(text) == ref


def test_ids() -> None:
    assert paths.item_id("17") == 17 and paths.item_id("9" * 18) == int("9" * 18)
    assert paths.item_id("9" * 19) is None and paths.is_number("9" * 19)
    assert paths.item_id("-1") is None and paths.item_id("١٧") is None and paths.item_id("") is None
    assert paths.is_fact_id("f_0123456789abcdef") and not paths.is_fact_id("f_0123456789ABCDEF")
    assert not paths.is_fact_id("facts/f_0123456789abcdef")
    assert paths.fact_number(paths.fact_id(255)) == 255 and paths.fact_number("f_0123456789ABCDEF") is None


@pytest.mark.parametrize(
    "text", ["f_0123456789abcdef", "f_0123456789abcdef.json", "/kg/facts/by_type/x/f_0123456789abcdef.json"]
)
def test_a_fact_by_id_and_by_file(text: str) -> None:
    assert paths.parse_fact(text) == "f_0123456789abcdef"


@pytest.mark.parametrize(
    "text",
    [
        "report_chunk_0042",
        "chunks/by_document/report/chunk_0042",
        "/kg/chunks/by_document/report/chunk_0042/text.md",
    ],
)
def test_a_chunk_by_id_and_by_directory(text: str) -> None:
    assert paths.parse_chunk(text) == ChunkName("report", "0042")
    assert (paths.parse_chunk_id(text) is not None) == ("/" not in text)


def test_no_chunk() -> None:
    assert paths.parse_chunk_id("report_chunk_٠٠٤٢") is None and paths.parse_chunk_id(f"x_chunk_{'9' * 20}") is None
    assert paths.parse_chunk("report_chunk_042") is None and paths.parse_chunk("chunks/by_document/report") is None


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("entities/people/Ada_Lovelace", "Ada_Lovelace"),
        ("/entities/people/Ada_Lovelace/", "Ada_Lovelace"),
        ("/kg/entities/people/Ada_Lovelace/facts", "Ada_Lovelace"),
        ("Ada_Lovelace", None),
        ("entities/people", None),
    ],
)
def test_an_entity_by_its_directory(text: str, slug: str | None) -> None:
    assert paths.parse_entity(text) == slug


def test_what_lies_below_a_mountpoint() -> None:
    assert paths.below("/kg", "/kg/entities") == "/entities" and paths.below("/kg", "/kg") == ""
    assert paths.below("/kg", "/kgx") is None and paths.below("", "/a") is None and paths.below("/", "/a") is None
    assert paths.below("/mnt/kg/", "/mnt/kg/a") == "a"


def test_other_forms() -> None:
    assert paths.is_drive("google-docs") and not paths.is_drive("Disk") and not paths.is_drive("")
    assert paths.is_url("HTTPS://example.com") and not paths.is_url("ftp://example.com")
    assert paths.source_name("sources/notes/") == paths.source_name("notes") == "notes"
