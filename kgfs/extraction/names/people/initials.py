"""The letters by which a document goes on to call persons: *Ann Lee (AL), Bob Ray (BRY)*, or a column of them.

Used by the lexicon and by short forms; pure. Minutes give each person who is there two to four letters, not
always the first ones. That a row of names are persons' and its letters are theirs, only the whole row shows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from kgfs.extraction.names import capitals
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.places import ABBREVIATIONS, ALIASES, PLACES
from kgfs.extraction.names.wordlists.well_known import well_known_type
from kgfs.names import without_accents

FEWEST = 3
"""Names with letters that make a row."""
SHARE = 0.8
"""So many of the letters must be made of the names that they stand beside."""
_SHOWN_SHARE = 0.3
"""So many of the names must open with a given name, or have letters before what they say."""
_WORD = r"[^\W\d_a-z][\w'’.-]*"
_NAME = rf"{_WORD}(?: (?:[a-z]{{2,3}} ){{0,2}}{_WORD}){{1,3}}"
_LETTERS = r"(?P<letters>[A-Z]{2,4})"
_BRACKET = re.compile(rf"(?<![\w'’.-])(?P<name>{_NAME}) \({_LETTERS}\)")
_CELLS = re.compile(
    rf"^[ \t]*\|?[ \t]*[*_]*(?P<name>{_NAME})[*_]*[ \t]*\|[ \t]*[*_]*{_LETTERS}[*_]*[ \t]*(?:\||$)", re.M
)
_PLACES = PLACES.union(ABBREVIATIONS, *ALIASES.values())
_BLOCK = re.compile(r"\n[ \t]*\n")
_SPEAKER = re.compile(rf"^[*_]*{_LETTERS}[*_]*:(?=\s)", re.M)
_LABEL = re.compile(r"[*_ ]*$")
_APART = " \t|(*_"
"""Between a name and its letters, in brackets or in a cell of their own."""
_SAYS = re.compile(r"[*_]*:(?=\s|$)")


def person_letters(text: str) -> dict[str, str]:
    """The letters that a text gives to persons, each with the name; letters of two persons are nobody's."""
    found: dict[str, set[str]] = {}
    blocks = _BLOCK.split(text) if _BRACKET.search(text) or _CELLS.search(text) else []
    speaking = {said["letters"] for said in _SPEAKER.finditer(text)} if blocks else set()
    for block in blocks:
        for pattern in (_BRACKET, _CELLS):
            row = {(one["letters"], one["name"]) for one in pattern.finditer(block)}
            if _are_persons(row, speaking):
                for letters, name in row:
                    found.setdefault(letters, set()).add(name)
    return {letters: min(names) for letters, names in found.items() if len(names) == 1}


def _are_persons(row: Collection[tuple[str, str]], speaking: Collection[str]) -> bool:
    if len(row) < FEWEST or len({letters for letters, _ in row}) < SHARE * len(row):
        return False
    others = sum((capitals.type_cue(name) or ("Person",))[0] != "Person" for _, name in row)
    shown = sum(letters in speaking or name.split()[0] in words.CLEAR_GIVEN for letters, name in row)
    made = sum(_is_made_of(letters, name) for letters, name in row)
    enough = SHARE * len(row)
    return len(row) - others >= enough and made >= enough and shown >= _SHOWN_SHARE * len(row)


def _is_made_of(letters: str, name: str) -> bool:
    """Whether all letters are of the name, and the first one opens a word of it: *Ann Lee (ALE)*, *Min Qi Wu (WMQ)*."""
    plain = without_accents(name).upper()
    if letters[0] not in [word[0] for word in plain.split()]:
        return False
    left = list(plain)
    for letter in letters:
        if letter not in left:
            return False
        left.remove(letter)
    return True


class Initials:
    """The letters of the persons of one document, and where they mean them."""

    def __init__(self, text: str) -> None:
        self.names = person_letters(text)
        self._shared = {letters for letters in self.names if _means_else(letters, text)}

    def alone(self) -> Iterator[tuple[str, str]]:
        """The letters that mean nothing else in the text, with their names."""
        return ((letters, name) for letters, name in self.names.items() if letters not in self._shared)

    def means_person(self, text: str, start: int, end: int) -> bool:
        """Whether letters stand for the person: those that mean something else only before what somebody says, and
        right behind the name."""
        letters = text[start:end]
        if letters not in self._shared or (_SAYS.match(text, end) and _LABEL.match(text[:start])):
            return True
        return text[:start].rstrip(_APART).endswith(self.names[letters])


def _means_else(letters: str, text: str) -> bool:
    if well_known_type(letters) or letters in _PLACES:
        return True
    return re.search(rf"\b(?:[Aa]n?|[Tt]he) {letters}\b|\b{letters}s\b|\b{letters.lower()}\b", text) is not None
