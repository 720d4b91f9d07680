"""Titles of what took place in a year: seasons, rounds of tournaments, elections, campaigns, bids.

Used for the titles of pages; pure. Their leads seldom say what they are: *Ann Lee and Bob Ray were the defending
champions*.
"""

from __future__ import annotations

import re

_YEAR = r"(?:1[5-9]|20)\d\d"
_SPAN = re.compile(rf"(?P<year>{_YEAR})(?:[–-]\d{{2,4}})? (?=[A-Z])")
_BEHIND = re.compile(rf", {_YEAR}$")
_WITHIN = re.compile(rf" {_YEAR} ")
_ROUND = re.compile(r" [–-] (?:(?:Men|Women|Boys|Girls)['’]s |Mixed )?(?:Singles|Doubles|Qualifying)$")
_HELD = frozenset(
    "bid bids campaign championship championships cup election elections games grand-prix league open playoffs primary "
    "protests referendum riots season selection series tournament".split()
)


def is_occasion(title: str) -> bool:
    """Whether a title is that of something that took place in the year that it has: *2007–08 Lamp League*, *Reno
    mayoral election, 2006*, *2012 Lamp Open – Doubles*."""
    name = _ROUND.sub("", title)
    spanned = _SPAN.match(name) is not None
    if name != title:
        return spanned
    bare = _BEHIND.sub("", name)
    last = bare.rpartition(" ")[2].lower()
    if bare != name or _WITHIN.search(name):
        return last in _HELD and " " in bare
    return spanned and last in _HELD
