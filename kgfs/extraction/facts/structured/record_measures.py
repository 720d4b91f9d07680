"""Numbers with their units in the values of records: ``$1,250``, ``12 %``, ``1.000,5 EUR``.

Used by ``records``; pure.
"""

from __future__ import annotations

import re

_NUMBER = re.compile(
    r"(?P<currency>US\$|[$€£¥])?\s?(?P<digits>[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?)"
    r"\s?(?P<unit>%|percent|[$€£¥]|USD|EUR|GBP|CHF)?"
)
_THOUSANDS = re.compile(r"(?<=\d)[ \u00a0\u202f'](?=\d{3}(?!\d))")
_COMMA_FOR_POINT = str.maketrans(",.", ".,")
_UNITS = {"%": "percent", "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}


def read_measure(value: str, *, comma: bool = False) -> tuple[float | None, str | None]:
    """A value as a number with its unit; nothing where it is no number.

    With ``comma`` it is written as 1.000,5. Spaces that part thousands (1 000) are read in any case.
    """
    value = _THOUSANDS.sub("", value.strip())
    if comma:
        value = value.translate(_COMMA_FOR_POINT)
    found = _NUMBER.fullmatch(value)
    if found is None:
        return None, None
    unit = found["currency"] or found["unit"]
    return float(found["digits"].replace(",", "").replace("−", "-")), _UNITS.get(unit, unit) if unit else None
