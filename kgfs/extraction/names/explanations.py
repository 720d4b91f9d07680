"""Which words a text explains a short form with: those before its bracket, those behind its dash in a list of terms.

Used by short forms; pure. The words must have the letters of the short form, each word its first one, so that nothing
else has to say that they are a name: ``Leave Without Pay (LWOP)``, ``Windows Remote Management (WinRM)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.extraction.names.wordlists import words

LONGEST = 10
"""Letters of a short form."""
_SMALL = frozenset("of the and for in on to a an de la with by from as at or & 's".split())
"""Words that need no letter."""
_ENDINGS = frozenset(
    "able ably age ally ance ancy ant ants ary ate ated ates ation ations ative ator ators ence ency ent ents "
    "ers ess est ful ial ible ical ically ies ing ings ion ional ions ious ish ism ist ists ite ition itions "
    "ity ive ives ize ized less ment ments ness ology ors ory ous ship ships sion sions tion tional tions tor "
    "tors ual ure ures ward ways".split()
)
"""What the words of the language end in."""
_WORD = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)*|&")
_TERM = re.compile(r"(?P<short>[^\W\d_](?:[^\W\d_]|[&-](?=[^\W\d_])){1,9})s? ?(?: -|[–—:]|- ) ?(?=\S)")
_LISTED = re.compile(r"\b[A-Z][\w-]+(?:, [A-Z][\w-]+)+,? (?:and|&) [A-Z][\w-]+$")
"""*Tools, Practices and Systems*."""
_ARTICLE = re.compile(r"(?:the|an?) ", re.I)
_BETWEEN = re.compile(r"[ -]")
_ENDS = re.compile(r"\s*(?:$|[.,;:()]|[–—-] )|\s+[a-z]")
_SPOKEN = re.compile(
    r"(?i)(?:i|you|he|she|it|we|they|this|that|there|what|let|who)(?:[’'](?:s|m|re|ll|ve|d))?|is|are|was|were|has|have|had|does|do|did|"
    r"can|could|will|would|shall|should|may|might|must|\w+n[’']t"
)
"""Words of a sentence, not of a term: *TC: That's correct* is what TC said."""
_OPENING = re.compile(r"(?:^|[.:!?])[\s\"'“‘(`*_]*$")
_POSSESSIVE = re.compile(r"[’']s$")
_OWNER = re.compile(r"[’']s $")
_BEFORE = re.compile(r"(?P<word>[^\W_]+(?:[’'.&-][^\W_]+)*)(?P<small>(?: (?:of|for|and|the|&)){0,2}) $")


class ExplainedShortForm(NamedTuple):
    """A short form, and where the words stand that explain it."""

    short: str
    start: int
    end: int


def is_short(text: str) -> bool:
    """Whether a text is written like a short form: ``WHO``, ``PhD``, ``WinRM``, with an ``s`` or without."""
    letters = [char for char in text if char.isalpha()]
    return (
        2 <= len(letters) <= LONGEST
        and all(char.isalpha() or char in "&-" for char in text)
        and text[0].isalpha()
        and sum(map(str.isupper, letters)) >= 2
    )


def singular_short_form(short: str) -> str:
    """A short form without the ending of its plural: ``GPUs``."""
    return short[:-1] if len(short) > 2 and short[-1] == "s" and short[-2].isupper() else short


def before_bracket(text: str, bracket: int, short: str) -> ExplainedShortForm | None:
    """The words right before a bracket that have the letters of the short form in it."""
    if not is_short(short):
        return None
    last = len(text[:bracket].rstrip())
    found = [one for one in _WORD.finditer(text, max(0, bracket - 150), last)]
    if not found or found[-1].end() != last:
        return None
    run = [found[-1]]
    for one in reversed(found[:-1]):
        if not _BETWEEN.fullmatch(text[one.end() : run[0].start()]):
            break
        run.insert(0, one)
    spelled = _shortest([run[-count:] for count in range(2, len(run) + 1)], singular_short_form(short))
    if spelled is None and (listed := _LISTED.search(text, max(0, bracket - 150), last)):
        capital = "".join(word[0] for word in _WORD.findall(listed[0]) if word[0].isupper())
        return ExplainedShortForm(short, listed.start(), last) if capital == short else None
    if spelled is None or _goes_on_before(text, spelled[0]):
        return None
    return ExplainedShortForm(short, *spelled)


def behind_dash(text: str) -> ExplainedShortForm | None:
    """The words behind the short form that opens an entry of a list of terms: ``CO - Contracting Officer.``."""
    term = _TERM.match(text)
    if term is None or not is_short(term["short"]):
        return None
    article = _ARTICLE.match(text, term.end())
    end = article.end() if article else term.end()
    run: list[re.Match[str]] = []
    for one in _WORD.finditer(text, end, end + 150):
        if one.start() > end and not (run and _BETWEEN.fullmatch(text[end : one.start()])):
            break
        if ":" in term[0] and _SPOKEN.fullmatch(one.group()):
            return None  # "TC: That's correct"
        run.append(one)
        end = one.end()
    whole = [run[:count] for count in range(2, len(run) + 1) if _ENDS.match(text, run[count - 1].end())]
    spelled = _shortest(whole, singular_short_form(term["short"]))
    return ExplainedShortForm(term["short"], *spelled) if spelled is not None else None


def spells_short_form(short: str, phrase: Sequence[str], *, inside: bool) -> bool:
    """Whether the words of a phrase give the letters of ``short`` in order: each main word its first letter.

    ``inside`` allows further letters of a word: ``Leave Without Pay`` for ``LWOP``.
    """
    wanted = [char.casefold() for char in short if char.isalpha()]
    reached = {0}
    for word in phrase:
        lowered = word.casefold()
        on: set[int] = set(reached) if lowered in _SMALL else set()
        for place in reached:
            if place < len(wanted) and lowered[0] == wanted[place]:
                on.add(place + 1)
                if inside and lowered not in _SMALL:
                    on.update(_further(word, wanted, place + 1))
        reached = on
    return len(wanted) in reached


def _further(word: str, wanted: Sequence[str], place: int) -> Iterator[int]:
    """How far the letters of a word behind its first one lead: those that follow it (``WINdows``), where it has a
    capital, and those that open a part of the word (``WithOut``, ``PowerShell``), not its ending nor its plural's."""
    lowered = word.casefold()
    follows = word[0].isupper()
    if not follows and lowered[-1] == "s" and lowered[-2] != "s":
        lowered = lowered[:-1]
    for index in range(1, len(lowered)):
        if place == len(wanted):
            return
        opens = word[index].isupper() or (1 < index < len(lowered) - 2 and lowered[index:] not in _ENDINGS)
        if lowered[index] == wanted[place] and (follows or opens):
            place += 1
            yield place
        else:
            follows = False


def _shortest(phrases: Sequence[Sequence[re.Match[str]]], short: str) -> tuple[int, int] | None:
    """The place of the shortest phrase that has the letters, by first letters alone where there is one."""
    for inside in (False, True):
        for phrase in phrases:
            said = [one.group() for one in phrase]
            if said[0].casefold() in _SMALL or said[-1].casefold() in _SMALL or len(said) > len(short) + 4:
                continue
            if _may_be_short_for(short, said) and spells_short_form(short, said, inside=inside):
                return phrase[0].start(), phrase[-1].end() - (2 if _POSSESSIVE.search(said[-1]) else 0)
    return None


def _may_be_short_for(short: str, phrase: Sequence[str]) -> bool:
    """Whether a phrase is written as one is that has a short form like this, and is much longer.

    Its main words all have capitals, or none but the first, which may open a sentence: then it is a term, and
    identifiers of code (``WriteDebug``) are no short forms of terms.
    """
    capitals = [word[0].isupper() for word in phrase if word.casefold() not in _SMALL]
    if len(capitals) < 2 or 3 * len(short) > 2 * sum(map(len, phrase)) or short.casefold() in map(str.casefold, phrase):
        return False
    return all(capitals) or (not any(capitals[1:]) and short.isupper() and short.isalpha())


def _goes_on_before(text: str, start: int) -> bool:
    """Whether a name is only the end of a longer one: ``Adobe Acrobat and Creative Cloud (CC)``."""
    if not text[start].isupper() or _OWNER.search(text[:start]):
        return False
    found = _BEFORE.search(text, max(0, start - 60), start)
    if found is None or not found["word"][0].isupper():
        return text[:start].endswith("-")
    opens = _OPENING.search(text[: found.start()]) is not None
    word = found["word"].lower()
    return word not in ("the", "a", "an") and not (opens and word in words.WEAK_STARTS | words.NOT_NAMES)
