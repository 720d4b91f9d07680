"""Which items are lists of contents: the pages of a folder, or a text's own sections, and little else.

Used by the facts of pages; pure. What such a list says is of pages: that the page it stands on covers them.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from kgfs.extraction.facts.guides.page_links import is_for_more
from kgfs.extraction.links import leads_beneath
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.units import Unit

_LINK = re.compile(r"[\s*_`\"“]*\[(?P<label>[^\[\]\n]{1,200})\]\((?P<target>[^()\s]{1,400})\)(?P<behind>[\s\S]*)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_CALLED = re.compile(
    r"(?i)\W*(?:(?:table of )?contents|toc|pages|sections|chapters|in this (?:section|chapter|guide|folder|document|article)|on this page|summary)\W*"
)
"""Headings of lists of contents, and titles of pages that are nothing else."""
_OF_WHOLE = re.compile(r"(?i)\W*(?:(?:table of )?contents|toc|summary|index|site ?map|navigation|sidebar)\W*")
MOST_PAGES = 20
"""A page that lists more of them is a register: its links say as much."""
PAGES = frozenset({PAGE, "Work", "Policy", "Law"})
"""What a page is; an entity of another type is the thing that a page is about."""
FEW = 2
"""So many items make a list."""


def is_mere_contents(title: str) -> bool:
    """Whether a page is called so that it is only a list of others."""
    return _OF_WHOLE.fullmatch(title) is not None


def contents_items(units: Sequence[Unit]) -> set[int]:
    """The units, by their identity, that are items of lists of contents: most of a list's are nothing but links that lead
    into the text's folder, or to its own sections; beneath *Contents* all that are."""
    found: set[int] = set()
    listed, alone = 0, list[Unit]()
    for headings, section in groupby(units, key=lambda unit: unit.headings):
        if is_for_more(headings):
            continue
        items = [unit for unit in section if _is_item(unit)]
        inner = [unit for unit in items if _is_inner(unit)]
        listed += len(items)
        alone += inner
        called = bool(headings) and _CALLED.fullmatch(headings[-1]) is not None
        if inner and (called or (len(items) >= FEW and 2 * len(inner) > len(items))):
            found.update(map(id, inner))
    # Beside other lists of contents one item is one, too.
    return found if not found or 2 * len(alone) <= listed else set(map(id, alone))


def _is_item(unit: Unit) -> bool:
    text = unit.chunk.text
    return unit.kind in ("sentence", "row") and (
        _ITEM.match(text[text.rfind("\n", 0, unit.start) + 1 : unit.end]) is not None
    )


def _is_inner(unit: Unit) -> bool:
    """Whether an item is nothing but a link that leads to a page of the text's folder, or to a section."""
    link = _LINK.fullmatch(_ITEM.sub("", unit.quote, count=1))
    if link is None or re.search(r"\w", link["behind"]) is not None:
        return False
    return link["target"].startswith("#") or leads_beneath(link["target"])
