"""What texts are called that say no title, and manual pages that say it in a title block of Pandoc."""

# A case is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from kgfs.documents.formats.parsing import parse_document


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("guides/index~38.md", "guides"),
        ("notes/Lamp oil/Untitled 3.md", "Lamp oil"),
        ("lamps/README.md", "lamps"),
        ("lamps/_index.md", "lamps"),
        ("index~38.md", "index"),
        ("./Untitled (2).md", "Some words on how to do it"),
        ("lamps/3f2a9c1b8d7e4f60.txt", "Some words on how to do it"),
        ("lamps/2024-01-05.md", "2024-01-05"),
        ("lamps/0001.md", "0001"),
        ("guides/lamps~2.md", "lamps~2"),
        ("guides/Indexing.md", "Indexing"),
    ],
)
def test_a_file_without_a_name_is_called_as_its_folder(path: str, title: str) -> None:
    assert parse_document(b"Some words on how to do it.\n", path).title == title


def test_a_heading_is_better_than_the_folder() -> None:
    assert parse_document(b"# Lamp oil\n\nNotes.\n", "guides/index~38.md").title == "Lamp oil"


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("## Tide Clock\n\nA tool that shows the tide.\n", "clocks/Untitled 3.md", "Tide Clock"),
        ("## Tide Clock\n\nA tool that shows the tide.\n", "clocks/index~38.md", "Tide Clock"),
        ("## Tide Clock\n\nA tool that shows the tide.\n", "clocks/clock.md", "clock"),
        ("## Overview\n\nThe keepers open the lock.\n", "lock-keepers/index (2).md", "Lock keepers"),
        ("The keepers open the lock.\n\n## Hours\n\nAt night.\n", "Lock Keepers/index~38.md", "Lock Keepers"),
        ("The keepers open the lock.\n", "site/docs/index.md", "index"),
    ],
)
def test_a_file_without_a_name_is_called_as_the_heading_it_opens_with(text: str, path: str, title: str) -> None:
    assert parse_document(text.encode(), path).title == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Harrow Island is an island in the Norland Sea. It has forty people.\n", "Harrow Island"),
        ("The Quill Works (founded 1920) was a foundry.\n", "Quill Works"),
        ("## Notes\n\nHarrow Island is an island.\n", "Harrow Island"),
        ("He is a keeper from Kirn. He drinks.\n", "He is a keeper from Kirn"),
        ("My boat is a ketch.\n", "My boat is a ketch"),
        ("bought nails, twine and a saw for the shed on friday\n", "bought nails, twine and a saw…"),
        ("- [ ] paint the hull\n- [ ] sand the deck\n", "paint the hull"),
    ],
)
@pytest.mark.parametrize("path", ["m/Untitled 3.md", "m/3f2a9c1b8d7e4f60.txt", "m/202401051200.md"])
def test_a_text_without_a_title_is_called_as_what_it_begins_with(text: str, title: str, path: str) -> None:
    if path.endswith(".txt") and not text[0].isalpha():
        pytest.skip("no markup")
    assert parse_document(text.encode(), path).title == title


@pytest.mark.parametrize("text", ["", "| A | B |\n|---|---|\n| 1 | 2 |\n", "Owner: Ann Lee\nStatus: open\n"])
def test_a_text_without_words_is_called_as_its_file(text: str) -> None:
    assert parse_document(text.encode(), "m/3f2a9c1b8d7e4f60.md").title == "3f2a9c1b8d7e4f60"


@pytest.mark.parametrize(
    ("text", "title", "date", "authors"),
    [
        ("% LAMPER(1) Lamper Manual | Commands\n% Ann Lee\n% March 2024\n\n# NAME\n\nlamper - lights lamps\n", "lamper", "2024-03", ["Ann Lee"]),
        ("% lamp-oil(8)\n% Bob Lind <b@orm.org>; Ann Lee\n\nNAME\n====\n\nlamp-oil - fills\n", "lamp-oil", None, ["Bob Lind", "Ann Lee"]),
        ("% lamp-run 1\n\n## SYNOPSIS\n\nlamp run\n", "lamp-run", None, None),
        ("% The lamps of the harbour\n% Ann Lee\n% 2024-03-05\n\nText.\n", "The lamps of the harbour", "2024-03-05", ["Ann Lee"]),
    ],
)  # fmt: skip
def test_title_blocks(text: str, title: str, date: str | None, authors: list[str] | None) -> None:
    document = parse_document(text.encode(), "page.md")
    assert (document.title, document.date, document.front_matter.get("author")) == (title, date, authors)
    assert document.text == text


@pytest.mark.parametrize("text", ["% a comment\n\n# Lamps\n\nText.\n", "% one\n% two\n% three\n\n# Lamps\n\nText.\n"])
def test_comments_are_no_title_block(text: str) -> None:
    assert parse_document(text.encode(), "page.md").title == "Lamps"


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("Lise Karo was a queen. She was the wife of Peter II of Orm.", "Lise Karo was a queen."),
        ("It was a joke. The queen was the wife of Peter II of Orm.", "The queen was the wife of Peter II of Orm."),
        ("There is a lake. It has very many fishes in the north.", "It has very many fishes in the north."),
    ],
)
def test_a_short_sentence_describes_where_it_says_who_somebody_was(text: str, description: str) -> None:
    assert parse_document(f"# Lise Karo\n\n{text}\n".encode(), "a.md").description == description
