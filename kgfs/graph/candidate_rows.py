"""What an extraction found in one document, as rows: claims of names, facts, links.

Used by ``resolution`` inside a write transaction, on the store's writer thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgfs.graph.name_forms import SCOPE, name_forms, says_too_little
from kgfs.graph.name_keys import name_key
from kgfs.graph.reduction import DEFAULT_TYPE
from kgfs.model import Extraction, FactCandidate
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.inserts import insert
from kgfs.store.files import documents, items
from kgfs.store.graph import facts
from kgfs.store.graph.claims import SEEN, SHOWN, SURE, Claim
from kgfs.store.graph.facts import FactRow


class DocumentExtraction(NamedTuple):
    """What an extractor found in one document, and the generation of the document that it read."""

    document_id: int
    generation: int
    extraction: Extraction


def chunk_rows(cursor: Cursor, document_ids: Sequence[int]) -> dict[tuple[int, int], tuple[int, bytes]]:
    """``(document, ordinal)`` to the chunk's id and text."""
    rows = cursor.execute(
        f"SELECT document_id, ordinal, id, text FROM chunks WHERE document_id {documents.IN}", [list(document_ids)]
    ).fetchall()
    return {(document, ordinal): (chunk, text.encode("utf-8")) for document, ordinal, chunk, text in rows}


def document_claims(read: DocumentExtraction, ref: str) -> list[Claim]:
    """The claims of one document: of its entities in their order, then of the names seen; ``ref`` is its identity."""
    found = []
    for candidate in read.extraction.entities:
        name, kind = candidate.name.strip(), candidate.type.strip() or DEFAULT_TYPE
        key = name_key(name)
        if key and not (candidate.declared or candidate.linked) and says_too_little(name, kind):
            key = f"{key}{SCOPE}{ref}"
        aliases = sorted({alias.strip() for alias in candidate.aliases if alias.strip()} - {name})
        found.append(
            Claim(
                document_id=read.document_id,
                key=key,
                name=name,
                type=kind,
                aliases=aliases,
                alias_keys=sorted({name_key(alias) for alias in aliases} - {key, ""}),
                description=candidate.description,
                attributes=candidate.attributes,
                confidence=candidate.confidence,
                declared=candidate.declared,
                extractor=read.extraction.extractor,
                standing=SURE if candidate.evidence is None else SHOWN,
                rules={name_key(alias): rule for alias, rule in sorted(candidate.rules.items())},
                forms=list(name_forms(name, key, kind, candidate.titled)),
                evidence=candidate.evidence,
                passages=candidate.passages,
            )
        )
    for unconfirmed in read.extraction.unconfirmed:
        name = unconfirmed.name.strip()
        key = name_key(name)
        found.append(
            Claim(
                document_id=read.document_id,
                key=key,
                name=name,
                type="",
                aliases=[],
                alias_keys=[],
                description="",
                attributes={},
                confidence=0.0,
                declared=False,
                extractor=read.extraction.extractor,
                standing=SEEN,
                forms=list(name_forms(name, key, "", False)),
                evidence=unconfirmed.evidence,
            )
        )
    return _one_a_key(found)


def _one_a_key(claims: list[Claim]) -> list[Claim]:
    """The claims; names seen that another claim of the document has (``Cloud``, ``CLOUD``) get an empty key."""
    had: set[str] = set()
    for claim in claims:
        if claim.standing == SEEN and claim.key in had:
            claim.key = ""
        had.add(claim.key)
    return claims


def fact_rows(
    read: DocumentExtraction,
    own: Sequence[Claim],
    chunks: Mapping[tuple[int, int], tuple[int, bytes]],
    identity_ref: str,
) -> list[FactRow]:
    """The facts of one document as rows; a fact whose quote is not in its chunk is not one."""
    seen: Counter[str] = Counter()
    found = []
    for candidate in sorted(read.extraction.facts, key=lambda fact: (fact.chunk, fact.start, fact.end)):
        place = chunks.get((read.document_id, candidate.chunk))
        subject = own[candidate.subject].key
        target = None if candidate.object is None else own[candidate.object].key
        if place is None or not subject or target == "":
            continue
        span = _span(candidate, place[1])
        if span is None:
            continue
        said = (candidate.object_text, candidate.value, candidate.unit)
        identity = facts.fact_identity(
            subject, candidate.type, target, said, candidate.date, identity_ref, candidate.quote
        )
        seen[identity] += 1
        found.append(
            FactRow(
                fact_id=facts.fact_id(identity, seen[identity]),
                type=candidate.type,
                subject_key=subject,
                object_key=target,
                object_text=candidate.object_text,
                value=candidate.value,
                unit=candidate.unit,
                indicator=candidate.indicator,
                description=candidate.description,
                date=candidate.date,
                valid_from=candidate.valid_from,
                valid_to=candidate.valid_to,
                status=candidate.status,
                role=candidate.role,
                date_role=candidate.date_role,
                confidence=candidate.confidence,
                extractor=read.extraction.extractor,
                document_id=read.document_id,
                chunk_id=place[0],
                quote=candidate.quote,
                span_start=span[0],
                span_end=span[1],
            )
        )
    return found


def _span(candidate: FactCandidate, text: bytes) -> tuple[int, int] | None:
    """Where the quote stands in the chunk: where the extractor says, else where it is found, else nowhere."""
    quote = candidate.quote.encode("utf-8")
    if not quote:
        return None
    if text[candidate.start : candidate.end] == quote:
        return candidate.start, candidate.end
    start = text.find(quote)
    return None if start < 0 else (start, start + len(quote))


def put_links(cursor: Cursor, batch: Sequence[DocumentExtraction], refs: Mapping[int, str]) -> None:
    cursor.execute(
        f"DELETE FROM document_links WHERE document_id {documents.IN}", [[read.document_id for read in batch]]
    )
    links = [(read.document_id, link) for read in batch for link in read.extraction.links]
    insert(
        cursor,
        "document_links",
        {
            "group_id": [items.GROUP] * len(links),
            "document_id": [document_id for document_id, _ in links],
            "target": [link.target for _, link in links],
            "target_key": [
                documents.link_key(link.kind, link.target, refs[document_id].split(":", 1)[1])
                for document_id, link in links
            ],
            "kind": [link.kind for _, link in links],
            "label": [link.label for _, link in links],
        },
    )
