"""What reading documents with a language model will take, before anything is asked: for ``kgfs add --dry-run``.

Used by the pipeline, on the jobs thread. The requests are those that the dialogues begin with, so their number and size
are right but for what depends on answers: chunks that the model proposes, second looks, halves of what was cut off,
topics. How long answers are is a rule of thumb.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from pathlib import Path

import msgspec

from kgfs.config import Config
from kgfs.documents.tokens import count_tokens
from kgfs.llm.asking import Dialogue
from kgfs.llm.choice import AUTO, LLM, within_reach
from kgfs.llm.chunking import STRUCTURAL, PassageSizes, propose_chunks
from kgfs.llm.consolidation import AT_ONCE, TOPICS_SYSTEM
from kgfs.llm.extraction import read_document
from kgfs.llm.prices import AS_OF, BATCH_SHARE, price_of
from kgfs.llm_records import LlmAnswer, LlmRequest, LlmUsage
from kgfs.model import ParsedDocument
from kgfs.pipeline.file_read import preview_document
from kgfs.pipeline.model_reading import is_read_by_model
from kgfs.pipeline.run import Run

TOKENS_A_PIECE = 1.35
"""Tokens of a language model for one of ``count_tokens``: 1.0 to 1.1 with older tokenizers, 30 % more with newer ones
(models' migration guides)."""
ANSWERS = {"chunk": 0.1, "extract": 4.0}
"""Tokens of an answer for each token of the passage, by purpose: ranges of lines; entities and facts with quotes."""
LEAST_ANSWER = 60
_NAME_TOKENS = 4
"""Tokens of a topic's name. All requests about topics hold the names of all topics."""
TOPICS_PER_ROOT = 2.5
"""Topics per square root of the number of passages (``kgfs.graph.topics.selection``)."""
TOPIC_TOKENS = (250, 45)
"""Tokens for one topic: in, words of the documents; out, a definition."""
SECOND_LOOKS = 1.1
"""Requests a passage: a second look follows where a fact was refused, in one of 40 passages (``scripts/bench replay``)
to one in ten."""
CARD_TOKENS = 150
"""Of a card above a passage, and as many in the answer that it comes from."""


class Estimate(msgspec.Struct, kw_only=True, frozen=True):
    """What a language model would take, about."""

    model: str
    documents: int
    chunks: int
    requests: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    """``None`` where the price of the model is not known."""
    batch_usd: float | None
    """With ``--batch``."""
    prices_of: str = AS_OF


def estimate_reading(run: Run, places: Sequence[Path], extractor: str) -> Estimate | None:
    """What a language model would take to read files of the host, which are parsed for this; ``None`` where none would.

    ``Cancelled`` when the run stops.
    """
    if extractor != LLM and not (extractor == AUTO and within_reach(run.config)):
        return None
    account = EstimateSum(run.config)
    for done, place in enumerate(places):
        run.report("count", done, len(places))
        run.check()
        document = preview_document(run, place)
        if document is not None:
            account.add(document)
    run.report("count", len(places), len(places))
    return account.total()


class EstimateSum:
    """Adds up documents."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._documents = self._chunks = 0
        self._requests = 0.0
        self._stable = self._fresh = self._output = 0.0
        self._kept: dict[str, int] = {}
        """Tokens of the stable beginnings of requests."""

    def add(self, document: ParsedDocument) -> None:
        """Count a document, if a model would read it."""
        if not is_read_by_model(document):
            return
        self._documents += 1
        self._chunks += len(document.chunks)
        config = self._config
        passage = sum(chunk.tokens for chunk in document.chunks)
        if config.chunker != STRUCTURAL:
            sizes = PassageSizes(config.chunk_tokens_min, config.chunk_tokens_max)
            self._count(_first(propose_chunks(document, config.llm_model, sizes)), passage * ANSWERS["chunk"], 1.0)
        looks = SECOND_LOOKS if config.llm_glean else 1.0
        dialogue = read_document(document, config.llm_model, glean=config.llm_glean)
        cards, passages = _asked_for(dialogue)
        self._count(cards, 2.0 * CARD_TOKENS * len(cards), 1.0)
        self._count(passages, passage * ANSWERS["extract"], looks)
        self._fresh += looks * CARD_TOKENS * len(passages) * bool(cards)

    def _count(self, requests: list[LlmRequest], answer: float, times: float) -> None:
        for request in requests:
            beginning = request.system + msgspec.json.encode(request.tool).decode()
            if beginning not in self._kept:
                self._kept[beginning] = count_tokens(beginning)
            self._stable += times * self._kept[beginning]
            self._fresh += times * count_tokens(request.content)
        self._requests += times * len(requests)
        self._output += times * max(answer, LEAST_ANSWER * len(requests))

    def _count_topics(self) -> None:
        """Count what is asked of topics when all is read. The instructions are too short to be kept by servers."""
        topics = TOPICS_PER_ROOT * math.sqrt(self._chunks)
        requests = math.ceil(topics / AT_ONCE)
        self._requests += requests
        self._fresh += requests * (count_tokens(TOPICS_SYSTEM) + topics * _NAME_TOKENS) + topics * TOPIC_TOKENS[0]
        self._output += topics * TOPIC_TOKENS[1]

    def total(self) -> Estimate:
        """All of it."""
        self._count_topics()
        config = self._config
        stable, fresh = round(self._stable * TOKENS_A_PIECE), round(self._fresh * TOKENS_A_PIECE)
        output = round(self._output)
        price = price_of(config.llm_model, config.llm_prices)
        usd = None
        if price is not None:
            keeps = all(count * TOKENS_A_PIECE >= price.cache_least for count in self._kept.values())
            usage = LlmUsage(
                input_tokens=fresh + (0 if keeps else stable),
                cache_read_tokens=stable if keeps else 0,
                output_tokens=output,
            )
            # All together may be longer than a request that costs more for its length; none of them is.
            usd = msgspec.structs.replace(price, long_above=0).cost(usage)
        return Estimate(
            model=config.llm_model,
            documents=self._documents,
            chunks=self._chunks,
            requests=round(self._requests),
            input_tokens=stable + fresh,
            output_tokens=output,
            usd=usd,
            batch_usd=None if usd is None else usd * BATCH_SHARE,
        )


def _asked_for(dialogue: Dialogue[object]) -> tuple[list[LlmRequest], list[LlmRequest]]:
    """The request for a document's card, if there is one, and those for its passages."""
    with contextlib.closing(dialogue):
        requests = list(next(dialogue, ()))
        if not requests or requests[0].purpose != "card":
            return [], requests
        return requests, list(dialogue.send([LlmAnswer(error="not asked yet")]))


def _first(dialogue: Dialogue[object]) -> list[LlmRequest]:
    """What a dialogue asks first."""
    with contextlib.closing(dialogue):
        return list(next(dialogue, ()))
