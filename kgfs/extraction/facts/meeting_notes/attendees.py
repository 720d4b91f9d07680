"""Persons as lists of attendance name them: with a role in brackets, a handle, initials, in a line or one an item.

Used by the readers of meetings and rosters; pure. Only what is written like a person's name is one: a first name alone,
a committee or a company is not. A handle alone is one where a list of attendance has nothing else.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import html
import re
import unicodedata
from typing import NamedTuple

from kgfs.extraction.names import tagging
from kgfs.extraction.names.people.name_words import PARTICLES
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.firms import FIRMS

_TITLE = (
    r"(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Cllrs?|Councill?ors?|Councilm(?:e|a)mbers?|Councilm[ae]n|Councilwom[ae]n|"
    r"Commissioners?|Alderm[ae]n|Trustees?|Directors?|Mayor|Supervisors?|Rev|Sir|Dame|Bro)\b\.?"
)
_TITLES = re.compile(rf"(?P<titles>(?:{_TITLE}\s+)+)(?=\S)")
_KEPT_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Miss|Dr|Prof|Professor|Cllr|Councill?or|Mayor|Commissioner|Trustee)\b\.?$")
"""A title with which a surname alone is somebody: ``Cllr Vaughan``."""
_TOKEN = re.compile(r"[^\W\d_][^\W\d_]*(?:['’.-][^\W\d_]+)*\.?")
_PARTICLES = PARTICLES | {"af", "op", "st"}
_NO_NAME = frozenset(
    """
    absent action active analyst architect author all also and another any apologies approval as attendance attendees board call captain chair chairman
    chairperson chairwoman chief clerk collaborators committee community company consultant contributors core customer designer developer developers editor engineer master owner product recorder scrum sponsor stakeholder stakeholders tester user users corporation
    council crossproject date development director directors dial each everyone executive expert experts facilitator
    feedback finance foundation free general group guest guests host inc individual industries international invited
    leads leadership lieutenant llc ltd maintainers manager marketing meeting members minutes new next nobody none not notes
    observer observers of officer officers old open others outreach participants people phone present president program
    project projects quorum regrets release representative representatives research scribe secretary security
    sergeant services session software solutions staff steering subcommittee system systems task tbc tbd team teams technical
    technologies technology the time to treasurer trustee trustees university unknown update updates via vice visitors
    shoutout shoutouts taker takers voting web working your name names firstname lastname last surname forename placeholder zoom
    """.split()
) | {word.lower() for word in words.ORGANIZATION_HEADS | words.STRONG_SUFFIXES}
_SURNAMES_TOO = frozenset({"church", "bank", "press", "court", "guard"})
_NO_TEXT = frozenset({"So", "Sk", "Cf", "Cn", "Co", "Cs"})
"""Categories of signs that are no text: pictures, joiners."""
_HOW_SHOWN = "\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}"
_MARKS = re.compile(r"[*`~]|(?<!\w)_+|_+(?!\w)|<[^>]{1,80}>|\\")
_LINK = re.compile(r"!?\[(?P<label>[^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_WIKI = re.compile(r"\[\[(?:[^\]|\n]*\|)?(?P<label>[^\]\n]*)\]\]")
_HANDLE = re.compile(
    r"(?P<open>[(\[])?(?<![\w.])@(?P<handle>[A-Za-z\d](?:[\w-]*[A-Za-z\d])?)(?:/[\w-]+)?(?(open)[)\]]?|)"
)
_ONLY_HANDLE = re.compile(
    r"@(?P<handle>[A-Za-z\d](?:[\w-]*[A-Za-z\d])?)(?:\s*\((?P<inside>[^()]{2,60})\)|(?:,| [-–—]) (?P<behind>[^()]{2,60}))?"
)
"""``@jdoe``, ``@jdoe (Acme)``, ``@jdoe, Acme``."""
_BRACKET = re.compile(r"[(\[](?P<inside>[^()\[\]]*)[)\]]")
_SHORT = re.compile(r"(?P<short>[A-Z]{2,4}) ?[:=–-] +(?=[^\W\d_])")
_APART = re.compile(r" *(?:,|;|:| [-–—|/] |\t| {3,}) *")
_ROLE = re.compile(
    r"\b(?:co-?chair|vice|chair|chair(?:man|woman|person)|president|treasurer|secretary|clerk|mayor|deputy|director|"
    r"officer|manager|lead|leader|coordinator|co-?ordinator|facilitator|moderator|scribe|note[- ]?taker|minutes?|recorder|"
    r"member|observer|guest|visitor|invited|delegate|representative|rep|liaison|trustee|councill?or|attorney|counsel|"
    r"engineer|developer|maintainer|editor|analyst|designer|architect|consultant|specialist|administrator|assistant|"
    r"advis[eo]r|founder|host|presenter|speaker|teacher|professor|parent|volunteer|ceo|cto|cfo|coo|vp|voting|regular|"
    r"expert|champion|steward|chief|head)\b",
    re.I,
)
_AWAY = re.compile(
    r"\b(?:absent|apolog(?:y|ies)|regrets|excused|not (?:present|attending|here)|unable|no[- ]show|proxy|tentative|maybe|"
    r"optional|invited|\?)(?=\W|$)",
    re.I,
)
_NOT_ROLE = re.compile(
    r"\b(?:joined|arrived|left|late|early|until|from|part|item|remote|phone|zoom|\d|for|on behalf)\b", re.I
)
_SPLIT = re.compile(
    r"\s*(?:[,;•·|]|(?<=[^\W\d_]{3})(?<!Mrs)(?<!llr)(?<!lrs)(?<!lor)(?<!rof)\.\s+(?=[A-Z])|\s(?:and|&|\+)\s|\band the\b)\s*"
)
_OFFICE = re.compile(
    r"(?P<role>(?:[A-Z][a-z]+ ){0,3}(?:Clerk|Manager|Director|Chief|Officer|Attorney|Treasurer|Secretary|President|Chairman|Chairwoman|Chair|"
    r"Engineer|Planner|Administrator|Superintendent|Coordinator)) (?=[A-Z])"
)
"""Before a name: ``City Clerk Anne Paulson``."""
_EMPLOYER = re.compile(
    r"[A-Z0-9](?:[\w&.'’]|-(?=\w))*(?: (?:of|the|for|and|&|[A-Z0-9](?:[\w&.'’]|-(?=\w))*)){0,5}(?:, (?:Inc|LLC|Ltd|GmbH|AG|Corp)\b\.?)?"
)
_NO_EMPLOYER = re.compile(
    r"(?i)(?:(?:independent|individual|self|self-employed|freelancer?|retired|student|unaffiliated|none|n/a|remote|volunteer|contributors?|maintainers?|committers?|collaborators?|reviewers?|approvers?|owners?|organi[sz]ers?|mentors?|mentees?|interns?|members?|sponsors?|he|she|they|"
    r"new(?! (?:York|Zealand|Jersey|Mexico|Relic|Orleans|England|Hampshire|South|America)\b)|first|second|third|item|guest|invited|github|slack|zoom|discord|irc|utc|gmt)\b|[\d\W]+$|"
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.? \d{4}$)"
)
_SUFFIX = re.compile(r", +(?=(?:Inc|LLC|Ltd|GmbH|AG|Corp)\b)")
_FIELD = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_FIELDS = re.compile(rf"(?:{_FIELD.pattern.replace('(', '').replace(')', '')}(?:, ?|$)){{2,5}}")
"""An entry whose parts stand in quotation marks; the first may be a handle."""
_QUOTED = re.compile(r"(?:^|(?<=, ))[\"“](?P<said>[^\"“”]*)[\"”](?=\s*(?:,|$))")
_ALONE = re.compile(r"[^\W\d_a-z][\w'’-]*(?: \([^)]*\))?")
"""A first name alone: nobody who is known, but no sign that these are no names."""
MAX_ENTRY = 160
"""Characters of an item that names somebody; a longer one is a text."""


class Attendee(NamedTuple):
    """Somebody whom an entry of a list names."""

    name: str
    role: str = ""
    handle: str = ""
    short: str = ""
    """The letters that stand for the name in what follows: ``MB``."""
    letters: str = ""
    """Capitals in a bracket, which may be the body that somebody is of: ``Rod Vagg (TSC)``."""
    employer: str = ""
    """What stands behind the name and may be whom somebody works for: ``Jane Doe (@jdoe), Acme Inc``."""
    sure: bool = True
    """The words are no ordinary ones, as those of ``Red Hat`` are, and of ``Josh Stone`` too."""


def plain_entry(text: str) -> str:
    """An entry without its markup: links as their labels, no emphasis, no signs that are no letters at its ends."""
    text = _WIKI.sub(lambda found: found["label"], _LINK.sub(lambda found: found["label"], text))
    text = _QUOTED.sub(lambda found: found["said"], html.unescape(_MARKS.sub("", text)))
    text = "".join(
        char
        for char in text
        if char.isascii() or (unicodedata.category(char) not in _NO_TEXT and char not in _HOW_SHOWN)
    )
    return text.strip(" \t\r\n.,;")


def person_name(text: str, *, tagged: bool = True) -> str:
    """The name of a person that a text is, whole; empty where it is none. A title before a full name is left out."""
    text = " ".join(text.split())
    titles = _TITLES.match(text)
    rest = text[titles.end() :] if titles else text
    parts = rest.split()
    cased = [part for part in parts if part[0].upper() != part[0].lower()]
    if cased and len(cased) < len(parts) and all(map(str.isalpha, parts)):  # "Xu Li 徐丽": one name in two scripts
        parts, rest = cased, " ".join(cased)
    if not 1 <= len(parts) <= 5 or not all(_TOKEN.fullmatch(part) for part in parts):
        return ""
    ends = (parts[0], parts[-1])
    if not all(part[0].isupper() for part in ends) or len(parts[-1].rstrip(".")) < 2:
        return ""
    if any(not part[0].isupper() and part.lower() not in _PARTICLES for part in parts):
        return ""
    lowered = [part.lower().rstrip(".") for part in parts]
    if any(word in _NO_NAME and not (place and word in _SURNAMES_TOO) for place, word in enumerate(lowered)):
        return ""
    if any(part.isupper() and len(part.rstrip(".")) > 3 for part in parts) or parts[-1].isupper():
        return ""
    if len(parts) == 1:
        title = titles["titles"].strip() if titles else ""
        return f"{title} {rest}" if " " not in title and _KEPT_TITLE.fullmatch(title) else ""
    shown = titles is not None or parts[0] in words.GIVEN_NAMES or _has_initial(parts) or not tagged
    # "Action Items", "Red Hat"
    return "" if not shown and all(tagging.is_word(word) for word in lowered) else rest


def _has_initial(parts: list[str]) -> bool:
    return any(len(part.rstrip(".")) == 1 for part in parts[:-1])


def read_entry(text: str, *, tagged: bool = True) -> Attendee | None:
    """Whom an entry names: ``Jane Doe @jdoe (Chair)``, ``JD: Jane Doe``, ``Jane Doe, Treasurer``; ``None`` for nobody there."""
    if "~~" in text or len(text) > MAX_ENTRY * 2:
        return None
    if _FIELDS.fullmatch(text.strip()):  # "jdoe", "Jane Doe", "Acme"
        fields = _FIELD.findall(text)
        named = next((one for one in fields if person_name(one, tagged=False)), "")
        text = ", ".join([named, *fields[fields.index(named) + 1 :]]) if named else text
    text = _SUFFIX.sub("\N{NO-BREAK SPACE}", plain_entry(text))
    if not text or len(text) > MAX_ENTRY:
        return None
    short = _SHORT.match(text)
    if short:
        text = text[short.end() :]
    handle = _HANDLE.search(text)
    text = _HANDLE.sub(" , ", text)
    inside = [found["inside"].strip(" ,;") for found in _BRACKET.finditer(text)]
    text = _BRACKET.sub(" , ", text)
    parts = [part.strip() for part in _APART.split(text) if part.strip(" -–—:,")]
    parts = [part.strip(" -–—:") for part in parts]
    if not parts or any(_AWAY.search(part) for part in (*inside, *parts[1:])):
        return None
    name = person_name(parts[0], tagged=False)
    office = None if name else _OFFICE.match(parts[0])
    sure = not tagged or office is not None or person_name(parts[0]) == name
    if office is not None:
        name = person_name(parts[0][office.end() :], tagged=False)
        inside = [office["role"], *inside]
    if not name:
        return None
    if _is_label_of(name, text):
        return None
    said = [part for part in (*inside, *parts[1:]) if part]
    role = next((part for part in said if is_role(part)), "")
    letters = next((part for part in inside if re.fullmatch(r"[A-Z]{2,6}", part)), "")
    own = name.replace(" ", "").casefold()
    employer = next(
        (
            part
            for part in map(_employer, said)
            if part and (part != letters or part in FIRMS) and part.casefold() != own
        ),
        "",
    )
    called = handle["handle"] if handle else ""
    return Attendee(name, role, called, short["short"] if short else "", letters, employer, sure)


def _is_label_of(name: str, entry: str) -> bool:
    """Whether a name, which need be nobody's, only says what somebody behind the colon of an entry is there for: *Wick
    Guide - Oil: Jane Doe*."""
    before, colon, behind = entry.partition(":")
    somebody = name.split()[0] in words.GIVEN_NAMES or name not in before
    return colon != "" and not somebody and person_name(behind.strip(" ,.-–—")) != ""


def _employer(text: str) -> str:
    """What may be somebody's employer; empty for what says a role, a place in a call, or nothing."""
    text = text.replace("\N{NO-BREAK SPACE}", ", ")
    first, slash, second = text.partition("/")
    if slash and _EMPLOYER.fullmatch(first) and _EMPLOYER.fullmatch(second) and len(first) > 2:
        text = first  # "Midokura/Sony": of several the first
    return text if _EMPLOYER.fullmatch(text) and not is_role(text) and not _NO_EMPLOYER.match(text) else ""


def read_handle(text: str) -> Attendee | None:
    """Whom an entry names that is a handle, ``@jdoe``, with an employer behind it at most: where somebody is listed so,
    that is the name. ``@acme/jugglers`` is a team."""
    said = _SUFFIX.sub("\N{NO-BREAK SPACE}", plain_entry(text)).strip(" :")
    found = _ONLY_HANDLE.fullmatch(said)
    if found is None:
        return None
    behind = (found["inside"] or found["behind"] or "").strip()
    employer = _employer(behind)
    if behind and not employer and not is_role(behind):
        return None
    return Attendee(f"@{found['handle']}", "" if employer else behind, handle=found["handle"], employer=employer)


def is_role(text: str) -> bool:
    """Whether what stands beside a name says as what somebody is there, and not when, from where or for whom."""
    if len(text.split()) > 6 or len(text) > 60 or "," in text or _NOT_ROLE.search(text):
        return False
    return _ROLE.search(text) is not None


def read_names(text: str, *, tagged: bool = True) -> list[Attendee]:
    """The persons of names in a row, ``A, B (Chair), C and D``; none where most of the parts are no names.

    A role behind a comma belongs to the name before it.
    """
    found: list[Attendee] = []
    others = 0
    held = _BRACKET.sub(lambda match: re.sub(r"[,;&+|]| and ", " ", match[0]), plain_entry(text))
    for part in _SPLIT.split(held):
        part = re.sub(r"^(?:and|&) ", "", part.strip(" .:-–—"))
        if not part:
            continue
        one = read_entry(part, tagged=tagged)
        if one is not None:
            found.append(one)
        elif found and is_role(part) and not _OFFICE.match(part) and not found[-1].role:
            found[-1] = found[-1]._replace(role=part)
        elif not _ALONE.fullmatch(part):
            others += 1
    return found if others <= len(found) else []
