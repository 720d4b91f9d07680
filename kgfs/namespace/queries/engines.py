"""The engine of each query area, by the name of the area.

Used by the namespace when it is made.
"""

from __future__ import annotations

from collections.abc import Callable

from kgfs.namespace.queries.find import find
from kgfs.namespace.queries.place import PlaceEngine
from kgfs.namespace.queries.questions import Engine
from kgfs.namespace.queries.search import SearchEngine, Searcher


def engines(searcher: Searcher | None, prefix: Callable[[], str]) -> dict[str, Engine]:
    """``prefix`` goes before absolute paths in results: the mountpoint."""
    return {
        "@search": SearchEngine(searcher, prefix),
        "@find": find,
        "@stat": PlaceEngine(prefix),
    }
