"""The requests about a store as a whole: ``export``, ``export-tree``, ``import``, ``backup``.

Used by ``control.answers``, on the thread that answers. What is exported crosses the socket as data: the side that has
the store open writes no file but its own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kgfs.control import browse
from kgfs.control.frames import Reply, converted

if TYPE_CHECKING:
    from kgfs.namespace.namespace import Namespace
    from kgfs.service.exchange import Exchange


class Import(msgspec.Struct):
    """The arguments of ``import``."""

    path: bytes
    format: str
    on_conflict: str = "skip"


def export(exchange: Exchange, reply: Reply) -> dict[str, Any]:
    """Data: the bundle."""
    return exchange.export(reply.data, reply.progress, reply.cancel)


def copy_to_publish(exchange: Exchange, pid: int, reply: Reply) -> dict[str, Any]:
    """Returns only the directory of a copy, which the process that asked removes."""
    return {"directory": os.fspath(exchange.copy_to_publish(pid, reply.progress, reply.cancel))}


def backup(exchange: Exchange, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """Data: the backup."""
    return exchange.backup(reply.data, bool(arguments.get("vectors", True)), reply.progress, reply.cancel)


def export_tree(namespace: Namespace, reply: Reply) -> dict[str, Any]:
    """One item a path of the tree, the data of a file behind its item."""
    return browse.give_tree(namespace, reply)


def take(exchange: Exchange, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """Import a bundle or what GraphRAG wrote."""
    asked: Import = converted(arguments, Import)
    path = Path(os.fsdecode(asked.path))
    do = exchange.import_graphrag if asked.format == "graphrag" else exchange.import_bundle
    return do(path, asked.on_conflict, reply.progress, reply.cancel)
