"""From what a user calls a place to a node of the namespace.

A PATH may be a path on the mount, from the tree's root, ``/kg/…``, ``drive:/path`` or an id (design, section 3). The
client resolves what only it can know (the mount, the working directory) into a ``PathArgument``; the side that has the
store open walks the namespace. Runs on the thread that answers the request; nothing here touches the host's file
system.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs import paths
from kgfs.control.stale_snapshots import asked_again
from kgfs.errors import KgfsError, NotADirectory, NotFoundError, UnknownWord
from kgfs.names import AS_NAMED
from kgfs.nearest import MOST, asked_whether, nearest

if TYPE_CHECKING:
    from kgfs.namespace.namespace import Namespace
    from kgfs.service.sources.references import References

MAX_LINKS = 40


class PathArgument(msgspec.Struct, omit_defaults=True):
    """A PATH as the client understood it."""

    text: str
    """As typed; what is shown in front of what lies beneath."""
    exact: str | None = None
    """The path from the root, where ``text`` is a path on this store's mount."""
    inside: str | None = None
    """The working directory from the root, where it is on this store's mount."""
    host: bytes | None = None
    """``text`` as an absolute path of the host, which need not be UTF-8."""

    def fields(self) -> dict[str, Any]:
        """As an argument of a request."""
        return {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not None}


class NodeTrail:
    """A node and the way to it, outermost first; ``..`` goes back along the way."""

    def __init__(self, trail: list[int], shown: str) -> None:
        self.trail = trail
        self.shown = shown

    @property
    def node(self) -> int:
        return self.trail[-1]


def too_many_links(path: str) -> KgfsError:
    return KgfsError(f"{path} leads through more than {MAX_LINKS} links.")


def walk(namespace: Namespace, trail: list[int], path: str, *, follow: bool = True) -> list[int]:
    """The trail to ``path`` from the end of ``trail``. ``follow`` resolves a link at the end too.

    ``NotFoundError`` and ``NotADirectory`` as the kernel would answer.
    """
    trail = list(trail)
    parts = deque(path.split("/"))
    links = 0
    while parts:
        part = parts.popleft()
        if part in ("", "."):
            continue
        if part == "..":
            if len(trail) > 1:
                trail.pop()
            continue
        if namespace.row(trail[-1]).kind != "d":
            raise NotADirectory(f"{path}: not a directory.")
        while namespace.pending(trail[-1], part):
            asked_again(partial(namespace.prepare, trail[-1], part))
        child = namespace.lookup(trail[-1], part)
        if namespace.kind(child) == "l" and (follow or any(rest not in ("", ".") for rest in parts)):
            links += 1
            if links > MAX_LINKS:
                raise too_many_links(path)
            if namespace.target(child).startswith("/"):
                raise NotFoundError(f"{path}: a link on the way leads out of the tree.")
            parts.extendleft(reversed(namespace.target(child).split("/")))
            continue
        trail.append(child)
    return trail


class PathFinder:
    """Finds what the PATH of a request names in the tree of one store."""

    def __init__(self, namespace: Callable[[], Namespace], references: References, path_prefix: str) -> None:
        """``namespace`` is asked for only where the tree is walked; ``path_prefix`` is what paths in results begin
        with."""
        self._namespace, self.references, self.path_prefix = namespace, references, path_prefix

    @property
    def namespace(self) -> Namespace:
        """The tree, as it is shown now."""
        return self._namespace()

    def find_node(self, place: PathArgument, *, follow: bool = True) -> NodeTrail:
        """The node that ``place`` names; the first reading that exists wins. ``NotFoundError`` names ``place``."""
        namespace = self.namespace
        root = [namespace.root]
        missing: KgfsError | None = None
        for start, path, shown in self.readings(place):
            try:
                return NodeTrail(walk(namespace, walk(namespace, root, start), path, follow=follow), shown)
            except NotADirectory:
                raise NotADirectory(f"{place.text} goes on beneath a file; name a directory.") from None
            except UnknownWord as error:
                missing = error
            except NotFoundError:
                continue
        if missing is None:
            meant = asked_whether(self._near(place), "`kgfs search` finds things by what they say.")
            missing = NotFoundError(f"{place.text}: no such path, reference or id; {meant}")
        raise missing

    def _near(self, place: PathArgument) -> list[str]:
        """Paths that ``place`` may have been meant for; of a name alone also the entities and documents near it."""
        near: list[str] = []
        for start, path, shown in self.readings(place):
            with suppress(KgfsError):
                prefix = shown.removesuffix(path) if shown.endswith(path) else ""
                near += [prefix + one for one in self._near_path(start, path)]
        text = place.text.strip("/")
        if "/" not in text:
            for folder in ("entities/by_name", "documents"):
                near += [f"{folder}/{name}" for name in nearest(text, self._listed(folder))]
        return list(dict.fromkeys(near))[:MOST]

    def _near_path(self, start: str, path: str) -> list[str]:
        """``path`` with the first name that is not there as one that is."""
        namespace = self.namespace
        slash = "/" if path.startswith("/") else ""
        names = [name for name in path.split("/") if name not in ("", ".")]
        for at, name in enumerate(names):
            above = "/".join([start, *names[:at]])
            try:
                walk(namespace, [namespace.root], f"{above}/{name}")
            except NotFoundError:
                near = []
                for found in nearest(name, self._listed(above)):
                    whole = [*names[:at], found, *names[at + 1 :]]
                    near.append(slash + "/".join(whole if self._is_there(start, whole) else whole[: at + 1]))
                return near
        return []

    def _is_there(self, start: str, names: list[str]) -> bool:
        """Whether a path exists, where that can be told without a search."""
        if any(name.startswith("@") for name in names):
            return True
        try:
            return bool(walk(self.namespace, [self.namespace.root], "/".join([start, *names])))
        except KgfsError:
            return False

    def _listed(self, path: str) -> list[str]:
        """The names in a directory, as far as they are known without a search."""
        namespace = self.namespace
        if any(name.startswith("@") for name in path.split("/")):
            return []
        with suppress(KgfsError):
            node = walk(namespace, [namespace.root], path)[-1]
            if namespace.kind(node) == "d":
                return [entry.name for entry in namespace.entries(node)]
        return []

    def path(self, place: PathArgument) -> str:
        """The canonical path of what ``place`` names, from the root."""
        return self.namespace.path(self.find_node(place).node)

    def readings(self, place: PathArgument) -> list[tuple[str, str, str]]:
        """What a PATH may mean, likeliest first: (directory to start in, path from there, how to show it)."""
        text = place.text
        if place.exact is not None:
            return [("", place.exact, text)]
        readings: list[tuple[str, str, str]] = []
        if text.startswith("/"):
            for prefix in dict.fromkeys((self.path_prefix, paths.PREFIX)):
                if (beneath := paths.below(prefix, text)) is not None:
                    readings.append(("", beneath, text))
        elif place.inside is not None:
            readings.append((place.inside, text, text))
        readings.append(("", text, text))
        if not text.isascii() and (meant := text.translate(AS_NAMED)) != text:
            readings.append(("", meant, meant))  # as JSON shows a name that is no UTF-8
        identified = self._by_id(text)
        if identified is None and place.host is not None:
            identified = self.references.path_of_host(place.host)
        if identified is not None:
            readings.append(("", identified, identified))
        return readings

    def _by_id(self, text: str) -> str | None:
        if paths.parse_ref(text) is not None:
            return self.references.path_of_ref(text)
        if "/" in text:
            return None
        if paths.is_fact_id(text):
            return self.references.path_of_fact(text)
        readings = [f"entities/by_name/{text}", f"documents/{text}"]
        if (chunk := paths.parse_chunk_id(text)) is not None:
            readings.insert(0, f"chunks/by_document/{chunk.document}/chunk_{chunk.ordinal}")
        namespace = self.namespace
        for path in readings:
            try:
                found = walk(namespace, [namespace.root], path)
            except (NotFoundError, NotADirectory):
                continue
            return namespace.path(found[-1])
        return None
