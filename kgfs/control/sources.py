"""The requests of ``kgfs add``, ``refresh``, ``rm`` and ``source``: what each PATH among sources and files means.

Used by ``control.answers``, on the thread that answers the request.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kgfs.control.frames import Reply, argument
from kgfs.control.path_arguments import PathArgument, PathFinder
from kgfs.control.stored_places import StoredPlaces, require_drive
from kgfs.errors import NotFoundError, UsageError
from kgfs.namespace.context_names import AGENT_DRIVE
from kgfs.progress import Cancel, Progress

if TYPE_CHECKING:
    from kgfs.service.sources.known_sources import KnownSources
    from kgfs.service.sources.references import References
    from kgfs.service.sources.source_jobs import SourceJobs
    from kgfs.service.versions import Versions


class SourceParts(NamedTuple):
    """The parts of the service that these requests need, and how paths are found."""

    sources: SourceJobs
    known: KnownSources
    references: References
    versions: Versions
    finder: PathFinder
    stored: StoredPlaces
    settle: Callable[[Progress, Cancel], object]
    """Indexes what was written here."""


def add(sources: SourceJobs, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    options = {name: value for name, value in arguments.items() if name not in ("paths", "background")}
    paths = [Path(os.fsdecode(path)) for path in argument(arguments, "paths", list[bytes])]
    request = sources.request(paths, options)
    if arguments.get("background"):
        return {"job": sources.add_in_background(request)}
    return sources.add(request, reply.progress, reply.cancel)


def remove(parts: SourceParts, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    named = argument(arguments, "places", list[PathArgument])
    recursive, purge = bool(arguments.get("recursive")), bool(arguments.get("purge"))
    chosen: list[int] = []
    sources: list[int] = []
    shared = written = 0
    references = []
    for place in named:
        known = None if place.exact is not None else parts.references.stored(place.text, place.host)
        references.append(known or (_erased(parts, place) if purge else _at(parts, place)))
        if references[-1][0] == AGENT_DRIVE:
            written += parts.versions.remove(*references[-1], recursive=recursive, purge=purge)
            continue
        try:
            items, source_ids, others = _removal(parts, references[-1], recursive)
        except NotFoundError:
            if purge and parts.versions.answers_left():  # removed before, without --purge
                continue
            raise
        chosen += items
        sources += source_ids
        shared += others
    if chosen or sources or not written:
        removed = parts.sources.remove(
            list(dict.fromkeys(chosen)), reply.progress, reply.cancel, list(dict.fromkeys(sources))
        )
    else:
        parts.settle(reply.progress, reply.cancel)
        removed = {"removed": 0, "sources": 0, "warnings": [], "seconds": 0.0}
    removed["removed"] += written
    removed["purged"] = sum(parts.versions.purged(*each, recursive) for each in references) if purge else 0
    removed["answers"] = parts.versions.answers_purged() if purge else 0
    return {**removed, "shared": shared, "refreshed_by": parts.known.names_around(references)}


def reread(parts: SourceParts, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """Answer ``kgfs refresh``."""
    from kgfs.pipeline.refresh_records import RefreshRequest

    named = argument(arguments, "places", list[PathArgument], [])
    paths = argument(arguments, "paths", list[bytes], [])
    gone = argument(arguments, "gone", list[bytes] | None)
    if arguments.get("all"):
        targets = parts.known.all_targets()
    else:
        references = [reference for place in named for reference in _sources_of(parts, place)]
        references += parts.known.on_disk(paths)
        targets = parts.known.targets(references)
    request = RefreshRequest(
        targets=targets,
        prune=bool(arguments.get("prune")),
        gone=None if gone is None else [path for _, path in parts.known.on_disk(gone)],
        dry_run=bool(arguments.get("dry_run")),
        budget=argument(arguments, "budget", float | None),
        on=argument(arguments, "on", str, ""),
    )
    return parts.sources.refresh(request, reply.progress, reply.cancel)


def around(known: KnownSources, arguments: dict[str, Any]) -> dict[str, Any]:
    """The source that a file or folder of the host is or lies in."""
    return known.around(argument(arguments, "path", bytes))


def move(parts: SourceParts, arguments: dict[str, Any], reply: Reply) -> dict[str, Any]:
    """What a place among sources means comes from another file or folder of the host now."""
    named: PathArgument = argument(arguments, "place", PathArgument)
    _, path = parts.known.movable(named.text, named.host)
    ((_, to_path),) = parts.known.on_disk([argument(arguments, "to", bytes)])
    return parts.sources.move(path, to_path, reply.progress, reply.cancel)


def _erased(parts: SourceParts, place: PathArgument) -> tuple[str, str]:
    """The drive and path of a place whose history is to go: the file itself may be gone."""
    found: tuple[str | None, str]
    try:
        found = parts.stored.find_drive_path(place)
    except UsageError:
        if place.host is None:
            raise
        (found,) = parts.known.on_disk([place.host])  # a file of the host that was stored, perhaps
    return require_drive(place, *found)


def _removal(parts: SourceParts, known: tuple[str, str], recursive: bool) -> tuple[list[int], list[int], int]:
    """The items and sources that go with a place; and how many items stay because another source has them too."""
    source = parts.known.removal(known, recursive)
    if source is not None:
        return source
    return parts.references.items(known, recursive), parts.known.beneath(known), 0


def _at(parts: SourceParts, place: PathArgument) -> tuple[str, str]:
    """The drive and path of a place of the tree."""
    return parts.references.at_path(parts.finder.path(place), place.text)


def _sources_of(parts: SourceParts, place: PathArgument) -> list[tuple[str, str]]:
    """The drives and paths that a PATH of ``refresh`` means: one place, or all that a pattern matches."""
    known = None if place.exact is not None else parts.references.source(place.text, place.host)
    if known is None:
        with contextlib.suppress(NotFoundError, UsageError):
            known = _at(parts, place)
    if known is not None and known[0] == AGENT_DRIVE:
        raise UsageError(f"{place.text} was written here: it comes from nowhere that could be read again.")
    matching = [known] if known is not None else parts.known.matching(place.text)
    if not matching:
        raise NotFoundError(
            f"{place.text} is no source and lies in none; `kgfs status` lists the sources, `kgfs add` adds one."
        )
    return matching
