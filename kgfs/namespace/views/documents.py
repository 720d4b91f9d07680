"""Documents and their chunks: metadata, summary, structure, table of contents, text, and the lists of all documents."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from kgfs import names
from kgfs.model import Heading, precision
from kgfs.namespace.bodies import Body, BytesBody
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import WHOLE_BYTES, PageStore
from kgfs.namespace.relations import Ints
from kgfs.namespace.route import When
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.files import Piece, StoredView
from kgfs.namespace.views.stamps import RowColumn, dated
from kgfs.namespace.views.text import bytes_lines, json_list, json_list_page, json_page, shorten
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.statements import WANTED, run_prepared
from kgfs.store.files.documents import ModelReading
from kgfs.store.tree.columns import TITLE, fetch_in_turns
from kgfs.store.tree.pages import RenderedPage
from kgfs.store.tree.text_scan import StoredText

_DOCUMENTS = (
    WANTED
    + f""",
stated AS (SELECT f.document_id AS id, count(*) AS times FROM facts f
           JOIN wanted w ON w.id = f.document_id GROUP BY ALL),
named AS (SELECT ec.document_id AS id, count(DISTINCT entity_id) AS times FROM entity_chunks ec
          JOIN wanted w ON w.id = ec.document_id GROUP BY ALL),
about AS (SELECT ct.document_id AS id, count(DISTINCT topic_id) AS times FROM chunk_topics ct
          JOIN wanted w ON w.id = ct.document_id GROUP BY ALL)
SELECT d.id, d.slug, {TITLE}, d.date, d.description, d.summary, d.text_size, d.front_matter, d.tags, d.extractor,
       d.chunker, d.reading, d.outline,
       i.ref, i.mime_type, i.size, i.hash, i.source_url, i.notes, i.error,
       coalesce(stated.times, 0), coalesce(named.times, 0), coalesce(about.times, 0)
FROM documents d JOIN wanted USING (id) LEFT JOIN context_items i USING (id) LEFT JOIN stated USING (id)
     LEFT JOIN named USING (id) LEFT JOIN about USING (id) ORDER BY d.id
"""
)
_OUTLINES = (
    WANTED
    + """
SELECT document_id, ordinal, headings, first_line, last_line, tokens, page FROM chunks
JOIN wanted ON wanted.id = document_id ORDER BY document_id, ordinal
"""
)
_TOP_ENTITIES = (
    WANTED
    + """,
sums AS (SELECT ec.document_id, entity_id, sum(count) AS times FROM entity_chunks ec
         JOIN wanted ON wanted.id = ec.document_id GROUP BY ALL)
SELECT document_id, e.name, e.slug FROM sums JOIN entities e ON e.id = entity_id
QUALIFY row_number() OVER (PARTITION BY document_id ORDER BY times DESC, e.slug) <= 10
ORDER BY document_id, times DESC, e.slug
"""
)
_LOST_LINKS = (
    WANTED
    + r"""
SELECT DISTINCT document_id, target FROM document_links JOIN wanted ON wanted.id = document_id
WHERE target_id IS NULL AND NOT regexp_matches(target, '[.](png|jpe?g|gif|svg|webp|ico|mp4|webm)([?#]|$)', 'i')
ORDER BY document_id, target
"""
)
"""Pictures are left out: they are no documents."""
_LOST_SHOWN = 10
_CHUNKS = (
    WANTED
    + f""",
c AS (SELECT chunks.* FROM chunks JOIN wanted USING (id)),
widths AS (SELECT document_id, max(ordinal) AS highest FROM chunks
           WHERE document_id IN (SELECT document_id FROM c) GROUP BY document_id)
SELECT c.id, d.slug, c.ordinal, highest, c.headings, c.first_line, c.last_line, c.page, coalesce(c.date, d.date),
       c.tokens, c.size, c.start, {TITLE}, i.ref
FROM c JOIN documents d ON d.id = c.document_id JOIN widths ON widths.document_id = c.document_id
     LEFT JOIN context_items i ON i.id = c.document_id ORDER BY c.document_id, c.ordinal
"""
)


def width(highest: int) -> int:
    """Digits of the chunk numbers of a document whose highest is ``highest``."""
    return max(4, len(str(highest)))


def render_documents(cursor: Cursor, row_ids: Sequence[int]) -> Iterator[RenderedPage]:
    """All pages of these documents."""
    wanted = list(row_ids)
    documents = run_prepared(cursor, _DOCUMENTS, [wanted]).fetchall()
    outlines: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for document_id, *rest in run_prepared(cursor, _OUTLINES, [wanted]).fetchall():
        outlines[document_id].append(tuple(rest))
    entities: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for document_id, name, slug in run_prepared(cursor, _TOP_ENTITIES, [wanted]).fetchall():
        entities[document_id].append((name, slug))
    lost: dict[int, list[str]] = defaultdict(list)
    for document_id, target in run_prepared(cursor, _LOST_LINKS, [wanted]).fetchall():
        lost[document_id].append(target)
    for row in documents:
        (
            row_id, slug, title, date, description, summary, text_size, front_matter, tags, extractor, chunker, reading,
            headings, ref, mime_type, size, digest, url, notes, error, facts, entity_count, topics,
        ) = row  # fmt: skip
        outline = outlines.get(row_id, [])
        read = msgspec.json.decode(reading, type=ModelReading) if reading else ModelReading()
        title, description = read.title or title, read.description or description
        metadata = {
            "id": f"document:{row_id}",
            "slug": slug,
            "title": title,
            "date": date,
            "date_precision": precision(date),
            "description": description or "",
            "origin": ref,
            "source_url": url,
            "mime_type": mime_type,
            "size": size,
            "text_size": text_size,
            "hash": digest,
            "missing_links": lost[row_id],
            "counts": {"chunks": len(outline), "entities": entity_count, "facts": facts, "topics": topics},
            "tags": json_list(tags),
            "extractor": extractor,
            "chunker": chunker,
            "reading": _reading(read) if reading else None,
            "front_matter": msgspec.json.decode(front_matter) if front_matter else {},
            "notes": json_list(notes),
            "error": error,
        }
        yield RenderedPage("document_metadata", row_id, "", json_page(metadata))
        yield RenderedPage(
            "document_summary", row_id, "",
            _summary(title or slug, date, description, read.summary or summary, entities.get(row_id, []), lost[row_id]),
        )  # fmt: skip
        yield RenderedPage("document_structure", row_id, "", _structure(title or slug, headings, outline))
        yield RenderedPage("document_toc", row_id, "", _toc(outline))


def _reading(read: ModelReading) -> dict[str, Any]:
    """What is shown of a language model's reading: what of its words was not taken, with examples, or why it failed."""
    examples = [{"reason": reason, "said": said} for reason, said in read.examples]
    return {"dropped": read.dropped, "examples": examples, "failure": read.failure or None}


def _summary(
    title: str,
    date: str | None,
    description: str | None,
    summary: str | None,
    entities: list[tuple[str, str]],
    lost: Sequence[str],
) -> bytes:
    lines = [names.one_line(title) + (f" ({date})" if date else "")]
    for text in dict.fromkeys(text for text in (description, summary) if text):
        lines += ["", shorten(names.one_line(text), 1000)]
    if entities:
        lines += ["", "Speaks of: " + ", ".join(names.one_line(name) for name, _ in entities)]
    if lost:
        more = f" and {len(lost) - _LOST_SHOWN} more" if len(lost) > _LOST_SHOWN else ""
        lines += ["", "Links to what is not here: " + ", ".join(map(names.one_line, lost[:_LOST_SHOWN])) + more]
    return bytes_lines(lines)


def _structure(title: str, headings: str | None, outline: list[tuple[Any, ...]]) -> bytes:
    """All headings in order, two spaces a level, with the chunk and the line in which each begins."""
    lines = [names.one_line(title)]
    digits = width(outline[-1][0]) if outline else 4
    if headings is None:
        return bytes_lines([*lines, *_headings_of_chunks(outline, digits)])
    first_lines = [first for _, _, first, *_ in outline]
    for one in msgspec.json.decode(headings, type=list[Heading]):
        place = bisect_right(first_lines, one.line) - 1
        chunk = f"chunk_{outline[place][0]:0{digits}d}, " if place >= 0 else ""
        lines.append(f"{'  ' * one.level}{names.one_line(one.title)}  [{chunk}line {one.line}]")
    return bytes_lines(lines)


def _headings_of_chunks(outline: list[tuple[Any, ...]], digits: int) -> Iterator[str]:
    """The headings where passages begin, of a document that was parsed before all of them were kept."""
    before: list[str] = []
    for ordinal, headings, first, _, _, _ in outline:
        path = [str(heading) for heading in json_list(headings)]
        shared = 0
        while shared < min(len(path), len(before)) and path[shared] == before[shared]:
            shared += 1
        for depth in range(shared, len(path)):
            yield f"{'  ' * (depth + 1)}{names.one_line(path[depth])}  [chunk_{ordinal:0{digits}d}, line {first}]"
        before = path


def _toc(outline: list[tuple[Any, ...]]) -> bytes:
    """One line a chunk: its name, lines, tokens and heading path."""
    digits = width(outline[-1][0]) if outline else 4
    lines = []
    for ordinal, headings, first, last, tokens, page in outline:
        path = " > ".join(names.one_line(str(heading)) for heading in json_list(headings))
        where = f"lines {first}-{last}" + (f", page {page}" if page is not None else "")
        lines.append(f"chunk_{ordinal:0{digits}d}\t{where}\t{tokens} tokens\t{path}")
    return bytes_lines(lines)


def render_chunks(cursor: Cursor, row_ids: Sequence[int]) -> Iterator[RenderedPage]:
    """The metadata of these chunks."""
    for row in run_prepared(cursor, _CHUNKS, [list(row_ids)]).fetchall():
        row_id, slug, ordinal, highest, headings, first, last, page, date, tokens, size, start, title, ref = row
        name = f"chunk_{ordinal:0{width(highest)}d}"
        metadata = {
            "chunk_id": f"{slug}_{name}",
            "id": f"chunk:{row_id}",
            "document": slug,
            "title": title,
            "ordinal": ordinal,
            "headings": json_list(headings),
            "lines": [first, last],
            "page": page,
            "date": date,
            "date_precision": precision(date),
            "tokens": tokens,
            "size": size,
            "span": [start, start + size],
            "origin": ref,
        }
        yield RenderedPage("chunk_metadata", row_id, "", json_page(metadata))


# --- files ----------------------------------------------------------------------------------------------------------


class ChunkText(StoredView):
    """The passage itself."""

    stamp = dated(lambda s: s.chunks)
    size = RowColumn(lambda s: s.chunks, lambda s: s.chunk_size)

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return node.id  # the text of a chunk's row never changes

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        text = store.cache.get(("chunk", node.id))
        return None if text is None else BytesBody(text)

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        return BytesBody(store.chunk(s, s.chunks.index(node.id)))

    def stock(self, s: Snapshot) -> dict[str, tuple[Ints, Ints]]:
        return {"chunks": (s.chunks.id_array, np.asarray(s.chunk_size))}

    def pieces(self, s: Snapshot, node: NodeRef) -> Iterable[Piece]:
        return (("chunks", node.id, s.chunk_size[s.chunks.index(node.id)]),)

    def places(self, s: Snapshot, text: StoredText) -> Iterable[NodeRef]:
        return (NodeRef(text.owner),) if s.chunks.find_index(text.owner) >= 0 else ()


class ItemFile(StoredView):
    """A stored file: ``id`` is its inode."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        live = s.context.live.get(node.id)
        if live is not None:
            return live.mtime, live.ctime
        index = s.items.index(s.context.item_of(node.id))
        return s.items.mtime[index], s.items.ctime[index]

    def size(self, s: Snapshot, node: NodeRef) -> int:
        live = s.context.live.get(node.id)
        return s.item_size[s.items.index(s.context.item_of(node.id))] if live is None else live.size

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        live = s.context.live.get(node.id)
        if live is not None:
            return node.id, live.item, live.serial, live.ctime
        return node.id, s.items.ctime[s.items.index(s.context.item_of(node.id))]

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        draft = self._runtime.drafts.get(node.id)
        if draft is not None:
            return draft
        live = s.context.live.get(node.id)
        if live is not None and live.serial:
            return store.peek_written(live.item, live.serial, live.size)
        index = s.items.index(s.context.item_of(node.id))
        text = store.cache.get(store.item_key(s, index))
        if text is not None:
            return BytesBody(text)
        return None if s.item_size[index] <= WHOLE_BYTES else store.item(s, index)

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        draft = self._runtime.drafts.get(node.id)
        if draft is not None:
            return draft
        live = s.context.live.get(node.id)
        if live is not None and live.serial:
            return store.written(live.item, live.serial, live.size)
        return store.item(s, s.items.index(s.context.item_of(node.id)))

    def stock(self, s: Snapshot) -> dict[str, tuple[Ints, Ints]]:
        return {"items": (s.items.id_array, np.asarray(s.item_size))}

    def pieces(self, s: Snapshot, node: NodeRef) -> Iterable[Piece]:
        item = s.context.item_of(node.id)
        if node.id in s.context.targets:
            return ()  # a link has no text of its own
        if s.items.find_index(item) < 0:
            return ()  # written since; where that must show, the snapshot is loaded again
        return (("items", item, s.item_size[s.items.index(item)]),)

    def places(self, s: Snapshot, text: StoredText) -> Iterable[NodeRef]:
        inode = s.context.inode_of(text.owner)
        there = s.items.find_index(text.owner) >= 0 and inode not in s.context.targets
        return (NodeRef(inode),) if there else ()


class DocumentText(StoredView):
    """The text of a document: its own where it was extracted, else the stored file's."""

    stamp = dated(lambda s: s.documents)

    def __init__(self, runtime: Runtime) -> None:
        self._runtime, self._item = runtime, ItemFile(runtime)

    def size(self, s: Snapshot, node: NodeRef) -> int:
        index = s.documents.index(node.id)
        return (
            self._item.size(s, NodeRef(s.context.inode_of(node.id)))
            if s.document_linked[index]
            else s.document_size[index]
        )

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return "text", node.id, s.documents.ctime[s.documents.index(node.id)]

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        if s.document_linked[s.documents.index(node.id)]:
            return self._item.peek(store, s, NodeRef(s.context.inode_of(node.id)))
        text = store.cache.get(self.key(s, node))
        return None if text is None else BytesBody(text)

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        index = s.documents.index(node.id)
        if s.document_linked[index]:
            return self._item.load(store, s, NodeRef(s.context.inode_of(node.id)))
        return store.document_text(s, index)

    def stock(self, s: Snapshot) -> dict[str, tuple[Ints, Ints]]:
        linked = np.asarray(s.document_linked) != 0
        own = (np.asarray(s.document_stored) != 0) & ~linked
        ids, sizes = s.documents.id_array, np.asarray(s.document_size)
        found = {"documents": (ids[own], sizes[own])}
        if not self._runtime.links:
            found["items"] = ids[linked], np.asarray(s.item_size)[np.asarray(s.document_item)[linked]]
        return found

    def pieces(self, s: Snapshot, node: NodeRef) -> Iterable[Piece]:
        index = s.documents.index(node.id)
        if s.document_linked[index]:
            return self._item.pieces(s, NodeRef(s.context.inode_of(node.id)))
        return (("documents", node.id, s.document_size[index]),)

    def places(self, s: Snapshot, text: StoredText) -> Iterable[NodeRef]:
        index = s.documents.find_index(text.owner)
        if index < 0 or bool(s.document_linked[index]) != (text.source == "items"):
            return ()
        return (NodeRef(text.owner),)


def text_is_link(s: Snapshot, node: NodeRef) -> bool:
    return bool(s.document_linked[s.documents.index(node.id)])


def text_is_file(runtime: Runtime) -> When:
    """Whether the text of a document stands there as a file of its own."""

    def when(s: Snapshot, node: NodeRef) -> bool:
        index = s.documents.index(node.id)
        return not runtime.links if s.document_linked[index] else bool(s.document_stored[index])

    return when


# --- lists ----------------------------------------------------------------------------------------------------------


def _listed(store: PageStore, s: Snapshot) -> Iterator[tuple[Any, ...]]:
    with store.database.read() as cursor:
        rows = fetch_in_turns(
            cursor,
            f"SELECT d.id, d.slug, {TITLE}, d.date, i.ref, i.mime_type FROM documents d "
            "LEFT JOIN context_items i USING (id) ORDER BY d.slug",
        )
    for row in rows:
        index = s.documents.find_index(row[0])
        if index >= 0:
            yield (*row[1:], len(s.chunks_of(index)), s.document_size[index], s.document_path(index))


_COLUMNS = ("slug", "title", "date", "origin", "mime_type", "chunks", "text_size", "path")


def index_json(store: PageStore, s: Snapshot, node: NodeRef) -> bytes:
    """``documents/_index.json``: a list of all documents."""
    return json_list_page(dict(zip(_COLUMNS, row, strict=True)) for row in _listed(store, s))


def index_tsv(store: PageStore, s: Snapshot, node: NodeRef) -> bytes:
    """``documents/_index.tsv``: the same as a table."""
    rows = ("\t".join(names.tsv_field("" if cell is None else str(cell)) for cell in row) for row in _listed(store, s))
    return bytes_lines(["\t".join(_COLUMNS), *rows])
