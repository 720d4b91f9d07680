"""When and where somebody was born and died, and of whom, as leads say it: in brackets, in words.

Used by ``leads``; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgfs.documents import dates
from kgfs.extraction.facts.guides.lead_patterns import AND_SPOUSE, BE, DESCRIBED, ENDS, NAME, NAMES, LeadFact
from kgfs.extraction.facts.guides.life_dates import life_dates
from kgfs.extraction.facts.marks import MARK, OPEN, mark_numbers

_BORN = re.compile(r"\b(?:born|b\.)(?: as [^,;]{2,40}?)?[ ,:]*(?P<rest>.*)", re.S)

_DIED = re.compile(r"\b(?:died|d\.)[ ,:]*(?P<rest>.*)", re.S)

_SPAN = re.compile(r"\s[–—-]\s|\s?[–—]\s?")

_IN = re.compile(rf"(?:,| in| at|^)\s*(?:the )?(?P<o>{NAME})")

_SAID_BORN = re.compile(rf"^(?: {BE})? born(?P<rest>[^;]{{2,120}})")

_AND_DIED = re.compile(
    rf"^(?: {BE})? born[^;:{OPEN}]*(?:{MARK}[^;:{OPEN}]*){{0,2}}?(?:,? and|,|;) (?:later |then )?(?:he |she )?died(?P<rest>[^;]{{2,120}})"
)
"""*was born in ⟨1⟩ on 3 May 1950 and died in ⟨2⟩ on 1 June 2015*."""

_SAID_DIED = re.compile(r"^(?: (?:later|then|also|suddenly))? (?:died|passed away)(?P<rest>[^;]{2,120})")

_STOP_LIFE = re.compile(
    r"\b(?:and|who|where|to|into|son|daughter|the son|aged|after|of|from|with|while|during|when|grew|raised|but|as)\b"
)

_BORN_TO = re.compile(
    rf"^(?: {BE})? born\b(?:[^;:{OPEN}]|{NAME}){{0,80}}? to {DESCRIBED}(?P<o>{NAMES}{AND_SPOUSE})(?![’']s\b){ENDS}"
)
"""*Born in Orm to the teacher Bob Lee and his wife Ann*."""


def life_in_bracket(bracket: str) -> Iterator[LeadFact]:
    """``born 3 May 1961 in ⟨1⟩``, ``March 4, 1811 – 1899``, ``4 March 1811, ⟨1⟩ – 9 May 1899, ⟨2⟩``."""
    born, died = _BORN.search(bracket), _DIED.search(bracket)
    if born or died:
        if born:
            end = died.start() if died and died.start() > born.start() else len(bracket)
            text = born["rest"][: end - born.start("rest")]
            halves = _SPAN.split(text, maxsplit=1)
            yield from _event("BORN", halves[0], "leads.born_bracket")
            if len(halves) == 2 and died is None:
                yield from _event("DIED", halves[1], "leads.died_bracket")
        if died:
            yield from _event("DIED", died["rest"], "leads.died_bracket")
        return
    halves = _SPAN.split(bracket)
    if len(halves) == 2 and all(len(list(dates.find_dates(half))) == 1 for half in halves):
        yield from _event("BORN", halves[0].rpartition(";")[2], "leads.born_bracket", years_only=True)
        yield from _event("DIED", halves[1], "leads.died_bracket", years_only=True)


def other_life(bracket: str, told: Sequence[LeadFact]) -> Iterator[LeadFact]:
    """What a bracket, with the names written out, says of a life beside what is ``told``: years before 1400, other places."""
    born, died = life_dates(bracket)
    word = _BORN.search(bracket) is not None or _DIED.search(bracket) is not None
    for type_, moment in (("BORN", born), ("DIED", died)):
        if moment is None:
            continue
        placed = [fact for fact in told if fact.type == f"{type_}_IN"]
        if placed:
            for fact in placed:
                fact.place = moment.place  # behind a day it is one, whatever the name is taken for
            continue
        if any(fact.type == type_ for fact in told) and not moment.place:
            continue
        rule = f"leads.{type_.lower()}_bracket"
        if moment.place:
            yield LeadFact(
                f"{rule}_in", f"{type_}_IN", text=moment.text, date=moment.date, confidence=0.85, place=moment.place
            )
        else:
            yield LeadFact(rule, type_, text=moment.text, date=moment.date, confidence=0.85, years_only=not word)


def life_in_words(rest: str) -> Iterator[LeadFact]:
    """``was born in 1961 in ⟨1⟩``, ``died on 3 May 1999``."""
    for type_, pattern, rule in (
        ("BORN", _SAID_BORN, "leads.born"), ("DIED", _SAID_DIED, "leads.died"), ("DIED", _AND_DIED, "leads.died")
    ):  # fmt: skip
        found = pattern.match(rest)
        if found:
            stop = _STOP_LIFE.search(found["rest"])
            yield from _event(type_, found["rest"][: stop.start()] if stop else found["rest"], rule)
    if (parents := _BORN_TO.match(rest)) is not None:
        yield from (LeadFact("leads.parents", "CHILD_OF", mark) for mark in mark_numbers(parents["o"]))


def _event(type_: str, text: str, rule: str, *, years_only: bool = False) -> Iterator[LeadFact]:
    """A birth or a death: at a place, else on a date. ``years_only``: the words do not say which of the two it is, so that a
    bare pair of years may be those of a reign or a firm; the caller asks for a person."""
    when = dates.find_dates(text)
    date = when[0].date if len(when) == 1 else None
    place = _IN.search(text)
    if place:
        yield LeadFact(
            f"{rule}_in",
            f"{type_}_IN",
            mark_numbers(place["o"])[0],
            text=text[when[0].start : when[0].end].strip() if date else "",
            date=date,
            confidence=0.85,
            years_only=years_only,
        )
    elif date:
        yield LeadFact(
            rule,
            type_,
            text=text[when[0].start : when[0].end].strip(),
            date=date,
            confidence=0.85,
            years_only=years_only,
        )
