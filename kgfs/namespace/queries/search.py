"""``@search``: directories whose names are questions.

A query is *interned*: it has a number as long as a node of it is known. Looking its name up runs nothing; the first
look inside runs it (``prepare``, in a thread), once a generation. Listings show fixed names only, never past queries.

An answer that may soon be better (``Found.until``) is replaced after some seconds, at the next look inside and never
while a reader holds it; between, it stays as it is, so that sizes, listings and bytes belong together.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

import msgspec

from kgfs.errors import KgfsError, NotFoundError, QueryError
from kgfs.names import one_line
from kgfs.namespace.bodies import Body, BytesBody, Overtaken
from kgfs.namespace.pages import PageStore
from kgfs.namespace.route import Listed, Place
from kgfs.namespace.snapshot import Host, Snapshot
from kgfs.namespace.views.links import Computed
from kgfs.search.query import AREAS, Answer, SearchRequest, is_option, request

KNOWN_QUERIES = 65_536
"""Interned at once; beyond, the oldest are forgotten (only a reader that never forgets comes there)."""
KEPT_RESULTS = 256
PASSING_SECONDS = 5.0
"""How long an answer stands that may soon be better."""
_RENDERINGS = 5
"""How often an answer is shown anew because a commit came meanwhile; after that it is asked anew."""
TEXT = "text"
"""The area whose queries are files: the ``results.txt`` of ``semantic``."""

_ENCODED = re.compile("%(2F|2E|25)")
_DECODED = {"2F": "/", "2E": ".", "25": "%"}

USAGE = b"""\
Search by path. Nothing runs until you look inside.

  cat '@search/text/wages in Boston'                          20 best: path: [score] snippet
  cat '@search/semantic/wages in Boston/results.jsonl'        the same with all fields
  cat '@search/entities/Federal Reserve/matches.jsonl'        entities by name or meaning
  ls  '@search/facts/acquired a startup/top'                  links to the hits

Kinds: semantic (everything, by meaning and words), keyword (words only), entities, facts, chunks, topics.
Options stand before the query: limit=100 offset=20 origin=disk from=2019-10 to=2019-12 type=Organization
  cat '@search/text/limit=5/from=2019/wages'
In a query write / as %2F, a leading . as %2E, and %25 for a % before 2F, 2E or 25. Quote it with '...'.
No hits: an empty file. EINVAL: cat @status/last_error.txt.
"""


class Searcher(Protocol):
    """What answers: ``kgfs.search.searcher.Searcher``, or nothing where there is no index."""

    def search(self, asked: SearchRequest) -> Answer:
        """The best rows; ``QueryError`` where the query cannot be answered as written."""


def decode(component: str) -> str:
    """The query that a path component means: exactly ``%2F``, ``%2E`` and ``%25`` are decoded."""
    return _ENCODED.sub(lambda match: _DECODED[match[1]], component)


def encode(query: str) -> str:
    """The path component of a query; the inverse of ``decode``."""
    text = re.sub("%(?=2F|2E|25)", "%25", query).replace("/", "%2F")
    return "%2E" + text[1:] if text.startswith(".") else text


class Found(NamedTuple):
    """What a query gave in one generation."""

    generation: int
    jsonl: bytes
    txt: bytes
    top: list[tuple[str, str, str, int]]
    """Name, path from the root, kind and row id of each hit."""
    made: int
    """Since when the query has had this answer, in microseconds since 1970."""
    until: float = math.inf
    """The moment (``time.monotonic``) after which it is asked again; for ever, where it cannot be better."""


@dataclass
class Query:
    """A node's question, or a part of one: an area, then options, then (or not yet) the query itself."""

    number: int
    area: str
    name: str
    parent: int
    options: tuple[str, ...] = ()
    text: str | None = None
    found: Found | None = None
    held: int = 0
    """How many readers have something of the answer open."""
    running: threading.Lock = field(default_factory=threading.Lock)
    """Who asks, has it: two answers to one question need not be equal."""


class Queries:
    """The table of interned queries. For any thread."""

    def __init__(
        self, searcher: Searcher | None, prefix: Callable[[], str], failed: Callable[[KgfsError], None]
    ) -> None:
        """``prefix`` goes before ``path`` in results; ``failed`` is told of every query that could not be answered."""
        self.searcher = searcher
        self._prefix, self._failed = prefix, failed
        self._lock = threading.Lock()
        self._next = 1
        self._known: OrderedDict[int, Query] = OrderedDict()
        self._numbers: dict[tuple[int, str], int] = {}
        self._results: OrderedDict[int, None] = OrderedDict()
        self.areas = {area: self._intern(0, area, area, (), None) for area in (*AREAS, TEXT)}

    def _intern(self, parent: int, name: str, area: str, options: tuple[str, ...], text: str | None) -> int:
        with self._lock:
            number = self._numbers.get((parent, name))
            if number is None:
                number = self._next
                self._next += 1
                self._known[number] = Query(number, area, name, parent, options, text)
                self._numbers[parent, name] = number
                if len(self._known) > KNOWN_QUERIES:
                    oldest = next(each for each in self._known if self._known[each].parent)
                    self._drop(oldest)
            return number

    def get(self, number: int) -> Query:
        """``NotFoundError`` when it is forgotten."""
        query = self._known.get(number)
        if query is None:
            raise NotFoundError("This query is forgotten; look it up again.")
        return query

    def option(self, parent: int, name: str) -> int | None:
        """The number of an option under an area or another option."""
        if not is_option(name):
            return None
        above = self.get(parent)
        return self._intern(parent, name, above.area, (*above.options, name), None)

    def query(self, parent: int, name: str) -> int | None:
        """The number of a query under an area or an option. What begins with ``.`` is none: tools probe for such
        names."""
        if name.startswith(".") or is_option(name):
            return None
        above = self.get(parent)
        return self._intern(parent, name, above.area, above.options, decode(name))

    def forget(self, numbers: Iterable[int]) -> None:
        with self._lock:
            for number in numbers:
                known = self._known.get(number)
                if known is not None and known.parent:
                    self._drop(number)

    def _drop(self, number: int) -> None:
        dropped = self._known.pop(number)
        del self._numbers[dropped.parent, dropped.name]
        self._results.pop(number, None)

    def __len__(self) -> int:
        return len(self._known)

    # --- running ----------------------------------------------------------------------------------------------------

    def found(self, s: Snapshot, number: int) -> Found:
        """What the query gave in this generation, passing or not; ``Overtaken`` where it has yet to run."""
        query = self.get(number)
        if query.found is None or query.found.generation != s.generation:
            raise Overtaken("This query has yet to run in this generation.")
        return query.found

    def known_hit(self, number: int, rank: int) -> str | None:
        """The name of a hit in the last answer of a query, whatever its generation."""
        query = self._known.get(number)
        found = None if query is None else query.found
        return found.top[rank - 1][0] if found is not None and 0 < rank <= len(found.top) else None

    def ready(self, s: Snapshot, number: int) -> bool:
        """Whether the query has an answer that still stands."""
        query = self._known.get(number)
        return query is None or _stands(s, query)

    def passing(self, number: int) -> bool:
        """Whether the query's answer may be replaced within its generation."""
        query = self._known.get(number)
        return query is not None and query.found is not None and query.found.until < math.inf

    def hold(self, number: int) -> None:
        """Something of the answer was opened: it stays, in this generation, until it is let go as often."""
        with self._lock:
            query = self._known.get(number)
            if query is not None:
                query.held += 1

    def let_go(self, number: int) -> None:
        with self._lock:
            query = self._known.get(number)
            if query is not None and query.held:
                query.held -= 1

    def run(self, store: PageStore, s: Snapshot, number: int) -> None:
        """Run the query (blocks). ``QueryError`` and other failures are raised, and told to ``failed``."""
        query = self.get(number)
        if query.text is None:
            return
        with query.running:
            if _stands(s.host.view, query):
                return
            try:
                query.found = self._ask(store, s.host, query)
            except KgfsError as error:
                self._failed(error)
                raise
        with self._lock:
            if number not in self._known:
                return  # forgotten meanwhile
            self._results[number] = None
            self._results.move_to_end(number)
            surplus = len(self._results) - KEPT_RESULTS
            for oldest in [each for each in self._results if not self._known[each].held][: max(surplus, 0)]:
                del self._results[oldest]
                self._known[oldest].found = None

    def _ask(self, store: PageStore, host: Host, query: Query) -> Found:
        options: dict[str, str] = {}
        for option in query.options:
            name, _, value = option.partition("=")
            options[name] = decode(value)
        area = "semantic" if query.area == TEXT else query.area
        asked = request(area, query.text or "", options)
        if self.searcher is None:
            raise QueryError("Search is not running here; start it with `kgfs mount` or use `kgfs search`.")
        begun = host.view
        answer = self.searcher.search(asked)
        for _ in range(_RENDERINGS):
            # A commit meanwhile: what was found is shown as it is now, for a while, rather than asked again.
            s = host.view
            shown = records(store, s, answer, self._prefix().rstrip("/"), asked.offset)
            if host.view is s:
                break
        settled = answer.settled and s is begun
        replaces = query.found is not None and query.found.generation == s.generation
        made = s.published if settled and not replaces else time.time_ns() // 1000
        until = math.inf if settled else time.monotonic() + PASSING_SECONDS
        jsonl = b"".join(msgspec.json.encode(record) + b"\n" for record, _, _, _ in shown)
        lines = (f"{record['path']}: [{record['score']:.2f}] {record['snippet']}" for record, _, _, _ in shown)
        txt = "".join(one_line(line) + "\n" for line in lines)
        digits = max(3, len(str(asked.offset + len(shown))))
        top = [
            (f"{record['rank']:0{digits}d}_{name}", record["rel"], kind, row_id) for record, name, kind, row_id in shown
        ]
        return Found(s.generation, jsonl, txt.encode("utf-8", "replace"), top, made, until)


def _stands(s: Snapshot, query: Query) -> bool:
    """Whether the answer is of this generation, and not one whose time is over."""
    found = query.found
    return found is not None and found.generation == s.generation and (query.held > 0 or time.monotonic() < found.until)


# --- what a hit is shown as -----------------------------------------------------------------------------------------

_DETAILS = {
    "chunk": "SELECT c.id, coalesce(d.title, d.slug), [c.first_line, c.last_line], i.ref, coalesce(c.date, d.date) "
    "FROM chunks c JOIN wanted USING (id) JOIN documents d ON d.id = c.document_id "
    "LEFT JOIN context_items i ON i.id = d.id",
    "fact": "SELECT f.id, s.name || ' ' || f.type || coalesce(' ' || coalesce(o.name, f.object_text), ''), "
    "[c.first_line, c.last_line], i.ref, f.date FROM facts f JOIN wanted USING (id) "
    "JOIN entities s ON s.id = f.subject_id LEFT JOIN entities o ON o.id = f.object_id "
    "LEFT JOIN chunks c ON c.id = f.chunk_id LEFT JOIN context_items i ON i.id = f.document_id",
    "entity": "SELECT id, name || ' (' || type || ')', NULL, NULL, NULL FROM entities JOIN wanted USING (id)",
    "topic": "SELECT id, name, NULL, NULL, NULL FROM topics JOIN wanted USING (id)",
}


def place(s: Snapshot, kind: str, row_id: int) -> tuple[str, str] | None:
    """The canonical path of a hit and the name that a link to it has; ``None`` where the row is not shown."""
    domain = {"chunk": s.chunks, "fact": s.facts, "entity": s.entities, "topic": s.topics}[kind]
    index = domain.find(row_id)
    if index < 0:
        return None
    if kind == "chunk":
        return f"{s.chunk_path(index)}/content.txt", s.chunk_id(index)
    if kind == "fact":
        return s.fact_path(index), f"{s.fact_name(index)}.json"
    if kind == "entity":
        return s.entity_path(index), s.entities.slugs[index]
    return s.topic_path(index), s.topics.slugs[index]


Shown = tuple[dict[str, Any], str, str, int]
"""A result as ``results.jsonl`` has it, the name of a link to it, its kind and its row id."""


def records(store: PageStore, s: Snapshot, answer: Answer, prefix: str, offset: int) -> list[Shown]:
    """The hits of an answer as users see them (blocks); those that the tree does not show are left out.

    ``prefix`` goes before ``path`` (the mountpoint), ``offset`` is how many better ones were left out.
    """
    details: dict[tuple[str, int], tuple[Any, ...]] = {}
    with store.database.read(snapshot=True) as cursor:
        for kind in {hit.kind for hit in answer.hits}:
            wanted = [hit.id for hit in answer.hits if hit.kind == kind]
            sql = f"WITH wanted AS (SELECT unnest($1::BIGINT[]) AS id) {_DETAILS[kind]}"
            for row_id, *rest in cursor.execute(sql, [wanted]).fetchall():
                details[kind, row_id] = tuple(rest)
    shown: list[Shown] = []
    for hit in answer.hits:
        where = place(s, hit.kind, hit.id)
        if where is None or (hit.kind, hit.id) not in details:
            continue
        rel, name = where
        title, lines, origin, date = details[hit.kind, hit.id]
        record = {
            "rank": offset + len(shown) + 1,
            "type": hit.kind,
            "score": round(hit.score, 4),
            "path": f"{prefix}/{rel}",
            "rel": rel,
            "title": title,
            "snippet": hit.snippet,
            "lines": lines,
            "origin": origin,
            "date": date,
            "legs": hit.legs,
            "mode": answer.mode,
        }
        shown.append((record, name, hit.kind, hit.id))
    return shown


# --- segments and files ---------------------------------------------------------------------------------------------

AREA_PATTERN = "@search/<kind>/"
OPTION_PATTERN = "@search/<kind>/<option>/"


class Kinds:
    """``semantic``, ``entities`` …: ``a`` is the number of the area."""

    of: ClassVar[tuple[str | None, str | None]] = (None, None)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        return [(name, number, 0, number) for name, number in s.host.queries.areas.items() if name != TEXT]

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        number = s.host.queries.areas.get(name)
        return None if number is None or name == TEXT else (number, 0)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return s.host.queries.get(a).area

    def up(self, s: Snapshot, a: int, b: int) -> tuple[str | None, int, int]:
        return None, 0, 0


class QueryNames:
    """Queries or options: never listed; ``a`` is the number of the query."""

    of: ClassVar[tuple[str | None, str | None]] = (None, None)

    def __init__(self, options: bool = False, text: bool = False) -> None:
        self._options, self._text = options, text

    def list(self, s: Snapshot, a: int, b: int) -> Sequence[Listed]:
        return ()

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        queries = s.host.queries
        parent = a or queries.areas[TEXT]
        number = queries.option(parent, name) if self._options else queries.query(parent, name)
        return None if number is None else (number, 0)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return s.host.queries.get(a).name

    def up(self, s: Snapshot, a: int, b: int) -> tuple[str | None, int, int]:
        queries = s.host.queries
        parent = queries.get(queries.get(a).parent)
        head = "@search/text/" if self._text else AREA_PATTERN
        tail = "<option>/" if parent.options else ""
        return head + tail, 0 if self._text and not tail else parent.number, 0


class Hits:
    """Links to the hits of a query: ``a`` is the query's number, ``b`` the place from 1."""

    of: ClassVar[tuple[str | None, str | None]] = (None, None)

    def list(self, s: Snapshot, a: int, b: int) -> list[Listed]:
        top = s.host.queries.found(s, a).top
        return [(name, a, rank, rank) for rank, (name, _, _, _) in enumerate(top, 1)]

    def find(self, s: Snapshot, a: int, b: int, name: str) -> Place | None:
        return next(((a, rank) for shown, _, rank, _ in self.list(s, a, b) if shown == name), None)

    def name(self, s: Snapshot, a: int, b: int) -> str:
        return _hit(s, a, b)[0]

    def up(self, s: Snapshot, a: int, b: int) -> tuple[str | None, int, int]:
        return None, a, 0


def _hit(s: Snapshot, a: int, b: int) -> tuple[str, str, str, int]:
    top = s.host.queries.found(s, a).top
    if not 0 < b <= len(top):
        raise NotFoundError("There is no such hit.")
    return top[b - 1]


class ToHit(Computed):
    """Where a hit's link leads."""

    def path(self, s: Snapshot, a: int, b: int) -> str:
        return _hit(s, a, b)[1]

    def stamp(self, s: Snapshot, a: int, b: int) -> tuple[int, int]:
        _, _, kind, row_id = _hit(s, a, b)
        domain = {"chunk": s.chunks, "fact": s.facts, "entity": s.entities, "topic": s.topics}[kind]
        return domain.mtime[domain.index(row_id)], s.published


class ResultFile:
    """``results.jsonl`` or ``results.txt`` of a query (``a``)."""

    lazy: ClassVar[bool] = True
    volatile: ClassVar[bool] = False

    def __init__(self, text: bool) -> None:
        self._text = text

    def _bytes(self, s: Snapshot, a: int) -> bytes:
        found = s.host.queries.found(s, a)
        return found.txt if self._text else found.jsonl

    def size(self, s: Snapshot, a: int, b: int) -> int:
        return len(self._bytes(s, a))

    def stamp(self, s: Snapshot, a: int, b: int) -> tuple[int, int]:
        made = s.host.queries.found(s, a).made
        return made, made

    def key(self, s: Snapshot, a: int, b: int) -> Hashable:
        return s.generation

    def peek(self, store: PageStore, s: Snapshot, a: int, b: int) -> Body | None:
        return BytesBody(self._bytes(s, a)) if self.ready(s, a, b) else None

    def load(self, store: PageStore, s: Snapshot, a: int, b: int) -> Body:
        self.prepare(store, s, a, b)
        return BytesBody(self._bytes(s, a))

    def ready(self, s: Snapshot, a: int, b: int) -> bool:
        return s.host.queries.ready(s, a)

    def prepare(self, store: PageStore, s: Snapshot, a: int, b: int) -> None:
        s.host.queries.run(store, s, a)


JSONL, TXT = ResultFile(text=False), ResultFile(text=True)


def is_entities(s: Snapshot, a: int, b: int) -> bool:
    return s.host.queries.get(a).area == "entities"


def is_passing(s: Snapshot, a: int, b: int) -> bool:
    return s.host.queries.passing(a)


def is_of_answer(pattern: str) -> bool:
    """Whether what stands at a pattern of the table belongs to the answer of a query, whose number is ``a``."""
    return pattern.startswith("@search/") and "<query>" in pattern


def is_not_entities(s: Snapshot, a: int, b: int) -> bool:
    return not is_entities(s, a, b)
