"""Paths that are questions: their components as numbers, and what was given as the answer.

Each component below a query area (``@search/facts/wages``) is *interned*: it has a number as long as a node of it is
known, and knows the directory that is asked about. Looking a name up runs nothing; the first look inside asks the
area's engine (``prepare``, in a thread), once a generation. This module knows no area: engines are given to it.

An answer that may soon be better (``Given.settled`` is false) is replaced after some seconds, one that says what files
hold when somebody wrote since; at the next look inside and never while a reader holds it. Between, it stays as it is,
so that sizes, listings and bytes belong together.
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
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from kgfs.errors import KgfsError, NotFoundError
from kgfs.namespace.bodies import Overtaken
from kgfs.namespace.node import ROOT, Node
from kgfs.namespace.queries.link_numbers import NO_NUMBERS, LinkNumbers
from kgfs.namespace.relations import Ints

if TYPE_CHECKING:
    from kgfs.namespace.pages import PageStore
    from kgfs.namespace.snapshot import Host, Snapshot

KNOWN_QUESTIONS = 65_536
"""Interned at once; beyond, the oldest are forgotten (only a reader that never forgets comes there)."""
KNOWN_LINKS = 8_000_000
"""Of these questions together, likewise: four bytes each."""
SPARE_NUMBERS = 65_536
KEPT_ANSWERS = 256
KEPT_BYTES = 48 * 1024 * 1024
PASSING_SECONDS = 5.0
"""How long an answer stands that may soon be better."""
ONLY = ""
"""The name of the file of an answer that is one file."""

_ENCODED = re.compile("%(2F|2E|25)")
_DECODED = {"2F": "/", "2E": ".", "25": "%"}


def decode(component: str) -> str:
    """The text that a path component means: exactly ``%2F``, ``%2E`` and ``%25`` are decoded."""
    return _ENCODED.sub(lambda match: _DECODED[match[1]], component)


def encode(text: str) -> str:
    """The path component of a text; the inverse of ``decode``."""
    text = re.sub("%(?=2F|2E|25)", "%25", text).replace("/", "%2F")
    return "%2E" + text[1:] if text.startswith(".") else text


_visit: ContextVar[dict[tuple[Questions, int], None] | None] = ContextVar("visit", default=None)


@contextmanager
def visiting() -> Iterator[None]:
    """Around a request that looks something up and keeps no node: what it alone asked is forgotten at its end."""
    visited: dict[tuple[Questions, int], None] = {}
    token = _visit.set(visited)
    try:
        yield
    finally:
        _visit.reset(token)
        for asked, number in reversed(visited):
            asked._leave(number)


class LinkGiven(NamedTuple):
    """One link of an answer."""

    name: str
    path: str
    """From the mount's root."""
    mtime: int
    """In microseconds since 1970."""


@dataclass(frozen=True)
class Given:
    """What an engine gives as the answer to a question."""

    generation: int
    """The snapshot that it speaks of."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """By name; ``ONLY`` where the answer is one file."""
    links: Sequence[LinkGiven] = ()
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
class Kept:
    """An answer as it is kept."""

    given: Given
    numbers: array[int]
    """The number of each link: that of where it leads."""
    made: int
    """Since when the question has had this answer, in microseconds since 1970."""
    until: float
    """The moment (``time.monotonic``) after which it is asked again; for ever, where it cannot be better."""
    written: int | None
    """Where the journal of writes stood before it was asked, if a write overtakes it."""

    @cached_property
    def by_name(self) -> dict[str, int]:
        """The number of each link by its name."""
        return {link.name: number for link, number in zip(self.given.links, self.numbers, strict=True)}

    @cached_property
    def by_number(self) -> dict[int, LinkGiven]:
        """Each link by its number."""
        return dict(zip(self.numbers, self.given.links, strict=True))


@dataclass
class Question:
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
    """Those of all links that its answers had, rising: whoever knows a link by its number gets what it led to, or
    nothing, however the answer changes."""
    children: int = 0
    """Components beneath it that are known."""
    known: bool = False
    """A reader that says what it forgets (the kernel) got it."""
    visits: int = 0
    """How many requests are under way that came by it (``visiting``)."""
    kept: Kept | None = None
    held: int = 0
    """How many readers have something of the answer open."""
    followed: Followed | None = None
    running: threading.Lock = field(default_factory=threading.Lock)
    """Who asks, has it: two answers to one question need not be equal."""


@dataclass
class Followed:
    """What a file that only grows has shown: its bytes, the keys of what is in it, and what was there at first."""

    text: bytes = b""
    seen: set[Hashable] = field(default_factory=set)
    newest: dict[str, int] = field(default_factory=dict)
    """The highest row id of each kind when it was first asked for: what is beyond is new."""


class Engine(Protocol):
    """What answers the questions of one area. Blocks; any thread. ``KgfsError`` where there is no answer."""

    def __call__(self, store: PageStore, host: Host, question: Question) -> Given: ...


class Questions:
    """The interned questions of one namespace. For any thread."""

    def __init__(self, engines: Mapping[str, Engine], failed: Callable[[KgfsError], None]) -> None:
        """``engines`` by the first component of their rows; ``failed`` is told of what could not be answered."""
        self._engines, self._failed = engines, failed
        self._lock = threading.Lock()
        self._next = 1
        self._known: OrderedDict[int, Question] = OrderedDict()
        self._numbers: dict[Hashable, int] = {}
        self._answers: OrderedDict[int, int] = OrderedDict()
        """The weight of each answer that is kept, the oldest first."""
        self.link_numbers = LinkNumbers(SPARE_NUMBERS)
        self._links = 0
        """How many links the known questions know together."""

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
                self._known[number] = Question(number, pattern, scope, parent, words)
                self._numbers[key] = number
                if parent:
                    self._known[parent].children += 1
                if len(self._known) > KNOWN_QUESTIONS:
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

    def get(self, number: int) -> Question:
        """``NotFoundError`` when it is forgotten."""
        question = self._known.get(number)
        if question is None:
            raise _forgotten()
        return question

    def scope(self, number: int) -> Node:
        """The directory that is asked about; the root for 0."""
        return self.get(number).scope if number else ROOT

    def above(self, number: int) -> str | None:
        """The pattern of a number where that is a component, not an area."""
        question = self.get(number) if number else None
        return question.pattern if question is not None and question.words else None

    def forget(self, numbers: Iterable[int]) -> None:
        """A reader that says so knows these no more."""
        with self._lock:
            for number in numbers:
                question = self._known.get(number)
                if question is not None:
                    question.known = False
                    self._drop_unknown(question)

    def _leave(self, number: int) -> None:
        with self._lock:
            question = self._known.get(number)
            if question is not None:
                question.visits -= 1
                self._drop_unknown(question)

    def _drop_unknown(self, question: Question) -> None:
        if not (question.known or question.visits or question.children):
            self._drop(question.number)

    def _drop(self, number: int) -> None:
        """Forget a question, and those above it that were known for its sake only: as many as its path is long."""
        dropping: Question | None = self._known[number]
        while dropping is not None:
            del self._known[dropping.number]
            self._links -= len(dropping.numbers)
            name = dropping.words[-1] if dropping.words else None
            key = (dropping.pattern, dropping.scope) if name is None else (dropping.pattern, dropping.parent, name)
            del self._numbers[key]
            self._answers.pop(dropping.number, None)
            dropping = self._known.get(dropping.parent)
            if dropping is not None:
                dropping.children -= 1
                if dropping.known or dropping.visits or dropping.children:
                    return

    def __len__(self) -> int:
        return len(self._known)

    # --- answers ----------------------------------------------------------------------------------------------------

    def kept(self, s: Snapshot, number: int) -> Kept:
        """What was given in this generation, passing or not; ``Overtaken`` where it has yet to be asked."""
        kept = self.get(number).kept
        if kept is None or kept.given.generation != s.generation:
            raise Overtaken("This query has yet to run in this generation.")
        return kept

    def last_link(self, number: int, of: int) -> str | None:
        """The name of a link in the last answer of a question, whatever its generation."""
        question = self._known.get(number)
        kept = None if question is None else question.kept
        link = None if kept is None else kept.by_number.get(of)
        return None if link is None else link.name

    def ready(self, s: Snapshot, number: int) -> bool:
        """Whether the question has an answer that still stands."""
        question = self._known.get(number)
        return question is None or _stands(s, question)

    def passing(self, number: int) -> bool:
        """Whether the answer may be replaced within its generation."""
        question = self._known.get(number)
        kept = None if question is None else question.kept
        return kept is not None and (kept.until < math.inf or kept.written is not None)

    def hold(self, number: int) -> None:
        """Something of the answer was opened: it stays, in this generation, until it is let go as often."""
        with self._lock:
            question = self._known.get(number)
            if question is not None:
                question.held += 1

    def let_go(self, number: int) -> None:
        with self._lock:
            question = self._known.get(number)
            if question is not None and question.held:
                question.held -= 1

    def run(self, store: PageStore, s: Snapshot, number: int) -> None:
        """Ask (blocks). ``QueryError`` and other failures are raised, and told to ``failed``."""
        question = self.get(number)
        with question.running:
            if _stands(s.host.view, question):
                return
            begun, written = s.host.view, s.host.journal.position
            try:
                given = self._engines[question.pattern.partition("/")[0]](store, s.host, question)
            except KgfsError as error:
                if not isinstance(error, Overtaken):
                    self._failed(error)
                raise
            question.kept = _kept(question, given, self._numbered(question, given), begun, written)
        if given.said:
            self._failed(NotFoundError(given.said))
        with self._lock:
            if number not in self._known:
                return  # forgotten meanwhile
            self._answers.pop(number, None)
            self._answers[number] = given.weight
            self._weed(number)
            while self._links > KNOWN_LINKS and len(self._known) > 1:
                self._drop_oldest()

    def _numbered(self, question: Question, given: Given) -> Ints:
        """The numbers of an answer's links, which the question knows from now on."""
        if not given.links:
            return NO_NUMBERS
        with self.link_numbers.lock:
            own = self.link_numbers.of([link.path for link in given.links])
            known = np.union1d(question.numbers, own)
            with self._lock:
                if question.number in self._known:
                    self._links += len(known) - len(question.numbers)
                question.numbers = known
                others = [each.numbers for each in self._known.values()] if self.link_numbers.crowded else None
            if others is not None:
                self.link_numbers.keep([*others, known])
        return own

    def _weed(self, newest: int) -> None:
        """Drop the oldest answers beyond what is kept, but none that is read and not the newest."""
        surplus, weight = len(self._answers) - KEPT_ANSWERS, sum(self._answers.values())
        for number in list(self._answers):
            if surplus <= 0 and weight <= KEPT_BYTES:
                break
            if number != newest and not self._known[number].held:
                surplus, weight = surplus - 1, weight - self._answers.pop(number)
                self._known[number].kept = None


def _kept(question: Question, given: Given, numbers: Ints, begun: Snapshot, written: int) -> Kept:
    before = question.kept
    replaces = before is not None and before.given.generation == given.generation
    # What was written since the snapshot was loaded may not be in the answer.
    settled = given.settled and given.generation == begun.generation and not begun.context.stale
    made = begun.published if settled and not replaces else time.time_ns() // 1000
    until = math.inf if settled else time.monotonic() + PASSING_SECONDS
    return Kept(given, array("i", numbers.tobytes()), made, until, written if given.of_files else None)


def _stands(s: Snapshot, question: Question) -> bool:
    """Whether the answer is of this generation, and neither its time is over nor has a write overtaken it."""
    kept = question.kept
    if kept is None or kept.given.generation != s.generation:
        return False
    overtaken = kept.written is not None and kept.written != s.host.journal.position
    return question.held > 0 or (time.monotonic() < kept.until and not overtaken)


def _forgotten() -> NotFoundError:
    return NotFoundError("This query is forgotten; look it up again.")
