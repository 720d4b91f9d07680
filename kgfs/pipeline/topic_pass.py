"""The passes that make topics: after the graph pass out of all claims, and with a language model's word on them where
one reads; after the vector pass into groups.

Used by the pipeline, on the jobs thread. They take their work from the rows: ``meta.topics`` says if claims changed
since topics were made of them, ``meta.topic_groups`` what the groups were made of. So a run that was ended goes on with
the next one.
"""

from __future__ import annotations

from collections import defaultdict

import xxhash

from kgfs.graph import topic_evidence, topic_tree
from kgfs.graph.topics.keys import topic_key
from kgfs.llm.consolidation import AT_ONCE, OFFERED, consolidate_topics
from kgfs.model import TopicGroup, TopicMember
from kgfs.pipeline.run import Run
from kgfs.store import indexing
from kgfs.store.catalog.database import Cursor
from kgfs.store.graph import topics
from kgfs.store.graph.topics import GroupedTopic
from kgfs.store.llm import llm_uses, topic_verdicts

MIN_TOPICS = 30
"""Fewer topics at the top need no groups (``grouping.MIN_TOPICS``, which only the worker imports)."""
PHRASES = 8
"""Of each topic, that may name its group."""


def topic_pass(run: Run) -> None:
    """Make topics of the claims as they stand, where they changed."""
    with run.database.read() as cursor:
        if topic_tree.topics_are_current(cursor):
            return
    if run.database.write(topic_tree.make_topics):
        run.committed()
        run.publish()


def consolidation_pass(run: Run) -> bool:
    """Have a language model say what topics are and where they belong, of those on which it was shown other words or
    none before; returns whether any topic changed.

    To be called when all documents are read: so a run that was killed asks what it would have asked. Raises what
    ``Asker.drive`` raises; what was answered by then is kept.
    """
    with run.database.read(snapshot=True) as cursor:
        rows = {row.key: row for row in topics.all_topics(cursor).values() if row.source != topic_tree.CLUSTER}
        links = topics.topic_chunks(cursor)
        names = {key: row.name for key, row in rows.items()}
        seen = topic_evidence.topic_evidence(
            cursor, names, {key: links.get(row.id, set()) for key, row in rows.items()}
        )
        known = {(one.key, one.evidence) for one in topic_verdicts.topic_verdicts(cursor)}
    asked = [one for _, one in sorted(seen.items()) if (one.key, one.evidence) not in known]
    if not asked:
        return False
    largest = sorted(rows, key=lambda key: (-len(links.get(rows[key].id, ())), key))[:OFFERED]
    offered = {key: names[key] for key in largest}
    some = [asked[start : start + AT_ONCE] for start in range(0, len(asked), AT_ONCE)]
    run.report("topics", 0, len(asked))
    with run.aside():
        found = run.asker.drive(
            [consolidate_topics(batch, offered, run.asker.model) for batch in some],
            stage=llm_uses.TOPICS,
            shows=[sorted({number for one in batch for number in one.documents}) for batch in some],
        )
    run.report("topics", len(asked), len(asked))
    verdicts = [one for batch in found for one in batch]

    def settle(cursor: Cursor) -> bool:
        topic_verdicts.put_verdicts(cursor, verdicts)
        return topic_tree.make_topics(cursor)

    changed = bool(verdicts) and run.database.write(settle)
    if changed:
        run.committed()
        run.publish()
    return changed


def group_pass(run: Run) -> bool:
    """Put the topics at the top into groups, by the vectors of their chunks; returns whether any topic changed.

    To be called when the vectors are there. ``WorkerError`` and its like where the worker fails: topics stay ungrouped.
    """
    with run.database.read(snapshot=True) as cursor:
        if indexing.rows_to_embed(cursor, "chunk"):
            return False
        digest = _digest(cursor)
        if topics.groups_state(cursor) == digest:
            return False
        members = _members(cursor)
    with run.aside():
        found = run.worker.group_topics(members) if len(members) >= MIN_TOPICS else []
    changed = run.database.write(lambda cursor: _regroup(cursor, found, digest))
    if changed:
        run.committed()
        run.publish()
    return changed


def _digest(cursor: Cursor) -> str:
    """What the topics come to that are shown, groups left out, so that the same is not grouped twice."""
    links = topics.topic_chunks(cursor)
    state = repr(
        [
            (row.key, row.name, sorted(links.get(row.id, ())))
            for row in sorted(topics.all_topics(cursor).values(), key=lambda row: row.key)
            if row.source != topic_tree.CLUSTER
        ]
    )
    return xxhash.xxh3_128_hexdigest(f"{topic_tree.RULES} {state}".encode())


def _members(cursor: Cursor) -> list[TopicMember]:
    """What stands at the top before it is grouped, each with the group that it is in."""
    found = topic_tree.topics_to_group(cursor)
    grouped = {one.member: one for one in topics.topic_groups(cursor)}
    below: defaultdict[str | None, list[str]] = defaultdict(list)
    for key in sorted(found):
        below[found[key].parent].append(key)
    chunks: dict[str, list[int]] = {}
    for key in below[None]:
        waiting, held = [key], set[int]()
        while waiting:
            one = waiting.pop()
            held |= found[one].chunks
            waiting += below[one]
        chunks[key] = sorted(held)
    phrases = topics.common_phrases(cursor, chunks, PHRASES)
    members = []
    for key in sorted(chunks):
        place = grouped.get(key)
        # A group may have the name of one of its topics, or a name that is no topic's yet.
        new = [name for name in phrases.get(key, ()) if topic_key(name) not in found]
        member = TopicMember(
            key=key, name=found[key].name, chunks=chunks[key], phrases=new, subtopics=len(below[key])
        )  # fmt: skip
        if place is not None:
            member.group, member.group_name, member.size = place.key, place.name, place.size
        members.append(member)
    return members


def _regroup(cursor: Cursor, found: list[TopicGroup], digest: str) -> bool:
    """Store groups, and topics in their new places. Claims that changed meanwhile have the next run group again."""
    members = [
        GroupedTopic(member=member, key=topic_key(group.name), name=group.name, size=group.size)
        for group in found
        for member in group.members
    ]
    topics.replace_groups(cursor, sorted(members, key=lambda one: one.member))
    changed = topic_tree.make_topics(cursor)
    topics.note_groups_state(cursor, digest)
    return changed
