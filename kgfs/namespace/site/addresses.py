"""Where the pages of the website stand, from its root: ``entities/organizations/Alphabet_Inc.html``.

Used by the rows and views of ``@web``, by ``kgfs open`` and by the search of ``kgfs web``. Reads the snapshot only.
A name is a slug, a comma and a number where a thing has several pages: no slug has a comma.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from kgfs.names import name_bytes
from kgfs.namespace.segments.rows import index_of_fact
from kgfs.namespace.snapshot import Snapshot

HOME = "index.html"
INDEX = "index"
SUFFIX = ".html"
PART_BYTES = 16_000
"""A page of a document has passages of so many bytes, or one."""
PART_PASSAGES = 40
FACTS = 100
"""Rows of facts on a page."""
PASSAGES = 60
"""Rows of passages on the page of a topic."""
ROWS = 150
"""Rows of a list."""


class Address(NamedTuple):
    """A page, and what of it."""

    page: str
    """From the root of the website."""
    fragment: str = ""

    def seen_from(self, root: str) -> str:
        """As a link of a page whose way to the root is ``root``."""
        return root + quote(name_bytes(self.page), safe="/~,") + (f"#{self.fragment}" if self.fragment else "")


def page_name(slug: str, part: int = 1) -> str:
    """The name of a page of a thing. One that is called ``index`` stands beside the list of that name."""
    stem = f"{slug}," if slug == INDEX else slug
    return f"{stem},{part}{SUFFIX}" if part > 1 else stem + SUFFIX


def list_name(part: int = 1) -> str:
    """The name of a page of a list."""
    return f"{INDEX},{part}{SUFFIX}" if part > 1 else HOME


def named(name: str) -> tuple[str, int]:
    """The slug and the part of a page's name; an empty slug where it is none."""
    stem = name.removesuffix(SUFFIX)
    slug, comma, digits = stem.rpartition(",")
    part = int(digits) if comma and digits.isascii() and digits.isdigit() and len(digits) < 8 else 1
    if not comma or part == 1:
        slug = stem
    slug = INDEX if slug == f"{INDEX}," else slug
    return (slug, part) if name == page_name(slug, part) else ("", 0)


def parts(rows: int, a_page: int) -> int:
    """How many pages so many rows take: one at least."""
    return max(1, -(-rows // a_page))


# --- how many pages ---------------------------------------------------------------------------------------------------


def entity_parts(s: Snapshot, index: int) -> int:
    """How many pages an entity has."""
    return parts(max(s.stated.owned_counts[index], s.received.owned_counts[index]), FACTS)


def topic_parts(s: Snapshot, index: int) -> int:
    """How many pages a topic has."""
    return parts(s.topic_chunks.count(index), PASSAGES)


def document_parts(s: Snapshot, index: int) -> list[Sequence[int]]:
    """The chunks on each page of a document."""
    chunks, sizes = s.chunks_of(index), s.chunk_size
    found: list[Sequence[int]] = []
    first, size = 0, 0
    for place, chunk in enumerate(chunks):
        if place > first and (size + sizes[chunk] > PART_BYTES or place - first == PART_PASSAGES):
            found.append(chunks[first:place])
            first, size = place, 0
        size += sizes[chunk]
    return [*found, chunks[first:]]


# --- where pages stand ------------------------------------------------------------------------------------------------


def entity(s: Snapshot, index: int, part: int = 1) -> Address:
    """The page of an entity."""
    kind = s.names.name(s.entity_directory[index])
    return Address(f"entities/{kind}/{page_name(s.entities.slugs[index], part)}")


def topic(s: Snapshot, index: int, part: int = 1) -> Address:
    """The page of a topic."""
    return Address(f"topics/{page_name(s.topics.slugs[index], part)}")


def document(s: Snapshot, index: int, part: int = 1) -> Address:
    """The page of a document."""
    return Address(f"documents/{page_name(s.documents.slugs[index], part)}")


def chunk(s: Snapshot, index: int) -> Address:
    """A chunk on the page of its document."""
    owner = s.chunk_document[index]
    part = 1
    if s.chunk_ordinal[index] > 1:
        pages = document_parts(s, owner)
        part = next((number for number, chunks in enumerate(pages, 1) if index in chunks), 1)
    return Address(document(s, owner, part).page, s.chunk_name(index))


def fact(s: Snapshot, index: int) -> Address:
    """The page of a fact."""
    return Address(f"facts/{s.names.name(s.fact_type[index])}/{page_name(s.fact_name(index))}")


def of_path(s: Snapshot, path: str) -> Address:
    """The page of what stands at a canonical path of the tree, or of what it stands in; else the first page."""
    first, *rest = path.split("/")
    if first == "entities" and rest:
        return _of_entity(s, rest)
    if first == "documents" and rest and (found := s.documents.by_slug.get(rest[0], -1)) >= 0:
        return document(s, found)
    if first == "chunks" and rest[:1] == ["by_document"] and len(rest) > 1:
        return _of_chunk(s, rest)
    if first == "facts" and rest:
        found = index_of_fact(s, rest[-1])
        if found >= 0:
            return fact(s, found)
        named_type = rest[:1] == ["by_type"] and len(rest) == 2
        return Address(f"facts/{rest[1]}/{HOME}") if named_type and "." not in rest[1] else Address(f"facts/{HOME}")
    if first == "topics" and rest:
        nested = rest[:1]
        for step, slug in zip(rest[1::2], rest[2::2], strict=False):
            if step != "subtopics":
                break
            nested.append(slug)
        found = s.topics.by_slug.get(nested[-1], -1)
        if found >= 0:
            return topic(s, found)
    if first == "context":
        return _of_file(s, path)
    return Address(f"{first}/{HOME}" if first in ("entities", "documents", "topics", "facts") else HOME)


def _of_entity(s: Snapshot, rest: list[str]) -> Address:
    if len(rest) > 1 and (found := s.entities.by_slug.get(rest[1], -1)) >= 0:
        return entity(s, found)
    number = s.names.find_number(rest[0])
    return Address(f"entities/{rest[0]}/{HOME}" if number in s.by_type else f"entities/{HOME}")


def _of_chunk(s: Snapshot, rest: list[str]) -> Address:
    owner = s.documents.by_slug.get(rest[1], -1)
    if owner < 0:
        return Address(f"documents/{HOME}")
    digits = rest[2].removeprefix("chunk_") if len(rest) > 2 else ""
    found = s.chunk_at(owner, int(digits)) if digits.isascii() and digits.isdigit() and len(digits) < 10 else -1
    return chunk(s, found) if found >= 0 else document(s, owner)


def _of_file(s: Snapshot, path: str) -> Address:
    drive, *names = path.split("/")[1:]
    here = s.context.drives.get(drive)
    for name in names[:-1]:
        here = None if here is None else here.directories.get(name)
    inode = None if here is None or not names else here.files.get(names[-1])
    index = -1 if inode is None else s.documents.find_index(s.context.item_of(inode))
    return document(s, index) if index >= 0 else Address(HOME)
