"""Texts as the extractor reads the files of a folder: each by itself, with the names of all."""

from __future__ import annotations

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.model import Extraction, ParsedDocument


def parsed(text: str, path: str = "a.md") -> ParsedDocument:
    """A text as the file at ``path``."""
    document = parse_document(text.encode(), path)
    document.path = path
    return document


def read(*texts: str) -> Extraction:
    """What the last of some texts says, given the names of all."""
    documents = [parsed(text, f"{place}.md") for place, text in enumerate(texts)]
    return extract(documents[-1], make_gazetteer([stated_names(document) for document in documents]))
