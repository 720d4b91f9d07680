"""The tree that a session shows: what each entry is in the base and in the delta, and copying up.

Used by the overlay, with its lock held. An entry is a *node* with an inode number of the overlay's own, which stays the
same while the overlay is open, also when it is copied up. Of the base nothing else is kept for longer than a call,
since others change it meanwhile.

A directory of the delta is *merged* with the base's one if it was copied up, and hides it if it was made in the
session. What is only in the base has the path in the overlay that it has there, for merged directories do not move.
Of what is in the delta, answers may be kept; nobody asks for such a directory again then, so what it is merged with is
looked up by its path each time.
Each name of a file with several names in the base is a node, and a file of its own once it is copied up.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Sequence, Set
from typing import NamedTuple

from kgfs.agentfs.filesystem.workspace import Workspace
from kgfs.agentfs.overlays.copy_up import copy_attributes, copy_body, is_absent, note_of
from kgfs.agentfs.overlays.overlay_notes import OverlayNotes, child_path
from kgfs.filesystem import NAME_MAX, NAME_TOO_LONG, ROOT, Entry, FileSystem, Stat


class Node:
    """One thing that has, or had, a name in the overlay."""

    __slots__ = ("base", "children", "delta", "directory", "gone", "held", "holds", "ino", "name", "parent")

    def __init__(self, ino: int, parent: Node | None, name: bytes, directory: bool, base: int, delta: int) -> None:
        self.ino = ino
        self.parent = parent
        """The directory it was last seen in; none of the root."""
        self.name = name
        self.directory = directory
        self.base = base
        """Its inode in the base where it is only there."""
        self.delta = delta
        """Its inode in the delta, else 0."""
        self.children: dict[bytes, Node] = {}
        """Of a directory: the entries that are only in the base, as far as they were seen."""
        self.gone = False
        """Whether it lost its last name."""
        self.held = 0
        self.holds: list[tuple[FileSystem, int]] = []
        """What is held beneath while it is."""


class NodeStat(NamedTuple):
    """A node with the attributes it has beneath."""

    node: Node
    stat: Stat


class OverlayTree:
    """The nodes of one overlay."""

    def __init__(self, base: FileSystem, delta: Workspace, notes: OverlayNotes) -> None:
        self.base = base
        self.delta = delta
        self.notes = notes
        root = Node(ROOT, None, b"", True, ROOT, ROOT)
        self._nodes = {ROOT: root}
        self._copies = {ROOT: root}
        """Nodes by their inodes in the delta."""
        self._next = ROOT + 1

    def clear(self) -> None:
        """Forget everything."""
        for node in self._nodes.values():
            self._let_go(node)
        self._nodes.clear()
        self._copies.clear()

    def node(self, ino: int) -> Node:
        """What has this number. ``ENOENT``."""
        node = self._nodes.get(ino)
        if node is None:
            raise OSError(errno.ENOENT, "There is no such inode.")
        return node

    def directory(self, ino: int) -> Node:
        """The directory that has this number. ``ENOENT``, ``ENOTDIR``."""
        node = self.node(ino)
        if not node.directory:
            raise OSError(errno.ENOTDIR, "It is no directory.")
        return node

    def side(self, node: Node) -> tuple[FileSystem, int]:
        """The file system and the inode that answer for a node."""
        return (self.delta, node.delta) if node.delta else (self.base, node.base)

    def path(self, node: Node) -> bytes:
        """The path of a directory."""
        names = []
        above: Node | None = node
        while above is not None:
            names.append(above.name)
            above = above.parent
        return b"/".join(reversed(names)) or b"/"

    def delta_of(self, ino: int) -> int | None:
        """The inode in the delta; none where it has none."""
        node = self._nodes.get(ino)
        return node.delta or None if node is not None else None

    def shown(self, found: NodeStat) -> Stat:
        """The attributes as the overlay shows them."""
        node, beneath = found
        nlink = beneath.nlink
        if node.gone:
            nlink = 0
        elif node.delta and self.is_of_base(node):
            nlink = 1  # as other file systems say who do not count
        return Stat(
            node.ino, beneath.mode, nlink, beneath.uid, beneath.gid, beneath.rdev, beneath.size, beneath.blocks,
            beneath.atime_ns, beneath.mtime_ns, beneath.ctime_ns, node.delta != 0,
        )  # fmt: skip

    def _new(self, parent: Node | None, name: bytes, directory: bool, base: int, delta: int) -> Node:
        node = Node(self._next, parent, name, directory, base, delta)
        self._next += 1
        self._nodes[node.ino] = node
        if delta:
            self._copies[delta] = node
        return node

    def unnamed(self, delta: int) -> Node:
        """A node for a file of the delta without a name, which is held once."""
        node = self._new(None, b"", False, 0, delta)
        node.gone = True
        node.held = 1
        node.holds.append((self.delta, delta))
        return node

    def delta_node(self, parent: Node, name: bytes, delta: int, mode: int) -> Node:
        """The node of an entry of the delta."""
        node = self._copies.get(delta)
        if node is None:
            node = self._new(parent, name, stat.S_ISDIR(mode), 0, delta)
        return node

    def base_node(self, parent: Node, name: bytes, base: int, mode: int) -> Node:
        """The node of an entry that only the base has."""
        node = parent.children.get(name)
        if node is None or node.base != base:
            if node is not None:
                self.lose(node)  # somebody replaced it in the base
            node = parent.children[name] = self._new(parent, name, stat.S_ISDIR(mode), base, 0)
        return node

    def is_of_base(self, node: Node) -> bool:
        """Whether it is a directory that is in the base, or was copied from there."""
        return node.directory and (self.notes.is_copy(node.delta) if node.delta else True)

    def is_own(self, ino: int) -> bool:
        """Whether it is in the delta, and a directory was made in the session: then nothing that is done to it, or to
        names in it, asks the base. It may be asked without the overlay's lock."""
        node = self._nodes.get(ino)
        return node is not None and node.delta != 0 and not self.is_of_base(node)

    def base_of(self, directory: Node) -> int:
        """The directory of the base whose entries one shows; 0 where there is none."""
        if not directory.delta:
            return directory.base
        if directory.parent is None:
            return ROOT
        if not self.notes.is_copy(directory.delta):
            return 0
        under = self.in_base(directory.parent, directory.name)
        return under.ino if under is not None and stat.S_ISDIR(under.mode) else 0

    def find_entry(self, parent: Node, name: bytes) -> NodeStat | None:
        """The entry of a directory: that of the delta, else that of the base unless it is hidden."""
        if len(name) > NAME_MAX:
            raise OSError(errno.ENAMETOOLONG, NAME_TOO_LONG)
        if parent.gone:
            return None
        if parent.delta:
            try:
                there = self.delta.lookup(parent.delta, name)
            except FileNotFoundError:
                pass
            else:
                return NodeStat(self.delta_node(parent, name, there.ino, there.mode), there)
        beneath = self.in_base(parent, name)
        if beneath is None:
            lost = parent.children.pop(name, None)
            if lost is not None:
                self.lose(lost)  # somebody removed it from the base
            return None
        return NodeStat(self.base_node(parent, name, beneath.ino, beneath.mode), beneath)

    def require(self, parent: Node, name: bytes) -> NodeStat:
        """The entry of a directory. ``ENOENT``."""
        found = self.find_entry(parent, name)
        if found is None:
            raise OSError(errno.ENOENT, "There is no such entry.")
        return found

    def in_base(self, parent: Node, name: bytes) -> Stat | None:
        """What the base has in a directory that shows it, and the session did not remove."""
        return None if name in self._whiteouts(parent) else self.beneath(parent, name)

    def _whiteouts(self, directory: Node) -> Set[bytes]:
        return self.notes.whiteouts(self.path(directory)) if self.notes.has_whiteouts else frozenset()

    def in_delta(self, parent: Node, name: bytes) -> Stat | None:
        """What the delta has in a directory."""
        try:
            return self.delta.lookup(parent.delta, name) if parent.delta else None
        except FileNotFoundError:
            return None

    def beneath(self, parent: Node, name: bytes) -> Stat | None:
        """What the base has in a directory that shows it, removed or not."""
        base = self.base_of(parent)
        try:
            return self.base.lookup(base, name) if base else None
        except OSError as error:
            if is_absent(error):
                return None
            raise

    def go_back(self, parent: Node, name: bytes, there: Stat) -> None:
        """What the delta had under a name left it: its node is that of what the base has there now."""
        node = self._copies.get(there.ino)
        under = self.in_base(parent, name)
        if node is None:
            return
        if not node.directory and there.nlink > 1:
            return  # it has other names in the delta
        if under is None or stat.S_IFMT(under.mode) != stat.S_IFMT(there.mode):
            self.lose(node)
            return
        del self._copies[there.ino]
        known = parent.children.get(name)
        if known is not None and known is not node:
            self.lose(known)
        node.parent, node.name, node.base, node.delta = parent, name, under.ino, 0
        parent.children[name] = node
        if node.held:
            self._hold(node, self.base, under.ino)

    def base_entries(self, directory: Node) -> Sequence[Entry]:
        """The entries of the base that the session did not remove."""
        base = 0 if directory.gone else self.base_of(directory)
        if not base:
            return ()
        out = self._whiteouts(directory)
        try:
            return [entry for entry in self.base.list(base) if entry.name not in out]
        except OSError as error:
            if is_absent(error):
                return ()
            raise

    def require_empty(self, node: Node) -> None:
        """Refuse what is no directory, or has entries."""
        if not node.directory:
            raise OSError(errno.ENOTDIR, "It is no directory.")
        if (node.delta and self.delta.list(node.delta)) or self.base_entries(node):
            raise OSError(errno.ENOTEMPTY, "The directory is not empty.")

    def lose(self, node: Node) -> None:
        """A node has no name any more, nor has what is in it; it lives while it is held."""
        node.gone = True
        for child in node.children.values():
            self.lose(child)
        node.children.clear()
        if not node.held:
            self._forget(node)

    def _forget(self, node: Node) -> None:
        self._nodes.pop(node.ino, None)
        if node.delta:
            self._copies.pop(node.delta, None)

    def hold(self, node: Node) -> None:
        """Keep a node while it is open."""
        if not node.held:
            self._hold(node, *self.side(node))
        node.held += 1

    def release(self, ino: int) -> None:
        """Let go of what ``hold`` kept."""
        node = self._nodes.get(ino)
        if node is None or not node.held:
            return
        node.held -= 1
        if not node.held:
            self._let_go(node)
            if node.gone:
                self._forget(node)

    def _hold(self, node: Node, files: FileSystem, number: int) -> None:
        files.hold(number)
        node.holds.append((files, number))

    def _let_go(self, node: Node) -> None:
        for files, number in node.holds:
            files.release(number)
        node.holds.clear()

    # Copying up

    def up(self, node: Node, *, limit: int | None = None) -> int:
        """Bring what only the base has into the delta, with the directories it is in; returns its inode there.

        Of a file at most ``limit`` bytes are copied. What is open and has no name any more gets none.
        """
        if node.delta:
            return node.delta
        found = self.base.getattr(node.base)
        above = None if node.gone else node.parent
        if above is not None:
            self.up(above)
        if stat.S_ISREG(found.mode):
            delta = self._file_up(node, found, above, limit)
        elif above is not None:
            delta = self._other_up(node, found, above)
        else:
            raise OSError(errno.ENOENT, "It was removed.")
        node.delta = delta
        self._copies[delta] = node
        node.base = 0
        if above is not None:
            above.children.pop(node.name, None)
        return delta

    def _file_up(self, node: Node, found: Stat, above: Node | None, limit: int | None) -> int:
        """Copy a file: first into one without a name, so that the delta has it whole or not at all."""
        made = self.delta.tmpfile(stat.S_IMODE(found.mode), found.uid, found.gid).ino
        try:
            note = copy_body(self.base, node.base, found, self.delta, made, limit)
            copy_attributes(self.base, node.base, found, self.delta, made)
            if above is not None:
                before = self.delta.getattr(above.delta)
                with self.delta.together():
                    self.delta.link(made, above.delta, node.name)
                    self._note_copy(node, made, before)
                    self.notes.saw(child_path(self.path(above), node.name), note)
            if node.held:
                self._hold(node, self.delta, made)
        finally:
            self.delta.release(made)
        return made

    def _other_up(self, node: Node, found: Stat, above: Node) -> int:
        """Copy what has no bytes: a directory without its entries, a link, a special file."""
        target = self.base.readlink(node.base) if stat.S_ISLNK(found.mode) else None
        before = self.delta.getattr(above.delta)
        with self.delta.together():
            if target is not None:
                made = self.delta.symlink(above.delta, node.name, target, found.uid, found.gid).ino
            else:
                made = self.delta.make(above.delta, node.name, found.mode, found.rdev, found.uid, found.gid).ino
            copy_attributes(self.base, node.base, found, self.delta, made)
            self._note_copy(node, made, before)
            self.notes.saw(child_path(self.path(above), node.name), note_of(found, target))
        if node.held:
            self._hold(node, self.delta, made)
        return made

    def _note_copy(self, node: Node, made: int, above: Stat) -> None:
        """Note where a copy is from; that it was made does not change the times of its directory."""
        self.notes.copied(made, node.base)
        self.delta.setattr(above.ino, atime_ns=above.atime_ns, mtime_ns=above.mtime_ns)
