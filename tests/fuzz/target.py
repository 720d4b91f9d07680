"""What a target of the fuzzers is, and how bytes become texts for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

Check = Callable[[bytes], None]
"""Takes any bytes. Returns where kgfs does what it should with them, also where it refuses them; raises where not."""


class Target(NamedTuple):
    """One door of kgfs through which bytes of others come."""

    about: str
    """What is tried, as ``scripts/fuzz`` shows it."""
    opened: Callable[[Path], AbstractContextManager[Check]]
    """The check, while what it needs is open; the directory is empty and the target's own."""
    seeds: Callable[[], Sequence[bytes]]
    """Bytes to begin with: plain uses, from which the odd ones are made."""
    words: tuple[bytes, ...] = ()
    """What the grammar is made of: put in and appended more often than chance would."""


def text_of(data: bytes) -> str:
    """The bytes as the text of a name or a path, which need not be UTF-8."""
    return data.decode("utf-8", "surrogateescape")
