"""A bundle into a store that has something already: stored files by their refs, with all that was found in them.

Used by ``kgfs.service.exchange`` on the jobs thread; the one transaction runs on the store's writer thread. Rows get
ids of this store. What was claimed of entities and topics in the files that come in is taken as it is, and what all
claims together come to is then worked out as ever: nothing is extracted again but where names that documents declare
change what others say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from kgfs.errors import ConflictError
from kgfs.exchange.bundle import Bundle, BundleRow
from kgfs.exchange.importing import (
    BundleReader,
    ImportSummary,
    StagedBlocks,
    insert_bundle_rows,
    require_columns,
    row_runs,
    staged_bodies,
)
from kgfs.graph.resolution import adopt_documents, remove_items, resolve_annotated
from kgfs.model import STATED, ParsedDocument
from kgfs.names import is_knowledge
from kgfs.progress import Cancel, Progress
from kgfs.store.catalog import dirty_rows
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.catalog.inserts import take_ids, value_table
from kgfs.store.files import documents, history, items, sources, staging
from kgfs.store.files.documents import PlacedDocument
from kgfs.store.graph import topics
from kgfs.store.graph.annotations import PERSON
from kgfs.store.graph.facts import FactRow

_FACTS = 5_000
_PASSED_OVER = frozenset(
    {
        "counters", "meta", "blocks", "removed_items", "entities", "entity_keys", "entity_aliases", "entity_merges",
        "former_names", "merges", "topics", "topic_groups", "topic_verdicts", "type_verdicts",
        "chunk_topics",
    }
)  # fmt: skip
"""What follows from all claims together, which are other ones here; and what is of the other store alone."""
_OF_DOCUMENTS = ("entity_claims", "claim_aliases", "claim_forms", "claim_evidence", "mentions", "topic_claims",
                 "topic_claim_chunks")  # fmt: skip
_PUT_WITH_DOCUMENT = frozenset(
    "id group_id slug slug_key title date description summary text text_size text_is_content front_matter tags"
    " extractor version changed_at".split()
)
"""Columns of ``documents`` that ``put_documents`` and the extraction set; all others are texts."""
KEPT = "known, another here"
SAME = "unchanged"


def merge_bundle(
    database: Database, bundle: Bundle, on_conflict: str, progress: Progress, cancel: Cancel
) -> ImportSummary:
    """Bring a bundle into a store. ``ConflictError`` with ``on_conflict`` ``error`` for a stored file that is another
    here, before anything is done."""
    with database.read() as cursor:
        require_columns(cursor, bundle)
    reading = BundleReader(bundle, progress, cancel)
    wanted: set[int] = set()
    if bundle.end.rows.get("blocks"):
        with database.read(snapshot=True) as cursor:
            plan = _Plan(cursor, on_conflict)
            for row in reading.rows("context_items"):
                if plan.takes(row.values):
                    wanted.add(row.values["id"])
            wanted |= {
                row.values["id"]
                for row in reading.rows("item_versions")
                if row.values["ref"] in plan.refs and not history.versions(cursor, row.values["ref"])
            }

    def place(owner: int) -> int | None:
        return database.write(staging.begin_staging) if owner in wanted else None

    with staged_bodies(database, reading, place) as bodies:
        return database.write(lambda cursor: _Merge(cursor, on_conflict, bodies).all(reading))


class _Plan:
    """What becomes of each stored file of a bundle."""

    def __init__(self, cursor: Cursor, on_conflict: str) -> None:
        self._cursor = cursor
        self._on_conflict = on_conflict
        self.refs: set[str] = set()
        """Of those that come in."""
        self.over: dict[str, items.Item] = {}
        """Ref to what is replaced."""
        self.there: dict[str, int] = {}
        """Ref to what stays."""
        self.skipped: Counter[str] = Counter()

    def takes(self, row: dict[str, Any]) -> bool:
        """Whether a stored file comes in. ``ConflictError`` where that is not to be."""
        ref = row["ref"]
        here = items.find_item(self._cursor, ref)
        if here is not None:
            directory = items.DIRECTORY in (here.mime_type, row.get("mime_type"))
            same = here.mime_type == row.get("mime_type") if directory else here.hash == row.get("hash", "")
            if same or directory or self._on_conflict == "skip":
                if not (same and directory):
                    self.skipped[SAME if same else KEPT] += 1
                self.there[ref] = here.id
                return False
            if self._on_conflict == "error":
                raise ConflictError(
                    f"{ref} is stored here and is another; nothing was imported, run it with --on-conflict overwrite"
                    " or skip."
                )
            self.over[ref] = here
        self.refs.add(ref)
        return True


class _Merge:
    """One transaction."""

    def __init__(self, cursor: Cursor, on_conflict: str, bodies: StagedBlocks) -> None:
        self._cursor = cursor
        self._plan = _Plan(cursor, on_conflict)
        self._bodies = bodies
        self._items: dict[int, int] = {}
        """Id in the bundle to id here, of stored files that come in."""
        self._stayed: dict[int, int] = {}
        self._sources: dict[int, int] = {}
        self._documents: dict[int, int] = {}
        self._chunks: dict[int, int] = {}
        self._paths: dict[int, str] = {}
        self._unread: set[int] = set()
        """Documents that are to be read here: another one has their identity."""
        self._generations: dict[int, int] = {}
        self._read: dict[int, tuple[int, str]] = {}
        self._annotations: dict[int, int] = {}
        self._names: set[str] = set()
        self._hidden: list[FactRow] = []
        self._versioned: set[str] = set()
        """Refs whose history comes in: those that have none here."""
        self._summary = ImportSummary()

    def all(self, reading: BundleReader) -> ImportSummary:
        """Do it."""
        steps: dict[str, Callable[[list[dict[str, Any]]], None]] = {
            "sources": self._put_sources,
            "context_items": self._put_items,
            "item_versions": self._put_versions,
            "source_items": self._put_members,
            "documents": self._put_documents,
            "chunks": self._put_chunks,
            "document_links": self._put_links,
            "merge_verdicts": self._put_verdicts,
            "annotations": self._put_annotations,
            "annotation_keys": self._put_annotation_keys,
            "retracted_facts": self._keep_hidden,
        }
        tables = [name for name in reading.bundle.header.tables if name not in _PASSED_OVER]
        facts = reading.rows(*(name for name in tables if name == "facts"))
        for table, rows in row_runs(reading.rows(*(name for name in tables if name != "facts"))):
            values = [row.values for row in rows]
            if table in _OF_DOCUMENTS:
                self._put_said(table, values)
            else:
                steps[table](values)
        self._settle(facts)
        return self._summary

    # --- stored files ----------------------------------------------------------------------------------------------

    def _put_sources(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            known = sources.source_at(self._cursor, row["drive"], row["path"])
            if known is None:
                options = msgspec.json.decode(row.get("options") or "{}", type=dict[str, object])
                number = sources.put_source(self._cursor, row["drive"], row["path"], row["name"], options)
                self._cursor.execute(
                    "UPDATE sources SET root = ?, added_at = ?, refreshed_at = ? WHERE id = ?",
                    [row.get("root"), row.get("added_at"), row.get("refreshed_at"), number],
                )
            else:
                number = known.id
            self._sources[row["id"]] = number

    def _put_items(self, rows: list[dict[str, Any]]) -> None:
        taken = [row for row in rows if self._plan.takes(row)]
        self._stayed |= {row["id"]: self._plan.there[row["ref"]] for row in rows if row["ref"] in self._plan.there}
        self._summary.skipped = dict(self._plan.skipped)
        self._replace([self._plan.over[row["ref"]] for row in taken if row["ref"] in self._plan.over])
        whole = [row for row in taken if "content" in row or "content_blob" in row or not row.get("size")]
        fresh = dict(zip((row["id"] for row in whole), take_ids(self._cursor, "item", len(whole)), strict=True))
        for row in taken:
            number = fresh.get(row["id"]) or self._bodies.staged.get(row["id"])
            if number is None:
                raise ConflictError("A stored file changed meanwhile; nothing was imported, run the command again.")
            staging.give_blocks(self._cursor, number, number)
            self._items[row["id"]] = number
            self._generations[number] = row.get("want_gen") or 0
            self._paths[number] = row["path"]
            row |= {"id": number, "source_id": self._sources.get(row.get("source_id") or 0)}
            row |= self._identity(row)
        self._summary.added += sum(row.get("mime_type") != items.DIRECTORY for row in taken) - self._count_over(taken)
        self._summary.updated += self._count_over(taken)
        insert_bundle_rows(self._cursor, "context_items", taken)

    def _count_over(self, rows: Sequence[dict[str, Any]]) -> int:
        return sum(row["ref"] in self._plan.over for row in rows)

    def _replace(self, over: Sequence[items.Item]) -> None:
        for item in over:
            if is_knowledge(item.path) and item.mime_type not in items.FILELESS:
                history.keep_version(self._cursor, item.id)
        if over:
            remove_items(self._cursor, [item.id for item in over])

    def _identity(self, row: dict[str, Any]) -> dict[str, Any]:
        """The identity that a stored file has here: its own, unless another one's facts have their ids from it."""
        identity = row.get("identity") or row["ref"]
        clash = self._cursor.execute(
            "SELECT 1 FROM context_items WHERE identity = ? OR (ref = ? AND identity IS NULL)", [identity, identity]
        ).fetchall()
        if not clash:
            return {}
        self._unread.add(row["id"])
        return {"identity": None, "extracted_gen": 0}

    def _put_versions(self, rows: list[dict[str, Any]]) -> None:
        refs = {row["ref"] for row in rows} & self._plan.refs
        known = {ref for ref in refs if history.versions(self._cursor, ref)} - self._versioned
        self._versioned |= refs - known
        taken = [row for row in rows if row["ref"] in self._versioned]
        for row in taken:
            apart = "content" not in row and "content_blob" not in row
            number = self._bodies.staged.get(row["id"]) if apart else take_ids(self._cursor, "item", 1)[0]
            if number is None:
                raise ConflictError("A stored file changed meanwhile; nothing was imported, run the command again.")
            staging.give_blocks(self._cursor, number, number)
            row |= {"id": number, "item_id": self._items.get(row["item_id"], 0)}
        insert_bundle_rows(self._cursor, "item_versions", taken)

    def _put_members(self, rows: list[dict[str, Any]]) -> None:
        found = []
        for row in rows:
            item = self._items.get(row["item_id"]) or self._stayed.get(row["item_id"])
            source = self._sources.get(row["source_id"])
            if item is not None and source is not None:
                found.append((source, item))
        known = set(self._cursor.execute("SELECT source_id, item_id FROM source_items").fetchall())
        new = sorted(set(found) - known)
        insert_bundle_rows(
            self._cursor, "source_items", [{"source_id": source, "item_id": item} for source, item in new]
        )

    # --- documents -------------------------------------------------------------------------------------------------

    def _put_documents(self, rows: list[dict[str, Any]]) -> None:
        placed = []
        for row in rows:
            number = self._items.get(row["id"])
            if number is None:
                continue
            self._documents[row["id"]] = number
            if row.get("extractor") is not None and number not in self._unread:
                self._read[number] = (self._generations[number], row["extractor"])
            document = ParsedDocument(
                mime_type="",
                title=row.get("title") or "",
                date=row.get("date"),
                description=row.get("description") or "",
                summary=row.get("summary") or "",
                text=row.get("text"),
                text_is_content=bool(row.get("text_is_content")),
                front_matter=msgspec.json.decode(row.get("front_matter") or "{}"),
                tags=msgspec.json.decode(row.get("tags") or "[]"),
            )
            placed.append(PlacedDocument(number, self._paths[number], document, [], row.get("text_size")))
        documents.put_documents(self._cursor, placed)
        self._note_readings([row for row in rows if row["id"] in self._documents])

    def _note_readings(self, rows: list[dict[str, Any]]) -> None:
        """What a reading left with a document beside its text."""
        names = sorted({name for row in rows for name in row} - _PUT_WITH_DOCUMENT)
        for name in names:
            columns: dict[str, tuple[str, Sequence[Any]]] = {
                "id": ("BIGINT", [self._documents[row["id"]] for row in rows]),
                "said": ("VARCHAR", [row.get(name) for row in rows]),
            }
            with value_table(self._cursor, "noted", columns):
                self._cursor.execute(
                    f"UPDATE documents SET {name} = noted.said FROM noted WHERE documents.id = noted.id"
                )

    def _put_chunks(self, rows: list[dict[str, Any]]) -> None:
        taken = [row for row in rows if row["document_id"] in self._documents]
        for row, number in zip(taken, take_ids(self._cursor, "chunk", len(taken)), strict=True):
            self._chunks[row["id"]] = number
            row |= {"id": number, "document_id": self._documents[row["document_id"]], "want_gen": 1, "have_gen": 0}
        insert_bundle_rows(self._cursor, "chunks", taken)
        dirty_rows.mark_dirty(self._cursor, "chunk", [row["id"] for row in taken])

    def _put_links(self, rows: list[dict[str, Any]]) -> None:
        taken = [row for row in rows if row["document_id"] in self._documents]
        for row in taken:
            row |= {"document_id": self._documents[row["document_id"]], "target_id": None}
        insert_bundle_rows(self._cursor, "document_links", taken)

    def _put_said(self, table: str, rows: list[dict[str, Any]]) -> None:
        """What documents claim and mention; what was claimed for a person's facts is found again."""
        taken = []
        for row in rows:
            document = self._documents.get(row["document_id"])
            if document is None or document in self._unread or row.get("extractor") == PERSON:
                continue
            row["document_id"] = document
            row.pop("entity_id", None)
            if "chunk_id" in row:
                if row["chunk_id"] not in self._chunks:
                    continue
                row["chunk_id"] = self._chunks[row["chunk_id"]]
            taken.append(row)
        insert_bundle_rows(self._cursor, table, taken)

    # --- what people said ------------------------------------------------------------------------------------------

    def _put_verdicts(self, rows: list[dict[str, Any]]) -> None:
        """What a judge said of two names, where nothing is said of them here."""
        known = set(self._cursor.execute("SELECT one_key, other_key FROM merge_verdicts").fetchall())
        new = [row for row in rows if (row["one_key"], row["other_key"]) not in known]
        self._names.update(row[key] for row in new for key in ("one_key", "other_key"))
        insert_bundle_rows(self._cursor, "merge_verdicts", new)

    def _put_annotations(self, rows: list[dict[str, Any]]) -> None:
        same = ("kind", "value", "name", "target_name", "fact_id", "ref", "said_by", "said_at")
        known = set(self._cursor.execute(f"SELECT {', '.join(same)} FROM annotations").fetchall())
        new = [row for row in rows if tuple(row.get(name) for name in same) not in known]
        for row, number in zip(new, take_ids(self._cursor, "annotation", len(new)), strict=True):
            self._annotations[row["id"]] = number
            row["id"] = number
        insert_bundle_rows(self._cursor, "annotations", new)

    def _put_annotation_keys(self, rows: list[dict[str, Any]]) -> None:
        taken = [row for row in rows if row["annotation_id"] in self._annotations]
        for row in taken:
            row["annotation_id"] = self._annotations[row["annotation_id"]]
            self._names.add(row["key"])
        insert_bundle_rows(self._cursor, "annotation_keys", taken)

    def _keep_hidden(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            fact = msgspec.json.decode(row["fact"], type=FactRow)
            if row["document_id"] in self._documents and row["chunk_id"] in self._chunks and fact.extractor != PERSON:
                self._hidden.append(self._fact(fact))

    def _fact(self, fact: FactRow) -> FactRow:
        return msgspec.structs.replace(
            fact, document_id=self._documents[fact.document_id], chunk_id=self._chunks[fact.chunk_id]
        )

    # --- all together ----------------------------------------------------------------------------------------------

    def _settle(self, rows: Iterator[BundleRow]) -> None:
        cursor = self._cursor
        numbers = [number for number in self._documents.values() if number not in self._unread]
        documents.note_extraction(cursor, {number: self._read[number] for number in numbers if number in self._read})
        adopt_documents(cursor, numbers, [], claims=True)
        for batch in _batches(self._facts(rows), self._hidden):
            owners = {fact.document_id for fact in batch}
            adopt_documents(cursor, sorted(owners), batch, claims=False)
        if self._names:
            resolve_annotated(cursor, self._names)
        documents.resolve_links(cursor)
        taken = list(self._items.values())
        cursor.execute(
            f"UPDATE context_items SET have_gen = 0 WHERE id IN (SELECT id FROM documents) AND id {documents.IN}",
            [taken],
        )
        if taken:
            topics.note_stale(cursor)
        dirty_rows.mark_dirty(cursor, "source", [0])

    def _facts(self, rows: Iterator[BundleRow]) -> Iterator[FactRow]:
        names = FactRow.__struct_fields__
        for row in rows:
            values = row.values
            known = values["document_id"] in self._documents and values["chunk_id"] in self._chunks
            if not known or values.get("extractor") == PERSON:
                continue
            found = {name: values.get(name) for name in names} | {"status": values.get("status", STATED)}
            fact = self._fact(msgspec.convert(found, FactRow))
            if fact.document_id not in self._unread:
                yield fact


def _batches(facts: Iterator[FactRow], hidden: Sequence[FactRow]) -> Iterator[list[FactRow]]:
    """Facts of some documents at once, with the retracted ones; all facts of a document come together."""
    waiting: dict[int, list[FactRow]] = {}
    for fact in hidden:
        waiting.setdefault(fact.document_id, []).append(fact)
    batch: list[FactRow] = []
    for document, own in groupby(facts, key=lambda fact: fact.document_id):
        batch += [*own, *waiting.pop(document, [])]
        if len(batch) >= _FACTS:
            yield batch
            batch = []
    batch += [fact for own in waiting.values() for fact in own]
    if batch:
        yield batch
