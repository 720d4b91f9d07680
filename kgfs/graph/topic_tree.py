"""Topics across documents: claims of documents into rows, and all claims together into one forest.

Used by ``kgfs.graph.resolution`` (claims come and go with documents) and ``kgfs.pipeline.topic_pass`` (the forest), in
write transactions, on the writer thread. A topic is what its key says; a row keeps its id and slug as long as
the topic is shown, whatever its parent is. What is shown depends on the claims and the groups alone, not on the order
in which documents came.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from kgfs.graph import topic_evidence
from kgfs.graph.name_keys import name_key
from kgfs.graph.topics import definitions, selection
from kgfs.graph.topics.hierarchy import Topic, drop_weak, place_topics
from kgfs.graph.topics.keys import SEPARATOR, leaf_key, path_key, topic_key, word_stems
from kgfs.model import Extraction, TopicCandidate
from kgfs.names import slug, slug_key, unique_slug
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import take_ids
from kgfs.store.graph import topics
from kgfs.store.graph.topics import PHRASE, ClaimChunk, GroupedTopic, TopicClaim, TopicRow
from kgfs.store.llm import topic_verdicts
from kgfs.store.llm.topic_verdicts import TopicVerdict

RULES = "3"
"""Raise it when the same claims would come to other topics: they are made anew at the next chance."""
TAG, PART, MODEL, CLUSTER = "tag", "part", "model", "cluster"
_ORDER = (TAG, "heading", MODEL, PART, PHRASE, CLUSTER)
"""Sources, the one that names a topic with several first."""
_SURE = 0.6
SAME_TAGS = 3
"""Of more tags than this that are always given together, one is shown."""


# --- claims --------------------------------------------------------------------------------------------------------


def put_topics(cursor: Cursor, extractions: Mapping[int, Extraction], chunk_ids: Mapping[tuple[int, int], int]) -> None:
    """Make what documents claim of topics that of their extractions; topics themselves follow with ``make_topics``.

    ``extractions`` by document, ``chunk_ids`` by (document, ordinal).
    """
    had = topics.clear_claims(cursor, list(extractions))
    claims: dict[TopicClaim, None] = {}
    chunks: Counter[tuple[int, str, str, int]] = Counter()
    for document_id, extraction in extractions.items():
        beneath = _beneath(extraction.topics)
        for candidate in extraction.topics:
            names = [name.strip() for name in candidate.path if name.strip()]
            members = {
                chunk_ids[document_id, ordinal]: count
                for ordinal, count in _counted(candidate)
                if (document_id, ordinal) in chunk_ids
            }
            if not names or not members or not all(map(topic_key, names)):
                continue
            own = _claims(document_id, candidate, names, beneath)
            claims |= dict.fromkeys(own)
            # A model names the general beside the special: passages on wages are on labor markets too.
            for claim in own if candidate.source == MODEL else own[-1:]:
                for chunk, count in members.items():
                    place = (document_id, claim.key, candidate.source, chunk)
                    chunks[place] = chunks[place] + count if candidate.source == PHRASE else 1
    rows = [
        ClaimChunk(document_id=document, key=key, source=source, chunk_id=chunk, count=count)
        for (document, key, source, chunk), count in chunks.items()
    ]
    topics.insert_claims(cursor, list(claims), rows)
    if had or topics.any_claims(cursor):
        topics.note_stale(cursor)


def _counted(candidate: TopicCandidate) -> list[tuple[int, int]]:
    if len(candidate.counts) == len(candidate.chunks):
        return list(zip(candidate.chunks, candidate.counts, strict=True))
    return [(ordinal, 1) for ordinal in candidate.chunks]


def _beneath(candidates: Sequence[TopicCandidate]) -> Counter[str]:
    """How many topics a model puts beneath each one that it says to be above others, in one document."""
    pairs = {
        (above, below)
        for candidate in candidates
        if candidate.source == MODEL
        for above, below in pairwise(map(topic_key, candidate.path))
        if above != below
    }
    return Counter(above for above, _ in pairs)


def _claims(
    document_id: int, candidate: TopicCandidate, names: Sequence[str], beneath: Mapping[str, int]
) -> list[TopicClaim]:
    """A tag and a model's path claim each of their levels, as often as something is ``beneath`` them; what else claims
    the last name of its path, under the one before."""
    if candidate.source == TAG:
        keys = [path_key(list(names[: depth + 1])) for depth in range(len(names))]
    elif candidate.source == MODEL:
        keys = [topic_key(name) for name in names]
    else:
        keys, names = [topic_key(name) for name in names[-2:]], names[-2:]
    found = []
    for depth, (key, name) in enumerate(zip(keys, names, strict=True)):
        last = depth == len(keys) - 1
        if last or candidate.source in (TAG, MODEL):
            found.append(
                TopicClaim(
                    document_id=document_id, key=key, source=candidate.source, name=name,
                    above=keys[depth - 1] if depth and keys[depth - 1] != key else "",
                    definition=candidate.definition if last else "", lead=candidate.lead if last else "",
                    times=max(candidate.times if last else 1, beneath[key] if candidate.source == MODEL else 1),
                )
            )  # fmt: skip
    return found


def drop_topics(cursor: Cursor, document_ids: Sequence[int]) -> None:
    """Take back all that documents say about topics; those that have nothing left go at once."""
    numbers = list(document_ids)
    had = topics.clear_claims(cursor, numbers)
    if had:
        topics.drop_links(cursor, numbers)
        topics.delete_empty(cursor)
    if had or topics.any_claims(cursor):
        topics.note_stale(cursor)


# --- claims to topics ----------------------------------------------------------------------------------------------


def topics_are_current(cursor: Cursor) -> bool:
    """Whether topics are those of the claims, by these rules."""
    return topics.topics_state(cursor) == RULES


def make_topics(cursor: Cursor) -> bool:
    """Make the topics of all claims; returns whether something changed that is shown."""
    if topics.topics_state(cursor) == topics.OLDER:
        topics.rename_keys(cursor, lambda key: path_key(key.split(SEPARATOR)))
    shown, verdicts = _shown(cursor)
    topic_verdicts.note_held(cursor, [(one.key, one.evidence) for one in verdicts.values()])
    groups = topics.topic_groups(cursor)
    _group(shown, groups)
    if groups:
        documents, _ = topics.store_sizes(cursor)
        drop_weak(shown, documents)
    lines = _definitions(cursor, shown, verdicts)
    changed = _write(cursor, shown, lines)
    topics.note_state(cursor, RULES)
    return changed


def topics_to_group(cursor: Cursor) -> dict[str, Topic]:
    """All topics by key, in their places but for groups: those too that are not shown unless a group takes them."""
    return _shown(cursor)[0]


def _shown(cursor: Cursor) -> tuple[dict[str, Topic], dict[str, TopicVerdict]]:
    """The topics that claims come to, in their places but for groups; and what a model says of them."""
    documents, chunks = topics.store_sizes(cursor)
    headed = _headed(cursor)
    said = [selection.PhraseCounts(*row) for row in topics.count_phrases(cursor)]
    barred = _barred(cursor, headed, said)
    weights = selection.select_topics(headed, said, chunks, documents, barred)
    wanted = _with_levels(weights)
    tags = _tag_of_leaf(headed, wanted)
    by_key: defaultdict[str, list[tuple[str, TopicClaim]]] = defaultdict(list)
    for ref, claim in topics.topic_claims(cursor, {*wanted, *tags}):
        by_key[tags.get(claim.key, claim.key)].append((ref, claim))
    found: dict[str, Topic] = {}
    for key in sorted(wanted):
        own = [claim for _, claim in by_key[key]]
        if key in tags or not own:
            continue
        source = min((claim.source for claim in own), key=_ORDER.index)
        spelled = Counter(claim.name for claim in own if claim.source == source)
        found[key] = Topic(key=key, name=selection.shown_name(spelled), source=source)
    _fill(cursor, found, tags)
    _drop_synonyms(found, {one.key for one in said})
    verdicts = _verdicts(cursor, found)
    _place(found, by_key, tags, {key: one.parent for key, one in verdicts.items() if one.parent})
    _prune(found)
    return found, verdicts


def _headed(cursor: Cursor) -> list[selection.HeadedCounts]:
    """What claims other than phrases come to, by key."""
    headed = [selection.HeadedCounts(*row) for row in topics.count_headed(cursor)]
    often = [one.key for one in headed if one.documents >= selection.SPOKEN_DOCUMENTS and not one.tag]
    spoken = topics.count_spoken(cursor, {key: word_stems(leaf_key(key)) for key in often})
    return [one._replace(spoken=spoken[one.key]) if one.key in spoken else one for one in headed]


def _verdicts(cursor: Cursor, found: Mapping[str, Topic]) -> dict[str, TopicVerdict]:
    """What a model says of topics: what it said when it was shown of them what it would be shown now."""
    kept = topic_verdicts.topic_verdicts(cursor)
    if not kept:
        return {}
    said = {one.key for one in kept} & found.keys()
    seen = topic_evidence.topic_evidence(
        cursor, {key: found[key].name for key in said}, {key: found[key].chunks for key in said}
    )
    held = {one.key: one for one in kept if one.key in seen and seen[one.key].evidence == one.evidence}
    return held


def _barred(
    cursor: Cursor, headed: Sequence[selection.HeadedCounts], said: Sequence[selection.PhraseCounts]
) -> set[str]:
    """The keys that are names of things: declared ones, and those that more documents name than claim as a topic."""
    claimed = Counter({one.key: one.documents for one in said})
    for one in headed:
        claimed[one.key] = max(claimed[one.key], one.documents)
    by_name: defaultdict[str, set[str]] = defaultdict(set)
    for key in claimed:
        by_name[name_key(leaf_key(key))].add(key)
        by_name[f"{name_key(leaf_key(key))}s"].add(key)
    barred: set[str] = set()
    for name, (declared, confidence, documents) in topics.entity_names(cursor, by_name).items():
        barred |= {key for key in by_name[name] if declared or (confidence >= _SURE and documents >= claimed[key])}
    return barred


def _with_levels(weights: Mapping[str, float]) -> set[str]:
    """These keys and all levels above them."""
    return {
        SEPARATOR.join(levels[: depth + 1])
        for levels in (key.split(SEPARATOR) for key in weights)
        for depth in range(len(levels))
    }


def _tag_of_leaf(headed: Sequence[selection.HeadedCounts], wanted: Collection[str]) -> dict[str, str]:
    """Key of a heading or phrase to the tag of several levels that ends with it: they are one topic."""
    documents = {one.key: one.documents for one in headed}
    plain_tags = {one.key for one in headed if one.tag}
    found: dict[str, str] = {}
    for key in sorted(wanted, key=lambda key: (-documents.get(key, 0), key)):
        if SEPARATOR in key and leaf_key(key) not in plain_tags:
            found.setdefault(leaf_key(key), key)
    return found


def _fill(cursor: Cursor, found: Mapping[str, Topic], tags: Mapping[str, str]) -> None:
    """Give topics their chunks.

    A tag is about its whole document, unless a heading there says which part of it.
    """
    sources: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    rows = topics.claim_chunks(cursor, {*found, *tags})
    keys = [tags.get(row.key, row.key) for row in rows]
    for key, row in zip(keys, rows, strict=True):
        sources[key, row.document_id].add(row.source)
    for key, row in zip(keys, rows, strict=True):
        topic = found.get(key)
        if topic is None:
            continue
        others = sources[key, row.document_id]
        if row.source == TAG and others & {"heading", PART, MODEL}:
            continue
        topic.chunks.add(row.chunk_id)
        topic.documents.add(row.document_id)


def _drop_synonyms(found: dict[str, Topic], phrases: Collection[str]) -> None:
    """Of tags that are always given together keep the one that the texts say, then the longest."""
    together: defaultdict[frozenset[int], list[str]] = defaultdict(list)
    for key, topic in found.items():
        if topic.source == TAG and SEPARATOR not in key and topic.chunks:
            together[frozenset(topic.documents)].append(key)
    for keys in together.values():
        if len(keys) > SAME_TAGS:
            kept = min(keys, key=lambda key: (key not in phrases, -len(key), key))
            for key in keys:
                if key != kept:
                    del found[key]


def _place(
    found: Mapping[str, Topic],
    by_key: Mapping[str, list[tuple[str, TopicClaim]]],
    tags: Mapping[str, str],
    verdicts: Mapping[str, str],
) -> None:
    """Give topics the parents that their claims show, and that ``verdicts`` say."""
    nested: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    headings: defaultdict[str, set[int]] = defaultdict(set)
    wholes: defaultdict[str, set[str]] = defaultdict(set)
    said: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for key in found:
        for _, claim in by_key[key]:
            if claim.source == "heading":
                headings[key].add(claim.document_id)
                if claim.above:
                    nested[tags.get(claim.above, claim.above), key].add(claim.document_id)
            elif claim.source == PART:
                wholes[key].add(claim.above)
            elif claim.source == MODEL and claim.above:
                said[tags.get(claim.above, claim.above), key].add(claim.document_id)
    joined: defaultdict[str, list[str]] = defaultdict(list)
    for part in sorted(wholes):
        for whole in wholes[part]:
            joined[tags.get(whole, whole)].append(leaf_key(part))
    alone = {leaf_key(key) for key in wholes if headings[key] or len(wholes[key] & found.keys()) > 1}
    place_topics(
        found,
        {pair: len(documents) for pair, documents in nested.items()},
        {key: len(documents) for key, documents in headings.items()},
        joined,
        alone,
        said={pair: len(documents) for pair, documents in said.items()},
        verdicts=verdicts,
    )


def _prune(found: dict[str, Topic]) -> None:
    """Take out what has neither chunks nor anything beneath it."""
    while True:
        above = {topic.parent for topic in found.values()}
        empty = [key for key, topic in found.items() if not topic.chunks and key not in above]
        if not empty:
            return
        for key in empty:
            del found[key]


def _group(found: dict[str, Topic], groups: Sequence[GroupedTopic]) -> None:
    """Put the topics at the top under those of their groups; a group of one is none."""
    members: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for one in groups:
        if one.member in found and found[one.member].parent is None and one.member != one.key:
            members[one.key, one.name].append(one.member)
    for (key, name), below in sorted(members.items()):
        if key in found and found[key].parent is not None:
            continue
        if key not in found:
            if len(below) < 2:
                continue
            found[key] = Topic(key=key, name=name, source=CLUSTER)
        for member in below:
            found[member].parent = key


# --- definitions ---------------------------------------------------------------------------------------------------


def _definitions(cursor: Cursor, shown: Mapping[str, Topic], verdicts: Mapping[str, TopicVerdict]) -> dict[str, str]:
    """What each topic is: what a model says that was shown all, else a sentence of the documents, else its facts."""
    sentences: defaultdict[str, list[definitions.DefiningSentence]] = defaultdict(list)
    by_leaf = {leaf_key(key): key for key in sorted(shown, reverse=True)}
    for ref, claim in topics.topic_claims(cursor, {*shown, *by_leaf}):
        key = claim.key if claim.key in shown else by_leaf[claim.key]
        if claim.definition or claim.lead:
            sentences[key].append(definitions.DefiningSentence(ref, claim.definition, claim.lead))
    below: defaultdict[str, list[str]] = defaultdict(list)
    of_chunk: defaultdict[int, list[str]] = defaultdict(list)
    for key, topic in sorted(shown.items()):
        if topic.parent is not None:
            below[topic.parent].append(key)
        for chunk in topic.chunks:
            of_chunk[chunk].append(key)
    lines = {}
    for key, topic in shown.items():
        said = verdicts[key].definition if key in verdicts and topic.source != CLUSTER else ""
        line = said or definitions.choose_definition(key, sentences[key])
        if not line:
            chunks, documents = _reach(key, shown, below)
            children = sorted(below[key], key=lambda one: (-len(shown[one].chunks), one))
            if topic.source == CLUSTER:
                line = definitions.definition_of_group([shown[one].name for one in children], chunks, documents)
            else:
                near = children or _near(key, shown, of_chunk)
                line = definitions.definition_of_facts(chunks, documents, [shown[one].name for one in near])
        lines[key] = line
    return lines


def _reach(key: str, shown: Mapping[str, Topic], below: Mapping[str, Sequence[str]]) -> tuple[int, int]:
    """How many chunks and documents a topic has with its subtopics."""
    chunks, documents, waiting = set[int](), set[int](), [key]
    while waiting:
        one = waiting.pop()
        chunks |= shown[one].chunks
        documents |= shown[one].documents
        waiting += below.get(one, ())
    return len(chunks), len(documents)


def _near(key: str, shown: Mapping[str, Topic], of_chunk: Mapping[int, Sequence[str]]) -> list[str]:
    """The topics that its chunks belong to as well: those that are most often so, for their own size."""
    topic = shown[key]
    common = Counter(other for chunk in topic.chunks for other in of_chunk[chunk])
    above = set()
    up = topic.parent
    while up is not None:
        above.add(up)
        up = shown[up].parent
    options = {
        other: count / len(shown[other].chunks) ** 0.5
        for other, count in common.items()
        if other != key and other not in above and count * 4 >= len(topic.chunks)
    }
    kept: list[str] = []
    for other in sorted(options, key=lambda one: (-round(options[one], 6), one)):
        if not any(shown[other].parent == one or shown[one].parent == other for one in kept):
            kept.append(other)
    return kept[: definitions.MANY_NAMES]


# --- topics to rows ------------------------------------------------------------------------------------------------


def _write(cursor: Cursor, shown: Mapping[str, Topic], lines: Mapping[str, str]) -> bool:
    """Bring the rows up to date: a topic that is shown already keeps its row and slug."""
    existing = topics.all_topics(cursor)
    rows = _matched(shown, existing)
    new = [key for key in sorted(shown, key=lambda key: (key.count(SEPARATOR), key)) if key not in rows]
    gone = existing.keys() - {row.id for row in rows.values()}
    topics.delete_topics(cursor, gone)
    slugs = {slug_key(row.slug) for row in rows.values()}
    for key, topic_id in zip(new, take_ids(cursor, "topic", len(new)), strict=True):
        rows[key] = TopicRow(id=topic_id, slug=_slug(key, shown, slugs), name="", key=key, parent_id=None)
        slugs.add(slug_key(rows[key].slug))

    changed: list[TopicRow] = []
    moved: set[int] = set()
    touched = {row.parent_id for topic_id, row in existing.items() if topic_id in gone}
    for key, topic in shown.items():
        row = rows[key]
        parent = rows[topic.parent].id if topic.parent is not None else None
        wanted = TopicRow(
            id=row.id, slug=row.slug, name=topic.name, key=key, parent_id=parent, definition=lines[key],
            source=topic.source,
        )  # fmt: skip
        if wanted == row:
            continue
        if (row.name, row.parent_id) != (topic.name, parent):
            moved.add(row.id)
            touched |= {row.parent_id, parent}
        touched.add(row.id)
        rows[key] = wanted
        if row.id in existing:
            changed.append(wanted)
    topics.insert_topics(cursor, [rows[key] for key in new], [slug_key(rows[key].slug) for key in new])
    # The search index has a topic's path: whatever stands beneath one that moved goes there again.
    by_id = {row.id: row for row in rows.values()}
    beneath = [row for row in rows.values() if row.id in existing and _above(row, by_id) & moved]
    again = {row.id for row in changed if _said(row) != _said(existing[row.id])} | {row.id for row in beneath}
    known = {row.id for row in changed}
    topics.update_topics(cursor, [*changed, *(row for row in beneath if row.id not in known)], again)
    touched |= {row.id for row in beneath}
    touched |= topics.set_links(cursor, {rows[key].id: topic.chunks for key, topic in shown.items()})
    # A topic's page counts what stands beneath it, now and before.
    for tree in (existing, by_id):
        for topic_id in [one for one in touched if one in tree]:
            touched |= _above(tree[topic_id], tree)
    dirty_rows.mark_dirty(cursor, "topic", (one for one in touched if one is not None))
    return bool(touched or gone)


def _said(row: TopicRow) -> tuple[str, str]:
    """What of a row itself the search index has."""
    return row.name, row.definition


def _above(row: TopicRow, by_id: Mapping[int, TopicRow]) -> set[int]:
    """The ids of a topic and of all above it; in a damaged store some topic may be above itself."""
    found = {row.id}
    while row.parent_id is not None and row.parent_id in by_id and row.parent_id not in found:
        row = by_id[row.parent_id]
        found.add(row.id)
    return found


def _matched(shown: Mapping[str, Topic], existing: Mapping[int, TopicRow]) -> dict[str, TopicRow]:
    """The row of each key that has one: by its key, else by its name (a tag got a level, an older store's key)."""
    by_key = {row.key: row for row in reversed(list(existing.values()))}
    found = {key: by_key[key] for key in shown if key in by_key}
    used = {row.id for row in found.values()}
    by_name: dict[str, TopicRow] = {}
    for row in existing.values():
        if row.id not in used:
            by_name.setdefault(topic_key(row.name), row)
    for key in sorted(shown):
        row_of_name = by_name.get(leaf_key(key))
        if key not in found and row_of_name is not None and row_of_name.id not in used:
            found[key] = row_of_name
            used.add(row_of_name.id)
    return found


def _slug(key: str, shown: Mapping[str, Topic], taken: Collection[str]) -> str:
    """A new topic's name in the tree: a clash takes the tag's level above before a number."""
    above = key.rsplit(SEPARATOR, 1)[0] if SEPARATOR in key else None
    name = shown[key].name
    alternative = [slug(f"{shown[above].name}_{name}", "topic")] if above is not None and above in shown else []
    return unique_slug(slug(name, "topic"), taken.__contains__, alternative)
