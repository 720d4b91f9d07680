"""What pages of the website have in common: the way up, the way to the other pages of one thing, and which of many are
shown. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from kgfs.namespace.site.addresses import HOME
from kgfs.site.records import Link, Pages

TITLE = "Knowledge graph"
_NEAR = 2
"""So many pages on both sides are named."""


def first_crumb(root: str) -> Link:
    """The way to the first page."""
    return Link(TITLE, f"{root}{HOME}")


def most_often(members: Iterable[int], limit: int) -> list[tuple[int, int]]:
    """The members that come most often, each with how often it does; of equals the first by its index."""
    return sorted(Counter(members).items(), key=lambda row: (-row[1], row[0]))[:limit]


def pages(number: int, count: int, address: Callable[[int], str]) -> Pages | None:
    """The way to the other pages of a thing; nothing where there is one."""
    if count < 2:
        return None
    links: list[Link] = []
    before = 0
    for each in sorted({1, count, *range(max(1, number - _NEAR), min(count, number + _NEAR) + 1)}):
        if each > before + 1:
            links.append(Link("…", ""))
        links.append(Link(f"{each:,}", "" if each == number else address(each)))
        before = each
    return Pages(
        number, tuple(links), address(number - 1) if number > 1 else "", address(number + 1) if number < count else ""
    )
