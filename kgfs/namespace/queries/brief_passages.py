"""Which passages a brief has, best first.

Used by ``brief``. The best hits and the nearest in meaning stand by turns; hits that follow each other in their
document are one passage, and the best one has what its section goes on with: a passage is cut where it is long enough,
a rule or a list may end in the next one. A passage in which a table goes on begins with what names the columns.
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
COMPLETED = 3
"""So many of the best passages have what the next one goes on with, where they end before what they announce."""
_BREAKS_OFF = re.compile(r"(?:[:：]|(?:\A|\n)#{1,6}[ \t][^\n]*)\s*\Z")
"""*Supported in two contexts:*, or a heading, at the end of a passage."""
PER_DOCUMENT = 5
"""Passages of one document."""
_FOOTNOTE = re.compile(r"^\[\^[^\]\s]{1,60}\]:.*(?:\n(?!\[\^|\s*\n).*)*", re.M)
COLUMNS = f"c.id, c.document_id, c.ordinal, {TITLE}, c.headings, c.text, c.first_line, c.last_line"
_PASSAGES = f"""
    SELECT {COLUMNS} FROM chunks c JOIN documents d ON d.id = c.document_id
    WHERE c.id IN (SELECT unnest($1::BIGINT[]))
"""
_NEXT = f"""
    SELECT {COLUMNS} FROM chunks c JOIN documents d ON d.id = c.document_id
    WHERE c.document_id = ? AND c.ordinal = ?
"""


class Row(NamedTuple):
    """A passage as it is stored: what ``COLUMNS`` selects."""

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

    def __init__(self, row: Row, score: float) -> None:
        self.rows = [row]
        self.score = score

    def joins(self, row: Row, room: int) -> bool:
        """Whether a passage stands right before or behind, and both are short enough to be one."""
        near = row.ordinal in (self.rows[0].ordinal - 1, self.rows[-1].ordinal + 1)
        return near and row.document == self.rows[0].document and self.size + len(row.text or "") <= room

    @property
    def size(self) -> int:
        return sum(len(row.text or "") for row in self.rows)

    def add(self, row: Row) -> None:
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
    for place, run in enumerate(runs[:COMPLETED]):
        last = run.rows[-1]
        breaks_off = _BREAKS_OFF.search(last.text or "") is not None
        for row in _rows(cursor, _NEXT, [last.document, last.ordinal + 1]) if breaks_off or not place else ():
            goes_on = breaks_off or row.headings == last.headings
            elsewhere = any(row in other.rows for other in runs)
            if goes_on and not elsewhere and s.chunks.find_index(row.id) >= 0 and run.joins(row, room):
                run.add(row)
    notes = [note_of(s, run.rows, run.score, _columns_above(cursor, run.rows[0])) for run in runs]
    return sorted(notes, key=lambda note: _is_of_footnotes(note.text))


def _is_of_footnotes(text: str) -> bool:
    """Whether a passage is mostly what stands at the foot of a page: it has the words of many questions, and says where
    others answer them."""
    return 2 * sum(len(found[0]) for found in _FOOTNOTE.finditer(text)) > len(text)


def _rows(cursor: Cursor, sql: str, parameters: list[object]) -> Iterable[Row]:
    return [Row(*row) for row in cursor.execute(sql, parameters).fetchall()]


_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+\|?[ \t]*$", re.M)
_ABOVE = "SELECT text FROM chunks WHERE document_id = ? AND ordinal < ? ORDER BY ordinal DESC LIMIT 8"


def _columns_above(cursor: Cursor, first: Row) -> str:
    """The line that names the columns of a table that goes on in a passage; empty where none does."""
    text = (first.text or "").lstrip("\n")
    if not text.startswith("|") or _TABLE_RULE.search(text) is not None:
        return ""
    for (above,) in cursor.execute(_ABOVE, [first.document, first.ordinal]).fetchall():
        rules = list(_TABLE_RULE.finditer(above or ""))
        if rules:
            head = above[: rules[-1].start()].rstrip("\n").rpartition("\n")[2]
            return f"{head}\n" if head.lstrip().startswith("|") else ""
        if not (above or "").lstrip("\n").startswith("|"):
            break
    return ""


def note_of(s: Snapshot, rows: Sequence[Row], score: float, above: str = "") -> PassageNote:
    """Passages that follow each other as one of a brief; ``above`` names the columns of their table."""
    first, last = rows[0], rows[-1]
    return PassageNote(
        chunks=tuple(row.id for row in rows),
        document=first.document,
        title=first.title or "",
        path=f"{s.chunk_path(s.chunks.index(first.id))}/content.txt",
        first_line=first.first_line,
        last_line=last.last_line,
        text=above + "".join(row.text or "" for row in rows),
        score=score,
        whole=True,
    )
