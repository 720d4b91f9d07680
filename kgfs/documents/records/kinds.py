"""What records are: the types of entities that files, sheets, headings and columns name (``employees`` are persons).

Used by the readers of this package and by extraction; pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from kgfs.documents.records.foreign_keys import english_word
from kgfs.documents.records.record import spelled
from kgfs.plurals import singular

_TYPES = {
    "Person": "person people individual human employee staff colleague coworker contact member attendee "
    "participant author editor director actor actress player athlete student pupil teacher professor "
    "scientist researcher speaker user candidate applicant patient doctor physician nurse engineer "
    "developer manager officer executive founder maintainer contributor volunteer trustee commissioner "
    "alumni alumnus chair chairperson organizer organiser committer approver reviewer "
    "senator representative minister president monarch king queen mitarbeiter artist musician composer "
    "painter writer poet character guest owner leader name-of-person team-member board-member",
    "Organization": "organization organisation company firm corporation business vendor supplier manufacturer "
    "bank agency institution institute university college school hospital employer partner "
    "sponsor competitor subsidiary publisher club department division team ministry committee ngo "
    "charity foundation association union party unternehmen firma entreprise startup brand",
    "Location": "location place city town village country nation state province region district county "
    "venue office branch continent river lake mountain island capital stadt land ort ville "
    "pays",
    "Event": "event meeting conference workshop appointment session battle war festival holiday release-event",
    "Work": "book film movie song album novel play poem painting paper article publication episode game show series",
    "Product": "product device model app application tool package library software program",
}
_BY_WORD = {word: type_ for type_, found in _TYPES.items() for word in found.split()}
_SAYS_NOTHING = frozenset(
    "element operator prefix suffix operand keyword token node command cmdlet "
    "result detail option parameter setting example note benefit step task question answer value field column "
    "flag argument variable feature issue change requirement prerequisite limitation difference comparison link "
    "reference resource message code error status reason metric figure number fact term rule key property "
    "attribute type kind method function thing other record row item entry sheet table list line page section "
    "content topic total".split()
)
_COLLECTIVE = frozenset(
    "team staff membership leadership management board committee council faculty crew cast personnel roster workforce "
    "squad".split()
)
"""Above a list in the singular they say whose members it has."""
_PERSONAL = frozenset(
    "job_title first_name last_name reports_to line_manager birthday birth_date date_of_birth birthdate hire_date "
    "hired salary gender nationality occupation affiliation affiliations employer party".split()
)
_CONTACT = frozenset("email e_mail email_address mobile phone".split())
_SUPERIORS = frozenset({"boss", "supervisor"})
_OF_THINGS = frozenset("maintainer owner".split())
"""Columns that things have, and persons have not."""
_BODILY = frozenset("chairs co_chairs leadership members tech_leads".split())
"""Columns that only those have who are several."""
_BELONGING = frozenset(
    "organization organisation company affiliation employer role title abbreviation initials".split()
)
"""Under the title of a meeting the rows of such columns are those who took part."""


_OPAQUE = re.compile(
    r"(?i)(?:sheet|table|tabelle|feuil|hoja|blad|data|export|list|results?|output|records?|test|file|untitled|sample|"
    r"dump|db|items?|rows?|entries|values?|report|all)?[\s_-]*\d*"
)
"""What says nothing of what the rows are."""
_AROUND = re.compile(
    r"(?i)\b(?:\d[\d ]*|q[1-4]|v\d+|final|draft|copy|new|old|list of|list|table of|table|our|the|all|export|data|csv|"
    r"master|current|latest)\b"
)


_OF_WHOM = re.compile(r"(?P<what>[^\W\d_]+) (?:at|for|from|in|of) .+")


def kind_type(kind: str) -> str:
    """The entity type of a kind as a document writes it; empty where it says nothing."""
    kind = in_english(kind)
    words = re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z\d])(?=[A-Z])", " ", kind))
    if not words or len(words) > 3:
        return ""
    *before, head = words
    single = singular(head.lower())
    if kind.lower() == SOFTWARE_PROJECT:
        return "Product"
    if single in _BY_WORD:
        return _BY_WORD[single]
    if single in _SAYS_NOTHING or any(word.isdigit() for word in words) or len(single) < 3:
        return ""
    return "".join(word[:1].upper() + word[1:] for word in (*before, single if head.islower() else _as(head, single)))


def in_english(kind: str) -> str:
    """A kind of another language in English: *city* for ``Stadt``; itself where it is not known."""
    word = spelled(kind)
    meaning = english_word(word)
    return kind if meaning == word else meaning.replace("_", " ")


def says_no_kind(word: str) -> bool:
    """Whether a header, in one spelling, says that rows are no things: *task*, *option*."""
    return singular(word.rpartition("_")[2]) in _SAYS_NOTHING


THING = "thing"
"""What something is that somebody owns, where nothing says more."""
SOFTWARE_PROJECT = "software project"
"""What projects are that have a repository each."""
OF_SOFTWARE = frozenset(
    "app application component daemon library microservice module package program service software system tool".split()
)
"""Kinds of what may be called by a word in small letters that is none of the language: *lampd*, *ledger-api*."""
_SHORT_FORM = re.compile(r"\s*\([A-Z]{2,6}s?\)\s*$")
"""Behind what the rows are: *Working Groups (WGs)*."""
_REPOSITORIES = frozenset("code git github github_repo repo repository repository_home_page source source_code".split())


def software_kind(kind: str, words: Collection[str]) -> str:
    """What rows under a title of this kind are: projects that have a repository each are of software."""
    last = singular(kind.lower().split()[-1]) if kind else ""
    return SOFTWARE_PROJECT if last == "project" and not _REPOSITORIES.isdisjoint(words) else kind


_OWNED = frozenset("lead maintainer maintainers owned_by owner owners team tech_lead".split())
_OWNERS = frozenset("maintained_by maintainer maintainers owned_by owner owners product_owner service_owner".split())
_DEPENDING = frozenset("dependencies dependency depends_on requires".split())


def kind_of_whole(kind: str, words: Collection[str], name: str) -> str:
    """What the one thing of a file of this kind is: the plural of its name is that of many (``payments.yaml``).

    What somebody owns and depends on others is software, where its name is one word or it has a repository.
    """
    last = kind.lower().split()[-1:]
    said = kind_of_rows("" if last and singular(last[0]) != last[0] else kind, words)
    shown = not _REPOSITORIES.isdisjoint(words) or (" " not in name and not _DEPENDING.isdisjoint(words))
    return said or (SOFTWARE_PROJECT if shown and not _OWNED.isdisjoint(words) else owned_kind(words))


def owned_kind(words: Collection[str]) -> str:
    """What something is of which no more is said than who owns it; empty where nobody does."""
    return THING if not _OWNERS.isdisjoint(words) else ""


def row_kind(title: str) -> str:
    """What a file, a sheet or a heading says of the rows under it; empty where it says nothing."""
    title = _SHORT_FORM.sub("", title)
    words = re.sub(r"[_\W]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", title)).strip()
    words = " ".join(_AROUND.sub(" ", words).split())
    whose = _OF_WHOM.fullmatch(words)
    if whose is not None and singular(whose["what"].lower()) in _BY_WORD:
        words = whose["what"]  # "Members of the club"
    english = in_english(words)
    # A word of another language may be one in the plural: "Bâtiments", "建筑".
    is_said = is_kind(english) or (english != words and bool(kind_type(english)))
    return "" if _OPAQUE.fullmatch(english) or not is_said else english


def is_known_kind(kind: str) -> bool:
    """Whether a kind is one of persons, organizations, places, events, works or products."""
    return kind_type(kind) in _TYPES


def is_role(name: str) -> bool:
    """Whether a name is what somebody does: ``Desk Officer``, ``Researcher``."""
    return _BY_WORD.get(singular(name.lower().split()[-1])) == "Person"


def is_kind(words: str) -> bool:
    """Whether a title can say what the rows under it are: a kind that is known, or things in the plural."""
    parts = words.lower().split()
    if not parts or not kind_type(words):
        return False
    return parts[-1] in _COLLECTIVE or singular(parts[-1]) in _BY_WORD or singular(parts[-1]) != parts[-1]


def kind_of_rows(kind: str, words: Collection[str]) -> str:
    """What rows are under a title of this kind and with these columns: only persons have birthdays and managers."""
    if not _PERSONAL.isdisjoint(words):
        return "person"
    last = kind.lower().split()[-1:]
    if last and last[0] in _COLLECTIVE:
        return "person"
    if not _BODILY.isdisjoint(words) and not is_known_kind(kind):
        return "organization"
    if kind and kind_type(kind) == "Event" and not _BELONGING.isdisjoint(words):
        return "person"
    superior = not _SUPERIORS.isdisjoint(words) and _OF_THINGS.isdisjoint(words)
    return kind or ("person" if superior or not _CONTACT.isdisjoint(words) else "")


def _as(head: str, single: str) -> str:
    """A singular written with the capitals of the word that it comes from."""
    return head[: len(single)] if head.lower().startswith(single) else single.capitalize()
