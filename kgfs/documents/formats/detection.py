"""What a file is, by its name and its first bytes, and its bytes as text.

Used by ``kgfs.documents.formats``; pure.
"""

from __future__ import annotations

import codecs
import mimetypes
import re
from pathlib import PurePosixPath
from typing import NamedTuple

from kgfs.documents.formats.registry import BY_SUFFIX, format_of

SNIFFED_BYTES = 8192
GUESSED_BYTES = 2500
"""An encoding is guessed from so many bytes of lines that are not ASCII: of more the library only takes samples, which
cut words and mislead it."""
UNKNOWN = "application/octet-stream"
_TEXT_APPLICATIONS = frozenset(
    "application/json application/jsonl application/yaml application/toml application/xml application/javascript "
    "application/x-sh application/x-tex application/sql application/x-csh application/x-perl".split()
)
_MAGIC = (
    (b"%PDF-", "application/pdf"), (b"\x89PNG\r\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"), (b"GIF89a", "image/gif"), (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"), (b"BZh", "application/x-bzip2"), (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"), (b"\x7fELF", "application/x-executable"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"), (b"OggS", "audio/ogg"), (b"ID3", "audio/mpeg"),
    (b"{\\rtf", "application/rtf"), (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
)  # fmt: skip
_PROGRAM = re.compile(rb"#!\s*\S*/(?:env\s+(?:-\S+\s+)*)?([a-z]+)")
_PROGRAMS = (
    (b"python", "text/x-python"), (b"ruby", "text/x-ruby"), (b"node", "text/javascript"), (b"perl", "text/x-perl"),
    (b"php", "text/x-php"), (b"bash", "application/x-sh"), (b"sh", "application/x-sh"), (b"zsh", "application/x-sh"),
)  # fmt: skip
_MAILBOX = re.compile(rb"From [^\r\n]*\d{4}[^\r\n]*\r?\n[!-9;-~]+[ \t]*:")
"""Mail programs keep mailboxes in files without a suffix."""
_MIME = mimetypes.MimeTypes()  # the standard table only: the same on every machine
_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"), (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"), (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)  # fmt: skip
_BEYOND_ASCII = re.compile("[^\x00-\x7f]")
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_GUESSED = "cp1252 cp1250 cp1251 koi8_r cp1253 cp1255 cp1256 cp932 euc_jp gb18030 big5 cp949".split()
"""Encodings that texts are still found in; with all that there are a German page is taken for a Baltic one."""
_SIGN_IN_WORD = re.compile(r"(?<=[^\W\d_])[³¹¿¼¾](?=[^\W\d_])")
_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.I)
_DECLARED_IN_XML = re.compile(rb"\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_:.-]{2,40})[\"']", re.I)


class Decoded(NamedTuple):
    """Bytes as text."""

    text: str
    exact: bool
    """The text encoded as UTF-8 is exactly the bytes."""
    note: str
    """One sentence where something was odd, else empty."""


def mime_type(data: bytes, name: str) -> str:
    """The MIME type by suffix, then by the first bytes; ``application/octet-stream`` where neither says.

    A file of Office's old suffix or none whose bytes are a zip archive is what the archive's members say.
    """
    suffix = PurePosixPath(name).suffix.lower()
    known = BY_SUFFIX.get(suffix) or _MIME.guess_type("file" + suffix, strict=False)[0]
    for mark, mime in _MAGIC:
        # What the bytes say wins over a suffix of text, not over a finer type (.docx is a zip).
        if data.startswith(mark) and (known is None or is_text(known) or known in _CONTAINERS):
            return (_packed(data) or mime) if mime == "application/zip" else mime
    if known is None and (program := _PROGRAM.match(data[:100])):
        return next((mime for name, mime in _PROGRAMS if program[1].startswith(name)), UNKNOWN)
    if known is None and _MAILBOX.match(data[:1000]):
        return "application/mbox"
    if known is None and re.match(rb"\s*<(?:!doctype html|html[\s>])", data[:512], re.I):
        return "text/html"
    return known or UNKNOWN


_CONTAINERS = frozenset({"application/zip", "application/msword", "application/vnd.ms-powerpoint", "application/pdf"})
_PACKED = (
    (b"word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (b"ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (b"xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
)


def _packed(data: bytes) -> str | None:
    """The type of a document that is a zip archive, by the names of its members."""
    if data[30:58] == b"mimetypeapplication/epub+zip":
        return "application/epub+zip"
    if data[30:77] == b"mimetypeapplication/vnd.oasis.opendocument.text":
        return "application/vnd.oasis.opendocument.text"
    if b"[Content_Types].xml" not in data[:SNIFFED_BYTES] and b"[Content_Types].xml" not in data[-SNIFFED_BYTES:]:
        return None
    listing = data[-(1 << 16) :]
    return next((mime for mark, mime in _PACKED if mark in listing), None)


def is_text(mime: str) -> bool:
    """Whether files of a type are text."""
    row = format_of(mime)
    if row is not None:
        return not row.binary
    return mime.startswith("text/") or mime in _TEXT_APPLICATIONS or mime.endswith(("+xml", "+json"))


def decode(data: bytes, mime: str) -> Decoded | None:
    """The text of ``data``; ``None`` where it is binary: another type says so, or a NUL, or too many odd bytes."""
    if not is_text(mime) and mime != UNKNOWN:
        return None
    for mark, codec, label in _WIDE_MARKS:
        if data.startswith(mark) and (label != "UTF-32" or len(data) % 4 == 0):
            text = data.decode(codec, "replace")
            if "\0" in text[:SNIFFED_BYTES]:
                return None
            return Decoded(_without_nul(text), False, f"The file is {label}; it was read as such.")
    if b"\0" in data[:SNIFFED_BYTES]:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_odd(data, mime)
    if mime == UNKNOWN and len(_CONTROLS.findall(data[:SNIFFED_BYTES])) * 20 > len(data):
        return None
    if "\0" in text:
        return Decoded(_without_nul(text), False, "The file holds NUL characters; they were replaced.")
    return Decoded(text, True, "")


def _decode_odd(data: bytes, mime: str) -> Decoded | None:
    """Bytes that are not UTF-8: by the encoding that a page declares, as UTF-8 with odd places, or by what they are."""
    if mime == "text/html" and (declared := declared_encoding(data)):
        return Decoded(_without_nul(data.decode(declared, "replace")), False, f"The page is in {declared}.")
    text = data.decode("utf-8", "replace")
    replaced = text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
    odd = replaced + len(_CONTROLS.findall(data[:SNIFFED_BYTES]))
    if mime == UNKNOWN and odd * 20 > len(data):
        return None
    if len(_BEYOND_ASCII.findall(text)) - replaced >= replaced or _is_partly_utf8(data):
        # UTF-8 with places of another encoding, which mostly is the one of old Windows programs.
        text = _without_nul(data.decode("utf-8", _ODD_PLACES))
        return Decoded(text, False, f"The file is not valid UTF-8; {replaced} places were read as windows-1252.")
    encoding = _guessed(data)
    if encoding is None:
        return Decoded(_without_nul(text), False, f"The file is not valid UTF-8; {replaced} places were replaced.")
    text = _without_nul(data.decode(encoding, "replace"))
    return Decoded(text, False, f"The file is not UTF-8; it was read as {encoding}.")


def _is_partly_utf8(data: bytes) -> bool:
    """Whether a fifth of the lines that say so are UTF-8: no text of another encoding is, line for line."""
    lines = [line for line in data[: 1 << 20].splitlines() if not line.isascii()]
    valid = sum("\ufffd" not in line.decode("utf-8", "replace") for line in lines)
    return 5 * valid >= len(lines) and valid > 0


def _guessed(data: bytes) -> str | None:
    """The encoding that makes the most of ``data``; ``None`` where none makes sense."""
    from charset_normalizer import from_bytes

    lines = [line for line in data[: 1 << 20].splitlines(keepends=True) if not line.isascii()]
    if not lines:
        return None
    head = b""
    for line in lines:
        if len(head) + len(line) > GUESSED_BYTES:
            break
        head += line
    head = head or lines[0][:GUESSED_BYTES]
    best = from_bytes(head, cp_isolation=_GUESSED).best()
    if best is None:
        return None
    if best.encoding in ("cp1250", "cp1252"):
        # One for the other, says the library of either's short texts. Only in one of them do signs stand in words.
        western = head.decode("windows-1252", "replace")
        return "windows-1250" if _SIGN_IN_WORD.search(western) else "windows-1252"
    return text_encoding(best.encoding)


def _odd_place(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("windows-1252", "replace"), error.end


_ODD_PLACES = "kgfs-odd-places"
codecs.register_error(_ODD_PLACES, _odd_place)


def declared_encoding(data: bytes) -> str | None:
    """The encoding that an HTML or XHTML file states in its head, as Python knows it; ``None`` for none and UTF-8."""
    found = _DECLARED_IN_XML.search(data[:400]) or _DECLARED.search(data[:4096])
    if found is None:
        return None
    return text_encoding(found[1].decode("ascii"))


def text_encoding(label: str) -> str | None:
    """An encoding that a file names, as Python knows it; ``None`` for one that is not known, and for UTF-8."""
    try:
        name = codecs.lookup(label).name
        b"".decode(name)  # LookupError for what is a codec but no encoding of text
    except (LookupError, ValueError):
        return None
    if name in ("utf-8", "utf-16", "utf-32", "utf-7"):
        return None
    # Browsers read what calls itself Latin-1 as its superset.
    return "windows-1252" if name in ("iso8859-1", "ascii") else name


def _without_nul(text: str) -> str:
    """NUL cannot stand in the store's text columns nor in a line that a tool prints."""
    return text.replace("\0", "\ufffd")
