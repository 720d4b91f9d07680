"""Figures with what they measure, when and where: money, percentages, counts, and the sentences that report them.

Used by relations (prices) and the extractor (``REPORTED``); pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from kgfs.documents import dates
from kgfs.extraction.facts.marks import CLOSE, MARK, OPEN

_E = MARK
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SCALES |= {"k": 10**3, "m": 10**6, "bn": 10**9, "b": 10**9}
_CURRENCIES = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "C$": "CAD", "A$": "AUD"}
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SCALE = r"(?:[ -](?P<scale>thousand|million|billion|trillion)|(?P<short>bn|m|b|k)\b)"
_MONEY = re.compile(
    rf"(?P<sign>(?:US|C|A)?\$|€|£|¥) ?(?P<number>{_NUMBER}){_SCALE}?(?P<per> (?:an?|per) (?:share|hour|week|month|year|barrel|"
    rf"gallon|unit|square foot))?",
)
_PRICE_LEAD = re.compile(
    r"(?:\bfor|\bat a price of|\bworth|\bvalued at|\bin a deal (?:worth|valued at)|\bpaid|\bpaying|\bcost|\bprice of|"
    r"\binvested|\binvestment of|\bwith|\bput|\bin an? [\w-]+ deal (?:worth|of)|'s|’s|\bof)"
    r"(?: (?:about|around|some|roughly|nearly|almost|more than|over|up to|an estimated|approximately|a total of|"
    r"a reported|just|an?|a first sum of|another|an additional|a further))*\s?\(?$"
)
VALUE = (
    rf"(?P<value>(?:(?:US|C|A)?\$|€|£|¥) ?(?:{_NUMBER})(?:[ -](?:thousand|million|billion|trillion)|(?:bn|[mbk])\b)?"
    rf"(?: (?:an?|per) (?:hour|week|month|year|barrel|gallon|share))?"
    rf"|(?:{_NUMBER})(?:[ -](?:thousand|million|billion|trillion))? ?(?:percentage points|percent|per cent|%|basis points|"
    rf"people|jobs|employees|workers|residents|inhabitants|households|points|units|dollars|euros)"
    rf"|(?:{_NUMBER})(?:[ -](?:thousand|million|billion|trillion))?)(?![\w-]|[.,]\d| (?:mln|bln|pct|bbls?|thousand|million|billion|trillion)\b)"
)
_ABOUT = (
    r"(?:(?:about|around|some|roughly|nearly|almost|approximately|just under|just over|an estimated|a record|only) )*"
)
_HEAD = (
    r"(?:rates?|revenues?|sales|income|profits?|loss(?:es)?|prices?|ind(?:ex|ices)|population|employment|unemployment|"
    r"employees|wages?|earnings|output|exports|imports|production|rents?|inflation|GDP|growth|permits|starts|deficit|surplus|"
    r"debt|budget|workforce|headcount|payrolls?|spending|turnover|cash|assets|shipments|vacanc(?:y|ies)|yields?|"
    r"subscribers|users|customers|deliveries|openings|claims|salary|salaries|pay|product|participation|share)"
)
_INDICATOR = rf"(?P<indicator>\b(?:(?!of\b|in\b|for\b|the\b|its\b|an?\b|and\b|was\b|that\b|with\b|by\b|to\b|from\b|at\b)[A-Za-z][\w'’-]* ){{0,4}}?{_HEAD})"
_VERB = (
    r"(?:was|were|is|are|stood at|reached|averaged|hit|rose to|fell to|climbed to|dropped to|declined to|increased to|"
    r"decreased to|came to|amounted to|totalled|totaled|had risen to|had fallen to|remained at|stayed at|grew to|edged up to|"
    r"edged down to|had been|slipped to|passed)"
)
_PATTERNS = tuple(
    (f"figures.{name}", re.compile(text), confidence)
    for name, text, confidence in (
        # Alphabet reported revenue of $257.6 billion for 2021
        (
            "reported_of",
            rf"(?P<s>{_E})(?: \([^)]*\))?(?:,[^,;]{{2,60}},)?(?: (?:has|had))?(?: also)? (?:reported|posted|recorded|announced|booked|"
            rf"generated|earned|had|made|published|showed)(?: an?| its| total| record| the| annual| quarterly)* "
            rf"{_INDICATOR}(?: \([^)]*\))? of {_ABOUT}{VALUE}",
            0.9,
        ),
        # The unemployment rate in Boston was 2.4 percent in October 2019
        (
            "indicator_of",
            rf"{_INDICATOR}(?: \([^)]*\))? (?:in|of|at|for) (?:the )?(?P<s>{_E})(?P<when>,? (?:in|for|during|at the end of) "
            rf"[^,;{OPEN}]{{3,24}}?)? {_VERB} {_ABOUT}{VALUE}",
            0.9,
        ),
        # Boston's unemployment rate was 2.4 percent
        (
            "whose_indicator",
            rf"(?P<s>{_E})['’]s? {_INDICATOR}(?P<when> (?:in|for|during) [^,;{OPEN}]{{3,24}}?)? {_VERB} {_ABOUT}{VALUE}",
            0.9,
        ),
        # Boston had an unemployment rate of 2.4 percent; and of $60.9 billion for the year …
        ("has_indicator", rf"(?P<s>{_E}) (?:has|had|reached|saw) an? {_INDICATOR} of {_ABOUT}{VALUE}", 0.85),
        # Amazon employed 1,525,000 people at the end of 2023
        ("employs", rf"(?P<s>{_E})(?: (?:has|had))? (?P<indicator>employ(?:s|ed)) {_ABOUT}{VALUE}", 0.85),
    )
)
_BARE_NUMBER = re.compile(rf"(?<![{OPEN}\d])\d+(?![\d{CLOSE}])")
_HINT = re.compile(rf"{_HEAD}\b|\bemploy(?:s|ed)\b")
_MEASURE = re.compile(rf"\b{_HEAD}$")
_MORE = re.compile(rf",? and (?:of )?{_ABOUT}{VALUE}")
_MONTH_OR_YEAR = re.compile(r"\b(?:in|for|during|of|since|to|over|on|at)\b")
_UNITS = {
    "%": "percent",
    "per cent": "percent",
    "percentage points": "percentage points",
    "dollars": "USD",
    "euros": "EUR",
}
_ARTICLE = re.compile(r"^(?:the|an?|its|their|his|her|total|average annual) ", re.I)


@dataclass(slots=True)
class Figure:
    """A reported figure: whose (number of a mark), what, how much, when."""

    subject: int
    indicator: str
    value: float
    unit: str | None
    text: str
    """The value as written."""
    date: str | None
    confidence: float
    dated: bool = False
    """The sentence states a date, be it another's."""
    rule: str = ""


def find_price(text: str, start: int = 0, end: int | None = None) -> tuple[float, str] | None:
    """The first price in ``text[start:end]`` (``for about $1.65 billion``) as ``(1.65e9, "USD")``; not one a share."""
    for found in _MONEY.finditer(text, start, len(text) if end is None else end):
        if not found["per"] and _PRICE_LEAD.search(text[max(start, found.start() - 40) : found.start()].rstrip()):
            return _scaled(found["number"], found["scale"] or found["short"]), _CURRENCIES.get(
                found["sign"], found["sign"]
            )
    return None


def _scaled(number: str, scale: str | None) -> float:
    return float(Decimal(number.replace(",", "")) * SCALES.get((scale or "").lower(), 1))


def parse_measure(text: str) -> tuple[float, str | None] | None:
    """A value as written (``2.4 percent``, ``$28.18 an hour``, ``48,000 workers``) as a number and its unit."""
    found = _MONEY.fullmatch(text)
    if found:
        unit = _CURRENCIES.get(found["sign"], found["sign"])
        per = (found["per"] or "").split()
        return _scaled(found["number"], found["scale"] or found["short"]), f"{unit} per {per[-1]}" if per else unit
    plain = re.fullmatch(rf"({_NUMBER})(?:[ -](thousand|million|billion|trillion))?(?: ?([a-z% ]+))?", text)
    if plain is None:
        return None
    unit_text = (plain[3] or "").strip()
    return _scaled(plain[1], plain[2]), _UNITS.get(unit_text, unit_text) or None


def indicator_name(text: str) -> str:
    """The name of a series: ``The Unemployment Rate`` is ``unemployment_rate``."""
    previous = ""
    name = text.strip()
    while name != previous:
        previous, name = name, _ARTICLE.sub("", name)
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def is_measure(indicator: str) -> bool:
    """Whether the name of a series says that it measures something: ``population``, ``median_wage``."""
    return _MEASURE.search(indicator.replace("_", " ")) is not None


def find_figures(masked: str) -> list[Figure]:
    """The figures that a masked sentence reports of its names."""
    if _BARE_NUMBER.search(masked) is None or _HINT.search(masked) is None:
        return []
    spans = dates.find_dates(masked)
    found: dict[tuple[int, str, float, str | None], Figure] = {}
    for rule, pattern, confidence in _PATTERNS:
        for match in pattern.finditer(masked):
            subject = int(re.sub(r"\D", "", match["s"]))
            indicator = "employees" if match["indicator"].startswith("employ") and match["indicator"] != "employment" \
                and match["indicator"] != "employees" else indicator_name(match["indicator"])  # fmt: skip
            at = match
            first = True
            while at is not None:
                measured = parse_measure(at["value"].strip())
                if measured is not None and not _is_year(at["value"]):
                    value, unit = measured
                    date = _date(masked, spans, match if first else at, at.end())
                    key = (subject, indicator, value, date)
                    found.setdefault(
                        key,
                        Figure(
                            subject,
                            indicator,
                            value,
                            unit,
                            at["value"].strip(),
                            date,
                            confidence,
                            bool(spans),
                            rule,
                        ),
                    )
                following = _after_date(masked, spans, at.end())
                more = _MORE.match(masked, following) if pattern is _PATTERNS[0][1] else None
                first = False
                if more is None:
                    break
                at = more
    return list(found.values())


def _is_year(text: str) -> bool:
    return re.fullmatch(r"(?:1[5-9]|20)\d\d", text.strip()) is not None


def _after_date(masked: str, spans: list[dates.DateSpan], position: int) -> int:
    """Behind the date that follows ``position`` closely, so that ``and of … for 2023`` can go on from there."""
    for span in spans:
        if position <= span.start <= position + 40 and ";" not in masked[position : span.start]:
            return span.end
    return position


def _date(masked: str, spans: list[dates.DateSpan], match: re.Match[str], end: int) -> str | None:
    """The date of a figure: in its own words, close behind it, or opening its clause."""
    for span in spans:
        if match.start() <= span.start < end:
            return span.date
    for span in spans:
        gap = masked[end : span.start]
        if (
            0 <= span.start - end <= 45
            and _MONTH_OR_YEAR.search(gap)
            and not re.search(r"[;:]|\b(?:and|than|from|compared|versus|against|last)\b", gap)
        ):
            return span.date
    before = [span for span in spans if span.end <= match.start()]
    if before and re.fullmatch(r",?(?: the| its| average| total)* ?", masked[before[-1].end : match.start()]):
        return before[-1].date
    return None
