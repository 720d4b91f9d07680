"""Names: what a slug may hold, whatever it is made of (design, section 2.1)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgfs import names, relation_types

HOSTILE = st.text(st.characters(exclude_categories=()), max_size=400)


@given(HOSTILE)
def test_a_slug_is_a_safe_single_component(text: str) -> None:
    slug = names.slug(text)
    assert slug not in ("", ".", "..")
    assert 1 <= len(slug.encode()) <= names.MAX_SLUG_BYTES
    assert not set(slug) & set("<>:\"|?*\\/'$!&`;(){}[]#%^=~\n\t\r \0")
    assert slug[0] not in "-.@_"
    assert slug[-1] not in "._"
    assert unicodedata.normalize("NFC", slug) == slug
    assert not any(unicodedata.category(char) == "Cc" for char in slug)


@given(HOSTILE)
def test_a_slug_of_a_slug_is_itself(text: str) -> None:
    assert names.slug(names.slug(text)) == names.slug(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Alphabet Inc.", "Alphabet_Inc"),
        ("Mountain View, California", "Mountain_View_California"),
        ("AT&T", "AT_T"),
        ("C++", "C++"),
        ("L'Oréal", "L_Oréal"),
        ("L'Ore\u0301al", "L_Oréal"),
        ("--rm -rf", "rm_-rf"),
        (".git", "git"),
        ("@search", "search"),
        ("_index.tsv", "index.tsv"),
        ("...", "unnamed"),
        ("", "unnamed"),
        ("a\nb\tc", "a_b_c"),
        ("日本銀行", "日本銀行"),
        ("🦊 fox", "🦊_fox"),
        ("/etc/passwd", "etc_passwd"),
        ("a" * 300, "a" * 200),
        ("é" * 150, "é" * 100),
    ],
)
def test_examples(text: str, expected: str) -> None:
    assert names.slug(text) == expected


def test_a_clash_takes_the_alternatives_then_numbers() -> None:
    taken: set[str] = set()

    def give(wanted: str, *alternatives: str) -> str:
        name = names.unique_slug(wanted, taken.__contains__, alternatives)
        taken.add(names.slug_key(name))
        return name

    assert give("notes") == "notes"
    assert give("Notes", "work_Notes") == "work_Notes"
    assert give("NOTES", "work_notes") == "NOTES~2"
    assert give("notes") == "notes~3"
    assert len(give("x" * 200)) == 200
    second = give("X" * 200)
    assert second.endswith("~2") and len(second.encode()) <= names.MAX_SLUG_BYTES


@given(HOSTILE)
def test_one_record_is_one_line(text: str) -> None:
    assert len(names.one_line(text).splitlines()) <= 1
    assert not set(names.tsv_field(text)) & set("\t\n\r")
    assert "\x1b" not in names.one_line(text)


@given(st.text(min_size=1, max_size=30))
def test_every_type_has_a_directory(text: str) -> None:
    directory = names.entity_directory(text)
    assert directory == names.slug(directory)
    assert directory not in names.RESERVED_DIRECTORIES


def test_directories_and_inverses() -> None:
    assert names.entity_directory("Person") == "people"
    assert names.entity_directory("Company") == "companies"
    assert names.entity_directory("Bus") == "buses"
    assert relation_types.inverse("ACQUIRED") == "ACQUIRED_BY"
    assert relation_types.inverse("RAISED_POLICY_RATE") == "RAISED_POLICY_RATE_INVERSE"
    assert names.role_directory("CHIEF_EXECUTIVE_OF") == "CEO_of"
    assert names.role_directory("CHAIR_OF") == "CHAIR_of"
    assert names.role_directory("SUBSIDIARY_OF") is None
    assert names.role_directory("CHILD_OF") is None
    assert names.role_directory("ACQUIRED") is None
    assert names.fact_type("partnered with") == "PARTNERED_WITH"
    assert names.fact_type("…") == "RELATED_TO"
