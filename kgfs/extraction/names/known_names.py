"""The names that are known before a sentence is read, ready for matching: the gazetteer's, places, the Districts.

Used by the lexicon; pure. Compiled once for the gazetteer object that is used.
"""

from __future__ import annotations

from kgfs.extraction.names.matching import Matcher
from kgfs.extraction.names.named import matches_any_case
from kgfs.extraction.names.places import ALIASES, DISTRICTS, ORDINALS, PLACES
from kgfs.model import Gazetteer

PLACE_MATCHER: Matcher[str] = Matcher(
    [(name, name) for name in sorted(PLACES)] + [(alias, name) for name, found in ALIASES.items() for alias in found]
)


class CompiledGazetteer:
    """A gazetteer ready for matching; kept as long as the same gazetteer object is used."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self.gazetteer = gazetteer
        self.exact: Matcher[int] = Matcher([])
        self.folded: Matcher[int] = Matcher([], ignore_case=True)
        self.by_key: dict[str, int] = {}
        for index, entry in enumerate(gazetteer.entries):
            self.by_key.setdefault(entry.name.casefold(), index)
        for index, entry in enumerate(gazetteer.entries):
            for name in (entry.name, *entry.aliases):
                self.by_key.setdefault(name.casefold(), index)
                if matches_any_case(name, entry.type):
                    self.folded.add(name, index)
                elif len(name) > 1:
                    self.exact.add(name, index)


_compiled: CompiledGazetteer | None = None


def compile_gazetteer(gazetteer: Gazetteer) -> CompiledGazetteer:
    """The compiled form of ``gazetteer``, made once for the object that was used last."""
    global _compiled
    if _compiled is None or _compiled.gazetteer is not gazetteer:
        _compiled = CompiledGazetteer(gazetteer)
    return _compiled


def district_names() -> list[tuple[str, str]]:
    """What reports of the Federal Reserve call its Districts, each by its city."""
    pairs = []
    for ordinal, city in zip(ORDINALS, DISTRICTS, strict=True):
        pairs += [(f"{ordinal} District", city), (f"{city} District", city)]
    return pairs
