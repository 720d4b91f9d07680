"""Files of the website: pages, and the style and scripts that they share.

Used by the rows of ``@web`` in ``tree``. What pages say is in ``namespace.site``, how they look in ``kgfs.site``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from kgfs.namespace.bodies import Body, BytesBody
from kgfs.namespace.domains import gone
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.route import Stamp
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.files import MemoryView
from kgfs.namespace.views.made import MadeFile, MadeFiles
from kgfs.site import rendering
from kgfs.site.records import Page

Tell = Callable[[PageStore, Snapshot, NodeRef], Page]
"""What makes the record of a page (blocks)."""


class PageOfSite(MadeFile):
    """A page; ``tell`` makes what it says."""

    def __init__(self, made: Callable[[], MadeFiles], tell: Tell, stamp: Stamp) -> None:
        def make(store: PageStore, s: Snapshot, node: NodeRef) -> bytes:
            return rendering.render(tell(store, s, node))

        super().__init__(made, tell.__name__, make, stamp)


class AssetFile(MemoryView):
    """A file of ``kgfs.site.rendering.ASSETS``, by its place in that list (``id``)."""

    def __init__(self, stamp: Stamp) -> None:
        self.stamp = stamp

    def _bytes(self, node: NodeRef) -> bytes:
        if node.id >= len(rendering.ASSETS):
            raise gone("file")
        return rendering.asset(rendering.ASSETS[node.id])

    def size(self, s: Snapshot, node: NodeRef) -> int:
        return len(self._bytes(node))

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return node.id

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        return BytesBody(self._bytes(node))

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        return BytesBody(self._bytes(node))
