"""Names that the tagger marks nowhere, with the types that their sentences show.

Used by the extractor on its lexicon before types are settled. Capitals, lists and pages find names that the tagger does
not know; without a type they would be concepts, or none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from kgfs.extraction.learnt.context_types import NamePlace, is_clear, read_types
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit


def read_untagged(lexicon: Lexicon, units: Sequence[Unit], spans: Sequence[Sequence[NameSpan]]) -> None:
    """Count a type for each sentence that has such a name, where the sentences of the document show it clearly."""
    found: defaultdict[int, list[NamePlace]] = defaultdict(list)
    for unit, names in zip(units, spans, strict=True):
        if unit.kind != "sentence":
            continue
        for span in names:
            ref = lexicon.resolved(span.ref)
            named = lexicon.named[ref]
            if not (named.tags or named.votes or named.name.islower()):
                found[ref].append(NamePlace(unit.content.text, span.start, span.end, ""))
    read = read_types(place for places in found.values() for place in places)
    for ref, places in found.items():
        for place in places:
            shown = read.get(place.name)
            if shown is not None and is_clear(shown):
                lexicon.named[ref].tags[shown.type] += 1
