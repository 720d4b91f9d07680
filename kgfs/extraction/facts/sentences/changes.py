"""How much something rose or fell: ``sales in Minnesota rose 4 percent in August`` as dated figures of places.

Used by the fact reader; pure. A sentence comes with its names as marks with the letters of their types. Whose the
figure is the sentence says itself (``in ⟨L0⟩``, ``⟨L0⟩ sales``) or, where it names no place, the heading above it.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from calendar import month_name
from typing import NamedTuple

from kgfs.documents import dates
from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.sentences.figures import indicator_name
from kgfs.extraction.facts.sentences.relations import is_unreal

_NOT_STATED = re.compile(
    r"\b(?:expect(?:s|ed|ations?)?|anticipat\w+|plan(?:s|ned)? to|would|could|may|might|if|forecast\w*|hope[ds]?|projected|"
    r"contacts? (?:who|that)|firms? that|target)\b",
    re.I,
)
_HEAD = (
    r"(?:sales|prices?|rents?|wages?|costs?|revenues?|production|output|orders|shipments|employment|payrolls?|headcounts?|claims|"
    r"postings|openings|bookings|occupancy|permits|permitting|starts|construction|exports|imports|inventories|spending|traffic|"
    r"passengers|passenger counts?|volumes?|loans?|loan growth|lending|deposits|earnings|income|incomes|profits|population|listings|"
    r"enrollment|receipts|deliveries|visits|visitation|attendance|leasing|absorption|values|acreage|yields|rigs|rig count|"
    r"vacanc(?:y|ies)|(?:vacancy|occupancy|unemployment|participation|turnover) rates?)"
)
_WORD = (
    r"(?!(?:in|of|for|from|the|a|an|and|but|with|by|to|at|on|as|that|which|while|where|said|noted|reported|was|were|had|has|"
    r"because|although|though|overall|however|also|their|its|his|one|two|some|most|many|several|show(?:s|ed|ing)?|indicat\w+|"
    r"suggest\w*|surveys?|year-over-year|statewide|average|both)\b)[A-Za-z][\w’'/-]*"
)
_INDICATOR = rf"(?P<indicator>(?:{_WORD} ){{0,4}}?{_HEAD})"
_BETWEEN = r"(?: (?:in|across|at|for|of|throughout|through|during|over) [^,;:.]{2,70}?)?(?:,? (?:on average|overall|on net),?)?"
_UP = r"(?:rose|risen|rise|increased|grew|grown|climbed|jumped|gained|advanced|surged|expanded|higher|up|edged up|ticked up|accelerated)"
_DOWN = r"(?:fell|fallen|fall|decreased|declined|dropped|slipped|slid|shrank|contracted|lower|down|edged down|ticked down|tumbled)"
_ABOUT = r"(?:(?:by|about|around|some|roughly|nearly|almost|approximately|just under|just over|over|more than|less than|an estimated|only|just|another|an additional|as much as|up to|at least|close to) ){0,4}"
_PERCENT = r"(?P<number>\d+(?:\.\d+)?)(?:(?: percent)? ?(?:-|–|to) ?(?P<upper>\d+(?:\.\d+)?))? ?(?:percent|per cent|%)(?!age| of\b)"
_BE = r"(?:was|were|is|are|has|have|had|has been|have been|had been|remained|also|still)"
_VERB_FIRST = re.compile(
    rf"(?<![\w-]){_INDICATOR}{_BETWEEN}(?: {_BE})* (?:(?P<up>{_UP})|(?P<down>{_DOWN})) {_ABOUT}{_PERCENT}", re.I
)
_NUMBER_FIRST = re.compile(
    rf"(?<![\w-]){_INDICATOR}{_BETWEEN}(?: {_BE})+ {_ABOUT}{_PERCENT} (?:(?P<up>higher|above|more|up)|(?P<down>lower|below|less|fewer|down))\b",
    re.I,
)
_NOUN = re.compile(
    rf"\b(?:an?|the) (?:{_ABOUT})?{_PERCENT} (?:[a-z-]+ )?(?:(?P<up>increase|rise|jump|gain|uptick|growth|improvement|hike)|(?P<down>decrease|decline|drop|fall|reduction|dip|loss)) in (?:the )?(?:number of )?{_INDICATOR}",
    re.I,
)
_YEAR = re.compile(
    r"\b(?:year[- ]over[- ]year|year[- ]on[- ]year|(?:from|than|over|since|compared (?:with|to)|versus|relative to) (?:the same (?:period|time|month|quarter)(?: of)? )?(?:a year (?:ago|earlier|before|prior)|(?:the )?(?:last|previous|prior|past) (?:year|season)|one year (?:ago|earlier))|annually|annual(?:ized)? basis|from (?:their|its) year-ago|(?:over|during) the past (?:12 months|year))",
    re.I,
)
_MONTHS = list(month_name)
_MONTH = re.compile(rf"\b(?P<month>{'|'.join(_MONTHS[1:])})\b(?! \d)")
_IN_PLACE = re.compile(rf"\b(?:in|across|throughout|for|at|from|around|near) (?:[a-z]+ )?{OPEN}L(?P<mark>\d+){CLOSE}")
_OWN = re.compile(rf"{OPEN}L(?P<mark>\d+){CLOSE}(?:['’]s)? (?:[a-z-]+ ){{0,3}}?{_HEAD}", re.I)
_LIST = re.compile(rf"(?:,? and |, ){OPEN}L(?P<mark>\d+){CLOSE}")
_OF_SOME = re.compile(
    r"\b(?:one|two|three|four|five|six|a|an|another|each|some|several|few|many|most|half) (?:[^\s,;]+ ){0,4}?(?:firms?|manufacturers?|retailers?|"
    r"contacts?|compan(?:y|ies)|respondents?|locations?|hotels?|dealers?|banks?|bankers?|producers?|restaurants?|offices?|customers?|"
    r"survey|poll|agents?|brokers?|lenders?|sellers?|managers?|makers?|employers?|carriers?|builders?|port|resort|store|chain|exporter|processor|wholesaler|plant)\b|\brespondents\b",
    re.I,
)
"""Who speaks of himself: what changed with one firm did not change with the place."""
_THAN = re.compile(
    r"(?:(?<!more )(?<!less )than|compared (?:with|to)|from|since|relative to|versus|over)(?: the)?(?: [\w-]+){0,3}?[ -]$",
    re.I,
)
_VAGUE = re.compile(r"\b(?:more than|less than|over|up to|at least|as much as|or less|or more|at most)\b", re.I)
_LEADING = re.compile(
    rf"^(?:(?:{'|'.join(month_name[1:])}|year-over-year|annual|monthly|quarterly|recent|total) )+", re.I
)
_CLAUSE = re.compile(
    r";|, (?:while|but|whereas|and (?:[a-z]+ )?(?:in )?(?=[^,]*\b(?:rose|fell|up|down|increased|declined)\b))"
)
MOST_PLACES = 3


class PercentChange(NamedTuple):
    """By how many percent something changed."""

    indicator: str
    value: float
    text: str
    """As written: ``rose 4 percent``."""
    marks: tuple[int, ...]
    """The places whose it is; none where the sentence names none."""
    date: str | None
    confidence: float
    rule: str = ""


def find_changes(masked: str, date: str | None) -> list[PercentChange]:
    """The changes that a sentence states; ``date`` is the document's, which tells the year of a bare month."""
    if "ercent" not in masked and "%" not in masked and "per cent" not in masked:
        return []
    if is_unreal(masked) or _OF_SOME.search(masked):
        return []
    found: list[PercentChange] = []
    start = 0
    for end in [*(cut.start() for cut in _CLAUSE.finditer(masked)), len(masked)]:
        clause = masked[start:end]
        if not _NOT_STATED.search(clause):
            found += _of_clause(clause, masked, date)
        start = end
    return found


def _of_clause(clause: str, masked: str, date: str | None) -> list[PercentChange]:
    found: list[PercentChange] = []
    when, sure = _date(clause, date)
    for how, expression in (("verb", _VERB_FIRST), ("number", _NUMBER_FIRST), ("noun", _NOUN)):
        for match in expression.finditer(clause):
            indicator = indicator_name(_LEADING.sub("", _MARKED.sub(" ", match["indicator"]).strip()))
            if not indicator or any(one.indicator.startswith(indicator) for one in found):
                continue
            places = _places(clause, match.end())
            if len(places) > MOST_PLACES or (not places and f"{OPEN}L" in masked):
                continue  # a place stands in another role: whose the figure is is not clear
            if match["upper"]:
                continue  # "3 to 10 percent" is no figure
            value = float(match["number"])
            vague = _VAGUE.search(match.group())
            basis = "_year_over_year" if _YEAR.search(clause) else ""
            found.append(
                PercentChange(
                    f"{indicator}_change{basis}",
                    value if match["up"] else -value,
                    _MARKED.sub("", match.group()).strip()[-80:],
                    places,
                    when,
                    round(sure - (0.1 if vague else 0.0), 2),
                    f"changes.{how}",
                )
            )
    return found


_MARKED = re.compile(rf"{OPEN}[A-Z]\d+{CLOSE}(?:['’]s)?")


def _places(clause: str, end: int) -> tuple[int, ...]:
    """The places of a figure that ends at ``end``: before it, or right behind it."""
    marks: list[int] = []
    for match in [*_IN_PLACE.finditer(clause), *_OWN.finditer(clause)]:
        if match.start() > end and re.search(r"[,;:]|\bwith\b", clause[end : match.start()]):
            continue
        marks.append(int(match["mark"]))
        following = _LIST.match(clause, match.end()) if match.re is _IN_PLACE else None
        while following is not None:
            marks.append(int(following["mark"]))
            following = _LIST.match(clause, following.end())
    return tuple(dict.fromkeys(marks))


def _date(clause: str, date: str | None) -> tuple[str | None, float]:
    """When it was, and how sure the figure is: a date in the clause, a month of the document's year, the document's."""
    spans = dates.find_dates(clause)
    own = [span for span in spans if not _THAN.search(clause[: span.start])]
    if own:
        return own[-1].date, 0.8
    months = [found["month"] for found in _MONTH.finditer(clause) if not _THAN.search(clause[: found.start()])]
    if months and date is not None and len(date) >= 7:
        month = _MONTHS.index(months[-1])
        year = int(date[:4]) - (month > int(date[5:7]))
        return f"{year:04d}-{month:02d}", 0.75
    return date, 0.55 if spans else 0.65
