"""Who made a thing, where notes say it on a line of its own: ``Developed by: [[Ann Lee]]``, links beneath *Author of*,
``[How we sail](…) by Ann Lee``.

Used by ``guide_facts``; pure. Vaults of notes say so in the form of properties and lists, not in sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgfs.extraction.names.kinds import noun_type

_LINK = r"\[\[[^\[\]\n]{1,200}\]\]"
_LINE = re.compile(
    rf"^[ \t>*+-]*(?P<label>[A-Za-z][A-Za-z ]{{3,20}}?)(?:\(s\))?[*_]{{0,2}}::?[*_]{{0,2}}[ \t]+"
    rf"(?P<names>{_LINK}(?:(?:,|,? and| &)[ \t]*{_LINK})*)[ \t]*$"
    rf"|^(?P<level>#{{1,6}})[ \t]+(?P<title>[^\n]{{1,100}}?)[ \t#]*$"
    rf"|^[ \t]*[-*+][ \t]+(?P<item>{_LINK})[ \t]*$",
    re.M,
)
_NAME = re.compile(r"\[\[(?P<target>[^\[\]|#\n]{1,160})(?:#[^\[\]|\n]*)?(?:\|(?P<label>[^\[\]\n]{1,160}))?\]\]")
_LABELS = {
    **dict.fromkeys(("developed by", "developer", "developers", "created by", "creator", "made by"), "DEVELOPED"),
    **dict.fromkeys(("author", "authors", "written by", "writer"), "WROTE"),
    **dict.fromkeys(("maintained by", "maintainer", "maintainers"), "MAINTAINS"),
}  # fmt: skip
_SECTIONS = {
    **dict.fromkeys(("author of", "creator of", "developer of", "created", "developed"), "DEVELOPED"),
    "maintainer of": "MAINTAINS",
}


BYLINE = re.compile(
    r"[^\w\[]*\[(?P<label>[A-Z\d“\"][^\[\]\n]{7,150})\]\([^()\s]{4,500}\)[*_\"”]*,? by (?=[A-Z\[*_]|the [A-Z\[])"
)
"""An item that opens with a link to a text, with its writers behind: ``[How we sail](…) by Ann Lee and Bob Ray``."""
BYLINE_ENDS = re.compile(r"[\])*_.,;]|$| (?:with|about|that|which|for|from|in|on|provides?|\()\b")
"""Behind a body that published it."""
NEXT_NAME = re.compile(r"(?: \([^()]{1,40}\))?(?:, and |, | and | & )")
"""Between the names of a byline."""


class Credit(NamedTuple):
    """A line that names who made the page's thing, or what the page's person made."""

    type: str
    target: str
    """Where the link leads: the name of a note."""
    name: str
    """What the link shows: that of the thing where there is no such note."""
    kind: str
    """The type of entity that the heading above says: *Plugins*; empty for most."""
    by: bool
    """Who is named made the thing of the page; else the page's person made what is named."""
    start: int
    end: int
    """Where the line stands in the text."""


def credits_in(text: str) -> Iterator[Credit]:
    """The credits of a note, in order."""
    section: tuple[str, int] | None = None
    kind = ""
    for found in _LINE.finditer(text):
        if found["level"]:
            level = len(found["level"])
            title = found["title"].strip(" *_:").lower()
            kind = noun_type(title)
            type_ = _SECTIONS.get(title)
            if type_ is not None:
                section = (type_, level)
            elif section is not None and level <= section[1]:
                section = None
            continue
        type_ = section[0] if found["item"] and section is not None else _LABELS.get((found["label"] or "").lower())
        if type_ is not None:
            for name in _NAME.finditer(found["item"] or found["names"]):
                target = name["target"].strip()
                label = (name["label"] or target.rpartition("/")[2]).strip()
                yield Credit(type_, target, label, kind if found["item"] else "", not found["item"], *found.span())
