"""The first page, and the lists: types of entities, entities of a type, topics, documents, facts.

Used by the views of ``@web``, in threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kgfs.counting import counted
from kgfs.namespace.domains import gone
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.site import addresses
from kgfs.namespace.site.addresses import HOME, ROWS, Address
from kgfs.namespace.site.framing import TITLE, first_crumb, pages
from kgfs.namespace.site.texts import Texts, plain, said, shown
from kgfs.namespace.snapshot import Snapshot
from kgfs.site.records import Column, Frame, HomePage, Link, ListPage, Pages, Picture, Row, Table

MOST_TOLD = 25
LATEST = 12


def _pages(number: int, rows: int) -> Pages | None:
    """The way to the other pages of a list, which stand in one directory."""
    return pages(number, addresses.parts(rows, ROWS), lambda part: Address(addresses.list_name(part)).seen_from(""))


def _part(rows: Sequence[int], number: int) -> Sequence[int]:
    if not 1 <= number <= addresses.parts(len(rows), ROWS):
        raise gone("page")
    return rows[(number - 1) * ROWS : number * ROWS]


# --- the first page ---------------------------------------------------------------------------------------------------


def home(store: PageStore, s: Snapshot, node: NodeRef) -> HomePage:
    """What there is, and where to begin."""
    texts = Texts(store, s, "")
    facts = np.asarray(s.stated.counts) + np.asarray(s.received.counts)
    most = np.argsort(-facts, kind="stable")[:MOST_TOLD].tolist()
    most = [each for each in most if facts[each]]
    latest = np.argsort(-s.documents.mtime_array, kind="stable")[:LATEST].tolist()
    texts.want_entities(most)
    texts.want_documents(latest)
    rows = []
    for each in most:
        link, count = texts.entity_link(each), int(s.stated.counts[each])
        documents = f"{len(s.entity_documents.members(each)):,}"
        rows.append(Row((link, link.kind, f"{count:,}", f"{int(s.received.counts[each]):,}", documents)))
    counts = (
        ("entities", len(s.entities)), ("topics", len(s.topics)), ("documents", len(s.documents)),
        ("facts", len(s.facts)),
    )  # fmt: skip
    largest = sorted(s.topic_roots, key=lambda each: (-len(s.topic_all_chunks.members(each)), each))[:LATEST]
    columns = (
        Column("Entity"),
        Column("Type"),
        Column("Facts", True),
        Column("Named in", True),
        Column("Documents", True),
    )
    return HomePage(
        frame=Frame(title=TITLE, root="", place="/"),
        counts=tuple(Link(f"{count:,}", f"{name}/{HOME}", name) for name, count in counts),
        picture=Picture("map.svg", "The largest topics and what is beneath them") if s.topic_roots else None,
        entities=Table("Entities with the most facts", columns, tuple(rows)),
        topics=tuple(texts.topic_link(each, f"{len(s.topic_all_chunks.members(each)):,}") for each in largest),
        documents=tuple(texts.document_link(each) for each in latest),
    )


# --- entities ---------------------------------------------------------------------------------------------------------


def types(store: PageStore, s: Snapshot, node: NodeRef) -> ListPage:
    """Types of entities."""
    sizes = sorted(((len(members), s.names.name(number)) for number, members in s.by_type.items()), key=_most_first)
    rows = tuple(Row((Link(_title(name), f"{name}/{HOME}"), f"{size:,}")) for size, name in sizes if size)
    return ListPage(
        frame=Frame(title="Entities", root="../", section="entities", crumbs=(first_crumb("../"),), place="entities"),
        lead=f"{len(s.entities):,} people, organizations, places and other things that documents speak of, by type.",
        table=Table("Types of entities", (Column("Type"), Column("Entities", True)), rows),
    )


def entities(store: PageStore, s: Snapshot, node: NodeRef) -> ListPage:
    """Entities of a type (``id``), a page (``sub``) of them, by name."""
    members = s.by_type.get(node.id)
    if members is None:
        raise gone("type")
    name, slugs = s.names.name(node.id), s.entities.slugs
    everything = sorted(members.tolist(), key=lambda each: slugs[each].casefold())
    part = _part(everything, node.sub or 1)
    texts = Texts(store, s, "../../")
    texts.want_entities(part)
    told = counted(len(everything), "entity", "entities")
    rows = []
    for each in part:
        also = shown(", ".join(texts.entity(each).aliases), 80)
        numbers = (s.stated.owned_counts[each], s.received.owned_counts[each], s.entity_chunks.count(each))
        rows.append(Row((texts.entity_link(each), also, *(f"{number:,}" for number in numbers))))
    columns = (
        Column("Name"),
        Column("Also"),
        Column("Facts", True),
        Column("Named in", True),
        Column("Passages", True),
    )
    return ListPage(
        frame=Frame(
            title=_title(name), root="../../", section="entities", place=f"entities/{name}",
            crumbs=(first_crumb("../../"), Link("Entities", f"../{HOME}")),
        ),
        lead=_lead(told, part, len(everything), lambda each: texts.entity(each).name),
        table=Table(f"{_title(name)} by name", columns, tuple(rows)),
        pages=_pages(node.sub or 1, len(everything)),
    )  # fmt: skip


def _lead(told: str, part: Sequence[int], count: int, name: Callable[[int], str]) -> str:
    """How many there are, and of a page of them the first and the last."""
    if len(part) in (0, count):
        return f"{told}."
    return f"{told}; here from {shown(name(part[0]), 60)} to {shown(name(part[-1]), 60)}."


def _title(name: str) -> str:
    words = said(name)
    return words[:1].upper() + words[1:]


def _most_first(row: tuple[int, str]) -> tuple[int, str]:
    return -row[0], row[1]


# --- topics and documents ---------------------------------------------------------------------------------------------


def topics(store: PageStore, s: Snapshot, node: NodeRef) -> ListPage:
    """Topics in the order of their hierarchy, a page (``sub``) of them."""
    everything: list[tuple[int, int]] = []
    waiting = [(each, 0) for each in sorted(s.topic_roots, key=lambda each: s.topic_names[each].casefold())[::-1]]
    while waiting:
        topic, level = waiting.pop()
        everything.append((topic, level))
        children = sorted(s.topic_children[topic], key=lambda each: s.topic_names[each].casefold())
        waiting += [(each, level + 1) for each in reversed(children)]
    part = _part(range(len(everything)), node.sub or 1)
    texts = Texts(store, s, "../")
    rows = []
    for place in part:
        topic, _ = everything[place]
        above = s.topic_parent[topic]
        beneath = texts.topic_link(above) if above >= 0 else ""
        passages = f"{len(s.topic_all_chunks.members(topic)):,}"
        rows.append(Row((texts.topic_link(topic), beneath, f"{len(s.topic_children[topic]):,}", passages)))
    columns = (Column("Topic"), Column("Part of"), Column("Subtopics", True), Column("Passages", True))
    return ListPage(
        frame=Frame(title="Topics", root="../", section="topics", crumbs=(first_crumb("../"),), place="topics"),
        lead=_lead(
            counted(len(everything), "topic"), part, len(everything), lambda place: s.topic_names[everything[place][0]]
        ),
        table=Table("Topics, each before those that are part of it", columns, tuple(rows)),
        pages=_pages(node.sub or 1, len(everything)),
    )


def documents(store: PageStore, s: Snapshot, node: NodeRef) -> ListPage:
    """Documents by slug, a page (``sub``) of them."""
    slugs = s.documents.slugs
    everything = sorted(range(len(slugs)), key=lambda each: slugs[each].casefold())
    part = _part(everything, node.sub or 1)
    texts = Texts(store, s, "../")
    texts.want_documents(part)
    rows = []
    for each in part:
        told = texts.document(each)
        kind = (told.mime_type or "").rpartition("/")[2]
        passages = f"{len(s.chunks_of(each)):,}"
        rows.append(
            Row((texts.document_link(each, ""), told.date or "", kind, f"{told.counts.get('facts', 0):,}", passages))
        )
    columns = (Column("Title"), Column("Date"), Column("Kind"), Column("Facts", True), Column("Passages", True))
    return ListPage(
        frame=Frame(
            title="Documents", root="../", section="documents", crumbs=(first_crumb("../"),), place="documents"
        ),
        lead=_lead(
            counted(len(everything), "document"),
            part,
            len(everything),
            lambda each: texts.document(each).title or slugs[each],
        ),
        table=Table("Documents by name", columns, tuple(rows)),
        pages=_pages(node.sub or 1, len(everything)),
    )


# --- facts ------------------------------------------------------------------------------------------------------------


def fact_types(store: PageStore, s: Snapshot, node: NodeRef) -> ListPage:
    """Types of facts."""
    sizes = sorted(((len(members), s.names.name(kind)) for kind, members in s.by_fact_type.items()), key=_most_first)
    rows = tuple(Row((Link(said(name), Address(f"{name}/{HOME}").seen_from("")), f"{size:,}")) for size, name in sizes)
    return ListPage(
        frame=Frame(title="Facts", root="../", section="facts", crumbs=(first_crumb("../"),), place="facts/by_type"),
        lead=f"{len(s.facts):,} statements, each with the words that state it, by what they say.",
        table=Table("Types of facts", (Column("Relation"), Column("Facts", True)), rows),
    )


def facts(store: PageStore, s: Snapshot, node: NodeRef) -> ListPage:
    """Facts of a type (``id``), a page (``sub``) of them, the latest first."""
    members = s.by_fact_type.get(node.id)
    if members is None:
        raise gone("kind of fact")
    name = s.names.name(node.id)
    everything = s.latest_first(members.tolist())
    part = _part(everything, node.sub or 1)
    texts = Texts(store, s, "../../")
    texts.want_facts(part)
    rows = []
    for each in part:
        told = texts.fact(each)
        page = Link(shown(plain(told.quote or told.description), 140), addresses.fact(s, each).seen_from("../../"))
        what = texts.named_link(told.object or "", told.object_slug)
        rows.append(Row((texts.named_link(told.subject, told.subject_slug), what, told.date or "", page)))
    columns = (Column("Subject"), Column("Object"), Column("Date"), Column("Stated by"))
    return ListPage(
        frame=Frame(
            title=_title(name), root="../../", section="facts", place=f"facts/by_type/{name}",
            crumbs=(first_crumb("../../"), Link("Facts", f"../{HOME}")),
        ),
        lead=f"{counted(len(everything), 'fact')} of this type, the latest first.",
        table=Table(f"Facts of the type {said(name)}, the latest first", columns, tuple(rows)),
        pages=_pages(node.sub or 1, len(everything)),
    )  # fmt: skip
