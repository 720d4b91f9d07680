"""Documents read with a language model: which are, and what is kept of it beside the graph.

Used by the chunk pass and the graph pass, on the jobs thread or one that it waits for.
"""

from __future__ import annotations

from collections.abc import Mapping

from kgfs.documents.formats.registry import format_of
from kgfs.llm.extraction import DocumentReading, read_document
from kgfs.model import Gazetteer, ParsedDocument
from kgfs.pipeline.run import Run
from kgfs.store.llm import type_verdicts

READ = "read"
"""The stage of dialogues that read a document."""
_OFFLINE = ("code", "records", "sheets")
"""Modules of formats whose texts are structure already: a model costs much there and finds little."""


def is_read_by_model(document: ParsedDocument) -> bool:
    """Whether a model reads a document: prose, and what was made prose. Code and tables are read offline."""
    return bool(document.chunks) and is_prose(document.mime_type)


def is_prose(mime_type: str) -> bool:
    """Whether a model reads documents of a type, where they have text."""
    row = format_of(mime_type)
    return row is None or row.module not in _OFFLINE


def read_by_model(run: Run, loaded: Mapping[int, ParsedDocument], known: Gazetteer) -> dict[int, DocumentReading]:
    """What a model finds in documents, by their ids; without those that it does not read.

    A document that it could not read is reported, and read offline by the caller. Raises what ``Asker.drive`` does.
    """
    numbers = [number for number, document in loaded.items() if is_read_by_model(document)]
    glean = run.config.llm_glean
    with run.database.read() as cursor:
        joined = type_verdicts.type_verdicts(cursor)
    dialogues = [read_document(loaded[number], run.asker.model, known, joined, glean=glean) for number in numbers]
    return dict(zip(numbers, run.asker.drive(dialogues, numbers, stage=READ), strict=True))
