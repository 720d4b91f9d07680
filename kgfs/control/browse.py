"""``ls cat tree find grep stat`` over the namespace: the same tree and the same bytes as on a mount, without one.

Used by ``control.answers``, on the thread that answers the request. Links are shown, not followed, but for a link that
the user names as PATH.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from kgfs.control.frames import Reply
from kgfs.control.path_arguments import NodeTrail, PathArgument, PathFinder
from kgfs.control.stale_snapshots import asked_again, pause
from kgfs.errors import Cancelled, IsADirectory, NotFoundError, UsageError
from kgfs.namespace.bodies import Body
from kgfs.namespace.queries.find import is_predicate
from kgfs.namespace.queries.find import predicates as known_predicates
from kgfs.namespace.queries.query_cache import encode
from kgfs.nearest import did_you_mean
from kgfs.paths import PREFIX

if TYPE_CHECKING:
    from kgfs.namespace.namespace import Namespace
    from kgfs.namespace.queries.matches import Matches
    from kgfs.namespace.tree_reader import Attr, Entry

T = TypeVar("T")
READ_BYTES = 1 << 20
KIND_NAMES = {"d": "directory", "f": "file", "l": "link"}


def _described(namespace: Namespace, node: int, name: str) -> dict[str, Any]:
    attr = _attr(namespace, node)
    described: dict[str, Any] = {
        "name": name,
        "kind": KIND_NAMES[attr.kind],
        "size": attr.size,
        "mtime_ns": attr.mtime_ns,
        "mode": attr.mode & 0o7777,
        "nlink": attr.nlink,
    }
    if attr.kind == "l":
        described["target"] = _target(namespace, node)
    return described


def _kind(namespace: Namespace, node: int) -> str:
    """``d``, ``f`` or ``l``."""
    return namespace.kind(node)


def _attr(namespace: Namespace, node: int) -> Attr:
    """The attributes of a node; what must be rendered for them is rendered, again where a commit came in between."""
    return _current(namespace, node, namespace.attr)


def _target(namespace: Namespace, node: int) -> str:
    """Where a link leads, likewise."""
    return _current(namespace, node, namespace.target)


def _current(namespace: Namespace, node: int, question: Callable[[int], T]) -> T:
    return asked_again(lambda: question(node), lambda: namespace.prepare(node))


def _entries(namespace: Namespace, node: int) -> Sequence[Entry]:
    """A listing whose nodes have their attributes."""
    if namespace.pending(node):
        namespace.prepare(node)
    return namespace.entries(node)


def list_directory(finder: PathFinder, place: PathArgument, reply: Reply) -> dict[str, Any]:
    """Items: ``name, kind, size, mtime_ns, mode, nlink, target``. A file lists itself. The path and kind of PATH."""
    namespace = finder.namespace
    found = finder.find_node(place)
    if _kind(namespace, found.node) != "d":
        reply.item(_described(namespace, found.node, found.shown))
        return {"path": namespace.path(found.node), "kind": KIND_NAMES["f"]}
    for number, entry in enumerate(sorted(_entries(namespace, found.node))):
        if number % 256 == 0:
            _stop_if_gone(reply)
        with suppress(NotFoundError):  # gone since it was listed
            reply.item(_described(namespace, entry.node, entry.name))
    return {"path": namespace.path(found.node), "kind": KIND_NAMES["d"]}


def read_file(finder: PathFinder, place: PathArgument, reply: Reply) -> dict[str, Any]:
    """Data: the bytes of a file. ``IsADirectory`` for a directory."""
    namespace = finder.namespace
    found = finder.find_node(place)
    if _kind(namespace, found.node) == "d":
        raise IsADirectory(f"{place.text} is a directory; `kgfs ls` lists it.")
    size = 0
    for part in _bytes(namespace, found.node):
        _stop_if_gone(reply)
        reply.data(part)
        size += len(part)
    return {"path": namespace.path(found.node), "size": size}


def _body(namespace: Namespace, node: int) -> Body:
    """The body of a file; one that a commit overtook is asked for again until the new snapshot is adopted."""
    return asked_again(lambda: namespace.peek(node) or namespace.load(node))


def _bytes(namespace: Namespace, node: int) -> Iterator[bytes]:
    body = _body(namespace, node)
    offset = 0
    while part := body.read(offset, READ_BYTES):
        yield bytes(part)
        offset += len(part)


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
        entries = _entries(namespace, node)
        return iter(sorted(entries) if sort else entries)

    open_ = [(path, listed(node))]
    while open_:
        path, entries = open_[-1]
        entry = next(entries, None)
        if entry is None:
            open_.pop()
            continue
        below = f"{path.rstrip('/')}/{entry.name}" if path else entry.name
        kind = _kind(namespace, entry.node)
        yield below, entry.node, kind, len(open_)
        if kind == "d" and (limit is None or len(open_) < limit):
            with suppress(NotFoundError):  # gone since it was listed
                open_.append((below, listed(entry.node)))


def show_tree(finder: PathFinder, place: PathArgument, levels: int | None, reply: Reply) -> dict[str, Any]:
    """Items: ``path, kind, depth, target`` for what lies beneath, parents first; counts of directories and files."""
    namespace = finder.namespace
    found = finder.find_node(place)
    counts = {"directories": 0, "files": 0, "links": 0}
    if _kind(namespace, found.node) == "d":
        for path, node, kind, depth in _walk(namespace, found.node, "", reply, limit=levels, sort=True):
            counts[{"d": "directories", "f": "files", "l": "links"}[kind]] += 1
            item = {"path": path, "kind": KIND_NAMES[kind], "depth": depth}
            if kind == "l":
                item["target"] = _target(namespace, node)
            reply.item(item)
    return {"path": found.shown, **counts}


def give_tree(namespace: Namespace, reply: Reply) -> dict[str, Any]:
    """Items: ``path, kind, size, mtime_ns, mode, target`` of the whole tree but the ``@`` areas, parents first; the
    data of a file right behind its item. Counts of directories, files and links."""
    counts = {"directories": 0, "files": 0, "links": 0}
    for top in _entries(namespace, namespace.root):
        if top.name.startswith("@"):
            continue
        beneath = [(top.name, top.node, _kind(namespace, top.node), 1)]
        inside = _walk(namespace, top.node, top.name, reply) if beneath[0][2] == "d" else iter(())
        for path, node, kind, _ in chain(beneath, inside):
            _stop_if_gone(reply)
            try:
                item = {**_described(namespace, node, path), "path": path}
                parts = _bytes(namespace, node) if kind == "f" else iter(())
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
    found = finder.find_node(place)
    fits = re.compile(fnmatch.translate(name)).fullmatch if name is not None else None
    shown = _shown(found)
    top = _kind(namespace, found.node)
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
    found = finder.find_node(place)
    for predicate in predicates:
        if not is_predicate(namespace.view, predicate):
            name = re.split("[<=>]", predicate)[0]
            meant = did_you_mean(name, known_predicates(), "`kgfs cat @find/_usage.txt` has them all.")
            raise UsageError(f"{predicate!r} is no predicate; {meant}")
    node = namespace.resolve("/".join(("@find", *map(encode, predicates))), start=found.node)
    fits = re.compile(fnmatch.translate(name)).fullmatch if name is not None else None
    for entry in _entries(namespace, node):
        target = namespace.resolve(entry.name, start=node)
        one, path = _kind(namespace, target), namespace.path(target)
        if kind in (None, one) and (fits is None or fits(path.rpartition("/")[2])):
            reply.item({"path": _shown_at(finder, place, found, path), "kind": KIND_NAMES[one]})
    return {"path": namespace.path(found.node)}


def _shown_at(finder: PathFinder, place: PathArgument, found: NodeTrail, path: str) -> str:
    """A path from the root as the place was written, where it lies beneath that; else whole."""
    here = finder.namespace.path(found.node)
    if not here or path == here or path.startswith(f"{here}/"):
        return "/".join(part for part in (_shown(found).rstrip("/"), path[len(here) :].lstrip("/")) if part)
    if place.exact is None and place.inside is None:
        return f"{PREFIX}/{path}" if place.text.startswith(f"{PREFIX}/") else path
    return f"{finder.path_prefix.rstrip('/')}/{path}"


def _shown(found: NodeTrail) -> str:
    """How paths below begin: as the user wrote the place; ``.``, the working directory, needs no prefix."""
    return "" if found.shown in ("", ".", "/") else found.shown


def describe(finder: PathFinder, place: PathArgument, reply: Reply) -> dict[str, Any]:
    """What a place is: canonical path, kind, size, dates, mode, number of entries, and its attributes."""
    namespace = finder.namespace
    found = finder.find_node(place, follow=False)
    described = _described(namespace, found.node, namespace.path(found.node).rpartition("/")[2])
    attr = _attr(namespace, found.node)
    described["path"] = namespace.path(found.node)
    described["ctime_ns"] = attr.ctime_ns
    described["inode"] = found.node
    if attr.kind == "d":
        counts = {"d": 0, "f": 0, "l": 0}
        for entry in _entries(namespace, found.node):
            counts[_kind(namespace, entry.node)] += 1
        described["entries"] = {"directories": counts["d"], "files": counts["f"], "links": counts["l"]}
    described["attributes"] = {
        key.removeprefix("user.kg."): value.decode("utf-8", "replace")
        for key, value in sorted(namespace.xattrs(found.node).items())
    }
    return described


# --- grep ----------------------------------------------------------------------------------------------------------


def search_lines(finder: PathFinder, place: PathArgument, pattern: str, flags: str, reply: Reply) -> dict[str, Any]:
    """Items: ``path, line, text`` of every line that matches, as ``grep -rE`` finds them; ``flags`` are of ``i F w l``.

    The engine is that of ``@grep/-r``. With ``l`` only ``path``, once a file.
    """
    found = finder.find_node(place)
    matches = _matches(finder.namespace, found.node, pattern, flags, reply)
    one = _kind(finder.namespace, found.node) == "f"
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


def _matches(namespace: Namespace, node: int, pattern: str, flags: str, reply: Reply) -> Matches:
    """What matches in the newest snapshot; asked again where a commit was faster."""
    from kgfs.namespace.queries import grep  # here: most commands do not search

    def search() -> Matches:
        return grep.search(
            namespace,
            namespace.store,
            namespace.view,
            node,
            pattern,
            f"r{flags}",
            seconds=None,
            stopped=reply.cancel.is_set,
        )

    def wait() -> None:
        _stop_if_gone(reply)
        pause()

    return asked_again(search, wait)


def _stop_if_gone(reply: Reply) -> None:
    if reply.cancel.is_set():
        raise Cancelled("Stopped.")
