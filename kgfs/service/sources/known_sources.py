"""From what users call a source or a part of one to what is refreshed, and to what is removed with it.

Used by the service and its callers (``control.sources``), on the thread that answers. Reads rows only.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from kgfs import paths
from kgfs.counting import counted
from kgfs.errors import ConflictError, NotFoundError, UsageError
from kgfs.nearest import did_you_mean
from kgfs.paths import Reference
from kgfs.pipeline.refresh_records import RefreshTarget
from kgfs.store.catalog.database import Database
from kgfs.store.files import items, sources


class KnownSources:
    """The sources of one catalog, as its rows are when it is asked."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @staticmethod
    def on_disk(paths: Iterable[bytes]) -> list[Reference]:
        """Files and folders of the host as rows name them."""
        return [("disk", items.row_path(os.fsdecode(path))) for path in paths]

    def all_targets(self) -> list[RefreshTarget]:
        """Every source, whole."""
        with self._database.read() as cursor:
            return [RefreshTarget(source=source.id) for source in sources.sources(cursor)]

    def targets(self, references: Iterable[Reference]) -> list[RefreshTarget]:
        """The sources at or beneath these places, whole; and of sources around one, that part. In order of name."""
        with self._database.read() as cursor:
            known = sources.sources(cursor)
        only: dict[int, list[str] | None] = {}
        for drive, path in references:
            above = path.rstrip("/") + "/"
            for source in known:
                if source.drive != drive:
                    continue
                if source.path == path or source.path.startswith(above):
                    only[source.id] = None
                elif source.covers(path):
                    parts = only.setdefault(source.id, [])
                    if parts is not None:
                        parts.append(path)
        return [RefreshTarget(source=source.id, only=only[source.id]) for source in known if source.id in only]

    def matching(self, pattern: str) -> list[Reference]:
        """What a pattern (``*``, ``?``, ``[…]``; ``*`` matches ``/`` too) means of what was added: refs and sources'
        names.

        Nothing where it is no pattern.
        """
        if not any(sign in pattern for sign in "*?["):
            return []
        with self._database.read() as cursor:
            rows = cursor.execute(
                "SELECT drive, path FROM sources WHERE name GLOB $1 UNION"
                " SELECT drive, path FROM context_items WHERE ref GLOB $1"
                " AND id IN (SELECT item_id FROM source_items) ORDER BY ALL",
                [pattern.removeprefix("sources/")],
            ).fetchall()
        return [(str(drive), str(path)) for drive, path in rows]

    def around(self, path: bytes) -> dict[str, Any]:
        """The source that a path of the host is or lies in, the innermost: ``name`` (empty where there is none),
        ``path`` as bytes of the host, ``options``.
        """
        ((drive, place),) = self.on_disk([path])
        with self._database.read() as cursor:
            found = [source for source in sources.sources(cursor) if source.drive == drive and source.covers(place)]
        innermost = max(found, key=lambda source: len(source.path), default=None)
        if innermost is None:
            return {"name": ""}
        return {
            "name": innermost.name,
            "path": os.fsencode(items.host_path(innermost.path)),
            "options": innermost.options,
        }

    def removal(self, reference: Reference, recursive: bool) -> tuple[list[int], list[int], int] | None:
        """The items and sources that go when a source is removed, and how many items stay since another source has
        them.

        ``None`` where the place is no source. ``ConflictError`` for a folder without ``recursive``.
        """
        drive, path = reference
        with self._database.read() as cursor:
            source = sources.source_at(cursor, drive, path)
            if source is None:
                return None
            numbers, shared = sources.only_of(cursor, source.id)
            refs = sources.paths_of_items(cursor, numbers)
        if not recursive and refs not in ([], [path]):
            held = counted(len(refs), "file")
            raise ConflictError(f"{source.name} is a directory with {held}; remove the whole source with -r.")
        return numbers, [source.id], shared

    def movable(self, text: str, host: bytes | None) -> Reference:
        """The file or folder of the host that a source's name, ``disk:/path`` or a path means, where sources are at or
        beneath it. ``NotFoundError``; ``UsageError`` for a page, and for what only lies in a source."""
        with self._database.read() as cursor:
            known = sources.sources(cursor)
        meant = [(one.drive, one.path) for one in known if one.name == paths.source_name(text)]
        ref = paths.parse_ref(text)
        meant += [("disk", ref.path.rstrip("/") or "/")] if ref is not None and ref.drive == "disk" else []
        meant += [] if host is None else self.on_disk([host])
        for drive, path in meant:
            if drive != "disk":
                raise UsageError(f"{text} was loaded from {path}; add what it is now with `kgfs add URL`.")
            if self.beneath((drive, path)):
                return drive, path
        for drive, path in meant:
            for around in known:
                if around.drive == drive and around.covers(path):
                    raise UsageError(
                        f"{text} lies in the source {around.name}; `kgfs refresh {around.name}` follows what moved in"
                        " it."
                    )
        nearby = did_you_mean(text, [one.name for one in known], "`kgfs source list` names them.")
        raise NotFoundError(f"{text} is no source; {nearby}")

    def beneath(self, reference: Reference) -> list[int]:
        """The sources at or beneath a place."""
        drive, path = reference
        above = path.rstrip("/") + "/"
        with self._database.read() as cursor:
            return [
                source.id
                for source in sources.sources(cursor)
                if source.drive == drive and (source.path == path or source.path.startswith(above))
            ]

    def names_around(self, references: Iterable[Reference]) -> list[str]:
        """The names of the sources in which any of these places lies."""
        with self._database.read() as cursor:
            known = sources.sources(cursor)
        places = list(references)
        return [one.name for one in known if any(one.drive == drive and one.covers(path) for drive, path in places)]

    def refs_of(self, chosen: Iterable[RefreshTarget]) -> list[str]:
        """What a job over these is about, as refs."""
        with self._database.read() as cursor:
            known = {source.id: source for source in sources.sources(cursor)}
        return [
            items.ref(known[target.source].drive, path)
            for target in chosen
            if target.source in known
            for path in (target.only or [known[target.source].path])
        ]

    def title(self, chosen: Sequence[RefreshTarget]) -> str:
        """How a job over these is called."""
        with self._database.read() as cursor:
            names = {source.id: source.name for source in sources.sources(cursor)}
        return " ".join(["kgfs refresh", *(names.get(target.source, "") for target in chosen)])
