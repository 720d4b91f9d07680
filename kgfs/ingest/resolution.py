"""Which entity is meant, across documents: claims by name become entities, and stay right when documents change or go.

Used by the pipeline inside a write transaction, on the store's writer thread.

Every claim has a *key* (its normalised name). Claims with one key are one entity. A claim's alias joins another key to
its own: a declared alias (front matter) always does, a guessed one only where no document declares the other name as
its own. Where several names claim the same alias, the one that most documents give it to has it. The parts that result
are the entities. They are found anew for the names that a change touches, so adding documents in another order, or
removing them again, comes to the same parts; rows and slugs are kept where a part goes on, split or merged where not.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from kgfs.ingest.name_keys import name_key
from kgfs.ingest.topic_tree import drop_topics, put_topics
from kgfs.model import Extraction, FactCandidate
from kgfs.names import entity_directory, slug, slug_key, unique_slug
from kgfs.store import documents, graph, items, marks
from kgfs.store.database import Cursor, ids, insert
from kgfs.store.graph import Best, Claim, ClaimGroup, Entity, FactRow

DEFAULT_TYPE = "Concept"


class Read(NamedTuple):
    """What an extractor found in one document, and the generation of the document that it read."""

    document_id: int
    generation: int
    extraction: Extraction


# --- entry points --------------------------------------------------------------------------------------------------


def put_extractions(cursor: Cursor, batch: Sequence[Read]) -> None:
    """Make what documents say what their extractions found, and bring entities, facts and topics up to date.

    Documents that are gone meanwhile are passed over. Earlier documents of ``batch`` come first to a name.
    """
    paths = dict(
        cursor.execute(
            f"SELECT i.id, i.ref FROM context_items i JOIN documents d USING (id) WHERE i.id {documents.IN}",
            [[read.document_id for read in batch]],
        ).fetchall()
    )
    batch = [read for read in batch if read.document_id in paths]
    if not batch:
        return
    numbers = [read.document_id for read in batch]
    chunks = _chunks(cursor, numbers)
    identities = items.identities(cursor, numbers)
    before = graph.entities_of_documents(cursor, numbers)
    touched = graph.claimed_keys(cursor, numbers)
    graph.clear_claims(cursor, numbers)

    claims: list[Claim] = []
    mentions: Counter[tuple[int, int, str]] = Counter()
    facts: list[FactRow] = []
    for read in batch:
        own = [_claim(read, index) for index in range(len(read.extraction.entities))]
        claims.extend(claim for claim in own if claim.key)
        for mention in read.extraction.mentions:
            place = chunks.get((read.document_id, mention.chunk))
            if place is not None and own[mention.entity].key:
                mentions[read.document_id, place[0], own[mention.entity].key] += mention.count
        facts.extend(_facts(read, own, chunks, identities[read.document_id]))
    graph.insert_claims(cursor, claims)
    graph.insert_mentions(cursor, mentions)
    touched.update(key for claim in claims for key in (claim.key, *claim.alias_keys))

    order = {claim.key: number for number, claim in reversed(list(enumerate(claims)))}
    parts = _resolve(cursor, touched, order)
    graph.assign_claims(cursor, numbers)
    graph.rebuild_chunks(cursor, numbers, parts.moved)
    graph.write_facts(cursor, numbers, facts)
    after = graph.entities_of_documents(cursor, numbers)
    _reduce(cursor, before | after | parts.touched, parts)

    chunk_ids = {place: chunk_id for place, (chunk_id, _) in chunks.items()}
    put_topics(cursor, {read.document_id: read.extraction for read in batch}, chunk_ids)
    _put_links(cursor, batch, paths)
    documents.note_extraction(
        cursor, {read.document_id: (read.generation, read.extraction.extractor) for read in batch}
    )
    marks.mark(cursor, "entity", before | after)
    marks.mark(cursor, "document", numbers)
    marks.mark(cursor, "chunk", chunk_ids.values())


def drop_documents(cursor: Cursor, document_ids: Sequence[int]) -> None:
    """Delete documents, their chunks, and of the graph what came only from them."""
    numbers = list(document_ids)
    before = graph.entities_of_documents(cursor, numbers)
    touched = graph.claimed_keys(cursor, numbers)
    graph.clear_claims(cursor, numbers)
    drop_topics(cursor, numbers)
    documents.drop_documents(cursor, numbers)
    parts = _resolve(cursor, touched, {})
    graph.rebuild_chunks(cursor, [], parts.moved)
    _reduce(cursor, before | parts.touched, parts)
    marks.mark(cursor, "entity", before)


def remove_items(cursor: Cursor, item_ids: Sequence[int]) -> None:
    """Delete context rows with all that was made of them alone."""
    drop_documents(cursor, item_ids)
    items.delete_items(cursor, item_ids)


# --- candidates to rows --------------------------------------------------------------------------------------------


def _chunks(cursor: Cursor, document_ids: Sequence[int]) -> dict[tuple[int, int], tuple[int, bytes]]:
    """``(document, ordinal)`` to the chunk's id and text."""
    rows = cursor.execute(
        f"SELECT document_id, ordinal, id, text FROM chunks WHERE document_id {documents.IN}", [list(document_ids)]
    ).fetchall()
    return {(document, ordinal): (chunk, text.encode("utf-8")) for document, ordinal, chunk, text in rows}


def _claim(read: Read, index: int) -> Claim:
    candidate = read.extraction.entities[index]
    key = name_key(candidate.name)
    aliases = sorted({alias.strip() for alias in candidate.aliases if alias.strip()} - {candidate.name.strip()})
    return Claim(
        document_id=read.document_id,
        key=key,
        name=candidate.name.strip(),
        type=candidate.type.strip() or DEFAULT_TYPE,
        aliases=aliases,
        alias_keys=sorted({name_key(alias) for alias in aliases} - {key, ""}),
        description=candidate.description,
        attributes=candidate.attributes,
        confidence=candidate.confidence,
        declared=candidate.declared,
        extractor=read.extraction.extractor,
    )


def _facts(
    read: Read, own: Sequence[Claim], chunks: Mapping[tuple[int, int], tuple[int, bytes]], identity_ref: str
) -> list[FactRow]:
    """The facts of one document as rows; a fact whose quote is not in its chunk is not one."""
    seen: Counter[str] = Counter()
    rows = []
    for candidate in sorted(read.extraction.facts, key=lambda fact: (fact.chunk, fact.start, fact.end)):
        place = chunks.get((read.document_id, candidate.chunk))
        subject = own[candidate.subject].key
        target = None if candidate.object is None else own[candidate.object].key
        if place is None or not subject or target == "":
            continue
        span = _span(candidate, place[1])
        if span is None:
            continue
        identity = "\x1f".join(
            (
                subject,
                candidate.type,
                target if target is not None else f"{candidate.object_text}\x1e{candidate.value}\x1e{candidate.unit}",
                str(candidate.date),
                identity_ref,
                candidate.quote,
            )
        )
        seen[identity] += 1
        digest = hashlib.blake2b(f"{identity}\x1f{seen[identity]}".encode(), digest_size=8).hexdigest()
        rows.append(
            FactRow(
                fact_id=f"f_{digest}",
                type=candidate.type,
                subject_key=subject,
                object_key=target,
                object_text=candidate.object_text,
                value=candidate.value,
                unit=candidate.unit,
                indicator=candidate.indicator,
                description=candidate.description,
                date=candidate.date,
                valid_from=candidate.valid_from,
                valid_to=candidate.valid_to,
                confidence=candidate.confidence,
                extractor=read.extraction.extractor,
                document_id=read.document_id,
                chunk_id=place[0],
                quote=candidate.quote,
                span_start=span[0],
                span_end=span[1],
            )
        )
    return rows


def _span(candidate: FactCandidate, text: bytes) -> tuple[int, int] | None:
    """Where the quote stands in the chunk: where the extractor says, else where it is found, else nowhere."""
    quote = candidate.quote.encode("utf-8")
    if not quote:
        return None
    if text[candidate.start : candidate.end] == quote:
        return candidate.start, candidate.end
    start = text.find(quote)
    return None if start < 0 else (start, start + len(quote))


def _put_links(cursor: Cursor, batch: Sequence[Read], refs: Mapping[int, str]) -> None:
    cursor.execute(
        f"DELETE FROM document_links WHERE document_id {documents.IN}", [[read.document_id for read in batch]]
    )
    links = [(read.document_id, link) for read in batch for link in read.extraction.links]
    insert(
        cursor,
        "document_links",
        {
            "group_id": [items.GROUP] * len(links),
            "document_id": [document_id for document_id, _ in links],
            "target": [link.target for _, link in links],
            "target_key": [
                documents.link_key(link.kind, link.target, refs[document_id].split(":", 1)[1])
                for document_id, link in links
            ],
            "kind": [link.kind for _, link in links],
            "label": [link.label for _, link in links],
        },
    )


# --- names to entities ---------------------------------------------------------------------------------------------


class _Parts(NamedTuple):
    """What resolving changed."""

    touched: set[int]
    """Entities that were looked at."""
    moved: set[int]
    """Entities that gained or lost a name they had."""
    new: list[int]
    """New ids, in the order in which they get their slugs."""
    merged: dict[int, int]
    """Entity that is gone to the one that took it in."""
    roots: dict[int, str]
    """Entity to the key whose claims name it."""


def _resolve(cursor: Cursor, touched: Collection[str], order: Mapping[str, int]) -> _Parts:
    """Find anew which of the names around ``touched`` are one entity.

    A name's place depends only on who gives it as an alias and whether it is declared; so it is enough to look at the
    touched names, at those that give them as aliases, and at all names of the entities that these belong to.
    """
    around = set(touched) | {name for _, name, _, _ in graph.names_with_alias(cursor, touched)}
    entities = set(graph.entities_of_keys(cursor, around).values())
    before = graph.keys_of_entities(cursor, entities)
    alive = graph.claimed_names(cursor, around | before.keys())
    parents = _parents(graph.names_with_alias(cursor, alive), alive)

    top = {key: key for key in alive}

    def root(key: str) -> str:
        while top[key] != key:
            top[key] = top[top[key]]
            key = top[key]
        return key

    for child, parent in sorted(parents.items()):
        top[root(child)] = root(parent)
    grouped: defaultdict[str, list[str]] = defaultdict(list)
    for key in sorted(alive):
        grouped[root(key)].append(key)
    # The name of a part: a declared one first, one that is nobody's alias, the one in most documents.
    parts: dict[str, list[str]] = {}
    for keys in grouped.values():
        first = min(keys, key=lambda key: (not alive[key][0], key in parents, -alive[key][1], key))
        parts[first] = keys

    homes = _homes(cursor, entities, before, parts)
    after: dict[str, int] = {}
    roots: dict[int, str] = {}
    new: list[int] = []
    merged: dict[int, int] = {}
    without = [first for first in parts if not homes.get(first)]
    without.sort(key=lambda first: (min(order.get(key, len(order)) for key in parts[first]), first))
    fresh = dict(zip(without, ids(cursor, "entity", len(without)), strict=True)) if without else {}
    for first, keys in parts.items():
        if first in fresh:
            entity = fresh[first]
        else:
            entity, *others = homes[first]
            merged |= dict.fromkeys(others, entity)
        after |= dict.fromkeys(keys, entity)
        roots[entity] = first
    new = [fresh[first] for first in without]
    moved = graph.assign_keys(cursor, before, after)
    return _Parts(entities | set(roots), moved, new, merged, roots)


def _parents(given: Iterable[tuple[str, str, bool, int]], alive: Mapping[str, tuple[bool, int]]) -> dict[str, str]:
    """Alias to the name that has it: by declared claims first, then by the number of documents."""
    best: dict[str, tuple[tuple[bool, int, str], str]] = {}
    for alias, name, declared, count in given:
        if name not in alive or (alive[alias][0] and not declared):
            continue
        rank = (not declared, -count, name)
        if alias not in best or rank < best[alias][0]:
            best[alias] = (rank, name)
    return {alias: name for alias, (_, name) in best.items()}


def _homes(
    cursor: Cursor, entities: Collection[int], before: Mapping[str, int], parts: Mapping[str, Sequence[str]]
) -> dict[str, list[int]]:
    """Part (by its first key) to the entities that go on in it, the one that keeps its row first.

    An entity goes on in the part that has its present name, else in the one that has most of its names.
    """
    rows = graph.entities(cursor, entities)
    part_of = {key: first for first, keys in parts.items() for key in keys}
    names: defaultdict[int, list[str]] = defaultdict(list)
    for key, entity in before.items():
        names[entity].append(key)
    homes: defaultdict[str, list[tuple[bool, int]]] = defaultdict(list)
    for entity in sorted(entities):
        present = name_key(rows[entity].name) if entity in rows else ""
        if present in part_of and present in names[entity]:
            home: str | None = part_of[present]
        else:
            votes = Counter(part_of[key] for key in names[entity] if key in part_of)
            home = min(votes, key=lambda part: (-votes[part], part)) if votes else None
        if home is not None:
            homes[home].append((present != home, entity))
    return {part: [entity for _, entity in sorted(found)] for part, found in homes.items()}


# --- claims to an entity's row -------------------------------------------------------------------------------------


def _reduce(cursor: Cursor, touched: Collection[int], parts: _Parts) -> None:
    """Bring the rows of entities up to date with their claims; delete those without."""
    groups = graph.claim_groups(cursor, touched)
    best = graph.best_claims(cursor, touched)
    rows = graph.entities(cursor, touched)
    gone = {entity for entity in rows if entity not in groups}
    missing = [entity for entity in groups if entity not in parts.roots]
    roots = {**parts.roots, **_present_roots(missing, groups, rows)}

    changed: list[Entity] = []
    new: list[Entity] = []
    for entity in [*sorted(groups.keys() & rows.keys()), *(entity for entity in parts.new if entity in groups)]:
        wanted = _reduced(entity, groups[entity], best[entity], roots[entity])
        if entity not in rows:
            new.append(wanted)
            continue
        wanted.slug = rows[entity].slug
        if not _slug_fits(wanted, groups[entity]):
            wanted.slug = ""
        if wanted != rows[entity]:
            changed.append(wanted)

    for old, kept in parts.merged.items():
        if old in rows:
            _note_merge(cursor, rows[old], kept)
    graph.delete_entities(cursor, gone)
    _give_slugs(cursor, [entity for entity in (*changed, *new) if not entity.slug])
    renamed = set(parts.merged.values()) | {entity.id for entity in new} & parts.moved
    for entity_row in changed:
        old_row = rows[entity_row.id]
        if (old_row.slug, old_row.type, old_row.name) != (entity_row.slug, entity_row.type, entity_row.name):
            renamed.add(entity_row.id)
        place = (entity_directory(old_row.type), old_row.slug)
        if place != (entity_directory(entity_row.type), entity_row.slug):
            graph.former_name(cursor, "entity", *place, entity_row.id)
    reindex = {row.id for row in changed if _indexed(row) != _indexed(rows[row.id])}
    graph.update_entities(cursor, changed, [slug_key(row.slug) for row in changed], reindex)
    graph.insert_entities(cursor, new, [slug_key(row.slug) for row in new])
    graph.reclaim_names(cursor, "entity", ((entity_directory(row.type), row.slug) for row in (*changed, *new)))
    marks.mark(cursor, "entity", [row.id for row in (*changed, *new)])
    graph.mark_around(cursor, renamed | parts.moved)


def _present_roots(
    entities: Iterable[int], groups: Mapping[int, Sequence[ClaimGroup]], rows: Mapping[int, Entity]
) -> dict[int, str]:
    """The naming keys of entities whose names were not looked at: those of their present names."""
    found = {}
    for entity in entities:
        present = name_key(rows[entity].name) if entity in rows else ""
        keys = {group.key for group in groups[entity]}
        found[entity] = present if present in keys else min(keys)
    return found


def _reduced(entity: int, groups: Sequence[ClaimGroup], best: Best, root: str) -> Entity:
    """What the claims on an entity come to: declared ones win, then the weight of confidence decides."""
    declared = [group for group in groups if group.declared]
    name = _winner((group.name, group.weight) for group in _first([group for group in groups if group.key == root]))
    kind = _winner((group.type, group.weight) for group in declared or groups)
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for group in groups:
        for alias in (group.name, *group.aliases):
            spellings[slug_key(slug(alias, ""))][alias] += group.documents
    for blank in ("", slug_key(slug(name, ""))):
        spellings.pop(blank, None)
    aliases = [min(found, key=lambda alias: (-found[alias], alias)) for found in spellings.values()]
    return Entity(
        id=entity,
        slug="",
        name=name,
        type=kind,
        description=best.description,
        attributes=best.attributes,
        confidence=best.confidence,
        extractor=best.extractor,
        declared_by=min((group.first_document for group in declared), default=None),
        aliases=sorted(((alias, slug(alias)) for alias in aliases), key=lambda pair: (pair[1], pair[0])),
    )


def _first(groups: Sequence[ClaimGroup]) -> Sequence[ClaimGroup]:
    """The declared ones, if there are any."""
    return [group for group in groups if group.declared] or groups


def _winner(votes: Iterable[tuple[str, float]]) -> str:
    weights: defaultdict[str, float] = defaultdict(float)
    for value, weight in votes:
        weights[value] += weight
    return min(weights, key=lambda value: (-round(weights[value], 6), value))


def _slug_fits(entity: Entity, groups: Sequence[ClaimGroup]) -> bool:
    """Whether a slug may stay: it is that of the declared name, or, with none declared, of a name that is claimed."""
    stem, suffix, _ = entity.slug.partition("~")

    def fits(name: str) -> bool:
        # Before a suffix a slug may have been cut.
        return slug(name) == stem or bool(suffix and len(stem) > 40 and slug(name).startswith(stem))

    if any(group.declared for group in groups):
        return fits(entity.name)
    return any(fits(group.name) for group in groups)


def _give_slugs(cursor: Cursor, entities: Sequence[Entity]) -> None:
    """Give each, in turn, the first free slug of its name."""
    if not entities:
        return
    wanted = {slug_key(slug(entity.name)) for entity in entities}
    free = wanted - graph.taken_slugs(cursor, "entities", wanted)
    used: set[str] = set()

    def taken(key: str) -> bool:
        return key in used or (key not in free and bool(graph.taken_slugs(cursor, "entities", [key])))

    for entity in entities:
        entity.slug = unique_slug(slug(entity.name), taken)
        used.add(slug_key(entity.slug))


def _indexed(entity: Entity) -> tuple[object, ...]:
    """What of an entity the search index has."""
    return entity.name, entity.type, entity.description, entity.aliases


def _note_merge(cursor: Cursor, old: Entity, kept: int) -> None:
    cursor.execute(
        "INSERT INTO merges VALUES (?, ?, ?, ?, ?, ?, ?)",
        [ids(cursor, "merge", 1)[0], items.GROUP, kept, old.id, old.name, "One is an alias of the other.", items.now()],
    )
    graph.retarget_former_names(cursor, old.id, kept)
    graph.former_name(cursor, "entity", entity_directory(old.type), old.slug, kept)
