"""Records of vCards and calendars: a card is a person or an organization, an entry of a calendar an event.

One of the readers of this package; pure. Both are content lines (RFC 6350, RFC 5545): ``NAME;PARAMETER=x:value``, a
long one goes on in lines that begin with a space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgfs.documents.records.record import MAX_FIELDS, MAX_RECORDS, MAX_VALUE, Field, Record, may_be_name

_LINE = re.compile(r"[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*")
_FOLD = re.compile(r"\r?\n[ \t]")
_CONTENT = re.compile(
    r"(?:[\w-]+\.)?(?P<name>[A-Za-z][\w-]*)(?P<parameters>(?:;[^:\";]*(?:\"[^\"]*\"[^:\";]*)*)*):(?P<value>.*)", re.S
)
_COMMON_NAME = re.compile(r";CN=(?:\"([^\"]*)\"|([^;:\"]*))", re.I)
_ESCAPED = re.compile(r"\\([\\,;:nN])")
_SPLIT = re.compile(r"(?<!\\);")

_CARD = {
    "ORG": "organization", "TITLE": "job title", "ROLE": "role", "EMAIL": "email", "TEL": "telephone", "URL": "url",
    "BDAY": "birthday", "ADR": "address", "NICKNAME": "nickname", "RELATED": "related", "CATEGORIES": "category",
}  # fmt: skip
_EVENT = {
    "DTSTART": "start", "DTEND": "end", "DUE": "due", "LOCATION": "location", "ORGANIZER": "organizer",
    "ATTENDEE": "attendee", "STATUS": "status", "URL": "url", "CATEGORIES": "category",
}  # fmt: skip
_KINDS = {"individual": "person", "org": "organization", "group": "group", "location": "location"}


class _Line(NamedTuple):
    name: str
    parameters: str
    value: str
    start: int
    end: int


def card_records(text: str) -> list[Record]:
    """The cards of a file that have a name; a card that is cut short ends with the file."""
    found = []
    for lines in _components(text, ("VCARD",)):
        full = next((line for line in lines if line.name == "FN"), None)
        parts = next((line for line in lines if line.name == "N"), None)
        name = _plain(full.value) if full else ""
        if not name and parts is not None:
            family, given = [*map(_plain, _SPLIT.split(parts.value)), "", ""][:2]
            name = f"{given} {family}".strip()
        if not may_be_name(name):
            continue
        kind = next((_KINDS.get(line.value.strip().lower(), "") for line in lines if line.name == "KIND"), "")
        firm = next((_plain(_SPLIT.split(line.value)[0]) for line in lines if line.name == "ORG"), "")
        kind = kind or ("organization" if firm == name else "person")
        record = Record(name, kind, "card", lines[0].start, lines[-1].end)
        record.key = next((line.value.strip() for line in lines if line.name == "UID"), "")
        for line in lines:
            if line.name not in _CARD:
                continue
            values = _SPLIT.split(line.value)
            value = ", ".join(part for part in map(_plain, values) if part) if line.name == "ADR" else _plain(values[0])
            value = _moment(value) if line.name == "BDAY" else value.removeprefix("tel:").removeprefix("mailto:")
            if not (line.name == "ORG" and value == name):
                _add(record, _CARD[line.name], value, line)
        found.append(record)
        if len(found) >= MAX_RECORDS:
            break
    return found


def event_records(text: str) -> list[Record]:
    """The events and tasks of a calendar that have a title."""
    found = []
    for lines in _components(text, ("VEVENT", "VTODO")):
        title = next((line for line in lines if line.name == "SUMMARY"), None)
        name = _plain(title.value) if title else ""
        if not may_be_name(name):
            continue
        kind = "event" if lines[0].value.strip().upper() == "VEVENT" else "task"
        record = Record(name, kind, "event", lines[0].start, lines[-1].end)
        for line in lines:
            if line.name not in _EVENT:
                continue
            value = _plain(line.value)
            if line.name in ("ORGANIZER", "ATTENDEE"):
                named = _COMMON_NAME.search(line.parameters)
                value = _plain(named[1] or named[2] or "") if named else value.lower().removeprefix("mailto:")
            elif line.name in ("DTSTART", "DTEND", "DUE"):
                value = _moment(value)
            _add(record, _EVENT[line.name], value, line)
        found.append(record)
        if len(found) >= MAX_RECORDS:
            break
    return found


def _add(record: Record, key: str, value: str, line: _Line) -> None:
    if value and len(value) <= MAX_VALUE and len(record.fields) < MAX_FIELDS:
        record.fields.append(Field(key, value, line.start, line.end))


def _components(text: str, wanted: tuple[str, ...]) -> Iterator[list[_Line]]:
    """The lines of each outermost component, those of what it holds (alarms) left out."""
    lines: list[_Line] = []
    inside = 0
    for line in _lines(text):
        value = line.value.strip().upper()
        if line.name == "BEGIN" and value in wanted:
            if lines:
                yield lines  # the one before never ended
            lines, inside = [line], 0
        elif line.name == "BEGIN":
            inside += bool(lines)
        elif line.name == "END" and lines and inside:
            inside -= 1
        elif line.name == "END" and lines:
            yield [*lines, line]
            lines = []
        elif lines and not inside and len(lines) < 2000:
            lines.append(line)
    if lines:
        yield lines


def _lines(text: str) -> Iterator[_Line]:
    for found in _LINE.finditer(text):
        if not found[0]:
            continue
        content = _CONTENT.fullmatch(_FOLD.sub("", found[0]))
        if content is not None:
            yield _Line(content["name"].upper(), content["parameters"], content["value"], found.start(), found.end())


def _plain(value: str) -> str:
    return " ".join(_ESCAPED.sub(lambda found: " " if found[1] in "nN" else found[1], value).split())


def _moment(value: str) -> str:
    """``20240604T093000Z`` as ``2024-06-04T09:30:00Z``."""
    found = re.fullmatch(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?", value)
    if found is None:
        return value
    day = f"{found[1]}-{found[2]}-{found[3]}"
    return day if found[4] is None else f"{day}T{found[4]}:{found[5]}:{found[6]}{found[7]}"
