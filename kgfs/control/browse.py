"""``ls cat tree find grep stat`` over the namespace: the same tree and the same bytes as on a mount, without one.

Used by ``control.answers``, on the thread that answers the request. Links are shown, not followed, but for a link that
the user names as PATH.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from kgfs.control.frames import Reply
from kgfs.control.path_arguments import Found, PathArgument, PathFinder
from kgfs.errors import Cancelled, IsADirectory, NotFoundError, UsageError
from kgfs.namespace.asking import KIND_NAMES, described, described_whole, entries, matching, pieces, target
from kgfs.namespace.queries.find import is_predicate
from kgfs.namespace.queries.query_cache import encode
from kgfs.paths import PREFIX

if TYPE_CHECKING:
    from kgfs.namespace.namespace import Namespace
    from kgfs.namespace.tree_reader import Entry

def list_directory(finder: PathFinder, place: PathArgument, reply: Reply) -> dict[str, Any]:
    """Items: ``name, kind, size, mtime_ns, mode, nlink, target``. A file lists itself."""
    namespace = finder.namespace
    found = finder.find(place)
    if namespace.kind(found.node) != "d":
        reply.item(described(namespace, found.node, found.shown))
        return {"path": namespace.path(found.node)}
    for number, entry in enumerate(sorted(entries(namespace, found.node))):
        if number % 256 == 0:
            _stop_if_gone(reply)
        with suppress(NotFoundError):  # gone since it was listed
            reply.item(described(namespace, entry.node, entry.name))
    return {"path": namespace.path(found.node)}


def read_file(finder: PathFinder, place: PathArgument, reply: Reply) -> dict[str, Any]:
    """Data: the bytes of a file. ``IsADirectory`` for a directory."""
    namespace = finder.namespace
    found = finder.find(place)
    if namespace.kind(found.node) == "d":
        raise IsADirectory(f"{place.text} is a directory; `kgfs ls` lists it.")
    size = 0
    for part in pieces(namespace, found.node):
        _stop_if_gone(reply)
        reply.data(part)
        size += len(part)
    return {"path": namespace.path(found.node), "size": size}


def _walk(
    namespace: Namespace,
    node: int,
    path: str,
    reply: Reply,
    *,
    limit: int | None = None,
    sort: bool = False,
) -> Iterator[tuple[str, int, str, int]]:
    """(path, node, kind, depth) of everything beneath a directory, parents first.

    In listing order, in which texts lie together in the store, or with ``sort`` by name.
    """

    def listed(node: int) -> Iterator[Entry]:
        _stop_if_gone(reply)
        found = entries(namespace, node)
        return iter(sorted(found) if sort else found)

    open_ = [(path, listed(node))]
    while open_:
        path, left = open_[-1]
        entry = next(left, None)
        if entry is None:
            open_.pop()
            continue
        below = f"{path.rstrip('/')}/{entry.name}" if path else entry.name
        kind = namespace.kind(entry.node)
        yield below, entry.node, kind, len(open_)
        if kind == "d" and (limit is None or len(open_) < limit):
            with suppress(NotFoundError):  # gone since it was listed
                open_.append((below, listed(entry.node)))


def show_tree(finder: PathFinder, place: PathArgument, levels: int | None, reply: Reply) -> dict[str, Any]:
    """Items: ``path, kind, depth, target`` for what lies beneath, parents first; counts of directories and files."""
    namespace = finder.namespace
    found = finder.find(place)
    counts = {"directories": 0, "files": 0, "links": 0}
    if namespace.kind(found.node) == "d":
        for path, node, kind, depth in _walk(namespace, found.node, "", reply, limit=levels, sort=True):
            counts[{"d": "directories", "f": "files", "l": "links"}[kind]] += 1
            item = {"path": path, "kind": KIND_NAMES[kind], "depth": depth}
            if kind == "l":
                item["target"] = target(namespace, node)
            reply.item(item)
    return {"path": found.shown, **counts}


def give_tree(namespace: Namespace, reply: Reply) -> dict[str, Any]:
    """Items: ``path, kind, size, mtime_ns, mode, target`` of the whole tree but the ``@`` areas, parents first; the
    data of a file right behind its item. Counts of directories, files and links."""
    counts = {"directories": 0, "files": 0, "links": 0}
    for top in entries(namespace, namespace.root):
        if top.name.startswith("@"):
            continue
        beneath = [(top.name, top.node, namespace.kind(top.node), 1)]
        inside = _walk(namespace, top.node, top.name, reply) if beneath[0][2] == "d" else iter(())
        for path, node, kind, _ in chain(beneath, inside):
            _stop_if_gone(reply)
            try:
                item = {**described(namespace, node, path), "path": path}
                parts = pieces(namespace, node) if kind == "f" else iter(())
                first = next(parts, b"")
            except NotFoundError:
                continue  # gone since it was listed
            reply.item(item)
            for part in chain([first] if first else [], parts):
                reply.data(part)
            counts[{"d": "directories", "f": "files", "l": "links"}[kind]] += 1
    return counts


def find_below(
    finder: PathFinder, place: PathArgument, name: str | None, kind: str | None, reply: Reply
) -> dict[str, Any]:
    """Items: ``path, kind`` of PATH, called as the user calls it, and all beneath it, by glob and type (``d``, ``f``,
    ``l``)."""
    namespace = finder.namespace
    found = finder.find(place)
    fits = re.compile(fnmatch.translate(name)).fullmatch if name is not None else None
    shown = _shown(found)
    top = namespace.kind(found.node)
    own_name = found.shown.rstrip("/").rpartition("/")[2]
    if (kind in (None, top)) and (fits is None or fits(own_name)):
        reply.item({"path": shown or ".", "kind": KIND_NAMES[top]})
    if top == "d":
        for path, _, one, _ in _walk(namespace, found.node, shown, reply):
            if kind in (None, one) and (fits is None or fits(path.rpartition("/")[2])):
                reply.item({"path": path, "kind": KIND_NAMES[one]})
    return {"path": namespace.path(found.node)}


def find_satisfying(
    finder: PathFinder, place: PathArgument, predicates: Sequence[str], name: str | None, kind: str | None, reply: Reply
) -> dict[str, Any]:
    """Items: ``path, kind`` of what ``@find`` gives in a directory; what lies elsewhere has its whole path."""
    namespace = finder.namespace
    found = finder.find(place)
    for predicate in predicates:
        if not is_predicate(namespace.view, predicate):
            raise UsageError(f"{predicate!r} is no predicate; `kgfs cat @find/_usage.txt` has them all.")
    node = namespace.resolve("/".join(("@find", *map(encode, predicates))), start=found.node)
    fits = re.compile(fnmatch.translate(name)).fullmatch if name is not None else None
    for entry in entries(namespace, node):
        leads_to = namespace.resolve(entry.name, start=node)
        one, path = namespace.kind(leads_to), namespace.path(leads_to)
        if kind in (None, one) and (fits is None or fits(path.rpartition("/")[2])):
            reply.item({"path": _shown_at(finder, place, found, path), "kind": KIND_NAMES[one]})
    return {"path": namespace.path(found.node)}


def _shown_at(finder: PathFinder, place: PathArgument, found: Found, path: str) -> str:
    """A path from the root as the place was written, where it lies beneath that; else whole."""
    here = finder.namespace.path(found.node)
    if not here or path == here or path.startswith(f"{here}/"):
        return "/".join(part for part in (_shown(found).rstrip("/"), path[len(here) :].lstrip("/")) if part)
    if place.exact is None and place.inside is None:
        return f"{PREFIX}/{path}" if place.text.startswith(f"{PREFIX}/") else path
    return f"{finder.path_prefix.rstrip('/')}/{path}"


def _shown(found: Found) -> str:
    """How paths below begin: as the user wrote the place; ``.``, the working directory, needs no prefix."""
    return "" if found.shown in ("", ".", "/") else found.shown


def describe(finder: PathFinder, place: PathArgument, reply: Reply) -> dict[str, Any]:
    """What a place is: canonical path, kind, size, dates, mode, number of entries, and its attributes."""
    namespace = finder.namespace
    found = finder.find(place, follow=False)
    return described_whole(namespace, found.node)


# --- grep ----------------------------------------------------------------------------------------------------------


def search_lines(finder: PathFinder, place: PathArgument, pattern: str, flags: str, reply: Reply) -> dict[str, Any]:
    """Items: ``path, line, text`` of every line that matches, as ``grep -rE`` finds them; ``flags`` are of ``i F w l``.

    The engine is that of ``@grep/-r``. With ``l`` only ``path``, once a file.
    """
    found = finder.find(place)
    matches = matching(finder.namespace, found.node, pattern, flags, reply.cancel.is_set)
    one = finder.namespace.kind(found.node) == "f"
    prefix = f"{_shown(found).rstrip('/')}/" if _shown(found) else ""
    count = 0
    for path, number, text in matches.lines():
        if count % 1024 == 0:
            _stop_if_gone(reply)
        count += 1
        shown = found.shown if one else prefix + path.decode("utf-8", "replace")
        reply.item(
            {"path": shown}
            if matches.names
            else {"path": shown, "line": number, "text": text.decode("utf-8", "replace")}
        )
    return {"matches": count}


def _stop_if_gone(reply: Reply) -> None:
    if reply.cancel.is_set():
        raise Cancelled("Stopped.")
