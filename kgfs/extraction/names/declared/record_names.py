"""Entities that records declare: rows, mappings and cards with a name.

Used by the gazetteer, the lexicon and the acceptance of names; pure, and without a tagger, since names of all documents
are gathered where none is.
"""

from __future__ import annotations

import re

from kgfs.documents.dates import MONTH_NAMES
from kgfs.documents.identifiers import code_shape
from kgfs.documents.records.kinds import OF_SOFTWARE, SOFTWARE_PROJECT, THING, is_role, kind_type
from kgfs.extraction.names import capitals
from kgfs.extraction.names.declared.suggested import type_by_shape, type_in_code
from kgfs.extraction.names.declared.titles import Title, tells_how, without_pronouns
from kgfs.extraction.names.kinds import is_called_body
from kgfs.extraction.names.people.name_words import may_be_somebody
from kgfs.extraction.names.software import is_software
from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.kind_nouns import noun_type, phrase_type
from kgfs.extraction.names.wordlists.well_known import well_known_type
from kgfs.model import DefinedTerm, EntityCandidate
from kgfs.plurals import singular

_HANDLE = re.compile(r"\s*[(\[]?(?<!\S)@[A-Za-z\d][\w-]*[)\]]?")
"""``Jane Doe @jdoe``: what somebody is called on a site is no part of the name."""
_PICTURES = re.compile(r"[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]+")
"""Arrows, ticks, crosses and faces: *❌ Acme*."""
_NO_TEXT = re.compile(r"(?i)\s*(?:\{\{[^{}]*\}\}|\{%[^{}]*%\}|\W*(?:fixme|n/a|none|null|tba|tbc|tbd|todo)\W*)\s*$")
"""A description that is somewhere else, or still to be written."""
_EMPLOYED = re.compile(
    r"(?P<name>[^\W\d_a-z][\w.’'-]+(?: (?:[\"“(]?[^\W\d_a-z][\w.’'-]*[\"”)]?|de|van|von|der|la|di)){1,4}), "
    r"(?!(?:Jr|Sr|PhD|Ph\.D|MD|Esq|CPA|MBA|II|III|IV)\b)[^\W\d_a-z][^,]*"
)
"""Somebody, and behind a comma for whom they work: *Ann Lee, Acme*."""
_NICKNAME = re.compile(r" [\"“](?P<nick>[^\W\d_][\w-]{2,20})[\"”] ")
"""Between somebody's names: *Ann "Lampy" Lee*."""
_DESKS = (*capitals.DESKS, "Helpdesk")
"""Who answers, though tables have them among what one uses."""
_GROUPS = {"WG": "Working Group", "SIG": "Special Interest Group"}
_WHEN = re.compile(rf"(?: (?:{'|'.join(MONTH_NAMES)}))?,? (?:19|20)\d\d$")
"""Behind what takes place: *Lamp Council Meeting May 2023*."""
_SURE = 0.95
_GUESSED = 0.5
_SHOWN = 0.8
"""How sure the words of a name must be of its type, where a kind that is no usual one says another."""
_REMARK = re.compile(r" \((?![“\"'])[^()]{2,60}\)$")
_IDENTIFIER = re.compile(r"(?=.*[a-z])(?=.*[\d_.@/-])[\w.@/-]{3,}")
"""``web-01``, ``billing_api``: a name though it has no capital."""
_INITIALS = re.compile(r"(?:[A-Z]\.){1,3}")
_OF_ALL = re.compile(r"(?i)(?:all|any|both|each|every|most|neither|no|other|others|some|several) (?:.* )?(?-i:[a-z]+)$")
"""What a row says of several: *All major makers*."""
_PROJECT = re.compile(r"[a-z][a-z\d]{3,}(?:-[a-z\d]+)*")
"""A project in small letters, in the first column of a table of such: *lampd*."""
_MACHINES = frozenset("agent client host node runner worker".split())
"""Kinds of machines, which are words for persons too."""
_TYPES = frozenset({"Person", "Organization", "Location", "Event", "Work", "Product"})
_FIELD = re.compile(r"(?i)\b(?:practice|focus|work|working|subject|topic|business|interest)[ _-]areas?$")
"""Areas that are no places."""
_OWNERS = frozenset("i me my our us we you your".split())
_UNEMPLOYED = frozenset(
    "freelance freelancer independent individual none retired self self-employed unaffiliated unemployed".split()
)
"""What stands for an employer where somebody has none."""
_ORDINARY = words.NOT_NAMES | words.WEAK_STARTS | frozenset("bar baz foo foobar qux".split())


_LABELS = frozenset(
    "contact|contacts|e-mail|email|point of contact|points of contact|region|status|when|where".split("|")
)
"""First cells of tables that have no header: a label of the first row, and what is beneath it is another one."""


def record_entity(term: DefinedTerm) -> EntityCandidate | None:
    """The entity that a record declares; ``None`` for a term, and for a record whose name is an ordinary word.

    It is ``declared`` where the document says what it is; else the type is a guess.
    """
    name = " ".join(_PICTURES.sub("", without_pronouns(_HANDLE.sub("", term.name))).split())
    titled = Title(name)
    if titled.short and not name.startswith("@"):
        name = titled.text  # "Lamp Leader (LL)"
    somebody = kind_type(term.kind) == "Person" or name.partition(" ")[0] in words.CLEAR_GIVEN
    if somebody and (employed := _EMPLOYED.fullmatch(name)):
        name = employed["name"]
    elif somebody and _REMARK.search(name) and not titled.short:
        name = _REMARK.sub("", name)  # "Ann Lee (Acme CEO)"
    called = _NICKNAME.search(name) if somebody else None
    aliases = _as_group(name, term.kind) if called is None else [called["nick"], name]
    if called is not None:
        name = f"{name[: called.start()]} {name[called.end() :]}".strip()
    if titled.short:
        aliases = [*aliases, titled.short]
    if name.count(",") > 1 and all(part.strip().partition(" ")[0] in words.GIVEN_NAMES for part in name.split(",")):
        return None  # "Ann Lee, Bo Ray, Cy Ott"
    if not term.kind.strip() or " / " in name or tells_how(Title(name)) or term.kind.lower().strip() in _LABELS:
        return None
    noun = singular(term.kind.lower().split()[-1])
    of_software = (noun in OF_SOFTWARE or noun == THING) and not is_ordinary(name)
    if not (_is_name(name) or ((of_software or term.kind == SOFTWARE_PROJECT) and _PROJECT.fullmatch(name))):
        return None
    known = kind_type(term.kind)
    of_rows = "" if _FIELD.search(term.kind) else noun_type(term.kind.split()[-1].lower())
    said = known if known in _TYPES else of_rows
    if said == "Person" and noun in _MACHINES and _IDENTIFIER.fullmatch(name):
        said = "Product"  # "web-01", of the hosts
    said = type_by_shape(name) if said in _TYPES and code_shape(name) == "snake" else type_in_code(name, said)
    cue, parts = capitals.type_cue(name), name.split()
    if known not in _TYPES and cue is not None and cue[1] >= _SHOWN and said != cue[0]:
        said = cue[0]  # "House Committee on Lamps", of the type *house*
    declared = bool(said)
    if said in ("Location", "Facility"):
        said = well_known_type(name) or said  # "Windows", in a table of locations of files
    if said == "Person" and noun_type(name.split()[-1].lower()) == "Organization" and " " in name:
        said = "Organization"
    if said == "Person" and cue is not None and cue[0] == "Organization":
        said = "Organization"
    if said == "Product" and parts[0] != "Online" and (is_called_body(name) or name.endswith(_DESKS)):
        said = "Organization"  # "IT Service Desk", in a table of tools
    small = len(parts) > 1 and parts[-1].isalpha() and parts[-1].islower()
    if said in ("Organization", "Location") and small and noun_type(parts[-1]) != said:
        said, declared = "", False  # "Slack channel", a row in a table of places
    if said == "Person" and (
        is_role(name)
        or (" of " in name and noun_type(parts[0].lower()) == "Person")  # "Director of Engineering"
        or any(char.isdigit() for char in name)
        or not (parts[0] in words.GIVEN_NAMES or may_be_somebody(parts))
    ):
        return None
    if said in ("Person", "Organization") and name == name.lower() and name != name.upper():
        said, declared = type_by_shape(name), False  # "sig-storage", of channels
    of_kind = term.kind != "record" and not is_ordinary(name.lower())  # *Halcyon*, in a column of projects
    if not (of_kind or _is_more_than_word(name, said)) or (term.kind == "record" and _is_label(name)):
        return None
    if not said:
        said = cue[0] if cue else "Product" if is_software(name) else well_known_type(name) or _by_shape(name)
    return EntityCandidate(
        name=name,
        type=said,
        aliases=aliases,
        description="" if _NO_TEXT.match(term.definition) else term.definition,
        confidence=_SURE if declared else _GUESSED,
        declared=declared,
        unsaid=said == "Person" and parts[0] not in words.GIVEN_NAMES,
    )


def _as_group(name: str, kind: str) -> list[str]:
    """How a working group is called besides, which a table calls by its subject: *Lamp Safety*, *Lamp Safety WG*."""
    group = " ".join(singular(part) for part in kind.lower().split()[-3:])
    for short, written in _GROUPS.items():
        if group.endswith(written.lower()) and not name.endswith((short, written)) and not name.startswith(short):
            return [f"{name} {short}", f"{name} {written}"]
    return []


def _is_label(name: str) -> bool:
    """Whether the name of a record of which nothing says what it is is a label: *Main navigation*, *Joining Acme*."""
    first, *rest = name.split()
    return bool(rest) and first[:1].isupper() and (first.endswith("ing") or all(part.islower() for part in rest))


def _by_shape(name: str) -> str:
    """A person, where a given name or initials open the name; else the type that its last word shows, of what happens
    or is written in code; else that of a term."""
    if " " not in name:
        return type_in_code(name, "Concept")
    parts = name.split()
    if (parts[0] in words.CLEAR_GIVEN or _INITIALS.fullmatch(parts[0])) and may_be_somebody(parts[1:]):
        return "Person"  # "A.B. Lind", in a table of who said what
    return "Event" if phrase_type(_WHEN.sub("", name), reach=1) == "Event" else "Concept"


def _is_more_than_word(name: str, type_: str) -> bool:
    """Whether a name is more than one word with a capital, which may be any word, or is of a type that shows it."""
    if not name.isalpha() or name[1:] != name[1:].lower():
        return True
    return type_ in ("Organization", "Location", "Product") or (type_ == "Person" and name in words.GIVEN_NAMES)


def _is_name(name: str) -> bool:
    if (
        name.lower() in _ORDINARY | _UNEMPLOYED
        or not _OWNERS.isdisjoint(name.lower().split())
        or _OF_ALL.match(name) is not None
        or name[:1] in "-–—#<>[]{}()|*/\\$%&.,;:+=~^@!?"
    ):
        return False
    if name == name.lower() and name != name.upper():
        return " " not in name and _IDENTIFIER.fullmatch(name) is not None
    return True
