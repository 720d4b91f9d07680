"""What the readers of leads share: a fact as they find it, and how names and what describes them stand in a sentence.

Used by the readers of leads of this package; data and pure functions. In the sentences names are marks.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from dataclasses import dataclass

from kgfs.extraction.facts.marks import MARK


@dataclass(slots=True)
class LeadFact:
    """What a lead says of the page's subject. Either end may be the subject."""

    rule: str
    type: str
    mark: int | None = None
    """The number of the name at the other end; none where there is a value."""
    turned: bool = False
    """The page's subject is the object of the fact."""
    text: str = ""
    """The value: a kind, a date as written."""
    date: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    confidence: float = 0.8
    years_only: bool = False
    """No word says that it was a birth or a death."""
    place: str = ""
    """The name of what must be a place, perhaps without a mark."""
    past: bool = False
    """It tells what was done, on the day that stands beside it."""
    role: str = ""
    """Which office or post somebody has."""


NAME = MARK
"""One name."""

NAMES = rf"{NAME}(?:(?:, and |, | and | & ){NAME})*"

BE = r"(?:is|was|are|were)"

# Up to the name: a few words that say what it is, with an adjective that is a name itself (``the American band``).
DESCRIBED = rf"(?:(?:the |an? |his |her |its |their |both |fellow )?(?:{NAME}(?:-[a-z]+)? )?(?:(?!(?:and|of|by|in|for|from|with|to|as|on|at|his|her|under|through|near|after|against|via|starring|featuring|about|who|which|that|directed|produced|written|released|published|based|set|following|preceding|including)\b)[a-z][\w.’'-]*,? ){{0,5}}(?:(?:Sir|Dame|Lord|Lady|King|Queen|Prince|Princess|President|Saint|St\.|Dr\.|Mr\.|Mrs\.|General|Emperor|Duke|Count|Captain|Colonel|Major|Bishop|Pope|Senator|Baron) )*[\"“]?)"

ENDS = (
    r"(?=[\"”]?\s*(?:[,.;:)—–]|\(|$)|[\"”]? (?:in|on|for|from|at|by|with|and|as|after|before|during|to|which|who|that|when|while|but|under|"
    r"through|via|because|since|until|where|about|starring|featuring|based|released|published|set|between|of|he|she|it|is|was|were|are|has|had|about|into|written|directed|produced)\b)"
)


def by_name(pattern: str) -> re.Pattern[str]:
    """``{O}`` is a list of names with what describes them, ``{P}`` one name."""
    one = rf"{DESCRIBED}(?P<o>{NAME})(?![’']s\b){ENDS}"
    several = rf"{DESCRIBED}(?P<o>{NAMES})(?![’']s\b){ENDS}"
    return re.compile(pattern.replace("{O}", several).replace("{P}", one))


AND_SPOUSE = (
    rf"(?: and (?:(?:his|her) (?:[a-z]+ ){{0,2}}?(?:wife|husband|partner|spouse),? )(?:the [a-z ]{{3,30}} )?{NAME})?"
)

CHARGES = r"(?:president|chair(?:man|woman|person)?|director(?:[ -]general)?|head|leader|(?:general|managing|executive) (?:director|secretary|manager)|dean|rector|principal|editor(?:[ -]in[ -]chief)?)"

YEARS = re.compile(
    r"\b(?:from|between) (?:[A-Z]?[a-z]+ )?(?:\d{1,2},? )?(?P<from>1[0-9]\d\d|20\d\d) (?:to|until|till|and) (?:(?:his|her) (?:death|abdication|resignation) in )?(?:[A-Z]?[a-z]+ )?(?:\d{1,2},? )?(?P<to>1\d\d\d|20\d\d)\b"
)

_SINCE = re.compile(r"(?:[^,;]{0,20},)? ?since (?:[A-Z][a-z]+ )?(?:\d{1,2},? )?(?P<from>1[0-9]\d\d|20\d\d)\b")


def years_behind(rest: str) -> tuple[str | None, str | None]:
    """From when until when, as the words behind a post say."""
    if (years := YEARS.search(rest)) is not None:
        return years["from"], years["to"]
    since = _SINCE.match(rest)
    return (since["from"], None) if since is not None else (None, None)
