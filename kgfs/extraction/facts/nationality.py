"""Whose country a sentence states by an adjective: ``Ada Lee is an American singer``, ``the French painter Yves Roi``.

Used by the fact reader where the tagger gives every name a type; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.extraction.names.context import PEOPLE

NATIONS = {
    "American": "United States", "U.S.": "United States", "British": "United Kingdom", "English": "England",
    "Scottish": "Scotland", "Welsh": "Wales", "Irish": "Ireland", "French": "France", "German": "Germany",
    "Italian": "Italy", "Spanish": "Spain", "Portuguese": "Portugal", "Dutch": "Netherlands", "Belgian": "Belgium",
    "Swiss": "Switzerland", "Austrian": "Austria", "Swedish": "Sweden", "Norwegian": "Norway", "Danish": "Denmark",
    "Finnish": "Finland", "Icelandic": "Iceland", "Polish": "Poland", "Czech": "Czech Republic", "Slovak": "Slovakia",
    "Hungarian": "Hungary", "Romanian": "Romania", "Bulgarian": "Bulgaria", "Greek": "Greece", "Turkish": "Turkey",
    "Serbian": "Serbia", "Croatian": "Croatia", "Slovenian": "Slovenia", "Albanian": "Albania", "Russian": "Russia",
    "Ukrainian": "Ukraine", "Belarusian": "Belarus", "Estonian": "Estonia", "Latvian": "Latvia",
    "Lithuanian": "Lithuania", "Georgian": "Georgia", "Armenian": "Armenia", "Israeli": "Israel", "Iranian": "Iran",
    "Iraqi": "Iraq", "Syrian": "Syria", "Lebanese": "Lebanon", "Egyptian": "Egypt", "Moroccan": "Morocco",
    "Nigerian": "Nigeria", "Ghanaian": "Ghana", "Kenyan": "Kenya", "Ethiopian": "Ethiopia",
    "South African": "South Africa", "Zambian": "Zambia", "Indian": "India", "Pakistani": "Pakistan",
    "Bangladeshi": "Bangladesh", "Chinese": "China", "Japanese": "Japan", "South Korean": "South Korea",
    "North Korean": "North Korea", "Taiwanese": "Taiwan", "Vietnamese": "Vietnam", "Thai": "Thailand",
    "Indonesian": "Indonesia", "Malaysian": "Malaysia", "Singaporean": "Singapore", "Filipino": "Philippines",
    "Australian": "Australia", "New Zealand": "New Zealand", "Canadian": "Canada", "Mexican": "Mexico",
    "Cuban": "Cuba", "Jamaican": "Jamaica", "Brazilian": "Brazil", "Argentine": "Argentina",
    "Argentinian": "Argentina", "Chilean": "Chile", "Colombian": "Colombia", "Peruvian": "Peru",
    "Venezuelan": "Venezuela", "Uruguayan": "Uruguay", "Saudi": "Saudi Arabia", "Afghan": "Afghanistan",
}  # fmt: skip
"""Adjective to country."""
_NATION = "|".join(sorted(map(re.escape, NATIONS), key=len, reverse=True))
_NO_NATION = re.compile(r"(?:African|Native|Latin|North|Central|Asian|Anglo|Indo|non)[- ]?$")
_ANY = rf"(?P<nation>{_NATION})(?:[-– ]+(?P<other>{_NATION}))?(?![\w-]*-language)"
_IS = re.compile(
    rf"(?: \([^()]{{1,90}}\))?,? (?:is|was|are|were|became|remains|remained) (?:an?|the|one of the) (?:[a-z0-9-]+ ){{0,3}}?{_ANY}(?:-born)? [a-z]"
)
_APPOSED = re.compile(rf"(?: \([^()]{{1,90}}\))?, (?:an?|the) (?:[a-z-]+ ){{0,2}}?{_ANY}(?:-born)? [a-z]")
_KIND = "|".join(sorted(map(re.escape, PEOPLE), key=len, reverse=True))
_BEFORE = re.compile(
    rf"\b{_ANY} (?:[a-z][\w-]* (?:- [a-z]+ )?){{0,3}}?(?:(?:{_KIND})(?: and [a-z]+)?|president|composer|band) $"
)
_TYPES = {"P": "CITIZEN_OF", "O": "LOCATED_IN", "W": "ORIGINATED_IN"}
_CONFIDENCE = {"P": 0.75, "O": 0.65, "W": 0.7}


class Nationality(NamedTuple):
    """A name and the country that an adjective gives it."""

    mark: int
    type: str
    country: str
    start: int
    end: int
    """Where the adjective stands."""
    confidence: float


def find_nationalities(text: str, spans: Sequence[tuple[int, int]], letters: Sequence[str]) -> Iterator[Nationality]:
    """What the adjectives of a sentence say of its names; ``letters`` are those of the names' types."""
    if re.search(rf"\b(?:{_NATION})\b", text) is None:
        return
    for mark, ((start, end), letter) in enumerate(zip(spans, letters, strict=True)):
        if letter not in _TYPES:
            continue
        # What stands in front of a name must end there: a long sentence has many names.
        found = (
            _IS.match(text, end)
            or (_APPOSED.match(text, end) if letter == "P" else None)
            or (_BEFORE.search(text[max(0, start - 80) : start]) if letter in "PO" else None)
        )
        if found is None:
            continue
        shift = max(0, start - 80) if found.re is _BEFORE else 0
        for group in ("nation", "other"):
            if found[group] is None:
                continue
            first, last = found.start(group) + shift, found.end(group) + shift
            if _NO_NATION.search(text[max(0, first - 12) : first]) is None:
                yield Nationality(mark, _TYPES[letter], NATIONS[found[group]], first, last, _CONFIDENCE[letter])
