"""A model by rules, for tests: reads what the chunker and the extractor put before a model, and answers plausibly.

``reply`` is what ``llm_server.LlmServer`` wants; ``talk`` drives one dialogue with any function of a request. The rules
are not those of the offline extractor: names are runs of capitals, facts a few verbs, passages what stands under a
heading.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from kgfs.llm_records import LlmAnswer, LlmRequest

T = TypeVar("T")

_INSIDE = re.compile(r"<passage (\w+)>\n(?P<head>.*?)\n\n(?P<text>.*)\n</passage \1>", re.S)
_NAME = r"[A-Z][\w’'-]+(?: (?:of |and )?[A-Z][\w’'-]+)*"
_FACTS = (
    ("ACQUIRED", "Organization", "Organization", rf"(?P<s>{_NAME}) (?:acquired|bought) (?P<o>{_NAME})(?P<when> in (?:\w+ )?\d{{4}})?"),
    ("FOUNDED", "Person", "Organization", rf"(?P<s>{_NAME}) founded (?P<o>{_NAME})(?P<when> in \d{{4}})?"),
    ("CHIEF_EXECUTIVE_OF", "Person", "Organization", rf"(?P<s>{_NAME}) (?:is|was) the chief executive of (?P<o>{_NAME})(?P<when> (?:since|until) \d{{4}})?"),
    ("HEADQUARTERED_IN", "Organization", "Location", rf"(?P<s>{_NAME}) is headquartered in (?P<o>{_NAME})"),
)  # fmt: skip
_REPORTED = re.compile(rf"(?P<s>{_NAME})[^.\n]*?(?P<value>(?:rose|fell|grew|declined|increased)(?: \w+ly)?)")
_STOP = frozenset(
    "The In On At A An It This That These But And For With From As By To Of Since When While After".split()
)


def passage_of(content: str) -> tuple[str, str]:
    """What stands above a passage (title, date, headings), and the passage."""
    found = _INSIDE.search(content)
    assert found is not None, content
    return found["head"], found["text"]


def reply(request: dict[str, Any]) -> dict[str, Any]:
    """The tool's input for a request as the Messages API has it."""
    content = request["messages"][-1]["content"]
    text = content if isinstance(content, str) else "".join(block.get("text", "") for block in content)
    return answer(request["tools"][0]["name"], text)


def answer(tool: str, content: str) -> dict[str, Any]:
    """The input of the chunker's, the extractor's, the judge's or the topics' tool."""
    if tool == "record_topics":
        return _topics(content)
    if tool == "record_types":
        return {"types": []}
    if tool == "record_verdicts":
        return {"verdicts": []}
    _, text = passage_of(content)
    if tool == "record_document":
        return _card(text)
    return _chunks(text) if tool == "propose_chunks" else _graph(text, "Recorded of it already" in content)


def _topics(content: str) -> dict[str, Any]:
    offered, *asked = (json.loads(line) for line in content.splitlines()[1:-1])
    above = "economy" if "economy" in offered["there_are"] else ""
    return {
        "topics": [
            {
                "topic": one["topic"],
                "definition": f"{one['name'].capitalize()} are what people here speak of.",
                "parent": above if one["name"] != above else "",
            }
            for one in asked
        ]
    }


def _card(text: str) -> dict[str, Any]:
    first = re.search(r"[A-Z][^.\n]{10,150}\.", text)
    return {"description": first[0] if first else "", "summary": first[0] if first else "", "names": []}


def _chunks(lines: str) -> dict[str, Any]:
    numbered = [line.partition(": ") for line in lines.split("\n")]
    numbers = [int(number.rstrip(":")) for number, _, _ in numbered]
    starts = [numbers[0]]
    for number, (_, _, line) in zip(numbers, numbered, strict=True):
        if line.startswith("#") and number - starts[-1] > 2:
            starts.append(number)
    ends = [start - 1 for start in starts[1:]] + [numbers[-1]]
    return {"chunks": [{"start_line": a, "end_line": b} for a, b in zip(starts, ends, strict=True)]}


def _graph(text: str, glean: bool) -> dict[str, Any]:
    types: dict[str, str] = {}
    facts = []
    for kind, subject_type, object_type, pattern in () if glean else _FACTS:
        for found in re.finditer(pattern, text):
            types.setdefault(found["s"], subject_type)
            types.setdefault(found["o"], object_type)
            when = (found.groupdict().get("when") or "").strip()
            facts.append(
                {"subject": found["s"], "type": kind, "object": found["o"], "quote": found[0], "date_words": when,
                 "confidence": 0.9}
            )  # fmt: skip
    for found in () if glean else _REPORTED.finditer(text):
        if found["s"].split()[0] not in _STOP:
            types.setdefault(found["s"], "Location")
            facts.append(
                {"subject": found["s"], "type": "REPORTED", "value_text": found["value"], "quote": found[0],
                 "confidence": 0.8}
            )  # fmt: skip
    for found in () if glean else re.finditer(rf"(?<![.!?] )(?<!^)(?<!\n){_NAME}", text):
        if found[0].split()[0] not in _STOP and len(found[0]) > 3:
            types.setdefault(found[0], "Organization" if " " in found[0] else "Location")
    words = sorted(set(re.findall(r"\b(?:wages|tourism|prices|manufacturing|farming|robotics)\b", text)))
    first = re.search(r"[A-Z][^.\n]{10,150}\.", text)
    return {
        "entities": [{"name": name, "type": kind, "aliases": [], "description": ""} for name, kind in types.items()],
        "facts": facts,
        "topics": [["economy", word] for word in words],
        "summary": first[0] if first else "",
    }


def talk(
    dialogue: Generator[Sequence[LlmRequest], Sequence[LlmAnswer], T],
    model: Callable[[LlmRequest], LlmAnswer | dict[str, Any] | None],
) -> T:
    """Bring one dialogue to its end; ``model`` answers with a tool's input, ``None`` for no use of it, or an answer."""

    def answered(request: LlmRequest) -> LlmAnswer:
        said = model(request)
        return said if isinstance(said, LlmAnswer) else LlmAnswer(input=said, stop_reason="tool_use")

    try:
        requests = next(dialogue)
        while True:
            requests = dialogue.send([answered(request) for request in requests])
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
