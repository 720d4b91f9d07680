"""Facts out of minutes and meeting notes: who was there, who chaired, what was moved and decided, who is to do what.

Used by the fact reader; pure. What minutes say stands in lists and behind labels, hardly in sentences, so the lines of
the text are read. The meeting is an event by the document's title, with its date. A name
that is neither written out as a person's nor known from the list of attendance is ignored.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgfs.extraction.facts.chunk_places import ChunkPlaces
from kgfs.extraction.facts.lexicon_facts import MOST_QUOTED
from kgfs.extraction.facts.meeting_notes import action_items
from kgfs.extraction.facts.meeting_notes.attendees import Attendee, person_name, plain_entry, read_handle
from kgfs.extraction.facts.meeting_notes.meeting_names import MINUTES, meeting_name, own_date
from kgfs.extraction.facts.meeting_notes.minutes import ABSENT, INVITED, NOBODY, PRESENT, Minutes, Said, Span
from kgfs.extraction.facts.structured.listed_names import employer_entry, stated_entry
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.model import STATED, FactCandidate, ParsedDocument

FEWEST = 2
"""Persons on its list of attendance with which a text is taken for that of a meeting."""
FEW_EMPLOYED = 3
"""Persons with the name of a firm behind theirs: what stands behind one or two may be anything."""
MAX_FACTS = 2000
_MEETING = re.compile(
    r"\b(?:meetings?|minutes|notes|call|sync|stand-?ups?|agm|council|committee|board|steering|tsc|tac|toc|wg|working group|"
    r"sig|retro(?:spective)?|assembly|session|telco|check-?in|1:1|kick-?off|summit|hangout|triage)\b",
    re.I,
)
_ONLY_PLANNED = re.compile(r"\b(?:agendas?|templates?|how to|guidelines|policy|checklist)\b", re.I)

_MERE = re.compile(
    r"(?i)(?:for|to|the|its)? ?(?:approval|acceptance|approve|accept|adoption|a vote)(?: of (?:it|this|that))?\W*"
)
"""What somebody moved, where what it was about stands before."""


class MeetingFact(NamedTuple):
    """A fact with the lexicon's entries of its ends."""

    rule: str
    candidate: FactCandidate
    subject: int
    object: int | None


def meeting_facts(document: ParsedDocument, lexicon: Lexicon, *, tagged: bool) -> list[MeetingFact]:
    """What the minutes of a meeting state; nothing where a text is not that of a meeting."""
    if not document.chunks or not document.text or not _may_be_meeting(document):
        return []
    return _Reader(document, lexicon, tagged=tagged).read()


def _may_be_meeting(document: ParsedDocument) -> bool:
    text = document.text or ""
    head = f"{document.title} {document.path} {text[:400]}"
    if not (_MEETING.search(head.replace("_", " ").replace("-", " ")) or own_date(document.title, document.path)):
        return False
    title = document.title
    return not _ONLY_PLANNED.search(title) or MINUTES.search(title) is not None


class _Reader:
    def __init__(self, document: ParsedDocument, lexicon: Lexicon, *, tagged: bool) -> None:
        self._document = document
        self._lexicon = lexicon
        self._tagged = tagged
        self._places = ChunkPlaces(document.chunks)
        self._minutes = Minutes(document, lexicon.attendees(), tagged=tagged)
        self._by_name: dict[str, set[str]] = {}
        self._told: set[tuple[str, int, int | str]] = set()

    def read(self) -> list[MeetingFact]:
        present = {entry.who.name for entry in self._minutes.entries if entry.kind == PRESENT}
        if len(present) < FEWEST:
            return self._tasks_of_handles()
        for entry in self._minutes.entries:
            self._know(entry.who)
        found = [*self._attendance(), *self._employers(), *self._approved(), *self._tasks(), *self._motions()]
        return found[:MAX_FACTS]

    def _tasks_of_handles(self) -> list[MeetingFact]:
        """The tasks in notes without a list of attendance: beneath *Action items* several handles are persons'."""
        beneath = (said for said in self._minutes.said if said.beneath == "action")
        tasks = (action_items.read_task(said.text, labelled=True) for said in beneath)
        handles = {who for task in tasks if task is not None for who in task.who if who.startswith("@")}
        persons = [person for handle in sorted(handles) if (person := read_handle(handle)) is not None]
        if len(persons) < FEWEST:
            return []
        for person in persons:
            self._know(person)
        return list(self._tasks())[:MAX_FACTS]

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
        there = {(entry.who.name, entry.date) for entry in self._minutes.entries if entry.kind in (PRESENT, "LEADS")}
        for entry in sorted(self._minutes.entries, key=lambda entry: entry.rule != "meetings.office"):
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

    def _employers(self) -> Iterator[MeetingFact]:
        """Whom those who were there work for, where most of a list say it: ``Jane Doe [Acme]``."""
        people = {entry.who.name for entry in self._minutes.entries}
        said = [entry for entry in self._minutes.entries if entry.who.employer]
        if len({entry.who.name for entry in said}) * 2 < max(len(people), 2 * FEW_EMPLOYED):
            return
        among = {entry.who.employer for entry in said}
        for entry in said:
            employer, person = employer_entry(self._lexicon, entry.who.employer, among), self._person(entry.who.name)
            if employer is None or person is None or not self._once("WORKS_FOR", person, employer):
                continue
            shown = f"{entry.who.name} works for {entry.who.employer}"
            candidate = self._candidate("WORKS_FOR", entry.span._replace(first=-1), shown, 0.8)
            if candidate is not None:
                candidate.date = entry.date or None
                candidate.date_role = "as_of" if entry.date else None
                yield MeetingFact("meetings.employer", candidate, person, employer)

    def _approved(self) -> Iterator[MeetingFact]:
        """What the lists under headings such as *Grants approved* name."""
        for said in self._minutes.said:
            text = said.text
            if said.beneath != "approved" or len(text) > action_items.MAX_TASK or text.lower() in NOBODY:
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
        for said in self._minutes.said:
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
        before: Said | None = None
        for said in self._minutes.said:
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
            text = "" if _MERE.fullmatch(text) else text
            if opened is not None and not text:
                text = re.split(r"[.;(]?\s*\b(?:moved|proposed|motion|seconded)\b", opened["text"], maxsplit=1)[
                    0
                ].strip()
            if not text and before is not None and said.place - before.place <= 6:
                held = action_items.MOTION.match(before.text)
                text = held["text"] if held else ""
                span = Span(before.span.start, said.span.start, said.span.end)
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

    def _decided(self, text: str, span: Span, date: str, rule: str) -> Iterator[MeetingFact]:
        meeting = self._meeting(date)
        text = text.strip(" .:;-–—")
        if len(re.findall(r"\b[a-z]{2,}", text)) < 2 or text.endswith("?"):
            return  # "Gainesville, FL": of what, the line does not say
        if meeting is None or len(text.split()) < 3 or not self._once("DECIDED", meeting, text):
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
        name = meeting_name(self._minutes.title, self._document.path, date, dated=date == self._minutes.date)
        return self._named(name, "Event") if name else None

    def _person(self, name: str) -> int | None:
        return self._named(name, "Person")

    def _named(self, name: str, type_: str) -> int | None:
        return stated_entry(self._lexicon, name, type_)

    def _candidate(self, type_: str, span: Span, shown: str, confidence: float) -> FactCandidate | None:
        """A fact whose quote goes from its label to its line, where both are near; else it is the line."""
        first = span.first if span.first >= 0 and span.end - span.first <= MOST_QUOTED else span.start
        for begin in (first, span.start):
            place = self._places.find_chunk(begin, span.end)
            if place is not None:
                chunk, start, end = place
                quote = chunk.text[start:end]
                bytes_before = len(chunk.text[:start].encode("utf-8", "replace"))
                return FactCandidate(
                    type=type_, subject=0, description=shown[:300], confidence=confidence, chunk=chunk.ordinal,
                    quote=quote, start=bytes_before, end=bytes_before + len(quote.encode("utf-8", "replace")),
                )  # fmt: skip
        return None
