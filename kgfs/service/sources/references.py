"""Between what users call a document (a ref, a file on disk, a place of the tree) and rows.

Used by the service for the control socket's requests, on their threads. Asks the rows and the snapshot.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from kgfs import paths
from kgfs.errors import UsageError
from kgfs.names import as_utf8
from kgfs.namespace.context_names import encode_component, path_of, typed_path
from kgfs.paths import Reference
from kgfs.store.files import items, sources

if TYPE_CHECKING:
    from kgfs.namespace.namespace import Namespace
    from kgfs.store.catalog.database import Database


def _places(drive: str, path: str) -> list[Reference]:
    """What a ref means: the path as it is (a page's may end with a slash), then as that of a directory."""
    plain = (drive, path.rstrip("/") or "/")
    return list(dict.fromkeys([(drive, path), plain])) if drive == "url" else [plain]


class References:
    """Looks things up in one store."""

    def __init__(self, database: Database, namespace: Callable[[], Namespace]) -> None:
        """``namespace`` is asked for only where the tree is needed: making it reads all of it."""
        self._database, self._namespace = database, namespace

    def stored(self, text: str, host: bytes | None) -> Reference | None:
        """What a ref, a page's URL, a file on disk or a source's name refers to; ``None`` where none is stored."""
        readings = self._readings(text, host)
        with self._database.read() as cursor:
            for drive, path in readings:
                if items.items_beneath(cursor, drive, path) or sources.source_at(cursor, drive, path) is not None:
                    return drive, path
        for drive, path in self._named(text):
            return str(drive), str(path)
        return None

    def source(self, text: str, host: bytes | None) -> Reference | None:
        """What a ref, a page's URL, a file on disk or a name means among sources: one, or a place in or around one."""
        from kgfs.service.sources.known_sources import KnownSources

        readings = self._readings(text, host)
        readings += self._named(paths.source_name(text))
        known = KnownSources(self._database)
        return next((reading for reading in readings if known.targets([reading])), None)

    def _readings(self, text: str, host: bytes | None) -> list[Reference]:
        """What a ref, the URL of a page that was added, or a file on disk may refer to."""
        readings: list[Reference] = []
        if paths.is_url(text):
            from kgfs.sources.web.drives import normal_url

            found = self._database.fetch(
                "SELECT drive, path FROM context_items WHERE source_url = ? ORDER BY id", [normal_url(as_utf8(text))]
            )
            readings += [(str(drive), str(path)) for drive, path in found]
        elif (ref := paths.parse_ref(text)) is not None:
            readings += _places(ref.drive, typed_path(*ref))
        if host is not None:
            readings.append(("disk", items.row_path(os.fsdecode(host))))
        return readings

    def items(self, reference: Reference, recursive: bool) -> list[int]:
        """The ids at a reference. ``NotFoundError``; ``ConflictError`` for a directory without ``recursive``."""
        from kgfs.pipeline.pipeline import items_of  # brings the extractors with it

        return items_of(self._database, *reference, recursive=recursive)

    def at_path(self, path: str, shown: str) -> Reference:
        """What a place of the tree is made of: a stored file or directory, or a document.

        ``UsageError`` for a place that is made of many things.
        """
        parts = path.split("/")
        if parts[0] == "context" and len(parts) > 2:
            drives = {"".join(encode_component(drive)): drive for drive in self.drives()}
            if (drive := drives.get(parts[1])) is not None:
                return drive, path_of(drive, parts[2:])
        if parts[0] == "documents" and len(parts) > 1:
            rows = self._database.fetch(
                "SELECT i.drive, i.path FROM documents d JOIN context_items i USING (id) WHERE d.slug = ?",
                [as_utf8(parts[1])],
            )
            for drive, stored in rows:
                return str(drive), str(stored)
        raise UsageError(
            f"{shown} is not one document or folder; name one under context/, sources/ or documents/, or as disk:/path."
        )

    def path_of_ref(self, text: str) -> str | None:
        """The path from the root of a stored ``drive:/path``, file or directory."""
        ref = paths.parse_ref(text)
        return None if ref is None else self._context_path(ref.drive, typed_path(*ref))

    def path_of_host(self, host: bytes) -> str | None:
        """The path from the root of a file or folder of the host that was added."""
        return self._context_path("disk", items.row_path(os.fsdecode(host)))

    def path_of_fact(self, fact_id: str) -> str | None:
        """The canonical path of a fact."""
        for (fact_type,) in self._database.fetch("SELECT type FROM facts WHERE fact_id = ?", [fact_id]):
            return f"facts/by_type/{fact_type}/{fact_id}.json"
        return None

    def _context_path(self, drive: str, path: str) -> str | None:
        found = self._namespace().view.context.find_stored(drive, path)
        if found is None:
            return None
        if isinstance(found, int):
            return self._namespace().view.context.path(found)
        return "/".join(("context", *found.names()))

    def _named(self, name: str) -> list[tuple[str, str]]:
        rows = self._database.fetch("SELECT drive, path FROM sources WHERE name = ?", [as_utf8(name)])
        return [(str(drive), str(path)) for drive, path in rows]

    def drives(self) -> list[str]:
        """The drives that have stored files."""
        return [str(drive) for (drive,) in self._database.fetch("SELECT DISTINCT drive FROM context_items")]
