"""DOCX: paragraphs, headings by style, lists, tables and footnotes, by python-docx.

One of the readers of ``kgfs.documents.formats``; pure. Text is taken from the paragraph's XML, because python-docx
leaves out what stands in tracked insertions, content controls and text boxes.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import docx

from kgfs.documents import dates
from kgfs.documents.formats.archive import open_archive
from kgfs.documents.formats.reading import FileText, RawFile, Unreadable, printable, property_lines, split_words
from kgfs.documents.formats.writing import FIRST_PART_KEPT, MarkdownWriter, TextFull
from kgfs.documents.formats.xml import local_name, parse_xml

_SKIPPED = frozenset("del moveFrom instrText delText Fallback pPr rPr sectPr tblPr tcPr trPr".split())
_HEADING = re.compile(r"heading ?([1-9])", re.I)
_LISTED = re.compile(r"list ?(bullet|number|paragraph)? ?([2-9])?$", re.I)
_MAX_DEPTH = 200


def read(source: RawFile) -> FileText:
    """A DOCX file. ``Unreadable`` where it is broken, asks for a password, or unpacks to too much."""
    with open_archive(source):
        pass
    document = docx.Document(io.BytesIO(source.data))
    writer = MarkdownWriter(source.config.max_extracted_bytes)
    notes: list[str] = []
    try:
        _Body(writer, _styles(document)).write(document.element.body)
        _footnotes(document, writer)
    except TextFull:
        notes.append(FIRST_PART_KEPT)
    said = document.core_properties
    return FileText(
        writer.text(),
        title=printable(_said(said, "title")),
        made=dates.from_value(_said(said, "modified") or _said(said, "created")),
        front_matter=property_lines(author=_said(said, "author"), subject=_said(said, "subject")),
        tags=split_words(_said(said, "keywords")),
        notes=notes,
    )


def _said(core: Any, name: str) -> Any:
    """A document property; ``None`` where it cannot be read."""
    try:
        return getattr(core, name)
    except (ValueError, TypeError, AttributeError, OverflowError):
        return None


def _styles(document: Any) -> dict[str, str]:
    """Style ids and the names that say what they are for, those of Word where a style is based on one."""
    found: dict[str, str] = {}
    for style in document.styles:
        name = str(style.name or "")
        base, steps = style, 0
        while not (_HEADING.match(name) or name == "Title" or _LISTED.match(name)) and steps < 10:
            base = getattr(base, "base_style", None)
            if base is None:
                break
            name, steps = str(base.name or ""), steps + 1
        if style.style_id:
            found[style.style_id] = name
    return found


class _Body:
    def __init__(self, writer: MarkdownWriter, styles: dict[str, str]) -> None:
        self._writer = writer
        self._styles = styles

    def write(self, parent: Any, depth: int = 0) -> None:
        for child in parent:
            name = local_name(child)
            if name == "p":
                self._paragraph(child)
            elif name == "tbl":
                self._writer.table(self._rows(child))
            elif name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag") and depth < _MAX_DEPTH:
                self.write(child, depth + 1)

    def _paragraph(self, element: Any) -> None:
        text = text_of(element)
        if not text.strip():
            return
        style, depth, outline = self._shape(element)
        heading = _HEADING.match(style)
        if style == "Title":
            self._writer.heading(1, text)
        elif heading:
            self._writer.heading(int(heading[1]), text)
        elif outline is not None and len(text) <= 200:
            self._writer.heading(outline, text)
        elif depth is not None:
            self._writer.item(text, depth)
        else:
            self._writer.prose(text)

    def _shape(self, element: Any) -> tuple[str, int | None, int | None]:
        """Style name, depth in a list, and outline level of a paragraph."""
        style, depth, outline = "", None, None
        properties_ = next((child for child in element if local_name(child) == "pPr"), None)
        for child in properties_ if properties_ is not None else ():
            name = local_name(child)
            if name == "pStyle":
                style = self._styles.get(_value(child), _value(child))
            elif name == "outlineLvl" and _value(child).isdigit() and int(_value(child)) < 9:
                outline = int(_value(child)) + 1
            elif name == "numPr":
                level = next((_value(one) for one in child if local_name(one) == "ilvl"), "0")
                depth = int(level) if level.isdigit() else 0
        listed = _LISTED.match(style)
        if depth is None and listed and listed[1] != "Paragraph":
            depth = int(listed[2] or 1) - 1
        return style, depth, outline

    def _rows(self, table: Any) -> Iterator[list[str]]:
        for row in _inside(table, "tr"):
            yield [" ".join(text_of(one) for one in _paragraphs(column)) for column in _inside(row, "tc")]


def _inside(parent: Any, wanted: str, depth: int = 0) -> Iterator[Any]:
    """The rows of a table or the cells of a row, in content controls too."""
    for child in parent:
        name = local_name(child)
        if name == wanted:
            yield child
        elif name in ("sdt", "sdtContent", "ins", "customXml") and depth < _MAX_DEPTH:
            yield from _inside(child, wanted, depth + 1)


def _paragraphs(parent: Any) -> Iterator[Any]:
    """The paragraphs of a cell, those of tables in it too."""
    for element in parent.iter():
        if local_name(element) == "p":
            yield element


def _value(element: Any) -> str:
    return next((str(value) for key, value in element.attrib.items() if key.endswith("}val")), "")


def text_of(paragraph: Any) -> str:
    """The text of a paragraph as it reads with all changes accepted; iterative, whatever its depth."""
    parts: list[str] = []
    stack = [iter(paragraph)]
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
            continue
        name = local_name(element)
        if name == "t":
            parts.append(element.text or "")
        elif name in ("tab", "ptab"):
            parts.append("\t")
        elif name in ("br", "cr"):
            parts.append("\n")
        elif name == "noBreakHyphen":
            parts.append("-")
        elif name == "p":  # a text box inside the paragraph
            parts.append("\n")
            stack.append(iter(element))
        elif name and name not in _SKIPPED:
            stack.append(iter(element))
    return "".join(parts)


def _footnotes(document: Any, writer: MarkdownWriter) -> None:
    """Foot- and endnotes, as a list at the end."""
    for relation in document.part.rels.values():
        if relation.is_external or not str(relation.reltype).endswith(("/footnotes", "/endnotes")):
            continue
        try:
            root = parse_xml(relation.target_part.blob)
        except Unreadable:
            continue
        for note in root:
            if local_name(note) in ("footnote", "endnote"):
                writer.item(" ".join(text_of(one) for one in _paragraphs(note)))
