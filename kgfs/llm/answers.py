"""A model's answer on one passage as records, whatever it is: wrong types, other shapes and too much are left out.

Used by the extractor dialogue; pure. Nothing here looks at the passage: whether it says so is for ``grounding``.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from kgfs.extraction.names.declared.gazetteer import MAX_NAME, entity_type
from kgfs.llm import dates, vocabulary
from kgfs.llm.dates import DateRange
from kgfs.model import DATE_ROLES, STATED, STATUSES
from kgfs.names import fact_type
from kgfs.relation_types import canonical_type

T = TypeVar("T")

MOST = 100
"""Entities, facts and topics of one answer; what is beyond was not read in one passage."""
MAX_TEXT = 2000
_MAX_TYPE = 40
_MAX_ROLE = 100
_SURE = 0.95
"""Confidence that is left out."""
_INDICATOR = re.compile(r"[a-z][a-z0-9_]{1,59}")

NO_OBJECT = "not as the schema says"
TOO_MANY = "too many in one answer"
NO_TYPE = "no type"


class ModelEntity(msgspec.Struct):
    """An entity as the model gave it."""

    name: str
    type: str
    aliases: list[str]
    description: str


class ModelFact(msgspec.Struct):
    """A fact as the model gave it; texts are empty where it gave none."""

    subject: str
    type: str
    object: str
    value_text: str
    value: float | None
    unit: str
    indicator: str
    date_words: str
    when: DateRange
    date_role: str | None
    status: str
    role: str
    confidence: float
    quote: str


class ModelRecords(msgspec.Struct):
    """One answer."""

    entities: list[ModelEntity] = []
    facts: list[ModelFact] = []
    topics: list[list[str]] = []
    summary: str = ""
    dropped: Counter[str] = msgspec.field(default_factory=Counter)
    """``entity: why``, ``fact: why``, ``topic: why`` to how many."""
    examples: list[tuple[str, str]] = []
    """Some of them: why, and what the model gave."""


def read_records(given: dict[str, Any]) -> ModelRecords:
    """The input of ``record_graph`` as records."""
    said = ModelRecords(summary=text_of(given.get("summary")))
    said.entities = _records("entity", given.get("entities"), _entity, said)
    said.facts = _records("fact", _ungrouped(given.get("facts")), _fact, said)
    said.topics = _records("topic", given.get("topics"), _topic, said)
    return said


def _records(kind: str, given: Any, reader: Callable[[Any], T | str], said: ModelRecords) -> list[T]:
    """The records of one list; what is none is counted."""
    records = []
    found = _list(given)
    if len(found) > MOST:
        said.dropped[f"{kind}: {TOO_MANY}"] += len(found) - MOST
    for one in found[:MOST]:
        record = reader(one)
        if isinstance(record, str):
            said.dropped[f"{kind}: {record}"] += 1
            said.examples.append((f"{kind}: {record}", _as_json(one)))
        else:
            records.append(record)
    return records


def _ungrouped(given: Any) -> list[Any]:
    """The facts of quotes, each with what stands beside its quote; one that stands alone is one already."""
    found: list[Any] = []
    for entry in _list(given):
        if not isinstance(entry, dict) or "says" not in entry:
            found.append(entry)
            continue
        beside = {key: value for key, value in entry.items() if key != "says"}
        found += [{**beside, **one} if isinstance(one, dict) else one for one in _list(entry["says"])]
    return found


def _entity(given: Any) -> ModelEntity | str:
    if not isinstance(given, dict):
        return NO_OBJECT
    name = _name(given.get("name"))
    if not name:
        return NO_OBJECT
    kind = text_of(given.get("type"))
    if kind not in vocabulary.ENTITY_TYPES:
        # What is proposed; or a type of no list in the place of one that is.
        kind = _type_of(given.get("proposed_type")) or (_type_of(kind) if kind != vocabulary.OTHER else "")
    if not kind or len(kind) > _MAX_TYPE or not kind.isalnum():
        return NO_TYPE
    aliases = [alias for one in _list(given.get("aliases"))[:MOST] if (alias := _name(one)) and alias != name]
    return ModelEntity(name, kind, list(dict.fromkeys(aliases)), text_of(given.get("description")))


def _type_of(value: Any) -> str:
    """A type that is proposed, in CamelCase; empty for what is none. ``Task`` and ``Report`` are types here."""
    words = re.findall(r"[^\W_]+", text_of(value))
    if not words or len(words) > 3 or not words[0][0].isalpha():
        return ""
    return entity_type(" ".join(words)) or "".join(word[:1].upper() + word[1:] for word in words)


def _fact(given: Any) -> ModelFact | str:
    if not isinstance(given, dict):
        return NO_OBJECT
    subject, quote = _name(given.get("subject")), given.get("quote")
    if not subject or not isinstance(quote, str) or not quote.strip() or len(quote) > MAX_TEXT:
        return NO_OBJECT
    kind = fact_type(text_of(given.get("type")))
    if kind not in vocabulary.FACT_TYPES:
        proposed = text_of(given.get("proposed_type"))
        if not proposed and kind != vocabulary.OTHER.upper():
            proposed = text_of(given.get("type"))
        kind = fact_type(proposed) if any(char.isascii() and char.isalpha() for char in proposed) else ""
    if not kind or len(kind) > _MAX_TYPE or not kind[0].isalpha():
        return NO_TYPE
    target = _name(given.get("object"))
    if target:
        # "WRITTEN_BY" is "WROTE" with the ends changed: one relation has one name, found by a model or by rules.
        kind, turned = canonical_type(kind)
        subject, target = (target, subject) if turned else (subject, target)
    indicator = re.sub(r"[^a-z0-9]+", "_", text_of(given.get("indicator")).lower()).strip("_")
    return ModelFact(
        subject=subject,
        type=kind,
        object=target,
        value_text=text_of(given.get("value_text")),
        value=_number(given.get("value")),
        unit=text_of(given.get("unit"))[:_MAX_TYPE],
        indicator=indicator if _INDICATOR.fullmatch(indicator) else "",
        date_words=text_of(given.get("date_words")),
        when=DateRange(*(dates.date_of(given.get(key)) for key in DateRange._fields)),
        date_role=_one_of(given.get("date_role"), DATE_ROLES),
        status=_one_of(given.get("status"), STATUSES) or STATED,
        role=text_of(given.get("role"))[:_MAX_ROLE],
        confidence=_confidence(given.get("confidence")),
        quote=quote,
    )


def _topic(given: Any) -> list[str] | str:
    path = given.get("path") if isinstance(given, dict) else given
    names = [text_of(one) for one in _list(path)[:4]]
    return names if names and all(names) else NO_OBJECT


def _list(value: Any) -> list[Any]:
    """A list; also one that is written as JSON in a text, or a single thing in its place."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, dict) or (isinstance(value, str) and value) else []


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return f"a {type(value).__name__} that is too deep"


def _name(value: Any) -> str:
    name = text_of(value)
    return name if len(name) <= MAX_NAME else ""


def text_of(value: Any) -> str:
    """A text on one line without what no file should hold; empty for anything else."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        return ""
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a pair, from an escape in JSON
        return ""
    return clean_line(value)


def clean_line(text: str) -> str:
    """A text on one line, without what no file should hold."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _confidence(value: Any) -> float:
    number = _number(value)
    return _SURE if number is None else round(min(_SURE, max(0.3, number)), 2)


def _one_of(value: Any, words: Sequence[str]) -> str | None:
    """A word of a list, whatever its case."""
    word = text_of(value).lower()
    return word if word in words else None
