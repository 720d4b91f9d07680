"""What names in code are to each other: ``the `color` attribute of the `lamp` element``, ``the `--force` flag of `lamp light```.

Used by the fact reader; pure. Manuals say so in passing, in a phrase of any sentence, and nothing else of such a phrase
depends on what the sentence does.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.extraction.facts.lexicon_facts import LexiconFact, candidate_of
from kgfs.extraction.facts.marks import CLOSE, OPEN, with_marks
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.sentences.stated_ends import KIND, StatedEnd, beside, is_another, stated_ends
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit
from kgfs.relation_types import is_thing, may_join

_A = rf"[\"“*_]*{OPEN}(?P<a>\d+){CLOSE}[\"”*_]*"
_END = r"(?=[\"”*_]*(?:[.,;:)!?—–]|$| \(| (?:and|or|is|are|was|to|in|on|for|of|as|by|from|at|with|that|which|when|if|can|must|will|should|has|have|so|then|before|after|first|again|itself|here|there|within|inside|under|into|using|specifies|defines|sets|instead)\b))"
"""Behind an owner, where its name does not go on: not *of a Lumen block's file*."""
_B = rf"[\"“*_]*{OPEN}(?P<b>\d+){CLOSE}[\"”*_]*"
_SORT = rf"(?: (?:configuration |config |environment |command-line |custom )?{KIND}s?)"
_THE = r"(?: (?:the|your|an?|its|each|every))?(?: (?:configuration|config|corresponding|same|parent|optional|following|new|default))?"
_OF = re.compile(
    rf"{_A}{_SORT}?(?:,? which is| that is)?,? (?P<how>of|for|on|in|inside|within|to|from|under){_THE} {_B}(?:{_SORT}(?![\w-])|{_END})"
)
"""``the `color` attribute of the `lamp` element``."""
_WITH = re.compile(
    rf"{_B}(?: command)? (?:command )?with(?: the)? {_A}(?: (?:flag|option|argument|switch|parameter)s?)?"
)
"""```lamp light` with the `--force` flag``."""
_HAS = re.compile(
    rf"{_B}{_SORT}?(?: also)? (?:accepts?|supports?|has|have|takes?|provides?|exposes?|includes?|contains?|offers?|defines?)(?: the| an?)?(?: optional| additional| new| required)?(?: {KIND})? {_A}{_SORT}?"
)
_GONE_BEFORE = re.compile(r"\b(?:[Rr]emov(?:es?|ed|ing|al)|[Dd]rop(?:s|ped|ping)?)\b[^.;]*$")
_GONE_BEHIND = re.compile(r"[^.;]{0,60}\b(?:is|are|was|were|been) (?:\w+ )?(?:removed|dropped)\b")
"""Beside what a version has no more."""
_NOT = re.compile(r"\b(?:not|never|no longer|without|instead of|rather than|cannot|except)\b|n[’']t\b")
_WITH_VALUE = re.compile(r"\b[Aa]n? [\"“*_]*$")
"""Before a name with a value: *a `color` of `red`* is no part of red."""
_RULES = (
    ("code.of", _OF),
    ("code.has", _HAS),
    ("code.with", _WITH),
)
_LISTED = re.compile(rf"{OPEN}(\d+){CLOSE}[\"”*_]*(?:, |,? and )(?:the )?$")
_CONFIGURED = frozenset({"Property", "Element", "Setting"})
"""What stands in a file of settings."""
_OPTIONED = frozenset({"Command", "Product", "Function", "Service"})
_PARTS_OF = frozenset({"Property", "Element", "Function", "Class", "Setting", "Endpoint", "Kind", "Module"})
_OWNERS = frozenset(
    {"Command", "Service", "Module", "Class", "Function", "Kind", "Element", "Identifier", "Property", "Setting"}
)


class CodePart(NamedTuple):
    """A fact between two marks."""

    rule: str
    type: str
    subject: int
    object: int


def code_parts(masked: str, kinds: Sequence[str]) -> Iterator[CodePart]:
    """What the phrases of a sentence say of its names; ``kinds`` are their types, of code those that words beside it
    show."""
    told: set[frozenset[int]] = set()
    for rule, pattern in _RULES:
        for found in pattern.finditer(masked):
            part, owner = int(found["a"]), int(found["b"])
            type_ = _type(rule, kinds[part], kinds[owner], found.groupdict().get("how") or "")
            if not type_ or _NOT.search(masked, found.start(), found.end()):
                continue
            if _GONE_BEFORE.search(masked, 0, found.start()) or _GONE_BEHIND.match(masked, found.end()):
                continue
            if rule == "code.of" and _WITH_VALUE.search(masked, 0, found.start()):
                continue
            for one in (part, *_listed_before(masked, found.start(), kinds)):
                if frozenset((one, owner)) not in told:
                    told.add(frozenset((one, owner)))
                    yield CodePart(rule, type_, *((owner, one) if type_ == "HAS_OPTION" else (one, owner)))


def _listed_before(masked: str, end: int, kinds: Sequence[str]) -> Iterator[int]:
    """The names in code that are listed before one: ``the `wick-color`, `wick-size`, and `oil-level` attributes``."""
    while (found := _LISTED.search(masked, 0, end)) is not None:
        one = int(found[1])
        if kinds[one] not in ("", "Identifier", *_PARTS_OF):
            return
        yield one
        end = found.start()


def _type(rule: str, part: str, owner: str, how: str) -> str:
    """What a part is to its owner, by their types; empty where the words may say another thing."""
    if owner == "File":
        if rule == "code.with" or how not in ("in", "inside", "within", "of", "to"):
            return ""
        return "CONFIGURED_IN" if part in _CONFIGURED else "PART_OF" if part in _PARTS_OF else ""
    if part == "Setting" and owner in _OPTIONED:
        return "HAS_OPTION" if how in ("", "of", "for", "on", "to", "from") else ""
    if rule == "code.with" or how in ("to", "under") or (how == "on" and part == "Setting"):
        return ""  # "runs with the `--eval` option on `file.nix`"
    return "PART_OF" if part in _PARTS_OF and owner in _OWNERS else ""


def read_code_parts(unit: Unit, spans: Sequence[NameSpan], types: NameTypes) -> Iterator[LexiconFact]:
    """The facts that the phrases of a sentence state of names in code."""
    content = unit.content
    if not content.code:
        return
    code = set(content.code)
    spans = [span for span in spans if not is_another(unit, span, types.end_type(span))]
    stated = [one for one in stated_ends(unit, spans) if (one.start, one.end) in code]
    if not stated and not any((span.start, span.end) in code for span in spans):
        return
    places: list[NameSpan | StatedEnd] = sorted([*spans, *stated], key=lambda one: one.start)
    masked = with_marks(content.text, [NameSpan(one.start, one.end, 0) for one in places])
    kinds = [_kind(one, unit, types, in_code=(one.start, one.end) in code) for one in places]
    for found in code_parts(masked, kinds):
        ends = [places[found.subject], places[found.object]]
        # Of two names of which nothing is known a phrase is too little.
        if all(isinstance(one, StatedEnd) and one.type == "Identifier" for one in ends):
            continue
        if not may_join(
            found.type, *(one.type if isinstance(one, StatedEnd) else types.given_type(one.ref) for one in ends)
        ):
            continue
        refs = [types.state(one.name, _kind_of(one, found)) if isinstance(one, StatedEnd) else one.ref for one in ends]
        first, second = (NameSpan(one.start, one.end, ref) for one, ref in zip(ends, refs, strict=True))
        if refs[0] != refs[1]:
            yield LexiconFact(found.rule, candidate_of(unit, found.type, 0.75), refs[0], refs[1], unit, (first, second))


def _kind_of(one: StatedEnd, found: CodePart) -> str:
    """The type of a name in a fact: what only stands in a list of options is one."""
    return "Setting" if one.type == "Identifier" and found.type == "HAS_OPTION" else one.type


def _kind(one: NameSpan | StatedEnd, unit: Unit, types: NameTypes, *, in_code: bool) -> str:
    if isinstance(one, StatedEnd):
        return one.type
    said = beside(unit.content.text, one.start, one.end) if in_code else ""
    type_ = types.end_type(one)
    return said or (type_ if is_thing(type_) else "")
