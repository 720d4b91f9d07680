"""What a language model's path makes of twelve documents, and what that costs, beside reading them offline.

    scripts/bench replay [--json FILE]

The documents and the answers of a careful reader are those of ``tests/replayed_reading.py``; no server is asked. Of
each document: its words, facts that the answers have, that are kept, that are kept with a date, role or number changed,
and facts and entities of the offline extractor beside those of the model. Tokens are counted by the estimate that
``kgfs add --dry-run`` uses; what requests begin with is read from the server's cache but for the first of a kind.
``before`` is what the same answers cost in the form of prompt version ``extract-3``: a quote with each fact, every
field written, a second look at every dense passage with topics and a summary again, no card. ``now`` leaves out of the
recorded answers what the instructions say to leave out since: names of the card, summaries of passages.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kgfs.config import Config
from kgfs.documents.tokens import count_tokens
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.llm.prices import price_of
from kgfs.llm_records import LlmRequest, LlmUsage
from kgfs.pipeline.estimate import TOKENS_A_PIECE
from tests import replayed_reading
from tests.replayed_reading import ReplayedReading, facts_said

BEFORE_INSTRUCTIONS = 5002
"""Pieces (``count_tokens``) of the instructions and the tool of ``extract-3``."""
_CARD = ("Names: ", "We: ", "Author: ")
_WRITTEN = ("subject", "type", "object", "value_text", "value", "unit", "indicator", "date_words", "date", "quote")


class Tokens(NamedTuple):
    """Tokens of requests."""

    fresh: float
    kept: float
    """Read from the server's cache."""
    written: float
    """Into it."""
    out: float

    def usd(self) -> float:
        """At the prices of the default model."""
        config = Config()
        price = price_of(config.llm_model, config.llm_prices)
        assert price is not None, "the default model has a price"
        return msgspec.structs.replace(price, long_above=0).cost(
            LlmUsage(
                input_tokens=round(self.fresh),
                cache_read_tokens=round(self.kept),
                cache_write_tokens=round(self.written),
                output_tokens=round(self.out),
            )
        )


def text_of(given: Any) -> str:
    return json.dumps(given, ensure_ascii=False)


def as_before(given: dict[str, Any]) -> dict[str, Any]:
    """An answer in the form of ``extract-3``."""
    facts = []
    for quote in given.get("facts", ()):
        beside = {key: value for key, value in quote.items() if key != "says"}
        for one in quote["says"]:
            said = {"date_words": "", "confidence": 0.95, **beside, **one}
            facts.append({key: said[key] for key in (*_WRITTEN, "valid_from", "valid_to", "confidence") if key in said})
    return {
        "entities": [{"aliases": [], "description": "", **one} for one in given.get("entities", ())],
        "facts": facts,
        "topics": [{"path": path} for path in given.get("topics", ())],
        "summary": given.get("summary", ""),
    }


def now(read: list[ReplayedReading]) -> Tokens:
    seen: set[str] = set()
    fresh = kept = written = out = 0.0
    for one in read:
        for asked in one.requests:
            fresh += count_tokens(asked.request.content)
            out += count_tokens(text_of(asked.answer))
            beginning = _beginning(asked.request)
            size = count_tokens(beginning)
            kept, written = (kept + size, written) if beginning in seen else (kept, written + size)
            seen.add(beginning)
    return Tokens(*(number * TOKENS_A_PIECE for number in (fresh, kept, written, out)))


def before(read: list[ReplayedReading]) -> Tokens:
    fresh = out = 0.0
    count = 0
    for one in read:
        for asked in one.requests:
            if asked.request.purpose != "extract":
                continue
            lines = asked.request.content.split("\n")
            shown = count_tokens("\n".join(line for line in lines if not line.startswith(_CARD)))
            fresh += shown
            first = as_before(asked.answer)
            out += count_tokens(text_of(first))
            count += 1
            second = one.recorded.get(("glean", asked.passage))
            if second is not None:  # a second look: it was shown what was recorded, and said topics and summary again
                names = [entity["name"] for entity in first["entities"]]
                facts = [[fact.get("subject"), fact["type"], fact.get("object")] for fact in first["facts"]]
                fresh += shown + count_tokens(text_of({"entities": names, "facts": facts}))
                again = {key: asked.answer[key] for key in ("topics", "summary") if key in asked.answer}
                out += count_tokens(text_of(as_before({**again, **second})))
                count += 1
    sizes = (fresh, (count - 1) * BEFORE_INSTRUCTIONS, BEFORE_INSTRUCTIONS, out)
    return Tokens(*(number * TOKENS_A_PIECE for number in sizes))


def _beginning(request: LlmRequest) -> str:
    return request.system + text_of(request.tool.input_schema)


def table(read: dict[str, ReplayedReading]) -> list[dict[str, Any]]:
    """A row a document."""
    known = make_gazetteer([stated_names(one.document) for one in read.values()])
    rows = []
    for name, one in read.items():
        assert one.reading.extraction is not None
        offline, _ = extract_by_rule(one.document, known)
        dropped = one.reading.dropped
        rows.append(
            {
                "document": name,
                "words": len((one.document.text or "").split()),
                "said": facts_said(one.requests),
                "kept": len(one.reading.extraction.facts),
                "changed": sum(n for why, n in dropped.items() if why.startswith(("date:", "role:", "value:"))),
                "entities": len(one.reading.extraction.entities),
                "offline_facts": len(offline.facts),
                "offline_entities": len(offline.entities),
            }
        )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    read = {path.name: replayed_reading.replay(path) for path in replayed_reading.documents()}
    rows = table(read)
    total = Counter[str]()
    print(f"{'document':38} words  said  kept changed  entities | offline: facts entities")
    for row in rows:
        total.update({key: value for key, value in row.items() if key != "document"})
        print(_line(row))
    print(_line({"document": "all", **total}))
    size = sum(len((one.document.text or "").encode()) for one in read.values()) / 1e6
    short = [replayed_reading.replay(path, short=True) for path in replayed_reading.documents()]
    costs = {"before": before(list(read.values())), "now": now(short)}
    for name, tokens in costs.items():
        print(
            f"{name:7} {tokens.fresh:9,.0f} in, {tokens.kept:9,.0f} from the cache, {tokens.written:7,.0f} into it,"
            f" {tokens.out:7,.0f} out: {tokens.usd() / size:.3f} USD a MB"
        )
    share = 1 - costs["now"].usd() / costs["before"].usd()
    print(f"less by {share:.1%}")
    if arguments.json:
        found = {name: {**tokens._asdict(), "usd_a_mb": tokens.usd() / size} for name, tokens in costs.items()}
        arguments.json.write_text(json.dumps({"documents": rows, "costs": found}, indent=2))
    return 0


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['document']:38} {row['words']:5} {row['said']:5} {row['kept']:5} {row['changed']:7}"
        f" {row['entities']:9} | {row['offline_facts']:14} {row['offline_entities']:8}"
    )


if __name__ == "__main__":
    sys.exit(main())
