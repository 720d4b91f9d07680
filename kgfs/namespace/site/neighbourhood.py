"""What is next to an entity or a topic, as the graph that a reader drags and expands.

Used by the pages beside this module, in threads. Reads the snapshot and the names of those it shows.
"""

from __future__ import annotations

from collections import Counter

from kgfs.namespace.site import addresses
from kgfs.namespace.site.texts import Texts, said, shown
from kgfs.namespace.snapshot import Snapshot
from kgfs.site.records import Edge, Graph, Node

MOST = 24
"""So many neighbours are shown at most."""
_SCANNED = 400
"""Of an entity with more facts, those that bind two of its neighbours are not looked for."""


def others(s: Snapshot, index: int) -> Counter[int]:
    """The entities that facts bind to one, with the number of these facts."""
    found: Counter[int] = Counter()
    objects, subjects = s.fact_object, s.fact_subject
    found.update(objects[fact] for fact in s.stated.all(index))
    found.update(subjects[fact] for fact in s.received.all(index))
    del found[-1], found[index]
    return found


def of_entity(texts: Texts, s: Snapshot, index: int) -> Graph:
    """An entity, those that most facts bind to it, and what binds these to each other."""
    near = [each for each, _ in others(s, index).most_common(MOST)]
    texts.want_entities([index, *near])
    place = {index, *near}
    known: set[tuple[int, int]] = set()
    edges = []
    for one in (index, *near):
        if one != index and s.stated.owned_counts[one] > _SCANNED:
            continue
        for fact in s.stated.all(one):
            other = s.fact_object[fact]
            if other in place and other != one and (one, other) not in known:
                known.add((one, other))
                edges.append(Edge(_id(s, one), _id(s, other), said(s.names.name(s.fact_type[fact]))))
    for one in near:  # a neighbour whose facts were not looked through is bound all the same
        if (index, one) not in known and (one, index) not in known:
            fact = next((fact for fact in s.received.all(index) if s.fact_subject[fact] == one), -1)
            edges.append(Edge(_id(s, one), _id(s, index), said(s.names.name(s.fact_type[fact])) if fact >= 0 else ""))
    return Graph(tuple(_entity(texts, s, each) for each in (index, *near)), tuple(edges))


def of_topic(texts: Texts, s: Snapshot, index: int, entities: list[int]) -> Graph:
    """A topic, the one above, its subtopics, and entities of its passages."""
    beneath = s.topic_children[index][:MOST]
    above = [s.topic_parent[index]] if s.topic_parent[index] >= 0 else []
    nodes = [_topic(s, each) for each in (index, *above, *beneath)]
    edges = [Edge(nodes[0].id, _topic(s, each).id, "part of") for each in above]
    edges += [Edge(_topic(s, each).id, nodes[0].id, "part of") for each in beneath]
    for each in entities[: MOST - len(beneath)]:
        nodes.append(_entity(texts, s, each))
        edges.append(Edge(nodes[-1].id, nodes[0].id, "", stated=False))
    return Graph(tuple(nodes), tuple(edges))


def _id(s: Snapshot, index: int) -> str:
    return f"entity/{s.entities.slugs[index]}"


def _entity(texts: Texts, s: Snapshot, index: int) -> Node:
    told = texts.entity(index)
    return Node(_id(s, index), shown(told.name, 40), told.type, addresses.entity(s, index).seen_from(""))


def _topic(s: Snapshot, index: int) -> Node:
    name = shown(s.topic_names[index] or s.topics.slugs[index], 40)
    return Node(f"topic/{s.topics.slugs[index]}", name, "Topic", addresses.topic(s, index).seen_from(""))
