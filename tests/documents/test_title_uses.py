"""Titles that their texts write as names."""

from __future__ import annotations

import pytest

from kgfs.documents.suggestions.title_uses import title_uses


@pytest.mark.parametrize(
    ("title", "text", "name"),
    [
        ("Lampo program", "In it, Lampo program was all. In the Lampo program they lit. ", True),
        ("Lampo program", "In the Lampo program they lit. ", False),  # once is too little
        ("Lampo program", "In it, Lampo program was all. In the Lampo program they lit. A lampo program ends.", False),
        ("Lampo lamps", "In it, Lampo lamps were lit. In the Lampo lamps there is oil. ", False),  # several things
        ("lampo", "In lampo we lit it, lampo is all, lampo ", False),
        ("Oil", "We like the Oil and, Oil is good. ", True),
    ],
)  # fmt: skip
def test_titles_used_as_names(title: str, text: str, name: bool) -> None:
    assert bool(title_uses(title, text)) == name
