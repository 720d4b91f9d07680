"""The entities that a page defines: entries of glossaries and definition lists.

Used for the names that documents declare (``gazetteer``); pure.
"""

from __future__ import annotations

import re

from kgfs.documents.identifiers import code_shape
from kgfs.extraction.names import capitals
from kgfs.extraction.names.declared.page_types import OWN
from kgfs.extraction.names.declared.suggested import type_by_shape, type_in_code
from kgfs.extraction.names.declared.titles import CLAUSE_WORDS, OPENING, SENTENCE, Title, tells_how, title_name
from kgfs.extraction.names.kinds import definition_type, is_called_body, said_kind
from kgfs.extraction.names.software import is_offered, is_software
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.kind_nouns import noun_type, phrase_type
from kgfs.extraction.names.wordlists.well_known import OTHER_NAMES, well_known_type
from kgfs.model import DefinedTerm, EntityCandidate

MAX_TERM_WORDS = 8
TERM = 0.9
"""How sure it is that what a page defines is an entity; of what the page is about it is certain."""
_FIRST = re.compile(r"[.,;:(–—]| - | is | are | was ")
_ARTICLE = re.compile(r"(?i)^(?:an?|the)\s+")
_IN_PATH = re.compile(r"\w/\S*[.,]\w")
_STEP = re.compile(r"(?i)\W*(?:day|level|part|phase|priority|stage|step|tier|week) \d")
_ALTERNATIVE = re.compile(
    r" \((?:alt\.?|also|alternatively|a\.?k\.?a\.?|aka|or|previously|formerly|(?:hereafter |hereinafter )?called):? "
    r"(?P<other>[^()]{2,60})\)$"
)
"""``Script thread (alt. script task)``."""
_LABELS = re.compile(r"[a-z]+(?:, [a-z]+)*")
"""``minutes, agenda``: links behind the name of a meeting, no definition."""
_TYPED = re.compile(
    r"\s*[\[(](?:any|array|bool|boolean|bytes|date|datetime|dict|enum|float|int|integer|list|map|number|object|optional|"
    r"required|str|string|timestamp|uuid)(?:[ ,|\[].{0,40})?[\])]$"
)
"""Behind a field: of what type its values are, *lamp_size [int]*."""
_MEANS = re.compile(r"^(?:means|refers to|stands for|is short for)\s+(?=[A-Z]|the [A-Z]|an? )")
_REFERRED = re.compile(
    r"\s*[Ss]ee:? [\[`*_“\"]+(?P<other>[^\[\]`*_“”\"()\n]{2,60})[\]`*_”\"]+(?:\([^()\s]*\))?\s*\.?\s*"
)
"""All that an entry says that leads to another one: *See `Data Access Protocol`.*"""
_BEGINNINGS = re.compile(r"(?:[A-Z][a-z]{2,}){2,}")
_BEGINNING = re.compile(r"[A-Z][a-z]+")
_SAID = re.compile(r"[^\W\d_]{2}")
_RENAMED = re.compile(
    r"(?:The )?(?P<now>[A-Z][\w&-]*(?: (?:[A-Z][\w&-]*|and|for|of|the)){1,7}) "
    r"(?:was|is) (?:formerly|originally|previously) (?:called|known as|named) (?:the )?"
    r"(?P<once>[A-Z][^().,;]{1,60}?)(?: \([A-Z]{2,8}\))?(?:[.,;]|$)"
)
"""*The Lamp Division was previously called the Office of Lamps (OL).*"""


_ADDRESSES = re.compile(r"https?://\S+|<[^<>]*>")
_WORD = re.compile(r"[^\W\d_]{2}")


def defined_term(term: DefinedTerm) -> EntityCandidate | None:
    """The entity that a glossary's entry names; ``None`` where its name is a sentence, a date or too long.

    An acronym that is defined by its long form is another name of that: ``GSA - General Services Administration``.
    """
    written = _TYPED.sub("", term.name.rstrip(":"))
    in_code = code_shape(written) == "snake"
    name = written if in_code else title_name(written)
    if term.definition.lstrip().startswith(("<%", "{{", "{%")):
        return None  # of a template, which has the definition elsewhere
    if not name or len(name.split()) > MAX_TERM_WORDS or SENTENCE.search(name) or OPENING.match(f"{name} "):
        return None
    if name.endswith("-") or (written[:1].isdigit() and not name.startswith(written[:1])) or _IN_PATH.search(name):
        return None  # "1.8 series", whose number is its name; "lib/lamps/oil.rb"
    if tells_how(Title(name)):
        return None  # "Creating a community project": a heading over what one does
    if name.count(",") > 1:
        return None  # "module, keyword, operator", explained together
    if _LABELS.fullmatch(term.definition.strip(" .")):
        return None
    if term.definition and not _WORD.search(_ADDRESSES.sub("", term.definition)):
        return None  # "Planning artifacts", over a link
    if " " not in name and _STEP.match(term.definition):
        return None  # "Testing" over "Level 1", "Level 2": a list of what to do
    if not CLAUSE_WORDS.isdisjoint(name.split()) or (term.definition and not _SAID.search(term.definition)):
        return None
    aliases = [name] if name in OTHER_NAMES else []
    other = _ALTERNATIVE.search(name)
    if other is not None:
        name, aliases = name[: other.start()], [other["other"], *aliases]
    given = Title(name)
    if given.short:
        name, aliases = given.text, [given.short, *aliases]  # "Work in Progress (WIP)"
    name = OTHER_NAMES.get(name, name)
    type_ = (
        well_known_type(name)
        or _said_type(name, term.definition)
        or _as_group(name, term.definition)
        or definition_type(term.definition)
    )
    if name.islower() and type_ in OWN and not _is_headed(term.definition, type_):
        type_ = well_known_type(name)
    referred = _REFERRED.fullmatch(term.definition)
    long = referred["other"] if referred is not None else _long_form(name, _MEANS.sub("", term.definition))
    if long:
        name, aliases = long, [name]
        cue = capitals.type_cue(long)
        said = said_kind(term.definition)
        type_ = well_known_type(long) or (cue[0] if cue else said.type if said else "")
        type_ = type_ or ("Organization" if is_called_body(long) else "")
    renamed = _RENAMED.match(term.definition)
    if renamed is not None and renamed["once"] == name:
        name, aliases = renamed["now"], [name, *aliases]
    if not type_ and (is_software(name) or is_offered(name, term.definition)):
        type_ = "Product"
    type_ = "Setting" if name.startswith("-") else type_in_code(name, type_)
    if in_code and not type_:
        type_ = type_by_shape(name)
    if (
        type_ == "Group"
        or (type_ == "Person" and name.split()[0] not in words.GIVEN_NAMES)
        or (type_ in OWN and _is_phrase(name) and (" " in name or type_ != "Product" or noun_type(name)))
    ):
        type_ = "Concept"
    return EntityCandidate(
        name=name,
        type=type_,
        aliases=aliases,
        description="" if referred is not None else term.definition,
        confidence=TERM,
        declared=True,
    )


_GROUP = re.compile(
    r"(?:The|This|A) (?:working |special interest )?(?:committee|group|task force|team) "
    r"(?:(?:that|which) )?(?:aims|applies|connects|defines|focuss?es|leads|manages|maintains|oversees|works)\b"
)


def _as_group(name: str, definition: str) -> str:
    """The type of what a definition calls a group of people that does something, and not for the thing of that name."""
    return "Organization" if _GROUP.match(definition) and name not in definition else ""


def _is_headed(definition: str, type_: str) -> bool:
    """Whether the last noun of what a definition says is of a type, for a word in small letters: *a package definition*
    is no package."""
    said = said_kind(f"It is {definition[:1].lower()}{definition[1:]}")
    return said is None or phrase_type(said.kind, reach=1) == type_


def _said_type(name: str, definition: str) -> str:
    """The type that ``Kedro is a framework`` says of a name; a word has an article: ``A pipeline is a program``."""
    said = said_kind(definition) if re.match(rf"{re.escape(name)} (?:is|was) ", definition) else None
    return said.type if said is not None else ""


def _long_form(name: str, definition: str) -> str:
    """What a definition opens with, where the name is short for it: *Technology Transformation Services* for TTS."""
    opening = _ARTICLE.sub("", _FIRST.split(definition, maxsplit=1)[0]).strip(" \"'“”*_")
    written = capitals.find_capitals(opening)
    first = written[0].text if written and not written[0].start else ""
    bracket = definition.find(f" ({name})")  # "was called the Office of Lamps (OL)"
    before = capitals.find_capitals(definition[:bracket]) if bracket > 0 else []
    explained = before[-1].text if before and definition[:bracket].endswith(before[-1].text) else ""
    for long in (opening, first, explained):
        if not 1 < len(long.split()) <= MAX_TERM_WORDS or not (capitals.stands_for(name, long) or _begins(name, long)):
            continue
        # A phrase in small letters explains an acronym; of a name of several words it is only what is said of it.
        if " " not in name or all(word[0].isupper() or word in words.TITLE_SMALL for word in long.split()):
            return long
    return ""


def _begins(name: str, long: str) -> bool:
    """Whether a name is made of the beginnings of the last words of another one: *LampDiv* of *Tarn Lamp Division*."""
    beginnings = _BEGINNING.findall(name) if _BEGINNINGS.fullmatch(name) else []
    behind = long.split()[-len(beginnings) :] if beginnings else []
    return len(behind) > 1 and all(map(str.startswith, behind, beginnings))


def _is_phrase(name: str) -> bool:
    """Whether the words of a name, but for the first letter, are written small: no thing of its own has it."""
    rest = name.split()[1:]
    return all(word == word.lower() for word in rest or name.split())
