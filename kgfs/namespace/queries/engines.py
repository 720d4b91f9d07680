"""The engine of each query area: from the words of a query to a call, and which names are words at all.

Used by the namespace when it is made, and by the table in ``tree``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from kgfs.errors import NotFoundError
from kgfs.namespace.node import ref_of
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries import between, grep, path_files, paths, sql
from kgfs.namespace.queries.brief import BriefEngine
from kgfs.namespace.queries.find import find_matching
from kgfs.namespace.queries.named_rows import entities_beginning, entity_named
from kgfs.namespace.queries.query_cache import ONLY, Engine, Query, QueryResult, decode
from kgfs.namespace.queries.search import SearchEngine, Searcher
from kgfs.namespace.queries.stat import StatEngine
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.tree_reader import TreeReader
from kgfs.nearest import asked_whether

_FLAGS = re.compile(f"-[{grep.FLAGS}]+")


def engines(
    tree: TreeReader, store: PageStore, searcher: Searcher | None, prefix: Callable[[], str]
) -> dict[str, Engine]:
    """By the name of the area. ``prefix`` goes before absolute paths in results: the mountpoint."""
    return {
        "@brief": BriefEngine(tree, store, searcher),
        "@search": SearchEngine(tree, store, searcher, prefix),
        "@grep": partial(matching_lines, tree, store),
        "@find": partial(find_matching, tree),
        "@near": partial(near, tree, store),
        "@path": partial(path, tree, store),
        "@sql": partial(rows, tree, store),
        "@changes": partial(changes, tree, store),
        "@stat": StatEngine(tree, store, prefix),
    }


def matching_lines(tree: TreeReader, store: PageStore, query: Query) -> QueryResult:
    """``@grep/<pattern>``, ``@grep/-<flags>/<pattern>``."""
    *flags, pattern = query.words
    s = tree.view
    letters = "".join(flags).lstrip("-")
    found = grep.matching_lines(tree, store, s, query.scope, decode(pattern), letters)
    return QueryResult(
        s.generation, {ONLY: found}, of_files=True, said="" if found else grep.no_line(decode(pattern), letters)
    )


def are_flags(s: Snapshot, name: str) -> bool:
    return _FLAGS.fullmatch(name) is not None


def is_pattern(s: Snapshot, name: str) -> bool:
    return not are_flags(s, name)


def rows(tree: TreeReader, store: PageStore, query: Query) -> QueryResult:
    """``@sql/<select>``, ``@sql/csv/<select>``."""
    form = "csv" if query.pattern.startswith("@sql/csv/") else "jsonl"
    s = tree.view
    return QueryResult(s.generation, {ONLY: sql.rows(store, s, decode(query.words[-1]), form)})


def changes(tree: TreeReader, store: PageStore, query: Query) -> QueryResult:
    """``@changes/<from>..<to>``."""
    s = tree.view
    return QueryResult(s.generation, between.changes_files(store, s, query.words[0]))


def is_entity(s: Snapshot, name: str) -> bool:
    return entity_named(s, decode(name)) is not None


def no_entity(s: Snapshot, name: str) -> str:
    """The sentence for a name that no entity has; it names those whose names begin with it: *David Bradley (actor)*."""
    wanted = decode(name)
    near = entities_beginning(s, wanted)
    return f"There is no entity {wanted!r}; {asked_whether(near, 'look for its name with @search/entities.')}"


def entity_meant(s: Snapshot, name: str) -> int:
    """The entity that a component names. ``NotFoundError`` where it is gone."""
    index = entity_named(s, decode(name))
    if index is None:
        raise NotFoundError(f"There is no entity {decode(name)!r} any more.")
    return index


def path(tree: TreeReader, store: PageStore, query: Query) -> QueryResult:
    """``@path/<A>/<B>``."""
    s = tree.view
    start, end = (entity_meant(s, name) for name in query.words)
    found = paths.chains(store, s, start, end)
    files = {"path.txt": path_files.path_txt(store, s, found), "path.jsonl": path_files.path_jsonl(store, s, found)}
    said = ""
    if not (found.found or found.late):
        said = path_files.no_chain(s, start, end)
    return QueryResult(s.generation, files, path_files.path_links(store, s, found), said=said)


def near(tree: TreeReader, store: PageStore, query: Query) -> QueryResult:
    """``@near/<hops>`` of an entity."""
    s = tree.view
    entity = s.entities.index(ref_of(query.scope).id)
    found = paths.near(store, s, entity, int(query.words[0]))
    files = {"near.txt": path_files.near_txt(store, s, found), "near.jsonl": path_files.near_jsonl(store, s, found)}
    return QueryResult(s.generation, files, path_files.near_links(s, found))


def are_hops(s: Snapshot, name: str) -> bool:
    return name in ("1", "2", "3", "4")


def no_hops(s: Snapshot, name: str) -> str:
    return f"{name!r} is no number of hops; they go from 1 to 4, as in @near/2/near.txt."
