"""Whose country a sentence states by an adjective: ``Ada Lee is an American singer``, ``the French painter Yves Roi``.

Used by the fact reader where the tagger gives every name a type; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.extraction.names.context_clues import ORGANIZATIONS, PEOPLE, WORKS

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
_NO_NATION = re.compile(r"(?:African|Native|Latin|North|Central|East|West|Asian|Anglo|Indo|non)[- ]?$")
_SPORT = re.compile(r" (?:rules )?(?:football|rugby|handball)\b")
"""Behind the adjective that is a part of a sport's name."""
_OF_SPORTS = frozenset({"American", "Australian"})
"""Adjectives by which a kind of football is called."""
_PLACE_BEFORE = re.compile(r"[a-z,] [A-Z][a-z]+ $")
_STEP = r"(?!(?:of|by|in|for|from|at|to|with|on|and|the|part|member)\b)[a-z0-9-]+ "
_ANY = rf"(?P<nation>{_NATION})(?:[-– ]+(?P<other>{_NATION}))?(?![\w-]*[- ]language)"
_IS = re.compile(
    rf"(?: \([^()]{{1,90}}\))?,? (?:is|was|are|were|became|remains|remained) (?:an?|the|one of the) (?:{_STEP}){{0,3}}?{_ANY}(?:-born)? (?P<what>[a-z][^.;,]{{0,80}})"
)
_APPOSED = re.compile(
    rf"(?: \([^()]{{1,90}}\))?, (?:an?|the) (?:{_STEP}){{0,2}}?{_ANY}(?:-born)? (?!(?:authorities|government|army|police|public|press)\b)[a-z]"
)
_OPENS = re.compile(r"^\W*(?:The )?$|\bknown as $|\bas $")
_KINDS = {
    "O": re.compile(rf"\b(?:{'|'.join(map(re.escape, ORGANIZATIONS))})\b"),
    "W": re.compile(
        rf"\b(?:{'|'.join(map(re.escape, WORKS))})\b(?! (?:director|produc|maker|studio|publish|star|compan|festival))"
    ),
}
"""What must follow the adjective, so that the name is a name of that kind."""
_KIND = "|".join(sorted(map(re.escape, PEOPLE), key=len, reverse=True))
_BEFORE = re.compile(
    rf"\b{_ANY} (?:[a-z][\w-]* (?:- [a-z]+ )?){{0,3}}?(?:(?:{_KIND})(?: and [a-z]+)?|president|composer|band) $"
)
_RULES = {
    (how, letter): f"nationality.{what}_{how}"
    for how in ("is", "before", "appositive")
    for letter, what in (("P", "person"), ("O", "organization"), ("W", "work"))
}
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
    rule: str = ""


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
        if found is None or (found.re is _IS and not _is_of_kind(text[:start], found["what"], letter)):
            continue
        how = "is" if found.re is _IS else "before" if found.re is _BEFORE else "appositive"
        shift = max(0, start - 80) if found.re is _BEFORE else 0
        for group in ("nation", "other"):
            # "Chinese-American": of the United States, whatever the family is from.
            if found[group] is None or (group == "nation" and found["other"] == "American" and letter == "P"):
                continue
            first, last = found.start(group) + shift, found.end(group) + shift
            if _SPORT.match(text, last) and (letter == "O" or found[group] in _OF_SPORTS):
                continue  # "was an American football team that represented Tarn College"
            if found.re is _BEFORE and _PLACE_BEFORE.search(text, 0, first):
                continue  # "sold to Reno Chinese leader Ann Lind"
            if _NO_NATION.search(text[max(0, first - 12) : first]) is None:
                yield Nationality(
                    mark,
                    "BORN_IN" if letter == "P" and text.startswith("-born", last) else _TYPES[letter],
                    NATIONS[found[group]],
                    first,
                    last,
                    _CONFIDENCE[letter],
                    _RULES[how, letter],
                )


def _is_of_kind(before: str, what: str, letter: str) -> bool:
    """Whether a company or a work opens the sentence that says what it is, and is said to be one."""
    kind = _KINDS.get(letter)
    return kind is None or (_OPENS.search(before) is not None and kind.search(what) is not None)
