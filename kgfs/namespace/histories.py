"""What files of a directory held before: which names have versions, and the versions of a name. A directory that is
gone is a name too, with the names in it.

Used by the segments and the view of ``@history``. ``prepare`` blocks (a thread); all else runs on the event loop and
only looks at what was found last. Versions come with every write, without a new snapshot: what was found stands until
the next commit.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple

from kgfs.errors import NotFoundError
from kgfs.namespace.bodies import StaleSnapshotError
from kgfs.namespace.context_names import MAX_COMPONENT_BYTES, SELF, encode_component, names_of, path_of
from kgfs.namespace.context_tree import Directory
from kgfs.namespace.node import ref_of
from kgfs.namespace.queries.query_cache import Query
from kgfs.namespace.segments.context import directory_at
from kgfs.namespace.snapshot import Snapshot
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files import history, items
from kgfs.store.files.history import Version

KEPT = 1024
"""Directories and files whose versions are kept in memory."""


class _History(NamedTuple):
    commits: int
    """How many commits there were when it was looked for."""
    names: list[str]
    """Of a directory, there or gone: the names in it that have versions, or that have been directories."""
    versions: dict[int, Version]
    """Of a file: by row id, oldest first."""
    numbers: dict[str, int]
    """Of a file: a version's name in the tree to its row id."""


class Histories:
    """The versions that were looked for, by the number of the query (``QueryCache``). For any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._histories: OrderedDict[int, _History] = OrderedDict()
        self._lock = threading.Lock()

    def ready(self, number: int) -> bool:
        """Whether nothing was committed since this was looked for."""
        found = self._histories.get(number)
        return found is not None and found.commits == self._database.commits

    def known(self, number: int) -> bool:
        """Whether it was looked for at all."""
        return number in self._histories

    def names(self, number: int) -> list[str]:
        """Of the directory: the names that have versions, in order. ``StaleSnapshotError`` where it is not known."""
        return self._get(number).names

    def versions(self, number: int) -> dict[int, Version]:
        """Of the file: its versions by row id, oldest first."""
        return self._get(number).versions

    def numbers(self, number: int) -> dict[str, int]:
        """Of the file: ``1``, ``2`` … to row id."""
        return self._get(number).numbers

    def version(self, number: int, version_id: int) -> Version:
        """One of them; ``NotFoundError`` where it is kept no longer."""
        found = self._get(number).versions.get(version_id)
        if found is None:
            raise NotFoundError("This version is kept no longer.")
        return found

    def _get(self, number: int) -> _History:
        found = self._histories.get(number)
        if found is None:
            raise StaleSnapshotError("The history has yet to be looked up.")
        return found

    def prepare(self, s: Snapshot, query: Query) -> None:
        """Look for it (blocks). ``NotFoundError`` where the directory is gone, or the file has no versions."""
        commits = self._database.commits  # first: what comes meanwhile makes it look again
        directory = directory_of(s, query.scope)
        with self._database.read(snapshot=True) as cursor:
            beneath = refs_in(cursor, directory)
            ref = beneath.get(query.words)
            versions = {} if ref is None else {one.id: one for one in history.versions(cursor, ref)}
        numbers = {str(one.number): one.id for one in versions.values()}
        depth = len(query.words)
        names = {words[depth] for words in beneath if len(words) > depth and words[:depth] == query.words}
        with self._lock:
            self._histories[query.number] = _History(commits, sorted(names - numbers.keys()), versions, numbers)
            self._histories.move_to_end(query.number)
            while len(self._histories) > KEPT:
                self._histories.popitem(last=False)


def directory_of(s: Snapshot, node: int) -> Directory:
    """The directory of stored files that a node is."""
    return directory_at(s, ref_of(node))


def refs_in(cursor: Cursor, directory: Directory) -> dict[tuple[str, ...], str]:
    """The files that have versions, by their names beneath a directory: its own, removed ones too, and all those of
    directories in it that are gone. (A directory that is there has its own history.)"""
    here = directory.names()
    found: dict[tuple[str, ...], str] = {}
    for drive in history.drives_with_versions(cursor):
        if "".join(encode_component(drive))[:MAX_COMPONENT_BYTES] != here[0]:
            continue
        path = path_of(drive, here[1:])
        prefix = items.ref(drive, path.rstrip("/") + "/")
        for ref in history.refs_with_versions(cursor, prefix):
            names = (here[0], *names_of(drive, ref.partition(":")[2]))
            words = names[len(here) :]
            if names[: len(here)] == here and (len(words) == 1 or words[0] not in directory.directories):
                found[words] = ref
        own = items.ref(drive, path)
        if len(here) > 1 and (SELF,) not in found and history.versions(cursor, own):
            found[SELF,] = own  # a file that stands in the way of a directory
    return found
