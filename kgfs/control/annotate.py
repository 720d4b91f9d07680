"""The requests of ``kgfs entity`` and ``kgfs fact``: their arguments, and places of the tree as names of things.

Used by ``control.answers``, on the thread that answers the request.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.control.frames import FrameError, Reply, converted
from kgfs.control.path_arguments import PathArgument, PathFinder
from kgfs.errors import KgfsError

if TYPE_CHECKING:
    from kgfs.service.annotations import Annotations


class EntityRequest(msgspec.Struct, kw_only=True):
    """What is to be done with an entity."""

    action: str
    """``show make rename retype describe merge unmerge undo history``."""
    entity: PathArgument | None = None
    into: PathArgument | None = None
    value: str = ""
    type: str = ""
    number: int | None = None


class FactRequest(msgspec.Struct, kw_only=True):
    """What is to be done with a fact."""

    action: str
    """``add retract restore retracted``."""
    fact: str = ""
    """Its id, or the path of its file."""
    subject: PathArgument | None = None
    type: str = ""
    object: PathArgument | None = None
    text: bool = False
    date: str | None = None
    description: str = ""
    chunk: PathArgument | None = None
    quote: str = ""


def entity(said: Annotations, finder: PathFinder, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """Answer ``kgfs entity``."""
    asked: EntityRequest = _request(arguments, EntityRequest)
    name = "" if asked.entity is None else _called(finder, asked.entity)
    if asked.action == "history":
        for line in said.history(name):
            reply.item(line)
        return {}
    if asked.action == "show":
        return said.show(name)
    if asked.action == "make":
        return said.make(asked.value, asked.type, "")
    if asked.action == "rename":
        return said.rename(name, asked.value)
    if asked.action == "retype":
        return said.retype(name, asked.value)
    if asked.action == "describe":
        return said.describe(name, asked.value)
    if asked.action == "merge" and asked.into is not None:
        return said.merge(name, _called(finder, asked.into))
    if asked.action == "unmerge":
        return said.unmerge(name)
    if asked.action == "undo":
        return said.undo(name, asked.number)
    raise FrameError(f"There is no request {asked.action!r} of entities; are both ends of one version?")


def fact(said: Annotations, finder: PathFinder, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """Answer ``kgfs fact``."""
    asked: FactRequest = _request(arguments, FactRequest)
    if asked.action == "retracted":
        for line in said.retracted():
            reply.item(line)
        return {}
    if asked.action == "retract":
        return said.retract(asked.fact)
    if asked.action == "restore":
        return said.restore(asked.fact)
    if asked.action == "add" and asked.subject is not None and asked.object is not None:
        return said.state(
            _called(finder, asked.subject),
            asked.type,
            asked.object.text if asked.text else _called(finder, asked.object),
            text=asked.text,
            date=asked.date,
            description=asked.description,
            chunk=None if asked.chunk is None else _called(finder, asked.chunk),
            quote=asked.quote,
        )
    raise FrameError(f"There is no request {asked.action!r} of facts; are both ends of one version?")


def _request(arguments: dict[str, Any], kind: Any) -> Any:
    return converted(arguments, kind, "The request is not what it must be")


def _called(finder: PathFinder, place: PathArgument) -> str:
    """What a person called something: a place on the mount as its canonical path, anything else as it was typed."""
    if place.exact is None and not place.text.startswith((".", "/")) and "/" not in place.text:
        return place.text
    with contextlib.suppress(KgfsError):
        return finder.path(place)
    return place.text
