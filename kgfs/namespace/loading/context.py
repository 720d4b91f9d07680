"""Stored files and sources of a snapshot: columns of the items, and the tree of ``context/``.

Used by ``loader``. The directories are made anew for each snapshot, because what is written later is applied to them.
What the files in a directory are called, and which they are, is taken from the former snapshot but for what changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import msgspec
import numpy as np

from kgfs.names import name_text
from kgfs.namespace.context_names import AGENT_DRIVE
from kgfs.namespace.context_tree import ContextTree, DirectoryRow, FileNumbers, FileRows, Files
from kgfs.namespace.domains import Domain, places_of, usable
from kgfs.namespace.loading.edits import Columns, Edited
from kgfs.namespace.loading.load_state import Folders, LoadState
from kgfs.namespace.relations import NO_TIME, Ints, flat, order_of
from kgfs.namespace.snapshot import Snapshot
from kgfs.store.catalog.database import Cursor
from kgfs.store.tree.columns import read_whole


def load_items(
    s: Snapshot, cursor: Cursor, found: Edited, state: LoadState, former: LoadState | None, numbers: FileNumbers | None
) -> None:
    """The columns of stored files, and the tree that their paths make."""
    columns = found.columns
    s.items = Domain("file", found.ids, columns["ctime"])
    s.items.set_mtime(columns["mtime"])
    s.item_size = flat(columns["size"])
    s.item_mode = flat(columns["mode"])
    s.item_textual = flat(columns["textual"])
    s.context = ContextTree([AGENT_DRIVE], numbers)
    _add_directories(s.context, cursor)
    before = None if former is None or former.files is None else (former.rows["items"], former.files)
    state.files = file_rows(s.items, found, s.context.numbers, before)
    keys = place_items(s.context, state.files, columns, state.folders)
    _add_attributes(s, cursor)
    # Files of a directory are read together, and are in the order of their ids already.
    s.items.set_order((np.argsort(np.argsort(keys))[columns["folder"]],))


def _add_directories(tree: ContextTree, cursor: Cursor) -> None:
    rows = read_whole(cursor, "directories")
    for item, drive, path, mode, mtime, ctime, atime, xattrs in zip(
        *(rows[name].tolist() for name in ("id", "drive", "path", "mode", "mtime", "ctime", "atime", "xattrs")),
        strict=True,
    ):
        row = DirectoryRow(item, mode, ctime, _set(mtime), _set(atime), _xattrs(xattrs))
        tree.add_directory(drive, path, row)


def file_rows(
    items: Domain, found: Edited, numbers: FileNumbers, former: tuple[Edited, FileRows] | None = None
) -> FileRows:
    """Stored files as their rows say. ``former`` are the rows before, with what was made of them: the names in a
    directory are taken from there where none came, went or is that of another file."""
    columns = found.columns
    inode_of = {item: inode for item, inode in list(numbers.inode_of.items()) if items.find_index(item) >= 0}
    made = FileRows(items, flat(columns["folder"]), columns["name"], inode_of, {})
    if former is None:
        return made._replace(files=_names(found.ids, columns, inode_of))
    return made._replace(files=_edited_names(found, made, *former))


def _names(ids: Ints, columns: Columns, inode_of: Mapping[int, int]) -> dict[int, Files]:
    """Folder to the names in it, of these rows."""
    order = order_of(columns["folder"])
    present, starts = np.unique(columns["folder"][order], return_index=True)
    inodes = ids.copy()
    for item, inode in inode_of.items():
        inodes[np.searchsorted(ids, item)] = inode
    all_inodes, all_names = inodes[order].tolist(), columns["name"][order].tolist()
    bounds = [*starts.tolist(), len(order)]
    return {
        number: dict(zip(all_names[first:last], all_inodes[first:last], strict=True))
        for number, (first, last) in zip(present.tolist(), itertools.pairwise(bounds), strict=True)
    }


def _edited_names(found: Edited, made: FileRows, before: Edited, former: FileRows) -> dict[int, Files]:
    edit = found.edit
    others = {
        item
        for item in made.inode_of.keys() | former.inode_of.keys()
        if made.inode_of.get(item) != former.inode_of.get(item)
    }
    renumbered = np.setdiff1d(places_of(found.ids, np.array(sorted(others), np.int64)), edit.came)
    changed = np.union1d(edit.changed, renumbered[renumbered >= 0]).astype(np.int64)
    was = edit.before_of(changed)
    differs = np.isin(changed, renumbered)
    for each in ("folder", "name"):
        differs |= np.asarray(before.columns[each][was] != found.columns[each][changed], bool)
    files: dict[int, Files] = dict(former.files)
    touched: dict[int, dict[str, int]] = {}

    def files_of(folder: int) -> dict[str, int]:
        if folder not in touched:
            files[folder] = touched[folder] = dict(files.get(folder, {}))
        return touched[folder]

    for folder, name, inode in _standing(before, former, np.concatenate([edit.gone, was[differs]])):
        if files_of(folder).get(name) == inode:
            del touched[folder][name]
    for folder, name, inode in _standing(found, made, np.concatenate([edit.came, changed[differs]])):
        files_of(folder)[name] = inode
    if touched:
        column = found.columns["folder"]
        counts = np.bincount(column, minlength=max(touched) + 1)
        # Where two rows have one path, as only a damaged store has it, fewer names than rows are left.
        anew = [folder for folder, names in touched.items() if len(names) != counts[folder]]
        if anew:
            chosen = np.nonzero(np.isin(column, anew))[0]
            part: dict[str, Ints] = {each: found.columns[each][chosen] for each in ("folder", "name")}
            ids = found.ids[chosen]
            inodes = {item: made.inode_of[item] for item in ids.tolist() if item in made.inode_of}
            files |= _names(ids, part, inodes)
        for folder in touched:
            if not counts[folder]:
                del files[folder]
    return files


def _standing(found: Edited, rows: FileRows, places: Ints) -> Iterator[tuple[int, str, int]]:
    """Folder, name and inode of the rows at these places."""
    ids = found.ids[places].tolist()
    in_folders, names = (found.columns[column][places].tolist() for column in ("folder", "name"))
    for item, folder, name in zip(ids, in_folders, names, strict=True):
        yield folder, name, rows.inode_of.get(item, item)


def place_items(tree: ContextTree, rows: FileRows, columns: Columns, folders: Folders) -> Ints:
    """Put stored files into a tree; returns the key of each folder's directory, -1 where it has no file."""
    folder, mtime = columns["folder"], columns["mtime"]
    names = folders.names[:]
    newest = np.full(len(names), NO_TIME, np.int64)
    np.maximum.at(newest, folder, mtime)
    first = np.full(len(names), -1, np.int64)
    first[folder[::-1]] = np.arange(len(folder))[::-1]
    present = np.nonzero(first >= 0)[0]
    present = present[np.argsort(first[present])]  # in the order of the first file, as if each was placed by itself
    keys, own = tree.add_all(names, rows, zip(present.tolist(), newest[present].tolist(), strict=True))
    for directory, inode in own:
        directory.mtime = max(directory.mtime, int(mtime[tree.place.index(inode)]))
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
