"""Action items, motions and decisions as the lines of minutes write them.

Used by the reader of meetings; pure. Who is meant is settled there: here the words that stand where the owner of a task
or the mover of a motion does.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import datetime as dt
import re
from typing import NamedTuple

from kgfs.documents.dates import MONTH_NAMES, find_dates, iso_date

_MONTHS = {name[:3].lower(): number for number, name in enumerate(
    ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"), 1)}  # fmt: skip
_MONTH = "|".join(sorted({*MONTH_NAMES, *(name[:3] for name in MONTH_NAMES), "Sept"}, key=len, reverse=True))
_DAY = re.compile(
    rf"\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m1>{_MONTH})|(?P<m2>{_MONTH})\.?\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?)\b(?!,?\s+\d{{4}})"
)
_NAME = r"(?:[A-Z]\.|(?:Mrs?|Ms|Dr|Prof|Cllrs?)\.|[^\W\d_a-z](?:[\w'’-]|\.(?=\w))*)"
_WHO = rf"(?:@[\w-]+|{_NAME}(?:\s+(?:[a-z]{{2,3}}\s+)?{_NAME}){{0,4}})"
_WHOS = rf"{_WHO}(?:(?:\s*,\s*|\s+and\s+|\s*&\s*|\s*/\s*|\s*\+\s*){_WHO}){{0,3}}"
LABEL = re.compile(
    r"(?:new |open )?(?:actions?(?: items?| points?)?|AIs?|A\.I\.|to-?dos?|next steps?|follow[- ]?ups?)(?:\s+(?:on|for)\s+(?P<for>[^:]{2,40}))?\s*[:–—]\s*(?P<rest>.*)",
    re.I,
)
HEADING = re.compile(
    r"(?:(?:new|open|outstanding|summary of|list of) )?(?:actions?(?: items?| points?)?|to-?dos?|next steps?|follow[- ]?ups?|tasks|assignments)"
    r"(?: (?:list|summary|items?|from (?:this|the|last) meeting))?",
    re.I,
)
_TO = re.compile(
    rf"(?P<who>{_WHOS})(?:\s*\([^)]{{1,40}}\))?\s+(?:to|will|shall|is going to|are going to|is to|are to)\s+(?P<task>\S.*)"
)
_COLON = re.compile(rf"(?P<who>{_WHOS})\s*(?::|\s[-–—])\s+(?P<task>\S.*)")
_AT = re.compile(r"(?P<who>@[\w-]+(?:(?:\s*,\s*|\s+and\s+|\s*&\s*|\s+)@[\w-]+)*)\s*[:,–—-]?\s+(?P<task>\S.*)")
_OWNED = re.compile(
    rf"(?P<task>.*?\S)\s*[-–—,;(|]*\s*\b(?i:owners?|assignees?|assigned to|responsible|who)\s*:\s*(?P<who>{_WHOS})(?P<rest>.*)"
)
_BRACKET = re.compile(rf"(?P<task>.*\S)\s*[(\[](?P<who>{_WHOS})(?:\s*[,;:]\s*(?P<due>[^()\[\]]*))?[)\]]\W*")
_BEHIND = re.compile(rf"(?P<task>.*\S)\s+[-–—]+>?\s*(?P<who>{_WHOS})\W*")
_ENDS_AT = re.compile(r"(?P<task>.*?\S)\s+(?P<who>@[\w-]+(?:\s*,?\s*@[\w-]+)*)\W*")
_DUE = re.compile(
    r"[\s,;(–—-]*\b(?:by|due|before|no later than|deadline|until)\b(?:\s+(?:date|by|on))?\s*:?\s*(?P<when>[^()]{3,40}?)\s*[).]*$",
    re.I,
)
_WHEN = re.compile(
    rf"(?:the )?(?:end of |next |this |mid-?|early |late )*(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|month|year|day|quarter|q[1-4]|tomorrow|today|meeting|"
    rf"eod|eow|eoy|noon|summer|spring|autumn|fall|winter|christmas|easter|{_MONTH}|\d).*",
    re.I,
)
_DONE = re.compile(
    r"^(?:done|completed?|closed|resolved|cancelled|n/a|none|no actions?)\b|\b(?:done|completed)[.!)\]]*$", re.I
)
_AWAY = re.compile(
    r"(?:not |(?:still )?be (?:absent|away|on (?:leave|vacation|holiday)|out of|traveling|travelling|unavailable)\b)"
)
"""What somebody will not do, or where they are: *Ann will not be at next week's meeting*."""
_POINTS = re.compile(r"\b(?:it|this|that|these|those|them|him|her|same|above|below|here|there)\b", re.I)
_CUT = re.compile(
    r" (?:to|the|an?|of|on|in|at|for|from|with|about|regarding|concerning|re|by|into|via|see|per|under|and|or)$"
)
"""At the end of a task whose last words were an address, or are not there."""
_ADDRESS = re.compile(r"<?https?://\S+>?|\[#?\d+\]|#\d+\b")
_MOVED = re.compile(
    rf"\b(?:(?i:moved|motion(?:\s+(?:was\s+)?(?:made|moved))?|proposed|first(?:ed)?)\s*(?i:by)\b\s*:?|(?i:moved|proposed|proposer|mover)\s*:)\s*(?P<who>{_WHO})"
)
_SECONDED = re.compile(rf"\b(?i:second(?:ed)?|seconder)\s*(?:(?i:by)\b\s*:?|:)\s*(?P<who>{_WHO})")
_MOVES = re.compile(
    rf"(?P<who>{_WHO})\s+(?:moved|moves|made (?:a|the) motion|motioned)\s+(?P<how>to|that|for)\s+(?P<text>[^.;]{{8,300}}?)(?=[.;]|,? (?:and (?:was )?)?second|,? (?:and |with )?{_WHO} second|$)"
)
_ACT = re.compile(
    r"to (?:accept|add|adjourn|adopt|allow|amend|appoint|approve|authori[sz]e|award|buy|change|close|continue|create|delay|deny|direct|elect|enter|"
    r"establish|extend|grant|hire|hold|implement|increase|nominate|open|pay|postpone|proceed|purchase|ratify|recommend|reduce|refer|reject|remove|"
    r"renew|rescind|send|spend|suspend|table|waive|withdraw)\b|that |for "
)
"""What one moves, and does not move to."""
_SECONDS = re.compile(rf"(?P<who>{_WHO})\s+seconded\b")
_TO_DO = re.compile(
    r"\bmotion\s*(?::\s*)?(?P<text>(?:to|that)\s+[^.;()]{8,300}?)(?=[.;(]|,?\s+(?:was\s+)?(?:made\s+|moved\s+|proposed\s+|motion\s+)?by\s|,?\s+(?:and\s+)?(?:moved|seconded|proposed)\b|$)",
    re.I,
)
_PROPOSED_THAT = re.compile(r"[\s,]*(?P<text>(?:that|to)\s+[^.;]{8,300}?)\s*(?:[.;]|$)")
MOTION = re.compile(
    r"(?:motion|proposed resolution|resolution|proposal)(?:\s+#?[\w-]{1,8})?\s*:\s*(?P<text>\S.{8,300})", re.I
)
CARRIED = re.compile(
    r"\b(?:motion |vote |all )?(?:carried|passed|passes|approved|adopted|agreed|unanimous(?:ly)?)\b", re.I
)
FAILED = re.compile(
    r"\b(?:not|failed|fails|defeated|withdrawn|tabled|rejected|lost|postponed|deferred|pending|dies|died)\b", re.I
)
DECISION = re.compile(
    r"(?:decisions?(?: made)?|decided|resolved|resolution|agreed|agreement|consensus)\s*[:–—]\s*(?P<text>\S.{11,300})",
    re.I,
)
DECISIONS = re.compile(r"(?:(?:key|main) )?(?:decisions?(?: (?:made|taken))?|resolutions?)", re.I)
_SHORT = 9
_SHORT_LETTERS = 70
MAX_TASK = 200


class Task(NamedTuple):
    """What somebody is to do."""

    who: list[str]
    text: str
    due: str = ""
    """The words that say until when."""
    sure: bool = False
    """The words say that who stands there is the owner, so that nobody else need know the name."""


class Motion(NamedTuple):
    """Who moved and who seconded; the motion where the same words say it."""

    mover: str
    seconder: str
    text: str


def read_task(text: str, *, labelled: bool) -> Task | None:
    """The task of an item, and who has it; ``labelled`` is what stands behind *Action:* or beneath *Action items*.

    An item that is only a box to tick has an owner where a bracket or a sign says so, else it may be about anything.
    """
    text = " ".join(text.split()).strip()
    if not text or _DONE.search(text):
        return None
    forms = (_OWNED, _AT, _TO, _COLON, _BRACKET, _BEHIND, _ENDS_AT) if labelled else (_OWNED, _AT, _BRACKET, _ENDS_AT)
    for form in forms:
        found = form.fullmatch(text)
        if found is None:
            continue
        task, due = found["task"], ""
        groups = found.groupdict()
        for more in (groups.get("due"), groups.get("rest")):
            said = re.sub(r"^\W*(?:due|deadline|by|date)?\W*(?:date)?\W*", "", more or "", flags=re.I)
            due = said if said and _WHEN.match(said) else due
        behind = _DUE.search(task)
        if behind is not None and _WHEN.fullmatch(behind["when"]):
            task, due = task[: behind.start()], due or behind["when"]
        task = re.sub(r"^(?:[Tt]o|will|shall) ", "", task.strip(" .,;:–—-/"))
        if len(task.split()) < 2 or len(task) < 6 or _AWAY.match(task):
            return None
        return Task(_people(found["who"]), task, due.strip(" .)"), form is _OWNED)
    return None


def _people(who: str) -> list[str]:
    parts = re.split(r"\s*(?:,|&|/|\+|\band\b)\s*|(?<=\w)\s+(?=@)", who)
    return [part.strip() for part in parts if part and part.strip()]


def task_name(text: str) -> str:
    """The short name of a task, by which it can be an entity; empty where its words say too much or point elsewhere."""
    name = " ".join(_ADDRESS.sub("", text).split()).strip(" .,;:–—-()")
    count = len(name.split())
    if (
        not 3 <= count <= _SHORT
        or len(name) > _SHORT_LETTERS
        or _POINTS.search(name)
        or re.search(r"[.;!?\[\]{}|<>]", name)
    ):
        return ""
    return name if name.count("(") == name.count(")") and '"' not in name and _CUT.search(name) is None else ""


def due_date(text: str, meeting: str) -> str | None:
    """The day that the words of a deadline name; one without a year is the first on or after the meeting's day."""
    found = [span.date for span in find_dates(text) if len(span.date) >= 7]
    if found:
        return found[0]
    day = _DAY.search(text)
    if day is None or len(meeting) < 10:
        return None
    month = _MONTHS[(day["m1"] or day["m2"])[:3].lower()]
    number = int(day["d1"] or day["d2"])
    year = int(meeting[:4])
    date = iso_date(year, month, number)
    if date is not None and date < meeting:
        date = iso_date(year + 1, month, number)
    near = date is not None and (dt.date.fromisoformat(date) - dt.date.fromisoformat(meeting[:10])).days < 300
    return date if near else None


def read_motion(text: str) -> Motion | None:
    """Who moved and seconded what in a line; ``None`` where it says of neither."""
    moved, seconded, moves = _MOVED.search(text), _SECONDED.search(text), _MOVES.search(text)
    seconds = _SECONDS.search(text)
    if moves is not None and not (seconded or seconds or _ACT.match(f"{moves['how']} {moves['text']}")):
        moves = None
    if moved is None and moves is None and seconded is None:
        return None
    mover = moves["who"] if moves else moved["who"] if moved else ""
    seconder = seconded["who"] if seconded else seconds["who"] if seconds else ""
    said = ""
    to_do = _TO_DO.search(text)
    if moves is not None:
        said = f"{moves['how']} {moves['text']}"
    elif to_do is not None:
        said = to_do["text"]
    elif moved is not None:
        that = _PROPOSED_THAT.match(text, max(moved.end("who"), seconded.end("who") if seconded else 0))
        said = that["text"] if that else ""
    return Motion(mover, seconder, " ".join(said.split()).strip(" ,.;:*_"))
