"""Who belongs to what: lists and tables of persons beneath *Members*, *Chairs*, *Maintainers*, with employers behind commas.

Used by the fact reader; pure. A roster is told from any other list by its entries: most of them are persons, as
``attendees`` reads them.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from kgfs.documents.records.delimited import LINE_BREAK
from kgfs.documents.records.text_tables import RULE, row_cells
from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of, quote_from
from kgfs.extraction.facts.meeting_notes.attendees import Attendee, is_role, plain_entry, read_entry, read_handle
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.structured.listed_names import employer_entry, stated_entry
from kgfs.extraction.facts.structured.roster_titles import (
    LONGEST_LABEL,
    RosterTitle,
    body_among_others,
    body_title,
    is_body_name,
    label_title,
    names_group,
    plain_title,
    roster_title,
    spelled_out,
)
from kgfs.extraction.facts.structured.structure import FORMER
from kgfs.extraction.facts.structured.terms_of_office import term_of_office
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.units import Unit
from kgfs.relation_types import may_join

_OF_US = re.compile(r"(?:our |the |meet )?.*\b(?:team|staff|people|who we are)\b")
"""Headings of those who work for *us*, where nothing else is named."""
_NAME_COLUMNS = frozenset(
    "name member members person who full_name maintainer maintainers lead leads chair chairs co_chairs co_leads organizer organiser contact".split()
)
_PICTURES = frozenset(["", "nbsp", "avatar", "photo", "picture", "image", "img"])
_TABLE_GROUPS = frozenset("leads chairs co-chairs co-leads maintainers members".split())
"""First columns of tables of persons; in the singular they may say whose the rows are, which come before them."""
_HELP_WANTED = re.compile(r"(?i)\bhelp wanted\b")
"""In the heading of those who are there already and those who are looked for."""
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_TEAM = re.compile(r"[*`\[]*@[\w-]+/[\w-]")
"""A team of a code host, among persons."""
MOST_PEOPLE = 400
"""Of a document: a longer list is a register, which search finds."""
LONGEST_NAMES = 600
"""Characters of a paragraph that may be nothing but names."""
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
        self._page = about(())
        places = {
            (plain_title(line), unit.headings if unit.kind != "heading" else unit.headings[:-1])
            for unit in units
            for line in (_before_colon(unit),)
            if line
        }
        self._titles = Counter(said for said, _ in places)
        """In how many sections a title or a label stands: one of several is not the page's."""

    def read(self) -> list[LexiconFact]:
        """The facts, in order of the units."""
        found: list[LexiconFact] = []
        for headings, section in groupby(self._units, key=lambda unit: unit.headings):
            if not any(FORMER.search(_HELP_WANTED.sub("", heading)) for heading in headings):
                for part in _parts(list(section)):
                    found += self._part(headings, part)
                    if headings:
                        found += self._in_lines(headings, part)
        return found[: 2 * MOST_PEOPLE]

    def _part(self, headings: tuple[str, ...], units: Sequence[Unit]) -> Iterator[LexiconFact]:
        """What a section says up to a label, or from a label on."""
        label = _label(units[0])
        title: RosterTitle | None
        if label is not None:
            title, above, shown, listed = label, headings, units[0].content.text, units[1:]
        else:
            shown = headings[-1] if headings else ""
            title, above, listed = roster_title(shown), headings[:-1], units
        if title is None:  # a table in the section of what they lead
            title, table = _table_group(units)
            above, shown, listed = headings, "", table or units
        of_body = title is None and bool(headings) and (title := body_title(headings[-1])) is not None
        if of_body:
            above, shown = headings[:-1], headings[-1]
        entries, others = self._entries(listed, alone=title is not None)
        if len(entries) <= others or not entries:
            return
        employed = sum(bool(entry.who.employer) for entry in entries) * 2 >= len(entries) >= FEW
        if employed and all(entry.who.handle or f"[{entry.who.name}](" in entry.unit.quote for entry in entries):
            yield from self._employers(entries)  # whatever they are listed for
        elif employed and title is not None:
            yield from self._employers(entries)
        in_table = entries[0].unit.kind == "row" and "|" in entries[0].unit.quote
        alone = len(entries) < FEW and shown and not (entries[0].who.handle or entries[0].who.role or in_table)
        if title is None or not headings or (alone and label is None):
            return
        shown_to_be = sum(bool(one.who.handle or one.who.employer) or "](" in one.unit.quote for one in entries)
        body = self._body(above, shown, title) if not of_body or shown_to_be * 2 >= len(entries) else None
        if body is None:
            return
        opening = units[0] if units[0].kind == "heading" or label is not None else None
        opening = opening if shown else None
        for entry in entries:
            person = stated_entry(self._lexicon, entry.who.name, "Person")
            if person is not None and person != body:
                yield from self._joined(title, person, body, entry, opening)

    def _in_lines(self, headings: tuple[str, ...], units: Sequence[Unit]) -> Iterator[LexiconFact]:
        """What a line says that holds label and names, ``GC liaison: Dana Poe (@dpoe)``."""
        for unit in units:
            if unit.kind not in ("sentence", "row") or FORMER.search(unit.quote):
                continue
            for before, behind in _labelled(unit.quote):
                title = label_title(plain_entry(before) + ":")
                who = (read_entry(behind, tagged=self._tagged) or read_handle(behind)) if title is not None else None
                if title is None or who is None or not (who.sure or who.handle):
                    continue
                body = self._body(headings, before, title)
                person = stated_entry(self._lexicon, who.name, "Person") if body is not None else None
                if body is not None and person is not None and person != body:
                    yield from self._joined(title, person, body, _Entry(unit, who), None)

    def _employers(self, entries: Sequence[_Entry]) -> Iterator[LexiconFact]:
        """Whom the persons of a list work for."""
        for entry in entries:
            if entry.who.employer and (person := stated_entry(self._lexicon, entry.who.name, "Person")) is not None:
                employer = employer_entry(self._lexicon, entry.who.employer)
                if employer is not None:
                    candidate = candidate_of(entry.unit, "WORKS_FOR", 0.85)
                    yield LexiconFact("rosters.employer", candidate, person, employer, entry.unit)

    def _joined(
        self, title: RosterTitle, person: int, body: int, entry: _Entry, opening: Unit | None
    ) -> Iterator[LexiconFact]:
        given = self._types.given_type(body)
        ends = (given, "Person") if title.turned else ("Person", given)
        fits = next((one for one in (title.type, "MEMBER_OF") if may_join(one, *ends)), None)
        if given == "Event" and title.role.startswith("organi"):
            fits = "ORGANIZED"
        if fits is None or (fits == "MEMBER_OF" and given == "Event"):
            return
        candidate = candidate_of(entry.unit, fits, 0.85)
        candidate.role = entry.who.role or title.role or None
        candidate.valid_from, candidate.valid_to = term_of_office(entry.unit.content.text)
        if opening is not None:
            quote_from(candidate, opening, entry.unit)
        pair = (body, person) if title.turned else (person, body)
        yield LexiconFact("rosters.member", candidate, *pair, entry.unit)

    def _entries(self, units: Sequence[Unit], *, alone: bool) -> tuple[list[_Entry], int]:
        """The persons that the items or the rows of a section name, and how many of these name nobody.

        With ``alone`` lines that are names and nothing else count as well, without a list's signs.
        """
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
                    if alone and unit.paragraph != paragraph:
                        found += self._in_paragraph(unit)
                    paragraph = unit.paragraph
                    continue  # a sentence between the lists
                said = _ITEM.sub("", line, count=1)
                who = read_entry(said, tagged=self._tagged) or read_handle(said)
                entry = _Entry(unit, who) if who is not None else None
            paragraph = unit.paragraph
            if entry is not None and FORMER.search(text):
                continue  # "Jane Doe (emeritus)"
            if entry is None:
                others += _TEAM.match(text) is None
            elif len(found) < MOST_PEOPLE:
                found.append(entry)
        # "Red Hat" beneath a heading is nobody; "Joy Field" between people is somebody.
        sure = sum(entry.who.sure or bool(entry.who.handle) for entry in found)
        return (found, others) if 2 * sure >= len(found) else ([], others)

    def _in_paragraph(self, unit: Unit) -> list[_Entry]:
        """The persons of a paragraph whose lines are names and nothing else."""
        if unit.kind != "sentence" or len(unit.quote) > LONGEST_NAMES or FORMER.search(unit.quote):
            return []
        found: list[_Entry] = []
        for line in unit.quote.splitlines():
            who = read_entry(line, tagged=self._tagged) or read_handle(line)
            if who is None or not (who.sure or who.handle):
                return []
            found.append(_Entry(unit, who))
        return found

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
                role = who.role or next((said for cell in cells[place + 1 :] if (said := _role_in(cell))), "")
                return who._replace(role=plain_entry(role), employer="")  # a column says it
        return None

    def _body(self, above: tuple[str, ...], shown: str, title: RosterTitle) -> int | None:
        """Whose roster it is: what its title names, else the body above, else what the section is about, else *we*.

        ``above`` are the headings above it; ``shown`` is its own, empty for a table without one.
        """
        before = title.body
        if before:
            known = self._lexicon.known_entry(before)
            if known is not None and may_join(title.type, "Person", self._types.given_type(known)):
                return self._lexicon.resolved(known)
            if before[0].isupper() and (
                before.split()[-1] in words.ORGANIZATION_HEADS or body_title(before) is not None
            ):
                return stated_entry(self._lexicon, before, "Organization")
            if above and (spelled := spelled_out(before, above[0])):
                return stated_entry(self._lexicon, spelled, "Organization")
            if shown.endswith(":"):
                return None  # a label beneath another body's heading
        ref = self._about(above)
        if (name := body_among_others(above)) and (not shown or ref is None or ref == self._page):
            return stated_entry(self._lexicon, name, "Organization")
        heading = " ".join(above[-1].split()).removesuffix(" Charter") if above else ""
        called = heading.rpartition(" ")[2] in words.ORGANIZATION_HEADS or names_group(heading)
        if called and is_body_name(heading):
            named = stated_entry(self._lexicon, heading, "Organization")  # not the page that tells of it
            ref = named if named is not None else ref
        if ref is not None and ref == self._page and self._titles[plain_title(shown)] > 1:
            return None
        if ref is not None:
            ref = self._lexicon.resolved(ref)
            name = self._types.name(ref)
            if name.rpartition(" ")[2] in words.ORGANIZATION_HEADS or names_group(name):
                self._lexicon.named[ref].vote("Organization", 0.97)  # "Scaling Working Group", whose page has chairs
            given = self._types.given_type(ref)
            if may_join("MEMBER_OF", "Person", given):
                return ref
            if title.of_project and given not in (PAGE, "Person") and title.type != "MEMBER_OF":
                return ref  # "Project leads"
        for heading in reversed(above):  # "Committers" beneath "Lumen maintainers"
            title_above = roster_title(heading)
            known = (
                self._lexicon.known_entry(title_above.body) if title_above is not None and title_above.body else None
            )
            if known is not None:
                return self._lexicon.resolved(known)
        speaker = self._lexicon.speaker()
        of_file = not above and title.type in ("MAINTAINS", "LEADS")  # a file of nothing but maintainers
        if speaker is not None and not before and (of_file or _OF_US.fullmatch(plain_title(shown))):
            return speaker
        return None


_NEXT_LABEL = re.compile(r"[ \t]+(?P<label>[A-Z][\w-]*):[ \t]")


def _labelled(line: str) -> list[tuple[str, str]]:
    """The labels of a line, each with what stands behind it: two of ``Chair: Ann Lee Co-chair: Bob Ray``."""
    before, colon, behind = line.partition(":")
    if not colon:
        return []
    for following in _NEXT_LABEL.finditer(behind):
        if label_title(f"{following['label']}:") is not None:
            rest = behind[following.start("label") :]
            return [(before, behind[: following.start()]), *_labelled(rest)]
    return [(before, behind)]


def _role_in(cell: str) -> str:
    """As what a cell says that somebody is there, its lines apart; empty where it says something else."""
    return "; ".join(line for line in cell.split(LINE_BREAK) if is_role(line))


def _before_colon(unit: Unit) -> str:
    """What may be a title: a heading, or what stands before a line's colon."""
    text = unit.content.text
    if unit.kind == "heading":
        return text
    if unit.kind not in ("sentence", "row"):
        return ""
    before, colon, _ = text[:LONGEST_LABEL].partition(":")
    return before if colon else ""


def _label(unit: Unit) -> RosterTitle | None:
    """What a unit says of the persons of the list that it stands before; ``None`` for any other unit."""
    return label_title(unit.content.text) if unit.kind == "sentence" else None


def _parts(units: Sequence[Unit]) -> Iterator[Sequence[Unit]]:
    """The units of a section, cut before each label of a list of persons, and behind its list."""
    first = 0
    for place, unit in enumerate(units):
        if place == first or unit.kind != "sentence":
            continue
        ends = unit.content.text.rstrip().endswith(":") and len(unit.content.text) <= LONGEST_LABEL
        if _label(unit) is not None or (ends and _label(units[first]) is not None):
            yield units[first:place]
            first = place
    if first < len(units):
        yield units[first:]


def _table_group(units: Sequence[Unit]) -> tuple[RosterTitle | None, Sequence[Unit]]:
    """What a table of a section says that its persons do, by its first column but for pictures; and its lines."""
    for place, (unit, rule) in enumerate(pairwise(units)):
        if unit.kind == "row" and RULE.fullmatch(rule.quote.rstrip("\n")):
            first = next((cell for cell in map(plain_title, row_cells(unit.quote)) if cell not in _PICTURES), "")
            if first in _TABLE_GROUPS:
                return roster_title(first), [unit, rule, *_rows_of_table(units[place + 2 :])]
    return None, ()


def _rows_of_table(units: Sequence[Unit]) -> Iterator[Unit]:
    """The rows at the beginning of some lines, up to the header of another table."""
    for place, unit in enumerate(units):
        below = units[place + 1].quote.rstrip("\n") if place + 1 < len(units) else ""
        if unit.kind != "row" or RULE.fullmatch(below):
            return
        yield unit
