"""What a run may take, and what it has taken: turns, seconds, tokens, dollars.

Used by the loop. Pure but for the clock.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from kgfs.llm.prices import Price
from kgfs.llm_records import LlmUsage

TURNS = 40
SECONDS = 900.0
DOLLARS = 1.0
"""What a question may take where the user says nothing; dollars only where the model's price is known."""


class Budget(NamedTuple):
    """What a question may take."""

    turns: int = TURNS
    seconds: float = SECONDS
    dollars: float | None = None


class Spent:
    """What a run has taken."""

    def __init__(self, price: Price | None) -> None:
        """``price`` of the model; without it dollars are not known."""
        self._price = price
        self.usage = LlmUsage()
        self.turns = 0
        self.calls = 0
        self._dollars = 0.0
        self._last = 0.0
        self._before = 0.0
        """Seconds of an earlier part of the run."""
        self._began = time.monotonic()

    def add(self, usage: LlmUsage) -> None:
        """A message was paid for."""
        self.turns += 1
        self.usage = LlmUsage(
            input_tokens=self.usage.input_tokens + usage.input_tokens,
            output_tokens=self.usage.output_tokens + usage.output_tokens,
            cache_read_tokens=self.usage.cache_read_tokens + usage.cache_read_tokens,
            cache_write_tokens=self.usage.cache_write_tokens + usage.cache_write_tokens,
        )
        if self._price is not None:
            self._last = self._price.cost(usage)
            self._dollars += self._last

    @property
    def dollars(self) -> float | None:
        return None if self._price is None else self._dollars

    @property
    def next_dollars(self) -> float:
        """What the next message costs, guessed: as much as the last one."""
        return self._last

    @property
    def seconds(self) -> float:
        return self._before + time.monotonic() - self._began

    def told(self) -> dict[str, Any]:
        """The numbers, for ``cost.json``."""
        return {
            "turns": self.turns,
            "calls": self.calls,
            "input_tokens": self.usage.input_tokens,
            "output_tokens": self.usage.output_tokens,
            "cache_read_tokens": self.usage.cache_read_tokens,
            "cache_write_tokens": self.usage.cache_write_tokens,
            "dollars": None if self.dollars is None else round(self.dollars, 6),
            "seconds": round(self.seconds, 1),
        }

    def resume(self, told: dict[str, Any]) -> None:
        """Go on from the numbers of an earlier part of the run; what is no number there is 0."""

        def number(name: str) -> float:
            value = told.get(name)
            return value if isinstance(value, int | float) and value > 0 else 0

        self.turns, self.calls = int(number("turns")), int(number("calls"))
        self.usage = LlmUsage(
            input_tokens=int(number("input_tokens")), output_tokens=int(number("output_tokens")),
            cache_read_tokens=int(number("cache_read_tokens")), cache_write_tokens=int(number("cache_write_tokens")),
        )  # fmt: skip
        self._dollars, self._before = float(number("dollars")), float(number("seconds"))


class Meter:
    """What is left of a budget since a question was asked."""

    def __init__(self, budget: Budget, spent: Spent) -> None:
        self._budget, self._spent = budget, spent
        self._turns, self._seconds, self._dollars = spent.turns, spent.seconds, spent.dollars or 0.0

    def ended(self) -> str | None:
        """Which part of the budget has ended, as a stop reason, or would with another message."""
        if self._spent.turns - self._turns >= self._budget.turns:
            return "turns"
        if self._spent.seconds - self._seconds >= self._budget.seconds:
            return "seconds"
        if self._budget.dollars is None or self._spent.dollars is None:
            return None
        # The last answer, without tools, is paid for as well.
        spent = self._spent.dollars - self._dollars + self._spent.next_dollars
        return "dollars" if spent > self._budget.dollars else None
