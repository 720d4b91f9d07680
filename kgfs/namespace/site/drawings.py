"""Which pictures stand beside a page, and the pictures of the tree with links to pages in place of links to pictures.

Used by the rows of ``@web`` (in threads where a picture is collected, else on the event loop).
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from urllib.parse import unquote

import msgspec

from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries.pictures import Collect
from kgfs.namespace.site import addresses
from kgfs.namespace.snapshot import Snapshot
from kgfs.picture_records import GraphPicture, Picture, SeriesPicture, TimelinePicture

MOST_SERIES = 6
"""So many series of figures are shown of an entity."""


Place = Callable[[Snapshot, NodeRef], str]
"""Where a picture stands in the tree, as what collects it has it."""


def of_entity(s: Snapshot, node: NodeRef) -> str:
    """In the directory of an entity."""
    return s.entity_path(s.entities.index(node.id))


def of_topic(s: Snapshot, node: NodeRef) -> str:
    """In the directory of a topic."""
    return s.topic_path(s.topics.index(node.id))


def of_topics(s: Snapshot, node: NodeRef) -> str:
    """In ``topics/``."""
    return "topics"


def has_graph(s: Snapshot, index: int) -> bool:
    """Whether facts bind an entity to another one."""
    return bool(s.stated.pair_counts[index] or s.received.pair_counts[index])


def has_timeline(s: Snapshot, index: int) -> bool:
    """Whether two facts of an entity or more have a date."""
    months = s.fact_month
    dated = 0
    for groups in (s.stated, s.received):
        for fact in groups.all(index):
            dated += months[fact] >= 0
            if dated > 1:
                return True
    return False


def series(s: Snapshot, index: int) -> list[int]:
    """The numbers of the indicators of which an entity has figures, by name."""
    return sorted(s.indicators.get(index, ()), key=s.names.name)[:MOST_SERIES]


def graphs(s: Snapshot, index: int) -> list[tuple[str, int]]:
    """The picture of the neighbourhood of an entity, if it has one; a variant of ``SitePictures``, as the next ones."""
    return [("graph", 0)] if has_graph(s, index) else []


def timelines(s: Snapshot, index: int) -> list[tuple[str, int]]:
    """The picture of its dated facts."""
    return [("timeline", 0)] if has_timeline(s, index) else []


def figures(s: Snapshot, index: int) -> list[tuple[str, int]]:
    """The pictures of its figures."""
    return [(f"series,{s.names.name(number)}", number) for number in series(s, index)]


def topic_graphs(s: Snapshot, index: int) -> list[tuple[str, int]]:
    """The picture of a topic."""
    return [("graph", 0)]


def with_pages(collect: Collect, place: Place, root: str) -> Collect:
    """What collects a picture whose links lead to pages.

    ``place`` is where ``collect`` has it stand in the tree, ``root`` the way from where it stands now to the root of
    the website.
    """

    def collected(store: PageStore, s: Snapshot, node: NodeRef) -> Picture:
        picture, here = collect(store, s, node), place(s, node)

        def page(link: str) -> str:
            path = posixpath.normpath(posixpath.join(here, unquote(link)))
            return addresses.of_path(s, path).seen_from(root) if link else ""

        if isinstance(picture, GraphPicture):
            nodes = (msgspec.structs.replace(each, link=page(each.link)) for each in picture.nodes)
            return msgspec.structs.replace(picture, nodes=tuple(nodes))
        if isinstance(picture, SeriesPicture):
            points = (msgspec.structs.replace(each, link=page(each.link)) for each in picture.points)
            return msgspec.structs.replace(picture, points=tuple(points))
        if isinstance(picture, TimelinePicture):
            events = (msgspec.structs.replace(each, link=page(each.link)) for each in picture.events)
            return msgspec.structs.replace(picture, events=tuple(events))
        return picture

    return collected
