"""Records of persons: columns that only persons have, and what of those who left is still so.

Used by ``records``; pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kgfs.documents.blocks import Block
from kgfs.documents.records.record import Record
from kgfs.extraction.facts.structured.structure import FORMER
from kgfs.extraction.names import tagging
from kgfs.extraction.names.people.name_words import PARTICLES, may_be_somebody
from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.plurals import singular

_PERSON = re.compile(r"[^\W\d_a-z][\w.'’-]*(?:\s+[^\W\d_][\w.'’-]*){1,3}")
_CAPITAL = re.compile(r"[^\W\d_a-z](?:[^\W\d_]*[^\W\d_A-Z][\w'’-]*|\.)")
"""A word of a name, or an initial."""
_SLUG = re.compile(r"[a-z]{2,20}(?:-[a-z]{1,20}){1,2}")
_SCOTTISH = re.compile(r"^Mc([a-z])")
_SEVERAL = frozenset("Team Staff Group Office Editors Admin Bot Labs Lab Community Foundation Project".split())
_UNSPACED = re.compile(
    r"[\u4e00-\u9fff]{2,5}|[\u3400-\u9fff\u3005]{1,4}[ \u3000]?[\u3040-\u30ff\u3400-\u9fff\u3005]{1,4}|"
    r"[\u30a1-\u30fc]{1,10}(?:[・·＝ ][\u30a1-\u30fc]{1,10}){1,3}|[\uac00-\ud7a3]{2,4}|"
    r"[\u4e00-\u9fff]{1,6}·[\u4e00-\u9fff]{1,6}"
)
_BODY = re.compile(
    r"(?:[部组組课課局室科处處所会會署庁省社队隊班]|公司|团队|團隊|中心|小组|委员会|委員会|大学|学校|医院|センター|チーム|グループ|"
    r"팀|부|과|실|국|회사|센터|위원회|그룹|장|전체|모두)$|[各全]|所有|大家|本人|自己|担当|负责|責任"
)
"""What no person is called in these scripts: *技术部*, *全員*."""
_TITLES = words.PERSON_TITLES | frozenset(
    "captain graf gräfin fürst fürstin herzog herzogin freiherr baron baronin baroness könig königin herr frau count "
    "countess duke duchess comte comtesse marquis marquise duc duchesse señor señora don doña conde condesa conte "
    "contessa signor signora monsieur madame graaf gravin".split()
)
"""What stands before the name of somebody."""
_OF_BODIES = frozenset(
    "Aktiengesellschaft Amt Banca Banco Banka Banque Brothers Bros Caisse Compagnie Compañía Confederation Consorzio "
    "Crédit Deutsche Deutscher Deutsches Empresa Fils Fondation Fondazione Frères Fundación Genossenschaft "
    "Gesellschaft Gmina Groupe Grupo Gruppe Gruppo Handelsbanken Hermanos Holding Instituto Kommune Kreditbank "
    "Landkreis Ministerio Municipio Mutuelle National Nationale Royal Société Società Sociedad Söhne Stadt Stadtwerke "
    "Stichting Stiftung Telecom Telekom Universidad Università Université Universität Verband Verein Verlag Ville "
    "Werke".split()
)
"""Words of the names of bodies, whatever the language."""
OF_PERSONS = frozenset({"affiliation", "affiliations", "employer", "works_for"})
"""Columns that only persons have."""
_SAYS_WHO = re.compile(
    r"(?:.*_)?(?:e?_?mail|github|gitlab|slack|twitter|mastodon|linkedin|orcid|handle|username|user|irc|website|homepage|url)(?:_(?:id|handle|name|username|user|address))?"
)


def says_who(key: str) -> bool:
    """Whether a key, in one spelling, only says where one finds somebody, as it does of those who left."""
    return _SAYS_WHO.fullmatch(key) is not None


def is_person_like(record: Record) -> bool:
    """Whether a record is called as persons are."""
    return _PERSON.fullmatch(record.name) is not None


def looks_like_somebody(name: str, *, foreign: bool) -> bool:
    """Whether a value has the shape of a person's name and is nothing else: two to four words with capitals, of which
    none is a word of the language or of the names of bodies; the first may be a given name, or a title (*Graf Theo*).

    It says so only of what stands where persons do, and where the words of the language are known: a ``foreign`` name
    begins with a title or a given name.
    """
    first, *rest = name.split() or [""]
    titled = first.rstrip(".").lower() in _TITLES
    own = rest if titled else [first, *rest]
    if not (1 if titled else 2) <= len(own) <= 4 or not tagging.has_tagger():
        return False
    capitals = [part for part in own if part not in PARTICLES]
    if own[-1] in PARTICLES or not all(_CAPITAL.fullmatch(part) for part in capitals) or not may_be_somebody(own):
        return False
    given = capitals[0] in words.GIVEN_NAMES
    if foreign and not (titled or given):
        return False
    unsure = capitals[1:] if given else capitals
    return _OF_BODIES.isdisjoint(own) and not any(map(_is_word, unsure))


def _is_word(part: str) -> bool:
    lowered = part.lower()
    return any(tagging.is_word(form) and is_ordinary(form) for form in (lowered, singular(lowered)))


def slug_person(value: str, is_word: Callable[[str], bool]) -> str:
    """The name of somebody who is called as in an address (``ann-lee``, ``ann``); empty for anything else.

    It begins with a given name, or its parts are no words.
    """
    if value.isalpha() and value.islower():
        return value.capitalize() if value.capitalize() in words.GIVEN_NAMES else ""
    if _SLUG.fullmatch(value) is None:
        return ""
    parts = [_SCOTTISH.sub(lambda found: f"Mc{found[1].upper()}", part.capitalize()) for part in value.split("-")]
    somebody = parts[0] in words.GIVEN_NAMES or not any(map(is_word, parts))
    return " ".join(parts) if somebody and len(parts[-1]) > 1 and parts[-1] not in _SEVERAL else ""


def is_unspaced_person(name: str) -> bool:
    """Whether a value in a script without capitals has the form of a person's name: *张伟*, *山田太郎*, *김철수*.

    It says so only of what stands where persons do.
    """
    return _UNSPACED.fullmatch(name) is not None and _BODY.search(name) is None


def former_places(blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """Where a text stands beneath headings such as *Alumni*, in characters."""
    found: list[tuple[int, int]] = []
    headings: list[tuple[int, str]] = []
    for block in blocks:
        if block.kind == "heading":
            headings = [*(one for one in headings if one[0] < block.level), (block.level, block.title)]
        elif any(FORMER.search(title) for _, title in headings):
            found.append((block.start, block.end))
    return found
