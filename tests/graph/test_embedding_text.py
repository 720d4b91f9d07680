"""What the search index sees of passages."""

from __future__ import annotations

import pytest

from kgfs.graph.embedding_text import searched_text


@pytest.mark.parametrize(
    ("text", "searched"),
    [
        ("Lamps burn.\n", "Lamps burn.\n"),
        ("See [lamps][].\n\n[lamps]: https://tarn.example/lamps\n", "See [lamps][].\n\n"),
        ("[a]: /a/b\n[b c]: <x.md> \"Title\"\n   [d]: #top\n", ""),
        ("[a]: {% page %}\n[b]: {{site.b}}/c\n", "[a]: {% page %}\n"),
        ("[^1]: Lamps burn, says tarn.example/lamps.\n", "[^1]: Lamps burn, says tarn.example/lamps.\n"),
        ("[note]: lamps burn\n", "[note]: lamps burn\n"),
        (".. _lamps: https://tarn.example/\n\nLamps burn.\n", "\nLamps burn.\n"),
        ("    [a]: https://tarn.example/ in code\n", "    [a]: https://tarn.example/ in code\n"),
        ("x[a]: https://tarn.example/\n", "x[a]: https://tarn.example/\n"),
        ("", ""),
    ],
)  # fmt: skip
def test_definitions_of_links_are_not_searched(text: str, searched: str) -> None:
    assert searched_text(text) == searched


def test_many_brackets_end() -> None:
    text = "[" * 50_000 + "]: " * 50_000
    assert searched_text(text) == text
