"""Which formats there are: one row each, with its names, the module that reads it and how its text is structured.

Used by ``kgfs.documents.formats``; pure. A new format is a module with ``read(source) -> FileText`` and a row here.
Modules are imported when the first file of their format comes.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Literal

from kgfs.documents.formats.reading import FormatReader

Structure = Literal["markdown", "html", "rst", "org", "asciidoc", "records", "code", "plain"]
"""How ``document_blocks`` sees the text: Markdown (with front matter), what became Markdown, other markup, lines."""


@dataclass(frozen=True, slots=True)
class Format:
    """One row."""

    mime_type: str
    suffixes: str
    """Separated by spaces, lower case; the first row that has a suffix wins."""
    module: str
    structure: Structure
    binary: bool = False
    """The reader takes bytes; else it takes the decoded text."""
    foreign: bool = False
    """A library parses it: whatever it raises means that the file is broken."""

    def reader(self) -> FormatReader:
        """The module's ``read``, imported now."""
        read: FormatReader = importlib.import_module(f"kgfs.documents.formats.{self.module}").read
        return read


_OOXML = "application/vnd.openxmlformats-officedocument"
_OASIS = "application/vnd.oasis.opendocument"

FORMATS = (
    Format("text/markdown", ".md .markdown .mdx .mkd", "markdown", "markdown"),
    Format("text/html", ".html .htm .xhtml", "page", "html"),
    Format("text/plain", ".txt .text .log .ini .cfg", "plain", "plain"),
    Format("text/x-rst", ".rst .rest", "rst", "rst"),
    Format("text/x-org", ".org", "org", "org"),
    Format("text/asciidoc", ".adoc .asciidoc .asc", "asciidoc", "asciidoc"),
    Format("text/x-tex", ".tex .latex .ltx", "latex", "html"),
    Format("application/rtf", ".rtf", "rtf", "html", binary=True, foreign=True),
    Format(f"{_OASIS}.text", ".odt .ott .fodt", "text_document", "html", binary=True, foreign=True),
    Format("text/csv", ".csv", "records", "records"),
    Format("text/tab-separated-values", ".tsv", "records", "records"),
    Format("application/json", ".json", "records", "records"),
    Format("application/jsonl", ".jsonl .ndjson", "records", "records"),
    Format("application/yaml", ".yaml .yml", "records", "records"),
    Format("application/toml", ".toml", "records", "records"),
    Format("text/vcard", ".vcf .vcard", "records", "records"),
    Format("text/calendar", ".ics .ifb .icalendar", "records", "records"),
    Format("application/xml", ".xml", "plain", "plain"),
    Format("application/pdf", ".pdf", "pdf", "html", binary=True, foreign=True),
    Format(f"{_OOXML}.wordprocessingml.document", ".docx .docm .dotx", "word", "html", binary=True, foreign=True),
    Format(f"{_OOXML}.presentationml.presentation", ".pptx .pptm .ppsx", "slides", "html", binary=True, foreign=True),
    Format(f"{_OOXML}.spreadsheetml.sheet", ".xlsx .xlsm .xltx", "sheets", "html", binary=True, foreign=True),
    Format(
        "application/vnd.ms-excel.sheet.binary.macroenabled.12", ".xlsb", "sheets", "html", binary=True, foreign=True
    ),
    Format("application/vnd.ms-excel", ".xls", "sheets", "html", binary=True, foreign=True),
    Format(f"{_OASIS}.spreadsheet", ".ods", "sheets", "html", binary=True, foreign=True),
    Format("application/epub+zip", ".epub", "book", "html", binary=True, foreign=True),
    Format("message/rfc822", ".eml", "mail", "html", binary=True, foreign=True),
    Format("application/mbox", ".mbox .mbx", "mailbox", "html", binary=True, foreign=True),
    Format("application/x-ipynb+json", ".ipynb", "notebook", "html", foreign=True),
    Format("text/x-python", ".py .pyi .pyw", "code", "code"),
    Format("text/javascript", ".js .mjs .cjs .jsx", "code", "code"),
    Format("text/typescript", ".ts .mts .cts", "code", "code"),
    Format("text/x-tsx", ".tsx", "code", "code"),
    Format("text/x-java", ".java", "code", "code"),
    Format("text/x-c", ".c .h", "code", "code"),
    Format("text/x-c++", ".cc .cpp .cxx .c++ .hh .hpp .hxx", "code", "code"),
    Format("text/x-csharp", ".cs", "code", "code"),
    Format("text/x-go", ".go", "code", "code"),
    Format("text/x-rust", ".rs", "code", "code"),
    Format("text/x-ruby", ".rb", "code", "code"),
    Format("text/x-php", ".php", "code", "code"),
    Format("application/x-sh", ".sh .bash .zsh", "code", "code"),
    Format("text/x-kotlin", ".kt .kts", "code", "code"),
    Format("text/x-swift", ".swift", "code", "code"),
    Format("text/x-scala", ".scala", "code", "code"),
    Format("text/x-lua", ".lua", "code", "code"),
    Format("text/x-perl", ".pl .pm", "code", "code"),
    Format("text/x-r", ".r", "code", "code"),
    Format("text/x-julia", ".jl", "code", "code"),
    Format("text/x-haskell", ".hs", "code", "code"),
    Format("text/x-elixir", ".ex .exs", "code", "code"),
    Format("text/x-powershell", ".ps1 .psm1 .psd1", "code", "code"),
    Format("application/sql", ".sql", "code", "code"),
    Format("text/css", ".css .scss .less", "code", "code"),
)

BY_TYPE = {row.mime_type: row for row in FORMATS}
BY_SUFFIX = {suffix: row.mime_type for row in reversed(FORMATS) for suffix in row.suffixes.split()}
PLAIN = BY_TYPE["text/plain"]


def format_of(mime_type: str) -> Format | None:
    """The row of a MIME type; ``None`` for a type without one (then it is plain text, or no text)."""
    return BY_TYPE.get(mime_type)
