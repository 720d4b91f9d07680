"""Names whose own site a text links to: ``[Kandji](https://kandji.io)``, or the same in reStructuredText.

Used by formats when a file is parsed. A label that is the name in the address names a thing, most often a tool or a
firm, whatever its letters look like; the documents only suggest it (``extraction.names.declared.suggested``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kgfs.documents.labelled_links import LabelledLink
from kgfs.model import DefinedTerm

SITE = "site"
"""``DefinedTerm.kind`` of a tool or a firm."""
OFFICIAL_SITE = "official site"
"""The same of a body: its address ends in ``.gov`` or the like, its name is an acronym, or somebody works there."""
MAX_SITES = 200
"""Names that one document suggests."""

_MOST_LETTERS = 40
_SITE = re.compile(r"https?://(?P<host>[A-Za-z0-9.-]{4,80})(?::\d+)?(?:[/?#].*)?")
_PREFIXES = ("get", "try", "use", "join", "go", "the")
_SUFFIXES = ("hq", "app", "inc", "labs")
_SECOND_LEVELS = frozenset("ac co com edu gov net or org".split())
_OFFICIAL = frozenset("edu gov int mil".split())
_OF_SOFTWARE = frozenset("app dev io rs sh".split())
"""What addresses end in that mostly software has, though its name be an acronym."""
_MADE_UP = frozenset("acme domain example localhost mycompany mysite site test website yourdomain".split())
_EMPLOYER = re.compile(
    r"(?i:\b(?:company|employer|organi[sz]ation|affiliation)\W{0,6}$)"
    r"|\b(?:engineer|developer|manager|director|architect|advocate|lead|scientist|consultant|designer|analyst|researcher|founder|"
    r"professor|president|CEO|CTO|CFO|works|worked|working|employed)\b[^.\n]{0,30} (?:at|for|of) (?:\W{0,3})$"
)
"""Before a link: somebody works there."""
_IS_BODY = (
    r"(?:(?!(?:about|at|by|for|from|in|of|on|that|to|which|with)\b)[\w(),-]+\s+){0,6}?"
    r"(?:agency|association|charity|co-?operative|community of|company|consortium|foundation|"
    r"non-?profit|organi[sz]ation)\b"
)
_BODIES = re.compile(
    r"(?i)\b(?:adopters?|affiliations?|companies|company|customers|employers?|end users|firms|members|"
    r"organi[sz]ations?|partners|sponsors|supporters|vendors?|who uses|used by)\b"
)
"""Heads a list, or a column of a table, of firms and bodies."""
_LISTED = re.compile(r"\s*(?:[-*+•] |\s)")
_ITEM = re.compile(r"[ \t]*[-*+•][ \t]+\W{0,3}")
_ROW = re.compile(r"[ \t]*\|")
_ADDRESS = re.compile(r"(?i)\.[a-z]{2,6}$")


def site_names(text: str, links: Iterable[LabelledLink]) -> list[DefinedTerm]:
    """The names in a text that are labels of its ``links`` to sites of that name, in order."""
    found: dict[str, DefinedTerm] = {}
    for link in links:
        site = _SITE.fullmatch(link.address) if len(link.label) <= _MOST_LETTERS else None
        if site is None:
            continue
        label = link.label.replace("\u200b", "").strip(" *_:.,")
        if label in found or not label[:1].isalnum() or label == label.lower() or len(label.split()) > 3:
            continue
        if _ADDRESS.search(label):
            continue  # "Wakingup.com" is an address, not a name
        parts = site["host"].lower().removesuffix(".").split(".")
        if len(parts) > 2 and parts[-2] in _SECOND_LEVELS:
            parts.pop(-2)
        if len(parts) < 2 or not parts[-2] or parts[-2] in _MADE_UP:
            continue
        if parts[-1] in _OFFICIAL and any(char.isdigit() for char in label):
            continue  # "Section 508" is what the site is about
        if _is_called(label, parts[-2].replace("-", "")):
            official = (
                parts[-1] in _OFFICIAL
                or (label.isupper() and label.isalpha() and parts[-1] not in _OF_SOFTWARE)
                or _EMPLOYER.search(text, max(0, link.start - 60), link.start) is not None
                or _is_among_bodies(text, link.start)
                or _is_said_body(text, label)
            )
            found[label] = DefinedTerm(name=label, kind=OFFICIAL_SITE if official else SITE, weight=1)
            if len(found) == MAX_SITES:
                break
    return [*found.values()]


def _is_said_body(text: str, label: str) -> bool:
    """Whether a text says of a name that it is a body: *Acme is a global community of*, *Acme is a non-profit*."""
    bare = re.escape(label.removeprefix("The "))
    said = rf"(?:^|[.!?*\[] ?)(?:The )?{bare}(?:\]\([^()\s]*\))?,? (?:is|are) (?:an?|the) {_IS_BODY}"
    return re.search(said, text, re.MULTILINE) is not None


def _is_among_bodies(text: str, place: int) -> bool:
    """Whether a link opens a row, a cell or an item where firms and bodies are listed: *Adopters*, *Company*."""
    first = text.rfind("\n", 0, place) + 1
    before = text[first:place]
    if _ROW.match(before):
        start = first
        while _ROW.match(text, up := text.rfind("\n", 0, max(0, start - 1)) + 1) and up < start:
            start = up
        cells = text[start : text.find("\n", start)].split("|")
        column = before.count("|")
        return start < first and column < len(cells) and _BODIES.search(cells[column]) is not None
    if not _ITEM.fullmatch(before):
        return False
    above = [line for line in text[max(0, first - 4000) : first].splitlines() if line.strip()]
    lead = next((line for line in reversed(above) if not _LISTED.match(line)), "")
    heading = next((line for line in reversed(above) if line.startswith("#")), "")
    return _BODIES.search(lead) is not None or _BODIES.search(heading) is not None


def _is_called(label: str, own: str) -> bool:
    """Whether the part of an address that its owner chose is the label, or says no more than that."""
    letters = "".join(char for char in label.casefold() if char.isalnum())
    if len(letters) < 3:
        return False
    return own == letters or own in {
        *(prefix + letters for prefix in _PREFIXES),
        *(letters + suffix for suffix in _SUFFIXES),
    }
