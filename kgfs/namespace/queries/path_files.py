"""What ``@path`` and ``@near`` show: chains and neighbours as text, as JSONL and as links.

Used by the engines of these areas, in threads that answer. What is told of the entities and facts of an answer costs
one statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from kgfs import names
from kgfs.counting import counted
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries.adjacency import adjacency_of
from kgfs.namespace.queries.paths import MOST_HOPS, Chain, Chains, Near, Nearest
from kgfs.namespace.queries.query_cache import ResultLink
from kgfs.namespace.queries.ties import FACT, LINK, PASSAGE, Step, Ties
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.text import bytes_lines, shorten

_SHOWN_QUOTE = 160


# --- chains ---------------------------------------------------------------------------------------------------------


PATH_USAGE = b"""\
How two entities are connected: the shortest chains of facts between them, of up to 4 facts in any direction. Where
there is none: chains that also follow links between the entities' pages and passages that speak of both.

  cat '@path/Geoffrey Hinton/Alphabet_Inc/path.txt'      one chain per line, with its steps below it:
                                                         fact TYPE, link in <doc>, both in <chunk>
  cat @path/DeepMind/Kaggle/path.jsonl                   the same with all fields
  firefox @path/DeepMind/Kaggle/path.svg                 as a picture; not listed
  ls  @path/DeepMind/Kaggle                              links: the entities and steps of the best chain, in order

Name an entity by slug, name or alias; an unknown one is ENOENT. Chains of equal length are ordered by their support,
the best first. No chain: path.txt says so in one sentence, path.jsonl is empty.
"""
NEAR_USAGE = b"""\
Entities near this one: connected by facts within 1 to 4 hops, nearest first, at equal distance the best connected.
From an entity with fewer than 3 others the links of its page and the passages that it shares lead on, too.

  cat @near/1/near.txt       one line per entity: hops, score, name, and the connecting step
  cat @near/2/near.jsonl     the same with all fields
  ls  @near/2                links: 001_<slug>
  firefox @near/2/near.svg   as a picture; not listed
"""


def no_chain(s: Snapshot, start: int, end: int) -> str:
    """One sentence that says so."""
    one, other = (s.entities.slugs[each] for each in (start, end))
    return (
        f"No chain of up to {MOST_HOPS} facts, links or shared passages leads from {one} to {other};"
        " their @near/1 has who is near."
    )


def path_txt(store: PageStore, s: Snapshot, answer: Chains) -> bytes:
    """A line a chain, ``Geoffrey Hinton ─FOUNDED→ DNNresearch ←ACQUIRED─ Google``; beneath each the steps."""
    told = _Told(store, s, answer)
    lines: list[str] = []
    for chain in answer.found:
        parts = [told.name(chain.entities[0])]
        beneath = []
        for place, edge in enumerate(chain.edges):
            step, more = told.ties.step(edge), told.ties.more(edge)
            parts += [_arrow(s, step, chain.entities[place]), told.name(chain.entities[place + 1])]
            known, quote = [_said(s, step)], ""
            if step.kind == FACT:
                line = told.fact(step.row)
                sure = "" if line["confidence"] is None else f"{line['confidence']:.2f}"
                also = f"and {counted(more, 'more fact')} of the two" if more else ""
                known += [line["date"], sure, also]
                quote = shorten(names.one_line(" ".join((line["quote"] or "").split())), _SHOWN_QUOTE)
            beneath.append(f"    {_path(s, step)}: [{', '.join(part for part in known if part)}] {quote}".rstrip())
        lines += [" ".join(parts), *beneath]
    if answer.more:
        lines.append(f"# The {len(answer.found)} best are shown; there are more.")
    if any(_is_tied(told.ties, chain) for chain in answer.found):
        why = "Facts lead there only by entities that bind many" if answer.by_facts else "No chain of facts leads there"
        lines.insert(0, f"# {why}; links and shared passages were followed, too.")
    if answer.late:
        lines.append("# The search took too long; there may be more chains, of the last length or longer.")
    elif not answer.found and answer.ends:
        lines.append(f"# {no_chain(s, *answer.ends)}")
    return bytes_lines(lines)


def path_jsonl(store: PageStore, s: Snapshot, answer: Chains) -> bytes:
    """One object a chain: ``rank, hops, strength, entities, steps, facts``; a last one, ``@truncated``, for more.

    A step has ``kind``, ``said`` and ``path``; ``facts`` are those that are facts, with all fields: ``direction`` is
    ``forward`` where it points from the entity before it to the one behind, ``more`` counts the other facts of the two.
    """
    told = _Told(store, s, answer)
    parts = []
    for rank, chain in enumerate(answer.found, 1):
        facts, steps = [], []
        for place, edge in enumerate(chain.edges):
            step = told.ties.step(edge)
            steps.append({"kind": step.kind, "said": _said(s, step), "path": _path(s, step)})
            if step.kind != FACT:
                continue
            fact = step.row
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
                    "more": told.ties.more(edge),
                }
            )
        entities = [
            {"name": told.name(entity), "slug": s.entities.slugs[entity], "path": s.entity_path(entity)}
            for entity in chain.entities
        ]
        strength = round(chain.strength, 4)
        row = {
            "rank": rank, "hops": len(chain.edges), "strength": strength, "entities": entities, "steps": steps,
            "facts": facts,
        }  # fmt: skip
        parts.append(msgspec.json.encode(row) + b"\n")
    if answer.more:
        parts.append(_mark("chains", f"The {len(answer.found)} best are shown; there are more."))
    if answer.late:
        parts.append(_mark("time", "There may be more chains, of the last length or longer."))
    return b"".join(parts)


def path_links(store: PageStore, s: Snapshot, answer: Chains) -> list[ResultLink]:
    """The entities and the steps of the best chain in order: ``01_Geoffrey_Hinton``, ``02_FOUNDED_f_….json``, ….."""
    if not answer.found or answer.ties is None:
        return []
    chain = answer.found[0]
    links: list[ResultLink] = []
    for place, entity in enumerate(chain.entities):
        if place:
            step = answer.ties.step(chain.edges[place - 1])
            links.append(ResultLink(f"{2 * place:02d}_{_file_name(s, step)}", _path(s, step), _mtime(s, step)))
        slug = s.entities.slugs[entity]
        links.append(ResultLink(f"{2 * place + 1:02d}_{slug}", s.entity_path(entity), s.entities.mtime[entity]))
    return links


def _is_tied(ties: Ties, chain: Chain) -> bool:
    """Whether something else than facts is in a chain."""
    return any(ties.step(edge).kind != FACT for edge in chain.edges)


def _said(s: Snapshot, step: Step) -> str:
    """What a step is: ``fact FOUNDED``, ``link in Leave``, ``both in Leave_chunk_0001``."""
    if step.kind == FACT:
        return f"fact {names.one_line(s.names.name(s.fact_type[step.row]))}"
    if step.kind == LINK:
        return f"link in {names.one_line(s.documents.slugs[step.row])}"
    return f"both in {names.one_line(s.chunk_id(step.row))}"


def _arrow(s: Snapshot, step: Step, entity: int) -> str:
    """A step as it is seen from the entity before it."""
    if step.kind == PASSAGE:
        return "─both in a passage─"
    kind = names.one_line(s.names.name(s.fact_type[step.row])) if step.kind == FACT else "link"
    return f"─{kind}→" if step.subject == entity else f"←{kind}─"


def _path(s: Snapshot, step: Step) -> str:
    """Where a step stands in the tree."""
    of_kind = {FACT: s.fact_path, LINK: s.document_path, PASSAGE: s.chunk_path}
    return of_kind[step.kind](step.row)


def _mtime(s: Snapshot, step: Step) -> int:
    of_kind = {FACT: s.facts, LINK: s.documents, PASSAGE: s.chunks}
    return of_kind[step.kind].mtime[step.row]


def _file_name(s: Snapshot, step: Step) -> str:
    if step.kind == FACT:
        kind = names.cut_bytes(s.names.name(s.fact_type[step.row]), names.MAX_SLUG_BYTES)
        return f"{kind}_{s.fact_name(step.row)}.json"
    return f"link_in_{s.documents.slugs[step.row]}" if step.kind == LINK else f"both_in_{s.chunk_id(step.row)}"


class _Told:
    """What is shown of the entities and facts of chains; two statements for all."""

    def __init__(self, store: PageStore, s: Snapshot, answer: Chains) -> None:
        self.ties = answer.ties or Ties(s, adjacency_of(store, s))
        steps = (self.ties.step(edge) for chain in answer.found for edge in chain.edges)
        facts = dict.fromkeys(step.row for step in steps if step.kind == FACT)
        page_ids = s.facts.pages["fact_line"].ids
        pages = store.load_pages([page_ids[fact] for fact in facts])
        self._lines: dict[int, dict[str, Any]] = {}
        # Of entities that no fact names.
        unnamed = [entity for chain in answer.found if _is_tied(self.ties, chain) for entity in chain.entities]
        self._names: dict[int, str] = {entity: name for entity, (name, _) in names_and_types(store, s, unnamed).items()}
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
    """``path: [1 hop, 3 facts, 0.97] name ←FOUNDED─ via``, one line an entity; ``link in …`` for ``3 facts``."""
    ties, known = answer.ties or Ties(s, adjacency_of(store, s)), _entity_names(store, s, answer.found)
    lines = []
    for row in answer.found:
        step = ties.step(row.edge)
        hops, bound = counted(row.hops, "hop"), counted(row.facts, "fact") if step.kind == FACT else _said(s, step)
        said = f"{known[row.entity][0]} {_arrow(s, step, row.entity)} {known[row.via][0]}"
        lines.append(f"{names.one_line(s.entity_path(row.entity))}: [{hops}, {bound}, {row.score:.2f}] {said}")
    if answer.total > len(answer.found):
        lines.append(f"# The nearest {len(answer.found):,} of {answer.total:,} are shown.")
    if not answer.total:
        lines.append("# Nobody is near: no fact, no link of its page and no passage leads to another entity.")
    return bytes_lines(lines)


def near_jsonl(store: PageStore, s: Snapshot, answer: Nearest) -> bytes:
    """One object an entity: ``rank, hops, score, facts, name, slug, type, path, via, step, fact``; a last one with
    ``@truncated`` where not all are shown. ``step`` is what binds it to ``via``, ``fact`` the surest fact that does, or
    null.
    """
    ties, known = answer.ties or Ties(s, adjacency_of(store, s)), _entity_names(store, s, answer.found)
    parts = []
    for rank, row in enumerate(answer.found, 1):
        step = ties.step(row.edge)
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
                    "step": {"kind": step.kind, "said": _said(s, step), "path": _path(s, step)},
                    "fact": _fact(s, step.row) if step.kind == FACT else None,
                }
            )
            + b"\n"
        )
    if answer.total > len(answer.found):
        parts.append(_mark("entities", f"The nearest {len(answer.found):,} of {answer.total:,} are shown."))
    return b"".join(parts)


def _fact(s: Snapshot, fact: int) -> dict[str, str]:
    return {
        "type": s.names.name(s.fact_type[fact]),
        "subject": s.entities.slugs[s.fact_subject[fact]],
        "object": s.entities.slugs[s.fact_object[fact]],
        "path": s.fact_path(fact),
    }


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
    return names_and_types(store, s, [each for row in found for each in (row.entity, row.via)])


def names_and_types(store: PageStore, s: Snapshot, entities: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Name and type of entities; the slug where one is gone since."""
    wanted = sorted(set(entities))
    row_ids = [s.entities.ids[each] for each in wanted]
    rows = store.database.fetch(
        "SELECT id, name, type FROM entities WHERE id IN (SELECT unnest($1::BIGINT[]))", [row_ids]
    )
    by_id = {row_id: (names.one_line(name), kind) for row_id, name, kind in rows}
    return {each: by_id.get(row_id, (s.entities.slugs[each], "")) for each, row_id in zip(wanted, row_ids, strict=True)}
