"""Which files ``add`` takes: those beneath the paths that it was given, and what is to be done about those it knows.

Used by the pipeline on the jobs thread. Only metadata is looked at; nothing is written.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kgfs.errors import ConflictError
from kgfs.pipeline.model_reading import is_prose
from kgfs.pipeline.request import AddRequest
from kgfs.pipeline.run import Failure, Run
from kgfs.pipeline.text_pass import DRIVE
from kgfs.sources.walking import LEADS_OUT, WalkedFile, walk_files
from kgfs.store import indexing
from kgfs.store.catalog.database import Database
from kgfs.store.files import items, sources
from kgfs.store.files.items import KnownFile
from kgfs.store.files.sources import Source

ChosenFile = tuple[WalkedFile, Path]
"""A file, and the path of the request that brought it."""


def files_beneath(
    request: AddRequest, is_ours: Callable[[Path], bool], run: Run, skipped: Counter[str]
) -> list[ChosenFile]:
    """The files of all paths, each once, in order; ``skipped`` counts what is left out, by reason.

    What cannot be read is reported, and links that lead out are noted. ``Cancelled`` when the run stops.
    """
    found: dict[Path, ChosenFile] = {}
    out: list[Path] = []
    for path in request.paths:
        for entry in walk_files(
            path,
            exclude=request.exclude,
            hidden=request.hidden,
            cross_device=request.cross_device,
            is_ours=is_ours,
        ):
            if isinstance(entry, WalkedFile):
                found.setdefault(entry.path, (entry, path))
            elif entry.reason == "unreadable":
                run.fail(items.row_path(entry.path), f"{entry.error}; it was left out.")
            else:
                skipped[entry.reason] += 1
                out += [entry.path] if entry.reason == LEADS_OUT else []
        run.check()
    run.notes += [
        Failure(items.row_path(path), "It is a link that leads out of what was added; name it as a PATH to add it.")
        for path in out
        if path not in found
    ]
    return list(found.values())


def stored_beneath(database: Database, request: AddRequest) -> dict[str, KnownFile]:
    """What is stored beneath the paths, by its own path on the drive."""
    found: dict[str, KnownFile] = {}
    with database.read() as cursor:
        for path in request.paths:
            found |= items.known_files(cursor, DRIVE, items.row_path(os.path.abspath(path)))
    return found


def read_without_model(
    database: Database, files: Sequence[ChosenFile], stored: Mapping[str, KnownFile]
) -> dict[Path, int]:
    """Of files that have not changed those that a model would read and something else has, with their ids."""
    with database.read() as cursor:
        otherwise = {
            path: number
            for number, path, mime_type in indexing.read_without_model(cursor, DRIVE)
            if is_prose(mime_type)
        }
    found = {}
    for file, _ in files:
        path = items.row_path(file.path)
        if path in otherwise and _is_same(file, stored.get(path)):
            found[file.path] = otherwise[path]
    return found


def source_homes(database: Database, request: AddRequest, is_ours: Callable[[Path], bool]) -> dict[Path, int]:
    """Of the paths those that are files a known source has or would take, with that source, the innermost.

    Not one that is a source itself, or that the request names.
    """
    if request.name is not None:
        return {}
    with database.read() as cursor:
        known = [source for source in sources.sources(cursor) if source.drive == DRIVE]
    found = {}
    for path in request.paths:
        place = items.row_path(os.path.abspath(path))
        around = sorted((one for one in known if one.covers(place)), key=lambda one: -len(one.path))
        if not os.path.isfile(path) or any(one.path == place for one in around):
            continue
        for source in around:
            if _takes(source, Path(os.path.abspath(path)), is_ours):
                found[path] = source.id
                break
    return found


def _takes(source: Source, file: Path, is_ours: Callable[[Path], bool]) -> bool:
    """Whether a file is among those that a refresh of the source looks at."""
    seen = walk_files(
        Path(items.host_path(source.path)),
        exclude=source.options.get("exclude", ()),
        hidden=bool(source.options.get("hidden")),
        cross_device=bool(source.options.get("cross_device")),
        is_ours=is_ours,
        only=[file],
    )
    return any(isinstance(entry, WalkedFile) and entry.path == file for entry in seen)


def select_files(
    request: AddRequest,
    files: Sequence[ChosenFile],
    stored: Mapping[str, KnownFile],
    skipped: Counter[str],
    homes: Mapping[Path, int],
) -> list[ChosenFile]:
    """``files`` without what is known, as the request wishes. ``ConflictError`` where it wishes none that is known.

    A file that is named itself and lies in a source (``homes``) is refreshed: read again where it changed.
    """
    kept = []
    for file, path in files:
        row = stored.get(items.row_path(file.path))
        if row is None or row.error is not None:
            kept.append((file, path))
        elif request.on_conflict == "error":
            raise ConflictError(
                f"{items.row_path(file.path)} is stored already; add it with --on-conflict skip to keep what is stored,"
                " or with overwrite to read it again."
            )
        elif _is_same(file, row):
            skipped["unchanged"] += 1
        elif request.on_conflict == "skip" and (path not in homes or row.edited or row.made_here):
            skipped["known, changed since"] += 1
        else:
            kept.append((file, path))
    return kept


def _is_same(file: WalkedFile, row: KnownFile | None) -> bool:
    """Whether a file is, by its size and time, the one that was read."""
    return row is not None and row.size == file.size and row.mtime_ns == file.mtime_ns
