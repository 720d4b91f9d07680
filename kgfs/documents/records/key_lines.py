"""Records of ``Key: value`` lines: at the top of a page, under a heading, in the header of a message, in front matter.

One of the readers of this package, and what tells such lines from sentences when blocks are made; pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from kgfs.documents.dates import MONTH_NAMES
from kgfs.documents.markup import plain_sentence, wikilink_parts
from kgfs.documents.records.record import (
    KIND_KEYS,
    MAX_FIELDS,
    MAX_LISTED,
    MAX_VALUE,
    Field,
    Record,
    has_no_case,
    is_plain_value,
    item_name,
    key_word,
)

_LINE = re.compile(
    r"[ \t]*(?:[-*+•][ \t]+)?(?:\[[ xX]\][ \t]+)?"
    r"(?P<mark>\*\*|__|)(?P<key>[^\W\d_][^:：*_`\n|<>\[\]()!?;,]{0,39}?)(?P=mark)"
    r"(?::[ \t]+|：[ \t]*)(?P<value>\S[^\n]*)"
)
_BOLD = re.compile(
    r"[ \t]*(?:[-*+•][ \t]+)?(?P<mark>\*\*|__)(?P<key>[^\W\d_][^:*`\n|<>\[\]!?;,]{0,39}?)"
    r"(?::(?P=mark)|(?P=mark)[ \t]?:)[ \t]+(?P<value>\S[^\n]*)"
)
_FIELD = re.compile(r":(?P<mark>)(?P<key>[^\W\d_][^:`\n|<>\[\]()!?;,]{0,39}):[ \t]+(?P<value>\S[^\n]*)")
"""Of reStructuredText: ``:Author: Ann Lee``."""
_EMPTY = re.compile(r"[ \t]*[A-Z][\w ]{1,24}:")
"""``Date:``, in a form."""
_SENTENCE = re.compile(r"[.!?][\"'”’)*_]*(?:$|\s+[A-Z])")
_NO_KEYS = frozenset(
    "note notes warning caution tip important example examples hint info see also http https todo fixme question "
    "answer q a however therefore remember result output usage default update edit ps nb".split()
) | {"see also", "for example"}
_MONTH = "|".join(MONTH_NAMES)
_DAY = re.compile(rf"(?i)(?:{_MONTH})(?: \d{{1,2}}(?:st|nd|rd|th)?)?|\d{{1,2}} (?:{_MONTH})")
MAX_KEY_WORDS = 4


def key_line(line: str) -> tuple[str, str] | None:
    """Key and value of a line that is such; ``None`` for anything else, a sentence with a colon among it."""
    line = line.rstrip()
    found = _BOLD.fullmatch(line) or _LINE.fullmatch(line) or _FIELD.fullmatch(line)
    if found is None:
        return None
    key, value = found["key"].strip(), found["value"].strip()
    if len(key.split()) > MAX_KEY_WORDS or key.lower() in _NO_KEYS or len(value) > 300:
        return None
    capital = key[0].isupper() or has_no_case(key)
    if not found["mark"] and not (capital or "_" in key or (key.islower() and " " not in key)):
        return None
    if len(value.split()) > 6 and _SENTENCE.search(value):
        return None
    return key, value


def are_key_lines(lines: Sequence[str]) -> bool:
    """Whether lines that stand together are keys and values: two at least, and no other among them but a key that waits
    for its value."""
    filled = [line for line in lines if line.strip()]
    if len(filled) < 2:
        return False
    found = [key_line(line) for line in filled if _EMPTY.fullmatch(line.rstrip()) is None]
    return (
        len(found) > 1
        and len(found) > len(filled) / 2
        and all(found)
        and len({one[0].lower() for one in found if one}) == len(found)
    )


def key_line_record(text: str, start: int, end: int, name: str, kind: str) -> Record | None:
    """The record of the lines in ``text[start:end]``, of what is called ``name``; ``None`` where it says nothing.

    A line ``Name: x`` says what it is called, ``Type: x`` what it is.
    """
    record = Record(name, kind, "lines", start, end)
    for key, value, first, last in _read(text, start, end):
        word = key_word(key)
        if word in ("name", "full_name") and not record.fields:
            record.name = value
        elif word in ("type", "kind", "category"):
            record.kind = value
            record.says = Field(key, value, first, last) if word in KIND_KEYS else None
        elif len(value) <= MAX_VALUE and len(record.fields) < MAX_FIELDS and not _is_day(key):
            record.fields.append(Field(key, value, first, last))
    return record if record.fields and record.name else None


def _is_day(key: str) -> bool:
    """Whether a key says when something was or will be: *March 26*, *April*, *2019*."""
    return is_plain_value(key) or _DAY.fullmatch(key) is not None


def _read(text: str, start: int, end: int) -> Iterator[tuple[str, str, int, int]]:
    position = start
    for line in text[start:end].splitlines(keepends=True):
        found = key_line(line) if line.strip() else None
        if found is not None:
            lead = len(line) - len(line.lstrip())
            yield found[0], plain_sentence(found[1]).text.strip(), position + lead, position + len(line.rstrip())
        position += len(line)


_PERSONAL = frozenset("affiliation company employer email github slack twitter".split())
"""Keys of somebody who has a name."""


def _flat(matter: dict[str, Any]) -> Iterator[tuple[str, Any, bool]]:
    """Keys and values, and whether they stand in a list of such: ``info: [{employer: Acme}, {github: al}]``."""
    for key, value in matter.items():
        members = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
        keys = {str(name) for one in members for name in one}
        if members and len(keys) == len(members) == len(value) and all(len(one) == 1 for one in members):
            yield from ((str(name), said, True) for one in members[:MAX_FIELDS] for name, said in one.items())
        else:
            yield str(key), value, False


def is_somebody(name: str, matter: dict[str, Any]) -> bool:
    """Whether front matter is a person's of this name: it says for whom he or she works, or how to reach them."""
    pairs = {key_word(key): said for key, said, _ in _flat(matter)}
    said = pairs.get("name", pairs.get("full_name"))
    whole = isinstance(said, str) and len(said.split()) > 1 and " ".join(said.split()) == name
    return whole and not _PERSONAL.isdisjoint(pairs)


_WIKILINK = re.compile(r"\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]")


def _unlinked(value: str) -> str:
    """A value without the brackets of a link between notes: what the note is called to which it leads."""
    found = _WIKILINK.fullmatch(value)
    if found is None:
        return _WIKILINK.sub(lambda link: plain_sentence(link[0]).text, value)
    target, label = wikilink_parts(found[1], found[2])
    name = target.partition("#")[0].rpartition("/")[2].removesuffix(".md").strip()
    return name if " " in name or not label else label


def _alone(value: Any) -> Any:
    """What YAML makes of ``[[Quarry Map]]`` without quotes, as the value that it was meant to be."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def front_matter_record(text: str, matter: dict[str, Any]) -> Record | None:
    """The record of front matter, about what the document is about; each value with the lines of its key.

    A person's name, with whom he or she works for, makes it one of the person.
    """
    record = Record("", "", "front", 0, 0)
    pairs = list(_flat(matter))
    name = next((said for key, said, _ in pairs if key_word(key) in ("name", "full_name")), None)
    if isinstance(name, str) and is_somebody(name := " ".join(name.split()), matter):
        record = Record(name, "person", "lines", 0, 0)
    for key, value, inside in pairs:
        values = [value]
        if isinstance(value, list):  # "see_also: [{title: Wicks, link: /wicks}]"
            values = [item_name(one) if isinstance(one, dict) else _alone(one) for one in value[:MAX_LISTED]]
        said = [one for one in values if isinstance(one, str | int | float) and one is not True]
        shown = [_unlinked(" ".join(str(one).split())) for one in said]
        more = "" if inside else r"(?:\n(?:[ \t]+\S|-[ \t])[^\n]*)*"
        found = re.search(
            rf"{'(?<=- )' if inside else '^'}[\"']?{re.escape(key)}[\"']?[ \t]*[:=][^\n]*{more}", text, re.M
        )
        if found is None and text.startswith("%") and shown:
            found = re.search(rf"^%[^\n]*{re.escape(shown[0])}[^\n]*", text, re.M)  # in a title block of Pandoc
        if found is None or not shown or (record.name and key_word(key) in ("name", "full_name")):
            continue
        end = found.start() + len(found[0].rstrip())
        record.end = max(record.end, end)
        for one in shown:
            if one and len(one) <= MAX_VALUE and len(record.fields) < MAX_FIELDS:
                record.fields.append(Field(key, one, found.start(), end, isinstance(value, list)))
    return record if record.fields else None
