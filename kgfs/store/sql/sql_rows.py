"""The rows of an ``@sql`` answer as JSONL or CSV, and the mark of one that a limit cut.

Used by ``kgfs.store.sql.sql_process``. A mark cannot be mistaken for a row: in JSONL it is an object whose first key is
``@truncated``, and no column may be called that; in CSV it is a line that begins with a bare ``#``, and a field of the
answer that begins so is quoted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from kgfs.errors import QueryError

MARK = "@truncated"
_TIMES = ("DATE", "TIMESTAMP", "TIME", "INTERVAL")
_NESTED = ("STRUCT", "MAP", "UNION", "VARIANT")
_MOMENT = re.compile(r"(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:\+00)?")
_QUOTED = re.compile(r'[",\r\n]|^#|^$')

ReadValue = Callable[[Any], Any]
"""From what the engine gives for a value to what is written for it."""


def readable_columns(columns: Sequence[tuple[str, str]], statement: str) -> tuple[list[ReadValue | None], str | None]:
    """How the values of each column (name, type) are read, and the statement to run instead, where one is needed.

    Moments and intervals are read as the engine's text: Python's know neither the year 20000 nor that a month is no
    number of days.
    """
    readings: list[ReadValue | None] = []
    expressions = []
    for number, (_, kind) in enumerate(columns):
        column = f"c{number}"
        nested = kind.startswith(_NESTED) or kind.endswith("]")
        if nested and any(time in kind for time in (*_TIMES, "VARIANT")):
            readings.append(_json)
            column = f"to_json({column})::VARCHAR"
        elif not nested and kind.startswith(_TIMES):
            readings.append(_moment if kind.startswith("TIMESTAMP") else None)
            column += "::VARCHAR"
        elif kind == "JSON":
            readings.append(_json)
        else:
            readings.append(None)
        expressions.append(column)
    if all(column == f"c{number}" for number, column in enumerate(expressions)):
        return readings, None
    names = ", ".join(f"c{number}" for number in range(len(columns)))
    return readings, f"SELECT {', '.join(expressions)} FROM (\n{statement}\n) AS answer({names})"


def _json(text: Any) -> Any:
    """A JSON value; NaN and infinities, which JSON does not know, are null."""
    return None if text is None else json.loads(text, parse_constant=lambda _: None)


def _moment(text: Any) -> Any:
    """``2024-06-01 09:30:00`` as RFC 3339; all moments are UTC."""
    found = _MOMENT.fullmatch(text) if isinstance(text, str) else None
    return f"{found[1]}T{found[2]}Z" if found else text


class RowWriter:
    """Takes rows until a limit is reached, and then says which."""

    def __init__(
        self, form: str, names: Sequence[str], readings: Sequence[ReadValue | None], most_rows: int, most_bytes: int
    ) -> None:
        if MARK in names:
            raise QueryError(
                f"A column cannot be called {MARK}, which marks an answer that was cut; give it another name."
            )
        self._names = distinct_names(names)
        self._readings = [(place, reading) for place, reading in enumerate(readings) if reading is not None]
        self._csv = form == "csv"
        self._most_rows, self._most_bytes = most_rows, most_bytes
        self._encoder = msgspec.json.Encoder(enc_hook=str, decimal_format="number")
        self._parts: list[bytes] = []
        self._size = 0
        self._mark: bytes | None = None
        self.rows = 0
        if self._csv:
            self._parts.append((",".join(map(_field, self._names)) + "\n").encode())
            self._size = len(self._parts[0])

    @property
    def full(self) -> bool:
        """Whether a limit is reached."""
        return self._mark is not None

    def add(self, row: tuple[Any, ...]) -> None:
        """One row more; where there is no room for it, the answer is ``full`` and says so."""
        if self.rows >= self._most_rows:
            self.cut("rows", f"{self._most_rows:,} rows")
            return
        line = self._line(list(row))
        if self._size + len(line) > self._most_bytes:
            self.cut("bytes", f"{self._most_bytes:,} bytes")
            return
        self._parts.append(line)
        self._size += len(line)
        self.rows += 1

    def cut(self, limit: str, amount: str) -> None:
        """The answer ends here, though there is more."""
        message = f"Cut at the limit of {amount}; there is more. Ask for less with WHERE, LIMIT or an aggregate."
        if self._csv:
            self._mark = f"# truncated ({limit}): {message}\n".encode()
        else:
            self._mark = self._encoder.encode({MARK: limit, "rows": self.rows, "message": message}) + b"\n"

    def finish(self) -> bytes:
        return b"".join(self._parts) + (self._mark or b"")

    def _line(self, values: list[Any]) -> bytes:
        for place, reading in self._readings:
            values[place] = reading(values[place])
        if self._csv:
            # A line of nothing would be taken for no row.
            line = ",".join([self._csv_value(value) for value in values]) or '""'
            return f"{line}\n".encode("utf-8", "replace")
        return self._encoder.encode(dict(zip(self._names, values, strict=True))) + b"\n"

    def _csv_value(self, value: Any) -> str:
        """A field; NULL is nothing, an empty text ``""``."""
        if value is None:
            return ""
        if isinstance(value, str):
            return _field(value)
        text = self._encoder.encode(value).decode()
        if text == "null":
            return ""
        return _field(msgspec.json.decode(text) if text.startswith('"') else text)


def distinct_names(names: Sequence[str]) -> list[str]:
    """Names of which each stands once: the second ``a`` is ``a_2``, so that no value of a row is lost."""
    taken: set[str] = set(names)
    seen: set[str] = set()
    result = []
    for name in names:
        chosen, number = name, 2
        while chosen in seen or (chosen != name and chosen in taken):
            chosen, number = f"{name}_{number}", number + 1
        seen.add(chosen)
        result.append(chosen)
    return result


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text
