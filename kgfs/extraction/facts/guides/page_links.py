"""Which links send a reader of a page to where more of its subject stands.

Used by ``page_facts``, where a document's subject is known; pure. A link in passing sends nobody anywhere.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgfs.extraction.facts.marks import MARK, OPEN, mark_numbers

_GUIDED = re.compile(
    r"(?:\b(?:(?<!\bto )(?<!\bus )(?<!['’]s )(?<!\bcan )(?<!\bwe )(?<!\bwill )(?<!['’]ll )see|refer|read|(?:to|please|should|can|must|may|then|and) review|visit|check out|go to|learn|follow|consult|guide|guidance|documented|described|outlined|explained|covered|details|more (?:information|about|on|in)|instructions)\b[^.;:()]{0,60}:? ?$)",
    re.I,
)
_LOOK = re.compile(
    r"\b(?:(?:take|have) a (?:closer )?look at|look (?:at|in)|(?:is|are|be) (?:listed|available|posted|kept|found|detailed|covered) (?:in|on|at|under)|"
    r"start (?:with|at|by reading)|familiari[sz]e yourself with|head (?:over )?to)(?: [\w’'-]+){0,3} $",
    re.I,
)
"""What sends a reader somewhere only right before the label of the link."""
_SAYS_MORE = re.compile(
    r"(?:learn|read|find out|get|see|view)\b[^.]{0,20}\b(?:more|about|how)\b|(?:guide|guidance|instructions|how) (?:to|on|for)\b",
    re.I,
)
"""A label that sends its reader there by itself: *Learn more about the process*."""
_PAGE = re.compile(r" ?(?:handbook )?(?:page|guide|section|article|topic|chapter|documentation)s?\b")
_EXAMPLE = re.compile(r"\b(?:for example|for instance|e\.g\.|such as|like|examples? (?:of|in|is|are))\b[^.;]*$", re.I)
"""What stands before a link that only shows what is meant."""
_DENIED = re.compile(r"\b(?:not|n[’']t|never|no longer|without|instead of|rather than|avoid|unless)\b|n[’']t\b")


def points_to(text: str, label: str) -> bool:
    """Whether a sentence sends its reader to what a link in it leads to."""
    before, found, behind = text.partition(label)
    if not found or _DENIED.search(text) or _EXAMPLE.search(before):
        return False
    if is_alone(text, label):
        return True
    if _GUIDED.search(before) is not None or _PAGE.match(behind) is not None:
        return True
    return _LOOK.search(before) is not None or _SAYS_MORE.match(label) is not None


_NAVIGATION = re.compile(
    r"(?i)\W*(?:(?:laquo|larr|raquo|rarr);?\W*)?(?:previous|prev|next|back|return|home|up|top)(?: (?:page|section|chapter|to (?:the )?(?:top|index|home|contents|overview|list))\b.*)?\W*"
)
_SEEN = re.compile(r"\b(?:[Ss]ee(?: also)?|[Rr]efer to|[Cc]onsult|[Rr]ead)(?: the| our)? \W*$")


def is_navigation(label: str) -> bool:
    """Whether a link only leads through a site: *Back to index*, *« previous*."""
    return _NAVIGATION.fullmatch(label) is not None


def is_seen(text: str, label: str) -> bool:
    """Whether a sentence has its reader see the very thing that a link to another site names."""
    return _SEEN.search(text.partition(label)[0]) is not None


def is_alone(text: str, label: str) -> bool:
    """Whether a sentence is nothing but a link: an item of a list of pages."""
    before, found, behind = text.partition(label)
    return bool(found) and re.search(r"\w", before) is None and re.search(r"\w", behind) is None


_SEE = re.compile(
    rf"(?:^|, |; |\()(?P<more>(?:[Ff]or|[Tt]o)(?: (?:more|further|additional|detailed|full|complete|other|background))* (?:information|details?|guidance|instructions|examples|learn more|read more)[^.;()]{{0,120}}?,? )?"
    rf"(?:[Pp]lease )?(?:[Ss]ee|[Rr]efer to|[Cc]onsult|[Rr]ead|[Rr]eview)(?: also)?(?: the| our| this)?(?: (?!your\b)[a-z]+){{0,3}}? [\"“]?(?P<o>{MARK})(?=[\"”]?(?:[.;,)]|$| (?:page|article|topic|guide|section|documentation|for|and)\b))"
)

_MORE = re.compile(
    r"(?:see also|related (?:[\w-]+ ){0,2}[\w-]+|further reading|references|next steps)\W*",
    re.I,
)
"""A heading under which a page lists others to read."""


def is_for_more(headings: Sequence[str]) -> bool:
    """Whether a text stands under a heading such as *See also*."""
    return bool(headings) and _MORE.fullmatch(headings[-1].strip()) is not None


def pointed_to(masked: str) -> Iterator[int]:
    """The names that a sentence anywhere on a page tells its reader to look at: ``For more information, see ⟨1⟩.``"""
    for found in _SEE.finditer(masked):
        if OPEN not in (found["more"] or ""):
            yield from mark_numbers(found["o"])
