"""Facts out of minutes and meeting notes: who was there, who chaired, what was moved and decided, who is to do what.

Used by the fact reader; pure. What minutes say stands in lists and behind labels, hardly in sentences, so the lines of
the text are read. The meeting is an event by the document's title, with its date; whoever is not written out as a person,
and not known from the list of attendance, is nobody here.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from kgfs.documents import dates
from kgfs.extraction.facts import action_items
from kgfs.extraction.facts.attendees import Attendee, person_name, plain_entry, read_entry, read_names
from kgfs.extraction.facts.chunk_places import ChunkPlaces
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.model import STATED, FactCandidate, ParsedDocument

PRESENT, ABSENT, INVITED = "PARTICIPATED_IN", "ABSENT_FROM", "INVITED_TO"
FEWEST = 2
"""Persons on its list of attendance with which a text is taken for that of a meeting."""
MOST_QUOTED = 900
"""Characters from a label to what stands under it: farther away, a quote would not show what belongs together."""
MAX_FACTS = 2000
MAX_NAME = 120
_MEETING = re.compile(
    r"\b(?:meetings?|minutes|notes|call|sync|stand-?ups?|agm|council|committee|board|steering|tsc|tac|toc|wg|working group|"
    r"sig|retro(?:spective)?|assembly|session|telco|check-?in|1:1|kick-?off|summit|hangout|triage)\b",
    re.I,
)
_HELD = re.compile(
    r"\b(?:meetings?|minutes|call|sync|stand-?up|agm|session|assembly|summit|telco|check-?in|hangout)\b", re.I
)
_ONLY_PLANNED = re.compile(r"\b(?:agendas?|templates?|how to|guidelines|policy|checklist)\b", re.I)
_NOT_HELD = re.compile(r"\b(?:next|previous|last|due|approved|updated|deadline|until|since|published)\b", re.I)
_MINUTES = re.compile(r"\b(?:minutes|notes)\b", re.I)
_ITEM = re.compile(r"[ \t>]*(?:(?:[-*+•·○▪]|\d{1,3}[.)]|[a-z][.)])[ \t]+)(?:\[(?P<box>[ xX])\][ \t]+)?")
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
    r"|tsc|minutes? review(?:ers?)?|also|in person|remote(?:ly)?|online|by phone|via zoom|by zoom)"
)
_GROUP_ROLE = re.compile(
    r"(?:guests?|visitors?|observers?|voting members?|non-?voting members?|regular members?|staff)"
)
_ONLY_LINK = re.compile(r"\W*\[[^\]]*\]\([^)]*\)\W*")
_OTHERS = re.compile(r"guests?|visitors?|observers?|others?|public")
_NOBODY = frozenset({"none", "n/a", "na", "nobody", "no one", "-", ""})
_INLINE = re.compile(
    r"(?:^|(?<=[.;)])\s+|\s{2,}|(?<=\*)\s*)(?P<label>[A-Z][A-Za-z' /&()-]{2,48}?)\s*(?::|\s[–—-]\s)(?=\s|\S)"
)
_FROM = re.compile(
    r"^(?P<label>(?:[Aa]pologies|[Rr]egrets|APOLOGIES)(?: for absence)?)\s+(?:(?:were|was|have been) )?(?:(?:received|given|sent|noted|accepted) )?(?:from|by)\s+(?P<rest>[^.]{3,300}(?:(?<=\b[A-Z])\.[^.]{1,300})*)"
)
_OFFICES = (
    ("LEADS", "chair", re.compile(r"(?:meeting )?(?:chair|chairperson|chairman|chairwoman|chaired by|presiding|presided by|presiding officer|meeting leader|meeting lead|in the chair)")),
    ("LEADS", "facilitator", re.compile(r"(?:facilitators?|facilitated by|moderators?|moderated by|meeting facilitator)")),
    (PRESENT, "note taker", re.compile(r"(?:scribes?|minutes|note ?-?takers?|minute ?-?takers?|minutes(?: taken| recorded)? by|notes(?: taken)? by|recorder|recording secretary|secretary of the meeting|recorded by)")),
)  # fmt: skip
_CHAIRED = re.compile(
    r"(?:[Tt]h(?:e|is) meeting (?:was|is) )(?:chaired|presided over|led) by (?P<who>(?:[A-Z][\w.'’-]*\s?){1,4})|(?P<whom>(?:[A-Z][\w.'’-]* ?){2,4}) (?:chaired|presided over|led) the meeting|(?P<taker>(?:[A-Z][\w.'’-]* ?){2,4}) (?:was in|took) the chair\b"
)
_YES = frozenset({"y", "yes", "x", "present", "✓", "✔", "✅", "☑", "1", "p", "[x]", "attended", "in person", "remote"})
_NO = frozenset({"absent", "apologies", "regrets", "excused", "apology"})
_GENERIC = frozenset(
    "meeting meetings minutes notes note agenda date draft final readme untitled index the of for and at on weekly monthly "
    "bi-weekly biweekly daily regular attendees present summary call team time links".split()
)
_FOLDERS = re.compile(
    r"(?i)^(?:\d{4}|q[1-4]|\d{1,2}|meetings?|minutes|notes|docs?|meeting[-_ ]?(?:notes|minutes)|archived?|updates?|\.|/|tmp|data|home|documents|files|pages|src|content|\d{4}-\d\d(?:-\d\d)?)$"
)


class MeetingFact(NamedTuple):
    """A fact with the lexicon's entries of its ends."""

    rule: str
    candidate: FactCandidate
    subject: int
    object: int | None


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


class _Span(NamedTuple):
    first: int
    """Where the label stands under which a line stands, or the line itself."""
    start: int
    end: int


class _Entry(NamedTuple):
    kind: str
    who: Attendee
    span: _Span
    date: str
    rule: str


class _Said(NamedTuple):
    """A line that may hold a task, a motion or a decision, with the meeting's date of its section."""

    text: str
    span: _Span
    date: str
    beneath: str
    """``action``, ``decision`` or ``approved``: what the label above says."""
    box: str
    place: int
    item: bool = False
    bare: bool = False
    """Its label stands before nothing but a link: the title of an item, not what was said of it."""


def meeting_facts(document: ParsedDocument, lexicon: Lexicon, *, tagged: bool) -> list[MeetingFact]:
    """What the minutes of a meeting state; nothing where a text is not that of a meeting."""
    if not document.chunks or not document.text or not _may_be_meeting(document):
        return []
    return _Reader(document, lexicon, tagged=tagged).read()


def _may_be_meeting(document: ParsedDocument) -> bool:
    text = document.text or ""
    head = f"{document.title} {document.path} {text[:400]}"
    if not (_MEETING.search(head.replace("_", " ").replace("-", " ")) or _own_date(document)):
        return False
    title = document.title
    return not _ONLY_PLANNED.search(title) or _MINUTES.search(title) is not None


def _own_date(document: ParsedDocument) -> str:
    """The day in a title, or in a file's name; empty where neither states one."""
    for found in (
        dates.from_name(document.title), dates.from_title(document.title), _day_in(document.title),
        dates.from_name(PurePosixPath(document.path).stem),
    ):  # fmt: skip
        if found and len(found) == 10:
            return found
    return ""


def _day_in(text: str) -> str:
    days = [found.date for found in dates.find_dates(text) if len(found.date) == 10]
    return days[0] if len(set(days)) == 1 else ""


class _Reader:
    def __init__(self, document: ParsedDocument, lexicon: Lexicon, *, tagged: bool) -> None:
        self._document = document
        self._lexicon = lexicon
        self._tagged = tagged
        self._text = document.text or ""
        self._places = ChunkPlaces(document.chunks)
        self._lines = list(_lines(self._text))
        self._entries: list[_Entry] = []
        self._said: list[_Said] = []
        self._by_name: dict[str, set[str]] = {}
        self._told: set[tuple[str, int, int | str]] = set()
        self._date = self._meeting_date()
        self._title = self._meeting_title()

    def read(self) -> list[MeetingFact]:
        self._walk()
        present = {entry.who.name for entry in self._entries if entry.kind == PRESENT}
        if len(present) < FEWEST:
            return []
        for entry in self._entries:
            self._know(entry.who)
        found = [*self._attendance(), *self._approved(), *self._tasks(), *self._motions()]
        return found[:MAX_FACTS]

    # --- the lines ---------------------------------------------------------------------------------------------

    def _meeting_date(self) -> str:
        own = _own_date(self._document)
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
                day = _day_in(plain_entry(line.body))
                if day:
                    return day
        found = dates.from_front_matter(self._document.front_matter)
        return found[:10] if found else ""

    def _meeting_title(self) -> str:
        """The document's title; where it has only a file's name, what a heading near the top says of a meeting."""
        title, path = self._document.title, PurePosixPath(self._document.path)
        if title != path.stem:
            return title
        for line in self._lines[:15]:
            if line.level and _HELD.search(line.body) and len(_content(line.body)) > 1:
                return plain_entry(line.body)
        return title.replace("_", " ")

    def _walk(self) -> None:
        kind, role, date, label, beneath, beneath_label = "", "", self._date, -1, "", -1
        strange = 0
        at = 0
        while at < len(self._lines):
            line = self._lines[at]
            at += 1
            if line.blank:
                continue
            if line.body.startswith("|"):
                rows = [line]
                while at < len(self._lines) and self._lines[at].body.startswith("|"):
                    rows.append(self._lines[at])
                    at += 1
                self._table(rows, kind, label, date)
                continue
            text = plain_entry(line.body)
            name, rest = self._label(line)
            said = _kind(name) if name else ""
            if line.level:
                day = dates.from_heading(text) or ""
                if len(day) == 10:
                    date = day
            if said and not rest:
                kind, role, label, beneath, strange = said, "", line.start, "", 0
                continue
            if said and rest:
                beneath = ""
                while at < len(self._lines) and self._goes_on(line, self._lines[at]):
                    line = line._replace(end=self._lines[at].end, body=f"{line.body} {self._lines[at].body}")
                    at += 1
                kind, role, label, strange = (said, "", line.start, 3) if self._inline(line, date) else ("", "", -1, 0)
                continue
            others = name and not rest and _OTHERS.fullmatch(name) is not None
            if kind == PRESENT and name and rest and _GROUP.fullmatch(name):
                for one in read_names(rest, tagged=self._tagged):
                    span = _Span(label, line.start, line.end)
                    self._entries.append(_Entry(kind, one, span, date, "meetings.attendance"))
                continue
            if name and not rest and (kind or (others and self._entries)) and _GROUP.fullmatch(name):
                role = name if _GROUP_ROLE.fullmatch(name) else ""
                if others and kind != PRESENT:
                    kind, label = PRESENT, line.start
                strange = 0
                continue
            if kind and text.lower() in _NOBODY:
                continue
            if line.level or (name and not rest):
                kind = ""
                plain = name.lower() if name else _plain(text)
                beneath = _beneath(plain) if plain else ""
                beneath_label = line.start if beneath else -1
                if not line.level and name and not beneath:
                    self._said.append(_Said(text, _Span(line.start, line.start, line.end), date, "", line.box, at))
                continue
            office = self._office(line, name, rest, date)
            if office:
                continue
            if kind:
                found = self._listed(line, kind, role)
                if found:
                    for one in found:
                        self._entries.append(
                            _Entry(kind, one, _Span(label, line.start, line.end), date, "meetings.attendance")
                        )
                    strange = 0
                    continue
                strange += 1
                if (
                    not line.item
                    or strange > 3
                    or _is_labelled(text)
                    or (line.box and not read_entry(line.body, tagged=self._tagged))
                ):
                    kind = ""
            from_ = _FROM.match(_NUMBER.sub("", text))
            if from_:
                for one in read_names(from_["rest"], tagged=self._tagged):
                    self._entries.append(
                        _Entry(ABSENT, one, _Span(line.start, line.start, line.end), date, "meetings.attendance")
                    )
                continue
            if beneath and not line.item and not line.box and not _is_labelled(text):
                beneath = beneath if len(text) < 200 else ""
            first = beneath_label if beneath else line.start
            bare = _ONLY_LINK.fullmatch(rest or line.body) is not None
            span = _Span(first, line.start, line.end)
            self._said.append(_Said(text, span, date, beneath, line.box, at, line.item, bare))

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
            if colon and _kind(_plain(name)) and rest.strip():
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
        return "", ""

    def _inline(self, line: _Line, date: str) -> bool:
        """Read the names behind a label in one line; the line may hold more labels: ``Present: A, B. Apologies: C``."""
        text = self._text[line.start : line.end]
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
            for one in read_names(plain[behind:end], tagged=self._tagged):
                some = True
                self._entries.append(
                    _Entry(kind, one, _Span(line.start, line.start, line.end), date, "meetings.attendance")
                )
        return some or len(text) < 60

    def _listed(self, line: _Line, kind: str, role: str) -> list[Attendee]:
        """Whom an item, or a line of its own, of a list of attendance names."""
        if line.box == " ":
            return []
        body = line.body.strip()
        several = body.count(",") + body.count(";") >= 2
        found = read_names(body, tagged=self._tagged) if several else []
        if len(found) < 3:
            one = read_entry(body, tagged=self._tagged)
            found = [one] if one is not None else found if len(found) > 1 else []
        if not found and not line.item:
            found = read_names(body, tagged=self._tagged)
        return [one if one.role or kind != PRESENT else one._replace(role=role) for one in found]

    def _office(self, line: _Line, name: str, rest: str, date: str) -> bool:
        """Read who chaired or took the minutes, where a line says so; whether it does."""
        span = _Span(line.start, line.start, line.end)
        for type_, role, label in _OFFICES if name and rest else ():
            if label.fullmatch(name.lower()):
                for one in read_names(rest, tagged=self._tagged)[:3]:
                    self._entries.append(_Entry(type_, one._replace(role=role), span, date, "meetings.office"))
                return True
        text = plain_entry(line.body)
        chaired = _CHAIRED.search(text)
        who = (
            person_name((chaired["who"] or chaired["whom"] or chaired["taker"]).strip(), tagged=self._tagged)
            if chaired
            else ""
        )
        if who:
            role = "" if chaired and re.search(r"\bled\b", chaired[0]) else "chair"
            self._entries.append(_Entry("LEADS", Attendee(who, role), span, date, "meetings.office"))
        return False

    def _table(self, rows: Sequence[_Line], kind: str, label: int, date: str) -> None:
        """Read a table of attendance, or of tasks."""
        cells = [[plain_entry(cell) for cell in row.body.strip().strip("|").split("|")] for row in rows]
        header = [cell.lower() for cell in cells[0]]
        body = [
            (row, line)
            for row, line in zip(cells[1:], rows[1:], strict=True)
            if not re.fullmatch(r"[\s:|-]*", line.body)
        ]
        who = _column(
            header, "name", "attendee", "attendees", "participant", "person", "member", "full name", "present"
        )
        there = _column(
            header, "present", "present?", "attended", "attended?", "attendance", "in attendance", "attending"
        )
        if there is not None and who != there and not kind:
            kind, label = PRESENT, rows[0].start
        if kind and who is not None:
            role = _column(header, "role", "title", "position")
            for row, line in body:
                one = read_entry(row[who], tagged=self._tagged) if who < len(row) else None
                if one is None:
                    continue
                said = kind
                if there is not None and there != who and there < len(row):
                    mark = row[there].lower()
                    said = kind if mark in _YES else ABSENT if mark in _NO else ""
                if role is not None and role < len(row) and 1 < len(row[role]) < 60:
                    one = one._replace(role=row[role])
                if said:
                    self._entries.append(_Entry(said, one, _Span(label, line.start, line.end), date, "meetings.table"))
            return
        task = _column(header, "action", "action item", "action items", "task", "item", "what", "description")
        owner = _column(
            header, "owner", "assignee", "who", "assigned to", "responsible", "person responsible", "assigned"
        )
        due = _column(header, "due", "due date", "deadline", "by when", "when", "target date", "date due")
        if task is None or owner is None:
            return
        for row, line in body:
            if max(task, owner) < len(row) and row[task] and row[owner]:
                by = f"; due: {row[due]}" if due is not None and due < len(row) and row[due] else ""
                said_ = f"{row[task]} ; owner: {row[owner]}{by}"
                self._said.append(_Said(said_, _Span(line.start, line.start, line.end), date, "action", "", 0))

    # --- the facts ---------------------------------------------------------------------------------------------

    def _know(self, who: Attendee) -> None:
        parts = who.name.split()
        keys = {who.name, parts[0], parts[-1], who.short or who.letters, " ".join(parts[1:])}
        keys |= {f"@{who.handle}"} if who.handle else set()
        for key in keys - {""}:
            self._by_name.setdefault(key.casefold(), set()).add(who.name)

    def _whom(self, said: str, *, known: bool = False) -> str:
        """The full name of who is meant: by name, handle, letters, or a name that only one here has; empty for nobody.

        Only somebody who is ``known`` from the lists is one where the words may name anything.
        """
        said = " ".join(said.split()).strip(" .:,()")
        for key in (said, re.sub(r"^(?:Cllrs?|Mrs?|Ms|Dr|Councill?or|Director|Trustee)\.?\s+", "", said)):
            meant = self._by_name.get(key.casefold())
            if meant:
                return next(iter(meant)) if len(meant) == 1 else ""
        return "" if known or said.startswith("@") else person_name(said, tagged=self._tagged)

    def _attendance(self) -> Iterator[MeetingFact]:
        there = {(entry.who.name, entry.date) for entry in self._entries if entry.kind in (PRESENT, "LEADS")}
        for entry in sorted(self._entries, key=lambda entry: entry.rule != "meetings.office"):
            if entry.kind in (ABSENT, INVITED) and (entry.who.name, entry.date) in there:
                continue
            person, meeting = self._person(entry.who.name), self._meeting(entry.date)
            if person is None or meeting is None or not self._once(entry.kind, person, meeting):
                continue
            verb = {PRESENT: "took part in", ABSENT: "was absent from", INVITED: "was invited to"}.get(
                entry.kind, "led"
            )
            held = self._lexicon.named[meeting].name
            role = entry.who.role or (entry.who.letters if entry.who.letters in re.findall(r"\w+", held) else "")
            shown = f"{entry.who.name} {verb} {held}" + (f" ({role})" if role else "")
            candidate = self._candidate(entry.kind, entry.span, shown, 0.9)
            if candidate is not None:
                candidate.date = entry.date or None
                candidate.date_role = "happened" if entry.date else None
                candidate.role = role or None
                yield MeetingFact(entry.rule, candidate, person, meeting)

    def _approved(self) -> Iterator[MeetingFact]:
        """What the lists under headings such as *Grants approved* name."""
        for said in self._said:
            text = said.text
            if said.beneath != "approved" or len(text) > action_items.MAX_TASK or text.lower() in _NOBODY:
                continue
            meeting = self._meeting(said.date)
            if meeting is None or not said.item or not self._once("APPROVED", meeting, text):
                continue
            if said.span.end - said.span.first > MOST_QUOTED or re.match(r"(?i)(?:no|none|nothing|not)\b", text):
                continue
            candidate = self._candidate("APPROVED", said.span, f"{self._lexicon.named[meeting].name}: {text}", 0.8)
            if candidate is not None and "\n" in candidate.quote:
                heading = plain_entry(candidate.quote.partition("\n")[0].lstrip("# ")).rstrip(":")
                candidate.description = f"{self._lexicon.named[meeting].name}: {heading}: {text}"[:300]
                candidate.object_text, candidate.date = text, said.date or None
                candidate.date_role = "happened" if said.date else None
                yield MeetingFact("meetings.approved", candidate, meeting, None)

    def _tasks(self) -> Iterator[MeetingFact]:
        for said in self._said:
            label = action_items.LABEL.match(said.text)
            labelled = label is not None or said.beneath == "action"
            if not labelled and not said.box:
                continue
            text = said.text
            if label is not None:
                text = f"{label['for']}: {label['rest']}" if label["for"] else label["rest"]
            task = action_items.read_task(text, labelled=labelled)
            owners = [self._whom(who, known=not task.sure) for who in task.who] if task is not None else []
            if task is None or not all(owners):
                continue
            due = action_items.due_date(task.due, said.date) if task.due else None
            status = STATED if said.box in ("x", "X") else "planned"
            name = action_items.task_name(task.text)
            for owner in owners:
                person = self._person(owner)
                if (
                    person is None
                    or len(task.text) > action_items.MAX_TASK
                    or not self._once("task", person, task.text)
                ):
                    continue
                shown = f"{owner}: {task.text}"
                candidate = self._candidate("ASSIGNED_TO" if name else "RESPONSIBLE_FOR", said.span, shown, 0.8)
                if candidate is None:
                    continue
                candidate.status = status
                candidate.date, candidate.date_role = (
                    (due, "due") if due else (said.date or None, "as_of" if said.date else None)
                )
                if name:
                    ref = self._named(name, "Task")
                    if ref is not None:
                        yield MeetingFact("meetings.action", candidate, ref, person)
                else:
                    candidate.object_text = task.text
                    yield MeetingFact("meetings.action", candidate, person, None)

    def _motions(self) -> Iterator[MeetingFact]:
        before: _Said | None = None
        for said in self._said:
            decision = None if said.bare else action_items.DECISION.match(said.text)
            if decision is None and said.beneath == "decision" and not said.bare and 12 <= len(said.text) <= 300:
                yield from self._decided(said.text, said.span, said.date, "meetings.decision")
                continue
            opened = action_items.MOTION.match(said.text)
            motion = action_items.read_motion(said.text)
            if motion is None:
                if decision is not None:
                    yield from self._decided(decision["text"], said.span, said.date, "meetings.decision")
                before = said if opened else before
                if before is not None and said.place - before.place > 6:
                    before = None
                continue
            text, span = motion.text, said.span
            if opened is not None and not text:
                text = re.split(r"[.;(]?\s*\b(?:moved|proposed|motion|seconded)\b", opened["text"], maxsplit=1)[
                    0
                ].strip()
            if not text and before is not None and said.place - before.place <= 6:
                held = action_items.MOTION.match(before.text)
                text = held["text"] if held else ""
                span = _Span(before.span.start, said.span.start, said.span.end)
            if len(text) < 10 or len(text) > 300:
                continue
            for type_, who in (("PROPOSED", motion.mover), ("SECONDED", motion.seconder)):
                name = self._whom(who) if who else ""
                person = self._person(name) if name else None
                if person is not None and self._once(type_, person, text):
                    candidate = self._candidate(type_, span, f"{name} {type_.lower()}: {text}", 0.85)
                    if candidate is not None:
                        candidate.object_text, candidate.date = text, said.date or None
                        candidate.date_role = "happened" if said.date else None
                        yield MeetingFact("meetings.motion", candidate, person, None)
            if action_items.CARRIED.search(said.text) and not action_items.FAILED.search(said.text):
                yield from self._decided(text, span, said.date, "meetings.motion")

    def _decided(self, text: str, span: _Span, date: str, rule: str) -> Iterator[MeetingFact]:
        meeting = self._meeting(date)
        text = text.strip(" .:;-–—")
        if meeting is None or len(text.split()) < 3 or text.endswith("?") or not self._once("DECIDED", meeting, text):
            return
        candidate = self._candidate("DECIDED", span, f"{self._lexicon.named[meeting].name}: {text}", 0.8)
        if candidate is not None:
            candidate.object_text, candidate.date = text, date or None
            candidate.date_role = "happened" if date else None
            yield MeetingFact(rule, candidate, meeting, None)

    def _once(self, type_: str, subject: int, other: int | str) -> bool:
        key = (type_, subject, other)
        new = key not in self._told
        self._told.add(key)
        return new

    def _meeting(self, date: str) -> int | None:
        name = meeting_name(self._title, self._document.path, date, dated=date == self._date)
        return self._named(name, "Event") if name else None

    def _person(self, name: str) -> int | None:
        return self._named(name, "Person")

    def _named(self, name: str, type_: str) -> int | None:
        """The entry of a name that a list says to be of a type; ``None`` where it is known to be of another."""
        ref = self._lexicon.resolved(self._lexicon.get(name))
        named = self._lexicon.named[ref]
        best = named.best
        if (named.known or named.declared) and best is not None and best[0] not in (type_, "Concept"):
            return None
        named.vote(type_, 0.95)
        named.defined = True
        return ref

    def _candidate(self, type_: str, span: _Span, shown: str, confidence: float) -> FactCandidate | None:
        """A fact whose quote goes from its label to its line, where both are near; else it is the line."""
        first = span.first if span.first >= 0 and span.end - span.first <= MOST_QUOTED else span.start
        for begin in (first, span.start):
            place = self._places.find(begin, span.end)
            if place is not None:
                chunk, start, end = place
                quote = chunk.text[start:end]
                bytes_before = len(chunk.text[:start].encode("utf-8", "replace"))
                return FactCandidate(
                    type=type_, subject=0, description=shown[:300], confidence=confidence, chunk=chunk.ordinal,
                    quote=quote, start=bytes_before, end=bytes_before + len(quote.encode("utf-8", "replace")),
                )  # fmt: skip
        return None


def meeting_name(title: str, path: str, date: str, *, dated: bool = True) -> str:
    """The name of a meeting: its title, with the date where the title has none; empty where that says of nothing which.

    A title that says only that these are minutes is made clear by the folder. In a text of many meetings (not ``dated``)
    the section's date stands in the place of the title's.
    """
    title = " ".join(plain_entry(title).split())
    bare = _without_date(title)
    if not _content(bare):
        folder = next((part for part in reversed(PurePosixPath(path).parts[:-1]) if not _FOLDERS.match(part)), "")
        bare = title = f"{folder} meeting" if folder else "Meeting"
        if not date:
            return ""
    if date and (not dated or _own_day(title) != date):
        base = re.sub(r"\s*[-–—|:,]?\s*\b(?:notes|minutes)$", "", bare, flags=re.I).strip(" -–—|:,") or bare
        base = base if _HELD.search(base) else f"{base} meeting"
        return f"{base} {date}"[:MAX_NAME]
    if not _HELD.search(title) and not _MINUTES.search(title):
        title = f"{bare} meeting {date}".strip() if date else f"{title} meeting"
    return title if len(title) <= MAX_NAME else ""


def _content(title: str) -> list[str]:
    """The words of a title that say which meeting it is of."""
    found = re.findall(r"[^\W\d_](?:[^\W_]|['’&-](?=\w))*", _without_date(title))
    return [word for word in found if word.lower() not in _GENERIC]


def _own_day(title: str) -> str:
    found = dates.from_name(title) or dates.from_title(title) or ""
    return found if len(found) == 10 else _day_in(title)


def _without_date(title: str) -> str:
    for found in reversed(dates.find_dates(title)):
        title = title[: found.start] + " " + title[found.end :]
    title = re.sub(
        r"\b\d{4}[-_.]\d\d[-_.]\d\d\b|\b\d{8}\b|\((\s*)\)|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?", " ", title
    )
    return " ".join(title.replace("_", " ").split()).strip(" -–—|:,.#")


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
    for kind, form in _KINDS:
        if re.search(rf"(?:^|[\s/]){form.pattern}(?:$|[\s/])", label) and _is_plain_label(label):
            return kind
    return ""


_LABEL_WORDS = re.compile(
    r"(?:(?:members?|directors?|officers?|trustees?|councill?ors?|councilmembers|council|board|committee|staff|guests?|others?|also|those|public|people|persons|"
    r"executive|voting|non-?voting|tsc|wg|team|present|absent|absentees?|absence|apolog(?:y|ies)|regrets|excused|not|attending|attendees?|attendance|attended|"
    r"participants?|participating|in|by|via|phone|zoom|person|remotely|remote|online|roll|call|list|of|for|and|with|without|the|received|sent|invited|invitees?|partial|"
    r"meeting|today|late|unable|to|attend|missing|observers?|visitors?|could|core|community|advance|notice|city|village|town|commissioners|from|new|all|other|clerk|were|was|are|is|by)(?:\s+|/|$))+"
)


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


def _column(header: Sequence[str], *names: str) -> int | None:
    """The column of a table with one of these headers, the first name first."""
    return next((header.index(name) for name in names if name in header), None)
