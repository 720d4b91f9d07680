"""Pages as ends of links: what names a page that is about no thing of its own, and by what paths links lead to a page.

Used for the names that documents declare (``gazetteer``); pure. *Book travel in Concur* names no thing, but a page that
others send their readers to. Such a page is an entity only where a fact has it at an end, and its title is never
looked for in sentences: *Receiving feedback* is a page where a link says so, and words anywhere else.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import PurePosixPath

from kgfs.documents.dates import MONTH_NAMES, from_name, from_title
from kgfs.documents.file_titles import is_by_first_words
from kgfs.documents.formats.registry import format_of
from kgfs.documents.rst import LABEL
from kgfs.extraction.links import path_keys, target_name
from kgfs.extraction.names.capitals import stands_for
from kgfs.extraction.names.declared.titles import is_generic, is_opaque, is_spelled_small, title_name
from kgfs.extraction.names.wordlists.words import NOT_NAMES, TITLE_SMALL
from kgfs.model import EntityCandidate, ParsedDocument

PAGE = "Document"
"""The type of an entity that is a page, and nothing that the page is about."""
MOST_WORDS = 14
MOST_LETTERS = 100
_STRUCTURES = frozenset({"markdown", "html", "rst", "org", "asciidoc"})
"""Texts that have a title, and links."""
_ADDRESSES = ("permalink", "slug", "url", "redirect_from", "redirects")
"""Keys of front matter under which a site keeps where a page stands, or stood."""
_DATED = re.compile(rf"(?i)\d{{4}}|\b(?:{'|'.join(sorted(MONTH_NAMES))})\b")
_CAPITAL = r"(?:[A-Z][\w&'’-]*|and|of|for|the|&)"
_GROUP = re.compile(rf"{_CAPITAL}(?: {_CAPITAL}){{0,5}} (?:Working Group|Committee|Council|Task Force)")
"""The title of the page of a body, which says so itself."""
_WORD = re.compile(r"[^\W\d_]+")
_SPELLED = re.compile(r"[^\W\d_]+(?:[ _-][^\W_]+)+")
"""A file's name in words."""


_OF_TEXTS = frozenset(
    "basics checklist contacts contents dates details examples expectations faq guidance guide guidelines information "
    "introduction list lists notes overview page pages policies policy practices process profile questions reference "
    "requirements resources responsibilities section setup steps table template templates tips types updates".split()
)
"""Last words of titles that say what a text is, whatever it is on: *Leave types*, *Lamp guide*."""
_SPEAKS = 5
"""So many times a page speaks of what its title names where that is its subject."""
_NO_PROSE = re.compile(r"\A---\n.*?\n---\n|^#[^\n]*$|\[[^\[\]\n]*\]\([^()\n]*\)|^[=~*+-]{3,}$|```.*?```", re.S | re.M)


def is_spoken_of(name: str, text: str) -> bool:
    """Whether a page whose title is a phrase of ordinary words speaks of it again and again, in small letters and
    beside its headings and links: *Machine learning*, and not *Leave types*."""
    parts = name.split()
    if not 2 <= len(parts) <= 3 or not all(map(str.isalpha, parts)) or parts[-1].lower() in _OF_TEXTS:
        return False
    if not NOT_NAMES.isdisjoint(part.lower() for part in parts) or any(part.isupper() for part in parts):
        return False
    small = " ".join(map(str.lower, parts))
    one = re.escape(small[:-3] if small.endswith("ies") else small.removesuffix("s"))
    spoken = re.compile(rf"(?<!\w){one}(?:s|y|ies)?(?!\w)")
    return len(spoken.findall(_NO_PROSE.sub(" ", text))) >= _SPEAKS


def named_page(document: ParsedDocument) -> EntityCandidate | None:
    """The entity that a page is by its title, where that names nothing else; ``None`` for a text that has no title, and
    whose file has none either (``Making decisions.md``, ``getting-around-by-boat.md``).

    A title with a date is that of one text of many: minutes, an entry of a journal.
    """
    structure = format_of(document.mime_type)
    if structure is None or structure.structure not in _STRUCTURES:
        return None
    stem = _stem(document.path)
    if is_by_first_words(document.title, document.path, document.text or ""):
        return None
    if document.title == stem and not _is_phrase_of(stem, document.text or ""):
        return None
    name = title_name(document.title, document.path)
    if document.title == stem and name.islower():
        name = name[:1].upper() + name[1:]  # as sites show it
    if is_opaque(name):
        return None
    if is_generic(name):
        name = _named_by_file(stem, name)
    if not 1 <= len(_WORD.findall(name)) <= MOST_WORDS or len(name) > MOST_LETTERS:
        return None
    if _DATED.search(name) or from_title(name) or from_name(name) or name.endswith("?"):
        return None
    type_ = "Organization" if _GROUP.fullmatch(name) else PAGE
    if type_ == PAGE and is_spoken_of(name, document.text or ""):
        type_ = "Concept"
    return EntityCandidate(name=name, type=type_, description=document.lead, confidence=1.0, declared=True)


def _named_by_file(stem: str, title: str) -> str:
    """What a file's name calls a page whose title says nothing of its own: *Travel guide FAQ* by ``travel-guide-faq``;
    empty where that says no more, either."""
    name = stem.replace("_", " ").replace("-", " ")
    if not _SPELLED.fullmatch(stem) or is_generic(name):
        return ""
    written = " ".join(word.upper() if stands_for(word.upper(), title) else word for word in name.split())
    return written[:1].upper() + written[1:]


def _is_phrase_of(stem: str, text: str) -> bool:
    """Whether the name of a file is a phrase that somebody may say of its text: not ``study-def``, which is shortened,
    nor ``actions-reusable``, which lets files stand together."""
    if not _SPELLED.fullmatch(stem):
        return False
    if not is_spelled_small(stem):
        return True
    parts = re.split(r"[_-]+", stem)
    if parts[0].endswith("ing") or not TITLE_SMALL.isdisjoint(parts):
        return True  # a name that spells out small words spells out all
    plain = f" {re.sub(r'[^a-z0-9]+', ' ', text.casefold())} "
    if any(
        f" {part[: max(5, len(part) - 3)]}" not in plain if len(part) > 5 else f" {part} " not in plain
        for part in parts
    ):
        return False
    return all(f" {two} {one} " not in plain or f" {one} {two} " in plain for one, two in pairwise(parts))


def page_keys(document: ParsedDocument) -> list[str]:
    """What the ends of links to a document spell, in small letters: of its file's path, and of its addresses."""
    places = [document.path]
    for key in _ADDRESSES:
        said = document.front_matter.get(key)
        places += [one for one in (said if isinstance(said, list) else [said]) if isinstance(one, str)]
    keys = [key for place in places for key in reversed(path_keys(place))]
    keys += [target_name(term.name) for term in document.terms if term.kind == LABEL]
    return list(dict.fromkeys(key for key in keys if key))


def _stem(path: str) -> str:
    return PurePosixPath(path).stem
