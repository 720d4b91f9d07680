"""The one way in which a body becomes a document, and the document rows.

Used by the passes over files of the host (``file_read``, ``text_pass``), over pages (``page_pass``) and over rows that
somebody wrote (``row_pass``): ``parse_body`` has the worker make a document of a body, and ``put_bodies`` writes it
inside the transaction of a batch (``kgfs.store.catalog.batches.commit_batch``). The passes differ in where bytes, names
and dates come from, and in what they write beside the documents. What brings a document of its own, or cuts one anew,
writes it here too: facts that people state (``facts_document``), ``kgfs.pipeline.chunk_pass``, ``kgfs.exchange``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from kgfs.config import Config
from kgfs.documents.original import WHOLE_BYTES
from kgfs.errors import DeadlineExceeded, WorkerError
from kgfs.graph import embedding_text
from kgfs.graph.resolution import drop_documents
from kgfs.model import ParsedDocument
from kgfs.store.catalog.database import Cursor
from kgfs.store.files import documents
from kgfs.store.files.documents import PlacedDocument

B = TypeVar("B", bytes, bytes | None)

UTF8_HEAD_BYTES = 256 * 1024
"""Of a large text that is UTF-8 so much is looked at for its title and front matter."""
TAIL_BYTES = 64 * 1024
UNKNOWN_TYPE = "application/octet-stream"


class ParsedBody(msgspec.Struct, frozen=True):
    """What a body came to."""

    document: ParsedDocument | None = None
    failure: str = ""
    """Why there is no document, one sentence; the bytes are stored nevertheless."""

    @property
    def with_text(self) -> ParsedDocument | None:
        """The document, if it holds text."""
        return self.document if self.document is not None and self.document.text is not None else None

    @property
    def sentence(self) -> str:
        """What the user is told of a body without text; else empty."""
        return self.failure or (self.document.unread if self.document is not None else "")

    @property
    def title(self) -> str:
        """What the document calls itself; may be empty."""
        return self.document.title if self.document is not None else ""

    @property
    def mime_type(self) -> str:
        return self.document.mime_type if self.document is not None else UNKNOWN_TYPE

    @property
    def notes(self) -> list[str]:
        return self.document.notes if self.document is not None else []


def parse_body(parse: Callable[[], ParsedDocument], probe: Callable[[], object] | None = None) -> ParsedBody:
    """What ``parse``, which calls the worker, makes of a body; what the worker cannot read is a failure.

    With ``probe``, where nobody reads the body again by itself, a worker that fails is asked twice. Then ``probe`` has
    it read what it always can: what that raises is raised, since it says nothing of this body.
    """
    for last in (probe is None, True):
        try:
            return ParsedBody(parse())
        except DeadlineExceeded as error:
            return unread_body(error)
        except WorkerError as error:
            if last:
                if probe is not None:
                    probe()
                return unread_body(error)
    raise AssertionError("unreachable")


def unread_body(error: object) -> ParsedBody:
    """A body that could not be read, and why."""
    return ParsedBody(failure=f"It could not be read as a document ({error}); its bytes are kept.")


def unstored_sentence(error: Exception) -> str:
    """Why nothing, or nothing but the bytes, is stored of a body, as one sentence."""
    return f"It could not be stored ({type(error).__name__}: {error})."


def read_as(document: ParsedDocument) -> tuple[object, ...]:
    """What is read of a body, by which two readings are told apart."""
    text = document.text or None
    return document.mime_type, document.title, document.date, document.description, document.summary, text


def whole_bytes(config: Config) -> int:
    """Bodies of at most so many bytes cross the worker's socket; of larger ones the ends do."""
    return max(WHOLE_BYTES, config.max_text_bytes)


def read_ends(config: Config, size: int, is_textual: bool, part: Callable[[int, int], B]) -> tuple[B, B]:
    """The head and the tail by which a large body is read; ``part`` gives so many bytes from an offset."""
    head = part(0, UTF8_HEAD_BYTES if is_textual else config.max_text_bytes)
    return head, part(max(0, size - TAIL_BYTES), TAIL_BYTES)


def redate(document: ParsedDocument, before: str | None, date: str | None) -> None:
    """Give a document another date than ``before``, and so the chunks that have no date of their own."""
    document.date = date
    for chunk in document.chunks:
        chunk.date = date if chunk.date == before else chunk.date


class ItemBody(NamedTuple):
    """What the body of an item came to."""

    item_id: int
    ref: str
    path: str
    body: ParsedBody
    text_size: int | None
    """The length in bytes of a text that is the body itself; ``None`` where the document carries the text along."""


def put_bodies(cursor: Cursor, bodies: Sequence[ItemBody]) -> list[int]:
    """Write the documents of items that have text, and drop those of the others; returns the new chunks."""
    without = [one.item_id for one in bodies if one.body.with_text is None]
    if without:
        drop_documents(cursor, without)
    return documents.put_documents(
        cursor,
        [
            place_document(one.item_id, one.ref, one.path, document, one.text_size)
            for one in bodies
            if (document := one.body.with_text) is not None
        ],
    )


def place_document(
    item_id: int, ref: str, path: str, document: ParsedDocument, text_size: int | None = None
) -> PlacedDocument:
    """A document for the row of its item."""
    hashes = embedding_text.chunk_digests(document, ref)
    # Of a large text that is its file nothing was carried along.
    return PlacedDocument(item_id, path, document, hashes, text_size if document.text_is_content else None)
