"""OpenDocument texts (ODT, and the flat form of one XML file): headings, lists, tables, links, notes, by lxml.

One of the readers of ``kgfs.documents.formats``; pure. What a document links to or embeds is not opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kgfs.documents import dates
from kgfs.documents.formats.archive import open_archive, read_member
from kgfs.documents.formats.reading import BROKEN, FileText, RawFile, Unreadable, printable, property_lines, split_words
from kgfs.documents.formats.writing import FIRST_PART_KEPT, MarkdownWriter, TextFull
from kgfs.documents.formats.xml import local_name, parse_xml

_CONTAINERS = frozenset(
    "section text body index-body illustration-index user-index numbered-paragraph soft-page-break".split()
)
_SKIPPED = frozenset(
    "tracked-changes forms sequence-decls variable-decls user-field-decls annotation annotation-end note-citation "
    "table-of-content alphabetical-index bibliography table-index ruby-text change change-start change-end script "
    "bookmark bookmark-start bookmark-end binary-data event-listeners desc title".split()
)
_HEADING = re.compile(r"Heading(?:_20_|\s)?(\d)", re.I)
_CODE = re.compile(r"Preformatted|Source_20_|Code", re.I)
_MAX_DEPTH = 100
_MAX_REPEATED = 50


def read(source: RawFile) -> FileText:
    """A text document. ``Unreadable`` where it is broken, encrypted, or unpacks to too much."""
    if source.data.lstrip()[:5] == b"<?xml" or source.name.endswith(".fodt"):
        root = parse_xml(source.data)
        parts = [root]
    else:
        with open_archive(source) as archive:
            names = set(archive.namelist())
            if "content.xml" not in names:
                raise Unreadable(BROKEN)
            if "META-INF/manifest.xml" in names and b"encryption-data" in read_member(archive, "META-INF/manifest.xml"):
                raise Unreadable("It asks for a password")
            parts = [
                parse_xml(read_member(archive, name))
                for name in ("content.xml", "styles.xml", "meta.xml")
                if name in names
            ]
            root = parts[0]
    body = next((element for element in root.iter() if local_name(element) == "text" and "office" in element.tag), None)
    if body is None:
        raise Unreadable(BROKEN)
    said = _said(parts[-1])
    writer = MarkdownWriter(source.config.max_extracted_bytes)
    notes: list[str] = []
    reader = _Body(writer, _styles(parts))
    try:
        reader.write(body)
        for note in reader.notes:
            writer.item(note)
    except TextFull:
        notes.append(FIRST_PART_KEPT)
    return FileText(
        writer.text(),
        title=printable(next(iter(said.get("title", [])), "")),
        made=dates.from_value(next(iter(said.get("date", []) or said.get("creation-date", [])), "")),
        description=printable(next(iter(said.get("description", [])), ""))[:300],
        front_matter=property_lines(
            author=next(iter(said.get("initial-creator", []) or said.get("creator", [])), ""),
            subject=next(iter(said.get("subject", [])), ""),
        ),
        tags=[word for line in said.get("keyword", []) for word in split_words(line)][:50],
        notes=notes,
    )


def _said(root: Any) -> dict[str, list[str]]:
    """The properties of the document by their names without namespaces."""
    found: dict[str, list[str]] = {}
    meta = next((element for element in root.iter() if local_name(element) == "meta"), None)
    for element in meta if meta is not None else ():
        text = "".join(element.itertext()).strip()
        if local_name(element) and text:
            found.setdefault(local_name(element), []).append(text)
    return found


def _styles(parts: list[Any]) -> dict[str, str]:
    """Names of styles and what they are based on, down to one that says what it is for."""
    parents: dict[str, str] = {}
    for part in parts:
        for element in part.iter():
            if local_name(element) == "style":
                parents.setdefault(_attribute(element, "name"), _attribute(element, "parent-style-name"))
    found = {}
    for name in parents:
        base, steps = name, 0
        while base in parents and not (_HEADING.match(base) or base in ("Title", "Subtitle") or _CODE.search(base)):
            base, steps = parents[base], steps + 1
            if steps > 20:
                break
        found[name] = base or name
    return found


def _attribute(element: Any, name: str) -> str:
    return next((str(value) for key, value in element.attrib.items() if str(key).rpartition("}")[2] == name), "")


class _Body:
    def __init__(self, writer: MarkdownWriter, styles: dict[str, str]) -> None:
        self._writer = writer
        self._styles = styles
        self._code: list[str] = []
        self.notes: list[str] = []
        """Foot- and endnotes."""

    def write(self, parent: Any) -> None:
        self._inside(parent, 0)
        self._end_code()

    def _inside(self, parent: Any, depth: int) -> None:
        for element in parent:
            name = local_name(element)
            if name == "p":
                self._paragraph(element)
                continue
            self._end_code()
            if name == "h":
                level = _attribute(element, "outline-level")
                self._writer.heading(int(level) if level.isdigit() else 1, self._text(element))
            elif name == "list":
                self._list(element, 0)
            elif name == "table":
                self._writer.table(self._rows(element))
            elif name in _CONTAINERS and depth < _MAX_DEPTH:
                self._inside(element, depth + 1)

    def _paragraph(self, element: Any) -> None:
        style = self._styles.get(_attribute(element, "style-name"), _attribute(element, "style-name"))
        text = self._text(element)
        heading = _HEADING.match(style)
        if _CODE.search(style):
            self._code.append(text)
            return
        self._end_code()
        if not text.strip():
            return
        if style == "Title":
            self._writer.heading(1, text)
        elif heading is not None and len(text) <= 200:
            self._writer.heading(int(heading[1]), text)
        else:
            self._writer.prose(text)

    def _end_code(self) -> None:
        lines, self._code = self._code, []
        if lines:
            self._writer.code("\n".join(lines))

    def _list(self, element: Any, depth: int) -> None:
        for item in element:
            if local_name(item) not in ("list-item", "list-header"):
                continue
            for child in item:
                name = local_name(child)
                if name == "list" and depth < _MAX_DEPTH:
                    self._list(child, depth + 1)
                elif name == "h":
                    level = _attribute(child, "outline-level")
                    self._writer.heading(int(level) if level.isdigit() else 1, self._text(child))
                elif name == "p":
                    self._writer.item(self._text(child), depth)

    def _rows(self, table: Any, depth: int = 0) -> Iterator[list[str]]:
        for element in table:
            name = local_name(element)
            if name in ("table-header-rows", "table-rows", "table-row-group") and depth < _MAX_DEPTH:
                yield from self._rows(element, depth + 1)
            elif name == "table-row":
                cells: list[str] = []
                for cell in element:
                    if local_name(cell) in ("table-cell", "covered-table-cell"):
                        times = _attribute(cell, "number-columns-repeated")
                        text = " ".join(self._text(one) for one in cell.iter() if local_name(one) in ("p", "h"))
                        cells += [text] * (min(int(times), _MAX_REPEATED) if times.isdigit() else 1)
                yield cells

    def _text(self, paragraph: Any) -> str:
        """The text of a paragraph; iterative, whatever its depth."""
        parts: list[str] = [paragraph.text or ""]
        stack: list[tuple[Any, str]] = [(iter(paragraph), "")]
        while stack:
            children, closing = stack[-1]
            element = next(children, None)
            if element is None:
                stack.pop()
                parts.append(closing)
                continue
            name, tail = local_name(element), element.tail or ""
            if name == "s":
                times = _attribute(element, "c")
                parts.append(" " * (min(int(times), 1000) if times.isdigit() else 1) + tail)
            elif name == "tab":
                parts.append("\t" + tail)
            elif name == "line-break":
                parts.append("\n" + tail)
            elif name == "note":
                body = next((one for one in element if local_name(one) == "note-body"), None)
                if body is not None and len(self.notes) < 10_000:
                    self.notes.append(" ".join("".join(body.itertext()).split()))
                parts.append(tail)
            elif name == "a":
                target = _attribute(element, "href")
                linked = target and not re.search(r"[\s()<>]", target) and not target.startswith("#")
                parts.append(("[" if linked else "") + (element.text or ""))
                stack.append((iter(element), (f"]({target})" if linked else "") + tail))
            elif not name or name in _SKIPPED:
                parts.append(tail)
            else:
                parts.append(("\n" if name in ("p", "h") else "") + (element.text or ""))
                stack.append((iter(element), tail))
        return "".join(parts)
