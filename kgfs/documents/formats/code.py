"""Source code: the text is the file; chunks begin at definitions, and their headings name classes and functions.

One of the readers of ``kgfs.documents.formats``, and the structure of code for ``document_blocks``; pure. Definitions
are found by tree-sitter where there is a grammar; in other languages code is cut where a line begins at the margin
after an empty one.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import tree_sitter

from kgfs.documents.blocks import Block, Leaf, lines_of
from kgfs.documents.formats.reading import FileText, RawFile
from kgfs.documents.summaries import MAX_DESCRIPTION

GRAMMARS = {
    "text/x-python": ("tree_sitter_python", "language"),
    "text/javascript": ("tree_sitter_javascript", "language"),
    "text/typescript": ("tree_sitter_typescript", "language_typescript"),
    "text/x-tsx": ("tree_sitter_typescript", "language_tsx"),
    "text/x-java": ("tree_sitter_java", "language"),
    "text/x-c": ("tree_sitter_c", "language"),
    "text/x-c++": ("tree_sitter_cpp", "language"),
    "text/x-csharp": ("tree_sitter_c_sharp", "language"),
    "text/x-go": ("tree_sitter_go", "language"),
    "text/x-rust": ("tree_sitter_rust", "language"),
    "text/x-ruby": ("tree_sitter_ruby", "language"),
    "text/x-php": ("tree_sitter_php", "language_php"),
    "application/x-sh": ("tree_sitter_bash", "language"),
}
"""MIME type to the grammar's module and the function in it that gives the language."""

_TYPES = frozenset(
    "class_definition class_declaration class_specifier class struct_specifier struct_item struct_declaration "
    "enum_specifier enum_item enum_declaration union_specifier union_item interface_declaration trait_item "
    "trait_declaration module mod_item impl_item record_declaration type_alias_declaration type_spec type_item "
    "abstract_class_declaration annotation_type_declaration".split()
)
_FUNCTIONS = frozenset(
    "function_definition function_declaration function_item generator_function_declaration method_definition "
    "method_declaration method singleton_method constructor_declaration destructor_declaration operator_declaration "
    "compact_constructor_declaration macro_definition local_function_statement".split()
)
_WRAPPERS = frozenset(
    "decorated_definition export_statement template_declaration declaration_list class_body block body_statement "
    "field_declaration_list interface_body enum_body enum_body_declarations enum_member_declaration_list "
    "linkage_specification preproc_ifdef preproc_if preproc_else namespace_definition namespace_declaration "
    "file_scoped_namespace_declaration internal_module statement_block type_declaration lexical_declaration "
    "variable_declaration ambient_declaration expression_statement if_statement compound_statement".split()
)
"""What a definition may stand in."""
_LAMBDAS = frozenset({"arrow_function", "function_expression", "generator_function"})
_MAX_LEVEL = 3
_MAX_NESTING = 16
_MAX_TREE_BYTES = 2 * 1024 * 1024
"""A longer file is made by a program; it is cut by lines."""
_STATEMENT = re.compile(r"(?!end\b)\w\w")
"""Code, where only brackets and Ruby's ends close what is around."""
_MAX_NAME = 80
_LONG = 400
"""Characters without a good place to cut, beyond which any line's start is one."""
_DOCSTRING = re.compile(r"\s*(?:#[^\n]*\n\s*)*[rRuU]?(\"{3}|'{3})(.+?)\1", re.S)
_COMMENT_LINE = re.compile(r"[ \t]*(?:#(?!include|define|if|pragma)|//|/\*|\*|--|;|%|<!--)")
_MARK = re.compile(r"^[ \t]*(?:#!.*|[#/*;%-]+!?|<!--)[ \t]?|[ \t]*(?:\*+/|-->)[ \t]*$")
_LICENCE = re.compile(r"copyright|licen[sc]e|coding[:=]|all rights reserved|eslint|<reference|SPDX|\bvim?:", re.I)
_HEAD = 8192


class _Definition(NamedTuple):
    start: int
    """Bytes: of the first line that belongs to it (its comment, its decorators)."""
    body: int
    """Bytes: behind its own first line."""
    end: int
    level: int
    title: str


def read(source: RawFile) -> FileText:
    """A file of source code; its first comment describes it."""
    return FileText(
        source.text, is_content=True, title=source.name, description=_description(source.text, source.mime_type)
    )


def code_blocks(text: str, mime_type: str) -> list[Block]:
    """The blocks of source code: a heading a definition (its first lines), then its code."""
    if not text:
        return []
    data = text.encode("utf-8", "replace")
    if mime_type not in GRAMMARS or len(data) > _MAX_TREE_BYTES:
        return [_stretch(text, 0, len(text))]
    definitions = list(_definitions(_parser(mime_type).parse(data).root_node, data))
    at = _characters(text, data)
    blocks: list[Block] = []
    position = 0
    open_ends: list[tuple[int, int]] = []
    """Level and end of the definitions that ``position`` stands in or behind, outermost first."""
    for one in definitions:
        start, body, end = at(one.start), at(one.body), at(one.end)
        if start < position:
            continue  # two definitions on one line: the first has it
        blocks += _between(text, position, start, open_ends)
        blocks.append(Block(start, body, "heading", one.level, one.title, leaves=[Leaf(start, body, "code")]))
        open_ends = [outer for outer in open_ends if outer[0] < one.level] + [(one.level, max(end, body))]
        position = body
    return blocks + _between(text, position, len(text), open_ends)


def _between(text: str, start: int, end: int, open_ends: list[tuple[int, int]]) -> list[Block]:
    """The code from one definition's first line to the next one.

    What comes behind the end of a definition stands under what surrounds that: a heading without a title says so.
    """
    blocks: list[Block] = []
    outward = sorted(open_ends, reverse=True)
    lines = [text.find("\n", stop - 1, end) + 1 or end for _, stop in outward]
    for (level, _), (line, limit) in zip(outward, pairwise([*lines, end]), strict=True):
        if not start <= line < limit or not _STATEMENT.search(text, line, limit):
            continue
        if line > start:
            blocks.append(_stretch(text, start, line))
        first = line + len(text[line:limit]) - len(text[line:limit].lstrip())
        behind = text.find("\n", first, limit) + 1 or limit
        blocks.append(Block(line, behind, "heading", level, "", leaves=[Leaf(line, behind, "code")]))
        start = behind
    if start < end:
        blocks.append(_stretch(text, start, end))
    return blocks


def _stretch(text: str, start: int, end: int) -> Block:
    """Code that is best cut where lines begin at the margin after an empty one, else at empty lines, else at lines."""
    starts = lines_of(text, start, end)
    cuts: list[int] = []
    before = start
    for last, line in pairwise(starts):
        blank = not text[last:line].strip()
        margin = blank and not text[line : line + 1].isspace()
        if margin or line - before > _LONG or (blank and line - before > _LONG // 2):
            cuts.append(line)
            before = line
    return Block(start, end, "code", cuts=cuts, leaves=[Leaf(start, end, "code")])


@cache
def _parser(mime_type: str) -> tree_sitter.Parser:
    module, function = GRAMMARS[mime_type]
    language = getattr(importlib.import_module(module), function)()
    return tree_sitter.Parser(tree_sitter.Language(language))


def _definitions(
    parent: Any, data: bytes, level: int = 1, nesting: int = 0, at: int | None = None
) -> Iterator[_Definition]:
    """The definitions in ``parent``, in order. ``at``: where what surrounds the first one begins."""
    lead: int | None = None
    """Where the comments directly above the next node begin, which end in line ``below``."""
    below = -2
    for node in parent.children:
        line = node.start_point[0]
        if node.type.endswith("comment"):
            if lead is None or line > below + 1:
                lead = node.start_byte
            below = node.end_point[0]
            continue
        begins = lead if lead is not None and line <= below + 1 else node.start_byte
        begins = begins if at is None else at
        lead, below = None, -2
        name = _name(node, data)
        if name:
            own = data.find(b"\n", node.start_byte)
            body = len(data) if own < 0 else own + 1
            at = None
            yield _Definition(_line_start(data, begins), body, node.end_byte, level, name)
            if level < _MAX_LEVEL and node.type in _TYPES and nesting < _MAX_NESTING:
                inner = node.child_by_field_name("body")
                if inner is not None:
                    yield from _definitions(inner, data, level + 1, nesting + 1)
        elif node.type in _WRAPPERS and nesting < _MAX_NESTING:
            surrounds = None if node.type.endswith(_BODIES) else begins
            yield from _definitions(node, data, level, nesting + 1, surrounds)


_BODIES = ("body", "block", "list", "statement", "internal_module", "specification", "ifdef", "if", "else",
           "namespace_definition", "namespace_declaration")  # fmt: skip
"""Wrappers that hold many definitions: the first one does not begin where they do."""


def _name(node: Any, data: bytes) -> str:
    """The title of a definition: ``pack()`` of a function, `` `Packer` `` of a type; empty for any other node."""
    kind = node.type
    if kind in _FUNCTIONS:
        named = node.child_by_field_name("name") or node.child_by_field_name("declarator")
        for _ in range(_MAX_NESTING):  # C: the name stands inside pointers and parameters
            inner = named.child_by_field_name("declarator") if named is not None else None
            if inner is None:
                break
            named = inner
        text = _source(named, data)
        return f"{text}()" if text else ""
    if kind in _TYPES:
        if node.child_by_field_name("body") is None and kind.endswith(("specifier", "module")):
            return ""  # C: the use of a struct; Python's root
        made = node.child_by_field_name("type") if kind == "type_spec" else None
        if made is not None and made.type not in ("struct_type", "interface_type"):
            return ""  # Go: another name for a type
        text = _source(node.child_by_field_name("name") or node.child_by_field_name("type"), data)
        return f"`{text}`" if text else ""
    if kind in ("lexical_declaration", "variable_declaration"):
        for declarator in node.children:
            value = declarator.child_by_field_name("value") if declarator.type == "variable_declarator" else None
            if value is not None and value.type in _LAMBDAS:
                return f"{_source(declarator.child_by_field_name('name'), data)}()"
    return ""


def _source(node: Any, data: bytes) -> str:
    if node is None:
        return ""
    text = " ".join(data[node.start_byte : node.end_byte].decode("utf-8", "replace").split())
    return text if len(text) <= _MAX_NAME else text[: _MAX_NAME - 1] + "…"


def _line_start(data: bytes, position: int) -> int:
    """The start of the line, where only white space stands before ``position``."""
    start = data.rfind(b"\n", 0, position) + 1
    return start if not data[start:position].strip() else position


def _characters(text: str, data: bytes) -> Callable[[int], int]:
    """Offsets of bytes as offsets of characters, asked in ascending order."""
    if len(text) == len(data):
        return lambda offset: offset
    last = [0, 0]

    def at(offset: int) -> int:
        if offset < last[0]:
            last[:] = [0, 0]
        last[1] += len(data[last[0] : offset].decode("utf-8", "replace"))
        last[0] = offset
        return last[1]

    return at


def _description(text: str, mime_type: str) -> str:
    """What the first comment of a file says, its first paragraph; a licence says nothing."""
    head = text[:_HEAD].lstrip("\ufeff")
    docstring = _DOCSTRING.match(head) if mime_type == "text/x-python" else None
    if docstring is not None:
        comment = docstring[2]
    else:
        lines = []
        for line in head.split("\n"):
            if line.strip() and not _COMMENT_LINE.match(line):
                break
            lines.append(_MARK.sub("", _MARK.sub("", line)))
        comment = "\n".join(lines)
    for paragraph in re.split(r"\n[ \t\r]*\n", comment):
        words = " ".join(paragraph.split())
        if words.count(" ") >= 2 and words[:1].isalpha() and not _LICENCE.search(words):
            return words if len(words) <= MAX_DESCRIPTION else words[: MAX_DESCRIPTION - 1].rsplit(" ", 1)[0] + "…"
    return ""
