"""Paths that are queries: their components as numbers, and their results.

Each component below a query area (``@search/facts/wages``) is *interned*: it has a number as long as a node of it is
known, and knows the directory that is asked about. Looking a name up runs nothing; the first look inside asks the
area's engine (``prepare``, in a thread), once a generation. This module knows no area: engines are given to it.

A result that may soon be better (``QueryResult.settled`` is false) is replaced after some seconds; one that says what
files hold, when somebody wrote since. Both happen at the next look inside and never while a reader holds the result.
Between, it stays as it is, so that sizes, listings and bytes belong together.
"""

from __future__ import annotations

import math
import re
import threading
import time
from array import array
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kgfs.errors import KgfsError, NotFoundError
from kgfs.namespace.bodies import StaleSnapshotError
from kgfs.namespace.cache_use import CacheUse
from kgfs.namespace.journal import Journal
from kgfs.namespace.node import ROOT, Node
from kgfs.namespace.queries.link_numbers import NO_NUMBERS, LinkNumbers
from kgfs.namespace.relations import Ints
from kgfs.namespace.snapshot import Snapshot

KNOWN_QUERIES = 65_536
"""Interned at once; beyond, the oldest are forgotten (only a reader that never forgets comes there)."""
KNOWN_LINKS = 8_000_000
"""Of these queries together, likewise: four bytes each."""
SPARE_NUMBERS = 65_536
KEPT_RESULTS = 256
KEPT_BYTES = 48 * 1024 * 1024
PASSING_SECONDS = 5.0
"""How long a result stands that may soon be better."""
ONLY = ""
"""The name of the file of a result that is one file."""

_ENCODED = re.compile("%(2F|2E|25)")
_DECODED = {"2F": "/", "2E": ".", "25": "%"}


def decode(component: str) -> str:
    """The text that a path component means: exactly ``%2F``, ``%2E`` and ``%25`` are decoded."""
    return _ENCODED.sub(lambda match: _DECODED[match[1]], component)


def encode(text: str) -> str:
    """The path component of a text; the inverse of ``decode``."""
    text = re.sub("%(?=2F|2E|25)", "%25", text).replace("/", "%2F")
    return "%2E" + text[1:] if text.startswith(".") else text


_visit: ContextVar[dict[tuple[QueryCache, int], None] | None] = ContextVar("visit", default=None)


@contextmanager
def visiting() -> Iterator[None]:
    """Around a request that looks something up and keeps no node: what it alone asked is forgotten at its end."""
    visited: dict[tuple[QueryCache, int], None] = {}
    token = _visit.set(visited)
    try:
        yield
    finally:
        _visit.reset(token)
        for asked, number in reversed(visited):
            asked._leave(number)


class ResultLink(NamedTuple):
    """One link of a result."""

    name: str
    path: str
    """From the mount's root."""
    mtime: int
    """In microseconds since 1970."""


@dataclass(frozen=True)
class QueryResult:
    """What an engine returns for a query."""

    generation: int
    """The snapshot that it speaks of."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """By name; ``ONLY`` where the result is one file."""
    links: Sequence[ResultLink] = ()
    settled: bool = True
    """False where it may soon be better within this generation."""
    of_files: bool = False
    """Whether it says what stored files hold: then it stands only until somebody writes."""
    said: str = ""
    """Why there is nothing in it, where that is worth a sentence."""

    @cached_property
    def weight(self) -> int:
        """About how many bytes it takes, with what is made of it when it is read."""
        return sum(map(len, self.files.values())) + sum(450 + len(link.name) + len(link.path) for link in self.links)


@dataclass(frozen=True)
class CachedResult:
    """A result as it is kept."""

    result: QueryResult
    numbers: array[int]
    """The number of each link: that of where it leads."""
    made: int
    """Since when the query has had this result, in microseconds since 1970."""
    until: float
    """The moment (``time.monotonic``) after which it is asked again; for ever, where it cannot be better."""
    written: int | None
    """Where the journal of writes stood before it was asked, if a write overtakes it."""

    @cached_property
    def by_name(self) -> dict[str, int]:
        """The number of each link by its name."""
        return {link.name: number for link, number in zip(self.result.links, self.numbers, strict=True)}

    @cached_property
    def by_number(self) -> dict[int, ResultLink]:
        """Each link by its number."""
        return dict(zip(self.numbers, self.result.links, strict=True))


Asked = Callable[[str, dict[str, Any], int, "str | None"], object]
"""``(name, parameters, began in nanoseconds, error)`` of a query that ended."""


@dataclass
class Query:
    """A component below a query area, or (no words) an area in one directory: its scope."""

    number: int
    pattern: str
    """The row of the table that it belongs to."""
    scope: Node
    """The directory that is asked about."""
    parent: int
    """The number of what stands above; 0 is the area at the root."""
    words: tuple[str, ...]
    """The components below the area that are no fixed names, as written; the last is its own name."""
    numbers: Ints = field(default_factory=lambda: NO_NUMBERS)
    """Those of all links that its results had, rising: a number leads to what its link led to, or to nothing, however
    the result changes."""
    children: int = 0
    """Components beneath it that are known."""
    known: bool = False
    """A reader that says what it forgets (the kernel) got it."""
    visits: int = 0
    """How many requests are under way that came by it (``visiting``)."""
    cached: CachedResult | None = None
    held: int = 0
    """How many readers have something of the result open."""
    followed: Followed | None = None
    running: threading.Lock = field(default_factory=threading.Lock)
    """Held while the query runs: two runs at once might give two different results."""


@dataclass
class Followed:
    """What a file that only grows has shown: its bytes, the keys of what is in it, and what was there at first."""

    text: bytes = b""
    seen: set[Hashable] = field(default_factory=set)
    newest: dict[str, int] = field(default_factory=dict)
    """The highest row id of each kind when it was first asked for: what is beyond is new."""


Engine = Callable[[Query], QueryResult]
"""What answers the queries of one area. Blocks; any thread. ``KgfsError`` where there is no result."""


class QueryCache:
    """The interned queries of one namespace. For any thread."""

    def __init__(
        self,
        engines: Mapping[str, Engine],
        failed: Callable[[KgfsError], None],
        shown: Callable[[], Snapshot],
        journal: Journal,
        asked: Asked = lambda name, parameters, began_ns, error: None,
    ) -> None:
        """``engines`` by the first component of their rows; ``failed`` is told of what could not be answered.

        ``asked`` is told of each that was run: the area, what was asked, when, and the error if it failed.
        ``shown`` returns the adopted snapshot, ``journal`` knows what was written since.
        """
        self._engines, self._failed, self._shown, self._journal = engines, failed, shown, journal
        self._asked = asked
        self._lock = threading.Lock()
        self._next = 1
        self._known: OrderedDict[int, Query] = OrderedDict()
        self._numbers: dict[Hashable, int] = {}
        self._weights: OrderedDict[int, int] = OrderedDict()
        """The weight of each result that is kept, the oldest first."""
        self.link_numbers = LinkNumbers(SPARE_NUMBERS)
        self._links = 0
        """How many links the known queries know together."""
        self._hits = self._misses = 0

    # --- numbers ----------------------------------------------------------------------------------------------------

    def area(self, pattern: str, scope: Node) -> int:
        """The number of an area (``@search/``) in a directory. An area that the root lists is 0 there."""
        return self._intern((pattern, scope), pattern, scope, 0, ())

    def word(self, pattern: str, parent: int, name: str) -> int:
        """The number of a component under an area or another component."""
        above = self.get(parent) if parent else None
        scope, words = (ROOT, ()) if above is None else (above.scope, above.words)
        return self._intern((pattern, parent, name), pattern, scope, parent, (*words, name))

    def _intern(self, key: Hashable, pattern: str, scope: Node, parent: int, words: tuple[str, ...]) -> int:
        with self._lock:
            number = self._numbers.get(key)
            if number is None:
                number = self._next
                self._next += 1
                self._known[number] = Query(number, pattern, scope, parent, words)
                self._numbers[key] = number
                if parent:
                    self._known[parent].children += 1
                if len(self._known) > KNOWN_QUERIES:
                    self._drop_oldest()
            known = self._known.get(number)
            if known is not None:
                visit = _visit.get()
                if visit is None:
                    known.known = True
                elif (self, number) not in visit:
                    visit[self, number] = None
                    known.visits += 1
            return number

    def _drop_oldest(self) -> None:
        """One that nothing stands beneath; the newest is the last."""
        self._drop(next(each for each, known in self._known.items() if not known.children))

    def get(self, number: int) -> Query:
        """``NotFoundError`` when it is forgotten."""
        query = self._known.get(number)
        if query is None:
            raise _forgotten()
        return query

    def scope(self, number: int) -> Node:
        """The directory that is asked about; the root for 0."""
        return self.get(number).scope if number else ROOT

    def above(self, number: int) -> str | None:
        """The pattern of a number where that is a component, not an area."""
        query = self.get(number) if number else None
        return query.pattern if query is not None and query.words else None

    def forget(self, numbers: Iterable[int]) -> None:
        """A reader that says so knows these no more."""
        with self._lock:
            for number in numbers:
                query = self._known.get(number)
                if query is not None:
                    query.known = False
                    self._drop_unknown(query)

    def _leave(self, number: int) -> None:
        with self._lock:
            query = self._known.get(number)
            if query is not None:
                query.visits -= 1
                self._drop_unknown(query)

    def _drop_unknown(self, query: Query) -> None:
        if not (query.known or query.visits or query.children):
            self._drop(query.number)

    def _drop(self, number: int) -> None:
        """Forget a query, and those above it that were known for its sake only: as many as its path is long."""
        dropping: Query | None = self._known[number]
        while dropping is not None:
            del self._known[dropping.number]
            self._links -= len(dropping.numbers)
            name = dropping.words[-1] if dropping.words else None
            key = (dropping.pattern, dropping.scope) if name is None else (dropping.pattern, dropping.parent, name)
            del self._numbers[key]
            self._weights.pop(dropping.number, None)
            dropping = self._known.get(dropping.parent)
            if dropping is not None:
                dropping.children -= 1
                if dropping.known or dropping.visits or dropping.children:
                    return

    def __len__(self) -> int:
        return len(self._known)

    # --- results ----------------------------------------------------------------------------------------------------

    def cached(self, s: Snapshot, number: int) -> CachedResult:
        """The result of this generation, passing or not; ``StaleSnapshotError`` where it has yet to be asked."""
        cached = self.get(number).cached
        if cached is None or cached.result.generation != s.generation:
            raise StaleSnapshotError("This query has yet to run in this generation.")
        return cached

    def last_link(self, number: int, of: int) -> str | None:
        """The name of a link in the last result of a query, whatever its generation."""
        query = self._known.get(number)
        cached = None if query is None else query.cached
        link = None if cached is None else cached.by_number.get(of)
        return None if link is None else link.name

    def ready(self, s: Snapshot, number: int) -> bool:
        """Whether the query has a result that still stands."""
        query = self._known.get(number)
        if query is None:
            return True
        stands = self._stands(s, query)
        self._hits += stands
        return stands

    def use(self) -> CacheUse:
        """What the results take. A hit is a look at a result that stands, a miss a query that was run."""
        with self._lock:
            return CacheUse(sum(self._weights.values()), len(self._weights), self._hits, self._misses)

    def passing(self, number: int) -> bool:
        """Whether the result may be replaced within its generation."""
        query = self._known.get(number)
        cached = None if query is None else query.cached
        return cached is not None and (cached.until < math.inf or cached.written is not None)

    def hold(self, number: int) -> None:
        """Something of the result was opened: it stays, in this generation, until it is let go as often."""
        with self._lock:
            query = self._known.get(number)
            if query is not None:
                query.held += 1

    def let_go(self, number: int) -> None:
        with self._lock:
            query = self._known.get(number)
            if query is not None and query.held:
                query.held -= 1

    def run(self, number: int) -> None:
        """Ask (blocks). ``QueryError`` and other failures are raised, and told to ``failed``."""
        query = self.get(number)
        with query.running:
            if self._stands(self._shown(), query):
                return
            self._misses += 1
            begun, written = self._shown(), self._journal.position
            area = query.pattern.partition("/")[0]
            began = time.time_ns()
            try:
                result = self._engines[area](query)
                self._asked(area, {"query": "/".join(query.words)}, began, None)
            except KgfsError as error:
                self._asked(area, {"query": "/".join(query.words)}, began, error.message)
                if not isinstance(error, StaleSnapshotError):
                    self._failed(error)
                raise
            query.cached = _cached(query, result, self._numbered(query, result), begun, written)
        if result.said:
            self._failed(NotFoundError(result.said))
        with self._lock:
            if number not in self._known:
                return  # forgotten meanwhile
            self._weights.pop(number, None)
            self._weights[number] = result.weight
            self._weed(number)
            while self._links > KNOWN_LINKS and len(self._known) > 1:
                self._drop_oldest()

    def _stands(self, s: Snapshot, query: Query) -> bool:
        """Whether the result is of this generation, and neither its time is over nor has a write overtaken it."""
        cached = query.cached
        if cached is None or cached.result.generation != s.generation:
            return False
        overtaken = cached.written is not None and cached.written != self._journal.position
        return query.held > 0 or (time.monotonic() < cached.until and not overtaken)

    def _numbered(self, query: Query, result: QueryResult) -> Ints:
        """The numbers of a result's links, which the query knows from now on."""
        if not result.links:
            return NO_NUMBERS
        with self.link_numbers.lock:
            own = self.link_numbers.of([link.path for link in result.links])
            known = np.union1d(query.numbers, own)
            with self._lock:
                if query.number in self._known:
                    self._links += len(known) - len(query.numbers)
                query.numbers = known
                others = [each.numbers for each in self._known.values()] if self.link_numbers.crowded else None
            if others is not None:
                self.link_numbers.keep([*others, known])
        return own

    def _weed(self, newest: int) -> None:
        """Drop the oldest results beyond what is kept, but none that is read and not the newest."""
        surplus, weight = len(self._weights) - KEPT_RESULTS, sum(self._weights.values())
        for number in list(self._weights):
            if surplus <= 0 and weight <= KEPT_BYTES:
                break
            if number != newest and not self._known[number].held:
                surplus, weight = surplus - 1, weight - self._weights.pop(number)
                self._known[number].cached = None


def _cached(query: Query, result: QueryResult, numbers: Ints, begun: Snapshot, written: int) -> CachedResult:
    before = query.cached
    replaces = before is not None and before.result.generation == result.generation
    # What was written since the snapshot was loaded may not be in the result.
    settled = result.settled and result.generation == begun.generation and not begun.context.stale
    made = begun.published if settled and not replaces else time.time_ns() // 1000
    until = math.inf if settled else time.monotonic() + PASSING_SECONDS
    return CachedResult(result, array("i", numbers.tobytes()), made, until, written if result.of_files else None)


def _forgotten() -> NotFoundError:
    return NotFoundError("This query is forgotten; look it up again.")
