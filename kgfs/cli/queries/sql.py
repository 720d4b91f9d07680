"""``kgfs sql``: ask the graph in SQL, as ``@sql`` does."""

from __future__ import annotations

import csv
import io
import re
import sys
from pathlib import Path

import click

from kgfs.cli.declaration import Invocation, declare
from kgfs.cli.screen import width_of
from kgfs.cli.stores import session
from kgfs.control.client import Discard
from kgfs.counting import counted
from kgfs.errors import UsageError

_WIDEST = 60
"""Characters of a cell of a table."""
_NUMBER = re.compile(r"-?\d[\d.]*(e[-+]?\d+)?")


class _Answer(Discard):
    """Takes the answer, or passes it on as it comes."""

    def __init__(self, show: bool) -> None:
        self._show = show
        self.parts: list[bytes] = []

    def data(self, data: bytes) -> None:
        if self._show:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
        else:
            self.parts.append(data)


@declare("sql", "Ask the graph in SQL, read-only.")
@click.argument("query", nargs=-1)
@click.option("-f", "--file", "file", metavar="FILE", help="Read the query from FILE; - is standard input.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV with a header.")
@click.option("--table", "as_table", is_flag=True, help="Print a table (the default on a terminal).")
@click.option("--schema", "schema", is_flag=True, help="Print the views with their columns, and an example of each.")
def command(
    invocation: Invocation, query: tuple[str, ...], file: str | None, as_csv: bool, as_table: bool, schema: bool
) -> None:
    """Query the graph in SQL: one SELECT over documents, chunks, entities, facts, topics, context_items, entity_chunks,
    fact_topics, document_links; with -, the query is standard input.

    On a terminal the result is a table, else JSON, one object per line. The limits are 10,000 rows, 64 MB and 8
    seconds; the last line says so if the result was cut.
    """
    if sum((as_csv, as_table, invocation.json)) > 1:
        raise UsageError("Choose one of --csv, --table and --json.")
    arguments = {"schema": True} if schema else {"statement": _statement(query, file)}
    table = not schema and (as_table or (invocation.terminal and not as_csv))
    answer = _Answer(show=not table)
    with session(invocation) as store:
        store.call("sql", {**arguments, "form": "csv" if as_csv or table else "jsonl"}, answer)
    if table:
        _show_table(invocation, b"".join(answer.parts).decode())


def _statement(query: tuple[str, ...], file: str | None) -> str:
    text = " ".join(query)
    if (file is not None) == bool(text):
        raise UsageError("Give one query, as an argument, with -f FILE, or - for standard input.")
    if file == "-" or text == "-":
        return sys.stdin.read()
    return text if file is None else Path(file).read_text("utf-8", "replace")


def _show_table(invocation: Invocation, text: str) -> None:
    lines = text.rstrip("\n").rpartition("\n")
    # A row never begins with a bare #, and where a quoted field goes on over lines, its last one has the quote's end.
    cut = lines[2].startswith("# ") and '"' not in lines[2]
    heading, *rows = csv.reader(io.StringIO(lines[0] + "\n" if cut else text))
    cells = [[_cell(invocation, value) for value in row] for row in (heading, *rows)]
    # Off a terminal a table is text for a program, in which a character is a column.
    measure = width_of if invocation.terminal else len
    widths = [max(map(measure, column)) for column in zip(*cells, strict=True)]
    right = [
        bool(rows) and all(_NUMBER.fullmatch(row[place]) for row in rows if row[place]) for place in range(len(widths))
    ]
    for number, row in enumerate(cells):
        shown = []
        for value, width, to_right in zip(row, widths, right, strict=True):
            room = " " * (width - measure(value))
            shown.append(room + value if to_right else value + room)
        line = "  ".join(shown).rstrip()
        print(line if number else invocation.style(line, bold=True))
    if cut:
        print(lines[2])
    else:
        invocation.say(counted(len(rows), "row"))


def _cell(invocation: Invocation, value: str) -> str:
    value = invocation.printable(" ".join(value.split()))
    return value if len(value) <= _WIDEST else value[: _WIDEST - 1] + "…"
