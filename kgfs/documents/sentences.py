"""Where sentences end, by punctuation and a list of abbreviations.

Used by chunking (to cut long paragraphs), formats (descriptions) and extraction; pure, linear, no model. Offsets are
characters of the text that was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Never the end of a sentence: something always follows them.
_TITLES = frozenset(
    "mr mrs ms dr prof rev hon sen rep gov gen col capt lt sgt st mt ft vs no nos fig figs vol pp ed eds e.g i.e cf ca "
    "approx abbr jan feb mar apr jun jul aug sept sep oct nov dec op".split()
)
# The end of a sentence only before a word that usually opens one.
_MAYBE = frozenset("inc corp ltd co llc plc bros jr sr etc al u.s u.k u.n e.u a.m p.m d.c dept est".split())
_BEFORE_YEARS = frozenset({"b", "c", "d", "r", "fl", "ca"})
"""Born, about, died, reigned: before a number they end no sentence."""
_OPENERS = frozenset(
    "The A An It He She They We I You In On At By For From As After Before But And This That These Those There Its "
    "His Her Their Our When While With Since Both Many Most Some All Among Under During However Although Later Then "
    "Today Now Each Also Its If One Two Three To Of Not No".split()
)
_BEHIND_LETTER = frozenset("The He She It They His Her Its Their This These During When After Before While".split())
"""What opens a sentence behind a letter that is a number or a name: *Henry V. He*, *vitamin C. It*. No surnames."""
_LETTER_OF_NAME = re.compile(r"\b[A-Z]\.? ?[A-Z]$|(?:^|[.!?:;,(] )[A-Z]$")
"""Initials: *J. A*, and a letter with which a sentence or an item of a list begins."""
_NOTES = r"(?P<notes>(?:\[\^?(?:\d{1,3}|[a-z]{1,2}|[Nn]ote \d{1,3}|citation needed)\](?::\d+(?:[–-]\d+)?)?)*)"
"""Marks of footnotes behind the end of a sentence: *built there.[12][13]*."""
_END = re.compile(
    rf"[.!?…]+[\"'”’»)\]*_]*{_NOTES}(?=\s)|[。！？]"
    r"|(?P<line>(?: {2,}|\\)(?=\n[ \t]*[*_]{0,2}[A-Z][\w /&'’-]{0,40}[*_]{0,2}:))"
)
"""The last is the end of a line that is kept, before a label: what stands on the two lines is no one sentence."""
_QUOTES = frozenset("\"”'’")
_WORD_BEFORE = re.compile(r"([^\W_]+(?:\.[^\W_]+)*)$")
_SURNAME = re.compile(r"\s+[A-Z][a-z]+(?:[,;.]|\s+and\b)")
"""Behind the initial *I.* of a name in a list: *Ann I. Lee, Bo Ray and Cy Dunn*."""
_NEXT_WORD = re.compile(r"\s+([\"'“‘«(\[*_]*)(\w+)?")


def _ends(text: str, mark: re.Match[str]) -> bool:
    """Whether the punctuation ``mark`` closes a sentence."""
    sign = text[mark.start()]
    if sign in "。！？":
        return True
    following = _NEXT_WORD.match(text, mark.end(), mark.end() + 80)
    opener = following.group(2) if following else None
    if opener and opener[0].islower() and not (following and following.group(1)):
        return False
    if sign != ".":
        return True
    quoted = mark.start() - 1 if text[mark.start() - 1 : mark.start()] in _QUOTES else mark.start()  # ("fl". 1388)
    before = _WORD_BEFORE.search(text, max(0, mark.start() - 24), quoted)
    if before is None:
        return True
    word = before.group(1)
    lowered = word.lower()
    if lowered in _MAYBE or re.fullmatch(r"[A-Z](?:\.[A-Z])+", word):
        return opener in _OPENERS
    if lowered in _TITLES:
        # "No." and months may close a sentence when they are ordinary words; a following opener shows it.
        return lowered in {"no", "mar", "jun", "jul", "dec", "ed"} and opener in _OPENERS
    if opener and opener[0].isdigit() and lowered in _BEFORE_YEARS:
        return False
    if word == "I":
        return _SURNAME.match(text, mark.end()) is None
    if len(word) == 1 and word.isupper():
        first = max(0, mark.start() - 40)
        return opener in _BEHIND_LETTER and _LETTER_OF_NAME.search(text, first, mark.start()) is None
    return True


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """The sentences of ``text[start:end]`` as half-open character spans, without the white space around them."""
    end = len(text) if end is None else end
    begin = start
    label = _LABEL_LINE.match(text, start, end)
    if label is not None:
        yield label.span("label")
        begin = label.end()
    for mark in _END.finditer(text, begin, end):
        if not mark["line"] and not _ends(text, mark):
            continue
        first = _skip_space(text, begin, mark.end())
        last = mark.start() if mark["line"] else mark.start("notes") if mark["notes"] else mark.end()
        if first < last:
            yield first, last
        begin = mark.end()
    first = _skip_space(text, begin, end)
    if first < end:
        stripped = text[first:end].rstrip()
        yield first, first + len(stripped)


_SPACE = re.compile(r"\s*")
_LABEL_LINE = re.compile(r"\s*(?P<label>(?P<mark>\*\*|__)[^*_\n]{1,80}(?P=mark):?)[ \t]*(?=\n)")
"""A first line that is bold from end to end, as who speaks in a transcript: what it says is no part of what follows."""


def _skip_space(text: str, start: int, end: int) -> int:
    found = _SPACE.match(text, start, end)
    return found.end() if found else start
