"""Facts whose words say something else: examples, placeholders, alternatives, what a proposal's authors do.

Used by the fact reader; pure. It looks at the quote of a fact and at where its ends stand there.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.documents.dates import find_dates
from kgfs.extraction.facts.lexicon_facts import LexiconFact
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.model import ParsedDocument

_SET_UP = re.compile(r"\bset(?:s|ting)? up\b")
_EXAMPLE = re.compile(r"(?i)(?:\be\.\s?g\.|\bfor example\b|\bfor instance\b|\bsuch as\b|\bsay,|\bi\.e\.)[^.;!?)]*$")
"""What stands before a name that is only an example."""
_TOLD = frozenset({"USES", "RESERVED_FOR", "ADOPTS", "RECOMMENDS", "REQUIRES", "RESERVED_IN"})
"""What an example says nothing of."""
_OF_PROPOSAL = re.compile(
    r"(?i)(?:^|[/\s_-])(?:rfcs?|proposals?|adrs?|keps?|peps?|enhancements?|drafts?|design[ _-]docs?)(?:[/\s_.:-]|\d|$)"
)
"""In the titles and paths of texts in which *we* are those who propose."""
_NOT_NOW = re.compile(
    r"\b(?:[Pp]reviously|[Ff]ormerly|no longer|used to|stop(?:ped|ping)? using|will (?:stop|use|rely)|"
    r"can be (?:deployed|installed|used))\b"
)
"""In a sentence on a tool that is not what one works in now."""
_WE = re.compile(r"\b(?:[Ww]e|[Oo]ur|[Uu]s|[Hh]ere|[Pp]lease|[Rr]each out|[Aa]sk|[Jj]oin|[Cc]ontact)\b")
_THEN = r"(?:(?:also|now|then|first|simply|just) )*"
_FETCH = "clone|copy|download|import|install|load|type"
_STEP = re.compile(
    r"(?i)\W*(?:(?:first|then|next|now|finally|here|so),? )*(?:we|let['’]?s|let us) "
    rf"(?:{_THEN}(?:{_FETCH})\b"
    rf"|(?:can|could|will|need to|have to|must|should|are going to) {_THEN}"
    rf"(?:{_FETCH}|add|create|launch|open|run|start)\b)"
)
"""A step of a tutorial, in which *we* are those who read it: *First we have to install Lumen*."""
_MODIFIED = re.compile(r"(?i)\b(?:its|their|the|a|an|our)? ?(?:current|own|old|new|latest|previous|default) $")
_REPORTS_ON = re.compile(r"\breport(?:s|ed|ing)? (?:back )?(?:on|that|about)\b")
"""*Reported on updates to Lumen*: nobody's superior."""
_AS = re.compile(r"[\w ]{0,20}\bas [a-z]")
_ADVISED = frozenset({"RECOMMENDS", "SUGGESTS", "REQUIRES", "USES"})
_PURPOSE = re.compile(
    r"(?i)^[\W_]*(?:please |always )?use\b[^;]*?\S (?:for|to|with|when|in|on)\b[^;]*,(?: and)? [\W_]*$"
)
"""An order whose tool stands before what it is used for: *Use Lampkit for Python, Ruby and …*."""


def is_of_proposal(document: ParsedDocument) -> bool:
    """Whether a text proposes something, so that *we* in it are a group and no organisation."""
    return _OF_PROPOSAL.search(document.title) is not None or _OF_PROPOSAL.search(document.path) is not None


def is_other_frame(fact: LexiconFact, types: NameTypes, speaker: int | None, *, of_proposal: bool) -> bool:
    """Whether the words of a fact's quote say something else than its type."""
    if fact.object is None:
        return False
    type_, quote, name = fact.candidate.type, fact.candidate.quote, types.name(fact.object)
    if type_ == "FOUNDED" and types.best(fact.object) in ("Product", "Technology") and _SET_UP.search(quote):
        return True  # "we have set up Sorbet in our codebase"
    if type_ == "REPORTS_TO" and _REPORTS_ON.search(quote):
        return True
    if fact.rule == "ties.by_maker" and (_is_talk(fact) or _is_sort_of_item(fact)):
        return True
    before = _before(fact, name)
    if type_ in _TOLD and before and _EXAMPLE.search(before) and not fact.rule.startswith("clause."):
        return True  # not "Acme uses programs such as Lumen", which a clause says
    asked = type_ == "HAS_CONTACT" and types.best(fact.object) not in ("Person", "Channel", "Address", "Team")
    if asked and re.match(rf"\W*(?:ask|tell) (?:the )?{re.escape(name)} to\b", quote, re.I) is not None:
        return True  # "Ask Lampd to write logs": what an option does
    if f"{{{name.casefold()}}}" in quote.casefold():
        return True  # "{Lamp maker} and Acme have explored": a template
    if fact.subject == speaker and _STEP.match(quote) is not None:
        return True
    if fact.subject == speaker and of_proposal and _is_of_we(fact, types):
        return True
    if fact.rule.startswith("tools.") and (of_proposal or _NOT_NOW.search(quote) is not None):
        return True  # what would be, or was, worked in
    if type_ in _ADVISED and (_is_placeholder(quote, name) or _is_complement(fact, before)):
        return True
    if fact.rule.startswith("open.object") and before and _MODIFIED.search(before):
        return _AS.match(quote, len(before) + len(name)) is not None  # "marks its current Python as managed"
    return False


_TALKS = re.compile(
    r"(?i)\b(?:talks?|presentations?|presenters?|speakers?|schedules?|agendas?|sessions?|webinars?|keynotes?|demos?|readouts?)\b"
)
"""In headings above those who speak of things."""
_ENTRY = re.compile(r"[\W_]*")
_DAY = len("2026-01-31")
_SORT_OF_ITEM = re.compile(r"[\W_]*[ \])*_`][-–—:][ *_`]+")


def _is_talk(fact: LexiconFact) -> bool:
    """Whether *by* tells who spoke of a thing: in an entry of a day, or beneath a heading of talks.

    *August 15, 2017: Lumen by Ann Lee and Tarn by Bob Ray*.
    """
    if fact.unit is None:
        return False
    text = fact.unit.content.text
    if any(_TALKS.search(heading) for heading in fact.unit.headings):
        return True
    return any(len(day.date) == _DAY and _ENTRY.fullmatch(text, 0, day.start) for day in find_dates(text))


def _is_sort_of_item(fact: LexiconFact) -> bool:
    """Whether what is *by* somebody is the word for what an item's link leads to: *[Lumen](…) - Poems by Ann Lee*."""
    if fact.unit is None or fact.places is None or not fact.unit.content.links:
        return False
    content, (_, made) = fact.unit.content, fact.places
    link = content.links[0]
    opens = _ENTRY.fullmatch(content.text, 0, link.start) is not None
    return opens and _SORT_OF_ITEM.fullmatch(content.text, link.end, made.start) is not None


_FISCAL = re.compile(r"(?i)\bfiscal(?:ly)?[ -](?:spons|host)")
_MONEY = re.compile(r"(?i)\b(?:fund(?:s|ed|ing)?|grants?|donat\w+|financ\w+)\b")


def mend_type(fact: LexiconFact, types: NameTypes) -> LexiconFact:
    """A fact with the type that its quote says more exactly: who is a fiscal sponsor, what somebody prefers, relies on."""
    type_, quote = fact.candidate.type, fact.candidate.quote
    if type_ == "HAS" and fact.object is not None:
        if re.search(rf"{re.escape(types.name(fact.subject))}['’]s\s+{_PREFERRED}\b", quote) is not None:
            fact.candidate.type = "PREFERS"
    elif type_ == "REQUIRES" and types.best(fact.subject) == "Organization" and _RELIES.search(quote) is not None:
        fact.candidate.type = "USES"
    return _mend_sponsor(fact)


_PREFERRED = r"(?:preferred|favou?rite|go-to|default)"
_RELIES = re.compile(r"\b(?:rely|relies|relied) (?:heavily |mostly |mainly )?(?:up)?on\b")
"""What a body does with its tools; a program does not run without what it relies on."""


def _mend_sponsor(fact: LexiconFact) -> LexiconFact:
    """A fact whose sentence speaks of a fiscal sponsor and of no money is that: it holds the money of others."""
    if fact.candidate.type in ("FUNDS", "SPONSORS", "HOSTS") and fact.object is not None:
        found = _FISCAL.search(fact.candidate.quote)
        near = fact.candidate.quote[max(0, found.start() - 60) : found.end() + 60] if found is not None else ""
        if near and not _MONEY.search(near):
            fact.candidate.type = "FISCAL_SPONSOR_OF"
    return fact


def alternatives(facts: Sequence[LexiconFact], types: NameTypes) -> set[int]:
    """The places of facts that say that one needs several systems, of which each reader has one."""
    found: dict[int, list[int]] = {}
    for place, fact in enumerate(facts):
        if fact.candidate.type != "REQUIRES" or fact.object is None or fact.rule not in _LISTED:
            continue
        if _SYSTEM.fullmatch(types.name(fact.object)):
            found.setdefault(fact.subject, []).append(place)
    return {place for places in found.values() if len(places) > 1 for place in places}


_LISTED = frozenset({"structure.beneath", "structure.item"})
_SYSTEM = re.compile(
    r"(?:Arch|Debian|Fedora|Ubuntu|CentOS|RHEL|Red Hat(?: Enterprise)?|openSUSE|SUSE|Alpine|Gentoo|NixOS|Void|Manjaro|Mint|Rocky|Alma|AlmaLinux|Amazon|Raspberry Pi OS|"
    r"FreeBSD|OpenBSD|NetBSD|macOS|Mac OS X|OS X|Windows|WSL|Android|iOS|Slackware|Oracle|Solaris)(?: Linux)?(?: [\d.]+)?"
)
"""Operating systems: who needs one of them needs no other."""


def _before(fact: LexiconFact, name: str) -> str:
    """What a fact's sentence, or its quote, has before the object; empty where it is not written there."""
    if fact.places is not None and fact.unit is not None:
        place = fact.places[1]
        if place.end > place.start and fact.rule.partition(".")[0] not in ("we", "me"):
            return fact.unit.content.text[: place.start]
    words = name.split()
    for said in (name, words[-1]):
        at = fact.candidate.quote.casefold().find(said.casefold())
        if at >= 0:
            return fact.candidate.quote[:at]
    return ""


def _is_of_we(fact: LexiconFact, types: NameTypes) -> bool:
    """Whether a fact of who speaks rests on *we* or on nothing, and does not name it."""
    quote = fact.candidate.quote
    return types.name(fact.subject).casefold() not in quote.casefold() and _WE.search(quote) is not None


def _is_complement(fact: LexiconFact, before: str) -> bool:
    """Whether the object is one of several things that another tool is used for."""
    return fact.rule in ("guide.used", "guide.suggested") and _PURPOSE.search(before) is not None


def _is_placeholder(quote: str, name: str) -> bool:
    """Whether a name in small letters is written as a manual writes what its reader puts in: ``*`formula`*``, ``<formula>``."""
    if name != name.lower() or " " in name:
        return False
    return re.search(rf"(?:[*_]`{re.escape(name)}`[*_]|<`?{re.escape(name)}`?>)", quote) is not None
