"""What a few words say that describe a thing: ``a Python library for PostgreSQL``, ``written in Rust``, ``fork of Gitea``.

Used by ``guide_facts``; pure. The thing is what an item of a list, or a sentence ``X is a …``, describes. Only phrases
that join it with a name by their own words are read.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgfs.extraction.facts.marks import MARK, mark_numbers

_E = MARK
_NAMES = rf"(?P<o>{_E}(?:(?:, and |, | and | & |/){_E})*)"
_END = r"(?=[*_\"”’`]*(?:[.,;:)!]|$)| \(| [-–—] | (?:and|with|that|which|using|by|in|for|to|from|on|as|where|via|based|written|built|designed|inspired|including|projects?|apps?|applications|users?|developers|programs?|clusters?|databases?|community)\b)"
_TOOL = (
    r"(?:add-?ons?|api wrapper|applications?|boilerplate|bot|bridge|cli|client(?: library)?|clients|compiler|connector|control plane|dashboard|debugger|driver|editor|emulator|engine|exporter|"
    r"extensions?|formatter|framework|frontend|front-end|ingress controller|integration|interface|interpreter|language server|libraries|library|linter|loader|manager|middleware|module|"
    r"operator|orm|package|package manager|parser|playground|plug-?ins?|provider|registry|repl|runtime|scripts?|sdk|server|solution|starter|static analyzer|syntax highlighting|template|theme|themes|toolkit|tools?|toolchain|ui|utilit(?:y|ies)|viewer|wrapper)"
)
_KINDS_END = (
    r"(?: (?:[A-Z]?[a-z+]+ )?(?:library|libraries|protocol|specification|spec|standard|API|APIs|SDK|client|clients|engine|framework|format|interface|toolkit|package|CLI|algorithms?))?"
    + _END
)
_PATTERNS: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (rule, type_, re.compile(pattern, re.I))
    for rule, type_, pattern in (
        ("described.written_in", "WRITTEN_IN", rf"\b(?:written|implemented|developed|coded|programmed|rewritten) (?:entirely |completely |purely )?(?:in|with) (?:pure |modern )?{_NAMES}{_END}"),
        ("described.in_language", "WRITTEN_IN", rf"\b(?:implementation|rewrite|port|clone|version|library|framework|server|client|interpreter|compiler|parser|engine|emulator)s?(?: of [^.,;()]{{2,50}})? in (?:pure )?{_NAMES}(?=[.,;)]|$)"),
        ("described.based_on", "BASED_ON", rf"\b(?:based|built|layered|build|runs|running|implemented|rebuilt) (?:on top of|atop|on|upon|around) (?:the )?{_NAMES}{_END}"),
        ("described.based_on", "BASED_ON", rf"\b(?:distribution|fork|port|rewrite|derivative|modification) of (?:the )?{_NAMES}{_END}"),
        ("described.based_on", "BASED_ON", rf"(?:^| ){_NAMES}[- ]based\b(?! (?:off|on|upon))"),
        ("described.alternative", "ALTERNATIVE_TO", rf"\b(?:alternatives?|replacement|substitute|competitor|successor) (?:to|for|of) (?:the )?{_NAMES}{_END}"),
        ("described.alternative", "ALTERNATIVE_TO", rf"(?:^| ){_NAMES} (?:alternative|clone|replacement)\b"),
        ("described.implements", "IMPLEMENTS", rf"\bimplementations? of (?:the )?{_NAMES}{_END}"),
        ("described.made_with", "USES", rf"(?:^|(?<!['’]s) ){_NAMES} implementation of\b"),
        ("described.implements", "IMPLEMENTS", rf"(?:^| ){_NAMES} implementation for\b"),
        ("described.implements", "IMPLEMENTS", rf"\b[Ii]mplement(?:s|ing) (?:the |an? )?{_NAMES}(?={_KINDS_END})"),
        ("described.uses", "USES", rf"\b(?:backed|driven|powered) by (?:the )?{_NAMES}{_END}"),
        ("described.uses", "USES", rf"\busing (?:the )?{_NAMES}{_END}"),
        ("described.maker", "DEVELOPED", rf"(?:\b(?:built|created|developed|made|maintained|written)|(?<!ed)(?<!en)(?<!n)) by (?:the )?{_NAMES}(?=[.!]?$)"),
        ("described.tool_for", "MADE_FOR", rf"\b(?:{_TOOL}) (?:for|to|around) (?:the |your |an? |new |existing |working with |building |writing |managing |using |interacting with |use with )?{_NAMES}{_END}"),
        ("described.tool_for", "MADE_FOR", rf"(?:^|(?<!to)(?<!with an)(?<!with a)(?<!with)[ (]){_NAMES} {_TOOL}(?! (?:for|to) (?:{_E}|manag\w*|operat\w*|deploy\w*|configur\w*))(?=[.,;:)]|$| (?:for|that|which|with|written|to|in|and)\b)"),
    )
)  # fmt: skip
_OF_NEARER = re.compile(
    r"\bto [a-z]+ (?:an? |the )?[^.;:,]{1,60} (?:that|which) (?:(?:is|are) )?$"
    r"|\b(?:around|for|of|on|over|to|using|with) [^.;:,]{1,60}, which (?:is|are|was|were) $"
)
"""Before what is said of another thing than the description's: *to draw a lamp that implements Tarn*, *wrapper for Acme's
wick, which is written in Rust*."""
_OF_SORT = re.compile(r"[- ](?:based|compatible|alternative|clone|replacement)\b")
_OF_USE = re.compile(r"\b(?:across|for|from|in|into|of|on|to|with)\b")
"""Before what a thing has to do with, whose sort is not its own: *runs tasks on Lumen-based systems*."""
_IN_CLAUSE = re.compile(r"\b(?:that|which) [^,.;:]*$")
_RANGE = re.compile(rf" ?[-–—] ?{MARK}")
"""Behind the first of two ends: *Lumen 1 - Lumen 5*."""
_DENIED = re.compile(
    r"\b(?:not|never|no longer|without|unlike|non|will|would|could|might|may|planned|formerly|instead|rather)\b|n[’']t\b",
    re.I,
)
_MOST = 220
"""Characters of a description that are read: behind them it speaks of other things."""
COPULA = re.compile(
    rf"^[*_\"“]*(?:The |the )?(?P<s>{_E})(?: \([^()]{{1,60}}\))?,? (?:is|are) (?:an? |the |one of the )(?P<rest>.*)$",
    re.S,
)
"""A sentence that says of a name what it is."""
ITEM = re.compile(
    r"[^\w\[`]*(?:\[(?P<label>[^\[\]\n]{2,60})\]\((?P<target>[^()\s]{4,500})\)|[*_`]{1,3}(?P<bold>[^*_`\n]{2,50})[*_`]{1,3})(?:\s*\([^()]{1,40}\))?[*_`]*\s*(?:[-–—:]|is an?|are)\s+(?P<rest>\S.*)",
    re.S,
)
"""An item that opens with a link or with bold words and goes on with a description of them."""
NAME_LINE = re.compile(
    r"[ \t]*(?:- )?(?:name|project|package|repo): *[\"']?(?P<name>[\w.+-]+(?: [\w.+-]+){0,3})[\"']?[ \t]*$"
)
DESCRIPTION_LINE = re.compile(r"[ \t]*(?:- )?(?:description|summary|purpose): *[\"']?(?=[^\s|>])")
"""Lines of YAML: what something is called, and what it is."""
_COLUMNS = frozenset(
    (
        "description",
        "purpose",
        "about",
        "summary",
        "what it does",
        "what it is",
        "what",
        "function",
        "used for",
        "details",
    )
)
"""Headers of columns that describe what their rows begin with."""
_OF_FIELDS = frozenset("default field mandatory option parameter presence required type value values".split())
"""Headers of a table of fields or options."""
_PROJECT = re.compile(
    r"https?://(?:www\.)?(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org|sr\.ht|git\.[\w.]+|[\w-]+\.github\.io|crates\.io|pypi\.org/project|www\.npmjs\.com/package|npmjs\.com/package|hackage\.haskell\.org|rubygems\.org)/|https?://[\w.-]+/?$"
)
"""Where projects, and sites of their own, stand; a longer path leads to one text of many."""
_LABEL = re.compile(r"(?:[A-Z][\w.+#!-]*|[a-z][\w.+-]*)(?: (?:[A-Z0-9][\w.+-]*|for|of|and)){0,3}")


_LANGUAGES = (
    r"(?:Ada|C|C\+\+|C#|Clojure|ClojureScript|CoffeeScript|Common Lisp|Crystal|Dart|Elixir|Elm|Erlang|F#|Fortran|Go|Golang|Haskell|Java|JavaScript|Julia|Kotlin|Lua|Nim|OCaml|"
    r"Objective-C|PHP|Perl|Prolog|PureScript|Python|Racket|ReasonML|Ruby|Rust|Scala|Scheme|Swift|TypeScript|Zig)"
)
_LISTED = rf"(?P<l>{_LANGUAGES}(?:(?:, | and |/){_LANGUAGES})*)"
_OF_LANGUAGE = (
    (
        "described.written_in",
        "WRITTEN_IN",
        re.compile(
            rf"\b(?:written|implemented|coded|programmed|rewritten|built) (?:entirely |completely |purely |mostly )?in (?:pure |modern |idiomatic )?{_LISTED}(?=[.,;:)]|$| (?:with|and|that|for|using|on)\b)"
        ),
    ),
    (
        "described.written_in",
        "WRITTEN_IN",
        re.compile(
            rf"(?:^|(?<!['’]s)[ (]){_LISTED} (?:implementation|port|rewrite|clone|reimplementation)\b"
            rf"|\b(?:implementation|[Ii]mplementation|rewrite|port|clone|implemented)(?: of [^.,;()]{{2,50}})? (?:in|to) (?:pure )?(?P<m>{_LANGUAGES})(?=[.,;:)]|$)"
        ),
    ),
    (
        "described.for_language",
        "MADE_FOR",
        re.compile(
            rf"(?:^|(?<!to)[ (]){_LISTED} (?:library|libraries|framework|package|module|bindings?|client|SDK|toolkit|API client|wrapper|ORM|web framework|microframework|debugger|linter|formatter|IDE|compiler|interpreter|toolchain|parser)(?=[.,;:)]|$| (?:for|that|which|with|to|and|in|of|providing|written)\b)"
            rf"|\b(?:library|framework|package|module|bindings?|client|SDK|toolkit|wrapper|ORM|debugger|linter|formatter|IDE|compiler|interpreter|toolchain|parser|[Bb]indings|[Ll]ibrary|[Ff]ramework) for (?P<m>{_LANGUAGES})(?=[.,;:)]|$| (?:that|which|with|and|based|projects|code|developers|applications|programs)\b)"
        ),
    ),
)
_OF_ANOTHER = re.compile(r"\b(?:around|for|of|over|to) (?:the )?[A-Z]\S*\s?$")
"""Before a language: the library of that language is another one."""
_LANGUAGE = re.compile(rf"(?<![\w+#-]){_LANGUAGES}(?![\w+#-])")


class OfLanguage(NamedTuple):
    """The language that a thing is written in, or made for."""

    rule: str
    type: str
    language: str


def languages_of(text: str) -> Iterator[OfLanguage]:
    """What a description, as plain words, says of programming languages; each once. Most of their names are words, so
    only what stands beside them shows that they are meant."""
    head = text[:_MOST]
    first, end, _ = head.partition(". ")
    head = first + end.strip()
    told: set[str] = set()
    for rule, type_, pattern in _OF_LANGUAGE:
        for found in pattern.finditer(head):
            if _DENIED.search(head[: found.start()]) or _OF_NEARER.search(head, 0, found.start()):
                continue
            if rule == "described.for_language" and _OF_ANOTHER.search(head, 0, found.start() + 1):
                continue  # "interface for the Tarn C++ library"
            said = found["l"] or (found["m"] if "m" in pattern.groupindex else None) or ""
            for name in _LANGUAGE.findall(said):
                name = "Go" if name == "Golang" else name
                if name not in told:
                    told.add(name)
                    yield OfLanguage(rule, type_, name)


class Description(NamedTuple):
    """What a description joins its thing with: the name with the number ``mark``."""

    rule: str
    type: str
    mark: int


def described(masked: str) -> Iterator[Description]:
    """What a description, whose names are marks, says of its thing; each name once."""
    told: set[int] = set()
    head = masked[:_MOST]
    first, end, _ = head.partition(". ")
    head = first + end.strip()
    for rule, type_, pattern in _PATTERNS:
        for found in pattern.finditer(head):
            before = head[: found.start("o")]
            if (
                _DENIED.search(before)
                or _OF_NEARER.search(head, 0, found.start())
                or _RANGE.match(head, found.end("o"))
            ):
                continue
            if _OF_SORT.match(head, found.end("o")) and _OF_USE.search(before):
                continue
            if rule == "described.tool_for" and head.startswith(" ", found.end("o")) and _IN_CLAUSE.search(before):
                continue  # "a lamp that has the Tarn interface"
            for mark in mark_numbers(found["o"]):
                if mark not in told:
                    told.add(mark)
                    yield Description(rule, type_, mark)


def description_column(header: str) -> int | None:
    """Which column of a table, by its first line, describes what its rows begin with; ``None`` where these are fields
    or options, whose *name of the Acme server* makes them no tool for it."""
    words = [cell.strip(" *_`").lower() for cell in header.strip().strip("|").split("|")]
    if not _OF_FIELDS.isdisjoint(words):
        return None
    return next((at for at, word in enumerate(words) if at and word in _COLUMNS), None)


class RowParts(NamedTuple):
    """What a row begins with, and where its cell that describes it stands."""

    label: str
    start: int
    first: int
    last: int


def row_parts(row: str, column: int) -> RowParts | None:
    """The parts of a row; ``None`` where it has fewer cells."""
    bars = [found.start() for found in re.finditer(r"\|", row)]
    if len(bars) <= column + 1:
        return None
    cell = row[bars[0] + 1 : bars[1]]
    label = cell.strip(" *_`")
    return RowParts(label, bars[0] + 1 + cell.find(label), bars[column] + 1, bars[column + 1])


def is_language(name: str) -> bool:
    """Whether a name is that of a programming language."""
    return _LANGUAGE.fullmatch(name) is not None


_REGISTRIES = frozenset("cocoapods crates.io docker hackage homebrew maven npm nuget pypi rubygems".split())


def is_distributed(name: str, behind: str) -> bool:
    """Whether a name is that of where a package is had from, and of nothing that it is made for: *npm package*."""
    return name.casefold() in _REGISTRIES and re.match(r" (?:image|module|package)s?\b", behind) is not None


def is_project(target: str) -> bool:
    """Whether a link leads to the site of what its label names, or to its code."""
    return _PROJECT.match(target) is not None


def is_label(label: str) -> bool:
    """Whether the label of a link is a name, and no sentence."""
    if label.islower():
        return re.fullmatch(r"[a-z][\w.+-]{2,}", label) is not None
    return _LABEL.fullmatch(label) is not None
