"""``@search``: what a search by path asks, and how its hits are shown.

Used by the table (through ``query_cache``) and by ``kgfs search``. The engine blocks, in any thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from kgfs.errors import QueryError
from kgfs.model import KINDS
from kgfs.names import one_line, prefixed
from kgfs.namespace import scope
from kgfs.namespace.domains import Domain
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries.query_cache import Followed, Query, QueryResult, ResultLink, decode
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.tree_reader import TreeReader
from kgfs.namespace.views.text import shorten
from kgfs.search.query import AREAS, SearchAnswer, SearchRequest, is_option, search_request
from kgfs.search.snippets import hit_line
from kgfs.store.catalog.statements import WANTED
from kgfs.store.tree.columns import TITLE

_IN_FULL, _SHORT = 10, 140
"""Hits with their whole snippet, and characters of those behind them."""
_RENDERINGS = 5
"""How often an answer is shown anew because a commit came meanwhile; after that it is asked anew."""

USAGE = b"""\
Search by path, in every directory: the results are what lies below the directory or belongs to it. A search runs
when you read a file or list a directory in it.

  cat '@search/text/wages in Boston'                          20 best: path: [score] title: snippet
  cat '@search/semantic/wages in Boston/results.jsonl'        the same with all fields
  cat '@search/entities/Federal Reserve/matches.jsonl'        entities by name or meaning
  ls  '@search/facts/acquired a startup/top'                  links to the hits
  cat '@search/chunks/wages/results.txt'                      like text/wages, of one kind
  tail -n +1 -f '@search/chunks/wages/follow.jsonl'           the hits, then new ones as they are indexed

Kinds: semantic (everything, by meaning and words), keyword (words only), entities, facts, chunks, topics.
Options stand before the query: limit=100 offset=20 origin=disk from=2019-10 to=2019-12 type=Organization
  cat '@search/text/limit=5/from=2019/wages'
In a query write / as %2F, a leading . as %2E, and %25 for a % before 2F, 2E or 25. Quote it with '...'.
In semantic, `more` counts the hits of the same document that were left out.
No hits: an empty file. EINVAL: cat @status/last_error.txt at the root.
"""


class Searcher(Protocol):
    """What answers: ``kgfs.search.searcher.Searcher``, or nothing where there is no index."""

    def search(self, asked: SearchRequest) -> SearchAnswer:
        """The best rows; ``QueryError`` where the query cannot be answered as written."""


class SearchEngine:
    """Answers the queries of ``@search``."""

    def __init__(
        self, tree: TreeReader, store: PageStore, searcher: Searcher | None, prefix: Callable[[], str]
    ) -> None:
        """``prefix`` goes before ``path`` in results."""
        self._tree, self._store, self._searcher, self._prefix = tree, store, searcher, prefix

    def __call__(self, query: Query) -> QueryResult:
        text, *options = reversed(query.words)
        by_path = query.pattern.startswith("@search/text/")
        area = "semantic" if by_path else options.pop()
        asked = search_request(area, decode(text), dict(_option(each) for each in reversed(options)))
        if self._searcher is None:
            raise QueryError("Search is not running here; start it with `kgfs mount` or use `kgfs search`.")
        begun = self._tree.view
        answer = self._searcher.search(scope.narrowed(asked, begun, self._tree.scope_of(begun, query.scope)))
        for _ in range(_RENDERINGS):
            # A commit meanwhile: what was found is shown as it is now, for a while, rather than asked again.
            s = self._tree.view
            shown = records(self._store, s, answer, self._prefix(), asked.offset)
            if self._tree.view is s:
                break
        lines = {(kind, row_id): msgspec.json.encode(record) + b"\n" for record, _, kind, row_id in shown}
        texts = (_line(record) for record, *_ in shown)
        digits = max(3, len(str(asked.offset + len(shown))))
        links = [
            ResultLink(f"{record['rank']:0{digits}d}_{name}", record["rel"], _mtime(s, kind, row_id))
            for record, name, kind, row_id in shown
        ]
        files = {
            "": "".join(one_line(line) + "\n" for line in texts).encode("utf-8", "replace"),
            "results.jsonl": b"".join(lines.values()),
            "follow.jsonl": _follow(query, s, lines),
        }
        return QueryResult(s.generation, files, links, answer.settled, of_files=True)


def _line(record: dict[str, Any]) -> str:
    """A hit in ``results.txt``; what stands behind the first few is told in fewer words: one looks for what to open."""
    text = record["snippet"] if record["rank"] <= _IN_FULL else shorten(record["snippet"], _SHORT)
    return hit_line(record["path"], record["score"], record["title"], text)


def _option(component: str) -> tuple[str, str]:
    name, _, value = component.partition("=")
    return name, decode(value)


def _follow(query: Query, s: Snapshot, lines: dict[tuple[str, int], bytes]) -> bytes:
    """What ``follow.jsonl`` shows: what it showed before, and behind it the hits that came into the graph since then.

    Not those that only moved up: a new document changes what all others are compared with.
    """
    if query.followed is None:
        highest = {kind: ids[-1] if len(ids := _domain(s, kind).ids) else 0 for kind in KINDS}
        query.followed = Followed(b"".join(lines.values()), set(lines), highest)
    followed = query.followed
    fresh = [(kind, row) for kind, row in lines if row > followed.newest[kind] and (kind, row) not in followed.seen]
    followed.seen.update(fresh)
    followed.text += b"".join(lines[key] for key in fresh)
    return followed.text


def is_search_option(s: Snapshot, name: str) -> bool:
    return is_option(name)


def is_search_kind(s: Snapshot, name: str) -> bool:
    return name in AREAS


def no_search_kind(s: Snapshot, name: str) -> str:
    return f"There is no search {name!r}; there is {', '.join(AREAS)} and text, as @search/_usage.txt says."


def is_search_text(s: Snapshot, name: str) -> bool:
    return not is_option(name)


KIND_NAMES = tuple(AREAS)


# --- what a hit is shown as -----------------------------------------------------------------------------------------

_DETAILS = {
    "chunk": f"SELECT c.id, {TITLE}, [c.first_line, c.last_line], i.ref, coalesce(c.date, d.date) "
    "FROM chunks c JOIN wanted USING (id) JOIN documents d ON d.id = c.document_id "
    "LEFT JOIN context_items i ON i.id = d.id",
    "fact": "SELECT f.id, s.name || ' ' || f.type || coalesce(' ' || coalesce(o.name, f.object_text), '') "
    "|| CASE f.status WHEN 'stated' THEN '' ELSE ' (' || f.status || ')' END, "
    "[c.first_line, c.last_line], i.ref, f.date FROM facts f JOIN wanted USING (id) "
    "JOIN entities s ON s.id = f.subject_id LEFT JOIN entities o ON o.id = f.object_id "
    "LEFT JOIN chunks c ON c.id = f.chunk_id LEFT JOIN context_items i ON i.id = f.document_id",
    "entity": "SELECT id, name || ' (' || type || ')', NULL, NULL, NULL FROM entities JOIN wanted USING (id)",
    "topic": "SELECT id, name, NULL, NULL, NULL FROM topics JOIN wanted USING (id)",
}


def _domain(s: Snapshot, kind: str) -> Domain:
    return {"chunk": s.chunks, "fact": s.facts, "entity": s.entities, "topic": s.topics}[kind]


def _mtime(s: Snapshot, kind: str, row_id: int) -> int:
    domain = _domain(s, kind)
    return domain.mtime[domain.index(row_id)]


def place(s: Snapshot, kind: str, row_id: int) -> tuple[str, str] | None:
    """The canonical path of a hit and the name that a link to it has; ``None`` where the row is not shown."""
    index = _domain(s, kind).find_index(row_id)
    if index < 0:
        return None
    if kind == "chunk":
        return f"{s.chunk_path(index)}/content.txt", s.chunk_id(index)
    if kind == "fact":
        return s.fact_path(index), f"{s.fact_name(index)}.json"
    if kind == "entity":
        return s.entity_path(index), s.entities.slugs[index]
    return s.topic_path(index), s.topics.slugs[index]


Shown = tuple[dict[str, Any], str, str, int]
"""A result as ``results.jsonl`` has it, the name of a link to it, its kind and its row id."""


def records(store: PageStore, s: Snapshot, answer: SearchAnswer, prefix: str, offset: int) -> list[Shown]:
    """The hits of an answer as users see them (blocks); those that the tree does not show are left out.

    ``prefix`` goes before ``path`` (the mountpoint, or nothing), ``offset`` is how many better ones were left out.
    """
    details: dict[tuple[str, int], tuple[Any, ...]] = {}
    with store.database.read(snapshot=True) as cursor:
        for kind in {hit.kind for hit in answer.hits}:
            wanted = [hit.id for hit in answer.hits if hit.kind == kind]
            sql = WANTED + _DETAILS[kind]
            for row_id, *rest in cursor.execute(sql, [wanted]).fetchall():
                details[kind, row_id] = tuple(rest)
    shown: list[Shown] = []
    for hit in answer.hits:
        where = place(s, hit.kind, hit.id)
        if where is None or (hit.kind, hit.id) not in details:
            continue
        rel, name = where
        title, lines, origin, date = details[hit.kind, hit.id]
        record = {
            "rank": offset + len(shown) + 1,
            "type": hit.kind,
            "score": round(hit.score, 4),
            "path": prefixed(prefix, rel),
            "rel": rel,
            "title": title,
            "snippet": hit.snippet,
            "lines": lines,
            "origin": origin,
            "date": date,
            "more": hit.more,
            "legs": hit.legs,
            "mode": answer.mode,
        }
        shown.append((record, name, hit.kind, hit.id))
    return shown
