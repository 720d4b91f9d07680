"""Many tiny notes with made-up names: what ``scripts/bench ingest --tiny`` adds.

Each has a title and two or three sentences with two names or so in each. The names are of so many syllables that most
stand in a few notes, as in real folders. The same number gives the same notes.
"""

from __future__ import annotations

import random
from pathlib import Path

_GIVEN = "Ada Bo Cora Dan Eve Finn Gus Hana Ivo Jana Kai Lena Milo Nora Otto Pia Quin Rosa Sven Tara Uma Vera Walt Zoe"
_BEGINNINGS = "Al Bar Cor Del Er Fal Gar Hol Iv Jor Kel Lor Mar Nor Or Pel Quor Ros Sel Tor Ul Var Wes Yel Zan"
_ENDS = "bridge wick mont ford son berg ley ton mann well hurst dale ridge field stone worth"
_KINDS = "Labs Systems Group Works Inc. Partners Foods Motors Bank Institute Energy Media"
_PLACES = "Lund Porto Graz Basel Turin Leeds Ghent Bonn Split Bergen"
_SENTENCES = (
    "{person} founded {body} in {year}.",
    "{body} acquired {other} for {number} million dollars in {year}.",
    "{person} works for {body} in {place}.",
    "{body} opened an office in {place}.",
    "{person} met {friend} at {body} about the budget.",
    "{other} hired {person} as chief engineer in {year}.",
    "The report by {person} says that {body} grew by {number} percent.",
)


def note(dice: random.Random, number: int) -> str:
    """The text of one note."""

    def person() -> str:
        return f"{dice.choice(_GIVEN.split())} {family()}"

    def family() -> str:
        return dice.choice(_BEGINNINGS.split()) + dice.choice(_ENDS.split())

    def body() -> str:
        return f"{family()} {dice.choice(_KINDS.split())}"

    sentences = [
        dice.choice(_SENTENCES).format(
            person=person(), friend=person(), body=body(), other=body(), place=dice.choice(_PLACES.split()),
            year=dice.randint(1980, 2024), number=dice.randint(2, 900),
        )
        for _ in range(dice.randint(2, 3))
    ]  # fmt: skip
    return f"# Note {number}\n\n{' '.join(sentences)}\n"


def write_notes(folder: Path, count: int) -> Path:
    """A folder of so many notes."""
    folder.mkdir()
    dice = random.Random(1)
    for number in range(1, count + 1):
        (folder / f"note-{number:06d}.md").write_text(note(dice, number))
    return folder
