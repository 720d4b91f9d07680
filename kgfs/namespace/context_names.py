"""Names under ``context/`` and stored paths: how each becomes the other.

``encode_path`` and ``decode_path`` are the mapping of design section 2.4: injective and reversible; on drives without
an origin a component is its name as it is (``names_of``). Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.names import AS_NAMED, AS_STORED, is_utf8, name_bytes, name_text
from kgfs.store.files.items import host_path, row_path

AGENT_DRIVE = "agent"
VERBATIM = frozenset({AGENT_DRIVE})
"""Drives without an origin: a name shows there as it was written, so none is escaped."""

SELF = "_self"
"""The file of an item whose path is also a directory of others."""
MAX_COMPONENT_BYTES = 255
_CUT_BYTES = 240
_EMPTY = "%empty"
_AS_STORED = "%="
_RESERVED = re.compile("[\U0010ff80-\U0010ffff]")
_PLAIN = re.compile(r"[^%\x00\ud800-\udfff]*\Z")
_SURELY_SHORT = MAX_COMPONENT_BYTES // 4


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
    if (
        path[:1] == "/" and path[-1] != "/" and path.isprintable()
        and "%" not in path and "//" not in path and "/." not in path and "/_self" not in path
    ):  # fmt: skip
        plain = tuple(path[1:].split("/"))
        if len(path) <= _SURELY_SHORT or max(map(len, plain)) <= _SURELY_SHORT:
            return plain  # almost every path, in a fifth of the time
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
    return name_text(raw)


def names_of(drive: str, path: str) -> tuple[str, ...]:
    """The names under its drive of a path stored there."""
    if drive not in VERBATIM:
        return encode_path(path)
    names: list[str] = []
    for component in path.removeprefix("/").split("/"):
        name = component.translate(AS_NAMED)
        names += [name] if may_stand(name) else encode_component(component)
    return tuple(names)


def path_of(drive: str, names: Sequence[str]) -> str:
    """The stored path of names under a drive: the inverse of ``names_of``."""
    return "/" + "/".join(name.translate(AS_STORED) for name in names) if drive in VERBATIM else decode_path(names)


def typed_path(drive: str, path: str) -> str:
    """The stored path that a typed path of a drive means; bytes that are no UTF-8 are those of a name."""
    if is_utf8(path):
        return path
    return path.translate(AS_STORED) if drive in VERBATIM else row_path(path)


def may_stand(name: str) -> bool:
    """Whether somebody may give a file this name."""
    if name in ("", ".", "..") or "/" in name or "\0" in name or _RESERVED.search(name):
        return False
    return len(name_bytes(name)) <= MAX_COMPONENT_BYTES
