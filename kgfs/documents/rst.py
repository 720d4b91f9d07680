"""reStructuredText: blocks of its lines, and what its first fields say.

Used by formats and extraction, in the worker process; pure. The text stays as it is. docutils builds a tree without
reliable places in the text, at some 12 kB a second; here only the lines are looked at, a hundred times faster, and
nothing that a directive names (a file, raw output, code) is ever opened or run.
"""

from __future__ import annotations

import re
from itertools import islice

from kgfs.documents.blocks import Block, Leaf
from kgfs.documents.line_markup import BlockWriter, Line, read_lines
from kgfs.documents.markup import plain_sentence
from kgfs.model import DefinedTerm

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
_BULLET = re.compile(r"([-*+•‣]|(?:\d+|#|[A-Za-z]|[ivxlcIVXLC]+)[.)]|\((?:\d+|#|[A-Za-z])\))\s+(?=\S)")
_FIELD = re.compile(r":(?P<name>(?:[^:\\]|\\.|:(?!\s|$)){1,80}):(?:\s+(?P<value>.*))?$")
_DIRECTIVE = re.compile(r"\.\.\s+(?:\|[^|]+\|\s+)?(?P<name>[\w:+.-]+?)::(?:\s+(?P<argument>.*))?$")
_NOTE = re.compile(r"\.\.\s+\[[^\]]{1,40}\]\s+")
_GRID = re.compile(r"\+[-=+]{2,}\+")
_SIMPLE = re.compile(r"={2,}(?:\s+={2,})+")
_OPTION = re.compile(r"(?:--?[A-Za-z]|/[A-Z])[\w-]*(?:[ =]\S+)?(?:, --?[A-Za-z][\w-]*(?:[ =]\S+)?)*\s{2,}\S")

_CODE = frozenset(
    "code code-block sourcecode parsed-literal literalinclude math prompt console doctest testcode "
    "testoutput testsetup ipython jupyter-execute productionlist graphviz digraph mermaid uml plantuml command- "
    "output".split()
)
_PROSE = frozenset(
    "note warning tip important hint caution danger attention error admonition seealso versionadded "
    "versionchanged deprecated versionremoved topic sidebar epigraph highlights pull-quote container compound "
    "rubric centered todo tab tabs tab-set tab-item dropdown grid card details collapse only confval envvar "
    "option cmdoption program function method class attribute data exception module describe object staticmethod "
    "classmethod property decorator type macro var".split()
)
_NAMED = frozenset("note warning tip important hint caution danger attention error seealso".split())
_MAX_DEPTH = 20
_LABEL = re.compile(r"^\.\. _(?:`([^`\n]{1,100})`|([^:`\n]{1,100})):[ \t]*\r?$", re.M)
LABEL = "rst:label"
"""The kind of a term that is nothing but a place in its document, to which ``:ref:`` leads."""
MOST_LABELS = 500
_HEADER = re.compile(r"([A-Z][A-Za-z-]{1,30}): +(\S.*)")


def rst_blocks(text: str) -> list[Block]:
    """The blocks of a text."""
    writer = BlockWriter(text, read_lines(text))
    _Reader(writer).read(0, len(writer.lines), 0, 0)
    return writer.finish()


def rst_fields(text: str) -> dict[str, str]:
    """The fields at the head of a text (``:Author: x``), behind the title, in lower case."""
    found: dict[str, str] = {}
    for line in read_lines(text[:20_000])[:60]:
        field = _FIELD.match(line.text)
        if field is not None and field["value"]:
            found[field["name"].strip().lower()] = plain_sentence(field["value"]).text
        elif found and not line.blank and line.indent == 0:
            break
    return found


def rst_labels(text: str) -> list[DefinedTerm]:
    """The labels of a text, to which roles of other texts lead."""
    found = (match[1] or match[2] for match in islice(_LABEL.finditer(text), MOST_LABELS))
    return [DefinedTerm(name=label, kind=LABEL, weight=1) for label in dict.fromkeys(found)]


def rst_title(text: str) -> str:
    """The title, with its number, that the header of a proposal gives (``PEP: 8``, ``Title: Style``); else empty."""
    lines = text[:5000].split("\n\n", 1)[0].splitlines()
    header = {found[1]: found[2] for line in lines if (found := _HEADER.match(line)) is not None}
    title = header.get("Title", "").strip()
    number = next((f"{key} {value}" for key, value in header.items() if key.isupper() and value.isdigit()), "")
    return f"{number} – {title}" if title and number else title


class _Reader:
    def __init__(self, writer: BlockWriter) -> None:
        self._writer = writer
        self._lines = writer.lines
        self._styles: list[tuple[str, bool]] = []
        """Adornments of headings, outermost first, with whether a line stands above the title too."""

    def read(self, place: int, end: int, indent: int, depth: int) -> None:
        """The lines from ``place`` to ``end``, which stand ``indent`` columns deep."""
        while place < end:
            line = self._lines[place]
            if line.blank:
                place += 1
                continue
            place = self._block(place, end, indent, depth)

    def _block(self, place: int, end: int, indent: int, depth: int) -> int:
        """Read one block and say where the next one begins."""
        line, writer = self._lines[place], self._writer
        body = line.text.lstrip()
        if depth == 0 and (past := self._heading(place, end)):
            return past
        if body.startswith(("..", "__ ")) and (body == ".." or body[2:3] == " "):
            return self._explicit(place, end, line, depth)
        if line.indent > indent:
            past = self._deeper(place, end, line.indent)
            if depth < _MAX_DEPTH:
                self.read(place, past, line.indent, depth + 1)
            return past
        if _GRID.fullmatch(body) or _SIMPLE.fullmatch(body):
            return self._table(place, end, grid=body[0] == "+")
        if body.startswith(">>> "):
            past = self._run(place, end)
            writer.code(place, past)
            return past
        if _FIELD.match(body):
            return self._fields(place, end, line.indent)
        if _BULLET.match(body) or _OPTION.match(body):
            return self._list(place, end, line.indent)
        if _ADORNMENT.fullmatch(body) and len(body) >= 4:
            writer.block("html", place, place + 1)
            return place + 1
        following = self._lines[place + 1] if place + 1 < end else None
        if following is not None and not following.blank and following.indent > line.indent and not body.endswith("::"):
            return self._definitions(place, end, line.indent)
        return self._paragraph(place, end, line.indent)

    def _heading(self, place: int, end: int) -> int:
        """Where a heading that begins here ends; 0 where there is none."""
        line = self._lines[place]
        over = line.indent == 0 and _ADORNMENT.fullmatch(line.text) is not None
        title = place + 1 if over else place
        if title + 1 >= end:
            return 0
        words, under = self._lines[title].text, self._lines[title + 1].text
        mark = _ADORNMENT.fullmatch(under)
        if mark is None or not words.strip() or _ADORNMENT.fullmatch(words.strip()):
            return 0
        if over and (under != line.text or len(under) < min(4, len(words))):
            return 0
        if not over and (words[0] == " " or (len(under) < len(words) and len(under) < 4)):
            return 0
        style = (mark[1], over)
        if style not in self._styles:
            self._styles.append(style)
        level = self._styles.index(style) + 1
        self._writer.heading(place, title + 2, level, plain_sentence(words).text.strip(), title)
        return title + 2

    def _explicit(self, place: int, end: int, line: Line, depth: int) -> int:
        """A directive, a comment, a target, a footnote."""
        past = self._deeper(place + 1, end, line.indent + 1)
        writer = self._writer
        directive = _DIRECTIVE.match(line.text.lstrip())
        if directive is None:
            note = _NOTE.match(line.text.lstrip())
            leaves = [Leaf(line.start + line.text.index("]") + 1, self._lines[past - 1].end)] if note else []
            writer.block("paragraph" if note else "html", place, past, leaves)
            return past
        name = directive["name"].rpartition(":")[2]
        if name in _CODE:
            writer.code(place, past)
        elif name in ("list-table", "csv-table"):
            writer.rows("table", place, past)
        elif name == "toctree":
            lines = (one for one in range(place + 1, past) if not self._lines[one].blank)
            leaves = [
                writer.leaf(one, one + 1, "row") for one in lines if not _FIELD.match(self._lines[one].text.lstrip())
            ]
            writer.block("list" if leaves else "html", place, past, leaves)
        elif (name in _PROSE or name in ("glossary", "table", "figure")) and depth < _MAX_DEPTH:
            said = directive["argument"] or ""
            leaves = []
            if said and name in _NAMED:
                leaves = [Leaf(line.start + line.text.rindex(said), line.end)]
            writer.block("paragraph" if leaves else "html", place, place + 1, leaves)
            body = place + 1
            while body < past and (self._lines[body].blank or _FIELD.match(self._lines[body].text.lstrip())):
                body += 1
            if body < past:
                self.read(body, past, self._lines[body].indent, depth + 1)
        else:
            writer.block("html", place, past)
        return past

    def _table(self, place: int, end: int, *, grid: bool) -> int:
        past = self._run(place, end)
        if not grid:
            # Blank lines may stand in a simple table: it ends with its last rule.
            rules = [
                one for one in range(place, min(end, place + 5000)) if _SIMPLE.fullmatch(self._lines[one].text.lstrip())
            ]
            for one in rules:
                if one >= past - 1 and (one + 1 >= end or self._lines[one + 1].blank):
                    past = max(past, one + 1)
                    break
        self._writer.rows("table", place, past)
        return past

    def _fields(self, place: int, end: int, indent: int) -> int:
        past = place
        leaves = []
        while past < end and self._lines[past].indent == indent and _FIELD.match(self._lines[past].text.lstrip()):
            following = self._deeper(past + 1, end, indent + 1)
            leaves.append(self._writer.leaf(past, following, "row"))
            past = following
        self._writer.block("list", place, past, leaves).cuts = [leaf.start for leaf in leaves[1:]]
        return past

    def _list(self, place: int, end: int, indent: int) -> int:
        """Items that stand one below the other, each with what is indented under it."""
        past = place
        leaves: list[Leaf] = []
        cuts = []
        while past < end:
            line = self._lines[past]
            body = line.text.lstrip()
            if line.indent != indent or not (_BULLET.match(body) or _OPTION.match(body)):
                break
            following = self._deeper(past + 1, end, indent + 1)
            cuts.append(line.start)
            leaves += self._runs(past, following)
            past = following
            while past < end and self._lines[past].blank:
                past += 1
        while past > place + 1 and self._lines[past - 1].blank:
            past -= 1
        self._writer.block("list", place, past, leaves).cuts = cuts[1:]
        return past

    def _definitions(self, place: int, end: int, indent: int) -> int:
        past = place
        leaves: list[Leaf] = []
        cuts = []
        while past + 1 < end:
            line, following = self._lines[past], self._lines[past + 1]
            if line.blank:
                past += 1
                continue
            if line.indent != indent or line.text.lstrip().startswith(".. ") or following.blank:
                break
            if following.indent <= indent:
                if following.indent < indent or not self._is_term(past + 1, end, indent):
                    break
                leaves.append(self._writer.leaf(past, past + 1, "row"))  # two terms of one definition
                past += 1
                continue
            term = line.text.partition(" : ")[0]
            cuts.append(line.start)
            leaves.append(Leaf(line.start, line.start + len(term), "row"))
            last = self._deeper(past + 1, end, indent + 1)
            leaves += self._runs(past + 1, last)
            past = last
        past = max(past, place + 1)
        while past > place + 1 and self._lines[past - 1].blank:
            past -= 1
        self._writer.block("definitions", place, past, leaves).cuts = cuts[1:]
        return past

    def _is_term(self, place: int, end: int, indent: int) -> bool:
        return place + 1 < end and not self._lines[place + 1].blank and self._lines[place + 1].indent > indent

    def _paragraph(self, place: int, end: int, indent: int) -> int:
        past = place + 1
        while past < end and not self._lines[past].blank and self._lines[past].indent >= min(indent, 1):
            if past + 1 < end and self._lines[past].indent == 0 and _ADORNMENT.fullmatch(self._lines[past + 1].text):
                break
            past += 1
        literal = self._lines[past - 1].text.endswith("::")
        if self._lines[place].text.strip() != "::":
            self._writer.block("paragraph", place, past, [self._writer.leaf(place, past)])
        if literal:
            last = self._deeper(past, end, indent + 1)
            if last > past and any(not line.blank for line in self._lines[past:last]):
                while self._lines[past].blank:
                    past += 1
                self._writer.code(past, last)
                return last
        return past

    def _runs(self, place: int, end: int) -> list[Leaf]:
        """The paragraphs of an item; code where one ends with two colons."""
        leaves: list[Leaf] = []
        literal = False
        while place < end:
            if self._lines[place].blank:
                place += 1
                continue
            past = self._run(place, end)
            leaves.append(self._writer.leaf(place, past, "code" if literal else "text"))
            literal = self._lines[past - 1].text.endswith("::")
            place = past
        return leaves

    def _run(self, place: int, end: int) -> int:
        """Where the lines without a blank one among them end."""
        while place < end and not self._lines[place].blank:
            place += 1
        return place

    def _deeper(self, place: int, end: int, indent: int) -> int:
        """Where the lines end that stand ``indent`` columns deep or more; blank ones at their end are not of them."""
        past = place
        while place < end:
            if not self._lines[place].blank:
                if self._lines[place].indent < indent:
                    break
                past = place + 1
            place += 1
        return past
