"""What each request of the control socket does, by name; the same code answers a command that has no daemon.

Used by ``control.server`` (on a connection's thread) and ``control.client`` (in the command's own process).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.control import browse
from kgfs.control.frames import FrameError, Reply, Request
from kgfs.control.places import Place, find

if TYPE_CHECKING:
    from kgfs.service import Service

JOBS = frozenset({"add", "rm", "wait"})
"""Requests that take long and run on the service's job thread."""


def answer(service: Service, request: Request, reply: Reply) -> dict[str, Any]:
    """Answer one request. ``FrameError`` for one that is not known or lacks what it needs."""
    handler = _HANDLERS.get(request.command)
    if handler is None:
        raise FrameError(f"There is no request {request.command!r}; are both ends of one version?")
    return handler(service, request.arguments, reply)


def _argument(arguments: dict[str, Any], name: str, kind: Any, default: Any = None) -> Any:
    """An argument as what it must be. ``FrameError`` where it is missing or something else."""
    try:
        return msgspec.convert(arguments.get(name, default), kind)
    except msgspec.ValidationError as error:
        raise FrameError(f"The request lacks its argument {name!r}, or has another: {error}.") from error


def _place(arguments: dict[str, Any]) -> Place:
    place: Place = _argument(arguments, "place", Place)
    return place


def _ls(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return browse.list_directory(service, _place(arguments), reply)


def _cat(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return browse.read_file(service, _place(arguments), reply)


def _tree(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    levels = _argument(arguments, "levels", int | None)
    return browse.show_tree(service, _place(arguments), levels, reply)


def _find(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    name = _argument(arguments, "name", str | None)
    kind = _argument(arguments, "kind", str | None)
    return browse.find_below(service, _place(arguments), name, kind, reply)


def _grep(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    pattern = _argument(arguments, "pattern", str)
    flags = _argument(arguments, "flags", str, "")
    return browse.search_lines(service, _place(arguments), pattern, flags, reply)


def _stat(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return browse.describe(service, _place(arguments), reply)


def _search(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return service.search(
        _argument(arguments, "query", str),
        kind=_argument(arguments, "kind", str, "semantic"),
        origin=_origin(service, arguments),
        limit=_argument(arguments, "limit", int | None),
    )


def _origin(service: Service, arguments: dict[str, Any]) -> str | None:
    """The drive, or with ``--in`` the place on a drive, that hits must come from."""
    drive: str | None = _argument(arguments, "origin", str | None)
    scope: Place | None = _argument(arguments, "scope", Place | None)
    if scope is None:
        return drive
    place = service.references.at_path(service.namespace.path(find(service, scope).node), scope.text)
    return ":".join(place)


def _add(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    options = {name: value for name, value in arguments.items() if name not in ("paths", "background")}
    paths = [Path(os.fsdecode(path)) for path in _argument(arguments, "paths", list[bytes])]
    request = service.add_request(paths, options)
    if arguments.get("background"):
        return {"job": service.add_in_background(request)}
    return service.add(request, reply.progress, reply.cancel)


def _rm(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    named = _argument(arguments, "places", list[Place])
    recursive = bool(arguments.get("recursive"))
    chosen = [number for place in named for number in _items(service, place, recursive)]
    return service.remove(list(dict.fromkeys(chosen)), reply.progress, reply.cancel)


def _items(service: Service, place: Place, recursive: bool) -> list[int]:
    """The items that a PATH of ``rm`` means: by ref, by file on disk, by source, or by a place of the tree."""
    known = None if place.exact is not None else service.references.stored(place.text, place.host)
    if known is None:
        known = service.references.at_path(service.namespace.path(find(service, place).node), place.text)
    return service.references.items(known, recursive)


def _wait(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    timeout = _argument(arguments, "timeout", float | None)
    return service.wait(timeout, reply.progress, reply.cancel)


def _status(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return service.status(brief=bool(arguments.get("brief")), errors=bool(arguments.get("errors")))


def _sources(service: Service, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    return {"paths": service.source_paths()}


_HANDLERS: dict[str, Callable[[Service, dict[str, Any], Reply], dict[str, Any]]] = {
    "ls": _ls, "cat": _cat, "tree": _tree, "find": _find, "grep": _grep, "stat": _stat, "search": _search,
    "add": _add, "rm": _rm, "wait": _wait, "status": _status, "sources": _sources,
}  # fmt: skip
