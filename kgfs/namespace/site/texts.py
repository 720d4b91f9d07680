"""What stored pages say of entities, documents, facts and chunks, loaded for one page of the website together.

Used by the modules beside this one, in threads. Pages are immutable, so equal snapshots give equal records; what a
commit replaced is a ``StaleSnapshotError``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from kgfs import names
from kgfs.model import prepared
from kgfs.namespace.domains import Domain
from kgfs.namespace.pages import PageStore
from kgfs.namespace.site import addresses
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.text import shorten
from kgfs.site.records import Link

T = TypeVar("T")
TITLE = 120
"""Characters of a name in a list."""


class EntityTold(msgspec.Struct):
    """An entity's ``metadata.json``."""

    name: str
    type: str
    aliases: list[str] = []
    counts: dict[str, int] = {}
    dates: dict[str, str | None] = {}


class DocumentTold(msgspec.Struct):
    """A document's ``metadata.json``."""

    slug: str
    title: str | None = None
    date: str | None = None
    origin: str | None = None
    source_url: str | None = None
    mime_type: str | None = None
    counts: dict[str, int] = {}
    tags: list[Any] = []


class ChunkTold(msgspec.Struct):
    """A chunk's ``metadata.json``."""

    headings: list[Any] = []
    lines: list[int] = []
    page: int | None = None
    date: str | None = None


class FactTold(msgspec.Struct):
    """A fact's line."""

    fact_id: str
    type: str
    subject: str
    subject_slug: str
    object: str | None = None
    object_slug: str | None = None
    description: str = ""
    date: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    date_role: str | None = None
    status: str | None = None
    role: str | None = None
    value: float | None = None
    unit: str | None = None
    confidence: float | None = None
    extractor: str | None = None
    quote: str | None = None
    span: list[int | None] = []


class Texts:
    """The stored pages that one page is made of: first all are named, then the first that is asked for loads them."""

    def __init__(self, store: PageStore, s: Snapshot, root: str) -> None:
        """``root``: the way from the page to the root of the website."""
        self._store, self._s, self._root = store, s, root
        self._wanted: set[int] = set()
        self._loaded: dict[int, bytes] = {}

    def want(self, view: str, domain: Domain, indexes: Iterable[int]) -> None:
        """A page of these rows will be asked for."""
        ids = domain.pages[view].ids
        self._wanted.update(ids[index] for index in indexes)

    def want_entities(self, indexes: Iterable[int]) -> None:
        """These entities will be asked for."""
        self.want("entity_metadata", self._s.entities, indexes)

    def want_documents(self, indexes: Iterable[int]) -> None:
        """These documents will be asked for."""
        self.want("document_metadata", self._s.documents, indexes)

    def want_facts(self, indexes: Iterable[int]) -> None:
        """These facts will be asked for."""
        self.want("fact_line", self._s.facts, indexes)

    def page(self, view: str, domain: Domain, index: int) -> bytes:
        """A page of a row."""
        page_id = domain.pages[view].ids[index]
        if page_id not in self._loaded:
            self._wanted.add(page_id)
            self._loaded |= self._store.load_pages(self._wanted - self._loaded.keys())
        return self._store.required(self._loaded, page_id)

    def _decoded(self, view: str, domain: Domain, index: int, kind: type[T]) -> T:
        return msgspec.json.decode(self.page(view, domain, index), type=prepared(kind))

    def entity(self, index: int) -> EntityTold:
        """What is told of an entity."""
        return self._decoded("entity_metadata", self._s.entities, index, EntityTold)

    def document(self, index: int) -> DocumentTold:
        """What is told of a document."""
        return self._decoded("document_metadata", self._s.documents, index, DocumentTold)

    def chunk(self, index: int) -> ChunkTold:
        """What is told of a chunk."""
        return self._decoded("chunk_metadata", self._s.chunks, index, ChunkTold)

    def fact(self, index: int) -> FactTold:
        """What a fact says."""
        return self._decoded("fact_line", self._s.facts, index, FactTold)

    # --- links to pages -----------------------------------------------------------------------------------------------

    def entity_link(self, index: int, note: str = "") -> Link:
        """An entity, by its name."""
        told = self.entity(index)
        address = addresses.entity(self._s, index).seen_from(self._root)
        return Link(shown(told.name), address, note, told.type)

    def document_link(self, index: int, note: str | None = None) -> Link:
        """A document, by its title, with its date unless another note is given."""
        told = self.document(index)
        address = addresses.document(self._s, index).seen_from(self._root)
        return Link(shown(told.title or told.slug), address, (told.date or "") if note is None else note)

    def topic_link(self, index: int, note: str = "") -> Link:
        """A topic."""
        name = self._s.topic_names[index] or self._s.topics.slugs[index]
        return Link(shown(name), addresses.topic(self._s, index).seen_from(self._root), note)

    def named_link(self, name: str, slug: str | None) -> Link:
        """What a fact names: an entity where it has a slug that stands here."""
        index = self._s.entities.by_slug.get(slug, -1) if slug else -1
        if index < 0:
            return Link(shown(name), "")
        kind = self._s.entity_types[self._s.entity_type[index]]
        return Link(shown(name), addresses.entity(self._s, index).seen_from(self._root), "", kind)


def shown(text: str, most: int = TITLE) -> str:
    """A name or a quote on one line."""
    return shorten(" ".join(names.one_line(text).split()), most)


def said(kind: str) -> str:
    """A type of facts as words: ``CHIEF_EXECUTIVE_OF`` is *chief executive of*."""
    return names.one_line(kind).replace("_", " ").casefold()


FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_PARAGRAPH = re.compile(r"\n\s*\n")
_WIKI = re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*\)")
_MARKS = re.compile(
    r"(?:^|(?<=…))[ \t]*(?:#{1,6}|[-*+>]|\|)[ \t]+|(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|`", re.MULTILINE
)


def plain(text: str) -> str:
    """A piece of Markdown for a cell of a table: its words, without its marks."""
    text = _WIKI.sub(r"\1", FRONT_MATTER.sub("", text)).replace("[[", "")  # one that was cut has no end
    return _MARKS.sub("", _LINK.sub(r"\1", text))


def paragraphs(summary: bytes, *leave: str) -> tuple[str, ...]:
    """What a summary tells behind its head, each thing once, without what begins with one of ``leave``."""
    _, *told = _PARAGRAPH.split(summary.decode("utf-8", "replace").strip())
    kept = [each for each in told if not each.startswith(leave)]
    told_again = [any(more.startswith(each) for more in kept[place:]) for place, each in enumerate(kept, 1)]
    return tuple(each for each, again in zip(kept, told_again, strict=True) if not again)
