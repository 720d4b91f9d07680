"""Jupyter notebooks: Markdown cells as they are, code between fences, and what the code printed, by nbformat.

One of the readers of ``kgfs.documents.formats``; pure. Pictures and widgets are left out.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import nbformat

from kgfs.documents import dates
from kgfs.documents.formats.reading import FileText, RawFile, Unreadable, printable, property_lines
from kgfs.documents.formats.writing import FIRST_PART_KEPT, MarkdownWriter, TextFull

MAX_OUTPUT = 4000
"""Characters of what one cell printed."""
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def read(source: RawFile) -> FileText:
    """A notebook of any version. ``Unreadable`` where it is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbformat warns of what it mends
        try:
            notebook: Any = nbformat.reads(source.text.lstrip("\ufeff"), as_version=4)  # type: ignore[no-untyped-call]
        except (MemoryError, RecursionError):
            raise
        except Exception as error:  # nbformat's own errors derive from nothing else
            raise Unreadable("It is no Jupyter notebook") from error
    metadata = _mapping(notebook.get("metadata"))
    language = printable(_mapping(metadata.get("kernelspec")).get("language")) or printable(
        _mapping(metadata.get("language_info")).get("name")
    )
    writer = MarkdownWriter(source.config.max_extracted_bytes)
    notes: list[str] = []
    try:
        for cell in notebook.get("cells") or []:
            _cell(_mapping(cell), language, writer)
    except TextFull:
        notes.append(FIRST_PART_KEPT)
    authors = metadata.get("authors")
    names = [printable(_mapping(author).get("name")) for author in authors] if isinstance(authors, list) else []
    return FileText(
        writer.text(),
        title=printable(metadata.get("title")),
        date=dates.from_value(metadata.get("date")),
        front_matter=property_lines(author=", ".join(name for name in names if name), language=language),
        notes=notes,
    )


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _joined(value: Any) -> str:
    """Text that a notebook may hold whole or as a list of lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _cell(cell: dict[str, Any], language: str, writer: MarkdownWriter) -> None:
    text = _joined(cell.get("source"))
    if cell.get("cell_type") == "markdown":
        writer.raw(text)
    elif cell.get("cell_type") == "code":
        writer.code(text, re.sub(r"[^\w+#.-]", "", language))
        for output in cell.get("outputs") or []:
            writer.code(_printed(_mapping(output))[:MAX_OUTPUT])
    else:
        writer.prose(text)


def _printed(output: dict[str, Any]) -> str:
    kind = output.get("output_type")
    if kind == "stream":
        return _COLOURS.sub("", _joined(output.get("text")))
    if kind in ("execute_result", "display_data"):
        data = _mapping(output.get("data"))
        text = _joined(data.get("text/plain"))
        return "" if text.startswith("<") and text.endswith(">") else text  # <Figure size 640x480 …>
    if kind == "error":
        return f"{printable(output.get('ename'))}: {printable(output.get('evalue'))}"
    return ""
