"""The views that ``@sql`` and ``kgfs sql`` answer from: what each is and how it is made of the catalog's tables.

Used by ``kgfs.store.sql.exports`` (which makes tables of them) and by ``kgfs.namespace.queries.sql`` (which shows
``schema_sql``). Pure. A view is a contract: its columns keep their names and meanings, and new ones go to the end.

``WITH_ALL`` goes before each view's statement; it needs the tables ``entity_directories``, ``fact_directories`` (type,
directory) and ``item_paths`` (id, path), which hold what only the naming rules know.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Column(NamedTuple):
    """One column: its name, its type, the expression that makes it, and what it holds."""

    name: str
    type: str
    expression: str
    about: str


class View(NamedTuple):
    """One view; ``source`` is what follows the expressions in its statement."""

    name: str
    about: str
    example: str
    columns: tuple[Column, ...]
    source: str

    @property
    def statement(self) -> str:
        """The SELECT over the catalog that makes its rows, in the order of their ids."""
        chosen = ",\n  ".join(f"({column.expression})::{column.type} AS {column.name}" for column in self.columns)
        return f"{WITH_ALL}\nSELECT\n  {chosen}\n{self.source}"


WITH_ALL = """\
WITH RECURSIVE
widths AS (SELECT document_id, greatest(4, length(max(ordinal)::VARCHAR))::INTEGER AS width FROM chunks
           GROUP BY document_id),
passages AS (SELECT c.id, d.slug AS document, coalesce(c.date, d.date) AS date,
                    'chunk_' || lpad(c.ordinal::VARCHAR, w.width, '0') AS name
             FROM chunks c JOIN documents d ON d.id = c.document_id JOIN widths w ON w.document_id = c.document_id),
statements AS (SELECT f.* FROM facts f JOIN entities e ON e.id = f.subject_id JOIN chunks c ON c.id = f.chunk_id),
stated AS (SELECT subject_id AS id, count(*) AS facts, min(date) AS first, max(date) AS last,
                  count(DISTINCT CASE WHEN object_id IS NOT NULL THEN type || '/' || object_id END) AS relationships
           FROM statements GROUP BY subject_id),
received AS (SELECT object_id AS id, count(*) AS facts, min(date) AS first, max(date) AS last FROM statements
             WHERE object_id IS NOT NULL GROUP BY object_id),
standing AS (SELECT entity_id AS id, count(DISTINCT chunk_id) AS chunks, count(DISTINCT ec.document_id) AS documents,
                    min(p.date) AS first, max(p.date) AS last
             FROM entity_chunks ec JOIN passages p ON p.id = chunk_id GROUP BY entity_id),
other_names AS (SELECT entity_id AS id, list(DISTINCT alias ORDER BY alias) AS aliases FROM entity_aliases
                GROUP BY entity_id),
placed AS (SELECT id, slug, 'topics/' || slug AS path, 1 AS level FROM topics
           WHERE parent_id IS NULL OR parent_id NOT IN (SELECT id FROM topics)
           UNION ALL
           SELECT t.id, t.slug, p.path || '/subtopics/' || t.slug, p.level + 1
           FROM topics t JOIN placed p ON t.parent_id = p.id)"""


def _columns(*rows: tuple[str, str, str, str]) -> tuple[Column, ...]:
    return tuple(Column(*row) for row in rows)


def _json(column: str) -> str:
    return f"CASE WHEN json_valid({column}) THEN {column} END"


_SUMMARY = "coalesce(nullif(json_extract_string(d.reading, '$.summary'), ''), d.summary)"
"""What a language model said of a document's passages, else what rules chose."""

VIEWS: dict[str, View] = {
    view.name: view
    for view in (
        View(
            "documents",
            "One row a document.",
            "SELECT slug, title, date FROM documents WHERE date >= '2019-10' ORDER BY date LIMIT 20",
            _columns(
                ("id", "BIGINT", "d.id", "Row id; the stored file has the same."),
                ("slug", "VARCHAR", "d.slug", "Its name under documents/, unique."),
                ("title", "VARCHAR", "d.title", "Title."),
                ("date", "VARCHAR", "d.date", "Its date, ISO: 2019, 2019-10 or 2019-10-28, as exact as it is known."),
                ("description", "VARCHAR", "d.description", "One or two sentences about it."),
                ("summary", "VARCHAR", _SUMMARY, "A short summary."),
                ("tags", "VARCHAR[]", "from_json(nullif(d.tags, ''), '[\"VARCHAR\"]')", "Its tags."),
                ("front_matter", "JSON", _json("d.front_matter"), "Its front matter."),
                ("mime_type", "VARCHAR", "i.mime_type", "Media type of the stored file."),
                ("ref", "VARCHAR", "i.ref", "Where it comes from, drive:/path; joins context_items.ref."),
                ("size", "BIGINT", "d.text_size", "Length of its text, bytes of UTF-8."),
                ("chunks", "BIGINT", "coalesce(n.chunks, 0)", "How many chunks it has."),
                ("facts", "BIGINT", "coalesce(m.facts, 0)", "How many facts it states."),
                ("extractor", "VARCHAR", "d.extractor", "What read the graph out of it; NULL before."),
                ("path", "VARCHAR", "'documents/' || d.slug", "Its directory, from the root of the tree."),
            ),
            """FROM documents d LEFT JOIN context_items i ON i.id = d.id
     LEFT JOIN (SELECT document_id, count(*) AS chunks FROM chunks GROUP BY document_id) n ON n.document_id = d.id
     LEFT JOIN (SELECT document_id, count(*) AS facts FROM statements GROUP BY document_id) m ON m.document_id = d.id
ORDER BY d.id""",
        ),
        View(
            "chunks",
            "One row a passage; the texts of a document's chunks, by ordinal, joined, are its text.",
            "SELECT path, text FROM chunks WHERE text ILIKE '%unemployment%' AND date LIKE '2019%' LIMIT 20",
            _columns(
                ("id", "BIGINT", "c.id", "Row id."),
                ("chunk_id", "VARCHAR", "p.document || '_' || p.name", "Its name, e.g. report_chunk_0042; unique."),
                ("document_id", "BIGINT", "c.document_id", "Its document: documents.id."),
                ("document", "VARCHAR", "p.document", "Its document: documents.slug."),
                ("ordinal", "INTEGER", "c.ordinal", "Its place in the document, from 1."),
                ("text", "VARCHAR", "c.text", "The passage."),
                ("size", "INTEGER", "c.size", "Its length in bytes of UTF-8."),
                ("tokens", "INTEGER", "c.tokens", "Its length in tokens, roughly."),
                ("first_line", "INTEGER", "c.first_line", "First line in the document's text, from 1."),
                ("last_line", "INTEGER", "c.last_line", "Last line, inclusive."),
                (
                    "headings",
                    "VARCHAR[]",
                    "from_json(nullif(c.headings, ''), '[\"VARCHAR\"]')",
                    "Headings above it, outermost first.",
                ),
                ("page", "INTEGER", "c.page", "Page, where there are pages."),
                ("date", "VARCHAR", "p.date", "Its date, or its document's, ISO."),
                ("entities", "BIGINT", "coalesce(e.entities, 0)", "How many entities stand in it."),
                ("facts", "BIGINT", "coalesce(m.facts, 0)", "How many facts it states."),
                (
                    "path",
                    "VARCHAR",
                    "'chunks/by_document/' || p.document || '/' || p.name",
                    "Its directory, from the root of the tree; content.txt there is the text.",
                ),
            ),
            """FROM chunks c JOIN passages p ON p.id = c.id
     LEFT JOIN (SELECT chunk_id, count(DISTINCT entity_id) AS entities FROM entity_chunks GROUP BY chunk_id) e
               ON e.chunk_id = c.id
     LEFT JOIN (SELECT chunk_id, count(*) AS facts FROM statements GROUP BY chunk_id) m ON m.chunk_id = c.id
ORDER BY c.id""",
        ),
        View(
            "entities",
            "One row an entity: an organization, a person, a place, a concept, ….",
            "SELECT slug, facts, relationships FROM entities WHERE type = 'Organization' ORDER BY facts DESC LIMIT 20",
            _columns(
                ("id", "BIGINT", "e.id", "Row id."),
                ("slug", "VARCHAR", "e.slug", "Its name in the tree, unique."),
                ("name", "VARCHAR", "e.name", "Its name."),
                ("type", "VARCHAR", "e.type", "Organization, Person, Location, Concept, …."),
                ("description", "VARCHAR", "e.description", "One or two sentences about it."),
                (
                    "aliases",
                    "VARCHAR[]",
                    "list_filter(coalesce(o.aliases, []), lambda alias: alias <> e.name)",
                    "Its other names.",
                ),
                ("attributes", "JSON", _json("e.attributes"), "Declared attributes: founded, headquarters, …."),
                ("facts", "BIGINT", "coalesce(s.facts, 0)", "Facts with it as the subject."),
                ("mentioned_in", "BIGINT", "coalesce(r.facts, 0)", "Facts with it as the object."),
                (
                    "relationships",
                    "BIGINT",
                    "coalesce(s.relationships, 0)",
                    "Other entities that its facts lead to, each once a type.",
                ),
                ("chunks", "BIGINT", "coalesce(c.chunks, 0)", "Chunks that it stands in."),
                ("documents", "BIGINT", "coalesce(c.documents, 0)", "Documents that it stands in."),
                (
                    "first_date",
                    "VARCHAR",
                    "least(s.first, r.first, c.first)",
                    "Earliest date of its facts and chunks, ISO.",
                ),
                (
                    "last_date",
                    "VARCHAR",
                    "greatest(s.last, r.last, c.last)",
                    "Latest date of its facts and chunks, ISO.",
                ),
                ("confidence", "DOUBLE", "e.confidence", "0 to 1: how sure it is that there is such a thing."),
                ("extractor", "VARCHAR", "e.extractor", "What found it."),
                (
                    "path",
                    "VARCHAR",
                    "'entities/' || k.directory || '/' || e.slug",
                    "Its directory, from the root of the tree.",
                ),
            ),
            """FROM entities e JOIN entity_directories k ON k.type = e.type LEFT JOIN stated s ON s.id = e.id
     LEFT JOIN received r ON r.id = e.id LEFT JOIN standing c ON c.id = e.id LEFT JOIN other_names o ON o.id = e.id
ORDER BY e.id""",
        ),
        View(
            "facts",
            "One row a fact with its evidence: a relationship of two entities, or a value that one has.",
            "SELECT subject_name, type, object_name, date, quote FROM facts WHERE type = 'ACQUIRED' ORDER BY date",
            _columns(
                ("id", "BIGINT", "f.id", "Row id."),
                ("fact_id", "VARCHAR", "f.fact_id", "f_ and 16 hexadecimal digits, the name of its file; unique."),
                ("type", "VARCHAR", "f.type", "ACQUIRED, REPORTED, …."),
                ("subject_id", "BIGINT", "f.subject_id", "What it is about: entities.id."),
                ("subject", "VARCHAR", "s.slug", "What it is about: entities.slug."),
                ("subject_name", "VARCHAR", "s.name", "What it is about, by its name."),
                ("object_id", "BIGINT", "o.id", "The other entity: entities.id; NULL where there is a value."),
                ("object", "VARCHAR", "o.slug", "The other entity: entities.slug; NULL where there is a value."),
                (
                    "object_name",
                    "VARCHAR",
                    "coalesce(o.name, f.object_text)",
                    "The other entity's name, or the value as written.",
                ),
                ("value", "DOUBLE", "f.value", "The value as a number."),
                ("unit", "VARCHAR", "f.unit", "Its unit."),
                (
                    "indicator",
                    "VARCHAR",
                    "f.indicator",
                    "What a figure measures: the name of its file in economic_data/.",
                ),
                ("description", "VARCHAR", "f.description", "The statement in one sentence."),
                ("date", "VARCHAR", "f.date", "Its date, ISO, as exact as it is known."),
                ("valid_from", "VARCHAR", "f.valid_from", "From when it holds, ISO."),
                (
                    "valid_to",
                    "VARCHAR",
                    "coalesce(f.valid_to, f.ended)",
                    "Until when it holds, ISO: by a text, or by the newer fact that contradicts it.",
                ),
                ("status", "VARCHAR", "f.status", "stated, planned, claimed or conditional."),
                ("role", "VARCHAR", "f.role", "As what the subject stands to the object: chief economist."),
                ("date_role", "VARCHAR", "f.date_role", "What its date is: happened, measured, due or as_of."),
                ("confidence", "DOUBLE", "f.confidence", "0 to 1."),
                ("extractor", "VARCHAR", "f.extractor", "What found it."),
                ("quote", "VARCHAR", "f.quote", "The words that say it, verbatim."),
                (
                    "span_start",
                    "INTEGER",
                    "f.span_start",
                    "Where the quote begins in the chunk's text, bytes of UTF-8.",
                ),
                ("span_end", "INTEGER", "f.span_end", "Where it ends."),
                (
                    "chunk_id",
                    "VARCHAR",
                    "p.document || '_' || p.name",
                    "The chunk that holds the quote: chunks.chunk_id.",
                ),
                ("document_id", "BIGINT", "f.document_id", "Its document: documents.id."),
                ("document", "VARCHAR", "p.document", "Its document: documents.slug."),
                (
                    "path",
                    "VARCHAR",
                    "'facts/by_type/' || k.directory || '/' || f.fact_id || '.json'",
                    "Its file, from the root of the tree.",
                ),
            ),
            """FROM facts f JOIN entities s ON s.id = f.subject_id JOIN passages p ON p.id = f.chunk_id
     JOIN fact_directories k ON k.type = f.type LEFT JOIN entities o ON o.id = f.object_id
ORDER BY f.id""",
        ),
        View(
            "topics",
            "One row a topic; topics are nested.",
            "SELECT path, chunks, facts FROM topics WHERE level = 1 ORDER BY chunks DESC",
            _columns(
                ("id", "BIGINT", "t.id", "Row id."),
                ("slug", "VARCHAR", "t.slug", "Its name in the tree, unique."),
                ("name", "VARCHAR", "t.name", "Its name."),
                ("definition", "VARCHAR", "t.definition", "What it is about."),
                ("parent_id", "BIGINT", "a.id", "The topic above it: topics.id; NULL at the top."),
                ("parent", "VARCHAR", "a.slug", "The topic above it: topics.slug; NULL at the top."),
                ("level", "INTEGER", "p.level", "1 at the top."),
                ("source", "VARCHAR", "t.source", "What made it: tag, heading, part, phrase or cluster."),
                ("chunks", "BIGINT", "coalesce(c.chunks, 0)", "Its chunks, without those of its subtopics."),
                ("facts", "BIGINT", "coalesce(f.facts, 0)", "Its facts, without those of its subtopics."),
                ("path", "VARCHAR", "p.path", "Its directory, from the root of the tree."),
            ),
            """FROM topics t JOIN placed p ON p.id = t.id LEFT JOIN topics a ON a.id = t.parent_id
     LEFT JOIN (SELECT topic_id, count(DISTINCT chunk_id) AS chunks FROM chunk_topics GROUP BY topic_id) c
               ON c.topic_id = t.id
     LEFT JOIN (SELECT topic_id, count(DISTINCT fact_id) AS facts FROM fact_topics GROUP BY topic_id) f
               ON f.topic_id = t.id
ORDER BY t.id""",
        ),
        View(
            "context_items",
            "One row a stored file: what everything else comes from. Its bytes are in the tree, not here; directories"
            " are in the tree only.",
            "SELECT drive, count(*) AS files, sum(size) AS bytes FROM context_items GROUP BY drive ORDER BY bytes DESC",
            _columns(
                ("id", "BIGINT", "i.id", "Row id; its document has the same."),
                ("drive", "VARCHAR", "i.drive", "Where it comes from: disk, agent, url, …."),
                ("path", "VARCHAR", "i.path", "Its path on the drive."),
                ("ref", "VARCHAR", "i.ref", "drive:/path, unique."),
                ("title", "VARCHAR", "i.title", "Its title, or its name."),
                ("mime_type", "VARCHAR", "i.mime_type", "Media type."),
                ("is_textual", "BOOLEAN", "i.is_textual", "Whether its bytes are text."),
                ("size", "BIGINT", "i.size", "Its length in bytes."),
                ("hash", "VARCHAR", "i.hash", "xxh3-128 of its bytes, hexadecimal."),
                ("source_url", "VARCHAR", "i.source_url", "Where it can be looked at on its origin."),
                ("created_at", "TIMESTAMP", "i.created_at", "When it was added, UTC."),
                ("updated_at", "TIMESTAMP", "i.updated_at", "When it last changed here, UTC."),
                ("indexed_at", "TIMESTAMP", "i.indexed_at", "When its text last reached the keyword index, UTC."),
                ("error", "VARCHAR", "i.error", "Why it could not be read as a document; NULL where it could."),
                ("document", "VARCHAR", "d.slug", "The document made of it: documents.slug."),
                ("file", "VARCHAR", "x.path", "The file in the tree, from its root: context/<drive>/…."),
            ),
            """FROM context_items i LEFT JOIN documents d ON d.id = i.id LEFT JOIN item_paths x ON x.id = i.id
WHERE i.mime_type IS DISTINCT FROM 'inode/directory'
ORDER BY i.id""",
        ),
        View(
            "entity_chunks",
            "Which entity stands in which chunk; one row a pair.",
            "SELECT b.entity, count(*) AS together FROM entity_chunks a JOIN entity_chunks b USING (chunk_id) "
            "WHERE a.entity = 'Acme' AND b.entity <> 'Acme' GROUP BY 1 ORDER BY 2 DESC LIMIT 20",
            _columns(
                ("entity_id", "BIGINT", "e.id", "The entity: entities.id."),
                ("entity", "VARCHAR", "e.slug", "The entity: entities.slug."),
                ("chunk_id", "VARCHAR", "p.document || '_' || p.name", "The chunk: chunks.chunk_id."),
                ("document_id", "BIGINT", "ec.document_id", "The chunk's document: documents.id."),
                ("document", "VARCHAR", "p.document", "The chunk's document: documents.slug."),
                ("count", "INTEGER", "sum(ec.count)", "How often it stands there."),
            ),
            """FROM entity_chunks ec JOIN entities e ON e.id = ec.entity_id JOIN passages p ON p.id = ec.chunk_id
GROUP BY e.id, e.slug, ec.chunk_id, p.document, p.name, ec.document_id
ORDER BY e.id, ec.chunk_id""",
        ),
        View(
            "fact_topics",
            "Which fact belongs to which topic, without the topic's subtopics; one row a pair.",
            "SELECT topic, f.type, count(*) AS facts FROM fact_topics JOIN facts f USING (fact_id) GROUP BY ALL "
            "ORDER BY facts DESC LIMIT 20",
            _columns(
                ("fact_id", "VARCHAR", "f.fact_id", "The fact: facts.fact_id."),
                ("topic_id", "BIGINT", "t.id", "The topic: topics.id."),
                ("topic", "VARCHAR", "t.slug", "The topic: topics.slug."),
            ),
            """FROM (SELECT DISTINCT fact_id, topic_id FROM fact_topics) x JOIN statements f ON f.id = x.fact_id
     JOIN topics t ON t.id = x.topic_id
ORDER BY f.id, t.id""",
        ),
        View(
            "document_links",
            "The links between documents, as written: wikilinks, what they embed, relative paths; one row a link.",
            "SELECT target_document, count(*) AS links FROM document_links GROUP BY 1 ORDER BY links DESC LIMIT 20",
            _columns(
                ("document_id", "BIGINT", "l.document_id", "The document that links: documents.id."),
                ("document", "VARCHAR", "d.slug", "The document that links: documents.slug."),
                ("kind", "VARCHAR", "l.kind", "wikilink, embed or path."),
                ("target", "VARCHAR", "l.target", "The target as written, without a heading."),
                ("label", "VARCHAR", "l.label", "The text shown for it, or empty."),
                ("target_document", "VARCHAR", "t.slug", "The document it leads to: documents.slug; NULL for none."),
                ("file", "VARCHAR", "coalesce(x.path, o.path)", "The stored file that it leads to, in the tree."),
            ),
            """FROM document_links l JOIN documents d ON d.id = l.document_id
     LEFT JOIN documents t ON t.id = l.target_id LEFT JOIN item_paths x ON x.id = l.target_id
     LEFT JOIN (SELECT lower(regexp_extract(path, '[^/]*$')) AS name, min(id) AS id FROM context_items
                WHERE mime_type IS DISTINCT FROM 'inode/directory' GROUP BY 1) f
               ON l.target_id IS NULL AND l.kind <> 'path' AND f.name = lower(regexp_extract(l.target, '[^/]*$'))
     LEFT JOIN item_paths o ON o.id = f.id
ORDER BY l.document_id, l.rowid""",
        ),
    )
}
"""The views by name, in the order of the documentation."""


def named_in(statement: str) -> frozenset[str]:
    """The views that a statement may name: those whose names stand in it as words, wherever that is; all for SHOW."""
    words = frozenset(re.findall(r"\w+", statement.casefold()))
    return frozenset(VIEWS) if "show" in words else words & VIEWS.keys()


def schema_sql(limits: str) -> str:
    """The views as a commented schema, for people and agents; ``limits`` is a comment on what a query may cost."""
    lines = [
        "-- What @sql and `kgfs sql` can ask: one SELECT over these views, read-only.",
        "-- Columns of one name mean one thing and join (USING): chunk_id, fact_id, document, document_id, topic, ….",
        "-- Paths start at the root of the tree. A row may be ahead of the tree by what is being added at the moment.",
        *(f"-- {line}" for line in limits.splitlines()),
    ]
    for view in VIEWS.values():
        lines += ["", f"-- {view.about}", f"-- {view.example};", f"CREATE VIEW {view.name} ("]
        width = max(len(f"{column.name} {column.type}") for column in view.columns)
        for column in view.columns:
            comma = "," if column is not view.columns[-1] else ""
            lines.append(f"    {f'{column.name} {column.type}{comma}':<{width + 1}}  -- {column.about}")
        lines.append(");")
    return "\n".join(lines) + "\n"
