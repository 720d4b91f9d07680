"""All records of a document, by its format and the blocks of its text.

The face of ``kgfs.documents.records``: used when a file is parsed (for the names) and by extraction. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from kgfs.documents.blocks import Block
from kgfs.documents.records.cards import card_records, event_records
from kgfs.documents.records.delimited import delimited_records
from kgfs.documents.records.key_lines import are_key_lines, front_matter_record, key_line_record
from kgfs.documents.records.messages import message_records
from kgfs.documents.records.objects import json_records, yaml_records
from kgfs.documents.records.record import MAX_RECORDS, Record
from kgfs.documents.records.text_tables import table_records
from kgfs.model import ParsedDocument, RecordName

_DATA = frozenset(
    "text/csv text/tab-separated-values application/json application/jsonl application/yaml text/vcard text/calendar".split()
)
_MAIL = frozenset({"message/rfc822", "application/mbox"})
_OPAQUE = re.compile(
    r"(?i)(?:sheet|table|tabelle|feuil|hoja|blad|data|export|list|results?|output|records?|test|file|untitled|sample|dump|db|items?|rows?|entries|values?|report|all)?[\s_-]*\d*"
)
"""What says nothing of what the rows are."""
_GENERIC = re.compile(
    r"(?i)(?:\d+[.)]?\s*)?(?:overview|summary|details?|information|info|about|contact(?: information| details)?|metadata|"
    r"general|basics?|properties|attributes|key facts|facts|facts and figures|at a glance|profile|introduction|data|"
    r"specifications?|infobox|header|status|background|notes?|description|usage|examples?|options|parameters|settings|"
    r"configuration|references?|see also|links|resources|requirements|syntax|synopsis|inputs?|outputs?|arguments)"
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
        case "text/vcard":
            return card_records(text)
        case "text/calendar":
            return event_records(text)
    return list(islice(_in_text(document, text, blocks), MAX_RECORDS))


def record_names(records: Sequence[Record]) -> list[RecordName]:
    """The names of records, each once."""
    found = {(one.name, one.kind): RecordName(name=one.name, kind=one.kind) for one in records if one.name}
    return list(found.values())


def row_kind(title: str) -> str:
    """What a file, a sheet or a heading says of the rows under it; empty where it says nothing."""
    words = re.sub(r"[_\W]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", title)).strip()
    words = re.sub(
        r"(?i)\b(?:\d[\d ]*|q[1-4]|v\d+|final|draft|copy|new|old|list of|list|table of|table|our|the|all|export|data|csv|master|current|latest)\b",
        " ",
        words,
    )
    words = " ".join(words.split())
    return "" if _OPAQUE.fullmatch(words) or len(words.split()) > 3 else words


def _in_text(document: ParsedDocument, text: str, blocks: Sequence[Block]) -> Iterator[Record]:
    if document.front_matter and document.mime_type == "text/markdown":
        front = next((block for block in blocks if block.kind == "front"), None)
        record = front_matter_record(text[: front.end], document.front_matter) if front else None
        if record is not None:
            yield record
    path: list[tuple[int, str]] = []
    left = MAX_RECORDS
    for block in blocks:
        if block.kind == "heading":
            path = [(level, title) for level, title in path if level < block.level]
            path.append((block.level, block.title))
        elif block.kind == "table" and block.leaves:
            kind = row_kind(path[-1][1] if path else "") or row_kind(document.title if len(path) < 2 else "")
            for record in table_records(text, block, kind, left):
                left -= 1
                yield record
        elif block.kind in ("paragraph", "list") and block.leaves and block.leaves[0].kind == "row":
            if document.mime_type in _MAIL:
                yield from message_records(text, block.start, block.end)
            elif are_key_lines(text[block.start : block.end].splitlines()):
                name, kind = _owner(path, document.title)
                record = key_line_record(text, block.start, block.end, name, kind)
                if record is not None:
                    yield record


def _owner(path: Sequence[tuple[int, str]], title: str) -> tuple[str, str]:
    """What lines under a heading are about, and what the heading above it says it is."""
    titles = [one for _, one in path if one]
    while titles and _GENERIC.fullmatch(titles[-1].strip()):
        titles.pop()
    if not titles:
        return title, ""
    return titles[-1], row_kind(titles[-2]) if len(titles) > 1 else ""
