"""The file tool that reads: lines of a text file, as many as suit a model.

Used by ``kgfs.agent.file_tools`` and the editor.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from typing import IO

from kgfs.agent.places import Places
from kgfs.errors import TooLarge
from kgfs.tools.outcome import BadArguments, BadRange, Hinted, NoTextContent, Value, call_text, done
from kgfs.tools.sizes import size_text

SHOWN_BYTES = 40_000
SHOWN_LINES = 2_000
LINE_BYTES = 4_000
"""Of a longer line only the beginning is shown."""
WHOLE_BYTES = 16 << 20
"""The largest file that is edited, or whose lines are counted."""
_SKIPPED_BYTES = 256 << 20
_PIECE = 1 << 20


def read_file(places: Places, path: str, offset: int = 1, limit: int | None = None) -> Value:
    """Lines of a file from line ``offset`` on: ``content``, ``lines``, ``more``, ``total_lines`` where it is known."""
    if offset < 1 or (limit is not None and limit < 1):
        raise BadArguments("offset and limit are numbers of lines, from 1 on.")
    with places.file(path) as (opened, one), places.translated(path), os.fdopen(os.dup(opened), "rb") as file:
        shown = places.roots.shown(one.location)
        if b"\0" in file.peek(1)[:8192]:
            raise Hinted(
                NoTextContent(f"{shown} is binary ({size_text(one.status.st_size)})."),
                "Look at it by execute, with file, strings or xxd; a document's text is its text.txt.",
            )
        return _lines(file, shown, offset, min(limit or SHOWN_LINES, SHOWN_LINES), limit)


def _lines(file: IO[bytes], shown: str, offset: int, most: int, limit: int | None) -> Value:
    skipped, number = 0, 1
    while number < offset:
        line = file.readline(_PIECE)
        skipped += len(line)
        if not line:
            lines = number - 1
            raise Hinted(
                BadRange(f"{shown} has {lines} lines, and none from {offset} on."),
                f"Call {call_text('read_file', path=shown, offset=max(1, lines - 20))}.",
            )
        if skipped > _SKIPPED_BYTES:
            raise Hinted(
                TooLarge(f"Line {offset} of {shown} lies behind 256 MiB."),
                f"Use execute: sed -n '{offset},+100p', or tail -c.",
            )
        number += line.endswith(b"\n")
    taken: list[str] = []
    size, cut, more = 0, 0, False
    for shown_line, whole in _pieces(file):
        if len(taken) == most or size + len(shown_line) > SHOWN_BYTES:
            more = True
            break
        if not whole:
            cut = offset + len(taken)
        taken.append(shown_line)
        size += len(shown_line)
    content = "".join(taken)
    value = done(path=shown, content=content, offset=offset, lines=len(taken), more=more)
    notes = []
    if more:
        value["next_offset"] = offset + len(taken)
        if limit is None or limit > len(taken):
            notes.append(f"Read on: {call_text('read_file', path=shown, offset=value['next_offset'])}.")
    else:
        value["total_lines"] = offset - 1 + len(taken)
    if cut:
        notes.append(f"Line {cut} is longer than is shown; use execute: sed -n {cut}p FILE | cut -c 4001-8000.")
    if "\ufffd" in content:
        notes.append("Bytes that are no UTF-8 are shown as \ufffd.")
    if notes:
        value["note"] = " ".join(notes)
    return value


def _pieces(file: IO[bytes]) -> Iterator[tuple[str, bool]]:
    """Each line, or its beginning, and whether it is whole."""
    while line := file.readline(LINE_BYTES + 1):
        if len(line) <= LINE_BYTES or line.endswith(b"\n"):
            yield line.decode("utf-8", "replace"), True
            continue
        begun = codecs.getincrementaldecoder("utf-8")("replace").decode(line[:LINE_BYTES])
        passed = 0
        while (rest := file.readline(_PIECE)) and not rest.endswith(b"\n") and passed < _SKIPPED_BYTES:
            passed += len(rest)
        yield f"{begun}\n", False
