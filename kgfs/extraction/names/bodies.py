"""What shows that a name is that of an organization: it hires, it says something, people work at it.

Used by the lexicon and the verdict on names; pure, English. The tagger takes nearly every name that is no person and no
place for an organization: roles, figures, file formats, plans. So where nothing but the tagger says it, a name whose
letters may be anything (an acronym, a phrase of ordinary words) needs a sentence in which it acts as one.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.abstract_nouns import is_abstract
from kgfs.extraction.names.wordlists.firms import FIRMS
from kgfs.extraction.names.wordlists.kind_nouns import noun_type

_BEFORE = re.compile(
    r"\b(?:(?:[Dd]irector|[Ee]ngineer|[Mm]anager|[Dd]eveloper|[Pp]resident|[Hh]ead)(?: of [A-Z]\w+)? at|(?:work|works|worked|working|employed|job|jobs|career|intern|internship|colleagues|lecturer|professor|researcher|"
    r"researchers|scientist|scientists|engineers|economist|economists|analyst|analysts|fellow|studied|taught|teaches) (?:at|for)|"
    r"(?:has |have |had |recently |then |who |he |she |I |they )joined|founded|co-founded|(?:hired|employed|funded|sponsored|owned|"
    r"acquired|published|backed|commissioned|accredited|audited|insured|regulated|run) by|"
    r"(?:partner|partners|partnered|partnership|partnerships|contract|contracts|contracted|merged|negotiated|negotiations) with|"
    r"on behalf of|commissioned|contracted|engaged|retained|tasked|(?:employees|staff|officials|president|vice president|CEO|CTO|CFO|chief executive|founder|founders|"
    r"co-founder|headquarters|subsidiary|division|shareholders|customers|meetings?) of) (?:the |our |an? )?$"
)
_BEHIND = re.compile(
    r"(?:['’]s?)? (?:(?:has |have |had |also |then |recently |later )?(?:said|says|announced|announces|hired|hires|employs|acquired|"
    r"acquires|founded|invested|agreed|appointed|sued|denied|argued|declined|warned|admitted|pledged|unveiled|"
    r"lobbied|voted|ruled|assessed|audited|discussed|decided|approved|accepted|rejected|reviewed|met|elected|elects|convened|convenes|determines|determined|decides|approves|appoints|reviews|votes|oversees|delegates|endorsed|donated|sponsors|sponsored|funds|funded|owns|owned|sold|bought|negotiated|recommended)\b(?! by\b)|"
    r"(?:can|may|might|must|shall|should|will)(?: also| then| not)? (?:appoint|approve|convene|decide|delegate|determine|"
    r"discuss|elect|meet|nominate|notify|oversee|review|select|vote)\b|"
    r"(?:is|was) (?:headquartered|based|founded|incorporated)\b|"
    r"(?:assessment|auditors|consultants|employees|staff|spokes\w+|officials?|headquarters|HQ|executives?|chairman|chairwoman|president|CEO|co-founders?|founders?|"
    r"subsidiar(?:y|ies)|shareholders|lawyers?|economists?|scientists?|alumni|lobbyists?|investigators?|inspectors?)\b)"
)
_ASKED = re.compile(
    r"\b(?:(?:[Cc]ontact|[Nn]otify|[Ee]-?mail|[Rr]each out to|[Gg]et in touch with)(?:ing)?|(?:approval|permission|clearance|guidance) from|(?:approved|reviewed|signed) by) (?:the |our )?$"
)
_ASKED_BEHIND = re.compile(
    r"(?=[,.;:)]|$| (?:to|so|and|or|for|if|at|with|via|before|when|who|in|on|regarding|about|directly|immediately|as)\b)"
)
"""Behind whom one writes to: not "contact Slack support"."""
_HELPS = re.compile(
    r" (?:(?:can|will|may|should|must)(?: also| then)? (?:reach out|follow up|advise|be in touch|get back|answer (?:any |your )?questions)|reaches out|follows up|"
    r"works? with (?:you|your|our|the|their) (?:[a-z]+ )?(?:agency|agencies|clients?|colleagues|customers|employees?|managers?|partners?|staff|supervisors?|teams?|vendors?)|"
    r"is (?:staffed|led|headed|chaired) by|(?:are|is) made up of)\b"
)
_UNIT_BEHIND = re.compile(
    r" (?:team|teams|department|squad|guild|working group|division|committee|task ?force|board)\b"
)
_BODY_BEHIND = re.compile(r" (?:agency|foundation|company|corporation|institute|association|society|consortium)\b")
_COMMON_HEADS = frozenset(
    "Code Communications Content Context Data Documents Hardware Infrastructure Insurance Interface Metadata Pipeline "
    "Platforms Records Services Software Solutions Standards Systems".split()
)
"""Heads that a firm's name has as well as that of a kind of thing: *Disability Insurance*, *Package Management Systems*."""
_ADDRESS = re.compile(r"[\w-]+\.(?:com|io|org|net|app|dev|ai|co|info)")
"""A name that is an address is what stands there, unless it acts: *Amazon.com*."""


def acts_as_body(text: str, start: int, end: int) -> bool:
    """Whether the words around ``text[start:end]`` speak of an organization: it hires, somebody works there."""
    before, behind = text[max(0, start - 40) : start], text[end : end + 60]
    if _BEHIND.match(behind) or _BEFORE.search(before) or _BODY_BEHIND.match(behind) or _HELPS.match(behind):
        return True
    if _ASKED.search(before) and _ASKED_BEHIND.match(behind):
        return True
    return " " in text[start:end] and _UNIT_BEHIND.match(behind) is not None


def is_common_head(name: str) -> bool:
    """Whether a name has a head that says a kind of thing as often as a firm, or no thing at all; one word too, which
    says what no body is called by alone: *Encryption*."""
    first, *rest = name.split()
    if first in FIRMS:
        return False
    if not rest:
        return first.istitle() and first.isalpha() and first not in words.GIVEN_NAMES and is_abstract(first.lower())
    before = next((place for place, word in enumerate(rest, 1) if word in words.PREPOSITIONS), len(rest) + 1)
    head = name.split()[before - 1]
    if rest[-1] in _COMMON_HEADS and (before > len(rest) or head not in words.ORGANIZATION_HEADS):
        return True  # but not "Journal of Lamp Software"
    if first in words.GIVEN_NAMES or not words.ORGANIZATION_HEADS.isdisjoint((head, rest[-1])):
        return False
    return noun_type(head.lower()) in ("", "Concept") and is_abstract(head.lower())


def is_address(name: str) -> bool:
    """Whether a name is the address of a site: *example.com*."""
    return _ADDRESS.fullmatch(name) is not None


def is_role(name: str) -> bool:
    """Whether a phrase in capitals says what somebody is, and names nobody: *Account Executives*, *Product Managers*."""
    parts = name.split()
    return (
        1 < len(parts) <= 5
        and parts[0] not in words.GIVEN_NAMES
        and parts[-1] not in words.ORGANIZATION_HEADS
        and not any(part in words.PREPOSITIONS for part in parts)
        and noun_type(parts[-1].lower()) == "Person"
    )
