"""The full names on lists of attendance, which other minutes shorten: ``Present: Ann Lee, Bob Ray``.

Used by formats when a file is parsed, and by the reader of meetings. Whom *Ann* means in the minutes of a folder, all of
them together say (``extraction.facts.meeting_notes.short_names``).
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

from kgfs.model import DefinedTerm

ATTENDEE = "attendee"
"""``DefinedTerm.kind`` of such a name."""
MOST = 100
"""Names that one document suggests."""
_HEAD = 600
"""Characters of a text in which it says that it is of a meeting."""
_MEETING = re.compile(r"(?i)\b(?:meetings?|minutes|call|sync|attendance|attendees)\b")
_LABEL = (
    r"(?:(?:[a-z-]+ ){0,2}(?:members|directors|observers|guests|visitors|attendees|participants|staff)(?: present)?|present|attendance|in attendance|"
    r"attending|council|committee|board|facilitators?|chair|moderators?|scribes?|minutes|notes|note-? ?takers?)"
)
_LINE = re.compile(rf"(?im)^[ \t>*+#-]*{_LABEL}[*_]{{0,2}}:[*_]{{0,2}}[ \t]+(?P<names>[^\n]{{3,900}})$")
_LIST = re.compile(
    rf"(?im)^[ \t>*+#-]*{_LABEL}[*_]{{0,2}}:?[*_]{{0,2}}[ \t]*\n\s{{0,3}}(?P<names>(?:[ \t]*[-*+] [^\n]{{3,80}}\n){{1,60}})"
)
_PART = re.compile(r"[,;\n]| and | & ")
_SIGNS = " \t-*+_.`[]@"
_NAME = re.compile(r"[^\W\d_a-z][\w'’-]+(?: (?:[A-Z]\.|[a-z]{2,3}|[^\W\d_a-z][\w'’-]+)){0,2} [^\W\d_a-z][\w'’-]+")


def attendance_names(title: str, text: str) -> list[DefinedTerm]:
    """The full names on the lists of attendance of a text, in order; none where it is not of a meeting."""
    if _MEETING.search(f"{title} {text[:_HEAD]}") is None:
        return []
    found: dict[str, None] = {}
    for pattern in (_LINE, _LIST):
        for line in pattern.finditer(text):
            for part in _PART.split(line["names"]):
                name = part.partition("(")[0].strip(_SIGNS)
                if _NAME.fullmatch(name) is not None:
                    found.setdefault(name)
    return [DefinedTerm(name=name, kind=ATTENDEE, weight=1) for name in [*found][:MOST]]
