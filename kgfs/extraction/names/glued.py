"""Names of two that stand beside each other with nothing between them, taken for one: *Acme Ann Lee*.

Used by the extractor on its lexicon when all names were found; pure. So they stand in lists and tables whose marks are
lost. Each part must be a name of its own elsewhere in the document, or be known.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameFindings, NameSpan
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.units import Unit

_BODIES = frozenset({"Organization", "Product"})
FEW = 3
"""Of *Ann & Bo*, who do nothing that a firm does, so many places are too few to take them for one."""


def part_glued(lexicon: Lexicon, units: Sequence[Unit], spans: Sequence[list[NameSpan]]) -> None:
    """Put the names of a body and of a person, where they were taken for one, in the place of the whole."""
    glued = {
        ref: parts
        for ref, named in enumerate(lexicon.named)
        if not (named.known or named.declared or named.linked or named.aliases) and " " in named.name
        if (parts := _parts(lexicon, ref, named))
    }
    if not glued:
        return
    for unit, found in zip(units, spans, strict=True):
        if not any(span.ref in glued for span in found):
            continue
        parted: list[NameSpan] = []
        for span in found:
            if span.ref not in glued:
                parted.append(span)
                continue
            lexicon.named[span.ref].count -= 1
            for part, ref in glued[span.ref]:
                start = unit.content.text.find(part, span.start, span.end)
                if ref is not None and start >= 0:
                    lexicon.named[ref].count += 1
                    parted.append(NameSpan(start, start + len(part), ref))
        found[:] = parted


def _parts(lexicon: Lexicon, ref: int, named: NameFindings) -> list[tuple[str, int | None]]:
    """The names that a name is made of, each with its entry; none where it is one name."""
    people = named.name.split(" & ")
    firm = named.acts or named.clues["Organization"] or named.count >= FEW
    given = len(people) > 1 and _are_given(people, named)
    if given and (not firm or people[-1] in words.GIVEN_NAMES):
        return [(one, _entry(lexicon, one, ref)) for one in people]
    pieces = named.name.split(" ")
    for place in range(1, len(pieces)):
        head, tail = " ".join(pieces[:place]), " ".join(pieces[place:])
        first, second = _entry(lexicon, head, ref), _entry(lexicon, tail, ref)
        if first is not None and _is_body(lexicon, first):
            if second is not None and " " in tail and _is_person(lexicon, second):
                return [(head, first), (tail, second)]
            if tail in words.CLEAR_GIVEN and head not in words.CLEAR_GIVEN and named.tags["Person"]:
                return [(head, first)]
        elif (
            first is not None
            and second is not None
            and " " in head
            and _is_person(lexicon, first)
            and _is_body(lexicon, second)
        ):
            return [(head, first), (tail, second)]
    return []


def _are_given(people: Sequence[str], named: NameFindings) -> bool:
    """Whether words that an ampersand joins are given names: the first one, or the last one where the tagger takes the
    whole for somebody, *Anno & Bob*."""
    somebody = people[-1] in words.CLEAR_GIVEN and 2 * named.tags["Person"] > named.tags.total()
    return (people[0] in words.CLEAR_GIVEN or somebody) and not any(" " in one for one in people)


def _entry(lexicon: Lexicon, name: str, other: int) -> int | None:
    ref = lexicon.find_entry(name)
    if ref is None or (ref := lexicon.resolved(ref)) == other:
        return None
    named = lexicon.named[ref]
    return ref if named.count > 0 or named.known or named.declared else None


def _is_body(lexicon: Lexicon, ref: int) -> bool:
    named = lexicon.named[ref]
    if named.known or named.declared:
        return named.best is not None and named.best[0] in _BODIES
    return sum(named.tags[type_] for type_ in _BODIES) * 2 > named.tags.total() and named.name not in words.GIVEN_NAMES


def _is_person(lexicon: Lexicon, ref: int) -> bool:
    named = lexicon.named[ref]
    if named.known or named.declared:
        return named.best is not None and named.best[0] == "Person"
    return named.tags["Person"] * 2 > named.tags.total() and named.name.split()[0] in words.GIVEN_NAMES
