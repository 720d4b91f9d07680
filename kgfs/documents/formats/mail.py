"""E-mail (EML): who wrote to whom and when, the text, and the names of what is attached, by the standard library.

One of the readers of ``kgfs.documents.formats``, and what ``mailbox`` writes each message with; pure. Of a message in
two forms the plain one is read. Encodings are those that each part declares; where a part lies, what fits is taken.
"""

from __future__ import annotations

import email
import email.policy
import email.utils
from collections.abc import Iterator
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import Message
from typing import Any, NamedTuple

from kgfs.documents import dates
from kgfs.documents.formats.detection import text_encoding
from kgfs.documents.formats.page import bounded_source
from kgfs.documents.formats.reading import FileText, RawFile, Unreadable, printable, property_lines
from kgfs.documents.formats.writing import FIRST_PART_KEPT, MarkdownWriter, TextFull
from kgfs.documents.html import read_page

_MAX_PARTS = 500
_MAX_HEADER = 2000
_SHOWN = ("From", "To", "Cc", "Date")


class MessageHead(NamedTuple):
    """What a message's header says."""

    subject: str
    sender: str
    to: str
    date: str | None
    """As ``kgfs.documents.dates`` writes it."""


def read(source: RawFile) -> FileText:
    """One message. ``Unreadable`` where it is none."""
    message = parse_message(source.data)
    if message is None:
        raise Unreadable("It is no e-mail message")
    writer = MarkdownWriter(source.config.max_extracted_bytes)
    notes: list[str] = []
    letter = message_head(message)
    try:
        write_message(message, letter, writer)
    except TextFull:
        notes.append(FIRST_PART_KEPT)
    return FileText(
        writer.text(),
        title=letter.subject,
        date=letter.date,
        front_matter=property_lines(author=letter.sender, to=letter.to, subject=letter.subject),
        notes=notes,
    )


def parse_message(data: bytes) -> Message | None:
    """A message; ``None`` for bytes that have no header of one."""
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    try:
        message = email.message_from_bytes(data, policy=email.policy.compat32)
    except (MessageError, ValueError, TypeError, IndexError, RecursionError):
        return None
    known = ("from", "to", "subject", "date", "message-id", "received", "mime-version", "content-type")
    return message if any(message.get(name) is not None for name in known) else None


def message_head(message: Message) -> MessageHead:
    """Subject, people and date of a message."""
    return MessageHead(
        subject=_header(message, "Subject"),
        sender=_header(message, "From") or _header(message, "Sender"),
        to=_header(message, "To"),
        date=_date(message),
    )


def write_message(message: Message, letter: MessageHead, writer: MarkdownWriter, level: int = 1) -> None:
    """One message: subject, header lines, text, names of attachments. ``TextFull`` when there is no more room."""
    writer.heading(level, letter.subject or "(no subject)")
    shown = [f"{name}: {value}" for name in _SHOWN if (value := _header(message, name))]
    writer.prose("\n".join(shown))
    attached: list[str] = []
    for part in _parts(message, attached):
        if part.get_content_subtype() == "html":
            writer.raw(read_page(bounded_source(_text(part))[0]).text)
        else:
            writer.prose(_text(part))
    for name in attached:
        writer.item(f"Attached: {name}")


def _parts(message: Message, attached: list[str]) -> Iterator[Message]:
    """The parts of text that a reader of mail shows, in order; names of others go to ``attached``. Iterative."""
    stack: list[Message] = [message]
    count = 0
    while stack and count < _MAX_PARTS:
        part = stack.pop()
        count += 1
        kind = part.get_content_type()
        if part.is_multipart():  # the payload of any other part would be decoded, which an odd charset makes fail
            payload: Any = part.get_payload()
            members = [one for one in payload if isinstance(one, Message)]
            if kind == "multipart/alternative":
                members = _best(members)
            stack.extend(reversed(members))
        elif kind.startswith("text/") and part.get_content_disposition() != "attachment" and not _file_name(part):
            yield part
        else:
            attached.append(_file_name(part) or kind)


def _best(members: list[Message]) -> list[Message]:
    """Of the forms of one text the plain one where it says something, else HTML, else the last."""
    for kind in ("text/plain", "text/html"):
        for one in members:
            if one.get_content_type() == kind and _text(one).strip():
                return [one]
    return members[-1:]


def _file_name(part: Message) -> str:
    try:
        return _decoded_header(part.get_filename() or "")
    except (ValueError, TypeError, LookupError, MessageError):
        return ""


def _text(part: Message) -> str:
    """The text of a part by its declared encoding; UTF-8 where it is that, Windows' Latin where nothing is said."""
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, TypeError, LookupError, MessageError):
        payload = None
    if not isinstance(payload, bytes):
        return ""
    try:
        declared = text_encoding(part.get_content_charset() or "")
    except (ValueError, TypeError, LookupError, MessageError):
        declared = None
    for encoding in ("utf-8", declared):
        if encoding is None or (encoding == "utf-8" and declared in ("iso2022_jp", "hz", "utf-16-le", "utf-16-be")):
            continue
        try:
            return payload.decode(encoding)
        except UnicodeDecodeError:
            continue
    return payload.decode(declared or "cp1252", "replace")


def _header(message: Message, name: str) -> str:
    """A header of a message as text; empty where there is none."""
    lowered = name.lower()
    raw = next((value for key, value in message.raw_items() if key.lower() == lowered), "")
    return _decoded_header(str(raw))[:_MAX_HEADER]


def _decoded_header(raw: str) -> str:
    """A header as text: encoded words, and bare bytes (which the parser hands on as surrogates)."""
    source = raw[: 4 * _MAX_HEADER].encode("utf-8", "surrogateescape")
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError:
        text = source.decode("cp1252", "replace")
    if "=?" not in text:
        return printable(text)
    try:
        decoded = decode_header(text)
    except (HeaderParseError, ValueError):
        return printable(text)
    parts = []
    for value, charset in decoded:
        if isinstance(value, str):
            parts.append(value)
        elif charset is None:  # what stands between encoded words
            parts.append(value.decode("raw-unicode-escape", "replace"))
        else:
            parts.append(_decoded_word(value, text_encoding(charset) or "utf-8"))
    return printable("".join(parts))


def _decoded_word(value: bytes, encoding: str) -> str:
    try:
        return value.decode(encoding)
    except UnicodeDecodeError:
        return value.decode("cp1252", "replace")


def _date(message: Message) -> str | None:
    try:
        moment = email.utils.parsedate_to_datetime(_header(message, "Date"))
        return dates.from_value(moment)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
