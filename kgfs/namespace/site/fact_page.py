"""The page of a fact: what it says, and the words that state it, marked in their passage.

Used by the views of ``@web``, in threads.
"""

from __future__ import annotations

from kgfs import names
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.site import addresses
from kgfs.namespace.site.addresses import HOME
from kgfs.namespace.site.document_page import statement
from kgfs.namespace.site.framing import first_crumb
from kgfs.namespace.site.texts import FactTold, Texts, said, shown
from kgfs.namespace.snapshot import Snapshot
from kgfs.site.records import FactPage, Frame, Link

ROOT = "../../"
OTHERS = 20
_AROUND = 12_000
"""Bytes of a passage that are shown before and behind a quote: some passages are a table of megabytes."""


def fact_page(store: PageStore, s: Snapshot, node: NodeRef) -> FactPage:
    """The page of a fact (``id``)."""
    index = s.facts.index(node.id)
    chunk = s.fact_chunk[index]
    others = [each for each in s.chunk_facts.members(chunk) if each != index][:OTHERS]
    texts = Texts(store, s, ROOT)
    texts.want_facts([index, *others])
    texts.want_documents([s.chunk_document[chunk]])
    told = texts.fact(index)
    before, quote, after = _marked(store.chunk(s, chunk), told)
    document = texts.document(s.chunk_document[chunk])
    title, source = shown(document.title or document.slug), addresses.chunk(s, chunk).seen_from(ROOT)
    kind = s.names.name(s.fact_type[index])
    return FactPage(
        frame=Frame(
            title=statement(told), root=ROOT, section="facts", place=s.fact_path(index),
            crumbs=(first_crumb(ROOT), Link("Facts", f"../{HOME}"), Link(said(kind).capitalize(), HOME)),
        ),
        subject=texts.named_link(told.subject, told.subject_slug),
        relation=said(told.type),
        object=texts.named_link(told.object, told.object_slug) if told.object else None,
        description=told.description if told.description not in (told.quote or "") else "",
        fields=_fields(told),
        before=before,
        quote=quote,
        after=after,
        source=Link(title, source, s.chunk_name(chunk)),
        others=tuple(Link(statement(texts.fact(each)), addresses.fact(s, each).seen_from(ROOT)) for each in others),
    )  # fmt: skip


def _marked(passage: bytes, told: FactTold) -> tuple[str, str, str]:
    """The passage before the quote, the quote, and what follows it; all of it is before where there is no quote."""
    start, end = (*told.span, None, None)[:2]
    if start is None or end is None or not 0 <= start < end <= len(passage):
        quote = (told.quote or "").encode()
        start = passage.find(quote) if quote else -1
        end = start + len(quote)
    if start < 0:
        return _text(passage[:_AROUND]), "", ""
    before, after = passage[max(0, start - _AROUND) : start], passage[end : end + _AROUND]
    return _text(before), _text(passage[start:end]), _text(after)


def _text(piece: bytes) -> str:
    return piece.decode("utf-8", "ignore")


def _fields(told: FactTold) -> tuple[tuple[str, str], ...]:
    value = None if told.value is None else f"{told.value:g} {told.unit or ''}".strip()
    rows = (
        ("Value", value), ("Role", told.role), ("Due" if told.date_role == "due" else "Date", told.date),
        ("From", told.valid_from), ("Until", told.valid_to), ("Status", told.status),
        ("Confidence", None if told.confidence is None else f"{told.confidence:.2f}"),
        ("Found by", told.extractor), ("Id", told.fact_id),
    )  # fmt: skip
    return tuple((name, names.one_line(each)) for name, each in rows if each)
