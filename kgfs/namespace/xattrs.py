"""Extended attributes ``user.kg.*``: what a directory or file stands for (design, section 2.2).

Used by the namespace, on the event loop. ``id`` names the row (``entity:12``, a fact's own id), ``ref`` is its
canonical path or ``drive:/path``, ``type`` what it is, ``facts``, ``tokens`` and ``indexed`` where they make sense:
of a passage 1 where it has its vectors, of a stored file 1 where it is searched as it is now and 0 while that waits.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import NamedTuple

from kgfs.names import is_knowledge
from kgfs.namespace.context_names import SELF, path_of
from kgfs.namespace.node import NodeRef
from kgfs.namespace.route import Row
from kgfs.namespace.snapshot import Snapshot
from kgfs.store.files.items import host_path, row_path

_ENTITY, _DOCUMENT, _TOPIC = "entities/<types>/<Entity_Slug>/", "documents/<doc>/", "topics/<topic>/"
_CHUNK, _TEXT = "chunks/by_document/<doc>/<chunk>/", "chunks/by_document/<doc>/<chunk>/content.txt"
_FACT, _FILE = "facts/by_type/<TYPE>/<fact_id>.json", "context/<drive>/<path>"


class Unindexed(NamedTuple):
    """Which stored files are not in the index as they are now."""

    items: frozenset[int] = frozenset()
    """Row ids, of some moment."""
    serial: int = 0
    """What was written since that moment has a higher one (``StoredFile.serial``), and waits too."""


def encoded(values: Mapping[str, bytes]) -> dict[str, str]:
    """Attributes that somebody set, as rows hold them: names of any bytes as text, values as base64."""
    return {row_path(name): base64.b64encode(value).decode() for name, value in values.items()}


def decoded(values: Mapping[str, str]) -> dict[str, bytes]:
    """The inverse of ``encoded``."""
    return {host_path(name): base64.b64decode(value) for name, value in values.items()}


def xattrs(s: Snapshot, row: Row, node: NodeRef, unindexed: Unindexed) -> dict[str, bytes]:
    """Attributes by full name; empty for what stands for nothing of its own.

    ``unindexed``: what waits for the index.
    """
    make = _BY_PATTERN.get(row.pattern)
    values = make(s, node) if make is not None else {}
    if row.pattern == _FILE and is_knowledge(str(values["ref"]).partition(":")[2]):
        values["indexed"] = int(_is_indexed(s, node, unindexed))
    return {f"user.kg.{name}": str(value).encode() for name, value in values.items()}


def _entity(s: Snapshot, node: NodeRef) -> dict[str, object]:
    index = s.entities.index(node.id)
    kind, facts = s.entity_types[s.entity_type[index]], int(s.stated.counts[index])
    return {"id": f"entity:{node.id}", "ref": s.entity_path(index), "type": kind, "facts": facts}


def _document(s: Snapshot, node: NodeRef) -> dict[str, object]:
    index = s.documents.index(node.id)
    tokens = sum(s.chunk_tokens[chunk] for chunk in s.chunks_of(index))
    return {
        "id": f"document:{node.id}",
        "ref": _ref(s, s.context.inode_of(node.id)) or s.document_path(index),
        "type": "document",
        "tokens": tokens,
    }


def _chunk(s: Snapshot, node: NodeRef) -> dict[str, object]:
    index = s.chunks.index(node.id)
    return {
        "id": s.chunk_id(index),
        "ref": s.chunk_path(index),
        "type": "chunk",
        "facts": s.chunk_facts.count(index),
        "tokens": s.chunk_tokens[index],
        "indexed": int(s.chunk_indexed[index]),
    }


def _fact(s: Snapshot, node: NodeRef) -> dict[str, object]:
    index = s.facts.index(node.id)
    return {"id": s.fact_name(index), "ref": s.fact_path(index), "type": s.names.name(s.fact_type[index])}


def _topic(s: Snapshot, node: NodeRef) -> dict[str, object]:
    index = s.topics.index(node.id)
    return {"id": f"topic:{node.id}", "ref": s.topic_path(index), "type": "topic", "facts": s.topic_facts.count(index)}


def _file(s: Snapshot, node: NodeRef) -> dict[str, object]:
    item = s.context.item_of(node.id)
    if node.id not in s.context.live:
        s.items.index(item)
    return {"id": f"file:{item}", "ref": _ref(s, node.id), "type": "file"}


def _is_indexed(s: Snapshot, node: NodeRef, unindexed: Unindexed) -> bool:
    """Whether a stored file is searched as it is now."""
    live, item = s.context.live.get(node.id), s.context.item_of(node.id)
    row = s.items.find_index(item)
    written = (
        live is not None
        and live.serial > unindexed.serial
        and (row < 0 or (live.mtime, live.size) != (s.items.mtime[row], s.item_size[row]))
    )
    return item not in unindexed.items and not written


def _ref(s: Snapshot, inode: int) -> str:
    found = s.context.place.get(inode)
    if found is None:
        return ""
    directory, name = found
    names = directory.names()
    beneath = names[1:] if name == SELF else (*names[1:], name)
    return f"{names[0]}:{path_of(names[0], beneath)}"


NAMES = frozenset(f"user.kg.{name}" for name in ("id", "ref", "type", "facts", "tokens", "indexed"))
"""All of them."""

_BY_PATTERN = {
    _ENTITY: _entity, _DOCUMENT: _document, _CHUNK: _chunk, _TEXT: _chunk, _FACT: _fact, _TOPIC: _topic, _FILE: _file,
}  # fmt: skip
