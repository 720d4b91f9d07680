"""Which office or post somebody has, where and from when to when, as leads say it.

Used by ``leads``; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from kgfs.extraction.facts.guides.lead_patterns import BE, CHARGES, ENDS, NAME, YEARS, LeadFact, years_behind
from kgfs.extraction.facts.marks import mark_numbers

_POST_AT = re.compile(
    r"^(?:(?:an?|the) )?(?P<post>(?:[Vv]ice |[Dd]eputy |[Aa]ssistant |[Ss]enior |[Cc]o-?)?(?:[Cc]hief [A-Za-z ]{3,30}? [Oo]fficer|C[A-Z]O|[Hh]ead of [A-Za-z ]{3,30}?|"
    r"(?:[A-Za-z]+ ){0,2}(?:[Dd]irector|[Mm]anager|[Pp]resident|[Pp]artner|[Ee]ngineer|[Dd]esigner|[Aa]nalyst|[Dd]eveloper|[Aa]rchitect|[Cc]onsultant|[Ee]ditor|[Rr]esearcher|[Ss]cientist))) (?:of|at|for) (?:the )?(?:(?!both )[a-z-]+ ){0,3}"
    rf"(?P<o>{NAME})(?![’']s\b){ENDS}"
)
"""*The Chief Technology Officer of Orm*, *a senior designer at Tarn*."""

_OFFICE = re.compile(
    rf"(?:^|(?<=\d\d\d\d)(?:,? and (?:as )?|, )|\b(?:served|reigned|ruled|elected|serving|became|serves|crowned) (?:as |to be )?)(?:(?:the|an?|a former|former) )?(?:[\w-]+ ){{0,3}}?"
    rf"(?P<office>(?:[Vv]ice[ -])?[Pp]resident|[Pp]rime [Mm]inister|[A-Za-z]*[Mm]inister [a-z ]{{0,30}}|[Mm]inister (?:of|for) (?:the )?[A-Z][a-z]+(?:,? (?:and )?[A-Z][a-z]+)*|[Kk]ing|[Qq]ueen|[Ee]mperor|[Ee]mpress|[Ss]ultan|[Tt]sar|[Dd]uke|[Cc]hancellor|[Gg]overnor|[Mm]ayor|"
    rf"[Ss]enator|[Aa]ttorney [Gg]eneral|[Cc]hief [Jj]ustice|[Cc]hief [Mm]inister|[Pp]remier|[Gg]overnor[ -][Gg]eneral|[Pp]rovost|[Bb]urgomaster|[Mm]onarch|[Rr]uler) (?:of|for|from) (?:the )?(?P<o>{NAME}){ENDS}"
    rf"(?=(?P<rest>[^;]{{0,60}}))"
)

_REIGNED = re.compile(
    r"^ (?:reigned|ruled)(?: (?!from\b|between\b|over\b|with\b|jointly\b)[a-z ]{2,30}?)?(?= (?:from|between) )"
)

_CHARGE = re.compile(
    r"(?:^|, (?:and )?(?=\d+(?:st|nd|rd|th) )|\b(?:served|elected|serving|became|serves) (?:as |to be )?)(?:(?:the|an?) )?"
    r"(?:(?:current|founding|longtime|"
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d+(?:st|nd|rd|th)) )?"
    rf"(?P<office>{CHARGES}) of (?:the )?(?P<o>{NAME}){ENDS}(?=(?P<rest>[^;]{{0,60}}))"
)


def post(what: str) -> Iterator[LeadFact]:
    """The post that the words behind ``is`` say: *the Chief Technology Officer of ⟨1⟩*."""
    if (found := _POST_AT.match(what)) is not None:
        chief = re.match(r"(?i)chief executive|CEO", found["post"])
        type_ = "CHIEF_EXECUTIVE_OF" if chief else "WORKS_FOR"
        yield LeadFact("leads.post", type_, mark_numbers(found["o"])[0], role=found["post"])


def reign(rest: str) -> Iterator[LeadFact]:
    """The years in which somebody reigned, wherever that was."""
    found = _REIGNED.match(rest)
    if found is not None and (years := YEARS.match(rest, found.end() + 1)) is not None:
        yield LeadFact("leads.reign", "OFFICIAL_OF", valid_from=years["from"], valid_to=years["to"])


def offices(rest: str) -> Iterator[LeadFact]:
    """What somebody is or was of a place or a body, by all behind the subject."""
    said = re.sub(rf"^,? ?(?:{BE}|(?:has|had) (?:also )?been) ", "", rest)
    for type_, pattern in (("OFFICIAL_OF", _OFFICE), ("LEADS", _CHARGE)):
        for found in pattern.finditer(said):
            since, until = years_behind(found["rest"])
            yield LeadFact(
                "leads.office", type_, mark_numbers(found["o"])[0],
                valid_from=since, valid_to=until, role=found["office"].strip(),
            )  # fmt: skip
