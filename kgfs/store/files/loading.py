"""What a prompt for a task is put together from: files that may ask for it in their front matter, and whole passages.

Used by the agent's tool ``context_prompt``, on any thread, with a cursor of ``Database.read``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kgfs.store.catalog.database import Cursor
from kgfs.store.files.items import BLOCK_BYTES, read_item

HEAD = 68 * 1024
"""Characters at a file's beginning: front matter is not longer (``kgfs.documents.markdown``)."""

Lines = tuple[int, int]


class LoadingFile(NamedTuple):
    """A Markdown file whose beginning speaks of loading."""

    id: int
    path: str
    ref: str
    size: int
    """Bytes."""
    head: str


def loading_files(cursor: Cursor, drives: Iterable[str]) -> list[LoadingFile]:
    """The Markdown files of drives that begin with a fence and say ``loading`` soon after, by ref."""
    rows = cursor.execute(
        "SELECT id, path, ref, size, left(content, $head) FROM context_items"
        " WHERE is_textual AND list_contains($drives, drive) AND regexp_matches(lower(path), '[.](md|markdown)$')"
        " AND (content IS NULL OR (regexp_matches(left(content, 4), '^\ufeff?(---|[+]{3})')"
        " AND contains(left(content, $head), 'loading')))",
        {"drives": sorted(drives), "head": HEAD},
    ).fetchall()
    found = []
    for number, path, ref, size, head in rows:
        if head is None and size > BLOCK_BYTES:
            head = (read_item(cursor, number, 0, HEAD) or b"").decode("utf-8", "replace")
        if head and "loading" in head:
            found.append(LoadingFile(number, path, ref, size, head))
    return sorted(found, key=lambda one: one.ref)


def marked_passages(cursor: Cursor, wanted: Sequence[tuple[str, Lines]]) -> dict[tuple[str, Lines], str]:
    """The texts of passages by the ref of their file and their lines; passages of the same lines are one text."""
    rows = cursor.execute(
        "SELECT i.ref, c.first_line, c.last_line, c.text FROM chunks c JOIN context_items i ON i.id = c.document_id"
        " WHERE i.ref IN (SELECT unnest($1::VARCHAR[])) ORDER BY c.document_id, c.ordinal",
        [sorted({ref for ref, _ in wanted})],
    ).fetchall()
    texts: dict[tuple[str, Lines], str] = {}
    asked = set(wanted)
    for ref, first, last, text in rows:
        key = (ref, (first, last))
        if key in asked:
            texts[key] = texts.get(key, "") + text
    return texts
