"""What the service tells about itself, for ``@status``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class StatusSource(Protocol):
    """What the service tells about itself. Each answer comes from memory, at once."""

    def status(self) -> Mapping[str, Any]:
        """Health, index coverage, what runs."""

    def errors(self) -> bytes:
        """JSON lines, oldest first."""

    def last_error(self) -> str:
        """One sentence, or empty."""

    def jobs(self) -> Mapping[str, Mapping[str, Any]]:
        """Job id to what it is and how far."""

    def metrics(self) -> bytes:
        """Numbers for a monitor, in Prometheus's text format."""


class NoStatus:
    """Where nothing runs beside the tree."""

    def status(self) -> Mapping[str, Any]:
        return {}

    def errors(self) -> bytes:
        return b""

    def last_error(self) -> str:
        return ""

    def jobs(self) -> Mapping[str, Mapping[str, Any]]:
        return {}

    def metrics(self) -> bytes:
        return b""
