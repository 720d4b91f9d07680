"""Draws a neighbourhood, or chains that lead from one end to the other."""

from __future__ import annotations

from collections import deque

from kgfs.picture_records import GraphPicture
from kgfs.pictures import layout
from kgfs.pictures.theme import class_of, label


def draw(picture: GraphPicture) -> bytes:
    """The picture as SVG."""
    if picture.chain:
        graph = layout.new_graph(rankdir="LR", nodesep="0.3", ranksep="0.6")
        levels = _levels(picture)
    else:
        graph = layout.new_graph(overlap="false", splines="true", sep="+8", start="1")
        levels = [0] * len(picture.nodes)
    for place, node in enumerate(picture.nodes):
        graph.add_node(
            f"n{place}", label=layout.text(*label(node.label)), tooltip=layout.tip(node.told or node.label),
            **{"class": f"{class_of(node.kind)}{' centre' if node.centre else ''}"},
            **({"URL": layout.text(node.link), "target": "_top"} if node.link else {}),
        )  # fmt: skip
    for place, edge in enumerate(picture.edges):
        start, end, way = edge.start, edge.end, "forward"
        if levels[start] > levels[end]:
            start, end, way = end, start, "back"
        graph.add_edge(
            f"n{start}", f"n{end}", key=f"e{place}", label=layout.text(edge.label) if edge.label else "",
            tooltip=layout.tip(edge.told), labeltooltip=layout.tip(edge.told), dir=way if edge.stated else "none",
            **({} if edge.stated else {"style": "dashed"}),
            **({} if picture.chain else {"len": "1.9" if edge.label else "1.5"}),
        )  # fmt: skip
    if picture.left_out:
        graph.graph_attr.update(label=layout.text(f"and {picture.left_out:,} more"), labelloc="b", fontsize="10")
    return layout.svg(graph, "dot" if picture.chain else "neato", picture.title)


def _levels(picture: GraphPicture) -> list[int]:
    """How many lines each node is from the first one: a chain runs from left to right whichever way its facts point."""
    beside: list[list[int]] = [[] for _ in picture.nodes]
    for edge in picture.edges:
        beside[edge.start].append(edge.end)
        beside[edge.end].append(edge.start)
    levels = [len(picture.nodes)] * len(picture.nodes)
    levels[0] = 0
    waiting = deque([0])
    while waiting:
        place = waiting.popleft()
        for other in beside[place]:
            if levels[other] > levels[place] + 1:
                levels[other] = levels[place] + 1
                waiting.append(other)
    return levels
