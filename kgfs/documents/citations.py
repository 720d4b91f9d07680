"""References to what was published, as notes, papers and bibliographies write them: authors, year, title, source.

Used by extraction; pure. ``Ann Lee (2008): _Lamps at Sea_, Oslo: Tarn Press``, ``Lee, A., & Ray, B. (2019). Lamps at sea.
*Journal of Lamps*, 12(3), 1-10.``, ``Ann Lee, "Lamps at Sea," Journal of Lamps 12 (2008)``. A reference stands at the
start of a footnote, an item or a paragraph, and the rest of it is no prose. The styles are those of APA, Chicago, MLA,
IEEE and Vancouver, as far as they say the names of authors first.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import NamedTuple

_WORD = r"[^\W\d_a-z][^\W\d_]*(?:['’-][^\W\d_]+)*"
_PARTICLE = r"(?:d[ei]|del|della|den|der|du|la|le|van|von|zu|ter|ten|bin|al)"
_INITIALS = r"(?:[^\W\d_a-z]\.?[- ]?){1,3}(?:-[^\W\d_a-z]\.)?"
_PLAIN = rf"{_WORD}(?:,? (?:Jr|Sr)\.| (?:{_WORD}|[^\W\d_a-z]\.?|{_PARTICLE})){{1,5}}"
"""``Ann B. van der Lee``."""
_INITIALS_FIRST = rf"(?:[^\W\d_a-z]\.[- ]?){{1,3}} ?(?:{_PARTICLE} )?{_WORD}"
"""``A. B. van der Lee``."""
_TURNED = rf"(?:{_PARTICLE} )?{_WORD}(?: {_WORD})?, {_INITIALS}"
"""``van der Lee, A. B.``."""
_LAST_FIRST = rf"(?:{_PARTICLE} )?{_WORD}(?: {_WORD})?, {_WORD}(?: [^\W\d_a-z]\.)?"
"""``Lee, Ann B.``, the first of several in a bibliography."""
_LETTERED = rf"{_WORD} [^\W\d_a-z]{{1,3}}"
_MEDICAL = rf"{_LETTERED}(?=[,.] )"
"""``Lee AB``."""
_BETWEEN = r"(?:,? (?:and|&|und) |, |; )"
_MORE = r"(?:,? (?:and others|et al\.?|…))?"


def _list_of(name: str) -> str:
    return rf"{name}(?:{_BETWEEN}{name}){{0,24}}"


_AUTHORS = rf"(?P<authors>{_list_of(_TURNED)}|{_LAST_FIRST}(?:{_BETWEEN}{_PLAIN}){{0,8}}|{_list_of(_PLAIN)}|{_list_of(_INITIALS_FIRST)}|{_list_of(_MEDICAL)}|{_WORD}(?= et al)){_MORE}(?: \((?:eds?|hg|hrsg)\.\)|, eds?\.)?"
_ALL_TURNED = re.compile(_list_of(_TURNED))
_ALL_LETTERED = re.compile(_list_of(_LETTERED))
_FIRST_TURNED = re.compile(rf"{_LAST_FIRST}(?:{_BETWEEN}{_PLAIN})*")
_ONE_TURNED = re.compile(rf"({_WORD}(?: {_WORD})?), ({_INITIALS})(?={_BETWEEN}|\s*$)")
_LABEL = re.compile(r"\s*(?:\[\^[^\]\s]{1,60}\]:|\[\d{1,3}\]:?|\d{1,3}[.)]|\^)?\s*")
_YEAR = r"\((?P<year>1[5-9]\d\d|20\d\d)[a-z]?(?:, [A-Z][a-z]+(?: \d{1,2})?)?\)"
_ENTRY = re.compile(rf"{_AUTHORS}[.,]?\s+{_YEAR}\s?(?P<mark>[:.,]|$)?\s*")
"""Authors with the year behind them."""
_MARKED = (
    r"(?:(?P<emphasis>\*{1,3}|_{1,3})\[?(?P<title>[^*_\n\[\]]{3,200}?)(?:\](?:\([^()\s]*\)|\[[^\]\n]*\]))?(?P=emphasis)(?!\w)"
    r"|(?P<open>[\"“])(?P<quoted>[^\"“”\n]{3,200}?)[.,?!]?[\"”]"
    r"|\[[*_\"“]{0,3}(?P<linked>[^\[\]\n]{3,200}?)[*_\"”]{0,3}\]\((?P<target>[^()\s]+)\))"
)
_BY_TITLE = re.compile(rf"{_AUTHORS}(?P<mark>[:.,]) {{1,2}}{_MARKED}")
"""Authors with a title behind them that is set apart."""
_TITLE = re.compile(_MARKED)
_SOURCE = re.compile(
    r"[A-Z][\w.]*(?:[ -][A-Z][\w.]*){0,3}: [A-Z][\w&’'.-]+"
    r"|(?:In:? |Proc(?:eedings|\.) )"
    r"|[A-Z*_][\w.&:’' *-]{2,90}?[*_]{0,2},? (?:[Vv]ol\.? ?)?\d{1,4}(?:[,:(]| \(|\.|$)"
    r"|(?:[Vv]ol|[Nn]o|[Pp]p?|S)\.? ?\d"
    r"|arXiv|doi\b|https?://|\[(?:[^\[\]]+)\]\(https?:"
)
"""Where or by whom something was published: *Oslo: Tarn Press*, *Journal of Lamps 12(3)*, pages, an address."""
_PLACED = re.compile(
    r"(?<![\w’'])(?:[A-Z][\w.]*(?:[ -][A-Z][\w.]*){0,3})(?:, [A-Z][\w.]+)?: (?P<publisher>[A-Z][\w&’'-]*(?: (?:and|of|&|[A-Z][\w&’'-]*)){0,5})(?=[,.;)\s]|$)"
)
_ANY_YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d)(?!\d)")
_HINT = re.compile(r"\((?:1[5-9]|20)\d\d[a-z]?[,)]|[:.,] {1,2}(?:[*_\"“]|\[)")
"""What any of them has."""
_LONGEST = 1500
_MOST_WORDS = 14
"""A title with more than that is known by what stands before its colon or point."""
_NO_AUTHOR = frozenset(
    "The A An See Also In From For And But This That These Those When While If As By On At To Of With Chapter Part Section "
    "Figure Table Note Notes Source Sources Example Read More About After Before Since What Why How Who".split()
)


class Author(NamedTuple):
    """Whom a reference names as one who wrote what it is of."""

    name: str
    """As one says it: ``Ann B. Lee``, ``A. Lee``."""
    whole: bool
    """Not by initials alone."""


class Citation(NamedTuple):
    """One reference."""

    end: int
    """Characters from the start of the text that was given."""
    authors: list[Author]
    """None where one surname stands for all."""
    title: str
    year: str
    """Empty where none is given."""
    publisher: str
    """Empty where none is given."""


def citation_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The references that ``text[start:end]`` consists of: a paragraph, an item, a footnote; none where it is prose."""
    if end - start > _LONGEST * 4 or not _HINT.search(text, start, min(end, start + _LONGEST)):
        return []
    found: list[tuple[int, int]] = []
    while start < end:
        one = read_citation(text[start : min(end, start + _LONGEST)])
        if one is None:
            break
        found.append((start, start + len(text[start : start + one.end].rstrip())))
        start += one.end
    if found and start < end:  # what is said behind it: "Worth a read."
        found[-1] = (found[-1][0], start + len(text[start:end].rstrip()))
    return found


def read_citation(text: str) -> Citation | None:
    """The reference with which a text begins, up to the next one; ``None`` where it begins with none."""
    label = _LABEL.match(text)
    begin = label.end() if label else 0
    entry = _ENTRY.match(text, begin)
    if entry is not None:
        title, behind = _title_behind_year(text, entry.end(), colon=entry["mark"] == ":")
        year = entry["year"]
    else:
        entry = _BY_TITLE.match(text, begin)
        if entry is None:
            return None
        title, behind, year = _marked_title(entry), entry.end(), ""
    authors = _authors(entry["authors"])
    if not title or not (authors or entry["authors"].isalpha()):  # "Lee et al.": nobody by name, and no prose
        return None
    end = _next(text, behind)
    rest = text[behind:end]
    if not year:
        dated = _ANY_YEAR.search(rest)
        if dated is None or (_SOURCE.search(rest[:200]) is None and "(" not in rest[: dated.start()]):
            return None
        year = dated[0]
    placed = _PLACED.search(rest[:160])
    return Citation(end, authors, _short(title), year, placed["publisher"] if placed else "")


def _title_behind_year(text: str, start: int, *, colon: bool) -> tuple[str, int]:
    """The title that stands behind authors and year, and where it ends."""
    marked = _TITLE.match(text, start)
    if marked is not None:
        return _marked_title(marked), marked.end()
    line = text[start : start + 400]
    for stop in re.finditer(r"[.,?!](?= |$)" if colon else r"[.?!](?= |$)", line):
        behind = len(line) - len(line[stop.end() :].lstrip())
        if _SOURCE.match(line, behind) is not None:
            return _plain(line[: stop.start()]), start + stop.end()
    return "", start


def _marked_title(found: re.Match[str]) -> str:
    return _plain(found["title"] or found["quoted"] or found["linked"] or "")


def _plain(text: str) -> str:
    """A title without markup and the point behind it."""
    return " ".join(re.sub(r"[*_`]+|\[|\](?:\([^()\s]*\)|\[[^\]]*\])?", "", text).split()).strip(" .,;:")


def _short(title: str) -> str:
    """The name of a work: a long title without what stands behind its colon or point."""
    title = re.split(r",? [Ii]n: ", title)[0]
    if len(title.split()) <= _MOST_WORDS // 2:
        return title
    main = re.split(r"[:.?!](?= )| [-–—]+ ", title)[0].strip()
    return main if len(main.split()) > 1 or len(title.split()) > _MOST_WORDS else title


def _next(text: str, start: int) -> int:
    """Where the next reference of the same paragraph begins, or the text ends."""
    for found in re.finditer(r"[.)]\s{1,8}(?=[^\W\d_a-z])", text[start:]):
        place = start + found.end()
        entry = _ENTRY.match(text, place)
        if entry is not None and _title_behind_year(text, entry.end(), colon=entry["mark"] == ":")[0]:
            return place
    return len(text)


def _authors(text: str) -> list[Author]:
    """The persons of a list; none where a part of it is nobody."""
    turned = list(_ONE_TURNED.finditer(text))
    if turned and _ALL_TURNED.fullmatch(text):
        return [Author(f"{_spaced(one[2])} {one[1]}", whole=False) for one in turned]
    if _ALL_LETTERED.fullmatch(text):
        return []  # letters alone, and titles that nothing marks
    names = [name for name in re.split(_BETWEEN, text) if name]
    if len(names) > 1 and " " not in names[0] and _FIRST_TURNED.fullmatch(text):
        names = [f"{names[1]} {names[0]}", *names[2:]]
    found = [Author(name.strip(), whole=_is_whole(name)) for name in names]
    return [] if any(one.name.split()[0] in _NO_AUTHOR or " " not in one.name for one in found) else found


def _is_whole(name: str) -> bool:
    return len(name.split()[0].rstrip(".")) > 1 and not name.split()[0].isupper()


def _spaced(initials: str) -> str:
    """``A.B.`` as ``A. B.``."""
    return " ".join(f"{letter}." for letter in re.findall(r"[^\W\d_]", initials))
