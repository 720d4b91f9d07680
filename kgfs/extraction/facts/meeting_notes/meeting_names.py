"""The names and dates of meetings, by the titles, the paths and the first lines of their minutes.

Used by the readers of minutes; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from pathlib import PurePosixPath

from kgfs.documents import dates
from kgfs.extraction.facts.meeting_notes.attendees import plain_entry

MAX_NAME = 120
HELD = re.compile(
    r"\b(?:meetings?|minutes|call|sync|stand-?up|agm|session|assembly|summit|telco|check-?in|hangout)\b", re.I
)
MINUTES = re.compile(r"\b(?:minutes|notes)\b", re.I)
_GENERIC = frozenset(
    "meeting meetings minutes notes note agenda date draft final readme untitled index the of for and at on weekly monthly "
    "bi-weekly biweekly daily regular attendees present summary call team time links".split()
)
_FOLDERS = re.compile(
    r"(?i)^(?:\d{4}|q[1-4]|\d{1,2}|meetings?|minutes|notes|docs?|meeting[-_ ]?(?:notes|minutes)(?:[-_ ]archives?)?|archive[ds]?|updates?|\.|/|tmp|data|home|documents|files|pages|src|content|\d{4}-\d\d(?:-\d\d)?)$"
)


_DAY_BEFORE = re.compile(rf"(?i)^{dates.MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)? ?[|:–—-] ?(?=\S)")
"""A day without a year before the name, where it is known which one: *March 26 | Lamp call*."""


def meeting_name(title: str, path: str, date: str, *, dated: bool = True) -> str:
    """The name of a meeting: its title, with the date where the title has none; empty where that says of nothing which.

    A title that says only that these are minutes is made clear by the folder. In a text of many meetings (not ``dated``)
    the section's date stands in the place of the title's.
    """
    title = " ".join(plain_entry(title).split())
    title = _DAY_BEFORE.sub("", title) if date else title
    bare = _without_date(title)
    if not title_words(bare):
        folder = next((part for part in reversed(PurePosixPath(path).parts[:-1]) if not _FOLDERS.match(part)), "")
        bare = title = f"{folder} meeting" if folder else "Meeting"
        if not date:
            return ""
    if date and (not dated or _own_day(title) != date):
        base = _without_notes(bare) or bare
        base = base if HELD.search(base) else f"{base} meeting"
        return f"{base} {date}"[:MAX_NAME]
    told = _without_notes(title)
    if HELD.search(told) and title_words(told):
        title = told
    elif not HELD.search(title) and not MINUTES.search(title):
        title = f"{bare} meeting {date}".strip() if date else f"{title} meeting"
    return title if len(title) <= MAX_NAME else ""


def _without_notes(title: str) -> str:
    """The name of a meeting without the word for what was written down there: *Lamp Call 7 Notes*."""
    return re.sub(r"\s*[-–—|:,]?\s*\b(?:notes|minutes)$", "", title, flags=re.I).strip(" -–—|:,")


def title_words(title: str) -> list[str]:
    """The words of a title that say which meeting it is of."""
    found = re.findall(r"[^\W\d_](?:[^\W_]|['’&-](?=\w))*", _without_date(title))
    return [word for word in found if not _GENERIC.issuperset(re.split(r"[-_]", word.lower()))]


def _own_day(title: str) -> str:
    found = dates.from_name(title) or dates.from_title(title) or ""
    return found if len(found) == 10 else day_in(title)


def _without_date(title: str) -> str:
    for found in reversed(dates.find_dates(title)):
        title = title[: found.start] + " " + title[found.end :]
    title = re.sub(
        r"\b\d{4}[-_.]\d\d[-_.]\d\d\b|\b(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[-–_]\d{6})?\b|\b\d{8}\b|^(?:19|20)\d\d(?=[-_ ])|\((\s*)\)|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?",
        " ",
        title,
    )
    return " ".join(title.replace("_", " ").split()).strip(" -–—|:,.#")


def own_date(title: str, path: str) -> str:
    """The day in a title, or in a file's name; empty where neither states one."""
    for found in (_own_day(title), dates.from_path(path)):
        if found and len(found) == 10:
            return found
    return ""


def day_in(text: str) -> str:
    """The one day that a text states; empty where there is none, or several."""
    days = [found.date for found in dates.find_dates(text) if len(found.date) == 10]
    return days[0] if len(set(days)) == 1 else ""
