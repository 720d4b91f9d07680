"""What a page tells its readers to use, to have and to avoid, sentences without a subject of their own.

Used by ``guide_facts``; pure. ``Use Helm to deploy it``, ``You need Docker``, ``We recommend Grafana`` say something of the page
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
_PREFERRED = re.compile(
    rf"(?:^|[.;,] |[Tt]he )(?:[Tt]he )?{_NAMES} (?:is|are) (?:our |the |also |strongly |highly |currently )*(?:recommended|preferred|default choice|preferred (?:choice|option|tool|way|solution)|recommended (?:choice|option|tool|way|solution))(?=[.,;:)]|$| (?:for|by|as|to|when|over|because|since|choice|option|tool|way|solution)\b)"
)
_REQUIRED = re.compile(
    rf"{_LEAD}(?:{_WHO}(?:[’']ll| will)? (?:must|needs? to|have to) (?:first |also |always |then )?(?:use|have|install|have installed|be running|set up)"
    rf"|{_WHO}(?:[’']ll| will)? (?:also |first )?need(?: to have| to install| access to| an? (?:account (?:on|with|for))| to be running)?"
    rf"|(?:[Mm]ake sure|[Ee]nsure)(?: that)?(?: you(?:[’']ve| have))?(?: installed| access to)?"
    rf"|{_WHO} must (?:also )?(?:comply with|conform to|adhere to|meet|follow)|[Cc]omply with|[Cc]onform to|[Aa]dhere to) {_ARTICLE}{_NAMES}(?={_END})"
)
_THIS_REQUIRES = re.compile(
    rf"{_LEAD}[Tt]his (?:guide|tutorial|page|lesson|document|section|example|chapter|recipe|how-to) (?:requires|needs|assumes(?: that you have)?|depends on) {_ARTICLE}{_NAMES}(?={_END})"
)
_IS_REQUIRED = re.compile(
    rf"(?:^|[.;,] )(?:The )?{_NAMES}{_KIND} (?:(?:is|are) (?:also )?(?:required|needed|mandatory|a prerequisite)(?=[.,;)]|$| (?:to|for this)\b)|(?:must|needs? to|has to|have to|should) be (?:already )?(?:installed|running))"
)
_INSTALLED = re.compile(
    rf"\b(?:[Hh]ave|with|[Mm]ake sure(?: that)?|[Ee]nsure(?: that)?) {_ARTICLE}{_NAMES}{_KIND} (?:is |are |already )*installed\b"
)
_USED = re.compile(
    rf"{_LEAD}(?P<can>{_WHO} (?:can|may|could) (?:also |then |now )?)?(?:[Pp]lease |[Jj]ust |[Ss]imply )?(?:[Uu]se|[Ii]nstall|[Dd]ownload|[Oo]pen|[Ll]og ?in ?to|[Ss]ign ?in ?(?:to|with)|[Ll]og ?on ?to)(?: and (?:install|configure|open|run|use|launch|start))? {_ARTICLE}{_NAMES}(?={_END})"
)
_WE_USE = re.compile(
    rf"{_LEAD}[Ww]e (?:(?:all|also|currently|generally|mainly|mostly|now|primarily|typically|usually) )?(?:use|rely on|host (?:it|them|this|our \w+) on|deploy to|build on) {_ARTICLE}{_NAMES}(?={_END})"
)
_DONE_WITH = re.compile(
    rf"^(?:The|Our|This|These|All(?: of)?(?: our| the)?|Most(?: of)?(?: our| the)?) (?:[\w’'-]+ ){{1,5}}(?:is|are) (?:currently |also |all |now |mainly |automatically )?(?:built|created|deployed|hosted|managed|stored|tracked|written|run|configured|provisioned|monitored|published|generated|maintained|kept|developed|implemented|tested|automated|deployed|submitted|logged|recorded|booked|filed|shared|documented|reviewed|requested|claimed|processed)"
    rf" (?:in|on|to|with|using|via|through) {_ARTICLE}{_NAMES}(?={_END})"
)
_MEANS = re.compile(rf"\b(?:using|via|with the help of|by means of|by using) {_ARTICLE}{_NAMES}(?={_END})")
_ORDERS = frozenset(
    "add apply archive ask assign book build bump capture change chat check claim clone collaborate commit compile complete compose configure connect copy create "
    "debug define deploy develop document download edit enable encrypt enter export expose extract file fill find format generate get host implement import "
    "initialize inspect install integrate join keep launch lint list load log maintain make manage measure merge message migrate monitor open order organise organize pack package "
    "perform plan post prepare provision publish pull push raise record register release render report request restart restore retrieve review run save scale scan schedule "
    "secure send serve set share sign sort start store submit sync synchronise synchronize test track update upgrade upload validate verify view visualise visualize write".split()
)  # fmt: skip
"""Verbs with which an instruction begins."""
_AVOIDED = re.compile(
    rf"{_LEAD}(?:(?:[Pp]lease )?(?:[Dd]o not|[Dd]on[’']t|[Nn]ever) (?:use|rely on|install)|[Aa]void(?: using| relying on)?|{_WHO} (?:should|must) (?:not|never) (?:use|rely on)|[Ww]e (?:do not|don[’']t|no longer) (?:use|recommend)(?: using)?) {_ARTICLE}{_NAMES}{_KIND}(?=[*_\"”’`]*[.;)!]|$|, (?:as|because|since|it|use|but)\b| (?:because|anymore|any more|since)\b)"
)
_DENIED = re.compile(
    r"\b(?:not|never|no longer|without|instead of|rather than|avoid|unless|nor|neither|used to|previously|formerly|deprecated|legacy|alternatives? to)\b|n[’']t\b",
    re.I,
)
_CONDITION = re.compile(r"\b(?:if|unless|when|depending|either|or)\b")


class Advice(NamedTuple):
    """What a sentence says of its page and of the name with the number ``mark``."""

    rule: str
    type: str
    mark: int
    by_speaker: bool = False
    """It says *we*: those who speak are its subject where it is known who they are."""


def advice_in(masked: str) -> Iterator[Advice]:
    """What a sentence, whose names are marks, has its readers use, need, prefer or avoid; each name once."""
    if masked.rstrip(' *_"”)').endswith("?"):
        return
    told: set[int] = set()
    we = re.search(r"\b(?:[Ww]e|[Oo]ur)\b", masked) is not None
    for rule, type_, pattern in (
        ("guide.avoided", "ADVISES_AGAINST", _AVOIDED),
        ("guide.recommended", "RECOMMENDS", _RECOMMENDED),
        ("guide.preferred", "RECOMMENDS", _PREFERRED),
        ("guide.this", "REQUIRES", _THIS_REQUIRES),
        ("guide.required", "REQUIRES", _REQUIRED),
        ("guide.is_required", "REQUIRES", _IS_REQUIRED),
        ("guide.installed", "REQUIRES", _INSTALLED),
        ("guide.we_use", "USES", _WE_USE),
        ("guide.done_with", "USES", _DONE_WITH),
        ("guide.used", "USES", _USED),
        ("guide.means", "USES", _MEANS),
    ):
        for found in pattern.finditer(masked):
            before = masked[: found.end()]
            if rule != "guide.avoided" and _DENIED.search(before):
                continue
            if rule == "guide.means" and masked.lstrip('*_"“(').split(" ", 1)[0].lower() not in _ORDERS:
                continue
            if rule in ("guide.this", "guide.required", "guide.is_required", "guide.installed") and _CONDITION.search(
                masked
            ):
                continue
            for mark in mark_numbers(found["o"]):
                if mark not in told:
                    told.add(mark)
                    may = rule == "guide.used" and found["can"]
                    if may and masked.startswith("Now "):
                        continue  # the next step of what one does anyway
                    yield Advice("guide.suggested" if may else rule, "SUGGESTS" if may else type_, mark, we)
