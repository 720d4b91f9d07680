"""The page of a topic: its definition, what is beneath it, its entities and passages.

Used by the views of ``@web``, in threads.
"""

from __future__ import annotations

from kgfs.namespace.domains import gone
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.site import addresses, neighbourhood
from kgfs.namespace.site.addresses import PASSAGES
from kgfs.namespace.site.framing import first_crumb, most_often, pages
from kgfs.namespace.site.texts import Texts, paragraphs, plain, shown
from kgfs.namespace.snapshot import Snapshot
from kgfs.site.records import Column, Frame, Link, Picture, Row, Table, TopicPage
from kgfs.site.rendering import script_json

ROOT = "../"
ENTITIES = 30
SUBTOPICS = 100
_SCANNED = 2000
_TEXT = 200
_HEAD = 1000
"""Bytes of a passage that are looked at for its first words."""


def topic_page(store: PageStore, s: Snapshot, node: NodeRef) -> TopicPage:
    """The page of a topic (``id``), or what follows on it (``sub``, from 2 on)."""
    index, part = s.topics.index(node.id), node.sub or 1
    count = addresses.topic_parts(s, index)
    if part > count:
        raise gone("page")
    texts = Texts(store, s, ROOT)
    every = s.topic_all_chunks.members(index)[:_SCANNED]
    most = most_often((entity for chunk in every for entity in s.chunk_entities.members(chunk)), ENTITIES)
    chunks = s.topic_chunks.members(index)[(part - 1) * PASSAGES : part * PASSAGES].tolist()
    texts.want("topic_definition", s.topics, [index])
    texts.want_entities(entity for entity, _ in most)
    texts.want_documents({s.chunk_document[chunk] for chunk in chunks})
    texts.want("chunk_metadata", s.chunks, chunks)
    above = []
    parent = s.topic_parent[index]
    while parent >= 0:
        above.append(texts.topic_link(parent))
        parent = s.topic_parent[parent]
    name = shown(s.topic_names[index] or s.topics.slugs[index])
    children = sorted(s.topic_children[index], key=lambda each: -len(s.topic_all_chunks.members(each)))[:SUBTOPICS]
    graph = script_json(neighbourhood.of_topic(texts, s, index, [entity for entity, _ in most]))
    picture = addresses.Address(f"{s.topics.slugs[index]},graph.svg").seen_from("")
    return TopicPage(
        frame=Frame(
            title=name, root=ROOT, section="topics", place=s.topic_path(index), graph=True,
            crumbs=(first_crumb(ROOT), Link("Topics", addresses.HOME), *reversed(above)),
        ),
        paragraphs=paragraphs(texts.page("topic_definition", s.topics, index), "Part of: ", "Subtopics: ", "Chunks: "),
        picture=Picture(picture, f"What belongs to {name}", graph) if part == 1 else None,
        subtopics=tuple(texts.topic_link(each, f"{len(s.topic_all_chunks.members(each)):,}") for each in children),
        entities=tuple(texts.entity_link(entity, f"{times:,}") for entity, times in most),
        passages=_passages(texts, store, s, chunks),
        pages=pages(part, count, lambda each: addresses.topic(s, index, each).seen_from(ROOT)),
    )  # fmt: skip


def _passages(texts: Texts, store: PageStore, s: Snapshot, chunks: list[int]) -> Table:
    rows = []
    for chunk, passage in store.chunks(s, chunks).items():
        told = texts.chunk(chunk)
        heading = shown(" › ".join(map(str, told.headings)) or s.chunk_name(chunk), 100)
        text = shown(plain(passage[:_HEAD].decode("utf-8", "ignore")), _TEXT)
        link = Link(heading, addresses.chunk(s, chunk).seen_from(ROOT))
        rows.append(Row((link, texts.document_link(s.chunk_document[chunk], ""), told.date or "", text)))
    columns = (Column("Passage"), Column("Document"), Column("Date"), Column("Begins"))
    return Table("Its own passages, without those of subtopics", columns, tuple(rows))
