"""``@stat``: what the place is that one stands in, as ``pwd -v`` of the shell shows it.

Used through ``query_cache``; blocks for one statement.
"""

from __future__ import annotations

from collections.abc import Callable

from kgfs.names import one_line, prefixed
from kgfs.namespace.node import NodeRef, ref_of
from kgfs.namespace.pages import PageStore
from kgfs.namespace.queries.query_cache import ONLY, Query, QueryResult
from kgfs.namespace.route import Scope
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.tree_reader import TreeReader

_ROWS = {
    "entities/<types>/<Entity_Slug>/": ("Entity", "SELECT name, type FROM entities WHERE id = ?"),
    "topics/<topic>/": ("Topic", "SELECT name, NULL FROM topics WHERE id = ?"),
    "documents/<doc>/": ("Document", "SELECT coalesce(title, slug), NULL FROM documents WHERE id = ?"),
    "chunks/by_document/<doc>/": ("Document", "SELECT coalesce(title, slug), NULL FROM documents WHERE id = ?"),
    "chunks/by_topic/<topic>/": ("Topic", "SELECT name, NULL FROM topics WHERE id = ?"),
}
"""Directories that stand for a row: what they are called, and the statement for name and type."""


class StatEngine:
    """Answers ``@stat``: one line a property, ``Name:`` and its value."""

    def __init__(self, tree: TreeReader, store: PageStore, prefix: Callable[[], str]) -> None:
        """``prefix`` goes before paths: the mountpoint."""
        self._tree, self._store, self._prefix = tree, store, prefix

    def __call__(self, query: Query) -> QueryResult:
        s, node = self._tree.view, query.scope
        path = self._tree.path_in(s, node)
        lines = [("Current", prefixed(self._prefix(), f"{path}/" if path else "") or "/")]
        row = self._tree.row(node)
        ref = ref_of(node)
        if row.pattern in _ROWS:
            label, statement = _ROWS[row.pattern]
            with self._store.database.read() as cursor:
                found = cursor.execute(statement, [ref.id]).fetchone()
            if found is not None:
                lines.append((label, found[0]))
                if found[1] is not None:
                    lines.append(("Type", found[1]))
        else:
            lines.append(("Holds", row.description))
        lines += [(label, f"{count:,}") for label, count in _counts(s, self._tree.scope_of(s, node), row.pattern, ref)]
        width = max(len(label) for label, _ in lines) + 2
        text = "".join(one_line(f"{label + ':':{width}}{value}") + "\n" for label, value in lines)
        return QueryResult(s.generation, {ONLY: text.encode("utf-8", "replace")})


def _counts(s: Snapshot, scope: Scope, pattern: str, node: NodeRef) -> list[tuple[str, int]]:
    """How many rows of each kind belong to the place; an entity's facts are those that it states."""
    counts = []
    for label, kind in (
        ("Facts", "facts"), ("Chunks", "chunks"), ("Topics", "topics"), ("Entities", "entities"),
        ("Documents", "documents"),
    ):  # fmt: skip
        members = getattr(scope, kind)
        count = len(getattr(s, kind)) if members is None else len(members)
        if kind == "facts" and pattern == "entities/<types>/<Entity_Slug>/":
            count = int(s.stated.counts[s.entities.index(node.id)])
        if count or pattern in _ROWS:
            counts.append((label, count))
    return counts
