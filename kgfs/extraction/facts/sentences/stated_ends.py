"""Names that a sentence shows to be names by its markup, which no reader of names takes for an entity: code, labels of links.

Used by the readers of clauses; pure. ``the `lamp-color` annotation`` names something for certain, though one place makes no
entity of it. Where a clause joins it with one, it is an end of that fact. Its type is what the word beside it says.
"""

# A list of words is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kgfs.documents.identifiers import is_file_name, is_made_up
from kgfs.extraction.names import tagging
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.names.wordlists.kind_nouns import phrase_type
from kgfs.extraction.names.wordlists.well_known import well_known_type
from kgfs.extraction.units import Unit

_NOUNS = {
    "Setting": "flag option parameter argument setting variable switch key env input",
    "Property": "property field attribute column label annotation header",
    "Command": "command subcommand cmdlet tool utility binary executable script",
    "Function": "function method hook macro decorator procedure",
    "Class": "class struct interface enum exception object type trait",
    "Module": "module package library namespace",
    "Metric": "metric counter gauge histogram",
    "Endpoint": "endpoint route",
    "Element": "element tag stanza section block",
    "Kind": "resource crd kind",
    "File": "file directory folder",
    "Product": "plugin plug-in extension operator controller component service server daemon image",
    "Technology": "protocol format standard language algorithm encoding",
}
"""Words beside a name in code, to what they say it is."""
TYPES = {noun: type_ for type_, nouns in _NOUNS.items() for noun in nouns.split()}
KIND = rf"(?:{'|'.join(sorted(TYPES, key=len, reverse=True))})"
"""The pattern of a word that says what a name is."""
_BEHIND = re.compile(
    rf"(?:[\"”’)*_]*) (?:(?:configuration|config|environment|command-line|custom|command line) )?(?P<noun>{KIND})s?\b",
    re.I,
)
_BEFORE = re.compile(rf"\b(?P<noun>{KIND})(?: (?:named|called))? [\"“‘(*_]*$", re.I)
_FLAG = re.compile(r"(?P<name>--?[a-z][\w-]*(?:\.[\w-]+)*)(?:[ =].*)?", re.S)
_NAME = re.compile(r"@?[A-Za-z_][\w-]*(?:(?:\.|::|/)[\w-]+)*(?:\(\)|\[\])?")
_COMMAND = re.compile(r"[a-z][\w-]+(?: [a-z][\w-]+){1,2}")
_SHAPED = re.compile(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z]|\w[._:/]\w|\w_\w|\(\)$|[a-z]-[a-z]|^@[A-Z]")
"""What no ordinary word has: inner capitals, dots, underscores, hyphens."""
_VALUE = re.compile(r"(?i)true|false|null|none|yes|no|on|off|\d.*|https?:.*|localhost.*|[\d.:]+")
_LABEL = re.compile(r"(?:[Tt]he )?(?P<name>[\w+.#-]+(?: (?:[\w+.#/-]+|\([\w+.-]+\))){0,5})")
_CAPITAL = re.compile(r"(?<!\w)(?:[a-z]{0,3}[A-Z][\w+#-]*)")
_SENTENCE = re.compile(
    r"(?i)\b(?:is|are|was|how|what|why|when|where|here|this|that|these|you|your|we|our|see|read|click|more|guide|docs?|documentation|tutorial|page|section|"
    r"chapter|blog|post|article|issue|issues|pull|request|pr|discussion|example|examples|instructions|introduction|overview|list|details|below|above|link|talk|video|recording|slides|release notes|roadmap|"
    r"(?:add|build|configur|creat|deploy|enabl|get|install|manag|monitor|run|set|start|test|us|writ)(?:e|ing)?)\b"
)
"""In a label that is no name of a thing, but what a page tells."""
_ALIAS = re.compile(r" is (?:an?|the) (?:[a-z-]+ ){0,2}alias (?:of|for)\b")
"""Behind what is a command, however short."""
LONGEST = 60


class StatedEnd(NamedTuple):
    """A name in a sentence, with the type that its place shows."""

    start: int
    end: int
    name: str
    type: str


def stated_ends(unit: Unit, spans: Sequence[NameSpan]) -> list[StatedEnd]:
    """The names in code and in labels of links at which no name of ``spans`` stands."""
    content = unit.content
    found: list[StatedEnd] = []
    for start, end in content.code:
        one = _of_code(content.text, start, end)
        if one is not None and _is_free(one, spans):
            found.append(one)
    for link in content.links:
        one = _of_label(content.text, link.start, link.end)
        if one is not None and _is_free(one, spans) and all(one.end <= a.start or a.end <= one.start for a in found):
            found.append(one)
    return found


def beside(text: str, start: int, end: int) -> str:
    """The type that the word beside a name says that it has; empty where none does."""
    noun = _BEHIND.match(text, end) or _BEFORE.search(text, 0, start)
    return TYPES[noun["noun"].lower()] if noun is not None else ""


_CALLED_BY_WORDS = frozenset({"Command", "Setting", "Property", "Function", "Element"})
"""Kinds of things in code that are called by words which name something else in prose."""


def is_another(unit: Unit, span: NameSpan, type_: str) -> bool:
    """Whether a name in code, of which ``type_`` is known, is by the word beside it a thing of another kind: the
    *`gem` command* is no *gem*."""
    text = unit.content.text
    if not text[span.start : span.end].islower() or (span.start, span.end) not in unit.content.code:
        return False
    return beside(text, span.start, span.end) in _CALLED_BY_WORDS - {type_}


def _of_code(text: str, start: int, end: int) -> StatedEnd | None:
    said = text[start:end].strip()
    if _ALIAS.match(text, end) is not None and re.fullmatch(r"[a-z][\w-]{1,20}", said):
        return StatedEnd(start, end, said, "Command")
    if not 2 < len(said) <= LONGEST or _VALUE.fullmatch(said) or is_made_up(said):
        return None
    flag = _FLAG.fullmatch(said)
    if flag is not None:
        return StatedEnd(start, end, flag["name"], "Setting") if said.startswith("--") else None
    kind = beside(text, start, end)
    if _COMMAND.fullmatch(said):
        return StatedEnd(start, end, said, "Command") if kind == "Command" else None
    if _NAME.fullmatch(said) is None or (said.isalpha() and said.islower() and tagging.in_dictionary(said)):
        return None  # "the `name` attribute": each thing has one
    if is_file_name(said):
        return StatedEnd(start, end, said, "File")
    if not kind and _SHAPED.search(said) is None:
        return None
    return StatedEnd(start, end, said, kind or well_known_type(said) or "Identifier")


def _of_label(text: str, start: int, end: int) -> StatedEnd | None:
    """The name that a link's label is: *Generic cell rate algorithm (GCRA)*, *MongoDB wire protocol*."""
    found = _LABEL.fullmatch(text, start, end)
    if found is None or not 2 < len(found["name"]) <= LONGEST or _SENTENCE.search(found["name"]):
        return None
    name = found["name"]
    inner = _CAPITAL.search(name, 1) if start == 0 else _CAPITAL.search(name)
    if inner is None:
        return None
    type_ = well_known_type(name) or phrase_type(name.lower(), reach=1) or "Concept"
    return StatedEnd(
        found.start("name"), end, name, type_ if type_ not in ("Person", "Location", "Event") else "Concept"
    )


def _is_free(one: StatedEnd, spans: Sequence[NameSpan]) -> bool:
    return all(one.end <= span.start or span.end <= one.start for span in spans)
