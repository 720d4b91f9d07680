"""What headings and labels say of the persons listed beneath them: *Members*, *Acme Maintainers*, *Project leads:*.

Used by ``rosters``; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import NamedTuple

from kgfs.plurals import singular

_BEFORE = r"(?:(?:current|active|core|our|the|all|full|voting|non-voting|regular|executive|elected|founding|technical|tech|project|group|team|committee|council|board|section|working group|wg|sig)[ -])*"
_GROUPS = (
    ("LEADS", re.compile(rf"{_BEFORE}(?:(?:co-?)?chairs?(?:(?: and| or| and or)(?: co-?| vice )?[ -]?chairs?)?|chairpersons?|(?:co-?)?leads?|leaders?|presidents?)")),
    ("MAINTAINS", re.compile(rf"{_BEFORE}(?:maintainers?)")),
    ("MEMBER_OF", re.compile(rf"{_BEFORE}(?:members?|membership|staff|trustees|officers|organi[sz]ers|committers|roster|representatives|steering committee|people)")),
    ("MEMBER_OF", re.compile(r"(?:(?:meet|about) )?(?:our|the)(?: core| project| leadership| executive| management)? team|team members|who we are|meet the team")),
)  # fmt: skip
"""What a heading says, behind the name of the body or alone, of the persons beneath it."""
_SPONSORS = re.compile(r"(?:(?!and )[\w/-]+ ){0,3}sponsors?(?:hip)?", re.I)
_LIAISONS = re.compile(r"(?:(?!and )[\w/-]+ ){0,3}(?:liaisons?|points? of contact|contact persons?)", re.I)
_SPECIALISTS = re.compile(
    r"(?:(?!and )[\w/-]+ ){0,2}(?:experts|approvers|triagers|reviewers|advisors|advisers|fellows|secretar(?:y|ies)|treasurers?)",
    re.I,
)
"""Members by what they do there."""
_NAME = r"[A-Z][\w&'’-]*(?: (?:of|for|the|and|&|[A-Z0-9][\w&'’-]*)){0,5}"
_BODY = re.compile(_NAME)
"""A name before the last word of a heading."""
_HEADS = frozenset("Group Team Committee Subcommittee Council Board Panel Secretariat WG SIG TAG".split())
"""Last words of the names of bodies that are lists of persons where one stands beneath them."""
_ROLES = frozenset("officers organizers organisers committers representatives trustees".split())
_OF_INTEREST = re.compile(r"(?:^| )(?:SIG|Sig|WG|TAG|TWG|Special Interest Group|Working Group|Task Force)(?: |$)")
ANY_BODY = frozenset("SIG WG TI TAG Project Group Team Committee Initiative Board Council".split())
"""What a template calls whatever body it is filled in for."""
_ORDER = re.compile(
    r"^(?:(?:Please )?(?:[Ll]ist|[Ii]dentify|[Nn]ame|[Pp]rovide|[Dd]escribe|[Aa]dd)(?: of| all)?(?: the| your)? (?=[a-z]|[A-Z]))"
)
_SORTS = frozenset("Group Team Committee Subcommittee Council Board".split())
_SENTENCE = re.compile(
    r"(?:The |Our |Its )?(?:(?:current|active|present|voting|founding) )?(?P<who>members|membership|maintainers|chairs|co-chairs|leads|co-leads|trustees|officers)"
    rf"(?: of (?:the )?(?P<body>{_NAME}))? (?:are|is|includes?|consists? of)(?: currently| as follows| listed below| the following(?: people| persons)?)?:"
)
"""``The current members of the Harbour Committee are:``."""
_CONSISTS = re.compile(
    r"(?:The |Our )?(?:[\w/&-]+ ){0,4}(?:[Tt]eam|[Bb]oard|[Cc]ommittee|[Cc]ouncil|[Ss]taff|[Gg]roup)"
    rf"(?: (?:at|of) (?:the )?(?P<body>{_NAME}))?"
    r" (?:currently )?(?:consists? of|is made up of|is composed of|comprises|includes?)"
    r"(?: these| the following| the)?(?: \w+)?(?: members| people| persons| individuals)?:"
)
"""``The operations team at Acme consists of these members:``."""
LONGEST_LABEL = 120


class RosterTitle(NamedTuple):
    """What a heading or a label says of the persons beneath it."""

    type: str
    body: str = ""
    """The name of what they belong to, where it says that."""
    role: str = ""
    """As what they do."""
    turned: bool = False
    """The persons are the object: a body ``HAS_CONTACT`` somebody."""
    of_project: bool = False
    """It says that the page tells of a project: *Project leads*."""


def roster_title(heading: str) -> RosterTitle | None:
    """What a heading says that the persons beneath it do: ``Board Members``, ``Acme Team``; ``None`` for any other heading.

    What a template orders is none of it: ``List of project maintainers``, ``List SIG Lead(s)``.
    """
    heading = _ORDER.sub("", heading)
    plain = plain_title(heading)
    of_project = plain.startswith("project ")
    for type_, pattern in _GROUPS:
        if pattern.fullmatch(plain):
            return RosterTitle(type_, role=_role_of(plain), of_project=of_project)
    if _SPONSORS.fullmatch(plain):
        return RosterTitle("SPONSORS", of_project=True)
    if _LIAISONS.fullmatch(plain):
        return RosterTitle("HAS_CONTACT", role=plain.removesuffix("s"), turned=True, of_project=True)
    shown = " ".join(re.sub(r"[^\w\s&'’-]+", " ", _without_plural(heading)).split())
    before, _, last = shown.rpartition(" ")
    for type_, pattern in _GROUPS:
        if _BODY.fullmatch(before) and pattern.fullmatch(last.lower()):
            named = "" if before in ANY_BODY else before
            return RosterTitle(type_, named, _role_of(plain), of_project=before in ANY_BODY)
    if _SPECIALISTS.fullmatch(plain):
        return RosterTitle("MEMBER_OF", role=singular(plain))
    return None


_QUALIFIED = re.compile(
    r"\b(?:(?:acting|alternate|appointed|associate|at[- ]large|community|corporate|deputy|elected|emeritus|ex[- ]officio|"
    r"founding|honorary|impact|individual|interim|lifetime|non-voting|permanent|project|regular|student|vice|voting)[ -])+"
    r"(?:chairs?|chairpersons?|delegates?|members?|presidents?|representatives?)$"
)
"""How members of a body are told apart: *Impact Project Representatives*."""


def _role_of(title: str) -> str:
    """What a title says of members beside that they are: *organizer*, *voting member*, *vice chair*."""
    if title.rpartition(" ")[2] in _ROLES:
        return singular(title)
    found = _QUALIFIED.search(title)
    return singular(found[0]) if found is not None else ""


def names_group(name: str) -> bool:
    """Whether a name says anywhere that it is that of a group of interest: *Acme SIG Lamps*."""
    return _OF_INTEREST.search(name) is not None


def label_title(line: str) -> RosterTitle | None:
    """What a label or a sentence before a list says of its persons; ``line`` without markup."""
    line = line.strip()
    if not line.endswith(":") or len(line) > LONGEST_LABEL:
        return None
    said = _SENTENCE.fullmatch(line)
    if said is not None:
        title = roster_title(said["who"])
        return title._replace(body=said["body"] or "") if title is not None else None
    if (consists := _CONSISTS.fullmatch(line)) is not None:
        return RosterTitle("MEMBER_OF", consists["body"] or "")
    return roster_title(line[:-1]) if len(line.split()) <= 5 else None


def body_title(heading: str) -> RosterTitle | None:
    """A heading that is the name of a body, *Technical Committee*: persons listed beneath it are its members."""
    own = heading.strip()
    doing = own.partition(" ")[0].endswith("ing")  # "Creating the Pilot Board"
    if own.rpartition(" ")[2] in _HEADS and " " in own and not doing and _BODY.fullmatch(own):
        return RosterTitle("MEMBER_OF", own)
    return None


_MOST_OWN = 5
"""Words of what a body is called beneath such a heading."""


def body_among_others(headings: tuple[str, ...]) -> str:
    """The body that a heading names beneath one for all of its sort: *Serving* beneath *Working Groups* is the *Serving
    Working Group*; empty elsewhere."""
    if len(headings) < 2:
        return ""
    *before, last = " ".join(re.sub(r"[^\w\s&'’-]+", " ", headings[-2]).split()).split(" ")
    own = headings[-1].strip()
    if not last.endswith("s") or last[:-1].capitalize() not in _SORTS:
        return ""
    small = [word for word in before if word.islower()]
    # Of "Current Acme popup teams" the words in small letters say what each is.
    before = small if small and len(before) > len(small) else before
    if len(before) > 2 or not (_BODY.fullmatch(own) or (own[:1].isupper() and len(own.split()) < _MOST_OWN)):
        return ""
    sort = " ".join([*before, last[:-1]])
    return own if own.casefold().endswith((sort.casefold(), last[:-1].casefold())) else f"{own} {sort}"


def spelled_out(letters: str, title: str) -> str:
    """The body of a title whose first letters a heading has: *PLC* of *Acme Project Leadership Committee Minutes*."""
    words = re.findall(r"[A-Z][\w&'’-]*", title) if re.fullmatch(r"[A-Z]{3,6}", letters) else []
    for place in range(len(words) - len(letters) + 1):
        part = words[place : place + len(letters)]
        if "".join(word[0] for word in part) == letters and part[-1] in _HEADS:
            return " ".join(part) if " ".join(part) in title else ""
    return ""


def is_body_name(text: str) -> bool:
    """Whether a text is written as the names of bodies are."""
    return _BODY.fullmatch(text) is not None


def plain_title(heading: str) -> str:
    """A heading in small letters, without its number and signs; *Lead(s)* is *leads*."""
    return " ".join(re.sub(r"^[\d.)\s]+|[^\w\s'’-]+", " ", _without_plural(heading)).split()).lower()


def _without_plural(heading: str) -> str:
    return re.sub(r"s?\(s\)", "s", heading)
