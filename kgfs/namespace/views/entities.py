"""Entities: summary, metadata, what occurs beside them, dated figures of places, and the lists of all of them.

Rendering functions run on the writer thread while publishing, with a fixed number of statements whatever the number of
entities; those of lists run in a thread when their file is first asked for.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from kgfs import names
from kgfs.namespace.domains import gone, safe_name
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.text import bytes_lines, json_page, shorten
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.statements import WANTED, run_prepared
from kgfs.store.graph import merge_candidates
from kgfs.store.tree.columns import TITLE, fetch_in_turns
from kgfs.store.tree.pages import RenderedPage

SUMMARY_CHARACTERS = 2000
BEST_FACTS = 10
_FEW_CHARACTERS = 25
"""Between the ends of a fact that says no more than its type: *took part in the*."""
_MORE = "- and {} more in facts/ and mentioned_in/"
TOP_DOCUMENTS = 5
_IDENTIFIERS = ("ticker", "isin", "lei", "cik", "wikidata", "website", "url", "domain", "iso_code", "geonames")

_ENTITIES = (
    WANTED + "SELECT e.id, e.slug, e.name, e.type, e.description, e.attributes, e.confidence, e.extractor, e.summary "
    "FROM entities e JOIN wanted USING (id) ORDER BY e.type, e.id"
)
_ALIASES = (
    WANTED + "SELECT entity_id, alias FROM entity_aliases JOIN wanted ON wanted.id = entity_id "
    "GROUP BY ALL ORDER BY ALL"
)
_MERGED = (
    WANTED
    + "SELECT entity_id, name, rule, confidence, documents FROM entity_merges JOIN wanted ON wanted.id = entity_id "
    "ORDER BY ALL"
)
_GATHERED = {
    "wanted_facts": WANTED
    + """,
told AS MATERIALIZED (
    SELECT wanted.id AS owner, 0 AS side, facts.id FROM facts JOIN wanted ON wanted.id = subject_id
    UNION ALL SELECT wanted.id AS owner, 1 AS side, facts.id FROM facts JOIN wanted ON wanted.id = object_id)
SELECT owner, side, subject_id, object_id, fact_id, type, object_text, description, date, confidence, status, date_role,
       role, indicator, value, unit, document_id, quote
FROM told JOIN facts USING (id)
""",
    "wanted_passages": WANTED
    + "SELECT entity_id AS owner, chunk_id, document_id, count FROM entity_chunks JOIN wanted ON wanted.id = entity_id",
}
"""What several of the statements below are about: to find the rows of some entities, the engine looks at all rows."""
_COUNTS = (
    WANTED
    + """,
stated AS (SELECT owner AS id, count(*) AS facts, count(*) FILTER (status = 'stated') AS sure,
                  min(date) AS first, max(date) AS last,
                  count(DISTINCT CASE WHEN object_id IS NOT NULL THEN type || '/' || object_id END) AS relationships
           FROM wanted_facts WHERE side = 0 GROUP BY owner),
received AS (SELECT owner AS id, count(*) AS mentions, min(date) AS first, max(date) AS last
             FROM wanted_facts WHERE side = 1 GROUP BY owner),
passages AS (SELECT owner AS id, count(DISTINCT chunk_id) AS chunks, count(DISTINCT p.document_id) AS documents,
                    min(coalesce(c.date, d.date)) AS first, max(coalesce(c.date, d.date)) AS last
             FROM wanted_passages p JOIN chunks c ON c.id = chunk_id JOIN documents d ON d.id = p.document_id
             GROUP BY owner),
subjects AS (SELECT owner AS id, count(DISTINCT topic_id) AS topics
             FROM wanted_passages JOIN chunk_topics USING (chunk_id) GROUP BY owner)
SELECT wanted.id, coalesce(facts, 0), coalesce(sure, 0), coalesce(mentions, 0), coalesce(relationships, 0),
       coalesce(chunks, 0), coalesce(documents, 0), coalesce(topics, 0),
       least(stated.first, received.first, passages.first), greatest(stated.last, received.last, passages.last)
FROM wanted LEFT JOIN stated USING (id) LEFT JOIN received USING (id) LEFT JOIN passages USING (id)
     LEFT JOIN subjects USING (id)
"""
)
_BEST_FACTS = """
WITH about AS (SELECT * FROM wanted_facts WHERE side = 0 OR subject_id <> object_id),
-- What several passages say counts once. An identity has the path in it: equals are in the order of their words.
once AS (SELECT * FROM about QUALIFY row_number() OVER
         (PARTITION BY owner, type, subject_id, object_id, CASE WHEN object_id IS NULL THEN [object_text, date] END
          ORDER BY status <> 'stated', confidence DESC NULLS LAST, length(date) DESC NULLS LAST, description,
                   fact_id) = 1),
-- A few of each type come before all others: of who took part in eighty meetings it is to be seen whom he works for.
placed AS (SELECT *, row_number() OVER
           (PARTITION BY owner, side, type
            ORDER BY status <> 'stated', confidence DESC NULLS LAST, date DESC NULLS LAST, description, fact_id) > 3
           AS late FROM once),
best AS (SELECT *, count(*) OVER (PARTITION BY owner) AS every FROM placed QUALIFY row_number() OVER
         (PARTITION BY owner
          ORDER BY status <> 'stated', late, confidence DESC NULLS LAST, side, date DESC NULLS LAST, type, description,
                   fact_id) <= $1)
SELECT owner, best.fact_id, best.type, s.name, coalesce(o.name, best.object_text), best.description, best.date,
       best.confidence, nullif(best.status, 'stated'), best.date_role, best.role, every
FROM best JOIN entities s ON s.id = subject_id LEFT JOIN entities o ON o.id = object_id
ORDER BY owner, best.status <> 'stated', late, best.confidence DESC NULLS LAST, side, best.date DESC NULLS LAST,
         best.type, best.description, best.fact_id
"""
_TOP_DOCUMENTS = f"""
WITH sums AS (SELECT owner, document_id, sum(count) AS times FROM wanted_passages GROUP BY ALL)
SELECT owner, d.slug, {TITLE}, times FROM sums JOIN documents d ON d.id = document_id
QUALIFY row_number() OVER (PARTITION BY owner ORDER BY times DESC, d.slug) <= $1
ORDER BY owner, times DESC, d.slug
"""
_CO_OCCURS = """
WITH pairs AS (SELECT owner, entity_id AS id, count(DISTINCT mine.chunk_id) AS chunks
               FROM wanted_passages mine JOIN entity_chunks other
                    ON other.chunk_id = mine.chunk_id AND entity_id <> owner
               GROUP BY ALL)
SELECT owner, name, slug, type, chunks FROM pairs JOIN entities USING (id) ORDER BY owner, chunks DESC, slug
"""
_FIGURES = """
SELECT owner, indicator, f.date, value, unit, f.confidence, fact_id, d.slug, quote
FROM wanted_facts f JOIN entities e ON e.id = owner JOIN documents d ON d.id = f.document_id
WHERE side = 0 AND indicator IS NOT NULL AND value IS NOT NULL AND f.date IS NOT NULL
ORDER BY owner, indicator, f.date, fact_id
"""

Rows = dict[int, list[tuple[Any, ...]]]


def _grouped(cursor: Cursor, sql: str, parameters: Sequence[Any] = ()) -> Rows:
    """Rows by their first column."""
    found: Rows = defaultdict(list)
    for owner, *rest in run_prepared(cursor, sql, parameters).fetchall():
        found[owner].append(tuple(rest))
    return found


def render_entities(cursor: Cursor, row_ids: Sequence[int]) -> Iterator[RenderedPage]:
    """All pages of these entities."""
    wanted = list(row_ids)
    for table, sql in _GATHERED.items():
        run_prepared(cursor, f"CREATE OR REPLACE TEMP TABLE {table} AS {sql}", [wanted])
    entities = run_prepared(cursor, _ENTITIES, [wanted]).fetchall()
    aliases = _grouped(cursor, _ALIASES, [wanted])
    merged = _grouped(cursor, _MERGED, [wanted])
    counts = {row[0]: row[1:] for row in run_prepared(cursor, _COUNTS, [wanted]).fetchall()}
    facts = _grouped(cursor, _BEST_FACTS, [BEST_FACTS])
    documents = _grouped(cursor, _TOP_DOCUMENTS, [TOP_DOCUMENTS])
    beside = _grouped(cursor, _CO_OCCURS)
    figures = _grouped(cursor, _FIGURES)
    for table in _GATHERED:
        run_prepared(cursor, f"DROP TABLE {table}")
    for row_id, slug, name, kind, description, attributes, confidence, extractor, sentences in entities:
        other_names = [alias for (alias,) in aliases.get(row_id, ()) if alias != name]
        head = (name, kind, other_names, description or "", sentences or "")
        yield RenderedPage(
            "entity_summary", row_id, "", _summary(head, facts.get(row_id, []), documents.get(row_id, []))
        )
        metadata = {
            "id": f"entity:{row_id}",
            "name": name,
            "slug": slug,
            "type": kind,
            "aliases": other_names,
            **_numbers(counts[row_id]),
            "confidence": confidence,
            "extractor": extractor,
            "merged": [
                {"name": other, "rule": rule, "confidence": sure, "documents": documents_with}
                for other, rule, sure, documents_with in merged.get(row_id, ())
            ],
        }
        yield RenderedPage("entity_metadata", row_id, "", _metadata(metadata, attributes))
        lines = (
            {"entity": other, "slug": other_slug, "type": other_kind, "chunks": chunks}
            for other, other_slug, other_kind, chunks in beside.get(row_id, ())
        )
        yield RenderedPage("co_occurs", row_id, "", b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
        if names.entity_directory(kind) == names.entity_directory("Location"):
            yield from _economic_data(row_id, figures.get(row_id, []))


def _numbers(row: tuple[Any, ...]) -> dict[str, Any]:
    facts, stated, mentions, relationships, chunks, documents, topics, first, last = row
    return {
        "counts": {
            "facts": facts,
            "stated": stated,
            "mentioned_in": mentions,
            "relationships": relationships,
            "chunks": chunks,
            "documents": documents,
            "topics": topics,
        },
        "dates": {"first": first, "last": last},
    }


def _metadata(metadata: dict[str, Any], attributes: str | None) -> bytes:
    """Metadata with the declared attributes flat in it; an attribute never hides a field of ours."""
    declared = msgspec.json.decode(attributes) if attributes else {}
    extra = declared if isinstance(declared, dict) else {}
    identifiers = extra.get("identifiers")
    found = dict(identifiers) if isinstance(identifiers, dict) else {}
    found |= {key: extra[key] for key in _IDENTIFIERS if key in extra}
    flat = {key: value for key, value in extra.items() if key not in metadata and key != "identifiers"}
    return json_page({**metadata, "identifiers": found, **flat})


def _summary(
    head: tuple[str, str, list[str], str, str], facts: list[tuple[Any, ...]], documents: list[tuple[Any, ...]]
) -> bytes:
    name, kind, aliases, description, sentences = head
    lines = [shorten(f"{names.one_line(name)} ({names.one_line(kind)})", 300)]
    if aliases:
        lines.append(shorten("Also: " + ", ".join(names.one_line(alias) for alias in aliases), 300))
    if description:
        lines += ["", shorten(names.one_line(description), 500)]
    if sentences:
        lines += ["", shorten(names.one_line(sentences), 720)]
    tail: list[str] = []
    if documents:
        tail += ["", "Documents:"]
        tail += [
            shorten(f"- documents/{slug}: {names.one_line(title or slug)} ({times})", 160)
            for slug, title, times in documents
        ]
    room = (
        SUMMARY_CHARACTERS - sum(len(line) + 1 for line in (*lines, *tail)) - len(f"\nFacts:\n{_MORE.format(9999)}\n")
    )
    shown = []
    told = {names.one_line(text) for text in (description, sentences)}
    for *fact, _ in facts:
        line = _fact_line(fact, told)
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
    if facts and (more := facts[0][-1] - len(shown)):
        shown.append(_MORE.format(f"{more:,}"))
    if shown:
        lines += ["", "Facts:", *shown]
    while tail and sum(len(line) + 1 for line in (*lines, *tail)) > SUMMARY_CHARACTERS:
        tail.pop()
    return bytes_lines([*lines, *tail])


def _fact_line(fact: Sequence[Any], told: set[str]) -> str:
    """A fact: its ends and type, and what says so unless the summary has said it (``told``, which it joins)."""
    fact_id, fact_type, subject, object_, said, date, confidence, status, date_role, role = fact
    said = names.one_line(said or "").strip()
    as_what = f" as {role}" if role else ""
    statement = shorten(names.one_line(f"{subject} {fact_type} {object_ or ''}{as_what}").strip(), 160)
    when = f" ({'due ' if date_role == 'due' else ''}{date})" if date else ""
    sure = f"{f' {confidence:.2f}' if confidence is not None else ''}{f', {status}' if status else ''}"
    if fact_type == "REPORTED" or said.startswith(f"{subject}: "):
        statement, said = shorten(said or statement, 200), ""
    elif said.startswith(f"{object_}: ") or _says_no_more(said, subject, object_):
        said = ""  # a row of the object, which says it the other way round; "Ann Lee took part in Lamp Day"
    line = f"- {statement}{when} [{fact_id}{sure}]"
    if not said or said in told:
        return line
    told.add(said)
    return f"{line}: {shorten(said, 200)}"


def _says_no_more(said: str, subject: str, object_: str | None) -> bool:
    """Whether a sentence only joins both ends by a few words."""
    between = said.removeprefix(subject).removesuffix(object_ or "")
    return bool(object_) and 0 < len(between) == len(said) - len(subject) - len(object_ or "") < _FEW_CHARACTERS


def _economic_data(row_id: int, figures: list[tuple[Any, ...]]) -> Iterator[RenderedPage]:
    tables: dict[str, list[str]] = {}
    for indicator, date, value, unit, confidence, fact_id, document, quote in figures:
        cells = (date, f"{value:g}" if value == round(value, 6) else repr(value), unit or "", f"{confidence or 0:.2f}")
        row = "\t".join(map(names.tsv_field, (*cells, fact_id, document, quote or "")))
        tables.setdefault(safe_name(names.slug(indicator)), []).append(row)
    for indicator, rows in tables.items():
        head = "date\tvalue\tunit\tconfidence\tfact_id\tdocument\tquote"
        yield RenderedPage("economic_data", row_id, indicator, bytes_lines([head, *rows]))


# --- lists ----------------------------------------------------------------------------------------------------------


def index_tsv(store: PageStore, s: Snapshot, node: NodeRef) -> bytes:
    """``entities/_index.tsv``: every entity, most facts first."""
    with store.database.read(snapshot=True) as cursor:
        rows = fetch_in_turns(cursor, "SELECT id, name, type FROM entities ORDER BY slug")
        aliases = dict(
            fetch_in_turns(
                cursor, "SELECT entity_id, list(DISTINCT alias ORDER BY alias) FROM entity_aliases GROUP BY entity_id"
            )
        )
    counts, pairs, chunks = s.stated.counts.tolist(), s.stated.pair_counts.tolist(), s.entity_chunks.counts().tolist()
    lines: list[str] = []
    shown: list[int] = []
    field = names.tsv_field
    for row_id, name, kind in rows:
        index = s.entities.find_index(row_id)
        if index < 0:
            continue
        slug = s.entities.slugs[index]
        others = "|".join(field(alias) for alias in aliases.get(row_id, ()) if alias != name)
        rest = f"{field(name)}\t{field(kind)}\t{others}\t{counts[index]}\t{pairs[index]}\t{chunks[index]}"
        lines.append(f"{field(slug)}\t{rest}\t{field(s.entity_path(index))}")
        shown.append(-counts[index])
    order = np.argsort(np.array(shown, np.int64), kind="stable").tolist()  # to sort a list would keep others waiting
    head = "slug\tname\ttype\taliases\tfacts\trelationships\tchunks\tpath"
    return bytes_lines(chain([head], (lines[place] for place in order)))


def merge_candidates_jsonl(store: PageStore, s: Snapshot, node: NodeRef) -> bytes:
    """``@status/merge_candidates.jsonl``: pairs that may be one, the likeliest first."""
    with store.database.read(snapshot=True) as cursor:
        pairs = merge_candidates.shown_candidates(cursor)
    lines = []
    for pair in pairs:
        both = [
            {"name": name, "slug": slug, "type": kind, "path": f"entities/{names.entity_directory(kind)}/{slug}"}
            for slug, name, kind in (pair.one, pair.other)
        ]
        one, other = (shlex.quote(slug) for slug, _, _ in (pair.one, pair.other))
        line = {
            "score": pair.score, "reason": pair.reason, "cosine": pair.cosine, "one": both[0], "other": both[1],
            "to_join": f"kgfs entity merge {one} {other}",
        }  # fmt: skip
        lines.append(msgspec.json.encode(line).decode())
    return bytes_lines(lines)


def counts_tsv(s: Snapshot, node: NodeRef) -> bytes:
    """``entities/_counts.tsv``: directories of types with their number of entities, most first."""
    rows = sorted(((-len(members), s.names.name(number)) for number, members in s.by_type.items()))
    return bytes_lines(["type\tentities", *(f"{name}\t{-count}" for count, name in rows)])


def slugs_txt(store: PageStore, s: Snapshot, node: NodeRef) -> bytes:
    """``_index.txt`` of a type (``id`` is the directory's number): one slug a line, sorted."""
    slugs, members = s.entities.slugs, s.by_type.get(node.id)
    if members is None:
        raise gone("type")
    return bytes_lines(names.one_line(slug) for slug in sorted(slugs[index] for index in members.tolist()))


def type_stamp(s: Snapshot, node: NodeRef) -> tuple[int, int]:
    """The newest entity of a type."""
    if node.id not in s.by_type:
        raise gone("type")
    return s.type_newest.get(node.id, s.published), s.published
