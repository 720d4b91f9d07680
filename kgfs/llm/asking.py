"""Dialogues with a language model, driven: answers from the store where they are there, from the worker where not.

Used by the passes that read with a model, on the jobs thread or one that it waits for, by way of ``Run.asker``. A
*dialogue* is a generator that yields a list of requests, is sent as many answers in their order, and returns what it
found. It is pure: it may be driven again from the start at any time, and then yields the same requests.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from kgfs.calls import LlmCalls
from kgfs.config import Config
from kgfs.errors import Cancelled
from kgfs.llm.batches import BatchRequests
from kgfs.llm.requests import SingleRequests
from kgfs.llm.spending import Spending
from kgfs.llm_records import LlmAnswer, LlmRequest
from kgfs.progress import STOPPED
from kgfs.store.catalog.database import Database
from kgfs.store.files import items
from kgfs.store.llm import llm_rows, llm_uses
from kgfs.store.llm.llm_uses import AnswerUse

T = TypeVar("T")

Dialogue = Generator[Sequence[LlmRequest], Sequence[LlmAnswer], T]

POLL_SECONDS = 0.25
"""How often a wish to stop is looked for."""
TELL_SECONDS = 1.0
"""How often what was spent is told."""


class _Talk(Generic[T]):
    """A dialogue on its way."""

    def __init__(self, dialogue: Dialogue[T], document_id: int, shows: Collection[int]) -> None:
        self.dialogue = dialogue
        self.document_id = document_id
        self.shows = shows
        """The documents whose words it shows."""
        self.keys: set[str] = set()
        """Of all that it asked."""
        self.asked: list[str] | None = None
        """Keys of what it wants to know now; ``None`` before it began."""
        self.answers: dict[str, LlmAnswer] = {}
        self.result: T | None = None

    @property
    def answered(self) -> bool:
        """Whether all is there that it wants to know."""
        return self.asked is None or all(key in self.answers for key in self.asked)

    def go_on(self) -> Sequence[LlmRequest] | None:
        """What it asks next; ``None`` where it has ended."""
        try:
            if self.asked is None:
                requests = next(self.dialogue)
            else:
                requests = self.dialogue.send([self.answers[key] for key in self.asked])
        except StopIteration as stop:
            self.result = stop.value
            return None
        self.asked = [request.key for request in requests]
        self.keys.update(self.asked)
        self.answers = {}
        return requests


class Asker:
    """Asks a model what dialogues want to know; one a run."""

    def __init__(
        self,
        database: Database,
        worker: LlmCalls,
        config: Config,
        *,
        budget: float | None = None,
        bulk: bool = False,
        stopping: Callable[[], bool] = lambda: False,
        tell: Callable[[dict[str, Any]], None] = lambda _cost: None,
    ) -> None:
        """``budget`` in US dollars for the run (``UsageError`` where no price is known); ``bulk`` asks in batches.

        ``stopping`` is asked some times a second; ``tell`` is called with what was spent (``Spending.shown``).
        """
        self.bulk = bulk
        """Whether requests go in batches: then one ``drive`` with all dialogues is better than many with few."""
        self.model = config.llm_model
        with database.read() as cursor:
            before = llm_rows.spent_today(cursor)
        self.spending = Spending(config, budget, before)
        self._database = database
        self._worker = worker
        self._config = config
        self._stopping = stopping
        self._tell = tell
        self._told = 0.0
        self._answered = False
        self._warm: set[str] = set()

    def drive(
        self,
        dialogues: Sequence[Dialogue[T]],
        documents: Sequence[int] = (),
        *,
        stage: str = "",
        shows: Sequence[Collection[int]] = (),
    ) -> list[T]:
        """Bring dialogues to their ends, many at once; what they return, in their order.

        ``documents`` says for which document (row id) each dialogue is, for the costs; 0, or nothing, is for none.
        Answers go when the documents go of which the requests show words (``llm_uses``): those of ``documents``, for
        which one dialogue of a ``stage`` is all that is asked; or those of ``shows``, several for each dialogue.
        An answer whose ``error`` is not empty failed for good (a refused or malformed answer, a server that stays
        overloaded): the dialogue finds another way. Raised are ``LlmUnavailable`` (no key, refused key, unknown model,
        nobody answers), ``BudgetError`` (the next request could pass ``--budget``) and ``Cancelled``: every answer that
        had come is kept, and the same dialogues driven again ask only for the others.
        """
        numbers = documents or [0] * len(dialogues)
        shown = shows or [[number] if number else [] for number in numbers]
        talks = [_Talk(*one) for one in zip(dialogues, numbers, shown, strict=True)]
        requests = SingleRequests(self._database, self._worker, self._config, self.spending)
        requests.answered, requests.warm = self._answered, self._warm
        batches = BatchRequests(self._database, self._worker, self.spending, requests, bulk=self.bulk)
        try:
            self._drive(talks, batches, stage)
            return [talk.result for talk in talks]  # type: ignore[misc]  # each has ended
        finally:
            requests.close()
            self._answered = requests.answered
            for talk in talks:
                talk.dialogue.close()
            self._say(last=True)

    def cost(self) -> dict[str, Any]:
        """What the run spent so far."""
        numbers = self.spending.document_ids()
        with self._database.read() as cursor:
            refs = {number: item.ref for number, item in items.items_by_id(cursor, numbers).items()}
        return self.spending.shown(refs)

    def _drive(self, talks: list[_Talk[T]], batches: BatchRequests, stage: str) -> None:
        waiting: dict[str, list[_Talk[T]]] = {}
        """By key, the talks that wait for the answer."""
        ready = talks
        while ready or waiting:
            if self._stopping():
                raise Cancelled(STOPPED)
            if ready:
                ready = self._go_on(ready, waiting, batches, stage)
                continue
            for key, answer in batches.poll(POLL_SECONDS).items():
                for talk in waiting.pop(key, ()):  # nobody: it is of a batch of an earlier run
                    talk.answers[key] = answer
                    if talk.answered:
                        ready.append(talk)
            self._say()

    def _go_on(
        self, talks: Sequence[_Talk[T]], waiting: dict[str, list[_Talk[T]]], batches: BatchRequests, stage: str
    ) -> list[_Talk[T]]:
        """Hand dialogues their answers and look up what they ask next. Those that need not wait are returned."""
        told = [(talk, talk.go_on()) for talk in talks]
        asking = [(talk, requests) for talk, requests in told if requests is not None]
        ended = {talk.document_id: talk.keys for talk, requests in told if requests is None and talk.document_id}
        self._note_uses(stage, [talk for talk, _ in asking], ended)
        with self._database.read() as cursor:
            kept = llm_rows.stored_answers(cursor, {key for talk, _ in asking for key in talk.asked or ()})
        self.spending.kept += len(kept)
        ready = []
        for talk, requests in asking:
            for request in requests:
                key = request.key
                if key in kept:
                    talk.answers[key] = kept[key]
                elif key in waiting:
                    if talk not in waiting[key]:
                        waiting[key].append(talk)
                else:
                    waiting[key] = [talk]
                    batches.add(request, talk.document_id)
            if talk.answered:
                ready.append(talk)
        return ready

    def _note_uses(self, stage: str, asking: Sequence[_Talk[T]], ended: Mapping[int, Collection[str]]) -> None:
        """Note whose words are asked about, and what is not asked any more of documents that have ``ended``."""
        uses = {AnswerUse(key, number, stage) for talk in asking for number in talk.shows for key in talk.asked or ()}
        with self._database.read() as cursor:
            new = llm_uses.unnoted_uses(cursor, uses)
            left = bool(ended) and llm_uses.has_replaced_uses(cursor, stage, ended)
        if new:
            self._database.share(lambda cursor: llm_uses.note_uses(cursor, new))
        if left:
            self._database.share(lambda cursor: llm_uses.leave_uses(cursor, stage, ended))

    def _say(self, *, last: bool = False) -> None:
        if self.spending.spent and (last or time.monotonic() >= self._told + TELL_SECONDS):
            self._tell(self.cost())
            self._told = time.monotonic()
