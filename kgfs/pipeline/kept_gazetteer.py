"""The gazetteer: what all documents declare by their titles, leads, terms and front matter, kept between passes.

Used by the graph pass, on the jobs thread. A note that is written changes the names of one document: those of all
others are kept by document, and only rows that changed are read again.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from kgfs.documents.identifiers import series_spellings
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.model import DefinedTerm, EntityCandidate, Gazetteer, ParsedDocument
from kgfs.store import indexing
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files.documents import IN

log = logging.getLogger(__name__)

FETCHED = 4096
"""Documents whose rows are read at a time."""

_WE = "we "
"""What every sentence has whose meaning changes with who *we* are; what is noted of them begins with it."""
_THERE = "attends "
"""What the note of a name on a list of attendance begins with: the minutes that have its given name change with it."""
_HASH = "hash(d.id, d.title, d.lead, d.terms, d.description, d.front_matter, i.mime_type, i.ref)"
_FROM = "FROM documents d JOIN context_items i USING (id)"


class _Stated(NamedTuple):
    """What one document declares."""

    row: int
    """A hash of what it was read of."""
    names: tuple[EntityCandidate, ...]


class _Known(NamedTuple):
    """A gazetteer, and what it was made of."""

    fingerprint: tuple[object, ...]
    gazetteer: Gazetteer
    stated: dict[int, _Stated]


_kept: weakref.WeakKeyDictionary[Database, _Known] = weakref.WeakKeyDictionary()
"""Of each open catalog the last one."""


def kept_gazetteer(database: Database) -> Gazetteer:
    """The gazetteer of the present documents.

    Documents that were read with another one and hold a name that came or went since are to be read again: what is
    found in a document then depends on which documents there are, not on the order in which they came.
    """
    with database.read(snapshot=True) as cursor:
        fingerprint = _fingerprint(cursor)
        kept = _kept.get(database)
        if kept is not None and kept.fingerprint == fingerprint:
            return kept.gazetteer
        stated = _all_stated(cursor, kept.stated if kept is not None else {})
        before = _noted(cursor)
    known = make_gazetteer(one.names for one in stated.values())
    names = sorted(
        {name for entry in known.entries for name in (entry.name, *series_spellings(entry.name), *entry.aliases)}
        | {f"{_WE}{speaker.name} {speaker.folder}" for speaker in known.speakers}
        | {f"{_THERE}{name}" for name in known.attendees}
    )
    if set(names) != set(before):
        database.write(lambda cursor: _note(cursor, names))
    _kept[database] = _Known(fingerprint, known, stated)
    return known


def _fingerprint(cursor: Cursor) -> tuple[object, ...]:
    """What documents declare, and what is noted of it, as some numbers."""
    sql = f"SELECT count(*), bit_xor({_HASH}), (SELECT value FROM meta WHERE key = 'gazetteer') {_FROM}"
    (found,) = cursor.execute(sql).fetchall()
    return tuple(found)


def _all_stated(cursor: Cursor, before: Mapping[int, _Stated]) -> dict[int, _Stated]:
    """What each document declares, in order of ref; those that are as ``before`` are not read again."""
    rows: dict[int, int] = dict(cursor.execute(f"SELECT id, {_HASH} {_FROM} ORDER BY i.ref").fetchall())
    stated = {number: before[number] for number, row in rows.items() if number in before and before[number].row == row}
    changed = [number for number in rows if number not in stated]
    for start in range(0, len(changed), FETCHED):
        cursor.execute(
            "SELECT id, d.title, d.lead, d.terms, d.description, d.front_matter, i.mime_type, i.path"
            f" {_FROM} WHERE id {IN}",
            [changed[start : start + FETCHED]],
        )
        for number, *columns in cursor.fetchall():
            stated[number] = _Stated(rows[number], _stated(*columns))
    return {number: stated[number] for number in rows}


def _stated(
    title: str, lead: str | None, terms: str | None, description: str, front_matter: str, mime_type: str, path: str
) -> tuple[EntityCandidate, ...]:
    document = ParsedDocument(
        mime_type=mime_type,
        path=path,
        title=title,
        lead=lead if lead is not None else description,
        terms=msgspec.json.decode(terms, type=list[DefinedTerm]) if terms else [],
        description=description,
        front_matter=msgspec.json.decode(front_matter),
    )
    try:
        return tuple(stated_names(document))
    except Exception:  # one title must not keep all documents from being read
        log.exception("The names that %s declares could not be read.", path)
        return ()


def _noted(cursor: Cursor) -> list[str]:
    row = cursor.execute("SELECT value FROM meta WHERE key = 'gazetteer'").fetchone()
    return msgspec.json.decode(row[0], type=list[str]) if row else []


def _note(cursor: Cursor, names: list[str]) -> None:
    differing = {_meant(name) for name in set(names) ^ set(_noted(cursor))}
    indexing.read_again(cursor, sorted(differing))
    cursor.execute("INSERT OR REPLACE INTO meta VALUES ('gazetteer', ?)", [msgspec.json.encode(names).decode()])


def _meant(noted: str) -> str:
    """What a document has that changes with what is noted."""
    if noted.startswith(_WE):
        return _WE
    if noted.startswith(_THERE):
        return noted.removeprefix(_THERE).split()[0]
    return noted
