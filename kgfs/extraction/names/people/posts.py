"""What somebody does, beside a name: a post that runs on behind the name of a body, persons that lists name before one.

Used by the boundaries of names and by the lexicon; pure.
"""

from __future__ import annotations

import re

from kgfs.documents.shouting import calmed
from kgfs.extraction.names import capitals
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.firms import FIRMS
from kgfs.extraction.names.wordlists.kind_nouns import noun_type
from kgfs.extraction.units import Unit

_POSTS = frozenset(
    "advisor adviser advocate apprentice associate cfo chair chief cio cmo co-chair co-lead contractor coo "
    "coordinator co-ordinator cto delegate fellow head intern lead lecturer liaison partner postdoc rep scribe "
    "specialist strategist technologist trustee vp".split()
)
"""Posts beside those that ``kinds`` has, some of which are other things elsewhere."""
_RANKS = frozenset(
    "Assistant Associate Chief Deputy Developer Distinguished Engineering Executive Lead Managing Principal Product "
    "Program Project Research Senior Software Staff Vice".split()
)
_HEADS = words.ORGANIZATION_HEADS | words.STRONG_SUFFIXES
_SMALL = frozenset("of for and the in &".split())
_BODY_OF = frozenset({"of", "for"})
_BOLD = re.compile(
    r"\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?(?:\*\*|__)\[?(?P<name>[^\W\d_][^*_\[\]\n:,(]{2,50}?)\]?(?:\([^()\n]*\))?[:,]?(?:\*\*|__)"
)
_BEHIND = re.compile(r"\s*(?:(?:\([^()]{1,30}\)\s*)?[:,–—-]|\()\s*(?P<said>[^,.;:()–—|]{2,80})")
_OF = re.compile(r" (?:of|at|for|in|to|from|with|and|&|@) ")


def is_post(word: str) -> bool:
    """Whether a word says what somebody is: *Fellow*, *engineer*; none in the plural."""
    lowered = word.lower().strip(".,")
    return lowered in _POSTS or (not lowered.endswith("s") and noun_type(lowered) == "Person")


def without_post(name: str) -> str:
    """The name of a body without the post that the text puts behind it: *Yale University Summer Research Fellow*.

    Empty where there is no body, or where nothing runs on behind it.
    """
    parts = name.split(" ")
    if len(parts) < 3 or not is_post(parts[-1]):
        return ""
    if parts[0] in FIRMS and all(part in _RANKS for part in parts[1:-1]):
        return parts[0]
    heads = (place for place in range(len(parts) - 2, -1, -1) if parts[place].rstrip(",") in _HEADS)
    end = next((place for place in heads if place or parts[1] in _BODY_OF), -1)
    if end < 0 or not parts[0][:1].isupper():
        return ""
    if parts[end + 1] in _BODY_OF:
        end += 2
        while end < len(parts) - 1 and parts[end] in _SMALL:
            end += 1
    rest = parts[end + 1 :]
    if not rest or not all(part[:1].isupper() or part in _SMALL for part in rest):
        return ""
    return " ".join(parts[: end + 1])


_LONE = re.compile(r"[^\W\d_a-z][\w'’-]+(?: (?:[A-Z]\.?|de|van|von|der|la|di|el|al|[^\W\d_a-z][\w'’-]*)){1,3}")


def lone_person(unit: Unit) -> capitals.CapitalsSpan | None:
    """The person whose name is all that stands in a cell, an item or a line."""
    text = unit.content.text
    if unit.kind != "row" or "|" in text or len(text) > 60:
        return None
    name = text.strip(" *_-–—•·.,:;")
    first, _, rest = name.partition(" ")
    if first not in words.CLEAR_GIVEN or not _LONE.fullmatch(name) or not _HEADS.isdisjoint(name.split()):
        return None
    if any(part in words.NOT_SURNAMES or part.lower() in words.NOT_NAMES for part in rest.split()):
        return None
    start = text.index(name)
    return capitals.CapitalsSpan(start, start + len(name), name, False, tag="Person")


def stated_alone(unit: Unit) -> capitals.CapitalsSpan | None:
    """The person, or for whom somebody works, that a cell, an item or a line has and nothing else."""
    return lone_person(unit) or labelled_body(unit)


_EMPLOYER = re.compile(
    r"\s*(?:Company|Employer|Affiliation|Organi[sz]ation)\s*:\s*"
    r"(?P<name>[^\W\d_a-z][\w.&'’-]*(?: [^\W\d_a-z][\w.&'’-]*){1,5})\s*"
)


def labelled_body(unit: Unit) -> capitals.CapitalsSpan | None:
    """For whom somebody works, in a cell or a line of its own: ``Company: Acme Open Source Group``."""
    text = unit.content.text
    found = _EMPLOYER.fullmatch(text) if unit.kind == "row" else None
    if found is None:
        return None
    start, end = found.span("name")
    return capitals.CapitalsSpan(start, end, found["name"], False, tag="Organization")


_AGED = re.compile(
    r"(?P<name>(?:[^\W\d_a-z][\w.'’-]*)(?: (?:[^\W\d_a-z][\w.'’-]*|de|van|von|der|la|di)){1,4}),?"
    r" \(?(?:age[d]? )?\d\d\)?, [a-z]"
)
"""Somebody with an age, at the head of a paragraph: *ANN M. LEE, age 51, has been …*."""


def aged_person(unit: Unit) -> capitals.CapitalsSpan | None:
    """The person whose age stands behind the name that opens a sentence."""
    found = _AGED.match(unit.content.text)
    if found is None or not _HEADS.isdisjoint(found["name"].split()):
        return None
    start, end = found.span("name")
    return capitals.CapitalsSpan(start, end, calmed(found["name"]), False, True, "Person")


def listed_person(unit: Unit) -> capitals.CapitalsSpan | None:
    """The person whom an item names in bold before a post: ``- **Ann Lee**: Venture Partner``."""
    raw, text = unit.quote, unit.content.text
    found = _BOLD.match(raw) if "**" in raw[:12] or "__" in raw[:12] else None
    if found is None:
        return None
    name = " ".join(found["name"].split())
    parts = name.split(" ")
    start = text.find(name, 0, len(name) + 8)
    if start < 0 or not 2 <= len(parts) <= 4 or not all(part[:1].isupper() for part in parts):
        return None
    if not _HEADS.isdisjoint(parts) or any(part.lower() in words.NOT_NAMES or part.isupper() for part in parts):
        return None
    behind = _BEHIND.match(text, start + len(name))
    post = _OF.split(f"{behind['said']} ")[0].split() if behind is not None else []
    if not post or len(post) > 6 or not is_post(post[-1]) or is_post(parts[-1]):
        return None
    return capitals.CapitalsSpan(start, start + len(name), name, False, True, "Person")
