"""What the service tells of the runs of agents, for ``@agent``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

TRANSCRIPT, ANSWER, CITATIONS, COST, MESSAGES = (
    "transcript.md", "answer.md", "citations.jsonl", "cost.json", "messages.jsonl",
)  # fmt: skip
"""The files of a run."""


class RunBytes(NamedTuple):
    """A file of a run, as far as it reached at one moment."""

    size: int
    changed_us: int
    """When it was last written, in microseconds since 1970."""
    place: object = None
    """What the source knows it by."""


class RunSource(Protocol):
    """The runs of agents as files. All but ``prepare`` and ``read`` answer from memory, at once."""

    def ready(self) -> bool:
        """Whether anything is known; else ``prepare``."""

    def prepare(self) -> None:
        """Make it known (blocks). ``KgfsError``."""

    def names(self) -> Sequence[str]:
        """The names of the runs, sorted."""

    def find_file(self, run: str, file: str) -> RunBytes | None:
        """A file of a run as it is now; none where there is no such run, or nothing is known."""

    def read(self, found: RunBytes, offset: int, length: int) -> bytes:
        """Bytes of a file as far as it reached then (blocks)."""


class NoRuns:
    """Where no agent ever ran."""

    def ready(self) -> bool:
        return True

    def prepare(self) -> None:
        return None

    def names(self) -> Sequence[str]:
        return ()

    def find_file(self, run: str, file: str) -> RunBytes | None:
        return None

    def read(self, found: RunBytes, offset: int, length: int) -> bytes:
        return b""
