"""Graphviz, in this process: a graph with attributes to SVG with our style sheet.

Used by the modules that draw. Graphviz lays out and draws; labels are plain text: what Graphviz would take for markup
or for an escape is said to be neither. The wheel ``pygraphviz`` brings the library along; it is not safe for threads,
and a fault in it ends the process, so it is imported in the drawing process only.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from typing import Any

from kgfs.errors import KgfsError
from kgfs.pictures.theme import plain, style

_HEAD = re.compile(rb"\A.*?<svg [^>]*>", re.DOTALL)
_SIZE = re.compile(rb'width="([0-9.]+)pt" height="([0-9.]+)pt"\s+viewBox="([^"]*)"')
_TITLES = re.compile(rb"<title>[^<]*</title>\n?")
_COMMENTS = re.compile(rb"<!--.*?-->\n?", re.DOTALL)


def new_graph(**attributes: str) -> Any:
    """An empty directed graph."""
    try:
        import pygraphviz
    except ModuleNotFoundError as error:
        raise KgfsError(
            "Pictures of graphs need pygraphviz, which is not installed; run `pip install 'kgfs[pictures]'`."
        ) from error

    graph = pygraphviz.AGraph(directed=True, strict=False, bgcolor="transparent", pad="0.2", **attributes)
    graph.graph_attr["outputorder"] = "edgesfirst"
    graph.node_attr.update(
        shape="box", style="rounded,filled", fontname="sans-serif", fontsize="11", margin="0.09,0.05", height="0.3"
    )
    graph.edge_attr.update(fontname="sans-serif", fontsize="9", arrowsize="0.6")
    return graph


def text(*lines: str) -> str:
    """Lines as a label: nothing in them is markup, an escape or a port."""
    shown = "\\n".join(plain(line).replace("\\", "\\\\") for line in lines)
    # What stands between < and > is HTML to Graphviz; entities are not, once their & is none.
    return f"{shown} " if shown.startswith("<") else shown


def tip(said: str) -> str:
    """As ``text``, for what is said when the pointer rests; never empty, since Graphviz then takes the label."""
    return text(said or " ")


def svg(graph: Any, program: str, title: str) -> bytes:
    """The drawing, laid out by one of Graphviz' programs. Equal graphs give equal bytes."""
    with _silence():
        drawn: bytes = graph.draw(format="svg", prog=program)
    head = _HEAD.match(drawn)
    size = _SIZE.search(head.group()) if head else None
    if head is None or size is None:
        raise ValueError("the library drew nothing")
    body = _COMMENTS.sub(b"", _TITLES.sub(b"", drawn[head.end() :]))
    return opening(title, float(size[1]), float(size[2]), size[3].decode()) + body


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Nothing that the library says of fonts and labels goes to the log."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def opening(title: str, width: float, height: float, box: str) -> bytes:
    """The beginning of a picture, with its title and the style sheet."""
    from xml.sax.saxutils import escape

    said = escape(plain(title))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img"'
        f' width="{width:g}" height="{height:g}" viewBox="{box}" style="max-width:100%;height:auto">\n'
        f"<title>{said}</title>\n<style>{style()}</style>"
    ).encode("utf-8", "replace")
