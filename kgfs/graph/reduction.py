"""What the claims on an entity come to: its name, type, aliases, description, summary, and the names that it joins.

Used by the resolver inside a write transaction, on the store's writer thread. Declared claims win, then the weight of
confidence decides; nothing is made up: descriptions and summaries are sentences of the documents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from kgfs.extraction.descriptions import cut_text
from kgfs.extraction.names.declared.page_names import PAGE
from kgfs.extraction.names.verdict import RECURS
from kgfs.graph.joining import CONFIDENCE, DECLARED, SPELLING, NameJoin
from kgfs.graph.name_forms import base_key, spelling_difference
from kgfs.graph.name_keys import name_key
from kgfs.graph.overrides import MergedEntity
from kgfs.model import Passage
from kgfs.names import entity_directory, slug, slug_key, unique_slug
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import take_ids
from kgfs.store.files import items
from kgfs.store.graph import annotations as people
from kgfs.store.graph import claims, entities
from kgfs.store.graph.annotations import PERSON
from kgfs.store.graph.claims import SEEN, SURE, BestClaims, ClaimGroup
from kgfs.store.graph.entities import Entity, MergedName

DEFAULT_TYPE = "Concept"
"""Of what nothing shows a type."""

SUMMARY_SENTENCES = 4
SUMMARY_CHARACTERS = 700
TOLD, TOLD_SHARE = 2.0, 0.15
"""What texts that show a type must weigh, and which share of all, that a name has it which is declared without one."""
_SEEN_WEIGHT = 0.1
"""What a spelling weighs that its document did not show to be an entity."""


class JudgedNames(NamedTuple):
    """What the sum of evidence comes to."""

    type: str
    confidence: float
    documents: int
    """How many documents it is the sum of."""


class NameGroup(NamedTuple):
    """Names that are one entity."""

    first: str
    """The key whose claims name it."""
    keys: list[str]
    judged: JudgedNames | None
    """What the sum of evidence says, where there is some."""
    reasons: dict[str, NameJoin]
    """Of the other keys the joins that brought them here."""
    whole: MergedEntity | None = None
    """What people said of it, where they said something."""


def reduce_entities(
    cursor: Cursor,
    touched: Collection[int],
    parts: Mapping[int, NameGroup],
    fresh: Sequence[int],
    merged: Mapping[int, int],
    moved: Collection[int],
) -> None:
    """Bring the rows of entities up to date with their claims; delete those that are none any more.

    ``parts`` is what each entity is made of; ``fresh`` are the new ones in the order in which they get their slugs,
    ``merged`` those that are gone to the ones that took them in, ``moved`` those whose names changed hands.
    """
    groups = claims.claim_groups(cursor, touched)
    rows = entities.read_entities(cursor, touched)
    alive = [entity for entity in {*groups, *touched} if entity in parts]
    best = claims.best_claims(cursor, alive)
    passages = claims.best_passages(cursor, alive, SUMMARY_SENTENCES)
    given = claims.given_aliases(cursor, alive)
    gone = {entity for entity in rows if entity not in groups and entity not in parts}
    said = _said_of_kept(cursor, parts, alive)

    changed: list[Entity] = []
    new: list[Entity] = []
    for entity in [*sorted(rows.keys() & set(alive)), *(entity for entity in fresh if entity in alive)]:
        part, claimed = parts[entity], groups.get(entity, [])
        own = claimed if part.whole is None else [group for group in claimed if group.key in part.whole.own]
        told = passages.get(entity, [])
        alone = said.get(entity, NameClaims(best.get(entity, BestClaims()), told))
        wanted = _reduced(entity, own, alone.best, part)
        chosen = wanted.declared_by is None and not (alone.best.by_model and wanted.description)
        if chosen and alone.passages and alone.passages[0].defines:
            wanted.description = cut_text(alone.passages[0].text)
        if part.whole is not None:
            _heed(wanted, part.whole, best.get(entity, BestClaims()))
        wanted.aliases = _aliases(wanted.name, claimed, part.whole)
        wanted.summary = _summary(wanted.description, [passage.text for passage in told])
        wanted.merges = _merges(wanted, claimed, part, given.get(entity, ()))
        if entity not in rows:
            new.append(wanted)
            continue
        wanted.slug = rows[entity].slug
        if not _slug_fits(wanted, own, part.whole):
            wanted.slug = ""
        if wanted != rows[entity]:
            changed.append(wanted)

    for old, kept in merged.items():
        if old in rows:
            _note_merge(cursor, rows[old], kept, parts.get(kept))
    entities.mark_around(cursor, gone & set(moved))  # names that go on, as none
    entities.delete_entities(cursor, gone)
    _give_slugs(cursor, [(entity, parts[entity.id]) for entity in (*changed, *new) if not entity.slug], groups, rows)
    renamed = set(merged.values()) | {entity.id for entity in new} & set(moved)
    for entity_row in changed:
        old_row = rows[entity_row.id]
        if (old_row.slug, old_row.type, old_row.name) != (entity_row.slug, entity_row.type, entity_row.name):
            renamed.add(entity_row.id)
        place = (entity_directory(old_row.type), old_row.slug)
        if place != (entity_directory(entity_row.type), entity_row.slug):
            entities.former_name(cursor, "entity", *place, entity_row.id)
    reindex = {row.id for row in changed if _indexed(row) != _indexed(rows[row.id])}
    entities.update_entities(cursor, changed, [slug_key(row.slug) for row in changed], reindex)
    entities.insert_entities(cursor, new, [slug_key(row.slug) for row in new])
    entities.reclaim_names(cursor, "entity", ((entity_directory(row.type), row.slug) for row in (*changed, *new)))
    dirty_rows.mark_dirty(cursor, "entity", [row.id for row in (*changed, *new)])
    entities.mark_around(cursor, renamed | set(moved) - gone)


def _reduced(entity: int, groups: Sequence[ClaimGroup], best: BestClaims, part: NameGroup) -> Entity:
    """The row, without slug, aliases, summary and merges; by the claims on the names that give it its own."""
    if not groups:
        return _unmentioned(entity, part)
    declared = [group for group in groups if group.declared]
    name = _winner((group.name, _weight(group)) for group in _first([one for one in groups if one.key == part.first]))
    # A page that does not say what its subject is leaves that to all texts.
    typed = [group for group in declared if group.type != DEFAULT_TYPE]
    # A page by the name of what others declare, too, is on that.
    say = [group for group in typed if group.type != PAGE] or typed or _told(groups, declared) or groups
    votes = [(group.type, group.weight) for group in say if group.standing == SURE]
    confidence = best.confidence
    if part.judged is not None and not declared:
        # What the sum of evidence says weighs as much as all the claims that it was made of.
        confidence = max(part.judged.confidence, confidence if votes else 0.0)
        # That nothing shows a type says less than one text that shows one.
        times = 1 if part.judged.type == DEFAULT_TYPE else part.judged.documents
        votes.append((part.judged.type, part.judged.confidence * times))
    votes = votes or [(group.type, group.weight) for group in groups if group.standing != SEEN]
    # What only a person says to be an entity has no type of its own.
    kind = _winner(votes) if votes or part.whole is None else part.whole.word.known_type
    if kind == PAGE and part.judged is not None and part.judged.documents >= RECURS:
        kind = part.judged.type  # a page on what many texts speak of by its name
    if kind == PAGE and " " not in name and _named_elsewhere(groups) >= RECURS:
        kind = DEFAULT_TYPE  # "Hymenium", to which notes lead wherever they use the word
    if kind == PAGE and _is_thing_elsewhere(groups):
        kind = DEFAULT_TYPE
    if kind == DEFAULT_TYPE and _is_page(groups, declared) and _is_title(name, best.description):
        kind = PAGE
    return Entity(
        id=entity,
        slug="",
        name=name,
        type=kind,
        description=best.description,
        attributes=best.attributes,
        confidence=confidence,
        extractor=best.extractor,
        declared_by=min((group.first_document for group in declared), default=None),
        aliases=[],
    )


def _named_elsewhere(groups: Sequence[ClaimGroup]) -> int:
    """How many documents have a name that do not declare it."""
    return sum(group.documents for group in groups if not group.declared)


def _is_thing_elsewhere(groups: Sequence[ClaimGroup]) -> bool:
    """Whether the texts of a folder take a page for a thing, as they do with one of a family whose pages are on things:
    *View Element*."""
    times = Counter[str]()
    for group in groups:
        if not group.declared and group.standing == SURE:
            times[group.type] += group.documents
    return times[DEFAULT_TYPE] >= max(RECURS, 2 * times[PAGE])


def _is_page(groups: Sequence[ClaimGroup], declared: Sequence[ClaimGroup]) -> bool:
    """Whether pages declare a name, not terms of lists, which are less sure, and few other documents have it."""
    sure = bool(declared) and all(group.weight >= group.documents for group in declared)
    return sure and _named_elsewhere(groups) < RECURS


def _is_title(name: str, description: str) -> bool:
    """Whether a name is only what somebody wrote over a page: long, or with a number, and what is told there does not
    begin with it: *2024 Lamp Committee Candidates*."""
    first, *rest = name.split()
    large = sum(word[0].isupper() for word in (first, *rest))
    return (large > 2 or any(char.isdigit() for char in name)) and first.casefold() not in description[:200].casefold()


def _told(groups: Sequence[ClaimGroup], declared: Sequence[ClaimGroup]) -> list[ClaimGroup]:
    """What enough texts say of what is declared without a type: the others only repeat that."""
    total = sum(group.weight for group in groups)
    said: defaultdict[str, float] = defaultdict(float)
    for group in groups if declared else ():
        if group.type != DEFAULT_TYPE and group.standing == SURE:
            said[group.type] += group.weight
    enough = {type_ for type_, weight in said.items() if weight >= max(TOLD, TOLD_SHARE * total)}
    return [group for group in groups if group.type in enough]


def _unmentioned(entity: int, part: NameGroup) -> Entity:
    """The row of an entity whose own names no document has: it is called what people called it last."""
    assert part.whole is not None
    word = part.whole.word
    return Entity(
        id=entity, slug="", name=word.known_as, type=word.known_type, description="", attributes={}, confidence=1.0,
        extractor=PERSON, declared_by=None, aliases=[],
    )  # fmt: skip


def _heed(wanted: Entity, whole: MergedEntity, best: BestClaims) -> None:
    """Let what people said stand over what documents say; ``best`` is what these say of all its names."""
    word = whole.word
    # What took in another is what it was; where nothing is said of it, what is said of the other.
    wanted.description = wanted.description or best.description
    wanted.attributes = {**best.attributes, **wanted.attributes}
    wanted.name = wanted.name if word.name is None else word.name
    wanted.type = wanted.type if word.type is None else word.type
    wanted.description = wanted.description if word.description is None else word.description
    wanted.by_person = whole.stays
    if (word.name, word.type, word.description) != (None, None, None):
        wanted.extractor = PERSON


class NameClaims(NamedTuple):
    """What documents say of some names."""

    best: BestClaims
    passages: list[Passage]


def _said_of_kept(cursor: Cursor, parts: Mapping[int, NameGroup], alive: Collection[int]) -> dict[int, NameClaims]:
    """Of entities that took in others by a person's word: what is said of their own names."""
    kept = {entity: whole.own for entity in alive if (whole := parts[entity].whole) is not None and whole.others}
    if not kept:
        return {}
    keys = [key for own in kept.values() for key in own]
    best = claims.best_claims(cursor, list(kept), keys)
    passages = claims.best_passages(cursor, list(kept), SUMMARY_SENTENCES, keys)
    return {entity: NameClaims(best.get(entity, BestClaims()), passages.get(entity, [])) for entity in kept}


def _aliases(name: str, groups: Sequence[ClaimGroup], whole: MergedEntity | None) -> list[tuple[str, str]]:
    """The other names, the commonest spelling of each, with their slugs."""
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for group in groups:
        for alias in (group.name, *group.aliases):
            spellings[slug_key(slug(alias, ""))][alias] += group.documents
    if whole is not None and not groups and whole.word.known_as:
        spellings[slug_key(slug(whole.word.known_as, ""))][whole.word.known_as] += 1
    for blank in ("", slug_key(slug(name, ""))):
        spellings.pop(blank, None)
    aliases = [min(found, key=lambda alias: (-found[alias], alias)) for found in spellings.values()]
    return sorted(((alias, slug(alias)) for alias in aliases), key=lambda pair: (pair[1], pair[0]))


def _weight(group: ClaimGroup) -> float:
    return group.weight or _SEEN_WEIGHT * group.documents


def _first(groups: Sequence[ClaimGroup]) -> Sequence[ClaimGroup]:
    """The declared ones, if there are any."""
    return [group for group in groups if group.declared] or groups


def _winner(votes: Iterable[tuple[str, float]]) -> str:
    weights: defaultdict[str, float] = defaultdict(float)
    for value, weight in votes:
        weights[value] += weight
    return min(weights, key=lambda value: (-round(weights[value], 6), value))


def _summary(description: str, passages: Sequence[str]) -> str:
    """The best sentences without the description, as many as there is room for."""
    chosen: list[str] = []
    room = SUMMARY_CHARACTERS
    for text in passages:
        if text != description and not text.startswith(description.rstrip("…") or "\0") and len(text) < room:
            chosen.append(text)
            room -= len(text) + 1
    return " ".join(chosen)


def _merges(
    entity: Entity, groups: Sequence[ClaimGroup], part: NameGroup, given: Iterable[tuple[str, str, int]]
) -> list[MergedName]:
    """Each other name of the entity with the rule that makes it one of its names."""
    names: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for group in groups:
        names[group.key][group.name] += group.documents
        for alias in group.aliases:
            names[name_key(alias)][alias] += group.documents
    found: dict[str, MergedName] = {}
    called = part.whole is not None and part.whole.word.name is not None
    for key in part.keys:
        reason = part.reasons.get(key)
        for name, documents in names[key].items():
            if name == entity.name:
                continue
            if reason is None and called and base_key(key) != name_key(entity.name):
                found[name] = MergedName(name, PERSON, DECLARED, documents)
            elif reason is None:
                found[name] = MergedName(name, spelling_difference(name, entity.name), SPELLING, documents)
            else:
                found[name] = MergedName(name, reason.rule, reason.confidence, documents)
    for alias, rule, documents in given:
        if alias in part.keys or not names[alias]:
            continue
        name = min(names[alias], key=lambda spelling: (-names[alias][spelling], spelling))
        sure = CONFIDENCE.get(rule, CONFIDENCE["stated"])
        if name != entity.name and (name not in found or found[name].confidence < sure):
            found[name] = MergedName(name, rule, sure, documents)
    return sorted(found.values())


def _slug_fits(entity: Entity, groups: Sequence[ClaimGroup], whole: MergedEntity | None) -> bool:
    """Whether a slug may stay: it is that of the declared name, or, with none declared, of a name that is claimed; of
    the name that a person gave, where one did."""
    stem, suffix, _ = entity.slug.partition("~")

    def fits(name: str) -> bool:
        # Before a suffix a slug may have been cut.
        return slug(name) == stem or bool(suffix and len(stem) > 40 and slug(name).startswith(stem))

    if not groups or any(group.declared for group in groups) or (whole is not None and whole.word.name is not None):
        return fits(entity.name)
    return any(fits(group.name) for group in groups)


def _give_slugs(
    cursor: Cursor,
    wanting: Sequence[tuple[Entity, NameGroup]],
    groups: Mapping[int, Sequence[ClaimGroup]],
    rows: Mapping[int, Entity],
) -> None:
    """Give each, in turn, the slug that it had before a person's change, else the first free one of its name."""
    if not wanting:
        return
    wanted = {slug_key(slug(entity.name)) for entity, _ in wanting}
    free = wanted - entities.taken_slugs(cursor, "entities", wanted)
    used: set[str] = set()
    annotated = people.any_annotations(cursor)

    for entity, part in wanting:
        held = slug_key(rows[entity.id].slug) if entity.id in rows else ""

        def taken(key: str, held: str = held) -> bool:
            if key in used:
                return True
            return key not in free and key != held and bool(entities.taken_slugs(cursor, "entities", [key]))

        own = [group for group in groups.get(entity.id, ()) if part.whole is None or group.key in part.whole.own]
        for before in people.former_slugs(cursor, part.whole.own if part.whole else part.keys) if annotated else ():
            entity.slug = before
            if _slug_fits(entity, own, part.whole) and not taken(slug_key(before)):
                break
        else:
            entity.slug = unique_slug(slug(entity.name), taken)
        used.add(slug_key(entity.slug))


def _indexed(entity: Entity) -> tuple[object, ...]:
    """What of an entity the search index has."""
    return entity.name, entity.type, entity.description, entity.aliases


def _note_merge(cursor: Cursor, old: Entity, kept: int, part: NameGroup | None) -> None:
    """Keep in the history that an entity went into another, and let its paths lead there."""
    reason = None
    if part is not None:
        reason = next((join for key, join in part.reasons.items() if base_key(key) == name_key(old.name)), None)
    said = "A person said so." if reason is not None and reason.rule == PERSON else _by_rule(reason)
    cursor.execute(
        "INSERT INTO merges VALUES (?, ?, ?, ?, ?, ?, ?)",
        [take_ids(cursor, "merge", 1)[0], items.GROUP, kept, old.id, old.name, said, items.now()],
    )
    entities.retarget_former_names(cursor, old.id, kept)
    entities.former_name(cursor, "entity", entity_directory(old.type), old.slug, kept)


def _by_rule(reason: NameJoin | None) -> str:
    return f"By the rule: {reason.rule} (confidence {reason.confidence:.2f})." if reason else "They are one name."
