"""Documents and chunks: the text of an item, cut into passages that keep their ids while their text stays.

Used by the pipeline and the resolver inside a write transaction (on the store's writer thread), and by the pipeline
for reading a document back.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from kgfs.model import Chunk, ParsedDocument
from kgfs.names import slug, slug_key, unique_slug
from kgfs.store import marks
from kgfs.store.database import Cursor, given, ids, insert
from kgfs.store.items import GROUP, now, read_item

IN = "IN (SELECT unnest(?::BIGINT[]))"
"""SQL: a column is one of a list of ids."""


def _json(value: Any) -> str:
    # Front matter is the user's: whatever has no JSON form is kept as it prints.
    return msgspec.json.encode(value, enc_hook=str).decode()


def replace_document(
    cursor: Cursor,
    item_id: int,
    path: str,
    document: ParsedDocument,
    hashes: Sequence[str],
    text_size: int | None = None,
) -> list[int]:
    """Write the document and the chunks of item ``item_id`` whose row's path is ``path``.

    ``text_size`` is the length of a text in bytes that is too large to be given: the item's body is that text.

    ``hashes`` has one hash a chunk, over what is embedded for it: a chunk whose hash was there before keeps its row and
    its vectors. Returns the ids of the chunks that are new. The graph is left as it was, but for what stood in chunks
    that are gone.
    """
    text = document.text or ""
    row: dict[str, Any] = {
        "title": document.title,
        "date": document.date,
        "description": document.description,
        "summary": document.summary,
        "text": None if document.text_is_content else text,
        "text_size": len(text.encode("utf-8")) if text_size is None else text_size,
        "text_is_content": document.text_is_content,
        "front_matter": _json(document.front_matter),
        "tags": _json(document.tags),
        "changed_at": now(),
    }
    if cursor.execute("SELECT 1 FROM documents WHERE id = ?", [item_id]).fetchone():
        assignments = ", ".join(f"{name} = ?" for name in row)
        cursor.execute(
            f"UPDATE documents SET {assignments}, version = version + 1 WHERE id = ?", [*row.values(), item_id]
        )
    else:
        name = _document_slug(cursor, path)
        row |= {"id": item_id, "group_id": GROUP, "slug": name, "slug_key": slug_key(name), "version": 1}
        marks_ = ", ".join("?" for _ in row)
        cursor.execute(f"INSERT INTO documents ({', '.join(row)}) VALUES ({marks_})", list(row.values()))
    marks.mark(cursor, "document", [item_id])
    return _replace_chunks(cursor, item_id, document.chunks, hashes)


def _document_slug(cursor: Cursor, path: str) -> str:
    """``<stem>``, on a clash ``<parent>_<stem>``, then ``<stem>~2`` (design, section 2.1)."""
    parent, name = posixpath.split(path)
    stem = posixpath.splitext(name)[0] or name

    def taken(key: str) -> bool:
        return cursor.execute("SELECT 1 FROM documents WHERE slug_key = ?", [key]).fetchone() is not None

    folder = posixpath.basename(parent)
    return unique_slug(slug(stem, "document"), taken, [slug(f"{folder}_{stem}", "document")] if folder else [])


def _replace_chunks(cursor: Cursor, document_id: int, chunks: Sequence[Chunk], hashes: Sequence[str]) -> list[int]:
    before: defaultdict[str, deque[tuple[Any, ...]]] = defaultdict(deque)
    rows = cursor.execute(
        "SELECT hash, id, ordinal, start, first_line, last_line, headings, page, date, tokens FROM chunks"
        " WHERE document_id = ? ORDER BY ordinal",
        [document_id],
    ).fetchall()
    for row in rows:
        before[row[0]].append(row[1:])
    new: list[tuple[Chunk, str]] = []
    moved: list[tuple[int, Chunk]] = []
    for chunk, embedded in zip(chunks, hashes, strict=True):
        if before[embedded]:
            old_id, *place = before[embedded].popleft()
            if place != _place(chunk):
                moved.append((old_id, chunk))
        else:
            new.append((chunk, embedded))
    gone = [row[0] for left in before.values() for row in left]
    if gone:
        drop_chunks(cursor, gone)
    at = now()
    if moved:
        _move(cursor, moved)
    new_ids = list(ids(cursor, "chunk", len(new))) if new else []
    count = len(new)
    insert(
        cursor,
        "chunks",
        {
            "id": new_ids,
            "group_id": [GROUP] * count,
            "document_id": [document_id] * count,
            "ordinal": [chunk.ordinal for chunk, _ in new],
            "text": [chunk.text for chunk, _ in new],
            "size": [len(chunk.text.encode("utf-8")) for chunk, _ in new],
            "start": [chunk.start for chunk, _ in new],
            "first_line": [chunk.first_line for chunk, _ in new],
            "last_line": [chunk.last_line for chunk, _ in new],
            "headings": [_json(chunk.headings) for chunk, _ in new],
            "page": [chunk.page for chunk, _ in new],
            "date": [chunk.date for chunk, _ in new],
            "tokens": [chunk.tokens for chunk, _ in new],
            "hash": [embedded for _, embedded in new],
            "want_gen": [1] * count,
            "have_gen": [0] * count,
            "version": [1] * count,
            "changed_at": [at] * count,
        },
    )
    marks.mark(cursor, "chunk", [*new_ids, *(old_id for old_id, _ in moved)])
    return new_ids


def _place(chunk: Chunk) -> list[Any]:
    return [
        chunk.ordinal, chunk.start, chunk.first_line, chunk.last_line, _json(chunk.headings), chunk.page, chunk.date,
        chunk.tokens,
    ]  # fmt: skip


def _move(cursor: Cursor, moved: Sequence[tuple[int, Chunk]]) -> None:
    places = [_place(chunk) for _, chunk in moved]
    names = ("ordinal", "start", "first_line", "last_line", "headings", "page", "date", "tokens")
    kinds = ("INTEGER", "BIGINT", "INTEGER", "INTEGER", "VARCHAR", "INTEGER", "VARCHAR", "INTEGER")
    columns: dict[str, tuple[str, Sequence[Any]]] = {"id": ("BIGINT", [old_id for old_id, _ in moved])}
    for number, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        columns[name] = (kind, [place[number] for place in places])
    assignments = ", ".join(f"{name} = moved.{name}" for name in names)
    with given(cursor, "moved", columns):
        cursor.execute(
            f"UPDATE chunks SET {assignments}, version = chunks.version + 1, changed_at = ? FROM moved"
            " WHERE chunks.id = moved.id",
            [now()],
        )


def drop_chunks(cursor: Cursor, chunk_ids: Sequence[int]) -> None:
    """Delete chunks with what stood in them: mentions, facts, topic links; marks what showed them."""
    numbers = list(chunk_ids)
    entities = _column(cursor, f"SELECT DISTINCT entity_id FROM entity_chunks WHERE chunk_id {IN}", numbers)
    topics = _column(cursor, f"SELECT DISTINCT topic_id FROM chunk_topics WHERE chunk_id {IN}", numbers)
    facts = _column(cursor, f"SELECT id FROM facts WHERE chunk_id {IN}", numbers)
    drop_facts(cursor, facts)
    for table in ("mentions", "entity_chunks", "chunk_topics"):
        cursor.execute(f"DELETE FROM {table} WHERE chunk_id {IN}", [numbers])
    cursor.execute(f"DELETE FROM chunks WHERE id {IN}", [numbers])
    marks.mark(cursor, "entity", entities)
    marks.mark(cursor, "topic", topics)
    marks.gone(cursor, "chunk", numbers)


def drop_facts(cursor: Cursor, fact_ids: Sequence[int]) -> None:
    """Delete facts; marks both ends of each."""
    if not fact_ids:
        return
    numbers = list(fact_ids)
    ends = cursor.execute(f"SELECT subject_id, object_id FROM facts WHERE id {IN}", [numbers]).fetchall()
    topics = _column(cursor, f"SELECT DISTINCT topic_id FROM fact_topics WHERE fact_id {IN}", numbers)
    cursor.execute(f"DELETE FROM fact_topics WHERE fact_id {IN}", [numbers])
    cursor.execute(f"DELETE FROM facts WHERE id {IN}", [numbers])
    marks.mark(cursor, "entity", {end for pair in ends for end in pair if end is not None})
    marks.mark(cursor, "topic", topics)
    marks.gone(cursor, "fact", numbers)


def drop_documents(cursor: Cursor, document_ids: Sequence[int]) -> None:
    """Delete documents with their chunks; what they claim is the resolver's to take back first."""
    numbers = list(document_ids)
    drop_chunks(cursor, _column(cursor, f"SELECT id FROM chunks WHERE document_id {IN}", numbers))
    linking = _column(cursor, f"SELECT DISTINCT document_id FROM document_links WHERE target_id {IN}", numbers)
    cursor.execute(f"UPDATE document_links SET target_id = NULL WHERE target_id {IN}", [numbers])
    cursor.execute(f"DELETE FROM document_links WHERE document_id {IN}", [numbers])
    cursor.execute(f"DELETE FROM documents WHERE id {IN}", [numbers])
    marks.mark(cursor, "document", {*linking, *numbers})


def _column(cursor: Cursor, sql: str, numbers: Sequence[int]) -> list[int]:
    return [row[0] for row in cursor.execute(sql, [list(numbers)]).fetchall()]


def load_documents(cursor: Cursor, document_ids: Sequence[int]) -> dict[int, ParsedDocument]:
    """Documents as they were parsed, from their rows; those that are gone are left out."""
    rows = cursor.execute(
        "SELECT d.id, i.mime_type, d.title, d.date, d.description, d.summary, d.text, d.text_is_content,"
        f" d.front_matter, d.tags, i.notes FROM documents d JOIN context_items i USING (id) WHERE d.id {IN}",
        [list(document_ids)],
    ).fetchall()
    chunks = load_chunks(cursor, document_ids)
    found = {}
    for number, mime_type, title, date, description, summary, text, is_content, matter, tags, notes in rows:
        own = chunks.get(number, [])
        if text is None:
            text = "".join(chunk.text for chunk in own)
            if not own:
                text = (read_item(cursor, number) or b"").decode("utf-8", "replace")
        found[number] = ParsedDocument(
            mime_type=mime_type,
            title=title,
            date=date,
            description=description,
            summary=summary,
            text=text,
            text_is_content=is_content,
            front_matter=msgspec.json.decode(matter),
            tags=msgspec.json.decode(tags),
            chunks=own,
            notes=msgspec.json.decode(notes),
        )
    return found


def load_chunks(cursor: Cursor, document_ids: Sequence[int]) -> dict[int, list[Chunk]]:
    """The chunks of documents, in order."""
    rows = cursor.execute(
        "SELECT document_id, ordinal, text, start, first_line, last_line, headings, tokens, page, date FROM chunks"
        f" WHERE document_id {IN} ORDER BY document_id, ordinal",
        [list(document_ids)],
    ).fetchall()
    found: dict[int, list[Chunk]] = {}
    for document_id, ordinal, text, start, first, last, headings, tokens, page, date in rows:
        chunk = Chunk(
            ordinal=ordinal, text=text, start=start, first_line=first, last_line=last,
            headings=msgspec.json.decode(headings), tokens=tokens, page=page, date=date,
        )  # fmt: skip
        found.setdefault(document_id, []).append(chunk)
    return found


def note_extraction(cursor: Cursor, read: Mapping[int, tuple[int, str]]) -> None:
    """Note what read documents, ``{id: (generation that was read, extractor)}``."""
    columns: dict[str, tuple[str, Sequence[Any]]] = {
        "id": ("BIGINT", list(read)),
        "generation": ("BIGINT", [generation for generation, _ in read.values()]),
        "extractor": ("VARCHAR", [extractor for _, extractor in read.values()]),
    }
    with given(cursor, "given", columns):
        cursor.execute(
            "UPDATE context_items SET extracted_gen = given.generation FROM given WHERE context_items.id = given.id"
        )
        cursor.execute(
            "UPDATE documents SET extractor = given.extractor, version = documents.version + 1, changed_at = ?"
            " FROM given WHERE documents.id = given.id",
            [now()],
        )


# --- links between documents ---------------------------------------------------------------------------------------


def link_key(kind: str, target: str, path: str) -> str:
    """What a link of the document at ``path`` is looked up by.

    A relative path becomes an absolute one; a wikilink its last component, case-folded, without heading and suffix.
    """
    target = target.split("#", 1)[0].split("|", 1)[0].strip()
    if kind == "path":
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
    name = target.rstrip("/").rsplit("/", 1)[-1]
    return slug_key(name.removesuffix(".md"))


def resolve_links(cursor: Cursor) -> int:
    """Point every link at the document that it names now; returns how many changed. Marks both ends."""
    changed = cursor.execute(
        """
        WITH names AS (
            SELECT d.id, lower(d.title) AS name, 2 AS rank FROM documents d WHERE d.title <> ''
            UNION ALL SELECT d.id, lower(d.slug), 1 FROM documents d
            UNION ALL SELECT i.id, lower(regexp_replace(regexp_extract(i.path, '[^/]*$'), '\\.[^.]*$', '')), 0
            FROM context_items i JOIN documents USING (id)
        ), targets AS (
            SELECT l.rowid AS row_number, min_by(n.id, (n.rank, n.id)) AS target FROM document_links l
            JOIN names n ON n.name = l.target_key WHERE l.kind = 'wikilink' GROUP BY l.rowid
            UNION ALL SELECT l.rowid, min(i.id) FROM document_links l JOIN context_items i ON i.path = l.target_key
            JOIN documents d ON d.id = i.id WHERE l.kind = 'path' GROUP BY l.rowid
        )
        SELECT l.rowid, l.document_id, l.target_id, t.target FROM document_links l
        LEFT JOIN targets t ON t.row_number = l.rowid WHERE l.target_id IS DISTINCT FROM t.target
        """
    ).fetchall()
    if changed:
        columns: dict[str, tuple[str, Sequence[Any]]] = {
            "number": ("BIGINT", [row[0] for row in changed]),
            "target": ("BIGINT", [row[3] for row in changed]),
        }
        with given(cursor, "changed", columns):
            cursor.execute(
                "UPDATE document_links SET target_id = changed.target FROM changed"
                " WHERE document_links.rowid = changed.number"
            )
        touched: Iterable[int | None] = {end for row in changed for end in row[1:]}
        marks.mark(cursor, "document", [end for end in touched if end is not None])
    return len(changed)
