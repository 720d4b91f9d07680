"""Names that a text has in capitals alone, in the letters in which they are written else.

Used where a cover page, a heading or a list of persons shouts; pure.
"""

from __future__ import annotations

import re

_SMALL = frozenset("a an and at by de del der di du for in of on or the to van von with".split())
_KEPT = frozenset("AG AI BV CEO GE GP HP IBM II III IV KG LLC LLP LP NA NV PLC SA SE UK US USA VI VII".split())
_LETTERS = re.compile(r"(?!MR|MS|DR|ST|JR|SR)[BCDFGHJKLMNPQRSTVWXZ]{2,5}[.,]?|[A-Z]&[A-Z]")
"""A word without vowels is letters: *KPMG*, *CSX*."""
_INITIALS = re.compile(r"(?:[A-Z]\.)+,?")
_WORD = re.compile(r"[^\W\d_]+")
_SHOUTED = re.compile(r"(?:Mc|Mac)?[A-Z][A-Z.,&'’-]*")


def is_shouted(name: str) -> bool:
    """Whether every word of a name of several words is in capitals: ``ANN M. McTARN``."""
    words = name.split()
    return len(words) > 1 and sum(map(str.isupper, name)) > len(words) and all(map(_SHOUTED.fullmatch, words))


def calmed(name: str, text: str = "") -> str:
    """A shouted name as ``text`` writes it elsewhere, else with one capital a word; any other name as it is."""
    if not is_shouted(name):
        return name
    for found in re.finditer(re.escape(name), text, re.IGNORECASE):
        if any(map(str.islower, found[0])) and all(word[0].isupper() for word in found[0].split() if len(word) > 3):
            return found[0]
    first, *others = name.split()
    return " ".join([_calmed_name(first), *map(_calmed_word, others)])


def _calmed_word(word: str) -> str:
    """A word inside a name: small, of letters, or with one capital."""
    return word.lower() if word.lower() in _SMALL else _calmed_name(word)


def _calmed_name(word: str) -> str:
    if word.strip(".,") in _KEPT or _LETTERS.fullmatch(word) or _INITIALS.fullmatch(word):
        return word
    return _WORD.sub(_capitalized, word)


def _capitalized(found: re.Match[str]) -> str:
    word = found[0]
    if word.startswith(("Mc", "Mac")) and word[-1].isupper():
        head = "Mc" if word.startswith("Mc") else "Mac"
        return head + word[len(head) :].capitalize()
    return word.capitalize()


_OPENING = re.compile(
    r"[\"“‘'_*(]{0,3}(?:The |THE )?(?P<run>[^\W\d_a-z][^a-z\n]{2,90}?)(?=[\"”’'_*]{0,3}(?: [a-z(]|[,(\[]))"
)


def calmed_opening(text: str, title: str) -> str:
    """A text whose first words are its title in capitals, as the dumps of an encyclopedia have it, with the letters of
    the title: ``KO VAYA is a place`` is ``Ko Vaya is a place``. Nothing moves."""
    found = _OPENING.match(text)
    run = found["run"] if found is not None else ""
    if sum(map(str.isupper, run)) < 4 or any(map(str.islower, run)):
        return text
    own = {word.upper(): word for word in _WORD.findall(title.replace("_", " "))}
    words = [word for word in _WORD.findall(run) if len(word) > 2]
    # Of letters (*NATO*) the title is letters too.
    if not any(word in own and own[word] != word for word in words):
        return text
    calm = _WORD.sub(lambda word: own.get(word[0]) or _calmed_word(word[0]), run)
    assert found is not None
    return text[: found.start("run")] + calm + text[found.end("run") :] if len(calm) == len(run) else text
