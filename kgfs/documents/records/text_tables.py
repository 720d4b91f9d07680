"""Records of tables that stand in a text: Markdown, and whatever was written as Markdown (pages, workbooks, documents).

One of the readers of this package, with what splits a row into cells, for other readers of tables; pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from kgfs.documents.blocks import Block, Leaf
from kgfs.documents.markup import plain_sentence
from kgfs.documents.records.columns import read_columns, says_properties
from kgfs.documents.records.delimited import LINE_BREAK, row_record
from kgfs.documents.records.examples import is_form
from kgfs.documents.records.kinds import OF_SOFTWARE, is_known_kind, kind_type, software_kind
from kgfs.documents.records.record import Record, has_no_case
from kgfs.documents.records.rst_tables import TableRow
from kgfs.plurals import singular

RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:[|+]\s*:?-{2,}:?\s*)*\|?\s*")
_BAR = re.compile(r"(?<!\\)\|")
_BREAK = re.compile(r"\s*<br\s*/?>\s*", re.I)
_LOOKED_AT = 200
MAX_ROW = 4000


def table_records(text: str, block: Block, kind: str, most: int) -> Iterator[Record]:
    """The rows of a table of Markdown as records; none where nothing names them."""
    header, rows = table_rows(text, block)
    if header is not None:
        yield from row_records(
            row_cells(text[header.start : header.end]),
            (
                TableRow(row_cells(said), leaf.start, leaf.start + len(said.rstrip()))
                for leaf in rows
                for said in (text[leaf.start : leaf.end],)
            ),
            kind,
            most,
        )


def row_records(names: Sequence[str], rows: Iterable[TableRow], kind: str, most: int) -> Iterator[Record]:
    """The rows of a table as records, by its header; none where nothing names them."""
    read = iter(rows)
    head = list(islice(read, _LOOKED_AT))
    columns = read_columns(names, [row.cells for row in head])
    if columns is None or _are_addresses(names, head) or is_form(names, [row.cells[0] for row in head if row.cells]):
        return
    has = says_properties(columns.words)
    kind = software_kind(kind, columns.words)
    # In German each noun has a capital, in Chinese none has: only a header can say that the rows have names.
    tasks = columns.foreign and not (columns.says or columns.is_known_noun)
    of_kind = columns.foreign and columns.named and bool(kind)  # "名称 | 年份", beneath "建筑"
    named = of_kind or (
        has and (columns.says or columns.of_things or (columns.foreign and (columns.named or columns.is_known_noun)))
    )
    count = 0
    for row in chain(head, read):
        if count >= most:
            return
        record = row_record(columns, row.cells, row.start, row.end, kind) if row.end - row.start <= MAX_ROW else None
        if record is not None and (_is_thing(record, has and not tasks) or (named and _is_called(record))):
            record.shape = "cells"
            count += 1
            yield record


_LABELS = frozenset(("", "item", "key", "name", "resource", "what"))
_WHERE = frozenset("address addresses link links url urls value where".split())
_ARTIFACTS = frozenset("artefact artefacts artifact artifacts item items resource resources what".split())
"""Headers above what belongs to the page, beside a column that says where it is."""


def _are_addresses(names: Sequence[str], rows: Sequence[TableRow]) -> bool:
    """Whether a table says only where one finds what belongs to its page: ``| Repository | https://… |``."""
    label, where = (name.strip().lower() for name in names) if len(names) == 2 else ("", "")
    if label in _ARTIFACTS and where in _WHERE - {"value"}:
        return True
    if label not in _LABELS or where not in _WHERE:
        return False
    cells = [row.cells[1].strip() for row in rows if len(row.cells) > 1]
    return bool(cells) and all(re.match(r"<?https?://|\[[^\]]*\]\(https?://", cell) for cell in cells if cell)


_IN_PARTS = re.compile(r"[a-z][a-z\d]*(?:[-_.][a-z\d]+)+")


def _is_called(record: Record) -> bool:
    """Whether a row has a name where the header says that all have: with a capital, or as software is called."""
    of_software = singular(record.kind.lower().rpartition(" ")[2]) in OF_SOFTWARE
    called = record.name[:1].isupper() or has_no_case(record.name)
    return called or (of_software and _IN_PARTS.fullmatch(record.name) is not None)


def _is_thing(record: Record, has: bool) -> bool:
    """Whether a row is one of a known kind, or ``has`` properties that things have and a name that stands out.

    Tables in texts are of options, elements and errors as often as of things.
    """
    if is_known_kind(record.kind) and (has or " " in record.name or kind_type(record.kind) != "Person"):
        return True
    return has and stands_out(record.name)


def stands_out(name: str) -> bool:
    """Whether a text in a table is spelled as names are: each longer word with a capital, or signs of an identifier."""
    parts = [word for word in name.split() if len(word) > 3 or word[:1].isupper()]
    if len(parts) > 1:
        return all(word[:1].isupper() or not word[:1].isalpha() for word in parts)
    return re.search(r"[^\W\d_].*\d|.[A-Z]", name) is not None


def table_rows(text: str, block: Block) -> tuple[Leaf | None, Sequence[Leaf]]:
    """The header of a table and the rows below its rule.

    A sheet may begin with a line for its title: then the header is the first row that fills more than one cell.
    """
    leaves = [leaf for leaf in block.leaves if leaf.kind == "row" and text[leaf.start : leaf.end].strip()]
    if len(leaves) < 3 or not RULE.fullmatch(text[leaves[1].start : leaves[1].end].rstrip("\n")):
        return None, ()
    rows = leaves[2:]
    if sum(bool(cell) for cell in row_cells(text[leaves[0].start : leaves[0].end])) > 1:
        return leaves[0], rows
    for place, leaf in enumerate(rows[:5]):
        if sum(bool(cell) for cell in row_cells(text[leaf.start : leaf.end])) > 1:
            return leaf, rows[place + 1 :]
    return None, ()


def markdown_rows(text: str, block: Block) -> Iterator[TableRow]:
    """All rows of a table of Markdown but its rule."""
    for leaf in block.leaves:
        said = text[leaf.start : leaf.end]
        if leaf.kind == "row" and said.strip() and not RULE.fullmatch(said.rstrip("\n")):
            yield TableRow(row_cells(said), leaf.start, leaf.start + len(said.rstrip()))


def row_cells(row: str) -> list[str]:
    """The cells of a row without markup, their lines apart by ``LINE_BREAK``."""
    inside = row.strip()
    inside = inside[1:] if inside.startswith("|") else inside
    inside = inside[:-1] if inside.endswith("|") and not inside.endswith("\\|") else inside
    return [
        LINE_BREAK.join(line for part in _BREAK.split(cell) if (line := plain_sentence(part).text.strip()))
        for cell in _BAR.split(inside)
    ]
