"""What belongs to a project by lists of its repositories: items that begin with a link into the same account of a forge.

Used by the fact reader; pure. ``* [lamp-kit](https://github.com/acme/lamp-kit)`` says of whom the repository is; where several
items do, the list is one of Acme's, where Acme is an entity for certain.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.structured.listed_names import stated_entry
from kgfs.extraction.facts.structured.structure import FORMER
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.units import Unit
from kgfs.relation_types import is_thing, may_join

_ITEM = re.compile(
    r"[^\w\[]*\[[*_`]*(?P<label>[A-Za-z][\w./+ -]{1,50}?)[*_`]*\]\(https?://(?:www\.)?(?:github|gitlab)\.com/(?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?(?:#readme)?\)(?P<behind>.*)",
    re.S,
)
_SIGNS = re.compile(r"[\W_]+")
FEWEST = 3
"""Items that make a list of one's repositories."""
_OTHERS = re.compile(
    r"(?i)\b(?:third[- ]party|community|contrib|others?|external|related|alternatives?|awesome|forks?|archived|deprecated)\b"
)
"""Headings of what others have made, or is no more."""


class _Item(NamedTuple):
    unit: Unit
    label: str


def repository_facts(units: Sequence[Unit], lexicon: Lexicon, types: NameTypes) -> Iterator[LexiconFact]:
    """The facts, in order of the accounts."""
    lists: defaultdict[str, list[_Item]] = defaultdict(list)
    for unit in units:
        found = _ITEM.match(unit.quote) if unit.kind in ("sentence", "row") else None
        if found is None or any(_OTHERS.search(one) or FORMER.search(one) for one in unit.headings[1:]):
            continue
        said, name = (_SIGNS.sub("", one.casefold()) for one in (found["label"].rpartition("/")[2], found["name"]))
        if said == name and _is_before_text(found["behind"]):
            lists[found["owner"].casefold()].append(_Item(unit, found["label"].rpartition("/")[2].strip()))
    for owner, items in lists.items():
        known = lexicon.known_entry(owner)
        if known is None or len({one.label.casefold() for one in items}) < FEWEST:
            continue
        whole = lexicon.resolved(known)
        of_product = is_thing(types.given_type(whole)) and whole != lexicon.page
        if types.given_type(whole) in ("Person", "Location") or of_product:
            continue  # an account that is called after its first product has others beside it
        for one in items:
            part = stated_entry(lexicon, one.label, "Product")
            if (
                part is not None
                and part != whole
                and may_join("PART_OF", types.given_type(part), types.given_type(whole))
            ):
                yield LexiconFact(
                    "structure.repository", candidate_of(one.unit, "PART_OF", 0.75), part, whole, one.unit
                )


def _is_before_text(behind: str) -> bool:
    """Whether nothing stands behind a link, or what describes it."""
    return re.match(r"[*_`)]*\s*(?:$|[-–—:,(.|])", behind) is not None
