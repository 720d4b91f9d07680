"""Files that are pictures: drawn by the worker when first asked for, kept for a generation.

Used by the table in ``tree``. Outside the website no directory lists its pictures; all answer to their names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from kgfs.errors import NotFoundError
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.route import Stamp
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.made import MadeFile, MadeFiles
from kgfs.picture_records import Picture


class Drawing(Protocol):
    """What turns a picture into SVG (blocks). ``WorkerError``, ``DeadlineExceeded``."""

    def draw(self, picture: Picture) -> bytes: ...


class NoDrawing:
    """Where nothing draws."""

    def draw(self, picture: Picture) -> bytes:
        raise NotFoundError("Nothing draws pictures here; mount the store with `kgfs mount`.")


class DrawnPictures(MadeFiles):
    """Pictures that were drawn, and what draws them."""

    def __init__(self, drawing: Drawing) -> None:
        super().__init__()
        self.drawing = drawing


class PictureFile(MadeFile):
    """A file that is a picture; ``collect`` makes what is drawn of a place."""

    def __init__(
        self,
        drawn: Callable[[], DrawnPictures],
        name: str,
        collect: Callable[[PageStore, Snapshot, NodeRef], Picture],
        stamp: Stamp,
    ) -> None:
        def draw(store: PageStore, s: Snapshot, node: NodeRef) -> bytes:
            return drawn().drawing.draw(collect(store, s, node))

        super().__init__(drawn, name, draw, stamp)
