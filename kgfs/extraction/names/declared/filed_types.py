"""The type that shows in how a page is filed: in the folder *Contractors*, under the tag ``#company``.

Used for the types of pages (``page_types``, ``gazetteer``); pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from kgfs.extraction.links import is_front_page
from kgfs.extraction.names.declared.titles import Title
from kgfs.extraction.names.people.name_words import may_be_somebody
from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.plurals import singular

_NOUNS = {
    noun: type_
    for type_, nouns in {
        "Person": """
        actor artist author character colleague composer contact coworker employee musician people person philosopher
        poet politician researcher scientist thinker writer
    """,
        "Organization": """
        agency association band bank charity church club college company competitor contractor corporation customer
        employer firm foundation funder institute institution investor manufacturer ministry museum newspaper ngo
        nonprofit org organisation organization partner publisher restaurant retailer school sponsor startup subsidiary
        supplier university utility vendor
    """,
        "Location": """
        airport beach city continent country county destination island lake location mountain nation neighborhood
        neighbourhood park place river town village
    """,
        "Work": """
        album anime article book documentary essay film game movie novel painting paper podcast poem publication song
    """,
        "Event": "battle conference convention event festival hackathon war",
        "Product": """
        app application drug extension gadget library medication package plugin product software theme tool
    """,
        "Technology": "codec format language protocol standard technology",
        "Command": "cmdlet command",
        "Concept": "concept definition dictionary glossary idea jargon term terminology vocabulary",
        "Species": "animal bird fish insect mammal plant species",
    }.items()
    for noun in nouns.split()
}
"""What folders and tags call the things that their pages are about, in the singular."""
_DEFINING = frozenset("definition dictionary glossary jargon term terminology vocabulary".split())
"""Those whose pages are what a book of words has."""
_MASS = _DEFINING | {"people", "software"}
"""Nouns that say in the singular, too, that many things lie in a folder: in *Government* lies what is on it."""
_TAGS = frozenset(
    "book city client company competitor contractor country customer institution movie organisation organization "
    "people person place supplier vendor".split()
)
"""Nouns that are tags of what is one, and no topics, as *software* and *war* are."""
_ORDER = re.compile(r"^[\W\d_]+")
"""What sorts a folder: *03 - Companies*."""
_PARTS = re.compile(r"[\s_-]+")
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2})?")
"""A folder of a language: ``glossary/en/dataset.md``."""
_WHO = re.compile(r"(?i)(?:author|bio|candidate|contributor|maintainer|member|nominee|person|speaker|staff)[-_]\w")
_NAMES = frozenset(("Organization", "Product", "Work"))
"""Types whose folders hold texts on the subject, too: *Financial Sponsorship of Lamps*, in a folder on companies."""


def folder_type(given: Title, path: str) -> str:
    """The type of what the folder of a page, or its file, is called after: *companies*, *candidate-ann-lee.md*."""
    noun = _folder_noun(path)
    found = "Person" if _WHO.match(PurePosixPath(path).name) else _NOUNS.get(noun, "")
    if noun in _DEFINING and not has_only_ordinary_words(given):
        return ""  # "CKAN", in a glossary: texts say what that is
    return found if _may_be(given, found, noun) else ""


def tag_type(given: Title, tags: Iterable[str]) -> str:
    """The type that the tags of a page show of its subject, where they show one: ``#contractor``."""
    found = {_NOUNS[_tag_noun(tag)] for tag in tags if is_type_tag(tag)}
    type_ = found.pop() if len(found) == 1 else ""
    return type_ if _may_be(given, type_) else ""


def is_type_tag(tag: str) -> bool:
    """Whether a tag says what the subject of its page is, and names no topic."""
    return _tag_noun(tag) in _TAGS


def is_defined(path: str) -> bool:
    """Whether a page stands in a folder of terms, so that its title is one: ``glossary/dataset.md``."""
    return _folder_noun(path) in _DEFINING


def _may_be(given: Title, type_: str, noun: str = "") -> bool:
    """Whether a title can name what its folder or tag is called after."""
    if type_ == "Technology" and noun == "language" and len(given.words) == 1:
        return True  # "Rust", in "programming-languages"
    if (type_ in _NAMES and len(_main(given)) > 2) or type_ == "Technology":
        return not has_only_ordinary_words(given)
    return type_ != "Person" or may_be_somebody(given.words)


def _main(given: Title) -> list[str]:
    return [word.lower() for word in given.words if word not in words.TITLE_SMALL]


def has_only_ordinary_words(given: Title) -> bool:
    """Whether all words of a title are ordinary ones."""
    return all(is_ordinary(word.removesuffix("ing")) or is_ordinary(word) for word in _main(given))


def _folder_noun(path: str) -> str:
    """What the folder is called after; a page that is a folder's own lies in the one above."""
    above = PurePosixPath(path).parent
    if is_front_page(path) or PurePosixPath(path).stem.casefold() == above.name.casefold():
        above = above.parent
    if _LANGUAGE.fullmatch(above.name):
        above = above.parent
    noun = _last_word(above.name)
    if noun in _MASS:
        return noun if noun == _ORDER.sub("", above.name).lower().rstrip() else ""  # not "launching-software"
    if noun in _NOUNS:
        return noun if noun.endswith("s") else ""
    return singular(noun)


def _tag_noun(tag: str) -> str:
    return singular(_last_word(tag.rpartition("/")[2]))


def _last_word(said: str) -> str:
    """The last word of a folder's or a tag's name, in small letters: *vendors* of *03 - Cloud Vendors*."""
    return _PARTS.split(_ORDER.sub("", said).lower().rstrip())[-1]
