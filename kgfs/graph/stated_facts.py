"""Facts that people state in the words of documents, and facts that they retract: what they add to a document's own.

Used by the resolver, each time that the facts of a document are written, inside its transaction. A person's fact is
shown as long as its quote stands in its document; both of its ends are claimed there, so they are entities as long as
it is. A retracted fact is kept aside as the machine would have it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from kgfs.model import STATED, Extraction
from kgfs.store.catalog.database import Cursor
from kgfs.store.graph import annotations as people
from kgfs.store.graph.annotations import PERSON, Annotation
from kgfs.store.graph.claims import SURE, Claim
from kgfs.store.graph.facts import FactRow

FACTS_PATH = "/annotations/facts.md"
"""Where on the agent drive the facts are written down that people state in their own words; ``facts-2.md`` and so on
follow it."""
# (An identity that another item took along is told apart by a number behind it.)
_FACTS_REF = re.compile(r"agent:/annotations/facts(?:-\d+)?\.md(?:\x1f\d+)?")
_CONFIDENCE = 0.5
"""The confidence of the claim that a fact's subject or object exists. What documents say weighs as much."""


class FactOverrides(NamedTuple):
    """What people add to documents and take from them."""

    claims: list[Claim]
    mentions: dict[tuple[int, int, str], int]
    """``(document, chunk, key)`` to how often."""
    facts: list[FactRow]
    """All that are shown."""
    hidden: list[FactRow]
    """Those that were retracted."""


def is_facts_document(identity: str) -> bool:
    """Whether a document is one in which people's facts are written down."""
    return _FACTS_REF.fullmatch(identity) is not None


def without_machine(extraction: Extraction, identity: str) -> Extraction:
    """What was found in a document; in one of people's facts only these count, with every extractor."""
    return Extraction(extractor=PERSON) if is_facts_document(identity) else extraction


def complete_facts(
    cursor: Cursor,
    identities: Mapping[int, str],
    chunks: Mapping[tuple[int, int], tuple[int, bytes]],
    claimed: Collection[tuple[int, str]],
    machine: Sequence[FactRow],
) -> FactOverrides:
    """What the facts of documents are, after what people said of them.

    ``identities`` are the documents; ``chunks`` are theirs, ``(document, ordinal)`` to id and text; ``claimed`` the
    names that each claims by itself; ``machine`` the facts that were found in them.
    """
    if not people.any_annotations(cursor):
        return FactOverrides([], {}, list(machine), [])
    documents: dict[str, list[int]] = {}
    for document_id, identity in identities.items():
        documents.setdefault(identity, []).append(document_id)
    claims: dict[tuple[int, str], Claim] = {}
    mentions: dict[tuple[int, int, str], int] = {}
    said = people.facts_of(cursor, documents)
    found: dict[str, FactRow] = {}
    for one in said:
        for document_id in documents[one.ref or ""]:
            row = _row(one, document_id, chunks)
            if row is not None:
                found.setdefault(row.fact_id, row)
    retracted = people.retracted_facts(cursor, {*found, *(row.fact_id for row in machine)})
    hidden = [row for row in (*found.values(), *machine) if row.fact_id in retracted]
    shown = [row for row in found.values() if row.fact_id not in retracted]
    shown += [row for row in machine if row.fact_id not in retracted and row.fact_id not in found]
    by_id = {one.fact_id: one for one in said}
    for row in shown:
        if row.extractor != PERSON:
            continue
        one = by_id[row.fact_id]
        ends = [(row.subject_key, one.name, one.type)]
        if row.object_key is not None:
            ends.append((row.object_key, one.target_name, one.target_type))
        for key, name, kind in ends:
            if (row.document_id, key) in claimed:
                continue
            claims.setdefault((row.document_id, key), _claim(row.document_id, key, name, kind))
            mentions[row.document_id, row.chunk_id, key] = 1
    return FactOverrides(
        list(claims.values()), mentions, shown, list({row.fact_id: row for row in reversed(hidden)}.values())
    )


def _row(one: Annotation, document_id: int, chunks: Mapping[tuple[int, int], tuple[int, bytes]]) -> FactRow | None:
    """A person's fact as a row; ``None`` where its quote does not stand in the document any more."""
    assert one.fact is not None and one.fact_id is not None
    quote = one.fact.quote.encode("utf-8")
    whole = re.compile(rb"(?m)^- " + re.escape(quote) + rb"\r?$") if is_facts_document(one.ref or "") else None
    places = []
    for (owner, ordinal), (chunk_id, text) in chunks.items():
        if owner == document_id and quote in text:
            # A sentence that stands within another one does not say what that says.
            match = None if whole is None else whole.search(text)
            if whole is None or match is not None:
                places.append((ordinal, chunk_id, text.find(quote) if match is None else match.start() + 2))
    if not places:
        return None
    _, chunk_id, start = min(places)
    return FactRow(
        fact_id=one.fact_id,
        type=one.fact.type,
        subject_key=one.keys[0],
        object_key=one.target_keys[0] if one.target_keys else None,
        object_text=one.fact.object_text,
        value=None,
        unit=None,
        indicator=None,
        description=one.fact.description,
        date=one.fact.date,
        valid_from=None,
        valid_to=None,
        status=STATED,
        role=None,
        date_role=None,
        confidence=one.fact.confidence,
        extractor=PERSON,
        document_id=document_id,
        chunk_id=chunk_id,
        quote=one.fact.quote,
        span_start=start,
        span_end=start + len(quote),
    )


def _claim(document_id: int, key: str, name: str, kind: str) -> Claim:
    return Claim(
        document_id=document_id,
        key=key,
        name=name,
        type=kind,
        aliases=[],
        alias_keys=[],
        description="",
        attributes={},
        confidence=_CONFIDENCE,
        declared=False,
        extractor=PERSON,
        standing=SURE,
    )
