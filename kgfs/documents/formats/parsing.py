"""A file's bytes as a document: format, text, title, date, description, summary, tags, chunks.

The face of ``kgfs.documents.formats``, used by the parser process (one document a call) and by tests; pure: it reads no
file and knows no store. ``registry`` lists the formats; what is of no format and no text is a document without text.
"""

from __future__ import annotations

import contextlib
import logging
import re
import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

import msgspec

from kgfs.config import Config
from kgfs.documents import dates
from kgfs.documents.asciidoc import asciidoc_blocks
from kgfs.documents.blocks import Block, keyed_blocks, line_blocks, mark_bold_headings, plain_blocks
from kgfs.documents.chunking import chunk
from kgfs.documents.definitions import mark_structures
from kgfs.documents.file_titles import one_line, title_of_file
from kgfs.documents.filings import read_filing
from kgfs.documents.formats.detection import UNKNOWN, decode, is_text, mime_type
from kgfs.documents.formats.reading import BROKEN, FileText, RawFile, Unreadable
from kgfs.documents.formats.registry import PLAIN, Format, format_of
from kgfs.documents.identifiers import suggested_terms
from kgfs.documents.labelled_links import labelled_links
from kgfs.documents.markdown import front_matter, markdown_blocks
from kgfs.documents.markup import plain_sentence
from kgfs.documents.org import org_blocks
from kgfs.documents.records.reading import cut_rows_note, document_records, record_handles, record_names
from kgfs.documents.rst import rst_blocks, rst_labels
from kgfs.documents.shouting import calmed_opening
from kgfs.documents.suggestions.attendance_names import attendance_names
from kgfs.documents.suggestions.profile_names import profile_names
from kgfs.documents.suggestions.project_names import project_names
from kgfs.documents.suggestions.repository_names import repository_names
from kgfs.documents.suggestions.site_names import site_names
from kgfs.documents.suggestions.speakers import speakers
from kgfs.documents.suggestions.title_uses import title_uses
from kgfs.documents.summaries import MAX_SUMMARY, lead_sentence, summarize
from kgfs.documents.terms import defined_terms
from kgfs.model import Chunk, Heading, ParsedDocument
from kgfs.random_ids import is_random_id

__all__ = ["blocks_kept", "document_blocks", "mime_type", "needs_whole", "number_pages", "parse_document", "parse_head"]

log = logging.getLogger(__name__)

_FEW_LINES = 6
_BADGE = re.compile(r"\s*(?:$|!\[|\[!\[|<|\[[^\]]*\]:|[-*_=\s]+$)")
"""A line that is no text before a title: a picture with a link, markup, an address, a rule."""


def parse_document(
    data: bytes, name: str, *, mtime_ns: int | None = None, config: Config | None = None, url: str = ""
) -> ParsedDocument:
    """The document that a file holds.

    ``name`` is the file's name or path (its suffix says the format, its stem a title and perhaps a date), ``mtime_ns``
    its modification time, the last resort for a date. A page that comes from a ``url`` is read for its main text. What
    is odd is told in ``notes``; what gives no text has ``text`` ``None``, and ``unread`` says why where its format
    promises some. Raises nothing for what is in ``data`` but
    ``MemoryError``.
    """
    config = config or Config()
    path, name = name, PurePosixPath(name).name or name
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    mime = mime_type(data, shown)
    row = format_of(mime)
    source = RawFile(shown, mime, data, config, url=url, path=path)
    exact, notes = False, []
    if row is None or not row.binary:
        decoded = decode(data, mime)
        if decoded is None:
            # Bytes that are no text are not of a type of text, whatever the name says.
            return _without_text(UNKNOWN if is_text(mime) else mime, shown, mtime_ns)
        if mime == UNKNOWN:
            mime = source.mime_type = PLAIN.mime_type
        source.text, exact = decoded.text, decoded.exact
        notes = [decoded.note] if decoded.note else []
    try:
        reading = (row or PLAIN).reader()(source)
    except Unreadable as error:
        return _without_text(mime, shown, mtime_ns, error.sentence)
    except MemoryError:
        raise
    except RecursionError:
        return _without_text(mime, shown, mtime_ns, Unreadable("Its parts are nested too deep").sentence)
    except Exception:
        if row is None or not row.foreign:
            raise
        # Parsers raise whatever they happen upon in damaged files.
        log.warning("The reader of %s failed.", row.module, exc_info=True)
        return _without_text(mime, shown, mtime_ns, Unreadable(BROKEN).sentence)
    reading.notes[:0] = notes
    reading.is_content = reading.is_content and exact
    return _document(reading, row or PLAIN, source, mtime_ns)


def needs_whole(head: bytes, tail: bytes, name: str) -> bool:
    """Whether the text of a large file is not its bytes, so that reading it takes all of them.

    ``head`` and ``tail`` are its first and last bytes, some 64 kB at least.
    """
    row = format_of(mime_type(head + tail, PurePosixPath(name).name or name))
    return row is not None and (row.binary or row.foreign or row.structure == "html")


def parse_head(
    head: bytes, name: str, *, is_utf8: bool, mtime_ns: int | None = None, config: Config | None = None
) -> ParsedDocument:
    """The document that a file holds which is larger than ``max_text_bytes``, of a format that needs not be whole.

    ``head`` are its first bytes. Where the whole file ``is_utf8`` it is the text, and ``text`` is left empty; in any
    other encoding ``head`` is what is kept of the text. Either way it is not cut into chunks. What ``head`` shows to
    be no text is a document without text.
    """
    config = config or Config()
    name = PurePosixPath(name).name or name
    if is_utf8:
        # The last character may be cut.
        head = head.decode("utf-8", "ignore").encode()
    document = parse_document(head, name, mtime_ns=mtime_ns, config=msgspec.structs.replace(config, max_text_bytes=0))
    if document.text is None:
        return document
    document.notes = [note for note in document.notes if not note.startswith(_LARGE)]
    if is_utf8:
        document.text, document.text_is_content = "", True
        document.notes.append(_too_large(config))
    else:
        document.text_is_content = False
        document.notes.append(
            f"The file is larger than {config.max_text_bytes} bytes and not UTF-8: its first {len(head)} were read"
            " as text, and not cut into chunks."
        )
    return document


_NOTE = re.compile(
    r"(?=.*[A-Z ])(?!(?i:readme|index|home|default|main|changelog|license|contributing)\b)(?=.*[^\W\d_]{3}).+"
)
"""A file's name that is a title: it has a capital or a space."""
_LARGE = "The text is larger than "


def _too_large(config: Config) -> str:
    return f"{_LARGE}{config.max_text_bytes} bytes: it was kept, but not cut into chunks."


_local = threading.local()


@contextlib.contextmanager
def blocks_kept() -> Iterator[None]:
    """Inside, the blocks of a document are made once, however many rules ask for them. No rule changes them."""
    _local.kept = {}
    try:
        yield
    finally:
        _local.kept = None


def document_blocks(document: ParsedDocument) -> list[Block]:
    """The blocks of a parsed document's text, as chunking saw them; empty where there is no text."""
    if not document.text:
        return []
    known: dict[tuple[str, str], list[Block]] | None = getattr(_local, "kept", None)
    key = (document.text, document.mime_type)
    found = None if known is None else known.get(key)
    if found is None:
        found = _blocks(document.text, format_of(document.mime_type) or PLAIN, document.mime_type)
        if known is not None:
            known[key] = found
    return found


def _blocks(text: str, row: Format, mime: str) -> list[Block]:
    blocks = _structure_blocks(text, row, mime)
    if row.structure not in ("records", "code"):
        mark_structures(text, blocks)
    if row.structure in ("markdown", "html", "rst"):
        mark_bold_headings(text, blocks, lambda words: plain_sentence(words).text)
    return blocks


def _structure_blocks(text: str, row: Format, mime: str) -> list[Block]:
    match row.structure:
        case "markdown":
            return markdown_blocks(text, front_matter(text).end)
        case "html":
            return markdown_blocks(text)
        case "rst":
            return rst_blocks(text)
        case "org":
            return org_blocks(text)
        case "asciidoc":
            return asciidoc_blocks(text)
        case "records":
            return keyed_blocks(text) if mime == "application/yaml" else line_blocks(text)
        case "code":
            from kgfs.documents.formats.code import code_blocks

            return code_blocks(text, mime)
        case _:
            return plain_blocks(text)


def _document(reading: FileText, row: Format, source: RawFile, mtime_ns: int | None) -> ParsedDocument:
    """The reading with what every format shares: title, date, summary and chunks."""
    config, text = source.config, reading.text
    size = len(text) if len(text) > config.max_text_bytes else len(text.encode("utf-8", "replace"))
    large = max(size, len(source.data) if reading.is_content else 0) > config.max_text_bytes
    blocks = [] if large else _blocks(text, row, source.mime_type)
    title = one_line(reading.title)
    stem = _stem(source.name)
    if not title and row.structure in ("markdown", "html", "rst"):
        late = row.structure == "markdown" and not reading.notes and _begins_late(text, blocks)
        title = "" if late else one_line(_first_heading(blocks, stem, at_top=row.structure == "rst"))
    title = title or (title_of_file(source.path, stem, text, blocks) if row.structure in _PROSE else stem)
    filing = read_filing(text) if row.structure in ("plain", "html", "markdown") else None
    title = title if filing is None else one_line(filing.title)
    stating = title if row.structure == "markdown" else ""
    document = ParsedDocument(
        mime_type=source.mime_type,
        title=title,
        date=reading.date or _date(source.path or source.name, stating, reading.made, mtime_ns),
        description=reading.description,
        summary=reading.summary,
        text=text,
        text_is_content=reading.is_content,
        front_matter=reading.front_matter,
        tags=reading.tags,
        notes=reading.notes,
    )
    if large:
        document.notes.append(_too_large(config))
        return document
    if row.structure not in ("records", "code"):
        document.lead = calmed_opening(lead_sentence(title, text, blocks, document.description), title)
        description, summary = summarize(text, blocks)
        document.summary = _summary(document.description, summary or description)
        document.description = document.description or description
    document.chunks = chunk(
        text,
        blocks,
        tokens_min=config.chunk_tokens_min,
        tokens_max=config.chunk_tokens_max,
        date=document.date,
        pages=reading.pages,
    )
    terms = defined_terms(text, blocks, title) if row.structure not in ("records", "code") else []
    records = document_records(document, blocks)
    if cut := cut_rows_note(document, blocks, records):
        document.notes.append(cut)
    document.terms = [*terms, *record_names(records), *record_handles(records)]
    if row.structure not in ("records", "code"):
        links = labelled_links(text)
        document.terms += [
            *suggested_terms(text, blocks),
            *site_names(text, links),
            *repository_names(links),
            *profile_names(text, links),
            *speakers(title, text),
            *attendance_names(title, text),
            *project_names(text),
            *title_uses(title, text),
        ]
    if row.structure == "rst":
        document.terms += rst_labels(text)
    document.outline = _outline(text, blocks)
    document.pages = reading.pages
    number_pages(document.chunks, reading.pages)
    return document


def _outline(text: str, blocks: Sequence[Block]) -> list[Heading]:
    """All headings with their lines."""
    found = []
    line, place = 1, 0
    for block in blocks:
        if block.kind == "heading" and block.title.strip():
            begin = next(at for at in range(block.start, block.end) if not text[at].isspace())
            line += text.count("\n", place, begin)
            place = begin
            found.append(Heading(block.level, one_line(block.title), line))
    return found


def _first_heading(blocks: Sequence[Block], stem: str, *, at_top: bool) -> str:
    """The first heading of the first level; ``at_top``: only where no text stands before it, whose part it would be.

    None where there are several, or text stands before it, and the file has a name of its own of which the first has no
    word: they are parts of a note that is called as its file is. A random identifier is no such name.
    """
    found = []
    below = False
    for block in blocks:
        if block.kind == "heading" and block.level == 1:
            found.append(block.title)
        elif not found and block.kind in ("paragraph", "list", "table", "code"):
            if at_top:
                return ""
            below = True
    if is_random_id(stem) and not below:
        return found[0] if found else ""
    if (below or len(found) > 1) and found and _NOTE.fullmatch(stem) and not _words(stem) & _words(found[0]):
        return ""
    return found[0] if found else ""


def _begins_late(text: str, blocks: Sequence[Block]) -> bool:
    """Whether the first heading of the first level begins a part: another stands before it, or more than a few lines.

    Where there are several such headings, any line of text before them shows that they are parts.
    """
    lines = 0
    for block in blocks:
        if block.kind == "heading":
            several = sum(one.kind == "heading" and one.level == 1 for one in blocks) > 1
            return block.level != 1 or lines > (0 if several else _FEW_LINES)
        if block.kind not in ("front", "html"):
            said = text[block.start : block.end].splitlines()
            lines += sum(not _BADGE.match(line) for line in said)
    return False


def _words(text: str) -> set[str]:
    return {word[:4] for word in re.findall(r"[^\W\d_]{3,}", text.casefold())}


def number_pages(chunks: Sequence[Chunk], pages: Sequence[int]) -> None:
    """Say of each chunk on which page it stands, counted from 1.

    That is where it begins; or where most of it is, if it begins inside a page, or with a line or two of one.
    """
    position = 0
    for piece in chunks if pages else ():
        end = position + len(piece.text)
        # White space at a chunk's start is the end of the page before.
        begins = end - len(piece.text.lstrip())
        first = piece.page = max(1, bisect_right(pages, begins))
        whole = begins - pages[first - 1] <= len("\n\n")
        least = (end - begins) * (3 if whole else 2) / 4
        for page in range(first + 1, bisect_right(pages, end - 1) + 1):
            if min([end, *pages[page : page + 1]]) - pages[page - 1] > least:
                piece.page = page
        position = end


def _without_text(mime: str, name: str, mtime_ns: int | None, why: str = "") -> ParsedDocument:
    document = ParsedDocument(mime_type=mime, title=_stem(name), text=None, text_is_content=False, unread=why)
    document.notes = [why] if why else []
    document.date = _date(name, "", None, mtime_ns)
    return document


def _date(name: str, title: str, made: str | None, mtime_ns: int | None) -> str | None:
    """File name or its folders', then title, then the file's properties, then modification time."""
    found = dates.from_path(name) or dates.from_title(title) or made
    return found or (dates.from_mtime(mtime_ns) if mtime_ns is not None else None)


def _stem(name: str) -> str:
    """The name without its last suffix; of a dot file the whole name."""
    return PurePosixPath(name).stem or name


_PROSE = frozenset({"markdown", "html", "rst", "org", "asciidoc", "plain"})


def _summary(description: str, chosen: str) -> str:
    """The description, when the author gave one and the sentences do not hold it, and the sentences."""
    if description and description not in chosen and len(description) + len(chosen) < MAX_SUMMARY:
        return f"{description} {chosen}".strip()
    return chosen[:MAX_SUMMARY]
