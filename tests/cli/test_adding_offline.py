"""Without a key ``kgfs add`` says what a model would cost, what it needs, and that it reads offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kgfs.cli.declaration import Invocation
from kgfs.cli.sources.reading import dollars, say_reading
from tests.conftest import Program

COST = {"input_tokens": 30_000, "cache_read_tokens": 3_000, "cache_write_tokens": 1_000, "output_tokens": 900}


def test_the_price_is_told_without_a_key(kgfs: Program, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Acme\n\nAnn Lee founded Acme Corp in 1999.\n")
    store = tmp_path / "store"
    said = kgfs("--store", store, "add", tmp_path / "note.md", "--dry-run")
    assert "would be read offline" in said.stderr
    said = kgfs("--store", store, "add", tmp_path / "note.md", "--extractor", "llm", "--dry-run")
    assert "Would add 1" in said.stdout
    assert "would read 1 document, 1 chunk: about" in said.stdout
    assert "with --batch" in said.stdout
    assert not store.exists()
    refused = kgfs("--store", store, "add", tmp_path / "note.md", "--extractor", "llm", status=2)
    assert "set ANTHROPIC_API_KEY" in refused.stderr
    assert not (tmp_path / "store").exists()
    kgfs("--store", store, "add", tmp_path / "note.md", "--extractor", "offline", "--budget", "1", status=2)


@pytest.mark.parametrize(
    ("result", "line"),
    [
        ({"added": 1, "extractor": "auto"}, "there is no ANTHROPIC_API_KEY"),
        ({"added": 0, "extractor": "auto"}, ""),
        ({"added": 0, "offline": 1, "extractor": "auto"}, "read offline: there is no ANTHROPIC_API_KEY"),
        ({"updated": 1, "extractor": "offline"}, "read offline"),
        ({"added": 1, "cost": {**COST, "usd": 0.123, "kept": 0, "model": "m"}}, "cost: 0.12 USD, 34,000 tokens in"),
        ({"added": 1, "cost": {**COST, "usd": None, "kept": 2, "model": "m"}}, "cost: price not known, 34,000 tokens"),
    ],
)  # fmt: skip
def test_one_line_says_who_read(result: dict[str, Any], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    say_reading(Invocation(), result)
    said = "".join(capsys.readouterr())
    assert line in said
    assert len(said.splitlines()) == bool(line)


def test_small_sums() -> None:
    sums = (0, 0.0000123, 0.0012, 0.12, 1234.5)
    assert [dollars(usd) for usd in sums] == ["0.00 USD", "0.000012 USD", "0.0012 USD", "0.12 USD", "1,234.50 USD"]
