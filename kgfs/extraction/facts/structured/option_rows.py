"""The settings, commands and measures that a manual lists: rows of a table, items that begin with a name in code.

Used by ``guide_facts``; pure. A manual says of an option on one line what it is for. That the thing has it is what the line
says first. Only names that are spelled as no word is (``maxBodyBytes``, ``--force``, ``LOG_LEVEL``) are read.
"""

# A pattern, or a list of names, is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import NamedTuple

_KINDS = {
    "HAS_OPTION": (
        "Setting",
        "option options parameter parameters setting settings variable argument arguments flag flags env configuration "
        "input inputs switch",
    ),
    "DESCRIBED_IN": (
        "Identifier",
        "field fields key keys property properties attribute attributes label labels annotation annotations measurement measurements",
    ),
    "PROVIDES": ("Command", "command commands subcommand subcommands cmdlet cmdlets endpoint metric metrics function method"),
}  # fmt: skip
"""Words of headers and headings. What has fields of data is described by them, and needs not have them: an event of a protocol,
whatever its page is called; they are options where their table says what they are by default."""
_BY_WORD = {word: (type_, kind) for type_, (kind, words) in _KINDS.items() for word in words.split()}
_OWN_KINDS = {
    "metric": "Metric",
    "metrics": "Metric",
    "function": "Function",
    "method": "Function",
    "endpoint": "Endpoint",
}
_HEADING_WORDS = frozenset(
    word for word, (type_, _) in _BY_WORD.items() if word not in ("key", "label", "input", "inputs", "keys", "labels")
)
_NAME = r"(?:--?[a-z][\w-]*(?:[.=][\w<>-]+)*|[A-Za-z_][\w-]*(?:[.:/][\w<>*{}\[\]-]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+|[A-Za-z]+(?:[_-][A-Za-z0-9]+)+)"
_CELL = re.compile(
    rf"^[ \t]*\|?[ \t]*(?:<a [^>]*>)?[ \t]*[*_]{{0,2}}`?(?P<name>{_NAME})`?[*_]{{0,2}}(?:[ \t]*</a>)?[ \t]*\|"
)
_ITEM = re.compile(
    rf"^[ \t]*(?:[-*+•][ \t]+)?[*_]{{0,2}}`(?P<name>{_NAME})(?:[ =](?:<[\w-]+>|[A-Z]+|\"\"))?`[*_]{{0,2}}(?:[ \t]*\([^()\n]{{1,60}}\))?[ \t]*(?:[:–—]|-[ \t]|=[ \t])[ \t]*\S"
)
_RST_ITEM = re.compile(
    r"^[ \t]*(?:[-*+•][ \t]+)?``(?P<name>--?[a-z][\w-]*)(?:[ =][\w<>-]+)?``[ \t]+(?:\([^()\n]{1,60}\)[ \t]*)?[A-Z]"
)
"""``- ``--all`` Lights all lamps``: reStructuredText needs no sign between a flag and what it does."""
_NO_OPTION = re.compile(
    r"(?i)[^\w]*(?:replaced?|rewrite|renamed?|removed?|deprecated|try to|use [`*_]*\w+[`*_]* instead)\b"
)
"""Behind a name that is no option any more."""
LONGEST = 70


class Option(NamedTuple):
    """A name that a row or an item begins with, and what it is to the thing that has it."""

    name: str
    type: str
    kind: str
    """Its type as an entity."""


def header_kind(header: str) -> tuple[str, str] | None:
    """What the first column of a table holds: the type of fact, and of its entities; ``None`` where it is something else."""
    first = header.strip().strip("|").split("|", 1)[0].strip(" *_`").lower()
    words = [
        word
        for word in re.findall(r"[a-z]+", first)
        if word not in ("name", "s", "the", "environment", "cli", "config", "helm")
    ]
    if not 1 <= len(words) <= 2:
        return None
    found = _BY_WORD.get(words[-1])
    if found is not None and found[0] == "DESCRIBED_IN" and re.search(r"(?i)\bdefaults?\b", header):
        return "HAS_OPTION", "Setting"
    return None if found is None else (found[0], _OWN_KINDS.get(words[-1], found[1]))


def _named(found: re.Match[str]) -> str:
    """The name of an option without the value that it takes: ``--path=<path>``."""
    name = found["name"]
    return re.split(r"[=.]?<|=", name, maxsplit=1)[0] if name.startswith("-") else name


def option_of_row(row: str, kind: tuple[str, str]) -> Option | None:
    """The option that a row of a table begins with."""
    found = _CELL.match(row)
    return None if found is None or len(found["name"]) > LONGEST else Option(_named(found), *kind)


def option_of_item(item: str, headings: tuple[str, ...]) -> Option | None:
    """The option that an item of a list begins with: a flag, or a name beneath a heading that says that these are options."""
    found = _ITEM.match(item) or _RST_ITEM.match(item)
    if found is None or len(found["name"]) > LONGEST or _NO_OPTION.match(item, found.end() - 1):
        return None
    name = _named(found)
    if name.startswith("-"):
        return Option(name, "HAS_OPTION", "Setting")
    heading = headings[-1].lower() if headings else ""
    told = [word for word in re.findall(r"[a-z]+", heading) if word in _HEADING_WORDS]
    if not told:
        return None
    # "HTTP endpoint metrics" are metrics, "Options of the command" are of a command.
    head = [word for word in re.findall(r"[a-z]+", re.split(r" (?:of|for|in|by|on) ", heading)[0]) if word in told]
    word = head[-1] if head else min(told, key=lambda one: (one not in _OWN_KINDS, one))
    type_, kind = _BY_WORD[word]
    return Option(name, type_, _OWN_KINDS.get(word, kind))
