"""The bundle: a store's rows as lines of JSON, from which the same tree comes without reading anything again.

Used by ``exporting`` (writes) and by ``importing`` and ``merging`` (read). The first line is the header, then a line a
row, ``{"<table>": {"<column>": value, …}}`` (what is NULL is left out, bytes are base64, times UTC), table after table;
the last line counts the rows and has the digest of all lines before it. A line depends on those before it only by ids,
so a bundle is written and read in little memory, and ``jq`` reads it.

A table of the schema is *bundled* (what people stored, what was found in it, and the names and ids that are given
once), *derived* (made of the others by a statement, or rendered again), or *local* (what only this store has to do, or
did).
"""

from __future__ import annotations

import binascii
import gzip
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import msgspec

from kgfs.errors import KgfsError, NotFoundError, StoreError, UsageError
from kgfs.model import prepared

VERSION = 1
MAX_LINE = 512 << 20
"""Longer lines are not read: a row is no longer than the largest text of a document, escaped."""
GZIP_MAGIC = b"\x1f\x8b"


class BundleTable(NamedTuple):
    """How the rows of a table are read for a bundle."""

    name: str
    order: str
    """SQL: the order of its rows."""
    size: str = ""
    """SQL: bytes of a row, where it may be large: then ``id`` is its key."""


TABLES = (
    BundleTable("counters", "name"),
    BundleTable("meta", "key"),
    BundleTable("sources", "id"),
    BundleTable("context_items", "id", "CASE WHEN content IS NULL AND content_blob IS NULL THEN 0 ELSE size END"),
    BundleTable("item_versions", "id", "CASE WHEN content IS NULL AND content_blob IS NULL THEN 0 ELSE size END"),
    BundleTable("blocks", "item_id, ordinal"),
    BundleTable("source_items", "source_id, item_id"),
    BundleTable("removed_items", "item_id"),
    BundleTable("documents", "id", "CASE WHEN text IS NULL THEN 0 ELSE text_size END"),
    BundleTable("chunks", "id", "size"),
    BundleTable("entity_claims", "rowid"),
    BundleTable("claim_aliases", "rowid"),
    BundleTable("claim_forms", "rowid"),
    BundleTable("claim_evidence", "rowid"),
    BundleTable("mentions", "rowid"),
    BundleTable("topic_claims", "rowid"),
    BundleTable("topic_claim_chunks", "rowid"),
    BundleTable("document_links", "rowid"),
    BundleTable("merge_verdicts", "one_key, other_key"),
    BundleTable("annotations", "id"),
    BundleTable("annotation_keys", "annotation_id, role, ordinal"),
    BundleTable("retracted_facts", "document_id, fact_id"),
    BundleTable("facts", "document_id, id"),
    BundleTable("entities", "id"),
    BundleTable("entity_keys", "key"),
    BundleTable("entity_aliases", "entity_id, slug, alias"),
    BundleTable("entity_merges", "entity_id, name"),
    BundleTable("former_names", "kind, directory, slug"),
    BundleTable("merges", "id"),
    BundleTable("topics", "id"),
    BundleTable("topic_groups", "member"),
    BundleTable("topic_verdicts", "key, evidence"),
    BundleTable("type_verdicts", "name"),
    BundleTable("chunk_topics", "topic_id, chunk_id"),
)
"""In this order: what others point at comes first.

``rowid`` is the order of documents, which each have their rows written once. What is made of all documents together
is written in the order of what was read together, and so has the order of its keys here.
"""

META = ("gazetteer", "topics", "topic_groups")
"""The rows of ``meta`` that say how far the passes are; the others are of this store."""
COUNTERS = ("item", "chunk", "entity", "fact", "topic", "source", "annotation", "merge")
"""The counters of ids that rows of a bundle have."""

DERIVED: Mapping[str, str] = {
    "entity_chunks": (
        "INSERT INTO entity_chunks BY NAME SELECT any_value(m.group_id) AS group_id, k.entity_id, m.chunk_id,"
        " m.document_id, sum(m.count)::INTEGER AS count FROM mentions m JOIN entity_keys k USING (key)"
        " GROUP BY k.entity_id, m.chunk_id, m.document_id"
    ),
    "fact_topics": (
        "INSERT INTO fact_topics BY NAME SELECT DISTINCT f.group_id, f.id AS fact_id, c.topic_id, f.document_id"
        " FROM facts f JOIN chunk_topics c ON c.chunk_id = f.chunk_id"
    ),
}
"""Tables that are made of bundled ones, and the statement that makes them."""
LOCAL = frozenset(
    {
        "jobs",
        "pages",
        "removals",
        "stale",
        "llm_answers",
        "llm_batch_requests",
        "llm_batches",
        "llm_costs",
        "llm_uses",
        "merge_candidates",
    }
)
"""Tables of this store alone: pages are rendered and candidates found again, what a model answered stays with the store
that paid for it."""

_KEYS: Mapping[str, tuple[str, ...]] = {
    "meta": ("key",),
    "counters": ("name",),
    "context_items": ("id", "ref"),
}
"""Table to the columns of which each value stands once, where that is not ``id``."""
_COLUMN = re.compile("[a-z][a-z0-9_]*")

ColumnTypes = dict[str, dict[str, str]]
"""Table to column to SQL type, in the order of the columns."""


class BundleHeader(msgspec.Struct, kw_only=True):
    """What a bundle says of itself in its first line."""

    version: int = VERSION
    kgfs: str
    """The program's version."""
    schema: int
    """The schema that the rows are of."""
    created_at: str
    tables: ColumnTypes


class BundleEnd(msgspec.Struct, kw_only=True):
    """The last line."""

    rows: dict[str, int]
    digest: str
    """blake2b-256 of all lines before it with their ends, hexadecimal."""


class _First(msgspec.Struct):
    kgfs_bundle: BundleHeader


class _Last(msgspec.Struct):
    end: BundleEnd


def bundle_digest() -> Any:
    """A new digest of a bundle's lines."""
    return hashlib.blake2b(digest_size=32)


def header_line(header: BundleHeader) -> bytes:
    """The first line."""
    return msgspec.json.encode(_First(header)) + b"\n"


def end_line(end: BundleEnd) -> bytes:
    """The last line."""
    return msgspec.json.encode(_Last(end)) + b"\n"


def row_line(table: str, columns: list[str], values: tuple[Any, ...]) -> bytes:
    """One row."""
    row = {name: value for name, value in zip(columns, values, strict=True) if value is not None}
    return msgspec.json.encode({table: row}) + b"\n"


class BundleRow(NamedTuple):
    """A row of a bundle."""

    table: str
    values: dict[str, Any]
    """What is NULL is not in it."""
    size: int
    """Bytes of its line."""
    line: int
    """Where that is in the bundle, from 1."""


_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding a line of any bytes may raise."""


class Bundle:
    """A bundle that was found to be whole. Reading it twice gives the same rows, or ``KgfsError``."""

    def __init__(self, path: Path, newest_schema: int) -> None:
        """Read all of it once.

        ``NotFoundError`` without a file, ``UsageError`` where it is no bundle, ``StoreError`` where it is of a newer
        version, ``KgfsError`` where it is damaged or was cut short.
        """
        self.path = path
        try:
            self._file = path.open("rb")
        except FileNotFoundError as error:
            raise NotFoundError(f"{path}: no such file.") from error
        try:
            self._packed = self._file.read(2) == GZIP_MAGIC
            self.header, self.end = self._verified(newest_schema)
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Bundle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def total(self) -> int:
        """How many rows it has."""
        return sum(self.end.rows.values())

    def rows(self, *only: str) -> Iterator[BundleRow]:
        """Its rows in order; with ``only`` those of these tables. ``KgfsError`` where the file has changed since."""
        seen = bundle_digest()
        wanted = [b'{"%s":' % name.encode() for name in only]
        last = b""
        for number, line in enumerate(self._lines()):
            if last:
                seen.update(last)
                if number > 1 and (not wanted or any(last.startswith(one) for one in wanted)):
                    yield self._row(last, number)
            last = line
        if seen.hexdigest() != self.end.digest:
            raise self._damaged("it changed while it was read")

    def _lines(self) -> Iterator[bytes]:
        self._file.seek(0)
        stream = _stream(self._file, self._packed)
        try:
            while line := stream.readline(MAX_LINE):
                yield line
        except (EOFError, OSError, zlib.error) as error:
            raise self._damaged(str(error)) from error

    def _verified(self, newest_schema: int) -> tuple[BundleHeader, BundleEnd]:
        lines = self._lines()
        first = next(lines, b"")
        if not first.startswith(b'{"kgfs_bundle":'):
            raise UsageError(f"{self.path} is not a bundle of kgfs; `kgfs export FILE` makes one.")
        try:
            header = msgspec.json.decode(first, type=prepared(_First)).kgfs_bundle
        except _UNREADABLE as error:
            raise self._damaged(f"its first line: {error}") from error
        if header.version > VERSION or header.schema > newest_schema:
            raise StoreError(f"{self.path} was made by a newer kgfs ({header.kgfs}); upgrade kgfs to import it.")
        if not _named_well(header.tables):
            raise self._damaged("its first line names tables that no bundle has")
        seen, last, count = bundle_digest(), first, 0
        had = dict.fromkeys(header.tables, 0)
        for line in lines:
            seen.update(last)
            if count:
                table = last[2 : last.find(b'":', 2, 80)].decode("ascii", "replace")
                if not last.startswith(b'{"') or table not in had:
                    raise self.refused("it is a row of no table", count + 1)
                had[table] += 1
            last, count = line, count + 1
        try:
            end = msgspec.json.decode(last, type=prepared(_Last)).end
        except _UNREADABLE as error:
            raise self._damaged("its last line is missing") from error
        if seen.hexdigest() != end.digest or {name: rows for name, rows in end.rows.items() if rows} != {
            name: rows for name, rows in had.items() if rows
        }:
            raise self._damaged("its lines are not those that were written")
        return header, end

    def _row(self, line: bytes, number: int) -> BundleRow:
        try:
            ((table, values),) = msgspec.json.decode(line, type=dict[str, dict[str, Any]]).items()
            types = self.header.tables[table]
            row = BundleRow(
                table, {name: _value(types[name], value) for name, value in values.items()}, len(line), number
            )
        except (msgspec.DecodeError, KeyError, ValueError, RecursionError) as error:
            raise self.refused(f"it cannot be read: {error}", number) from error
        known = {"meta": ("key", META), "counters": ("name", COUNTERS)}.get(table)
        if known is not None and row.values.get(known[0]) not in known[1]:
            raise self.refused(f"{table} has no {known[0]} {row.values.get(known[0])!r}", number)
        return row

    def line_of(self, table: str, fits: Callable[[int, dict[str, Any]], bool]) -> int | None:
        """The line of the first row of a table that fits, by its place in the table (from 0) and its values."""
        for place, row in enumerate(self.rows(table)):
            if fits(place, row.values):
                return row.line
        return None

    def repeated(self, table: str) -> int | None:
        """The line of the first row of a table that has the key of an earlier one."""
        had: set[tuple[str, Any]] = set()
        for row in self.rows(table):
            keys = {(name, row.values[name]) for name in _KEYS.get(table, ("id",)) if name in row.values}
            if keys & had:
                return row.line
            had |= keys
        return None

    def refused(self, why: str, line: int | None = None) -> KgfsError:
        """The error of a bundle with a row that cannot be."""
        at = f", line {line}" if line is not None else ""
        return KgfsError(f"{self.path}{at}: {why.rstrip('.')}; nothing was imported, export it again.")

    def _damaged(self, why: str) -> KgfsError:
        return KgfsError(f"{self.path} is damaged or was cut short ({why}); nothing was imported, export it again.")


def _named_well(tables: ColumnTypes) -> bool:
    """Whether these may stand in a statement."""
    known = {table.name for table in TABLES}
    return all(name in known and all(map(_COLUMN.fullmatch, columns)) for name, columns in tables.items())


_BITS = {"INTEGER": 31, "BIGINT": 63}


def _value(kind: str, value: Any) -> Any:
    """A value as its column holds it. ``ValueError`` for what is of no such type."""
    fits = False
    if value is None or kind in ("BLOB", "TIMESTAMP"):
        if isinstance(value, str):
            if kind == "BLOB":
                return binascii.a2b_base64(value, strict_mode=True)
            return datetime.fromisoformat(value).replace(tzinfo=None)
        fits = value is None
    elif kind == "VARCHAR":
        fits = isinstance(value, str)
    elif kind == "BOOLEAN":
        fits = isinstance(value, bool)
    elif kind == "DOUBLE":
        fits = isinstance(value, float | int) and not isinstance(value, bool) and abs(value) < 1e300
    elif kind in _BITS:
        fits = (
            isinstance(value, int) and not isinstance(value, bool) and -(1 << _BITS[kind]) <= value < 1 << _BITS[kind]
        )
    if not fits:
        raise ValueError(f"{str(value)[:40]!r} is no {kind}")
    return value


def _stream(file: IO[bytes], packed: bool) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=file, mode="rb")) if packed else file


def is_bundle(path: Path) -> bool:
    """Whether a file begins as a bundle does."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == GZIP_MAGIC
            file.seek(0)
            return _stream(file, packed).read(15) == b'{"kgfs_bundle":'
    except (OSError, EOFError):
        return False
