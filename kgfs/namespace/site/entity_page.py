"""The page of an entity: what it is, its facts in both directions, pictures, and where it is spoken of.

Used by the views of ``@web``, in threads.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kgfs.namespace.domains import gone
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.site import addresses, drawings, neighbourhood
from kgfs.namespace.site.addresses import FACTS, HOME
from kgfs.namespace.site.framing import first_crumb, most_often, pages
from kgfs.namespace.site.texts import EntityTold, Texts, paragraphs, plain, said, shown
from kgfs.namespace.snapshot import Snapshot
from kgfs.site.records import Column, EntityPage, Frame, Link, Picture, Row, Table
from kgfs.site.rendering import script_json

ROOT = "../../"
DOCUMENTS, TOPICS, BESIDE, BACKLINKS = 12, 12, 12, 12
_SCANNED = 2000
"""So many passages are looked at for what stands beside."""
_QUOTE = 180


class _Beside(msgspec.Struct):
    """A line of ``co_occurs_with/_edges.jsonl``."""

    slug: str
    chunks: int


def entity_page(store: PageStore, s: Snapshot, node: NodeRef) -> EntityPage:
    """The page of an entity (``id``), or what follows on it (``sub``, from 2 on)."""
    index, part = s.entities.index(node.id), node.sub or 1
    count = addresses.entity_parts(s, index)
    if part > count:
        raise gone("page")
    texts = Texts(store, s, ROOT)
    chunks = s.entity_chunks.members(index)[:_SCANNED]
    documents = [each for each, _ in most_often((s.chunk_document[chunk] for chunk in chunks), DOCUMENTS)]
    about = (topic for chunk in chunks for topic in s.chunk_topics.members(chunk))
    topics = [each for each, _ in most_often(about, TOPICS)]
    backlinks = s.entity_backlinks.members(index)[:BACKLINKS].tolist()
    stated = _part(s.latest_first(s.stated.all(index)), part)
    received = _part(s.latest_first(s.received.all(index)), part)
    texts.want("entity_summary", s.entities, [index])
    texts.want("co_occurs", s.entities, [index])
    texts.want_entities([index, *(each for each, _ in neighbourhood.others(s, index).most_common(neighbourhood.MOST))])
    texts.want_documents([*documents, *backlinks])
    texts.want_facts([*stated, *received])
    told = texts.entity(index)
    beside = [
        (other, line.chunks)
        for line in map(_beside, texts.page("co_occurs", s.entities, index).split(b"\n", BESIDE)[:BESIDE])
        if line is not None and (other := s.entities.by_slug.get(line.slug, -1)) >= 0
    ]
    texts.want_entities(other for other, _ in beside)
    directory = s.names.name(s.entity_directory[index])
    name = shown(told.name)
    return EntityPage(
        frame=Frame(
            title=name, root=ROOT, section="entities", place=s.entity_path(index), graph=drawings.has_graph(s, index),
            crumbs=(
                first_crumb(ROOT), Link("Entities", f"../{HOME}"), Link(said(directory).capitalize(), HOME),
            ),
        ),
        kind=told.type,
        aliases=tuple(shown(alias) for alias in told.aliases),
        paragraphs=paragraphs(texts.page("entity_summary", s.entities, index), "Facts:", "Documents:"),
        counts=_counts(told),
        pictures=_pictures(texts, s, index, name) if part == 1 else (),
        stated=_stated(texts, s, stated),
        received=_received(texts, s, received),
        pages=pages(part, count, lambda each: addresses.entity(s, index, each).seen_from(ROOT)),
        beside=tuple(texts.entity_link(other, f"{times:,}") for other, times in beside),
        topics=tuple(texts.topic_link(each) for each in topics),
        documents=tuple(texts.document_link(each) for each in documents),
        backlinks=tuple(texts.document_link(each) for each in backlinks),
    )  # fmt: skip


def _beside(line: bytes) -> _Beside | None:
    return msgspec.json.decode(line, type=_Beside) if line else None


def _part(facts: Sequence[int], part: int) -> Sequence[int]:
    return facts[(part - 1) * FACTS : part * FACTS]


def _counts(told: EntityTold) -> tuple[tuple[str, str], ...]:
    words = (
        ("facts", "Facts"), ("mentioned_in", "Named in"), ("relationships", "Bound to"), ("chunks", "Passages"),
        ("documents", "Documents"),
    )  # fmt: skip
    found = [(word, f"{told.counts.get(name, 0):,}") for name, word in words]
    first, last = told.dates.get("first"), told.dates.get("last")
    if first and last:
        found.append(("Dates", first if first == last else f"{first} to {last}"))
    return tuple(found)


def _pictures(texts: Texts, s: Snapshot, index: int, name: str) -> tuple[Picture, ...]:
    found = []
    slug = s.entities.slugs[index]

    def at(what: str) -> str:
        return addresses.Address(f"{slug},{what}.svg").seen_from("")

    if drawings.has_graph(s, index):
        graph = script_json(neighbourhood.of_entity(texts, s, index))
        found.append(Picture(at("graph"), f"What is near {name}", graph))
    if drawings.has_timeline(s, index):
        found.append(Picture(at("timeline"), f"Dated facts of {name}, in the order of time", tall=True))
    for number in drawings.series(s, index):
        indicator = s.names.name(number)
        found.append(Picture(at(f"series,{indicator}"), f"{said(indicator).capitalize()} of {name}, over time"))
    return tuple(found)


def _stated(texts: Texts, s: Snapshot, facts: Sequence[int]) -> Table | None:
    rows = []
    for fact in facts:
        told = texts.fact(fact)
        value = told.object or " ".join(
            f"{each:g}" if isinstance(each, float) else each for each in (told.value, told.unit) if each is not None
        )
        relation = said(told.type) + (f" as {told.role}" if told.role else "")
        page = Link(relation, addresses.fact(s, fact).seen_from(ROOT))
        rows.append(
            Row(
                (
                    page,
                    texts.named_link(value, told.object_slug),
                    told.date or "",
                    shown(plain(told.quote or told.description), _QUOTE),
                )
            )
        )
    columns = (Column("Relation"), Column("To"), Column("Date"), Column("Stated by"))
    return Table("Facts, the latest first", columns, tuple(rows)) if rows else None


def _received(texts: Texts, s: Snapshot, facts: Sequence[int]) -> Table | None:
    rows = []
    for fact in facts:
        told = texts.fact(fact)
        page = Link(said(told.type), addresses.fact(s, fact).seen_from(ROOT))
        rows.append(
            Row(
                (
                    texts.named_link(told.subject, told.subject_slug),
                    page,
                    told.date or "",
                    shown(plain(told.quote or told.description), _QUOTE),
                )
            )
        )
    columns = (Column("From"), Column("Relation"), Column("Date"), Column("Stated by"))
    return Table("Facts in which it is the other side, the latest first", columns, tuple(rows)) if rows else None
