"""Where the entities of a document stand in it: every chunk that names one, by whatever name.

Used by the extractor; pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from kgfs.extraction.names import fragments, namesakes
from kgfs.extraction.names.declared.known_names import is_base, spellings
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.kinds import written_type
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.matching import Matcher, Tokens
from kgfs.extraction.names.named import NameSpan, matches_any_case
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.units import Unit
from kgfs.model import EntityCandidate, FactCandidate, Mention, ParsedDocument

Link = tuple[int, int, int]
"""A place of a unit that is an entity: where it stands in the plain text, and the entity."""


def count_mentions(
    document: ParsedDocument,
    units: Sequence[Unit],
    links: Sequence[Sequence[Link]],
    entities: Sequence[EntityCandidate],
    facts: Sequence[FactCandidate],
    spans: Sequence[Sequence[NameSpan]],
    is_word: Callable[[str, str], bool] = lambda name, type_: False,
) -> list[Mention]:
    """How often each entity stands in each chunk; ``links`` are the places of each unit that were read as entities,
    ``spans`` all of its names.

    A name that ``is_word`` counts only there: it may mean anything elsewhere. A place counts nowhere inside a longer
    name, entity or not: *Lamp County Airport*.
    """
    exact, folded = entity_matchers(entities, is_word)
    counts: Counter[tuple[int, int]] = Counter()
    for unit, own, names in zip(units, links, spans, strict=True):
        for _, _, place in own:
            counts[place, unit.chunk.ordinal] += 1
        tokens = Tokens(unit.content.text)
        for hit in (*exact.find_names(tokens), *folded.find_names(tokens)):
            entity = entities[hit.key]
            if not (
                any(start < hit.end and hit.start < end for start, end, _ in own)
                or fragments.is_in_path(unit.content, hit.start, hit.end)
                or (entity.type == "Location" and _is_inside(hit.start, hit.end, names))
                or namesakes.means_other(entity.name, entity.type, unit.content.text, hit.start, hit.end)
            ):
                counts[hit.key, unit.chunk.ordinal] += 1
    _about(document, entities, facts, counts)
    return [Mention(entity=e, chunk=c, count=n) for (e, c), n in sorted(counts.items())]


def _is_inside(start: int, end: int, names: Sequence[NameSpan]) -> bool:
    longest = end - start + 1  # with the last dot of "U.S."
    return any(name.start <= start and end <= name.end and name.end - name.start > longest for name in names)


def entity_matchers(
    entities: Sequence[EntityCandidate], is_word: Callable[[str, str], bool] = lambda name, type_: False
) -> tuple[Matcher[int], Matcher[int]]:
    """What finds entities by their names, aliases and surnames but those that are words: with their capitals, and in
    any case."""
    exact: Matcher[int] = Matcher([])
    folded: Matcher[int] = Matcher([], ignore_case=True)
    for names_first in (True, False):
        for place, entity in enumerate(entities):
            for name in (entity.name,) if names_first else entity.aliases:
                if is_word(name, entity.type):
                    continue
                for spelling in spellings(name, entity.type):
                    any_case = matches_any_case(spelling, entity.type) and not _is_page(entity)
                    if any_case and not is_base(name, entity.name):
                        folded.add(spelling, place)
                    elif len(spelling) > 1:
                        exact.add(spelling, place)
            if not names_first and entity.type == "Person" and " " in entity.name:
                surname = entity.name.split()[-1]
                if len(surname) > 3 and surname.lower() not in words.NOT_NAMES:
                    exact.add(surname, place)
    return exact, folded


def _is_page(entity: EntityCandidate) -> bool:
    """Whether an entity is a page, and not what its title says in a sentence: *Sensitive information*."""
    return entity.type == PAGE and not written_type(entity.name)


def read_entities(
    units: Sequence[Unit], spans: Sequence[Sequence[NameSpan]], lexicon: Lexicon, entities: Sequence[EntityCandidate]
) -> list[list[Link]]:
    """The places of each unit that are entities however they are written: wikilinks, names that are words, names with
    more words before them, and what means another entity here than the one that is called so: *upstate New York*.

    ``spans`` are the names of each unit.
    """
    by_name = {entity.name.casefold(): place for place, entity in enumerate(entities)}
    said_of = {alias.casefold(): place for place, entity in enumerate(entities) for alias in entity.aliases} | by_name
    found: list[list[Link]] = []
    for unit, own in zip(units, spans, strict=True):
        linked = {link.start: link.end for link in unit.content.links if link.wiki}
        places = []
        for span in own:
            said = unit.content.text[span.start : span.end]
            name = lexicon.named[lexicon.resolved(span.ref)].name
            longer = said != name and said.endswith(f" {name}")  # "Southern Africa", which is of Africa
            place = by_name.get(name.casefold())
            other = said_of.get(said.casefold()) != place
            word = lexicon.is_word(said[:1].upper() + said[1:])
            if place is not None and (span.start in linked or longer or other or word):
                places.append((span.start, linked.get(span.start, span.end), place))
        found.append(places)
    return found


def _about(
    document: ParsedDocument,
    entities: Sequence[EntityCandidate],
    facts: Sequence[FactCandidate],
    counts: Counter[tuple[int, int]],
) -> None:
    """The entity that a document is about, and the ends of facts, are in their chunks, however they are called."""
    if document.chunks:
        counted = {place for place, _ in counts}
        for place, entity in enumerate(entities):
            if entity.declared and place not in counted:
                counts[(place, document.chunks[0].ordinal)] = 1
    for fact in facts:
        for end in (fact.subject, fact.object):
            if end is not None:
                counts.setdefault((end, fact.chunk), 1)
