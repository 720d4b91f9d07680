"""The requests about sessions.

Used by ``control.answers``, on the thread that answers. Copies and versions cross the socket as data: the side that has
the store open writes no file but its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.control.frames import Reply, converted

if TYPE_CHECKING:
    from kgfs.service.agents.sessions import SessionJobs


class Named(msgspec.Struct):
    """The arguments of a request about one session."""

    name: str
    new: str = ""
    """Of ``session-fork``."""
    patch: bool = False
    force: bool = False
    form: str = ""
    """Of ``session-copy``."""
    file: str = ""
    """Of ``session-take``."""


def _named(arguments: dict[str, Any]) -> Named:
    found: Named = converted(arguments, Named)
    return found


def new(sessions: SessionJobs, arguments: dict[str, Any]) -> dict[str, Any]:
    """A new session."""
    return sessions.new(_named(arguments).name)


def take(sessions: SessionJobs, arguments: dict[str, Any]) -> dict[str, Any]:
    """A session of a file on this machine."""
    asked = _named(arguments)
    return sessions.take(asked.name, Path(asked.file))


def fork(sessions: SessionJobs, arguments: dict[str, Any]) -> dict[str, Any]:
    """A session that begins as another is."""
    asked = _named(arguments)
    return sessions.fork(asked.name, asked.new)


def listed(sessions: SessionJobs, reply: Reply) -> dict[str, Any]:
    """One item a session."""
    for one in sessions.listed():
        reply.item(one)
    return {}


def diff(sessions: SessionJobs, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """One item a change; with ``patch`` it has its patch, which is data behind it too."""
    asked = _named(arguments)
    if not asked.patch:
        for change in sessions.changes(asked.name):
            reply.item(change)
        return {}
    for change, patch in sessions.patches(asked.name):
        reply.item(change | {"patch": patch})
        if patch:
            reply.data(patch.encode("utf-8", "surrogateescape"))
    return {}


def conflicts(sessions: SessionJobs, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """One item a conflict, then one a version of it with its bytes behind."""
    for conflict, versions in sessions.conflicts(_named(arguments).name):
        reply.item(conflict)
        for version, pieces in versions:
            reply.item({"path": conflict["path"], "version": version})
            for piece in pieces:
                reply.data(piece)
    return {}


def discard(sessions: SessionJobs, arguments: dict[str, Any]) -> dict[str, Any]:
    """A session goes."""
    return sessions.discard(_named(arguments).name)


def commit(sessions: SessionJobs, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """What is in a session becomes true outside."""
    asked = _named(arguments)
    return sessions.commit(asked.name, force=asked.force, cancel=reply.cancel)


def copy(sessions: SessionJobs, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """Data: a session's file."""
    asked = _named(arguments)
    return sessions.copy(asked.name, asked.form, reply.data)
