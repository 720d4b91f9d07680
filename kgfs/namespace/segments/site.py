"""Variable segments of the website: pages of things and of lists, pictures beside them, and what pages share.

``id`` of a node is that of what the page is of, or of the directory; ``sub`` the number of the page, 0 for the first.
Runs on the event loop and reads the snapshot only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar, Protocol

from kgfs.namespace.domains import Domain, gone
from kgfs.namespace.node import ID_BITS, NodeRef
from kgfs.namespace.route import Above, Listed, Long, Segment
from kgfs.namespace.segments.rows import Of
from kgfs.namespace.site import addresses
from kgfs.namespace.snapshot import Snapshot
from kgfs.site.rendering import ASSETS

Count = Callable[[Snapshot, int], int]
"""How many pages the row of an index has."""
_FACT = ".json"


class Things(Segment, Protocol):
    """What has pages: a segment whose keys are row ids."""

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterable[Listed]: ...


class SitePages(Long):
    """The pages of what another segment lists: ``Alphabet_Inc.html``, ``Alphabet_Inc,2.html``."""

    def __init__(self, things: Things, domain: Callable[[Snapshot], Domain], count: Count = lambda s, index: 1) -> None:
        self._things, self._domain, self._count = things, domain, count
        self.of: Of = things.of

    def _slug(self, name: str) -> str:
        return name.removesuffix(_FACT)

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        index = self._domain(s).index
        for name, row_id, _, _ in self._things.list_behind(s, node, (key >> ID_BITS) - 1):
            for part in range(1, self._count(s, index(row_id)) + 1):
                if row_id << ID_BITS | part > key:
                    sub = part if part > 1 else 0
                    yield addresses.page_name(self._slug(name), part), row_id, sub, row_id << ID_BITS | part

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        slug, part = addresses.named(name)
        found = self._things.find_node(s, node, slug) or self._things.find_node(s, node, slug + _FACT)
        if found is None or self._slug(self._things.name(s, found)) != slug:
            return None
        if part > self._count(s, self._domain(s).index(found.id)):
            return None
        return NodeRef(found.id, part if part > 1 else 0)

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return addresses.page_name(self._slug(self._things.name(s, NodeRef(node.id))), node.sub or 1)

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return self._things.up(s, NodeRef(node.id))


class ListPages:
    """The pages of a list: ``index.html``, ``index,2.html``."""

    of: ClassVar[Of] = (None, None)

    def __init__(self, rows: Callable[[Snapshot, NodeRef], int]) -> None:
        """``rows``: how many rows the list of a directory has."""
        self._rows = rows

    def _count(self, s: Snapshot, node: NodeRef) -> int:
        return addresses.parts(self._rows(s, node), addresses.ROWS)

    def list(self, s: Snapshot, node: NodeRef) -> Iterator[Listed]:
        for part in range(1, self._count(s, node) + 1):
            yield addresses.list_name(part), node.id, part if part > 1 else 0, part

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        stem = name.removesuffix(addresses.SUFFIX)
        digits = stem.removeprefix(f"{addresses.INDEX},")
        part = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 8 else 1
        if name != addresses.list_name(part) or part > self._count(s, node):
            return None
        return NodeRef(node.id, part if part > 1 else 0)

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return addresses.list_name(node.sub or 1)

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef(node.id)


Variants = Callable[[Snapshot, int], list[tuple[str, int]]]
"""The pictures of the row of an index: what stands between the slug and ``.svg``, and ``sub``."""


class SitePictures(Long):
    """The pictures beside the pages of what another segment lists: ``Alphabet_Inc,graph.svg``."""

    SUFFIX = ".svg"

    def __init__(self, things: Things, domain: Callable[[Snapshot], Domain], variants: Variants) -> None:
        self._things, self._domain, self._variants = things, domain, variants
        self.of: Of = things.of[0], None

    def list_behind(self, s: Snapshot, node: NodeRef, key: int) -> Iterator[Listed]:
        index = self._domain(s).index
        for name, row_id, _, _ in self._things.list_behind(s, node, (key >> ID_BITS) - 1):
            for what, sub in sorted(self._variants(s, index(row_id)), key=lambda variant: variant[1]):
                if row_id << ID_BITS | sub > key:
                    yield f"{name},{what}{self.SUFFIX}", row_id, sub, row_id << ID_BITS | sub

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        slug, comma, what = name.removesuffix(self.SUFFIX).partition(",")
        found = self._things.find_node(s, node, slug) if comma and name.endswith(self.SUFFIX) else None
        if found is None:
            return None
        variants = dict(self._variants(s, self._domain(s).index(found.id)))
        return NodeRef(found.id, variants[what]) if what in variants else None

    def name(self, s: Snapshot, node: NodeRef) -> str:
        for what, sub in self._variants(s, self._domain(s).index(node.id)):
            if sub == node.sub:
                return f"{self._things.name(s, NodeRef(node.id))},{what}{self.SUFFIX}"
        raise gone("picture")

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return self._things.up(s, NodeRef(node.id))


class SiteAssets:
    """What pages share: ``id`` is the place in ``ASSETS``."""

    of: ClassVar[Of] = (None, None)

    def list(self, s: Snapshot, node: NodeRef) -> Iterator[Listed]:
        for place, name in enumerate(ASSETS):
            yield name, place, 0, place

    def find_node(self, s: Snapshot, node: NodeRef, name: str) -> NodeRef | None:
        return NodeRef(ASSETS.index(name)) if name in ASSETS else None

    def name(self, s: Snapshot, node: NodeRef) -> str:
        return ASSETS[node.id]

    def up(self, s: Snapshot, node: NodeRef) -> Above:
        return None, NodeRef()
