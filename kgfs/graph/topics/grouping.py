"""Topics that belong together, by the vectors of their chunks: the level at the top of the hierarchy.

Used by the worker process (``kgfs.worker``), where the vectors and the model are; numpy, scikit-learn (the extra
``topics``; without it there are no groups). A topic's vector is the mean of its chunks' vectors and of its name's.
Topics are clustered by Ward's method, the number of groups is the one with the best silhouette; a group is named by the
phrase or the topic in it that is nearest to its centre and said most widely in it.

Groups stay as they are when topics are added: a new topic joins the nearest group, one that has no near group waits for
others like it, and one that is far nearer to another group moves there. Only where there are many more topics than when
the groups were made, all are made anew.
"""

from __future__ import annotations

import importlib.util
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from kgfs.graph.topics.keys import topic_key
from kgfs.model import TopicGroup, TopicMember

MIN_TOPICS = 30
"""Fewer at the top need no groups."""
MIN_GROUP = 3
PER_GROUP = (3, 8)
"""Topics in a group on average, at least and at most."""
GROUPS = (30, 50)
"""Of very many topics the least and the most groups that are tried: larger ones then."""
TRIED = 10
"""Numbers of groups that are tried."""
NEAR = 0.55
"""The cosine to a group's centre at which a new topic joins it."""
HEADED = 0.5
"""The cosine to the topic that names a group below which another is not put under it."""
COHERENT = 0.35
"""The cosine to its group's centre below which a topic is left alone."""
MARGIN = 0.15
"""How much nearer another group must be for a topic to leave its own."""
GROWN = 1.6
"""With so many times the topics there were when the groups were made, all groups are made anew."""
SPREAD = 0.3
"""What a name gains by being said in all topics of its group, and by being that of the largest one, beside a cosine."""
BROAD = 3
"""A topic with so many subtopics may be above others, not beneath."""
ROUNDS = 5
"""How often new groups are gone over for topics that are nearer to another one, at most."""
LARGER = 2.0
"""A topic with so many times the chunks of the one that names its group stays beside the group."""

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]


def group_topics(members: Sequence[TopicMember], chunks: Mapping[int, Vectors], embed: Embed) -> list[TopicGroup]:
    """The groups of topics; topics that fit none are in none.

    ``members`` in order of key; ``chunks``: chunk id to vector, for those that have one; ``embed``: vectors of names.
    All vectors have length 1. The same arguments give the same groups.
    """
    known = [member for member in members if any(chunk in chunks for chunk in member.chunks)]
    if len(known) < MIN_TOPICS or importlib.util.find_spec("sklearn") is None:
        return []
    vectors = _vectors(known, chunks, embed)
    kept = Counter(member.group for member in known if member.group)
    size = max((member.size for member in known), default=0)
    if any(count >= 2 for count in kept.values()) and len(known) <= GROWN * size:
        return _grown(known, vectors, embed, size)
    made = _named(_clustered(vectors), known, vectors, embed, len(known), ())
    for _ in range(ROUNDS):
        placed = _in_groups(known, made)
        if not made or (again := _grown(placed, vectors, embed, len(known))) == made:
            break
        made = again
    return made


def _in_groups(members: Sequence[TopicMember], made: Sequence[TopicGroup]) -> list[TopicMember]:
    """Topics as they are once these groups are stored."""
    group_of = {key: group for group in made for key in group.members}
    placed = []
    for member in members:
        group = group_of.get(member.key)
        key, name = (group.key, group.name) if group is not None else ("", "")
        placed.append(msgspec.structs.replace(member, group=key, group_name=name))
    return placed


def _vectors(members: Sequence[TopicMember], chunks: Mapping[int, Vectors], embed: Embed) -> Vectors:
    names = embed([member.name for member in members])
    centres = np.stack([np.mean([chunks[c] for c in member.chunks if c in chunks], axis=0) for member in members])
    return _unit(_unit(centres) + names)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)


def _clustered(vectors: Vectors) -> list[list[int]]:
    """Rows in groups, by Ward's method, cut where the silhouette is best."""
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.metrics import silhouette_score

    count = len(vectors)
    least, most = (max(2, min(count // each, limit)) for each, limit in zip(PER_GROUP[::-1], GROUPS, strict=True))
    step = max(1, math.ceil((most - least) / TRIED))
    best: tuple[float, NDArray[np.int64]] | None = None
    for number in range(least, most + 1, step):
        labels = AgglomerativeClustering(n_clusters=number, linkage="ward").fit_predict(vectors)
        score = round(float(silhouette_score(vectors, labels, metric="cosine")), 4)
        if best is None or score > best[0]:
            best = (score, labels)
    assert best is not None
    found: defaultdict[int, list[int]] = defaultdict(list)
    for row, label in enumerate(best[1].tolist()):
        found[label].append(row)
    return [_coherent(rows, vectors) for rows in found.values() if len(rows) >= MIN_GROUP]


def _coherent(rows: list[int], vectors: Vectors) -> list[int]:
    near = vectors[rows] @ _centre(rows, vectors)
    return [row for row, cosine in zip(rows, near.tolist(), strict=True) if cosine >= COHERENT]


def _centre(rows: Sequence[int], vectors: Vectors) -> Vectors:
    return _unit(vectors[list(rows)].mean(axis=0))


def _grown(members: Sequence[TopicMember], vectors: Vectors, embed: Embed, size: int) -> list[TopicGroup]:
    """The present groups with the topics that came since."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    names = {}
    for row, member in enumerate(members):
        if member.group:
            rows[member.group].append(row)
            names[member.group] = member.group_name
    keys = sorted(rows)
    centres = np.stack([_centre(rows[key], vectors) for key in keys])
    row_of = {member.key: row for row, member in enumerate(members)}
    found: defaultdict[str, list[int]] = defaultdict(list)
    waiting = []
    for row, member in enumerate(members):
        near = centres @ vectors[row]
        fits = [_fits(row, row_of.get(key), members, vectors) for key in keys]
        best = max(range(len(keys)), key=lambda number: (fits[number], near[number], -number))
        own = keys.index(member.group) if member.group else None
        if own is not None and (member.key == member.group or (fits[own] and near[own] + MARGIN >= near[best])):
            found[keys[own]].append(row)
        elif fits[best] and near[best] >= NEAR:
            found[keys[best]].append(row)
        else:
            waiting.append(row)
    old = [
        TopicGroup(key=key, name=names[key], members=[members[row].key for row in found[key]], size=size)
        for key in keys
        if found[key]
    ]
    if len(waiting) < MIN_TOPICS:
        return old
    new = [[waiting[row] for row in group] for group in _clustered(vectors[waiting])]
    return old + _named(new, members, vectors, embed, size, keys)


def _named(
    found: Sequence[Sequence[int]],
    members: Sequence[TopicMember],
    vectors: Vectors,
    embed: Embed,
    size: int,
    taken: Collection[str],
) -> list[TopicGroup]:
    """Groups with names of their own: the larger ones choose first."""
    used = set(taken)
    made = []
    for rows in sorted(found, key=lambda rows: (-len(rows), members[rows[0]].key if rows else "")):
        if len(rows) < MIN_GROUP:
            continue
        name = _name([members[row] for row in rows], _centre(rows, vectors), embed, used)
        if name is None:
            continue
        kept = _beneath(name, rows, members, vectors)
        if len(kept) < MIN_GROUP:
            continue
        used.add(topic_key(name))
        made.append(TopicGroup(key=topic_key(name), name=name, members=kept, size=size))
    return made


def _beneath(name: str, rows: Sequence[int], members: Sequence[TopicMember], vectors: Vectors) -> list[str]:
    """The keys of the topics that may stand under the one of this name, and its own."""
    head = next((row for row in rows if members[row].name == name), None)
    return [members[row].key for row in rows if row == head or _fits(row, head, members, vectors)]


def _fits(row: int, head: int | None, members: Sequence[TopicMember], vectors: Vectors) -> bool:
    """Whether a topic can stand under another one; ``None`` for a group with a name that is no topic's."""
    if members[row].subtopics >= BROAD:
        return False
    if head is None or row == head:
        return True
    near = float(vectors[row] @ vectors[head]) >= HEADED
    return near and len(members[row].chunks) <= LARGER * len(members[head].chunks)


def _name(members: Sequence[TopicMember], centre: Vectors, embed: Embed, used: set[str]) -> str | None:
    """The best name for a group: near its centre, and said in many of its topics."""
    said: defaultdict[str, set[str]] = defaultdict(set)
    for member in members:
        for name in (member.name, *member.phrases):
            said[name].add(member.key)
    most = max(len(member.chunks) for member in members)
    share = {member.name: len(member.chunks) / most for member in members}
    options = sorted(
        name for name in said if topic_key(name) not in used and (name in share or len(said[name]) >= MIN_GROUP)
    )
    if not options:
        return None
    worth = embed(options) @ centre
    scores = [
        float(cosine) + SPREAD * (len(said[name]) / len(members) + share.get(name, 0.0))
        for name, cosine in zip(options, worth, strict=True)
    ]
    return min(zip(options, scores, strict=True), key=lambda option: (-round(option[1], 4), option[0]))[0]
