"""``scripts/bench ingest``: two runs of ``--tiny`` measure the same notes, and memory is that of one process."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "bench.d"))
import ingest  # a benchmark is no package
import tiny_notes


def read(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir()}


def test_a_number_makes_the_same_notes(tmp_path: Path) -> None:
    notes = read(tiny_notes.write_notes(tmp_path / "one", 300))
    assert read(tiny_notes.write_notes(tmp_path / "other", 300)) == notes
    assert len(set(notes.values())) == 300
    assert read(tiny_notes.write_notes(tmp_path / "few", 10)).items() <= notes.items()


def test_a_note_is_tiny_and_has_names(tmp_path: Path) -> None:
    for text in read(tiny_notes.write_notes(tmp_path / "notes", 100)).values():
        body = text.partition("\n\n")[2]
        assert len(text) < 400
        assert 2 <= len(re.findall(r"\.(?:\s|$)", body.replace("Inc.", "Inc"))) <= 3, body
        assert len(re.findall(r"\b[A-Z][a-z]+ [A-Z][a-z]+", body)) >= 2, body


def test_the_largest_of_several_processes_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not what two extractors take together; one that ended meanwhile is passed over."""
    taken = {1: 400, 2: 430, 3: 50, 4: 90}

    def numbers(path: Path) -> Iterator[tuple[str, int]]:
        yield from (("Rss", taken[int(path.parent.name)]), ("Pss", 10))

    def name(pid: int) -> str:
        if pid == 3:
            raise FileNotFoundError
        return "worker" if pid == 4 else "extractor"

    monkeypatch.setattr(ingest, "processes", lambda _: taken)
    monkeypatch.setattr(ingest, "numbers", numbers)
    monkeypatch.setattr(ingest, "name", name)
    tree = ingest.Tree()
    tree._look_at_memory()
    assert dict(tree.resident) == {"extractor": 430, "worker": 90}
    assert tree.peak == 30
