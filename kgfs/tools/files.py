"""Tools that read and write one item: its lines, its whole text, patches of it.

Used through the registry, on the thread that calls a tool. Reads see one state of the rows; writes go through the
drives and their gate.
"""

from __future__ import annotations

import base64
import binascii
import threading
import time

from msgspec import UNSET

from kgfs.errors import ChangedError, ConflictError, ExistsError, NotFoundError, TooLarge
from kgfs.store.files import drive_contents, items
from kgfs.store.files.items import Item
from kgfs.tools import discovery, lines, patches
from kgfs.tools.addresses import address
from kgfs.tools.outcome import BadArguments, BadRange, Hinted, Value, call_text, done
from kgfs.tools.parameters import EditParameters, ItemParameters, ReadParameters, WriteParameters
from kgfs.tools.reach import Reach
from kgfs.tools.texts import require_body, require_text

EDITED_BYTES = 64 * 1024 * 1024
"""A larger item is not edited by patches: it would be in memory several times."""

TRIES = 5
PAUSE_SECONDS = 0.1
"""So often, and so long apart, an item is tried that somebody else changes."""

_editing = threading.Lock()
"""Held while an item is read, changed and written: edits follow each other, and need not be tried again."""


def read(reach: Reach, given: ReadParameters) -> Value:
    """``content``: lines ``offset`` to ``end_line`` of ``total_lines`` (``None`` where nobody counted them).

    ``extracted``: whether this is what was read from the item's body, and not the body itself. ``truncated`` with
    ``next_offset`` where there was more than an answer holds.
    """
    with reach.database.read(snapshot=True) as cursor:
        item, text = (require_body if given.raw else require_text)(cursor, given.drive, given.path)
        found = lines.read_lines(text, given.offset, given.limit)
    last = given.offset + found.number - 1
    if not found.number and given.offset > 1:
        has = "no lines" if not found.total else "1 line" if found.total == 1 else f"{found.total:,} lines"
        raise Hinted(
            BadRange(f"{item.ref} has {has}; line {given.offset:,} is behind its end."),
            f"Call {_reading(item, given.raw)} to read it from the beginning.",
        )
    answer = done(
        ref=item.ref,
        content=found.content,
        start_line=given.offset,
        end_line=last,
        total_lines=found.total,
        truncated=found.more,
        extracted=text.extracted,
    )
    if found.more:
        answer["next_offset"] = last + 1
        again = _reading(item, given.raw, offset=last + 1)
        cut = f"Line {last:,} alone is longer than an answer and was cut. " if found.cut else ""
        answer["next_action_hint"] = f"{cut}Call {again} to go on."
    elif text.extracted and item.is_textual and item.drive in reach.writable:
        body = _reading(item, raw=True)
        answer["next_action_hint"] = f"context_edit changes the lines of its body; call {body} to see those."
    return answer


def _reading(item: Item, raw: bool = False, **more: object) -> str:
    """The call that reads an item."""
    return call_text("context_read", drive=item.drive, path=item.path, **({"raw": True} if raw else {}), **more)


def count_lines(reach: Reach, given: ItemParameters) -> Value:
    """``newlines``, how many line ends the text has, and ``lines``, one more where the last line has no end."""
    with reach.database.read(snapshot=True) as cursor:
        item, text = require_text(cursor, given.drive, given.path)
        counted = lines.count_lines(text)
    return done(ref=item.ref, lines=counted.lines, newlines=counted.newlines)


def write(reach: Reach, given: WriteParameters) -> Value:
    """Put a whole item: ``ref``, ``id``, ``size``, and ``tree``, what the drive looks like then."""
    place = address(given.drive, given.path)
    try:
        written = reach.files_by_path().put(place.drive, place.path, _body(given), on_conflict=given.on_conflict)
    except ConflictError as error:
        raise Hinted(
            ExistsError(f"There is an item at {place.ref} already; nothing was written."),
            f'Pass on_conflict:"overwrite" to replace it (its versions are kept), or call'
            f" {call_text('context_read', drive=place.drive, path=place.path)} first.",
        ) from error
    return done(
        ref=place.ref,
        drive=place.drive,
        path=place.path,
        id=str(written.item_id),
        size=written.size,
        mime_type=written.mime_type,
        is_textual=written.is_textual,
        tree=discovery.snapshot(reach, place.drive, place.path),
    )


def edit(reach: Reach, given: EditParameters) -> Value:
    """Apply patches: the number ``applied``, and the new number of ``lines`` and bytes (``size``).

    If another writer changes the item between reading and writing, the patches are applied to the new text, provided
    that the lines they name are still at their place; else nothing is written (``changed``).
    """
    seen: str | None = None
    with _editing:
        for left in reversed(range(TRIES)):
            item, before, raw = _editable(reach, given)
            if seen is not None and not patches.same_lines(seen, before, given.patches):
                raise _changed(item, raw)
            seen = before
            try:
                after = patches.apply(before, given.patches)
            except patches.PatchError as error:
                raise Hinted(
                    error,
                    f"Nothing was written. Call {_reading(item, raw)} to see its lines, and send all patches again.",
                ) from error
            try:
                written = reach.files_by_path().put(
                    item.drive, item.path, after.encode("utf-8"), instead_of=items.hash_body(before.encode("utf-8"))
                )
                break
            except (ChangedError, NotFoundError) as error:  # the next reading says whether it is gone
                if not left:
                    raise _changed(item, raw) from error
                time.sleep(PAUSE_SECONDS)  # somebody is about to close it
    count = after.count("\n") + (bool(after) and not after.endswith("\n"))
    return done(ref=item.ref, id=str(written.item_id), applied=len(given.patches), lines=count, size=written.size)


def _editable(reach: Reach, given: EditParameters) -> tuple[Item, str, bool]:
    """The item, its body, and whether that is read with ``raw`` only."""
    with reach.database.read(snapshot=True) as cursor:
        item, _ = require_body(cursor, given.drive, given.path)
        reach.files_by_path().require_drive(item.drive)
        if item.size > EDITED_BYTES:
            raise TooLarge(f"{item.ref} is larger than {EDITED_BYTES >> 20} MiB; write it as a whole.")
        raw = drive_contents.extracted_text(cursor, item.id) is not None
        return item, (items.read_item(cursor, item.id) or b"").decode("utf-8"), raw


def _changed(item: Item, raw: bool) -> Hinted:
    return Hinted(
        ChangedError(f"{item.ref} is being changed by somebody else; nothing was written."),
        f"Call {_reading(item, raw)} to see its lines, and send all patches again.",
    )


def _body(given: WriteParameters) -> bytes:
    if (given.content is UNSET) == (given.content_base64 is UNSET):
        raise BadArguments("Give content, or content_base64 for bytes that are not text.")
    if given.content_base64 is UNSET:
        assert given.content is not UNSET
        return given.content.encode("utf-8")
    try:
        return base64.b64decode(given.content_base64, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadArguments(f"content_base64 is not base64: {error}.") from error
