"""``kgfs import DIR`` of what Microsoft's GraphRAG wrote: its documents, and the graph that it found in them.

Used by ``kgfs.service.exchange`` on the jobs thread. Documents become stored files of the drive ``graphrag``; entities,
relationships and communities become what an extractor found in them (``kgfs.model.Extraction``), so that the resolver
treats them as any other's, and joins them with the rest of the graph. A relationship is a fact only where a sentence of
one of its text units names both ends: that is its quote. The others are counted and left out.
"""

from __future__ import annotations

import bisect
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from kgfs.documents.original import WHOLE_BYTES
from kgfs.documents.sentences import sentence_spans
from kgfs.documents.tokens import count_tokens
from kgfs.errors import Cancelled, ConflictError, KgfsError, UsageError
from kgfs.exchange.graphrag_tables import Community, Document, Entity, GraphRagOutput, Relationship, read_tables
from kgfs.exchange.importing import ImportSummary
from kgfs.exchange.parquet import table_files, tables_directory
from kgfs.graph.candidate_rows import DocumentExtraction
from kgfs.graph.name_keys import name_key
from kgfs.graph.parsed_body import place_document
from kgfs.graph.resolution import put_extractions
from kgfs.model import Chunk, EntityCandidate, Extraction, FactCandidate, Mention, ParsedDocument, TopicCandidate
from kgfs.progress import Cancel, Progress
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.files import documents, items
from kgfs.store.files.items import NewItem
from kgfs.store.indexing import GRAPHRAG

DRIVE = "graphrag"
TOPIC = "Communities"
"""The topic above those of communities."""
RELATED = "RELATED_TO"
"""The type of all relationships: GraphRAG gives them none."""
BATCH = 32
_MOST_WEIGHT = 10.0
_ENTITY_CONFIDENCE = 0.8
_TYPES = {"GEO": "Location", "LOCATION": "Location", "PLACE": "Location", "ORG": "Organization", "": "Concept"}
_SAME, _KEPT = "unchanged", "known, another here"

Parse = Callable[[str, bytes, str, int], ParsedDocument]
"""Reference, body, name and time to a document: the worker's."""


def import_graphrag(
    database: Database, parse: Parse, path: Path, on_conflict: str, progress: Progress, cancel: Cancel
) -> ImportSummary:
    """Bring in the output beneath ``path``. ``UsageError`` where there is none, ``KgfsError`` where it cannot be read,
    ``ConflictError`` with ``on_conflict`` ``error`` where a document is another here, before anything is done."""
    directory = tables_directory(path)
    if directory is None:
        raise UsageError(f"{path} has no output of GraphRAG; name the directory with documents.parquet and the others.")
    output = read_tables(directory)
    written_ns = table_files(directory)["documents"].stat().st_mtime_ns
    summary = ImportSummary()
    wanted = _wanted(database, output, on_conflict, summary)
    graph = _Graph(output)
    for start in range(0, len(wanted), BATCH):
        if cancel.is_set():
            raise Cancelled("Stopped; what was imported stays, and the same command goes on.")
        progress({"stage": "import", "done": start, "total": len(wanted), "unit": "documents"})
        batch = []
        for document, place in wanted[start : start + BATCH]:
            try:
                batch.append(_ready(graph, parse, document, place, written_ns))
            except KgfsError as error:
                summary.failed.append({"path": items.ref(DRIVE, place), "error": error.message})
        known = database.write(lambda cursor, batch=batch: _put(cursor, batch))  # type: ignore[misc]
        summary.added += len(batch) - known
        summary.updated += known
    progress({"stage": "import", "done": len(wanted), "total": len(wanted), "unit": "documents"})
    summary.unread = len(summary.failed)
    if wanted and (left := graph.left_out()):
        summary.skipped["relationships without a sentence that names both ends"] = left
    return summary


def _wanted(
    database: Database, output: GraphRagOutput, on_conflict: str, summary: ImportSummary
) -> list[tuple[Document, str]]:
    """The documents that come in, with their paths."""
    found = []
    taken: set[str] = set()
    with database.read() as cursor:
        for document in output.documents:
            place = _path(document.title, taken)
            here = items.find_item(cursor, items.ref(DRIVE, place))
            if here is None:
                found.append((document, place))
            elif here.hash == items.hash_body(document.text.encode()):
                summary.skipped[_SAME] = summary.skipped.get(_SAME, 0) + 1
            elif on_conflict == "error":
                raise ConflictError(
                    f"{here.ref} is stored already and is another; import it with --on-conflict overwrite or skip."
                )
            elif on_conflict == "skip":
                summary.skipped[_KEPT] = summary.skipped.get(_KEPT, 0) + 1
            else:
                found.append((document, place))
    return found


def _path(title: str, taken: set[str]) -> str:
    """The path on the drive of a document of this title, another for each."""
    parts = [part for part in title.replace("\\", "/").replace("\0", "").split("/") if part not in ("", ".", "..")]
    plain = "/" + "/".join(parts or ["document"])
    stem, suffix = posixpath.splitext(plain)
    place, number = plain, 1
    while place in taken:
        number += 1
        place = f"{stem} ({number}){suffix}"
    taken.add(place)
    return place


class _Ready(NamedTuple):
    """A document on its way."""

    place: str
    body: bytes
    mtime_ns: int
    document: ParsedDocument
    extraction: Extraction


def _ready(graph: _Graph, parse: Parse, document: Document, place: str, written_ns: int) -> _Ready:
    body = document.text.encode()
    if len(body) > WHOLE_BYTES:
        raise KgfsError(f"It is longer than {WHOLE_BYTES >> 20} MiB; add the file itself.")
    name = posixpath.basename(place)
    mtime_ns = _moment(document.created) or written_ns
    parsed = parse(items.ref(DRIVE, place), body, name if "." in name else f"{name}.txt", mtime_ns)
    if not parsed.text_is_content or parsed.text is None:  # named after a format that it is not
        parsed = parse(items.ref(DRIVE, place), body, f"{name}.txt", mtime_ns)
    tiles = _tiles(document, graph.output)
    if tiles is not None:
        parsed.chunks = _chunks(tiles, parsed.date)
    return _Ready(place, body, mtime_ns, parsed, graph.extraction(document, parsed.chunks))


def _moment(text: str) -> int:
    """A time as GraphRAG writes it (``2025-03-04 08:01:17 +0000``, RFC 3339), in nanoseconds since 1970; 0 for none."""
    try:
        found = datetime.fromisoformat(re.sub(r" (?=[+-]\d{4}$)", "", text.strip()))
    except ValueError:
        return 0
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()) * 1_000_000_000


def _put(cursor: Cursor, batch: Sequence[_Ready]) -> int:
    """Store documents with what was found in them; returns how many existed before."""
    refs = [items.ref(DRIVE, one.place) for one in batch]
    known = sum(items.find_item(cursor, ref) is not None for ref in refs)
    numbers = items.put_items(
        cursor,
        [
            NewItem(
                drive=DRIVE, path=one.place, body=one.body, title=one.document.title, mime_type=one.document.mime_type,
                source_mtime_ns=one.mtime_ns, notes=one.document.notes,
            )
            for one in batch
        ],
    )  # fmt: skip
    placed = [
        place_document(number, ref, one.place, one.document)
        for number, one, ref in zip(numbers, batch, refs, strict=True)
    ]
    documents.put_documents(cursor, placed)
    generations = {item.id: item.want_gen for item in items.items_by_id(cursor, numbers).values()}
    put_extractions(
        cursor,
        [
            DocumentExtraction(number, generations[number], one.extraction)
            for number, one in zip(numbers, batch, strict=True)
        ],
    )
    return known


# --- text units ----------------------------------------------------------------------------------------------------


def _tiles(document: Document, output: GraphRagOutput) -> list[str] | None:
    """The document's text cut where its text units begin, if these follow each other with nothing but space between."""
    if not document.units:
        return None
    starts, end = [], 0
    for unit in document.units:
        text = output.units[unit].text
        start = document.text.find(text, end)
        if not text.strip() or start < 0 or document.text[end:start].strip():
            return None
        starts.append(start)
        end = start + len(text)
    if document.text[end:].strip():
        return None
    bounds = [0, *starts[1:], len(document.text)]
    return [document.text[first:last] for first, last in pairwise(bounds)]


def _chunks(tiles: Sequence[str], date: str | None) -> list[Chunk]:
    found, start, line = [], 0, 1
    for ordinal, text in enumerate(tiles, 1):
        breaks = text.count("\n")
        last = line + breaks - (1 if text.endswith("\n") else 0)
        found.append(
            Chunk(
                ordinal=ordinal, text=text, start=start, first_line=line, last_line=max(line, last), headings=[],
                tokens=count_tokens(text), date=date,
            )
        )  # fmt: skip
        start += len(text.encode())
        line += breaks
    return found


# --- the graph -----------------------------------------------------------------------------------------------------


class NameFinder(Protocol):
    """What finds a name in a text."""

    def finditer(self, text: str) -> Iterator[re.Match[str]]: ...
    def search(self, text: str) -> re.Match[str] | None: ...


class _Graph:
    """What was found, by text unit."""

    def __init__(self, output: GraphRagOutput) -> None:
        self.output = output
        self._entities: defaultdict[str, list[Entity]] = defaultdict(list)
        for entity in output.entities:
            for unit in entity.units:
                self._entities[unit].append(entity)
        self._by_name = {name_key(entity.title): entity for entity in output.entities}
        self._relationships: defaultdict[str, list[tuple[int, Relationship]]] = defaultdict(list)
        for number, relationship in enumerate(output.relationships):
            for unit in relationship.units:
                self._relationships[unit].append((number, relationship))
        self._communities: defaultdict[str, list[Community]] = defaultdict(list)
        for community in output.communities.values():
            for unit in community.units:
                self._communities[unit].append(community)
        self._patterns: dict[str, NameFinder] = {}
        self._met: set[int] = set()
        """Relationships that were looked for in a document,"""
        self._quoted: set[int] = set()
        """and those that became facts."""

    def left_out(self) -> int:
        """How many relationships became no fact."""
        return len(self._met - self._quoted)

    def extraction(self, document: Document, chunks: Sequence[Chunk]) -> Extraction:
        """What was found in one document."""
        found = Extraction(extractor=GRAPHRAG)
        within = _Within(document, self.output, chunks)
        index: dict[str, int] = {}
        for unit in document.units:
            for entity in self._entities[unit]:
                self._name(found, index, entity, chunks)
            for number, relationship in self._relationships[unit]:
                self._met.add(number)
                if self._state(found, index, relationship, within.chunks(unit), chunks):
                    self._quoted.add(number)
        found.facts = _once(found.facts)
        self._topics(found, document, within)
        return found

    def _pattern(self, title: str) -> NameFinder:
        if title not in self._patterns:
            words = r"\s+".join(map(re.escape, title.split()))
            self._patterns[title] = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
        return self._patterns[title]

    def _name(self, found: Extraction, index: dict[str, int], entity: Entity, chunks: Sequence[Chunk]) -> int:
        """The number of an entity in an extraction, which it is put into with its mentions."""
        key = name_key(entity.title)
        if key in index:
            return index[key]
        index[key] = number = len(found.entities)
        spelled = ""
        for chunk in chunks:
            hits = list(self._pattern(entity.title).finditer(chunk.text))
            spelled = spelled or (" ".join(hits[0][0].split()) if hits else "")
            if hits:
                found.mentions.append(Mention(entity=number, chunk=chunk.ordinal, count=len(hits)))
        found.entities.append(
            EntityCandidate(
                name=spelled or entity.title, type=_type(entity.type), description=" ".join(entity.description.split()),
                confidence=_ENTITY_CONFIDENCE, linked=True,
            )
        )  # fmt: skip
        return number

    def _state(
        self,
        found: Extraction,
        index: dict[str, int],
        relationship: Relationship,
        within: Sequence[int],
        chunks: Sequence[Chunk],
    ) -> bool:
        """Put the relationship into the extraction, if a sentence names both ends."""
        ends = [self._by_name.get(name_key(end)) for end in (relationship.source, relationship.target)]
        if ends[0] is None or ends[1] is None or ends[0] is ends[1]:
            return False
        names = [self._pattern(end.title) for end in ends if end is not None]
        for chunk in (chunks[place] for place in within):
            for first, last in sentence_spans(chunk.text):
                quote = chunk.text[first:last]
                if all(name.search(quote) for name in names):
                    start = len(chunk.text[:first].encode())
                    found.facts.append(
                        FactCandidate(
                            type=RELATED, subject=self._name(found, index, ends[0], chunks),
                            object=self._name(found, index, ends[1], chunks),
                            description=" ".join(relationship.description.split()),
                            confidence=0.5 + 0.45 * min(relationship.weight, _MOST_WEIGHT) / _MOST_WEIGHT,
                            chunk=chunk.ordinal, quote=quote, start=start, end=start + len(quote.encode()),
                        )
                    )  # fmt: skip
                    return True
        return False

    def _topics(self, found: Extraction, document: Document, within: _Within) -> None:
        """A topic for each community, under the one above it; its report's title and summary name and define it."""
        units: defaultdict[str, list[str]] = defaultdict(list)
        for unit in document.units:
            for community in self._communities[unit]:
                units[community.id].append(unit)
        for number, own in units.items():
            community = self.output.communities[number]
            ordinals = sorted({place + 1 for unit in own for place in within.chunks(unit)})
            found.topics.append(
                TopicCandidate(
                    path=[TOPIC, *_path_of(community, self.output.communities)], chunks=ordinals,
                    definition=" ".join(community.summary.split()), source="tag",
                )
            )  # fmt: skip


def _path_of(community: Community, communities: Mapping[str, Community]) -> list[str]:
    path = [community.title]
    above = communities.get(community.parent)
    while above is not None and above.title not in path:
        path.insert(0, above.title)
        above = communities.get(above.parent)
    return path


def _once(facts: Sequence[FactCandidate]) -> list[FactCandidate]:
    """Each statement of a document once: overlapping text units have the same sentence."""
    seen: dict[tuple[Any, ...], FactCandidate] = {}
    for fact in facts:
        seen.setdefault((fact.subject, fact.object, fact.chunk, fact.start), fact)
    return list(seen.values())


def _type(name: str) -> str:
    """``ORGANIZATION`` is ``Organization``, ``GEO`` is ``Location``, ``natural event`` is ``NaturalEvent``."""
    plain = name.strip().strip('"').upper()
    return _TYPES.get(plain) or "".join(word.capitalize() for word in re.findall(r"\w+", plain)) or "Concept"


class _Within:
    """Which chunks of a document a text unit reaches into."""

    def __init__(self, document: Document, output: GraphRagOutput, chunks: Sequence[Chunk]) -> None:
        starts, place = [], 0
        for chunk in chunks:
            starts.append(place)
            place += len(chunk.text)
        self._found: dict[str, range] = {}
        begin = 0
        for unit in document.units:
            text = output.units[unit].text
            at = document.text.find(text, begin)
            at = document.text.find(text) if at < 0 else at
            if at < 0 or not starts:  # not as it stands there: it may be anywhere
                self._found[unit] = range(len(starts))
                continue
            begin = at  # units overlap
            first = bisect.bisect_right(starts, at) - 1
            self._found[unit] = range(first, bisect.bisect_left(starts, at + max(len(text), 1), first + 1))

    def chunks(self, unit: str) -> range:
        """Places of chunks, from 0."""
        return self._found[unit]
