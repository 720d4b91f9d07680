"""The entries of the lexicon for names that lists state to be somebody's, or an employer's.

Used by the readers of meetings and rosters; pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.wordlists.firms import FIRMS
from kgfs.extraction.names.wordlists.places import PLACES
from kgfs.extraction.names.wordlists.well_known import FIRMS_TOO, is_known_software

LETTERS = 6
"""Capitals that may stand for anything: a committee, a time zone, a role."""

FEWEST = 3
"""So many firms behind the names of persons show what else stands there."""


def stated_entry(lexicon: Lexicon, name: str, type_: str) -> int | None:
    """The entry of a name that a list says to be of a type; ``None`` where it is known to be of another."""
    ref = lexicon.resolved(lexicon.get(name))
    named = lexicon.named[ref]
    best = named.best
    if (named.known or named.declared) and best is not None and best[0] not in (type_, "Concept"):
        return None
    named.vote(type_, 0.95)
    named.defined = True
    return ref


def _are_firms(lexicon: Lexicon, names: Collection[str]) -> bool:
    """Whether several names of a list are those of firms, as far as the text shows it, and none is that of a place that
    everybody knows."""
    refs = [ref for name in names if (ref := lexicon.find_entry(name)) is not None]
    types = Counter(best[0] for ref in refs if (best := lexicon.named[lexicon.resolved(ref)].best) is not None)
    firms = types["Organization"]
    return firms >= FEWEST and firms > 2 * types["Location"] and PLACES.isdisjoint(names)


def employer_entry(lexicon: Lexicon, name: str, among: Collection[str] = ()) -> int | None:
    """The entry of a name behind a person's, if it may be an employer's: no place, no unknown letters, no software but
    what is called like its maker (*Docker*, not *Chrome*).

    ``among`` are the names behind the others of a list: beside firms, and no places, *Mill River* is one.
    """
    if is_known_software(name) and name not in FIRMS_TOO:
        return None
    known = lexicon.find_entry(name)
    best = lexicon.named[lexicon.resolved(known)].best if known is not None else None
    firm = best is not None and best[0] == "Location" and name not in PLACES and _are_firms(lexicon, among)
    if best is not None and best[0] not in ("Organization", "Product", "Concept") and not firm:
        return None
    if name.isupper() and len(name) <= LETTERS and name not in FIRMS and (best is None or best[0] != "Organization"):
        return None
    return stated_entry(lexicon, name, "Organization")
