"""Who belongs to what: lists and tables of persons beneath *Members*, *Chairs*, *Maintainers*, with employers behind commas.

Used by the fact reader; pure. A roster is told from any other list by its entries: most of them are persons, as
``attendees`` reads them.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from kgfs.documents.records.text_tables import RULE, row_cells
from kgfs.extraction.facts.attendees import Attendee, is_role, plain_entry, read_entry, read_handle
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of, quote_from
from kgfs.extraction.facts.listed_names import employer_entry, stated_entry
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.structure import FORMER
from kgfs.extraction.names import words
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.units import Unit
from kgfs.relation_types import may_join

_BEFORE = r"(?:(?:current|active|core|our|the|all|full|voting|non-voting|regular|executive|elected|founding|technical|tech|project|group|team|committee|council|board|section|working group) )*"
_GROUPS = (
    ("LEADS", re.compile(rf"{_BEFORE}(?:(?:co-?)?chairs?|chairpersons?|(?:co-?)?leads?|leaders?|presidents?)")),
    ("MAINTAINS", re.compile(rf"{_BEFORE}(?:maintainers?)")),
    ("MEMBER_OF", re.compile(rf"{_BEFORE}(?:members?|membership|staff|trustees|officers|organi[sz]ers|committers|roster|representatives|steering committee|people)")),
    ("MEMBER_OF", re.compile(r"(?:(?:meet|about) )?(?:our|the)(?: core| project| leadership| executive| management)? team|team members|who we are|meet the team")),
)  # fmt: skip
"""What a heading says, behind the name of the body or alone, of the persons beneath it."""
_OF_US = re.compile(r"(?:our |the |meet )?.*\b(?:team|staff|people|who we are)\b")
"""Headings of those who work for *us*, where nothing else is named."""
_BODY = re.compile(r"[A-Z][\w&'’-]*(?: (?:of|for|the|and|&|[A-Z0-9][\w&'’-]*)){0,5}")
"""A name before the last word of a heading."""
_NAME_COLUMNS = frozenset(
    "name member members person who full_name maintainer maintainers lead leads chair chairs co_chairs co_leads organizer organiser contact".split()
)
_PICTURES = frozenset(["", "nbsp", "avatar", "photo", "picture", "image", "img"])
_TABLE_GROUPS = frozenset("leads chairs co-chairs co-leads maintainers members".split())
"""First columns of tables of persons; in the singular they may say whose the rows are, which come before them."""
_BODIES = frozenset("Group Team Committee Subcommittee Council Board".split())
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
MOST_PEOPLE = 400
"""Of a document: a longer list is a register, which search finds."""
FEW = 2
"""So many entries make a list, where nothing else (a handle, a role) says that one alone is somebody."""


class _Entry(NamedTuple):
    unit: Unit
    who: Attendee


class Rosters:
    """Reads the rosters of one document; ``about`` is the entity that a section is about."""

    def __init__(
        self,
        lexicon: Lexicon,
        types: NameTypes,
        units: Sequence[Unit],
        about: Callable[[Sequence[str]], int | None],
        *,
        tagged: bool,
    ) -> None:
        self._lexicon, self._types, self._units = lexicon, types, units
        self._about, self._tagged = about, tagged

    def read(self) -> list[LexiconFact]:
        """The facts, in order of the units."""
        found: list[LexiconFact] = []
        for headings, section in groupby(self._units, key=lambda unit: unit.headings):
            if headings and not any(map(FORMER.search, headings)):
                found += self._section(headings, list(section))
        return found[: 2 * MOST_PEOPLE]

    def _section(self, headings: tuple[str, ...], units: Sequence[Unit]) -> Iterator[LexiconFact]:
        group, above, title = roster_group(headings[-1]), headings[:-1], headings[-1]
        if group is None:  # a table in the section of what they lead
            group, units = _table_group(units)
            above, title = headings, ""
        if group is None:
            return
        entries, others = self._entries(units)
        if len(entries) <= others or not entries:
            return
        if len(entries) < FEW and title and not (entries[0].who.handle or entries[0].who.role):
            return
        type_, before = group
        body = self._body(above, title, before)
        if body is None:
            return
        heading = units[0] if units[0].kind == "heading" else None
        employed = sum(bool(entry.who.employer) for entry in entries) * 2 >= len(entries) >= FEW
        for entry in entries:
            person = stated_entry(self._lexicon, entry.who.name, "Person")
            if person is None or person == body:
                continue
            yield from self._joined("rosters.member", type_, (person, body), entry, heading)
            if employed and entry.who.employer:
                employer = employer_entry(self._lexicon, entry.who.employer)
                if employer is not None:
                    yield from self._joined("rosters.employer", "WORKS_FOR", (person, employer), entry, None)

    def _joined(
        self, rule: str, type_: str, pair: tuple[int, int], entry: _Entry, heading: Unit | None
    ) -> Iterator[LexiconFact]:
        given = self._types.given_type(pair[1])
        fits = next((one for one in (type_, "MEMBER_OF") if may_join(one, "Person", given)), None)
        if fits is None:
            return
        candidate = candidate_of(entry.unit, fits, 0.85)
        candidate.role = entry.who.role or None
        if heading is not None:
            quote_from(candidate, heading, entry.unit)
        yield LexiconFact(rule, candidate, *pair, entry.unit)

    def _entries(self, units: Sequence[Unit]) -> tuple[list[_Entry], int]:
        """The persons that the items or the rows of a section name, and how many of these name nobody."""
        found: list[_Entry] = []
        others, paragraph, header = 0, -1, None
        for place, unit in enumerate(units):
            if unit.kind == "heading":
                continue
            text = unit.quote
            if unit.kind == "row" and "|" in text:
                if RULE.fullmatch(text.rstrip("\n")):
                    header = row_cells(units[place - 1].quote) if place else None
                    continue
                if place + 1 < len(units) and RULE.fullmatch(units[place + 1].quote.rstrip("\n")):
                    continue
                who = self._in_row(row_cells(text), header)
                entry = _Entry(unit, who) if who is not None else None
            else:
                line = unit.chunk.text[unit.chunk.text.rfind("\n", 0, unit.start) + 1 : unit.end]
                if unit.paragraph == paragraph or not _ITEM.match(line):
                    paragraph = unit.paragraph
                    continue  # a sentence between the lists
                said = _ITEM.sub("", line, count=1)
                who = read_entry(said, tagged=self._tagged) or read_handle(said)
                entry = _Entry(unit, who) if who is not None else None
            paragraph = unit.paragraph
            if entry is not None and FORMER.search(text):
                continue  # "Jane Doe (emeritus)"
            if entry is None:
                others += 1
            elif len(found) < MOST_PEOPLE:
                found.append(entry)
        # "Red Hat" beneath a heading is nobody; "Joy Field" between people is somebody.
        sure = sum(entry.who.sure or bool(entry.who.handle) for entry in found)
        return (found, others) if 2 * sure >= len(found) else ([], others)

    def _in_row(self, cells: Sequence[str], header: Sequence[str] | None) -> Attendee | None:
        """Whom a row names: in the column of names, else in the first cell that is somebody."""
        named = [
            place
            for place, title in enumerate(header or ())
            if re.sub(r"\W+", "_", title.strip().lower()) in _NAME_COLUMNS
        ]
        for place in named or range(len(cells)):
            cell = cells[place] if place < len(cells) else ""
            who = read_entry(cell, tagged=self._tagged and not named) or read_handle(cell)
            if who is not None and (named or who.sure):
                role = who.role or next((cell for cell in cells[place + 1 :] if is_role(cell)), "")
                return who._replace(role=plain_entry(role), employer="")  # a column says it
        return None

    def _body(self, above: tuple[str, ...], title: str, before: str) -> int | None:
        """Whose roster it is: what its title names, else the body above, else what the section is about, else *we*.

        ``above`` are the headings above it; ``title`` is its own, empty for a table without one.
        """
        if before:
            known = self._lexicon.known_entry(before)
            if known is not None:
                return self._lexicon.resolved(known)
            if before.split()[-1] in words.ORGANIZATION_HEADS and before[0].isupper():
                return stated_entry(self._lexicon, before, "Organization")
        if not title and (name := _one_of_several(above)):
            return stated_entry(self._lexicon, name, "Organization")
        ref = self._about(above)
        heading = " ".join(above[-1].split()) if above else ""
        if heading.rpartition(" ")[2] in words.ORGANIZATION_HEADS and _BODY.fullmatch(heading):
            named = stated_entry(self._lexicon, heading, "Organization")  # not the page that tells of it
            ref = named if named is not None else ref
        if ref is not None:
            ref = self._lexicon.resolved(ref)
            if self._types.name(ref).rpartition(" ")[2] in words.ORGANIZATION_HEADS:
                self._lexicon.named[ref].vote("Organization", 0.97)  # "Scaling Working Group", whose page has chairs
            if may_join("MEMBER_OF", "Person", self._types.given_type(ref)):
                return ref
        speaker = self._lexicon.speaker()
        if speaker is not None and not before and _OF_US.fullmatch(_plain(title)):
            return speaker
        return None


def roster_group(heading: str) -> tuple[str, str] | None:
    """What a heading says that the persons beneath it do, with the name before it: ``Board Members``, ``Acme Team``.

    The type of fact, and the name; ``None`` for a heading of something else.
    """
    plain = _plain(heading)
    for type_, pattern in _GROUPS:
        if pattern.fullmatch(plain):
            return type_, ""
    shown = " ".join(re.sub(r"[^\w\s&'’-]+", " ", heading).split())
    before, _, last = shown.rpartition(" ")
    for type_, pattern in _GROUPS:
        if _BODY.fullmatch(before) and pattern.fullmatch(last.lower()):
            return type_, before
    return None


def _table_group(units: Sequence[Unit]) -> tuple[tuple[str, str] | None, Sequence[Unit]]:
    """What a table of a section says that its persons do, by its first column but for pictures; and its lines."""
    for place, (unit, rule) in enumerate(pairwise(units)):
        if unit.kind == "row" and RULE.fullmatch(rule.quote.rstrip("\n")):
            first = next((cell for cell in map(_plain, row_cells(unit.quote)) if cell not in _PICTURES), "")
            if first in _TABLE_GROUPS:
                return roster_group(first), [unit, rule, *_rows_of_table(units[place + 2 :])]
    return None, ()


def _rows_of_table(units: Sequence[Unit]) -> Iterator[Unit]:
    """The rows at the beginning of some lines, up to the header of another table."""
    for place, unit in enumerate(units):
        below = units[place + 1].quote.rstrip("\n") if place + 1 < len(units) else ""
        if unit.kind != "row" or RULE.fullmatch(below):
            return
        yield unit


def _one_of_several(headings: Sequence[str]) -> str:
    """The body that a heading names beneath one for all of its sort: *Serving* beneath *Working Groups* is the *Serving
    Working Group*; empty elsewhere."""
    if len(headings) < 2:
        return ""
    *before, last = " ".join(re.sub(r"[^\w\s&'’-]+", " ", headings[-2]).split()).split(" ")
    own = headings[-1].strip()
    if not last.endswith("s") or last[:-1].capitalize() not in _BODIES or len(before) > 2 or not _BODY.fullmatch(own):
        return ""
    sort = " ".join([*before, last[:-1]])
    return own if own.endswith(sort) else f"{own} {sort}"


def _plain(heading: str) -> str:
    return " ".join(re.sub(r"^[\d.)\s]+|[^\w\s'’-]+", " ", heading).split()).lower()
