"""Dialogues with a language model, driven: answers from the store where they are there, from the worker where not.

Used by the passes that read with a model, on the jobs thread, by way of ``Run.asker``. A *dialogue* is a generator
that yields a list of requests, is sent as many answers in their order, and returns what it found. It is pure: it may be
driven again from the start at any time, and then yields the same requests.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeVar

from kgfs.model import LlmAnswer, LlmRequest

T = TypeVar("T")

Dialogue = Generator[Sequence[LlmRequest], Sequence[LlmAnswer], T]


class Asker:
    """Asks a model what dialogues want to know; one a run."""

    def drive(self, dialogues: Sequence[Dialogue[T]], documents: Sequence[int] = ()) -> list[T]:
        """Bring dialogues to their ends, many at once; what they return, in their order.

        ``documents`` says for which document (row id) each dialogue is, for the costs; 0, or nothing, is for none.
        An answer whose ``error`` is not empty failed for good (a refused or malformed answer, a server that stays
        overloaded): the dialogue finds another way. Raised are ``LlmUnavailable`` (no key, refused key, unknown model,
        nobody answers), ``BudgetError`` (the next request could pass ``--budget``) and ``Cancelled``: every answer that
        had come is kept, and the same dialogues driven again ask only for the others.
        """
        raise NotImplementedError
