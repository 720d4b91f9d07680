"""Searches as commands and tools ask for them: the same engine as ``@search``, its results as records.

Used by the control socket's requests and by tools, on the thread that asks.
"""

from __future__ import annotations

import contextlib
import threading
from typing import Any

import msgspec

from kgfs.errors import DeadlineExceeded, KgfsError
from kgfs.search.query import MAX_LIMIT, SearchAnswer, SearchRequest, search_request
from kgfs.service.components import Components

COLD_TRIES = 3


class Searching:
    """Searches one store."""

    def __init__(self, components: Components) -> None:
        self._components = components

    def search(
        self,
        query: str,
        *,
        kind: str = "semantic",
        origin: str | None = None,
        limit: int | None = None,
        within: int | None = None,
    ) -> dict[str, Any]:
        """``results`` as ``@search`` gives them, best first; ``mode``; ``milliseconds``; whether there are ``more``.

        ``within``: the node of the directory to search in.
        """
        from kgfs.namespace import scope
        from kgfs.namespace.queries.search import records

        options = {"limit": str(limit or self._components.config.search_limit)}
        if origin is not None:
            options["origin"] = origin
        asked = search_request(kind, query, options)
        deeper = msgspec.structs.replace(asked, limit=min(asked.limit + 1, MAX_LIMIT))
        if not self._components.daemon:
            self._begin_to_load(asked)
        namespace = self._components.namespace
        if within is not None:
            deeper = scope.narrowed(deeper, namespace.view, namespace.scope_of(namespace.view, within))
        answer = self._ask(deeper)
        shown = records(namespace.store, namespace.view, answer, self._components.path_prefix, asked.offset)
        found = [record for record, _, _, _ in shown]
        return {
            "results": msgspec.to_builtins(found[: asked.limit]),
            "more": len(found) > asked.limit,
            "mode": answer.mode,
            "milliseconds": answer.milliseconds,
        }

    def brief(
        self, question: str, *, limit: int | None = None, within: int | None = None, origin: str | None = None
    ) -> dict[str, Any]:
        """``text`` as ``@brief`` has it, and ``settled``: whether it is as good as it can be now.

        ``within``: the node of the directory to look in; ``origin``: the drive, or the file on it.
        """
        from kgfs.namespace.queries.brief import LIMIT, check_limit, compose

        length = check_limit(LIMIT if limit is None else limit)
        if not self._components.daemon:
            self._begin_to_load(SearchRequest(query=question))
        tree = self._components.namespace
        made = compose(tree, tree.store, self._ask, tree.root if within is None else within, question, length, origin)
        return {"text": made.text, "settled": made.settled}

    def _begin_to_load(self, asked: SearchRequest) -> None:
        """A command's own worker starts while the tree is read, with the model if the search needs it."""

        worker = self._components.worker  # here: reading the tree holds the lock that making it takes

        def begin() -> None:
            with contextlib.suppress(KgfsError):  # the search itself says so
                worker.warm() if asked.hybrid else worker.status()

        threading.Thread(target=begin, name="warm", daemon=True).start()

    def _ask(self, asked: SearchRequest) -> SearchAnswer:
        """A command's own worker is just starting, which may take a slow machine longer than one search may take."""
        for _ in range(0 if self._components.daemon else COLD_TRIES):
            with contextlib.suppress(DeadlineExceeded):
                return self._components.searcher.search(asked)
        return self._components.searcher.search(asked)
