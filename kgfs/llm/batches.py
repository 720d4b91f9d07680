"""Requests to a language model in bulk, by Message Batches: half the price, an answer within a day, mostly an hour.

Used by ``asking`` on the thread that drives dialogues. Which requests are in a batch is noted before it is sent, its id
when it is known, and the note goes in the transaction that writes its answers. So a run that is killed at any point
asks for nothing twice: the next one, with or without ``--batch``, waits for what is on its way. A batch whose id was
not noted is looked for among the last ones of the account, by the ids of its requests, which are the keys of answers.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections import deque
from dataclasses import dataclass

from kgfs.calls import LlmCalls
from kgfs.errors import (
    BatchesUnsupported,
    DeadlineExceeded,
    KgfsError,
    LlmError,
    LlmTimeout,
    LlmUnavailable,
    WorkerError,
)
from kgfs.llm.requests import SingleRequests, asked_request
from kgfs.llm.spending import Spending, most_tokens
from kgfs.llm_records import LlmAnswer, LlmRequest, LlmResult
from kgfs.store.catalog.database import Cursor, Database
from kgfs.store.llm import llm_rows
from kgfs.store.llm.llm_rows import OpenBatch

log = logging.getLogger(__name__)

LEAST = 3
"""Fewer requests are sent one by one."""
MOST = 10_000
"""Most requests in one batch; the API takes 100,000."""
MOST_BYTES = 64 * 1024 * 1024
"""Largest batch in bytes; the API takes 256 MB."""
FIRST_POLL_SECONDS = 0.5
LONGEST_POLL_SECONDS = 60.0
KEPT_SECONDS = 28 * 86_400.0
"""Results are there for 29 days; an older note is dropped."""
CLOCKS_SECONDS = 600.0
"""A batch that was made so much earlier or later than it was noted is another one: clocks differ."""
FAILURES = 10
"""So many failed looks in a row end the run; the batch stays noted."""


@dataclass
class _Sent:
    """A batch that is waited for."""

    note: OpenBatch
    reserved: float = 0.0
    candidates: list[str] | None = None
    """The ids under which the server may have it; ``None`` where they are to be found."""
    pause: float = FIRST_POLL_SECONDS
    next_look: float = 0.0


class BatchRequests:
    """Asks in bulk; what is little, and what a batch left without an answer, one by one."""

    def __init__(
        self, database: Database, worker: LlmCalls, spending: Spending, requests: SingleRequests, *, bulk: bool
    ) -> None:
        """Without ``bulk`` new requests are asked one by one, and only batches of earlier runs are waited for."""
        self._database = database
        self._worker = worker
        self._spending = spending
        self._requests = requests
        self._bulk = bulk
        self._queue: deque[tuple[LlmRequest, int]] = deque()
        self._wanted: dict[str, tuple[LlmRequest, int]] = {}
        """What was handed to a batch, this run's or an earlier one's."""
        self._sent: list[_Sent] | None = None
        self._failures = 0

    def add(self, request: LlmRequest, document_id: int) -> None:
        """Have a request asked when its turn comes."""
        self._queue.append((request, document_id))

    def poll(self, seconds: float) -> dict[str, LlmAnswer]:
        """Answers that have come, by key; none after ``seconds``. Errors as ``SingleRequests.poll``."""
        if self._sent is None:
            self._sent = self._open()
        self._hand_on(self._sent)
        answers = self._look(self._sent)
        if not self._requests.idle:
            answers |= self._requests.poll(0.0 if answers else seconds)
        elif self._sent and not answers:
            time.sleep(seconds)
        return answers

    # --- sending ---------------------------------------------------------------------------------------------------

    def _hand_on(self, sent: list[_Sent]) -> None:
        """What waits goes into a batch that is on its way already, into a new one, or is asked by itself."""
        if not self._queue:
            return
        here = {one.key for batch in sent for one in batch.note.asked}
        fresh: list[tuple[LlmRequest, int]] = []
        for request, document_id in self._queue:
            if request.key in here:
                self._wanted[request.key] = (request, document_id)
            else:
                fresh.append((request, document_id))
        self._queue.clear()
        if not self._bulk or (len(fresh) < LEAST and self._requests.answered):
            for one in fresh:
                self._requests.add(*one)
            return
        if fresh and not self._requests.answered:
            # The first one shows whether there is a key, and in which form the model takes requests: a batch that is
            # refused is refused as a whole, after minutes.
            if self._requests.idle:
                self._requests.add(*fresh.pop(0))
            self._queue.extend(fresh)
            return
        while fresh:
            batch, reserved = self._some(fresh)
            if not batch:
                if not sent and self._requests.idle:
                    raise self._spending.exhausted()
                self._queue.extend(fresh)  # what is on its way will cost less than is set aside for it
                return
            made = self._submit(batch, reserved)
            if made is None:
                for request, document_id in fresh:
                    self._requests.add(request, document_id)
                return
            sent.append(made)

    def _some(self, fresh: list[tuple[LlmRequest, int]]) -> tuple[list[tuple[LlmRequest, int]], float]:
        """The first requests of a list, taken out of it, as many as one batch and the budget hold."""
        size, reserved, count = 0, 0.0, 0
        for request, _ in fresh[:MOST]:
            size += most_tokens(request)
            if count and size > MOST_BYTES:
                break
            most = self._spending.reserve(request, batch=True)
            if most is None:
                break
            reserved += most
            count += 1
        batch = fresh[:count]
        del fresh[:count]
        return batch, reserved

    def _submit(self, batch: list[tuple[LlmRequest, int]], reserved: float) -> _Sent | None:
        """Note a batch, send it, note its id; ``None`` where the server takes none: they are asked one by one."""
        for request, document_id in batch:
            self._wanted[request.key] = (request, document_id)
        notes = [asked_request(request, document_id) for request, document_id in batch]
        note = OpenBatch(id=uuid.uuid4().hex, api_id=None, created_at=time.time(), asked=notes)
        self._database.write(lambda cursor: llm_rows.begin_batch(cursor, note.id, notes))
        sent = _Sent(note, reserved)
        try:
            made = self._worker.submit_batch([request for request, _ in batch])
        except (LlmTimeout, DeadlineExceeded, WorkerError) as error:  # it may have been made: it is looked for
            self._failed(error)
            sent.next_look = time.monotonic() + FIRST_POLL_SECONDS
            return sent
        except KgfsError as error:
            self._database.write(lambda cursor: llm_rows.end_batch(cursor, note.id))
            self._spending.release(reserved)
            if not isinstance(error, BatchesUnsupported):
                raise
            log.warning("The requests are sent one by one: %s", error)
            self._bulk = False
            for request, document_id in batch:
                self._wanted.pop(request.key, None)
                self._requests.add(request, document_id)
            return None
        self._database.write(lambda cursor: llm_rows.name_batch(cursor, note.id, made.id))
        log.info("Batch %s of %d requests is on its way.", made.id, len(batch))
        sent.candidates = [made.id]
        return sent

    # --- waiting ---------------------------------------------------------------------------------------------------

    def _open(self) -> list[_Sent]:
        """The batches of earlier runs."""
        with self._database.read(snapshot=True) as cursor:
            notes = llm_rows.open_batches(cursor)
        sent = []
        for note in notes:
            if note.created_at < time.time() - KEPT_SECONDS:
                self._forget(note)
            else:
                sent.append(_Sent(note, candidates=[note.api_id] if note.api_id else None))
        return sent

    def _look(self, sent: list[_Sent]) -> dict[str, LlmAnswer]:
        """Look at each batch whose time has come; the answers of those that have ended."""
        answers: dict[str, LlmAnswer] = {}
        for batch in list(sent):
            if time.monotonic() < batch.next_look:
                continue
            try:
                ended, results = self._results(batch, sent)
            except (LlmError, DeadlineExceeded, WorkerError) as error:
                self._failed(error)
                ended, results = False, []
            else:
                self._failures = 0
            if ended:
                sent.remove(batch)
                answers |= self._take(batch, results)
            else:
                batch.next_look = time.monotonic() + batch.pause
                batch.pause = min(batch.pause * 1.5, LONGEST_POLL_SECONDS)
        return answers

    def _results(self, batch: _Sent, sent: list[_Sent]) -> tuple[bool, list[LlmResult]]:
        """Whether a batch has ended, and its results; none where the server has no such batch."""
        keys = {one.key for one in batch.note.asked}
        if batch.candidates is None:
            batch.candidates = self._candidates(batch, sent)
        for candidate in list(batch.candidates):
            state = self._worker.batch(candidate)
            if state is not None and not state.ended:
                return False, []
            results = self._worker.batch_results(candidate) if state is not None else []
            if any(result.key in keys for result in results):
                return True, [result for result in results if result.key in keys]
            batch.candidates.remove(candidate)
        return True, []

    def _candidates(self, batch: _Sent, sent: list[_Sent]) -> list[str]:
        """The batches that may be one whose id is not known: as large as it, made when it was, and no other of ours."""
        ours = {candidate for other in sent if other is not batch for candidate in other.candidates or ()}
        return [
            found.id
            for found in self._worker.recent_batches()
            if found.requests == len(batch.note.asked)
            and abs(found.created_at - batch.note.created_at) < CLOCKS_SECONDS
            and found.id not in ours
        ]

    def _take(self, batch: _Sent, results: list[LlmResult]) -> dict[str, LlmAnswer]:
        """Keep what a batch gave. What it did not give is asked again, by itself if the server had the batch."""
        found = {result.key: result.answer for result in results if result.answer is not None}
        costs = {
            one.key: self._spending.cost(one.model, found[one.key].usage, batch=True)
            for one in batch.note.asked
            if one.key in found
        }

        def keep(cursor: Cursor) -> None:
            for one in batch.note.asked:
                if one.key in found:
                    llm_rows.put_answer(cursor, one, found[one.key], costs[one.key], batched=True)
            llm_rows.end_batch(cursor, batch.note.id)

        self._database.write(keep)
        self._spending.release(batch.reserved)
        answers = {}
        for one in batch.note.asked:
            wanted = self._wanted.pop(one.key, None)
            if one.key in found:
                self._spending.settle(0.0, one.purpose, one.document_id, found[one.key].usage, costs[one.key])
                answers[one.key] = found[one.key]
            elif wanted is not None:
                (self._requests if results else self).add(*wanted)
        return answers

    def _forget(self, note: OpenBatch) -> None:
        self._database.write(lambda cursor: llm_rows.end_batch(cursor, note.id))

    def _failed(self, error: KgfsError) -> None:
        self._failures += 1
        log.warning("A batch cannot be reached: %s", error)
        if self._failures >= FAILURES:
            raise LlmUnavailable(f"The batches cannot be reached. {error} They stay noted; the same command goes on.")
