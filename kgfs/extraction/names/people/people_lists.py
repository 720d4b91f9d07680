"""Names that stand in a row of names of persons, and are such too: ``Ann Lee, Ralf Gommers and Bob Ray``.

Used by the extractor on its lexicon before types are settled; pure. The tagger knows common given names, and takes the
others for those of firms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgfs.extraction.names import capitals
from kgfs.extraction.names.context_clues import CLUE
from kgfs.extraction.names.evidence import may_be_person
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameFindings, NameSpan
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.units import Unit

FEWEST = 3
"""Names that make a row."""
SHARE = 0.6
"""So many of them must be persons' without the others."""
_BETWEEN = re.compile(r",? and |[,;] (?:and )?|,\s*\n\s*")
_SHAPE = re.compile(r"[^\W\d_a-z][\w'’.-]+(?: (?:[a-z]{1,3} ){0,2}[^\W\d_a-z][\w'’.-]*){1,3}")


def read_people_lists(lexicon: Lexicon, units: Sequence[Unit], spans: Sequence[Sequence[NameSpan]]) -> None:
    """Count as a person's each name of a row of which most are persons': in a sentence, or each an item of its own."""
    for row in _rows(units, spans):
        named = [lexicon.named[lexicon.resolved(span.ref)] for span in row]
        if len({id(one) for one in named}) < FEWEST or sum(map(_is_person, named)) < SHARE * len(named):
            continue
        for one in named:
            if not (one.known or one.declared) and _may_be(one):
                for type_ in ("Organization", "Location", "Product", "Work", "Facility", "Concept"):
                    one.tags["Person"] += one.tags.pop(type_, 0)
                one.clues["Person"] += CLUE


def _rows(units: Sequence[Unit], spans: Sequence[Sequence[NameSpan]]) -> Iterator[list[NameSpan]]:
    items: list[NameSpan] = []
    for unit, found in zip(units, spans, strict=True):
        text = unit.content.text
        if len(found) == 1 and not (text[: found[0].start] + text[found[0].end :]).strip(" -*•·.,;|"):
            items.append(found[0])
            continue
        yield items
        items = []
        row: list[NameSpan] = []
        for span in found:
            if row and not _BETWEEN.fullmatch(text, row[-1].end, span.start):
                yield row
                row = []
            row.append(span)
        yield row
    yield items


def _is_person(named: NameFindings) -> bool:
    """Whether a name alone is shown to be a person's."""
    first = named.name.partition(" ")[0]
    return (" " in named.name and first in words.CLEAR_GIVEN) or (
        named.tags["Person"] > 0 and named.tags["Person"] * 2 >= named.tags.total() and may_be_person(named.name)
    )


def _may_be(named: NameFindings) -> bool:
    return (
        _SHAPE.fullmatch(named.name) is not None
        and may_be_person(named.name)
        and capitals.type_cue(named.name) in (None, ("Person", 0.75))
    )
