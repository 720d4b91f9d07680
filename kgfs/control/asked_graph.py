"""The tree as tools ask it: paths of any form, searches within a place, and an end where the client hung up.

Made by ``control.answers`` for each call of a tool, on the thread that answers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kgfs.control.frames import Reply
from kgfs.control.path_arguments import PathArgument, PathFinder

if TYPE_CHECKING:
    from kgfs.namespace.namespace import Namespace
    from kgfs.service.searching import Searching

Searched = Callable[[PathArgument], tuple[int | None, str | None]]
"""From a place to the node of the directory to search in, or to the stored file."""


class AskedGraph:
    """A ``kgfs.tools.reach.Graph`` over the service that answers."""

    def __init__(self, finder: PathFinder, searched: Searched, searching: Searching, reply: Reply) -> None:
        self._finder, self._searched, self._searching, self._reply = finder, searched, searching, reply

    @property
    def namespace(self) -> Namespace:
        return self._finder.namespace

    def find(self, path: str, *, follow: bool = True) -> int:
        """The node of a path. ``NotFoundError``, ``NotADirectory``."""
        return self._finder.find(_place(path), follow=follow).node

    def brief(self, question: str, path: str | None, limit: int) -> str:
        """The text of ``@brief``."""
        node, origin = (None, None) if path is None else self._searched(_place(path))
        return str(self._searching.brief(question, limit=limit, within=node, origin=origin)["text"])

    def search(self, query: str, kind: str, path: str | None, limit: int) -> dict[str, Any]:
        """``results``, ``mode``, ``more``, as ``Searching.search`` has them."""
        node, origin = (None, None) if path is None else self._searched(_place(path))
        return self._searching.search(query, kind=kind, origin=origin, limit=limit, within=node)

    def stopped(self) -> bool:
        return self._reply.cancel.is_set()


def _place(path: str) -> PathArgument:
    return PathArgument(text=path, host=os.fsencode(path) if path.startswith("/") else None)
