"""Records of JSON, JSON by lines, YAML and TOML: an object that has a name, a list of such objects.

One of the readers of this package; pure. Nothing is built of what is written: no tag makes an object, and what an alias
stands for is looked at once, so that neither can grow.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from json.decoder import JSONDecodeError
from typing import Any, NamedTuple

import yaml

from kgfs.documents.records.keyed import keyed_kind, keyed_name
from kgfs.documents.records.kinds import kind_of_rows, kind_of_whole, owned_kind, row_kind
from kgfs.documents.records.record import (
    KIND_KEYS,
    MAX_FIELDS,
    MAX_LISTED,
    MAX_RECORDS,
    MAX_VALUE,
    Field,
    Record,
    is_plain_value,
    item_name,
    key_word,
    may_be_name,
)  # fmt: skip
from kgfs.plurals import singular

_NAMES = ("name", "full_name", "fullname", "display_name", "title", "label", "company", "organization", "product")
_NAMED_THINGS = frozenset(
    "repo repository app application service component project team system package ship vessel boat bridge building "
    "castle".split()
)
"""Keys that name what a mapping is about where they stand first: ``repo: lumen``, ``app_name: lumen``."""
_KEYS = ("id", "_id", "identifier", "key", "slug", "code", "uid", "uuid", "symbol", "ticker")
_KINDS = ("type", "kind", "category", "entity_type", "@type")
_PERSONAL = frozenset("email company employer affiliation github irc twitter orcid".split())
"""Keys of records of persons, who have names."""
_OF_PERSONS = _PERSONAL | frozenset(
    "affiliations blog city country e_mail handle homepage irc_nick linkedin location mastodon mobile name nick "
    "nickname organization organisation phone pronouns role slack slack_id timezone title username website".split()
)
"""Keys that say something of somebody who stands inside another record; the others are of that: *appointed*."""
_DEEPEST = 3
"""So many mappings and lists in each other are looked at."""
MAX_YAML = 1 << 20
"""Characters of YAML that are parsed for records."""
_AROUND = frozenset("attributes bio data details info metadata profile properties".split())
"""Keys of mappings that only hold together what is said of the thing itself."""
_SPACE = re.compile(r"[ \t\r\n]*")
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)
_DECODER = json.JSONDecoder(parse_constant=str)


class _Value(NamedTuple):
    """What stands behind one key."""

    key: str
    value: Any
    """A text, a number, a list of such, a mapping of such."""
    start: int
    end: int


def json_records(text: str, *, lines: bool, kind: str) -> list[Record]:
    """The records of JSON: its top object, the objects of its top array, of an array in it, or of each line."""
    objects = _json_lines(text, kind) if lines or _are_lines(text) else _json_document(text, kind)
    return list(islice((found for found in objects if found is not None), MAX_RECORDS))


def _are_lines(text: str) -> bool:
    """Whether a file of JSON has an object a line, whatever it is called."""
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    end = text.find("\n", start)
    following = _skip(text, end) if end > 0 else len(text)
    return text[start : start + 1] == text[following : following + 1] == "{" and text[start:end].rstrip()[-1:] == "}"


def _json_lines(text: str, kind: str) -> Iterator[Record | None]:
    position = 0
    for line in text.splitlines(keepends=True) if text.isascii() else re.findall(r"[^\n]*\n|[^\n]+", text):
        start = position + len(line) - len(line.lstrip("\ufeff \t\r\n"))
        position += len(line)
        if start == position:
            continue
        try:
            pairs, end = _json_object(text, start)
        except (ValueError, RecursionError, IndexError):
            continue
        yield _record(pairs, start, end, kind)


def _json_document(text: str, kind: str) -> Iterator[Record | None]:
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    try:
        if text[start : start + 1] == "[":
            yield from _json_array(text, start, kind)
        elif text[start : start + 1] == "{":
            place, pairs = start + 1, list[_Value]()
            for key, at, begin in _members(text, start):
                if text[begin] == "[" and text[_skip(text, begin + 1)] == "{":
                    yield from _json_array(text, begin, row_kind(key))
                elif len(pairs) < MAX_FIELDS or text[begin] == "{":
                    value, place = _DECODER.raw_decode(text, begin)
                    pairs.append(_Value(key, value, at, place))
                    if isinstance(value, dict):
                        yield from _json_keyed(text, begin, row_kind(key), value)
            yield from _json_keyed(text, start, kind, {pair.key: pair.value for pair in pairs})
            yield _record(pairs[:MAX_FIELDS], start, place, kind, whole=True)
    except (ValueError, RecursionError, IndexError):
        return


def _json_keyed(text: str, start: int, kind: str, members: dict[str, Any]) -> Iterator[Record | None]:
    """The objects in an object that begins at ``start``, where its keys are their names."""
    said = keyed_kind(kind, [*members.items()])
    if said is not None:
        for key, at, begin in _members(text, start):
            if text[begin] == "{":
                pairs, end = _json_object(text, begin)
                yield _record(pairs, at, end, said, key=keyed_name(key, kind))


def _json_array(text: str, start: int, kind: str) -> Iterator[Record | None]:
    """The objects of an array that begins at ``start``."""
    place = _skip(text, start + 1)
    while text[place] == "{":
        pairs, end = _json_object(text, place)
        yield _record(pairs, place, end, kind)
        place = _skip(text, end)
        if text[place] != ",":
            return
        place = _skip(text, place + 1)


def _json_object(text: str, start: int) -> tuple[list[_Value], int]:
    if text[start] != "{":
        raise ValueError
    _, end = _DECODER.raw_decode(text, start)
    found: list[_Value] = []
    for key, at, begin in _members(text, start):
        value, place = _DECODER.raw_decode(text, begin)
        if len(found) < 4 * MAX_FIELDS:
            found.append(_Value(key, value, at, place))
    return found, end


def _members(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Of an object each key, where it stands, and where its value begins. ``JSONDecodeError`` where it is broken."""
    place = _skip(text, start + 1)
    while text[place] == '"':
        found = _TEXT.match(text, place)
        if found is None:
            return
        key, end = str(json.loads(found[0])), found.end()
        colon = _skip(text, end)
        if text[colon] != ":":
            raise JSONDecodeError("no colon", text, colon)
        value = _skip(text, colon + 1)
        yield key, place, value
        _, end = _DECODER.raw_decode(text, value)
        place = _skip(text, end)
        if text[place] != ",":
            return
        place = _skip(text, place + 1)


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


# --- YAML -----------------------------------------------------------------------------------------------------------

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def yaml_records(text: str, *, kind: str) -> list[Record]:
    """The records of YAML: a top mapping with a name, the mappings of a top list or of a list in the top mapping."""
    return list(islice((found for found in _yaml(_bounded(text), kind) if found is not None), MAX_RECORDS))


_EXAMPLE = re.compile(
    r"(?i)\b(?:(?:jane|john) (?:doe|smith|roe|q)\b|name: (?:alice|bob)[ \t]*\n|foo\b|example\.(?:com|org|net)\b|"
    r"your[ _-]|placeholder|(?:first|full|last|some|user)[ _-]?name\b|todo\b)|<[a-z][^<>\n]*>|\{\{|\$\{"
)
"""Words of a block that shows how one is written."""
_ROLES = re.compile(
    r"(?i)(?:\w+[ _-])?(?:approvers?|chairs?|contributors|committers|editors|leads?|leaders|liaisons|maintainers?|"
    r"members|owners|people|persons|reviewers|staff|team)"
)
"""Keys above lists of persons."""


WORK_AREA = "work area"
"""What the parts of a body are that persons are listed for."""


def person_records(text: str, *, kind: str) -> list[Record]:
    """The records of YAML that stands in a text, where lists of persons have what they are for their keys.

    None where nobody has a handle, an address or a company, or where it shows how such a block is written.
    """
    if ":" not in text or _EXAMPLE.search(text):
        return []
    try:
        node = yaml.compose(_bounded(text), Loader=_LOADER)
        if isinstance(node, yaml.MappingNode) and _has_people(node, 0):
            found: dict[str, Record] = {}
            for one in chain(_yaml_people(node, text, 0, _ROLES), _yaml_bodies(node, text, kind)):
                if one is not None:
                    found.setdefault(one.name, one)  # who is in several lists says the same in each
            return [*found.values()]
    except (yaml.YAMLError, RecursionError, ValueError):
        pass
    return []


def _has_people(node: Any, depth: int) -> bool:
    return any(
        (isinstance(value, yaml.MappingNode) and depth < _DEEPEST and _has_people(value, depth + 1))
        or (
            isinstance(value, yaml.SequenceNode)
            and isinstance(key, yaml.ScalarNode)
            and _ROLES.fullmatch(key.value) is not None
            and any(map(_is_personal, value.value[:MAX_LISTED]))
        )
        or (
            isinstance(value, yaml.SequenceNode)
            and depth < _DEEPEST
            and any(
                isinstance(item, yaml.MappingNode) and _has_people(item, depth + 1) for item in value.value[:MAX_LISTED]
            )
        )
        for key, value in node.value[:MAX_FIELDS]
    )


def _yaml_bodies(node: Any, text: str, kind: str) -> Iterator[Record | None]:
    """The whole mapping, and of its areas those that have persons and a name of several words.

    One word (*Java*, *Docs*) is no name of an area: its persons are the body's.
    """
    whole = _yaml_record(node, text, kind)
    for key, value in node.value[:MAX_FIELDS]:
        if isinstance(value, yaml.SequenceNode) and isinstance(key, yaml.ScalarNode):
            for item in value.value[:MAX_LISTED]:
                if isinstance(item, yaml.MappingNode) and not _is_personal(item) and _has_people(item, 0):
                    area = _yaml_record(item, text, WORK_AREA)
                    if area is None or " " in area.name:
                        yield area
                    elif whole is not None:
                        whole.fields += [one for one in area.fields if _ROLES.fullmatch(one.key)]
    if whole is not None:
        del whole.fields[4 * MAX_FIELDS :]
    yield whole


def _is_personal(item: Any) -> bool:
    """Whether a mapping has keys of somebody."""
    return isinstance(item, yaml.MappingNode) and not _PERSONAL.isdisjoint(
        key.value for key, _ in item.value if isinstance(key, yaml.ScalarNode)
    )


def _bounded(text: str) -> str:
    if len(text) <= MAX_YAML:
        return text
    end = max(text.rfind("\n- ", 0, MAX_YAML), text.rfind("\n---", 0, MAX_YAML))
    return text[: end + 1] if end > 0 else ""


def _yaml(text: str, kind: str) -> Iterator[Record | None]:
    try:
        for node in yaml.compose_all(text, Loader=_LOADER):
            if isinstance(node, yaml.SequenceNode):
                yield from _yaml_list(node, text, kind)
            elif isinstance(node, yaml.MappingNode):
                for key, value in node.value:
                    if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.SequenceNode):
                        yield from _yaml_list(value, text, row_kind(str(key.value)))
                    elif isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.MappingNode):
                        yield from _yaml_keyed(value, text, row_kind(str(key.value)))
                yield from _yaml_keyed(node, text, kind)
                yield _yaml_record(node, text, kind, whole=True)
    except (yaml.YAMLError, RecursionError, ValueError):
        return


def _yaml_list(node: Any, text: str, kind: str) -> Iterator[Record | None]:
    for item in node.value:
        if isinstance(item, yaml.MappingNode):
            yield _yaml_record(item, text, kind)
            yield from _yaml_people(item, text, 0)


def _yaml_keyed(node: Any, text: str, kind: str) -> Iterator[Record | None]:
    """The mappings in a mapping, where its keys are their names, and the people in each."""
    members = [(str(key.value), value) for key, value in node.value[:MAX_RECORDS] if isinstance(key, yaml.ScalarNode)]
    said = keyed_kind(kind, [(key, _outline(value, 0)) for key, value in members])
    if said is None:
        return
    for key, value in members:
        if isinstance(value, yaml.MappingNode):
            yield _yaml_record(value, text, said, key=keyed_name(key, kind))
            yield from _yaml_people(value, text, 0)


_LOOKED = 20
"""Keys of a mapping that are looked at to see what it is: aliases may lead to the same one again and again."""


def _outline(node: Any, depth: int) -> Any:
    """The keys of a mapping and of those in it, without what they lead to."""
    if isinstance(node, yaml.MappingNode):
        return {
            str(key.value): _outline(value, depth + 1) if depth < _DEEPEST else ""
            for key, value in node.value[:_LOOKED]
            if isinstance(key, yaml.ScalarNode)
        }
    return [_outline(node.value[0], depth + 1)] if isinstance(node, yaml.SequenceNode) and node.value else ""


def _yaml_people(node: Any, text: str, depth: int, keys: re.Pattern[str] | None = None) -> Iterator[Record | None]:
    """The persons in the lists of a mapping, and of the mappings in it: ``leadership: {chairs: [{name: …}]}``.

    With ``keys`` only lists below such, those in the mappings of other lists among them.
    """
    for key, value in node.value[:MAX_FIELDS]:
        if isinstance(value, yaml.MappingNode) and keys is None and _is_personal(value):
            yield _of_person(_yaml_record(value, text, "person"))
        elif isinstance(value, yaml.MappingNode) and depth < _DEEPEST:
            yield from _yaml_people(value, text, depth + 1, keys)
        elif isinstance(value, yaml.SequenceNode):
            meant = keys is None or (isinstance(key, yaml.ScalarNode) and keys.fullmatch(key.value) is not None)
            for item in value.value[:MAX_LISTED]:
                if meant and _is_personal(item):
                    yield _yaml_record(item, text, "person")
                elif keys is not None and isinstance(item, yaml.MappingNode) and depth < _DEEPEST:
                    yield from _yaml_people(item, text, depth + 1, keys)


def _of_person(record: Record | None) -> Record | None:
    if record is not None:
        record.fields = [one for one in record.fields if key_word(one.key) in _OF_PERSONS]
    return record


def _yaml_record(node: Any, text: str, kind: str, *, whole: bool = False, key: str = "") -> Record | None:
    pairs = []
    for label, value in node.value[: 4 * MAX_FIELDS]:
        if isinstance(label, yaml.ScalarNode):
            start = label.start_mark.index
            end = value.end_mark.index
            if value.start_mark.index < label.end_mark.index:
                # An alias: what it names stands elsewhere, its own line says the value.
                end = text.find("\n", label.end_mark.index)
                end = len(text) if end < 0 else end
            end = start + len(text[start:end].rstrip())
            pairs.append(_Value(str(label.value), _yaml_value(value, 0), start, end))
    start = node.start_mark.index
    end = start + len(text[start : node.end_mark.index].rstrip())
    return _record(pairs, start, end, kind, whole=whole, key=key)


def _yaml_value(node: Any, depth: int) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return None if node.tag == "tag:yaml.org,2002:null" else str(node.value)
    if depth > _DEEPEST:
        return None
    if isinstance(node, yaml.SequenceNode):
        return [_yaml_value(item, depth + 1) for item in node.value[:MAX_LISTED]]
    return {
        str(key.value): _yaml_value(value, depth + 1)
        for key, value in node.value[:MAX_LISTED]
        if isinstance(key, yaml.ScalarNode)
    }


# --- TOML -----------------------------------------------------------------------------------------------------------

_TABLE = re.compile(
    r"^[ \t]*(?P<open>\[\[?)[ \t]*(?P<key>[\w-]+)[ \t]*\]\]?[ \t]*(?:#[^\n]*)?$|^[ \t]*\[[ \t]*[\w\"][^\n]*$", re.M
)
_ASSIGNED = re.compile(r"^[ \t]*(?P<key>[\w-]+|\"[^\"\n]+\")[ \t]*=", re.M)


def toml_records(text: str, *, kind: str) -> list[Record]:
    """The records of TOML: what stands above its first table, where it has a name, and each ``[[table]]`` of a list."""
    return list(islice((found for found in _toml(text, kind) if found is not None), MAX_RECORDS))


def _toml(text: str, kind: str) -> Iterator[Record | None]:
    if len(text) > MAX_YAML:
        return
    try:
        whole = tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    tables = [*_TABLE.finditer(text)]
    places = [one.start() for one in tables] + [len(text)]
    yield _toml_record(text, whole, 0, places[0], kind, whole=True)
    read: Counter[str] = Counter()
    for table, start, end in zip(tables, places, places[1:], strict=False):
        key = table["key"] if table["open"] == "[[" else None
        members = whole.get(key) if key else None
        if key and isinstance(members, list) and read[key] < len(members):
            yield _toml_record(text, members[read[key]], start, end, row_kind(key))
            read[key] += 1


def _toml_record(text: str, members: Any, start: int, end: int, kind: str, *, whole: bool = False) -> Record | None:
    """The record of the keys that stand in ``text[start:end]`` and have a value in ``members``."""
    if not isinstance(members, dict):
        return None
    lines = [one for one in _ASSIGNED.finditer(text, start, end) if one["key"].strip('"') in members]
    pairs = []
    for line, after in zip(lines, [*(one.start() for one in lines), end][1:], strict=True):
        key = line["key"].strip('"')
        first = line.start("key")
        value = _toml_value(members[key], 0)
        pairs.append(_Value(key, value, first, first + len(text[first:after].rstrip())))
    return _record(pairs, pairs[0].start, pairs[-1].end, kind, whole=whole) if pairs else None


def _toml_value(value: Any, depth: int) -> Any:
    if isinstance(value, list):
        return [_toml_value(one, depth + 1) for one in value[:MAX_LISTED]] if depth <= _DEEPEST else None
    if isinstance(value, dict):
        return {key: _toml_value(one, depth + 1) for key, one in value.items()} if depth <= _DEEPEST else None
    return value if isinstance(value, str | int | float | bool) else str(value)


# --- both -----------------------------------------------------------------------------------------------------------


def _record(
    pairs: list[_Value], start: int, end: int, kind: str, *, whole: bool = False, key: str = ""
) -> Record | None:
    """The record of an object's members; ``None`` where it has no name, or nothing beside it.

    Of the ``whole`` document a title alone makes none: a configuration has one too. ``key`` is the name of an object
    that has none inside.
    """
    words = {key_word(pair.key) if pair.key != "_id" else "_id": pair for pair in reversed(pairs)}
    wanted = _NAMES[:4] if whole else _NAMES
    named = next((words[word] for word in wanted if word in words and _is_name(words[word].value)), None)
    if key and named is None:
        name = key
    elif named is None and "name" in words and (name := _of_parts(words["name"].value)):
        named, kind = words["name"], "person"
    elif named is None and {"first_name", "last_name"} <= words.keys():
        parts = [words["first_name"].value, words["last_name"].value]
        name = " ".join(part for part in parts if isinstance(part, str))
        named = words["first_name"]
    elif named is None and pairs and (of_first := _named_thing(pairs[0])) and (not whole or owned_kind(words)):
        named, kind, name = pairs[0], of_first, " ".join(str(pairs[0].value).split())
        words = {word: pair for word, pair in words.items() if word not in _KINDS}  # "type: Utilities" sorts them
    elif named is not None:
        name = " ".join(str(named.value).split())
    if (named is None and not key) or not may_be_name(name):
        return None
    says = next((words[word] for word in _KINDS if word in words and _is_kind(words[word].value)), None)
    said = kind_of_whole(kind, words, name) if whole else kind_of_rows(kind, words) or owned_kind(words)
    record = Record(name, str(says.value) if says else said, "mapping", start, end)
    if says is not None and key_word(says.key) in KIND_KEYS:
        record.says = Field(says.key, str(says.value), says.start, says.end)
    number = next((words[word] for word in _KEYS if word in words), None)
    if number is not None and isinstance(number.value, str | int):
        record.key = str(number.value)
    elif key and named is not None:
        record.key = key
    for pair in pairs:
        if pair is not named and pair is not says and key_word(pair.key) not in ("first_name", "last_name"):
            record.fields += _fields(pair)
    del record.fields[MAX_FIELDS:]
    return record if record.fields else None


def _of_parts(value: Any) -> str:
    """Somebody's name that is given in parts: ``{first: Ann, last: Lee}``; empty for anything else."""
    if not isinstance(value, dict):
        return ""
    parts = {key_word(str(key)): one for key, one in value.items() if isinstance(one, str)}
    first, last = (parts.get(key) or parts.get(f"{key}_name", "") for key in ("first", "last"))
    return f"{first} {last}" if first and last else ""


def _named_thing(pair: _Value) -> str:
    """What the first member of an object says that it names; empty where it names nothing."""
    word = key_word(pair.key).removesuffix("_name")
    if word not in _NAMED_THINGS or not _is_name(pair.value):
        return ""
    return "repository" if word == "repo" else word


def _fields(pair: _Value) -> Iterator[Field]:
    value = pair.value
    if isinstance(value, dict):
        inner = item_name(value)
        if key_word(pair.key) in ("id", "ids", "identifiers"):
            return  # what programs count with
        if isinstance(inner, str):
            yield Field(pair.key, inner, pair.start, pair.end)
            return
        for key, one in value.items():
            if isinstance(one, list):
                # "liaisons: {release: [{name: Ann Lee}]}": a release liaison
                said = f"{key} {pair.key}" if _ROLES.fullmatch(pair.key) and not _ROLES.fullmatch(key) else key
                yield from _fields(_Value(said, one, pair.start, pair.end))
                continue
            if isinstance(one, dict) and not isinstance(item_name(one), str):
                yield Field(pair.key, key, pair.start, pair.end, True)  # of a mapping by names
                continue
            text = _scalar(one)
            if text:
                said = key if key_word(pair.key) in _AROUND else f"{pair.key} {key}"
                yield Field(said, text, pair.start, pair.end)
        return
    several = isinstance(value, list)
    for one in value[:MAX_LISTED] if several else [value]:
        if isinstance(one, dict):
            one = item_name(one) or _reference(pair.key, one)
        text = _scalar(one)
        if text:
            yield Field(pair.key, text, pair.start, pair.end, several)


def _reference(key: str, members: dict[str, Any]) -> Any:
    """What an item of a list names by the word for one of them: ``teams: [{team: pilots, term: 2024}]``."""
    return members.get(singular(key)) or members.get("id")


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, list | dict):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_VALUE else ""


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and may_be_name(" ".join(value.split()))


def _is_kind(value: Any) -> bool:
    return isinstance(value, str) and len(value.split()) <= 3 and not is_plain_value(value)
