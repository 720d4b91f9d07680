"""Which entity is meant, across documents: claims by name become entities, and stay right when documents change or go.

Used by the pipeline inside a write transaction, on the store's writer thread.

Every claim has a *key* (its normalised name, with the document where a name says too little). Claims with one key are
one thing, and ``joining`` finds which keys are: those parts are the entities, as far as they are entities at all, which
the sum of what documents say decides where none says it for certain. All this is found anew for the names that a change
touches, so adding documents in another order, or removing them again, comes to the same; rows and slugs are kept where
a part goes on, split or merged where not. What claims come to in an entity's row is in ``reduction``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from kgfs.extraction.names.verdict import is_unexplained, name_verdict, total_evidence
from kgfs.graph.candidate_rows import DocumentExtraction, chunk_rows, document_claims, fact_rows, put_links
from kgfs.graph.joining import DECLARED, NameJoin, join_names, pair_short_names
from kgfs.graph.name_forms import SCOPE, base_key
from kgfs.graph.name_keys import name_key
from kgfs.graph.overrides import MergedEntity, merge_as_said
from kgfs.graph.reduction import JudgedNames, NameGroup, reduce_entities
from kgfs.graph.stated_facts import FactOverrides, complete_facts, without_machine
from kgfs.graph.topic_tree import drop_topics, put_topics
from kgfs.model import Evidence
from kgfs.plurals import singular
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import take_ids
from kgfs.store.files import documents, items
from kgfs.store.graph import annotations as people
from kgfs.store.graph import claims as rows
from kgfs.store.graph import entities, facts, merge_candidates, topics
from kgfs.store.graph.annotations import PERSON, Annotation
from kgfs.store.graph.claims import Claim, NameStanding
from kgfs.store.graph.facts import FactRow
from kgfs.store.graph.merge_candidates import PairVerdict

ALONE = 0.3
"""So many places of a project's name must have *the* before it."""
_FEW_PLACES = 0.2
"""Less than this share of what the tagger takes a club's name for may be places."""


# --- entry points --------------------------------------------------------------------------------------------------


def put_extractions(cursor: Cursor, batch: Sequence[DocumentExtraction]) -> None:
    """Make what documents say what their extractions found, and bring entities, facts and topics up to date.

    Documents that are gone meanwhile, or were made anew, are passed over. Earlier documents of ``batch`` come first to
    a name.
    """
    found = cursor.execute(
        f"SELECT i.id, i.ref, i.parsed_gen FROM context_items i JOIN documents d USING (id) WHERE i.id {documents.IN}",
        [[read.document_id for read in batch]],
    ).fetchall()
    paths = {row_id: reference for row_id, reference, _ in found}
    present = {row_id: generation for row_id, _, generation in found}
    batch = [read for read in batch if read.document_id in present and present[read.document_id] <= read.generation]
    if not batch:
        return
    numbers = [read.document_id for read in batch]
    chunks = chunk_rows(cursor, numbers)
    identities = items.identities(cursor, numbers)
    batch = [read._replace(extraction=without_machine(read.extraction, identities[read.document_id])) for read in batch]
    before = rows.entities_of_documents(cursor, numbers)
    touched = rows.claimed_keys(cursor, numbers)
    rows.clear_claims(cursor, numbers)

    claims: list[Claim] = []
    mentions: Counter[tuple[int, int, str]] = Counter()
    wanted: list[FactRow] = []
    for read in batch:
        own = document_claims(read, identities[read.document_id])
        claims.extend(claim for claim in own if claim.key)
        for mention in read.extraction.mentions:
            place = chunks.get((read.document_id, mention.chunk))
            if place is not None and own[mention.entity].key:
                mentions[read.document_id, place[0], own[mention.entity].key] += mention.count
        for name, claim in zip(read.extraction.unconfirmed, own[len(read.extraction.entities) :], strict=True):
            for ordinal, count in name.chunks.items():
                place = chunks.get((read.document_id, ordinal))
                if place is not None and claim.key:
                    mentions[read.document_id, place[0], claim.key] += count
        wanted.extend(fact_rows(read, own, chunks, identities[read.document_id]))
    stated = complete_facts(cursor, identities, chunks, {(claim.document_id, claim.key) for claim in claims}, wanted)
    claims += stated.claims
    mentions.update(stated.mentions)
    rows.insert_claims(cursor, claims)
    rows.insert_mentions(cursor, mentions)
    touched.update(key for claim in claims for key in (claim.key, *claim.alias_keys))

    order = {claim.key: number for number, claim in reversed(list(enumerate(claims)))}
    parts = _resolve(cursor, touched, order, numbers)
    rows.assign_claims(cursor, numbers)
    _rebuild_chunks(cursor, numbers, parts.moved)
    facts.write_facts(cursor, numbers, stated.facts)
    people.hide_facts(cursor, numbers, stated.hidden)
    after = rows.entities_of_documents(cursor, numbers)
    reduce_entities(cursor, before | after | parts.touched, parts.parts, parts.new, parts.merged, parts.moved)

    chunk_ids = {place: chunk_id for place, (chunk_id, _) in chunks.items()}
    put_topics(cursor, {read.document_id: read.extraction for read in batch}, chunk_ids)
    put_links(cursor, batch, paths)
    documents.note_extraction(
        cursor, {read.document_id: (read.generation, read.extraction.extractor) for read in batch}
    )
    dirty_rows.mark_dirty(cursor, "entity", before | after)
    dirty_rows.mark_dirty(cursor, "document", numbers)
    dirty_rows.mark_dirty(cursor, "chunk", chunk_ids.values())


def _rebuild_chunks(cursor: Cursor, document_ids: Sequence[int], moved: Collection[int]) -> None:
    """Make anew where entities stand; passages that show an entity which stands there no more are marked first."""
    entities.mark_places(cursor, moved)
    rows.rebuild_chunks(cursor, document_ids, moved)


def drop_documents(cursor: Cursor, document_ids: Sequence[int]) -> None:
    """Delete documents, their chunks, and of the graph what came only from them."""
    numbers = list(document_ids)
    before = rows.entities_of_documents(cursor, numbers)
    touched = rows.claimed_keys(cursor, numbers)
    rows.clear_claims(cursor, numbers)
    people.drop_hidden(cursor, numbers)
    drop_topics(cursor, numbers)
    documents.drop_documents(cursor, numbers)
    parts = _resolve(cursor, touched, {}, numbers)
    _rebuild_chunks(cursor, [], parts.moved)
    reduce_entities(cursor, before | parts.touched, parts.parts, parts.new, parts.merged, parts.moved)
    dirty_rows.mark_dirty(cursor, "entity", before)


def resolve_annotated(cursor: Cursor, keys: Collection[str]) -> None:
    """Bring entities up to date with what people said of these names."""
    _settle(cursor, keys, [])
    topics.note_stale(cursor)  # which names are entities, and of what type, decides about topics too


def restate_facts(cursor: Cursor, document_ids: Sequence[int]) -> None:
    """Bring the facts of documents up to date with what people stated and retracted; nothing is read again."""
    numbers = list(document_ids)
    chunks = chunk_rows(cursor, numbers)
    identities = items.identities(cursor, numbers)
    touched = people.clear_claims(cursor, numbers)
    machine = [row for _, row in facts.facts_of_documents(cursor, numbers).values() if row.extractor != PERSON]
    machine += [row for row in people.hidden_facts(cursor, numbers) if row.extractor != PERSON]
    stated = complete_facts(cursor, identities, chunks, people.claimed_names(cursor, numbers), machine)
    rows.insert_claims(cursor, stated.claims)
    rows.insert_mentions(cursor, stated.mentions)
    _settle(cursor, touched | {claim.key for claim in stated.claims}, numbers, stated)
    dirty_rows.mark_dirty(cursor, "document", numbers)
    dirty_rows.mark_dirty(cursor, "chunk", (chunk_id for chunk_id, _ in chunks.values()))
    topics.note_stale(cursor)


def adopt_documents(cursor: Cursor, document_ids: Sequence[int], machine: Sequence[FactRow], *, claims: bool) -> None:
    """Bring the graph up to date with documents whose chunks, and with ``claims`` whose claims and mentions, came as
    rows from elsewhere; ``machine`` are the facts that were found in them."""
    numbers = list(document_ids)
    chunks = chunk_rows(cursor, numbers)
    identities = items.identities(cursor, numbers)
    touched = rows.claimed_keys(cursor, numbers) if claims else set[str]()
    stated = complete_facts(cursor, identities, chunks, people.claimed_names(cursor, numbers), machine)
    rows.insert_claims(cursor, stated.claims)
    rows.insert_mentions(cursor, stated.mentions)
    _settle(cursor, touched | {claim.key for claim in stated.claims}, numbers, stated)
    dirty_rows.mark_dirty(cursor, "document", numbers)
    dirty_rows.mark_dirty(cursor, "chunk", (chunk_id for chunk_id, _ in chunks.values()))
    topics.note_stale(cursor)


def _settle(
    cursor: Cursor, touched: Collection[str], document_ids: Sequence[int], stated: FactOverrides | None = None
) -> None:
    """Resolve names again, with the facts that people stated in documents."""
    before = rows.entities_of_documents(cursor, document_ids)
    parts = _resolve(cursor, touched, {}, document_ids)
    rows.assign_claims(cursor, document_ids)
    _rebuild_chunks(cursor, document_ids, parts.moved)
    if stated is not None:
        facts.write_facts(cursor, document_ids, stated.facts)
        people.hide_facts(cursor, document_ids, stated.hidden)
    reduce_entities(cursor, parts.touched, parts.parts, parts.new, parts.merged, parts.moved)
    dirty_rows.mark_dirty(cursor, "entity", before | parts.touched)


def remove_items(cursor: Cursor, item_ids: Sequence[int]) -> None:
    """Delete context rows with all that was made of them alone."""
    drop_documents(cursor, item_ids)
    items.delete_items(cursor, item_ids)


def resolve_again(cursor: Cursor, keys: Collection[str], entity_ids: Collection[int]) -> None:
    """Bring the entities that have these names, and these entities, to what all claims come to.

    Changes nothing, and marks nothing, where they are that already: ``kgfs.fsck`` finds out so what is damaged.
    """
    parts = _resolve(cursor, {*keys, *rows.keys_of_entities(cursor, entity_ids)}, {}, [])
    _rebuild_chunks(cursor, [], parts.moved)
    reduce_entities(cursor, set(entity_ids) | parts.touched, parts.parts, parts.new, parts.merged, parts.moved)


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
    parts: dict[int, NameGroup]
    """What each entity is made of."""


def _resolve(
    cursor: Cursor, touched: Collection[str], order: Mapping[str, int], document_ids: Collection[int]
) -> _Parts:
    """Find anew which of the names around ``touched`` are one entity, and which are none.

    A name's place depends only on who gives it as an alias, on who shares a form with it, and on how the claims of all
    these stand; so it is enough to look at the names that hang together with the touched ones, in any of these ways or
    by the entities that they belong to.
    """
    around, parts, _ = _groups_around(cursor, touched)
    before = rows.entities_of_keys(cursor, around)
    present = set(before.values())
    homes = _homes(cursor, present, before, parts)
    without = [first for first in parts if not homes.get(first)]
    without.sort(key=lambda first: (min(order.get(key, len(order)) for key in parts[first].keys), first))
    fresh = dict(zip(without, take_ids(cursor, "entity", len(without)), strict=True)) if without else {}
    after: dict[str, int] = {}
    made: dict[int, NameGroup] = {}
    merged: dict[int, int] = {}
    for first, part in parts.items():
        if first in fresh:
            entity = fresh[first]
        else:
            entity, *others = homes[first]
            merged |= dict.fromkeys(others, entity)
        after |= dict.fromkeys(part.keys, entity)
        made[entity] = part
    moved = rows.assign_keys(cursor, before, after, document_ids)
    return _Parts(present | set(made), moved, [fresh[first] for first in without], merged, made)


def _groups_around(
    cursor: Cursor, touched: Collection[str]
) -> tuple[set[str], dict[str, NameGroup], Mapping[str, NameStanding]]:
    """The names around ``touched``, the parts that are entities by their first names, how the claims of names stand."""
    around, given, holders, said, verdicts = _around(cursor, touched)
    standings = rows.name_standings(cursor, around)
    evidence = rows.summed_evidence(cursor, around)
    holders = [one for one in holders if _may_be_short(one, evidence.get(one.key))]
    found, groups = join_names(
        standings, given, holders, rows.pairs_in_one_document(cursor, pair_short_names(holders, given)), verdicts
    )
    spoken, unspoken = merge_as_said(groups, said)
    children = {join.child for join in found}
    by_child = {join.child: join for join in found}
    parts: dict[str, NameGroup] = {}
    for keys in unspoken:
        first = _first(keys, standings, children)
        judged = _verdict(keys, standings, evidence)
        if judged is not None or any(standings[key].sure for key in keys):
            parts[first] = NameGroup(first, list(keys), judged, _reasons(first, keys, by_child))
    for whole in spoken:
        if whole.stays or any(key in standings for key in (*whole.own, *whole.others)):
            part = _spoken(whole, standings, evidence, children, by_child)
            parts[part.first] = part
    return around, parts, standings


def _may_be_short(holder: rows.FormHolder, said: tuple[Evidence, set[int]] | None) -> bool:
    """Whether what texts show of a name lets it have a form."""
    if holder.form.rule == "project":
        return _is_alone(said)
    return holder.form.rule != "club" or holder.form.side != "short" or _is_body(said)


def _is_body(said: tuple[Evidence, set[int]] | None) -> bool:
    """Whether texts take a name for a body's, and for no place's: *Tarn*, which is a club and no town."""
    if said is None:
        return False
    types = said[0].types
    times = sum(types.values())
    return 2 * types.get("Organization", 0) > times and types.get("Location", 0) < _FEW_PLACES * times


def _is_alone(said: tuple[Evidence, set[int]] | None) -> bool:
    """Whether *Acme Project* is not one of several that Acme has, as far as texts tell: *the Acme Project*. What texts
    call *Acme* is so, too."""
    if said is None:
        return False
    told = said[0]
    return told.single or (not told.against.get("noun") and told.against.get("the", 0) >= ALONE * told.seen)


def own_names(cursor: Cursor, entity_id: int) -> tuple[list[str], MergedEntity | None]:
    """The names by which an annotation may find an entity, the likeliest first; and what people said of it so far.

    Names that people merged into it are not among them.
    """
    keys = rows.keys_of_entities(cursor, [entity_id])
    _, parts, standings = _groups_around(cursor, keys)
    part = next(part for part in parts.values() if not keys.keys().isdisjoint(part.keys))
    own = part.keys if part.whole is None else part.whole.own
    return [part.first, *(key for key in own if key in standings and key != part.first)], part.whole


def _first(keys: Iterable[str], standings: Mapping[str, NameStanding], children: Collection[str]) -> str:
    """The name of a part: a declared one first, no plural, one that is nobody's alias, the one in most documents."""
    return min(
        keys,
        key=lambda key: (
            not standings[key].declared, _is_plural(key, standings),
            not standings[key].shown, key in children, -standings[key].documents, key,
        ),
    )  # fmt: skip


def _is_plural(key: str, standings: Mapping[str, NameStanding]) -> bool:
    """Whether a name is the plural of one that as many documents have."""
    one = singular(key)
    return one != key and one in standings and standings[one].documents >= standings[key].documents


def _spoken(
    whole: MergedEntity,
    standings: Mapping[str, NameStanding],
    evidence: Mapping[str, tuple[Evidence, set[int]]],
    children: Collection[str],
    by_child: Mapping[str, NameJoin],
) -> NameGroup:
    """The part that people made of the machine's."""
    own = [key for key in whole.own if key in standings]
    first = _first(own, standings, children) if own else whole.own[0]
    reasons = _reasons(first, own, by_child) | {key: NameJoin(key, first, PERSON, DECLARED) for key in whole.others}
    judged = _verdict(own, standings, evidence)
    return NameGroup(first, [*whole.own, *whole.others], judged, reasons, whole)


def _verdict(
    keys: Sequence[str], standings: Mapping[str, NameStanding], evidence: Mapping[str, tuple[Evidence, set[int]]]
) -> JudgedNames | None:
    # What an acronym is taken for says nothing of the type, where the long name shows it.
    long = [key for key in keys if " " in key and standings[key].shown]
    apart = all(SCOPE in key for key in keys)  # "Mrs. Lind" of several chapters: as sure as each of them is
    judged = _judged([evidence[key] for key in long or keys if key in evidence], apart=apart)
    if judged is None and long:
        judged = None if any(standings[key].sure for key in long) else _judged([*map(evidence.get, keys)])
    if judged is not None and all(is_unexplained(base_key(key), judged.type) for key in keys):
        return None
    return judged


def _judged(said: Iterable[tuple[Evidence, set[int]] | None], *, apart: bool = False) -> JudgedNames | None:
    """The verdict on the sum of what is said of the names of a part; ``apart`` is whether each of them stands for
    somebody in its document alone."""
    parts = [one for one in said if one is not None]
    documents = len({document for _, among in parts for document in among})
    found = name_verdict(total_evidence([one for one, _ in parts]), 1 if apart else documents) if parts else None
    return None if found is None else JudgedNames(found.type, found.confidence, documents)


def _around(
    cursor: Cursor, touched: Collection[str]
) -> tuple[set[str], list[rows.GivenAlias], list[rows.FormHolder], list[Annotation], set[PairVerdict]]:
    """All names that hang together with ``touched``, with the aliases, forms, annotations and verdicts that make them
    so."""
    annotated = people.any_annotations(cursor)
    said: dict[int, Annotation] = {}
    around: set[str] = set()
    wanted = set(touched)
    given: dict[tuple[str, str, str, bool], rows.GivenAlias] = {}
    holders: set[rows.FormHolder] = set()
    judged: set[PairVerdict] = set()
    while wanted:
        around |= wanted
        more = rows.aliases_of_keys(cursor, wanted)
        given |= {(one.alias, one.name, one.rule, one.declared): one for one in more}
        shared = rows.form_holders(cursor, wanted)
        holders.update(shared)
        near = {key for one in more for key in (one.alias, one.name)} | {holder.key for holder in shared}
        verdicts = merge_candidates.of_keys(cursor, wanted)
        judged.update(verdicts)
        near |= {key for verdict in verdicts for key in (verdict.one, verdict.other)}
        near |= rows.keys_of_entities(cursor, set(rows.entities_of_keys(cursor, wanted).values())).keys()
        for annotation in people.of_keys(cursor, wanted) if annotated else ():
            said[annotation.id] = annotation
            near |= {*annotation.keys, *annotation.target_keys, annotation.name_key} - {""}
        wanted = near - around
    return around, list(given.values()), sorted(holders), list(said.values()), judged


def _reasons(first: str, keys: Sequence[str], by_child: Mapping[str, NameJoin]) -> dict[str, NameJoin]:
    """Of each name but the first the join that brought it to the part."""
    reasons = {key: by_child[key] for key in keys if key in by_child and key != first}
    # The first may be somebody's child all the same: then its join says why its parent is here.
    above = by_child.get(first)
    while above is not None and above.parent not in reasons and above.parent != first:
        reasons[above.parent] = above
        above = by_child.get(above.parent)
    return reasons


def _homes(
    cursor: Cursor, present: Collection[int], before: Mapping[str, int], parts: Mapping[str, NameGroup]
) -> dict[str, list[int]]:
    """Part (by its first key) to the entities that go on in it, the one that keeps its row first.

    An entity goes on in the part that has its present name, else in the one that has most of its names.
    """
    found = entities.read_entities(cursor, present)
    part_of = {key: first for first, part in parts.items() for key in part.keys}
    names: defaultdict[int, list[str]] = defaultdict(list)
    for key, entity in before.items():
        names[entity].append(key)
    homes: defaultdict[str, list[tuple[bool, bool, int]]] = defaultdict(list)
    for entity in sorted(present):
        name = name_key(found[entity].name) if entity in found else ""
        own = next((key for key in sorted(names[entity]) if base_key(key) == name and key in part_of), None)
        if own is not None:
            home: str | None = part_of[own]
        else:
            votes = Counter(part_of[key] for key in names[entity] if key in part_of)
            home = min(votes, key=lambda part: (-votes[part], part)) if votes else None
        if home is not None:
            whole = parts[home].whole  # an entity that a person merged goes into the one that was kept
            homes[home].append((whole is not None and own not in whole.own, own != home, entity))
    return {part: [entity for *_, entity in sorted(among)] for part, among in homes.items()}
