"""What ``@grep`` reads where nothing else is asked for: the passages that belong to a directory, each once.

Used by ``grep``, in the thread that answers. Paths are those of the passages from the mount's root, wherever the
directory is. What has passages is found by them alone: its file in ``context/`` would say the same lines again. A
stored file that has none (it is too large, its name begins with a dot, it was just written) is read itself, where the
directory holds it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kgfs.errors import NotADirectory
from kgfs.namespace.context_tree import Directory, StoredFile
from kgfs.namespace.node import ROOT, Node, NodeRef, ref_of
from kgfs.namespace.queries.stored_text import FEW_FILES, Paths, Reach, Wanted, encoded
from kgfs.namespace.relations import Ints
from kgfs.namespace.route import Dir, File, Row, Scope
from kgfs.namespace.segments.context import directory_at
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.tree_reader import TreeReader
from kgfs.namespace.views.files import StoredView

PASSAGE = "chunks/by_document/<doc>/<chunk>/content.txt"
STORED_FILE = "context/<drive>/<path>"


def passages(tree: TreeReader, s: Snapshot, top: Node, few_files: int = FEW_FILES) -> Reach:
    """The passages that belong to a directory, and the stored files in it that have none.

    ``NotFoundError`` where it is gone, ``NotADirectory`` for anything else.
    """
    row = tree.row(top)
    if not isinstance(row.node_type, Dir):
        raise NotADirectory(f"/{tree.path_in(s, top)} is not a directory.")
    row.node_type.stamp(s, ref_of(top))
    written = {file.item for file in list(s.context.live.values()) if _is_written(s, file)}
    chunks = belonging(s, tree.scope_of(s, top))
    if written:
        overtaken = [index for item in written if (index := s.documents.find_index(item)) >= 0]
        chunks = chunks[~np.isin(s.chunk_document_array[chunks], overtaken)]
    holds_files = top == ROOT or row.pattern.startswith("context/")
    files = _without_passages(s, row, top, written) if holds_files else frozenset()
    among = np.zeros(len(s.chunks), bool)
    among[chunks] = True
    paths = Paths(tree, s, ROOT)
    prefix = "" if top == ROOT else f"{tree.path_in(s, top)}/"
    passage, stored = (tree.table.by_pattern[pattern] for pattern in (PASSAGE, STORED_FILE))

    def shown(row: Row, ref: NodeRef) -> Iterable[bytes]:
        if row is passage:
            index = s.chunks.find_index(ref.id)
            if index < 0 or not among[index]:
                return ()
        elif not (ref.id in files or ref.id in s.context.live):
            return ()
        path = paths.below(row, ref)
        if path is None or (row is stored and not path.startswith(prefix)):
            return ()
        return (encoded(path),)

    found = Reach(len(chunks) + len(files) <= few_files, shown)
    texts: list[tuple[Row, Ints, Ints, str]] = [
        (passage, s.chunks.id_array[chunks], np.asarray(s.chunk_size)[chunks], "chunks")
    ]
    if holds_files:
        texts.append((stored, *_items(s, files), "items"))
    for each, ids, sizes, source in texts:
        assert isinstance(each.node_type, File) and isinstance(each.node_type.view, StoredView)
        found.rows[source].append((each, each.node_type.view))
        found.wanted[source] = Wanted(np.asarray(ids, np.int64), np.asarray(sizes, np.int64))
    return found


def belonging(s: Snapshot, scope: Scope) -> Ints:
    """The chunks of a scope: its own; where it has none those that its facts, entities and topics come from."""
    if scope.chunks is None:
        return np.arange(len(s.chunks), dtype=np.int32)
    if len(scope.chunks):
        return np.asarray(scope.chunks, np.int32)
    found = np.zeros(len(s.chunks), bool)
    facts = s.fact_chunk_array if scope.facts is None else s.fact_chunk_array[np.asarray(scope.facts, np.int64)]
    found[facts[facts >= 0]] = True
    for relation, owners in ((s.entity_chunks, scope.entities), (s.topic_chunks, scope.topics)):
        chosen = slice(None) if owners is None else np.isin(relation.owner_array, owners)
        found[relation.target_array[chosen]] = True
    return np.flatnonzero(found).astype(np.int32)


def _without_passages(s: Snapshot, row: Row, top: Node, written: set[int]) -> frozenset[int]:
    """The inodes of stored files beneath a directory of ``context/`` (or in all of it) that have no passages."""
    if top == ROOT or row.pattern == "context/":
        beneath: Iterable[int] = s.items.id_array.tolist()
    else:
        waiting: list[Directory] = [directory_at(s, ref_of(top))]
        for each in waiting:
            waiting.extend(each.directories.values())
        beneath = [s.context.item_of(inode) for each in waiting for inode in list(each.files.values())]
    cut = set(s.documents.id_array[np.unique(s.chunk_document_array)].tolist()) - written
    return frozenset(s.context.inode_of(item) for item in beneath if item not in cut)


def _is_written(s: Snapshot, file: StoredFile) -> bool:
    """Whether a file holds something else than the snapshot knows (others have only attributes of their own)."""
    index = s.items.find_index(file.item)
    return index < 0 or (s.items.ctime[index], s.item_size[index]) != (file.ctime, file.size)


def _items(s: Snapshot, inodes: frozenset[int]) -> tuple[Ints, Ints]:
    ids = sorted(item for inode in inodes if s.items.find_index(item := s.context.item_of(inode)) >= 0)
    return np.array(ids, np.int64), np.array([s.item_size[s.items.index(item)] for item in ids], np.int64)
