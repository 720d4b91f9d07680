"""What Microsoft's GraphRAG wrote, read from parquet into records: the names of 2.x and of 0.x come to the same.

Used by ``graphrag``, on the service's jobs thread. Only the columns that are needed are read (the others may hold
embeddings).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kgfs.errors import KgfsError
from kgfs.exchange.parquet import table_files


class Document(NamedTuple):
    id: str
    title: str
    text: str
    created: str
    units: list[str]


class TextUnit(NamedTuple):
    """A text unit: a passage of a document, some tokens of which the next one may have too."""

    id: str
    text: str


class Entity(NamedTuple):
    title: str
    type: str
    description: str
    units: list[str]


class Relationship(NamedTuple):
    source: str
    target: str
    description: str
    weight: float
    units: list[str]


class Community(NamedTuple):
    """A community with its report."""

    id: str
    title: str
    summary: str
    parent: str
    """Id of the one above, or empty."""
    units: set[str]


class GraphRagOutput(NamedTuple):
    """All of it."""

    documents: list[Document]
    units: dict[str, TextUnit]
    entities: list[Entity]
    relationships: list[Relationship]
    communities: dict[str, Community]


def read_tables(directory: Path) -> GraphRagOutput:
    """The tables in ``directory``. ``KgfsError`` where one cannot be read or lacks a column that it must have."""
    tables = _Tables(directory)
    units: dict[str, TextUnit] = {}
    of_document: defaultdict[str, list[str]] = defaultdict(list)
    for row in tables.rows("text_units", "id", "text", "document_ids", "document_id"):
        unit = TextUnit(_text(row["id"]), _text(row.get("text")))
        units[unit.id] = unit
        for document in _texts(row.get("document_ids")) or _texts(row.get("document_id")):
            of_document[document].append(unit.id)
    documents = []
    for row in tables.rows("documents", "id", "title", "text", "raw_content", "text_unit_ids", "creation_date"):
        number = _text(row["id"])
        own = [unit for unit in _texts(row.get("text_unit_ids")) or of_document[number] if unit in units]
        text = _text(row.get("text")) or _text(row.get("raw_content")) or "\n\n".join(units[one].text for one in own)
        documents.append(
            Document(number, _text(row.get("title")) or number, text, _text(row.get("creation_date")), own)
        )
    entities, of_entity = [], dict[str, list[str]]()
    for row in tables.rows("entities", "id", "title", "name", "type", "description", "text_unit_ids"):
        entity = Entity(
            _text(row.get("title")) or _text(row.get("name")), _text(row.get("type")), _text(row.get("description")),
            _texts(row.get("text_unit_ids")),
        )  # fmt: skip
        if entity.title:
            entities.append(entity)
            of_entity[_text(row["id"])] = of_entity[entity.title] = entity.units
    relationships = [
        Relationship(
            _text(row.get("source")), _text(row.get("target")), _text(row.get("description")),
            float(row.get("weight") or 1.0), _texts(row.get("text_unit_ids")),
        )
        for row in tables.rows("relationships", "source", "target", "description", "weight", "text_unit_ids")
    ]  # fmt: skip
    return GraphRagOutput(documents, units, entities, relationships, _communities(tables, of_entity))


def _communities(tables: _Tables, of_entity: Mapping[str, list[str]]) -> dict[str, Community]:
    """By id, those that have a report: a community without one has no name."""
    reports = {
        _text(row.get("community")): (_text(row.get("title")), _text(row.get("summary")))
        for row in tables.rows("community_reports", "community", "title", "summary")
    }
    members: defaultdict[str, set[str]] = defaultdict(set)
    for row in tables.rows("nodes", "community", "title"):  # 0.x: which entity is in which community
        members[_text(row.get("community"))] |= set(of_entity.get(_text(row.get("title")), ()))
    found: dict[str, Community] = {}
    for row in tables.rows("communities", "id", "community", "parent", "text_unit_ids", "entity_ids"):
        number = _text(row.get("community")) or _text(row.get("id"))
        units = {unit for some in _texts(row.get("text_unit_ids")) for unit in _texts(some)} | members[number]
        for entity in _texts(row.get("entity_ids")):
            units |= set(of_entity.get(entity, ()))
        title, summary = reports.get(number, ("", ""))
        parent = _text(row.get("parent"))
        if title:
            found[number] = Community(number, title, summary, "" if parent == "-1" else parent, units)
    for number, (title, summary) in reports.items():
        if number not in found and title and members[number]:
            found[number] = Community(number, title, summary, "", members[number])
    return found


class _Tables:
    def __init__(self, directory: Path) -> None:
        self._files = table_files(directory)

    def rows(self, table: str, *columns: str) -> Iterator[dict[str, Any]]:
        """The rows of a table, with those of ``columns`` that it has; none where there is no such table."""
        file = self._files.get(table)
        if file is None:
            return
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(file) as parquet:
                present = [name for name in columns if name in parquet.schema_arrow.names]
                if columns[0] not in present:
                    raise KgfsError(f"{file} has no column {columns[0]!r}; it is not what GraphRAG writes.")
                for batch in parquet.iter_batches(batch_size=1000, columns=present):
                    yield from batch.to_pylist()
        except (pa.ArrowException, OSError) as error:
            raise KgfsError(f"{file} cannot be read ({error}); write it again, or import another directory.") from error


def _text(value: Any) -> str:
    """A value as text; a whole number that came as a float without its point."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip() if not isinstance(value, str) else value


def _texts(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):  # 0.x writes some lists as text, "a,b"
        return [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list):
        return [_text(value)]
    return [_text(one) for one in value if one is not None]
