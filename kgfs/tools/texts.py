"""The text of an item: its body, or what was read from that (a PDF, a page, a mail), which is the text of its document.

Used by the tools that read items by lines, on the thread that calls them; as long as the cursor's transaction.
"""

from __future__ import annotations

from collections.abc import Iterator

from kgfs.store.catalog.database import Cursor
from kgfs.store.files import drive_contents, items
from kgfs.store.files.items import BLOCK_BYTES, Item
from kgfs.tools.addresses import require_file
from kgfs.tools.outcome import Hinted, NoTextContent, call_text

PIECE_BYTES = 4 * BLOCK_BYTES


class Text:
    """A text in UTF-8, read piece by piece: a body of a gigabyte is never in memory."""

    def __init__(self, cursor: Cursor, item: Item, extracted: str | None = None) -> None:
        """``extracted``: what was read from the item's body, where its text is not the body itself."""
        self._cursor, self._item = cursor, item
        self._bytes = None if extracted is None else extracted.encode("utf-8", "replace")
        self.extracted = extracted is not None
        self.size = item.size if self._bytes is None else len(self._bytes)

    def pieces(self) -> Iterator[bytes]:
        """All of it, in order."""
        if self._bytes is not None:
            yield self._bytes
            return
        yield from pieces(self._cursor, self._item.id, self.size)


def pieces(cursor: Cursor, item_id: int, size: int) -> Iterator[bytes]:
    """A body in order."""
    for start in range(0, size, PIECE_BYTES):
        piece = items.read_item(cursor, item_id, start, PIECE_BYTES)
        if not piece:
            return
        yield piece


def text_of(cursor: Cursor, item: Item) -> Text | None:
    """The text of an item; ``None`` where it has none. What nobody has read yet is its body."""
    extracted = drive_contents.extracted_text(cursor, item.id)
    if extracted is not None:
        return Text(cursor, item, extracted)
    if not item.is_textual or drive_contents.unreadable_reason(cursor, item.id) is not None:
        return None
    return Text(cursor, item)


def require_text(cursor: Cursor, drive: str, path: str) -> tuple[Item, Text]:
    """The item at a place and its text. ``NoTextContent`` where it has none."""
    item = require_file(cursor, drive, path)
    text = text_of(cursor, item)
    if text is not None:
        return item, text
    why = drive_contents.unreadable_reason(cursor, item.id)
    if why is None:
        raise _no_text(item, f"{item.ref} holds no text ({_kind(item)}).")
    hint = None
    if item.is_textual:
        body = call_text("context_read", drive=item.drive, path=item.path, raw=True)
        hint = f"Call {body} for its body as it is stored."
    raise _no_text(item, f"No text could be read from {item.ref} ({_kind(item)}): {why}", hint)


def require_body(cursor: Cursor, drive: str, path: str) -> tuple[Item, Text]:
    """The item at a place and its body as text. ``NoTextContent`` where that is something else."""
    item = require_file(cursor, drive, path)
    if not item.is_textual:
        raise _no_text(item, f"The body of {item.ref} is not text ({_kind(item)}).")
    return item, Text(cursor, item)


def _kind(item: Item) -> str:
    return f"{item.mime_type}, {item.size:,} bytes"


def _no_text(item: Item, message: str, hint: str | None = None) -> Hinted:
    about = f"Call {call_text('context_info', drive=item.drive, path=item.path)} for what it is."
    return Hinted(NoTextContent(message), hint or about)
