"""Topics across documents: one forest out of the paths of names that documents give.

Used by ``kgfs.ingest.resolution`` inside its write transaction. A topic is its name under its parent; its name,
definition and source come from the first document that has it, and it goes with its last chunk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kgfs.ingest.name_keys import name_key
from kgfs.model import Extraction, TopicCandidate
from kgfs.names import slug, slug_key, unique_slug
from kgfs.store import marks, topics
from kgfs.store.database import Cursor, ids
from kgfs.store.topics import Topic, TopicClaim


def put_topics(cursor: Cursor, extractions: Mapping[int, Extraction], chunk_ids: Mapping[tuple[int, int], int]) -> None:
    """Make the topics of documents those of their extractions.

    ``extractions`` by document, ``chunk_ids`` by (document, ordinal). Topics that lose their last chunk are deleted.
    """
    document_ids = list(extractions)
    touched = topics.clear_topics(cursor, document_ids)
    existing = topics.all_topics(cursor)
    by_place = {(topic.parent_id, topic.key): topic.id for topic in existing.values()}
    slugs = {slug_key(topic.slug) for topic in existing.values()}
    fresh = iter(ids(cursor, "topic", _missing(extractions, by_place)))
    new: list[Topic] = []
    claims: dict[TopicClaim, None] = {}
    links: dict[tuple[int, int, int], None] = {}

    def place(name: str, parent: Topic | None, definition: str, source: str) -> Topic:
        where = (parent.id if parent else None, name_key(name))
        if where in by_place:
            return existing[by_place[where]]
        alternative = [slug(f"{parent.slug}_{name}", "topic")] if parent else []
        topic = Topic(
            id=next(fresh),
            slug=unique_slug(slug(name, "topic"), slugs.__contains__, alternative),
            name=name,
            key=where[1],
            parent_id=where[0],
            definition=definition,
            source=source,
        )
        slugs.add(slug_key(topic.slug))
        by_place[where] = topic.id
        existing[topic.id] = topic
        new.append(topic)
        return topic

    for document_id, extraction in extractions.items():
        for candidate in extraction.topics:
            path = _path(candidate)
            members = [chunk_ids[document_id, n] for n in candidate.chunks if (document_id, n) in chunk_ids]
            if not path or not members:
                continue
            parent: Topic | None = None
            for depth, name in enumerate(path):
                definition = candidate.definition if depth == len(path) - 1 else ""
                parent = place(name, parent, definition, candidate.source)
                claim = TopicClaim(
                    topic_id=parent.id, document_id=document_id, name=name, definition=definition,
                    source=candidate.source,
                )  # fmt: skip
                claims[claim] = None
            assert parent is not None
            links |= dict.fromkeys((chunk, parent.id, document_id) for chunk in members)
    topics.insert_topics(cursor, new, [slug_key(topic.slug) for topic in new])
    topics.insert_links(cursor, document_ids, list(claims), list(links))
    touched |= {claim.topic_id for claim in claims}
    _settle(cursor, touched)


def _path(candidate: TopicCandidate) -> list[str]:
    return [name.strip() for name in candidate.path if name.strip()]


def _missing(extractions: Mapping[int, Extraction], by_place: Mapping[tuple[int | None, str], int]) -> int:
    """At most how many topics the extractions add."""
    paths: set[tuple[str, ...]] = set()
    for extraction in extractions.values():
        for candidate in extraction.topics:
            keys = tuple(name_key(name) for name in _path(candidate))
            paths.update(keys[: depth + 1] for depth in range(len(keys)))
    missing = 0
    for keys in paths:
        parent: int | None = None
        for key in keys:
            if (parent, key) not in by_place:
                missing += 1
                break
            parent = by_place[parent, key]
    return missing


def drop_topics(cursor: Cursor, document_ids: Sequence[int]) -> None:
    """Take back all that documents say about topics."""
    _settle(cursor, topics.clear_topics(cursor, document_ids))


def _settle(cursor: Cursor, touched: set[int]) -> None:
    """Delete what is empty, bring names and definitions up to date, mark the topics and all above them."""
    touched = touched | topics.delete_empty(cursor)
    existing = topics.all_topics(cursor)
    best = topics.best_claims(cursor, sorted(touched & existing.keys()))
    changed = []
    for topic_id, (name, definition, source) in best.items():
        topic = existing[topic_id]
        if (topic.name, topic.definition, topic.source) != (name, definition, source):
            topic.name, topic.definition, topic.source = name, definition, source
            changed.append(topic)
    topics.update_topics(cursor, changed)
    marked = set()
    for topic_id in touched:
        above: int | None = topic_id
        while above is not None and above in existing and above not in marked:
            marked.add(above)
            above = existing[above].parent_id
    marks.mark(cursor, "topic", marked)
