"""The names that are known before a sentence is read, ready for matching: the gazetteer's, places, the Districts.

Used by the lexicon; pure. Compiled once for the gazetteer object that is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kgfs.documents.identifiers import code_shape, series_spellings
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.declared.speakers import is_beneath
from kgfs.extraction.names.matching import Matcher
from kgfs.extraction.names.named import matches_any_case
from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.places import ALIASES, DISTRICTS, ORDINALS, PLACES
from kgfs.model import EntityCandidate, Gazetteer, GazetteerEntry

PLACE_MATCHER: Matcher[str] = Matcher(
    [(name, name) for name in sorted(PLACES)] + [(alias, name) for name, found in ALIASES.items() for alias in found]
)


class CompiledGazetteer:
    """A gazetteer ready for matching; kept as long as the same gazetteer object is used."""

    def __init__(self, gazetteer: Gazetteer, *, tagged: bool) -> None:
        self.gazetteer, self.tagged = gazetteer, tagged
        self.exact: Matcher[int] = Matcher([])
        self.folded: Matcher[int] = Matcher([], ignore_case=True)
        self.by_key: dict[str, int] = {}
        for index, entry in enumerate(gazetteer.entries):
            if not (tagged and _is_word(entry)):
                self.by_key.setdefault(entry.name.casefold(), index)
        self.by_page = {page: index for index, entry in enumerate(gazetteer.entries) for page in entry.pages}
        """What links end in to the entry of the page that they lead to."""
        self.folders = {part for page in self.by_page for part in page.split("/")[:-1]}
        """What documents lie in, or their folders."""
        self.headings = {
            index
            for index, entry in enumerate(gazetteer.entries)
            if tagged
            and entry.unsaid
            and entry.type != "Person"  # of a record, whose given name is no usual one
            and not (_is_word(entry) or _is_suggested(entry))
            and is_mere_heading(entry)
        }
        """Titles of pages that name no thing, by their words: they are pages, and looked for in no sentence."""
        for index, entry in enumerate(gazetteer.entries):
            if entry.type == PAGE or index in self.headings or (tagged and _is_word(entry)):
                continue
            for name in (entry.name, *entry.aliases):
                if _FLAG.fullmatch(name):
                    continue  # of each command another one
                self.by_key.setdefault(name.casefold(), index)
                for spelling in spellings(name, entry.type):
                    if matches_any_case(spelling, entry.type) and not is_base(name, entry.name):
                        self.folded.add(spelling, index)
                    elif len(spelling) > 1:
                        self.exact.add(spelling, index)
        self._ambiguous = frozenset(gazetteer.ambiguous)
        self._speakers = sorted(gazetteer.speakers, key=lambda one: (-len(one.folder), one.name))

    def known_end(self, ends: Iterable[str]) -> str | None:
        """The first of several ends of a path that leads to a page; ``None`` where none does."""
        return next((end for end in ends if end in self.by_page), None)

    def lies_in(self, index: int, folder: str) -> bool:
        """Whether the page of an entry has a folder on its path."""
        return any(folder in page.split("/")[:-1] for page in self.gazetteer.entries[index].pages)

    def is_ambiguous(self, name: str) -> bool:
        """Whether a name stands for no entity, or for several."""
        return name.casefold() in self._ambiguous

    def speaker(self, path: str) -> int | None:
        """The entry that *we* means in a document: that of the nearest folder above it."""
        for one in self._speakers:
            if is_beneath(path, one.folder):
                return self.by_key[one.name.casefold()]
        return None


def spellings(name: str, type_: str) -> list[str]:
    """The forms in which texts write a name: other apostrophes and dashes, *and* for *&*; a concept's other number; all
    spellings of a member of a series."""
    found = [name, *series_spellings(name)]
    for sign, other in (("’", "'"), ("'", "’"), ("–", "-"), (" & ", " and ")):
        if sign in name:
            found.append(name.replace(sign, other))
    if matches_any_case(name, type_) and not _is_command(name, type_) and name.isascii() and name[-1].isalpha():
        if not name.endswith("s"):
            found.append(name[:-1] + "ies" if name[-1] == "y" and name[-2] not in "aeiou" else f"{name}s")
        elif name[-2] not in "sui" and len(name) > 5:
            found.append(name[:-3] + "y" if name.endswith("ies") else name[:-1])
    return found


def is_base(alias: str, name: str) -> bool:
    """Whether an alias is a name without its bracket: of what needs one, small letters may mean any other thing."""
    return name.startswith(f"{alias} (")


BASE = "base"
"""The rule of a name without a bracket that has another name in it."""
_NAME_IN_BRACKET = re.compile(r"[A-Z][^\W\d_A-Z]{2,}")


def words_of_bracket(name: str) -> frozenset[str]:
    """The names in the bracket of a name, in small letters: what a text speaks of that means this one of several.

    *Heavy (Linkin Park song)* gives *linkin* and *park*; of a kind (*film*) or a people nothing tells them apart.
    """
    base, _, bracket = name.partition(" (")
    found = _NAME_IN_BRACKET.findall(bracket) if not base[:1].islower() else []  # of a command, whose it is
    return frozenset(word.lower() for word in found if word not in words.DEMONYMS)


def _is_command(name: str, type_: str) -> bool:
    """Whether a name is what one types: *git pushes* is no other form of it."""
    return type_ == "Command" and code_shape(name) == "command"


def _is_word(entry: GazetteerEntry) -> bool:
    """Whether what documents only suggest as the name of a project is an ordinary word: *website*, *Scorecard*.

    Of a word with a capital only those that many texts have are: *Zarf* is in a dictionary.
    """
    if not (entry.unsaid and _is_suggested(entry)):
        return False
    known = is_ordinary if entry.name.islower() else tagging.is_word
    return all(known(part) or part in words.NOT_NAMES for part in re.findall(r"[a-z]+", entry.name.lower()))


def _is_suggested(entry: GazetteerEntry) -> bool:
    """Whether documents only suggest a name as that of a project, and no page is called so."""
    return entry.type == "Product" and not entry.declared


_FLAG = re.compile(r"-\w")
_SPELLED_AS_NAME = re.compile(r"(?=\S*[^\W\d_])(?:[A-Z\d_]{2,}|\S*\d\S*|\S*[a-z]\S*[A-Z]\S*)")
"""One word that is spelled as no ordinary one: *P2Pool*, *EDS*."""


def is_mere_heading(page: EntityCandidate | GazetteerEntry) -> bool:
    """Whether a title of which its page does not say what it is says only what the page tells of: its words are
    ordinary ones (*Icon legend*), or it ends in some (*Lampd cluster health*)."""
    if not page.unsaid or _SPELLED_AS_NAME.fullmatch(page.name):
        return False
    parts = re.findall(r"[^\W\d_]+", page.name)
    return (len(parts) > 1 and parts[-1].islower() and not page.name.islower()) or all(
        is_ordinary(part.lower()) or part.lower() in words.NOT_NAMES | words.TITLE_SMALL for part in parts
    )


_compiled: CompiledGazetteer | None = None


def compile_gazetteer(gazetteer: Gazetteer, *, tagged: bool) -> CompiledGazetteer:
    """The compiled form of ``gazetteer``, made once for the object that was used last; ``tagged`` is whether there is a
    dictionary."""
    global _compiled
    if _compiled is None or _compiled.gazetteer is not gazetteer or _compiled.tagged != tagged:
        _compiled = CompiledGazetteer(gazetteer, tagged=tagged)
    return _compiled


def district_names() -> list[tuple[str, str]]:
    """What reports of the Federal Reserve call its Districts, each by its city."""
    pairs = []
    for ordinal, city in zip(ORDINALS, DISTRICTS, strict=True):
        pairs += [(f"{ordinal} District", city), (f"{city} District", city)]
    return pairs
