"""The line that shows why a row was found: the best-matching stretch of its text, cut on words.

Used by ``kgfs.search.searcher``, and by what shows hits. Pure.
"""

from __future__ import annotations

import functools
import re
import unicodedata

from kgfs.languages import UNSPACED, plainly_english

WIDTH = 240
"""Characters, the dots included."""

_LEAD = 60
"""Characters before the first match, so that its sentence can be understood."""
_READ = 20_000
_WORD = re.compile(rf"(?:(?![{UNSPACED}])\w)+|(?=([{UNSPACED}]{{2}}))[{UNSPACED}]|(?<![{UNSPACED}])[{UNSPACED}]")
"""A word; a sign of a script without spaces that has another behind it (both are the first group) or stands alone."""
_ACCENT = re.compile("[\u0300-\u036f]")
_FEWEST, _ENDING = 4, 3
"""Letters of a stem, and of an ending, in a language whose endings are not known."""
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n.{0,4000}?\n(?:---|\.\.\.)[ \t]*\r?\n", re.DOTALL)
_MARKS = re.compile(r"^[ \t]*#{1,6}[ \t]+|^[ \t]*([=~^\"'*+#-])\1{3,}[ \t]*$|(?<=\])\([^()\s]{12,}\)", re.M)
"""Marks of headings, lines beneath them, and where links lead: a line has no room for them."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_PAUSE = re.compile(r"[.!?:;|] ")
_SENTENCE = re.compile(r"[.!?][\"'”’»)\]*_]* (?=[^a-z])|[。！？]")
_SHORT = re.compile(r"(?:(?:^|[\s.(])[A-Z]|\b(?:e\.g|i\.e|vs|Mr|Mrs|Ms|Dr|St|No))\.$")
"""What ends in a point that ends no sentence."""
_SUFFIX = re.compile(r"(?:ing|edly|ed|ies|es|s|ly|'s|e)$")
STOP_WORDS = frozenset(
    "a an and are as at be but by did do does for from had has have how if in into is it its no not of on or such that"
    " the their then there these they this to was were what when where which who why will with".split()
)
"""What every text has, and says nothing by itself."""


def snippet(text: str, query: str, width: int = WIDTH) -> str:
    """At most ``width`` characters of ``text`` in one line, around where most of the query's words stand together.

    Rare words of the query (in this text) count more; with no match it is the text's beginning. Front matter is shown
    only where nothing else matches: what it says is in the title.
    """
    asked = query.casefold()[:2000]
    wanted = {stem for match, stem in _stems(asked) if match.group() not in STOP_WORDS}
    line, found = _matches(_FRONT_MATTER.sub("", text[:_READ]), wanted)
    if not found:
        whole = _matches(text[:_READ], wanted)
        line, found = whole if whole[1] or not line else (line, found)
    return line if len(line) <= width else _cut(line, *_best_stretch(found, width), width)


def found_at(text: str, query: str) -> list[tuple[int, int]]:
    """Where words of a query stand in a text, beginning and end of each, in order: what ``snippet`` looks for."""
    wanted = {stem for match, stem in _stems(query.casefold()[:2000]) if match.group() not in STOP_WORDS}
    found: list[tuple[int, int]] = []
    for match, stem in _stems(text):
        if stem in wanted:
            start, end = match.start(), max(match.end(), match.end(1))
            if found and start <= found[-1][1]:  # two signs of a script without spaces, and the next two
                start = found.pop()[0]
            found.append((start, end))
    return found


def keywords(text: str) -> frozenset[str]:
    """The stems of a text's words that say something: of three letters or more, and no words as every text has."""
    words = ((match.group(), stem) for match, stem in _stems(text.casefold()))
    return frozenset(
        stem for word, stem in words if word not in STOP_WORDS and (len(word) > 2 or len(stem) > len(word))
    )


def hit_line(path: str, score: float, title: str | None, text: str) -> str:
    """A hit as one line, ``path: [score] title: snippet``; a title that the snippet begins with stands there once."""
    title, text = title or "", text.strip()
    for beginning in (f"# {title}", title):
        if title and text.startswith(beginning):
            text = text[len(beginning) :].lstrip(" :")
            break
    return f"{path}: [{score:.2f}] {': '.join(part for part in (title, text) if part)}"


def coverage(query: str, text: str) -> float:
    """What part of a query's words, those that say something (all, where none does), stand in a text: 0 to 1."""
    asked = {(match.group(), stem) for match, stem in _stems(query.casefold()[:2000])}
    wanted = {stem for word, stem in asked if word not in STOP_WORDS} or {stem for _, stem in asked}
    there = {stem for _, stem in _stems(text[:_READ].casefold())}
    held = wanted & there
    if held != wanted and not plainly_english(text[:_READ]):
        # Of endings in other languages it is only known that they stand last: "Häusern" stands in "Häuser".
        begun = {stem[:length] for stem in there for length in range(_FEWEST, len(stem) + 1)}
        held = {stem for stem in wanted if stem in there or stem[: max(_FEWEST, len(stem) - _ENDING)] in begun}
    return len(held) / len(wanted) if wanted else 0.0


def says_something(query: str) -> bool:
    """Whether a query has a word that not every text has."""
    return any(match.group() not in STOP_WORDS for match in _WORD.finditer(query.casefold()[:2000]))


def is_stop_word(word: str) -> bool:
    """Whether a word (in lower case) is one that every English text has."""
    return word in STOP_WORDS


def _matches(text: str, wanted: set[str]) -> tuple[str, list[tuple[int, int, str]]]:
    """The text as one line, and where the wanted words stand in it: beginning, end and stem of each."""
    line = " ".join(_CONTROL.sub(" ", _MARKS.sub("", text)).split())
    return line, [(match.start(), match.end(), stem) for match, stem in _stems(line) if stem in wanted]


def _stems(line: str) -> list[tuple[re.Match[str], str]]:
    return [(match, match[1] or _stem(match.group().casefold())) for match in _WORD.finditer(line)]


@functools.lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if not word.isascii():
        word = _ACCENT.sub("", unicodedata.normalize("NFD", word))
        if not word.isascii():
            return word[:5]  # of endings in other scripts it is only known that they stand last
    short = _SUFFIX.sub("", word)
    return short if len(short) >= 3 else word


def _best_stretch(found: list[tuple[int, int, str]], width: int) -> tuple[int, int]:
    """Where the matches begin and end that are shown: the stretch with the most weight of different words, the first of
    equals."""
    if not found:
        return 0, 0
    counts: dict[str, int] = {}
    for _, _, stem in found:
        counts[stem] = counts.get(stem, 0) + 1
    room = width - _LEAD - 2
    best, best_weight = (0, 0), -1.0
    inside: dict[str, int] = {}
    weight = 0.0
    last = 0
    for first, (begin, _, stem) in enumerate(found):
        while last < len(found) and (last == first or found[last][1] - begin <= room):
            entering = found[last][2]
            if not inside.get(entering):
                weight += 1.0 / counts[entering]
            inside[entering] = inside.get(entering, 0) + 1
            last += 1
        # More words (also the same again) decide between stretches of equal weight.
        value = weight + 0.001 * (last - first)
        if value > best_weight + 1e-9:
            best, best_weight = (begin, found[last - 1][1]), value
        inside[stem] -= 1
        if not inside[stem]:
            weight -= 1.0 / counts[stem]
    return best


def _cut(line: str, match: int, end: int, width: int) -> str:
    """``width`` characters with the matches from ``match`` to ``end``, with dots where something is left out.

    Whole sentences, where the one that holds the matches fits; what stands before a match goes first, since what was
    asked for mostly stands behind it. A longer sentence is cut at words.
    """
    room = width - 2
    begins = [0]
    for found in _SENTENCE.finditer(line):
        if _SHORT.search(line, max(0, found.start() - 5), found.start() + 1) is None:
            begins.append(found.end())
    first = max(begin for begin in begins if begin <= match)
    ends = [*(begin for begin in begins if begin >= end and begin > 0), len(line)]
    last = ends[0]
    if last - first > room:
        if last - max(0, match - _LEAD) > room:
            return _cut_at_words(line, match, width)
        first = _word_start(line, last - room, match)
    else:
        for begin in ends[1:]:
            if begin - first > room:
                break
            last = begin
        for begin in reversed([begin for begin in begins if begin < first]):
            if last - begin > room:
                break
            first = begin
    return ("…" if first else "") + line[first:last].rstrip() + ("…" if last < len(line) else "")


def _word_start(line: str, start: int, match: int) -> int:
    space = line.find(" ", max(0, start - 1), match)
    return space + 1 if space >= 0 else max(0, start)


def _cut_at_words(line: str, match: int, width: int) -> str:
    start = max(0, match - _LEAD)
    if start:
        sentence = [found.end() for found in _PAUSE.finditer(line, start, match)]
        space = line.find(" ", start, match)
        start = sentence[0] if sentence else space + 1 if space >= 0 else start
    if len(line) - start < width - 1:  # near the end: show more of what is before
        start = max(0, len(line) - width + 1)
        space = line.find(" ", start, match)
        start = space + 1 if 0 < start <= space else start
    head = "…" if start else ""
    end = start + width - len(head)
    if end >= len(line):
        return head + line[start:]
    space = line.rfind(" ", start + width // 2, end)
    return head + line[start : space if space >= 0 else end - 1].rstrip() + "…"
