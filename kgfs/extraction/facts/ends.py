"""Whether the names that a fact joins can be its ends, by their types and by how they are written.

Used by the fact reader; pure. A pattern sees where names stand. That Ukraine is a country, and lies in no other one, it
does not see.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.places import COUNTRIES, REGIONS, is_administrative

_FORMER = frozenset(
    "Britain|Great Britain|UK|US|USA|Holland|West Germany|East Germany|Soviet Union|USSR|Czechoslovakia|Yugoslavia|"
    "Burma|Zaire|United States".split("|")
)
"""Countries by names that the list of places does not have, and such as there were."""
_CONTINENTS = frozenset(
    "Africa|Asia|Europe|Eastern Europe|Western Europe|Latin America|North America|South America|Middle East|Oceania|"
    "Southeast Asia|Scandinavia|EMEA|APAC|Central America|Central Asia|East Asia|South Asia|West Africa|East Africa|North Africa|"
    "Southern Africa|Central Europe|Northern Europe|Southern Europe|Caribbean|Australasia|Far East|Near East".split("|")
)
"""What lies in no country."""
_CODE = re.compile(r"[A-Z]{1,4}|[A-Z]\.|(?:[A-Z]\w*[- ])?(?:FM|AM|TV)")
"""A call sign, an initial, the type of a station."""
_UNBOUND = re.compile(r"(?:Ocean|Sea|Empire|Union|Street|Downtown|Gunmen|Rock)$")
_CUT = re.compile(r"(?:^| )(?:St\.|Downtown|Street)$")
_SITE = re.compile(
    r"\b(?:Universit(?:y|ies)|College|Schools?|Academy|Conservatory|Institute|Seminary|Museum|Gallery|Library|Archives|Hospital|"
    r"Clinic|Church|Cathedral|Abbey|Monastery|Convent|Temple|Mosque|Synagogue|Theat(?:re|er)|Opera|Stadium|Arena|Studios?|"
    r"Casino|Hotel|Inn|Resort|Mall|Embassy|Consulate|Court|Prison|Airport|Station|Zoo|Cemetery|Palace|Castle|Laboratory|"
    r"Observatory|Exchange|Plant|Club)\b"
)
"""What stands in one place, so that ``in`` behind it says where."""
_OFFICE = re.compile(r"(?:Sheriff|Governor|Mayor|Senator|Bishop|Archbishop|Duke|Earl|Attorney General|Secretary) of ")
"""Somebody, who lies nowhere."""
_OFFICES = frozenset(
    "Defense Transportation State Commerce Energy Interior Labor Education Justice Agriculture".split()
)
"""What a ministry is for: before ``Secretary`` it is no name."""
_POST = re.compile(
    r"(?!.*\b(?:Office|Offices|Board|Society|Association|Institute|Institution|Council|Committee|Team|Group|Union|Federation)\b)"
    r"(?:(?:[\w&/’'-]+,? ){0,6}(?:Managers?|Directors?|Officers?|Leads?|Engineer|Developer|Coordinator|Administrator|Analyst|Architect|Designer|"
    r"Consultant|Supervisors?|Owners?|Executive|Specialist|Secretary|Treasurer|Moderator|Facilitator|Liaison|Representative|Role|President|Chair(?:s|person|man|woman)?|"
    r"CEO|CTO|CFO|COO|CIO|CISO)|(?:Head|Director|Chief|Deputy Head|VP|Vice President) of .+)"
)
"""What somebody is, and no name of somebody: *Delivery Manager*, *Head of Design*."""
_OF_SIDES = frozenset("Confederate Union Federal Republican Democratic Allied Imperial Royal National Viking".split())
"""Adjectives of sides and states: a *Confederate officer* works for no Confederate."""
_ONCE = re.compile(r"(?i:ex|former)[- –](?=[A-Z])")
"""Before the name of whom somebody worked for."""
_NOBODY = frozenset("Baronet Emeritus MBE OBE CBE Kappa Chancellor Samadhi".split())


def is_site(name: str) -> bool:
    """Whether a name is that of a building or of an institution that has one."""
    return _SITE.search(name) is not None


def may_lie_in(name: str, place: str) -> bool:
    """Whether a name can be that of what lies in ``place``: no country in a country, nothing that is cut short."""
    if name in COUNTRIES or name in _FORMER or name in _CONTINENTS:
        return place in REGIONS
    if is_administrative(name) and place not in COUNTRIES | REGIONS | _FORMER:
        return False
    if _OFFICE.match(name) or _CODE.fullmatch(name) or _UNBOUND.search(name) or _CUT.search(place) or name in place:
        return False
    first, _, rest = name.partition(" ")
    return not (first in words.GIVEN_NAMES and re.match(r"[A-Z]\. ", rest) and not is_site(name))


def may_be_person(name: str) -> bool:
    """Whether a name that is taken for a person's is more than a title or an honour."""
    return name.split()[-1] not in _NOBODY and "&" not in name


def is_post(name: str) -> bool:
    """Whether a name is that of a post, which reports to nobody, approves nothing and is no member by itself."""
    return _POST.fullmatch(name) is not None and name.split()[0] not in words.GIVEN_NAMES


_FIELD = re.compile(
    r"(?:^|\b(?:and|&) (?:[A-Z][a-z]+ )?)(?:Affairs|Development|Marketing|Operations|Planning|Sales|Strategy)$"
)
"""The end of the field of a post: *Vice President of Development and Regulatory Affairs*."""


def may_employ(name: str) -> bool:
    """Whether a name that is taken for an organization's is more than an adjective or a people, and no *ex-Acme*."""
    return name not in words.DEMONYMS | _OFFICES | _OF_SIDES and _ONCE.match(name) is None and not _FIELD.search(name)
