"""Where a context item stands under ``context/``: paths to names and back, and the directories that follow.

``encode_path`` and ``decode_path`` are the mapping of design section 2.4: injective and reversible. ``ContextTree``
holds the directories of one snapshot; it is built by the thread that loads the snapshot and only read after that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from kgfs.namespace.node import ID_BITS, ID_MASK
from kgfs.store.items import host_path, row_path

SELF = "_self"
"""The file of an item whose path is also a directory of others."""
MAX_COMPONENT_BYTES = 255
_CUT_BYTES = 240
_EMPTY = "%empty"
_AS_STORED = "%="
_PLAIN = re.compile(r"[^%\x00\ud800-\udfff]*\Z")


def encode_component(component: str) -> list[str]:
    """One component of a stored path as names of the tree: one, or more where it is longer than a name may be.

    Bytes that are not UTF-8 (``%FF`` in a row) stay ``%FF``; ``%`` and NUL become ``%25`` and ``%00``, ``.``, ``..``
    and ``_self`` are escaped, an empty one is ``%empty``, and a piece that goes on beneath ends with a bare ``%``. What
    no file's name is stored as (``row_path``) stands behind ``%=``, so that it is not taken for another.
    """
    if component == "":
        return [_EMPTY]
    if component in (".", ".."):
        return ["%2E" * len(component)]
    if component == SELF:
        return ["%5Fself"]
    if not _PLAIN.match(component):
        name = host_path(component)
        component = _escape(name) if row_path(name) == component else _AS_STORED + _escape(component)
    if len(component) * 4 <= MAX_COMPONENT_BYTES or len(component.encode()) <= MAX_COMPONENT_BYTES:
        return [component]
    pieces = []
    rest = component.encode()
    while len(rest) > MAX_COMPONENT_BYTES:
        cut = _CUT_BYTES
        while rest[cut] & 0xC0 == 0x80:  # inside a character
            cut -= 1
        escape = rest.rfind(b"%", cut - 2, cut)
        if escape >= 0:
            cut = escape
        pieces.append(rest[:cut].decode() + "%")
        rest = rest[cut:]
    last = rest.decode()
    # A last piece must not read as what stands for something else.
    pieces.append({".": "%2E", "..": "%2E%2E", SELF: "%5Fself"}.get(last, last))
    return pieces


def encode_path(path: str) -> tuple[str, ...]:
    """A stored path (``/home/ann/a.md``) as the names under its drive."""
    names: list[str] = []
    for component in path.removeprefix("/").split("/"):
        names.extend(encode_component(component))
    return tuple(names)


def decode_path(names: Sequence[str]) -> str:
    """The stored path of names under a drive; a final ``_self`` is the directory's own item."""
    if len(names) > 1 and names[-1] == SELF:
        names = names[:-1]
    components: list[str] = []
    pending = ""
    for name in names:
        if name == _EMPTY:
            components.append("")
            continue
        goes_on = name.endswith("%")
        pending += name[:-1] if goes_on else name
        if not goes_on:
            stored = pending.startswith(_AS_STORED)
            components.append(_unescape(pending[2:]) if stored else row_path(_unescape(pending)))
            pending = ""
    return "/" + "/".join(components)


def _escape(text: str) -> str:
    return re.sub("[%\0\udc80-\udcff]", lambda match: f"%{ord(match[0]) & 0xFF:02X}", text)


def _unescape(text: str) -> str:
    raw = re.sub(rb"%([0-9A-F]{2})", lambda match: bytes([int(match[1], 16)]), text.encode())
    return raw.decode("utf-8", "surrogateescape")


class Directory:
    """One directory: a drive (``parent`` is ``None``) or one beneath it."""

    __slots__ = ("directories", "files", "key", "mtime", "name", "parent")

    def __init__(self, key: int, name: str, parent: Directory | None) -> None:
        self.key = key
        self.name = name
        self.parent = parent
        self.directories: dict[str, Directory] = {}
        self.files: dict[str, int] = {}
        self.mtime = 0

    @property
    def a(self) -> int:
        return self.key >> ID_BITS

    @property
    def b(self) -> int:
        return self.key & ID_MASK

    def names(self) -> tuple[str, ...]:
        """From the drive, inclusive."""
        return (self.name,) if self.parent is None else (*self.parent.names(), self.name)


class ContextTree:
    """All directories of a snapshot. Directories are known by a 54-bit hash of their path, files by their item's id."""

    def __init__(self, drives: Iterable[str]) -> None:
        self.drives: dict[str, Directory] = {}
        self.by_key: dict[int, Directory] = {}
        self.place: dict[int, tuple[Directory, str]] = {}
        """Item id to its directory and name."""
        for drive in drives:
            self._drive(drive)

    def _drive(self, drive: str) -> Directory:
        name = "".join(encode_component(drive))[:MAX_COMPONENT_BYTES]
        found = self.drives.get(name)
        if found is None:
            found = self.drives[name] = self._make(name, None)
        return found

    def _make(self, name: str, parent: Directory | None) -> Directory:
        path = name if parent is None else "/".join((*parent.names(), name))
        key = int.from_bytes(blake2b(path.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") >> 10
        while key in self.by_key:
            key = (key + 1) & ((1 << 2 * ID_BITS) - 1)
        directory = self.by_key[key] = Directory(key, name, parent)
        return directory

    def add_all(self, items: Iterable[tuple[int, str, str, int]]) -> None:
        """Place items, given as ``(id, drive, path, mtime)``; directories take the newest time beneath them."""
        last_parts: tuple[str, ...] = ()
        last_drive = ""
        last_place: Directory | None = None
        waiting: list[tuple[int, Directory, str, int]] = []
        for item_id, drive, path, mtime in items:
            parts = encode_path(path)
            here = self._drive(drive)
            # Items come folder by folder: most have the directory of the one before.
            if last_place is not None and parts[:-1] == last_parts and drive == last_drive:
                here = last_place
            else:
                for part in parts[:-1]:
                    child = here.directories.get(part)
                    if child is None:
                        child = here.directories[part] = self._make(part, here)
                    here = child
                last_parts, last_place, last_drive = parts[:-1], here, drive
            waiting.append((item_id, here, parts[-1], mtime))
        for item_id, here, name, mtime in waiting:
            inner = here.directories.get(name)
            if inner is not None:
                here, name = inner, SELF
            here.files[name] = item_id
            self.place[item_id] = (here, name)
            above: Directory | None = here
            while above is not None and mtime > above.mtime:
                above.mtime = mtime
                above = above.parent

    def find(self, drive: str, path: str) -> Directory | int | None:
        """What stands at a stored path: a directory, an item's id, or nothing."""
        here = self.drives.get("".join(encode_component(drive)))
        if here is None:
            return None
        parts = encode_path(path) if path.strip("/") else ()
        for place, part in enumerate(parts):
            inner = here.directories.get(part)
            if inner is None:
                return here.files.get(part) if place == len(parts) - 1 else None
            here = inner
        return here

    def path(self, item_id: int) -> str:
        """From the mount's root."""
        directory, name = self.place[item_id]
        return "/".join(("context", *directory.names(), name))
