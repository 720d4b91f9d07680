"""Who wrote a work that a text names in passing: *the Lamps at Sea book by Ann Lee*, ``Ann Lee's *Lamps at Sea* book``,
``"Lamps at Sea," by Ann Lee``, ``Ann Lee, who wrote, among other poems, "Lamps at Sea"``.

Used by the fact reader; pure. The name of the work is marked: by emphasis, in quotes, or as the label of a link.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.meeting_notes.attendees import person_name
from kgfs.extraction.facts.structured.listed_names import stated_entry
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.units import Unit

_NAME = r"[^\W\d_a-z][\w.’'-]*(?: [^\W\d_a-z][\w.’'-]*){1,3}"
_NAMES = rf"(?P<who>{_NAME}(?:(?:, and |, | and | & ){_NAME})*?)"
_KIND = r"(?:book|paper|article|essay|talk|handbook|textbook|blog post|report|guide|course)"
_TITLE = r"(?P<title>[^*_\[\]()“”\"\n]{4,80}?)"
_KINDS = rf"(?:{_KIND}|column|interview|piece|podcast|post|presentation|research project|series|story|study|video)"
_BEHIND = r"(?=[\]*_.,;)]|$| (?:about|at|for|from|in|is|of|on|that|which|with)\b| \()"
_PATTERNS = (
    re.compile(rf"(?:^|(?<=[\s\[(])){_NAMES}[’']s? (?:\*{{1,2}}|_|\[\*?|“|\"){_TITLE}(?:\*{{1,2}}|_|\*?\]\([^()\s]+\)|”|\") {_KIND}\b"),
    re.compile(rf"(?:\[|\*{{1,2}}|_|“|\"){_TITLE}(?:\*{{1,2}}|_|\]\([^()\s]+\)|”|\")? {_KIND} by {_NAMES}(?=[\]*_.,;)]|$| (?:is|for|which|that)\b)"),
    re.compile(rf"\[[*_“\"]*{_TITLE}[*_”\"]*\]\([^()\s]+\)(?: \([^()]{{1,30}}\))?(?: [-–—]|,|:) (?:an? |the )?(?:[a-z-]+ ){{0,2}}?{_KINDS} by (?:Dr\.? |Prof\.? )?{_NAMES}{_BEHIND}"),
    re.compile(rf"(?<![*_\w])[*_]{_TITLE}[*_],? by {_NAMES}{_BEHIND}"),
    re.compile(rf"^\W{{0,4}}(?P<who>{_NAME}), \[[*_]{{1,2}}{_TITLE}[*_]{{1,2}}\]\("),
)  # fmt: skip
_HINT = re.compile(rf"\b{_KINDS}\b|[*_],? by [A-Z]|, \[[*_]")
"""What any of them has."""
_QUOTED = r"(?:[\"“]|(?<!\w)[*_'‘])(?P<title>[A-Z\d][^\"“”*_\n]{2,80}?)[,.;:!?]*(?:[\"”]|[*_'’](?!\w))"
_HONORIFIC = r"(?:(?:Mrs?|Dr|Prof|Rev|Hon)\.? |(?:Miss|Sir|Lady|Lord|Professor) )*"
_MAKER = r"(?P<who>[^\W\d_a-z][\w.’'-]*(?: [^\W\d_a-z][\w.’'-]*){0,3})"
"""The maker of a work in quotes; one word is enough for a name: *Haydn wrote*."""
_FOREIGN = r"(?:introduction|preface|foreword|review|notice|letters?|notes?|articles?|about|on|against|to|in|from|back|for|of|under|upon|at|with|by|like|what|that|as|and|it)"
"""Between *wrote* and quotes: then what is in quotes is not what the person wrote."""
_PARTS = r"(?:(?:the |a )?(?:words|lyrics|text|music|score|libretto) (?:of|for|to) )"
_IN_QUOTES = (
    (re.compile(rf"{_QUOTED},? by {_HONORIFIC}{_NAMES}{_BEHIND}"), "WROTE"),
    (re.compile(rf"{_MAKER},?(?: [\"“][^\"“”\n]{{3,60}}[\"”])?(?: who)? (?:had |has |also |later |first |once |then )*(?:wrote|written|penned),? {_PARTS}?(?:(?!{_FOREIGN}\b)[a-z][a-z-]*,? |among others?,? ){{0,7}}?{_QUOTED}"), "WROTE"),
    (re.compile(rf"{_MAKER},?(?: who)? (?:had |has |also |later |first |once |then )*composed {_PARTS}?(?:(?!{_FOREIGN}\b)[a-z][a-z-]*,? ){{0,7}}?{_QUOTED}"), "COMPOSED"),
    (re.compile(rf"{_MAKER}(?:,| is| was|, who was|, who is|, best known as) (?:the |an? )?(?:[a-z-]+ ){{0,2}}?(?:author|authoress|writer|librettist) of (?:(?:the|an?|that|almost|too|[a-z-]+) ){{0,5}}?{_QUOTED}"), "WROTE"),
    (re.compile(rf"{_MAKER}(?:,| is| was|, who was|, who is|, best known as) (?:the |an? )?(?:[a-z-]+ ){{0,2}}?composer of (?:(?:the|an?|that|almost|too|[a-z-]+) ){{0,5}}?{_QUOTED}"), "COMPOSED"),
)  # fmt: skip
_QUOTED_HINT = re.compile(
    r"[\"”*_'’],? by (?=[A-Z])|\b(?:wrote|written|penned|composed|(?:author|authoress|writer|librettist|composer) of)\b[^\"“*_'‘]*[\"“*_'‘]"
)
_CALLED = re.compile(
    r"\b(?:called|named|nicknamed|dubbed|termed|styled|known as|christened|described as|labell?ed|entitled to|pronounced) (?:the )?$"
)
"""Before quotes that hold what somebody calls a thing, and no work."""
_SMALL = frozenset("a an and as at but by de for from in into la le nor of on or over the to upon und with".split())
_CUT = re.compile(
    r"(?i)\b(?:an?|the|of|to|for|with|in|on|his|her|their|own|this|that|and)$|\b(?:corresponding|accompanying)\b"
)
_BETWEEN = re.compile(r", and |, | and | & ")


def written_works(units: Sequence[Unit], lexicon: Lexicon, *, tagged: bool) -> Iterator[LexiconFact]:
    """The facts, in order of the sentences; each pair once."""
    told: set[tuple[int, int]] = set()
    for unit in units:
        if unit.kind not in ("sentence", "row"):
            continue
        for type_, title, makers in (*_marked(unit, tagged=tagged), *_in_quotes(unit, lexicon, tagged=tagged)):
            work = stated_entry(lexicon, title, "Work")
            for person in (stated_entry(lexicon, name, "Person") for name in makers if work is not None):
                if work is not None and person is not None and (person, work) not in told:
                    told.add((person, work))
                    yield LexiconFact("credits.work", candidate_of(unit, type_, 0.8), person, work, unit)


def _marked(unit: Unit, *, tagged: bool) -> Iterator[tuple[str, str, list[str]]]:
    """The works in emphasis and links: type of the fact, title, makers."""
    if _HINT.search(unit.quote) is None:
        return
    for found in (found for pattern in _PATTERNS for found in pattern.finditer(unit.quote)):
        names = [person_name(name.rstrip("."), tagged=tagged) for name in _BETWEEN.split(found["who"])]
        title = found["title"].strip()
        if all(names) and not title.islower() and _CUT.search(title) is None:
            yield "WROTE", title, names


def _in_quotes(unit: Unit, lexicon: Lexicon, *, tagged: bool) -> Iterator[tuple[str, str, list[str]]]:
    """The works in quotes."""
    if unit.kind != "sentence" or _QUOTED_HINT.search(unit.quote) is None:
        return
    text = " ".join(unit.quote.split())
    for pattern, type_ in _IN_QUOTES:
        for found in pattern.finditer(text):
            names = [_known_person(name.rstrip("."), lexicon, tagged=tagged) for name in _BETWEEN.split(found["who"])]
            title = found["title"].strip(" *_")
            before = text[max(0, found.start("title") - 31) : found.start("title") - 1]
            if all(names) and _is_title(title) and _CALLED.search(before) is None:
                yield type_, title, names


def _is_title(text: str) -> bool:
    """Whether words in quotes are written as titles are: two or more, all but small ones with capitals."""
    words = re.findall(r"[^\W\d_][\w’'-]*", text)
    return (
        len(words) > 1
        and words[-1].lower() not in _SMALL
        and all(word[0].isupper() or word in _SMALL for word in words)
    )


def _known_person(text: str, lexicon: Lexicon, *, tagged: bool) -> str:
    """The name of a person that a text is, or ends in where a sentence begins with another word: *Later Haydn*; empty
    for no one."""
    parts = re.sub(rf"^{_HONORIFIC}", "", f"{text} ").split() or text.split()
    for first in range(len(parts)):
        name = " ".join(parts[first:])
        ref = lexicon.find_entry(name)
        best = lexicon.named[lexicon.resolved(ref)].best if ref is not None else None
        if best is not None and best[0] == "Person" and (first == 0 or lexicon.is_word(parts[first - 1])):
            return name
    return person_name(text, tagged=tagged) if len(parts) > 1 else ""
