"""What a page would be called as a file: its format is found by name and first bytes, as a file's is.

Used when a page becomes a document, for the first time or again from its row; pure.
"""

from __future__ import annotations

import mimetypes
import re
from urllib.parse import unquote, urlsplit

from kgfs.documents.formats.registry import BY_SUFFIX, FORMATS

HEAD_BYTES = 1024
"""So many first bytes decide."""

_VAGUE = frozenset(
    ("", "application/octet-stream", "binary/octet-stream", "application/x-download", "application/force-download")
)
_OTHER_NAMES = {
    "application/xhtml+xml": "text/html", "text/x-markdown": "text/markdown", "application/x-pdf": "application/pdf",
    "text/json": "application/json", "text/xml": "application/xml", "application/x-yaml": "application/yaml",
    "text/yaml": "application/yaml", "application/x-ndjson": "application/jsonl",
}  # fmt: skip
_SUFFIXES = {row.mime_type: row.suffixes.split()[0] for row in FORMATS}
_MIME = mimetypes.MimeTypes()  # the standard table only: the same on every machine
_PAGE = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype html|html[\s>])", re.I | re.S)


def file_name(url: str, mime_type: str, head: bytes) -> str:
    """The last part of the URL's path, with a suffix that says what it is by its type and its first bytes.

    Servers call all sorts of things text or bytes: then the name says more. What begins as a page is one, whatever it
    is said to be: a login page in the place of a PDF.
    """
    split = urlsplit(url)
    base = unquote(split.path.rstrip("/").rsplit("/", 1)[-1]) or split.hostname or "page"
    base = re.sub(r"[\x00-\x1f/]", "_", base)[:200]
    suffix = "." + base.rsplit(".", 1)[1].lower() if "." in base.strip(".") else ""
    named = BY_SUFFIX.get(suffix) or (_MIME.guess_type("file" + suffix)[0] if suffix else None)
    kind = _OTHER_NAMES.get(mime_type, mime_type)
    if kind not in ("text/plain", "text/markdown") and _PAGE.match(head[:HEAD_BYTES]):
        kind = "text/html"
    if kind in _VAGUE or (kind == "text/plain" and named is not None and named != "text/html"):
        return base
    if kind == named:
        return base
    wanted = _SUFFIXES.get(kind) or _MIME.guess_extension(kind) or ""
    return base + wanted
