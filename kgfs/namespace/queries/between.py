"""``@changes``: what came, changed and went between two dates, as tables, fact lines and a page to read first.

Used by the engine of that area, in the thread that answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time

from kgfs import names
from kgfs.counting import counted
from kgfs.errors import QueryError
from kgfs.namespace.pages import PageStore
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views.text import bytes_lines
from kgfs.search.query import days_of
from kgfs.store.tree.changes import Changes, read_changes

USAGE = b"""\
What came into the graph, changed and went between two dates. Nothing runs until you look into it.

  cat @changes/2026-11-01..2026-11-24/summary.txt      the numbers, and the first of each
  cat @changes/2026-10..2026-11/documents.tsv          documents: came, changed, went; when; where they are
  cat @changes/2026..2026/entities.tsv                 entities that came, or went into another one
  cat @changes/2026-11-24..2026-11-24/facts.jsonl      facts that were read or changed, latest first

A date is a year, a month or a day, in UTC, and both are included. `2026-11..` goes on until now, `2026-11` is that
month. The dates are those on
which kgfs read something; what texts are about is in chunks/by_date and facts/by_date. Of files that are gone it knows
as long as @history does.
"""
_SPAN = re.compile(r"(?P<first>\d{4}(?:-\d\d){0,2})(?P<to>\.\.(?P<last>\d{4}(?:-\d\d){0,2})?)?")
MOST_FACTS = 10_000
_FIRST = 12
_EPOCH = date(1970, 1, 1).toordinal()


def is_span(s: Snapshot, name: str) -> bool:
    """Whether a component is two dates that the calendar has."""
    return not no_span(s, name)


def no_span(s: Snapshot, name: str) -> str:
    """What is wrong with a name, one sentence; empty where it is two dates."""
    try:
        span(name)
    except QueryError as error:
        return error.message
    return ""


def span(name: str) -> tuple[datetime, datetime]:
    """The first and the last moment, UTC. ``QueryError`` for what is not two dates."""
    found = _SPAN.fullmatch(name)
    if found is None:
        raise QueryError(f"{name!r} is not two dates; write @changes/2026-11-01..2026-11-24 or @changes/2026-11..")
    first, last = days_of(found["first"], "@changes/")
    if found["last"]:
        last = days_of(found["last"], "@changes/")[1]
    elif found["to"]:
        last = date.max.toordinal() - _EPOCH
    if last < first:
        raise QueryError(f"{name} ends before it begins; write the earlier date first.")
    begin, end = (date.fromordinal(day + _EPOCH) for day in (first, last))
    return datetime.combine(begin, time.min), datetime.combine(end, time.max)


def changes_files(store: PageStore, s: Snapshot, name: str) -> dict[str, bytes]:
    """The files of ``@changes/<name>``, by name."""
    begin, end = span(name)
    with store.database.read(snapshot=True) as cursor:
        found = read_changes(cursor, begin, end)
    documents, entities = _documents(s, found), _entities(s, found)
    shown = [fact for fact in map(s.facts.find_index, found.facts) if fact >= 0]
    return {
        "summary.txt": _summary(name, found, documents, entities, len(shown)),
        "documents.tsv": _table("what\tat\tdocument\ttitle\torigin\tpath", documents),
        "entities.tsv": _table("what\tat\tname\ttype\tinto\tfacts\tpath", entities),
        "facts.jsonl": _lines(store, s, shown[:MOST_FACTS]),
    }


Row = tuple[str, ...]


def _moment(at: datetime) -> str:
    return at.replace(tzinfo=UTC, microsecond=0).strftime("%Y-%m-%dT%H:%M:%SZ")


def _documents(s: Snapshot, found: Changes) -> list[Row]:
    rows: list[Row] = []
    for each in found.documents:
        index = s.documents.find_index(each.id)
        if index >= 0:
            what = "came" if each.came else "changed"
            slug = s.documents.slugs[index]
            rows.append((what, _moment(each.at), slug, each.title or "", each.ref, s.document_path(index)))
    rows.extend(("went", _moment(each.at), "", "", each.ref, "") for each in found.gone)
    return sorted(rows, key=lambda row: row[1])


def _entities(s: Snapshot, found: Changes) -> list[Row]:
    rows: list[Row] = []
    for each in found.entities:
        index = s.entities.find_index(each.id)
        if index >= 0:
            facts, path = str(s.stated.counts[index]), s.entity_path(index)
            rows.append(("came", _moment(each.at), each.name, each.type, "", facts, path))
    for one in found.joined:
        index = s.entities.find_index(one.into)
        if index >= 0:
            path = s.entity_path(index)
            rows.append(("went", _moment(one.at), one.name, "", one.into_name, "", path))
    return sorted(rows, key=lambda row: row[1])


def _table(head: str, rows: Iterable[Row]) -> bytes:
    return bytes_lines([head, *("\t".join(map(names.tsv_field, row)) for row in rows)])


def _lines(store: PageStore, s: Snapshot, facts: Sequence[int]) -> bytes:
    ids = s.facts.pages["fact_line"].ids
    pages = store.load_pages(ids[fact] for fact in facts)
    return b"".join(store.required(pages, ids[fact]) for fact in facts)


def _summary(name: str, found: Changes, documents: Sequence[Row], entities: Sequence[Row], facts: int) -> bytes:
    """The numbers first, then the first few of each kind."""
    numbers = []
    for rows, one, many in ((documents, "document", "documents"), (entities, "entity", "entities")):
        for what in ("came", "changed", "went"):
            count = sum(row[0] == what for row in rows)
            if count:
                numbers.append(f"{counted(count, one, many)} {what}")
    if facts:
        numbers.append(f"{counted(facts, 'fact')} read or changed")
    lines = [f"{name}: {', '.join(numbers) or 'nothing came, changed or went'}."]
    for title, rows, where in (("Documents", documents, 4), ("Entities", entities, 2)):
        if rows:
            lines += ["", f"{title}:"]
            for row in rows[:_FIRST]:
                said = names.one_line(row[-1] or row[where])
                lines.append(f"  {row[1][:16].replace('T', ' ')}  {row[0]:<7}  {said}")
            if len(rows) > _FIRST:
                lines.append(f"  … and {len(rows) - _FIRST:,} more: {title.lower()}.tsv")
    if facts > MOST_FACTS:
        lines += ["", f"facts.jsonl holds the latest {MOST_FACTS:,} facts."]
    return bytes_lines(lines)
