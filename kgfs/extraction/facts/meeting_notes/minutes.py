"""The lines of minutes: lists of attendance, labels with names behind them, and what may be a task, a motion, a decision.

Used by the reader of meetings; pure. Minutes say things in lists and behind labels, hardly in sentences, so that the
lines of the text are read, not its sentences.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from kgfs.documents import dates
from kgfs.extraction.facts.meeting_notes import action_items, spoken
from kgfs.extraction.facts.meeting_notes.attendees import (
    Attendee,
    person_name,
    plain_entry,
    read_entry,
    read_handle,
    read_names,
)
from kgfs.extraction.facts.meeting_notes.meeting_names import HELD, day_in, own_date, title_words
from kgfs.extraction.facts.meeting_notes.short_names import ShortNames
from kgfs.model import ParsedDocument

PRESENT, ABSENT, INVITED = "PARTICIPATED_IN", "ABSENT_FROM", "INVITED_TO"
_NOT_HELD = re.compile(r"\b(?:next|previous|last|due|approved|updated|deadline|until|since|published)\b", re.I)
_SIGN = r"(?:[-*+•·○▪]|\d{1,3}[.)]|[a-z][.)])[ \t]+"
_ITEM = re.compile(rf"[ \t>]*(?={_SIGN}|\[[ xX]\][ \t])(?:{_SIGN})?(?:\[(?P<box>[ xX])\][ \t]+)?")
_HEADING = re.compile(r" {0,3}(?P<level>#{1,6})[ \t]*(?P<title>.*?)[ \t#]*$")
_BOLD = re.compile(r"(?:\*\*|__)(?P<text>[^*_\n]{2,60}?)(?:\*\*|__)\s*(?P<colon>:?)\s*")
_NUMBER = re.compile(r"^(?:\d{1,3}(?:\.\d{1,3})*[.)]?|[A-Z]\d{2,4}/\d{2})\s+")
_KINDS = (
    (ABSENT, re.compile(r"(?:absent|absentees?|apolog(?:y|ies)|regrets|excused|not present|not attending|unable to attend|missing|sent apologies|could not attend)")),
    (INVITED, re.compile(r"(?:invited|invitees?|invited participants)")),
    (PRESENT, re.compile(r"(?:present|attendees?|attendance|attending|attended|participants?|roll call|in attendance)")),
)  # fmt: skip
_ABOUT_LISTS = re.compile(
    r"\b(?:next|future|expected|planned|potential|agenda|policy|how|why|for the|record|tracking|requirements?|quorum|responsibilities)\b"
)
_GROUP = re.compile(
    r"(?:(?:[a-z]{2,12} )?(?:voting |non-?voting |regular |core |other |additional |board |committee |council |community |full |executive )*"
    r"(?:members?|directors|officers|councill?ors|trustees|staff|guests?|visitors?|observers?|public|others|board|voters|maintainers|contributors|delegates|representatives|collaborators|community|participants)(?: present)?"
    r"|council|committee|board|panel|tsc|minutes? review(?:ers?)?|also|in person|remote(?:ly)?|online|by phone|via zoom|by zoom)"
)
_GROUP_ROLE = re.compile(
    r"(?:guests?|visitors?|observers?|voting members?|non-?voting members?|regular members?|staff)"
)
_DIGITS = re.compile(r"^(\d{4})[ _](\d\d)[ _](\d\d)\b")
_TASK = re.compile(r"[a-z]|@?\S+ [a-z]{3,} \S|(?:\S+ ){5}")
"""What begins like a task, not like a name."""
_ONLY_LINK = re.compile(r"\W*\[[^\]]*\]\([^)]*\)\W*")
_BEFORE_LINK = re.compile(r"^[^:\[]{2,40}:[\s*_]*(?=\[)")
_OTHERS = re.compile(r"guests?|visitors?|observers?|others?|public")
NOBODY = frozenset({"none", "n/a", "na", "nobody", "no one", "-", ""})
_INLINE = re.compile(
    r"(?:^|(?<=[.;)])\s+|\s{2,}|(?<=\*)\s*)(?P<label>[A-Z][A-Za-z' /&()-]{2,48}?)\s*(?::|\s[–—-]\s)(?=\s|\S)"
)
_ENDS = re.compile(r"[.!?]\s+(?P<label>[A-Z][A-Za-z ]{2,40}):?$")
"""A label behind a sentence: ``Sign in below. Roll call:``."""
_FROM = re.compile(
    r"^(?P<label>(?:[Aa]pologies|[Rr]egrets|APOLOGIES)(?: for absence)?)\s+(?:(?:were|was|have been) )?(?:(?:received|given|sent|noted|accepted) )?(?:from|by)\s+(?P<rest>[^.]{3,300}(?:(?<=\b[A-Z])\.[^.]{1,300})*)"
)
_OFFICES = (
    ("LEADS", "chair", re.compile(r"(?:meeting )?(?:chair|chairperson|chairman|chairwoman|chaired by|presiding|presided by|presiding officer|meeting leader|meeting lead|in the chair)")),
    ("LEADS", "facilitator", re.compile(r"(?:facilitators?|facilitated by|moderators?|moderated by|meeting facilitator)")),
    (PRESENT, "note taker", re.compile(r"(?:scribes?|minutes|notes|note ?-?takers?|minute ?-?takers?|minutes(?: taken| recorded)? by|notes(?: taken)? by|recorder|recording secretary|secretary of the meeting|recorded by)")),
)  # fmt: skip
_OTHER_OFFICE = re.compile(r"[,;.]? (?:notes?|minutes|scribes?|note-? ?takers?|facilitators?|chair)\b:?", re.I)
"""Behind who has one office, in the same line: ``Chair: Ann Lee, Notes: Bob Ray``."""
_CHAIRED = re.compile(
    r"(?:[Tt]h(?:e|is) meeting (?:was|is) )(?:chaired|presided over|led) by (?P<who>[A-Z][\w.'’-]*(?:\s[A-Z][\w.'’-]*){0,3})|(?<![\w.'’-])(?P<whom>[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){1,3}) (?:chaired|presided over|led) the meeting|(?<![\w.'’-])(?P<taker>[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){1,3}) (?:was in|took) the chair\b"
)
_YES = frozenset({"y", "yes", "x", "present", "✓", "✔", "✅", "☑", "1", "p", "[x]", "attended", "in person", "remote"})
_NO = frozenset({"absent", "apologies", "regrets", "excused", "apology"})
_LABEL_WORDS = re.compile(
    r"(?:(?:members?|directors?|officers?|trustees?|councill?ors?|councilmembers|council|board|committee|staff|guests?|others?|also|those|public|people|persons|"
    r"executive|voting|non-?voting|tsc|wg|team|present|absent|absentees?|absence|apolog(?:y|ies)|regrets|excused|not|attending|attendees?|attendance|attended|"
    r"participants?|participating|in|by|via|phone|zoom|person|remotely|remote|online|roll|call|list|of|for|and|with|without|the|received|sent|invited|invitees?|partial|"
    r"meeting|today|late|unable|to|attend|missing|observers?|visitors?|could|core|community|advance|notice|city|village|town|commissioners|from|new|all|other|clerk|were|was|are|is)(?:\s+|/|$))+"
)
_WHO = ("name", "attendee", "attendees", "participant", "person", "member", "full name", "present")
_THERE = ("present", "present?", "attended", "attended?", "attendance", "in attendance", "attending")
_ROLE = ("role", "title", "position")
_WHAT = ("action", "action item", "action items", "task", "item", "what", "description")
_OWNER = ("owner", "assignee", "who", "assigned to", "responsible", "person responsible", "assigned")
_DUE = ("due", "due date", "deadline", "by when", "when", "target date", "date due")
"""Headers of the columns that tables of persons and of tasks have, best first."""
_LONGEST = 2000
"""Characters of a line that may hold a task or a motion."""
_STRANGE = 3
"""Items of a list that name nobody, after which it is another list."""


_OPENS_PART = re.compile(
    r"(?:(?:list of |meeting )?(?:present|attendees?|attendance|participants?|roll call|in attendance|absent|apologies|regrets)|agenda(?: items)?|minutes|notes)\W*",
    re.I,
)
"""The headings of the first part of minutes."""
_OF_AGENDA = re.compile(r"(?i)[\W_]*(?:(?:draft |proposed )?agenda\b|\d{1,2}\\?[.)] )")
"""Before a matter on the agenda: *1) News from the harbour call*."""


class _Line(NamedTuple):
    start: int
    end: int
    body: str
    """Without the sign of an item or a heading."""
    item: bool
    box: str
    """What stands in the box to tick; empty where there is none."""
    level: int
    """Of a heading; 0 for none."""
    blank: bool


class Span(NamedTuple):
    """Where a line stands, in characters of the text."""

    first: int
    """Where the label stands under which a line stands, or the line itself."""
    start: int
    end: int


class Entry(NamedTuple):
    """Somebody on a list of attendance, or in an office of a meeting."""

    kind: str
    """The type of fact that joins the person to the meeting."""
    who: Attendee
    span: Span
    date: str
    rule: str


class Said(NamedTuple):
    """A line that may hold a task, a motion or a decision, with the meeting's date of its section."""

    text: str
    span: Span
    date: str
    beneath: str
    """``action``, ``decision`` or ``approved``: what the label above says."""
    box: str
    place: int
    item: bool = False
    bare: bool = False
    """Its label stands before nothing but a link: the title of an item, not what was said of it."""


@dataclass(slots=True)
class _Here:
    """What the lines above say of the next one."""

    date: str
    kind: str = ""
    """Of the list of attendance that goes on; empty where none does."""
    role: str = ""
    label: int = -1
    """Where the label of that list stands."""
    strange: int = 0
    """Lines in it that named nobody, one after another."""
    items: bool = False
    """That list has an item for each name."""
    apart: bool = False
    """A blank line stands above the next one."""
    beneath: str = ""
    beneath_label: int = -1

    def open(self, kind: str, label: int, strange: int) -> None:
        """Begin a list of attendance."""
        self.kind, self.label, self.strange, self.role, self.items = kind, label, strange, "", False


class Minutes:
    """What the lines of a document say that may be minutes."""

    def __init__(self, document: ParsedDocument, everybody: Sequence[str], *, tagged: bool) -> None:
        """``everybody`` are the full names on the lists of attendance of all documents."""
        self._document, self._text = document, document.text or ""
        self._short = ShortNames(document.title, self._text, everybody)
        self._tagged = tagged
        self._lines = list(_lines(self._text))
        self.entries: list[Entry] = []
        self.said: list[Said] = []
        self.date = self._meeting_date()
        self.title = self._meeting_title()
        self._here = _Here(self.date)
        self._spoken: dict[tuple[str, str], _Line] = {}
        """Who speaks, by handle and day, with their first line."""
        self._walk()
        self._add_speakers()
        self._drop_doubtful()

    def _add_speakers(self) -> None:
        """Let those who speak be there, where no list has them."""
        there = {f"@{entry.who.handle}" for entry in self.entries if entry.who.handle}
        if len({handle for handle, _ in self._spoken} | there) < spoken.FEWEST:
            return
        for (handle, date), line in self._spoken.items():
            who = read_handle(handle) if handle not in there else None
            if who is not None:
                span = Span(line.start, line.start, line.end)
                self.entries.append(Entry(PRESENT, who._replace(sure=True), span, date, "meetings.speaker"))

    def _drop_doubtful(self) -> None:
        """Take ordinary words in capitals for somebody's name only among names of others, or where they are one elsewhere."""
        known = {entry.who.name for entry in self.entries if entry.who.sure} | self._short.meant
        sure: Counter[int] = Counter(entry.span.first for entry in self.entries if entry.who.name in known)
        others: Counter[int] = Counter(entry.span.first for entry in self.entries if entry.who.name not in known)
        self.entries = [
            entry
            for entry in self.entries
            if entry.who.name in known or sure[entry.span.first] >= max(2, others[entry.span.first])
        ]

    def _meeting_date(self) -> str:
        own = own_date(self._document.title, self._document.path)
        if own:
            return own
        for line in self._lines[:15]:
            if line.item and not re.match(r"\W*date\b", line.body, re.I):
                continue
            if _NOT_HELD.search(line.body):
                continue
            if (
                line.level
                or len(line.body) <= 60
                or re.match(r"\W*(?:date|when|held|meeting (?:date|held)|minutes of)\b", line.body, re.I)
            ):
                day = day_in(plain_entry(line.body))
                if day:
                    return day
        found = dates.from_front_matter(self._document.front_matter)
        return found[:10] if found else ""

    def _meeting_title(self) -> str:
        """The document's title; where it has only a file's name, what a heading near the top says of a meeting."""
        title, path = self._document.title, PurePosixPath(self._document.path)
        if title != path.stem:
            return _DIGITS.sub(r"\1-\2-\3", title)
        for line in self._lines[:15]:
            if line.level and _OPENS_PART.fullmatch(plain_entry(line.body)):
                break  # what follows are parts of the minutes, which may speak of another meeting
            opens = line.level or (not line.item and len(line.body) <= 100 and line.body[-1:] not in ".,;")
            if (
                opens
                and HELD.search(line.body)
                and not _OF_AGENDA.match(line.body)
                and not re.search(r"[:/]", line.body)
                and len(title_words(line.body)) > 1
            ):
                return plain_entry(line.body)
        return _DIGITS.sub(r"\1-\2-\3", title.replace("_", " "))

    def _walk(self) -> None:
        at = 0
        while at < len(self._lines):
            line = self._lines[at]
            at += 1
            if line.blank:
                self._here.apart = True
                continue
            if line.body.startswith("|"):
                rows = [line]
                while at < len(self._lines) and self._lines[at].body.startswith("|"):
                    rows.append(self._lines[at])
                    at += 1
                self._table(rows)
                continue
            name, rest = self._label(line)
            while line.item and self._here.beneath and at < len(self._lines) and self._is_wrapped(self._lines[at]):
                line = line._replace(end=self._lines[at].end, body=f"{line.body} {self._lines[at].body}")
                at += 1
            if name and rest and _kind(name):
                while at < len(self._lines) and self._goes_on(line, self._lines[at]):
                    line = line._replace(end=self._lines[at].end, body=f"{line.body} {self._lines[at].body}")
                    at += 1
            line = self._written_out(line, name)
            self._read_line(line, *self._label(line), at)
            self._here.apart = False

    def _written_out(self, line: _Line, name: str) -> _Line:
        """A line of a list of attendance, with the label ``name`` or without, with full names for short ones."""
        labelled = _kind(name) or _GROUP.fullmatch(name) or any(label.fullmatch(name) for *_, label in _OFFICES)
        if not labelled and (name or not self._here.kind or not line.item):
            return line
        label, colon, names = line.body.partition(":") if labelled else ("", "", line.body)
        return line._replace(body=label + colon + self._short.written_out(names))

    def _read_line(self, line: _Line, name: str, rest: str, at: int) -> None:
        """Read a line with its label, if it has one, and what stands behind that."""
        here, text = self._here, plain_entry(line.body)
        day = dates.from_heading(text) if line.level else None
        if day and len(day) == 10:
            here.date = day
        if line.item and not line.box and here.beneath != "action" and (handle := spoken.who_speaks(line.body)):
            self._spoken.setdefault((handle, here.date), line)
        said = _kind(name)
        if said:
            here.beneath = ""
            if not rest:
                here.open(said, line.start, 0)
            elif self._inline(line):
                here.open(said, line.start, _STRANGE)
            else:
                here.kind = ""
            return
        if name and self._group(line, name, rest):
            return
        if (here.kind and text.lower() in NOBODY) or self._office(line, name, rest):
            return
        if line.level or (name and not rest):
            here.kind, here.beneath = "", _beneath(name or _plain(text))
            here.beneath_label = line.start
            if not line.level and name and not here.beneath:
                self._keep(line, text, at)
            return
        if here.kind and self._listed(line, text):
            return
        away = _FROM.match(_NUMBER.sub("", text))
        if away:
            self._add(ABSENT, read_names(away["rest"], tagged=self._tagged), line.start, line)
            return
        if here.beneath and not line.item and len(text) >= 200 and not _is_labelled(text):
            here.beneath = ""
        self._keep(line, text, at)

    def _group(self, line: _Line, name: str, rest: str) -> bool:
        """Read the label of a group in a list of attendance: ``Members:``, ``Guests:``; whether it is one."""
        here = self._here
        others = not rest and _OTHERS.fullmatch(name) is not None
        if not (here.kind or (others and self.entries)) or not _GROUP.fullmatch(name):
            return False
        if rest:
            if here.kind != PRESENT and here.strange == _STRANGE:
                here.open(PRESENT, line.start, _STRANGE)  # "Regrets: Ann Lee", and then "Guests: Bob Ray"
            if here.kind == PRESENT:
                self._add(PRESENT, read_names(rest, tagged=self._tagged), here.label, line)
            return here.kind == PRESENT
        if others and here.kind != PRESENT:
            here.open(PRESENT, line.start, 0)
        here.role = name if _GROUP_ROLE.fullmatch(name) else ""
        here.strange = 0
        return True

    def _listed(self, line: _Line, text: str) -> bool:
        """Read a line of a list of attendance; whether it names somebody. The list ends with what is no name."""
        here = self._here
        if here.items and here.apart and not line.item:
            here.kind = ""  # "Root Cause Analysis", a paragraph behind the list
            return False
        found = self._names(line)
        if found:
            self._add(here.kind, found, here.label, line)
            here.strange, here.items = 0, line.item
            return True
        here.strange += 1
        task = line.box != "" and _TASK.match(line.body) is not None
        if not line.item or here.strange > _STRANGE or _is_labelled(text) or task:
            here.kind = ""
        return False

    def _add(self, kind: str, found: Sequence[Attendee], first: int, line: _Line, rule: str = "attendance") -> None:
        span = Span(first, line.start, line.end)
        self.entries += [Entry(kind, one, span, self._here.date, f"meetings.{rule}") for one in found]

    def _keep(self, line: _Line, text: str, at: int) -> None:
        """Keep a line that may hold a task, a motion or a decision until all persons are known."""
        if len(text) > _LONGEST:
            return
        here = self._here
        span = Span(here.beneath_label if here.beneath else line.start, line.start, line.end)
        bare = _ONLY_LINK.fullmatch(_BEFORE_LINK.sub("", line.body)) is not None
        self.said.append(Said(text, span, here.date, here.beneath, line.box, at, line.item, bare))

    def _is_wrapped(self, line: _Line) -> bool:
        """Whether a line goes on with the item above it: it is indented and begins nothing."""
        begins = line.blank or line.item or line.level or line.body.startswith("|")
        return not begins and self._text[line.start - 1 : line.start] in (" ", "\t")

    def _goes_on(self, line: _Line, following: _Line) -> bool:
        """Whether a list of names in a line goes on in the next one."""
        if following.blank or following.item or following.level or following.body.startswith("|"):
            return False
        return not self._label(following)[0] and len(line.body) + len(following.body) < 1500

    def _label(self, line: _Line) -> tuple[str, str]:
        """The label that a line is or opens with, and what stands behind it; no label where it is none."""
        body = line.body.strip()
        bold = _BOLD.match(body)
        if line.level:
            text = plain_entry(body).rstrip(":")
            name, colon, rest = text.partition(":")
            if (
                colon
                and rest.strip()
                and (_kind(_plain(name)) or any(form.fullmatch(_plain(name)) for *_, form in _OFFICES))
            ):
                return _plain(name), rest.strip()
            return _plain(text), ""
        if bold and (bold["colon"] or bold["text"].rstrip().endswith(":") or bold.end() == len(body)):
            rest = body[bold.end() :].strip()
            return _plain(bold["text"]), rest
        text = _NUMBER.sub("", plain_entry(body))
        name, colon, rest = text.partition(":")
        if colon and len(name) <= 50 and len(name.split()) <= 6:
            return _plain(name), rest.strip()
        name, dash, rest = text.partition(" – ")
        if dash and _kind(_plain(name)):
            return _plain(name), rest.strip()
        if not line.item and len(text.split()) <= 4 and (_kind(_plain(text)) or body.endswith(":")):
            return _plain(text), ""
        ends = None if line.item else _ENDS.search(text)
        if ends is not None and _kind(_plain(ends["label"])):
            return _plain(ends["label"]), ""
        return "", ""

    def _inline(self, line: _Line) -> bool:
        """Read the names behind a label in one line; the line may hold more labels: ``Present: A, B. Apologies: C``."""
        plain = _NUMBER.sub("", plain_entry(line.body))
        marks = [
            (found.start("label"), found.end(), _kind(_plain(found["label"]))) for found in _INLINE.finditer(plain)
        ]
        marks = [mark for mark in marks if mark[2]]
        if not marks:
            name, rest = self._label(line)
            marks = [(0, len(plain) - len(plain_entry(rest)), _kind(name))]
        some = False
        for place, (_, behind, kind) in enumerate(marks):
            end = marks[place + 1][0] if place + 1 < len(marks) else len(plain)
            found = read_names(plain[behind:end], tagged=self._tagged)
            self._add(kind, found, line.start, line)
            some = some or bool(found)
        return some or len(line.body) < 60

    def _names(self, line: _Line) -> list[Attendee]:
        """Whom an item, or a line of its own, of a list of attendance names."""
        if line.box == " ":
            return []
        body = line.body.strip()
        several = body.count(",") + body.count(";") >= 2
        found = read_names(body, tagged=self._tagged) if several else []
        if len(found) < 3:
            one = read_entry(body, tagged=self._tagged) or read_handle(body)
            found = [one] if one is not None else found if len(found) > 1 else []
        if not found and not line.item:
            found = read_names(body, tagged=self._tagged)
        own = self._here.role if self._here.kind == PRESENT else ""
        return [one if one.role or not own else one._replace(role=own) for one in found]

    def _office(self, line: _Line, name: str, rest: str) -> bool:
        """Read who chaired or took the minutes, where a line says so behind a label; whether it does."""
        for type_, role, label in _OFFICES if name and rest else ():
            if label.fullmatch(name):
                own = _OTHER_OFFICE.split(rest)[0]
                found = [one._replace(role=role) for one in read_names(own, tagged=self._tagged)[:3]]
                self._add(type_, found, line.start, line, "office")
                return bool(found)
        text = plain_entry(line.body)
        chaired = _CHAIRED.search(text)
        if chaired is not None:
            who = person_name(chaired["who"] or chaired["whom"] or chaired["taker"], tagged=self._tagged)
            role = "" if re.search(r"\bled\b", chaired[0]) else "chair"
            self._add("LEADS", [Attendee(who, role)] if who else [], line.start, line, "office")
        return False

    def _table(self, rows: Sequence[_Line]) -> None:
        """Read a table of attendance, or of tasks."""
        cells = [[plain_entry(cell) for cell in row.body.strip().strip("|").split("|")] for row in rows]
        header = [cell.lower() for cell in cells[0]]
        body = [
            (row, line)
            for row, line in zip(cells[1:], rows[1:], strict=True)
            if not re.fullmatch(r"[\s:|-]*", line.body)
        ]
        who, there = _column(header, _WHO), _column(header, _THERE)
        there = None if there == who else there
        if who is not None and (self._here.kind or there is not None):
            self._table_of_persons(header, body, who, there, rows[0].start)
            return
        for row, line in zip(cells, rows, strict=True):  # "| Attending | Ann Lee, Bob Ray |"
            label = _plain(row[0])
            office = any(form.fullmatch(label) for *_, form in _OFFICES)
            if len(row) > 1 and (office or _kind(label)) and read_names(row[1], tagged=self._tagged):
                said = line._replace(body=f"{row[0]}: {row[1]}")
                self._read_line(self._written_out(said, label), label, row[1], 0)
                self._here.kind = ""
        task, owner, due = _column(header, _WHAT), _column(header, _OWNER), _column(header, _DUE)
        for row, line in body if task is not None and owner is not None else ():
            if task is not None and owner is not None and max(task, owner) < len(row) and row[task] and row[owner]:
                by = f"; due: {row[due]}" if due is not None and due < len(row) and row[due] else ""
                span = Span(line.start, line.start, line.end)
                self.said.append(Said(f"{row[task]} ; owner: {row[owner]}{by}", span, self._here.date, "action", "", 0))

    def _table_of_persons(
        self, header: Sequence[str], body: Sequence[tuple[list[str], _Line]], who: int, there: int | None, start: int
    ) -> None:
        kind, first = (self._here.kind, self._here.label) if self._here.kind else (PRESENT, start)
        role = _column(header, _ROLE)
        for row, line in body:
            one = read_entry(row[who], tagged=self._tagged) if who < len(row) else None
            said = kind
            if there is not None and there < len(row):
                mark = row[there].lower()
                said = kind if mark in _YES else ABSENT if mark in _NO else ""
            if one is not None and said:
                if role is not None and role < len(row) and 1 < len(row[role]) < 60:
                    one = one._replace(role=row[role])
                self._add(said, [one], first, line, "table")


def _lines(text: str) -> Iterator[_Line]:
    """The lines of a text that are no code and no front matter."""
    start, fenced, front = 0, False, text.startswith("---\n")
    for number, raw in enumerate(text.splitlines(keepends=True)):
        begin, start = start, start + len(raw)
        line = raw.rstrip()
        if front:
            front = not (number and line == "---")
            continue
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        if fenced:
            continue
        heading = _HEADING.match(line)
        item = None if heading else _ITEM.match(line)
        body = heading["title"] if heading else line[item.end() :] if item else line.strip()
        if re.fullmatch(r"\s*[-=]{3,}\s*", line):
            continue
        left = begin + len(line) - len(line.lstrip())
        yield _Line(
            left, begin + len(line), body.strip(), item is not None, (item["box"] or "") if item else "",
            len(heading["level"]) if heading else 0, not line.strip(),
        )  # fmt: skip


def _plain(label: str) -> str:
    label = re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", plain_entry(label))
    return " ".join(re.sub(r"[^\w\s'/-]|\d+[.)]?", " ", label).lower().split())


def _kind(label: str) -> str:
    """What those have to do with a meeting who stand under a label: present, absent, invited; empty for another label."""
    if not label or len(label.split()) > 6 or _ABOUT_LISTS.search(label):
        return ""
    if re.fullmatch(r"(?:[\w'-]+ ){0,3}attendees", label) and not re.match(r"(?:non|no|absent)\b", label):
        return PRESENT  # "Steering attendees"
    for kind, form in _KINDS:
        if re.search(rf"(?:^|[\s/]){form.pattern}(?:$|[\s/])", label) and _is_plain_label(label):
            return kind
    return ""


def _is_plain_label(label: str) -> bool:
    return _LABEL_WORDS.fullmatch(label) is not None


def _beneath(label: str) -> str:
    if action_items.HEADING.fullmatch(label):
        return "action"
    if re.fullmatch(r"(?:[\w'/-]+ ){0,4}approved", label) and not re.search(r"\b(?:not|be|to|yet)\b", label):
        return "approved"
    return "decision" if action_items.DECISIONS.fullmatch(label) else ""


def _is_labelled(text: str) -> bool:
    return action_items.LABEL.match(text) is not None


def _column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """The column of a table with one of these headers, the first name first."""
    return next((header.index(name) for name in names if name in header), None)
