"""A record: a name and its fields, each with the place in the text that says it.

Used by the readers of this package, which make them, and by extraction; pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from kgfs.documents.dates import find_dates
from kgfs.documents.records.foreign_keys import english_word

MAX_RECORDS = 2000
"""Of a longer table the first rows are records; the others are found by search."""
MAX_FIELDS = 60
MAX_LISTED = 50
"""Values of a list; the others are found by search."""
MAX_NAME = 120
MAX_VALUE = 1000

_DESCRIPTIONS = frozenset({"description", "summary", "about", "definition", "mission", "purpose"})

KIND_KEYS = frozenset({"art", "entity_type", "kind", "type"})
"""Keys of what something is, and not only of what it is sorted by: *category*."""

Shape = Literal["row", "cells", "mapping", "card", "event", "message", "lines", "box", "front"]
"""Where a record stands: a row of a data file, a row of a table in a text, an object of YAML or JSON, a vCard, an event
of a calendar, the header of a message, ``Key: value`` lines, the box on a page, front matter."""


@dataclass(slots=True)
class Field:
    """One value; a list is several fields of one key."""

    key: str
    """As written: a column's header, a key."""
    value: str
    start: int
    end: int
    """What says it, in characters of the document's text."""
    listed: bool = False
    """It is one of several values."""


@dataclass(slots=True)
class Record:
    """What one row, mapping or card says."""

    name: str
    """Empty where the record is about what the document is about."""
    kind: str
    """What it is, as the document says; empty where nothing does."""
    shape: Shape
    start: int
    end: int
    fields: list[Field] = field(default_factory=list)
    key: str = ""
    """What other records call it by: its number or short name."""
    of_page: bool = False
    """It is about what the page is about."""
    says: Field | None = None
    """What says its kind, where a field of its own does: ``type: ketch``."""

    def description(self) -> str:
        """What it says of itself in a sentence; empty where it has no such field."""
        return next(
            (one.value for one in self.fields if one.key.lower() in _DESCRIPTIONS and len(one.value) <= 300), ""
        )


_LOOKED_AT = 200
_UNIT = (
    r"%|percent|[kKmMbB]|bn|million|billion|thousand|[kMGT]i?B|[a-zµ°]{1,3}|[$€£¥]|USD|EUR|GBP|CHF|hours?|days?|weeks?|"
    r"months?|years?|min(?:utes?)?|Mio\.?|Mrd\.?|(?:[^\W\d_]\.?(?<![A-Za-z])){1,4}"
)
_NUMBER = re.compile(rf"[-+−(]?(?:US|C|A)?[$€£¥]?\s?[-+−]?\d[\d.,'\u00a0\u202f ]*\)?\s?(?:{_UNIT})?")
_ADDRESS = re.compile(
    r"(?:mailto:)?[\w.+%'-]+@[\w-]+(?:\.[\w-]+)+|(?:https?|ftp|file|git|ssh)://\S+|www\.\S+|mailto:\S+"
)
_PLACE = re.compile(
    r"(?:[~.]{0,2}/|[A-Za-z]:\\)\S*|\S*/\S*\.\w{1,5}|[\w-]+\.(?:md|txt|pdf|html?|csv|json|ya?ml|png|jpe?g|py)"
)
_PHONE = re.compile(r"\+?[\d() ./-]{7,}(?:x\d+)?")
_WORDS_FOR_NOTHING = frozenset(
    "- – — n/a na none null nil unknown tbd tba todo ? x ✓ ✔ ✗ ✘ yes no true false on off y n ~ any all other others "
    "total sum average mean median varies various same see not applicable required optional default "
    "keine keiner kein unbekannt offen ohne ja nein aucun aucune inconnu oui ninguno ninguna desconocido nessuno "
    "nenhum нет да неизвестно 无 無 未定 待定 暂无 未知 是 否 なし 無し 不明 없음 미정".split()
) | {"not applicable"}
_SENTENCE_END = re.compile(r"[!?;:]$|(?P<last>[^\W\d_]{3,})\.(?:$|\s+[A-Z])|[!?] [A-Z]")
_SHORTENED = frozenset("Inc Ltd Corp LLC Bros Plc GmbH Esq Ph.D Sgt Col Gen Capt Prof Rev Hon Ave Blvd etc".split())


def is_nothing(value: str) -> bool:
    """Whether a value says that there is none, or only yes or no."""
    return value.strip().lower() in _WORDS_FOR_NOTHING or not any(char.isalnum() for char in value)


def is_plain_value(value: str) -> bool:
    """Whether a value is no name, whatever the column: a number, a date, an address, a path, yes or no."""
    text = value.strip()[:_LOOKED_AT]
    if is_nothing(text) or _NUMBER.fullmatch(text) or _ADDRESS.fullmatch(text) or _PHONE.fullmatch(text):
        return True
    if _PLACE.fullmatch(text) or not any(char.isalpha() for char in text):
        return True
    dates = find_dates(text)
    return len(dates) >= 1 and sum(span.end - span.start for span in dates) >= 0.6 * len(text)


def has_no_case(name: str) -> bool:
    """Whether a name is in a script without capitals, which show names elsewhere: *北京*, *서울*."""
    first = name[:1]
    return first.isalpha() and first.lower() == first.upper()


_ONE_WORD = re.compile(
    r"BitBucket|GitHub|GitLab|LinkedIn|OpenID|ResearchGate|WhatsApp|WordPress|YouTube|JavaScript|TypeScript"
)
"""Names that are written like two words; keys are often called after them."""


def may_be_name(value: str) -> bool:
    """Whether a value can be a name by its shape: short, with letters, no value, no sentence."""
    text = value.strip()
    if not 2 <= len(text) <= MAX_NAME or len(text.split()) > 10 or is_plain_value(text):
        return False
    ends = _SENTENCE_END.search(text)
    return (ends is None or ends["last"] in _SHORTENED) and "\n" not in text


def item_name(members: dict[str, Any]) -> Any:
    """What a mapping is called: ``{title: Wicks, link: /wicks}``; something empty where nothing says."""
    return members.get("name") or members.get("title")


def key_word(key: str) -> str:
    """A key in one spelling, and in English where its word is known in another language: ``Reports To`` and
    ``reportsTo`` are ``reports_to``, ``GitHub`` is ``github``, ``Einwohner`` is ``population``."""
    return english_word(spelled(key))


def is_foreign_key(key: str) -> bool:
    """Whether a key is in another language than English."""
    return not key.isascii() or key_word(key) != spelled(key)


def spelled(key: str) -> str:
    """A key in one spelling, in its own language."""
    spaced = re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", _ONE_WORD.sub(lambda found: found[0].lower(), key.strip()))
    return re.sub(r"[^\w]+", "_", spaced).strip("_").lower()
