"""Who made a thing, and who works for a body, where notes say it on lines of their own: ``Developed by: [[Ann Lee]]``,
``President: [[Ann Lee]]``, links beneath *Author of*, ``[How we sail](…) by Ann Lee``.

Used by ``guide_facts``; pure. Vaults of notes say so in the form of properties and lists, not in sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgfs.extraction.names.wordlists.kind_nouns import noun_type

_LINK = r"\[\[[^\[\]\n]{1,200}\]\]"
_LINE = re.compile(
    rf"^[ \t>*+-]*(?P<label>[A-Za-z][A-Za-z ]{{1,40}}?)(?:\(s\))?[*_]{{0,2}}::?[*_]{{0,2}}(?:[ \t]+"
    rf"(?P<names>{_LINK}(?:(?:,|,? and| &)[ \t]*{_LINK})*))?[ \t]*$"
    rf"|^(?P<level>#{{1,6}})[ \t]+(?P<title>[^\n]{{1,100}}?)[ \t#]*$"
    rf"|^[ \t]*[-*+][ \t]+(?P<item>{_LINK})[ \t]*$"
    rf"|^[ \t]*(?:[-*+][ \t]+)?(?P<listed>{_LINK})(?:[ \t]*$|[ \t]*(?::|,| [-–—])[^\n]*$)",
    re.M,
)
_NAME = re.compile(r"\[\[(?P<target>[^\[\]|#\n\\]{1,160})(?:#[^\[\]|\n]*)?(?:\\?\|(?P<label>[^\[\]\n]{1,160}))?\]\]")
_LABELS = {
    **dict.fromkeys(("developed by", "developer", "developers", "created by", "creator", "made by"), "DEVELOPED"),
    **dict.fromkeys(("author", "authors", "written by", "writer"), "WROTE"),
    **dict.fromkeys(("maintained by", "maintainer", "maintainers"), "MAINTAINS"),
}  # fmt: skip
_POSTS = {
    **dict.fromkeys(
        "boss ceo cfo chair chairman chairperson chairwoman chief cio coo coordinator cto director directors employee "
        "employees engineer engineers executive head manager managers officer operator operators people person "
        "president principal secretary staff superintendent supervisor supervisors technician technicians "
        "treasurer".split(),
        "WORKS_FOR",
    ),
    **dict.fromkeys("contact contacts liaison poc rep reps representative representatives".split(), "HAS_CONTACT"),
    **dict.fromkeys("founder founders".split(), "FOUNDED"),
    **dict.fromkeys("owner owners".split(), "OWNS"),
    **dict.fromkeys("member members".split(), "MEMBER_OF"),
}  # fmt: skip
"""The last word of a label on a note on a body, to what the persons behind it are to it."""
_CONTACT = re.compile(r"(?:point person|point of contact|contact person|account manager|sales)$")
_PAST = re.compile(r"\b(?:ex|former|formerly|old|past|previous|retired)\b")
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
    of_body: bool
    """It is said of a body, and of nothing else: ``President``."""
    start: int
    end: int
    """Where the line stands in the text."""


def credits_in(text: str) -> Iterator[Credit]:
    """The credits of a note, in order."""
    section: tuple[str, int] | None = None
    opened, end = "", 0
    """The label of the list that goes on, and where it ended so far."""
    kind = ""
    for found in _LINE.finditer(text):
        goes_on = opened != "" and not text[end : found.start()].strip()
        label = (found["label"] or "").lower()
        opened = label if label and not found["names"] else opened if goes_on and not label else ""
        end = found.end()
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
        item = found["item"] or found["listed"]
        of_section = section[0] if section is not None and found["item"] and not opened else ""
        said = of_section or _LABELS.get(label or opened, "")
        post = "" if said else _post(label or opened)
        for name in _NAME.finditer((found["names"] or item or "") if said or post else ""):
            target = name["target"].strip()
            shown = (name["label"] or target.rpartition("/")[2]).strip()
            yield Credit(
                said or post, target, shown, kind if of_section else "", not of_section, post != "", *found.span()
            )


def _post(label: str) -> str:
    """What a label on a note on a body says of the persons behind it: *Stantec Vice President*."""
    if _PAST.search(label):
        return ""
    return "HAS_CONTACT" if _CONTACT.search(label) else _POSTS.get(label.rpartition(" ")[2], "")
