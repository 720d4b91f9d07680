"""Where a text speaks of well-known software, and that this is software, whatever the tagger takes it for.

Used by the extractor, sentence by sentence; pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from kgfs.extraction.names import tagging
from kgfs.extraction.names.context_clues import CLUE
from kgfs.extraction.names.evidence import may_be_person
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameFindings, NameSpan
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.well_known import FIRMS_TOO, LANGUAGES, SHARED_WORDS, SOFTWARE, well_known_type


def _any_of(names: Iterable[str]) -> str:
    """The pattern of one of the names, the longest first. They part sign by sign: one after the other, each place of a
    text would be compared with all of them."""
    tree: dict[str, Any] = {}
    for name in names:
        branch = tree
        for sign in name:
            branch = branch.setdefault(sign, {})
        branch[""] = {}

    def written(branch: dict[str, Any]) -> str:
        ways = [re.escape(sign) + written(below) for sign, below in sorted(branch.items()) if sign]
        return f"(?:{'|'.join(ways)}){'?' if '' in branch else ''}" if ways else ""

    return written(tree)


_PATTERN = re.compile(rf"(?<![\w@#/.:-]){_any_of(SOFTWARE | SHARED_WORDS)}(?![\w@/]|[.:-]\w|['’]s? [A-Z]| [A-Z][\w-])")
"""A name that no capitals go on behind: *Azure DevOps Server* is another thing than its first words."""
_OTHERS = 2
_MOSTLY = 0.6
"""The share of the tags of a name with a site that make it a person's."""
_SHOWN, _UNSHOWN = 0.8, 0.1
"""How sure it is what a name with a site is, and that it is software where the text does not say so."""
_TAGGED, _UNTAGGED = 0.6, 0.45
"""How sure it is that a name is an entity: enough for what a fact joins, not by itself."""


def names_software(text: str) -> bool:
    """Whether a text names enough software that ordinary words mean it, too."""
    found = {match.group() for match in _PATTERN.finditer(text)} - SHARED_WORDS
    return len(found) >= _OTHERS


def add_software(lexicon: Lexicon, text: str, spans: list[NameSpan], *, shared: bool) -> None:
    """Add the places of well-known software in a sentence or a row that no name stands at; ``shared`` is whether
    ordinary words count."""
    added = False
    for found in _PATTERN.finditer(text):
        name = found.group()
        if name in SHARED_WORDS and not shared:
            continue
        if any(span.start < found.end() and found.start() < span.end for span in spans):
            continue
        ref = lexicon.get(name)
        lexicon.named[ref].count += 1
        spans.append(NameSpan(found.start(), found.end(), ref))
        added = True
    if added:
        spans.sort(key=lambda span: span.start)


def is_of_software(lexicon: Lexicon, named: NameFindings) -> bool:
    """Whether a name that the tagger takes for a person's begins with that of software here: *Ceph Tentacle*."""
    first = named.name.partition(" ")[0]
    if not named.tags["Person"] or first == named.name or first in words.GIVEN_NAMES or named.clues["Person"]:
        return False
    ref = lexicon.find_entry(first)
    found = None if ref is None else lexicon.named[lexicon.resolved(ref)]
    return (
        found is not None and (found.known or found.declared) and found.best is not None and found.best[0] == "Product"
    )


def settle_site(named: NameFindings) -> None:
    """Type what is taken for software only because it has a site of its name, where the text shows that it is somebody
    or a body; where nothing shows more, other documents have more to say."""
    if not named.guessed or named.declared or named.name in SOFTWARE or well_known_type(named.name):
        return
    software, total = named.clues["Product"], named.tags.total()
    body = named.acts + named.clues["Organization"] // CLUE
    somebody = " " in named.name and may_be_person(named.name) and not _is_of_words(named.name)
    if somebody and named.tags["Person"] >= _MOSTLY * total > 0 and not software:
        named.votes = {"Person": _SHOWN}
    elif body > software:
        named.votes = {"Organization": _SHOWN}
    elif not software:
        named.votes = {"Product": _UNSHOWN}
    named.tags.clear()


def _is_of_words(name: str) -> bool:
    """Whether a name is nothing but words of the dictionary, as those of sites are: *Lamp Syndrome*, no *Ann Field*."""
    parts = name.split()
    return parts[0] not in words.GIVEN_NAMES and all(tagging.in_dictionary(part.lower()) for part in parts)


def settle_software(lexicon: Lexicon, *, shared: bool) -> None:
    """Type the names of well-known software, whatever the tagger took them for.

    That a text speaks of it makes none an entity: that is left to what the text says of it, and to facts. What is a
    firm as well stays one where it acts as one.
    """
    for named in lexicon.named:
        known = named.name in SOFTWARE or (shared and named.name in SHARED_WORDS)
        best = named.best
        type_ = "Technology" if named.name in LANGUAGES else "Product"
        if not known or named.known or named.declared or (best is not None and best[0] == type_):
            continue
        if named.name in FIRMS_TOO and (named.acts or named.clues["Organization"] or named.shown.get("Organization")):
            continue
        named.votes = {type_: _TAGGED if named.tags else _UNTAGGED}
        if named.tags:
            total = sum(named.tags.values())
            named.tags.clear()
            named.tags[type_] = total
            named.clues = Counter({type_: named.clues["Product"]})
            named.shown = {}
