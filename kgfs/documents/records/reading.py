"""All records of a document, by its format and the blocks of its text.

The face of ``kgfs.documents.records``: used when a file is parsed (for the names) and by extraction. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from kgfs.documents.blocks import Block
from kgfs.documents.html_cells import html_rows
from kgfs.documents.records.cards import card_records, event_records
from kgfs.documents.records.columns import says_properties
from kgfs.documents.records.delimited import delimited_records
from kgfs.documents.records.examples import is_example
from kgfs.documents.records.infobox import definition_rows, infobox_record
from kgfs.documents.records.inline_fields import inline_record
from kgfs.documents.records.key_lines import are_key_lines, front_matter_record, key_line, key_line_record
from kgfs.documents.records.kinds import kind_type, row_kind
from kgfs.documents.records.messages import message_records
from kgfs.documents.records.objects import json_records, person_records, toml_records, yaml_records
from kgfs.documents.records.record import MAX_RECORDS, Record, key_word
from kgfs.documents.records.rst_tables import TableRow, rst_rows
from kgfs.documents.records.text_tables import markdown_rows, row_records, stands_out, table_records
from kgfs.documents.suggestions.profile_names import PROFILE
from kgfs.documents.suggestions.repository_names import is_repository_of
from kgfs.model import DefinedTerm, ParsedDocument

_YAML = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})[ \t]*ya?ml\b[^\n]*\n(?P<yaml>.*?)^ {0,3}(?P=fence)", re.S | re.M)
_GROUP = re.compile(r"\b(?:Board|Committee|Council|(?:Working |Interest |Special Interest )?Group|Team|WG|SIG)\b")
_HANDLE = re.compile(r"@?([A-Za-z\d][A-Za-z\d-]{1,38})")
_HANDLES = frozenset("github github_handle github_id github_username handle profile".split())
"""Keys of what somebody is called on a site."""
_MAX_CELL = 120
"""Letters of a cell of HTML that is a value."""
RECORD = "record"
"""The kind of a record of which nothing says what it is."""
PACKAGE = "package"
"""The same where one of its fields is the address of its repository."""
_DATA = frozenset(
    "text/csv text/tab-separated-values application/json application/jsonl application/yaml application/toml "
    "text/vcard text/calendar".split()
)
"""Formats that are nothing but records."""
_MAIL = frozenset({"message/rfc822", "application/mbox"})
_GENERIC = re.compile(
    r"(?i)(?:\d+[.)]?\s*)?(?:overview|summary|details?|information|info|about|contact(?: information| details)?|"
    r"metadata|general|basics?|properties|attributes|key facts|facts(?: and figures)?|at a glance|profile|introduction|"
    r"data|specifications?|infobox|header|status|background|notes?|description|usage|examples?|options|parameters|settings|"
    r"configuration|references?|see also|links|resources|requirements|syntax|synopsis|inputs?|"
    r"outputs?|arguments|(?:next |upcoming )?meeting(?: information| details| info)?|logistics|agenda(?: items)?|"
    r"attendance|when and where):?"
)


def document_records(document: ParsedDocument, blocks: Sequence[Block]) -> list[Record]:
    """The records of a document, 2,000 at most; ``blocks`` are those of its text."""
    text = document.text or ""
    match document.mime_type:
        case "text/csv" | "text/tab-separated-values":
            tabs = document.mime_type == "text/tab-separated-values"
            return delimited_records(text, tabs=tabs, kind=row_kind(document.title))
        case "application/json" | "application/jsonl":
            lines = document.mime_type == "application/jsonl"
            return json_records(text, lines=lines, kind=row_kind(document.title))
        case "application/yaml":
            return yaml_records(text, kind=row_kind(document.title))
        case "application/toml":
            return toml_records(text, kind=row_kind(document.title))
        case "text/vcard":
            return card_records(text)
        case "text/calendar":
            return event_records(text)
    return list(islice(_in_text(document, text, blocks), MAX_RECORDS))


def cut_rows_note(document: ParsedDocument, blocks: Sequence[Block], records: Sequence[Record]) -> str:
    """A sentence where a document has more rows than were read as records; empty where it has not."""
    if len(records) < MAX_RECORDS:
        return ""
    text, end = document.text or "", max(one.end for one in records)
    if document.mime_type in _DATA:
        more = any(char.isalnum() for char in text[end:])
    else:
        more = any(leaf.kind == "row" and leaf.start >= end for block in reversed(blocks) for leaf in block.leaves)
    return f"It has many rows: the first {MAX_RECORDS:,} are records, the others are found by search." if more else ""


def record_names(records: Sequence[Record]) -> list[DefinedTerm]:
    """The names of records with what they are, each once, so that other documents can mention them."""
    found: dict[tuple[str, str], DefinedTerm] = {}
    for one in records:
        if one.name and not one.of_page:
            kind = one.kind or (
                PACKAGE if any(is_repository_of(one.name, said.value) for said in one.fields) else RECORD
            )
            found.setdefault((one.name, kind), DefinedTerm(name=one.name, definition=one.description(), kind=kind))
    return list(found.values())


def record_handles(records: Sequence[Record]) -> list[DefinedTerm]:
    """What persons are called on a site, by the row or mapping that has both: *Ann Lee* and *@al*."""
    found: dict[str, DefinedTerm] = {}
    for one in records:
        if kind_type(one.kind) != "Person" or " " not in one.name:
            continue
        for said in one.fields:
            handle = _HANDLE.fullmatch(said.value) if key_word(said.key) in _HANDLES else None
            if handle is not None:
                term = DefinedTerm(name=one.name, definition=f"@{handle[1]}", kind=PROFILE, weight=1)
                found.setdefault(one.name, term)
    return list(found.values())


def _in_text(document: ParsedDocument, text: str, blocks: Sequence[Block]) -> Iterator[Record]:
    if document.front_matter and document.mime_type == "text/markdown":
        front = next((block for block in blocks if block.kind == "front"), None)
        record = front_matter_record(text[: front.end], document.front_matter) if front else None
        if record is not None:
            yield record
    inline = inline_record(text, blocks, document.title) if document.mime_type == "text/markdown" else None
    if inline is not None:
        yield inline
    path: list[tuple[int, str]] = []
    titles = Counter(block.title for block in blocks if block.kind == "heading")
    left, section = MAX_RECORDS, 0
    imagined: set[str] = set()
    tops = sum(block.kind == "heading" and block.level == 1 for block in blocks)
    at_top = document.mime_type == "text/x-rst"
    for place, block in enumerate(blocks):
        opens, at_top = at_top, at_top and block.kind in ("heading", "html")
        if block.kind == "heading":
            section = block.end if block.level <= 2 else section
            path = [(level, title) for level, title in path if level < block.level]
            path.append((block.level, block.title))
        elif (
            block.kind in ("table", "html", "definitions")
            and tops <= 1
            and all(level < 2 for level, _ in path)
            and (box := infobox_record(_all_rows(document.mime_type, text, blocks, place), document.title)) is not None
        ):
            yield box
        elif block.kind == "table" and block.leaves:
            kind = row_kind(path[-1][1] if path else "") or row_kind(document.title if len(path) < 2 else "")
            if document.mime_type == "text/x-rst":
                rows = rst_rows(text, block)
                found = row_records(rows[0].cells, rows[1:], kind, left) if rows else iter(())
            else:
                found = table_records(text, block, kind, left)
            example = is_example(text, section, block.start, [title for _, title in path])
            for record in found:
                if example:
                    imagined.add(record.name)
                if record.name in imagined:
                    continue  # also in another table, with what was made of it
                left -= 1
                yield record
        elif block.kind == "html" and "<td" in text[block.start : block.end]:
            kind = row_kind(path[-1][1] if path else "")
            cells = [TableRow(*row) for row in html_rows(text, block.start, block.end)]
            if is_example(text, section, block.start, [title for _, title in path]):
                continue
            for record in row_records(cells[0].cells, cells[1:], kind, left) if cells else ():
                left -= 1
                # A cell of a page has whole paragraphs, and labels with what they say: these are no values.
                record.fields = [one for one in record.fields if _is_value(one.value)]
                yield record
        elif block.kind == "code" and (fenced := _YAML.match(text, block.start, block.end)) is not None:
            title = path[0][1] if path else document.title
            yield from islice(_moved(fenced, title), left)
        elif block.kind in ("paragraph", "list") and block.leaves and block.leaves[0].kind == "row":
            if document.mime_type in _MAIL:
                yield from message_records(text, block.start, block.end)
            elif are_key_lines(lines := text[block.start : block.end].splitlines()) or (
                # The fields at the top of reStructuredText are its front matter: one is enough.
                opens and any(line.startswith(":") and key_line(line) is not None for line in lines)
            ):
                once = [(level, title) for level, title in path if titles[title] == 1]  # no part of each section
                apart = _RULE.search(text, max(0, block.start - _FARTHEST), block.start) is not None
                name, kind = _owner([] if apart else once, document.title)
                record = key_line_record(text, block.start, block.end, name, kind)
                if record is not None and (record.kind or says_properties(one.key for one in record.fields)):
                    record.of_page = record.name == document.title
                    if record.of_page or stands_out(record.name):
                        yield record


def _all_rows(mime_type: str, text: str, blocks: Sequence[Block], place: int) -> list[TableRow]:
    """The rows of the table at ``blocks[place]``, whatever the markup, with the one that is written as a header."""
    block = blocks[place]
    if block.kind == "definitions":
        goes_on = place and blocks[place - 1].kind == "definitions"
        return [] if goes_on else definition_rows(text, blocks, place)
    if block.kind == "html":
        within = "<td" in text[block.start : block.end]
        return [TableRow(*row) for row in html_rows(text, block.start, block.end)] if within else []
    return [*rst_rows(text, block)] if mime_type == "text/x-rst" else list(markdown_rows(text, block))


_RULE = re.compile(r"\n[ \t]*\n[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*\n\s*\Z")
"""A line across the page: what stands behind it is said of the page, and not of the section before it."""
_FARTHEST = 200
"""Characters before a block in which that line is looked for: all of the text would be read again for each block."""


def _moved(fenced: re.Match[str], title: str) -> Iterator[Record]:
    """The records of a block of YAML by their places in the text; a body is called what the page's title says it is."""
    by = fenced.start("yaml")
    group = _GROUP.search(title)
    for record in person_records(fenced["yaml"], kind="group" if group else ""):
        if group is not None and record.kind == "group" and _GROUP.search(record.name) is None:
            record.name += f" {group[0]}"  # "Concourse: Working Group Charter"
        record.start, record.end = record.start + by, record.end + by
        for one in record.fields:
            one.start, one.end = one.start + by, one.end + by
        yield record


def _is_value(cell: str) -> bool:
    return len(cell) <= _MAX_CELL and ": " not in cell and not cell.endswith((".", "!", "?"))


def _owner(path: Sequence[tuple[int, str]], title: str) -> tuple[str, str]:
    """What lines under a heading are about, and what the heading above it says it is."""
    titles = [one for _, one in path if one]
    while titles and _GENERIC.fullmatch(titles[-1].strip()):
        titles.pop()
    if not titles:
        return title, ""
    return titles[-1], row_kind(titles[-2]) if len(titles) > 1 else ""
