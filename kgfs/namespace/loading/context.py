"""Stored files and sources of a snapshot: columns of the items, and the tree of ``context/``.

Used by ``loader``. The tree is made anew for each snapshot, because what is written later is applied to it. Only paths
of items that changed are taken apart.
"""

from __future__ import annotations

import msgspec
import numpy as np

from kgfs.names import name_text
from kgfs.namespace.context_names import AGENT_DRIVE
from kgfs.namespace.context_tree import ContextTree, DirectoryRow, FileNumbers, FolderItems
from kgfs.namespace.domains import Domain, usable
from kgfs.namespace.loading.edits import Columns, Edited
from kgfs.namespace.loading.load_state import Folders
from kgfs.namespace.relations import Ints, flat
from kgfs.namespace.snapshot import Snapshot
from kgfs.store.catalog.database import Cursor
from kgfs.store.tree.columns import read_whole


def load_items(s: Snapshot, cursor: Cursor, rows: Edited, folders: Folders, numbers: FileNumbers | None) -> None:
    """The columns of stored files, and the tree that their paths make."""
    columns = rows.columns
    s.items = Domain("file", rows.ids, columns["ctime"])
    s.items.set_mtime(columns["mtime"])
    s.item_size = flat(columns["size"])
    s.item_mode = flat(columns["mode"])
    s.item_textual = flat(columns["textual"])
    s.context = ContextTree([AGENT_DRIVE], numbers)
    _add_directories(s.context, cursor)
    keys = place_items(s.context, rows.ids, columns, folders)
    _add_attributes(s, cursor)
    # Files of a directory are read together.
    s.items.set_order((rows.ids, keys[columns["folder"]]))


def _add_directories(tree: ContextTree, cursor: Cursor) -> None:
    rows = read_whole(cursor, "directories")
    for item, drive, path, mode, mtime, ctime, atime, xattrs in zip(
        *(rows[name].tolist() for name in ("id", "drive", "path", "mode", "mtime", "ctime", "atime", "xattrs")),
        strict=True,
    ):
        row = DirectoryRow(item, mode, ctime, _set(mtime), _set(atime), _xattrs(xattrs))
        tree.add_directory(drive, path, row)


def place_items(tree: ContextTree, ids: Ints, columns: Columns, folders: Folders) -> Ints:
    """Put items into a tree by their ``folder``, ``name`` and ``mtime``; returns the key of each folder's directory."""
    folder, mtime = columns["folder"], columns["mtime"]
    inodes = ids.copy()
    for item, inode in list(tree.numbers.inode_of.items()):
        place = int(np.searchsorted(ids, item))
        if place < len(inodes) and ids[place] == item:
            inodes[place] = inode
    order = np.argsort(folder, kind="stable")
    present, starts = np.unique(folder[order], return_index=True)
    newest = np.maximum.reduceat(mtime[order], starts) if len(starts) else mtime
    # In the order of the first item, as if each was placed by itself.
    by_first = np.argsort(order[starts], kind="stable")
    inodes, names = inodes[order], columns["name"][order]
    ends = np.append(starts[1:], len(order))

    def items() -> FolderItems:
        for each in by_first.tolist():
            part = slice(starts[each], ends[each])
            yield int(present[each]), inodes[part].tolist(), names[part].tolist(), int(newest[each])

    keys, own = tree.add_all(folders.names, items())
    for directory, inode in own:
        directory.mtime = max(directory.mtime, int(mtime[np.searchsorted(ids, tree.item_of(inode))]))
    return np.array(keys, np.int64)


def _add_attributes(s: Snapshot, cursor: Cursor) -> None:
    tree = s.context
    rows = read_whole(cursor, "links")
    for item, target in zip(rows["id"].tolist(), rows["target"].tolist(), strict=True):
        tree.targets[tree.inode_of(item)] = name_text(bytes(target or b""))
    rows = read_whole(cursor, "attributes")
    for item, atime, xattrs in zip(*(rows[name].tolist() for name in ("id", "atime", "xattrs")), strict=True):
        file = s.row_file(tree.inode_of(item), item)
        file.atime, file.xattrs = _set(atime), _xattrs(xattrs)
        tree.live[file.inode] = file


def _set(moment: int) -> int | None:
    return None if moment == -1 else moment


def _xattrs(text: str) -> dict[str, str]:
    return msgspec.json.decode(text, type=dict[str, str]) if text else {}


def load_sources(s: Snapshot, cursor: Cursor) -> None:
    """The names under ``sources/``; after the items."""
    s.sources = {}
    rows = read_whole(cursor, "sources")
    columns = (rows[name].tolist() for name in ("id", "name", "drive", "path"))
    for row_id, name, drive, path in zip(*columns, strict=True):
        found = s.context.find_stored(drive, path)
        if found is None or not usable(name):
            continue
        if isinstance(found, int):
            s.sources[name] = (row_id, s.context.path(found), s.item_mtime(found))
        else:
            s.sources[name] = (row_id, "/".join(("context", *found.names())), found.mtime)
    s.source_names = {row_id: name for name, (row_id, _, _) in s.sources.items()}
