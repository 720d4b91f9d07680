"""Facts: one line of JSON each, which is the fact file, and joined the ``all.jsonl`` and ``_edges.jsonl`` of an entity.

The rendering function runs on the writer thread while publishing; the views are used by the table.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

import msgspec
import numpy as np

from kgfs import names
from kgfs.model import STATUSES, precision
from kgfs.namespace.bodies import Body, BytesBody
from kgfs.namespace.domains import gone
from kgfs.namespace.node import NodeRef
from kgfs.namespace.pages import PageStore
from kgfs.namespace.relations import Ints
from kgfs.namespace.segments.entities import RECEIVED, STATED, Side, group_of
from kgfs.namespace.segments.rows import conflicting
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.files import FactLines, Piece, StoredView
from kgfs.namespace.views.stamps import RowColumn, newest, newest_or
from kgfs.namespace.views.text import bytes_lines
from kgfs.store.catalog.database import Cursor
from kgfs.store.catalog.statements import run_prepared
from kgfs.store.tree.pages import RenderedPage
from kgfs.store.tree.text_scan import StoredText

LINES_SQL = """
WITH wanted AS (SELECT unnest($1::BIGINT[]) AS id),
     f AS (SELECT facts.* FROM facts JOIN wanted USING (id)),
     widths AS (SELECT document_id, greatest(4, length(max(ordinal)::VARCHAR)) AS width FROM chunks
                WHERE document_id IN (SELECT document_id FROM f) GROUP BY document_id)
SELECT f.id, f.fact_id, f.type, s.name, s.slug, coalesce(o.name, f.object_text), o.slug, f.description, f.date,
       f.valid_from, coalesce(f.valid_to, f.ended), f.status, f.role, f.date_role, f.value, f.unit, f.confidence,
       f.extractor, i.ref, d.slug,
       'chunks/by_document/' || d.slug || '/chunk_' || lpad(c.ordinal::VARCHAR, w.width::INTEGER, '0'),
       f.quote, f.span_start, f.span_end
FROM f JOIN entities s ON s.id = f.subject_id LEFT JOIN entities o ON o.id = f.object_id
     JOIN documents d ON d.id = f.document_id JOIN chunks c ON c.id = f.chunk_id
     LEFT JOIN context_items i ON i.id = f.document_id LEFT JOIN widths w ON w.document_id = f.document_id
ORDER BY f.type, f.id
"""


def render_facts(cursor: Cursor, row_ids: Sequence[int]) -> Iterator[RenderedPage]:
    """The lines of these facts."""
    for row in run_prepared(cursor, LINES_SQL, [list(row_ids)]).fetchall():
        (
            row_id, fact_id, kind, subject, subject_slug, object_, object_slug, description, date, valid_from, valid_to,
            status, role, date_role, value, unit, confidence, extractor, origin, document, chunk, quote, start, end,
        ) = row  # fmt: skip
        line = {
            "fact_id": fact_id,
            "type": kind,
            "subject": subject,
            "subject_slug": subject_slug,
            "object": object_,
            "object_slug": object_slug,
            "description": description or "",
            "date": date,
            "date_precision": precision(date),
            "valid_from": valid_from,
            "valid_to": valid_to,
            "date_role": date_role,
            "status": status,
            "role": role,
            "value": value,
            "unit": unit,
            "confidence": confidence,
            "extractor": extractor,
            "origin": origin,
            "document": document,
            "chunk": chunk,
            "quote": quote,
            "span": [start, end],
        }
        yield RenderedPage("fact_line", row_id, "", msgspec.json.encode(line) + b"\n")


def counts_tsv(s: Snapshot, node: NodeRef) -> bytes:
    """``facts/by_type/_counts.tsv``: types with their number of facts, most first, and of those that are stated."""
    rows = sorted(
        (
            (len(members), s.names.name(kind), int((s.fact_status_array[members] == STATUSES.index("stated")).sum()))
            for kind, members in s.by_fact_type.items()
        ),
        key=_most_first,
    )
    lines = [f"{names.tsv_field(kind)}\t{count}\t{stated}\n" for count, kind, stated in rows]
    return "".join(["type\tfacts\tstated\n", *lines]).encode()


def _most_first(row: tuple[int, str, int]) -> tuple[int, str]:
    return -row[0], row[1]


# --- dates of directories -------------------------------------------------------------------------------------------


def group_stamp(side: Side, edges: bool = False) -> Callable[[Snapshot, NodeRef], tuple[int, int]]:
    """The newest fact of an entity (``id``) and a type (``sub``)."""

    def stamp(s: Snapshot, node: NodeRef) -> tuple[int, int]:
        index = s.entities.index(node.id)
        value = side.groups(s).newest(group_of(s, side, node), edges)
        return newest_or(value, s.entities.mtime[index]), s.entities.ctime[index]

    return stamp


def type_stamp(s: Snapshot, node: NodeRef) -> tuple[int, int]:
    """The newest fact of a type."""
    if node.id not in s.by_fact_type:
        raise gone("kind of fact")
    return s.fact_type_newest[node.id], s.published


# --- files ----------------------------------------------------------------------------------------------------------


def _group_lines(side: Side, edges: bool) -> FactLines:
    def facts(s: Snapshot, node: NodeRef) -> Sequence[int]:
        return side.groups(s).facts(group_of(s, side, node), edges)

    def size(s: Snapshot, node: NodeRef) -> int:
        return side.groups(s).size(group_of(s, side, node), edges)

    def holder(s: Snapshot, fact: int) -> NodeRef | None:
        owner = side.owner(s, fact)
        if owner < 0 or (edges and side.other(s, fact) < 0):
            return None
        return NodeRef(s.entities.ids[owner], s.fact_type[fact])

    return FactLines(f"edges-{side.subject}", facts, holder, size, group_stamp(side, edges))


def _all_lines(side: Side) -> FactLines:
    def facts(s: Snapshot, node: NodeRef) -> Sequence[int]:
        return side.groups(s).all(s.entities.index(node.id))

    def holder(s: Snapshot, fact: int) -> NodeRef | None:
        owner = side.owner(s, fact)
        return None if owner < 0 else NodeRef(s.entities.ids[owner])

    size = RowColumn(lambda s: s.entities, lambda s: side.groups(s).total_size)
    stamp = newest(lambda s: s.entities, "entity_facts" if side.subject else "entity_mentions")
    return FactLines(f"all-{side.subject}", facts, holder, size, stamp)


ALL_STATED, ALL_RECEIVED = _all_lines(STATED), _all_lines(RECEIVED)
EDGES_STATED, EDGES_RECEIVED = _group_lines(STATED, True), _group_lines(RECEIVED, True)


def _conflict_of(s: Snapshot, fact: int) -> NodeRef | None:
    """The file of ``facts/conflicts/`` in which a fact is."""
    for kind, groups in s.conflicts.items():
        for entity in (s.fact_subject[fact], s.fact_object[fact]):
            if entity >= 0 and fact in groups.get(s.entities.ids[entity], ()):
                return NodeRef(s.entities.ids[entity], kind)
    return None


def _conflict_size(s: Snapshot, node: NodeRef) -> int:
    sizes = s.facts.pages["fact_line"].sizes
    return sum(sizes[fact] for fact in conflicting(s, node))


def conflict_stamp(s: Snapshot, node: NodeRef) -> tuple[int, int]:
    """The newest of the facts of entity ``id`` and type ``sub`` that contradict each other."""
    newest_fact = max(s.facts.mtime[fact] for fact in conflicting(s, node))
    return newest_fact, max(s.facts.ctime[fact] for fact in conflicting(s, node))


CONFLICTS = FactLines("conflicts", conflicting, _conflict_of, _conflict_size, conflict_stamp)


def conflicts_tsv(store: PageStore, s: Snapshot, node: NodeRef) -> bytes:
    """``facts/conflicts/_index.tsv``: each fact that another contradicts, those that belong together side by side."""
    lines = ["type\tentity\tsays\tdate\tvalue\tunit\tconfidence\tdocument\tquote\tfact"]
    for kind, groups in s.conflicts.items():
        for entity in sorted(groups, key=lambda each: s.entities.slugs[s.entities.index(each)]):
            body = CONFLICTS.load(store, s, NodeRef(entity, kind))
            for line in bytes(body.read(0, body.size)).splitlines():
                fact = msgspec.json.decode(line)
                about = s.entities.slugs[s.entities.index(entity)]
                value = None if fact["value"] is None else f"{fact['value']:.15g}"
                says = fact["object"] if fact["subject_slug"] == about else fact["subject"]
                fields = (
                    s.names.name(kind), about, says, fact["date"], value, fact["unit"], fact["confidence"],
                    fact["document"], fact["quote"], fact["fact_id"],
                )  # fmt: skip
                lines.append("\t".join("" if field is None else names.tsv_field(str(field)) for field in fields))
    return bytes_lines(lines)


class IndicatorFile(StoredView):
    """The dated figures of one indicator of an entity (``id``); ``sub`` is the indicator's number."""

    def _page(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        found = s.indicators.get(s.entities.index(node.id), {}).get(node.sub)
        return found if found is not None else (-1, 0)

    def size(self, s: Snapshot, node: NodeRef) -> int:
        return self._page(s, node)[1]

    def stamp(self, s: Snapshot, node: NodeRef) -> tuple[int, int]:
        index = s.entities.index(node.id)
        return s.newest["entity_facts"][index], s.entities.ctime[index]

    def key(self, s: Snapshot, node: NodeRef) -> Hashable:
        return self._page(s, node)[0]

    def peek(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body | None:
        text = store.cache.get(self._page(s, node)[0])
        return None if text is None else BytesBody(text)

    def load(self, store: PageStore, s: Snapshot, node: NodeRef) -> Body:
        page_id = self._page(s, node)[0]
        wanted = [page for page, _ in s.indicators.get(s.entities.index(node.id), {}).values()]
        return BytesBody(store.required(store.load_pages(wanted), page_id))

    def stock(self, s: Snapshot) -> dict[str, tuple[Ints, Ints]]:
        pages = [page for own in s.indicators.values() for page in own.values()]
        columns = np.array(pages, np.int64).reshape(-1, 2)
        return {"economic_data": (columns[:, 0], columns[:, 1])}

    def pieces(self, s: Snapshot, node: NodeRef) -> Iterable[Piece]:
        return (("economic_data", *self._page(s, node)),)

    def places(self, s: Snapshot, text: StoredText) -> Iterable[NodeRef]:
        index, number = s.entities.find_index(text.owner), s.names.find_number(text.name)
        if index < 0 or number is None or s.indicators.get(index, {}).get(number, (-1, 0))[0] != text.page:
            return ()
        return (NodeRef(text.owner, number),)
