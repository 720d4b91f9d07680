"""Requests to a language model one by one, several at once, each answer kept before it is handed on.

Used by ``asking`` and ``batches`` on the thread that drives dialogues; the requests wait for the worker in threads of
their own.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from kgfs.calls import LlmCalls
from kgfs.config import Config
from kgfs.errors import DeadlineExceeded, LlmError, LlmTimeout, LlmUnavailable, WorkerError
from kgfs.llm.spending import Spending
from kgfs.llm_records import LlmAnswer, LlmRequest
from kgfs.store.catalog.database import Database
from kgfs.store.llm import llm_rows
from kgfs.store.llm.llm_rows import AskedRequest

FAILURES_IN_A_ROW = 8
"""After so many (or twice as many as are under way at once) the server is taken to be out of order."""
GRACE_SECONDS = 1.0
"""How long a run that ends waits for the answers that are under way."""


def asked_request(request: LlmRequest, document_id: int) -> AskedRequest:
    """What is noted of a request."""
    return AskedRequest(
        key=request.key,
        model=request.model,
        prompt_version=request.prompt_version,
        purpose=request.purpose,
        document_id=document_id,
    )


class SingleRequests:
    """Asks one by one."""

    def __init__(self, database: Database, worker: LlmCalls, config: Config, spending: Spending) -> None:
        self._database = database
        self._worker = worker
        self._spending = spending
        self._at_once = max(1, config.llm_concurrency)
        self._pool = ThreadPoolExecutor(self._at_once, "llm")
        self._queue: deque[tuple[LlmRequest, int]] = deque()
        self._under_way: dict[Future[LlmAnswer], LlmRequest] = {}
        self._warming: set[str] = set()
        """Purposes whose first request is under way. What all requests of a purpose begin with is kept by the server
        once it has answered one: several first ones at once would each pay for that."""
        self.warm: set[str] = set()
        """Purposes of which one has been answered."""
        self._failures = 0
        self.answered = False
        """Whether the server has answered one at all."""

    def add(self, request: LlmRequest, document_id: int) -> None:
        """Have a request asked when its turn comes."""
        self._queue.append((request, document_id))

    @property
    def idle(self) -> bool:
        """Whether nothing is asked or waits."""
        return not self._queue and not self._under_way

    def poll(self, seconds: float) -> dict[str, LlmAnswer]:
        """Answers that have come, by key; none after ``seconds``.

        ``LlmUnavailable`` where nobody answers, ``BudgetError`` where the next request may not be asked.
        """
        while self._queue and len(self._under_way) < self._at_once:
            request, document_id = self._queue[0]
            if request.purpose in self._warming:
                break
            reserved = self._spending.reserve(request)
            if reserved is None:
                if not self._under_way:
                    raise self._spending.exhausted()
                break  # what is under way will cost less than is set aside for it
            self._queue.popleft()
            if request.purpose not in self.warm:
                self._warming.add(request.purpose)
            future = self._pool.submit(self._ask, request, document_id, reserved)
            self._under_way[future] = request
        done, _ = wait(self._under_way, seconds, FIRST_COMPLETED)
        answers = {}
        for future in done:
            request = self._under_way.pop(future)
            self._warming.discard(request.purpose)
            self.warm.add(request.purpose)
            answer = future.result()
            self._note(answer)
            answers[request.key] = answer
        return answers

    def close(self) -> None:
        """Ask nothing more. Answers that come within a moment are kept, and later ones as long as the store is open."""
        self._queue.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)
        wait(self._under_way, GRACE_SECONDS)

    def _note(self, answer: LlmAnswer) -> None:
        if not answer.error:
            self._failures = 0
            self.answered = True
            return
        self._failures += 1
        if self._failures >= max(FAILURES_IN_A_ROW, 2 * self._at_once):
            raise LlmUnavailable(
                f"{self._failures} requests in a row failed. {answer.error} All that was answered is kept, and the same"
                " command goes on."
            )

    def _ask(self, request: LlmRequest, document_id: int, reserved: float) -> LlmAnswer:
        """On a thread of the pool."""
        try:
            answer = ask_twice(lambda: self._worker.complete(request))
        except (LlmTimeout, DeadlineExceeded) as error:
            self._spending.release(reserved, lost=True)
            self._database.share(lambda cursor: llm_rows.put_spent(cursor, reserved))
            return LlmAnswer(error=error.message)
        except LlmError as error:
            self._spending.release(reserved)
            return LlmAnswer(error=error.message)
        except BaseException:
            self._spending.release(reserved)
            raise
        usd = self._spending.cost(request.model, answer.usage, batch=False)
        note = asked_request(request, document_id)
        try:
            self._database.share(lambda cursor: llm_rows.put_answer(cursor, note, answer, usd, batched=False))
        finally:
            self._spending.settle(reserved, request.purpose, document_id, answer.usage, usd)
        return answer


def ask_twice(ask: Callable[[], LlmAnswer]) -> LlmAnswer:
    """Ask once more where the worker died under it: the next call starts it again."""
    with contextlib.suppress(WorkerError):
        return ask()
    return ask()
