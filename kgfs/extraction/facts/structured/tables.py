"""Dated figures out of tables: ``| Year | Revenue (USD million) |``, ``| City | Unemployment rate (%) |``.

Used by the extractor; pure. Only a table whose header row makes clear what each column measures, in what, and of whom:
a column of years or months with what the document or the heading is about, or a column of known names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from kgfs.documents import dates
from kgfs.extraction.facts.sentences.figures import SCALES, indicator_name, is_measure
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.units import Unit
from kgfs.model import FactCandidate, ParsedDocument

_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?")
_TIME = re.compile(r"(?:fiscal )?(?:year|date|month|quarter|period)s?(?: ended| ending)?", re.I)
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_ENTITY = re.compile(
    r"(?:name|company|organi[sz]ation|city|district|region|country|state|place|location|bank|county|metro(?: area)?)",
    re.I,
)
_COUNTED = re.compile(
    r"(?:^|_)(?:versions?|releases?|ids?|numbers?|no|chapters?|sections?|lines?|ports?|issues?|page)$"
)
"""Columns whose numbers tell things apart, and measure nothing."""
_UNIT = re.compile(
    r"^(?P<name>.*?)\s*(?:\((?:in )?(?P<bracket>[^()]{1,24})\)|,\s*(?P<comma>%|percent|(?:USD|EUR|\$)[^,]{0,16}))$"
)
_NUMBER = re.compile(
    r"(?P<sign>[-−+]?)(?P<currency>(?:US|C|A)?\$|€|£|¥)?\s?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"\s?(?P<scale>thousand|million|billion|trillion|bn|m|k)?\s?(?P<percent>%|percent)?"
)
_CURRENCIES = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "C$": "CAD", "A$": "AUD"}
_WORDS = {"%": "percent", "per cent": "percent", "dollars": "USD", "euros": "EUR"}
_MEASURED_KINDS = frozenset({"Organization", "Location", "Country", "City"})
MAX_COLUMNS = 12
CONFIDENCE = 0.85
UNDATED = 0.65
"""Of a table without a column of dates: as old as its document, more or less."""


def is_table_rule(row: str) -> bool:
    """Whether a row is the line between a header and its rows."""
    return _RULE.fullmatch(row.strip()) is not None


@dataclass(slots=True)
class _Column:
    indicator: str
    unit: str | None
    factor: float


def table_facts(document: ParsedDocument, units: Sequence[Unit], lexicon: Lexicon) -> list[tuple[FactCandidate, int]]:
    """``REPORTED`` figures with the lexicon's entry of whose they are."""
    found: list[tuple[FactCandidate, int]] = []
    for _, group in groupby(units, lambda unit: (unit.kind == "row", unit.chunk.ordinal, unit.headings)):
        rows = list(group)
        if rows[0].kind == "row":
            for start in range(len(rows) - 2):
                if is_table_rule(rows[start + 1].content.text):
                    found += _table(document, rows[start], _body(rows[start + 2 :]), lexicon)
    return found


def _body(rows: Sequence[Unit]) -> list[Unit]:
    """The rows of one table: up to the rule of the next one, whose header stands before it."""
    for place, row in enumerate(rows):
        if is_table_rule(row.content.text):
            return list(rows[: max(0, place - 1)])
    return list(rows)


def _cells(text: str) -> list[str]:
    return [cell.strip(" *`") for cell in text.strip().strip("|").split("|")]


def _table(
    document: ParsedDocument, header: Unit, rows: Sequence[Unit], lexicon: Lexicon
) -> Iterator[tuple[FactCandidate, int]]:
    names = _cells(header.content.text)
    if not 2 <= len(names) <= MAX_COLUMNS:
        return
    when = next((place for place, name in enumerate(names) if _TIME.fullmatch(name)), None)
    whose = 0 if _ENTITY.fullmatch(names[0]) else None
    columns = {
        place: column for place, name in enumerate(names) if (column := _column(name)) and place not in (when, whose)
    }
    subject = _subject(header, lexicon) if whose is None else None
    if not columns or (whose is None and (when is None or subject is None)):
        return
    for row in rows:
        cells = _cells(row.content.text)
        if len(cells) != len(names):
            continue
        ref = subject if whose is None else lexicon.find_entry(cells[whose])
        date = document.date if when is None else _date(cells[when])
        if ref is None or date is None:
            continue
        best = lexicon.named[lexicon.resolved(ref)].best
        if whose is not None and (best is None or best[0] not in _MEASURED_KINDS):
            continue
        start, end = row.span()
        for place, column in columns.items():
            value = _value(cells[place], column)
            if value is None or (when is None and value[1] is None and not is_measure(column.indicator)):
                continue
            candidate = FactCandidate(
                type="REPORTED",
                subject=0,
                object_text=cells[place],
                value=value[0],
                unit=value[1],
                indicator=column.indicator,
                description=f"{names[place]}, {cells[when] if when is not None else date}: {cells[place]}",
                date=date,
                confidence=CONFIDENCE if when is not None else UNDATED,
                chunk=row.chunk.ordinal,
                quote=row.quote,
                start=start,
                end=end,
            )
            yield candidate, ref


def _subject(header: Unit, lexicon: Lexicon) -> int | None:
    """What the table is about: an entity that the innermost heading names, else what the document declares."""
    for heading in reversed(header.headings):
        ref = lexicon.find_entry(heading)
        if ref is not None and lexicon.named[lexicon.resolved(ref)].best is not None:
            return lexicon.resolved(ref)
    return lexicon.subject


def _column(name: str) -> _Column | None:
    """What a column measures; ``None`` where the header does not say."""
    unit: str | None = None
    factor = 1.0
    found = _UNIT.match(name)
    if found:
        name = found["name"]
        for word in (found["bracket"] or found["comma"]).replace("$", "USD ").split():
            lowered = word.lower().rstrip("s") if word.lower().rstrip("s") in SCALES else word
            if lowered in SCALES:
                factor *= SCALES[lowered]
            else:
                unit = _WORDS.get(word, word) if unit is None else f"{unit} {word}"
    indicator = indicator_name(name)
    if not indicator or _YEAR.fullmatch(indicator) or len(indicator) > 60 or not re.search("[a-z]{3}", indicator):
        return None
    return None if _COUNTED.search(indicator) else _Column(indicator, unit, factor)


def _date(cell: str) -> str | None:
    if _YEAR.fullmatch(cell):
        return cell
    found = dates.find_dates(cell)
    return found[0].date if found else None


def _value(cell: str, column: _Column) -> tuple[float, str | None] | None:
    found = _NUMBER.fullmatch(cell)
    if found is None:
        return None
    value = float(found["digits"].replace(",", "")) * SCALES.get((found["scale"] or "").lower(), 1) * column.factor
    unit = column.unit
    if found["percent"]:
        unit = "percent"
    elif found["currency"]:
        unit = _CURRENCIES[found["currency"]]
    return (-value if found["sign"] in ("-", "−") else value), unit
