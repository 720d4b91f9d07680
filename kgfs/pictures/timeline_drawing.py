"""Draws events in order of time: dates down the left side, what happened beside them."""

from __future__ import annotations

from kgfs.picture_records import TimelinePicture
from kgfs.pictures import layout
from kgfs.pictures.theme import class_of, label

_LABEL, _LINE = 110, 70


def draw(picture: TimelinePicture) -> bytes:
    """The picture as SVG."""
    graph = layout.new_graph(rankdir="TB", nodesep="0.3", ranksep="0.12", splines="line")
    graph.edge_attr.update(dir="none", tooltip=" ")
    shown = ""
    for place, event in enumerate(picture.events):
        at, name = f"d{place}", f"e{place}"
        date = "" if event.date == shown else event.date
        shown = event.date
        graph.add_node(
            at, label=layout.text(date) if date else "", tooltip=layout.tip(event.date),
            shape="plaintext" if date else "point", style="", width="0.05", **{"class": "date"},
        )  # fmt: skip
        graph.add_node(
            name, label=layout.text(*label(event.label, _LABEL, _LINE)), tooltip=layout.tip(event.told),
            **{"class": class_of(event.kind)},
            **({"URL": layout.text(event.link), "target": "_top"} if event.link else {}),
        )  # fmt: skip
        graph.add_edge(at, name, style="dotted")
        graph.add_subgraph([at, name], rank="same")
        if place:
            graph.add_edge(f"d{place - 1}", at, weight="100")
            graph.add_edge(f"e{place - 1}", name, weight="100", style="invis")
    if picture.left_out:
        graph.graph_attr.update(label=layout.text(f"and {picture.left_out:,} more"), labelloc="b", fontsize="10")
    if not picture.events:
        graph.add_node("none", label="No fact of it has a date.", shape="plaintext", style="")
    return layout.svg(graph, "dot", picture.title)
