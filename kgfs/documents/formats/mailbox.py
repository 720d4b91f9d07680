"""Mailboxes (mbox): one document, each message a section under its subject.

One of the readers of ``kgfs.documents.formats``; pure. Messages are found by their ``From `` lines here, because the
standard library reads mailboxes from a file of their own only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from kgfs.documents.formats.mail import message_head, parse_message, write_message
from kgfs.documents.formats.reading import FileText, RawFile, Unreadable, property_lines
from kgfs.documents.formats.writing import MarkdownWriter, TextFull

_FROM = re.compile(rb"(?:\A|\n\r?\n|(?<=\n))From [^\r\n]*\d{4}[^\r\n]*\r?\n(?=[!-9;-~]+[ \t]*:)")
_QUOTED = re.compile(rb"^>(>*From )", re.M)


def read(source: RawFile) -> FileText:
    """A mailbox. ``Unreadable`` where it holds no message."""
    writer = MarkdownWriter(source.config.max_extracted_bytes)
    notes: list[str] = []
    first = last = None
    count = broken = 0
    try:
        for data in _messages(source.data):
            message = parse_message(data)
            if message is None:
                broken += 1
                continue
            letter = message_head(message)
            write_message(message, letter, writer, level=2)
            count += 1
            if letter.date is not None:
                first, last = min(first or letter.date, letter.date), max(last or letter.date, letter.date)
    except TextFull:
        notes.append(f"Its text is very long: the first {count:,} messages of it were kept.")
    if not writer.text():
        raise Unreadable("It holds no e-mail message")
    if broken:
        notes.append(f"{broken:,} of its messages are broken; they were left out.")
    return FileText(
        writer.text(),
        made=last,
        front_matter=property_lines(messages=count, first=first, last=last),
        notes=notes,
    )


def _messages(data: bytes) -> Iterator[bytes]:
    """The bytes of each message, without its ``From `` line; quoted ``>From `` lines are as they were."""
    starts = [(found.start(), found.end()) for found in _FROM.finditer(data)]
    for (_, body), (end, _) in pairwise([*starts, (len(data), 0)]):
        yield _QUOTED.sub(rb"\1", data[body:end])
