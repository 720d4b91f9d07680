"""What is drawn of a place: the neighbourhood of an entity or a topic, dated facts, figures, chains, the topics.

Used by the table in ``tree``, in threads that answer. Reads the snapshot, and a statement or two for names and facts.
Links lead from picture to picture, relative to the directory that a picture stands in, so a browser walks the graph on
any mount.
"""

from __future__ import annotations

import os.path
from collections import Counter
from collections.abc import Callable
from urllib.parse import quote

import msgspec

from kgfs import names
from kgfs.errors import NotFoundError
from kgfs.namespace.node import NodeRef, ref_of
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries import paths
from kgfs.namespace.queries.adjacency import adjacency_of
from kgfs.namespace.queries.engines import entity_meant
from kgfs.namespace.queries.path_files import names_and_types
from kgfs.namespace.queries.ties import FACT, LINK, Step, Ties
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.segments.entities import RECEIVED, STATED
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.text import shorten
from kgfs.picture_records import Edge, Event, GraphPicture, Node, Picture, Point, SeriesPicture, TimelinePicture

Collect = Callable[[PageStore, Snapshot, NodeRef], Picture]
"""What makes the picture of a place (blocks)."""
GRAPH, TIMELINE = "graph.svg", "timeline.svg"
MOST_NODES = 40
DIRECT = 24
"""So many of them stand next to the entity at most; the others are one hop on."""
BY_WAY = 3
"""So many at most are one hop on by way of one entity: one that all others hang on would fill the picture."""
MOST_EVENTS = 40
MOST_POINTS = 2000
CHAINS = 5
SUBTOPICS, TOPIC_ENTITIES = 12, 24
MAP_ROOTS, MAP_CHILDREN = 30, 5
_TOLD = 200


def entity_graph(store: PageStore, s: Snapshot, node: NodeRef) -> GraphPicture:
    """The neighbourhood of an entity: those that facts bind to it, else links and shared passages, the best first."""
    centre = s.entities.index(node.id)
    return _around(store, s, centre, s.entity_path(centre), paths.near(store, s, centre, 1), hops=2)


def near_graph(run: Runtime) -> Collect:
    """What collects ``@near/<n>/near.svg``."""

    def collect(store: PageStore, s: Snapshot, node: NodeRef) -> GraphPicture:
        query = run.queries.get(node.id)
        centre = s.entities.index(ref_of(query.scope).id)
        place = f"{s.entity_path(centre)}/@near/{query.words[0]}"
        return _around(store, s, centre, place, paths.near(store, s, centre, int(query.words[0])), hops=1)

    return collect


def _around(
    store: PageStore, s: Snapshot, centre: int, place: str, nearest: paths.Nearest, *, hops: int
) -> GraphPicture:
    ties = nearest.ties or Ties(s, adjacency_of(store, s))
    direct = nearest.found[: DIRECT if hops > 1 else MOST_NODES - 1]
    shown = {centre: 0}
    bonds: list[tuple[int, int, int]] = []
    for row in direct:
        shown.setdefault(row.entity, len(shown))
    for row in direct:
        if row.via in shown:
            bonds.append((row.via, row.entity, row.edge))
    steps = [(one, other, ties.step(edge), ties.more(edge)) for one, other, edge in bonds]
    if hops > 1 and len(shown) < MOST_NODES:
        wider = paths.near(store, s, centre, 2)
        beyond = wider.ties or ties
        by_way: Counter[int] = Counter()
        for row in wider.found:
            if len(shown) == MOST_NODES:
                break
            if row.entity in shown or row.via not in shown or by_way[row.via] == BY_WAY:
                continue
            by_way[row.via] += 1
            shown[row.entity] = len(shown)
            steps.append((row.via, row.entity, beyond.step(row.edge), beyond.more(row.edge)))
    steps += _between(store, s, shown, {frozenset((one, other)) for one, other, _, _ in steps})
    known = names_and_types(store, s, list(shown))
    return GraphPicture(
        title=f"{known[centre][0]} and what is near it",
        nodes=tuple(_entity_node(s, known, each, place, centre=each == centre) for each in shown),
        edges=tuple(_edge(s, shown, step) for step in steps),
        left_out=max(0, nearest.total - len(direct)),
    )


def _between(
    store: PageStore, s: Snapshot, shown: dict[int, int], known: set[frozenset[int]]
) -> list[tuple[int, int, Step, int]]:
    """Facts that bind entities of the picture to each other, beside those that are drawn already."""
    adjacency = adjacency_of(store, s)
    ties = Ties(s, adjacency)
    found = []
    for entity in shown:
        for edge in range(adjacency.bounds[entity], adjacency.bounds[entity + 1]):
            pair = frozenset((entity, adjacency.others[edge]))
            if adjacency.others[edge] in shown and pair not in known and len(pair) == 2:
                known.add(pair)
                found.append((entity, adjacency.others[edge], ties.step(edge), ties.more(edge)))
    return found


def _entity_node(
    s: Snapshot, known: dict[int, tuple[str, str]], entity: int, place: str, *, centre: bool = False
) -> Node:
    name, kind = known[entity]
    link = "" if centre else _link(f"{s.entity_path(entity)}/{GRAPH}", place)
    return Node(label=name, kind=kind, link=link, told=f"{name} ({kind})", centre=centre)


def _edge(s: Snapshot, shown: dict[int, int], bond: tuple[int, int, Step, int]) -> Edge:
    one, other, step, more = bond
    start, end = (one, other) if step.subject in (one, -1) else (other, one)
    if step.kind == FACT:
        kind = names.one_line(s.names.name(s.fact_type[step.row]))
        told = f"{kind}, and {more} more" if more else kind
        return Edge(start=shown[start], end=shown[end], label=kind, told=told)
    said = "a link" if step.kind == LINK else "a passage with both"
    return Edge(start=shown[start], end=shown[end], stated=False, told=said)


def chain_graph(run: Runtime) -> Collect:
    """What collects ``@path/<A>/<B>/path.svg``."""

    def collect(store: PageStore, s: Snapshot, node: NodeRef) -> GraphPicture:
        words = run.queries.get(node.id).words
        start, end = (entity_meant(s, word) for word in words)
        place = "/".join(("@path", *words))
        found = paths.chains(store, s, start, end, limit=CHAINS)
        ties = found.ties or Ties(s, adjacency_of(store, s))
        shown: dict[int, int] = {start: 0}
        steps: list[tuple[int, int, Step, int]] = []
        for chain in found.found[:CHAINS]:
            for each in chain.entities:
                shown.setdefault(each, len(shown))
            for at, edge in enumerate(chain.edges):
                bond = (chain.entities[at], chain.entities[at + 1], ties.step(edge), ties.more(edge))
                if bond not in steps:
                    steps.append(bond)
        shown.setdefault(end, len(shown))
        known = names_and_types(store, s, list(shown))
        nodes = tuple(_entity_node(s, known, each, place, centre=each in (start, end)) for each in shown)
        title = f"From {known[start][0]} to {known[end][0]}" + ("" if steps else ": nothing leads there")
        return GraphPicture(title=title, nodes=nodes, edges=tuple(_edge(s, shown, each) for each in steps), chain=True)

    return collect


def timeline(store: PageStore, s: Snapshot, node: NodeRef) -> TimelinePicture:
    """The dated facts of an entity, oldest first; of many those that are surest."""
    entity = s.entities.index(node.id)
    dated = [
        fact
        for side in (STATED, RECEIVED)
        for fact in side.groups(s).all(entity)
        if s.fact_month[fact] >= 0
    ]  # fmt: skip
    ids = s.facts.pages["fact_line"].ids
    pages = store.load_pages([ids[fact] for fact in dated])
    told = [(fact, msgspec.json.decode(store.required(pages, ids[fact]))) for fact in dated]
    told.sort(key=lambda each: (-(each[1]["confidence"] or 0), each[1]["fact_id"]))
    # What several passages say is one event.
    told = list({(line["date"], _statement(line)): (fact, line) for fact, line in reversed(told)}.values())[::-1]
    chosen = sorted(told[:MOST_EVENTS], key=lambda each: (each[1]["date"] or "", each[1]["fact_id"]))
    ((name, _),) = names_and_types(store, s, [entity]).values()
    place = s.entity_path(entity)
    events = tuple(
        Event(
            date=line["date"] or "",
            label=_statement(line),
            kind="",
            link=_link(s.fact_path(fact), place),
            told=shorten(names.one_line(" ".join((line["quote"] or "").split())), _TOLD),
        )
        for fact, line in chosen
    )
    return TimelinePicture(title=f"{name}: dated facts", events=events, left_out=len(told) - len(events))


def _statement(line: dict[str, object]) -> str:
    """A fact in a line: ``Alphabet Inc. ACQUIRED DeepMind``."""
    value = line.get("object") or " ".join(str(line[key]) for key in ("value", "unit") if line.get(key) is not None)
    return names.one_line(f"{line['subject']} {line['type']} {value}".strip())


def topic_graph(store: PageStore, s: Snapshot, node: NodeRef) -> GraphPicture:
    """A topic with what stands above and beneath it, and the entities of its passages that facts bind most."""
    topic = s.topics.index(node.id)
    place = s.topic_path(topic)
    parent = s.topic_parent[topic]
    children = sorted(s.topic_children[topic], key=lambda each: -_size(s, each))
    topics = [topic, *([parent] if parent >= 0 else []), *children[:SUBTOPICS]]
    counts = s.stated.owned_counts
    members = sorted(s.topic_entities.members(topic), key=lambda each: (-counts[each], s.entities.slugs[each]))
    entities = {each: len(topics) + at for at, each in enumerate(members[:TOPIC_ENTITIES])}
    known = names_and_types(store, s, list(entities))
    nodes = [_topic_node(s, each, place, centre=each == topic) for each in topics]
    nodes += [_entity_node(s, known, each, place) for each in entities]
    edges = [
        Edge(start=at if each == parent else 0, end=0 if each == parent else at, stated=False, told="subtopic")
        for at, each in enumerate(topics)
        if at
    ]
    edges += [Edge(start=0, end=at, stated=False, told="in its passages") for at in entities.values()]
    edges += [_edge(s, entities, each) for each in _between(store, s, entities, set())]
    left_out = len(children) - min(len(children), SUBTOPICS) + len(members) - len(entities)
    return GraphPicture(
        title=f"{s.topic_names[topic]}: topic", nodes=tuple(nodes), edges=tuple(edges), left_out=left_out
    )


def topic_map(store: PageStore, s: Snapshot, node: NodeRef) -> GraphPicture:
    """The topics at the top with the largest beneath them."""
    roots = sorted(s.topic_roots, key=lambda each: (-_size(s, each), s.topics.slugs[each]))
    nodes = [Node(label="Topics", kind="Topic", centre=True)]
    edges = []
    for root in roots[:MAP_ROOTS]:
        at = len(nodes)
        edges.append(Edge(start=0, end=at, stated=False))
        nodes.append(_topic_node(s, root, "topics"))
        largest = sorted(s.topic_children[root], key=lambda each: (-_size(s, each), s.topics.slugs[each]))
        for child in largest[:MAP_CHILDREN]:
            edges.append(Edge(start=at, end=len(nodes), stated=False))
            nodes.append(_topic_node(s, child, "topics"))
    left_out = len(s.topics) + 1 - len(nodes)
    return GraphPicture(title="Topics", nodes=tuple(nodes), edges=tuple(edges), left_out=left_out, chain=True)


def _size(s: Snapshot, topic: int) -> int:
    """How many passages a topic has with those beneath it."""
    return len(s.topic_all_chunks.members(topic))


def _topic_node(s: Snapshot, topic: int, place: str, *, centre: bool = False) -> Node:
    name = names.one_line(s.topic_names[topic])
    link = "" if centre else _link(f"{s.topic_path(topic)}/{GRAPH}", place)
    said = f"{name}: {_size(s, topic):,} passages"
    return Node(label=name, kind="Topic", link=link, told=said, centre=centre)


def series(store: PageStore, s: Snapshot, node: NodeRef) -> SeriesPicture:
    """The figures of one indicator of an entity, those of the unit that most of them have."""
    entity = s.entities.index(node.id)
    found = s.indicators.get(entity, {}).get(node.sub)
    if found is None:
        raise NotFoundError("There are no such figures any more.")
    text = store.required(store.load_pages([found[0]]), found[0]).decode()
    head, *rows = (line.split("\t") for line in text.splitlines())
    column = {name: at for at, name in enumerate(head)}
    units = [row[column["unit"]] for row in rows]
    unit = max(sorted(set(units)), key=units.count, default="")
    chosen = [row for row in rows if row[column["unit"]] == unit and _number(row[column["value"]]) is not None]
    ((name, _),) = names_and_types(store, s, [entity]).values()
    points = tuple(
        Point(
            date=row[column["date"]], value=_number(row[column["value"]]) or 0.0,
            told=shorten(row[column["quote"]], _TOLD),
        )
        for row in chosen[-MOST_POINTS:]
    )  # fmt: skip
    sources = tuple(dict.fromkeys(row[column["document"]] for row in chosen))
    return SeriesPicture(title=f"{name}: {s.names.name(node.sub)}", unit=unit, points=points, sources=sources)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _link(path: str, place: str) -> str:
    """Where ``path`` is, seen from the directory ``place``, as a link of a page."""
    return quote(os.path.relpath(path, place), safe="/~")
