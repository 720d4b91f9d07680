"""The page of a document: its passages in order, what they state, and where it leads.

Used by the views of ``@web``, in threads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs import names
from kgfs.namespace.domains import gone
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.site import addresses
from kgfs.namespace.site.addresses import HOME
from kgfs.namespace.site.framing import first_crumb, most_often, pages
from kgfs.namespace.site.texts import FRONT_MATTER, DocumentTold, FactTold, Texts, paragraphs, said, shown
from kgfs.namespace.snapshot import Snapshot
from kgfs.site.records import DocumentPage, Frame, Link, Passage

ROOT = "../"
ENTITIES, TOPICS, LINKS = 24, 12, 24
OUTLINE = 30
_WIKI = re.compile(r"\[\[([^\[\]|\n]+)")
_MARKDOWN = ("text/markdown", "text/html", "text/x-tex", "text/rtf", "message/")
"""What a text is Markdown of: Markdown, and what the readers of formats write as Markdown."""


def document_page(store: PageStore, s: Snapshot, node: NodeRef) -> DocumentPage:
    """A page (``sub``) of a document (``id``)."""
    index, part = s.documents.index(node.id), node.sub or 1
    parts = addresses.document_parts(s, index)
    if part > len(parts):
        raise gone("page")
    chunks = list(parts[part - 1])
    texts = Texts(store, s, ROOT)
    everything = s.chunks_of(index)
    named = (entity for chunk in everything for entity in s.chunk_entities.members(chunk))
    about = (topic for chunk in everything for topic in s.chunk_topics.members(chunk))
    entities = [each for each, _ in most_often(named, ENTITIES)]
    topics = [each for each, _ in most_often(about, TOPICS)]
    links = s.document_links.members(index)[:LINKS].tolist()
    backlinks = s.document_backlinks.members(index)[:LINKS].tolist()
    texts.want("document_summary", s.documents, [index])
    texts.want_documents([index, *links, *backlinks])
    texts.want_entities(entities)
    texts.want("chunk_metadata", s.chunks, chunks)
    texts.want_facts(fact for chunk in chunks for fact in s.chunk_facts.members(chunk))
    told = texts.document(index)
    markdown = _is_markdown(told.mime_type or "")
    passages = tuple(_passage(texts, s, chunk, body, markdown) for chunk, body in store.chunks(s, chunks).items())
    return DocumentPage(
        frame=Frame(
            title=shown(told.title or told.slug), root=ROOT, section="documents", place=s.document_path(index),
            crumbs=(first_crumb(ROOT), Link("Documents", HOME)),
        ),
        told=_told(told, len(everything)),
        paragraphs=paragraphs(texts.page("document_summary", s.documents, index), "Speaks of: ") if part == 1 else (),
        outline=_outline(passages),
        passages=passages,
        names=_named(s, passages) if markdown else {},
        markdown=markdown,
        pages=pages(part, len(parts), lambda each: addresses.document(s, index, each).seen_from(ROOT)),
        entities=tuple(texts.entity_link(each) for each in entities),
        topics=tuple(texts.topic_link(each) for each in topics),
        links=tuple(texts.document_link(each, "") for each in links),
        backlinks=tuple(texts.document_link(each, "") for each in backlinks),
    )  # fmt: skip


def _is_markdown(mime_type: str) -> bool:
    if mime_type.startswith(_MARKDOWN):
        return True
    return mime_type.startswith("application/") and mime_type.rpartition("/")[2] not in (
        "json", "jsonl", "yaml", "toml", "xml", "sql", "x-sh",
    )  # fmt: skip


def _told(told: DocumentTold, passages: int) -> tuple[tuple[str, str], ...]:
    rows = (
        ("Date", told.date), ("From", told.source_url or told.origin), ("Kind", told.mime_type),
        ("Passages", f"{passages:,}"), ("Facts", f"{told.counts.get('facts', 0):,}"),
        ("Tags", ", ".join(map(str, told.tags))),
    )  # fmt: skip
    return tuple((name, names.one_line(value)) for name, value in rows if value)


def _passage(texts: Texts, s: Snapshot, chunk: int, body: bytes, markdown: bool) -> Passage:
    told = texts.chunk(chunk)
    text = body.decode("utf-8", "replace")
    if markdown and s.chunk_ordinal[chunk] == 1:
        text = FRONT_MATTER.sub("", text)
    where = [f"page {told.page}"] if told.page is not None else []
    if len(told.lines) == 2:
        where.append(f"lines {told.lines[0]} to {told.lines[1]}")
    facts = []
    for fact in s.chunk_facts.members(chunk):
        facts.append(Link(statement(texts.fact(fact)), addresses.fact(s, fact).seen_from(ROOT)))
    return Passage(
        id=s.chunk_name(chunk), text=text, headings=tuple(shown(str(each), 80) for each in told.headings[-2:]),
        told=", ".join(where), facts=tuple(facts),
    )  # fmt: skip


def statement(told: FactTold) -> str:
    """A fact on one line: *Alphabet Inc. acquired DeepMind*."""
    if told.object is None and told.description:
        return shown(told.description, 160)
    return shown(f"{told.subject} {said(told.type)} {told.object or ''}", 160)


def _outline(passages: Sequence[Passage]) -> tuple[Link, ...]:
    """The headings, each once, where it begins."""
    found: dict[str, Link] = {}
    for passage in passages:
        if passage.headings and passage.headings[-1] not in found:
            found[passage.headings[-1]] = Link(passage.headings[-1], f"#{passage.id}")
    return tuple(found.values())[:OUTLINE] if len(found) > 1 else ()


def _named(s: Snapshot, passages: Sequence[Passage]) -> dict[str, str]:
    """What stands in ``[[…]]`` to its page, where an entity or a document has that name."""
    found: dict[str, str] = {}
    for name in {match.strip() for passage in passages for match in _WIKI.findall(passage.text)}:
        slug = names.slug(name.partition("#")[0])
        entity = s.entities.by_slug.get(slug, s.aliases.get(slug, -1))
        page = s.documents.by_slug.get(slug, -1)
        if entity >= 0:
            found[name] = addresses.entity(s, entity).seen_from(ROOT)
        elif page >= 0:
            found[name] = addresses.document(s, page).seen_from(ROOT)
    return found
