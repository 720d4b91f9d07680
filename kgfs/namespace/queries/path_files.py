"""What ``@path`` and ``@near`` show: chains and neighbours as text, as JSONL and as links.

Used by the engines of these areas, in threads that answer. What is told of the entities and facts of an answer costs
one statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from kgfs import names
from kgfs.counting import counted
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries.adjacency import adjacency_of
from kgfs.namespace.queries.paths import Chain, Chains, Near, Nearest
from kgfs.namespace.queries.query_cache import ResultLink
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.text import bytes_lines, shorten

_SHOWN_QUOTE = 160


# --- chains ---------------------------------------------------------------------------------------------------------


PATH_USAGE = b"""\
How two entities are connected: the shortest chains of facts between them, of up to 4 facts in any direction.

  cat '@path/Geoffrey Hinton/Alphabet_Inc/path.txt'      one chain per line, with its facts below it
  cat @path/DeepMind/Kaggle/path.jsonl                   the same with all fields
  ls  @path/DeepMind/Kaggle                              links: the entities and facts of the best chain, in order

Name an entity by slug, name or alias; an unknown one is ENOENT. Chains of equal length are ordered by their support,
the best first. No chain: empty files.
"""
NEAR_USAGE = b"""\
Entities near this one: connected by facts within 1 to 4 hops, nearest first, at equal distance the best connected.

  cat @near/1/near.txt       one line per entity: hops, score, name, and the connecting fact
  cat @near/2/near.jsonl     the same with all fields
  ls  @near/2                links: 001_<slug>
"""


def path_txt(store: PageStore, s: Snapshot, answer: Chains) -> bytes:
    """A line a chain, ``Geoffrey Hinton ─FOUNDED→ DNNresearch ←ACQUIRED─ Google``; beneath each the facts."""
    told = _Told(store, s, answer.found)
    lines: list[str] = []
    for chain in answer.found:
        parts = [told.name(chain.entities[0])]
        beneath = []
        for place, edge in enumerate(chain.edges):
            fact, more = told.adjacency.facts(edge)[0], len(told.adjacency.facts(edge)) - 1
            line = told.fact(fact)
            kind = names.one_line(s.names.name(s.fact_type[fact]))
            parts.append(f"─{kind}→" if s.fact_subject[fact] == chain.entities[place] else f"←{kind}─")
            parts.append(told.name(chain.entities[place + 1]))
            sure = "" if line["confidence"] is None else f"{line['confidence']:.2f}"
            also = f"and {counted(more, 'more fact')} of the two" if more else ""
            known = ", ".join(part for part in (line["date"], sure, also) if part)
            quote = shorten(names.one_line(" ".join((line["quote"] or "").split())), _SHOWN_QUOTE)
            beneath.append(f"    {s.fact_path(fact)}: [{known}] {quote}".rstrip())
        lines += [" ".join(parts), *beneath]
    if answer.more:
        lines.append(f"# The {len(answer.found)} best are shown; there are more.")
    if answer.late:
        lines.append("# The search took too long; there may be more chains, of the last length or longer.")
    return bytes_lines(lines)


def path_jsonl(store: PageStore, s: Snapshot, answer: Chains) -> bytes:
    """One object a chain: ``rank, hops, strength, entities, facts``; a last one, ``@truncated``, where there is more.

    A fact's ``direction`` is ``forward`` where it points from the entity before it to the one behind; ``more`` counts
    the other facts of the same two entities.
    """
    told = _Told(store, s, answer.found)
    parts = []
    for rank, chain in enumerate(answer.found, 1):
        facts = []
        for place, edge in enumerate(chain.edges):
            fact = told.adjacency.facts(edge)[0]
            line = told.fact(fact)
            forward = s.fact_subject[fact] == chain.entities[place]
            facts.append(
                {
                    "type": s.names.name(s.fact_type[fact]),
                    "direction": "forward" if forward else "backward",
                    "fact_id": s.fact_name(fact),
                    "path": s.fact_path(fact),
                    "date": line["date"],
                    "confidence": line["confidence"],
                    "quote": line["quote"],
                    "more": len(told.adjacency.facts(edge)) - 1,
                }
            )
        entities = [
            {"name": told.name(entity), "slug": s.entities.slugs[entity], "path": s.entity_path(entity)}
            for entity in chain.entities
        ]
        strength = round(chain.strength, 4)
        row = {"rank": rank, "hops": len(chain.edges), "strength": strength, "entities": entities, "facts": facts}
        parts.append(msgspec.json.encode(row) + b"\n")
    if answer.more:
        parts.append(_mark("chains", f"The {len(answer.found)} best are shown; there are more."))
    if answer.late:
        parts.append(_mark("time", "There may be more chains, of the last length or longer."))
    return b"".join(parts)


def path_links(store: PageStore, s: Snapshot, answer: Chains) -> list[ResultLink]:
    """The entities and the facts of the best chain in order: ``01_Geoffrey_Hinton``, ``02_FOUNDED_f_….json``, ….."""
    if not answer.found:
        return []
    chain, adjacency = answer.found[0], adjacency_of(store, s)
    links: list[ResultLink] = []
    for place, entity in enumerate(chain.entities):
        if place:
            fact = adjacency.facts(chain.edges[place - 1])[0]
            kind = names.cut_bytes(s.names.name(s.fact_type[fact]), names.MAX_SLUG_BYTES)
            links.append(
                ResultLink(f"{2 * place:02d}_{kind}_{s.fact_name(fact)}.json", s.fact_path(fact), s.facts.mtime[fact])
            )
        slug = s.entities.slugs[entity]
        links.append(ResultLink(f"{2 * place + 1:02d}_{slug}", s.entity_path(entity), s.entities.mtime[entity]))
    return links


class _Told:
    """What is shown of the entities and facts of chains; one statement for all."""

    def __init__(self, store: PageStore, s: Snapshot, found: Iterable[Chain]) -> None:
        self.adjacency = adjacency_of(store, s)
        facts = dict.fromkeys(self.adjacency.facts(edge)[0] for chain in found for edge in chain.edges)
        page_ids = s.facts.pages["fact_line"].ids
        pages = store.load_pages([page_ids[fact] for fact in facts])
        self._lines: dict[int, dict[str, Any]] = {}
        self._names: dict[int, str] = {}
        for fact in facts:
            line = msgspec.json.decode(store.required(pages, page_ids[fact]))
            self._lines[fact] = line
            self._names[s.fact_subject[fact]] = line["subject"]
            self._names[s.fact_object[fact]] = line["object"]

    def fact(self, fact: int) -> dict[str, Any]:
        """The fact's file, as a value."""
        return self._lines[fact]

    def name(self, entity: int) -> str:
        return names.one_line(self._names[entity])


def _mark(what: str, message: str) -> bytes:
    return msgspec.json.encode({"@truncated": what, "message": message}) + b"\n"


# --- who is near ----------------------------------------------------------------------------------------------------


def near_txt(store: PageStore, s: Snapshot, answer: Nearest) -> bytes:
    """``path: [1 hop, 3 facts, 0.97] name ←FOUNDED─ via``, one line an entity."""
    adjacency, known = adjacency_of(store, s), _entity_names(store, s, answer.found)
    lines = []
    for row in answer.found:
        fact = adjacency.facts(row.edge)[0]
        kind = names.one_line(s.names.name(s.fact_type[fact]))
        arrow = f"─{kind}→" if s.fact_subject[fact] == row.entity else f"←{kind}─"
        hops, facts = counted(row.hops, "hop"), counted(row.facts, "fact")
        said = f"{known[row.entity][0]} {arrow} {known[row.via][0]}"
        lines.append(f"{names.one_line(s.entity_path(row.entity))}: [{hops}, {facts}, {row.score:.2f}] {said}")
    if answer.total > len(answer.found):
        lines.append(f"# The nearest {len(answer.found):,} of {answer.total:,} are shown.")
    return bytes_lines(lines)


def near_jsonl(store: PageStore, s: Snapshot, answer: Nearest) -> bytes:
    """One object an entity: ``rank, hops, score, facts, name, slug, type, path, via, fact``; a last one with
    ``@truncated`` where not all are shown. ``fact`` is the surest that binds it to ``via``.
    """
    adjacency, known = adjacency_of(store, s), _entity_names(store, s, answer.found)
    parts = []
    for rank, row in enumerate(answer.found, 1):
        fact = adjacency.facts(row.edge)[0]
        name, kind = known[row.entity]
        parts.append(
            msgspec.json.encode(
                {
                    "rank": rank,
                    "hops": row.hops,
                    "score": round(row.score, 4),
                    "facts": row.facts,
                    "name": name,
                    "slug": s.entities.slugs[row.entity],
                    "type": kind,
                    "path": s.entity_path(row.entity),
                    "via": s.entities.slugs[row.via],
                    "fact": {
                        "type": s.names.name(s.fact_type[fact]),
                        "subject": s.entities.slugs[s.fact_subject[fact]],
                        "object": s.entities.slugs[s.fact_object[fact]],
                        "path": s.fact_path(fact),
                    },
                }
            )
            + b"\n"
        )
    if answer.total > len(answer.found):
        parts.append(_mark("entities", f"The nearest {len(answer.found):,} of {answer.total:,} are shown."))
    return b"".join(parts)


def near_links(s: Snapshot, answer: Nearest) -> list[ResultLink]:
    """``001_<slug>`` for each entity that is shown, best first."""
    width = max(3, len(str(len(answer.found))))
    return [
        ResultLink(
            f"{rank:0{width}d}_{s.entities.slugs[row.entity]}", s.entity_path(row.entity), s.entities.mtime[row.entity]
        )
        for rank, row in enumerate(answer.found, 1)
    ]


def _entity_names(store: PageStore, s: Snapshot, found: Sequence[Near]) -> dict[int, tuple[str, str]]:
    """Name and type of the entities of an answer; the slug where one is gone since."""
    wanted = sorted({each for row in found for each in (row.entity, row.via)})
    row_ids = [s.entities.ids[each] for each in wanted]
    rows = store.database.fetch(
        "SELECT id, name, type FROM entities WHERE id IN (SELECT unnest($1::BIGINT[]))", [row_ids]
    )
    by_id = {row_id: (names.one_line(name), kind) for row_id, name, kind in rows}
    return {each: by_id.get(row_id, (s.entities.slugs[each], "")) for each, row_id in zip(wanted, row_ids, strict=True)}
