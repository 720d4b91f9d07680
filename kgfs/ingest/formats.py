"""A file's bytes as a document: format, text, title, date, description, summary, tags, chunks.

Used by the worker (one document a call) and by tests; pure: it reads no file and knows no store. Markdown, plain text,
HTML, and CSV, TSV and JSON as text; everything else that is not text is a document without text.
"""

from __future__ import annotations

import codecs
import mimetypes
import re
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from kgfs.config import Config
from kgfs.ingest import dates
from kgfs.ingest.blocks import Block, line_blocks, plain_blocks
from kgfs.ingest.chunking import chunk
from kgfs.ingest.html import read_page
from kgfs.ingest.markdown import front_matter, markdown_blocks
from kgfs.ingest.summaries import MAX_DESCRIPTION, MAX_SUMMARY, describe
from kgfs.model import ParsedDocument

SNIFFED_BYTES = 8192
MAX_TITLE = 300
_BY_SUFFIX = {
    ".md": "text/markdown", ".markdown": "text/markdown", ".mdx": "text/markdown", ".mkd": "text/markdown",
    ".txt": "text/plain", ".text": "text/plain", ".log": "text/plain", ".rst": "text/x-rst", ".org": "text/x-org",
    ".html": "text/html", ".htm": "text/html", ".xhtml": "text/html",
    ".csv": "text/csv", ".tsv": "text/tab-separated-values",
    ".json": "application/json", ".jsonl": "application/jsonl", ".ndjson": "application/jsonl",
    ".yaml": "application/yaml", ".yml": "application/yaml", ".toml": "application/toml", ".xml": "application/xml",
    ".ini": "text/plain", ".cfg": "text/plain", ".ts": "text/typescript",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".odt": "application/vnd.oasis.opendocument.text", ".epub": "application/epub+zip",
}  # fmt: skip
_TEXT_APPLICATIONS = frozenset(
    "application/json application/jsonl application/yaml application/toml application/xml application/javascript "
    "application/x-sh application/x-tex application/sql application/x-csh application/x-perl".split()
)
_RECORDS = frozenset({"text/csv", "text/tab-separated-values", "application/json", "application/jsonl"})
_MAGIC = (
    (b"%PDF-", "application/pdf"), (b"\x89PNG\r\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"), (b"GIF89a", "image/gif"), (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"), (b"BZh", "application/x-bzip2"), (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"), (b"\x7fELF", "application/x-executable"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"), (b"OggS", "audio/ogg"), (b"ID3", "audio/mpeg"),
    (b"{\\rtf", "application/rtf"),
)  # fmt: skip
_MIME = mimetypes.MimeTypes()  # the standard table only: the same on every machine
_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"), (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"), (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)  # fmt: skip
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class _Decoded(NamedTuple):
    text: str
    exact: bool
    """The text encoded as UTF-8 is exactly the bytes."""
    note: str


def parse(data: bytes, name: str, *, mtime_ns: int | None = None, config: Config | None = None) -> ParsedDocument:
    """The document that a file holds.

    ``name`` is the file's name or path (its suffix says the format, its stem a title and perhaps a date), ``mtime_ns``
    its modification time, the last resort for a date. Never raises for what is in ``data``: what is odd is told in
    ``notes``, what is no text has ``text`` ``None``.
    """
    config = config or Config()
    name = PurePosixPath(name).name or name
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    mime = mime_type(data, shown)
    decoded = _decode(data, mime)
    if decoded is None:
        # Bytes that are no text are not of a type of text, whatever the name says.
        return _without_text("application/octet-stream" if _is_text(mime) else mime, shown, mtime_ns)
    if mime == "application/octet-stream":
        mime = "text/plain"
    notes = [decoded.note] if decoded.note else []
    reader = {"text/markdown": _markdown, "text/html": _html}.get(mime, _records if mime in _RECORDS else _plain)
    large = len(data) > config.max_text_bytes
    document, blocks = reader(decoded.text, large)
    document.mime_type = mime
    document.notes[:0] = notes
    document.text_is_content = document.text_is_content and decoded.exact
    text = document.text or ""
    document.title = _one_line(document.title) or _stem(shown)
    if document.date is None:
        document.date = _date(shown, document.title if mime == "text/markdown" else "", mtime_ns)
    if large:
        document.notes.append(
            f"The text is larger than {config.max_text_bytes} bytes: it was kept, but not cut into chunks."
        )
        return document
    if mime not in _RECORDS:
        description, summary = describe(text, blocks)
        document.summary = _summary(document.description, summary or description)
        document.description = document.description or description
    document.chunks = chunk(
        text, blocks, tokens_min=config.chunk_tokens_min, tokens_max=config.chunk_tokens_max, date=document.date
    )
    return document


def document_blocks(document: ParsedDocument) -> list[Block]:
    """The blocks of a parsed document's text, as chunking saw them; empty where there is no text."""
    text = document.text
    if not text:
        return []
    if document.mime_type in ("text/markdown", "text/html"):
        return markdown_blocks(text, front_matter(text).end if document.mime_type == "text/markdown" else 0)
    return line_blocks(text) if document.mime_type in _RECORDS else plain_blocks(text)


def mime_type(data: bytes, name: str) -> str:
    """The MIME type by suffix, then by the first bytes; ``application/octet-stream`` where neither says."""
    suffix = PurePosixPath(name).suffix.lower()
    known = _BY_SUFFIX.get(suffix) or _MIME.guess_type("file" + suffix, strict=False)[0]
    for mark, mime in _MAGIC:
        # What the bytes say wins over a suffix of text, not over a finer type (.docx is a zip).
        if data.startswith(mark) and (known is None or _is_text(known)):
            return mime
    if known is None and re.match(rb"\s*<(?:!doctype html|html[\s>])", data[:512], re.I):
        return "text/html"
    return known or "application/octet-stream"


def _is_text(mime: str) -> bool:
    return mime.startswith("text/") or mime in _TEXT_APPLICATIONS or mime.endswith(("+xml", "+json"))


def _decode(data: bytes, mime: str) -> _Decoded | None:
    """The text of ``data``; ``None`` where it is binary: another type says so, or a NUL, or too many odd bytes."""
    if not _is_text(mime) and mime != "application/octet-stream":
        return None
    for mark, codec, label in _WIDE_MARKS:
        if data.startswith(mark) and (label != "UTF-32" or len(data) % 4 == 0):
            text = data.decode(codec, "replace")
            if "\0" in text[:SNIFFED_BYTES]:
                return None
            return _Decoded(_without_nul(text), False, f"The file is {label}; it was read as such.")
    if b"\0" in data[:SNIFFED_BYTES]:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        replaced = text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
        odd = replaced + len(_CONTROLS.findall(data[:SNIFFED_BYTES]))
        if mime == "application/octet-stream" and odd * 20 > len(data):
            return None
        note = f"The file is not valid UTF-8; {replaced} places were replaced."
        return _Decoded(_without_nul(text), False, note)
    if mime == "application/octet-stream" and len(_CONTROLS.findall(data[:SNIFFED_BYTES])) * 20 > len(data):
        return None
    if "\0" in text:
        return _Decoded(_without_nul(text), False, "The file holds NUL characters; they were replaced.")
    return _Decoded(text, True, "")


def _without_nul(text: str) -> str:
    """NUL cannot stand in the store's text columns nor in a line that a tool prints."""
    return text.replace("\0", "\ufffd")


def _without_text(mime: str, name: str, mtime_ns: int | None) -> ParsedDocument:
    document = ParsedDocument(mime_type=mime, title=_stem(name), text=None, text_is_content=False)
    document.date = _date(name, "", mtime_ns)
    return document


def _markdown(text: str, large: bool) -> tuple[ParsedDocument, list[Block]]:
    matter = front_matter(text)
    blocks = [] if large else markdown_blocks(text, matter.end)
    attributes = matter.attributes
    first = next((block.title for block in blocks if block.kind == "heading" and block.level == 1), "")
    document = ParsedDocument(
        mime_type="text/markdown",
        text=text,
        title=_scalar(attributes, "title") or first,
        date=dates.from_front_matter(attributes),
        description=_scalar(attributes, "description")[:MAX_DESCRIPTION],
        front_matter=attributes,
        tags=_tags(attributes),
        notes=[matter.note] if matter.note else [],
    )
    return document, blocks


def _html(text: str, large: bool) -> tuple[ParsedDocument, list[Block]]:
    page = read_page(text)
    blocks = [] if large else markdown_blocks(page.text)
    first = next((block.title for block in blocks if block.kind == "heading" and block.level == 1), "")
    document = ParsedDocument(
        mime_type="text/html",
        text=page.text,
        text_is_content=False,
        title=page.title or first,
        date=dates.from_value(page.date),
        description=page.description[:MAX_DESCRIPTION],
        tags=page.keywords,
    )
    return document, blocks


def _plain(text: str, large: bool) -> tuple[ParsedDocument, list[Block]]:
    blocks = [] if large else plain_blocks(text)
    lines = text[:2000].strip().split("\n", 1)
    first = lines[0].strip()
    # The first line is a title when it stands like one: short, no sentence, with text beneath it.
    titled = bool(blocks) and len(lines) > 1 and 3 <= len(first) <= 80 and first[0].isupper()
    title = first if titled and not first.endswith((".", ",", ";", ":", "?", "!")) and _is_prose(blocks) else ""
    return ParsedDocument(mime_type="text/plain", text=text, title=title), blocks


def _is_prose(blocks: list[Block]) -> bool:
    return len(blocks) > 1


def _records(text: str, large: bool) -> tuple[ParsedDocument, list[Block]]:
    return ParsedDocument(mime_type="text/plain", text=text), ([] if large else line_blocks(text))


def _date(name: str, title: str, mtime_ns: int | None) -> str | None:
    """File name, then title, then modification time."""
    found = dates.from_name(_stem(name)) or dates.from_title(title)
    return found or (dates.from_mtime(mtime_ns) if mtime_ns is not None else None)


def _stem(name: str) -> str:
    """The name without its last suffix; of a dot file the whole name."""
    return PurePosixPath(name).stem or name


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_TITLE]


def _scalar(attributes: dict[str, Any], key: str) -> str:
    value = attributes.get(key)
    return _one_line(str(value)) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _tags(attributes: dict[str, Any]) -> list[str]:
    """Tags and keywords: a list, or text with commas (or, without any, with spaces for ``tags``)."""
    found: list[str] = []
    for key in ("tags", "tag", "keywords", "categories", "category"):
        value = attributes.get(key)
        if isinstance(value, str):
            value = value.split(",") if "," in value else (value.split() if key == "tags" else [value])
        if isinstance(value, list):
            found += [str(item).strip().lstrip("#") for item in value if isinstance(item, str | int | float)]
    return list(dict.fromkeys(tag for tag in found if tag))


def _summary(description: str, chosen: str) -> str:
    """The description, when the author gave one and the sentences do not hold it, and the sentences."""
    if description and description not in chosen and len(description) + len(chosen) < MAX_SUMMARY:
        return f"{description} {chosen}".strip()
    return chosen[:MAX_SUMMARY]
