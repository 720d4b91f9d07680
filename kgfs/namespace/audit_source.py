"""What the service tells of the audit trail, for ``@audit``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

ALL, BY_NAME, BY_DAY = "", "name", "day"
"""The groups of files: the one with all calls, those of names, those of days."""


class Lines(NamedTuple):
    """A file of calls, as far as it reached at one moment."""

    size: int
    latest_us: int
    """When the last call in it ended; 0 where there is none."""
    place: object = None
    """What the source knows it by."""


class AuditSource(Protocol):
    """The audit trail as files. All but ``prepare`` and ``read`` answer from memory, at once."""

    def ready(self) -> bool:
        """Whether anything is known; else ``prepare``."""

    def prepare(self) -> None:
        """Make it known (blocks). ``KgfsError``."""

    def names(self, group: str) -> Sequence[str]:
        """The names of a group's files, without their ending, sorted."""

    def find_file(self, group: str, name: str) -> Lines | None:
        """A file as it is now, that of ``ALL`` by the empty name; none where there is none, or nothing is known."""

    def read(self, lines: Lines, offset: int, length: int) -> bytes:
        """Bytes of a file as far as it reached then (blocks). ``ConflictError`` where calls were moved since."""

    def stats(self) -> bytes:
        """A table of the calls of each name in numbers."""


class NoAudit:
    """Where nothing is recorded."""

    def ready(self) -> bool:
        return True

    def prepare(self) -> None:
        return None

    def names(self, group: str) -> Sequence[str]:
        return ()

    def find_file(self, group: str, name: str) -> Lines | None:
        return None if group else Lines(0, 0)

    def read(self, lines: Lines, offset: int, length: int) -> bytes:
        return b""

    def stats(self) -> bytes:
        return b""
