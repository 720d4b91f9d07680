"""What a page tells its readers to use, sentences without a subject of their own.

Used by ``guide_facts``; pure. ``Use Helm to deploy it``, ``You can use Docker``, ``We recommend Grafana`` say something of the page
(or of those who speak in it) and of one name. A name is the other end only where the phrase ends with it: ``Use Docker labels``
says nothing of Docker.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgfs.extraction.facts.marks import MARK, mark_numbers

_E = MARK
_NAMES = rf"(?P<o>{_E}(?:(?:, and the |, and |, | and the | and |, the ){_E})*)"
_KIND = (
    r"(?: (?:app|application|tool|CLI|command[- ]line(?: (?:tool|interface|client))?|command|plug-?in|extension|website|web ?site|site|client|"
    r"library|framework|package|dashboard|web interface|web UI|console|platform|service|software|program|system|package manager|desktop|account|"
    r"standards?|guidelines?|principles?|specification|guidance|v?\d+(?:\.[\dx]+)*\+?|version \d[\d.]*)){0,2}"
)
_END = (
    rf"{_KIND}(?:[*_\"”’`]*(?:[.,;:)!]|$)| \(|(?: |[-–—] )(?:to|for|with|as|in|on|at|from|by|via|when|whenever|where|wherever|if|so|because|since|instead|"
    r"and|but|before|after|during|which|that|whose|while|through|rather|over|across|inside|within|whereas|is|are|installed|locally|first|also)\b)"
)
_ARTICLE = r"(?:(?:the|an?|your|our|both) )?(?:(?:latest|new|newest|official|local|recent|built-in|existing|free|standard|stable|current|popular|preferred|excellent|great|own|running|working) ){0,2}(?:versions? of )?"
_LEAD = (
    r"^[*_\"“(]*(?:(?:To|In order to|For|When|If|Once|After|Before|On|In|As|From|During|Wherever|Where|While|With|Here at|At|Within) [^.;:?]{3,110}, )?"
    r"(?:(?:Then|Next|First|Firstly|Finally|Instead|Alternatively|Otherwise|Now|Also),? )?"
)
_WHO = r"(?:[Yy]ou|[Tt]eams?|[Ww]e|[Ss]ervices|[Dd]evelopers|[Ee]ngineers|[Ee]veryone|[Ss]taff|[Ee]mployees|[Uu]sers|[Tt]eam members)"
_RECOMMENDED = re.compile(
    rf"{_LEAD}(?:[Ww]e (?:strongly |highly |generally |currently |therefore |would |also )?(?:recommend|suggest|encourage|prefer|favou?r|advise)(?: that)?(?: (?:you|teams|people|everyone|to|using|use|the use of))*"
    rf"|{_WHO} should (?:also |always |generally |normally |ideally |preferably )?(?:be using|use|install|consider(?: using)?|prefer)"
    rf"|(?:[Pp]lease )?[Cc]onsider(?! running)(?: using)?|[Pp]refer(?: using| to use)?|[Ii]t[’']?s? (?:is )?(?:recommended|advisable|best) (?:to use|that you use)|[Aa]lways use|[Ff]avou?r) {_ARTICLE}{_NAMES}(?={_END})"
)
_USED = re.compile(
    rf"{_LEAD}(?P<can>{_WHO} (?:can|may|could) (?:also |then |now )?)?(?:[Pp]lease |[Jj]ust |[Ss]imply )?(?:[Uu]se|[Ii]nstall|[Dd]ownload|[Oo]pen|[Ll]og ?in ?to|[Ss]ign ?in ?(?:to|with)|[Ll]og ?on ?to)(?: and (?:install|configure|open|run|use|launch|start))? {_ARTICLE}{_NAMES}(?={_END})"
)
_DENIED = re.compile(
    r"\b(?:not|never|no longer|without|instead of|rather than|avoid|unless|nor|neither|used to|previously|formerly|deprecated|legacy|alternatives? to)\b|n[’']t\b",
    re.I,
)


class Advice(NamedTuple):
    """What a sentence says of its page and of the name with the number ``mark``."""

    rule: str
    type: str
    mark: int
    by_speaker: bool = False
    """It says *we*: those who speak are its subject where it is known who they are."""


def advice_in(masked: str) -> Iterator[Advice]:
    """What a sentence, whose names are marks, has its readers use; each name once."""
    if masked.rstrip(' *_"”)').endswith("?"):
        return
    told: set[int] = set()
    we = re.search(r"\b(?:[Ww]e|[Oo]ur)\b", masked) is not None
    for rule, type_, pattern in (
        ("guide.recommended", "RECOMMENDS", _RECOMMENDED),
        ("guide.used", "USES", _USED),
    ):
        for found in pattern.finditer(masked):
            before = masked[: found.end()]
            if _DENIED.search(before):
                continue
            for mark in mark_numbers(found["o"]):
                if mark not in told:
                    told.add(mark)
                    may = rule == "guide.used" and found["can"]
                    if may and masked.startswith("Now "):
                        continue  # the next step of what one does anyway
                    yield Advice("guide.suggested" if may else rule, "SUGGESTS" if may else type_, mark, we)
