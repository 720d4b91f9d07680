"""PDF: the text layer page by page, with headings by size of type; a scan has none and stays a file.

One of the readers of ``kgfs.documents.formats``, by PDFium (which is not safe in threads: a parser process has one).
Lines become paragraphs by their distance and indent; lines that recur at the edges of most pages are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pypdfium2
import pypdfium2.raw

from kgfs.documents import dates
from kgfs.documents.blocks import MAX_HEADING
from kgfs.documents.formats.reading import FileText, RawFile, Unreadable, printable, property_lines, split_words
from kgfs.documents.formats.writing import MarkdownWriter, TextFull, clean_text

_LARGER = 1.15
"""A heading's type is so much larger than that of the running text."""
_APART = 1.25
"""Lines of one paragraph are at most so many times farther apart than most lines are."""
_TALL_CELL = 12
"""Lines of a cell; a column of text that goes on in the next one is longer."""
_RUNNING = 40
"""Characters of a line of running text; one beneath a title has more."""
_GAP = 1.3
"""Between cells that stand on one line, in sizes of type."""
_BLANK = re.compile(r" +(?=\S)")
_EDGE_LINES = 2
_EDGE_SHARE = 0.6
_NUMBER = re.compile(r"\d+")
_AT_ENDS = re.compile(r"^\d{1,4}\b|\b\d{1,4}$")
_LEADERS = re.compile(r"(?:\.\s?){4,}\s*\w+$")
"""What leads from a title to its page in a table of contents."""
_BULLET = re.compile(r"^[•‣▪●◦·\u2022\uf0b7]\s*")
_PROGRAM = re.compile(r"^(?:Microsoft (?:Word|PowerPoint|Excel)|Print|Slide \d+)\s*-\s*", re.I)
_FILE_NAME = re.compile(r"^(?:untitled.*|.*\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|qxd|indd|rtf|odt|html?))$", re.I)
_CREATED = re.compile(r"^D?:?\s*(\d{4})(\d\d)?(\d\d)?")


@dataclass(slots=True)
class _Line:
    text: str
    size: float
    """Of its type, in points; 0 where it is not known."""
    left: float
    bottom: float
    top: float
    right: float = 0.0
    cells: tuple[tuple[str, float], ...] = ()
    """Where gaps part it: the texts between them, each with its left edge."""


def read(source: RawFile) -> FileText:
    """A PDF file. ``Unreadable`` where it is broken, asks for a password, or holds no text."""
    try:
        document = pypdfium2.PdfDocument(source.data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pypdfium2.raw.FPDF_ERR_PASSWORD:
            raise Unreadable("It asks for a password") from error
        raise Unreadable("It is broken (no PDF reader can open it)") from error
    try:
        return _Document(document, source).read()
    finally:
        document.close()


class _Document:
    def __init__(self, document: Any, source: RawFile) -> None:
        self._document = document
        self._writer = MarkdownWriter(source.config.max_extracted_bytes)
        self._notes: list[str] = []
        self._title = self._opening = ""
        self._fall = 0.0

    def read(self) -> FileText:
        pages, broken = self._pages()
        empty = sum(not lines for lines in pages)
        if empty == len(pages):
            if broken == len(pages):
                raise Unreadable("It is broken (none of its pages can be read)")
            raise Unreadable("No text (scanned?)")
        if broken:
            self._notes.append(f"{broken} of {len(pages)} pages are broken; they were left out.")
        if empty > broken:
            self._notes.append(f"{empty - broken} of {len(pages)} pages have no text (scanned?).")
        body = _body_size(pages)
        _drop_edges(pages, body)
        self._fall = _usual_fall(pages, body)
        self._opening = _opening(pages[0], self._fall)
        try:
            for lines in pages:
                self._writer.page()
                self._page(lines, body)
        except TextFull:
            self._notes.append(f"Its text is very long: it was kept up to page {len(self._writer.pages)}.")
        return self._reading(len(pages))

    def _pages(self) -> tuple[list[list[_Line]], int]:
        pages: list[list[_Line]] = []
        broken = 0
        for index in range(len(self._document)):
            try:
                page = self._document[index]
                try:
                    pages.append(list(_lines(page)))
                finally:
                    page.close()
            except pypdfium2.PdfiumError:
                pages.append([])
                broken += 1
        return pages, broken

    def _page(self, lines: Sequence[_Line], body: float) -> None:
        paragraph: list[str] = []
        before: _Line | None = None
        for line in lines:
            is_heading = _is_heading(line, body)
            bullet = _BULLET.match(line.text)
            if before is not None and (
                is_heading or bullet or _is_apart(before, line, self._fall) or _stands_alone(before, line, lines)
            ):
                self._flush(paragraph)
            if is_heading:
                title = line.text
                # A long heading goes on in the next line, in the same type.
                if before is not None and _is_heading(before, body) and _continues(before, line):
                    self._title = f"{self._title} {title}" if self._title == before.text else self._title
                self._title = self._title or title
                self._writer.heading(_level(line.size, body), title)
            elif bullet:
                paragraph.append("- " + line.text[bullet.end() :])
            elif line.cells:
                self._flush(paragraph)
                for cell, left in line.cells:
                    self._flush(paragraph)
                    paragraph.append(_BULLET.sub("- ", cell))
                    line = replace(line, text=cell, left=left)
            else:
                paragraph.append(line.text)
            before = line
        self._flush(paragraph)

    def _flush(self, paragraph: list[str]) -> None:
        if paragraph:
            self._writer.prose(_joined(paragraph))
            paragraph.clear()

    def _reading(self, pages: int) -> FileText:
        try:
            said = self._document.get_metadata_dict()
        except (pypdfium2.PdfiumError, UnicodeError):
            said = {}
        title = _PROGRAM.sub("", printable(said.get("Title")))
        if len(title) < 3 or _FILE_NAME.match(title):
            title = self._title or self._opening
        created = _CREATED.match(said.get("CreationDate") or said.get("ModDate") or "")
        return FileText(
            self._writer.text(),
            title=title,
            made=dates.iso_date(*(int(part) for part in created.groups() if part)) if created else None,
            front_matter=property_lines(author=said.get("Author"), subject=said.get("Subject"), pages=pages),
            tags=split_words(said.get("Keywords")),
            notes=self._notes,
            pages=self._writer.pages,
        )


def _lines(page: Any) -> Iterator[_Line]:
    """The lines of a page in its order, with size of type and place (points from the lower left corner)."""
    textpage = page.get_textpage()
    try:
        count = textpage.count_chars()
        if count <= 0:
            return
        text = textpage.get_text_range(0, count)
        # PDFium's indexes are of characters on the page; what it inserts between them counts too, but a character
        # beyond the first plane is two of its places. Only then do places and the text not go together.
        aligned = len(text) == count
        position = 0
        for raw in text.splitlines(keepends=True):
            # PDFium marks a hyphen that divides a word at a line's end, and joins the lines.
            line = clean_text(raw.replace("\ufffe", "").replace("\x02", "")).strip()
            if line:
                yield _measured(textpage, line, position + len(raw) - len(raw.lstrip()), len(raw.strip()), aligned)
            position += len(raw)
    finally:
        textpage.close()


def _measured(textpage: Any, line: str, start: int, length: int, aligned: bool) -> _Line:
    if not aligned:
        return _Line(line, 0.0, 0.0, 0.0, 0.0)
    try:
        left, bottom, _, top = textpage.get_charbox(start, loose=True)
    except pypdfium2.PdfiumError:
        return _Line(line, 0.0, 0.0, 0.0, 0.0)
    # The loose box is as high as the type, whatever the letter: it knows of scaling, which the font's size does not.
    size = top - bottom
    last = start + max(0, length - 1)
    right = 0.0
    try:
        _, low, right, high = textpage.get_charbox(last, loose=True)
        size = min(size, high - low) if high > low else size
    except pypdfium2.PdfiumError:
        pass
    return _Line(line, round(size, 1), left, bottom, top, right, _cells(textpage, line, start, length, size))


def _cells(textpage: Any, line: str, start: int, length: int, size: float) -> tuple[tuple[str, float], ...]:
    """The cells of a line whose words stand a gap apart; none where it is running text."""
    if length != len(line) or " " not in line or _LEADERS.search(line):
        return ()
    gaps: list[tuple[float, int, float]] = []
    try:
        for found in _BLANK.finditer(line, 1):
            right = textpage.get_charbox(start + found.start() - 1, loose=True)[2]
            left = textpage.get_charbox(start + found.end(), loose=True)[0]
            gaps.append((left - right, found.end(), left))
    except pypdfium2.PdfiumError:
        return ()
    usual = sorted(gap for gap, _, _ in gaps)[len(gaps) // 3] if len(gaps) > 2 else 0.0
    wide = [(place, left) for gap, place, left in gaps if gap > _GAP * size and gap > 2.5 * usual]
    places = [0, *(place for place, _ in wide), len(line)]
    lefts = [0.0, *(left for _, left in wide)]
    texts = [line[a:b].strip() for a, b in pairwise(places)]
    if len(texts) < 2 or not all(sum(map(str.isalpha, text)) > 2 for text in texts):
        return ()  # "1   Lamps": a number and its title
    return tuple(zip(texts, lefts, strict=True))


def _body_size(pages: Sequence[Sequence[_Line]]) -> float:
    """The size of most of the text; 0 where none is known."""
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            if line.size > 0:
                sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _is_heading(line: _Line, body: float) -> bool:
    if not body or line.size < body * _LARGER or len(line.text) > 160:
        return False
    if line.text.endswith((".", ",", ";")) or _LEADERS.search(line.text):
        return False
    return sum(char.isalpha() for char in line.text) >= 3


def _opening(lines: Sequence[_Line], usual: float) -> str:
    """A first line that is a title though its type is no larger: it stands alone above running text; else empty.

    The name in a letter's head stands above an address, and what a letter begins with ends with a comma.
    """
    if len(lines) < 3 or lines[0].cells or not lines[0].size or len(lines[1].text) <= _RUNNING:
        return ""
    text, fall = lines[0].text, lines[0].bottom - lines[1].bottom
    named = re.fullmatch(r"(?=.* )[^\W\d_a-z].*[^\W_]", text) is not None and ":" not in text and "@" not in text
    return text if named and len(text) <= MAX_HEADING and fall > 1.5 * usual and not dates.find_dates(text) else ""


def _level(size: float, body: float) -> int:
    ratio = size / body
    return 1 if ratio >= 1.7 else 2 if ratio >= 1.35 else 3


def _continues(before: _Line, line: _Line) -> bool:
    return abs(before.size - line.size) < 0.5 and 0 < before.bottom - line.bottom < 2 * line.size


def _usual_fall(pages: Sequence[Sequence[_Line]], body: float) -> float:
    """How far one line of the running text is below the one before it, mostly; 0 where that is not known."""
    falls: Counter[float] = Counter()
    for lines in pages:
        for before, line in pairwise(lines):
            fall = round(2 * (before.bottom - line.bottom)) / 2
            if 0.5 * body < fall < 3 * body and before.size == line.size == body and len(before.text) > _RUNNING:
                falls[fall] += 1
    return falls.most_common(1)[0][0] if falls else 1.2 * body


def _is_apart(before: _Line, line: _Line, usual: float) -> bool:
    """Whether a paragraph ends between two lines."""
    if not before.size or not line.size:
        return False
    fall = before.bottom - line.bottom
    if _is_next_cell(before, line, usual):
        return True
    if fall < -usual:
        return not _unfinished(before.text)  # a new column
    indented = line.left - before.left > 0.6 * usual and not _unfinished(before.text)
    return fall > _APART * usual or indented


def _stands_alone(before: _Line, line: _Line, page: Sequence[_Line]) -> bool:
    """Whether a line was ended on purpose, as a label above its text is: the next word had room in it."""
    if not before.right or not line.right or before.cells or before.text.endswith((",", ";", "-")):
        return False
    word = line.text.split(" ", 1)[0]
    if not word[:1].isupper():
        return False
    margin = max(one.right for one in page if abs(one.left - before.left) < before.size and not one.cells)
    needed = (len(word) + 1) * (line.right - line.left) / len(line.text)
    return margin - before.right > needed + before.size


def _is_next_cell(before: _Line, line: _Line, usual: float) -> bool:
    """Whether a line begins a cell of a table, beside the one that ends with the line before: as high, and a gap away,
    or some lines higher, at the right."""
    rise = line.bottom - before.bottom
    if abs(rise) < 0.3 * usual:
        return before.right > 0 and line.left - before.right > 2 * usual
    return 0.5 * usual < rise < _TALL_CELL * usual and line.left - before.left > 2 * usual


def _unfinished(text: str) -> bool:
    return not text.rstrip().endswith((".", "!", "?", ":", "”", '"', ")"))


def _joined(lines: Sequence[str]) -> str:
    """Lines as a paragraph; a word that was divided at a line's end is whole again."""
    text = ""
    for line in lines:
        if text.endswith("-") and line[:1].islower() and text[-2:-1].isalpha():
            text = text[:-1] + line
        else:
            text = f"{text}\n{line}" if text else line
    return text


def _drop_edges(pages: list[list[_Line]], body: float) -> None:
    """Running heads and page numbers: lines at the edge of most pages that are the same but for a number that counts
    with the pages, or that end or begin with one. A heading's number counts sections, and rows of a table differ in
    numbers that count nothing: these stay.
    """
    filled = sum(bool(lines) for lines in pages)
    if filled < 3:
        return
    edges = [{id(line): line for line in [*lines[:_EDGE_LINES], *lines[-_EDGE_LINES:]]}.values() for lines in pages]
    keys: list[dict[int, set[_Key]]] = [
        {id(line): set(_edge_keys(line, index, body)) for line in lines} for index, lines in enumerate(edges)
    ]
    met = [set[_Key]().union(*found.values()) for found in keys]
    for index, found in enumerate(keys):
        near = set[_Key]().union(*met[max(0, index - 2) : index], *met[index + 1 : index + 3])
        for own in found.values():
            # Where the numbers begin anew with each part, they count from page to page and not with all pages.
            own.update([key[0] for key in own if isinstance(key, tuple) and key in near])
    seen = Counter(key for found in keys for key in set[_Key]().union(*found.values()))
    recurring = {key for key, count in seen.items() if count >= 3 and count >= _EDGE_SHARE * filled}
    for index, lines in enumerate(pages):
        kept = [line for line in lines if not recurring.intersection(keys[index].get(id(line), ()))]
        pages[index] = kept or lines


_Key = str | int | tuple[str, int]


def _edge_keys(line: _Line, page: int, body: float) -> Iterator[_Key]:
    """What a line at a page's edge has in common with those of other pages."""
    if len(line.text) <= 120:
        text = line.text.casefold()
        yield text
        if _is_heading(line, body):
            return
        for place, number in enumerate(_NUMBER.findall(text)):
            yield f"{place} {_NUMBER.sub('#', text)}", int(number) - page
        for found in _AT_ENDS.findall(line.text):
            yield int(found) - page
