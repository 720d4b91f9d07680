"""What a run spends on a language model: counted by stage and document, and held below a budget.

Used by what asks (``requests``, ``batches``), from all their threads. A request is *reserved* at the most that it can
cost before it is sent and *settled* at what it did cost, so that the budget holds with many under way.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import Any

import msgspec

from kgfs.config import Config
from kgfs.errors import BudgetError, UsageError
from kgfs.llm.prices import AS_OF, Price, price_of
from kgfs.llm_records import LlmRequest, LlmUsage

OVERHEAD_TOKENS = 1_000
"""What a server may add to a request that has a tool (346 to 700 tokens by the API reference)."""


class _Sum:
    """Tokens and dollars of some answers."""

    def __init__(self) -> None:
        self.requests = 0
        self.usage = LlmUsage()
        self.usd: float | None = 0.0

    def add(self, usage: LlmUsage, usd: float | None) -> None:
        self.requests += 1
        counts = msgspec.structs.asdict(usage)
        self.usage = LlmUsage(**{name: count + getattr(self.usage, name) for name, count in counts.items()})
        self.usd = None if usd is None or self.usd is None else self.usd + usd

    def shown(self) -> dict[str, Any]:
        usd = None if self.usd is None else round(self.usd, 6)
        return {"requests": self.requests, **msgspec.structs.asdict(self.usage), "usd": usd}


def most_tokens(request: LlmRequest) -> int:
    """More tokens than a request has for any tokenizer that works on bytes: as many as bytes."""
    tool = msgspec.json.encode(request.tool)
    return len(request.system.encode()) + len(request.content.encode()) + len(tool) + OVERHEAD_TOKENS


class Spending:
    """The account of one run."""

    def __init__(self, config: Config, budget: float | None = None, before: float = 0.0) -> None:
        """``budget`` in US dollars; ``before``: what other runs spent today, which ``llm_budget_per_day`` counts too.

        ``UsageError`` with a bound where the price of the model is not known.
        """
        self._config = config
        self.budget = budget
        self._today = max(0.0, config.llm_budget_per_day - before) if config.llm_budget_per_day > 0 else None
        self.kept = 0
        """How many answers were there already."""
        self._lock = threading.Lock()
        self._reserved = 0.0
        self._lost = 0.0
        """What was reserved for requests without an answer that may have been paid for."""
        self._total = _Sum()
        self._stages: defaultdict[str, _Sum] = defaultdict(_Sum)
        self._documents: defaultdict[int, _Sum] = defaultdict(_Sum)
        if budget is not None and not budget > 0:
            raise UsageError("--budget is a number of US dollars above 0.")
        if self._bound is not None and self.price(config.llm_model) is None:
            bound = "llm_budget_per_day" if budget is None else "--budget"
            raise UsageError(
                f"The price of {config.llm_model} is not known, so {bound} cannot hold; state it with `kgfs config"
                f" llm_prices '{{\"{config.llm_model}\": [INPUT, OUTPUT]}}'` (US dollars a million tokens)."
            )

    @property
    def _bound(self) -> float | None:
        """What this run may spend; ``None`` is any."""
        return min((one for one in (self.budget, self._today) if one is not None), default=None)

    @property
    def left(self) -> float | None:
        """What may still be spent, in dollars; ``None`` is any."""
        with self._lock:
            return None if self._bound is None else max(0.0, self._bound - self._committed)

    @property
    def _committed(self) -> float:
        return (self._total.usd or 0.0) + self._lost + self._reserved

    def price(self, model: str) -> Price | None:
        """The price of a model, if it is known."""
        return price_of(model, self._config.llm_prices)

    @property
    def spent(self) -> bool:
        """Whether anything was asked or found."""
        return bool(self._total.requests or self.kept)

    def reserve(self, request: LlmRequest, *, batch: bool = False) -> float | None:
        """Set aside what a request may cost; ``None`` where the budget does not leave that much."""
        price = self.price(request.model)
        most = price.most(most_tokens(request), request.max_tokens, batch=batch) if price is not None else 0.0
        with self._lock:
            if self._bound is not None and (price is None or self._committed + most > self._bound):
                return None
            self._reserved += most
        return most

    def release(self, reserved: float, *, lost: bool = False) -> None:
        """A request has no answer; ``lost``: it may have been paid for."""
        with self._lock:
            self._reserved -= reserved
            self._lost += reserved if lost else 0.0

    def cost(self, model: str, usage: LlmUsage, *, batch: bool) -> float | None:
        """What an answer cost, in dollars, if that is known."""
        price = self.price(model)
        return None if price is None else price.cost(usage, batch=batch)

    def settle(self, reserved: float, purpose: str, document_id: int, usage: LlmUsage, usd: float | None) -> None:
        """An answer came and was kept."""
        with self._lock:
            self._reserved -= reserved
            self._total.add(usage, usd)
            self._stages[purpose].add(usage, usd)
            if document_id:
                self._documents[document_id].add(usage, usd)

    def exhausted(self) -> BudgetError:
        """What to raise where nothing more may be asked."""
        with self._lock:
            spent = (self._total.usd or 0.0) + self._lost
        if self._bound != self.budget:
            before = self._config.llm_budget_per_day - (self._today or 0.0)
            return BudgetError(
                f"llm_budget_per_day ({self._config.llm_budget_per_day:g} USD) leaves too little for the next request:"
                f" {before + spent:.4f} USD are spent today (UTC). What was answered is kept; tomorrow, or with a"
                " larger setting, the same command goes on."
            )
        return BudgetError(
            f"The budget of {self.budget:g} USD leaves too little for the next request: {spent:.4f} USD are spent."
            " What was answered is kept; the same command with a larger --budget goes on from there."
        )

    def document_ids(self) -> list[int]:
        """The documents for which something was paid."""
        with self._lock:
            return sorted(self._documents)

    def shown(self, refs: dict[int, str]) -> dict[str, Any]:
        """All of it as JSON: totals, by stage, and by document (``refs``: what each is called)."""
        with self._lock:
            return {
                **self._total.shown(),
                "kept": self.kept,
                "model": self._config.llm_model,
                "prices_of": AS_OF,
                **({"budget_usd": self.budget} if self.budget is not None else {}),
                **({"unanswered_usd": round(self._lost, 6)} if self._lost else {}),
                "stages": {stage: self._stages[stage].shown() for stage in sorted(self._stages)},
                "documents": {
                    ref: self._documents[number].shown() for number, ref in refs.items() if number in self._documents
                },
            }
