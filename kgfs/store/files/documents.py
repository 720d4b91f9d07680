"""Documents and chunks: the text of an item, cut into passages that keep their ids while their text stays.

Used by the pipeline and the resolver inside a write transaction (on the store's writer thread), and by the pipeline
for reading a document back.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from kgfs.model import Chunk, DefinedTerm, Heading, ParsedDocument
from kgfs.names import slug_key, unique_slug
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert, insert_rows, take_ids, value_table
from kgfs.store.catalog.statements import run_prepared
from kgfs.store.files.document_names import wanted_names
from kgfs.store.files.items import GROUP, now, read_item

IN = "IN (SELECT unnest(?::BIGINT[]))"
"""SQL: a column is one of a list of ids."""


def _json(value: Any) -> str:
    # Front matter is the user's: whatever has no JSON form is kept as it prints.
    return msgspec.json.encode(value, enc_hook=str).decode()


class PlacedDocument(NamedTuple):
    """A parsed document on its way to the row of its item."""

    item_id: int
    path: str
    """The path of the item's row."""
    document: ParsedDocument
    hashes: Sequence[str]
    """One a chunk, over what is embedded for it."""
    text_size: int | None = None
    """The length in bytes of a text that is too large to be carried along: the item's body is that text."""


def put_documents(cursor: Cursor, placed: Sequence[PlacedDocument]) -> list[int]:
    """Write documents with their chunks, in order: earlier ones come first to a name. New ones go in all at once.

    A chunk whose hash was there before keeps its row and its vectors. Returns the ids of the chunks that are new. The
    graph is left as it was, but for what stood in chunks that are gone.
    """
    known = set(_column(cursor, f"SELECT id FROM documents WHERE id {IN}", [one.item_id for one in placed]))
    fresh = [one for one in placed if one.item_id not in known]
    names = _document_slugs(cursor, [wanted_names(one.path, one.document.title) for one in fresh])
    rows = []
    for one, name in zip(fresh, names, strict=True):
        row = {"id": one.item_id, "group_id": GROUP, "slug": name, "slug_key": slug_key(name), "version": 1}
        rows.append({**_row(one), **row})
    insert_rows(cursor, "documents", rows)
    new = [
        (one.item_id, chunk, digest)
        for one in fresh
        for chunk, digest in zip(one.document.chunks, one.hashes, strict=True)
    ]
    moved: list[int] = []
    for one in placed:
        if one.item_id in known:
            row = _row(one)
            assignments = ", ".join(f"{name} = ?" for name in row)
            cursor.execute(
                f"UPDATE documents SET {assignments}, version = version + 1 WHERE id = ?", [*row.values(), one.item_id]
            )
            added, kept = _replaced_chunks(cursor, one.item_id, one.document.chunks, one.hashes)
            new += [(one.item_id, chunk, digest) for chunk, digest in added]
            moved += kept
    new_ids = _insert_chunks(cursor, new)
    dirty_rows.mark_dirty(cursor, "document", [one.item_id for one in placed])
    dirty_rows.mark_dirty(cursor, "chunk", [*new_ids, *moved])
    return new_ids


def replace_document(
    cursor: Cursor, item_id: int, path: str, document: ParsedDocument, hashes: Sequence[str]
) -> list[int]:
    """``put_documents`` of one."""
    return put_documents(cursor, [PlacedDocument(item_id, path, document, hashes)])


def _row(one: PlacedDocument) -> dict[str, Any]:
    document = one.document
    text = document.text or ""
    return {
        "title": document.title,
        "date": document.date,
        "lead": document.lead,
        "terms": _json(document.terms),
        "description": document.description,
        "summary": document.summary,
        "text": None if document.text_is_content else text,
        "text_size": len(text.encode("utf-8")) if one.text_size is None else one.text_size,
        "text_is_content": document.text_is_content,
        "front_matter": _json(document.front_matter),
        "tags": _json(document.tags),
        "pages": _json(document.pages) if document.pages else None,
        "outline": _json(document.outline),
        "chunker": "structural",
        "chunker_asked": None,
        "reading": None,  # it was of another text
        "changed_at": now(),
    }


def _document_slugs(cursor: Cursor, wanted: Sequence[list[str]]) -> list[str]:
    """For each document the first of its names that is free, else the first with a number (design, section 2.1)."""
    asked = {slug_key(name) for names in wanted for name in names}
    held = {key for (key,) in _among(cursor, asked)}

    def taken(key: str) -> bool:
        if key not in asked:
            asked.add(key)
            held.update(found for (found,) in _among(cursor, [key]))
        return key in held

    names = []
    for first, *others in wanted:
        names.append(unique_slug(first, taken, others))
        held.add(slug_key(names[-1]))
    return names


def _among(cursor: Cursor, keys: Iterable[str]) -> list[tuple[str]]:
    sql = "SELECT slug_key FROM documents WHERE slug_key IN (SELECT unnest(?::VARCHAR[]))"
    return cursor.execute(sql, [list(keys)]).fetchall()


def _replaced_chunks(
    cursor: Cursor, document_id: int, chunks: Sequence[Chunk], hashes: Sequence[str]
) -> tuple[list[tuple[Chunk, str]], list[int]]:
    """Drop the chunks that are gone and move those that stay; the new ones, and the ids of those that were moved."""
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
    if moved:
        _move(cursor, moved)
    return new, [old_id for old_id, _ in moved]


def _insert_chunks(cursor: Cursor, new: Sequence[tuple[int, Chunk, str]]) -> list[int]:
    """Add chunks, ``(document, chunk, hash)``; returns their ids."""
    count = len(new)
    new_ids = list(take_ids(cursor, "chunk", count))
    insert(
        cursor,
        "chunks",
        {
            "id": new_ids,
            "group_id": [GROUP] * count,
            "document_id": [document_id for document_id, _, _ in new],
            "ordinal": [chunk.ordinal for _, chunk, _ in new],
            "text": [chunk.text for _, chunk, _ in new],
            "size": [len(chunk.text.encode("utf-8")) for _, chunk, _ in new],
            "start": [chunk.start for _, chunk, _ in new],
            "first_line": [chunk.first_line for _, chunk, _ in new],
            "last_line": [chunk.last_line for _, chunk, _ in new],
            "headings": [_json(chunk.headings) for _, chunk, _ in new],
            "page": [chunk.page for _, chunk, _ in new],
            "date": [chunk.date for _, chunk, _ in new],
            "tokens": [chunk.tokens for _, chunk, _ in new],
            "hash": [embedded for _, _, embedded in new],
            "want_gen": [1] * count,
            "have_gen": [0] * count,
            "version": [1] * count,
            "changed_at": [now()] * count,
        },
    )
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
    with value_table(cursor, "moved", columns):
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
    dirty_rows.mark_dirty(cursor, "entity", entities)
    dirty_rows.mark_dirty(cursor, "topic", topics)
    dirty_rows.mark_removed(cursor, "chunk", numbers)


def drop_facts(cursor: Cursor, fact_ids: Sequence[int]) -> None:
    """Delete facts; marks both ends of each."""
    if not fact_ids:
        return
    numbers = list(fact_ids)
    ends = cursor.execute(f"SELECT subject_id, object_id FROM facts WHERE id {IN}", [numbers]).fetchall()
    topics = _column(cursor, f"SELECT DISTINCT topic_id FROM fact_topics WHERE fact_id {IN}", numbers)
    cursor.execute(f"DELETE FROM fact_topics WHERE fact_id {IN}", [numbers])
    cursor.execute(f"DELETE FROM facts WHERE id {IN}", [numbers])
    dirty_rows.mark_dirty(cursor, "entity", {end for pair in ends for end in pair if end is not None})
    dirty_rows.mark_dirty(cursor, "topic", topics)
    dirty_rows.mark_removed(cursor, "fact", numbers)


def drop_documents(cursor: Cursor, document_ids: Sequence[int]) -> None:
    """Delete documents with their chunks; what they claim is the resolver's to take back first."""
    numbers = list(document_ids)
    drop_chunks(cursor, _column(cursor, f"SELECT id FROM chunks WHERE document_id {IN}", numbers))
    linking = _column(cursor, f"SELECT DISTINCT document_id FROM document_links WHERE target_id {IN}", numbers)
    cursor.execute(f"UPDATE document_links SET target_id = NULL WHERE target_id {IN}", [numbers])
    cursor.execute(f"DELETE FROM document_links WHERE document_id {IN}", [numbers])
    cursor.execute(f"DELETE FROM documents WHERE id {IN}", [numbers])
    dirty_rows.mark_dirty(cursor, "document", {*linking, *numbers})


def _column(cursor: Cursor, sql: str, numbers: Sequence[int]) -> list[int]:
    return [row[0] for row in cursor.execute(sql, [list(numbers)]).fetchall()]


def load_documents(cursor: Cursor, document_ids: Sequence[int]) -> dict[int, ParsedDocument]:
    """Documents as they were parsed, from their rows; those that are gone are left out."""
    rows = cursor.execute(
        "SELECT d.id, i.mime_type, i.path, d.title, d.date, d.lead, d.terms, d.description, d.summary, d.text,"
        " d.text_is_content, d.front_matter, d.tags, d.pages, d.outline, i.notes"
        f" FROM documents d JOIN context_items i USING (id) WHERE d.id {IN}",
        [list(document_ids)],
    ).fetchall()
    chunks = load_chunks(cursor, document_ids)
    found = {}
    for number, mime_type, path, title, date, lead, terms, description, summary, text, *rest in rows:
        is_content, matter, tags, pages, outline, notes = rest
        own = chunks.get(number, [])
        if text is None:
            text = "".join(chunk.text for chunk in own)
            if not own:
                text = (read_item(cursor, number) or b"").decode("utf-8", "replace")
        found[number] = ParsedDocument(
            mime_type=mime_type,
            path=path,
            title=title,
            date=date,
            lead=lead if lead is not None else description,
            terms=msgspec.json.decode(terms, type=list[DefinedTerm]) if terms else [],
            description=description,
            summary=summary,
            text=text,
            text_is_content=is_content,
            front_matter=msgspec.json.decode(matter),
            tags=msgspec.json.decode(tags),
            chunks=own,
            outline=msgspec.json.decode(outline, type=list[Heading]) if outline else [],
            pages=msgspec.json.decode(pages) if pages else [],
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
    with value_table(cursor, "given", columns):
        cursor.execute(
            "UPDATE context_items SET extracted_gen = given.generation FROM given WHERE context_items.id = given.id"
        )
        cursor.execute(
            "UPDATE documents SET extractor = given.extractor, version = documents.version + 1, changed_at = ?"
            " FROM given WHERE documents.id = given.id",
            [now()],
        )


# --- what a language model left -------------------------------------------------------------------------------------


class ModelReading(msgspec.Struct, omit_defaults=True):
    """What a language model's reading of a document came to, but for the graph."""

    summary: str = ""
    title: str = ""
    description: str = ""
    dropped: dict[str, int] = {}
    """What it said and the text does not, by kind and reason."""
    examples: list[tuple[str, str]] = []
    """Some of that: the reason, and what it said."""
    failure: str = ""
    """Why it could not read the document, one sentence."""


def note_chunker(cursor: Cursor, document_id: int, chunker: str, asked: str) -> None:
    """Note what cut a document into chunks, and which model and prompt version were asked; marks the document."""
    cursor.execute("UPDATE documents SET chunker = ?, chunker_asked = ? WHERE id = ?", [chunker, asked, document_id])
    dirty_rows.mark_dirty(cursor, "document", [document_id])


def asked_before(cursor: Cursor, document_ids: Sequence[int], asked: str) -> set[int]:
    """Of these documents those whose chunks this model and prompt version were asked for already."""
    sql = f"SELECT id FROM documents WHERE chunker_asked = ? AND id {IN}"
    return {row[0] for row in cursor.execute(sql, [asked, list(document_ids)]).fetchall()}


def note_readings(cursor: Cursor, readings: Mapping[int, ModelReading | None]) -> None:
    """Note what reading with a model came to, ``None`` where none read the document."""
    columns: dict[str, tuple[str, Sequence[Any]]] = {
        "id": ("BIGINT", list(readings)),
        "reading": ("VARCHAR", [None if one is None else _json(one) for one in readings.values()]),
    }
    with value_table(cursor, "given", columns):
        cursor.execute(
            "UPDATE documents SET reading = given.reading FROM given WHERE documents.id = given.id"
            " AND documents.reading IS DISTINCT FROM given.reading"
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


_TEXT_SUFFIX = r"\.(md|markdown|mdx|html?|org|rst|adoc|txt)$"


def _spelled(name: str) -> str:
    """SQL: a name without what links leave open: case, and which of space, ``_`` and ``-`` stands between words."""
    return f"regexp_replace(trim(lower({name})), '[\\s_-]+', '-', 'g')"


def _standing(path: str) -> str:
    """SQL: a path as pages of a site are known by: without suffix, an index as its folder, spelled as above."""
    bare = f"regexp_replace(rtrim({path}, '/'), '{_TEXT_SUFFIX}', '', 'i')"
    return f"regexp_replace({_spelled(bare)}, '(^|/)(-?index|readme)$', '')"


_WRITTEN = "regexp_replace(trim(split_part(l.target, '#', 1)), '^([.]{0,2}/)+|[.]md$', '', 'g')"
_BARE = f"regexp_replace(i.path, '{_TEXT_SUFFIX}', '', 'i')"
_LINKS = f"""
    WITH links AS MATERIALIZED (
        SELECT l.rowid AS number, l.document_id, l.kind, l.target_key, o.drive, o.source_id,
            regexp_extract(o.path, '^.*/') AS folder, {_spelled("l.target_key")} AS name,
            {_standing("l.target_key")} AS place, {_standing("regexp_replace(l.target, '^([.]{0,2}/)+', '')")} AS tail,
            CASE WHEN l.kind <> 'path' AND contains(ltrim(l.target, './'), '/') THEN
                '/' || {_spelled(_WRITTEN)} END AS within
        FROM document_links l JOIN context_items o ON o.id = l.document_id
    ), held AS MATERIALIZED (
        SELECT d.id, i.drive, i.path, i.source_id, regexp_extract(i.path, '^.*/') AS folder, d.title, d.slug,
            regexp_replace(regexp_extract(i.path, '[^/]*$'), '\\.[^.]*$', '') AS stem,
            {_spelled(_BARE)} AS spelled, {_standing("i.path")} AS place,
            CASE WHEN d.front_matter <> '{{}}' THEN d.front_matter END AS matter
        FROM documents d JOIN context_items i USING (id)
    ), names AS (
        SELECT id, {_spelled("stem")} AS name, 0 AS rank FROM held
        UNION ALL SELECT id, {_spelled("slug")}, 1 FROM held
        UNION ALL SELECT id, {_spelled("title")}, 2 FROM held WHERE title <> ''
        UNION ALL SELECT id, {_spelled("alias")}, 3 FROM (SELECT id, unnest(CASE json_type(matter, '$.aliases')
            WHEN 'ARRAY' THEN json_extract_string(matter, '$.aliases[*]')
            WHEN 'VARCHAR' THEN [json_extract_string(matter, '$.aliases')] END) AS alias FROM held)
        UNION ALL SELECT id, {_spelled("json_extract_string(matter, '$.id')")}, 3 FROM held
            WHERE json_type(matter, '$.id') = 'VARCHAR'
    ), options AS (
        -- A wikilink with folders names the file that lies in them, if there is one.
        SELECT l.number, h.id, coalesce(NOT ends_with(h.spelled, l.within), false)::INTEGER * 10 + n.rank
            AS rank, h.folder = l.folder AS beside, h.source_id IS NOT DISTINCT FROM l.source_id AS together
        FROM links l JOIN names n USING (name) JOIN held h ON h.id = n.id WHERE l.kind <> 'path'
        UNION ALL SELECT l.number, h.id, CASE h.path WHEN l.target_key THEN 0 ELSE 1 END, true, true
        FROM links l JOIN held h ON h.drive = l.drive AND h.place = l.place
        WHERE l.kind = 'path' AND (l.place <> '' OR h.path = l.target_key)
        -- What a site's links say is seldom where the file lies: what they end with is.
        UNION ALL SELECT l.number, h.id, 2, true, true
        FROM links l JOIN (SELECT *, {_standing("ltrim(json_extract_string(matter, '$.permalink'), '/')")} AS known
            FROM held) h ON h.known = l.tail AND h.source_id IS NOT DISTINCT FROM l.source_id AND h.drive = l.drive
        WHERE l.kind = 'path' AND l.tail <> ''
        UNION ALL SELECT l.number, h.id, 3, h.folder = l.folder, true
        FROM links l JOIN held h ON regexp_extract(h.place, '[^/]*$') = regexp_extract(l.tail, '[^/]*$')
            AND h.source_id IS NOT DISTINCT FROM l.source_id AND h.drive = l.drive
        WHERE l.kind = 'path' AND l.tail <> '' AND ends_with(h.place, '/' || l.tail)
    ), best AS (
        SELECT * FROM options QUALIFY rank = min(rank) OVER (PARTITION BY number)
    ), targets AS (
        SELECT number, CASE WHEN count(DISTINCT id) = 1 THEN min(id)
            WHEN count(DISTINCT id) FILTER (beside) = 1 THEN min(id) FILTER (beside)
            WHEN count(DISTINCT id) FILTER (together) = 1 THEN min(id) FILTER (together) END AS target
        FROM best GROUP BY number
    )
    SELECT l.rowid, l.document_id, l.target_id, t.target FROM document_links l
    LEFT JOIN targets t ON t.number = l.rowid WHERE l.target_id IS DISTINCT FROM t.target
"""
"""SQL: the links that lead elsewhere than they say, ``(rowid, document, target, target now)``. A link that several
documents answer alike leads to the one beside it or in its source, if that is one only; else nowhere."""


def _has_links(cursor: Cursor) -> bool:
    """Whether there are links at all: to plan the query above takes 12 ms, in each pass."""
    return bool(run_prepared(cursor, "SELECT 1 FROM document_links LIMIT 1").fetchall())


def links_changed(cursor: Cursor) -> bool:
    """Whether some link names another document than it leads to: ``resolve_links`` would change something."""
    return _has_links(cursor) and cursor.execute(f"{_LINKS} LIMIT 1").fetchone() is not None


def resolve_links(cursor: Cursor) -> int:
    """Point every link at the document that it names now; returns how many changed. Marks both ends."""
    changed = cursor.execute(_LINKS).fetchall() if _has_links(cursor) else []
    if changed:
        columns: dict[str, tuple[str, Sequence[Any]]] = {
            "number": ("BIGINT", [row[0] for row in changed]),
            "target": ("BIGINT", [row[3] for row in changed]),
        }
        with value_table(cursor, "changed", columns):
            cursor.execute(
                "UPDATE document_links SET target_id = changed.target FROM changed"
                " WHERE document_links.rowid = changed.number"
            )
        touched: Iterable[int | None] = {end for row in changed for end in row[1:]}
        dirty_rows.mark_dirty(cursor, "document", [end for end in touched if end is not None])
    return len(changed)
