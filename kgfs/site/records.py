"""What a page of the website says, as plain records that a template is given.

Made by ``namespace.site``. Addresses (``href``) are relative to the page they stand on. Texts are as documents have
them: the templates escape.
"""

from __future__ import annotations

import msgspec


class Link(msgspec.Struct, frozen=True):
    """Words that lead to a page."""

    text: str
    href: str
    note: str = ""
    """What is said behind it."""
    kind: str = ""
    """The type of the entity: it chooses the colour."""


class Row(msgspec.Struct, frozen=True):
    """A row of a table: the first cell names it."""

    cells: tuple[Link | str, ...]


class Column(msgspec.Struct, frozen=True):
    """A column of a table."""

    title: str
    number: bool = False
    """Whether it sorts as numbers, the greatest first, and stands to the right."""


class Table(msgspec.Struct, frozen=True):
    """A table that a reader can sort."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


class Pages(msgspec.Struct, frozen=True):
    """Where a page stands among those of one thing: a list, or a long document."""

    number: int
    links: tuple[Link, ...]
    """Those near it and the ends, in order; the one of this page has no address."""
    before: str = ""
    after: str = ""


class Picture(msgspec.Struct, frozen=True):
    """A picture beside the page, and the graph that a script draws in its place."""

    href: str
    told: str
    """What it shows, for readers who do not see it."""
    graph: str = ""
    """``Graph`` as JSON."""
    tall: bool = False
    """Whether it is shown in a frame that scrolls."""


class Node(msgspec.Struct, frozen=True):
    """A box of a graph."""

    id: str
    """The same on every page."""
    label: str
    kind: str
    href: str
    """From the root of the website."""


class Edge(msgspec.Struct, frozen=True):
    """A line of a graph, by ids of nodes."""

    source: str
    target: str
    label: str
    stated: bool = True
    """Whether a fact says so; else both stand in one passage."""


class Graph(msgspec.Struct, frozen=True):
    """A neighbourhood: the first node is what it is of."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """What every page has."""

    title: str
    root: str
    """From the page to the root of the website: empty, ``../`` …"""
    section: str = ""
    """Which entry of the navigation it belongs to."""
    crumbs: tuple[Link, ...] = ()
    """The pages above, the outermost first."""
    place: str = ""
    """Where it stands in the tree."""
    graph: bool = False
    """Whether the script that draws graphs is needed."""


class HomePage(msgspec.Struct, frozen=True, kw_only=True, tag="home"):
    """The first page."""

    frame: Frame
    counts: tuple[Link, ...]
    picture: Picture | None
    entities: Table
    topics: tuple[Link, ...]
    documents: tuple[Link, ...]


class ListPage(msgspec.Struct, frozen=True, kw_only=True, tag="list"):
    """A list: of types, or of all of a type."""

    frame: Frame
    lead: str
    table: Table
    pages: Pages | None = None


class EntityPage(msgspec.Struct, frozen=True, kw_only=True, tag="entity"):
    """An entity."""

    frame: Frame
    kind: str
    aliases: tuple[str, ...]
    paragraphs: tuple[str, ...]
    counts: tuple[tuple[str, str], ...]
    pictures: tuple[Picture, ...]
    stated: Table | None
    received: Table | None
    pages: Pages | None
    beside: tuple[Link, ...]
    topics: tuple[Link, ...]
    documents: tuple[Link, ...]
    backlinks: tuple[Link, ...]


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A chunk."""

    id: str
    """What an address of the page ends with: ``chunk_0001``."""
    text: str
    headings: tuple[str, ...] = ()
    told: str = ""
    """Lines, page, date."""
    facts: tuple[Link, ...] = ()


class DocumentPage(msgspec.Struct, frozen=True, kw_only=True, tag="document"):
    """A document, or a piece of a long one."""

    frame: Frame
    told: tuple[tuple[str, str], ...]
    paragraphs: tuple[str, ...]
    outline: tuple[Link, ...]
    passages: tuple[Passage, ...]
    names: dict[str, str]
    """What stands in `[[…]]` to its page."""
    markdown: bool
    """Whether the passages are Markdown; else they are shown as they are."""
    pages: Pages | None
    entities: tuple[Link, ...]
    topics: tuple[Link, ...]
    links: tuple[Link, ...]
    backlinks: tuple[Link, ...]


class TopicPage(msgspec.Struct, frozen=True, kw_only=True, tag="topic"):
    """A topic."""

    frame: Frame
    paragraphs: tuple[str, ...]
    picture: Picture | None
    subtopics: tuple[Link, ...]
    entities: tuple[Link, ...]
    passages: Table
    pages: Pages | None


class FactPage(msgspec.Struct, frozen=True, kw_only=True, tag="fact"):
    """A fact, and the passage that states it."""

    frame: Frame
    subject: Link
    relation: str
    object: Link | None
    description: str
    fields: tuple[tuple[str, str], ...]
    before: str
    quote: str
    """The words that state it; they stand between ``before`` and ``after``."""
    after: str
    source: Link
    """The passage in its document."""
    others: tuple[Link, ...]
    """Other facts of the passage."""


Page = HomePage | ListPage | EntityPage | DocumentPage | TopicPage | FactPage
