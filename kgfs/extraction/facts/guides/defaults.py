"""What a setting is where nobody sets it, and over which others it goes: ``Defaults to `info`.`` beneath a heading with its name.

Used by the fact reader. A reference of settings names each in a heading, or at the head of an item, and says the rest in
sentences without a subject. A default is a fact with a value; the name is a setting since it has one.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import MARK, mark_numbers, with_marks
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit

_SHAPE = r"(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|--[a-z][\w-]+|[a-z][a-z0-9]*(?:[_.][a-z0-9]+)+)"
_NAME = re.compile(rf"\W{{0,3}}(?P<name>{_SHAPE})\W{{0,3}}")
"""A heading that is nothing but the name of a setting."""
_ITEM = re.compile(rf"[^\w-]{{0,4}}(?P<name>{_SHAPE})[^\w-]{{0,3}}")
_SAYS = re.compile(
    r"(?:^(?:(?:Optional|Not set|If (?:not set|not provided|not specified|unset|omitted|left blank))[,.;:]? )?(?:[Tt]his |[Ii]t )?[Dd]efaults? to |^The default(?: value)? (?:is|of this setting is) |^Default(?: value)?: )(?:the )?"
)
_SAID_OF_ITEM = re.compile(r"[(:,–—-]? ?\(?(?:[Dd]efaults? to|[Dd]efault(?: value)?(?: is|:)) ")
_VALUE = re.compile(
    r"[\"“'‘]?(?P<value>[^\s,;()\"”][^,;()\"”\n]{0,59}?)[\"”'’]?(?=\.(?:\s|$)|[,;()]|$| (?:which|when|if|unless|and|but|in|for|on|to)\b)"
)
_OVER = re.compile(
    rf"^(?:If (?:provided|set|present|specified|used), )?(?:[Tt]his |[Ii]t )?(?P<verb>[Tt]akes precedence over|[Oo]verrides|(?:[Ii]s )?[Ee]quivalent to) (?P<o>{MARK}(?:(?:, and |, | and ){MARK})*)"
)
_OVER_TYPES = {
    "takes precedence over": "TAKES_PRECEDENCE_OVER",
    "overrides": "OVERRIDES",
    "equivalent to": "EQUIVALENT_TO",
}
_CONDITION = re.compile(r"[\"'`”’]* (?:when|if|unless|on|for|in) ")
_MEASURE = re.compile(r"[\"'`”’]* \((?P<unit>[a-z]+s)\)")
_POINTS = re.compile(r"(?i)(?:this|that|it|be|use|using|whatever|what|whether|being|having|doing)\b")
"""What no default begins with."""


def setting_facts(
    units: Sequence[Unit], spans: Sequence[Sequence[NameSpan]], lexicon: Lexicon, types: NameTypes
) -> Iterator[LexiconFact]:
    """The defaults and the precedence of settings, in order of the text."""
    for unit, names in zip(units, spans, strict=True):
        if unit.kind not in ("sentence", "row") or unit.content.text.startswith("|"):
            continue
        text, code = unit.content.text, unit.content.code
        item = _ITEM.match(text)
        said = _SAID_OF_ITEM.match(text, item.end()) if item is not None else None
        if item is not None and said is not None:
            yield from _default(unit, types.state(item["name"], "Setting"), _value(text, said.end(), code))
            continue
        heading = _NAME.fullmatch(unit.headings[-1]) if unit.headings else None
        if heading is None:
            continue
        found = _SAYS.match(text)
        if found is not None:
            yield from _default(unit, types.state(heading["name"], "Setting"), _value(text, found.end(), code))
            continue
        masked = with_marks(text, names)
        over = _OVER.match(masked)
        if over is None:
            continue
        type_, subject = _OVER_TYPES[over["verb"].lower().removeprefix("is ")], types.state(heading["name"], "Setting")
        for mark in mark_numbers(over["o"]):
            if (other := lexicon.resolved(names[mark].ref)) != subject:
                yield LexiconFact("settings.over", candidate_of(unit, type_, 0.8), subject, other, unit)


def _default(unit: Unit, setting: int, value: str) -> Iterator[LexiconFact]:
    # A part of it in angle brackets is lost as if it were a tag.
    if value and all(word in unit.quote for word in value.split()):
        candidate = candidate_of(unit, "DEFAULTS_TO", 0.85)
        candidate.object_text = value
        yield LexiconFact("settings.default", candidate, setting, None, unit)


def _value(text: str, start: int, code: Sequence[tuple[int, int]]) -> str:
    """The value that begins at ``start``: what stands there in code, else the words up to a sign."""
    inside = next((text[first:last] for first, last in code if first == start), "")
    found = _VALUE.match(text, start) if not inside else None
    if found is not None and _POINTS.match(found["value"]):
        return ""
    value = (inside or (found["value"] if found is not None else "")).strip()
    end = text.find(value, start) + len(value)
    if _CONDITION.match(text, end):
        return ""  # it depends
    measure = _MEASURE.match(text, end) if value.isdigit() else None
    return f"{value} {measure['unit']}" if measure is not None else value
