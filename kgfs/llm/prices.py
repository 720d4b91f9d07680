"""What tokens of language models cost, in US dollars.

Used by whatever counts costs; pure. The table is Anthropic's list of ``AS_OF`` (platform.claude.com, "Pricing"); the
setting ``llm_prices`` adds to it or overrules it. A model that neither has costs nobody knows what.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kgfs.llm_records import LlmUsage

AS_OF = "2026-10-24"
MILLION = 1_000_000
BATCH_SHARE = 0.5
"""What a request in a batch costs of the price of one by itself."""

_DATE = re.compile(r"-20\d{6}$")


class Price(msgspec.Struct, frozen=True):
    """Of a model: dollars a million tokens."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    """For five minutes."""
    long_above: int = 0
    """A request that reads more tokens than this costs ``long_factor`` times as much; 0 for never."""
    long_factor: float = 1.0
    cache_least: int = 1024
    """The server keeps no shorter beginnings of requests."""

    def cost(self, usage: LlmUsage, *, batch: bool = False) -> float:
        """What an answer cost, in dollars."""
        read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        dollars = (
            usage.input_tokens * self.input
            + usage.output_tokens * self.output
            + usage.cache_read_tokens * self.cache_read
            + usage.cache_write_tokens * self.cache_write
        ) / MILLION
        if self.long_above and read > self.long_above:
            dollars *= self.long_factor
        return dollars * (BATCH_SHARE if batch else 1.0)

    def most(self, input_tokens: int, output_tokens: int, *, batch: bool = False) -> float:
        """What an answer costs at most: all that is read is written to the cache, all that may be said is said."""
        return self.cost(LlmUsage(cache_write_tokens=input_tokens, output_tokens=output_tokens), batch=batch)


def _price(input: float, output: float, cache_read: float = 0.1, **more: Any) -> Price:
    """``cache_read`` as a share of ``input``; writing the cache costs a quarter more than ``input``."""
    return Price(input, output, cache_read * input, 1.25 * input, **more)


PRICES: dict[str, Price] = {
    "claude-haiku-4-5": _price(1, 5, cache_least=4096),
    "claude-haiku-5-5": _price(0.1, 0.5, long_above=100_000, long_factor=5, cache_least=512),
    "claude-opus-4-5": _price(5, 25),
    "claude-opus-4-6": _price(5, 25),
    "claude-opus-4-7": _price(5, 25),
    "claude-opus-4-8": _price(5, 25),
    "claude-opus-5": _price(5, 25),
    "claude-opus-5-5": _price(4, 20, 0.05),
    "claude-sonnet-4-5": _price(3, 15),
    "claude-sonnet-4-6": _price(3, 15),
    "claude-sonnet-5": _price(2, 10),
    "claude-sonnet-5-5": _price(2, 10, 0.05),
}
"""By the name without its date."""


def price_of(model: str, own: Mapping[str, Sequence[float]]) -> Price | None:
    """The price of a model; ``own`` is the setting ``llm_prices``, which is looked at first. ``None`` if unknown."""
    given = own.get(model)
    if given is not None and len(given) >= 2:
        input, output, *cache = given
        read = cache[0] if cache else 0.1 * input
        write = cache[1] if len(cache) > 1 else 1.25 * input
        return Price(input, output, read, write)
    return PRICES.get(_DATE.sub("", model))
