"""Which passages a brief has, best first.

Used by ``brief``. The best hits and the nearest in meaning stand by turns; hits that follow each other in their
document are one passage, and the best one has what its section goes on with: a passage is cut where it is long enough,
a rule or a list may end in the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from kgfs.namespace.queries.brief_text import PassageNote
from kgfs.namespace.snapshot import Snapshot
from kgfs.search.query import SearchHit
from kgfs.store.catalog.database import Cursor
from kgfs.store.tree.columns import TITLE

LED = 6
"""So many of the best hits keep their places where a name led to the last of them."""
PER_DOCUMENT = 5
"""Passages of one document."""
_FOOTNOTE = re.compile(r"^\[\^[^\]\s]{1,60}\]:.*(?:\n(?!\[\^|\s*\n).*)*", re.M)
_COLUMNS = f"c.id, c.document_id, c.ordinal, {TITLE}, c.headings, c.text, c.first_line, c.last_line"
_PASSAGES = f"""
    SELECT {_COLUMNS} FROM chunks c JOIN documents d ON d.id = c.document_id
    WHERE c.id IN (SELECT unnest($1::BIGINT[]))
"""
_NEXT = f"""
    SELECT {_COLUMNS} FROM chunks c JOIN documents d ON d.id = c.document_id
    WHERE c.document_id = ? AND c.ordinal = ?
"""


class _Row(NamedTuple):
    id: int
    document: int
    ordinal: int
    title: str | None
    headings: str | None
    text: str | None
    first_line: int | None
    last_line: int | None


class _Run:
    """Passages that follow each other in a document, and the score of the best of them."""

    def __init__(self, row: _Row, score: float) -> None:
        self.rows = [row]
        self.score = score

    def joins(self, row: _Row, room: int) -> bool:
        """Whether a passage stands right before or behind, and both are short enough to be one."""
        near = row.ordinal in (self.rows[0].ordinal - 1, self.rows[-1].ordinal + 1)
        return near and row.document == self.rows[0].document and self.size + len(row.text or "") <= room

    @property
    def size(self) -> int:
        return sum(len(row.text or "") for row in self.rows)

    def add(self, row: _Row) -> None:
        self.rows.insert(0 if row.ordinal < self.rows[0].ordinal else len(self.rows), row)


def taking_turns(hits: Sequence[SearchHit]) -> list[SearchHit]:
    """The hits, the best and the nearest in meaning by turns.

    A question in other words than the text's shares few with the passage that answers it, and those that share more
    stand above it: a list is looked through, of a brief there are only the first few. What a name led to
    (``kgfs.search.hops``) is near in no way, so it keeps its place, and so do those before it.
    """
    kept = max((place for place, hit in enumerate(hits[:LED]) if "named" in hit.legs), default=0) + 1
    nearest = sorted((hit for hit in hits if "vector" in hit.legs), key=lambda hit: hit.legs["vector"].rank)
    found = {hit.id: hit for hit in hits[:kept]}
    for pair in zip_longest(nearest, hits[kept:]):
        found.update((hit.id, hit) for hit in pair if hit is not None)
    return list(found.values())


def passages(cursor: Cursor, s: Snapshot, hits: Sequence[SearchHit], room: int) -> list[PassageNote]:
    """The passages of the hits that the tree shows, in their order, those of footnotes behind the others; those that
    were joined have at most ``room`` characters."""
    rows = {row.id: row for row in _rows(cursor, _PASSAGES, [[hit.id for hit in hits]])}
    runs: list[_Run] = []
    of_document: dict[int, int] = {}
    for hit in hits:
        row = rows.get(hit.id)
        if row is None or s.chunks.find_index(hit.id) < 0:
            continue
        of_document[row.document] = of_document.get(row.document, 0) + 1
        if of_document[row.document] > PER_DOCUMENT:
            continue
        run = next((run for run in runs if run.joins(row, room)), None)
        if run is not None:
            run.add(row)
        else:
            runs.append(_Run(row, hit.score))
    if runs:
        last = runs[0].rows[-1]
        for row in _rows(cursor, _NEXT, [last.document, last.ordinal + 1]):
            in_section = row.headings == last.headings and s.chunks.find_index(row.id) >= 0
            elsewhere = any(row in run.rows for run in runs)
            if in_section and not elsewhere and runs[0].joins(row, room):
                runs[0].add(row)
    notes = [_note(s, run) for run in runs]
    return sorted(notes, key=lambda note: _is_of_footnotes(note.text))


def _is_of_footnotes(text: str) -> bool:
    """Whether a passage is mostly what stands at the foot of a page: it has the words of many questions, and says where
    others answer them."""
    return 2 * sum(len(found[0]) for found in _FOOTNOTE.finditer(text)) > len(text)


def _rows(cursor: Cursor, sql: str, parameters: list[object]) -> Iterable[_Row]:
    return [_Row(*row) for row in cursor.execute(sql, parameters).fetchall()]


def _note(s: Snapshot, run: _Run) -> PassageNote:
    first, last = run.rows[0], run.rows[-1]
    return PassageNote(
        chunks=tuple(row.id for row in run.rows),
        document=first.document,
        title=first.title or "",
        path=f"{s.chunk_path(s.chunks.index(first.id))}/content.txt",
        first_line=first.first_line,
        last_line=last.last_line,
        text="".join(row.text or "" for row in run.rows),
        score=run.score,
        whole=True,
    )
