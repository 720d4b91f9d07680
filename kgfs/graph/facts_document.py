"""Facts that a person states or retracts, and the documents of the agent drive in which stated facts are written down.

Used by the service as the work of a mutation, inside a write transaction on the store's writer thread. A person's fact
has its words in a document, as every fact has: in the chunk that the person quotes, else in a sentence of its own in
``agent:/annotations/facts.md``, which is a file like any other: it is listed, found and can be edited, and a line that
goes takes its fact along.
"""

from __future__ import annotations

import re
import time

import msgspec

from kgfs.config import Config
from kgfs.errors import ConflictError, NotFoundError, UsageError
from kgfs.graph import embedding_text
from kgfs.graph.annotating import MAX_DESCRIPTION, AnnotatedEntity, clean_text
from kgfs.graph.candidate_rows import DocumentExtraction
from kgfs.graph.parsed_body import ItemBody, ParsedBody, put_bodies
from kgfs.graph.resolution import put_extractions, restate_facts
from kgfs.graph.stated_facts import FACTS_PATH, is_facts_document
from kgfs.model import Extraction
from kgfs.names import fact_type
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import take_ids
from kgfs.store.files import drive_rows, items
from kgfs.store.files.drive_rows import NewAttributes
from kgfs.store.graph import annotations as people
from kgfs.store.graph import facts
from kgfs.store.graph.annotations import FACT, PERSON, RETRACT, Annotation, StatedFact

DRIVE = "agent"
HEAD = "# Facts\n\nFacts that people stated with `kgfs fact add`. A line that is taken out takes its fact along.\n\n"
MAX_FILE = 64 * 1024
"""Bytes of one file of facts: all of it is read again with each new one."""
MAX_SENTENCE = 700
"""Characters: it has to fit into one chunk."""
_DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


class FactStatement(msgspec.Struct, kw_only=True):
    """A fact as somebody states it."""

    type: str
    object_text: str | None = None
    """What stands in the place of an object entity."""
    date: str | None = None
    description: str = ""
    chunk_id: int | None = None
    """Row id of the chunk that ``quote`` stands in."""
    quote: str = ""


# --- stating -------------------------------------------------------------------------------------------------------


def state_fact(
    cursor: Cursor, of: AnnotatedEntity, to: AnnotatedEntity | None, said: FactStatement, who: str, config: Config
) -> str:
    """Keep a fact with its words; returns its id.

    ``UsageError`` for words that do not stand in the chunk or do not fit into one, ``ConflictError`` for a fact that is
    there already.
    """
    kind = fact_type(clean_text(said.type, "type", 100))
    if said.date is not None and not _DATE.fullmatch(said.date):
        raise UsageError(f"{said.date} is no date; say 2019, 2019-10 or 2019-10-30.")
    text = None if to is not None else clean_text(said.object_text or "", "object", MAX_SENTENCE)
    description = clean_text(said.description, "description", MAX_DESCRIPTION) if said.description else ""
    if said.chunk_id is not None:
        item_id, quote = _quoted(cursor, said.chunk_id, said.quote)
        description = description or _sentence(of, kind, to, text, said.date)
    else:
        quote = description = description or _sentence(of, kind, to, text, said.date)
        if len(quote) > MAX_SENTENCE:
            raise UsageError(
                f"The sentence has {len(quote):,} characters, and {MAX_SENTENCE} fit; say a shorter --description."
            )
        item_id = _room(cursor, len(quote.encode()) + 3)
    ref = items.identities(cursor, [item_id])[item_id]
    identity = facts.fact_identity(
        of.keys[0], kind, to.keys[0] if to is not None else None, (text, None, None), said.date, ref, quote
    )
    fact_id = facts.fact_id(identity)
    if people.of_fact(cursor, fact_id, RETRACT):
        raise ConflictError(f"This fact was retracted; `kgfs fact restore {fact_id}` brings it back.")
    if _shown(cursor, fact_id):
        raise ConflictError(f"This fact is there already: {fact_id}.")
    standing = people.of_fact(cursor, fact_id, FACT)  # its line was taken out of the file
    if not standing:
        people.put_annotation(
            cursor,
            Annotation(
                kind=FACT, keys=[of.keys[0]], target_keys=[to.keys[0]] if to is not None else [], name=of.known_as,
                type=of.known_type, target_name=to.known_as if to is not None else "",
                target_type=to.known_type if to is not None else "", value=description, fact_id=fact_id, ref=ref,
                fact=StatedFact(type=kind, quote=quote, object_text=text, description=description, date=said.date),
                said_by=who,
            ),
        )  # fmt: skip
    if said.chunk_id is not None:
        restate_facts(cursor, [item_id])
    else:
        body, line = _body(cursor, item_id), f"- {quote}\n"
        _rewrite(cursor, item_id, body if line in body else body + line, config)
    if not _shown(cursor, fact_id):
        raise UsageError("The sentence does not fit into one passage; say a shorter --description.")
    return fact_id


def _sentence(of: AnnotatedEntity, kind: str, to: AnnotatedEntity | None, text: str | None, date: str | None) -> str:
    dated = f" ({date})" if date else ""
    said = embedding_text.fact_title(of.name, kind, to.name if to is not None else text or "")
    return f"{said}{dated}" + ("" if said.endswith(".") and not dated else ".")


def _quoted(cursor: Cursor, chunk_id: int, quote: str) -> tuple[int, str]:
    row = cursor.execute("SELECT document_id, text FROM chunks WHERE id = ?", [chunk_id]).fetchone()
    if row is None:
        raise NotFoundError("The passage has just changed; look at it again and repeat the command.")
    if not quote.strip():
        raise UsageError("Say the words of the passage with --quote.")
    if quote not in row[1]:
        raise UsageError("These words do not stand in that passage, letter for letter; `kgfs cat` shows it.")
    return int(row[0]), quote


def _shown(cursor: Cursor, fact_id: str) -> bool:
    return bool(cursor.execute("SELECT 1 FROM facts WHERE fact_id = ?", [fact_id]).fetchall())


# --- retracting ----------------------------------------------------------------------------------------------------


def retract_fact(cursor: Cursor, fact_id: str, who: str, config: Config) -> str:
    """Hide a fact for good; returns what it says. ``NotFoundError``, ``ConflictError`` where it is hidden."""
    if people.of_fact(cursor, fact_id, RETRACT):
        raise ConflictError(f"{fact_id} is retracted already; `kgfs fact restore {fact_id}` brings it back.")
    row = cursor.execute(
        "SELECT document_id, subject_key, object_key, coalesce(nullif(description, ''), quote), quote FROM facts"
        " WHERE fact_id = ?",
        [fact_id],
    ).fetchone()
    if row is None:
        raise NotFoundError(f"There is no fact {fact_id}; its id is the name of its file, as `kgfs search` shows it.")
    document_id, subject_key, object_key, said, quote = row
    keys = [key for key in (subject_key, object_key) if key is not None]
    people.put_annotation(
        cursor,
        Annotation(
            kind=RETRACT, keys=keys[:1], target_keys=keys[1:], value=said, fact_id=fact_id, said_by=who,
            ref=items.identities(cursor, [document_id])[document_id],
        ),
    )  # fmt: skip
    restate_facts(cursor, [document_id])
    ref = items.identities(cursor, [document_id])[document_id]
    others = cursor.execute("SELECT 1 FROM facts WHERE document_id = ? AND quote = ?", [document_id, quote]).fetchall()
    if is_facts_document(ref) and not others:
        lines = _body(cursor, document_id).splitlines(keepends=True)
        kept = [line for line in lines if line.rstrip("\n") != f"- {quote}"]
        if len(kept) < len(lines):
            _rewrite(cursor, document_id, "".join(kept), config)
    return str(said)


def restore_fact(cursor: Cursor, fact_id: str, who: str, config: Config) -> bool:
    """Take a retraction back; whether the fact is shown then (its document may be gone). ``NotFoundError``."""
    said = people.of_fact(cursor, fact_id, RETRACT)
    if not said:
        raise NotFoundError(f"{fact_id} is no retracted fact; `kgfs fact retracted` lists them.")
    people.take_annotation_back(cursor, [one.id for one in said], who)
    rows = cursor.execute("SELECT document_id FROM retracted_facts WHERE fact_id = ?", [fact_id]).fetchall()
    stated = people.of_fact(cursor, fact_id, FACT)
    if stated and stated[0].fact is not None and is_facts_document(stated[0].ref or ""):
        item_id = _file(cursor, (stated[0].ref or "").partition("\x1f")[0])
        line, body = f"- {stated[0].fact.quote}\n", _body(cursor, item_id)
        if line not in body:
            _rewrite(cursor, item_id, body + line, config)
    restate_facts(cursor, [row[0] for row in rows])
    return _shown(cursor, fact_id)


# --- the file ------------------------------------------------------------------------------------------------------


def _room(cursor: Cursor, size: int) -> int:
    """The file of facts that has room for ``size`` bytes more."""
    stem, suffix = FACTS_PATH.rsplit(".", 1)
    number = 1
    while True:
        path = FACTS_PATH if number == 1 else f"{stem}-{number}.{suffix}"
        item = items.find_item(cursor, items.ref(DRIVE, path))
        if item is None or (item.is_textual and item.size + size <= MAX_FILE):
            return _file(cursor, items.ref(DRIVE, path))
        number += 1


def _file(cursor: Cursor, ref: str) -> int:
    """The file at a ref, made where there is none."""
    item = items.find_item(cursor, ref)
    if item is not None:
        return item.id
    (free,) = take_ids(cursor, "item", 1)
    written = NewAttributes(mtime_us=time.time_ns() // 1000)
    return drive_rows.create_file(cursor, free, DRIVE, ref.split(":", 1)[1], HEAD.encode(), written).item_id


def _body(cursor: Cursor, item_id: int) -> str:
    text = (items.read_item(cursor, item_id) or b"").decode("utf-8", "replace")
    return text if not text or text.endswith("\n") else text + "\n"


def _rewrite(cursor: Cursor, item_id: int, body: str, config: Config) -> None:
    """Another body for a file of facts, with its document and what people stated in it, all at once.

    It is parsed here, inside the transaction, not in the worker: it is a short text of ours, no stranger's file.
    """
    from kgfs.documents.formats import parsing  # brings the parser of Markdown with it

    item = items.items_by_id(cursor, [item_id])[item_id]
    encoded = body.encode()
    written = NewAttributes(mtime_us=time.time_ns() // 1000)
    drive_rows.overwrite_file(
        cursor, item_id, item.path, encoded, written, keep_version=_body(cursor, item_id) not in ("", HEAD)
    )
    document = parsing.parse_document(encoded, item.path, mtime_ns=time.time_ns(), config=config)
    put_bodies(cursor, [ItemBody(item_id, item.ref, item.path, ParsedBody(document), len(encoded))])
    cursor.execute("UPDATE context_items SET parsed_gen = want_gen, title = ? WHERE id = ?", [document.title, item_id])
    generation = items.items_by_id(cursor, [item_id])[item_id].want_gen
    put_extractions(cursor, [DocumentExtraction(item_id, generation, Extraction(extractor=PERSON))])
