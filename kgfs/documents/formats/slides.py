"""PPTX: one page a slide, its title as a heading, bullets, tables and the speaker's notes, by python-pptx.

One of the readers of ``kgfs.documents.formats``; pure.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pptx

from kgfs.documents import dates
from kgfs.documents.formats.archive import open_archive
from kgfs.documents.formats.reading import FileText, RawFile, Unreadable, printable, property_lines, split_words
from kgfs.documents.formats.writing import FIRST_PART_KEPT, MarkdownWriter, TextFull


def read(source: RawFile) -> FileText:
    """A PPTX file. ``Unreadable`` where it is broken, asks for a password, unpacks to too much, or has no text."""
    with open_archive(source):
        pass
    deck = pptx.Presentation(io.BytesIO(source.data))
    slides = list(deck.slides)
    writer = MarkdownWriter(source.config.max_extracted_bytes)
    notes: list[str] = []
    first = ""
    broken = 0
    try:
        for slide in slides:
            writer.page()
            try:
                title = _slide(slide, writer)
                first = first or title
            except (TextFull, MemoryError, RecursionError):
                raise
            except Exception:  # python-pptx raises what it happens upon; the other slides are good
                broken += 1
    except TextFull:
        notes.append(FIRST_PART_KEPT)
    if broken:
        notes.append(f"{broken} of {len(slides)} slides are broken; they were left out in part.")
    text = writer.text()
    if not text and slides:
        raise Unreadable(f"No text on its {len(slides)} slides (pictures?)")
    said = deck.core_properties
    named = printable(said.title)
    return FileText(
        text,
        title=first if named in ("", "PowerPoint Presentation") else named,
        made=dates.from_value(said.modified or said.created),
        front_matter=property_lines(author=said.author, subject=said.subject, pages=len(slides)),
        tags=split_words(said.keywords),
        notes=notes,
        pages=writer.pages,
    )


def _slide(slide: Any, writer: MarkdownWriter) -> str:
    """Write one slide; returns its title."""
    title_shape = slide.shapes.title
    title = printable(title_shape.text_frame.text) if title_shape is not None else ""
    writer.heading(2, title)
    for shape in _shapes(slide.shapes):
        if title_shape is not None and shape.shape_id == title_shape.shape_id:
            continue
        if getattr(shape, "has_table", False):
            writer.table([cell.text for cell in row.cells] for row in shape.table.rows)
        elif getattr(shape, "has_chart", False):
            _chart(shape.chart, writer)
        elif shape.has_text_frame:
            _frame(shape, writer)
    if slide.has_notes_slide:
        frame = slide.notes_slide.notes_text_frame
        if frame is not None and frame.text.strip():
            writer.prose(frame.text)
    return title


def _shapes(shapes: Any) -> Iterator[Any]:
    """The shapes of a slide, those in groups too; iterative, whatever their depth."""
    stack = [iter(shapes)]
    while stack:
        shape = next(stack[-1], None)
        if shape is None:
            stack.pop()
        elif hasattr(shape, "shapes"):
            stack.append(iter(shape.shapes))
        else:
            yield shape


def _frame(shape: Any, writer: MarkdownWriter) -> None:
    paragraphs = [(paragraph.level, paragraph.text) for paragraph in shape.text_frame.paragraphs]
    filled = [(level, text) for level, text in paragraphs if text.strip()]
    if len(filled) > 1:
        for level, text in filled:
            writer.item(text, level)
    elif filled:
        writer.prose(filled[0][1])


def _chart(chart: Any, writer: MarkdownWriter) -> None:
    """The numbers of a chart as a table: they stand in the file, and nowhere else."""
    if chart.has_title and chart.chart_title.has_text_frame:
        writer.prose(chart.chart_title.text_frame.text)
    for plot in chart.plots:
        categories = [str(category) for category in plot.categories]
        series = [(one.name or "", list(one.values)) for one in plot.series]
        rows = [["", *(name for name, _ in series)]]
        for place, category in enumerate(categories):
            rows.append([category, *(_number(values, place) for _, values in series)])
        writer.table(rows)


def _number(values: list[Any], place: int) -> str:
    value = values[place] if place < len(values) else None
    return "" if value is None else f"{value:g}"
