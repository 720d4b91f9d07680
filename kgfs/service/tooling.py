"""What the agent's tools reach of a service.

Used by ``kgfs.control`` and whoever else calls tools; it is cheap to make, and runs on the thread that calls.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kgfs.errors import NotFoundError
from kgfs.tools.reach import Reach

if TYPE_CHECKING:
    from kgfs.service import Service


def reach(service: Service) -> Reach:
    """The parts of a service that tools may use."""

    def search(query: str, kind: str, origin: str | None, limit: int) -> dict[str, Any]:
        return service.search(query, kind=kind, origin=origin, limit=limit)

    def refresh(places: Sequence[tuple[str, str]] | None) -> dict[str, Any]:
        return _refresh(service, places)

    return Reach(
        service.database,
        frozenset(service.writable),
        lambda: service.files_by_path,
        search,
        refresh,
        bool(service.gate.shut),
    )


def _refresh(service: Service, places: Sequence[tuple[str, str]] | None) -> dict[str, Any]:
    from kgfs.pipeline.refresh_records import RefreshRequest
    from kgfs.service import refresh

    if places is None:
        targets = refresh.all_targets(service.database)
    else:
        targets = refresh.targets(service.database, places)
        if not targets:
            shown = ", ".join(f"{drive}:{path}" for drive, path in places)
            raise NotFoundError(f"{shown} is no source and lies in none; only what was added can be refreshed.")
    answer = service.refresh(RefreshRequest(targets=targets), lambda progress: None, threading.Event())
    return {name: answer[name] for name in ("sources", "failed", "warnings", "counts", "seconds") if name in answer}
