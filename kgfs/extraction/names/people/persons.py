"""Where one word is a person's name by what the words around it say: somebody is born, reigns, has a son.

Used by ``tag_notes``; pure. What bodies do as well (they say, join, win, found) is no sign here.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

from kgfs.extraction.names.wordlists import words

_LIVES = re.compile(
    r"(?:['’]s)?,? (?:who|whose|himself|herself)\b"
    r"|,? (?:the |a |an )?(?:eldest |only |second |younger )?(?:son|daughter|brother|sister|wife|widow|grandson|nephew) of\b"
    r"|,? the (?:Great|Elder|Younger|First|Second|Third|king|queen|emperor|philosopher|monarch|tyrant|poet|historian|naturalist)\b"
    r"|['’]s (?:father|mother|wife|husband|sons?|daughters?|brother|sister|death|birth|reign|life|body|tomb|throne|writings|pupils?|disciples?|campaigns|army)\b"
    r"| (?:had |has |have |then |was |were |also |never |once |himself |presently |had been ){0,2}"
    r"(?:born|murdered|assassinated|crowned|executed|banished|beheaded|poisoned|buried|died|dies|wrote|writes|thought|believed|taught|married|reigned|replied|remarked|marched|fled|fell ill|rode|perished|knew|conquered|succeeded)\b"
    r"| (?!(?:and|or|of|the|in|at|on|to|for|where|which|that|with|by|from)\b)(?:[a-z]+ly )?[a-z]+ (?:his|himself|herself)\b"
)
"""Behind somebody's name."""
_OF = re.compile(
    r"\b(?:sons?|daughters?|father|mother|brother|sister|wife|widow|grandson|heirs?|death|murder|assassination|birth|reigns?|tomb|pupils?|"
    r"tutor|disciples?|intimate|ideas|writings|teachings?|opinions?|days|lifetime|conquests|campaigns|accession|successors?|remarks?) (?:of|to) $"
    r"|\b(?:described|discussed|figured|noticed|observed|painted|remarked|translated) by $"
    r"|\b(?:king|queen|emperor|prince|princess|pharaoh|prophet|apostle|saint|philosopher|poet|historian|naturalist|"
    r"general|successor|son|daughter|brother|sister|wife|uncle|nephew|grandson|certain|says|writes|remarks|according to),? $",
    re.I,
)
"""Before it."""
_HIS = re.compile(
    r"\b(?:Mr\.?|Sir|Lord|Father|Brother|King|Uncle|Secretary|Senator|General|Colonel|Captain|Major|Commodore|Admiral) $"
)
"""Before the name of a man, or of somebody who has a title of his or her own."""
_BEFORE = 40
"""How many characters before a name are read."""


def lives_there(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]``, one word with a capital, does or has there what only somebody does or has."""
    name = text[start:end]
    if not (name.isalpha() and name.istitle() and len(name) > 2):
        return False
    before = text[max(0, start - _BEFORE) : start]
    return _LIVES.match(text, end) is not None or _OF.search(before) is not None


_LABELLED = re.compile(
    r" ?: ?\(?(?P<given>[^\W\d_a-z][\w'’-]+)(?: [A-Z]\.)? [^\W\d_a-z][\w'’-]*(?: [^\W\d_a-z][\w'’-]*)?\)? *(?:$|[,;(@*\\\[])"
)


def labels_person(text: str, start: int, end: int) -> bool:
    """Whether a line begins with ``text[start:end]`` and a colon, and names somebody behind it and no more: it says what
    that person does, and nobody speaks: *Oil Liaison: Ann Lee (@al)*."""
    found = _LABELLED.match(text, end) if not start else None
    return found is not None and found["given"] in words.CLEAR_GIVEN


def is_of_man(text: str, start: int) -> bool:
    """Whether the title before a surname tells its bearer from the wife who has it by him: *Mr. Lind*, *Mrs. Carl Lind*."""
    return _HIS.search(text, max(0, start - _BEFORE), start) is not None
