"""How long work says how far it is, and how it hears that it should stop.

Used wherever work may take seconds or more: the pipeline, jobs, exports and imports, the check of a store, and the
control socket between a command and the process that works for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Progress = Callable[[dict[str, Any]], None]
"""Called with a report: ``stage`` (``read extract embed remove`` …), ``done`` and ``total``, or a ``message``."""

STOPPED = "Stopped; nothing is lost, and the same command goes on."
"""What ``Cancelled`` says of work that keeps what it has done."""


class Cancel(Protocol):
    """Whether to stop: a ``threading.Event`` or the like. Cheap, asked between two steps and from any thread."""

    def is_set(self) -> bool: ...


class Never:
    """The ``Cancel`` of work that nobody stops."""

    def is_set(self) -> bool:
        return False
