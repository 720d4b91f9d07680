"""Markdown: front matter and blocks, by markdown-it's block tokens.

Used by formats and extraction, in the worker process; pure. Only the block structure is parsed (inline parsing costs as
much again and nothing here needs it).
"""

from __future__ import annotations

import re
import tomllib
from datetime import date, datetime, time
from itertools import pairwise
from typing import Any, NamedTuple

import yaml
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.token import Token

from kgfs.documents.blocks import Block, Leaf, LeafKind, lines_of
from kgfs.documents.html_cells import html_leaves
from kgfs.documents.markup import plain_sentence
from kgfs.documents.title_blocks import title_block

MAX_FRONT_MATTER = 64 * 1024
_MAX_NODES = 10_000
_FENCED = re.compile(r"\A\ufeff?(-{3,}|\+\+\+)[ \t]*\r?\n")
_NAMED = re.compile(r"(?i)(?:name|title):[ \t]+\S")
_LINE_END = re.compile(r"\r\n?|\n")
_PARSER = MarkdownIt("commonmark").enable("table").disable("inline")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_CONTAINERS = {
    "bullet_list_open": "list", "ordered_list_open": "list", "table_open": "table", "blockquote_open": "quote",
    "paragraph_open": "paragraph", "heading_open": "heading",
}  # fmt: skip
_COMPONENT_BEGINS = r"<[A-Z]\w*(?:[ \t][^<>\n]*)?"
_SITE_LINE = re.compile(
    r"^[ \t]*(?:(?:!!!|\?\?\?\+?)[ \t]*[\w-]+(?:[ \t]+[\w-]+)*(?:[ \t]+\"[^\"\n]*\")?|===\+?[ \t]+\"[^\"\n]*\""
    r"|:::+[^\n]*|>[ \t]*\[!\w+\][+-]?|\{%[^\n]*%\}|\{\{[<%][^\n]*[>%]\}\}"
    r"|import (?:[\w*]+(?: as \w+)?|\{[^{}\n]*\})(?:, ?\{[^{}\n]*\})? from ['\"][^'\"\n]+['\"];?"
    rf"|{_COMPONENT_BEGINS})[ \t]*$",
    re.M,
)
"""``!!! note``, ``=== "Tab"``, ``:::warning``, ``> [!TIP]``, ``{% include x %}``, ``{{< figure >}}`` in a line; of MDX
``import {Lamp} from '@lamps'``, and ``<Lamp sizes={[``, the first of the lines of a component."""
_COMPONENT = re.compile(rf"[ \t]*{_COMPONENT_BEGINS}")
_LONGEST_COMPONENT = 200
"""Lines."""
_OPENING = ("!!!", "???", "===")
_INDENT = 4
_COMMENT = "<!-- -->"
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LONE = {"fence": "code", "code_block": "code", "html_block": "html", "hr": "paragraph"}


class FrontMatter(NamedTuple):
    """What stands between the fences at a document's start."""

    attributes: dict[str, Any]
    end: int
    """Where the body starts, in characters; 0 without front matter."""
    note: str
    """One sentence when it could not be read (it then stays text), else empty."""


def front_matter(text: str) -> FrontMatter:
    """The front matter of ``text``: YAML between ``---`` lines or TOML between ``+++`` lines, as plain JSON values; or
    a title block of Pandoc.

    What is not a mapping or cannot be read has no attributes and ``end`` 0: it stays part of the text.
    """
    opening = _FENCED.match(text)
    if opening is None:
        titled = title_block(text)
        return FrontMatter({}, 0, "") if titled is None else FrontMatter(titled.attributes, titled.end, "")
    fence = opening[1]
    longer = fence.startswith("----")  # a rule, as above and below what a candidate says of herself
    marks = "-{4,}" if longer else "---|[.]{3}" if fence == "---" else re.escape(fence)
    closing = re.compile(rf"^(?:{marks})[ \t]*(?:\r?\n|\Z)", re.M)
    end = closing.search(text, opening.end(), opening.end() + MAX_FRONT_MATTER)
    if end is None:
        return FrontMatter({}, 0, "")
    source = text[opening.end() : end.start()]
    if longer and not _NAMED.match(source):
        return FrontMatter({}, 0, "")
    try:
        value = tomllib.loads(source.replace("\r\n", "\n")) if fence == "+++" else yaml.load(source, Loader=_LOADER)
        budget = [_MAX_NODES]
        value = _jsonable(value, budget, 0)
    except (
        yaml.YAMLError, tomllib.TOMLDecodeError, ValueError, TypeError, OverflowError, RecursionError,
        LookupError, AttributeError,  # PyYAML looks things up in what a tag promises: !!bool maybe, !!timestamp later
    ) as error:  # fmt: skip
        reason = " ".join(str(getattr(error, "problem", None) or error).split())[:160]
        if longer:
            return FrontMatter({}, 0, "")
        kind = "TOML" if fence == "+++" else "YAML"
        return FrontMatter({}, 0, f"The front matter is not {kind} ({reason}); it was kept as text.")
    if value is None and not source.strip():
        return FrontMatter({}, end.end(), "")
    if not isinstance(value, dict):
        if ":" not in source:
            return FrontMatter({}, 0, "")  # two rules with text between them
        return FrontMatter({}, 0, "The front matter is not a list of `key: value` lines; it was kept as text.")
    return FrontMatter(value, end.end(), "")


def _jsonable(value: Any, budget: list[int], depth: int) -> Any:
    """A YAML value as JSON knows it: dates as ISO text, keys as text. ``ValueError`` beyond 10,000 nodes (aliases)."""
    budget[0] -= 1
    if budget[0] < 0 or depth > 32:
        raise ValueError("it is too large or nests too deep")
    if isinstance(value, dict):
        return {_key(key): _jsonable(item, budget, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_jsonable(item, budget, depth + 1) for item in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and not (value == value and abs(value) != float("inf")):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return str(value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _key(key: Any) -> str:
    text = key.isoformat() if isinstance(key, date) else str(key)
    return text.encode("utf-8", "replace").decode("utf-8")


class _Outside(list[Token]):
    """Of a table's tokens those of the whole."""

    def append(self, token: Token) -> None:
        if token.type in ("table_open", "table_close"):
            super().append(token)


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The parser's own rule for tables, without three tokens of 300 bytes for each cell, of which a sheet has millions.

    Of a table that is a block itself only the lines are asked for.
    """
    if state.level:
        return table(state, start, end, silent)
    before = state.tokens
    state.tokens = _Outside()
    try:
        return table(state, start, end, silent)
    finally:
        before.extend(state.tokens)
        state.tokens = before


_PARSER.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})


def _readable(body: str) -> str:
    """The body as the parser is to see it, of as many lines: what a site's generator makes of a line is a comment, and
    what stands indented beneath an admonition or a tab is text, not code."""
    if _SITE_LINE.search(body) is None:
        return body
    lines: list[str] = []
    fence = ""
    inside: list[int] = []
    """The columns from which the text of the admonitions stands that are open."""
    component = -1
    """The last line of the component that is open."""
    written = body.splitlines(keepends=True)
    for number, line in enumerate(written):
        words = line.strip()
        indent = len(line) - len(line.lstrip())
        while inside and words and indent < inside[-1]:
            inside.pop()
        line = line[_INDENT * len(inside) :] if words else line
        mark = _FENCE.match(line)
        if mark is not None and (not fence or words == mark[1] or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif number <= component and words:
            line = f"{_COMMENT}{line[len(line.rstrip()) :]}"
        elif not fence and _SITE_LINE.fullmatch(line.rstrip("\r\n")):
            if _COMPONENT.fullmatch(line.rstrip()):
                component = _component_end(written, number)
            if words.startswith(_OPENING):
                inside.append(indent + _INDENT)
            before = "> " if words.startswith(">") else line[: len(line) - len(line.lstrip())]
            line = f"{before}{_COMMENT}{line[len(line.rstrip()) :]}"
        lines.append(line)
    return "".join(lines)


def _component_end(lines: list[str], first: int) -> int:
    """The line in which the component of MDX ends that begins in line ``first``; ``first`` itself where none does."""
    for number in range(first + 1, min(first + _LONGEST_COMPONENT, len(lines))):
        words = lines[number].strip()
        if words.endswith("/>") or words == ">":
            return number
    return first


def markdown_blocks(text: str, start: int = 0) -> list[Block]:
    """The blocks of Markdown ``text``; ``text[:start]`` (front matter) is the first one, of kind ``front``."""
    blocks: list[Block] = []
    if start:
        blocks.append(Block(0, start, "front", cuts=lines_of(text, 0, start)[1:]))
    body = text[start:]
    if body.startswith("\ufeff"):
        body = " " + body[1:]  # a byte order mark would hide a heading in the first line
    starts = [start, *(start + end.end() for end in _LINE_END.finditer(body)), len(text)]
    last = len(starts) - 1

    def at(line: int) -> int:
        return starts[min(line, last)]

    tokens = _PARSER.parse(_readable(body))
    depth = 0
    for index, token in enumerate(tokens):
        if token.nesting < 0:
            depth -= 1
            continue
        if depth == 0 and token.map is not None:
            block = _open(text, tokens, index, token, at)
            if block is not None:
                blocks.append(block)
        elif blocks and token.map is not None:
            _inside(blocks[-1], token, at)
        if token.nesting > 0:
            depth += 1
    return _tiled(blocks, text, start)


def _open(text: str, tokens: list[Token], index: int, token: Token, at: Any) -> Block | None:
    assert token.map is not None
    start, end = at(token.map[0]), at(token.map[1])
    kind = _CONTAINERS.get(token.type) or _LONE.get(token.type)
    if kind is None:
        return None
    if kind == "heading":
        title = plain_sentence(tokens[index + 1].content).text
        return Block(start, end, kind, int(token.tag[1]), title, leaves=[Leaf(start, end, "heading")])
    block = Block(start, end, kind)
    if kind == "code":
        block.cuts = [at(line) for line in range(token.map[0] + 1, token.map[1])]
        block.leaves = [Leaf(start, end, "code")]
    elif kind == "html":
        # What is commented out is for nobody to read: templates of notes keep their unused parts so.
        # A script is for no reader either.
        opening = token.content.lstrip()[:8].lower()
        comment = opening.startswith("<!--") and token.content.rstrip().endswith("-->")
        scripted = opening.startswith(("<script", "<style"))
        if not scripted:
            block.leaves = [Leaf(start, end, "code")] if comment else html_leaves(text, start, end)
    elif kind == "table":
        rows = [at(line) for line in range(token.map[0], token.map[1] + 1)]
        block.cuts = rows[1:-1]
        block.leaves = [Leaf(a, b, "row") for a, b in pairwise(rows)]
    return block


def _inside(block: Block, token: Token, at: Any) -> None:
    """Take what a nested token says about where ``block`` may be cut and what it holds."""
    assert token.map is not None
    start, end = at(token.map[0]), at(token.map[1])
    if token.type in ("list_item_open", "paragraph_open") and block.kind in ("list", "quote"):
        if start > block.start and (not block.cuts or block.cuts[-1] < start):
            block.cuts.append(start)
    elif token.type == "inline" and block.kind in ("list", "quote", "paragraph"):
        block.leaves.append(Leaf(start, end))
    elif token.type in ("fence", "code_block"):
        kind: LeafKind = "code"
        block.leaves.append(Leaf(start, end, kind))


def _tiled(blocks: list[Block], text: str, body: int) -> list[Block]:
    """``blocks`` made contiguous: each reaches to the next, the first begins where the body does."""
    if not text:
        return []
    kept: list[Block] = []
    for block in blocks:
        if kept and block.start <= kept[-1].start:
            continue  # two blocks on one line (a reference definition between them): the first has it all
        kept.append(block)
    content = [block for block in kept if block.kind != "front"]
    if not content:
        kept.append(Block(body, len(text), "paragraph"))
    else:
        content[0].start = body
    kept = [block for block in kept if block.start < len(text)]
    for block, following in pairwise(kept):
        block.end = following.start
    kept[-1].end = len(text)
    for block in kept:
        block.cuts = [cut for cut in block.cuts if block.start < cut < block.end]
    return kept
