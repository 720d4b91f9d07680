# mypy: disable-error-code="empty-body"
"""What the worker can be asked: each call once, with its types, how long it may take and the lane that it waits in.

A declared method has no body: it gives itself and its arguments to ``_ask``. Both ends come from these classes.
``kgfs.models.client.Worker`` sends what is asked; ``kgfs.worker.Calls`` overrides each method with the work. Code that
needs some of the calls takes the class that has them, and a fake for its tests derives from that class.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar, cast, get_args, get_type_hints

import msgspec

from kgfs.errors import UsageError
from kgfs.index_records import (
    IdFilter,
    IndexedRows,
    IndexRow,
    IndexState,
    MergeCandidate,
    NamedEntity,
    Ranking,
    WorkerStatus,
)
from kgfs.llm_records import LlmAnswer, LlmBatch, LlmRequest, LlmResult, Loaded, LoadRequest
from kgfs.model import Extraction, Gazetteer, ParsedDocument, TopicGroup, TopicMember, prepared
from kgfs.picture_records import Picture

QUERY_SECONDS = 10.0
BULK_SECONDS = 900.0

FileName = Annotated[str, "a name of the file system"]
"""A name or path that need not be UTF-8 (surrogates); it crosses as bytes."""
Lane = Literal["status", "keyword", "vector", "draw", "bulk", "load", "llm"]
"""The threads of the worker that a call waits for: a search waits neither for indexing nor for a model that loads."""
Function = TypeVar("Function", bound=Callable[..., Any])


class Signature:
    """How the arguments and the result of a function cross a socket: by the types that it declares."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = function.__name__
        self._function = function

    @functools.cached_property
    def _types(self) -> dict[str, Any]:
        return get_type_hints(self._function, include_extras=True)

    @property
    def result(self) -> Any:
        """The type of what it returns."""
        return self._types["return"]

    @functools.cached_property
    def parameters(self) -> dict[str, Any]:
        """The types of its parameters by name."""
        return {name: kind for name, kind in self._types.items() if name != "return"}

    def encoded(self, arguments: Mapping[str, Any]) -> dict[str, msgspec.Raw]:
        """The arguments as they are sent."""
        return {name: _encoded(value, self.parameters[name]) for name, value in arguments.items()}

    def decoded(self, arguments: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
        """The arguments that were sent; ``UsageError`` where they are not those of this function."""
        if arguments.keys() != self.parameters.keys():
            takes = ", ".join(self.parameters) or "nothing"
            raise UsageError(f"{self.name} takes {takes}; is the worker of this version?")
        try:
            return {name: _decoded(arguments[name], kind) for name, kind in self.parameters.items()}
        except msgspec.DecodeError as error:
            raise UsageError(f"An argument of {self.name} is wrong ({error}).") from error


_last: tuple[Gazetteer, msgspec.Raw] | None = None
"""The gazetteer that was encoded last: thousands of calls have it, and it is as large as the store."""


def _encoded(value: Any, kind: Any) -> msgspec.Raw:
    global _last
    if isinstance(value, msgspec.Raw):
        return value
    if isinstance(value, Gazetteer):
        if (last := _last) is None or last[0] is not value:
            last = _last = (value, msgspec.Raw(msgspec.msgpack.encode(value)))
        return last[1]
    return msgspec.Raw(msgspec.msgpack.encode(os.fsencode(value) if kind == FileName else value))


def _decoded(value: msgspec.Raw, kind: Any) -> Any:
    if kind is msgspec.Raw or msgspec.Raw in get_args(kind):
        return value
    if kind == FileName:
        return os.fsdecode(msgspec.msgpack.decode(value, type=bytes))
    return msgspec.msgpack.decode(value, type=prepared(kind))


class Call(Signature):
    """A declared call.

    ``seconds``: how long the caller waits; ``None`` is as long as the settings allow a request to a language model. An
    argument ``wait`` adds to it. ``again``: it is asked once more when the worker died under it, so that the user does
    not see that. ``indexes``: it writes to the index, so ``tidy`` is due before the worker ends.
    """

    def __init__(
        self, function: Callable[..., Any], lane: Lane, seconds: float | None, *, again: bool, indexes: bool
    ) -> None:
        super().__init__(function)
        self.lane, self.seconds, self.again, self.indexes = lane, seconds, again, indexes
        self.signature = inspect.signature(function)


def call(
    lane: Lane, seconds: float | None = BULK_SECONDS, *, again: bool = False, indexes: bool = False
) -> Callable[[Function], Function]:
    """Declare a call (see ``Call``)."""

    def declare(function: Function) -> Function:
        declared = Call(function, lane, seconds, again=again, indexes=indexes)

        @functools.wraps(function)
        def ask(self: _Calls, *args: Any, **kwargs: Any) -> Any:
            bound = declared.signature.bind(self, *args, **kwargs)
            bound.apply_defaults()
            del bound.arguments["self"]
            return self._ask(declared, bound.arguments)

        ask.declared = declared  # type: ignore[attr-defined]
        return cast(Function, ask)

    return declare


def declared(group: type[_Calls]) -> dict[str, Call]:
    """The calls that a class declares or inherits, by name."""
    return {
        name: member.declared
        for base in reversed(group.__mro__)
        for name, member in vars(base).items()
        if hasattr(member, "declared")
    }


class _Calls:
    """What declares calls, or does them."""

    def _ask(self, call: Call, arguments: dict[str, Any]) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not do {call.name}.")

    def __init_subclass__(cls) -> None:
        """Refuse a method that takes other arguments than the call that it overrides: tests are not type-checked."""
        for name, call in declared(cls).items():
            if name in vars(cls) and _taken(inspect.signature(vars(cls)[name])) != _taken(call.signature):
                raise TypeError(f"{cls.__name__}.{name} takes other arguments than the worker's call of this name.")


def _taken(signature: inspect.Signature) -> list[tuple[Any, ...]]:
    return [(one.name, one.kind, one.default) for one in signature.parameters.values()]


EXTRACTORS = min(4, len(os.sched_getaffinity(0)))
"""Documents that the extractors of one machine read at the same time: each is a process of some 450 MB, and reads on
one processor."""


class DocumentCalls(_Calls):
    """Files and pages to text, text to candidates. None of these is asked again by itself."""

    at_once = 1
    """How many documents and batches of texts it reads at the same time to its best."""

    @call("load")
    def load(self, request: LoadRequest) -> Loaded:
        """What is at a URL, or why it cannot be had; minutes where an agent looks for it. Twice is two requests."""

    @call("bulk")
    def parse(self, path: FileName, data: bytes, name: FileName, mtime_ns: int | None, url: str = "") -> ParsedDocument:
        """The text and structure of a file with content ``data``; ``path`` is what the worker's log calls it.

        ``url``: where it comes from, if from the web: then a page is read for its main text. ``WorkerError`` when its
        parser broke down, ``DeadlineExceeded`` when it took longer than ``parse_seconds``; both with a reason that a
        sentence may quote.
        """

    @call("bulk")
    def parse_large(
        self, path: FileName, name: FileName, mtime_ns: int, size: int, head: bytes, tail: bytes, is_utf8: bool
    ) -> ParsedDocument:
        """The document that a file of ``size`` holds which is too large to be sent: its first and last bytes are.

        A format that is not text is read from ``path``, where the file must still be of that size and time. Of text the
        document has no ``text`` where the file is UTF-8 as a whole: it is the file. Errors as of ``parse``.
        """

    @call("bulk")
    def extract(self, document: ParsedDocument | msgspec.Raw, gazetteer: Gazetteer | msgspec.Raw) -> Extraction:
        """What the extractor finds in a parsed document. The worker has both arguments encoded and hands them on.

        ``DeadlineExceeded`` after ``extract_seconds`` for each MiB; errors as of ``parse``.
        """

    @call("bulk")
    def extract_several(
        self, documents: Sequence[ParsedDocument] | msgspec.Raw, gazetteer: Gazetteer | msgspec.Raw
    ) -> list[Extraction]:
        """What ``extract`` finds in each of some small documents, for less: their models look at all of them together.

        Errors as of ``extract``. They do not say whose fault it was: ask for each document by itself then.
        """


class IndexCalls(_Calls):
    """Rows into the index and out of it, and what is found from their vectors."""

    @call("bulk", indexes=True)
    def index_texts(self, kind: str, rows: Sequence[IndexRow]) -> None:
        """Put rows of a kind (``kgfs.model.KINDS``) in the keyword index; they are found when this returns."""

    @call("bulk", indexes=True)
    def index_vectors(self, kind: str, rows: Sequence[IndexRow]) -> None:
        """Embed what the rows say is ``embedded`` (else their title and text) and keep the vectors.

        Loads the model if need be; ``ModelError`` when it cannot be loaded. Some 20 passages a second and two
        processors: give at most a few hundred rows, so that progress can be shown and Ctrl-C heard.
        """

    @call("bulk")
    def new_texts(self, kind: str, rows: Sequence[IndexRow]) -> list[str]:
        """What of rows is to be embedded, each text once: the index has no vector of it. ``ModelError`` as above."""

    @call("bulk", indexes=True)
    def put_vectors(self, kind: str, rows: Sequence[IndexRow], texts: Sequence[str], vectors: bytes) -> None:
        """As ``index_vectors``, where ``texts`` were embedded elsewhere. ``vectors`` as of ``ModelCalls.embed``."""

    @call("bulk")
    def unindex(self, kind: str, ids: Sequence[int]) -> None:
        """Remove rows from both indexes; unknown ids are nothing."""

    @call("bulk")
    def group_topics(self, members: Sequence[TopicMember]) -> list[TopicGroup]:
        """Topics in groups by the vectors of their chunks; those that fit none, and those without vectors, in none."""

    @call("bulk")
    def merge_candidates(self, names: Sequence[NamedEntity]) -> list[MergeCandidate]:
        """The pairs of entities that may be one, by their names and vectors, in order of ids."""


class LlmCalls(_Calls):
    """A language model.

    ``LlmUnavailable`` where no request can be answered now, ``LlmError`` where this one was not.
    """

    @call("llm", None)
    def complete(self, request: LlmRequest) -> LlmAnswer:
        """Returns the answer of a language model, after as many tries as the configuration allows."""

    @call("llm", None)
    def submit_batch(self, requests: Sequence[LlmRequest]) -> LlmBatch:
        """Begin a batch of requests. Twice is two batches."""

    @call("llm", None)
    def batch(self, batch_id: str) -> LlmBatch | None:
        """How far a batch is; ``None`` where the server has none of that id."""

    @call("llm", None)
    def recent_batches(self) -> list[LlmBatch]:
        """The last batches that were made with this key, latest first."""

    @call("llm")
    def batch_results(self, batch_id: str) -> list[LlmResult]:
        """What became of the requests of a batch that has ended."""


class PipelineCalls(DocumentCalls, IndexCalls, LlmCalls):
    """What a run of the pipeline asks."""


class ListingCalls(_Calls):
    """What the index holds."""

    @call("bulk")
    def indexed(self, kind: str, part: str, first: int, limit: int) -> IndexedRows:
        """The rows that the index has of a kind in its ``part`` ``text`` or ``vector``, from id ``first`` on in order
        of id, ``limit`` at most."""

    @call("keyword")
    def index_state(self) -> IndexState:
        """What the index holds, and which of its tables were made anew."""


class SearchCalls(_Calls):
    """The two legs of a search."""

    @call("keyword", QUERY_SECONDS, again=True)
    def keyword(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, IdFilter] | None = None
    ) -> dict[str, Ranking]:
        """The best ``limit`` rows of each kind by BM25; ``where`` filters kinds inside the engine."""

    @call("vector", QUERY_SECONDS, again=True)
    def nearest(
        self, kinds: Sequence[str], query: str, limit: int, where: dict[str, IdFilter] | None = None, wait: float = 0.0
    ) -> dict[str, Ranking]:
        """The best ``limit`` rows of each kind by the cosine of their vectors to the query's.

        ``ModelLoading`` when the model is not there after ``wait`` seconds, ``ModelError`` when it cannot be loaded.
        """


class DrawCalls(_Calls):
    """Pictures."""

    @call("draw", QUERY_SECONDS, again=True)
    def draw(self, picture: Picture) -> bytes:
        """A picture as SVG. ``WorkerError`` where it cannot be drawn."""


class ModelCalls(_Calls):
    """The embedding model. ``ModelError`` when it cannot be loaded."""

    @call("bulk")
    def embed(self, texts: Sequence[str]) -> bytes:
        """Normalised vectors, one text after the other, as 32-bit floats of this machine."""

    @call("bulk")
    def load_model(self) -> WorkerStatus:
        """What the model is, once it is loaded: ``other`` where its vectors are not those of the store."""

    @call("bulk")
    def adopt_model(self) -> WorkerStatus:
        """Drop the vectors of the store: from now on they are the model's."""

    @call("status")
    def warm(self) -> None:
        """Start the worker and begin to load the model, which goes on after this returned."""

    @call("status", QUERY_SECONDS)
    def status(self) -> WorkerStatus:
        """The state of the model. Starts the process, not the model."""


class WorkerCalls(PipelineCalls, ListingCalls, SearchCalls, DrawCalls, ModelCalls):
    """All calls.

    Each raises ``WorkerError`` when the worker died under it and ``DeadlineExceeded`` after its time. Everything but
    ``parse``, ``extract``, ``extract_several``, ``load`` and ``submit_batch`` may be called again after that: twice is
    the same as once.
    """

    @call("status", QUERY_SECONDS)
    def tidy(self) -> None:
        """Put the index in order: when this process dies, another worker may have it."""
