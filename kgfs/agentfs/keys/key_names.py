"""Keys as names of files: each key has one path, and each path that somebody may make has one key.

A name is the key itself, with ``%`` and ``/`` as ``%25`` and ``%2F``, ``.`` and ``..`` as ``%2E`` and ``%2E%2E``, and
``%empty`` for the empty key. A key that is longer than a name may be goes on in a directory, whose name ends with
``%``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NAME_BYTES = 255
_CUT_BYTES = 240
_EMPTY = "%empty"
_DOTS = {".": "%2E", "..": "%2E%2E"}
_ESCAPED = re.compile("%(25|2F|2E)")

Names = tuple[bytes, ...]


def names_of(key: str) -> Names:
    """The names on the way to a key, that of the file last."""
    if not key:
        return (_EMPTY.encode(),)
    text = key.replace("%", "%25").replace("/", "%2F")
    rest = _DOTS.get(text, text).encode()
    names = []
    while len(rest) > NAME_BYTES:
        cut = _CUT_BYTES
        while rest[cut] & 0xC0 == 0x80:  # inside a character
            cut -= 1
        escape = rest.rfind(b"%", cut - 2, cut)
        if escape >= 0:
            cut = escape
        names.append(rest[:cut] + b"%")
        rest = rest[cut:]
    last = rest.decode()
    return (*names, _DOTS.get(last, last).encode())


def goes_on(name: bytes) -> bool:
    """Whether this is the name of a directory, in which keys go on."""
    return name.endswith(b"%")


def key_of(names: Sequence[bytes]) -> str:
    """The key of a file. ``ValueError`` where these are the names of none."""
    try:
        text = "".join(name.decode().removesuffix("%") for name in names)
    except UnicodeDecodeError:
        raise ValueError("A key is text in UTF-8.") from None
    key = "" if text == _EMPTY else _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    if names_of(key) != tuple(names):
        raise ValueError("In the name of a key % is written %25, and a key beyond 255 bytes goes on in a directory.")
    return key


def beginning_of(names: Sequence[bytes]) -> str:
    """What the keys in a directory begin with. ``ValueError`` where these are not the names of one."""
    try:
        text = "".join(name.decode().removesuffix("%") for name in names)
    except UnicodeDecodeError:
        raise ValueError("A key is text in UTF-8.") from None
    beginning = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    # Of whichever key goes on here.
    if not all(map(goes_on, names)) or names_of(beginning + "x" * NAME_BYTES)[: len(names)] != tuple(names):
        raise ValueError("Here keys cannot go on.")
    return beginning
