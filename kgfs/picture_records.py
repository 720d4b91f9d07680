"""What is to be drawn: plain records that cross to the process that draws.

Made by ``namespace.queries.pictures`` and the pages of the website, drawn by ``pictures.drawing_child``. No I/O.
"""

from __future__ import annotations

import msgspec


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A box."""

    label: str
    kind: str = ""
    """The type of the entity, ``Topic`` or ``Document``: it chooses the colour."""
    link: str = ""
    """Where a click leads, relative to where the picture stands; nowhere where it is empty."""
    told: str = ""
    """What is said when the pointer rests on it."""
    centre: bool = False
    """Whether the picture is about it."""


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """A line between two nodes, by their places in the list."""

    start: int
    end: int
    label: str = ""
    stated: bool = True
    """Whether a fact says so; else a link or a shared passage does, and the line is dashed and has no arrow."""
    told: str = ""


class GraphPicture(msgspec.Struct, frozen=True, kw_only=True, tag="graph"):
    """Nodes and what binds them."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    left_out: int = 0
    """How many nodes are not shown."""
    chain: bool = False
    """Whether it is read from left to right."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something with a date."""

    date: str
    """A year, a month or a day, as ISO has them."""
    label: str
    kind: str = ""
    """Of the fact."""
    link: str = ""
    told: str = ""


class TimelinePicture(msgspec.Struct, frozen=True, kw_only=True, tag="timeline"):
    """Events in order of time."""

    title: str
    events: tuple[Event, ...]
    left_out: int = 0


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of a series."""

    date: str
    value: float
    told: str = ""
    link: str = ""


class SeriesPicture(msgspec.Struct, frozen=True, kw_only=True, tag="series"):
    """Figures over time, of one unit."""

    title: str
    unit: str
    points: tuple[Point, ...]
    sources: tuple[str, ...] = ()


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step of some work."""

    name: str
    done: int
    total: int


class ProgressPicture(msgspec.Struct, frozen=True, kw_only=True, tag="progress"):
    """How far steps are, the first one at the top."""

    title: str
    steps: tuple[Step, ...]
    told: str = ""
    """A sentence beneath."""


Picture = GraphPicture | TimelinePicture | SeriesPicture | ProgressPicture
